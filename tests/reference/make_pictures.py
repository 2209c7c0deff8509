"""Makes `pictures_as_sound/`: small pictures, and what they become as sound by the definition, in f64.

    pip install numpy
    python tests/reference/make_pictures.py

The sound is `signal.npy` at 16,000 Hz, 0.5 s of it, on an STFT of 512 samples with hop 128. `cases.json` says what each
array is: levels in dB of a picture that replaces silence, cells and some of the samples of one that is laid over the
sound, and the samples of a bank. Arrays are stored as f32 or complex64; phases of a bank are integers, as in the
definition, everything else is f64.
"""

import json
import math
import struct
import zlib
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "pictures_as_sound"
RATE, N_SAMPLES, N_FFT, HOP = 16_000, 8_000, 512, 128
N_FRAMES, N_BINS = -(-N_SAMPLES // HOP) + 1, N_FFT // 2 + 1
WINDOW = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N_FFT) / N_FFT)
UNIT = WINDOW.sum() / 2  # a full-scale sine
BLOCK = 64
TURN = 1 << 32
MASK = (1 << 64) - 1
MOST_UNAVERAGED = 1.5
USUAL = {"axis": "log", "range_db": [-80, -20], "mode": "add", "phase": "random", "steps": 16, "colour": "none",
         "invert": False, "turn": 0, "flip": False, "seed": 0}


def chance(*keys):
    z = 0
    for key in keys:
        z = (z + key + 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
    return z


# ---------------------------------------------------------------------------------------------------- the pictures

def write_png(name, pixels):
    """Rows from the top, [height, width] or [height, width, channels], of 8 or 16 bits."""
    height, width = pixels.shape[:2]
    n_channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    colours = {1: 0, 2: 4, 3: 2, 4: 6}[n_channels]
    bits = 8 * pixels.dtype.itemsize
    rows = pixels.astype(pixels.dtype.newbyteorder(">")).reshape(height, -1)
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    with open(FOLDER / name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        head = struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, 0)
        for kind, data in [(b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")]:
            file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))


def places(width, height):
    """How far the centres of pixels lie from the left and from the top, 0 to 1."""
    return (np.arange(width) + 0.5)[None, :] / width, (np.arange(height) + 0.5)[:, None] / height


def eight_bits(values):
    return np.floor(np.clip(values, 0, 1) * 255 + 0.5).astype(np.uint8)


def photo():
    """Hills of noise under a bright sky, in colours."""
    x, y = places(64, 48)
    x, y = np.broadcast_to(x, (48, 64)), np.broadcast_to(y, (48, 64))
    noise = np.zeros((48, 64))
    for size in [3, 6, 12]:
        lattice = np.array([[chance(11, size, i, j) / 2.0**64 for i in range(size + 1)] for j in range(size + 1)])
        i, j = np.floor(x * size).astype(int), np.floor(y * size).astype(int)
        u, v = x * size - i, y * size - j
        top = lattice[j, i] * (1 - u) + lattice[j, i + 1] * u
        bottom = lattice[j + 1, i] * (1 - u) + lattice[j + 1, i + 1] * u
        noise += (top * (1 - v) + bottom * v) * 3 / size / 1.75
    is_sky = y < 0.3 + 0.2 * np.sin(5 * x)
    red = np.where(is_sky, 0.5 + 0.3 * noise, 0.1 + 0.7 * noise)
    green = np.where(is_sky, 0.7 + 0.2 * noise, 0.2 + 0.8 * noise * (1.2 - y))
    blue = np.where(is_sky, 0.95 - 0.2 * y, 0.1 + 0.3 * noise)
    return eight_bits(np.stack([red, green, blue], axis=2))


def lines():
    """White lines on black: a circle and a cross."""
    x, y = places(48, 40)
    circle = np.abs(np.hypot(x - 0.5, y - 0.55) - 0.3)
    cross = np.minimum(np.abs(x - y), np.abs(x + y - 1)) / math.sqrt(2)
    return eight_bits(1 - np.clip(np.minimum(circle, cross) * 48 - 1, 0, 1))


def card():
    """A test card: bars of colours from black to white, a chequerboard of greys, a slope."""
    x, y = places(32, 32)
    x, y = np.broadcast_to(x, (32, 32)), np.broadcast_to(y, (32, 32))
    bars = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 1, 0], [1, 1, 1]], float)
    bar = bars[np.floor(x * 8).astype(int)]
    greys = 0.25 + 0.5 * ((np.floor(x * 8) + np.floor(y * 12)) % 2)
    rest = np.where(y < 2 / 3, greys, 1 - x)
    return eight_bits(np.where((y < 1 / 3)[:, :, None], bar, rest[:, :, None]))


