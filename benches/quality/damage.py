"""What an editor does all day, as scripts: damage of known kinds mixed into the speech clip and repaired, with the clean clip as
the reference; a breath turned down, notes drawn, sounds stretched (`tasks.py`).

    python3 benches/quality/damage.py [KIND...] [--program PATH] [--before PATH] [--json FILE] [--write FOLDER]

Makes its own virtual environment. Each kind (damage: `cough`, `cough_narrow`, `whistle`, `clicks`, `hum`, `drifting_hum`; tasks:
`breath`, `notes`, `stretched_tone`, `drum_loop`; all of them where none is named) has a fixed seed and a script that
`sonobrush paint` runs at the defaults of its brush. The value of a repair is the error, in decibels relative to the clean clip:
`20 log10(||heard - clean|| / ||clean||)`, before and after. `--before` names an older program, which repairs cough and whistle,
too: the error may not be larger than it leaves. `--write` keeps the sounds, what they became, and the scripts. Exit code 1 when a
target is missed.
"""

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

from environment import CLIPS, finish, program, with_packages

with_packages("numpy", "soundfile")

import numpy as np
import soundfile
from tasks import STUDIO, TASKS, Row, Runs

TAU = 2 * np.pi
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


DAMAGES = {make.__name__: make for make in (cough, cough_narrow, whistle, clicks, hum, drifting_hum)}
# Repaired by an older program, too.
BY_BOTH = {"cough", "cough_narrow", "whistle"}
# Decibels that two programs may differ by and count as equal.
ROUNDING_DB = 0.05


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


def repair(name, runs, older, clean, rate):
    """Repairs one kind of damage, by an older program as well where there is one."""
    damage = DAMAGES[name](clean, rate)
    heard = runs.paint(name, damage.samples, rate, damage.edits)
    before, after = (error_db(sound, clean) for sound in (damage.samples, heard))
    gained = before - after
    row = Row(f"error {before:6.1f} dB, repaired {after:6.1f} dB, gained {gained:5.1f} dB")
    row.figures = {"before_db": round(before, 1), "after_db": round(after, 1), "gained_db": round(gained, 1)}
    most = f", at most {damage.most_error_db} dB left" if np.isfinite(damage.most_error_db) else ""
    row.hold(gained >= damage.least_gain_db and after <= damage.most_error_db, f"{damage.least_gain_db} dB gained{most}")
    if damage.clicks:
        counts = click_figures(damage, clean, heard)
        row.figures |= counts
        row.words += f"; {counts['repaired']} of {counts['planted']} repaired, {counts['changed elsewhere']} samples elsewhere"
        row.hold(counts["repaired"] >= 28 and counts["changed elsewhere"] == 0, "28 repaired, none changed elsewhere")
    if older and name in BY_BOTH:
        before_gained = before - error_db(older.paint(name, damage.samples, rate, damage.edits), clean)
        row.figures["gained_by_the_build_before_db"] = round(before_gained, 1)
        row.words += f"; by the build before {before_gained:5.1f} dB"
        row.hold(gained >= before_gained - ROUNDING_DB, "no worse than the build before")
    return row


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--program", metavar="PATH")
    parser.add_argument("--before", metavar="PATH", type=Path)
    parser.add_argument("--json", metavar="FILE", type=Path)
    parser.add_argument("--write", metavar="FOLDER", type=Path)
    options = parser.parse_args()
    unknown = [kind for kind in options.kinds if kind not in DAMAGES and kind not in TASKS]
    if unknown:
        parser.error(f"no kind is named {', '.join(unknown)}; there are {', '.join([*DAMAGES, *TASKS])}")
    return options


def main():
    options = arguments()
    runs = Runs(program(), options.write)
    older = options.before and Runs(options.before.resolve())
    clean, rate = soundfile.read(CLIPS / "speech_16k_mono.wav")
    report, misses = {}, []
    for name in options.kinds or [*DAMAGES, *TASKS]:
        row = TASKS[name](runs) if name in TASKS else repair(name, runs, older, clean, rate)
        print(f"{name:14} {row.words}")
        report[name] = row.figures
        misses += [f"{name}: {miss}" for miss in row.misses]
    finish(report, misses, options.json)


if __name__ == "__main__":
    main()
