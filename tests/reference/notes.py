"""Makes `notes/*`: plucked tones in noise, Basic Pitch's posteriors for their first window by onnxruntime, and the notes
that the package's own code finds in the posteriors of the whole.

    pip install numpy scipy onnx onnxruntime
    python tests/reference/notes.py
"""

import ast
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnxruntime
import scipy.signal

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))
import make_models  # noqa: E402

RATE_HZ, STEP, N_WINDOW, N_FRAMES, N_EDGE = 22_050, 256, 43_844, 172, 15
N_SAMPLES = 62_000
# One frame in this many of the first window is kept.
EVERY = 8
CODE = "basic_pitch/note_creation.py"
FUNCTIONS = ("output_to_notes_polyphonic", "get_infered_onsets", "constrain_frequency")
# Seconds, MIDI number, level.
PLUCKED = [
    (0.10, 45, 0.2),
    (0.30, 57, 0.1),
    (0.55, 60, 0.1),
    (0.55, 64, 0.1),
    (0.90, 69, 0.05),
    (1.20, 33, 0.2),
    (1.25, 76, 0.1),
    (1.60, 76, 0.1),
    (1.60, 84, 0.05),
    (2.05, 57, 0.1),
    (2.10, 61, 0.1),
    (2.40, 96, 0.05),
]


def plucked():
    made = np.random.default_rng(1).normal(0, 1e-4, N_SAMPLES)
    for start_secs, midi, level in PLUCKED:
        first = round(start_secs * RATE_HZ)
        secs = np.arange(N_SAMPLES - first) / RATE_HZ
        hz = 440 * 2 ** ((midi - 69) / 12)
        for k in range(1, min(10, int(10_000 / hz)) + 1):
            made[first:] += level / k * np.sin(2 * np.pi * k * hz * secs) * np.exp(-(2 + k) * secs)
    return np.round(32_768 * made).astype("<i2")


def package(folder):
    """The package's own functions that make notes, and its model."""
    model = make_models.pitch_model(folder)
    code = zipfile.ZipFile(next(folder.glob("basic_pitch*.whl"))).read(CODE).decode()
    # The file imports much that these do not need.
    kept = [part for part in ast.parse(code).body if isinstance(part, ast.FunctionDef) and part.name in FUNCTIONS]
    names = {"np": np, "scipy": scipy, "MIDI_OFFSET": 21, "MAX_FREQ_IDX": 87}
    exec("from typing import *", names)
    exec(compile(ast.Module(kept, []), CODE, "exec"), names)
    return names, onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def main():
    sound = plucked()
    with tempfile.TemporaryDirectory() as made:
        names, session = package(Path(made))
    # The order of the model's outputs.
    outputs = [f"StatefulPartitionedCall:{at}" for at in (1, 2, 0)]

    def said(window):
        window = np.pad(window, (0, N_WINDOW - len(window))).astype(np.float32) / 32_768
        return [output[0] for output in session.run(outputs, {"serving_default_input_2:0": window[None, :, None]})]

    folder = HERE / "notes"
    folder.mkdir(exist_ok=True)
    np.save(folder / "sound.npy", sound.view("<u2"))
    for name, output in zip(("notes", "onsets", "contours"), said(sound[:N_WINDOW])):
        np.save(folder / f"{name}.npy", output[::EVERY].astype("<f4"))
    n_kept = N_FRAMES - 2 * N_EDGE
    padded = np.pad(sound, (N_EDGE * STEP, 0))
    windows = [said(padded[first : first + N_WINDOW]) for first in range(0, N_SAMPLES, n_kept * STEP)]
    chances = [np.concatenate([window[at][N_EDGE:-N_EDGE] for window in windows]) for at in (0, 1)]
    frames, onsets = (all_frames[: -(-N_SAMPLES // STEP)] for all_frames in chances)
    events = names["output_to_notes_polyphonic"](
        frames,
        onsets,
        onset_thresh=0.5,
        frame_thresh=0.3,
        min_note_len=11,
        infer_onsets=True,
        max_freq=None,
        min_freq=None,
    )
    events = [(start * STEP / RATE_HZ, end * STEP / RATE_HZ, midi, amplitude) for start, end, midi, amplitude in events]
    np.save(folder / "found.npy", np.array(sorted(events, key=lambda event: (event[0], event[2])), "<f8"))
    print(len(events), "notes")


if __name__ == "__main__":
    main()
