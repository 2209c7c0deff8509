#!/usr/bin/env python3
"""Sonobrush's CPU engine beside librosa and SciPy on the same data in one run, taking turns.

    benches/peers/compare.py [--turns N] [--only TEXT]

Makes its own virtual environment in target/peers at the first run, and builds the release bench. Each turn runs the
peer's call, then ours, and for transforms the bare realfft calls on the same threads. The best turn of each counts:
what disturbs a turn only ever makes it slower. Exit code 1 when a target is missed.

A new comparison is one entry of COMPARISONS: the peer's call made ready, and the name under which
`dsp --turns` (benches/dsp.rs) answers.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = ROOT / "target" / "peers"
PACKAGES = ["librosa==0.11.0", "numpy==2.2.6", "scipy==1.15.3"]


def enter_environment():
    """Runs this script again by the environment's own Python, which is made where there is none."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if Path(sys.prefix).resolve() == ENVIRONMENT.resolve():
        return
    marker = ENVIRONMENT / "packages.txt"
    if not marker.exists() or marker.read_text().split() != PACKAGES:
        print("making a virtual environment in target/peers", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        marker.write_text("\n".join(PACKAGES))
    sys.exit(subprocess.run([str(python), __file__, *sys.argv[1:]]).returncode)


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


def bench_program():
    """Builds the release bench and says where it lies."""
    build = ["cargo", "bench", "--bench", "dsp", "--no-run", "--message-format=json"]
    lines = subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    messages = [json.loads(line) for line in lines]
    return next(m["executable"] for m in messages
                if m.get("executable") and m["target"]["name"] == "dsp" and "bench" in m["target"]["kind"])


def millis(run):
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--program", help="a bench that is built already")
    typed = parser.parse_args()
    ours = subprocess.Popen([typed.program or bench_program(), "--turns"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)

    def ask(name):
        ours.stdin.write(name + "\n")
        ours.stdin.flush()
        answer = ours.stdout.readline()
        if not answer:
            sys.exit(f"the bench has no turn called {name}")
        return json.loads(answer)

    missed = 0
    print(f"best of {typed.turns} turns, {ask('threads')['threads']} threads (peers use their own)")
    for name, peer, make, faster, near in COMPARISONS:
        if typed.only not in name:
            continue
        theirs, best = make(), {}
        for turn in range(typed.turns + 1):
            times = {peer: millis(theirs), **ask(name)}
            if turn > 0:  # the first warms caches and compiled parts
                best = {key: min(value, best.get(key, value)) for key, value in times.items()}
        ratio = best[peer] / best["ours"]
        is_near = near is not None and best["ours"] <= near * best["bare"]
        is_met = ratio >= faster or is_near
        missed += not is_met
        words = f"{name:16} ours {best['ours']:8.2f} ms, {peer} {best[peer]:8.2f} ms: {ratio:5.2f} times as fast (target {faster})"
        if near is not None:
            words += f"; {best['ours'] / best['bare']:.2f} of the bare transforms' {best['bare']:.2f} ms (or {near})"
        print(words + ("" if is_met else "   MISSED"), flush=True)
    ours.stdin.close()
    ours.wait()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    enter_environment()
    main()
