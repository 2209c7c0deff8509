"""Makes the reference arrays of `sonobrush features` from the definitions, with librosa and soxr as witnesses.

    pip install numpy librosa soxr
    python tests/reference/make_features.py

The signal is made of whole numbers, so that the test makes the very same one. `features_preset.npy` is computed in f64
and rounded once; `features_librosa.npy` is what librosa gives in f32 for other options; `features_resampled.npy` is the
preset for a second of the signal at rates far from 4,096 Hz, resampled by soxr in f64 at its highest quality.
"""

from pathlib import Path

import librosa
import numpy as np
import soxr

HERE = Path(__file__).resolve().parent
RATE = 4096


def signal(n):
    """16-bit noise whose level changes every quarter second, over a square wave; a second of silence."""
    samples = np.zeros(n, np.int64)
    seed = 1
    for k in range(n):
        seed = (seed * 1664525 + 1013904223) % 2**32
        noise = (seed >> 16) - 32768
        level = [2, 8, 64, 512][(k // 1024) % 4]
        square = 3000 if (k // 9) % 2 else -3000
        samples[k] = noise // level + (square if (k // 4096) % 2 else 0)
    samples[5 * RATE:6 * RATE] = 0
    return np.clip(samples, -32768, 32767)


def mel_bank(n_mels, n_fft, rate):
    """Triangles evenly spaced on HTK's scale from 0 to half the rate, each with a peak of 1."""
    def hz(mel):
        return 700 * (10 ** (mel / 2595) - 1)

    top = 2595 * np.log10(1 + rate / 2 / 700)
    corners = [hz(top * k / (n_mels + 1)) for k in range(n_mels + 2)]
    bank = np.zeros((n_mels, n_fft // 2 + 1))
    for mel in range(n_mels):
        left, peak, right = corners[mel:mel + 3]
        for k in range(n_fft // 2 + 1):
            f = k * rate / n_fft
            bank[mel, k] = max(0, min((f - left) / (peak - left), (right - f) / (right - peak)))
    return bank


def spectra(segment, n_fft, hop):
    """|rfft|^2 of frames centred on every hop, mirrored at both ends; periodic Hann."""
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n_fft) / n_fft)
    padded = np.pad(segment, n_fft // 2, mode="reflect")
    starts = range(0, len(segment) + 1, hop)
    return np.array([np.abs(np.fft.rfft(window * padded[s:s + n_fft])) ** 2 for s in starts])


def rows(samples, long, short):
    for first in range(0, len(samples) - long[0] + 1, long[1]):
        for start in range(first, first + long[0] - short[0] + 1, short[1]):
            yield samples[start:start + short[0]]


def preset(samples):
    """Decibels: [rows, mels]."""
    bank = mel_bank(32, 64, RATE)
    segments = rows(samples, (1024, 512), (512, 256))
    power = np.array([spectra(segment, 64, 16).mean(axis=0) @ bank.T for segment in segments])
    return (10 * np.log10(np.maximum(power, 1e-10))).astype("<f2")


samples = signal(10 * RATE) / 32768
np.save(HERE / "features_preset.npy", preset(samples)[:, :, None])

far = [8000, 44100, 48000, 192000, 768000]
resampled = [soxr.resample(signal(rate) / 32768, rate, RATE, quality="VHQ")[:RATE] for rate in far]
np.save(HERE / "features_resampled.npy", np.array([preset(samples) for samples in resampled]))

samples = np.float32(samples[:2 * RATE])
bank = librosa.filters.mel(sr=RATE, n_fft=128, n_mels=20, fmin=50, fmax=1800)
found = []
for segment in rows(samples, (1024, 512), (512, 256)):
    power = np.abs(librosa.stft(segment, n_fft=128, hop_length=32, center=True, pad_mode="reflect")) ** 2
    found.append(np.log(np.maximum(bank @ power, 1e-10)))
np.save(HERE / "features_librosa.npy", np.array(found).astype("<f4"))
