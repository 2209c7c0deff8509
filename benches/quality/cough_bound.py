"""What can be gained at most on the cough of `damage.py`, by repairs that know more than any brush can.

    python3 benches/quality/cough_bound.py

Makes its own virtual environment and needs no program. The cough is noise over speech that sounds on beneath it, so the best
repair is a gain for each cell. Decibels gained over the whole clip, with the phases of the damaged sound:

- erased: silence for just as long as the cough lasts.
- surroundings: the Wiener gain, the speech's power interpolated between the frames before and after, the noise's power known.
- nearly true: the same with the true power of the speech, as a mean of three frames by three bins.
- true, lowered: each cell that is louder than in the clean clip gets its true magnitude.
"""

from environment import CLIPS, with_packages

with_packages("numpy", "soundfile")

import numpy as np
import soundfile
from damage import cough, error_db


def frames_of(x, n_fft):
    window = np.hanning(n_fft + 1)[:-1]
    x = np.pad(x, n_fft)
    return np.array([np.fft.rfft(window * x[at : at + n_fft]) for at in range(0, len(x) - n_fft, n_fft // 4)])


def sound_of(frames, n_fft, n_samples):
    window, hop = np.hanning(n_fft + 1)[:-1], n_fft // 4
    y = np.zeros(len(frames) * hop + n_fft)
    weight = y.copy()
    for i, frame in enumerate(frames):
        y[i * hop : i * hop + n_fft] += window * np.fft.irfft(frame, n_fft)
        weight[i * hop : i * hop + n_fft] += window**2
    return (y / np.maximum(weight, 1e-9))[n_fft : n_fft + n_samples]


def mean_of(power, n_frames, n_bins):
    across = np.apply_along_axis(lambda line: np.convolve(line, np.ones(n_frames) / n_frames, "same"), 0, power)
    return np.apply_along_axis(lambda line: np.convolve(line, np.ones(n_bins) / n_bins, "same"), 1, across)


def main():
    clean, rate = soundfile.read(CLIPS / "speech_16k_mono.wav")
    damaged = cough(clean, rate).samples
    before = error_db(damaged, clean)
    start = len(clean) / rate / 2
    erased = damaged.copy()
    erased[int(start * rate) : int((start + 0.12) * rate)] = 0
    print(f"erased: {before - error_db(erased, clean):.1f} dB")
    print("N      surroundings  nearly true  true, lowered")
    for n_fft in (256, 512, 1024, 2048):
        heard, true = frames_of(damaged, n_fft), frames_of(clean, n_fft)
        first_secs = (np.arange(len(heard)) * n_fft // 4 - n_fft) / rate
        hole = (first_secs + n_fft / rate > start) & (first_secs < start + 0.12)
        at = np.flatnonzero(hole)
        noise = np.mean(np.abs(heard - true)[at] ** 2, axis=1, keepdims=True)
        part = ((np.arange(len(at)) + 1) / (len(at) + 1))[:, None]
        ends = [np.log(np.abs(heard[frame]) ** 2 + 1e-12) + np.euler_gamma for frame in (at[0] - 1, at[-1] + 1)]
        around = np.exp(ends[0] * (1 - part) + ends[1] * part)
        near = mean_of(np.abs(true) ** 2, 3, 3)[at]
        gains = [around / (around + noise), near / (near + noise), np.minimum(1, np.abs(true[at]) / np.abs(heard[at]))]
        values = []
        for gain in gains:
            healed = heard.copy()
            healed[at] *= gain
            values.append(before - error_db(sound_of(healed, n_fft, len(clean)), clean))
        print(f"{n_fft:5} {values[0]:13.1f} {values[1]:12.1f} {values[2]:14.1f}")


if __name__ == "__main__":
    main()
