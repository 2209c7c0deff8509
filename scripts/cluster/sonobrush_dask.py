#!/usr/bin/env python3
"""`sonobrush features` on a Dask cluster: one task a shard, then the merge.

    pip install "dask[distributed]"
    sonobrush_dask.py IN... -o OUT (--scheduler tcp://HOST:8786 | --local N) [--shards N] [--program PATH] [-- OPTIONS]

OPTIONS are those of `sonobrush features`, such as `--mels 64`. IN, OUT and the folder OUT.shards must have the same paths on
every worker, and every worker must find the program. Run again after anything went wrong: shards that are done are kept.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dask
from distributed import Client, LocalCluster, get_worker

TOPIC = "sonobrush"
LINE = ("[{:6.1f}s] {:<5}| CPU {:3.0f}% | MEM {:>5.0f}MB | shards {}/{} | files {}/{} | rows {} | read {:.2f} MB/s | "
        "write {:.2f} MB/s | threads {} | ETA {}")


def typed():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", metavar="IN")
    parser.add_argument("-o", "--output", type=Path, required=True)
    cluster = parser.add_mutually_exclusive_group(required=True)
    cluster.add_argument("--scheduler", help="address of a cluster that runs")
    cluster.add_argument("--local", type=int, metavar="N", help="N processes on this machine, for this run")
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=1, help="threads of each task")
    parser.add_argument("--program", default="sonobrush")
    parser.add_argument("--replace", action="store_true", help="replace OUT if it is there")
    found = parser.parse_args(arguments)
    found.options = options
    return found


def sonobrush(*arguments):
    """Runs what must work on this machine."""
    ran = subprocess.run([*map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        sys.exit((ran.stderr.strip().splitlines() or [f"sonobrush ended with {ran.returncode}"])[-1])


def run_shard(index, command):
    """On a worker: computes a shard, or finds it done; its counts."""
    worker = get_worker()
    # Into a file: a long report would fill a pipe that nobody reads yet.
    out = tempfile.TemporaryFile("w+")
    child = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True)
    last = ""
    for line in child.stderr:
        if line.startswith("{"):
            worker.log_event(TOPIC, {"shard": index, **json.loads(line)})
        elif line.strip():
            last = line.strip()
    if child.wait() != 0:
        raise RuntimeError(last or f"shard {index}: sonobrush ended with {child.returncode}")
    out.seek(0)
    report = json.load(out)
    return {"files": report["files"], "rows": report["shape"][0], "failures": len(report["failures"])}


class Progress:
    """What is known of every shard, as one line."""

    def __init__(self, futures, n_files):
        self.futures, self.n_files = futures, n_files
        self.began, self.running, self.done = time.monotonic(), {}, {}

    def heard(self, event):
        _, status = event
        self.running[status["shard"]] = (time.monotonic(), status)

    def line(self):
        for index, future in enumerate(self.futures):
            if index not in self.done and future.status == "finished":
                self.done[index] = future.result()
        now = time.monotonic()
        running = [status for index, (at, status) in self.running.items() if index not in self.done and now - at < 10]
        total = lambda key: sum(status[key] or 0 for status in running)
        files = sum(done["files"] for done in self.done.values()) + sum(status["files"][0] for status in running)
        rows = sum(done["rows"] for done in self.done.values()) + total("rows")
        elapsed = now - self.began
        eta = f"{elapsed / files * (self.n_files - files):.0f}s" if files else "-"
        phase = "DONE" if len(self.done) == len(self.futures) else "RUN" if files else "INIT"
        return LINE.format(elapsed, phase, total("cpu_percent"), total("memory_bytes") / 1e6, len(self.done),
                           len(self.futures), files, self.n_files, rows, total("read_bytes_per_sec") / 1e6,
                           total("written_bytes_per_sec") / 1e6, total("threads"), eta)


def compute(client, options, shards, manifest):
    commands = [[options.program, "features", "--shard", f"{index}/{options.shards}", "--manifest", str(manifest),
                 "-o", str(shards), "--jobs", str(options.jobs), "--status-every", "1", "--json"]
                for index in range(options.shards)]
    # Not pure: a shard that failed before is computed, not remembered.
    futures = client.map(run_shard, range(options.shards), commands, retries=3, pure=False)
    progress = Progress(futures, len(json.loads(manifest.read_text())["files"]))
    client.subscribe_topic(TOPIC, progress.heard)
    try:
        while not all(future.done() for future in futures):
            time.sleep(1)
            print(progress.line(), file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        client.cancel(futures, force=True)
        sys.exit("interrupted; run the same command again to go on")
    failed = [future for future in futures if future.status != "finished"]
    if failed:
        sys.exit(f"{len(failed)} of {len(futures)} shards failed; the first says: {failed[0].exception()}")
    client.unsubscribe_topic(TOPIC)
    for future in futures:
        future.release()
    return sum(done["failures"] for done in progress.done.values())


def main():
    options = typed()
    output = options.output.absolute()
    shards = output.with_name(output.name + ".shards")
    if output.exists() and not options.replace:
        sys.exit(f"{output} is already there; choose another name, or add --replace")
    shards.mkdir(parents=True, exist_ok=True)
    manifest = shards / "manifest.json"
    sonobrush(options.program, "features", "--list", *options.inputs, "-o", manifest, "--replace", "--quiet",
              *options.options)
    # A shard that outlives this many workers is itself what ends them.
    dask.config.set({"distributed.scheduler.allowed-failures": 10})
    with contextlib.ExitStack() as stack:
        local = {"n_workers": options.local, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
        cluster = stack.enter_context(LocalCluster(**local)) if options.local else options.scheduler
        client = stack.enter_context(Client(cluster))
        failures = compute(client, options, shards, manifest)
    sonobrush(options.program, "features", "--merge", shards, "-o", output, "--quiet",
              *(["--replace"] if options.replace else []))
    print(f"{output}: done" + (f"; {failures} files could not be read, see its features.json" if failures else ""))


if __name__ == "__main__":
    main()
