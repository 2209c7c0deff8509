"""Voices for measurements: recorded speech of people who let others use it, fetched from the packages that hold it.

The packages are Debian's: `apt-get download` fetches them, nothing is installed. Where there is no such tool, the clip of
this repository is the only voice.
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


def voices():
    """Yields the name, licence and samples, at 16 kHz, of each voice; the clip of this repository first."""
    import av
    import numpy as np
    import soundfile

    yield "clip", "LibriVox, public domain", soundfile.read(CLIPS / "speech_16k_mono.wav")[0]
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        print("no apt-get here: measuring one voice only", file=sys.stderr)
        return
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sonobrush-quality" / "voices"
    cache.mkdir(parents=True, exist_ok=True)
    for name, package, file, licence in VOICES:
        folder = cache / package
        if not (folder / file).exists():
            subprocess.run(["apt-get", "download", "--quiet", package], cwd=cache, check=True)
            archive = max(cache.glob(f"{package}_*.deb"))
            subprocess.run(["dpkg-deb", "--extract", archive, folder], check=True)
            archive.unlink()
        with av.open(str(folder / file), format="g722") as container:
            frames = [frame.to_ndarray().ravel() for frame in container.decode(audio=0)]
        samples = np.concatenate(frames)[: SECS * RATE] / 32768
        yield name, licence, samples * 0.1 / np.sqrt(np.mean(samples**2))
