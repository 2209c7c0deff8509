"""De-essing, plosives and reverberation in NumPy, f64: the definitions that `crates/dsp/src/repair/frame_gains` is compared with.

Sounds have a row for each channel. Frames are of `n` samples every `n / 4`, under a square root of a Hann window, before and
after the inverse FFT; frame `t` begins at sample `(t - 3) n / 4`.
"""

import numpy as np

SMALL = 1e-30


def frame_length(secs, rate):
    return 4 * round(secs * rate / 4)


def window(n):
    return np.sin(np.pi * np.arange(n) / n)


def spectra(sound, n, more=0):
    """(channels, frames, bins): the frames that reach into the sound, and some more."""
    hop = n // 4
    n_frames = -(-sound.shape[1] // hop) + 3 + more
    padded = np.pad(sound, ((0, 0), (3 * hop, 2 * n + more * hop)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, n, axis=1)[:, ::hop][:, :n_frames]
    return np.fft.rfft(frames * window(n))


def samples(cells, n, length):
    hop = n // 4
    out = np.zeros((cells.shape[0], (cells.shape[1] + 3) * hop))
    for t, frame in enumerate(np.moveaxis(np.fft.irfft(cells, n) * window(n) / 2, 1, 0)):
        out[:, t * hop : t * hop + n] += frame
    return out[:, 3 * hop : 3 * hop + length]


def power(cells):
    return (np.abs(cells) ** 2).mean(0)


def level(power, hz, low, high):
    """In dB, where a full-scale sine is around 0."""
    return 10 * np.log10(power[:, (hz >= low) & (hz < high)].sum(1) + SMALL)


def full_scale(n):
    """Of a full-scale sine, the power of all bins of a side together."""
    return n * (window(n) ** 2).sum() / 4


def smoothed(values):
    padded = np.concatenate([values[:1], values, values[-1:]])
    return (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4


def de_ess(sound, rate, threshold_db=-6.0, ratio=0.8, most_db=15.0, band=None):
    band = band or ((4500, 12000) if rate >= 24000 else (3800, 7800))
    n = frame_length(1024 / 48000, rate)
    cells, hz = spectra(sound, n), np.fft.rfftfreq(n, 1 / rate)
    of = power(cells) / full_scale(n)
    hiss, voice = level(of, hz, *band), level(of, hz, 150, 3500)
    usual = np.median(voice[(voice > hiss) & (voice > voice.max() - 25)])
    down = np.clip((hiss - usual - threshold_db) * ratio, 0, most_db) * np.clip((hiss - voice + 6) / 6, 0, 1)
    down = smoothed(down)
    ramp = np.clip((hz / band[0] - 0.85) / 0.2, 0, 1)
    return samples(cells * 10 ** (-down[:, None] * ramp / 20), n, sound.shape[1]), down


def plosives(sound, rate, below_hz=150.0, over_db=12.0):
    n = frame_length(2048 / 48000, rate)
    cells, hz = spectra(sound, n), np.fft.rfftfreq(n, 1 / rate)
    of = power(cells) / full_scale(n)
    low, middle = level(of, hz, 0, below_hz), level(of, hz, 200, 2000)
    usual = np.median(low[low > -100])
    hit = (low > usual + over_db) & (low > middle)
    most = int(0.25 * rate / (n // 4))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], hit.astype(int), [0]])))
    wide = np.zeros_like(hit)
    for start, end in zip(edges[::2], edges[1::2]):
        if end - start <= most:
            wide[max(start - 1, 0) : end + 1] = True
    down = np.where(wide, np.maximum(low - usual, 0), 0)
    ramp = np.clip(1 - (hz - below_hz) / 50, 0, 1)
    return samples(cells * 10 ** (-down[:, None] * ramp / 20), n, sound.shape[1]), down


def wpe(cells, n_fitted, taps=10, delay=3, rounds=3, regular=1e-8):
    """Nakatani and others 2010: (channels, frames, bins) without what they predict of themselves, fitted to the first frames."""
    n_channels, n_frames, n_bins = cells.shape
    out = np.empty_like(cells)
    for k in range(n_bins):
        x = cells[:, :, k]
        past = np.zeros((taps * n_channels, n_frames), complex)
        for tap in range(taps):
            back = delay + tap
            if back < n_frames:
                past[tap * n_channels : (tap + 1) * n_channels, back:] = x[:, : n_frames - back]
        y = x
        fitted = past[:, :n_fitted]
        floor = 1e-10 * (np.abs(x[:, :n_fitted]) ** 2).mean()
        for _ in range(rounds):
            weight = 1 / np.maximum((np.abs(y[:, :n_fitted]) ** 2).mean(0), floor + SMALL)
            r = (fitted * weight) @ fitted.conj().T
            p = (fitted * weight) @ x[:, :n_fitted].conj().T
            r += regular * np.trace(r).real / len(r) * np.eye(len(r)) + SMALL * np.eye(len(r))
            y = x - np.linalg.solve(r, p).conj().T @ past
        out[:, :, k] = y
    return out


def decay(of, hz, rate, hop):
    """Seconds to -60 dB, or None."""
    n_steps = round(0.15 * rate / hop)
    at = np.arange(n_steps + 1) - n_steps / 2
    found = []
    for low in (400, 800, 1600):
        power = 10 ** (level(of, hz, low, 2 * low) / 10)
        levels = 10 * np.log10(smoothed(smoothed(power)))
        stretches = np.lib.stride_tricks.sliding_window_view(levels, n_steps + 1)
        falls = (np.diff(stretches, axis=1) <= 0.35).all(1)
        heard = (stretches[:, 0] >= np.percentile(levels, 95) - 25) & (stretches[:, -1] >= np.percentile(levels, 5) + 6)
        slopes = stretches @ at / (at @ at) * rate / hop
        found += list(-60 / slopes[falls & heard & (slopes < 0)])
    return np.median(found) if len(found) >= 6 else None


def late(cells, n, rate, rt60, delay=0.05, floor_db=-12.0):
    hop = n // 4
    of = power(cells)
    back = max(round(delay * rate / hop), 1)
    factor = np.exp(-2 * np.log(1000) * back * hop / rate / rt60)
    smooth = np.empty_like(of)
    state = np.zeros(of.shape[1])
    for t, row in enumerate(of):
        state = smooth[t] = 0.8 * state + 0.2 * row
    reverb = np.zeros_like(of)
    reverb[back:] = factor * smooth[:-back]
    gain = np.sqrt(np.maximum(1 - reverb / np.maximum(of, SMALL), 10 ** (floor_db / 10)))
    return cells * smoothed(gain)


def dereverb(sound, rate, rt60=None, delay=0.05, floor_db=-12.0, with_wpe=True, with_late=True):
    n = frame_length(0.032, rate)
    # Gains are smoothed with those of the frame behind the sound.
    cells, hz = spectra(sound, n, more=1), np.fft.rfftfreq(n, 1 / rate)
    found = rt60 or decay(power(cells[:, :-1]) / full_scale(n), hz, rate, n // 4)
    if with_wpe and len(sound) == 2:
        cells = wpe(cells, cells.shape[1] - 1)
    if with_late:
        cells = late(cells, n, rate, found, delay, floor_db)
    return samples(cells, n, sound.shape[1]), found
