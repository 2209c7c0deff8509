#!/usr/bin/env python3
"""Installs a package in clean systems and uses what was installed. As root, on Debian, with mmdebstrap and network.

    scripts/package --check SONOBRUSH.deb [--older OLDER.deb] [--tar SONOBRUSH.tar.gz] [--suite SUITE]...

Prints a table of what was tried, and exits with 1 if anything failed. A system whose package lists cannot be had is
skipped, and the table says so.
"""

import argparse
import array
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUITES = {"bookworm": "Debian 12", "trixie": "Debian 13", "noble": "Ubuntu 24.04"}
# What the check itself uses, installed after the package has shown that it brings all that it needs.
TOOLS = ("xvfb openbox xdotool x11-utils python3 python3-xlib xdg-utils shared-mime-info desktop-file-utils "
         "libfile-mimeinfo-perl libvulkan1 mesa-vulkan-drivers procps").split()
# What the window loads as it opens.
LOADED = ("libwayland-client.so.0 libxkbcommon.so.0 libxkbcommon-x11.so.0 libX11.so.6 libX11-xcb.so.1 libxcb.so.1 "
          "libXcursor.so.1 libXi.so.6 libXrandr.so.2").split()
RATE = 48_000
DISPLAY = ":77"
# A window on a software adapter beside other work.
PATIENCE_SECS = 120
# `sonobrush --version`, the shortest of five, and chroot's own start with it.
MOST_VERSION_SECS = 0.02
SCRIPT = ('{"version": 1, "edits": [{"brush": {"kind": "gain", "gain_db": -6}, '
          '"select": {"time": [0.2, 0.4], "frequency": [300, 600]}}]}')


class Failed(Exception):
    pass


def write_wav(path: Path) -> None:
    """Three quarters of a second of a rising ramp of 16-bit samples, each different from the one before."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(b"".join(int((n * 37) % 20_000 - 10_000).to_bytes(2, "little", signed=True)
                                  for n in range(RATE * 3 // 4)))


def samples(path: Path) -> bytes:
    with wave.open(str(path), "rb") as file:
        return file.readframes(file.getnframes())


class Root:
    """A clean system in a folder."""

    def __init__(self, suite: str, cache: Path, source: list[str]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"sonobrush-{suite}-"))
        tar = cache / f"{suite}.tar"
        if not tar.exists():
            cache.mkdir(parents=True, exist_ok=True)
            half = tar.with_suffix(".half.tar")
            made = subprocess.run(["mmdebstrap", "--variant=minbase", suite, str(half), *source], capture_output=True, text=True)
            if made.returncode != 0:
                half.unlink(missing_ok=True)
                raise LookupError(made.stderr.strip().splitlines()[-1] if made.stderr.strip() else "no package lists")
            half.rename(tar)
        subprocess.run(["tar", "-xf", tar, "-C", self.folder, "--exclude=./dev/*"], check=True)
        for what in ("proc", "sys", "dev"):
            subprocess.run(["mount", "--rbind", f"/{what}", self.folder / what], check=True)
            subprocess.run(["mount", "--make-rslave", self.folder / what], check=True)
        shutil.copy("/etc/resolv.conf", self.folder / "etc/resolv.conf")
        (self.folder / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        os.chmod(self.folder / "usr/sbin/policy-rc.d", 0o755)
        self.running: list[subprocess.Popen] = []

    def command(self, *words: str) -> list[str]:
        return ["chroot", str(self.folder), "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
                "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", f"DISPLAY={DISPLAY}", "XDG_RUNTIME_DIR=/tmp/runtime", *words]

    def run(self, *words: str) -> str:
        done = subprocess.run(self.command(*words), capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(words)}: exit {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
        return done.stdout

    def start(self, *words: str) -> subprocess.Popen:
        child = subprocess.Popen(self.command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.running.append(child)
        return child

    def install(self, *packages: str) -> None:
        self.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)

    def path(self, inside: str) -> Path:
        return self.folder / inside.lstrip("/")

    def kill_all(self, name: str | None = None) -> None:
        """Kills what runs in this system, or what has a name there."""
        for process in Path("/proc").glob("[0-9]*"):
            try:
                is_named = name is None or (process / "comm").read_text().strip() == name
                if is_named and os.readlink(process / "root") == str(self.folder):
                    os.kill(int(process.name), 9)
            except OSError:
                pass

    def close(self) -> None:
        for child in reversed(self.running):
            child.kill()
            child.wait()
        # What started outside of our own children, as the program that xdg-open starts.
        self.kill_all()
        time.sleep(0.5)
        for what in ("dev", "sys", "proc"):
            subprocess.run(["umount", "-l", "-R", self.folder / what], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_for(what: str, found):
    end = time.monotonic() + PATIENCE_SECS
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.2)
    raise Failed(f"{what} did not come in {PATIENCE_SECS} s")


def window_titled(root: Root, part: str):
    """The id of a window of the program whose title has a part."""
    ids = subprocess.run(root.command("xdotool", "search", "--onlyvisible", "--name", "Sonobrush"),
                         capture_output=True, text=True).stdout.split()
    for window in ids:
        title = subprocess.run(root.command("xdotool", "getwindowname", window), capture_output=True, text=True).stdout
        if part in title:
            return window
    return None


def keys(root: Root, *names: str) -> None:
    root.run("xdotool", "key", "--delay", "40", *names)


def export(root: Root, window: str, inside: str) -> Path:
    """Exports the window's document, as a user does with the keyboard."""
    root.run("xdotool", "windowfocus", "--sync", window)
    keys(root, "ctrl+e")
    time.sleep(2)
    keys(root, "ctrl+a")
    root.run("xdotool", "type", "--delay", "25", inside)
    keys(root, "Return")
    path = root.path(inside)
    wait_for("the export", path.exists)
    time.sleep(1)
    return path


