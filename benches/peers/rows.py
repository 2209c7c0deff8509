#!/usr/bin/env python3
"""Rows of a scale beside librosa's vqt and icqt and nsgt's whole-signal transform, on two seconds, taking turns.

    benches/peers/rows.py [--turns N] [--only TEXT] [--program PATH]

Makes its own virtual environment in target/peers-rows at the first run, and builds the release bench. A turn runs each
peer's analysis and synthesis, then ours; the best turn of each counts, as what disturbs a turn only ever makes it slower.
librosa computes one cell in 512 samples and its inverse is not exact; nsgt is exact and transforms the whole signal at
once. Exit code 1 when a target is missed.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = ROOT / "target" / "peers-rows"
# nsgt's set-up needs NumPy, so it is installed after the others, without an environment of its own.
PACKAGES = ["librosa==0.11.0", "numpy==1.26.4", "scipy==1.15.3", "setuptools<70", "wheel"]
NSGT = "nsgt==0.19"
RATE = 44_100
FMIN = 32.703


def enter_environment():
    """Runs this script again by the environment's own Python, which is made where there is none."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if Path(sys.prefix).resolve() == ENVIRONMENT.resolve():
        return
    marker = ENVIRONMENT / "packages.txt"
    if not marker.exists() or marker.read_text().split("\n") != [*PACKAGES, NSGT]:
        print("making a virtual environment in target/peers-rows", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, *PACKAGES], check=True)
        subprocess.run([*install, "--no-build-isolation", "--no-deps", NSGT], check=True)
        marker.write_text("\n".join([*PACKAGES, NSGT]))
    sys.exit(subprocess.run([str(python), __file__, *sys.argv[1:]]).returncode)


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
    for name, peers in COMPARISONS:
        if typed.only not in name:
            continue
        runs, best = {peer: make() for peer, (make, _) in peers.items()}, {}
        for turn in range(typed.turns + 1):
            times = {peer: millis(run) for peer, run in runs.items()} | ask(name)
            if turn > 0:  # the first warms caches and compiled parts
                best = {key: min(value, best.get(key, value)) for key, value in times.items()}
        words = f"{name:13} ours {best['ours']:7.2f} ms ({best['analysis']:.2f} + {best['synthesis']:.2f})"
        for peer, (_, faster) in peers.items():
            ratio = best[peer] / best["ours"]
            is_met = faster is None or ratio >= faster
            missed += not is_met
            target = "" if faster is None else f" (target {faster}{'' if is_met else ', MISSED'})"
            words += f"; {peer} {best[peer]:.1f} ms: {ratio:.2f} times as fast{target}"
        print(words, flush=True)
    ours.stdin.close()
    ours.wait()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    enter_environment()
    main()
