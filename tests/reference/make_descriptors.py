"""Makes the reference values of `sonobrush library describe` from the definitions in f64, with librosa as a witness.

    pip install numpy scipy soundfile librosa
    python tests/reference/make_descriptors.py

`descriptors.json`: for signals of whole-number formulas, which the test makes as well, for clips of `tests/clips` at
44.1 kHz, and for pieces of these, which the test cuts at the sample that stands with each: `clip`, `start`, `length`. Where
librosa has the same definition, the oracle is held to it here.
"""

import json
from pathlib import Path

import librosa
import numpy as np
import scipy.ndimage
import scipy.signal
import soundfile

HERE = Path(__file__).resolve().parent
RATE = 44100
N_FFT, HOP = 2048, 512
CLIPS = ["choir_44k_stereo_float64.wav", "crow_44k_mono.flac", "drum_break_44k_stereo.flac", "guitar_chord_44k_stereo.flac",
         "tabla_loop_44k_stereo.flac", "vinyl_hiss_44k_stereo.flac"]
# Pieces of each clip by their starts, in seconds: long enough for a tempo, and less than a second.
LONG_SECS, SHORT_SECS = 3.2, 0.9
PIECES = {
    "choir_44k_stereo_float64.wav": ([], [0.1, 0.6]),
    "crow_44k_mono.flac": ([], [0.08]),
    "drum_break_44k_stereo.flac": ([0, 3.5], [0.2, 1.7, 3.1, 4.6, 5.9]),
    "guitar_chord_44k_stereo.flac": ([0, 2.9, 6.5], [0.05, 1.3, 3.3, 6.1]),
    "many_chunks_44k_stereo.wav": ([], [0, 1]),
    "tabla_loop_44k_stereo.flac": ([0, 3.1, 7.3], [0.4, 2.2, 5.5, 8.8]),
    "vinyl_hiss_44k_stereo.flac": ([0.5, 4.6], [0, 2.5, 4.1, 6.9]),
}
BANDS = ["sub_bass", "bass", "low_mid", "mid", "upper_mid", "presence", "air"]
EDGES_HZ = [20, 60, 200, 500, 2000, 4000, 8000, 22051]
NOTES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"]
# Albrecht and Shanahan, Music Perception 31(1), 2013.
PROFILES = [[0.238, 0.006, 0.111, 0.006, 0.137, 0.094, 0.016, 0.214, 0.009, 0.080, 0.008, 0.081],
            [0.220, 0.006, 0.104, 0.123, 0.019, 0.103, 0.012, 0.214, 0.062, 0.022, 0.061, 0.052]]


def mix(value):
    """A hash of 32 bits of each number."""
    value = np.asarray(value, np.uint64) & 0xFFFFFFFF
    value ^= value >> np.uint64(16)
    value = value * np.uint64(0x7FEB352D) & np.uint64(0xFFFFFFFF)
    value ^= value >> np.uint64(15)
    value = value * np.uint64(0x846CA68B) & np.uint64(0xFFFFFFFF)
    return value ^ value >> np.uint64(16)


def noise(at, seed):
    """-32,768 to 32,767."""
    return (mix(at + seed * 1000003) & np.uint64(0xFFFF)).astype(np.int64) - 32768


def wave(at, milli_hz):
    """A triangle of -32,768 to 32,767 from a phase of 32 bits."""
    step = milli_hz * 2**32 // (RATE * 1000)
    phase = (at * step) % 2**32 >> 15
    return np.where(phase < 65536, phase, 131071 - phase) - 32768