def ramp():
    """From black at the bottom left to white at the top right, in 16 bits."""
    x, y = places(24, 24)
    return np.floor((x + 1 - y) / 2 * 65_535 + 0.5).astype(np.uint16)


def blobs():
    """Soft spots."""
    x, y = places(40, 30)
    spots = [[chance(5, spot, k) / 2.0**64 for k in range(4)] for spot in range(7)]
    spread = [(a, b, 0.05 + 0.08 * r, 0.5 + 0.5 * top) for a, b, r, top in spots]
    return eight_bits(sum(top * np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * r * r)) for a, b, r, top in spread))


def veil():
    """Colours that are transparent on the left, where they are bright, opaque on the right, and in between."""
    x, y = places(20, 14)
    x, y = np.broadcast_to(x, (14, 20)), np.broadcast_to(y, (14, 20))
    alpha = np.clip(1.6 * x - 0.3 + 0.2 * np.sin(9 * y), 0, 1)
    return eight_bits(np.stack([1 - 0.6 * x, 0.3 + 0.6 * y, 0.5 + 0.4 * np.sin(6 * x), alpha], axis=2))


def rows():
    """Rows for a bank: some with gaps, some that swell, each its own."""
    x, y = places(20, 16)
    return eight_bits(0.55 + 0.45 * np.sin(2 * np.pi * (x * (1 + 3 * y) + 5 * y)) - 0.15 * ((x * 20) // 4 == 2))


PICTURES = {"photo": photo(), "lines": lines(), "card": card(), "ramp": ramp(), "blobs": blobs(), "veil": veil(),
            "rows": rows()}


# ------------------------------------------------------------------------------------------- pictures over cells

def seen(brush, channel=0, n_channels=1):
    """Brightness and alpha of a brush's picture, [height, width] from the top, as it is turned and mirrored."""
    pixels = PICTURES[brush["file"].removesuffix(".png")]
    values = pixels.reshape(*pixels.shape[:2], -1) / (255 if pixels.dtype == np.uint8 else 65_535)
    n_colours = 1 if values.shape[2] < 3 else 3
    colour = values[:, :, :n_colours] if n_colours == 3 else np.repeat(values[:, :, :1], 3, axis=2)
    if brush["colour"] == "stereo" and n_channels == 2:
        brightness = colour[:, :, channel]
    else:
        brightness = colour @ [0.2126, 0.7152, 0.0722]
    alpha = values[:, :, -1] if values.shape[2] in (2, 4) else np.ones(values.shape[:2])
    quarters = brush["turn"] // 90
    brightness, alpha = (np.rot90(plane, -quarters) for plane in (brightness, alpha))
    if brush["flip"]:
        brightness, alpha = brightness[:, ::-1], alpha[:, ::-1]
    return (1 - brightness if brush["invert"] else brightness), alpha


def units(axis, hz):
    return {"linear": lambda: hz, "log": lambda: math.log2(hz)}[axis]()


def hz_from(axis, place):
    return {"linear": lambda: place, "log": lambda: 2.0**place}[axis]()


def covered(brush):
    """Frames and bins whose centres lie within the edges, which count as inside."""
    (t0, t1), (f0, f1) = brush["time"], brush["frequency"]
    frames = [n for n in range(N_FRAMES) if t0 - 1e-9 <= n * HOP / RATE <= t1 + 1e-9]
    bins = [m for m in range(N_BINS) if f0 - 1e-6 <= m * RATE / N_FFT <= f1 + 1e-6]
    return frames, bins


def weights(n, centre, low, high):
    """What each of `n` pixels counts for a cell that reaches from `low` to `high`, in parts of the picture's side."""
    pixels = (np.arange(n) + 0.5) / n
    per_cell = (high - low) * n
    assert abs(per_cell - MOST_UNAVERAGED) > 1e-6, "neither rule may hang on rounding"
    if per_cell > MOST_UNAVERAGED:
        assert np.abs(np.concatenate([pixels - low, pixels - high])).min() > 1e-9, "nor where a pixel belongs"
        inside = ((pixels > low) & (pixels < high)).astype(float)
        return inside / inside.sum()
    place = min(max(centre * n - 0.5, 0), n - 1)
    return np.maximum(1 - np.abs(np.arange(n) - place), 0)


def sampled(brush, channel=0, n_channels=1):
    """Brightness and alpha of every cell that a picture covers, [frame, bin]. A pixel counts as much as its alpha."""
    brightness, alpha = seen(brush, channel, n_channels)
    height, width = brightness.shape
    (t0, t1), (f0, f1), axis = brush["time"], brush["frequency"], brush["axis"]
    frames, bins = covered(brush)
    low, high = units(axis, f0), units(axis, f1)

    def across(frame):
        return (frame * HOP / RATE - t0) / (t1 - t0)

    def down(bin):
        return 1 - (units(axis, bin * RATE / N_FFT) - low) / (high - low)

    columns = np.array([weights(width, across(n), across(n - 0.5), across(n + 0.5)) for n in frames])
    lines = np.array([weights(height, down(m), down(m + 0.5), down(m - 0.5)) for m in bins])
    whole = columns @ (brightness * alpha).T @ lines.T
    a = columns @ alpha.T @ lines.T
    return np.divide(whole, a, out=np.zeros_like(a), where=a > 0), a


def amplitudes(brush, g):
    low, high = brush["range_db"]
    return np.where(g > 0, 10 ** ((low + g * (high - low)) / 20), 0)


# ------------------------------------------------------------------------------------------------- cells, sound

def stft(x):
    """[frames, bins], frame n centred on n * hop, phase referenced to that centre."""
    padded = np.zeros((N_FRAMES - 1) * HOP + N_FFT)
    padded[N_FFT // 2:N_FFT // 2 + len(x)] = x
    frames = np.stack([padded[n * HOP:n * HOP + N_FFT] * WINDOW for n in range(N_FRAMES)])
    return np.fft.rfft(frames, axis=1) * (-1.0) ** np.arange(N_BINS)


def samples_from(cells):
    """OLA over sum(w^2), on the samples of the signal."""
    frames = np.fft.irfft(cells * (-1.0) ** np.arange(N_BINS), N_FFT, axis=1) * WINDOW
    total, weight = (np.zeros((N_FRAMES - 1) * HOP + N_FFT) for _ in range(2))
    for n, frame in enumerate(frames):
        total[n * HOP:n * HOP + N_FFT] += frame
        weight[n * HOP:n * HOP + N_FFT] += WINDOW**2
    return (total / np.maximum(weight, 1e-300))[N_FFT // 2:N_FFT // 2 + N_SAMPLES]


def bank(brush):
    """The first sample of a bank in the sound, and its samples."""
    (t0, t1), (f0, f1), axis = brush["time"], brush["frequency"], brush["axis"]
    brightness, _ = seen(brush)
    height, width = brightness.shape
    first = math.floor(t0 * RATE + 0.5)
    duration = (t1 - t0) * RATE
    n_samples = math.floor(duration + 0.5)
    n_blocks = -(-max(1, n_samples) // BLOCK)
    low, high = units(axis, f0), units(axis, f1)
    pixels = amplitudes(brush, brightness)
    edges = np.arange(n_blocks + 1) * BLOCK
    place = np.clip(edges / duration * width - 0.5, 0, width - 1)
    sound = np.zeros(n_blocks * BLOCK)
    i = np.arange(BLOCK)
    for row in range(height):
        hz = hz_from(axis, low + (high - low) * (height - row - 0.5) / height)
        fade = min(max((hz / (RATE / 2) - 0.90) / 0.08, 0), 1)
        a = np.interp(place, np.arange(width), pixels[row]) * (1 + math.cos(math.pi * fade)) / 2
        # Silent at both ends.
        a = np.where((edges > 0) & (edges < n_samples), a, 0).astype(np.float32).astype(np.float64)
        step = min(math.floor(hz / RATE * TURN + 0.5), 2**31 - 1)
        start = chance(brush["seed"], 2, row) >> 32
        for b in range(n_blocks):
            p = (start + (b * BLOCK + i) * step) % TURN
            level = a[b] + (a[b + 1] - a[b]) * i / BLOCK
            sound[b * BLOCK:(b + 1) * BLOCK] += level * np.sin(2 * np.pi * p / TURN)
    return first, sound


def painted(edit, x, channel, n_channels):
    """Every cell of a channel before an edit and after it."""
    brush, strength = USUAL | edit["brush"], edit.get("strength", 1)
    before = stft(x)
    after = before.copy()
    frames, bins = covered(brush)
    here = np.ix_(frames, bins)
    own = before[here]
    if brush["phase"] == "bank":
        first, sound = bank(brush)
        whole = np.zeros(N_SAMPLES)
        whole[first:first + len(sound)] = sound
        after[here] = own + strength * stft(whole)[here]
        return before, after
    g, alpha = sampled(brush, channel, n_channels)
    m = alpha * strength
    if brush["mode"] == "filter":
        low, high = brush["range_db"]
        gain = np.where(g > 0, 10 ** ((g - 1) * (high - low) / 20), 0)
        after[here] = own * (1 + (gain - 1) * m)
        return before, after
    magnitude = UNIT * amplitudes(brush, g)
    turns = np.array([[(chance(brush["seed"], 5, channel, b, n) >> 40) / 2**24 - 0.5 for b in bins] for n in frames])
    unit = np.exp(2j * np.pi * turns)
    if brush["mode"] == "add":
        after[here] = own + m * magnitude * unit
    else:
        after[here] = np.where(m > 0, (np.abs(own) + (magnitude - np.abs(own)) * m) * unit, own)
    return before, after


# ---------------------------------------------------------------------------------------------------- the cases

def brush_of(file, time, frequency, **others):
    return {"kind": "picture", "file": f"{file}.png", "time": time, "frequency": frequency, "steps": 0} | others


def save(name, array):
    np.save(FOLDER / f"{name}.npy", np.ascontiguousarray(array))
    print(name, array.shape, array.dtype)
    return name


def level_cases():
    """Coarser than the cells and finer, on both sides or on one; beyond both ends of the sound, DC and Nyquist."""
    placed = [
        ("photo", [0.1, 0.3], [1_000, 2_500], [200, 1_200], {}),
        ("lines", [0.2003, 0.3], [3_000, 5_000], [2_000, 5_000], {"turn": 90, "flip": True}),
        ("card", [0.048, 0.448], [500, 1_000], [100, 1_000], {"invert": True}),
        ("ramp", [-0.05, 0.15], [6_000, 9_000], [5_000, 12_000], {"turn": 270}),
        ("blobs", [0.3, 0.6], [0, 1_000], [50, 500], {"range_db": [-60, 3.5]}),
    ]
    for file, time, linear, log, others in placed:
        for axis, frequency in [("linear", linear), ("log", log)]:
            brush = brush_of(file, time, frequency, axis=axis, mode="replace", **others)
            frames, bins = covered(brush)
            g, _ = sampled(USUAL | brush)
            with np.errstate(divide="ignore"):
                levels = 20 * np.log10(amplitudes(USUAL | brush, g))
            name = f"levels_{file}_{axis}"
            yield {"edit": {"brush": brush}, "levels_db": save(name, levels.astype(np.float32)),
                   "frames": [frames[0], frames[-1] + 1], "bins": [bins[0], bins[-1] + 1]}


def cell_cases(sound):
    loud = {"range_db": [-70, -15]}
    edits = {
        "replace": ({"brush": brush_of("photo", [0.1, 0.3], [300, 3_000], mode="replace", **loud)}, 0),
        "replace_soft": ({"brush": brush_of("blobs", [0.15, 0.35], [1_000, 3_000], axis="linear", mode="replace",
                                            seed=7, **loud), "strength": 0.6}, 0),
        "replace_right": ({"brush": brush_of("photo", [0.1, 0.3], [300, 3_000], mode="replace", colour="stereo",
                                             seed=1, **loud)}, 1),
        "replace_alpha": ({"brush": brush_of("veil", [0.1, 0.3], [1_000, 4_000], axis="linear", mode="replace",
                                             seed=2, **loud)}, 0),
        "add": ({"brush": brush_of("card", [0.1, 0.4], [400, 4_000], seed=3, **loud), "strength": 0.75}, 0),
        "add_alpha": ({"brush": brush_of("veil", [0.1, 0.2], [200, 4_000], seed=4, **loud)}, 0),
        "filter": ({"brush": brush_of("card", [0.1, 0.4], [1_000, 4_000], axis="linear", mode="filter", **loud)}, 0),
        "filter_alpha": ({"brush": brush_of("veil", [0.1, 0.3], [400, 4_000], mode="filter", **loud),
                          "strength": 0.8}, 0),
        "bank": ({"brush": brush_of("rows", [0.1003, 0.2021], [1_500, 8_600], phase="bank", seed=6)}, 0),
    }
    for name, (edit, channel) in edits.items():
        before, after = painted(edit, sound[channel], channel, len(sound))
        frames, bins = covered(edit["brush"])
        # Some frames, and some bins from all of the band.
        frames = frames[1:-1:max(1, len(frames) // 7)]
        bins = bins[::max(1, len(bins) // 30)]
        cells = after[np.ix_(frames, bins)]
        assert name != "filter" or (cells == 0).any(), "black silences"
        case = {"edit": edit, "channel": channel, "cells": save(f"cells_{name}", cells.astype(np.complex64)),
                "at_frames": frames, "at_bins": bins}
        if edit["brush"].get("phase") != "bank":
            time = edit["brush"]["time"]
            first = int((time[0] + time[1]) / 2 * RATE) - 256
            change = samples_from(after - before)[first:first + 512]
            case |= {"first_sample": first, "change": save(f"change_{name}", change.astype(np.float32))}
        yield case


def bank_case():
    brush = brush_of("rows", [0.1003, 0.2021], [1_500, 8_600], phase="bank", seed=6)
    first, sound = bank(USUAL | brush)
    return {"edit": {"brush": brush}, "samples": save("bank", sound.astype(np.float32)), "first_sample": first}


for name, pixels in PICTURES.items():
    write_png(f"{name}.png", pixels)
signal = np.load(HERE / "signal.npy").astype(np.float64)
channels = [signal[:N_SAMPLES], signal[-N_SAMPLES:]]
cases = {"rate": RATE, "n_samples": N_SAMPLES, "transform": {"window": "hann", "n_fft": N_FFT, "hop": HOP},
         "levels": list(level_cases()), "cells": list(cell_cases(channels)), "bank": bank_case()}
lists = {key: "[\n  " + ",\n  ".join(map(json.dumps, of)) + "]" for key, of in cases.items() if isinstance(of, list)}
fields = [f"{json.dumps(key)}: {lists.get(key) or json.dumps(of)}" for key, of in cases.items()]
(FOLDER / "cases.json").write_text("{\n " + ",\n ".join(fields) + "}\n")
