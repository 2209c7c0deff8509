"""What `declip` computes, written down once more in NumPy and double precision, from the papers.

    pip install numpy==2.4.6
    python tests/reference/declip.py

Writes `declip.npy` beside this file, against which `declip::` measures the program: a made sound that is clipped, what social
sparsity makes of it after 5 and after 320 iterations, and what prediction makes of the latter.
"""

from pathlib import Path

import numpy as np

FIXTURE = Path(__file__).resolve().parent / "declip.npy"
# Of the fixture: the sample rate at which frames have 512 samples.
RATE, LENGTH, N = 44_100 * 512 / 8192, 512, 6144
LEVELS = (0.45, -0.4)


class Stft:
    """A tight STFT with a sine window and a hop of a quarter of it: `synthesis` undoes `analysis`, and is its adjoint."""

    def __init__(self, n_samples, length):
        self.n, self.length, self.hop = n_samples, length, length // 4
        window = np.sin(np.pi * (np.arange(length) + 0.5) / length)
        # The squares of the window over all frames that hold a sample.
        self.window = window / np.sqrt(np.tile(sum(np.split(window**2, 4)), 4))
        self.n_frames = -(-n_samples // self.hop) + 3

    def analysis(self, x):
        padded = np.zeros(3 * self.hop + (self.n_frames + 3) * self.hop)
        padded[3 * self.hop : 3 * self.hop + self.n] = x
        frames = np.lib.stride_tricks.sliding_window_view(padded, self.length)[:: self.hop][: self.n_frames]
        return np.fft.rfft(frames * self.window) / np.sqrt(self.length)

    def synthesis(self, cells):
        frames = np.fft.irfft(cells * np.sqrt(self.length), self.length) * self.window
        out = np.zeros((self.n_frames + 3) * self.hop)
        for index, frame in enumerate(frames):
            out[index * self.hop : index * self.hop + self.length] += frame
        return out[3 * self.hop : 3 * self.hop + self.n]


def neighbourhood(power):
    """The sum over three frames before and after, silence beyond, and over a bin below and above, mirrored beyond."""
    wide = np.pad(power, ((3, 3), (0, 0)))
    in_time = sum(wide[i : i + len(power)] for i in range(7))
    mirrored = np.pad(in_time, ((0, 0), (1, 1)), mode="reflect")
    return mirrored[:, :-2] + mirrored[:, 1:-1] + mirrored[:, 2:]


def social_sparsity(y, above, below, length, first=2.0, last=0.01, thresholds=16, inner=20, most=None, hinge=True):
    """The sound after all iterations, or after `most`; without the hinge clipped samples are merely missing."""
    stft = Stft(len(y), length)
    high, low = y >= above, y <= below
    clipped = high | low
    level = max(above if np.isfinite(above) else 0, -below if np.isfinite(below) else 0)
    alpha = stft.analysis(y)
    z = alpha.copy()
    done = 0
    for j in range(thresholds):
        threshold = level * first * (last / first) ** (j / (thresholds - 1))
        for _ in range(inner):
            if done == most:
                break
            x = stft.synthesis(z)
            r = x - y
            r[high] = np.minimum(x[high] - above, 0) if hinge else 0
            r[low] = np.maximum(x[low] - below, 0) if hinge else 0
            v = z - stft.analysis(r)
            energy = neighbourhood(np.abs(v) ** 2)
            kept = np.maximum(0, 1 - threshold**2 / np.maximum(energy, 1e-300))
            now = v * kept
            z = now + 0.95 * (now - alpha)
            alpha = now
            done += 1
    out = y.copy()
    out[clipped] = stft.synthesis(alpha)[clipped]
    out[high] = np.maximum(out[high], above)
    out[low] = np.minimum(out[low], below)
    return out


def levinson(r):
    a, error = np.zeros(len(r)), r[0]
    a[0] = 1
    for i in range(1, len(r)):
        k = -np.dot(a[:i], r[i:0:-1]) / error
        a[: i + 1] += k * a[i::-1]
        error *= 1 - k * k
    return a


def conjugate_gradients(matrix, preconditioner, right, x, steps=60, least=1e-7):
    residual = right - matrix @ x
    direction = preconditioner @ residual
    slope = residual @ direction
    for _ in range(steps):
        if np.linalg.norm(residual) <= least * np.linalg.norm(right):
            break
        step = slope / (direction @ matrix @ direction)
        x = x + step * direction
        residual = residual - step * (matrix @ direction)
        new = preconditioner @ residual
        direction = new + residual @ new / slope * direction
        slope = residual @ new
    return x


def prediction(y, above, below, restored, frame=8192, order=512):
    """The samples for which the error of prediction is least, as far as 60 steps come, with dense matrices."""
    high, low = y >= above, y <= below
    clipped = high | low
    total, weight = np.zeros(len(y)), np.zeros(len(y))
    for start in range(0, len(y), frame // 2):
        here = slice(start, min(start + frame, len(y)))
        unknown = np.flatnonzero(clipped[here])
        if not len(unknown):
            continue
        x = np.zeros(frame)
        x[: here.stop - start] = restored[here]
        hann = 0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(frame) + 0.5) / frame)
        spectrum = np.fft.rfft(x * hann, 4 * frame)
        r = np.fft.irfft(np.abs(spectrum) ** 2)[: order + 1]
        r[0] *= 1 + 1e-12
        a = levinson(r)
        # Lags of the coefficients: the matrix of the normal equations is Toeplitz.
        b = np.zeros(frame)
        b[: order + 1] = np.correlate(a, a, "full")[order:]
        matrix = b[np.abs(unknown[:, None] - unknown[None, :])]
        known = x.copy()
        known[unknown] = 0
        kernel = np.concatenate([b[order:0:-1], b[: order + 1]])
        right = -np.convolve(known, kernel)[order : order + frame][unknown]
        # The preconditioner: the rows and columns of the unknown samples of the inverse filter.
        power = np.abs(np.fft.rfft(a, frame + 2 * order)) ** 2
        inverse = np.fft.irfft(1 / (power + 1e-7 * power.max()))
        preconditioner = inverse[np.abs(unknown[:, None] - unknown[None, :])]
        part = np.sin(np.pi * (unknown + 0.5) / frame) ** 2
        total[start + unknown] += part * conjugate_gradients(matrix, preconditioner, right, x[unknown])
        weight[start + unknown] += part
    out = restored.copy()
    out[clipped] = total[clipped] / weight[clipped]
    out[high] = np.maximum(out[high], above)
    out[low] = np.minimum(out[low], below)
    return out


def made_sound():
    """Two notes of ten partials with vibrato, struck, over a floor of noise, as 32-bit floats."""
    random, t = np.random.default_rng(5), np.arange(N) / RATE
    x = 0.003 * random.standard_normal(N)
    for f0, start in ((110.0, 0.0), (164.8, 0.6)):
        turns = f0 * t + 0.05 * np.sin(2 * np.pi * 4 * t)
        decay = np.where(t < start, 0, np.exp(-1.2 * (t - start)))
        x += decay * sum(np.sin(2 * np.pi * h * turns + random.uniform(0, 6)) / h**1.2 for h in range(1, 11))
    return (x / np.abs(x).max()).astype(np.float32).astype(float)


def main():
    above, below = (float(np.float32(level)) for level in LEVELS)
    y = np.clip(made_sound(), below, above)
    few, all_of_them = (social_sparsity(y, above, below, LENGTH, most=most) for most in (5, None))
    rows = np.array([y, few, all_of_them, prediction(y, above, below, all_of_them.astype(np.float32).astype(float))])
    np.save(FIXTURE, rows.astype("<f4"))
    print(f"{FIXTURE}: {rows.shape}, {np.mean((y >= above) | (y <= below)):.1%} clipped")


if __name__ == "__main__":
    main()