def signals():
    """Channels of 16-bit samples by name."""
    def at(secs):
        return np.arange(int(secs * RATE), dtype=np.int64)

    t = at(6)
    chords = [[220000, 261626, 329628], [174614, 220000, 261626], [130813, 261626, 329628], [195998, 246942, 293665]]
    since = t % 22050
    decay = 64 * 3000 // (3000 + since)
    music = np.zeros(len(t), np.int64)
    for k, chord in enumerate(chords):
        tones = sum(wave(t, hz) for hz in chord) // 12
        music += np.where(t // 66150 == k, tones, 0)
    beat = noise(t, 1) * decay * decay // 4096 // 3
    beat = np.where(since < 4000, beat, 0)
    music_left, music_right = music + beat, music * 3 // 4 + beat // 2 + wave(t, 523251) // 30

    t = at(1.5)
    gaps = np.where(t // 11025 % 3 == 2, 0, 1)
    steps = at(4)
    click = np.where(steps % 26460 == 5000, 30000, 0) + np.where(steps % 26460 == 5001, -20000, 0)
    short = at(0.3)
    return {
        "music": [music_left, music_right],
        "tone": [wave(at(2), 220000) // 4],
        "noise": [noise(t, 2) // 8 * gaps, noise(t, 3) // 16 * gaps],
        "clicks": [click],
        "short": [wave(short, 659255) * (13230 - short) // 40000],
        "constant": [np.full(RATE, 8000, np.int64)],
    }


def loudness(channels):
    """BS.1770-4 and EBU 3342 of channels at 44.1 kHz, and the peak of four times as many samples.

    Blocks of EBU 3342 are a second apart, as its overlap of 2/3 is, and percentiles are the nearest values. It matters
    for sounds of a few blocks: a tenth of a second apart and interpolated, the guitar's range is 17.0 LU rather than 11.1.
    """
    def biquad(hz, q, gain_db=None):
        k = np.tan(np.pi * hz / RATE)
        if gain_db is None:
            low = 1 + k / q + k * k
            return [1, -2, 1], [1, 2 * (k * k - 1) / low, (1 - k / q + k * k) / low]
        high = 10 ** (gain_db / 20)
        band = high ** 0.4996667741545416
        low = 1 + k / q + k * k
        return ([(high + band * k / q + k * k) / low, 2 * (k * k - high) / low, (high - band * k / q + k * k) / low],
                [1, 2 * (k * k - 1) / low, (1 - k / q + k * k) / low])

    shelf = biquad(1681.974450955533, 0.7071752369554196, 3.999843853973347)
    high_pass = biquad(38.13547087602444, 0.5003270373238773)
    tenth = RATE // 10
    padded = [np.concatenate([channel, np.zeros(max(0, 4 * tenth - len(channel)))]) for channel in channels]
    squares = sum(scipy.signal.lfilter(*high_pass, scipy.signal.lfilter(*shelf, channel)) ** 2 for channel in padded)
    sums = np.concatenate([[0], np.cumsum(squares)])

    def blocks(n, step):
        starts = np.arange(0, len(squares) - n + 1, step)
        return (sums[starts + n] - sums[starts]) / n

    def level(power):
        return -0.691 + 10 * np.log10(power)

    power = blocks(4 * tenth, tenth)
    power = power[power > 10 ** ((-70 + 0.691) / 10)]
    lufs = None
    if len(power):
        gated = power[level(power) > level(power.mean()) - 10]
        lufs = level(gated.mean())
    loudness_range = None
    if lufs is not None and len(channels[0]) >= 3 * RATE:
        power = blocks(3 * RATE, RATE)
        power = power[power > 10 ** ((-70 + 0.691) / 10)]
        gated = np.sort(level(power[level(power) > level(power.mean()) - 20]))
        low, high = (gated[int((len(gated) - 1) * share + 0.5)] for share in (0.1, 0.95))
        loudness_range = high - low
    # 49 points of a sinc under a Hann window, as in libebur128; of white noise a longer one finds 0.33 dB more.
    at = np.arange(49)
    sinc = np.sinc((at - 24) / 4) * (0.5 - 0.5 * np.cos(2 * np.pi * at / 48))
    peak = max(np.abs(scipy.signal.upfirdn(sinc, channel, 4)).max() for channel in channels)
    return {"lufs": lufs, "true_peak_dbtp": 20 * np.log10(peak) if peak > 0 else None, "loudness_range": loudness_range}


def stereo(channels):
    if len(channels) == 1:
        return {"stereo_width": 0, "phase_correlation": 1}
    left, right = channels[:2]
    mid, side = ((left + right) / 2) ** 2, ((left - right) / 2) ** 2
    level = np.sqrt((left ** 2).sum() * (right ** 2).sum())
    return {"stereo_width": side.sum() / (mid.sum() + side.sum()),
            "phase_correlation": (left * right).sum() / level if level > 0 else 1}


def cut(y, n, step):
    """Frames centred on every `step` samples."""
    padded = np.pad(y, (n // 2, n))
    return np.array([padded[m * step:m * step + n] for m in range(1 + len(y) // step)])


def hann(n):
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)


def levels(y):
    def crest(part):
        return 20 * np.log10(np.abs(part).max() / np.sqrt((part ** 2).mean()))

    seconds = [y[k:k + RATE] for k in range(0, len(y) - RATE + 1, RATE)] or [y]
    seconds = [part for part in seconds if np.sqrt((part ** 2).mean()) > 1e-3]
    peaks = np.array([np.abs(part).max() for part in seconds])
    return {"crest_db": crest(y),
            "crest_variation_db": np.std([crest(part) for part in seconds]) if seconds else None,
            "level_variation_db": np.std([10 * np.log10((part ** 2).mean()) for part in seconds]) if seconds else None,
            "peak_consistency": np.clip(1 - peaks.std() / peaks.mean(), 0, 1) if seconds else None}


def spectrum(frames, magnitude):
    loud = np.sqrt((frames ** 2).mean(axis=1)) >= 1e-3
    counted = loud if loud.any() else np.ones(len(loud), bool)
    hz = np.arange(N_FFT // 2 + 1) * RATE / N_FFT
    power = magnitude ** 2
    bands = np.array([power[:, (hz >= low) & (hz < high)].sum() for low, high in zip(EDGES_HZ, EDGES_HZ[1:])])
    sums = magnitude.sum(axis=1)
    centroid = np.divide((magnitude * hz).sum(axis=1), sums, out=np.zeros(len(sums)), where=sums > 0)
    bandwidth = librosa.feature.spectral_bandwidth(S=magnitude.T, sr=RATE, p=2)[0]
    rolloff = hz[(np.cumsum(magnitude, axis=1) >= 0.85 * sums[:, None]).argmax(axis=1)]
    floored = np.maximum(power, 1e-10)
    flatness = np.exp(np.log(floored).mean(axis=1)) / floored.mean(axis=1)
    if loud.all():
        assert np.allclose(librosa.feature.spectral_centroid(S=magnitude.T, sr=RATE)[0], centroid)
        assert np.allclose(librosa.feature.spectral_rolloff(S=magnitude.T, sr=RATE)[0], rolloff)
        assert np.allclose(librosa.feature.spectral_flatness(S=magnitude.T)[0], flatness, rtol=1e-4)
    found = dict(zip(BANDS, bands / bands.sum()))
    with np.errstate(divide="ignore"):
        found["bass_mid_db"] = np.clip(10 * np.log10((bands[0] + bands[1]) / bands[3]), -60, 60)
    found.update(silence_ratio=1 - loud.mean(), centroid_hz=centroid[counted].mean(),
                 centroid_std_hz=centroid[counted].std(), bandwidth_hz=bandwidth[counted].mean(),
                 rolloff_hz=rolloff[counted].mean(),
                 flatness=flatness[counted].mean())
    return found, counted


def harmonic_ratio(magnitude):
    harmonic = scipy.ndimage.median_filter(magnitude, (31, 1), mode="reflect") ** 2
    percussive = scipy.ndimage.median_filter(magnitude, (1, 31), mode="reflect") ** 2
    both = harmonic + percussive
    mask = np.divide(harmonic, both, out=np.full(both.shape, 0.5), where=both > 0)
    power = magnitude ** 2
    kept, left = (power * mask ** 2).sum(), (power * (1 - mask) ** 2).sum()
    witness = librosa.decompose.hpss(magnitude.T, mask=True)[0].T
    loud = power > power.max() * 1e-8
    assert np.abs(witness - mask)[loud].max() < 1e-3
    return kept / (kept + left)


def vertex(before, here, after):
    curve, slope = before + after - 2 * here, (after - before) / 2
    return 0 if abs(slope) >= abs(curve) else -slope / curve


def period(frame):
    """YIN, by the sums of its definition: a period and how far from exact, or nothing."""
    window, first, last = 2048, int(np.floor(RATE / 5000)), int(np.ceil(RATE / 25))
    # Two lags beyond either end, which show whether what is least there is a slope.
    shortest, lags = first - 2, np.arange(last + 3)
    moved = np.lib.stride_tricks.sliding_window_view(frame, window)[lags]
    difference = ((moved - frame[:window]) ** 2).sum(axis=1)
    energy = (frame[:window] ** 2).sum()
    # The correlations of a sine: of one above the range only multiples of the period are within it.
    both = energy + (moved[1:3] ** 2).sum(axis=1)
    like = 1 - difference[1:3] / both if (both > 0).all() else np.ones(2)
    if like[0] < np.cos(2 * np.pi / shortest) and abs(like[1] - (2 * like[0] ** 2 - 1)) < 0.1:
        return None
    sums = np.cumsum(difference)
    real = sums > 1e-10 * energy * lags
    d = np.ones(len(lags))
    d[real] = difference[real] * lags[real] / sums[real]
    d[0] = 1

    def depth(lag):
        around = d[lag - 1:lag + 2]
        return around[1] + (around[2] - around[0]) / 4 * vertex(*around)

    minima = [lag for lag in range(2, len(d) - 1) if d[lag] < d[lag - 1] and d[lag] <= d[lag + 1]]
    under = [lag for lag in minima if d[lag] < 0.4 and depth(lag) < 0.1]
    best = under[0] if under else shortest + int(d[shortest:].argmin())
    if best <= shortest or best not in minima:
        return None
    return RATE / (best + vertex(*difference[best - 1:best + 2])), max(depth(best), 0)


def pitch(frames, counted):
    found = [period(frame) for frame in frames[counted]]
    hz = np.array([reading[0] for reading in found if reading and reading[1] < 0.2])
    return {"f0_hz": np.median(hz) if len(hz) else None, "voiced_ratio": len(hz) / counted.sum(),
            "pitch_stability": 1 / (1 + np.std(12 * np.log2(hz))) if len(hz) else None}


def constant_q(y, lowest, per_octave, n_bins):
    q, step = 1 / (2 ** (1 / per_octave) - 1), 2048
    columns = np.zeros((1 + len(y) // step, n_bins))
    padded = np.pad(y, 16384)
    for k in range(n_bins):
        hz = lowest * 2 ** (k / per_octave)
        n = int(np.ceil(q * RATE / hz))
        atom = hann(n) / n * np.exp(-2j * np.pi * hz / RATE * np.arange(n))
        for m in range(len(columns)):
            start = 16384 + m * step - n // 2
            columns[m, k] = abs((padded[start:start + n] * atom).sum())
    return columns


def mean_notes(notes):
    largest = notes.max(axis=1)
    kept = (largest > 0) & (largest >= 1e-3 * largest.max())
    return (notes[kept] / largest[kept, None]).mean(axis=0)


def chroma(y):
    mean = mean_notes(constant_q(y, 32.703, 12, 84).reshape(-1, 7, 12).sum(axis=1))
    # For the key three bins a note, from E2 up.
    notes = mean_notes(np.roll(constant_q(y, 80.834, 36, 144).reshape(-1, 4, 12, 3).sum(axis=(1, 3)), 4, axis=1))
    share = mean / mean.sum()
    share = share[share > 0]
    best = max(((np.corrcoef(notes, np.roll(profile, tonic))[0, 1], -index, f"{NOTES[tonic]} {mode}")
                for index, (mode, profile, tonic) in enumerate(
                    (mode, profile, tonic) for mode, profile in zip(("major", "minor"), PROFILES) for tonic in range(12))))
    every = sorted(np.corrcoef(notes, np.roll(profile, tonic))[0, 1] for profile in PROFILES for tonic in range(12))
    return {"chroma": list(mean), "chroma_strength": 1 + (share * np.log(share)).sum() / np.log(12),
            "key": best[2], "key_strength": best[0], "key_lead": every[-1] - every[-2]}


def mels(magnitude):
    """128 of librosa, in dB."""
    bank = librosa.filters.mel(sr=RATE, n_fft=N_FFT, n_mels=128, dtype=np.float64)
    level = 10 * np.log10(np.maximum(magnitude ** 2 @ bank.T, 1e-10))
    return np.maximum(level, level.max() - 80)


def rhythm(level, secs):
    strength = np.r_[0, np.maximum(np.diff(level, axis=0), 0).mean(axis=1)]
    found = {"onset_strength_mean": strength.mean(), "tempo_bpm": None, "rhythm_stability": None}
    rise = np.r_[0, np.maximum(np.diff(10 ** (level / 20), axis=0), 0).sum(axis=1)]
    apart = strength - strength.mean()
    if secs >= 3 and (apart ** 2).mean() > 1e-12:
        minute = 60 * RATE / HOP

        def product(lag, apart=apart):
            return (apart[:-lag] * apart[lag:]).mean() / (apart ** 2).mean()

        def likely(lag, apart):
            found = product(lag, apart)
            for times in (2, 3, 4):
                # The highest around a multiple; none where that would need more than there is.
                near = np.arange(lag * times - times, lag * times + times + 1)
                if near[-1] < len(apart) and near[-1] <= 4 * (int(minute / 30) + 1):
                    found += 0.5 * max(product(k, apart) for k in near)
            return found

        lags = np.arange(int(np.ceil(minute / 300)), int(minute / 30) + 1)
        lags = lags[lags < len(apart)]
        products = np.array([product(lag) for lag in lags])
        sums = np.array([likely(lag, apart) + likely(lag, rise - rise.mean()) for lag in lags])
        # Onsets of a beat: peaks of the strength over the 0.15 s around.
        flux = strength.astype(np.float32)
        peaks = [max(at - 3, 0) + flux[max(at - 3, 0):at + 4].argmax() == at
                 and flux[at] > 1.6 * flux[max(at - 13, 0):at + 14].mean() and flux[at] > 0.02 * flux.max()
                 for at in range(len(flux))]
        onsets = np.mean(peaks) * lags
        onsets = np.where(onsets < 1.1, 2.6, onsets)
        off = (np.log2(minute / lags / 120) / 1.4) ** 2 + (np.log2(onsets / 2.6) / 2) ** 2
        best = (sums * np.exp(-off / 2)).argmax()
        lag = lags[best]
        if lag + 1 < len(apart):
            # Between frames, and from up to eight periods where these are as regular.
            at = lag + vertex(*(product(lag + by) for by in (-1, 0, 1)))
            for times in (2, 4, 8):
                middle = round(at * times)
                if middle + 3 >= len(apart) * 3 // 4:
                    break
                near = np.arange(middle - 2, middle + 3)
                values = [product(k) for k in near]
                top = int(np.argmax(values))
                if top in (0, 4) or values[top] < 0.5 * products[best]:
                    break
                at = (near[top] + vertex(*values[top - 1:top + 2])) / times
        else:
            at = lag
        found.update(tempo_bpm=minute / at, rhythm_stability=np.clip(products[best], 0, 1))
    return found


def mfcc(level):
    k, n = np.arange(1, 21)[:, None], np.arange(128)[None]
    rows = np.sqrt(2 / 128) * np.cos(np.pi * k * (n + 0.5) / 128)
    found = level @ rows.T
    assert np.allclose(librosa.feature.mfcc(S=level.T, n_mfcc=21)[1:].T, found)
    return {"mfcc_mean": list(found.mean(axis=0)), "mfcc_std": list(found.std(axis=0))}


def describe(channels):
    """Everything but the number of onsets."""
    y = np.mean(channels, axis=0)
    frames = cut(y, N_FFT, HOP)
    magnitude = np.abs(np.fft.rfft(frames * hann(N_FFT)))
    assert np.allclose(magnitude.T, np.abs(librosa.stft(y, n_fft=N_FFT, hop_length=HOP)), atol=1e-9)
    found = {"duration_secs": len(y) / RATE, "sample_rate": RATE, "channels": len(channels), "silent": False}
    found.update(loudness(channels), **stereo(channels), **levels(y))
    of_spectrum, counted = spectrum(frames, magnitude)
    level = mels(magnitude)
    found.update(of_spectrum, harmonic_ratio=harmonic_ratio(magnitude), **pitch(cut(y, 4096, HOP), counted), **chroma(y),
                 **rhythm(level, len(y) / RATE), **mfcc(level))
    return {name: [float(v) for v in value] if isinstance(value, list) else
            value if value is None or isinstance(value, (str, bool, int)) else float(value) for name, value in found.items()}


def read_clip(name):
    """Channels of a clip, -1 to 1."""
    samples, rate = soundfile.read(HERE.parent / "clips" / name, always_2d=True)
    assert rate == RATE
    return list(samples.T)


def pieces():
    """Where each piece lies, by name: the clip, its first sample, and how many there are."""
    found = {}
    for clip, (long, short) in PIECES.items():
        n = len(read_clip(clip)[0])
        for start, secs in [*((at, LONG_SECS) for at in long), *((at, SHORT_SECS) for at in short)]:
            start = round(start * RATE)
            length = min(round(secs * RATE), n - start)
            found[f"{clip} from {start}, {length}"] = {"clip": clip, "start": start, "length": length}
    assert len(found) >= 30, len(found)
    return found


def rounded(value):
    """Eight digits say more than any tolerance."""
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.8g}") if isinstance(value, float) else value


if __name__ == "__main__":
    cases = {name: [channel / 32768 for channel in channels] for name, channels in signals().items()}
    cases.update({name: read_clip(name) for name in CLIPS})
    places = pieces()
    for name, place in places.items():
        cases[name] = [channel[place["start"]:][:place["length"]] for channel in read_clip(place["clip"])]
    found = {}
    for name, channels in cases.items():
        print(name, flush=True)
        described = {key: rounded(value) for key, value in describe(channels).items()}
        found[name] = {**places.get(name, {}), **described}
    # What is left of a constant is far below what is left out of the atoms: it has no notes.
    for name in ("chroma", "chroma_strength", "key", "key_strength", "key_lead"):
        del found["constant"][name]
    (HERE / "descriptors.json").write_text(json.dumps(found, indent=1) + "\n")
