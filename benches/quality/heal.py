"""A whistle healed out of recordings, on an STFT and on rows.

    python3 benches/quality/heal.py [--program PATH] [--json FILE]

Makes its own virtual environment. Half a second of whistle that glides from 2.8 to 3.1 kHz, as loud as the recording, is
mixed into speech, choir and guitar and healed in a box around it at the brush's defaults. The value is the log-spectral
distance to the undamaged recording inside the box, in decibels, measured on the same STFT for all; as
`heal::damaged_recordings_come_nearer_to_what_they_were` measures it. Rows are compared with the STFT that tells frequencies
apart as well at 3 kHz: 96 an octave with the default size, 48 with half of it, 24 with a quarter. Exit code 1 when rows are
worse on average than that STFT, or no better than nothing on any recording.
"""

import json
import sys

from environment import CLIPS, paint, program, with_packages

with_packages("numpy", "soundfile")

import numpy as np
import soundfile

RECORDINGS = {
    "speech": ("speech_16k_mono.wav", 1.0, 3.0),
    "choir": ("choir_44k_stereo_float64.wav", 0.0, 1.6),
    "guitar": ("guitar_chord_44k_stereo.flac", 0.5, 2.0),
}
# Rows an octave, and the part of the studio's default size of the STFT that is compared with them.
COMPARED = {96: 1, 48: 2, 24: 4}
BAND_HZ = [2650.0, 3250.0]


def levels(samples, n_fft):
    """In dB of a full-scale sine, not under -100: frames by bins, centred on the multiples of a quarter of the window."""
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n_fft) / n_fft)
    padded = np.pad(samples, n_fft)
    frames = np.lib.stride_tricks.sliding_window_view(padded, n_fft)[n_fft // 2 :: n_fft // 4]
    return 20 * np.log10(np.maximum(2 * np.abs(np.fft.rfft(frames * window)) / window.sum(), 1e-5))


def damaged(recording, rate):
    """The recording with a whistle in it, and when that is, with 20 ms on both sides."""
    n = len(recording)
    middle = n / rate / 2
    t = np.arange(n) / rate - middle
    loud = np.sqrt(np.mean(recording[n // 3 : 2 * n // 3] ** 2))
    fade = np.clip(np.minimum(t, 0.5 - t) / 0.02, 0, 1)
    whistle = loud * np.sin(2 * np.pi * (2800 * t + 300 * t * t)) * fade
    return (recording + whistle).astype(np.float32).astype(np.float64), [middle - 0.02, middle + 0.52]


def main():
    sonobrush = program()
    distances = {}
    for name, (file, start, secs) in RECORDINGS.items():
        samples, rate = soundfile.read(CLIPS / file, always_2d=True)
        recording = samples[int(start * rate) :, 0][: int(secs * rate)]
        sound, time = damaged(recording, rate)
        n_fft = 2 ** round(np.log2(0.046 * rate))
        truth = levels(recording, n_fft)
        secs_of_frames, hz_of_bins = np.arange(len(truth)) * n_fft / 4 / rate, np.arange(truth.shape[1]) * rate / n_fft
        inside = [(at >= low) & (at <= high) for at, (low, high) in ((secs_of_frames, time), (hz_of_bins, BAND_HZ))]

        def distance(heard):
            hole = (levels(heard, n_fft) - truth)[np.ix_(*inside)]
            return float(np.sqrt(np.mean(hole**2)))

        distances.setdefault("nothing", []).append(distance(sound))
        for bins, part in COMPARED.items():
            stft = {"n_fft": n_fft // part, "hop": n_fft // part // 4}
            for kind, transform in ((f"STFT / {part}", stft), (f"log {bins}", {"kind": "vqt", "bins": bins})):
                selected = {"time": time, "frequency": BAND_HZ}
                edit = {"brush": {"kind": "heal"}, "select": selected, "transform": transform}
                distances.setdefault(kind, []).append(distance(paint(sonobrush, sound, rate, [edit])))
    for kind, values in distances.items():
        each = "   ".join(f"{name} {value:5.2f}" for name, value in zip(RECORDINGS, values))
        print(f"{kind:8} {each}   mean {np.mean(values):5.2f} dB")
    if "--json" in sys.argv:
        with open(sys.argv[sys.argv.index("--json") + 1], "w") as out:
            json.dump(distances, out, indent=1)
    misses = []
    for bins, part in COMPARED.items():
        rows = distances[f"log {bins}"]
        if np.mean(rows) > np.mean(distances[f"STFT / {part}"]):
            misses.append(f"log {bins} is worse than the STFT")
        if any(healed >= nothing for healed, nothing in zip(rows, distances["nothing"])):
            misses.append(f"log {bins}: a recording is no better than damaged")
    for miss in misses:
        print("missed:", miss)
    sys.exit(1 if misses else 0)


if __name__ == "__main__":
    main()
