"""What *Find damage* and *Find speech* find: clipping before and after MP3, and speech in noise; and how long the search takes.

    python3 benches/quality/finding.py [FOLDER] [--program PATH] [--json FILE]

Makes its own virtual environment; MP3 needs `ffmpeg`. Every WAV or FLAC file of the folder (without one, the clips of this
repository that nothing is found in), first channel, is clipped at the level at which the error lies 7, 15 or 20 dB below the sound,
turned down, stored as 16 bits, and once more as MP3 at 192 kbit/s. Speech is that of the five voices of `voices.py`, each after and
before two seconds of noise, in three noises at 0, 5 and 10 dB; truly speech are frames of 10 ms whose level, without the noise, is
within 35 dB of the loud ones, with gaps under 200 ms closed. Times are of a minute, by the clock and of all cores together. Exit code
1 when a target is missed.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from environment import CLIPS, finish, paint, program, with_packages

with_packages("numpy", "soundfile", "av")

import numpy as np
import soundfile
from measures import clipped_to, steady_noises
from voices import RATE, voices

CLEAN = ("choir_44k_stereo_float64", "crow_44k_mono", "guitar_chord_44k_stereo", "tabla_loop_44k_stereo")
LEVELS_DB = (7, 15, 20)
VOICE_LEVELS_DB = (0, 5, 10)
LOUD_WITHIN_DB, LONGEST_GAP_SECS, FRAME_SECS, AROUND_SECS = 35, 0.2, 0.01, 2
MP3_KBPS = 192
# F1 of speech in white and pink noise and in hum and hiss, and seconds of a minute of mono with its network.
LEAST_F1, MOST_SECS = 0.85, 3.5


def found(sonobrush, path):
    """The kinds of damage that are found in a file."""
    output = subprocess.run([sonobrush, "find", path, "--json", "--quiet"], check=True, capture_output=True).stdout
    return {row["kind"] for row in json.loads(output)}


def sounds(folder):
    for path in sorted((folder or CLIPS).iterdir()):
        if path.suffix in (".wav", ".flac") and (folder or path.stem in CLEAN):
            samples, rate = soundfile.read(path, always_2d=True)
            yield path.stem, samples[:, 0] / np.abs(samples[:, 0]).max() * 0.9, rate


def clipping(sonobrush, folder):
    """How many sounds are found clipped, by level and form; and how many sounds there are."""
    counts, n = {}, 0
    for name, clean, rate in sounds(folder):
        n += 1
        with tempfile.TemporaryDirectory() as scratch:
            wav, mp3 = Path(scratch) / "sound.wav", Path(scratch) / "sound.mp3"
            for level_db in (None, *LEVELS_DB):
                samples = clean if level_db is None else clipped_to(clean, level_db)
                soundfile.write(wav, 0.83 * samples, rate, subtype="PCM_16")
                encode = ["ffmpeg", "-y", "-loglevel", "error", "-i", wav, "-b:a", f"{MP3_KBPS}k", mp3]
                subprocess.run(encode, check=True)
                for path in (wav, mp3):
                    key = (level_db, path.suffix[1:])
                    counts[key] = counts.get(key, 0) + ("clipping" in found(sonobrush, path))
    return counts, n


def closed(is_speech):
    """Gaps of up to LONGEST_GAP_SECS between frames of speech count as speech."""
    at = np.flatnonzero(is_speech)
    for first, last in zip(at[:-1], at[1:]):
        if last - first <= LONGEST_GAP_SECS / FRAME_SECS:
            is_speech[first:last] = True
    return is_speech


def true_speech(clean):
    n = int(FRAME_SECS * RATE)
    levels = 10 * np.log10(np.mean(clean[: len(clean) // n * n].reshape(-1, n) ** 2, axis=1) + 1e-12)
    return closed(levels > np.percentile(levels, 95) - LOUD_WITHIN_DB)


def heard_speech(sonobrush, noisy):
    """The frames that a selection of speech changes."""
    edit = {"brush": {"kind": "gain", "gain_db": -6}, "select": {"shape": "speech"}}
    after = paint(sonobrush, noisy, RATE, [edit])
    n = int(FRAME_SECS * RATE)
    changed = np.abs(after - noisy)[: len(noisy) // n * n].reshape(-1, n).mean(1)
    return changed > 0.25 * np.abs(noisy)[: len(noisy) // n * n].reshape(-1, n).mean(1)


def speech(sonobrush):
    """F1, false share of pauses and missed share of speech, by noise."""
    counts = {}
    around = np.zeros(int(AROUND_SECS * RATE))
    for _, _, voice in voices():
        clean = np.concatenate((around, voice, around))
        truth = true_speech(clean)
        for name, noise in steady_noises(len(clean), RATE, 21):
            for level_db in VOICE_LEVELS_DB:
                noisy = clean + noise * np.sqrt(np.mean(voice**2)) * 10 ** (-level_db / 20)
                heard = heard_speech(sonobrush, noisy)
                rows = [(heard & truth).sum(), (heard & ~truth).sum(), (~heard & truth).sum(), (~truth).sum()]
                counts[name] = counts.get(name, 0) + np.array(rows)
    return {name: {"F1": 2 * right / (2 * right + false + missed), "false": false / pauses, "missed": missed / (right + missed)}
            for name, (right, false, missed, pauses) in counts.items()}


def times(sonobrush):
    """Seconds by the clock and of all cores for a minute of each clip, mono and stereo."""
    secs = {}
    for path in sorted(CLIPS.iterdir()):
        if path.suffix not in (".wav", ".flac"):
            continue
        samples, rate = soundfile.read(path, always_2d=True)
        minute = np.tile(samples, (-(-60 * rate // len(samples)), 1))[: 60 * rate]
        for n_channels in sorted({1, samples.shape[1]}):
            with tempfile.TemporaryDirectory() as scratch:
                wav = Path(scratch) / "minute.wav"
                soundfile.write(wav, minute[:, :n_channels], rate, subtype="PCM_16")
                used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
                began, before = time.time(), used()
                found(sonobrush, wav)
                secs[path.stem, n_channels] = (time.time() - began, used() - before)
    return secs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--program", metavar="PATH")
    parser.add_argument("--json", metavar="FILE", type=Path)
    options = parser.parse_args()
    sonobrush, misses = program(), []
    counts, n = clipping(sonobrush, options.folder)
    for (level_db, form), count in counts.items():
        print(f"{'clean' if level_db is None else f'clipped at {level_db} dB'}, {form}: {count} of {n} found clipped", flush=True)
        if form == "wav" and count != (0 if level_db is None else n) or level_db is None and count:
            misses.append(f"{level_db} dB, {form}: {count} of {n}")
    by_noise = speech(sonobrush)
    for name, row in by_noise.items():
        print(f"speech in {name}: F1 {row['F1']:.3f}, false {row['false']:.3f} of pauses, missed {row['missed']:.3f} of speech", flush=True)
        if row["F1"] < LEAST_F1:
            misses.append(f"speech in {name}: F1 {row['F1']:.3f}")
    secs = times(sonobrush)
    for (name, n_channels), (clock, cores) in secs.items():
        print(f"a minute of {name}, {n_channels} channels: {clock:.2f} s by the clock, {cores:.2f} s of all cores", flush=True)
        if n_channels == 1 and clock > MOST_SECS:
            misses.append(f"a minute of {name}: {clock:.2f} s")
    report = {"clipping": {f"{level} {form}": count for (level, form), count in counts.items()}, "sounds": n, "speech": by_noise,
              "secs": {f"{name} {n_channels}": each for (name, n_channels), each in secs.items()}}
    finish(json.loads(json.dumps(report, default=float)), misses, options.json)


if __name__ == "__main__":
    main()
