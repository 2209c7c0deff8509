"""Denoise against noisereduce over coloured noise: five voices; white, pink, brown and fan-like noise; 5, 10 and 15 dB SNR.

    python3 benches/quality/denoise_colours.py [--program PATH] [--json FILE]

Makes its own virtual environment and fetches its voices (voices.py). Everything else is as in denoise.py: two seconds of
noise alone come before the speech, and both programs learn from the first. Exit code 1 when a voice cannot be had, or a
target is missed: PESQ-WB in no case under noisereduce's and 0.1 over it on average, segmental SNR 3 dB over on average.
"""

import json
import sys

from environment import paint, program, with_packages

with_packages("numpy", "scipy", "soundfile", "pesq==0.0.4", "noisereduce==3.0.3", "av")

import noisereduce
import numpy as np
from measures import TRANSFORM, segmental_snr
from pesq import pesq
from voices import RATE, voices

SNRS_DB = (5, 10, 15)
# As the studio makes it.
DENOISE = {"kind": "denoise", "learn": [0.0, 1.0], "even_gains": True, "margin_db": 1, "smoothing": [0.1, 500]}


def shaped(n, seed, power):
    """Gaussian noise with a power per hertz, given as a function of the frequency; nothing below 20 Hz."""
    hz = np.fft.rfftfreq(n, 1 / RATE)
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(n))
    return np.fft.irfft(spectrum * np.sqrt(np.where(hz < 20, 0, power(np.maximum(hz, 20)))), n)


def fan(n, seed):
    """Air, falling by 9 dB an octave above 400 Hz, and five harmonics of 116 Hz that waver by half a per cent."""
    air = shaped(n, seed, lambda hz: 1 / (1 + (hz / 400) ** 3))
    phase = np.random.default_rng(seed + 1000).uniform(0, 2 * np.pi, 6)
    t = np.arange(n) / RATE
    turn = 2 * np.pi * 116 * (t + 0.005 / (2 * np.pi * 0.7) * np.sin(2 * np.pi * 0.7 * t + phase[0]))
    tones = sum(np.sin(k * turn + phase[k]) / k for k in range(1, 6))
    return air / air.std() + 0.35 * tones


NOISES = {
    "white": lambda n, seed: shaped(n, seed, np.ones_like),
    "pink": lambda n, seed: shaped(n, seed, lambda hz: 1 / hz),
    "brown": lambda n, seed: shaped(n, seed, lambda hz: 1 / hz**2),
    "fan": fan,
}


def main():
    sonobrush, rows = program(), []
    for number, (voice, licence, speech) in enumerate(voices()):
        print(f"{voice}: {licence}")
        start = int(2.25 * RATE)
        for colour, noise_of in NOISES.items():
            noise = noise_of(start + len(speech), number + 1)
            for snr_db in SNRS_DB:
                scale = np.sqrt(np.mean(speech**2) / np.mean(noise[start:] ** 2) / 10 ** (snr_db / 10))
                noisy = noise * scale
                noisy[start:] += speech
                noisy = noisy.astype(np.float32).astype(np.float64)
                edit = {"brush": DENOISE, "transform": TRANSFORM}
                heard = {
                    "noisy": noisy,
                    "ours": paint(sonobrush, noisy, RATE, [edit]),
                    "theirs": noisereduce.reduce_noise(y=noisy, sr=RATE, y_noise=noisy[:RATE], stationary=True),
                }
                figures = {
                    name: [pesq(RATE, speech, x[start:][: len(speech)], "wb"),
                           segmental_snr(speech, x[start:][: len(speech)], RATE)]
                    for name, x in heard.items()
                }
                rows.append({"voice": voice, "noise": colour, "snr_db": snr_db, **figures})
                print(f"{voice:8} {colour:6} {snr_db:2} dB   PESQ-WB, segmental SNR:  "
                      + "   ".join(f"{name} {q:5.2f} {s:5.1f} dB" for name, (q, s) in figures.items()), flush=True)
    if "--json" in sys.argv:
        with open(sys.argv[sys.argv.index("--json") + 1], "w") as out:
            json.dump(rows, out, indent=1)
    over = np.array([np.subtract(row["ours"], row["theirs"]) for row in rows])
    for colour in NOISES:
        means = {name: np.mean([row[name] for row in rows if row["noise"] == colour], axis=0)
                 for name in ("noisy", "ours", "theirs")}
        print(f"{colour:6} mean   " + "   ".join(f"{name} {q:5.2f} {s:5.1f} dB" for name, (q, s) in means.items()))
    print(f"over noisereduce: PESQ-WB {over[:, 0].mean():+.2f}, least {over[:, 0].min():+.2f};"
          f" segmental SNR {over[:, 1].mean():+.1f} dB, least {over[:, 1].min():+.1f} dB")
    targets = {
        "PESQ-WB in no case under noisereduce": over[:, 0].min() >= 0,
        "PESQ-WB 0.1 over on average": over[:, 0].mean() >= 0.1,
        "segmental SNR 3 dB over on average": over[:, 1].mean() >= 3,
    }
    for name in (name for name, is_met in targets.items() if not is_met):
        print("missed:", name)
    sys.exit(0 if all(targets.values()) else 1)


if __name__ == "__main__":
    main()
