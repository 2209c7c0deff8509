#!/usr/bin/env python3
"""Makes the signals of EBU Tech 3341 (cases 1 to 6 and 15 to 23) and EBU Tech 3342 (cases 1 to 4) from their text, asks
`sonobrush library describe` for each, and says whether it is within the tolerance stated there. The other cases are programme
material, or of momentary and short-term loudness, which Sonobrush does not measure.

Usage: scripts/ebu_loudness.py PATH/TO/sonobrush      (needs NumPy)
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

RATE = 48000
# Of one, two and five channels, as extensible WAV headers code them: centre; left and right; these, and two surrounds.
MASKS = {1: 4, 2: 3, 5: 0x37}


def tone(parts):
    """1 kHz, its parts one after the other: seconds and dBFS of the peaks."""
    level = np.concatenate([np.full(round(secs * RATE), 10 ** (db / 20)) for secs, db in parts])
    return level * np.sin(2 * np.pi * 1000 * np.arange(len(level)) / RATE)


def sine(periods_per_sample, degrees, amplitude):
    """Faded over 10 ms: where a sine sets in at once, the step itself passes its peak between samples."""
    at = np.arange(RATE // 2)
    fade = np.clip(np.minimum(at, at[::-1]) / (0.01 * RATE), 0, 1)
    return [fade * amplitude * np.sin(2 * np.pi * (periods_per_sample * at + degrees / 360))]


def with_a_loud_period(offset):
    """Made at four times the rate: a sine of a sixth of the rate at 0.5, among it one period of a fourth of the rate at 1."""
    quiet = 0.5 * np.sin(2 * np.pi * np.arange(24 * 200) / 24)
    long = np.concatenate([quiet, np.sin(2 * np.pi * np.arange(16) / 16), quiet])
    at = np.arange(-400, 401)
    filtered = np.convolve(long, np.sinc(at / 4) / 4 * (0.5 + 0.5 * np.cos(np.pi * at / 400)), "same")
    return [filtered[offset::4]]


def stereo(*parts):
    return [tone(parts)] * 2


def steps(*levels):
    return stereo(*((20, db) for db in levels))


LUFS, PEAK, RANGE = ("lufs", -0.1, 0.1), ("true_peak_dbtp", -0.4, 0.2), ("loudness_range", -1, 1)
CASES = [
    ("3341-1", stereo((20, -23)), LUFS, -23),
    ("3341-2", stereo((20, -33)), LUFS, -33),
    ("3341-3", stereo((10, -36), (60, -23), (10, -36)), LUFS, -23),
    ("3341-4", stereo((10, -72), (10, -36), (60, -23), (10, -36), (10, -72)), LUFS, -23),
    ("3341-5", stereo((20, -26), (20.1, -20), (20, -26)), LUFS, -23),
    ("3341-6", [tone([(20, db)]) for db in (-28, -28, -24, -30, -30)], LUFS, -23),
    ("3341-15", sine(1 / 4, 0, 0.5), PEAK, -6),
    ("3341-16", sine(1 / 4, 45, 0.5), PEAK, -6),
    ("3341-17", sine(1 / 6, 60, 0.5), PEAK, -6),
    ("3341-18", sine(1 / 8, 67.5, 0.5), PEAK, -6),
    ("3341-19", sine(1 / 4, 45, 1.41), PEAK, 3),
    ("3341-20", with_a_loud_period(0), PEAK, 0),
    ("3341-21", with_a_loud_period(1), PEAK, 0),
    ("3341-22", with_a_loud_period(2), PEAK, 0),
    ("3341-23", with_a_loud_period(3), PEAK, 0),
    ("3342-1", steps(-20, -30), RANGE, 10),
    ("3342-2", steps(-20, -15), RANGE, 5),
    ("3342-3", steps(-40, -20), RANGE, 20),
    ("3342-4", steps(-50, -35, -20, -35, -50), RANGE, 15),
]


def write(path, channels):
    """32-bit floats, as some signals exceed full scale."""
    data = np.array(channels, "<f4").T.tobytes()
    n = len(channels)
    words = [(0xFFFE, 2), (n, 2), (RATE, 4), (RATE * 4 * n, 4), (4 * n, 2), (32, 2), (22, 2), (32, 2), (MASKS[n], 4)]
    head = b"".join(value.to_bytes(size, "little") for value, size in words)
    head += bytes.fromhex("0300000000001000800000aa00389b71")
    body = b"WAVEfmt " + len(head).to_bytes(4, "little") + head + b"data" + len(data).to_bytes(4, "little") + data
    path.write_bytes(b"RIFF" + len(body).to_bytes(4, "little") + body)


def main():
    n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "case.wav")
        for name, channels, (value, least, most), expected in CASES:
            write(path, channels)
            command = [sys.argv[1], "library", "describe", path, "--json"]
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)[value]
            is_right = least <= found - expected <= most
            n_wrong += not is_right
            print(f"{name:8} {value:15} {found:8.3f}, stated {expected:+} ({least:+} to {most:+})", "" if is_right else "WRONG")
    sys.exit(n_wrong > 0)


if __name__ == "__main__":
    main()
