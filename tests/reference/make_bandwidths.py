"""Takes librosa's bandwidth of the samples that the program measures, for sounds at other rates than 44.1 kHz as well.

    pip install numpy librosa
    SONOBRUSH_SAMPLES_TO=/tmp/samples scripts/test the_bandwidth_is_that_of_librosa
    python tests/reference/make_bandwidths.py /tmp/samples

The program resamples each sound to 44.1 kHz; the test writes what comes out. `bandwidths.json` has the mean over the frames
with an RMS of -60 dB and more, those that `centroid_hz` takes, of `spectral_bandwidth(S=, p=2)`.
"""

import json
import sys
from pathlib import Path

import librosa
import numpy as np

from make_descriptors import HOP, N_FFT, RATE, cut

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    found = {}
    for path in sorted(Path(sys.argv[1]).glob("*.f32")):
        y = np.fromfile(path, np.float32).astype(np.float64)
        magnitude = np.abs(librosa.stft(y, n_fft=N_FFT, hop_length=HOP))
        loud = np.sqrt((cut(y, N_FFT, HOP) ** 2).mean(axis=1)) >= 1e-3
        bandwidth = librosa.feature.spectral_bandwidth(S=magnitude, sr=RATE, p=2)[0]
        found[path.stem] = round(float(bandwidth[loud].mean()), 4)
    (HERE / "bandwidths.json").write_text(json.dumps(found, indent=1) + "\n")
