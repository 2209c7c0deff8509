#!/usr/bin/env python3
"""Makes assets/fonts from the npm packages inter-ui 4.1.1 (Inter 4, OFL 1.1) and lucide-static 1.62.0 (ISC, part MIT).

    pip install fonttools brotli
    scripts/make_fonts.py

epaint shapes with default features and cannot be asked for `tnum`, and Inter's own digits differ in width. So the
`cmap` of our copy maps digits, plus and minus to the tabular glyphs, and numbers stand still while they change. `calt`
is dropped: it turns `->` and `1x2` into other signs.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

ASSETS = Path(__file__).resolve().parent.parent / "assets" / "fonts"
STYLES = ["Regular", "Medium", "SemiBold"]
DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TABULAR = {ord("0") + i: f"{name}.tf" for i, name in enumerate(DIGITS)} | {ord("+"): "plus.tf", 0x2212: "minus.tf"}

# Inter has no musical sharp; notes are written with it.
EXTRA = {0x266F: "numbersign"}

# Latin, Greek and Cyrillic for file names; punctuation, arrows and signs for our own sentences.
RANGES = [(0x20, 0x7E), (0xA0, 0x24F), (0x2B0, 0x2FF), (0x370, 0x3FF), (0x400, 0x52F), (0x1E00, 0x1EFF), (0x2000, 0x206F),
          (0x2070, 0x209F), (0x20A0, 0x20BF), (0x2100, 0x214F), (0x2150, 0x218F), (0x2190, 0x2199), (0x2200, 0x22FF),
          (0x25A0, 0x25FF), (0x2660, 0x266F)]

# name in crates/workbench/src/commands/table/icons.rs -> name in Lucide
ICONS = """align-horizontal-space-around align-vertical-space-around square-dashed lasso paintbrush wand align-justify
volume-2 eraser droplet funnel waves-horizontal tornado bandage stamp pointer pencil tag music wind split refresh-cw hand
zoom-in play pause square skip-back skip-forward repeat panel-top-dashed triangle square-split-horizontal headphones lock
lock-open magnet gauge link-2 unlink search x plus minus chevron-down chevron-right ellipsis copy bookmark check loader
triangle-alert circle-alert info rotate-ccw folder-open file-plus file-audio download panel-right sun moon maximize
undo-2 redo-2 keyboard settings audio-waveform audio-lines eye history sliders-horizontal spray-can piano orbit columns-3
paint-bucket copy-plus trash-2 sparkles diff graduation-cap list-music equal tags square-dashed-mouse-pointer move-vertical
folder-sync monitor puzzle volume-1 folder-plus chart-spline""".split()


def unpack(package: str, folder: Path) -> Path:
    """The folder of an npm package, fetched with `npm pack`."""
    made = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, capture_output=True, text=True)
    target = folder / package.split("@")[0]
    with tarfile.open(folder / made.stdout.strip().splitlines()[-1]) as archive:
        archive.extractall(target, filter="data")
    return target / "package"


def cut(font: TTFont, unicodes: list[int], features: list[str], path: Path) -> None:
    options = subset.Options()
    options.layout_features = features
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = ["*"]
    options.drop_tables += ["DSIG", "STAT", "MVAR"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=unicodes)
    cutter.subset(font)
    font.flavor = None
    font.save(path)
    print(path.name, path.stat().st_size)


def main() -> int:
    ASSETS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        inter, lucide = (unpack(package, Path(made)) for package in ["inter-ui@4.1.1", "lucide-static@1.62.0"])
        for style in STYLES:
            font = TTFont(inter / "web" / f"Inter-{style}.woff2")
            for table in font["cmap"].tables:
                if table.isUnicode():
                    table.cmap |= TABULAR | EXTRA
            unicodes = [code for first, last in RANGES for code in range(first, last + 1)]
            cut(font, unicodes, ["kern", "ccmp", "mark", "mkmk", "locl"], ASSETS / f"Inter-{style}.ttf")
        (ASSETS / "Inter-LICENSE.txt").write_text((inter / "LICENSE.txt").read_text())

        font = TTFont(lucide / "font" / "lucide.ttf")
        codes = json.loads((lucide / "font" / "codepoints.json").read_text())
        missing = [name for name in ICONS if name not in codes]
        if missing:
            print("not in Lucide:", *missing, file=sys.stderr)
            return 1
        for name in ICONS:
            print(f"{name:32} {codes[name]:04X}")
        cut(font, [codes[name] for name in ICONS], [], ASSETS / "lucide.ttf")
        (ASSETS / "Lucide-LICENSE.txt").write_text((lucide / "LICENSE").read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
