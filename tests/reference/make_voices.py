"""Makes `voices/*.npy`: what the scores in `voices/*.json` sound like by the definition, in f64, stored as f32.

    pip install numpy
    python tests/reference/make_voices.py

Each array is [2, samples] at 8,000 Hz. Phases are integers, as in the definition; everything else is f64.
"""

import json
import math
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent / "voices"
RATE = 8_000
BLOCK = 64
TURN = 1 << 32
MASK = (1 << 64) - 1
FALL = 6.907755  # to 0.1 %
KEYS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
CHORDS = {"": [0, 4, 7], "m7": [0, 3, 7, 10], "sus4": [0, 5, 7]}

PLAIN = {"unison": 1, "detune": 0, "spread": 0, "adsr": [0.01, 0.1, 1, 0.1], "decay": 0, "damp": 0, "cutoff": None,
         "vibrato": None, "bright": 0.7, "stretch": 0, "random_phase": False, "breath": 0, "measured": None, "formants": 0,
         "stretch_time": True, "partials": [[1, 1, 1]]}
TIMBRES = {
    "pad": {"partials": [[k, k**-1.2, 1] for k in range(1, 17)], "unison": 3, "detune": 7, "spread": 0.7,
            "adsr": [0.35, 0.6, 0.8, 0.8], "cutoff": [3, 9, 1.2, 2], "vibrato": [4, 5.2, 0.4, 0.6], "random_phase": True},
    "pluck": {"partials": [[k, abs(math.sin(0.13 * math.pi * k)) / k, 1] for k in range(1, 33)],
              "adsr": [0.002, 0, 1, 0.12], "decay": 3, "damp": 0.7, "stretch": 1e-4},
    "organ": {"partials": [[r, l, 1] for r, l in zip([0.5, 1, 1.5, 2, 3, 4, 5, 6, 8],
                                                     [0.5, 1, 0.4, 0.7, 0.35, 0.4, 0.15, 0.2, 0.25])],
              "adsr": [0.012, 0, 1, 0.06], "bright": 0},
    "bell": {"partials": [list(p) for p in zip([0.56, 0.563, 0.92, 0.923, 1.19, 1.7, 2, 2.74, 3, 3.76, 4.07],
                                               [1, 0.67, 1, 1.8, 2.67, 1.67, 1.46, 1.33, 1.33, 1, 1.33],
                                               [1, 0.9, 0.65, 0.55, 0.325, 0.35, 0.25, 0.2, 0.15, 0.1, 0.075])],
             "adsr": [0.001, 0, 1, 0.4], "decay": 7, "damp": 0},
    "breath": {"partials": [[k, 1 / k, 1] for k in range(1, 25)], "adsr": [0.08, 0.2, 0.8, 0.25],
               "vibrato": [12, 5, 0.5, 0.5], "random_phase": True, "breath": 0.6},
}


