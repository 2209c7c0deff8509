"""Makes the reference hashes of `sonobrush library hash` with ImageHash, and pictures of sounds from their definition.

    pip install "ImageHash==4.3.2" "Pillow<13" PyWavelets numpy
    python tests/reference/make_hashes.py

`hashes_generated.npy`: aHash, dHash and wHash of 1,000 grey pictures of whole-number formulas, so that the test makes the
very same ones. `hashes_files.json`: those of the files in `pictures/`, which are written here too: PNG of every kind that
Pillow reads as 8 bits, and JPEG. `sound_picture_*.npy`: pictures of two signals, in f64.
"""

import json
import struct
import zlib
from pathlib import Path

import imagehash
import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "pictures"
N_GENERATED = 1000
RATE = 22050


def mix(value):
    """A hash of 32 bits, of one number or of an array."""
    value = np.asarray(value, np.uint64) & 0xFFFFFFFF
    value ^= value >> np.uint64(16)
    value = value * np.uint64(0x7FEB352D) & np.uint64(0xFFFFFFFF)
    value ^= value >> np.uint64(15)
    value = value * np.uint64(0x846CA68B) & np.uint64(0xFFFFFFFF)
    return value ^ value >> np.uint64(16)


def size(index):
    """Mostly small, some flat, tall or large."""
    a, b = (int(mix(index * 8 + k)) for k in (1, 2))
    most = 600 if index % 25 == 0 else 160
    width, height = 1 + a % most, 1 + b % most
    if index % 7 == 3:
        height = 1 + height % 12
    if index % 7 == 5:
        width = 1 + width % 12
    return width, height


