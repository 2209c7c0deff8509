#!/usr/bin/env python3
"""Writes crates/view/src/render/colormap_tables.rs from Matplotlib's tables (needs matplotlib; made with 3.11)."""

import pathlib

import matplotlib
import numpy as np

HEAD = """//! Colour tables, 0xRRGGBB in sRGB, written by `scripts/make_colormaps.py`.
//!
//! Sources: viridis, magma, inferno (Smith and van der Walt, CC0), cividis (Nunez, Anderton and Renslow, PLOS ONE 2018),
//! twilight_shifted (Bechtold, CC0), all as in Matplotlib.
"""


def table(name):
    rgb = np.round(matplotlib.colormaps[name].resampled(256)(np.arange(256))[:, :3] * 255).astype(int)
    hexes = [f"0x{r:02x}{g:02x}{b:02x}" for r, g, b in rgb]
    lines = ["    " + ", ".join(hexes[i : i + 11]) + "," for i in range(0, 256, 11)]
    return f"\n#[rustfmt::skip]\npub(super) const {name.upper()}: [u32; 256] = [\n" + "\n".join(lines) + "\n];\n"


names = ["viridis", "magma", "inferno", "cividis", "twilight_shifted"]
target = pathlib.Path(__file__).parent.parent / "crates/view/src/render/colormap_tables.rs"
target.write_text(HEAD + "".join(table(name) for name in names))
