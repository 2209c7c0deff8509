#!/usr/bin/env python3
"""Makes assets/library_scale.json, by which small libraries judge differences: the median and 1.4826 times the median
absolute deviation of each number of tests/clips, cut into pieces of a half, one and two seconds.

Usage: scripts/make_library_scale.py PATH/TO/sonobrush      (needs ffmpeg and NumPy)
"""
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        pieces = pathlib.Path(folder, "pieces")
        pieces.mkdir()
        for clip in sorted((ROOT / "tests/clips").glob("*.[wf]*")):
            for secs in (0.5, 1, 2):
                out = pieces / f"{clip.stem}_{secs}_%03d.wav"
                command = ["ffmpeg", "-v", "error", "-i", clip, "-f", "segment", "-segment_time", str(secs), out]
                subprocess.run(command, check=True)
        database = pathlib.Path(folder, "library.db")
        subprocess.run([program, "library", "add", pieces, "--library", database], check=True)
        rows = sqlite3.connect(database).execute("SELECT vector FROM descriptor WHERE vector IS NOT NULL")
        vectors = np.array([np.frombuffer(row[0], "<f4") for row in rows], float)
    centre = np.median(vectors, axis=0)
    spread = 1.4826 * np.median(abs(vectors - centre), axis=0)
    spread[spread < 1e-3] = 1
    scale = {"centre": centre.round(5).tolist(), "spread": spread.round(5).tolist()}
    (ROOT / "assets/library_scale.json").write_text(json.dumps(scale) + "\n")
    print(len(vectors), "pieces")


main()
