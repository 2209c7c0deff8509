"""Damage of known kinds mixed into the speech clip and repaired, with the clean clip as the reference.

    python3 benches/quality/damage.py [KIND...] [--program PATH] [--json FILE] [--write FOLDER]

Makes its own virtual environment. Each kind of damage (`cough`, `cough_narrow`, `whistle`, `clicks`, `hum`, `drifting_hum`;
all of them where none is named) has a fixed seed and a script that `sonobrush paint` runs at the defaults of its brush. The
value is the error, in decibels relative to the clean clip: `20 log10(||heard - clean|| / ||clean||)`, before and after. `--write` keeps
the damaged sounds and the repaired ones as WAV files, and the scripts. Exit code 1 when a target is missed.
"""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

from environment import CLIPS, paint, program, with_packages

with_packages("numpy", "soundfile")

import numpy as np
import soundfile

TAU = 2 * np.pi
# What the studio chooses at 16 kHz.
STUDIO = {"n_fft": 1024, "hop": 256}
# Samples on each side of a click that a repair may change.
CLICK_REACH = 4


@dataclass
class Damage:
    """A damaged sound, the edits that repair it, and what must be reached."""

    samples: np.ndarray
    edits: list
    # Decibels by which the error must fall, and the most that may be left of it.
    least_gain_db: float
    most_error_db: float = np.inf
    # First sample and end of each click.
    clicks: list = field(default_factory=list)


def as_stored(samples):
    """In 32-bit floats, as the program gets them."""
    return samples.astype(np.float32).astype(np.float64)


def rms(samples):
    return float(np.sqrt(np.mean(np.square(samples))))


def error_db(heard, clean):
    return 20 * np.log10(max(rms(heard - clean), 1e-12) / rms(clean))


