"""What comparisons with peers share: an environment of their own, and turns taken with the release bench."""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def enter_environment(name, packages, script, last=()):
    """Runs `script` again by the Python of target/NAME, which is made where there is none. `last` are packages whose
    set-up needs the others: they are installed after them, without an environment of their own."""
    environment = ROOT / "target" / name
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if Path(sys.prefix).resolve() == environment.resolve():
        return
    marker = environment / "packages.txt"
    wanted = [*packages, *last]
    if not marker.exists() or marker.read_text().split("\n") != wanted:
        print(f"making a virtual environment in target/{name}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, *packages], check=True)
        if last:
            subprocess.run([*install, "--no-build-isolation", "--no-deps", *last], check=True)
        marker.write_text("\n".join(wanted))
    sys.exit(subprocess.run([str(python), script, *sys.argv[1:]]).returncode)


def bench_program():
    """Builds the release bench and says where it lies."""
    build = ["cargo", "bench", "--bench", "dsp", "--no-run", "--message-format=json"]
    lines = subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    messages = [json.loads(line) for line in lines]
    return next(m["executable"] for m in messages
                if m.get("executable") and m["target"]["name"] == "dsp" and "bench" in m["target"]["kind"])


def millis(run):
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1e3


class Turns:
    """Turns with the release bench, as the command line asks for them."""

    def __init__(self, description, n_turns=15, words="best", flags={}):
        """`flags` are further options that are on or off, each with its help."""
        parser = argparse.ArgumentParser(description=description)
        for flag, words_of_flag in flags.items():
            parser.add_argument(flag, action="store_true", help=words_of_flag)
        parser.add_argument("--turns", type=int, default=n_turns)
        parser.add_argument("--only", default="")
        parser.add_argument("--program", help="a bench that is built already")
        self.typed = parser.parse_args()
        self.ours = subprocess.Popen([self.typed.program or bench_program(), "--turns"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        n_threads = self.ask("threads")["threads"]
        print(f"{words} of {self.typed.turns} turns, {n_threads} threads (peers use their own)")

    def ask(self, name):
        self.ours.stdin.write(name + "\n")
        self.ours.stdin.flush()
        answer = self.ours.stdout.readline()
        if not answer:
            sys.exit(f"the bench has no turn called {name}")
        return json.loads(answer)

    def wants(self, name):
        return self.typed.only in name

    def best(self, name, runs):
        """Least milliseconds of each peer's run and of what the bench answers."""
        best = {}
        for turn in range(self.typed.turns + 1):
            times = {peer: millis(run) for peer, run in runs.items()} | self.ask(name)
            if turn > 0:  # the first warms caches and compiled parts
                best = {key: min(value, best.get(key, value)) for key, value in times.items()}
        return best

    def close(self, n_missed):
        """Ends the bench, and this program with 1 if a target was missed."""
        self.ours.stdin.close()
        self.ours.wait()
        sys.exit(1 if n_missed else 0)
