#!/usr/bin/env python3
"""`sonobrush features` beside NumPy, librosa and torchaudio on the same files, taking turns.

    benches/library/features.py [--files N] [--peer-files N] [--turns N] [--jobs N] [--program PATH] [--folder DIR]

Makes its files (39,563 by default, 3.2 GB: ten seconds at 4,096 Hz each, of whole numbers with a seed) and a virtual
environment with NumPy and librosa. torchaudio takes part where `--python PATH`, or else the `python3` found first, has it: with
its torch it is too large to be installed for this. A peer that is not there is skipped, and says so. Each turn runs ours and
then every peer. The seconds are processor seconds, user and system, scaled to 39,563 files; medians count, the ratio is what
others on the machine change least. Peers compute only the segments that differ, read plain 16-bit samples, and their imports
are not counted; each runs on `--peer-files` of the files. Exit code 1 when a target is missed.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches" / "quality"))
from environment import program, with_packages  # noqa: E402

ALL_FILES = 39_563
RATE = 4_096
N_SAMPLES = 40_960
# How many times as long each takes at least, and the share of its bits that are ours.
PEERS = {"numpy": (4, None), "librosa": (12, None), "torchaudio": (None, 0.99)}
MOST_SECS, MOST_MEGABYTES = 13, 300


def typed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=ALL_FILES)
    parser.add_argument("--peer-files", type=int, default=500)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--program")
    parser.add_argument("--python", help="one that has torchaudio")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    parser.add_argument("--folder", type=Path, default=cache / "sonobrush-library")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    return parser.parse_args()


def make_files(folder, n):
    """Tones over noise, each file's own, whose level changes every second."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    header = b"RIFF" + (36 + 2 * N_SAMPLES).to_bytes(4, "little") + b"WAVEfmt \x10\0\0\0\1\0\1\0"
    header += RATE.to_bytes(4, "little") + (2 * RATE).to_bytes(4, "little") + b"\2\0\x10\0data"
    header += (2 * N_SAMPLES).to_bytes(4, "little")
    random = np.random.default_rng(1)
    noise = random.normal(0, 1, 4 * N_SAMPLES).astype(np.float32)
    times = np.arange(N_SAMPLES) / RATE
    paths = [folder / f"{file // 1000:02}" / f"{file:05}.wav" for file in range(n)]
    for file, path in enumerate(paths):
        if path.exists() and path.stat().st_size == 44 + 2 * N_SAMPLES:
            continue
        path.parent.mkdir(exist_ok=True)
        random = np.random.default_rng(file)
        hz, at = random.uniform(40, 1_900, 3), random.integers(0, 3 * N_SAMPLES)
        tones = sum(np.sin(2 * np.pi * f * times, dtype=np.float32) for f in hz)
        levels = np.repeat(10 ** random.uniform(-3, -0.7, 10), RATE)
        samples = (tones + noise[at:at + N_SAMPLES]) * levels * 8_000
        path.write_bytes(header + np.clip(samples, -32_768, 32_767).astype("<i2").tobytes())
    return paths


def peer_rows(name):
    """A function from 40,960 samples to the 159 segments that differ, [159, 32] in dB."""
    import numpy as np

    starts = 256 * np.arange(159)
    if name == "torchaudio":
        import torch
        import torchaudio

        torch.set_num_threads(1)
        mel = torchaudio.transforms.MelSpectrogram(
            RATE, n_fft=64, hop_length=16, n_mels=32, power=2.0, pad_mode="reflect", mel_scale="htk", norm=None)

        def rows(samples):
            segments = torch.from_numpy(samples).unfold(0, 512, 256)
            with torch.no_grad():
                return (10 * torch.log10(mel(segments).mean(-1).clamp(min=1e-10))).numpy()
        return rows
    if name == "librosa":
        import librosa

        def rows(samples):
            segments = np.lib.stride_tricks.sliding_window_view(samples, 512)[starts]
            mel = librosa.feature.melspectrogram(
                y=segments, sr=RATE, n_fft=64, hop_length=16, n_mels=32, power=2.0, pad_mode="reflect", htk=True, norm=None)
            return librosa.power_to_db(mel.mean(-1), top_db=None)
        return rows
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(64) / 64)).astype(np.float32)
    corners = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + RATE / 2 / 700), 34) / 2595) - 1)
    hz = np.arange(33) * RATE / 64
    rising = (hz[:, None] - corners[:-2]) / np.diff(corners)[:-1]
    falling = (corners[2:] - hz[:, None]) / np.diff(corners)[1:]
    bank = np.maximum(0, np.minimum(rising, falling)).astype(np.float32)

    def rows(samples):
        segments = np.lib.stride_tricks.sliding_window_view(samples, 512)[starts]
        padded = np.pad(segments, ((0, 0), (32, 32)), mode="reflect")
        frames = np.lib.stride_tricks.sliding_window_view(padded, 64, axis=1)[:, ::16]
        spectra = np.fft.rfft(frames * window)
        power = (spectra.real ** 2 + spectra.imag ** 2).mean(1)
        return 10 * np.log10(np.maximum(power @ bank, 1e-10))
    return rows