def studio_settings(root: Root) -> dict:
    return json.loads(root.path("/root/.config/sonobrush/settings.json").read_text())["studio"]


def quit_window(root: Root, window: str) -> None:
    root.run("xdotool", "windowfocus", "--sync", window)
    keys(root, "ctrl+q")
    wait_for("the end", lambda: window_titled(root, "Sonobrush") is None)


def installs(root: Root, deb: Path) -> str:
    shutil.copy(deb, root.path("/root/sonobrush.deb"))
    root.run("apt-get", "update", "-qq")
    root.install("/root/sonobrush.deb")
    missing = [name for name in LOADED if name not in root.run("ldconfig", "-p")]
    if missing:
        raise Failed(f"not installed with it: {' '.join(missing)}")
    took = []
    for _ in range(5):
        began = time.monotonic()
        version = root.run("sonobrush", "--version").strip()
        took.append(time.monotonic() - began)
    if not re.fullmatch(r"sonobrush \d+\.\d+\.\d+ \([0-9a-f]{7,}\)", version):
        raise Failed(f"{version!r} names no commit")
    if min(took) > MOST_VERSION_SECS:
        raise Failed(f"--version takes {1000 * min(took):.0f} ms")
    return f"{version}; answers in {1000 * min(took):.0f} ms, chroot included"


def links_its_pages(root: Root) -> str:
    """Every link of the pages that came along leads to a file."""
    folder = root.path("usr/share/doc/sonobrush")
    links = [(page, found) for page in folder.rglob("*.md")
             for found in re.findall(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))]
    missing = [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()]
    if missing or not links:
        raise Failed(f"{len(links)} links, of them missing: {', '.join(missing[:5])}")
    return f"{len(links)} links lead to pages"


def paints(root: Root) -> str:
    write_wav(root.path("/root/in.wav"))
    root.path("/root/script.json").write_text(SCRIPT)
    root.run("sonobrush", "paint", "/root/in.wav", "--script", "/root/script.json", "-o", "/root/painted.wav", "--no-gpu", "-q")
    before, after = samples(root.path("/root/in.wav")), samples(root.path("/root/painted.wav"))
    if len(before) != len(after) or before == after or before[:8_000] != after[:8_000]:
        raise Failed("the sound was not changed where the script says, or elsewhere")
    return "outside the edit bit for bit"


def opens_a_drop(root: Root) -> str:
    root.install(*TOOLS)
    root.path("/tmp/runtime").mkdir(mode=0o700, exist_ok=True)
    root.start("Xvfb", DISPLAY, "-screen", "0", "1280x800x24", "-nolisten", "tcp")
    wait_for("the display", lambda: subprocess.run(root.command("xdpyinfo"), capture_output=True).returncode == 0)
    root.start("openbox")
    shutil.copy(HERE.parent / "tests/window/drop.py", root.path("/root/drop.py"))
    shutil.copy(root.path("/root/in.wav"), root.path("/root/dropped.wav"))
    began = time.monotonic()
    root.start("sonobrush")
    window = wait_for("the window", lambda: window_titled(root, "Sonobrush"))
    first_secs = time.monotonic() - began
    time.sleep(3)
    root.run("python3", "/root/drop.py", window, "600", "400", "/root/dropped.wav")
    wait_for("the dropped file", lambda: window_titled(root, "dropped.wav"))
    time.sleep(2)
    exported = export(root, window, "/root/exported.wav")
    if samples(exported) != samples(root.path("/root/in.wav")):
        raise Failed("the export differs from the file")
    quit_window(root, window)
    return f"window after {first_secs:.1f} s; exported bit for bit"


