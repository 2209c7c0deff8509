"""Key and tempo of music, against librosa: 24 songs rendered by FluidSynth.

    python3 benches/quality/music.py --songs GIT_DIR [--soundfont FILE] [--program PATH] [--json FILE]

Needs `fluidsynth` and the soundfont TimGM6mb (Debian: timgm6mb-soundfont); makes its own virtual environment. GIT_DIR is a clone
of github.com/music-x-lab/POP909-Dataset (MIT licence): songs with their beats, and keys found in their recordings. Taken are
songs with one key, whose last chord is that of the key, and with a steady tempo, as many minor as major ones; their parts
are played by instruments that differ from song to song. The collection is of slow songs, so each is played at its own tempo and
half as fast again. Profiles and tempo were tuned on 36 other songs of the collection with the soundfont FluidR3.
A tempo is right within 4 %; right within a factor of 2, 3, 4 or 1.5 is counted besides. librosa has no keys: its chroma of
constant-Q rows is judged by the profiles of Krumhansl and Kessler, as is usual. Exit code 1 when a target is missed.
"""

import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from environment import finish, program, with_packages

with_packages("numpy", "scipy", "soundfile", "mido", "librosa==0.11.0")

import librosa
import mido
import numpy as np
import soundfile

NOTES = {"C": 0, "C#": 1, "Db": 1, "D": 2, "D#": 3, "Eb": 3, "E": 4, "F": 5, "F#": 6, "Gb": 6, "G": 7, "G#": 8, "Ab": 8,
         "A": 9, "A#": 10, "Bb": 10, "B": 11, "Cb": 11}
CHORDS = {"maj": ("maj", "maj7", "maj6", "sus2", "sus4"), "min": ("min", "min7")}
# Melody, second melody, accompaniment.
PROGRAMS = [(0, 0, 0), (73, 48, 0), (40, 89, 24), (56, 48, 4), (52, 48, 19), (65, 50, 26), (11, 48, 0), (80, 89, 25),
            (71, 42, 5), (53, 49, 32)]
KRUMHANSL = [[6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88],
             [6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17]]
RATE = 44_100
SPEEDS = (1, 1.5)
START_SECS, SECS = 18, 62


def option(name, usual=None):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else usual


