#!/usr/bin/env python3
"""The Dask adapter with real processes: a scheduler and two workers on loopback, 32 shards; a worker is killed in the
middle of a shard, and the client once. After a second run everything is byte for byte that of one process.

    tests/dask_cluster.py --program PATH

Makes a virtual environment with Dask in the cache folder.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benches" / "quality"))
from environment import program, with_packages  # noqa: E402

with_packages("dask[distributed]==2026.3.0")
SONOBRUSH = program()
SHARDS = 32
ADAPTER = ROOT / "scripts" / "cluster" / "sonobrush_dask.py"


def make_files(folder, n):
    """Whole numbers, other ones in each file."""
    folder.mkdir()
    header = b"RIFF" + (36 + 81_920).to_bytes(4, "little") + b"WAVEfmt \x10\0\0\0\1\0\1\0\0\x10\0\0\0\x20\0\0\2\0\x10\0data"
    header += (81_920).to_bytes(4, "little")
    for file in range(n):
        samples = bytes((k * (file + 3) >> 3) & 255 for k in range(8_192)) * 10
        (folder / f"{file:04}.wav").write_bytes(header + samples)


def wait_for(what, condition, secs=60):
    until = time.monotonic() + secs
    while not condition():
        assert time.monotonic() < until, f"{what} took more than {secs} s"
        time.sleep(0.01)


def children_of(pid):
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return [child for pid in map(int, found) for child in (pid, *children_of(pid))]


def end(process):
    """Kills a process that was started here, and those that it started."""
    for pid in [process.pid, *children_of(process.pid)]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def timeless(folder):
    report = json.loads((folder / "features.json").read_text())
    return {key: value for key, value in report.items() if key not in ("seconds", "stats", "shard", "shards")}


def main():
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        make_files(place / "in", 2_000)
        subprocess.run([SONOBRUSH, "features", place / "in", "-o", place / "whole"], check=True, stdout=subprocess.DEVNULL)
        address = place / "scheduler.json"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

        def start(kind, *arguments):
            command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file", str(address), *arguments]
            return subprocess.Popen(command, **quiet)

        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        workers = []
        try:
            wait_for("the scheduler", address.exists)
            tcp = json.loads(address.read_text())["address"]
            begin = lambda: start("worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--no-nanny")
            workers = [begin(), begin()]
            client = [sys.executable, str(ADAPTER), str(place / "in"), "-o", str(place / "out"), "--scheduler", tcp,
                      "--shards", str(SHARDS), "--program", str(SONOBRUSH)]
            shards = place / "out.shards"
            n_done = lambda: sum(path.suffix == "" for path in shards.glob("shard-*"))

            first = subprocess.Popen(client, **quiet)
            wait_for("the first shards", lambda: n_done() >= 3)
            # A worker in the middle of a shard; the program that it runs lives on, beside the second try.
            wait_for("a shard that is being made", lambda: any(shards.glob("shard-*.partial*")))
            killed = next((worker for worker in workers if children_of(worker.pid)), workers[0])
            killed.kill()
            killed.wait()
            workers.append(begin())
            wait_for("more shards", lambda: n_done() >= 8)
            end(first)
            assert not (place / "out").exists() and n_done() < SHARDS, "the client was killed too late"

            second = subprocess.run(client, capture_output=True, text=True, timeout=300)
            assert second.returncode == 0, second.stderr
            assert "shards 32/32 | files 2000/2000 | rows 474000" in second.stderr, second.stderr
            for name in ("features.npy", "mapping.npy", "files.parquet"):
                assert (place / "out" / name).read_bytes() == (place / "whole" / name).read_bytes(), name
            assert timeless(place / "out") == timeless(place / "whole")
            left = [path.name for path in [*place.iterdir(), *shards.iterdir()] if ".partial" in path.name]
            assert not left, left
            print(f"{SHARDS} shards, a worker and the client killed: the same bytes as one process")
        finally:
            for process in [*workers, scheduler]:
                end(process)


main()
