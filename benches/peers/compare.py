#!/usr/bin/env python3
"""Sonobrush's CPU engine beside librosa and SciPy on the same data in one run, taking turns.

    benches/peers/compare.py [--turns N] [--only TEXT]

Makes its own virtual environment in target/peers at the first run, and builds the release bench. Each turn runs the
peer's call, then ours, and for transforms the bare realfft calls on the same threads. The best turn of each counts:
what disturbs a turn only ever makes it slower. Exit code 1 when a target is missed.

A new comparison is one entry of COMPARISONS: the peer's call made ready, and the name under which
`dsp --turns` (benches/dsp.rs) answers.
"""

from turns import Turns, enter_environment

PACKAGES = ["librosa==0.11.0", "numpy==2.2.6", "scipy==1.15.3"]


def transforms():
    """librosa's transforms of a minute at 2,048/512, into buffers that are used again."""
    import librosa
    import numpy as np

    samples = np.random.default_rng(1).uniform(-0.5, 0.5, 60 * 44_100).astype(np.float32)
    settings = {"hop_length": 512, "window": "hann", "center": True}
    spectra = librosa.stft(samples, n_fft=2048, pad_mode="constant", **settings)
    into = spectra.copy()
    back = np.zeros_like(samples)
    forward = lambda: librosa.stft(samples, n_fft=2048, pad_mode="constant", out=into, **settings)
    inverse = lambda: librosa.istft(spectra, n_fft=2048, length=len(samples), out=back, **settings)
    return forward, inverse


def stft():
    return transforms()[0]


def inverse():
    return transforms()[1]


def blur():
    """SciPy's Gaussian of 2,048 x 2,048 cells, as the brush is defined (design: truncate 3, nearest)."""
    import numpy as np
    from scipy.ndimage import gaussian_filter

    plane = np.random.default_rng(1).uniform(0.0, 1.0, (2048, 2048)).astype(np.float32)
    into = np.empty_like(plane)
    return lambda: gaussian_filter(plane, sigma=4.0, truncate=3.0, mode="nearest", output=into)


def harmonic_percussive():
    """librosa's soft masks of ten seconds at 2,048/512, 31 by 31 cells, as ours."""
    import librosa
    import numpy as np

    samples = np.random.default_rng(1).uniform(-0.5, 0.5, 10 * 44_100).astype(np.float32)
    magnitudes = np.abs(librosa.stft(samples, n_fft=2048, hop_length=512))[:, : 10 * 44_100 // 512]
    return lambda: librosa.decompose.hpss(magnitudes, mask=True)


# Our name, the peer, what makes its call, times as fast as it we must be, or else how near to the bare calls.
COMPARISONS = [
    ("stft", "librosa", stft, 5.0, 1.2),
    ("inverse", "librosa", inverse, 5.0, 1.2),
    ("blur_2048x2048", "scipy", blur, 3.0, None),
    ("harmonic_percussive", "librosa", harmonic_percussive, 8.0, None),
]


def main():
    turns = Turns(__doc__.split("\n")[0])
    n_missed = 0
    for name, peer, make, faster, near in COMPARISONS:
        if not turns.wants(name):
            continue
        best = turns.best(name, {peer: make()})
        ratio = best[peer] / best["ours"]
        is_near = near is not None and best["ours"] <= near * best["bare"]
        is_met = ratio >= faster or is_near
        n_missed += not is_met
        words = f"{name:16} ours {best['ours']:8.2f} ms, {peer} {best[peer]:8.2f} ms: {ratio:5.2f} times as fast (target {faster})"
        if near is not None:
            words += f"; {best['ours'] / best['bare']:.2f} of the bare transforms' {best['bare']:.2f} ms (or {near})"
        print(words + ("" if is_met else "   MISSED"), flush=True)
    turns.close(n_missed)


if __name__ == "__main__":
    enter_environment("peers", PACKAGES, __file__)
    main()