def opens_a_project(root: Root) -> str:
    root.run("sonobrush", "save", "/root/in.wav", "--script", "/root/script.json", "-o", "/root/p.sonobrush", "-q", "--no-gpu")
    kind = root.run("mimetype", "--brief", "/root/p.sonobrush").strip()
    if kind != "application/x-sonobrush":
        raise Failed(f"it is known as {kind}")
    root.start("xdg-open", "/root/p.sonobrush")
    window = wait_for("the project", lambda: window_titled(root, "p.sonobrush") or window_titled(root, "in.wav"))
    time.sleep(2)
    quit_window(root, window)
    return kind


def state_of(root: Root) -> dict[str, bytes]:
    homes = [root.path("/root") / part for part in (".config", ".local", ".cache")]
    files = [path for home in homes if home.exists() for path in home.rglob("*") if path.is_file()]
    return {str(path.relative_to(root.folder)): path.read_bytes() for path in files if "/log" not in str(path)}


def leaves_the_users_state(root: Root) -> str:
    before = state_of(root)
    if not before:
        raise Failed("the program left no state to look at")
    root.run("apt-get", "remove", "-y", "-qq", "sonobrush")
    root.run("dpkg", "--purge", "sonobrush")
    after = state_of(root)
    if before != after:
        raise Failed(f"changed: {sorted(set(before) ^ set(after))}")
    left = [path for path in root.path("/usr").rglob("*") if "sonobrush" in path.name.lower()]
    if left:
        raise Failed(f"left behind: {left[:3]}")
    return f"{len(before)} files of the user as they were"


def upgrades(root: Root, older: Path, deb: Path) -> str:
    """Settings, recent files and the session of a killed window of the older version are there after the upgrade."""
    shutil.copy(older, root.path("/root/older.deb"))
    root.install("/root/older.deb")
    old = root.run("sonobrush", "--version").strip()
    shutil.copy(root.path("/root/in.wav"), root.path("/root/kept.wav"))
    # The radius of a tool, and the tool, are settings that the window keeps as it ends.
    root.start("sonobrush", "/root/kept.wav")
    window = wait_for("the window", lambda: window_titled(root, "kept.wav"))
    time.sleep(3)
    root.run("xdotool", "windowfocus", "--sync", window)
    before = studio_settings(root)["tools"] if root.path("/root/.config/sonobrush/settings.json").exists() else {}
    keys(root, "g", "bracketright", "bracketright", "e")
    time.sleep(1)
    quit_window(root, window)
    kept = studio_settings(root)["tools"]
    if kept == before or kept["active"] != "erase" or "gain" not in kept["radii"]:
        raise Failed(f"the older window kept no settings: {kept['active']}, {kept['radii']}")
    child = root.start("sonobrush", "/root/kept.wav")
    window = wait_for("the window", lambda: window_titled(root, "kept.wav"))
    time.sleep(3)
    root.run("xdotool", "windowfocus", "--sync", window)
    # An edit of the whole file, which the session keeps.
    keys(root, "ctrl+a")
    time.sleep(1)
    keys(root, "Delete")
    time.sleep(6)
    root.kill_all("sonobrush")
    child.wait()
    shutil.copy(deb, root.path("/root/sonobrush.deb"))
    root.install("/root/sonobrush.deb")
    new = root.run("sonobrush", "--version").strip()
    if new == old:
        raise Failed(f"still {old}")
    root.start("sonobrush", "--recover", "yes")
    window = wait_for("the session", lambda: window_titled(root, "kept.wav"))
    time.sleep(3)
    recovered = export(root, window, "/root/recovered.wav")
    before, after = [sum(value * value for value in array.array("h", samples(path)))
                     for path in (root.path("/root/kept.wav"), recovered)]
    if after > before / 1000:
        raise Failed(f"the edit of the session is lost: {after} of {before} in squares")
    quit_window(root, window)
    now = studio_settings(root)
    if now["tools"]["active"] != "erase" or now["tools"]["radii"]["gain"] != kept["radii"]["gain"]:
        raise Failed(f"the settings are lost: {now['tools']['active']}, {now['tools']['radii']}")
    if not any(recent["path"] == "/root/kept.wav" for recent in now["recent"]):
        raise Failed("the recent files are lost")
    return f"{old} to {new}: settings, session, edit and recent files are there"