def grey(index, width, height, channel=0):
    """A picture of one of eight kinds: noise, slopes, flat with specks, flat, waves, blocks, two halves, grainy blocks."""
    seed = int(mix(index * 8 + 3 + channel * 77777))
    y, x = np.mgrid[0:height, 0:width].astype(np.uint64)
    base, place = seed % 256, mix(x + y * np.uint64(4099) + np.uint64(seed))
    block = np.uint64(2 + seed // 7 % 30)
    blocks = mix(x // block + y // block * np.uint64(131) + np.uint64(seed)) >> np.uint64(24)
    kind = index % 8
    if kind == 0:
        value = place >> np.uint64(24)
    elif kind == 1:
        value = (x * np.uint64(seed // 3 % 8) + y * np.uint64(seed // 5 % 8)) // np.uint64(1 + seed // 11 % 9) + np.uint64(base)
    elif kind == 2:
        value = np.uint64(base) + (place % np.uint64(97) == 0).astype(np.uint64) * np.uint64(1 + seed // 13 % 4)
    elif kind == 3:
        value = np.full(x.shape, base, np.uint64)
    elif kind == 4:
        along = x * np.uint64(1 + seed // 3 % 13) + y * np.uint64(seed // 5 % 13)
        value = np.minimum(along % np.uint64(510), np.uint64(509) - along % np.uint64(510))
    elif kind == 5:
        value = blocks
    elif kind == 6:
        value = np.uint64(base) + (x >= width // 2).astype(np.uint64)
    else:
        value = (blocks & np.uint64(0xF0)) + (place & np.uint64(15))
    return (value % np.uint64(256)).astype(np.uint8)


def hashes(image):
    """The three hashes, with the defaults of ImageHash."""
    return [int(str(of(image)), 16) for of in (imagehash.average_hash, imagehash.dhash, imagehash.whash)]


def png(width, height, depth, colours, rows):
    """A PNG file of a kind that Pillow does not write."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def write_pictures():
    """Small files of every kind."""
    PICTURES.mkdir(exist_ok=True)
    width, height = 45, 34

    def rgb(index, width=width, height=height):
        return np.dstack([grey(index, width, height, channel) for channel in range(3)])

    alpha = grey(8, width, height, 5)
    Image.fromarray(grey(7, width, height)).save(PICTURES / "grey.png")
    Image.fromarray(np.dstack([grey(15, width, height), alpha])).save(PICTURES / "grey_alpha.png")
    Image.fromarray(rgb(23)).save(PICTURES / "rgb.png")
    Image.fromarray(np.dstack([rgb(12), alpha])).save(PICTURES / "rgb_alpha.png")
    palette = Image.fromarray(rgb(5)).quantize(40)
    palette.save(PICTURES / "palette.png")
    palette.save(PICTURES / "palette_clear.png", transparency=3)
    Image.fromarray(rgb(13)).quantize(11).save(PICTURES / "palette_4bit.png", bits=4)
    Image.fromarray(grey(31, width, height)).convert("1").save(PICTURES / "one_bit.png")
    nibbles = grey(39, width + 1, height) >> 4
    rows = [bytes(row[0::2] << 4 | row[1::2]) for row in nibbles]
    (PICTURES / "grey_4bit.png").write_bytes(png(width + 1, height, 4, 0, rows))
    wide = np.dstack([rgb(47), rgb(21)]).astype(">u2")
    deep = wide[:, :, :3] * 256 + wide[:, :, 3:]
    (PICTURES / "rgb_16bit.png").write_bytes(png(width, height, 16, 2, [row.astype(">u2").tobytes() for row in deep]))
    Image.fromarray(grey(55, 8, 300)).save(PICTURES / "tall.png")
    Image.fromarray(rgb(4, 300, 9)).save(PICTURES / "flat.png")
    for index in range(20):
        shape = [(64, 48), (33, 57), (80, 80), (50, 31)][index % 4]
        y, x = np.mgrid[0:shape[1], 0:shape[0]]
        turns = [int(mix(1000 + index * 16 + k)) % 1000 / 1000 for k in range(12)]
        smooth = [128 + 60 * np.sin(6.28 * (turns[c] + x / shape[0] * (1 + 2 * turns[c + 3])))
                  + 60 * np.cos(6.28 * (turns[c + 6] + y / shape[1] * (1 + 2 * turns[c + 9]))) for c in range(3)]
        image = Image.fromarray(np.dstack(smooth).clip(0, 255).astype(np.uint8))
        image = image.convert("L") if index % 5 == 4 else image
        image.save(PICTURES / f"smooth_{index:02}.jpg", quality=[75, 90, 60][index % 3], progressive=index % 4 == 1)
    found = []
    for path in sorted(PICTURES.iterdir()):
        ahash, dhash, whash = (f"{value:016x}" for value in hashes(Image.open(path)))
        found.append({"file": path.name, "ahash": ahash, "dhash": dhash, "whash": whash})
    (HERE / "hashes_files.json").write_text(json.dumps(found, indent=1) + "\n")


def signal(n, quiet):
    """16-bit bursts of noise and squares that fall in pitch and level, silent at both ends and barely audible near them."""
    at = np.arange(n)
    noise = mix(at).astype(np.int64) % 65536 - 32768
    period = 20 + at // 3000 % 90
    square = np.where(at // period % 2 == 1, 9000, -9000)
    level = np.array([2, 16, 64, 512])[at // 4410 % 4]
    samples = noise // level + np.where(at // 7000 % 3 == 1, square, 0)
    samples[: quiet] = at[: quiet] % 7 - 3
    samples[: quiet // 2] = 0
    samples[n - quiet:] = 0
    return np.clip(samples, -32768, 32767)


def slaney_bank(n_mels, n_fft, low_hz, high_hz):
    """Triangles evenly spaced in Slaney's mels, each with an area of 1 over hertz: librosa's default."""
    def mel(hz):
        return hz * 3 / 200 if hz < 1000 else 15 + 27 * np.log(hz / 1000) / np.log(6.4)

    def hz(mel):
        return mel * 200 / 3 if mel < 15 else 1000 * 6.4 ** ((mel - 15) / 27)

    corners = [hz(mel(low_hz) + (mel(high_hz) - mel(low_hz)) * k / (n_mels + 1)) for k in range(n_mels + 2)]
    bins = np.arange(n_fft // 2 + 1) * RATE / n_fft
    rows = [np.minimum((bins - a) / (b - a), (c - bins) / (c - b)).clip(0) * 2 / (c - a)
            for a, b, c in zip(corners, corners[1:], corners[2:])]
    return np.array(rows)


def sound_picture(samples):
    """The picture of a mono sound at 22,050 Hz."""
    heard = np.flatnonzero(np.abs(samples) >= np.abs(samples).max() * 1e-3)
    samples = samples[heard[0]:heard[-1] + 1]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(1024) / 1024)
    padded = np.pad(samples, 512)
    frames = 1 + len(samples) // 256
    power = np.array([np.abs(np.fft.rfft(window * padded[m * 256:m * 256 + 1024])) ** 2 for m in range(frames)])
    if frames > 256:
        power = np.array([power[c * frames // 256:(c + 1) * frames // 256].mean(axis=0) for c in range(256)])
    mels = power @ slaney_bank(64, 1024, 50, 10000).T
    with np.errstate(divide="ignore"):
        level = (10 * np.log10(mels / mels.max()) + 80) / 80
    return np.floor(level.clip(0, 1) * 255 + 0.5).astype(np.uint8).T[::-1]


if __name__ == "__main__":
    generated = [hashes(Image.fromarray(grey(index, *size(index)))) for index in range(N_GENERATED)]
    np.save(HERE / "hashes_generated.npy", np.array(generated, "<u8"))
    write_pictures()
    for name, n, quiet in (("short", 30000, 2000), ("long", 250000, 9000)):
        np.save(HERE / f"sound_picture_{name}.npy", np.ascontiguousarray(sound_picture(signal(n, quiet) / 32768)))