def chance(*keys):
    z = 0
    for key in keys:
        z = (z + key + 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
    return z


def timbre_of(value):
    if isinstance(value, str):
        return PLAIN | TIMBRES[value]
    return PLAIN | TIMBRES.get(value.get("like"), {}) | {key: of for key, of in value.items() if key != "like"}


def pitch_of(value):
    if not isinstance(value, str):
        return value
    name, octave = value.rstrip("-0123456789"), int(value[len(value.rstrip("-0123456789")):])
    return 12 * (octave + 1) + KEYS[name[0]] + name.count("#") - name.count("b")


def expanded(score):
    """Every tone of every chord, in place."""
    for note in score["notes"]:
        if isinstance(note.get("chord"), str):
            symbol = note["chord"]
            root = 12 * (note.get("octave", 4) + 1) + KEYS[symbol[0]]
            tones = CHORDS[symbol[1:]]
        else:
            root, tones = pitch_of(note.get("pitch", 0)), note.get("chord", [0])
        for tone in tones:
            # A chord's other tones move along with its glide.
            glide = [[t, pitch_of(pitch) + tone] for t, pitch in note.get("glide", [])]
            yield note | {"pitch": root + tone, "glide": glide}


def curve(points, t):
    """Straight between points, held beyond; of two at one time the later."""
    found = np.full_like(t, points[0][1])
    for (t0, y0), (t1, y1) in zip(points, points[1:]):
        if t1 > t0:
            found = np.where((t >= t0) & (t < t1), y0 + (y1 - y0) * (t - t0) / max(t1 - t0, 1e-300), found)
        found = np.where(t >= t1, y1, found)
    return found


def envelope(adsr, duration, t):
    a, d, s, release = adsr

    def held(t):
        rise = (1 - np.cos(np.pi * t / a)) / 2 if a > 0 else np.ones_like(t)
        fall = s + (1 - s) * np.exp(-FALL * (t - a) / d) if d > 0 else np.full_like(t, float(s))
        return np.where(t < a, rise, fall)

    u = (t - duration) / release
    ending = np.where(u < 1, (np.exp(-FALL * np.clip(u, 0, 1)) - 0.001) / 0.999, 0)
    return np.where(t < duration, held(t), held(np.array([float(duration)])) * ending)


def recorded_levels(timbre, duration, f, f0, t):
    """Levels of a measured timbre's partials, relative to the loudest moment, [partial, edge]."""
    measured = timbre["measured"]
    tracks, ratios = np.array(measured["levels"], float), np.array(measured["ratios"], float)
    length = (tracks.shape[1] - 1) * measured["step"]
    end = duration + timbre["adsr"][3]
    if timbre["stretch_time"] and length > 0.15 and end > 0.15:
        tau = np.where(t < 0.15, t, 0.15 + (t - 0.15) * (length - 0.15) / (end - 0.15))
    else:
        tau = t
    steps = np.arange(tracks.shape[1]) * measured["step"]
    now = np.array([np.interp(tau, steps, track) for track in tracks])
    q = timbre["formants"]
    if q > 0:
        places = np.log2(ratios * measured["f0"])
        last = places[-1]
        levels = np.empty_like(now)
        for edge in range(len(t)):
            x = np.log2(f[:, edge])
            levels[:, edge] = np.where(x > last, now[-1, edge] - 12 * (x - last), np.interp(x, places, now[:, edge]))
        now = (1 - q) * now + q * levels
    peak = np.sqrt((10 ** (tracks / 10)).sum(0)).max()
    silent = ~np.asarray(timbre["stretch_time"]) & (tau > length)
    return np.where(silent, 0, 10 ** (now / 20) / peak)


def add_voice(out, score, note, index, u):
    timbre = timbre_of(note.get("timbre", score.get("timbre", "pad")))
    seed, tuning, v = score.get("seed", 0), score.get("tuning", 440), note.get("velocity", 0.8)
    duration, release = note["duration"], timbre["adsr"][3]
    first = math.floor(note["start"] * RATE + 0.5)
    n_blocks = -(-max(1, math.floor((duration + release) * RATE + 0.5)) // BLOCK)
    t = np.arange(n_blocks + 1) * BLOCK / RATE
    pitch = curve(note["glide"], t) if note["glide"] else np.full_like(t, float(note["pitch"]))
    if timbre["vibrato"]:
        depth, rate, delay, fade = timbre["vibrato"]
        pitch = pitch + depth / 100 * np.clip((t - delay) / max(fade, 1e-3), 0, 1) * np.sin(2 * np.pi * rate * t)
    f0 = tuning * 2 ** ((pitch - 69) / 12)
    n_unison = timbre["unison"]
    x = 2 * u / (n_unison - 1) - 1 if n_unison > 1 else 0
    measured = timbre["measured"]
    r = np.array(measured["ratios"] if measured else [p[0] for p in timbre["partials"]], float)
    q = timbre["stretch"]
    if q > 0:
        r = r * np.sqrt((1 + q * r**2) / (1 + q))
    f = r[:, None] * f0 * 2 ** (x * timbre["detune"] / 1200)
    above = np.maximum(r, 1)[:, None]
    a = 10 ** (score.get("level_db", -18) / 20) * v**2 * above ** (-timbre["bright"] * (1 - v)) / math.sqrt(n_unison)
    a = a * envelope(timbre["adsr"], duration, t) * curve(note.get("pressure") or [[0, 1]], t)
    fade = np.clip((f / (RATE / 2) - 0.90) / 0.08, 0, 1)
    a = a * (1 + np.cos(np.pi * fade)) / 2
    if measured:
        a = a * recorded_levels(timbre, duration, f, f0, t)
    else:
        l, life = (np.array([p[i] for p in timbre["partials"]], float)[:, None] for i in [1, 2])
        a = a * l / math.sqrt((l**2).sum())
        if timbre["decay"] > 0:
            a = a * 10 ** (-3 * t / (timbre["decay"] * life * above ** -timbre["damp"]))
        if timbre["cutoff"]:
            c0, c1, secs, order = timbre["cutoff"]
            fc = f0 * (c1 + (c0 - c1) * np.exp(-t / secs))
            a = a * (1 + (f / fc) ** (2 * order)) ** -0.5
    if timbre["breath"] > 0:
        b = timbre["breath"]
        h = [[(chance(seed, 1, index, u, k, n) >> 11) * 2.0**-53 for n in range(len(t))] for k in range(len(r))]
        a = a * (1 - b + b * math.sqrt(3) * (2 * np.array(h) - 1))
    a = a.astype(np.float32).astype(np.float64)
    step = np.minimum(np.floor(f / RATE * TURN + 0.5), 2**31 - 1).astype(np.int64)
    rise = np.diff(step, axis=1)
    slope = np.sign(rise) * (np.abs(rise) // BLOCK)
    i = np.arange(BLOCK)
    sound = np.zeros(n_blocks * BLOCK)
    for k in range(len(r)):
        phase = chance(seed, 0, index, u, k) >> 32 if timbre["random_phase"] else 0
        for b in range(n_blocks):
            s, d = int(step[k, b]), int(slope[k, b])
            p = (phase + i * s + i * (i - 1) // 2 * d) % TURN
            level = a[k, b] + (a[k, b + 1] - a[k, b]) * i / BLOCK
            sound[b * BLOCK:(b + 1) * BLOCK] += level * np.sin(2 * np.pi * p / TURN)
            phase = (phase + BLOCK * s + 2016 * d) % TURN
    pan = min(max(note.get("pan", 0) + x * timbre["spread"], -1), 1)
    end = first + len(sound)
    if end > out.shape[1]:
        out = np.pad(out, [(0, 0), (0, end - out.shape[1])])
    out[0, first:end] += min(1, 1 - pan) * sound
    out[1, first:end] += min(1, 1 + pan) * sound
    return out


for path in sorted(HERE.glob("*.json")):
    score = json.loads(path.read_text())
    out = np.zeros((2, 0))
    for index, note in enumerate(expanded(score)):
        for u in range(timbre_of(note.get("timbre", score.get("timbre", "pad")))["unison"]):
            out = add_voice(out, score, note, index, u)
    np.save(path.with_suffix(".npy"), out.astype(np.float32))
    print(path.stem, out.shape, f"peak {np.abs(out).max():.3f}")
