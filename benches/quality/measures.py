"""What the measurements share. Functions import NumPy themselves, since each script makes its environment first."""

TRANSFORM = {"n_fft": 512, "hop": 128}


def segmental_snr(clean, heard, rate):
    """Mean over frames of 30 ms, each clamped to -10 to 35 dB."""
    import numpy as np

    n = int(0.03 * rate)
    count = len(clean) // n
    clean, heard = (x[: count * n].reshape(count, n) for x in (clean, heard))
    ratio = (clean**2).sum(1) / np.maximum(((clean - heard) ** 2).sum(1), 1e-20)
    return np.clip(10 * np.log10(ratio + 1e-20), -10, 35).mean()


def snr_db(x, clean):
    import numpy as np

    return 10 * np.log10(np.sum(clean**2) / max(np.sum((x - clean) ** 2), 1e-30))


def clipped_to(clean, wanted_db):
    """Clipped at the level, the same above and below, that gives this signal-to-error ratio."""
    import numpy as np

    low, high = 0.0, np.abs(clean).max()
    for _ in range(60):
        level = (low + high) / 2
        low, high = (level, high) if snr_db(np.clip(clean, -level, level), clean) < wanted_db else (low, level)
    return np.clip(clean, -level, level)


def steady_noises(n, rate, seed):
    """Yields the name and samples of white noise, pink noise, and mains hum in hiss, RMS 1."""
    import numpy as np

    random = np.random.default_rng(seed)
    white = random.standard_normal(n)
    spectrum = np.fft.rfft(random.standard_normal(n))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    spectrum[0] = 0
    t = np.arange(n) / rate
    hum = sum(np.sin(2 * np.pi * 50 * k * t + k) / k for k in range(1, 9)) + 0.3 * random.standard_normal(n)
    for name, noise in {"white": white, "pink": np.fft.irfft(spectrum, n), "hum and hiss": hum}.items():
        yield name, noise / np.sqrt(np.mean(noise**2))
