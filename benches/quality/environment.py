"""What every script here needs: a virtual environment of its own, the program, and sound."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIPS = ROOT / "tests" / "clips"
INSIDE = "SONOBRUSH_QUALITY_ENVIRONMENT"


def with_packages(*packages):
    """Starts the running script again where these packages are, which is made once and kept in the cache folder."""
    if os.environ.get(INSIDE) == " ".join(packages):
        return
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = cache / "sonobrush-quality" / hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        print(f"making {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        (folder / "complete").touch()
    os.environ[INSIDE] = " ".join(packages)
    os.execv(python, [str(python), *sys.argv])


def program():
    """`--program PATH`, or the release build, made if need be."""
    if "--program" in sys.argv:
        return Path(sys.argv[sys.argv.index("--program") + 1]).resolve()
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "sonobrush"


def finish(report, misses, file=None):
    """Writes the figures as JSON if a file is named, prints what was missed, and exits with 1 if anything was."""
    if file:
        Path(file).write_text(json.dumps(report, indent=1))
    for miss in misses:
        print("missed:", miss)
    sys.exit(1 if misses else 0)


def paint(sonobrush, samples, rate, edits):
    """What `sonobrush paint` makes of samples, mono or with a column for each channel, on the CPU engine."""
    import soundfile

    with tempfile.TemporaryDirectory() as folder:
        before, script, after = (Path(folder) / name for name in ("before.wav", "script.json", "after.wav"))
        soundfile.write(before, samples, rate, subtype="FLOAT")
        script.write_text(json.dumps({"version": 1, "edits": edits}))
        command = [sonobrush, "paint", before, "--script", script, "-o", after, "--engine", "cpu", "--quiet"]
        subprocess.run(command, check=True)
        return soundfile.read(after)[0]
