"""Makes `pitch_line/*`: the pitch and confidence of two seconds of `tests/clips/speech_16k_mono.wav` by SwiftF0 in
onnxruntime, with weights rounded to f16.

    pip install numpy onnx onnxruntime
    python tests/reference/pitch_line.py
"""

import sys
import tempfile
import wave
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))
import make_models  # noqa: E402

# Samples of the clip.
FIRST, END = 16_000, 48_000
RANGE_HZ = [46.875, 2093.75]


def session():
    with tempfile.TemporaryDirectory() as folder:
        model = make_models.swift_model(Path(folder))
    stored = set()
    for node in model.graph.node:
        if node.op_type in ("Conv", "ScatterElements"):
            stored |= set(node.input)
    for tensor in model.graph.initializer:
        numbers = numpy_helper.to_array(tensor)
        if tensor.name in stored and numbers.dtype == np.float32:
            rounded = numbers.astype(np.float16).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(rounded, tensor.name))
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


with wave.open(str(HERE.parent / "clips" / "speech_16k_mono.wav")) as clip:
    samples = np.frombuffer(clip.readframes(clip.getnframes()), "<i2")[FIRST:END].astype(np.float32) / 32768
low, high = (np.array(hz, np.float32) for hz in RANGE_HZ)
pitch, confidence = session().run(["pitch", "confidence"], {"audio": samples[None], "fmin": low, "fmax": high})
folder = HERE / "pitch_line"
folder.mkdir(exist_ok=True)
np.save(folder / "hertz.npy", pitch[0].astype("<f8"))
np.save(folder / "confidence.npy", confidence[0].astype("<f8"))
