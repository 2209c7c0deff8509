"""Tones and hits taken apart, against librosa: choir and drums mixed at the same level.

    python3 benches/quality/harmonic_percussive.py [--program PATH] [--json FILE]

Makes its own virtual environment. librosa's `decompose.hpss` runs with its defaults on an STFT of the same size and hop.
SDR is 20 log10(||part|| / ||part - estimate||). Exit code 1 when a part is worse than librosa's.
"""

import json
import sys

from environment import CLIPS, paint, program, with_packages

with_packages("numpy", "scipy", "soundfile", "librosa==0.11.0")

import librosa
import numpy as np
import soundfile


def sdr(part, estimate):
    return 10 * np.log10((part**2).sum() / ((part - estimate) ** 2).sum())


def main():
    sonobrush = program()
    parts, rate = {}, 44_100
    for name, file in [("choir", "choir_44k_stereo_float64.wav"), ("drums", "drum_break_44k_stereo.flac")]:
        parts[name] = soundfile.read(CLIPS / file)[0].mean(1)
    n = min(map(len, parts.values()))
    parts = {name: 0.1 * part[:n] / np.sqrt(np.mean(part[:n] ** 2)) for name, part in parts.items()}
    mix = parts["choir"] + parts["drums"]

    def ours(**gains):
        return paint(sonobrush, mix, rate, [{"brush": {"kind": "harmonic_percussive", **gains}}])

    spectra = librosa.decompose.hpss(librosa.stft(mix, n_fft=2048, hop_length=512))
    theirs = dict(zip(parts, (librosa.istft(part, n_fft=2048, hop_length=512, length=n) for part in spectra)))
    found = {"choir": ours(percussive_db=-120), "drums": ours(harmonic_db=-120)}
    report, misses = {}, 0
    for name, part in parts.items():
        report[name] = {"sonobrush": sdr(part, found[name]), "librosa": sdr(part, theirs[name])}
        misses += report[name]["sonobrush"] < report[name]["librosa"]
        print(f"{name:6} SDR: sonobrush {report[name]['sonobrush']:.2f} dB, librosa {report[name]['librosa']:.2f} dB")
    if "--json" in sys.argv:
        with open(sys.argv[sys.argv.index("--json") + 1], "w") as out:
            json.dump(report, out, indent=1)
    sys.exit(1 if misses else 0)


if __name__ == "__main__":
    main()
