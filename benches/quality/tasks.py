"""Tasks of `damage.py` that repair nothing: a breath turned down, notes drawn by the tone brush, a tone and a drum loop stretched.

Each has a script and measures what the tests of the same task measure, in the same way (`tests/support/dsp/measure.rs`,
`tests/support/dsp/attacks.rs`), with the same limits.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile
from environment import CLIPS, paint

# What the studio chooses at 16 kHz.
STUDIO = {"n_fft": 1024, "hop": 256}
# Of what the studio draws, in seconds.
FADE = 0.005
# From press to release, and the note.
NOTES = [((0.5, 0.65), 523.25), ((1.2, 1.32), 659.26), ((1.8, 2.1), 783.99)]
LOOP = "drum_break_44k_stereo.flac"


@dataclass
class Row:
    """What is told of a kind, its figures, and the targets it misses."""

    words: str
    figures: dict = field(default_factory=dict)
    misses: list = field(default_factory=list)

    def hold(self, is_held, target):
        if not is_held:
            self.misses.append(target)


@dataclass
class Runs:
    """Scripts that a program runs; their sounds are kept where a folder is named."""

    sonobrush: Path
    folder: Path | None = None

    def paint(self, name, samples, rate, edits):
        heard = paint(self.sonobrush, samples, rate, edits)
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            soundfile.write(self.folder / f"{name}.wav", samples, rate, subtype="FLOAT")
            soundfile.write(self.folder / f"{name}-after.wav", heard, rate, subtype="FLOAT")
            (self.folder / f"{name}.json").write_text(json.dumps({"version": 1, "edits": edits}))
        return heard


def band_power(samples, rate, low, high):
    """Mean power between two frequencies, under a Kaiser window whose side lobes (-190 dB) hide nothing."""
    n = len(samples)
    power = np.abs(np.fft.rfft(samples * np.kaiser(n + 1, 26)[:-1])) ** 2
    return power[int(np.ceil(low * n / rate)) : int(np.floor(high * n / rate)) + 1].mean()


def strongest_hz(samples, rate, low, high):
    """Where the Hann-windowed spectrum is largest between two frequencies, to 0.001 Hz."""
    n = len(samples)
    windowed = samples * np.hanning(n + 1)[:-1]
    n_fft = 1 << (4 * n - 1).bit_length()
    grid = rate / n_fft
    levels = np.abs(np.fft.rfft(windowed, n_fft))
    first, last = int(np.ceil(low / grid)), int(np.floor(high / grid))
    best, width = (first + int(np.argmax(levels[first : last + 1]))) * grid, 2 * grid

    def level(hz):
        return abs(np.dot(windowed, np.exp(-2j * np.pi * hz / rate * np.arange(n))))

    while width > 5e-4:
        best = max((best - width / 2, best, best + width / 2), key=level)
        width /= 1.6
    return best


def cents(hz, of):
    return 1200 * np.log2(hz / of)


def half_level_secs(samples, rate, secs, hz):
    """First and last time at which the level of a note is half of what it is in its middle; a level is that of a period."""
    period = round(rate / hz)
    sums = np.concatenate([[0], np.cumsum(np.square(samples))])
    at = np.arange(period, len(samples) - period)
    levels = np.zeros(len(samples))
    levels[at] = np.sqrt(np.maximum(sums[at - period // 2 + period] - sums[at - period // 2], 0) / period)
    start, middle, end = (int(t * rate) for t in (secs[0] - 0.25, sum(secs) / 2, secs[1] + 0.25))
    is_loud = levels >= levels[middle] / 2
    return (start + np.argmax(is_loud[start:middle])) / rate, (end - 1 - np.argmax(is_loud[middle:end][::-1])) / rate


def envelope(channels, rate):
    """Levels of each quarter of a millisecond, over a millisecond, of the high frequencies of all channels, in decibels."""
    highs = np.square(np.convolve(channels.sum(1), [1, -2, 1], "valid"))
    sums, step = np.concatenate([[0], np.cumsum(highs)]), 0.00025 * rate
    at, reach = (np.arange(int(len(highs) / step)) * step).astype(int), int(2 * step)
    return 10 * np.log10(sums[np.minimum(at + reach, len(highs))] - sums[np.maximum(at - reach, 0)] + 1e-9)


def attacks(levels):
    """Places where 5 ms are 12 dB louder than the 5 ms before, the steepest within 40 ms."""
    sums = np.concatenate([[0], np.cumsum(levels)])
    mean = (sums[20:] - sums[:-20]) / 20
    rise = np.full(len(levels), -np.inf)
    rise[20 : len(mean)] = mean[20:] - mean[:-20]
    found = []
    for at in range(100, len(levels) - 200):
        is_steepest = rise[at] == rise[max(at - 160, 0) : at + 160].max()
        if rise[at] > 12 and is_steepest and mean[at] > levels.max() - 30 and (not found or at >= found[-1] + 200):
            found.append(at)
    return found


def distance_ms(before, at, after, wanted):
    """How far from `wanted` an attack lies that lay at `at`: by the shift within 20 ms at which the levels around it are most
    alike."""
    mine = before[at - 40 : at + 40] - before[at - 40 : at + 40].mean()
    first = max(round(wanted) - 40, 0)
    places = range(max(first - 80, 0), min(first + 80, len(after) - len(mine)))

    def alike(start):
        theirs = after[start : start + len(mine)] - after[start : start + len(mine)].mean()
        return mine @ theirs / max(np.sqrt((mine @ mine) * (theirs @ theirs)), 1e-9)

    return abs(max(places, key=alike) + 40 - wanted) / 4


def breath(runs):
    """Half a second of the speech 12 dB quieter; measured in the octaves of what no frame over its edges reaches."""
    before, rate = soundfile.read(CLIPS / "speech_16k_mono.wav")
    edit = {"brush": {"kind": "gain", "gain_db": -12}, "select": {"time": [1.0, 1.5]}, "transform": STUDIO}
    after = runs.paint("breath", before, rate, [edit])
    inside = slice(17_952, 17_952 + 4_096)
    bands = [(62.5 * 2**octave, 125 * 2**octave) for octave in range(7)]
    was, is_now = ([band_power(samples[inside], rate, *band) for band in bands] for samples in (before, after))
    gains = [10 * np.log10(now / once) for once, now in zip(was, is_now)]
    off = max(abs(gain + 12) for gain in gains)
    touched = np.flatnonzero(after != before)
    row = Row(f"{min(gains):.2f} to {max(gains):.2f} dB in seven octaves; samples {touched[0]} to {touched[-1]} changed")
    row.figures = {"gains_db": [round(gain, 2) for gain in gains], "off_db": round(off, 3)}
    row.hold(off <= 0.2, "-12.0 +- 0.2 dB in every octave")
    row.hold(touched[0] > 14_500 and touched[-1] < 25_500, "the rest keeps its bits")
    return row


def notes(runs):
    """Three short notes into silence, as the tone brush draws them."""
    rate = 48_000
    brush = {"kind": "tone", "level_db": -12, "fade": FADE}
    strokes = [{"points": [[at, hz, 1.0] for at in secs], "radius": [0.05, 50.0]} for secs, hz in NOTES]
    edits = [{"brush": brush, "stroke": stroke} for stroke in strokes]
    heard = runs.paint("notes", np.zeros(3 * rate), rate, edits)
    off_ms, off_cents = [], []
    for secs, hz in NOTES:
        off_ms += [1000 * abs(found - at) for found, at in zip(half_level_secs(heard, rate, secs, hz), secs)]
        start, end = (int(at * rate) for at in secs)
        found = strongest_hz(heard[start + 480 : end - 480], rate, 0.97 * hz, 1.03 * hz)
        off_cents.append(abs(cents(found, hz)))
    row = Row(f"onsets and ends within {max(off_ms):.1f} ms, pitches within {max(off_cents):.2f} cents")
    row.figures = {"off_ms": round(max(off_ms), 2), "off_cents": round(max(off_cents), 3)}
    row.hold(max(off_ms) <= 10, "10 ms")
    row.hold(max(off_cents) <= 2, "2 cents")
    return row


def stretched_tone(runs):
    """Steady tones to half and up to twice their length."""
    rate, n = 44_100, 60_000
    worst = 0.0
    for hz in (110.0, 440.0, 997.3):
        samples = 0.4 * np.sin(2 * np.pi * hz * np.arange(n) / rate)
        for percent in (50, 75, 110, 150, 200):
            stretch = {"brush": {"kind": "stretch", "percent": percent}, "select": {"time": [0, n / rate]}}
            room = {"brush": {"kind": "lengthen", "secs": n / rate * (percent / 100 - 1) + 0.1}}
            edits = [room, stretch] if percent > 100 else [stretch]
            heard = runs.paint(f"stretched_tone-{hz:.0f}-{percent}", samples, rate, edits)
            middle = n * percent // 200
            found = strongest_hz(heard[middle - 8_192 : middle + 8_192], rate, 0.8 * hz, 1.25 * hz)
            worst = max(worst, abs(cents(found, hz)))
    row = Row(f"pitch within {worst:.3f} cents at 50 to 200 %", {"off_cents": round(worst, 4)})
    row.hold(worst <= 2, "2 cents")
    return row


def drum_loop(runs):
    """The drum break to 90 % in place, its hits against where they belong."""
    samples, rate = soundfile.read(CLIPS / LOOP)
    edit = {"brush": {"kind": "stretch", "percent": 90}, "select": {"time": [0, len(samples) / rate]}}
    before, after = (envelope(sound, rate) for sound in (samples, runs.paint("drum_loop", samples, rate, [edit])))
    hits = attacks(before)
    off = [distance_ms(before, at, after, 0.9 * at) for at in hits]
    n_near = sum(ms <= 5 for ms in off)
    row = Row(f"{n_near} of {len(hits)} hits within 5 ms, worst {max(off):.1f} ms")
    row.figures = {"hits": len(hits), "within_5_ms": n_near, "worst_ms": round(max(off), 2)}
    row.hold(len(hits) > 20 and n_near == len(hits), "every hit within 5 ms")
    return row


TASKS = {task.__name__: task for task in (breath, notes, stretched_tone, drum_loop)}