def shown(songs, path):
    command = ["git", "--git-dir", songs, "show", f"HEAD:{path}"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def rows_of(songs, path):
    return [line.split() for line in shown(songs, path).decode().splitlines() if line.strip()]


def good_songs(songs):
    """Number, key (tonic, is minor) and tempo of the songs that tell."""
    for number in range(1, 910):
        folder = f"POP909/{number:03}"
        keys = rows_of(songs, f"{folder}/key_audio.txt")
        beats = np.diff([float(row[0]) for row in rows_of(songs, f"{folder}/beat_midi.txt")])
        chords = [row[2] for row in rows_of(songs, f"{folder}/chord_midi.txt") if not row[2].startswith("N")]
        if len(keys) != 1 or len(beats) < 39 or np.mean(np.abs(beats / np.median(beats) - 1) < 0.05) < 0.95:
            continue
        tonic, mode = keys[0][2].split(":")
        last, _, kind = chords[-1].partition(":")
        if NOTES[tonic] == NOTES.get(last) and kind.split("/")[0] in CHORDS[mode]:
            yield number, (NOTES[tonic], mode == "min"), 60 / np.median(beats)


def picked(songs):
    found = list(good_songs(songs))
    for is_minor in (False, True):
        those = [song for song in found if song[1][1] == is_minor][1::2]
        yield from (those[int(at * len(those) / 12)] for at in range(12))


def rendered(songs, number, programs, speed, soundfont):
    """A minute of a song, mono."""
    song = mido.MidiFile(file=io.BytesIO(shown(songs, f"POP909/{number:03}/{number:03}.mid")))
    with tempfile.TemporaryDirectory() as folder:
        score, sound = Path(folder) / "song.mid", Path(folder) / "song.wav"
        # An instrument for each part.
        for channel, track in enumerate(song.tracks[1:]):
            for message in track:
                if not message.is_meta:
                    message.channel = channel
        cut = mido.MidiFile(ticks_per_beat=480)
        track = mido.MidiTrack()
        cut.tracks.append(track)
        track.append(mido.MetaMessage("set_tempo", tempo=500_000, time=0))
        track += [mido.Message("program_change", channel=c, program=p, time=0) for c, p in enumerate(programs)]
        secs, last = 0.0, 0
        for message in song:
            secs += message.time / speed
            if secs > START_SECS + SECS + 2:
                break
            if secs >= START_SECS and message.type in ("note_on", "note_off"):
                tick = int((secs - START_SECS) * 960)
                track.append(message.copy(time=tick - last))
                last = tick
        # FluidSynth plays on until the last voice ends.
        track += [mido.Message("control_change", channel=c, control=120, value=0, time=0) for c in range(3)]
        cut.save(score)
        command = ["fluidsynth", "-ni", "-q", "-g", "0.5", "-R", "0", "-C", "0", "-r", str(RATE), "-F", sound, soundfont]
        subprocess.run([*command, score], check=True, capture_output=True)
        samples = soundfile.read(sound)[0].mean(1)
        return samples[2 * RATE : SECS * RATE]


def described(sonobrush, samples):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "song.wav"
        soundfile.write(path, samples, RATE)
        output = subprocess.run([sonobrush, "library", "describe", path, "--json"], check=True, capture_output=True).stdout
        found = json.loads(output)
        found = found[0] if isinstance(found, list) else found
    tonic, mode = found["key"].split()
    return (NOTES[tonic], mode == "minor"), found["tempo_bpm"]


def by_librosa(samples):
    y = librosa.resample(samples, orig_sr=RATE, target_sr=22_050)
    chroma = librosa.feature.chroma_cqt(y=y, sr=22_050).mean(1)
    fits = [[np.corrcoef(chroma, np.roll(profile, tonic))[0, 1] for tonic in range(12)] for profile in KRUMHANSL]
    mode, tonic = np.unravel_index(np.argmax(fits), (2, 12))
    return (int(tonic), bool(mode)), float(librosa.feature.tempo(y=y, sr=22_050)[0])


def main():
    sonobrush, songs = program(), option("--songs")
    if songs is None:
        sys.exit("give --songs, a clone of github.com/music-x-lab/POP909-Dataset")
    soundfont = option("--soundfont", "/usr/share/sounds/sf2/TimGM6mb.sf2")
    right = {}
    for at, (number, key, bpm) in enumerate(picked(songs)):
        for speed in SPEEDS:
            samples = rendered(songs, number, PROGRAMS[at % len(PROGRAMS)], speed, soundfont)
            for way, (their_key, their_bpm) in (("sonobrush", described(sonobrush, samples)), ("librosa", by_librosa(samples))):
                ratio = their_bpm / (bpm * speed)
                factors = (1, 2, 3, 4, 1.5, 1 / 2, 1 / 3, 1 / 4, 2 / 3)
                is_near = any(abs(ratio / factor - 1) < 0.04 for factor in factors)
                row = [their_key == key, abs(ratio - 1) < 0.04, is_near]
                right.setdefault((way, speed), []).append(row)
    report = {}
    for (way, speed), rows in right.items():
        share = np.mean(rows, axis=0)
        report[f"{way}, speed {speed}"] = [round(float(value), 3) for value in share]
        print(f"{way:10} at speed {speed}: key {share[0]:.2f}   tempo {share[1]:.2f}, within a factor {share[2]:.2f}")
    ours, theirs = (np.mean([report[f"{way}, speed {speed}"] for speed in SPEEDS], axis=0) for way in ("sonobrush", "librosa"))
    targets = {
        "key 0.92": ours[0] >= 0.92,
        "tempo 0.83": ours[1] >= 0.83,
        "key and tempo not under librosa": (ours[:2] >= theirs[:2]).all(),
    }
    misses = [name for name, is_met in targets.items() if not is_met]
    finish(report, misses, option("--json") if "--json" in sys.argv else None)


if __name__ == "__main__":
    main()
