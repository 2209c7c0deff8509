"""Makes the reference arrays of the DSP tests from the definitions, with SciPy and librosa as witnesses.

    pip install numpy==2.4.6 scipy==1.17.1 librosa==0.11.0
    python tests/reference/make_references.py

Everything is computed in f64 and stored as f32 or complex64 beside this file; cases.json says what each array is.
Nothing here is a port of the Rust code: formulas are written down from the definitions, by the slowest clear route,
and checked against SciPy or librosa wherever those have the same notion. The same versions give the same bytes.
"""

import json
from pathlib import Path

import librosa
import numpy as np
from scipy import fft, ndimage, signal

HERE = Path(__file__).resolve().parent
RATE = 8000
CASES = {"rate": RATE}


def save(name, array):
    array = np.ascontiguousarray(array)
    np.save(HERE / f"{name}.npy", array)
    return name


# ---------------------------------------------------------------------------------------------------- the signal

def make_signal(n):
    """Noise, a rising chirp, a steady tone and a click: no cell of its spectrogram is empty, none repeats."""
    rng = np.random.default_rng(20240607)
    t = np.arange(n) / RATE
    x = 0.05 * rng.standard_normal(n)
    x += 0.3 * np.sin(2 * np.pi * (200 * t + 0.5 * 1800 * t * t))
    x += 0.25 * np.sin(2 * np.pi * 1237.5 * t + 0.7)
    x[n // 3] += 0.5
    return np.float32(x)


SIGNAL = make_signal(12_001)
SHORT = SIGNAL[4000:6000].copy()

WINDOWS = ["hann", "hamming", "blackman", "blackman_harris", "nuttall", "kaiser", "sine"]


def window(name, n):
    """Periodic windows, from SciPy but for `sine`, which is the root of Hann."""
    if name == "sine":
        return np.sin(np.pi * np.arange(n) / n)
    scipy_name = {"blackman_harris": "blackmanharris", "kaiser": ("kaiser", 8.6)}.get(name, name)
    return signal.get_window(scipy_name, n, fftbins=True)


def stft(x, n_fft, hop, name):
    """[frames, bins]: frame n centred on n * hop, zeros beyond the ends, phase referenced to the frame's centre."""
    x = np.asarray(x, np.float64)
    n_frames = -(-len(x) // hop) + 1
    padded = np.zeros((n_frames - 1) * hop + n_fft)
    padded[n_fft // 2 : n_fft // 2 + len(x)] = x[: len(padded) - n_fft // 2]
    w = window(name, n_fft)
    frames = np.stack([padded[i * hop : i * hop + n_fft] * w for i in range(n_frames)])
    return fft.rfft(frames, axis=1) * (-1.0) ** np.arange(n_fft // 2 + 1)


def overlap_add(spectrum, n_fft, hop, name):
    """OLA of the windowed inverse frames, first value for sample -n_fft / 2; not divided by sum(w^2)."""
    frames = fft.irfft(spectrum * (-1.0) ** np.arange(n_fft // 2 + 1), n_fft, axis=1) * window(name, n_fft)
    out = np.zeros((len(frames) - 1) * hop + n_fft)
    for i, frame in enumerate(frames):
        out[i * hop : i * hop + n_fft] += frame
    return out


def weight(n_frames, n_fft, hop, name):
    """sum(w^2) on the same samples as overlap_add."""
    w2 = window(name, n_fft) ** 2
    out = np.zeros((n_frames - 1) * hop + n_fft)
    for i in range(n_frames):
        out[i * hop : i * hop + n_fft] += w2
    return out


# ------------------------------------------------------------------------------------------------ STFT and inverse

def stft_references():
    rng = np.random.default_rng(1)
    entries = []
    for n_fft in (256, 512, 1024, 2048, 4096, 8192, 16384):
        hop = n_fft // 4
        n_frames = -(-len(SIGNAL) // hop) + 1
        frames = [0, n_frames // 2, n_frames - 1]
        bins = np.arange(n_fft // 2 + 1)
        if n_fft > 1024:  # A seeded choice of bins keeps the files small; the test's own DFT covers every bin.
            inner = rng.choice(np.arange(2, n_fft // 2 - 1), 296, replace=False)
            bins = np.sort(np.concatenate([[0, 1, n_fft // 2 - 1, n_fft // 2], inner]))
        planes = []
        for name in WINDOWS:
            whole = stft(SIGNAL, n_fft, hop, name)
            assert len(whole) == n_frames
            theirs = librosa.stft(np.pad(np.float64(SIGNAL), (0, n_fft)), n_fft=n_fft, hop_length=hop,
                                  window=window(name, n_fft), center=True, pad_mode="constant", dtype=np.complex128).T
            theirs = theirs[:n_frames] * (-1.0) ** np.arange(n_fft // 2 + 1)
            assert np.abs(whole - theirs).max() < 1e-10, "librosa agrees"
            engine = signal.ShortTimeFFT(window(name, n_fft), hop, RATE, fft_mode="onesided", phase_shift=0)
            scipys = engine.stft(np.float64(SIGNAL), p0=0, p1=n_frames).T
            assert np.abs(whole - scipys).max() < 1e-10, "SciPy agrees, and references phase to the frame's centre"
            planes.append(whole[frames][:, bins])
        entries.append({"n_fft": n_fft, "hop": hop, "frames": frames, "bins": bins.tolist(),
                        "array": save(f"stft_{n_fft}", np.complex64(planes))})
    save("signal", SIGNAL)
    sums = {name: [float(window(name, n).sum()) for n in (256, 2048, 16384)] for name in WINDOWS}
    windows = save("windows_256", np.stack([window(name, 256) for name in WINDOWS]))
    CASES["stft"] = {"signal": "signal", "windows": WINDOWS, "window_samples_256": windows,
                     "window_sums_256_2048_16384": sums, "sizes": entries}


def inverse_references():
    """An edit of every cell: what is added to the samples, against librosa's and SciPy's inverses."""
    entries = []
    for n_fft, hop, name in ((256, 64, "hann"), (512, 64, "blackman_harris"), (256, 128, "sine"), (512, 128, "kaiser")):
        rng = np.random.default_rng(n_fft + hop)
        before = stft(SHORT, n_fft, hop, name)
        after = before * rng.uniform(0.0, 2.0, before.shape) * np.exp(2j * np.pi * rng.uniform(-0.2, 0.2, before.shape))
        after[:, [0, -1]] = after[:, [0, -1]].real  # real in a signal's spectrum
        first, last = 5, len(before) - 4  # a run of touched frames inside
        after[:first], after[last:] = before[:first], before[last:]
        added = overlap_add(after - before, n_fft, hop, name)
        d = weight(len(before), n_fft, hop, name)
        half = n_fft // 2
        y = SHORT + (added / d.clip(1e-300))[half : half + len(SHORT)]
        theirs = librosa.istft((after * (-1.0) ** np.arange(half + 1)).T, hop_length=hop, n_fft=n_fft, center=True,
                               window=window(name, n_fft), length=len(SHORT), dtype=np.float64)
        assert np.abs(y - theirs).max() < 1e-9, "librosa agrees"
        # SciPy has frames before 0 and after the last, so it witnesses where those do not reach.
        engine = signal.ShortTimeFFT(window(name, n_fft), hop, RATE, fft_mode="onesided", phase_shift=0)
        whole = engine.stft(np.float64(SHORT))
        whole[:, first - engine.p_min : last - engine.p_min] = after[first:last].T
        inside = slice(half, (len(before) - 1) * hop - half)
        assert np.abs(y - engine.istft(whole, k1=len(SHORT)))[inside].max() < 1e-9, "SciPy agrees"
        key = f"inverse_{n_fft}_{hop}"
        entries.append({"n_fft": n_fft, "hop": hop, "window": name, "touched": [first, last],
                        "after": save(f"{key}_after", np.complex64(after[first:last])),
                        "samples": save(f"{key}_samples", np.float32(y))})
    CASES["short"] = save("short", SHORT)
    CASES["inverse"] = entries


# -------------------------------------------------------------------------------------------------------- brushes

N_FFT, HOP = 256, 64


def lerp(a, b, m):
    return a + (b - a) * m


def random_mask(shape, seed):
    """Zeros, ones and everything between; above 0 in two opposite corners, so the bounding box is the patch."""
    m = np.random.default_rng(seed).uniform(-0.4, 1.4, shape).clip(0, 1)
    m[0, 0], m[-1, -1] = 0.5, 1.0
    return np.float32(m)


def blur_references():
    magnitude = np.abs(stft(SHORT, N_FFT, HOP, "hann"))
    mask = random_mask(magnitude.shape, 2)
    entries = []
    for cells in ((2.3, 3.1), (0.0, 4.0), (1.7, 0.0), (0.16, 0.16), (20.0, 60.0)):
        sigma = [cells[0] * HOP / RATE, cells[1] * RATE / N_FFT]
        g = magnitude
        for axis in (0, 1):
            if cells[axis] > 0:
                g = ndimage.gaussian_filter1d(g, cells[axis], axis=axis, truncate=3, mode="nearest")
        key = f"blur_{len(entries)}"
        entries.append({"sigma_secs_hz": sigma, "sigma_cells": cells,
                        "magnitude": save(key, np.float32(lerp(magnitude, g, np.float64(mask))))})
    CASES["blur"] = {"n_fft": N_FFT, "hop": HOP, "mask": save("blur_mask", mask), "cases": entries}


def closed_form(kind, cutoff, order, f):
    f = np.asarray(f, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind == "low":
            return 1 / np.sqrt(1 + (f / cutoff[0]) ** (2 * order))
        if kind == "high":
            return np.where(f == 0, 0, 1 / np.sqrt(1 + (cutoff[0] / f) ** (2 * order)))
        q = np.abs((f * f - cutoff[0] * cutoff[1]) / (f * (cutoff[1] - cutoff[0])))
        if kind == "band":
            return np.where(f == 0, 0, 1 / np.sqrt(1 + q ** (2 * order)))
        return np.where(f == 0, 1, np.where(q == 0, 0, 1 / np.sqrt(1 + q ** (-2.0 * order))))


CUTOFFS_HZ = {"low": [700.0], "high": [700.0], "band": [400.0, 1600.0], "notch": [500.0, 2000.0]}


def band_references():
    f = np.arange(N_FFT // 2 + 1) * RATE / N_FFT
    planes = []
    for kind, cutoff in CUTOFFS_HZ.items():
        rows = []
        for order in range(1, 9):
            response = closed_form(kind, cutoff, order, f)
            scipys = {"low": "lowpass", "high": "highpass", "band": "bandpass", "notch": "bandstop"}[kind]
            z, p, k = signal.butter(order, cutoff[0] if len(cutoff) == 1 else cutoff, scipys, analog=True, output="zpk")
            inside = f > 0
            _, h = signal.freqs_zpk(z, p, k, f[inside])
            assert np.abs(np.abs(h) - response[inside]).max() < 1e-7, f"SciPy's butter agrees: {kind} {order}"
            rows.append(response)
        planes.append(rows)
    assert planes[3][0][f.tolist().index(1000.0)] == 0, "the notch's Q = 0 falls on a bin"
    CASES["band_filter"] = {"n_fft": N_FFT, "hop": HOP, "passes": list(CUTOFFS_HZ), "cutoffs": list(CUTOFFS_HZ.values()),
                            "responses": save("band_responses", np.array(planes))}


def modulation(patch, mask, along, kind, cutoffs, order):
    """FFT of the mirrored patch times the response; `cutoffs` is [time cutoffs, frequency cutoffs]."""
    grown = [1 << (2 * n - 1).bit_length() for n in patch.shape]
    for n, p in zip(patch.shape, grown):
        assert p >= 2 * n and p // 2 < 2 * n
    axes = {"time": [0], "frequency": [1], "both": [0, 1]}[along]
    pads, response = [(0, 0), (0, 0)], np.ones((1, 1))
    for axis in axes:
        p = grown[axis]
        extra = p - patch.shape[axis]
        pads[axis] = (extra // 2, extra - extra // 2)
        k = np.abs(fft.fftfreq(p, 1 / p))
        f = k * RATE / (HOP * p) if axis == 0 else 1000 * k * N_FFT / (RATE * p)
        b = closed_form(kind, cutoffs[axis], order, f)
        response = response * (b[:, None] if axis == 0 else b[None, :])
    padded = np.pad(patch, pads, mode="symmetric")
    filtered = fft.ifftn(fft.fftn(padded, axes=axes) * response, axes=axes).real
    inside = tuple(slice(a, a + n) for (a, _), n in zip(pads, patch.shape))
    return lerp(patch, filtered[inside].clip(0), mask)


def modulation_references():
    magnitude = np.abs(stft(SHORT, N_FFT, HOP, "hann"))
    one = {"low": [[9.0], [2.5]], "high": [[9.0], [2.5]], "band": [[5.0, 20.0], [1.0, 4.0]],
           "notch": [[5.0, 20.0], [1.0, 4.0]]}
    entries = []
    patches = [(3, 17, 10, 31), (0, 33, 0, 129), (7, 1, 40, 9), (9, 5, 64, 1), (12, 1, 128, 1)]
    for index, (frame, n_frames, low, n_bins) in enumerate(patches):
        if frame + n_frames > len(magnitude):
            n_frames = len(magnitude) - frame
        patch = magnitude[frame : frame + n_frames, low : low + n_bins]
        mask = random_mask(patch.shape, 10 + index)
        mask_name = save(f"modulation_mask_{index}", mask)
        rows = []
        for along in ("time", "frequency", "both"):
            for kind, cutoffs in one.items():
                if index == 1 and kind in ("band", "notch"):
                    continue  # the whole spectrogram is large; two passes of it will do
                order = 1 + (len(entries) * 3) % 8
                out = modulation(patch, np.float64(mask), along, kind, cutoffs, order)
                entries.append({"frames": [frame, frame + n_frames], "bins": [low, low + n_bins], "mask": mask_name,
                                "along": along, "pass": kind, "order": order, "cutoffs": cutoffs,
                                "array": f"modulation_{index}", "row": len(rows)})
                rows.append(np.float32(out))
        save(f"modulation_{index}", rows)
    CASES["modulation_filter"] = {"n_fft": N_FFT, "hop": HOP, "cases": entries}


# ----------------------------------------------------------------------------------------------------- axes, masks

def units(axis, hz):
    hz = np.asarray(hz, np.float64)
    with np.errstate(divide="ignore"):
        return {"linear": lambda: hz, "log": lambda: np.log2(hz), "mel": lambda: librosa.hz_to_mel(hz, htk=False),
                "bark": lambda: 6 * np.arcsinh(hz / 600)}[axis]()


def hertz(axis, u):
    return {"linear": lambda: u, "log": lambda: np.exp2(u), "mel": lambda: librosa.mel_to_hz(u, htk=False),
            "bark": lambda: 600 * np.sinh(np.asarray(u) / 6)}[axis]()


def axis_references():
    hz = np.concatenate([[0, 1e-3, 1, 60, 440, 999.999, 1000, 1000.001], np.geomspace(1.5, 96_000, 120)])
    CASES["axes"] = {"hz": save("axes_hz", hz), "mel": save("axes_mel", units("mel", hz)),
                     "bark": save("axes_bark", units("bark", hz))}


def profile(d, hardness):
    with np.errstate(divide="ignore", invalid="ignore"):
        soft = (1 + np.cos(np.pi * (d - hardness) / (1 - hardness))) / 2
    return np.where(d <= hardness, 1.0, np.where(d >= 1, 0.0, soft))


def cell_centres(n_samples, n_fft, hop):
    n_frames = -(-n_samples // hop) + 1
    return np.arange(n_frames) * hop / RATE, np.arange(n_fft // 2 + 1) * RATE / n_fft


def stroke_mask(stroke, secs, hz):
    """Cell by cell and segment by segment."""
    r = np.array(stroke["radius"])
    points = [np.array([p[0], units(stroke["axis"], p[1])]) / r for p in stroke["points"]]
    pressures = [p[2] for p in stroke["points"]]
    heights = units(stroke["axis"], hz) / r[1]
    out = np.zeros((len(secs), len(hz)))
    segments = list(zip(points, points[1:], pressures, pressures[1:])) or [(points[0],) * 2 + (pressures[0],) * 2]
    for i, t in enumerate(secs / r[0]):
        for j, h in enumerate(heights):
            if not np.isfinite(h):
                continue
            c = np.array([t, h])
            for a, b, pa, pb in segments:
                v = b - a
                u = np.clip(np.dot(c - a, v) / np.dot(v, v), 0, 1) if np.dot(v, v) > 0 else None
                if u is None:  # a segment of no length: the projection is anywhere, pressure that of the harder end
                    value = max(pa, pb) * profile(np.hypot(*(c - a)), stroke["hardness"])
                else:
                    value = (pa + (pb - pa) * u) * profile(np.hypot(*(c - a - u * v)), stroke["hardness"])
                out[i, j] = max(out[i, j], stroke["strength"] * value)
    return out


def range_profile(span, feather, centres):
    """1 on centres in a closed range, a raised cosine outside; between two centres the one nearest the middle."""
    out = np.zeros(len(centres))
    finite = np.isfinite(centres)
    if span is None:
        return np.ones(len(centres))
    low, high = span
    for i in np.nonzero(finite)[0]:
        d = max(low - centres[i], centres[i] - high, 0)
        out[i] = 1.0 if d == 0 else (0.0 if d >= feather else (1 + np.cos(np.pi * d / feather)) / 2)
    inside = np.nonzero(finite & (centres >= low) & (centres <= high))[0]
    reached = centres[finite]
    if len(inside) == 0 and low >= reached.min() and high <= reached.max():
        out[np.nonzero(finite)[0][np.argmin(np.abs(reached - (low + high) / 2))]] = 1.0
    return out


def select_mask(shapes, secs, hz):
    total = np.zeros((len(secs), len(hz)))
    for shape in shapes:
        axis = shape.get("axis", "linear")
        feather = shape.get("feather", [0, 0])
        across = range_profile(shape.get("time"), feather[0], secs)
        with np.errstate(divide="ignore"):
            span = [float(units(axis, f)) for f in shape["frequency"]] if "frequency" in shape else None
        one = across[:, None] * range_profile(span, feather[1], units(axis, hz))[None, :]
        op = shape.get("op", "add")
        total = {"add": np.maximum(total, one), "subtract": total * (1 - one), "intersect": total * one}[op]
    return total


MASK_CASES = [
    {"name": "line_linear", "stroke": {"points": [[0.05, 600, 1], [0.2, 2500, 1]], "axis": "linear",
                                       "radius": [0.03, 300], "hardness": 0.5, "strength": 1}},
    {"name": "line_log", "stroke": {"points": [[0.02, 100, 0.2], [0.15, 1500, 1], [0.22, 300, 0.6]], "axis": "log",
                                    "radius": [0.03, 0.5], "hardness": 0.25, "strength": 0.8}},
    {"name": "line_mel", "stroke": {"points": [[0.0, 3900, 1], [0.25, 60, 0.5]], "axis": "mel",
                                    "radius": [0.02, 2.5], "hardness": 0, "strength": 1}},
    {"name": "line_bark", "stroke": {"points": [[0.1, 900, 0.9], [0.12, 950, 0.3], [0.1, 1800, 1], [0.02, 700, 1]],
                                     "axis": "bark", "radius": [0.05, 1.5], "hardness": 1, "strength": 0.5}},
    {"name": "dab", "stroke": {"points": [[0.1, 1000, 0.75]], "axis": "linear", "radius": [0.06, 700], "hardness": 0.5,
                               "strength": 1}},
    {"name": "back_and_forth", "stroke": {"points": [[0.05, 1000, 0.5], [0.2, 1000, 1], [0.05, 1000, 0.25]],
                                          "axis": "linear", "radius": [0.03, 400], "hardness": 0.5, "strength": 1}},
    {"name": "beyond_the_ends", "stroke": {"points": [[-0.1, 3000, 1], [0.4, 5000, 1]], "axis": "linear",
                                           "radius": [0.05, 900], "hardness": 0.5, "strength": 1}},
    {"name": "box", "select": [{"time": [0.056, 0.128], "frequency": [500, 1500]}]},
    {"name": "box_feather", "select": [{"time": [0.06, 0.13], "frequency": [700, 1500], "feather": [0.03, 400]}]},
    {"name": "box_log_feather", "select": [{"time": [0.06, 0.13], "frequency": [200, 900], "feather": [0.02, 1.5],
                                            "axis": "log"}]},
    {"name": "box_log_from_zero", "select": [{"frequency": [0, 500], "axis": "log"}]},
    {"name": "between_centres", "select": [{"time": [0.0963, 0.0975], "frequency": [1006, 1010]}]},
    {"name": "between_log", "select": [{"time": [0.0, 0.25], "frequency": [35.0, 53.0], "axis": "log"}]},
    {"name": "outside", "select": [{"time": [0.0, 0.1], "frequency": [4100, 5000]}]},
    {"name": "combined", "select": [{"time": [0.02, 0.2], "frequency": [300, 3000], "feather": [0.02, 200]},
                                    {"op": "subtract", "time": [0.08, 0.12], "feather": [0.02, 0]},
                                    {"op": "intersect", "frequency": [800, 4000], "feather": [0, 500]},
                                    {"op": "add", "time": [0.2, 0.24], "frequency": [3500, 3600]}]},
    {"name": "stroke_in_box", "stroke": {"points": [[0.05, 600, 1], [0.2, 2500, 0.5]], "axis": "linear",
                                         "radius": [0.05, 600], "hardness": 0.5, "strength": 0.9},
     "select": [{"time": [0.07, 0.16], "feather": [0.01, 0]}]},
]


def mask_references():
    secs, hz = cell_centres(len(SHORT), N_FFT, HOP)
    entries, rows = [], []
    for case in MASK_CASES:
        m = np.ones((len(secs), len(hz)))
        if "stroke" in case:
            m *= stroke_mask(case["stroke"], secs, hz)
        if "select" in case:
            m *= select_mask(case["select"], secs, hz)
        assert (m.max() > 0) == (case["name"] != "outside")
        entries.append({**case, "row": len(rows)})
        rows.append(np.float32(m))
    CASES["masks"] = {"n_fft": N_FFT, "hop": HOP, "n_samples": len(SHORT), "array": save("masks", rows), "cases": entries}


# ------------------------------------------------------------------------------------------------------------ warp

WARP_HOP = N_FFT // 8


def accumulated_turns(acts, df):
    """Phi per cell [frames, bins], with the last frames of each run drawn to a whole turn."""
    turns = np.zeros(df.shape)
    for j in range(df.shape[1]):
        n = 0
        while n < len(df):
            if not acts[n, j]:
                n += 1
                continue
            end = n
            while end < len(df) and acts[end, j]:
                end += 1
            phi, before = 0.0, 0.0
            for i in range(n, end):
                phi += WARP_HOP / RATE * (before + df[i, j]) / 2
                before = df[i, j]
                turns[i, j] = phi
            k = min(16, end - n)
            for i in range(k):
                u = (i + 1) / k
                turns[end - k + i, j] += (np.round(phi) - phi) * (3 * u * u - 2 * u**3)
            n = end
    return turns


def catmull_rom(u):
    return np.array([-u + 2 * u**2 - u**3, 2 - 5 * u**2 + 3 * u**3, u + 4 * u**2 - 3 * u**3, -(u**2) + u**3]) / 2


def coefficient(x, m, n):
    top = x.shape[1] - 1
    if not 0 <= n < len(x):
        return 0
    m %= 2 * top
    return np.conj(x[n, 2 * top - m]) if m > top else x[n, m]


def resample(x, acts, source_frame, source_bin, turns):
    out = x.copy()
    top = x.shape[1] - 1
    for n, m in zip(*np.nonzero(acts)):
        ns, ms = source_frame[n, m], source_bin[n, m]
        n0, m0 = int(np.floor(ns)), int(np.floor(ms))
        wn, wm = catmull_rom(ns - n0), catmull_rom(ms - m0)
        total = 0
        for a in range(4):
            for b in range(4):
                nn, mm = n0 + a - 1, m0 + b - 1
                twist = np.exp(2j * np.pi * mm * (ns - nn) * WARP_HOP / N_FFT)
                total += wn[a] * wm[b] * coefficient(x, mm, nn) * twist
        total *= np.exp(2j * np.pi * turns[n, m])
        out[n, m] = total.real if m in (0, top) else total
    return out


GRAB_CASES = [
    {"name": "box", "shift": [0.003, 150.0], "axis": "linear",
     "select": [{"time": [0.05, 0.16], "frequency": [700, 2000], "feather": [0.02, 150]}]},
    {"name": "mirrors", "shift": [-0.01, 420.0], "axis": "linear", "select": [{"frequency": [0, 900], "feather": [0, 200]}]},
    {"name": "nyquist", "shift": [0.0, -300.0], "axis": "linear",
     "select": [{"time": [0.04, 0.12], "frequency": [3000, 4000]}]},
    {"name": "log_stroke", "shift": [0.002, 0.25], "axis": "log",
     "stroke": {"points": [[0.06, 900, 1], [0.19, 1400, 0.7]], "axis": "log", "radius": [0.04, 0.6], "hardness": 0.3,
                "strength": 0.9}},
]


def grab_references():
    x = stft(SHORT, N_FFT, WARP_HOP, "hann")
    secs, hz = cell_centres(len(SHORT), N_FFT, WARP_HOP)
    entries = []
    for case in GRAB_CASES:
        m = np.ones(x.shape)
        if "stroke" in case:
            m *= stroke_mask(case["stroke"], secs, hz)
        if "select" in case:
            m *= select_mask(case["select"], secs, hz)
        m = np.float64(np.float32(m))  # engines move by the mask that they are given
        acts = m > 0
        dt, df_units = case["shift"]
        with np.errstate(invalid="ignore"):
            source_hz = np.where(acts, hertz(case["axis"], units(case["axis"], hz)[None, :] - m * df_units), hz[None, :])
        source_bin = source_hz * N_FFT / RATE
        source_frame = np.arange(len(x))[:, None] - m * dt * RATE / WARP_HOP
        turns = accumulated_turns(acts, np.where(acts, hz[None, :] - source_hz, 0))
        after = resample(x, acts, source_frame, source_bin, turns)
        key = f"grab_{case['name']}"
        entries.append({**case, "mask": save(f"{key}_mask", np.float32(m)), "after": save(key, np.complex64(after)),
                        "turns": save(f"{key}_turns", np.float32(turns - np.round(turns)))})
    CASES["grab"] = {"n_fft": N_FFT, "hop": WARP_HOP, "cases": entries}


def dabs(stroke):
    """The polyline every 1/8, the last at its end: places in coordinates divided by the radius, and pressures."""
    r = np.array(stroke["radius"])
    points = np.array([[p[0] / r[0], units(stroke["axis"], p[1]) / r[1], p[2]] for p in stroke["points"]])
    lengths = np.hypot(*np.diff(points[:, :2], axis=0).T)
    along = np.concatenate([[0], np.cumsum(lengths)])
    at = [k / 8 for k in range(int(np.ceil(along[-1] * 8 - 1e-9)))] + [along[-1]]
    return np.stack([np.interp(at, along, points[:, i]) for i in range(3)], axis=1)


def push_displacement(stroke, selection, secs, hz):
    """D [frames, bins, 2] in coordinates divided by the radius."""
    r = np.array(stroke["radius"])
    ts, hs = secs / r[0], units(stroke["axis"], hz) / r[1]
    field = np.zeros((len(ts), len(hs), 2))
    marks = dabs(stroke)

    def look_up(t, h):
        i = np.interp(t, ts, np.arange(len(ts)), left=np.nan, right=np.nan)
        j = np.interp(h, hs, np.arange(len(hs)), left=np.nan, right=np.nan)
        if np.isnan(i) or np.isnan(j):
            return np.zeros(2)
        i0, j0 = min(int(i), len(ts) - 2), min(int(j), len(hs) - 2)
        a, b = i - i0, j - j0
        return ((1 - a) * (1 - b) * field[i0, j0] + (1 - a) * b * field[i0, j0 + 1]
                + a * (1 - b) * field[i0 + 1, j0] + a * b * field[i0 + 1, j0 + 1])

    for previous, current in zip(marks, marks[1:]):
        v = current[:2] - previous[:2]
        new = field.copy()
        for i, t in enumerate(ts):
            for j, h in enumerate(hs):
                reach = profile(np.hypot(t - previous[0], h - previous[1]), stroke["hardness"])
                m = stroke["strength"] * current[2] * reach * selection[i, j]
                if m > 0:
                    new[i, j] = m * v + look_up(t - m * v[0], h - m * v[1])
        field = new
    return field


PUSH_CASES = [
    {"name": "linear", "stroke": {"points": [[0.09, 1000, 1], [0.11, 1500, 0.8], [0.16, 1300, 0.5]], "axis": "linear",
                                  "radius": [0.05, 400], "hardness": 0.3, "strength": 0.8}},
    {"name": "mel", "stroke": {"points": [[0.08, 700, 1], [0.1, 1300, 1]], "axis": "mel", "radius": [0.04, 3],
                               "hardness": 0.5, "strength": 1}},
    {"name": "in_box", "stroke": {"points": [[0.1, 1000, 1], [0.12, 1600, 1]], "axis": "linear", "radius": [0.06, 500],
                                  "hardness": 0.5, "strength": 1},
     "select": [{"time": [0.08, 0.13], "frequency": [900, 1400], "feather": [0.01, 100]}]},
]


def push_references():
    x = stft(SHORT, N_FFT, WARP_HOP, "hann")
    secs, hz = cell_centres(len(SHORT), N_FFT, WARP_HOP)
    entries = []
    for case in PUSH_CASES:
        stroke = case["stroke"]
        selection = select_mask(case["select"], secs, hz) if "select" in case else np.ones((len(secs), len(hz)))
        field = push_displacement(stroke, selection, secs, hz)
        r = stroke["radius"]
        frames = -field[..., 0] * r[0] * RATE / WARP_HOP
        source_hz = hertz(stroke["axis"], units(stroke["axis"], hz)[None, :] - field[..., 1] * r[1])
        acts = np.any(field != 0, axis=2)
        bins = np.where(acts, (source_hz - hz[None, :]) * N_FFT / RATE, 0)
        turns = accumulated_turns(acts, -bins * RATE / N_FFT)
        after = resample(x, acts, np.arange(len(x))[:, None] + frames, np.arange(x.shape[1])[None, :] + bins, turns)
        key = f"push_{case['name']}"
        entries.append({**case, "after": save(key, np.complex64(after)), "frames": save(f"{key}_frames", np.float32(frames)),
                        "bins": save(f"{key}_bins", np.float32(bins)),
                        "turns": save(f"{key}_turns", np.float32(turns - np.round(turns)))})
    CASES["push"] = {"n_fft": N_FFT, "hop": WARP_HOP, "cases": entries}


# ------------------------------------------------------------------------------------------------------ image --raw

def image_references():
    """R = level in -100..0 dB, G = phase, both over 0..65535: [frames, bins, 2] of the first 3,000 samples."""
    x = stft(SIGNAL[:3000], N_FFT, HOP, "hann")
    # All of a constant is in one bin, and of what alternates; of a sine half.
    sides = np.where(np.arange(x.shape[1]) % (x.shape[1] - 1) == 0, 1, 2)
    level = 20 * np.log10(sides * np.abs(x) / window("hann", N_FFT).sum())
    red = np.round(((level + 100) / 100).clip(0, 1) * 65535)
    green = np.round((np.angle(x) / (2 * np.pi) + 0.5) * 65535)
    CASES["image_raw"] = {"n_fft": N_FFT, "hop": HOP, "n_samples": 3000, "range_db": [-100, 0],
                          "pixels": save("image_raw", np.stack([red, green], axis=2).astype(np.uint16))}


if __name__ == "__main__":
    for old in HERE.glob("*.npy"):
        old.unlink()
    for make in (stft_references, inverse_references, blur_references, band_references, modulation_references,
                 axis_references, mask_references, grab_references, push_references, image_references):
        make()
    (HERE / "cases.json").write_text(json.dumps(CASES, indent=1, allow_nan=False) + "\n")
    total = sum(p.stat().st_size for p in HERE.iterdir() if p.is_file())
    print(f"{len(list(HERE.glob('*.npy')))} arrays, {total} bytes in all")