def runs_from_a_tar(root: Root, tar: Path) -> str:
    folder = root.path("/opt/any place")
    folder.mkdir(parents=True)
    subprocess.run(["tar", "-xzf", tar, "-C", folder], check=True)
    top = next(folder.iterdir())
    inside = "/" + str(top.relative_to(root.folder))
    subprocess.run(["mount", "--bind", top, top], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", top], check=True)
    try:
        version = root.run(f"{inside}/bin/sonobrush", "--version").strip()
        root.run(f"{inside}/bin/sonobrush", "paint", "/root/in.wav", "--script", "/root/script.json", "-o",
                 "/root/of_tar.wav", "--no-gpu", "-q")
        root.start(f"{inside}/bin/sonobrush", "/root/in.wav")
        window = wait_for("the window", lambda: window_titled(root, "in.wav"))
        time.sleep(2)
        quit_window(root, window)
    finally:
        subprocess.run(["umount", "-l", top], check=False)
    return f"{version} from a read-only folder, its window, too"


def check(suite: str, given: argparse.Namespace, cache: Path) -> list[tuple[str, str, str]]:
    name = SUITES.get(suite, suite)
    try:
        root = Root(suite, cache, given.source)
    except LookupError as error:
        return [(name, "package lists", f"skipped: {error}")]
    steps = [("installs with what it needs", lambda: installs(root, given.deb)),
             ("its pages", lambda: links_its_pages(root)), ("paints", lambda: paints(root)),
             ("opens a dropped file, exports it", lambda: opens_a_drop(root)),
             ("`xdg-open p.sonobrush`", lambda: opens_a_project(root)),
             ("remove, purge", lambda: leaves_the_users_state(root))]
    if given.older:
        steps.append(("upgrade", lambda: upgrades(root, given.older, given.deb)))
    if given.tar:
        steps.append(("the .tar.gz", lambda: runs_from_a_tar(root, given.tar)))
    rows = []
    try:
        for what, step in steps:
            try:
                rows.append((name, what, step()))
            except Failed as error:
                rows.append((name, what, f"FAILED: {error}"))
            print(f"| {' | '.join(rows[-1])} |", flush=True)
    finally:
        root.close()
    return rows


def lints(deb: Path) -> list[tuple[str, str, str]]:
    """What Debian and freedesktop check of the files."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
        share = Path(folder) / "usr/share"
        commands = {"lintian": ["lintian", "--fail-on", "error,warning", "--allow-root", str(deb)]}
        for file in (share / "applications").glob("*.desktop"):
            commands["desktop-file-validate"] = ["desktop-file-validate", str(file)]
        for file in (share / "metainfo").glob("*.xml"):
            commands["appstreamcli validate"] = ["appstreamcli", "validate", "--no-net", str(file)]
        for name, command in commands.items():
            if not shutil.which(command[0]):
                rows.append(("here", name, "FAILED: not installed"))
                continue
            done = subprocess.run(command, capture_output=True, text=True)
            said = (done.stdout + done.stderr).strip().replace("\n", "; ")
            rows.append(("here", name, "clean" if done.returncode == 0 else f"FAILED: {said[-600:]}"))
            print(f"| {' | '.join(rows[-1])} |", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deb", type=Path)
    parser.add_argument("--older", type=Path, help="a package of an older version, which is upgraded")
    parser.add_argument("--tar", type=Path, help="the .tar.gz of the same version")
    parser.add_argument("--suite", action="append", help=f"one of {', '.join(SUITES)}; all if left out")
    parser.add_argument("--source", action="append", default=[], help="a line of sources.list for a system that is not Debian")
    given = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        sys.exit("this needs root, and mmdebstrap (apt-get install mmdebstrap)")
    cache = HERE.parent / "target/package/roots"
    print("| where | what | result |\n|---|---|---|", flush=True)
    rows = lints(given.deb)
    for suite in given.suite or SUITES:
        rows += check(suite, given, cache)
    sys.exit(1 if any(result.startswith("FAILED") for _, _, result in rows) else 0)


if __name__ == "__main__":
    main()