def loudness(clean):
    """Of the middle third, where the speaker speaks."""
    return rms(clean[len(clean) // 3 : 2 * len(clean) // 3])


def faded(t, secs, fade_secs):
    """1 from 0 to `secs` and 0 elsewhere, with linear fades inside."""
    return np.clip(np.minimum(t, secs - t) / fade_secs, 0, 1)


def cough(clean, rate):
    """120 ms of noise, 6 dB louder than the speech, in the middle; healed in a box with 30 ms more on both sides."""
    middle = len(clean) / rate / 2
    t = np.arange(len(clean)) / rate - middle
    noise = np.random.default_rng(1).standard_normal(len(clean))
    samples = clean + 2 * loudness(clean) * noise * faded(t, 0.12, 0.01)
    edit = {"brush": {"kind": "heal"}, "select": {"time": [middle - 0.03, middle + 0.15]}, "transform": STUDIO}
    return Damage(as_stored(samples), [edit], 10)


def cough_narrow(clean, rate):
    """The same cough in a box with 5 ms more on both sides, at half the FFT size: as one sets it who looks closely."""
    damage = cough(clean, rate)
    [edit] = damage.edits
    start, end = edit["select"]["time"]
    edit = edit | {"select": {"time": [start + 0.025, end - 0.025]}, "transform": {"n_fft": 512, "hop": 128}}
    return Damage(damage.samples, [edit], 8)


def whistle(clean, rate):
    """As loud as the speech, half a second long, gliding from 2.8 to 3.1 kHz with a vibrato of 30 Hz at 5.5 Hz; healed
    along its course."""
    start, secs = len(clean) / rate / 2, 0.5
    t = np.arange(len(clean)) / rate - start
    hz = 2800 + 600 * t + 30 * np.sin(TAU * 5.5 * t)
    tone = np.sqrt(2) * loudness(clean) * np.sin(TAU * np.cumsum(hz) / rate)
    samples = clean + tone * faded(t, secs, 0.02)
    points = [[start + at, float(np.interp(at, t, hz)), 1.0] for at in np.linspace(0, secs, 51)]
    stroke = {"points": points, "radius": [0.06, 90.0], "hardness": 0.8}
    return Damage(as_stored(samples), [{"brush": {"kind": "heal"}, "stroke": stroke, "transform": STUDIO}], 20)


def clicks(clean, rate, count=30):
    """Of 2 to 14 samples and a tenth to a half of full scale, of either sign, each ringing out; at least 100 ms apart."""
    random = np.random.default_rng(3)
    places = np.linspace(0.2 * rate, len(clean) - 0.2 * rate, count)
    samples, runs = clean.copy(), []
    for k, place in enumerate(places):
        start = int(place + random.uniform(-0.05, 0.05) * rate)
        n = 2 + k % 13
        ringing = np.exp(-2 * np.arange(n) / n) * random.choice([-1, 1]) * np.cos(np.arange(n) * random.uniform(0.3, 2.5))
        ringing[1:] += 0.2 * random.standard_normal(n - 1)
        samples[start : start + n] += random.uniform(0.1, 0.5) * ringing
        runs.append((start, start + n))
    edit = {"brush": {"kind": "heal", "mode": "gap"}, "select": {"shape": "clicks", "method": "repair"}, "transform": STUDIO}
    return Damage(as_stored(samples), [edit], 10, clicks=runs)


def hum_alone(n, rate, f0_hz=50.0, drift_hz=0.0, period_secs=10.0, harmonics=10, seed=4):
    """Harmonics of falling level at phases of their own, of a fundamental that swings by `drift_hz` about `f0_hz`."""
    random = np.random.default_rng(seed)
    t = np.arange(n) / rate
    swing = drift_hz * period_secs / TAU * (1 - np.cos(TAU * t / period_secs))
    turns = f0_hz * t + swing
    levels = random.uniform(0.5, 1, harmonics) / np.sqrt(np.arange(1, harmonics + 1))
    phases = random.uniform(0, TAU, harmonics)
    return sum(a * np.sin(TAU * k * turns + p) for k, (a, p) in enumerate(zip(levels, phases), 1))


def with_hum(clean, rate, **how):
    """Hum 35 dB under the clean sound."""
    hum = hum_alone(len(clean), rate, **how)
    return as_stored(clean + hum * rms(clean) / rms(hum) * 10 ** (-35 / 20))


REMOVE_HUM = [{"brush": {"kind": "remove_hum"}}]


def hum(clean, rate):
    """Ten harmonics of 50 Hz, 35 dB under the speech."""
    return Damage(with_hum(clean, rate), REMOVE_HUM, 12, -47)


def drifting_hum(clean, rate):
    """The same, swinging by 0.1 Hz in ten seconds."""
    return Damage(with_hum(clean, rate, drift_hz=0.1), REMOVE_HUM, 8, -43)


KINDS = {make.__name__: make for make in (cough, cough_narrow, whistle, clicks, hum, drifting_hum)}


def click_figures(damage, clean, heard):
    """How many clicks are repaired, by 6 dB or more, and how many samples out of reach of any are changed."""
    reached = np.zeros(len(clean), bool)
    repaired = 0
    for start, end in damage.clicks:
        near = slice(start - CLICK_REACH, end + CLICK_REACH)
        reached[near] = True
        repaired += rms((heard - clean)[near]) <= 0.5 * rms((damage.samples - clean)[near])
    return {"repaired": int(repaired), "planted": len(damage.clicks),
            "changed elsewhere": int(np.sum((heard != damage.samples) & ~reached))}


def main():
    named = [name for name in sys.argv[1:] if name in KINDS] or list(KINDS)
    sonobrush = program()
    clean, rate = soundfile.read(CLIPS / "speech_16k_mono.wav")
    report, misses = {}, []
    for name in named:
        damage = KINDS[name](clean, rate)
        heard = paint(sonobrush, damage.samples, rate, damage.edits)
        before, after = (error_db(sound, clean) for sound in (damage.samples, heard))
        figures = {"before_db": round(before, 1), "after_db": round(after, 1), "gained_db": round(before - after, 1)}
        line = f"{name:13} error {before:6.1f} dB, repaired {after:6.1f} dB, gained {before - after:5.1f} dB"
        if before - after < damage.least_gain_db or after > damage.most_error_db:
            most = f", at most {damage.most_error_db} dB left" if np.isfinite(damage.most_error_db) else ""
            misses.append(f"{name}: {damage.least_gain_db} dB gained{most}")
        if damage.clicks:
            counts = click_figures(damage, clean, heard)
            figures |= counts
            line += f"; {counts['repaired']} of {counts['planted']} repaired, {counts['changed elsewhere']} samples elsewhere"
            if counts["repaired"] < 28 or counts["changed elsewhere"] > 0:
                misses.append(f"{name}: 28 repaired, none changed elsewhere")
        print(line)
        report[name] = figures
        if "--write" in sys.argv:
            folder = Path(sys.argv[sys.argv.index("--write") + 1])
            folder.mkdir(parents=True, exist_ok=True)
            soundfile.write(folder / f"{name}.wav", damage.samples, rate, subtype="FLOAT")
            soundfile.write(folder / f"{name}-repaired.wav", heard, rate, subtype="FLOAT")
            (folder / f"{name}.json").write_text(json.dumps({"version": 1, "edits": damage.edits}))
    if "--json" in sys.argv:
        with open(sys.argv[sys.argv.index("--json") + 1], "w") as out:
            json.dump(report, out, indent=1)
    for miss in misses:
        print("missed:", miss)
    sys.exit(1 if misses else 0)


if __name__ == "__main__":
    main()
