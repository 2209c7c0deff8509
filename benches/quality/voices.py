"""Voices for measurements: recorded speech of people who let others use it, fetched from the packages that hold it.

The packages are Debian's: `apt-get download` fetches them once, nothing is installed. Without them nothing is measured: a mean
over fewer voices is another figure.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from environment import CLIPS

# Name, package, file, licence. All are 16 kHz; those of the prompts are stored as G.722.
PROMPTS = "usr/share/asterisk/sounds"
VOICES = (
    ("Allison", "asterisk-core-sounds-en-g722", f"{PROMPTS}/en_US_f_Allison/demo-congrats.g722",
     "Allison Smith, CC BY-SA 3.0"),
    ("June", "asterisk-core-sounds-fr-g722", f"{PROMPTS}/fr_CA_f_June/demo-congrats.g722",
     "June Wallack, CC BY-SA 3.0"),
    ("Maxim", "asterisk-core-sounds-ru-g722", f"{PROMPTS}/ru_RU_f_IvrvoiceRU/demo-congrats.g722",
     "Maxim Topal, CC BY 3.0"),
    ("Carlo", "asterisk-core-sounds-it-g722", f"{PROMPTS}/it_IT_m_Carlo/demo-congrats.g722",
     "Carlo Flora, CC BY 3.0"),
)
RATE = 16_000
SECS = 7


def fetched(package, file):
    """Where a file of a package lies, fetched if need be."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sonobrush-quality" / "voices"
    path = cache / package / file
    if path.exists():
        return path
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        sys.exit(f"there is no apt-get here to fetch {package} with, which holds a voice; nothing was measured")
    cache.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(["apt-get", "download", "--quiet", package], cwd=cache, check=True)
        archive = max(cache.glob(f"{package}_*.deb"))
        subprocess.run(["dpkg-deb", "--extract", archive, cache / package], check=True)
    except subprocess.CalledProcessError as error:
        sys.exit(f"{package}, which holds a voice, could not be fetched: {error}; nothing was measured")
    archive.unlink()
    if not path.exists():
        sys.exit(f"{package} does not hold {file} any more; nothing was measured")
    return path


def voices():
    """Yields the name, licence and samples, at 16 kHz, of each voice; the clip of this repository first.

    Ends the program with exit code 1, before the first of them, if one cannot be had.
    """
    import av
    import numpy as np
    import soundfile

    files = [fetched(package, file) for _, package, file, _ in VOICES]
    yield "clip", "LibriVox, public domain", soundfile.read(CLIPS / "speech_16k_mono.wav")[0]
    for (name, _, _, licence), file in zip(VOICES, files):
        with av.open(str(file), format="g722") as container:
            frames = [frame.to_ndarray().ravel() for frame in container.decode(audio=0)]
        samples = np.concatenate(frames)[: SECS * RATE] / 32768
        yield name, licence, samples * 0.1 / np.sqrt(np.mean(samples**2))
