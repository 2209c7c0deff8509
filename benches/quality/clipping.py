"""Clipped recordings, declipped: how much of what was lost comes back.

    python3 benches/quality/clipping.py [FOLDER] [--program PATH] [--qualities fast,best] [--levels 7,15,20] [--json FILE]

Makes its own virtual environment. Every WAV or FLAC file of the folder, first channel, is clipped at the level at which the error is so many
decibels below the sound; without a folder the clips of this repository are. `declip` gets 32-bit floats and the levels it finds. The value is
the signal-to-error ratio after less before. The folder that figures are published for is `Sounds` of
https://github.com/rajmic/declipping2020_codes (ten excerpts of EBU SQAM, 44.1 kHz): there the means of `fast` must reach 17.0 dB at
7, 20.5 at 15 and 21.5 at 20. Exit code 1 when they do not.
"""

import argparse
import sys
import time
from pathlib import Path

from environment import CLIPS, finish, paint, program, with_packages

with_packages("numpy", "soundfile")

import numpy as np
import soundfile
from measures import clipped_to, snr_db

LEAST = {7: 17.0, 15: 20.5, 20: 21.5}
PUBLISHED = 10


def sounds(folder):
    for path in sorted(folder.iterdir()):
        if path.suffix in (".wav", ".flac"):
            samples, rate = soundfile.read(path, always_2d=True)
            samples = samples[:, 0].astype(np.float32).astype(float)
            yield path.stem, samples / np.abs(samples).max() * 0.9, rate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CLIPS)
    parser.add_argument("--program", metavar="PATH")
    parser.add_argument("--qualities", default="fast,best")
    parser.add_argument("--levels", default="7,15,20")
    parser.add_argument("--json", metavar="FILE", type=Path)
    options = parser.parse_args()
    sonobrush, report, misses = program(), {}, []
    all_sounds = list(sounds(options.folder))
    for wanted_db in map(int, options.levels.split(",")):
        for quality in options.qualities.split(","):
            gains, secs = {}, []
            for name, clean, rate in all_sounds:
                before = clipped_to(clean, wanted_db)
                began = time.time()
                after = paint(sonobrush, before, rate, [{"brush": {"kind": "declip", "quality": quality}}])
                secs.append((time.time() - began) / (len(clean) / rate))
                gains[name] = snr_db(after, clean) - snr_db(before, clean)
            mean = float(np.mean(list(gains.values())))
            each = "  ".join(f"{name.split('_')[0]} {gain:.1f}" for name, gain in gains.items())
            print(f"{wanted_db:2} dB, {quality}: mean {mean:5.2f} dB, {np.mean(secs):.2f} s a second   {each}", flush=True)
            report[f"{wanted_db} {quality}"] = {"mean": mean, "gains": gains, "secs_per_second": float(np.mean(secs))}
            least = LEAST.get(wanted_db)
            if quality == "fast" and least and len(gains) == PUBLISHED and mean < least:
                misses.append(f"{quality} at {wanted_db} dB: {mean:.2f}, under {least}")
    finish(report, misses, options.json)


if __name__ == "__main__":
    main()