def run_peer(name, paths, out):
    """What the peer's own script would be: read, compute, write both arrays, sync. Prints its processor seconds."""
    import numpy as np

    rows_of = peer_rows(name)
    rows_of(np.zeros(N_SAMPLES, np.float32))
    began = time.process_time()
    out.mkdir(parents=True, exist_ok=True)
    n = len(paths)
    features = np.lib.format.open_memmap(out / "features.npy", "w+", np.float16, (237 * n, 32, 1))
    mapping = np.lib.format.open_memmap(out / "mapping.npy", "w+", np.int64, (237 * n, 6))
    long, short = np.divmod(np.arange(237), 3)
    table = np.stack([np.arange(237), 0 * long, long, short, 512 * long + 256 * short, 512 * long + 256 * short + 512], 1)
    for file, path in enumerate(paths):
        samples = np.fromfile(path, "<i2", offset=44).astype(np.float32) / 32_768
        features[237 * file:237 * (file + 1), :, 0] = rows_of(samples)[2 * long + short]
        mapping[237 * file:237 * (file + 1)] = table + [237 * file, file, 0, 0, 0, 0]
    features.flush()
    mapping.flush()
    print(time.process_time() - began)


def run_ours(command, out):
    """Wall and processor seconds, and the most memory in use."""
    shutil.rmtree(out, ignore_errors=True)
    began = time.perf_counter()
    child = subprocess.Popen([*command, "-o", str(out)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("sonobrush features failed")
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1_000


def agreement(out, peer_out, n):
    """How much of both is equal to the bit, and the largest difference in dB."""
    import numpy as np

    ours = np.load(out / "features.npy", mmap_mode="r")[:237 * n]
    theirs = np.load(peer_out / "features.npy", mmap_mode="r")
    table = np.load(out / "mapping.npy", mmap_mode="r")[:237 * n]
    assert (table == np.load(peer_out / "mapping.npy", mmap_mode="r")).all(), "the tables of rows differ"
    equal = np.count_nonzero(ours.view(np.uint16) == theirs.view(np.uint16)) / theirs.size
    return equal, float(np.max(np.abs(ours.astype(np.float32) - theirs.astype(np.float32))))


def main():
    options = typed()
    if options.peer:
        paths = make_files(options.folder / "files", options.peer_files)
        run_peer(options.peer, paths, options.folder / options.peer)
        return
    with_packages("librosa==0.11.0", "numpy==2.2.6")
    sonobrush = program()
    print(f"{options.files} files in {options.folder}", flush=True)
    make_files(options.folder / "files", options.files)
    n_peer = min(options.peer_files, options.files)
    folders = sorted((options.folder / "files").iterdir())[: -(-options.files // 1_000)]
    if len(list(folders[-1].iterdir())) != (options.files - 1) % 1_000 + 1:
        sys.exit(f"{options.folder} holds more files than asked for; name another --folder")
    command = [str(sonobrush), "features", *map(str, folders)]
    command += ["--jobs", str(options.jobs)] if options.jobs else []
    out = options.folder / "ours"

    torch_python = options.python or shutil.which("python3") or sys.executable

    def run(name):
        python = torch_python if name == "torchaudio" else sys.executable
        arguments = ["--peer", name, "--peer-files", str(n_peer), "--folder", str(options.folder)]
        return subprocess.run([python, __file__, *arguments], capture_output=True, text=True)

    def peer(name):
        ran = run(name)
        return float(ran.stdout) if ran.returncode == 0 else sys.exit(f"{name} failed: {ran.stderr}")

    run_ours(command, out)
    peers = []
    for name in PEERS:
        ran = run(name)
        if ran.returncode == 0:
            peers.append(name)
        else:
            why = (ran.stderr.strip() or "it ended early").splitlines()[-1]
            print(f"{name}: skipped, as it does not run here ({why})", flush=True)
    found = {"ours": [], **{name: [] for name in peers}}
    walls, memories = [], []
    for turn in range(options.turns):
        wall, seconds, memory = run_ours(command, out)
        walls.append(wall)
        memories.append(memory)
        found["ours"].append(seconds * ALL_FILES / options.files)
        for name in peers:
            found[name].append(peer(name) * ALL_FILES / n_peer)
        print(f"turn {turn + 1}: " + ", ".join(f"{name} {values[-1]:.1f}" for name, values in found.items()), flush=True)
    ours = statistics.median(found["ours"])
    missed = []

    def tell(words, is_met):
        print(f"{words}{'' if is_met else '  MISSED'}", flush=True)
        missed.extend([] if is_met else [words])

    for name, values in found.items():
        middle = statistics.median(values)
        least = PEERS[name][0] if name in PEERS else None
        asked = f" ({least} asked)" if least else f" ({MOST_SECS} s asked)" if name == "ours" else ""
        is_met = middle <= MOST_SECS if name == "ours" else least is None or middle / ours >= least
        tell(f"{name:>10}: {middle:6.1f} s ({min(values):.1f} to {max(values):.1f}), {middle / ours:.1f} x{asked}", is_met)
    for name in peers:
        equal, worst = agreement(out, options.folder / name, n_peer)
        least = PEERS[name][1]
        asked = f" ({100 * least:.0f} % asked)" if least else ""
        tell(f"{name:>10}: {100 * equal:.3f} % of the bits are equal{asked}, largest difference {worst:.4f} dB",
             least is None or equal >= least)
    report = json.loads((out / "features.json").read_text())
    tell(f"wall {statistics.median(walls):.1f} s ({min(walls):.1f} to {max(walls):.1f}), {max(memories):.0f} MB "
         f"({MOST_MEGABYTES} asked), {report['files']} files, {report['shape']}", max(memories) < MOST_MEGABYTES)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
