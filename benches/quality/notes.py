"""Notes that are found in melodies and in three voices, rendered by FluidSynth.

    python3 benches/quality/notes.py [--soundfont FILE] [--program PATH] [--json FILE]

Needs `fluidsynth` and the soundfont TimGM6mb (Debian: timgm6mb-soundfont); makes its own virtual environment. Voices walk at
random over the notes of a scale; their notes last 0.2 to 0.8 s and differ in strength. A note is right if its pitch is and it
begins within 50 ms; each counts once. Exit code 1 when a target is missed.
"""

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from environment import finish, program, with_packages

with_packages("numpy", "mido", "soundfile")

import mido
import numpy as np
import soundfile

# Program, lowest key, and the least F1 of one voice and of three.
INSTRUMENTS = {
    "piano": (0, 48, 0.87, 0.80),
    "nylon guitar": (24, 48, 0.87, 0.78),
    "trumpet": (56, 60, 0, 0),
    "flute": (73, 67, 0, 0),
    "organ": (19, 48, 0, 0),
    "slow strings": (49, 48, 0, 0),
}
SCALE = (0, 2, 4, 5, 7, 9, 11)
N_OCTAVES, N_NOTES, N_SONGS, WITHIN_SECS = 2, 40, 3, 0.05
RATE, TICKS_PER_SEC = 44_100, 960


def option(name, usual=None):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else usual


def song(random, lowest, n_voices):
    """Start and end in seconds, key and velocity of each note; no key sounds twice at once."""
    notes = []
    for voice in range(n_voices):
        step, now_secs = random.integers(len(SCALE) * N_OCTAVES), 0.5 + 0.1 * voice
        for _ in range(N_NOTES):
            step = int(np.clip(step + random.integers(-4, 5), 0, len(SCALE) * N_OCTAVES - 1))
            key = lowest + 12 * (step // len(SCALE)) + SCALE[step % len(SCALE)]
            end_secs = now_secs + random.choice([0.2, 0.4, 0.6, 0.8])
            sounds = any(other == key and start < end_secs + 0.1 and end > now_secs - 0.1 for start, end, other, _ in notes)
            if not sounds:
                notes.append((now_secs, end_secs - 0.02, key, int(random.integers(60, 120))))
            now_secs = end_secs
    return sorted(notes)


def render(notes, number, soundfont, folder):
    midi, wav = folder / "song.mid", folder / "song.wav"
    file, track = mido.MidiFile(ticks_per_beat=TICKS_PER_SEC // 2), mido.MidiTrack()
    file.tracks.append(track)
    track.append(mido.Message("program_change", program=number))
    events = [(secs, kind, key, velocity) for start, end, key, velocity in notes for secs, kind in ((start, 1), (end, 0))]
    last = 0
    for secs, kind, key, velocity in sorted(events):
        tick = round(secs * TICKS_PER_SEC)
        track.append(mido.Message("note_on" if kind else "note_off", note=key, velocity=velocity, time=tick - last))
        last = tick
    file.save(midi)
    command = ["fluidsynth", "-ni", "-q", "-F", wav, "-r", str(RATE), "-T", "wav", soundfont, midi]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return wav


def found(sonobrush, wav, folder):
    """Start and key of each note, and how long it took a second of sound."""
    table, began = folder / "notes.csv", time.monotonic()
    subprocess.run([sonobrush, "notes", wav, "-o", table, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    taken_secs = time.monotonic() - began
    with table.open() as lines:
        rows = [(float(row["start_s"]), int(row["midi"])) for row in csv.DictReader(lines)]
    return rows, taken_secs / soundfile.info(wav).duration


def right(notes, rows):
    left = list(rows)
    n_right = 0
    for start, _, key, _ in notes:
        near = [row for row in left if row[1] == key and abs(row[0] - start) <= WITHIN_SECS]
        if near:
            left.remove(min(near, key=lambda row: abs(row[0] - start)))
            n_right += 1
    return n_right


def main():
    sonobrush, soundfont = program(), option("--soundfont", "/usr/share/sounds/sf2/TimGM6mb.sf2")
    report, misses, speeds = {}, [], []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, (number, lowest, *least) in INSTRUMENTS.items():
            scores = []
            for n_voices in (1, 3):
                n_right = n_all = 0
                for seed in range(N_SONGS):
                    notes = song(np.random.default_rng([seed, n_voices]), lowest, n_voices)
                    rows, speed = found(sonobrush, render(notes, number, soundfont, folder), folder)
                    n_right, n_all = n_right + right(notes, rows), n_all + len(notes) + len(rows)
                    speeds.append(speed)
                scores.append(2 * n_right / n_all)
            print(f"{name:13} {scores[0]:.2f} {scores[1]:.2f}")
            report[name] = scores
            misses += [f"{name}: {score:.2f}, not {wanted}" for score, wanted in zip(scores, least) if score < wanted]
    report["seconds a second"] = float(np.median(speeds))
    print(f"{report['seconds a second']:.3f} s a second")
    finish(report, misses, option("--json"))


if __name__ == "__main__":
    main()
