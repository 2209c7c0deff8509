"""Makes `rooms/*.npy`: sibilants, plosives and rooms, and what `rooms.py` makes of them, in f64, stored as f32.

    pip install numpy soundfile
    python tests/reference/make_rooms.py

Sounds are [samples, channels] at 16,000 Hz, from the speech clip. Of results every fifth sample is stored; decays.json has the
decay of the whole clip and of the room.
"""

import json
from pathlib import Path

import numpy as np
import rooms
import soundfile

HERE = Path(__file__).resolve().parent
RATE = 16_000
STEP = 5


def save(name, samples):
    np.save(HERE / "rooms" / f"{name}.npy", np.ascontiguousarray(samples.T.astype(np.float32)))


def main():
    clip, rate = soundfile.read(HERE.parent / "clips" / "speech_16k_mono.wav")
    assert rate == RATE
    rng = np.random.default_rng(7)
    part = clip[24_000:40_000]
    t = np.arange(len(part)) / RATE
    # Sharper: what changes from sample to sample is raised.
    sharp = part.copy()
    sharp[1:-1] -= 8 * (part[2:] - 2 * part[1:-1] + part[:-2])
    blasts = part.copy()
    for at in (0.2, 0.55, 0.8):
        beyond = np.maximum(t - at, 0)
        blasts += 0.4 * np.sin(2 * np.pi * 65 * beyond) * beyond / 0.02 * np.exp(1 - beyond / 0.02)
    hall = []
    for _ in range(2):
        tail = rng.standard_normal(12_000) * np.exp(-np.log(1000) * np.arange(12_000) / RATE / 0.6)
        tail *= np.sqrt(0.4 / (tail**2).sum())
        tail[0] += 1
        hall.append(np.convolve(part, tail)[: len(part)])
    sounds = {"sharp": sharp[None], "blasts": blasts[None], "hall": np.array(hall)}
    sounds = {name: sound.astype(np.float32).astype(np.float64) for name, sound in sounds.items()}
    for name, sound in sounds.items():
        save(name, sound)
    save("de_ess", rooms.de_ess(sounds["sharp"], RATE)[0][:, ::STEP])
    save("plosives", rooms.plosives(sounds["blasts"], RATE)[0][:, ::STEP])
    save("dereverb_1", rooms.dereverb(sounds["hall"][:1], RATE, rt60=0.6)[0][:, ::STEP])
    save("dereverb_2", rooms.dereverb(sounds["hall"], RATE, rt60=0.6)[0][:, ::STEP])
    decays = {"clip": rooms.dereverb(clip[None], RATE)[1], "hall": rooms.dereverb(sounds["hall"], RATE)[1]}
    (HERE / "rooms" / "decays.json").write_text(json.dumps(decays) + "\n")
    print(decays, {name: float(np.abs(sound).max()) for name, sound in sounds.items()})


if __name__ == "__main__":
    main()
