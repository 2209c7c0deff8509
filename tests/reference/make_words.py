"""Makes the reference words of recordings with Chromaprint, as FFmpeg has it built in.

    pip install numpy soundfile
    python tests/reference/make_words.py        (needs ffmpeg with --enable-chromaprint)

`words.npy`: of eight seconds of the signal below at 11,025 Hz, mono, 16 bits, by algorithm 1, fpcalc's own.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile

HERE = Path(__file__).resolve().parent
RATE = 11025


def wave(at, milli_hz):
    """A triangle of -32,768 to 32,767 from a phase of 32 bits."""
    phase = (at * (milli_hz * 2**32 // (RATE * 1000))) % 2**32 >> 15
    return np.where(phase < 65536, phase, 131071 - phase) - 32768


def signal(n):
    """Three notes that change every third of a second, and fade."""
    at = np.arange(n, dtype=np.int64)
    step, since = at // 3675, at % 3675
    notes = sum(wave_of(at, step * k % 17 + 5 * k) for k in (1, 2, 3))
    return notes * (4000 - since) // 20000


def wave_of(at, note):
    """A triangle on a note that changes with the sample: 110 Hz and whole-number steps from there."""
    return np.choose(np.minimum(note, 31), [wave(at, 110000 + 37000 * k) for k in range(32)])


if __name__ == "__main__":
    samples = signal(8 * RATE).astype(np.int16)
    with tempfile.TemporaryDirectory() as folder:
        soundfile.write(f"{folder}/a.wav", samples, RATE, subtype="PCM_16")
        made = subprocess.run(["ffmpeg", "-v", "error", "-i", f"{folder}/a.wav", "-f", "chromaprint", "-algorithm", "1",
                               "-fp_format", "raw", "-"], stdout=subprocess.PIPE, check=True)
    np.save(HERE / "words.npy", np.frombuffer(made.stdout, "<u4"))
