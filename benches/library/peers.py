#!/usr/bin/env python3
"""The library of sounds beside librosa, MusicExtractor, ImageHash, fpcalc and faiss, taking turns, and how much of what it
should find it finds.

    benches/library/peers.py [--turns N] [--only TEXT] [--program PATH] [--bench PATH]

Makes its sounds (synthesised scores with seeds, and what FFmpeg's encoders make of them) and a virtual environment. What needs
FFmpeg, fpcalc or essentia and does not find them is skipped, and says so. Seconds are processor seconds, user and system, of
whole processes for ours and for fpcalc, of the computation alone for the Python peers; medians count, and the ratio is what
others on the machine change least. Exit code 1 when a target is missed.
"""

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches" / "quality"))
sys.path.insert(0, str(ROOT / "benches" / "peers"))
from environment import program, with_packages  # noqa: E402
from turns import bench_program  # noqa: E402

# apsw brings an SQLite that knows of indices of words without their texts; Python's own may be too old.
PACKAGES = ["librosa==0.11.0", "numpy==2.2.6", "soundfile==0.13.1", "imagehash==4.3.2", "pillow<13", "faiss-cpu==1.12.0", "apsw"]
# A peer that not every machine can have: its name in Python, and in the index of packages.
ESSENTIA = ("essentia", "essentia")
RATE = 44_100
N_PIECES = 30


