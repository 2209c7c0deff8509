"""Rooms, sibilants and plosives: Reduce reverb, De-ess and Remove plosives on five voices.

    python3 benches/quality/rooms.py [--program PATH] [--json FILE]

Makes its own virtual environment. Rooms are made: noise that falls by 60 dB in 0.4, 0.8 or 1.2 s, 4 dB under the direct sound,
another for each channel. PESQ and STOI are against the dry voice, SI-SDR against the voice with the first 50 ms of its room.
Sibilants are raised in the frames where the band above 3.8 kHz is louder than the voice; blasts of breath are made. Exit code 1
when a target is missed.
"""

import sys

from environment import finish, paint, program, with_packages

with_packages("numpy", "scipy", "soundfile", "pesq==0.0.4", "pystoi==0.4.1", "av")

import numpy as np
from pesq import pesq
from pystoi import stoi
from scipy.signal import fftconvolve, istft, stft
from voices import RATE, voices

RT60_SECS = (0.4, 0.8, 1.2)
RAISED_DB = (6, 9, 12)
TAIL_DB = -4
BAND_HZ, VOICE_HZ = (3800, 7800), (150, 3500)


def room(rt60, seed):
    n = int(1.3 * rt60 * RATE)
    tail = np.random.default_rng(seed).standard_normal(n) * 1000 ** (-np.arange(n) / RATE / rt60)
    tail[: int(0.002 * RATE)] = 0
    tail *= np.sqrt(10 ** (TAIL_DB / 10) / (tail**2).sum())
    tail[0] = 1
    return tail


def si_sdr(clean, heard):
    part = (clean @ heard) / (clean @ clean) * clean
    return 10 * np.log10((part**2).sum() / ((heard - part) ** 2).sum())


def rooms(sonobrush):
    """Means over voices: PESQ, STOI, SI-SDR by decay and by what was done."""
    figures = {}
    for name, _, dry in voices():
        for rt60 in RT60_SECS:
            both = [room(rt60, seed) for seed in (1, 2)]
            wet = np.array([fftconvolve(dry, one)[: len(dry)] for one in both]).T
            early = fftconvolve(dry, both[0][: int(0.05 * RATE)])[: len(dry)]
            edits = [{"brush": {"kind": "dereverb"}}]
            heard = {
                "as it is": wet[:, 0],
                "one channel": paint(sonobrush, wet[:, 0], RATE, edits),
                "two channels": paint(sonobrush, wet, RATE, edits)[:, 0],
            }
            for way, sound in heard.items():
                row = [pesq(RATE, dry, sound, "wb"), stoi(dry, sound, RATE), si_sdr(early, sound)]
                figures.setdefault((rt60, way), []).append(row)
    return {key: np.mean(rows, axis=0) for key, rows in figures.items()}


def levels(samples):
    hz, _, cells = stft(samples, RATE, nperseg=512, noverlap=384)
    of = [10 * np.log10((np.abs(cells[(hz >= a) & (hz < b)]) ** 2).sum(0) + 1e-20) for a, b in (BAND_HZ, VOICE_HZ)]
    return hz, cells, of


def sibilants(sonobrush):
    """How far from the clean voice sibilants are, raised and after de-essing, in dB: their level, and the log-spectral distance
    of the whole voice."""
    rows = {}
    for name, _, clean in voices():
        hz, cells, (band, voice) = levels(clean)
        hits = (band > voice) & (band > band.max() - 25)
        ramp = np.clip((hz / BAND_HZ[0] - 0.85) / 0.2, 0, 1)[:, None]
        for raised in RAISED_DB:
            gain = 10 ** (raised * ramp * np.convolve(hits, [0.25, 0.5, 0.25], "same") / 20)
            sharp = istft(cells * gain, RATE, nperseg=512, noverlap=384)[1][: len(clean)]
            heard = paint(sonobrush, sharp, RATE, [{"brush": {"kind": "de_ess"}}])
            apart = []
            for sound in (sharp, heard):
                _, theirs, (of, _) = levels(sound)
                energies = [(10 ** (level[hits] / 10)).sum() for level in (of, band)]
                magnitudes = [20 * np.log10(np.abs(one) + 1e-5) for one in (theirs, cells)]
                distance = np.sqrt(((magnitudes[0] - magnitudes[1]) ** 2).mean(0)).mean()
                apart += [10 * np.log10(energies[0] / energies[1]), distance]
            rows.setdefault(raised, []).append(apart)
    return {raised: np.mean(all_rows, axis=0) for raised, all_rows in rows.items()}


def plosives(sonobrush):
    """The error in blasts of three strengths before and after, in dB."""
    t = np.arange(int(0.12 * RATE)) / RATE
    rows = {}
    for name, _, clean in voices():
        for strength in (0.8, 0.5, 0.25):
            rng = np.random.default_rng(5)
            blown, places = clean.copy(), []
            for at in (np.linspace(0.1, 0.9, 6) * len(clean)).astype(int):
                blast = strength * np.sin(2 * np.pi * rng.uniform(45, 90) * t) * t / 0.02 * np.exp(1 - t / 0.02)
                blown[at : at + len(t)] += blast
                places.append(slice(at, at + len(t)))
            heard = paint(sonobrush, blown, RATE, [{"brush": {"kind": "plosives"}}])
            within = np.concatenate([np.arange(place.start, place.stop) for place in places])

            def error(sound):
                return 10 * np.log10(((sound - clean)[within] ** 2).sum() / (clean[within] ** 2).sum())

            rows.setdefault(strength, []).append([error(blown), error(heard)])
    return {strength: np.mean(all_rows, axis=0) for strength, all_rows in rows.items()}


def main():
    sonobrush = program()
    report, targets = {}, {}
    for (rt60, way), row in rooms(sonobrush).items():
        report[f"room {rt60} s, {way}"] = [round(float(value), 4) for value in row]
        print(f"{rt60} s  {way:13} PESQ-WB {row[0]:5.3f}   STOI {row[1]:.4f}   SI-SDR {row[2]:5.2f} dB")
    for rt60 in RT60_SECS:
        wet, one, two = (report[f"room {rt60} s, {way}"] for way in ("as it is", "one channel", "two channels"))
        targets[f"{rt60} s: PESQ-WB +0.1 by one channel"] = one[0] >= wet[0] + 0.1
        targets[f"{rt60} s: STOI not lower by one channel"] = one[1] >= wet[1]
        targets[f"{rt60} s: PESQ-WB higher by two channels"] = two[0] > one[0]
    for raised, row in sibilants(sonobrush).items():
        report[f"sibilants +{raised} dB"] = [round(float(value), 3) for value in row]
        print(f"sibilants raised by {raised} dB: level {row[0]:+.1f} to {row[2]:+.1f} dB,"
              f" log-spectral distance {row[1]:.1f} to {row[3]:.1f} dB")
        targets[f"sibilants +{raised} dB: back by half"] = row[3] <= 0.8 * row[1] and abs(row[2]) <= abs(row[0]) / 2
    for strength, row in plosives(sonobrush).items():
        report[f"plosives {strength}"] = [round(float(value), 3) for value in row]
        print(f"plosives of {strength}: error {row[0]:.1f} to {row[1]:.1f} dB")
        targets[f"plosives of {strength}: 3 dB nearer"] = row[1] <= row[0] - 3
    misses = [name for name, is_met in targets.items() if not is_met]
    finish(report, misses, sys.argv[sys.argv.index("--json") + 1] if "--json" in sys.argv else None)


if __name__ == "__main__":
    main()
