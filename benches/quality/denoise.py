"""Denoise against noisereduce, on the speech clip: white noise and vinyl hiss at 10 dB SNR.

    python3 benches/quality/denoise.py [--program PATH] [--json FILE]

Makes its own virtual environment. Two seconds of noise alone come before the speech: the first is learnt from by both,
in the second the power kurtosis is measured. noisereduce is given the learnt second and its stationary mode, which is
its better one here. On rows the same edit runs on 24 rows an octave. Each figure is the mean over three seeds. Exit code 1
when a target is missed.
"""

import json
import sys

from environment import CLIPS, paint, program, with_packages
from measures import TRANSFORM, segmental_snr

with_packages("numpy", "scipy", "soundfile", "pesq==0.0.4", "pystoi==0.4.1", "noisereduce==3.0.3")

import noisereduce
import numpy as np
import soundfile
from pesq import pesq
from pystoi import stoi
from scipy.signal import resample_poly

SNR_DB = 10
SEEDS = (1, 2, 3)
ROWS = {"kind": "vqt", "bins": 24}


def power_kurtosis(samples):
    """Of the power of STFT cells over the mean power of their bin: 9 for Gaussian noise, more where cells ring."""
    window = np.hanning(513)[:-1]
    frames = np.lib.stride_tricks.sliding_window_view(samples, 512)[::128]
    power = np.abs(np.fft.rfft(frames * window))[:, 2:-2] ** 2
    power = power / power.mean(0)
    return ((power - power.mean()) ** 4).mean() / power.var() ** 2


def noises(rate, n):
    hiss, hiss_rate = soundfile.read(CLIPS / "vinyl_hiss_44k_stereo.flac")
    hiss = resample_poly(hiss[:, 0], rate // 100, hiss_rate // 100)
    for seed in SEEDS:
        yield "white", np.random.default_rng(seed).standard_normal(n)
        # Another stretch each time, repeated where the clip is too short.
        yield "vinyl", np.tile(np.roll(hiss, -5000 * (seed - 1)), -(-n // len(hiss)))[:n]


def main():
    sonobrush = program()
    speech, rate = soundfile.read(CLIPS / "speech_16k_mono.wav")
    start = int(2.25 * rate)
    figures = {}

    def judge(noise, name, heard, noisy):
        voice, alone = slice(start, start + len(speech)), slice(rate, 2 * rate)
        figures.setdefault(noise, {}).setdefault(name, []).append([
            segmental_snr(speech, heard[voice], rate),
            pesq(rate, speech, heard[voice], "wb"),
            stoi(speech, heard[voice], rate),
            power_kurtosis(heard[alone]) / power_kurtosis(noisy[alone]),
        ])

    for noise, samples in noises(rate, start + len(speech)):
        samples = samples * np.sqrt(np.mean(speech**2) / np.mean(samples[start:] ** 2) / 10 ** (SNR_DB / 10))
        noisy = samples.copy()
        noisy[start:] += speech
        noisy = noisy.astype(np.float32).astype(np.float64)
        judge(noise, "noisy", noisy, noisy)
        for name, transform in (("sonobrush", TRANSFORM), ("on rows", ROWS)):
            edit = {"brush": {"kind": "denoise", "learn": [0.0, 1.0]}, "transform": transform}
            judge(noise, name, paint(sonobrush, noisy, rate, [edit]), noisy)
        theirs = noisereduce.reduce_noise(y=noisy, sr=rate, y_noise=noisy[:rate], stationary=True)
        judge(noise, "noisereduce", theirs, noisy)

    misses = []
    report = {}
    for noise, lines in figures.items():
        mean = {name: np.mean(rows, axis=0) for name, rows in lines.items()}
        report[noise] = {name: [round(float(value), 4) for value in row] for name, row in mean.items()}
        for name, (segments, quality, clarity, kurtosis) in mean.items():
            print(f"{noise:6} {name:12} segmental SNR {segments:6.2f} dB   PESQ-WB {quality:5.3f}   STOI {clarity:.4f}"
                  f"   kurtosis out/in {kurtosis:.3f}")
        ours, rows, noisy, theirs = (mean[name] for name in ("sonobrush", "on rows", "noisy", "noisereduce"))
        targets = {
            "segmental SNR on rows within 1 dB of the STFT's": rows[0] >= ours[0] - 1,
            "PESQ-WB not under noisereduce": ours[1] >= theirs[1],
            "STOI not lower by more than 0.01": ours[2] >= noisy[2] - 0.01,
        }
        if noise == "white":
            targets |= {
                "segmental SNR +5 dB": ours[0] >= noisy[0] + 5,
                "PESQ-WB +0.35": ours[1] >= noisy[1] + 0.35,
                "kurtosis ratio at most 1.1": ours[3] <= 1.1,
            }
        misses += [f"{noise}: {name}" for name, is_met in targets.items() if not is_met]
    if "--json" in sys.argv:
        with open(sys.argv[sys.argv.index("--json") + 1], "w") as out:
            json.dump(report, out, indent=1)
    for miss in misses:
        print("missed:", miss)
    sys.exit(1 if misses else 0)


if __name__ == "__main__":
    main()
