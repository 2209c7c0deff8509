"""Makes `isolation/*`: speech in noise, and what DeepFilterNet3 makes of it by onnxruntime, with weights rounded to f16.

    pip install numpy onnx onnxruntime soundfile
    python tests/reference/isolation.py

The framing, the features and what is done with the network's output are those of libdf, written here from its definition, in f64
but for the network. `sound.npy` is 2 s at 48,000 Hz as i16, to be multiplied by the scale in `cases.json`: at that level the
program's own level step is a factor of 1, since the mean over 6 s is that of all frames.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import soundfile
from onnx import numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))
import make_models  # noqa: E402

RATE, FRAME, STEP = 48_000, 960, 480
WIDTHS = [2] * 13 + [5, 5, 7, 7, 8, 10, 12, 13, 15, 18, 20, 24, 28, 31, 37, 42, 50, 56, 67]
EDGES = np.concatenate([[0], np.cumsum(WIDTHS)])
WINDOW = np.sin(np.pi / 2 * np.sin(np.pi * (np.arange(FRAME) + 0.5) / FRAME) ** 2)
LEVEL_DB = -32.0
# Every so many samples, and frames of filters, are stored.
SAMPLE_STEP, FRAME_STEP = 9, 16


def sessions():
    with tempfile.TemporaryDirectory() as folder:
        models = make_models.models(make_models.fetch(Path(folder)).read(make_models.ARCHIVE))
    for model in models.values():
        held = list(model.graph.initializer)
        held += [node.attribute[0].t for node in model.graph.node if node.op_type == "Constant"]
        for tensor in held:
            numbers = numpy_helper.to_array(tensor)
            if numbers.dtype == np.float32:
                rounded = numbers.astype(np.float16).astype(np.float32)
                tensor.CopyFrom(numpy_helper.from_array(rounded, tensor.name))
    run = onnxruntime.InferenceSession
    return {part: run(model.SerializeToString(), providers=["CPUExecutionProvider"]) for part, model in models.items()}


def spectra(sound):
    """Frames 0 .. ceil(n / STEP), the first half of which is silence, and two of silence."""
    n_frames = -(-len(sound) // STEP) + 1
    padded = np.concatenate([np.zeros(STEP), sound, np.zeros((n_frames + 2) * STEP - len(sound))])
    frames = np.array([padded[t * STEP : t * STEP + FRAME] for t in range(n_frames + 2)])
    return np.fft.rfft(frames * WINDOW, axis=1) / FRAME


def features(cells):
    bands, bins = [], []
    level, magnitude = np.linspace(-60, -90, 32), np.linspace(0.001, 0.0001, 96)
    for frame in cells:
        power = np.array([np.mean(np.abs(frame[a:b]) ** 2) for a, b in zip(EDGES[:-1], EDGES[1:])])
        db = 10 * np.log10(power + 1e-10)
        level = 0.01 * db + 0.99 * level
        bands.append((db - level) / 40)
        magnitude = 0.01 * np.abs(frame[:96]) + 0.99 * magnitude
        bins.append(frame[:96] / np.sqrt(magnitude))
    bins = np.array(bins)
    return np.array(bands, np.float32)[None, None], np.stack([bins.real, bins.imag]).astype(np.float32)[None]


def network(run, bands, bins):
    names = ["e0", "e1", "e2", "e3", "emb", "c0", "lsnr"]
    made = dict(zip(names, run["enc"].run(names, {"feat_erb": bands, "feat_spec": bins})))
    given = {name: made[name] for name in ["emb", "e3", "e2", "e1", "e0"]}
    gains = run["erb_dec"].run(["m"], given)[0][0, 0]
    filters = run["df_dec"].run(["coefs"], {"emb": made["emb"], "c0": made["c0"]})[0][0]
    return gains, filters, made["lsnr"][0, :, 0]


def isolated(cells, gains, filters):
    n_frames = len(cells) - 2
    out = cells[:n_frames] * np.repeat(gains[2:], WIDTHS, axis=1)
    around = np.concatenate([np.zeros((2, 481)), cells])
    taps = filters[2:].reshape(n_frames, 96, 5, 2)
    taps = taps[..., 0] + 1j * taps[..., 1]
    out[:, :96] = sum(taps[:, :, j] * around[j : j + n_frames, :96] for j in range(5))
    return out


def samples(cells, n):
    out = np.zeros((len(cells) + 1) * STEP)
    for t, frame in enumerate(np.fft.irfft(cells * FRAME, axis=1) * WINDOW):
        out[t * STEP : t * STEP + FRAME] += frame
    return out[STEP : STEP + n]


def main():
    clip, rate = soundfile.read(HERE.parent / "clips" / "speech_16k_mono.wav")
    part = clip[rate // 2 : rate // 2 + 2 * rate]
    speech = np.fft.irfft(np.fft.rfft(part), 3 * len(part)) * 3
    noise = np.random.default_rng(5).standard_normal(len(speech))
    noise *= np.sqrt(np.mean(speech**2) / np.mean(noise**2) / 10**0.5)
    sound = speech + noise
    whole = np.round(sound / np.abs(sound).max() * 32_000).astype(np.int16)
    power = np.mean(4 * np.sum(np.abs(spectra(whole.astype(np.float64))[:-2]) ** 2, axis=1))
    scale = np.float32(np.sqrt(10 ** (LEVEL_DB / 10) / power))
    cells = spectra((whole.astype(np.float32) * scale).astype(np.float64))
    gains, filters, snr = network(sessions(), *features(cells))
    result = samples(isolated(cells, gains, filters), len(whole))
    folder = HERE / "isolation"
    folder.mkdir(exist_ok=True)
    np.save(folder / "sound.npy", whole)
    np.save(folder / "gains.npy", gains)
    np.save(folder / "filters.npy", filters[::FRAME_STEP].reshape(-1, 960))
    np.save(folder / "snr_db.npy", snr)
    np.save(folder / "result.npy", result[::SAMPLE_STEP].astype(np.float32))
    cases = {"scale": float(scale), "sample_step": SAMPLE_STEP, "frame_step": FRAME_STEP}
    (folder / "cases.json").write_text(json.dumps(cases) + "\n")
    rms = [10 * np.log10(np.mean(x**2)) for x in (whole * float(scale), result)]
    print(cases, gains.shape, filters.shape, snr.min(), snr.max(), rms)


if __name__ == "__main__":
    main()
