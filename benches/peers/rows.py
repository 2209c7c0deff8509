#!/usr/bin/env python3
"""Rows of a scale beside librosa's vqt and icqt and nsgt's whole-signal transform, on two seconds, taking turns.

    benches/peers/rows.py [--turns N] [--only TEXT] [--program PATH]

Makes its own virtual environment in target/peers-rows at the first run, and builds the release bench. A turn runs each
peer's analysis and synthesis, then ours; the best turn of each counts, as what disturbs a turn only ever makes it slower.
librosa computes one cell in 512 samples and its inverse is not exact; nsgt is exact and transforms the whole signal at
once. Exit code 1 when a target is missed.
"""

from turns import Turns, enter_environment

# nsgt's set-up needs NumPy, so it is installed after the others, without an environment of its own.
PACKAGES = ["librosa==0.11.0", "numpy==1.26.4", "scipy==1.15.3", "setuptools<70", "wheel"]
NSGT = "nsgt==0.19"
RATE = 44_100
FMIN = 32.703


def samples():
    import numpy as np

    return np.random.default_rng(1).uniform(-0.5, 0.5, 2 * RATE).astype(np.float32)


def librosa_rows(bins, gamma):
    """librosa's vqt and icqt, hop 512, up to the highest row that it allows."""
    import librosa
    import numpy as np

    x = samples()
    n_bins = int(bins * np.log2(RATE / 2 / FMIN)) - bins // 2
    settings = {"sr": RATE, "hop_length": 512, "fmin": FMIN, "bins_per_octave": bins}

    def run():
        cells = librosa.vqt(x, n_bins=n_bins, gamma=gamma, **settings)
        librosa.icqt(cells, length=len(x), **settings)

    return run


def nsgt_rows(bins, scale="log"):
    """nsgt's constant-Q or mel transform of the whole signal and back."""
    import functools

    import numpy as np
    from nsgt import NSGT, MelScale, OctScale

    # nsgt writes a clipped copy with an infinite limit into integers, which NumPy has refused since 1.25.
    if not isinstance(np.clip, functools.partial):
        np.clip = functools.partial(np.clip, casting="unsafe")
    x = samples().astype(float)
    fmax = RATE / 2 * 0.95
    steps = OctScale(FMIN, fmax, bins) if scale == "log" else MelScale(20.0, fmax, bins)
    transform = NSGT(steps, RATE, len(x), real=True, matrixform=False)

    def run():
        cells = list(transform.forward(x))
        transform.backward(cells)

    return run


# Our name; peers by name, each with what makes its call and times as fast as it we must be, or none.
COMPARISONS = [
    ("rows_12", {"librosa": (lambda: librosa_rows(12, None), None), "nsgt": (lambda: nsgt_rows(12), None)}),
    ("rows_24", {"librosa": (lambda: librosa_rows(24, None), 8.0), "nsgt": (lambda: nsgt_rows(24), 1.5)}),
    ("rows_48", {"librosa": (lambda: librosa_rows(48, None), None), "nsgt": (lambda: nsgt_rows(48), None)}),
    ("rows_cqt_24", {"librosa": (lambda: librosa_rows(24, 0), None), "nsgt": (lambda: nsgt_rows(24), None)}),
    ("rows_mel_128", {"nsgt": (lambda: nsgt_rows(128, "mel"), None)}),
    ("rows_bark_96", {}),
    ("rows_cqt_48", {}),
]


def main():
    turns = Turns(__doc__.split("\n")[0])
    n_missed = 0
    for name, peers in COMPARISONS:
        if not turns.wants(name):
            continue
        best = turns.best(name, {peer: make() for peer, (make, _) in peers.items()})
        words = f"{name:13} ours {best['ours']:7.2f} ms ({best['analysis']:.2f} + {best['synthesis']:.2f})"
        for peer, (_, faster) in peers.items():
            ratio = best[peer] / best["ours"]
            is_met = faster is None or ratio >= faster
            n_missed += not is_met
            target = "" if faster is None else f" (target {faster}{'' if is_met else ', MISSED'})"
            words += f"; {peer} {best[peer]:.1f} ms: {ratio:.2f} times as fast{target}"
        print(words, flush=True)
    turns.close(n_missed)


if __name__ == "__main__":
    enter_environment("peers-rows", PACKAGES, __file__, [NSGT])
    main()
