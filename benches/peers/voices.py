#!/usr/bin/env python3
"""A chord of eight pads beside NumPy and torch, and what rendering voices promises, in one run, taking turns.

    benches/peers/voices.py [--turns N] [--only TEXT] [--program PATH] [--without-torch]

Makes its own virtual environment in target/peers-voices at the first run, and builds the release bench. The chord has 8
notes of 3 unison voices of 16 partials and lasts 4 s at 44.1 kHz in stereo; peers render it with phases in f64, all
oscillators of 4,096 samples in one array. torch takes part where that environment has it, which this script leaves to
you, as it takes gigabytes: target/peers-voices/bin/pip install torch. Without it its target is not shown, which counts as
missed unless --without-torch says that it is left out on purpose. Medians of all turns count, and of the pen 95 % of 200
times. Exit code 1 when a target is missed.
"""

import statistics

from turns import Turns, enter_environment, millis

PACKAGES = ["numpy==2.2.6"]
RATE = 44_100
N_SAMPLES = 4 * RATE
BLOCK = 64
BLOCKS_AT_ONCE = 64
MASK = (1 << 64) - 1
N_PENS = 200


def chance(*keys):
    """The hash that start phases come from."""
    z = 0
    for key in keys:
        z = (z + key + 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
    return z


class Chord:
    """Frequencies and levels of all oscillators at the edges of blocks, [384, edges], and what else a peer needs. Making
    them is part of a turn."""

    def __init__(self, np):
        n_blocks = -(-N_SAMPLES // BLOCK)
        t = np.arange(n_blocks + 1) * BLOCK / RATE
        duration, velocity = 4.0 - 0.8, 0.8
        held = np.where(t < 0.35, (1 - np.cos(np.pi * t / 0.35)) / 2, 0.8 + 0.2 * np.exp(-6.907755 * (t - 0.35) / 0.6))
        u = (t - duration) / 0.8
        last = 0.8 + 0.2 * np.exp(-6.907755 * (duration - 0.35) / 0.6)
        envelope = np.where(t < duration, held, np.where(u < 1, last * (np.exp(-6.907755 * u) - 0.001) / 0.999, 0.0))
        vibrato = 0.04 * np.clip((t - 0.4) / 0.6, 0, 1) * np.sin(2 * np.pi * 5.2 * t)
        k = np.arange(1.0, 17.0)
        partials = k**-1.2 / np.sqrt((k**-2.4).sum()) * k ** (-0.7 * (1 - velocity))
        loudness = 10 ** (-18 / 20) * velocity**2 / np.sqrt(3)
        hz, levels, phases, gains = [], [], [], []
        for note in range(8):
            f0 = 440 * 2 ** ((48 + 3.5 * note + vibrato - 69) / 12)
            cutoff = f0 * (9 + (3 - 9) * np.exp(-t / 1.2))
            for unison, x in enumerate([-1.0, 0.0, 1.0]):
                f = k[:, None] * f0 * 2 ** (x * 7 / 1200)
                fade = np.clip((f / (RATE / 2) - 0.9) / 0.08, 0, 1)
                shape = (1 + np.cos(np.pi * fade)) / 2 / np.sqrt(1 + (f / cutoff) ** 4)
                hz.append(f)
                levels.append(loudness * partials[:, None] * envelope * shape)
                phases += [(chance(0, 0, note, unison, index) >> 32) / 2**32 for index in range(16)]
                gains += [[min(1, 1 - 0.7 * x), min(1, 1 + 0.7 * x)]] * 16
        self.steps, self.levels = np.concatenate(hz) / RATE, np.concatenate(levels)
        self.slopes, self.rises = np.diff(self.steps) / BLOCK, np.diff(self.levels) / BLOCK
        moved = BLOCK * self.steps[:, :-1] + BLOCK * (BLOCK - 1) / 2 * self.slopes
        before = np.concatenate([np.zeros((len(phases), 1)), np.cumsum(moved, 1)[:, :-1]], 1)
        self.phases = (np.array(phases)[:, None] + before) % 1.0
        self.gains = np.array(gains)


def with_numpy():
    import numpy as np

    i = np.arange(BLOCK)

    def run():
        chord = Chord(np)
        gains = chord.gains.T.astype(np.float32)
        out = np.empty((2, chord.slopes.shape[1] * BLOCK), np.float32)
        for first in range(0, chord.slopes.shape[1], BLOCKS_AT_ONCE):
            blocks = slice(first, first + BLOCKS_AT_ONCE)
            column = lambda values: values[:, : chord.slopes.shape[1]][:, blocks, None]
            turns = column(chord.phases) + i * column(chord.steps) + i * (i - 1) / 2 * column(chord.slopes)
            waves = np.sin((2 * np.pi * (turns % 1.0)).astype(np.float32))
            waves *= (column(chord.levels) + i * column(chord.rises)).astype(np.float32)
            out[:, first * BLOCK : first * BLOCK + waves.shape[1] * BLOCK] = gains @ waves.reshape(len(waves), -1)
        return out[:, :N_SAMPLES]

    return run


def with_torch():
    import numpy as np
    import torch

    i = torch.arange(BLOCK, dtype=torch.float64)

    def run():
        chord = Chord(np)
        n_blocks = chord.slopes.shape[1]
        gains = torch.from_numpy(chord.gains.T.astype(np.float32))
        of = {name: torch.from_numpy(np.ascontiguousarray(getattr(chord, name)[:, :n_blocks]))
              for name in ["phases", "steps", "slopes", "levels", "rises"]}
        parts = []
        for first in range(0, n_blocks, BLOCKS_AT_ONCE):
            column = lambda name: of[name][:, first : first + BLOCKS_AT_ONCE, None]
            turns = column("phases") + i * column("steps") + i * (i - 1) / 2 * column("slopes")
            waves = torch.sin((2 * torch.pi * (turns % 1.0)).float())
            waves *= (column("levels") + i * column("rises")).float()
            parts.append(gains @ waves.reshape(len(waves), -1))
        return torch.cat(parts, 1)[:, :N_SAMPLES].numpy()

    return run


def peers(is_without_torch):
    """Each peer's call, and times as fast as it we must be; and how many peers are missing that should be there."""
    found = {"numpy": (with_numpy(), 10.0)}
    if is_without_torch:
        print("torch is left out, as it was asked for: its target is not shown", flush=True)
        return found, 0
    try:
        found["torch"] = (with_torch(), 5.0)
    except ImportError:
        words = ("voices_pad          torch is not installed, so its target is not shown: install it by "
                 "target/peers-voices/bin/pip install torch, or leave it out by --without-torch")
        return found, told(words, False)
    return found, 0


def told(words, is_met):
    print(words + ("" if is_met else "   MISSED"), flush=True)
    return 0 if is_met else 1


def compare_pad(turns):
    runs, n_missed = peers(turns.typed.without_torch)
    times = {name: [] for name in ["ours", *runs]}
    for turn in range(turns.typed.turns + 1):
        answer = turns.ask("voices_pad")
        took = {"ours": answer["ours"]}
        for name, (run, _) in runs.items():
            made = []
            took[name] = millis(lambda: made.append(run()))
            rms = float((made[0].astype(float) ** 2).mean() ** 0.5)
            if abs(rms / answer["rms"] - 1) > 0.001:
                raise SystemExit(f"{name} renders another chord: its RMS is {rms}, ours {answer['rms']}")
        if turn > 0:  # the first warms caches
            for name, millis_of in took.items():
                times[name].append(millis_of)
    median = {name: statistics.median(values) for name, values in times.items()}
    n_missed += told(f"voices_pad          ours {median['ours']:7.2f} ms (target 60)", median["ours"] <= 60.0)
    for name, (_, faster) in runs.items():
        ratio = median[name] / median["ours"]
        words = f"voices_pad          ours {median['ours']:7.2f} ms, {name} {median[name]:8.2f} ms: {ratio:5.2f} times as fast (target {faster})"
        n_missed += told(words, ratio >= faster)
    return n_missed


def first_chunk(turns):
    took = statistics.median([turns.ask("voices_first_chunk")["ours"] for _ in range(5 * turns.typed.turns)])
    return told(f"voices_first_chunk  {took:.2f} ms (target 3)", took <= 3.0)


def pen(turns):
    turns.ask("voices_pen")  # warms caches
    took = sorted(turns.ask("voices_pen")["ours"] for _ in range(N_PENS))
    p95 = took[N_PENS * 95 // 100]
    words = f"voices_pen          down to the first sample in the ring, {N_PENS} times: median {statistics.median(took):.2f} ms, p95 {p95:.2f} ms (target 20)"
    return told(words, p95 <= 20.0)


def ten(turns):
    answers = [turns.ask("voices_ten") for _ in range(turns.typed.turns + 1)][1:]
    ratio = statistics.median([answer["at_once"] / answer["in_sequence"] for answer in answers])
    at_once, in_sequence = (statistics.median([answer[name] for answer in answers]) for name in ["at_once", "in_sequence"])
    n_underruns = sum(answer["underruns"] for answer in answers)
    words = f"voices_ten          ten of 20 s at once {at_once:.1f} ms, in sequence {in_sequence:.1f} ms: {ratio:.3f} (target 1.05), {n_underruns} underruns (target 0)"
    return told(words, ratio <= 1.05 and n_underruns == 0)


def phrases(turns):
    answer = turns.ask("voices_phrases")
    ratio = answer["p95"] / answer["median"]
    words = f"voices_phrases      1,000 equal phrases, processor time: median {answer['median']:.3f} ms, p95 {answer['p95']:.3f} ms: {ratio:.2f} (target 1.5)"
    return told(words, ratio <= 1.5)


def main():
    flags = {"--without-torch": "leave torch out, and do not miss its target"}
    turns = Turns(__doc__.split("\n")[0], n_turns=9, words="medians", flags=flags)
    measures = [("voices_pad", compare_pad), ("voices_first_chunk", first_chunk), ("voices_pen", pen),
                ("voices_ten", ten), ("voices_phrases", phrases)]
    turns.close(sum(measure(turns) for name, measure in measures if turns.wants(name)))


if __name__ == "__main__":
    enter_environment("peers-voices", PACKAGES, __file__)
    main()
