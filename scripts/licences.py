#!/usr/bin/env python3
"""Prints the licences of everything inside the program: of each crate its name, version and the texts in its folder.

    scripts/licences.py > LICENSES

A crate without a text of its own has the standard text of the licence that it states. One whose licence is not known here,
or has no text here, ends the script with 1 and its name.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = "x86_64-unknown-linux-gnu"
# Licences that a program may be given away with, whatever its own: what each crate states must be among them, or offer one.
KNOWN = ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "0BSD", "CC0-1.0", "Unicode-3.0", "BSL-1.0",
         "MPL-2.0", "LGPL-2.1-or-later", "LGPL-3.0", "Unlicense", "OFL-1.1", "Apache-2.0 WITH LLVM-exception"]
# What a licence refers to and must come with.
WITH = {"LGPL-3.0": "scripts/licences/GPL-3.0.txt"}
# Standard texts, for crates that come without.
STANDARD = {"MIT": "LICENSE-MIT", "Apache-2.0": "LICENSE-APACHE", "Unlicense": "scripts/licences/Unlicense.txt"}
NAMES = ("licen", "copying", "copyright", "unlicense", "notice")


def metadata():
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def inside(found):
    """Packages that the program is linked from: no tools of the build, nothing that only tests use."""
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    waiting = [package["id"] for package in found["packages"] if package["name"] == "sonobrush"]
    seen = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    return sorted((package for package in found["packages"] if package["id"] in seen), key=lambda one: one["name"])


def choices(expression):
    """Each way to satisfy an SPDX expression of `OR` and `AND`, as lists of licences."""
    plain = expression.replace("/", " OR ").replace("(", " ").replace(")", " ")
    return [[part.strip() for part in way.split(" AND ")] for way in plain.split(" OR ")]


def is_known(package):
    stated = package.get("license")
    return bool(stated) and any(all(part in KNOWN for part in way) for way in choices(stated))


def texts(package):
    """Of the crate, and of the C library that one of bindings holds in a folder of its own."""
    folder = Path(package["manifest_path"]).parent
    files = [path for path in sorted([*folder.iterdir(), *folder.glob("*/*")])
             if path.is_file() and path.suffix not in (".rs", ".html", ".py") and path.name.lower().startswith(NAMES)]
    named = package.get("license_file")
    if not files and named:
        files = [folder / named]
    return [path.read_text(errors="replace").strip() for path in files]


def main():
    packages = [package for package in inside(metadata()) if package["source"] or "vendor" in package["manifest_path"]]
    unknown = [f"{one['name']} {one['version']}: {one.get('license')}" for one in packages if not is_known(one)]
    if unknown:
        sys.exit("licences that are not known here:\n" + "\n".join(unknown))
    release = subprocess.run(["rustc", "--version"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()[1]
    # Linked to every program, and no package of cargo's.
    by_text, without = {}, [(f"Rust's standard library {release} (MIT OR Apache-2.0)", "MIT OR Apache-2.0")]
    for package in packages:
        found = texts(package)
        name = f"{package['name']} {package['version']} ({package['license']})"
        if not found:
            without.append((name, package["license"]))
        for text in found:
            by_text.setdefault(text, []).append(name)
    print("Sonobrush holds the work of others, under these licences.\n")
    for text, names in sorted(by_text.items(), key=lambda pair: pair[1]):
        print("=" * 80, *names, "-" * 80, text, "", sep="\n")
    for licence, path in WITH.items():
        names = [f"{one['name']} {one['version']}, whose licence refers to it" for one in packages if one["license"] == licence]
        if names:
            print("=" * 80, *names, "-" * 80, (ROOT / path).read_text().strip(), "", sep="\n")
    by_licence = {}
    for name, stated in without:
        offered = [part for way in choices(stated) if len(way) == 1 for part in way if part in STANDARD]
        if not offered:
            sys.exit(f"{name} has no text of its licence, and there is none in scripts/licences")
        by_licence.setdefault(offered[0], []).append(name)
    for licence, names in sorted(by_licence.items()):
        text = (ROOT / STANDARD[licence]).read_text().strip()
        if licence == "MIT":
            text = "\n".join(line for line in text.splitlines() if not line.startswith("Copyright"))
        print("=" * 80, *names, "each of its own authors, and without a text of its own; this is the licence that it states",
              "-" * 80, text, "", sep="\n")
    # Ours, and that of the title on the frame that sctk-adwaita draws.
    fonts = [*(ROOT / "assets" / "fonts").glob("*-LICENSE.txt"), *(ROOT / "scripts" / "licences").glob("*-LICENSE.txt")]
    for path in sorted(fonts, key=lambda path: path.name):
        print("=" * 80, f"font {path.name.removesuffix('-LICENSE.txt')}", "-" * 80, path.read_text().strip(), "", sep="\n")
    for path in sorted((ROOT / "assets" / "models").glob("*.txt")):
        print("=" * 80, f"model {path.name.split('-')[0]}", "-" * 80, path.read_text().strip(), "", sep="\n")


main()
