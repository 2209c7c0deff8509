"""STFT, inverse and harmonic / percussive masks of Sonobrush's CPU engine beside librosa's, taking turns: 60 s at
2,048/512, of which the masks get 10 s.

    pip install numpy==2.4.6 scipy==1.17.1 librosa==0.11.0
    python benches/librosa_compare.py

Each turn runs librosa's stft and istft into reused buffers and its masks (31 by 31 cells, as ours), then ours and the
bare realfft calls on the same threads.
The best of 15 turns counts: what disturbs a turn only ever makes it slower. Exit code 1 when a target is missed.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import librosa
import numpy as np

TURNS = 15
ROOT = Path(__file__).resolve().parent.parent


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
    samples = np.random.default_rng(1).uniform(-0.5, 0.5, 60 * 44_100).astype(np.float32)
    settings = {"hop_length": 512, "window": "hann", "center": True}
    spectra = librosa.stft(samples, n_fft=2048, pad_mode="constant", **settings)
    back = np.zeros_like(samples)
    magnitudes = np.abs(spectra[:, : 10 * 44_100 // 512])
    ours = subprocess.Popen([bench_program(), "--turns"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    best = {}

    def note(name, value):
        best[name] = min(value, best.get(name, np.inf))

    for turn in range(TURNS + 1):
        stft = millis(lambda: librosa.stft(samples, n_fft=2048, pad_mode="constant", out=spectra, **settings))
        inverse = millis(lambda: librosa.istft(spectra, n_fft=2048, length=len(samples), out=back, **settings))
        masks = millis(lambda: librosa.decompose.hpss(magnitudes, mask=True))
        ours.stdin.write("\n")
        ours.stdin.flush()
        answer = json.loads(ours.stdout.readline())
        if turn > 0:  # the first warms caches and librosa's compiled parts
            note("librosa stft", stft)
            note("librosa inverse", inverse)
            note("librosa masks", masks)
            for name, value in answer.items():
                note(name, value)
    ours.stdin.close()
    ours.wait()

    print(f"60 s at 2,048/512, best of {TURNS}, {best.pop('threads'):.0f} threads (librosa uses its own)")
    for name, value in best.items():
        print(f"  {name:16} {value:9.2f} ms")
    rows = [
        ("stft is faster than librosa's by", best["librosa stft"] / best["stft"], 3.5, ">="),
        ("inverse is faster than librosa's by", best["librosa inverse"] / best["inverse"], 4.0, ">="),
        ("masks are faster than librosa's by", best["librosa masks"] / best["masks"], 8.0, ">="),
        ("stft over the bare transforms", best["stft"] / best["bare_forward"], 1.5, "<="),
        ("inverse over the bare transforms", best["inverse"] / best["bare_inverse"], 1.5, "<="),
    ]
    missed = 0
    for what, ratio, target, sign in rows:
        met = ratio >= target if sign == ">=" else ratio <= target
        missed += not met
        print(f"  {what:36} {ratio:5.2f}   target {sign} {target}   {'met' if met else 'MISSED'}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