class Run:
    """What every comparison needs, and whether a target was missed."""

    def __init__(self, typed, folder):
        self.typed, self.folder, self.missed = typed, folder, False
        self.sonobrush = program()
        self.bench = None
        # On the CPU, as its peers are, and beside the user's own library and settings.
        own = {name: str(folder / "own" / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        self.environment = {**os.environ, **own, "SONOBRUSH_ENGINE": "cpu"}

    def ours(self, *arguments):
        """Processor seconds and standard output of the program."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as told:
            command = [self.sonobrush, *map(str, arguments)]
            child = subprocess.Popen(command, stdout=out, stderr=told, env=self.environment)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode != 0:
                told.seek(0)
                why = told.read().decode(errors="replace").strip()
                sys.exit(f"sonobrush {' '.join(map(str, arguments[:6]))} ended with {child.returncode}: {why}")
            out.seek(0)
            return used.ru_utime + used.ru_stime, out.read()

    def library(self, name, *arguments):
        """The same of a library of this name."""
        return self.ours("library", "--library", self.folder / name / "l.db", *arguments)

    def new_library(self, name, *folders):
        """The same of an add to one that is made anew."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return self.library(name, "add", *folders, "--json")

    def ask(self, name):
        """Milliseconds that the release bench takes for what is called so."""
        if self.bench is None:
            command = [self.typed.bench or bench_program(), "--turns"]
            self.bench = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.bench.stdin.write(name + "\n")
        self.bench.stdin.flush()
        answer = self.bench.stdout.readline()
        if not answer:
            sys.exit(f"the bench has no turn called {name}")
        return json.loads(answer)

    def turns(self, **runs):
        """Median seconds of each; a turn runs all of them, and the first turn is not counted."""
        found = {name: [] for name in runs}
        for _ in range(self.typed.turns + 1):
            for name, run in runs.items():
                found[name].append(run())
        return {name: statistics.median(values[1:]) for name, values in found.items()}

    def tell(self, words, is_met):
        print(f"{words}{'' if is_met else '  MISSED'}", flush=True)
        self.missed |= not is_met


def processor_secs(run):
    began = time.process_time()
    run()
    return time.process_time() - began


def has_package(name, package):
    """Whether a package that is no condition is there, after an attempt to install it."""
    is_there = lambda: importlib.util.find_spec(name) is not None
    if not is_there():
        install = [sys.executable, "-m", "pip", "install", "--quiet", package]
        subprocess.run(install, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        importlib.invalidate_caches()
    return is_there()


def piece(seed, secs):
    """A score of three voices and drums, [samples, 2]: each piece has its own key, tempo and timbres."""
    import numpy as np

    random = np.random.default_rng(seed)
    times = np.arange(int(secs * RATE)) / RATE
    beat = 60 / random.uniform(70, 150)
    scale = random.permutation(12)[:6]
    out = np.zeros((len(times), 2))
    for voice in range(3):
        partials = random.uniform(0.1, 1, 8) / np.arange(1, 9) ** random.uniform(0.7, 2.2)
        decay, octave, place = random.uniform(1, 8), random.uniform(2, 4.5), random.uniform(0.2, 0.8)
        at = 0.0
        while at < secs:
            lasts = beat * random.choice([0.5, 1, 1, 2])
            hz = 27.5 * 2 ** (octave + scale[random.integers(6)] / 12)
            start = int(at * RATE)
            since = times[:max(0, min(len(times) - start, int(lasts * RATE)))]
            envelope = np.minimum(1, since / 0.01) * np.exp(-decay * since)
            note = sum(level * np.sin(2 * np.pi * hz * k * since) for k, level in enumerate(partials, 1) if hz * k < 16_000)
            note = note * envelope
            out[start:start + len(since), 0] += note * (1 - place)
            out[start:start + len(since), 1] += note * place
            at += lasts
    hit = random.normal(0, 1, RATE // 5) * np.exp(-np.arange(RATE // 5) / RATE * random.uniform(15, 60))
    for k in range(int(secs / beat)):
        start = int((k + random.choice([0, 0, 0.5])) * beat * RATE)
        n = max(0, min(len(hit), len(out) - start))
        out[start:start + n] += 0.5 * hit[:n, None]
    return 0.4 * out / np.abs(out).max()


def pieces(run, secs=30):
    """The pieces as WAV files, made once."""
    import soundfile

    folder = run.folder / "pieces"
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{seed:02}.wav" for seed in range(N_PIECES)]
    for seed, path in enumerate(paths):
        if not path.exists():
            soundfile.write(path, piece(seed, secs), RATE, subtype="PCM_16")
    return paths


def described(y):
    """What librosa has of the list of `library describe`."""
    import librosa
    import numpy as np

    spectrum = np.abs(librosa.stft(y))
    librosa.decompose.hpss(spectrum)
    librosa.yin(y, fmin=65.4, fmax=2_093, sr=RATE)
    librosa.feature.chroma_cqt(y=y, sr=RATE)
    librosa.feature.spectral_centroid(S=spectrum, sr=RATE)
    librosa.feature.spectral_rolloff(S=spectrum, sr=RATE)
    librosa.feature.spectral_flatness(S=spectrum)
    librosa.feature.rms(S=spectrum)
    onsets = librosa.onset.onset_strength(y=y, sr=RATE)
    librosa.feature.tempo(onset_envelope=onsets, sr=RATE)
    librosa.onset.onset_detect(onset_envelope=onsets, sr=RATE)
    librosa.feature.mfcc(y=y, sr=RATE, n_mfcc=20)


def five_minutes(run):
    """Five minutes of stereo, alone in a folder, made once."""
    import soundfile

    path = run.folder / "five-minutes" / "five-minutes.wav"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        soundfile.write(path, piece(1_000, 300), RATE, subtype="PCM_16")
    return path


def describe(run):
    """Five minutes of stereo: the list that librosa has, and all that is stored of a sound, words and picture too."""
    import librosa

    path = five_minutes(run)
    runs = {"list": lambda: run.ours("library", "describe", path, "--json")[0],
            "all": lambda: run.new_library("described", path.parent)[0],
            "librosa": lambda: processor_secs(lambda: described(librosa.load(path, sr=RATE, mono=True)[0]))}
    if has_package(*ESSENTIA):
        import essentia
        from essentia.standard import MusicExtractor

        essentia.log.infoActive = False
        runs["MusicExtractor"] = lambda: processor_secs(lambda: MusicExtractor()(str(path)))
    else:
        print("MusicExtractor: skipped, as essentia cannot be installed", flush=True)
    found = run.turns(**runs)
    ratio = found["librosa"] / found["list"]
    other = found.get("MusicExtractor")
    beside = f", MusicExtractor {other:.1f} s, {other / found['list']:.1f} times" if other else ""
    run.tell(f"describe, five minutes of stereo: {found['list']:.1f} s, with words, picture and hashes {found['all']:.1f} s; librosa "
             f"{found['librosa']:.1f} s, {ratio:.1f} times{beside} (5 s for all and 9 times librosa asked)",
             found["all"] <= 5 and ratio >= 9)


def seconds(run):
    """2,000 sounds of a second, made once."""
    import soundfile

    folder = run.folder / "seconds"
    folder.mkdir(exist_ok=True)
    paths = []
    for source in pieces(run):
        names = [(second, k) for second in range(30) for k in range(3)][:2_000 - len(paths)]
        made = [folder / f"{source.stem}-{second:02}-{k}.wav" for second, k in names]
        if not all(path.exists() for path in made):
            samples = soundfile.read(source)[0]
            forms = [samples, samples[::-1], samples[:, ::-1]]
            for path, (second, k) in zip(made, names):
                soundfile.write(path, forms[k][second * RATE:(second + 1) * RATE], RATE, subtype="PCM_16")
        paths += made
    return folder, paths


def add(run):
    """2,000 sounds of a second, all keys."""
    import librosa

    n_peer = 40
    folder, paths = seconds(run)

    def ours():
        return run.new_library("library", folder)[0]

    def peer():
        def all_of_them():
            for path in paths[::len(paths) // n_peer][:n_peer]:
                described(librosa.load(path, sr=RATE, mono=True)[0])
        return processor_secs(all_of_them) * len(paths) / n_peer

    found = run.turns(ours=ours, librosa=peer)
    ratio, each = found["librosa"] / found["ours"], 1e3 * found["ours"] / len(paths)
    run.tell(f"add, {len(paths)} sounds of a second: {each:.1f} ms each, librosa for the same list alone "
             f"{1e3 * found['librosa'] / len(paths):.0f} ms, {ratio:.1f} times (60 ms and 10 times asked)",
             each <= 60 and ratio >= 10)


def words(run):
    """Five minutes, with decoding."""
    path = five_minutes(run)

    def fpcalc():
        child = subprocess.Popen(["fpcalc", "-raw", "-length", "0", str(path)], stdout=subprocess.DEVNULL)
        _, _, used = os.wait4(child.pid, 0)
        child.returncode = 0
        return used.ru_utime + used.ru_stime

    found = run.turns(ours=lambda: run.ask(f"library_words {path}")["ours"] / 1e3, fpcalc=fpcalc)
    run.tell(f"words, five minutes: {found['ours']:.2f} s, fpcalc {found['fpcalc']:.2f} s, "
             f"{found['ours'] / found['fpcalc']:.2f} of it (1.5 asked)", found["ours"] <= 1.5 * found["fpcalc"])


def hashes(run):
    """Files to three hashes each: pictures like those of sounds, and photographs' sizes as JPEG."""
    import imagehash
    import numpy as np
    from PIL import Image

    for name, size, ending, n, least in [("sound pictures", (256, 64), "png", 1_000, 6), ("JPEG", (256, 256), "jpg", 500, 5),
                                         ("JPEG", (640, 480), "jpg", 200, 2.5)]:
        folder = run.folder / f"pictures-{size[0]}x{size[1]}"
        folder.mkdir(exist_ok=True)
        paths = [folder / f"{k:04}.{ending}" for k in range(n)]
        random = np.random.default_rng(7)
        for k, path in enumerate(paths):
            small = Image.fromarray(random.integers(0, 256, (12, 24), np.uint8))
            picture = np.asarray(small.resize(size, Image.Resampling.BICUBIC), int) + random.integers(-12, 13, size[::-1])
            if k % 20 == 7:
                # Flat ones, where the last bits of wHash's sums decide.
                picture = np.full(size[::-1], k % 256)
            if not path.exists():
                Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).save(path)
        ours_said, theirs = {}, {}

        def ours():
            secs, out = run.ours("library", "hash", *paths, "--json")
            ours_said.update({one["path"]: [one[key] for key in ("ahash", "dhash", "whash")] for one in json.loads(out)})
            return secs

        def peer():
            def all_of_them():
                for path in paths:
                    with Image.open(path) as picture:
                        kinds = (imagehash.average_hash, imagehash.dhash, imagehash.whash)
                        theirs[str(path)] = [str(kind(picture)) for kind in kinds]
            return processor_secs(all_of_them)

        found = run.turns(ours=ours, imagehash=peer)
        ratio = found["imagehash"] / found["ours"]
        is_equal = ending != "png" or ours_said == theirs
        n_equal = sum(ours_said[path] == theirs[path] for path in theirs)
        run.tell(f"hashes, {name} of {size[0]} x {size[1]}: {1e3 * found['ours'] / n:.2f} ms each, ImageHash "
                 f"{1e3 * found['imagehash'] / n:.2f} ms, {ratio:.1f} times ({least} asked); 87,500 take "
                 f"{87_500 * found['ours'] / n:.0f} processor seconds; {n_equal} of {n} equal", ratio >= least and is_equal)


def hamming(run):
    """All pairs of random hashes of which one in ten is another with two bits changed, beside faiss' exact search."""
    import faiss
    import numpy as np

    random = np.random.default_rng(5)
    for n, most, asked in [(10_000, 10, 1.0), (87_500, 10, 5.0), (87_500, 5, 0.5)]:
        hashes = random.integers(0, 2**64, n, np.uint64)
        of = np.arange(0, n, 10)
        hashes[(of + 5) % n] = hashes[of] ^ np.uint64(1) << (of % 64).astype(np.uint64) ^ np.uint64(1) << (of // 64 % 64).astype(np.uint64)
        path = run.folder / "hashes.u64"
        hashes.tofile(path)
        rows = hashes.view(np.uint8).reshape(n, 8)
        pairs = {}

        def ours():
            answer = run.ask(f"library_hamming {most} {path}")
            pairs["ours"] = answer["pairs"]
            return answer["ours"] / 1e3

        def peer():
            index = faiss.IndexBinaryFlat(64)
            began = time.perf_counter()
            index.add(rows)
            # Each pair is found from both sides, each hash by itself; the radius is the first distance left out.
            pairs["faiss"] = (len(index.range_search(rows, most + 1)[1]) - n) // 2
            return time.perf_counter() - began

        found = run.turns(ours=ours, faiss=peer)
        words = f"hamming, all pairs of {n:,} within {most}: {1e3 * found['ours']:.0f} ms, faiss {1e3 * found['faiss']:.0f} ms"
        run.tell(f"{words} ({1e3 * asked:.0f} ms asked); {pairs['ours']} pairs, {pairs['faiss']} by faiss",
                 found["ours"] <= asked and pairs["ours"] == pairs["faiss"])


def text_search(run):
    """Two words and a filter among half a million names, by the command: it starts, reads and prints within the time."""
    import apsw

    n = 500_000
    # The library takes folders.
    one = run.folder / "one"
    one.mkdir(exist_ok=True)
    shutil.copy(pieces(run)[0], one)
    run.new_library("names", one)
    database = apsw.Connection(str(run.folder / "names" / "l.db"))
    database.execute(f"""
        BEGIN;
        INSERT INTO folder(id, path, watched) VALUES (1000, CAST('/gone' AS BLOB), 0);
        WITH RECURSIVE n(k) AS (SELECT 2 UNION ALL SELECT k + 1 FROM n WHERE k < {n})
        INSERT INTO sound(id, file_hash, audio_hash, kind, duration_secs, sample_rate, channels, format, first_seen_ns)
          SELECT k, randomblob(32), randomblob(32), 'sound', k % 60 + 0.5, 48000, 1, 'WAV, 24 bit', k FROM n;
        INSERT INTO file(folder, path, name, bytes, modified_ns, sound)
          SELECT 1000, CAST('pack ' || (id % 100) || '/hit ' || id || '.wav' AS BLOB), 'hit ' || id || '.wav', 1, 1, id
          FROM sound WHERE id > 1;
        INSERT INTO text(rowid, name, path, tags)
          SELECT id, 'hit ' || id || '.wav', 'pack ' || (id % 100) || '/hit ' || id || '.wav', '' FROM sound WHERE id > 1;
        COMMIT;
        """)
    database.close()

    def search(words):
        began = time.perf_counter()
        _, out = run.library("names", "search", words, "--where", "duration_secs < 10", "-n", 100, "--json")
        assert len(json.loads(out)) > 0, words
        return time.perf_counter() - began

    found = run.turns(some=lambda: search("hit 17"), all=lambda: search("pack hit"))
    run.tell(f"text search, {n:,} names, a filter: two words of which one in a hundred has both {1e3 * found['some']:.0f} ms, "
             f"two that all have {1e3 * found['all']:.0f} ms (50 ms asked), with the start of the program",
             max(found.values()) <= 0.050)


def similar(run):
    """One of 500,000 sounds, in memory, on all cores."""
    import faiss
    import numpy as np

    random = np.random.default_rng(3)
    index = faiss.IndexFlatL2(48)
    index.add(random.normal(0, 1, (500_000, 48)).astype(np.float32))
    query = random.normal(0, 1, (1, 48)).astype(np.float32)

    def peer():
        began = time.perf_counter()
        index.search(query, 20)
        return time.perf_counter() - began

    found = run.turns(ours=lambda: run.ask("library_similar")["ours"] / 1e3, faiss=peer)
    run.tell(f"similar, 500,000: {1e3 * found['ours']:.1f} ms, faiss flat {1e3 * found['faiss']:.1f} ms (20 ms asked)",
             found["ours"] <= 0.020)


def changed(run, path, name, filters, codec):
    """What FFmpeg makes of a piece, as a WAV or encoded file."""
    out = run.folder / "changed" / f"{path.stem} {name}"
    out.parent.mkdir(exist_ok=True)
    if not out.exists():
        command = ["ffmpeg", "-v", "error", "-y", "-i", path, *(["-af", filters] if filters else []), *codec, out]
        subprocess.run(list(map(str, command)), check=True)
    return out


def recordings(run):
    """Each piece in five forms: they are found, and no other pair is."""
    paths = pieces(run)
    changes = [("64k.mp3", "", ["-b:a", "64k"]), ("48k.opus", "", ["-b:a", "48k"]), ("quiet.wav", "volume=-12dB", []),
               ("48khz.wav", "", ["-ar", "48000"]), ("later.wav", "adelay=7000:all=1", [])]
    for path in paths:
        for name, filters, codec in changes:
            changed(run, path, name, filters, codec)
    run.new_library("recordings", run.folder / "pieces", run.folder / "changed")
    groups = json.loads(run.library("recordings", "duplicates", "--level", "recording", "--json")[1])
    group_of, n_false = {}, 0
    for k, group in enumerate(groups):
        stems = {Path(path).name[:2] for sound in group["sounds"] for path in sound["paths"]}
        n_false += len(stems) * (len(stems) - 1) // 2
        for sound in group["sounds"]:
            for path in sound["paths"]:
                group_of.setdefault(Path(path).name, set()).add(k)
    wanted = [(path.name, f"{path.stem} {name}") for path in paths for name, _, _ in changes]
    n_found = sum(bool(group_of.get(first, set()) & group_of.get(second, set())) for first, second in wanted)
    run.tell(f"recordings: {n_found} of {len(wanted)} found (98 % asked), {n_false} false of {N_PIECES * (N_PIECES - 1) // 2} "
             "unrelated pairs (0)", n_found >= 0.98 * len(wanted) and n_false == 0)


def quality(run):
    """The original among all pieces is the most similar to what was made of it."""
    paths = pieces(run)
    run.new_library("quality", run.folder / "pieces")
    changes = [("quiet.wav", "volume=-12dB", []), ("64k.mp3", "", ["-b:a", "64k"]), ("48khz.wav", "", ["-ar", "48000"]),
               ("padded.wav", "adelay=1000:all=1,apad=pad_dur=1", [])]
    n, n_first, n_five = 0, 0, 0
    for path in paths:
        for name, filters, codec in changes:
            query = changed(run, path, name, filters, codec)
            out = json.loads(run.library("quality", "similar", query, "-n", 5, "--json")[1])
            names = [Path(found["paths"][0]).name for found in out]
            n, n_first, n_five = n + 1, n_first + (names[:1] == [path.name]), n_five + (path.name in names)
    run.tell(f"similar, quality: the original is first for {100 * n_first / n:.0f} % of {n} (90 asked), among the first five for "
             f"{100 * n_five / n:.0f} % (98)", n_first >= 0.9 * n and n_five >= 0.98 * n)


# Each row with the programs that it needs beside ours.
ROWS = [(describe, []), (add, []), (words, ["fpcalc"]), (hashes, []), (hamming, []), (text_search, []), (similar, []),
        (recordings, ["ffmpeg"]), (quality, ["ffmpeg"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--program")
    parser.add_argument("--bench", help="a release bench that is built already")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    parser.add_argument("--folder", type=Path, default=cache / "sonobrush-library-peers")
    typed = parser.parse_args()
    with_packages(*PACKAGES)
    typed.folder.mkdir(parents=True, exist_ok=True)
    run = Run(typed, typed.folder)
    for row, needed in ROWS:
        missing = [name for name in needed if shutil.which(name) is None]
        if typed.only not in row.__name__:
            continue
        if missing:
            print(f"{row.__name__}: skipped, as {' and '.join(missing)} cannot be found", flush=True)
        else:
            row(run)
    if run.bench:
        run.bench.stdin.close()
        run.bench.wait()
    sys.exit(1 if run.missed else 0)


if __name__ == "__main__":
    main()
