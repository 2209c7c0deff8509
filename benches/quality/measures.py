"""What the measurements of denoising share."""

TRANSFORM = {"n_fft": 512, "hop": 128}


def segmental_snr(clean, heard, rate):
    """Mean over frames of 30 ms, each clamped to -10 to 35 dB."""
    import numpy as np

    n = int(0.03 * rate)
    count = len(clean) // n
    clean, heard = (x[: count * n].reshape(count, n) for x in (clean, heard))
    ratio = (clean**2).sum(1) / np.maximum(((clean - heard) ** 2).sum(1), 1e-20)
    return np.clip(10 * np.log10(ratio + 1e-20), -10, 35).mean()
