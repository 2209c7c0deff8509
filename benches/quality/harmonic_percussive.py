"""Tones and hits taken apart, against librosa: choir and drums mixed at the same level.

    python3 benches/quality/harmonic_percussive.py [--program PATH] [--json FILE]

Makes its own virtual environment. librosa's `decompose.hpss` runs with its defaults on an STFT of the same size and hop.
SDR is 20 log10(||part|| / ||part - estimate||). On rows the same edit runs on 24 rows an octave. Exit code 1 when a part is
worse than librosa's, or worse on rows than on the STFT.
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

    def ours(transform, **gains):
        edit = {"brush": {"kind": "harmonic_percussive", **gains}, "transform": transform}
        return paint(sonobrush, mix, rate, [edit])

    spectra = librosa.decompose.hpss(librosa.stft(mix, n_fft=2048, hop_length=512))
    theirs = dict(zip(parts, (librosa.istft(part, n_fft=2048, hop_length=512, length=n) for part in spectra)))
    transforms = {"sonobrush": {"n_fft": 2048, "hop": 512}, "on rows": {"kind": "vqt", "bins": 24}}
    found = {
        name: {"choir": ours(transform, percussive_db=-120), "drums": ours(transform, harmonic_db=-120)}
        for name, transform in transforms.items()
    }
    report, misses = {}, 0
    for name, part in parts.items():
        report[name] = {kind: sdr(part, parts_found[name]) for kind, parts_found in (found | {"librosa": theirs}).items()}
        misses += report[name]["sonobrush"] < report[name]["librosa"]
        misses += report[name]["on rows"] < report[name]["sonobrush"]
        print(f"{name:6} SDR:", ", ".join(f"{kind} {value:.2f} dB" for kind, value in report[name].items()))
    if "--json" in sys.argv:
        with open(sys.argv[sys.argv.index("--json") + 1], "w") as out:
            json.dump(report, out, indent=1)
    sys.exit(1 if misses else 0)


if __name__ == "__main__":
    main()
