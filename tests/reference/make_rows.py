"""Makes `rows_librosa.npy`: what librosa's variable-Q transform reads of tones on its rows.

    pip install numpy librosa==0.11.0
    python tests/reference/make_rows.py

One row per tone of amplitude 0.5: its frequency, |V| in its row in the middle of the sound, and the length of the row's
filter in samples. With `scale=True` a tone of amplitude A reads A sqrt(length) / 2.
"""

from pathlib import Path

import librosa
import numpy as np

HERE = Path(__file__).resolve().parent
RATE = 44_100
BINS = 24
FMIN = 32.703
ROWS = range(42, 187)  # 110 Hz to 7,040 Hz

ratio = 2 ** (1 / BINS)
gamma = 24.7 * (ratio - 1 / ratio) / 2 / 0.108
alpha = (ratio**2 - 1) / (ratio**2 + 1)
n = int(1.5 * RATE)
found = []
for row in ROWS:
    hz = FMIN * 2 ** (row / BINS)
    tone = 0.5 * np.cos(2 * np.pi * hz * np.arange(n) / RATE)
    cells = librosa.vqt(tone, sr=RATE, hop_length=512, fmin=FMIN, n_bins=204, bins_per_octave=BINS, gamma=gamma,
                        scale=True, dtype=np.complex128)
    magnitude = np.abs(cells[row, cells.shape[1] // 2])
    found.append([hz, magnitude, RATE / alpha / (hz + gamma / alpha)])
np.save(HERE / "rows_librosa.npy", np.array(found))
