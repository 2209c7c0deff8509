#!/usr/bin/env python3
"""Makes sound files of every container, codec, depth, rate, channel count, header and tail, and compares how sonobrush
decodes them with what went in (lossless) or with another decoder (lossy).

    python3 tests/decode_matrix.py FOLDER                     makes the files and FOLDER/manifest.json
    python3 tests/decode_matrix.py FOLDER --program PATH      makes them if there are none, and runs the program on each
    python3 tests/decode_matrix.py --select tests/matrix      writes the small ones that `decodes` in the tests always reads

Needs numpy, and soundfile for libsndfile; what needs FFmpeg, flac, lame, mpg123, oggenc, opusenc or libsndfile is left out,
and counted, where that is not installed. Made with FFmpeg 5.1, flac 1.4.2, lame 3.100, mpg123 1.31, libsndfile 1.2.0,
vorbis-tools 1.4.2 and opus-tools 0.2. The sounds are formulas; all of it is CC0.

What is right:
- Lossless files: the integers or floats that went in. FFmpeg and libsndfile are asked too, and the table says how often
  they say the same; where they do not, the source stands.
- MP3 and AAC: FFmpeg's decoders, in float. It skips LAME's delay and padding (skip samples) where a Xing or Info tag has
  them, and keeps the delay where none has. Of MP4 it applies the edit list's start but not its end, and no list at all to
  fragments; so its start is aligned by what the boxes say, and the length is what they say.
  At 24 kHz mpg123 (through libsndfile) is asked: FFmpeg 5.1 has a scale factor band of its own there, and comes
  out 0.04 away from all others.
- ADPCM: FFmpeg's. Of IMA it rounds once a sample, as the encoder here did; libsndfile sums rounded parts, as the
  IMA's own text does, and so drifts by some 16-bit steps.
- ALAC: three and more channels are coded centre first, and expected in WAV's order, as FFmpeg gives them.
- Vorbis: libvorbis, through libsndfile. FFmpeg 5.1's own decoder leaves the first 128 samples out. Three and more channels
  come in Vorbis' own order from libsndfile, in WAV's from FFmpeg and from us.
- Joined files (FLAC, MP3, Ogg) and FLAC whose frames are numbered otherwise: what flac, mpg123, oggdec and opusdec make of
  each part, one behind the other. mpg123 obeys the first tag alone, and oggdec and flac stop at some joints.
- Opus: libopus, through opusdec --float: pre-skip, end and header gain applied, channels in WAV's order.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np

try:
    import soundfile
except (ImportError, OSError):
    soundfile = None

MASK = 0xFFFFFFFF
TOLERANCES = {"MP3": 3e-5, "MP2": 3e-5, "MP1": 3e-5, "Vorbis": 3e-5, "AAC": 1e-4, "Opus": 1e-5}

# ---------------------------------------------------------------------------------------------------------- signals


def formula(n, channels, seed=0):
    """32-bit integers [n, channels]; crates/media/tests/decodes.rs repeats it. A saw of its own period, noise and two extremes a channel."""
    i = np.arange(n, dtype=np.int64)[:, None]
    c = np.arange(channels, dtype=np.int64)[None, :]
    h = (i * 0x9E3779B1 + c * 0x85EBCA77 + seed * 0xC2B2AE3D + 0x27D4EB2F) & MASK
    h ^= h >> 15
    h = h * 0x2C1B3C6D & MASK
    h ^= h >> 12
    h = h * 0x297A2D39 & MASK
    h ^= h >> 15
    period = 24 + 7 * c
    saw = (i % period) * ((1 << 30) // period) - (1 << 29)
    x = saw + (h >> 8) - (1 << 23)
    x = np.where(i == 11 + 3 * c, (1 << 31) - 1, x)
    return np.where(i == 12 + 3 * c, -(1 << 31), x)


def integers(n, channels, bits, seed=0):
    return formula(n, channels, seed) >> (32 - bits)


def normalised(values, bits):
    return values.astype(np.float64) / 2.0 ** (bits - 1)


def music(n, channels, rate, level=0.25):
    """Floats for lossy codecs: two tones of its own, some noise and an impulse a channel."""
    t = np.arange(n)[:, None] / rate
    c = np.arange(channels)[None, :]
    # Below 120 Hz there is something for a channel of effects, which encoders filter.
    x = level * np.sin(2 * np.pi * (90 + 11 * c) * t + c) + 0.5 * level * np.sin(2 * np.pi * (0.021 + 0.005 * c) * rate * t)
    x = x + 0.04 * level * ((formula(n, channels, 9) & 0xFFFF) / 32768.0 - 1)
    i = np.arange(n)[:, None]
    return x + np.where(i == n // 2 + 7 * c, 0.3, 0.0)


# ---------------------------------------------------------------------------------------------------- bytes of samples


def pack(values, kind):
    """Interleaved bytes. kind: u8 s8 s16le s24be ... of integers, f32le f64be of normalised floats."""
    order = ">" if kind.endswith("be") else "<"
    name = kind.removesuffix("le").removesuffix("be")
    if name == "u8":
        return (values + 128).astype(np.uint8).tobytes()
    if name == "s8":
        return values.astype(np.int8).tobytes()
    if name in ("f32", "f64"):
        return values.astype(order + ("f4" if name == "f32" else "f8")).tobytes()
    n_bytes = int(name[1:]) // 8
    wide = values.astype(order + "i4").tobytes()
    wide = np.frombuffer(wide, np.uint8).reshape(-1, 4)
    return (wide[:, 4 - n_bytes:] if order == ">" else wide[:, :n_bytes]).tobytes()


def mu_law(codes):
    """G.711, as in its tables: bytes to 16-bit integers."""
    code = ~codes.astype(np.int64) & 0xFF
    magnitude = (((code & 15) << 3) + 0x84) << (code >> 4 & 7)
    return np.where(code & 0x80, 0x84 - magnitude, magnitude - 0x84)


def a_law(codes):
    code = codes.astype(np.int64) ^ 0x55
    segment, step = code >> 4 & 7, ((code & 15) << 4) + 8
    magnitude = np.where(segment == 0, step, (step + 0x100) << np.maximum(segment - 1, 0))
    return np.where(code & 0x80, magnitude, -magnitude)


class Sound:
    """What a file holds: its bytes in some stored kind, and the samples that they mean."""

    def __init__(self, kind, n, channels, valid=None, seed=0):
        self.kind, self.n, self.channels = kind, n, channels
        name = kind.removesuffix("le").removesuffix("be")
        if name in ("ulaw", "alaw"):
            codes = (formula(n, channels, seed) >> 9 & 0xFF).astype(np.uint8)
            self.bits, self.depth = 8, "16"
            self.data, self.samples = codes.tobytes(), normalised((mu_law if name == "ulaw" else a_law)(codes), 16)
        elif name[0] == "f":
            self.bits, self.depth = int(name[1:]), name
            # What a float holds: 24 bits in f32, all 32 in f64.
            self.samples = normalised(integers(n, channels, 24 if name == "f32" else 32, seed), 24 if name == "f32" else 32)
            self.data = pack(self.samples, kind)
        else:
            self.bits = int(name[1:])
            valid = valid or self.bits
            self.depth = str(valid)
            self.samples = normalised(integers(n, channels, valid, seed), valid)
            self.data = pack(integers(n, channels, valid, seed) << (self.bits - valid), kind)
        self.frame = channels * self.bits // 8


# ------------------------------------------------------------------------------------------------------- containers


def chunk(name, data, size=None, order="<"):
    size = len(data) if size is None else size
    return name + struct.pack(order + "I", size) + data + b"\0" * (len(data) % 2)


TAIL_GUID = bytes.fromhex("000000001000800000aa00389b71")


def wav_format(sound, rate, form, mask=0):
    tag = {"ulaw": 7, "alaw": 6}.get(sound.kind, 3 if sound.kind[0] == "f" else 1)
    base = struct.pack("<HHIIHH", 0xFFFE if form == 40 else tag, sound.channels, rate, rate * sound.frame & MASK, sound.frame,
                       sound.bits)
    valid = sound.bits if sound.depth[0] == "f" or tag in (6, 7) else int(sound.depth)
    more = {16: b"", 18: b"\0\0", 20: b"\2\0\0\0", 40: struct.pack("<HHIH", 22, valid, mask, tag) + TAIL_GUID}
    return base + more[form]


def wav(sound, rate, form=16, head=b"RIFF", before=b"", tail=b"", data_size=None, riff_size=None, ds64=None, junk=b"",
        mask=0):
    data = sound.data
    size = len(data) if data_size is None else data_size
    body = b"WAVE"
    if head != b"RIFF":
        body += chunk(b"ds64", ds64 if ds64 is not None else struct.pack("<QQQI", 0, len(data), sound.n, 0))
    body += before + chunk(b"fmt ", wav_format(sound, rate, form, mask)) + chunk(b"data", data, size) + tail
    if head != b"RIFF" and ds64 is None:
        body = body.replace(struct.pack("<QQQI", 0, len(data), sound.n, 0), struct.pack("<QQQI", len(body), len(data), sound.n, 0), 1)
    riff = len(body) if riff_size is None else riff_size
    return head + struct.pack("<I", riff & MASK) + body + junk


W64_TAIL = bytes.fromhex("f3acd3118cd100c04f8edb8a")


def w64(sound, rate, form=16, tail=b"", before=b""):
    def w64_chunk(name, data):
        return name + W64_TAIL + struct.pack("<Q", 24 + len(data)) + data + b"\0" * (-len(data) % 8)

    body = b"wave" + W64_TAIL + before + w64_chunk(b"fmt ", wav_format(sound, rate, form)) + w64_chunk(b"data", sound.data)
    return b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0" + struct.pack("<Q", 24 + len(body)) + body + tail


def extended(rate):
    """An 80-bit float."""
    exponent = rate.bit_length() - 1
    return struct.pack(">HQ", 16383 + exponent, rate << (63 - exponent))


def aiff(sound, rate, compression=None, tail=b"", before=b"", offset=0, junk=b"", n=None, ssnd=None):
    common = struct.pack(">HIH", sound.channels, sound.n if n is None else n, sound.bits if compression else int(sound.depth))
    common += extended(rate)
    if compression in (b"ulaw", b"alaw", b"ULAW", b"ALAW"):
        common = common[:6] + struct.pack(">H", 16) + common[8:]
    if compression:
        common += compression + b"\0\0"
    body = b"AIFC" + chunk(b"FVER", struct.pack(">I", 0xA2805140), order=">") if compression else b"AIFF"
    data = struct.pack(">II", offset, 0) + b"\xAA" * offset + sound.data
    body += before + chunk(b"COMM", common, order=">") + chunk(b"SSND", data, ssnd, order=">") + tail
    return b"FORM" + struct.pack(">I", len(body)) + body + junk


AU_CODES = {"ulaw": 1, "s8": 2, "s16be": 3, "s24be": 4, "s32be": 5, "f32be": 6, "f64be": 7, "alaw": 27}


def au(sound, rate, size=None, note=b"\0\0\0\0", tail=b""):
    size = len(sound.data) if size is None else size
    head = struct.pack(">4sIIIII", b".snd", 24 + len(note), size, AU_CODES[sound.kind], rate, sound.channels)
    return head + note + sound.data + tail


def caf_chunk(name, data, size=None):
    return name + struct.pack(">q", len(data) if size is None else size) + data


def caf(sound, rate, before=b"", tail=b"", size=None, layout=None):
    code = {"ulaw": b"ulaw", "alaw": b"alaw"}.get(sound.kind, b"lpcm")
    flags = (sound.kind[0] == "f") | (2 if sound.kind.endswith("le") else 0) if code == b"lpcm" else 0
    desc = struct.pack(">d4sIIIII", rate, code, flags, sound.frame, 1, sound.channels, sound.bits)
    out = b"caff\0\1\0\0" + caf_chunk(b"desc", desc)
    if layout is not None:
        out += caf_chunk(b"chan", struct.pack(">III", layout, 0, 0))
    return out + before + caf_chunk(b"data", b"\0\0\0\0" + sound.data, size) + tail


def box(name, *content):
    body = b"".join(content)
    return struct.pack(">I4s", 8 + len(body), name) + body


def mov(sound, rate, code, version=0, little=False, brand=b"qt  ", extra=b"", tail=b"", flags=None):
    """A QuickTime or MP4 file of one track of plain samples; a packet is a frame."""
    if version == 2:
        flags = ((1 if sound.kind[0] == "f" else 4) | (0 if little or sound.bits == 8 else 2) | 8) if flags is None else flags
        entry = struct.pack(">6xHHHIHHhHIIdIIIIIII", 1, 2, 0, 0, 3, 16, -2, 0, 65536, 72, rate, sound.channels, 0x7F000000,
                            sound.bits, flags, sound.frame, 1, 0)[:-4]
    else:
        bits = sound.bits if sound.bits in (8, 16) and code not in (b"ulaw", b"alaw") else 16
        rate16 = rate if rate < 65536 else 0
        entry = struct.pack(">6xHHHIHHhHI", 1, version, 0, 0, sound.channels, bits, 0, 0, rate16 << 16)
        if version == 1:
            entry += struct.pack(">IIII", 1, sound.bits // 8, sound.frame, sound.bits // 8)
    if version == 1 and little is not None and code in (b"in24", b"in32", b"fl32", b"fl64"):
        extra += box(b"wave", box(b"frma", code), box(b"enda", struct.pack(">H", bool(little))), box(b"\0\0\0\0"))
    stsd = box(b"stsd", struct.pack(">II", 0, 1), box(code, entry, extra))
    ftyp = box(b"ftyp", brand, struct.pack(">I", 512), brand)
    mdat = box(b"mdat", sound.data)
    matrix = struct.pack(">9I", 65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30)
    mvhd = box(b"mvhd", struct.pack(">IIIIIIH10x", 0, 0, 0, rate, sound.n, 65536, 256), matrix, bytes(24), struct.pack(">I", 2))
    tkhd = box(b"tkhd", struct.pack(">IIIIIIIIHHHH", 7, 0, 0, 1, 0, sound.n, 0, 0, 0, 1, 256, 0), matrix, bytes(8))
    mdhd = box(b"mdhd", struct.pack(">IIIIIHH", 0, 0, 0, rate, sound.n, 0x55C4, 0))
    hdlr = box(b"hdlr", struct.pack(">I4s4s12x", 0, b"mhlr" if brand == b"qt  " else b"\0\0\0\0", b"soun"), b"\0")
    dref = box(b"dinf", box(b"dref", struct.pack(">II", 0, 1), box(b"url ", struct.pack(">I", 1))))
    table = [
        stsd,
        box(b"stts", struct.pack(">IIII", 0, 1, sound.n, 1)),
        box(b"stsc", struct.pack(">IIIII", 0, 1, 1, sound.n, 1)),
        box(b"stsz", struct.pack(">III", 0, sound.frame, sound.n)),
        box(b"stco", struct.pack(">III", 0, 1, len(ftyp) + 8)),
    ]
    minf = box(b"minf", box(b"smhd", bytes(8)), dref, box(b"stbl", *table))
    return ftyp + mdat + box(b"moov", mvhd, box(b"trak", tkhd, box(b"mdia", mdhd, hdlr, minf))) + tail


# -------------------------------------------------------------------------------------------------------------- tools


def tool(name):
    return shutil.which(name) is not None


def run(*command, data=None):
    done = subprocess.run([str(part) for part in command], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return done.stdout


def ffmpeg_decode(path, channels, *before):
    found = run("ffmpeg", "-v", "error", "-nostdin", *before, "-i", path, "-map", "0:a:0", "-c:a", "pcm_f64le", "-f", "f64le", "-")
    return np.frombuffer(found, "<f8").reshape(-1, channels)


def libsndfile_decode(path):
    return soundfile.read(path, dtype="float64", always_2d=True)[0]


def opusdec(path, channels):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.wav")
        run("opusdec", "--quiet", "--float", "--rate", "48000", path, target)
        return read_wav(target)[0]


def in_a_file(data, ext, decode):
    """What a decoder makes of some bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in." + ext)
        with open(path, "wb") as file:
            file.write(data)
        return decode(path)


def flac_of(path):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.wav")
        run("flac", "--silent", "-d", "-f", "-o", target, path)
        return read_wav(target)[0]


def mpg123_of(path):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.wav")
        run("mpg123", "-q", "-e", "f32", "-w", target, path)
        return read_wav(target)[0]


def oggdec_of(path):
    """16 bits, which is all that it gives."""
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.wav")
        run("oggdec", "-Q", "-o", target, path)
        return read_wav(target)[0]


def read_wav(path):
    """Samples as f64, [n, channels], rate; reads what sonobrush and opusdec write."""
    with open(path, "rb") as file:
        data = file.read()
    at, form = 12, None
    while at + 8 <= len(data):
        name, size = data[at:at + 4], struct.unpack_from("<I", data, at + 4)[0]
        if name == b"fmt ":
            form = struct.unpack_from("<HHIIHH", data, at + 8)
            tag = struct.unpack_from("<H", data, at + 32)[0] if form[0] == 0xFFFE else form[0]
        if name == b"data":
            body = data[at + 8:at + 8 + size]
            channels, rate, width = form[1], form[2], form[4] // form[1]
            body = body[:len(body) // form[4] * form[4]]
            if tag == 3:
                values = np.frombuffer(body, "<f4" if width == 4 else "<f8").astype(np.float64)
            elif width == 1:
                values = (np.frombuffer(body, np.uint8).astype(np.float64) - 128) / 128
            else:
                raw = np.frombuffer(body, np.uint8).reshape(-1, width)
                wide = np.zeros((len(raw), 4), np.uint8)
                wide[:, 4 - width:] = raw
                values = wide.view("<i4")[:, 0] / 2.0**31
            return values.reshape(-1, channels), rate
        at += 8 + size + size % 2
    raise RuntimeError(f"{path} has no samples")


# The speakers of 3 and more channels that AAC and ALAC have codes for, in WAV's order; without them FFmpeg mixes down.
SPEAKERS = {3: 0x7, 4: 0x107, 5: 0x37, 6: 0x3F, 7: 0x13F, 8: 0xFF}


def source_wav(path, samples, rate, bits=16):
    """A WAV to encode from, and what is in it."""
    values = np.clip(np.round(samples * 2 ** (bits - 1)), -2 ** (bits - 1), 2 ** (bits - 1) - 1).astype(np.int64)
    sound = Sound("u8" if bits == 8 else f"s{bits}le", 1, samples.shape[1])
    sound.n, sound.data = len(values), pack(values, "u8" if bits == 8 else f"s{bits}le")
    with open(path, "wb") as file:
        form = 40 if samples.shape[1] > 2 or bits > 16 else 16
        file.write(wav(sound, rate, form, mask=SPEAKERS.get(samples.shape[1], 0)))
    return values


# -------------------------------------------------------------------------------------------------------------- cases


class Case:
    """One file. `make(path)` writes it and returns its samples, or none where it is refused."""

    def __init__(self, name, container, codec, make, rate, depth, needs=(), expect="opens", says=None, why=None, small=False,
                 frames_too=(), tolerance=None, about=None, told=None):
        self.name, self.container, self.codec, self.make = name, container, codec, make
        self.rate, self.depth, self.needs = rate, depth, needs
        # opens; refused, saying this; either: opened, and then rightly, or refused.
        self.expect, self.says, self.why = expect, says, why
        self.small, self.frames_too, self.about = small, frames_too, about
        # What a notice says; nothing: there is none.
        self.told = told
        self.tolerance = tolerance if tolerance is not None else TOLERANCES.get(codec, 0.0)
        self.formula = None


CASES = []


def add(name, container, codec, make, rate, depth, **more):
    case = Case(name, container, codec, make, rate, depth, **more)
    assert all(other.name != name for other in CASES), name
    CASES.append(case)
    return case


def formula_bits(depth):
    """Bits of the formula that a depth holds: what floats hold, too."""
    return {"f32": 24, "f64": 32}.get(depth) or int(depth)


def plain(name, container, codec, sound, rate, data, **more):
    """A file whose bytes are made here."""

    def make(path):
        with open(path, "wb") as file:
            file.write(data)
        return sound.samples

    case = add(name, container, codec, make, rate, sound.depth, **more)
    if sound.kind[1:] != "law":
        case.formula = formula_bits(sound.depth)


RATES = [4000, 8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, 176400, 192000, 384000, 768000]
ID3V1 = b"TAG" + b"A title".ljust(125, b"\0")
APE = b"APETAGEX" + struct.pack("<IIII8x", 2000, 32, 0, 0x80000000)
ODD = chunk(b"odd ", b"abc") + chunk(b"LIST", b"INFOISFT" + struct.pack("<I", 5) + b"made\0\0")


def noise_bytes(n):
    return (formula(n, 1, 77)[:, 0] & 0xFF).astype(np.uint8).tobytes()


TAILS = {
    "newline": b"\n",
    "id3v1": ID3V1,
    "ape": APE,
    "zeros": bytes(1000),
    "noise": noise_bytes(777),
    "ffs": b"\xff" * 600,
    "text": b"made by a program that leaves a word behind its files\r\n" * 4,
}


def length_of(channels):
    return 3001 if channels <= 8 else 701


def wav_cases():
    kinds = {"u8": "pcm8", "s16le": "pcm16", "s24le": "pcm24", "s32le": "pcm32", "f32le": "float32", "f64le": "float64",
             "alaw": "A-law", "ulaw": "mu-law"}
    for kind, codec in kinds.items():
        for channels in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32):
            sound = Sound(kind, length_of(channels), channels)
            plain(f"wav/{codec}_{channels}ch.wav", "WAV", codec, sound, 48000, wav(sound, 48000, 40 if channels > 2 else 16))
        for form in (16, 18, 20, 40):
            sound = Sound(kind, 100, 2)
            plain(f"wav/{codec}_fmt{form}.wav", "WAV", codec, sound, 44100, wav(sound, 44100, form), small=form == 16 or form == 40 and kind in ("s24le", "f32le", "ulaw", "alaw"))
    for rate in RATES:
        for kind in ("s16le", "f32le", "s24le"):
            sound = Sound(kind, 1201, 2)
            plain(f"wav/{kinds[kind]}_{rate}.wav", "WAV", kinds[kind], sound, rate, wav(sound, rate))
    for kind, valid in (("s16le", 12), ("s24le", 20), ("s32le", 24), ("s32le", 20), ("s16le", 9), ("u8", 7)):
        sound = Sound(kind, 150, 2, valid)
        plain(f"wav/pcm{valid}_in_{sound.bits}.wav", "WAV", f"pcm{valid} in {sound.bits}", sound, 48000, wav(sound, 48000, 40),
              small=valid in (12, 20))
    for kind in ("s16le", "s24le", "f32le"):
        codec = kinds[kind]

        def made(what, small=False, channels=2, n=151, **options):
            sound = Sound(kind, n, channels)
            plain(f"wav/{codec}_{what}.wav", "WAV", codec, sound, 44100, wav(sound, 44100, **options), small=small and kind == "s24le")

        made("rf64", True, head=b"RF64", data_size=MASK, riff_size=MASK)
        made("bw64", True, head=b"BW64", data_size=MASK, riff_size=MASK)
        made("rf64_size32", head=b"RF64", riff_size=MASK)
        made("data_ffffffff", True, data_size=MASK, riff_size=MASK)
        made("data_zero", True, data_size=0, riff_size=0)
        made("data_2gib", data_size=0x7FFFFF00)
        made("riff_zero", riff_size=0)
        made("riff_small", riff_size=20)
        made("riff_large", riff_size=0x7FFFFFFF)
        made("riff_without_8", riff_size=36 + 150)
        made("junk_before", True, before=chunk(b"JUNK", bytes(28)) + chunk(b"bext", bytes(602)))
        made("chunks_behind", True, channels=1, tail=ODD)
        made("odd_length", channels=1, n=151, tail=ODD)
        for tail, data in TAILS.items():
            made(f"tail_{tail}", tail in ("noise", "id3v1"), junk=data)
    for name, codec in (("adpcm_ms", "MS ADPCM"), ("adpcm_ima_wav", "IMA ADPCM")):
        for rate in (8000, 22050, 44100):
            for channels in (1, 2):
                adpcm_case(f"wav/{name}_{rate}_{channels}ch.wav", codec, name, rate, channels, 5000)
        # FFmpeg and libsndfile give whole blocks, whatever the fact chunk states.
        adpcm_case(f"wav/{name}_fact.wav", codec, name, 22050, 1, 2500, stated=2345, frames_too=(2345,))
        for channels in (1, 2):
            adpcm_case(f"w64/{name}_{channels}ch.w64", codec, name, 22050, channels, 2500, container="Wave64", expect="either")
        adpcm_case(f"wav/{name}_small.wav", codec, name, 22050, 2, 700, small=True)
        for tail in ("noise", "id3v1"):
            adpcm_case(f"wav/{name}_tail_{tail}.wav", codec, name, 22050, 1, 2500, tail=TAILS[tail])
    if soundfile:
        for subtype, codec in (("PCM_U8", "pcm8"), ("PCM_16", "pcm16"), ("PCM_24", "pcm24"), ("PCM_32", "pcm32"), ("FLOAT", "float32"),
                               ("DOUBLE", "float64")):
            for form in ("WAV", "WAVEX", "RF64"):
                libsndfile_case(f"wav/libsndfile_{form.lower()}_{codec}.wav", "WAV", codec, form, subtype, None, 2)


def adpcm_case(name, codec, encoder, rate, channels, n, tail=b"", small=False, stated=None, container="WAV", **more):
    """stated: samples that the fact chunk is made to say, less than the blocks hold."""

    def make(path):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "in.wav")
            source_wav(source, music(n, channels, rate), rate)
            run("ffmpeg", "-v", "error", "-y", "-i", source, "-bitexact", "-c:a", encoder, "-block_size", 256 * channels, path)
        found = ffmpeg_decode(path, channels)
        with open(path, "rb") as file:
            data = file.read()
        fact = data.find(b"fact") + 8
        if stated:
            data = data[:fact] + struct.pack("<I", stated) + data[fact + 4:]
        with open(path, "wb") as file:
            file.write(data + tail)
        return found

    add(name, container, codec, make, rate, "16", needs=("ffmpeg",), small=small, **more)


ALAC_ORDER = {3: [1, 2, 0], 6: [1, 2, 0, 5, 3, 4]}


def libsndfile_case(name, container, codec, form, subtype, endian, channels, rate=44100, n=1501, small=False):
    def make(path):
        bits = {"PCM_S8": 8, "PCM_U8": 8, "PCM_16": 16, "PCM_24": 24, "PCM_32": 32, "FLOAT": 24, "DOUBLE": 32}
        bits |= {"ALAC_16": 16, "ALAC_20": 20, "ALAC_24": 24, "ALAC_32": 32}
        values = normalised(integers(n, channels, bits[subtype]), bits[subtype])
        if "ALAC" in subtype:
            # libsndfile 1.2 codes packets that do not compress wrongly: no extremes, little noise.
            quiet = formula(n, channels)
            quiet = np.where(np.abs(quiet) > 1 << 30, 0, quiet) >> 4
            values = normalised(quiet >> (32 - bits[subtype]), bits[subtype])
        if subtype in ("FLOAT", "DOUBLE"):
            soundfile.write(path, values, rate, subtype=subtype, endian=endian, format=form)
        else:
            # Integers at the top of 32 bits go through as they are.
            soundfile.write(path, (values * 2.0**31).astype(np.int32), rate, subtype=subtype, endian=endian, format=form)
        # It writes three and more as they come, and so as ALAC's order: the centre first, effects last.
        return values[:, ALAC_ORDER[channels]] if "ALAC" in subtype and channels > 2 else values

    depth = {"FLOAT": "f32", "DOUBLE": "f64"}.get(subtype) or subtype.split("_")[1].strip("SU")
    add(name, container, codec, make, rate, depth, needs=("libsndfile",), small=small)


def plain_container_cases():
    """Wave64, AIFF, AU and CAF of plain samples."""
    for kind, codec in {"u8": "pcm8", "s16le": "pcm16", "s24le": "pcm24", "s32le": "pcm32", "f32le": "float32", "f64le": "float64"}.items():
        for channels in (1, 2, 6, 32):
            sound = Sound(kind, length_of(channels), channels)
            plain(f"w64/{codec}_{channels}ch.w64", "Wave64", codec, sound, 48000, w64(sound, 48000, 40 if channels > 2 else 16))
        sound = Sound(kind, 101, 2)
        plain(f"w64/{codec}_small.w64", "Wave64", codec, sound, 96000, w64(sound, 96000), small=kind in ("u8", "s24le", "f64le"))
    sound = Sound("s16le", 103, 1)
    for tail in ("noise", "zeros", "id3v1"):
        plain(f"w64/pcm16_tail_{tail}.w64", "Wave64", "pcm16", sound, 44100, w64(sound, 44100, tail=TAILS[tail]), small=tail == "noise")
    sound = Sound("s16le", 104, 2)
    data = w64(sound, 44100)
    at = data.index(b"data" + W64_TAIL) + 16
    plain("w64/pcm16_size_zero.w64", "Wave64", "pcm16", sound, 44100, data[:at] + bytes(8) + data[at + 8:], expect="either")
    for kind in ("ulaw", "alaw"):
        sound = Sound(kind, 103, 2)
        plain(f"w64/{kind}.w64", "Wave64", {"ulaw": "mu-law", "alaw": "A-law"}[kind], sound, 8000, w64(sound, 8000), expect="either",
              says="Wave64 with")

    for kind, codec in {"s8": "pcm8", "s16be": "pcm16", "s24be": "pcm24", "s32be": "pcm32"}.items():
        for channels in (1, 2, 3, 4, 6, 8, 16, 32):
            sound = Sound(kind, length_of(channels), channels)
            plain(f"aiff/{codec}_{channels}ch.aiff", "AIFF", codec, sound, 48000, aiff(sound, 48000))
        sound = Sound(kind, 101, 2)
        plain(f"aiff/{codec}_small.aiff", "AIFF", codec, sound, 44100, aiff(sound, 44100), small=True)
    for kind, valid in (("s16be", 12), ("s24be", 20), ("s8", 7)):
        sound = Sound(kind, 101, 2, valid)
        plain(f"aiff/pcm{valid}.aiff", "AIFF", f"pcm{valid}", sound, 44100, aiff(sound, 44100), small=valid == 12)
    aifc = {b"NONE": ("s16be", "pcm16"), b"sowt": ("s16le", "pcm16 sowt"), b"fl32": ("f32be", "float32"), b"FL32": ("f32be", "float32"),
            b"fl64": ("f64be", "float64"), b"FL64": ("f64be", "float64"), b"ulaw": ("ulaw", "mu-law"), b"ULAW": ("ulaw", "mu-law"),
            b"alaw": ("alaw", "A-law"), b"ALAW": ("alaw", "A-law"), b"twos": ("s16be", "pcm16"), b"in24": ("s24be", "pcm24"),
            b"in32": ("s32be", "pcm32"), b"raw ": ("u8", "pcm8"), b"23ni": ("s32le", "pcm32")}
    for code, (kind, codec) in aifc.items():
        rare = code in (b"FL64", b"ULAW", b"ALAW", b"in24", b"in32", b"23ni", b"raw ", b"twos", b"FL32")
        for channels in (1, 2, 6):
            sound = Sound(kind, 601 if channels > 2 else 101, channels)
            text = code.decode().strip()
            text = text + "_upper" if text.isupper() and text != "NONE" else text
            plain(f"aiff/{text}_{channels}ch.aifc", "AIFC", codec, sound, 44100, aiff(sound, 44100, code), expect="either" if rare else "opens",
                  small=channels == 2 and not rare)
    for valid_kind, codec in (("s24be", "pcm24"), ("s32be", "pcm32"), ("s8", "pcm8")):
        sound = Sound(valid_kind, 301, 2)
        plain(f"aiff/none_{codec}.aifc", "AIFC", codec, sound, 44100, aiff(sound, 44100, b"NONE"))
    for kind, codec in (("s24le", "pcm24"), ("s32le", "pcm32")):
        sound = Sound(kind, 301, 2)
        plain(f"aiff/sowt_{codec}.aifc", "AIFC", codec + " sowt", sound, 44100, aiff(sound, 44100, b"sowt"), expect="either")
    for rate in RATES:
        sound = Sound("s24be", 301, 2)
        plain(f"aiff/pcm24_{rate}.aiff", "AIFF", "pcm24", sound, rate, aiff(sound, rate))
    sound = Sound("s16be", 101, 1)
    others = chunk(b"MARK", b"\0\0", order=">") + chunk(b"NAME", b"odd", order=">")
    variants = {"chunks_before": {"before": others}, "chunks_behind": {"tail": others}, "offset": {"offset": 16}}
    variants |= {f"tail_{name}": {"junk": data} for name, data in TAILS.items()}
    for name, options in variants.items():
        plain(f"aiff/pcm16_{name}.aiff", "AIFF", "pcm16", sound, 44100, aiff(sound, 44100, **options),
              small=name in ("chunks_before", "offset", "tail_noise"))

    for kind in AU_CODES:
        codec = {"ulaw": "mu-law", "alaw": "A-law", "s8": "pcm8", "s16be": "pcm16", "s24be": "pcm24", "s32be": "pcm32", "f32be": "float32",
                 "f64be": "float64"}[kind]
        for channels in (1, 2, 8, 32):
            sound = Sound(kind, length_of(channels), channels)
            plain(f"au/{codec}_{channels}ch.au", "AU", codec, sound, 44100, au(sound, 44100))
        sound = Sound(kind, 101, 2)
        plain(f"au/{codec}_small.au", "AU", codec, sound, 44100, au(sound, 44100), small=kind in ("s8", "s24be", "f64be", "alaw"))
    sound = Sound("s16be", 101, 2)
    plain("au/pcm16_stream.au", "AU", "pcm16", sound, 44100, au(sound, 44100, MASK), small=True)
    plain("au/pcm16_note.au", "AU", "pcm16", sound, 44100, au(sound, 44100, note=b"a note of odd length\0"))
    plain("au/pcm16_bare.au", "AU", "pcm16", sound, 44100, au(sound, 44100, note=b""))
    for name, data in TAILS.items():
        plain(f"au/pcm16_tail_{name}.au", "AU", "pcm16", sound, 44100, au(sound, 44100, tail=data), small=name == "noise")
    for rate in RATES[::3]:
        plain(f"au/pcm16_{rate}.au", "AU", "pcm16", sound, rate, au(sound, rate))

    kinds = {"s8": "pcm8", "s16le": "pcm16 LE", "s16be": "pcm16 BE", "s24le": "pcm24 LE", "s24be": "pcm24 BE", "s32le": "pcm32 LE",
             "s32be": "pcm32 BE", "f32le": "float32 LE", "f32be": "float32 BE", "f64le": "float64 LE", "f64be": "float64 BE",
             "ulaw": "mu-law", "alaw": "A-law"}
    for kind, codec in kinds.items():
        stem = codec.replace(" ", "_")
        for channels in (1, 2, 6, 8):
            sound = Sound(kind, length_of(channels), channels)
            plain(f"caf/{stem}_{channels}ch.caf", "CAF", codec, sound, 48000, caf(sound, 48000))
        sound = Sound(kind, 101, 2)
        plain(f"caf/{stem}_small.caf", "CAF", codec, sound, 44100, caf(sound, 44100), small=True)
    for channels in (3, 4, 5, 7, 12, 24, 32):
        sound = Sound("s16be", length_of(channels), channels)
        plain(f"caf/pcm16_BE_{channels}ch.caf", "CAF", "pcm16 BE", sound, 48000, caf(sound, 48000))
    for rate in RATES:
        sound = Sound("s24le", 301, 2)
        plain(f"caf/pcm24_LE_{rate}.caf", "CAF", "pcm24 LE", sound, rate, caf(sound, rate))
    sound = Sound("s16be", 20, 32)
    plain("caf/pcm16_BE_32ch_small.caf", "CAF", "pcm16 BE", sound, 48000, caf(sound, 48000), small=True)
    sound = Sound("s16be", 101, 2)
    stereo = {"layout": 101 << 16 | 2}
    variants = {"layout": stereo, "to_the_end": {"size": -1}, "free": {"before": caf_chunk(b"free", bytes(99))},
                "info_behind": {"tail": caf_chunk(b"info", struct.pack(">I", 1) + b"title\0a name\0")}}
    variants |= {f"tail_{name}": {"tail": data} for name, data in TAILS.items()}
    for name, options in variants.items():
        plain(f"caf/pcm16_BE_{name}.caf", "CAF", "pcm16 BE", sound, 44100, caf(sound, 44100, **options),
              small=name in ("layout", "to_the_end", "tail_id3v1", "tail_zeros"))
    for form, container, ext in (("W64", "Wave64", "w64"), ("AIFF", "AIFF", "aiff"), ("AU", "AU", "au"), ("CAF", "CAF", "caf")):
        for subtype, codec in (("PCM_16", "pcm16"), ("PCM_24", "pcm24"), ("PCM_32", "pcm32"), ("FLOAT", "float32"), ("DOUBLE", "float64")):
            for channels in (1, 2):
                libsndfile_case(f"{ext}/libsndfile_{codec}_{channels}ch.{ext}", container, codec, form, subtype, None, channels)


def flac_encode(sound_samples, bits, rate, path, *options, ogg=False):
    """With the flac tool, from a WAV whose container is of whole bytes."""
    n, channels = sound_samples.shape
    container = (bits + 7) // 8 * 8
    sound = Sound("u8" if container == 8 else f"s{container}le", 1, channels, bits)
    sound.n, sound.data = n, pack(sound_samples << (container - bits), sound.kind)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "in.wav")
        with open(source, "wb") as file:
            file.write(wav(sound, rate, 40))
        extra = ["--ogg", "--serial-number=7"] if ogg else []
        # Speakers are not what is tested: files of 3 and more channels would need a mask.
        run("flac", "--silent", "-f", "--lax", "--channel-map=none", *extra, *options, "-o", path, source)


def flac_case(name, channels, bits, rate=44100, n=3001, options=(), then=None, small=False, container="FLAC", ext="flac", **more):
    values = integers(n, channels, bits)

    def make(path):
        flac_encode(values, bits, rate, path, *options, ogg=container == "Ogg FLAC")
        if then:
            with open(path, "rb") as file:
                data = file.read()
            data = then(data)
            with open(path, "wb") as file:
                file.write(data)
        return normalised(values, bits)

    case = add(f"{ext if container == 'FLAC' else 'oggflac'}/{name}.{ext}", container, f"flac{bits}", make, rate, str(bits), needs=("flac",),
               small=small, **more)
    case.formula = bits


def flac_blocks(data):
    """Metadata blocks of a FLAC and where its frames start."""
    at, blocks, last = 4, [], False
    while not last:
        last, kind = data[at] & 0x80 != 0, data[at] & 0x7F
        size = int.from_bytes(data[at + 1:at + 4], "big")
        blocks.append((kind, data[at + 4:at + 4 + size]))
        at += 4 + size
    return blocks, at


def flac_with(extra=(), change=None, strip=True):
    def then(data):
        blocks, at = flac_blocks(data)
        info = bytearray(blocks[0][1])
        if change:
            change(info)
        blocks = [(0, bytes(info))] + ([] if strip else blocks[1:]) + list(extra)
        out = b"fLaC"
        for index, (kind, body) in enumerate(blocks):
            out += bytes([kind | (0x80 if index == len(blocks) - 1 else 0)]) + len(body).to_bytes(3, "big") + body
        return out + data[at:]

    return then


def id3v2(n):
    size = bytes(n >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\4\0\0" + size + bytes(n)


def total_zero(info):
    info[13] &= 0xF0
    info[14:18] = bytes(4)


def zero(first, end):
    def change(info):
        info[first:end] = bytes(end - first)

    return change


def put(first, value):
    def change(info):
        info[first:first + len(value)] = value

    return change


def flac_cases():
    for bits in (8, 12, 16, 20, 24, 32):
        for channels in range(1, 9):
            flac_case(f"flac{bits}_{channels}ch", channels, bits)
        flac_case(f"flac{bits}_small", 2, bits, n=300, options=("--no-padding", "--no-seektable"), small=True)
    for bits in (4, 10, 13, 18, 22, 28):
        flac_case(f"flac{bits}_odd", 2, bits)
    for rate in (4000, 8000, 12345, 16000, 22050, 32000, 48000, 65535, 88200, 96000, 176400, 192000, 384000, 655350):
        flac_case(f"flac16_{rate}hz", 2, 16, rate=rate)
    for block in (16, 64, 192, 255, 576, 1000, 1152, 4096, 4608, 16384, 65535):
        flac_case(f"flac16_block{block}", 2, 16, n=20011 if block > 1000 else 3001, options=(f"--blocksize={block}",))
    for level in (0, 2, 5, 8):
        flac_case(f"flac24_level{level}", 2, 24, n=9001, options=(f"-{level}",))
    for name, options in (("verbatim", ("--disable-constant-subframes", "--disable-fixed-subframes", "-l", "0")), ("lpc32", ("-l", "32")),
                          ("no_mid_side", ("-0",)), ("adaptive_mid_side", ("-M",)), ("rice0", ("-r", "0"))):
        flac_case(f"flac16_{name}", 2, 16, n=5001, options=options)
    tiny = {"n": 300, "options": ("--no-padding", "--no-seektable")}
    comment = struct.pack("<I", 4) + b"made" + struct.pack("<I", 0)
    mime = struct.pack(">I", 3) + struct.pack(">I", 9) + b"image/\xff\xfe\xfd" + struct.pack(">I", 0) + bytes(16) + struct.pack(">I", 4) + b"\x89PNG"
    cue = b"".ljust(128, b"\0") + struct.pack(">QB", 0, 1) + bytes(258) + b"\1"
    cue_odd = cue + struct.pack(">QB", 299, 3).ljust(36, b"\0")
    metadata = {
        "none": {},
        "padding": {"extra": [(1, bytes(500))]},
        "padding_empty": {"extra": [(1, b"")]},
        "application": {"extra": [(2, b"riff" + bytes(20))]},
        "seektable_empty": {"extra": [(3, b"")]},
        "seektable_odd": {"extra": [(3, bytes(17))]},
        "seektable_placeholder": {"extra": [(3, b"\xff" * 8 + bytes(10))]},
        "comment": {"extra": [(4, comment)]},
        "comment_empty": {"extra": [(4, b"")]},
        "comment_cut": {"extra": [(4, comment[:5])]},
        "cuesheet_cut": {"extra": [(5, cue)]},
        "cuesheet_leadout": {"extra": [(5, cue_odd)]},
        "picture_mime": {"extra": [(6, mime)]},
        "picture_empty": {"extra": [(6, b"")]},
        "reserved_block": {"extra": [(100, bytes(33))]},
        "total_unknown": {"change": total_zero},
        "md5_none": {"change": zero(18, 34)},
        "md5_wrong": {"change": put(18, b"\x55" * 16)},
        "frame_sizes_none": {"change": zero(4, 10)},
        "frame_sizes_swapped": {"change": put(4, b"\0\xff\xff\0\0\x10")},
        "min_block_1": {"change": put(0, b"\0\1")},
        "two_comments": {"extra": [(4, comment), (4, comment)]},
    }
    for name, options in metadata.items():
        flac_case(f"flac16_meta_{name}", 1, 16, then=flac_with(**options), small=name in (
            "total_unknown", "comment_empty", "cuesheet_leadout", "picture_mime", "frame_sizes_swapped", "min_block_1"), **tiny)
    # No encoder writes it, and FFmpeg refuses it.
    flac_case("flac16_meta_block_0", 1, 16, then=flac_with(change=zero(0, 4)), expect="either", **tiny)
    for n in (0, 100, 5000, 200_000):
        flac_case(f"flac16_id3v2_{n}", 2, 16, then=lambda data, n=n: id3v2(n) + data, small=n == 100, **tiny)
    flac_case("flac16_id3v2_padded", 2, 16, then=lambda data: id3v2(50) + bytes(40) + data, expect="either", **tiny)
    flac_case("flac16_id3v2_twice", 2, 16, then=lambda data: id3v2(50) + id3v2(60) + data, **tiny)
    for name, tail in TAILS.items():
        flac_case(f"flac16_tail_{name}", 2, 16, then=lambda data, tail=tail: data + tail, small=name in ("newline", "id3v1", "noise"), **tiny)
        flac_case(f"flac24_tail_{name}", 2, 24, n=9001, then=lambda data, tail=tail: data + tail)
    flac_case("flac16_tail_unknown_length", 2, 16, then=lambda data: flac_with(change=total_zero)(data) + ID3V1, small=True, **tiny)
    for frames in (1, 2, 15, 16, 17, 31):
        flac_case(f"flac16_{frames}_frames", 1, 16, n=frames)

    for channels in (1, 2, 6, 8):
        for bits in (8, 16, 24):
            flac_case(f"flac{bits}_{channels}ch", channels, bits, container="Ogg FLAC", ext="oga")
    flac_case("flac16_small", 2, 16, n=300, options=("--no-padding",), container="Ogg FLAC", ext="oga", small=True)
    for name, tail in TAILS.items():
        flac_case(f"flac16_tail_{name}", 1, 16, container="Ogg FLAC", ext="oga", then=lambda data, tail=tail: data + tail)


def mp4_cases():
    alac_shapes = [(16, c) for c in range(1, 9)] + [(24, c) for c in (1, 2, 6)]
    for bits, channels in alac_shapes:
        for ext in ("m4a", "mov", "caf"):
            if ext == "mov" and channels not in (1, 2):
                continue
            ffmpeg_lossless(f"{ext}/alac{bits}_{channels}ch.{ext}", {"m4a": "MP4", "mov": "MOV", "caf": "CAF"}[ext], f"ALAC {bits}", channels, bits,
                            48000, 9001, ("-c:a", "alac"))
    for bits in (16, 24):
        for ext in ("m4a", "caf"):
            ffmpeg_lossless(f"{ext}/alac{bits}_small.{ext}", {"m4a": "MP4", "caf": "CAF"}[ext], f"ALAC {bits}", 2, bits, 44100, 300, ("-c:a", "alac"), small=True)
    for ext, channels in (("mov", 2), ("m4a", 6), ("m4a", 8)):
        ffmpeg_lossless(f"{ext}/alac16_{channels}ch_small.{ext}", {"m4a": "MP4", "mov": "MOV"}[ext], "ALAC 16", channels, 16, 44100, 60, ("-c:a", "alac"),
                        small=True)
    for rate in (8000, 16000, 44100, 96000, 192000):
        ffmpeg_lossless(f"m4a/alac24_{rate}.m4a", "MP4", "ALAC 24", 2, 24, rate, 9001, ("-c:a", "alac"))
    for subtype in ("ALAC_16", "ALAC_20", "ALAC_24", "ALAC_32"):
        for channels in (1, 2, 3, 6):
            libsndfile_case(f"caf/libsndfile_{subtype.lower()}_{channels}ch.caf", "CAF", subtype.replace("_", " "), "CAF", subtype, None, channels,
                            n=5001)
        libsndfile_case(f"caf/libsndfile_{subtype.lower()}_small.caf", "CAF", subtype.replace("_", " "), "CAF", subtype, None, 2, n=200, small=True)
    for name, options in (("start", ("-movflags", "+faststart")), ("fragments", ("-movflags", "empty_moov", "-frag_duration", "50000"))):
        ffmpeg_lossless(f"m4a/alac16_{name}.m4a", "MP4", "ALAC 16", 2, 16, 44100, 9001, ("-c:a", "alac", *options))
    for name in ("zeros", "noise", "id3v1"):
        ffmpeg_lossless(f"m4a/alac16_tail_{name}.m4a", "MP4", "ALAC 16", 2, 16, 44100, 9001, ("-c:a", "alac"), tail=TAILS[name])
    for channels in (1, 2):
        ffmpeg_lossless(f"m4a/flac16_{channels}ch.mp4", "MP4", "FLAC 16", channels, 16, 44100, 9001, ("-c:a", "flac", "-strict", "-2"))
        ffmpeg_lossless(f"m4a/flac24_{channels}ch.mp4", "MP4", "FLAC 24", channels, 24, 44100, 9001, ("-c:a", "flac", "-strict", "-2"))

    # QuickTime's plain kinds, as FFmpeg writes them and by hand.
    for encoder, bits, codec in (("pcm_s16le", 16, "sowt"), ("pcm_s16be", 16, "twos"), ("pcm_s24be", 24, "in24 BE"), ("pcm_s24le", 24, "in24 LE"),
                                 ("pcm_s32be", 32, "in32 BE"), ("pcm_s32le", 32, "in32 LE"), ("pcm_u8", 8, "raw"), ("pcm_s8", 8, "sowt 8"),
                                 ("pcm_f32be", "f32", "fl32 BE"), ("pcm_f32le", "f32", "fl32 LE"), ("pcm_f64be", "f64", "fl64 BE"),
                                 ("pcm_f64le", "f64", "fl64 LE")):
        for channels in (1, 2, 6):
            ffmpeg_lossless(f"mov/{codec.replace(' ', '_')}_{channels}ch.mov", "MOV", codec, channels, bits, 48000, 2001, ("-c:a", encoder))
        if encoder == "pcm_s16le":
            ffmpeg_lossless("mov/sowt_6ch_small.mov", "MOV", codec, 6, 16, 44100, 40, ("-c:a", encoder), small=True)
        ffmpeg_lossless(f"mov/{codec.replace(' ', '_')}_small.mov", "MOV", codec, 2, bits, 44100, 60, ("-c:a", encoder), small=True)
    for kind, codec in (("ulaw", "mu-law"), ("alaw", "A-law")):
        for channels in (1, 2):
            sound = Sound(kind, 101, channels)
            plain(f"mov/{kind}_{channels}ch.mov", "MOV", codec, sound, 8000, mov(sound, 8000, kind.encode(), 1), small=channels == 2)
    hand = [("s24be", b"in24", 1, False), ("s24le", b"in24", 1, True), ("s32le", b"in32", 1, True), ("f32be", b"fl32", 1, False),
            ("f32le", b"fl32", 1, True), ("f64le", b"fl64", 1, True), ("s16be", b"twos", 0, None), ("s16le", b"sowt", 0, None),
            ("u8", b"raw ", 0, None), ("s24be", b"in24", 1, None)]
    for kind, code, version, little in hand:
        sound = Sound(kind, 101, 2)
        order = "" if little is None else "_LE" if little else "_BE"
        codec = code.decode().strip() + order.replace("_", " ")
        plain(f"mov/hand_{kind}_{code.decode().strip()}{order}.mov", "MOV", codec, sound, 44100, mov(sound, 44100, code, version, little))
    for kind in ("s8", "s16le", "s16be", "s24le", "s24be", "s32le", "s32be", "f32le", "f32be", "f64le", "f64be"):
        for channels, rate in ((2, 96000), (8, 48000)):
            sound = Sound(kind, 101, channels)
            plain(f"mov/lpcm_{kind}_{channels}ch.mov", "MOV", "lpcm", sound, rate, mov(sound, rate, b"lpcm", 2, not kind.endswith("be")),
                  small=channels == 2 and kind in ("s16le", "s24be", "f32le", "f64be"))
    for kind, code in (("s16le", b"ipcm"), ("s24be", b"ipcm"), ("s32le", b"ipcm"), ("f32le", b"fpcm"), ("f64be", b"fpcm")):
        sound = Sound(kind, 101, 2)
        little = kind.endswith("le")
        pcmc = box(b"pcmC", bytes([0, 0, 0, 0, 1 if little else 0, sound.bits]))
        plain(f"m4a/{code.decode()}_{kind}.mp4", "MP4", code.decode(), sound, 48000, mov(sound, 48000, code, 0, None, b"isom", pcmc), expect="either")
    sound = Sound("s16le", 101, 2)
    for name in ("noise", "zeros", "id3v1"):
        plain(f"mov/sowt_tail_{name}.mov", "MOV", "sowt", sound, 44100, mov(sound, 44100, b"sowt", tail=TAILS[name]), small=name == "noise")


def ffmpeg_lossless(name, container, codec, channels, bits, rate, n, options, tail=b"", small=False, expect="opens"):
    depth = bits if isinstance(bits, str) else str(bits)

    def make(path):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "in.wav")
            kind = {8: "u8", 16: "s16le", 24: "s24le", 32: "s32le", "f32": "f32le", "f64": "f64le"}[bits]
            sound = Sound(kind, n, channels)
            with open(source, "wb") as file:
                mask = SPEAKERS.get(channels, 0) if "alac" in options else 0
                file.write(wav(sound, rate, 40 if channels > 2 else 16, mask=mask))
            wide = ["-sample_fmt", {16: "s16p", 24: "s32p"}[bits]] if "alac" in options else []
            if "flac" in options:
                wide = ["-sample_fmt", {16: "s16", 24: "s32"}[bits]]
            run("ffmpeg", "-v", "error", "-y", "-nostdin", "-i", source, "-bitexact", *options, *wide, *(["-bits_per_raw_sample", 24] if wide and bits == 24 else []), path)
        with open(path, "ab") as file:
            file.write(tail)
        return sound.samples

    add(name, container, codec, make, rate, depth, needs=("ffmpeg",), small=small, expect=expect).formula = formula_bits(depth)


# --------------------------------------------------------------------------------------------------------- lossy codecs


def encoded(path, samples, rate, command, bits=16):
    """Runs an encoder on a WAV: {in} and {out} in its arguments."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "in.wav")
        source_wav(source, samples, rate, bits)
        run(*[source if part == "{in}" else path if part == "{out}" else part for part in command])


def changed(path, then):
    if then:
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(then(data))


FFMPEG = ("ffmpeg", "-v", "error", "-y", "-nostdin", "-i", "{in}", "-bitexact")


def aac_case(name, channels, rate, n, options=(), ext="m4a", heard=None, first=1024, then=None, small=False, container=None, **more):
    """first: samples of the decode that the file says not to hear; heard: how many are, or all that are left."""

    def make(path):
        # Without noise substitution, which each decoder makes with noise of its own.
        encoded(path, music(n, channels, rate), rate, (*FFMPEG, "-c:a", "aac", "-aac_pns", "0", "-b:a", f"{64 * channels}k", *options, "{out}"))
        skip = [] if ext in ("aac", "aac_id3") else ["-ignore_editlist", "1"]
        found = ffmpeg_decode(path, channels, *skip)
        changed(path, then)
        found = found[first:]
        count = len(found) if heard is None else heard
        assert count <= len(found), f"{name}: FFmpeg has {len(found)} of {count}"
        return found[:count]

    add(name, container or {"m4a": "MP4", "mp4": "MP4", "mov": "MOV", "aac": "ADTS"}[ext], "AAC", make, rate, "lossy", needs=("ffmpeg",), small=small,
        **more)


def with_itunes(delay, padding, length):
    """Appends what iTunes writes to the movie box, which stands at the end."""

    def then(data):
        at = data.rindex(b"moov") - 4
        size = struct.unpack_from(">I", data, at)[0]
        assert at + size == len(data)
        text = f" 00000000 {delay:08X} {padding:08X} {length:016X} 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000"
        mean = box(b"mean", bytes(4), b"com.apple.iTunes")
        word = box(b"----", mean, box(b"name", bytes(4), b"iTunSMPB"), box(b"data", struct.pack(">II", 1, 0), text.encode()))
        hdlr = box(b"hdlr", bytes(8), b"mdirappl", bytes(9))
        movie = data[at + 8:]
        return data[:at] + box(b"moov", movie, box(b"udta", box(b"meta", bytes(4), hdlr, box(b"ilst", word))))

    return then


def without(name):
    """Renames a box, so that it says nothing."""
    return lambda data: data.replace(name, b"free")


def both(*steps):
    def then(data):
        for step in steps:
            data = step(data)
        return data

    return then


def edit(media_time=None, duration=None, timescale=None):
    """Changes the first entry of the edit list, and the movie's timescale first."""

    def then(data):
        data = bytearray(data)
        if timescale:
            at = data.index(b"mvhd") + 16
            was = struct.unpack_from(">II", data, at)
            struct.pack_into(">II", data, at, timescale, was[1] * timescale // was[0])
        at = data.index(b"elst") + 12
        was = struct.unpack_from(">Ii", data, at)
        struct.pack_into(">Ii", data, at, was[0] if duration is None else duration, was[1] if media_time is None else media_time)
        return bytes(data)

    return then


def aac_cases():
    for rate in (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000):
        for channels in (1, 2):
            n = 6011
            aac_case(f"m4a/aac_{rate}_{channels}ch.m4a", channels, rate, n, heard=n)
    for channels in (3, 4, 5, 6, 8):
        aac_case(f"m4a/aac_{channels}ch.m4a", channels, 48000, 6011, heard=6011, expect="either")
        aac_case(f"adts/aac_{channels}ch.aac", channels, 48000, 6011, ext="aac", first=0, expect="either")
    aac_case("m4a/aac_small.m4a", 1, 44100, 2500, heard=2500, small=True)
    aac_case("m4a/aac_96000_small.m4a", 1, 96000, 1500, heard=1500, small=True)
    aac_case("m4a/aac_small_2ch.m4a", 2, 44100, 2500, heard=2500, small=True)
    for n in (1, 500, 1023, 1024, 1025, 2048):
        aac_case(f"m4a/aac_{n}_frames.m4a", 1, 44100, n, heard=n)
    # A movie's ticks are milliseconds unless it is asked: with its own rate the list is exact.
    aac_case("m4a/aac_exact_list.m4a", 2, 44100, 6011, then=edit(timescale=44100, duration=6011), heard=6011)
    aac_case("m4a/aac_list_cuts_end.m4a", 1, 44100, 2011, then=edit(timescale=44100, duration=1500), heard=1500, small=True)
    aac_case("m4a/aac_list_cuts_start.m4a", 2, 44100, 6011, then=edit(media_time=3000, timescale=44100, duration=2000), first=3000, heard=2000)
    aac_case("m4a/aac_list_to_the_end.m4a", 1, 44100, 2011, then=edit(duration=0), heard=2011, small=True)
    aac_case("m4a/aac_no_list.m4a", 2, 44100, 6011, then=without(b"edts"), first=0, heard=6011 + 1024, frames_too=(7 * 1024,))
    aac_case("m4a/aac_itunes.m4a", 1, 44100, 2011, then=both(without(b"edts"), with_itunes(1024, 37, 2011)), heard=2011, small=True)
    aac_case("m4a/aac_itunes_and_list.m4a", 2, 44100, 6011, then=with_itunes(1024, 133, 6011), heard=6011)
    aac_case("m4a/aac_faststart.m4a", 2, 44100, 6011, ("-movflags", "+faststart"), heard=6011)
    aac_case("m4a/aac.mov", 2, 44100, 6011, ext="mov", heard=6011)
    # Fragments without a list keep the delay; the last packet's time is shorter than its samples.
    aac_case("m4a/aac_fragments.mp4", 2, 44100, 12001, ("-movflags", "empty_moov", "-frag_duration", "100000"), ext="mp4", first=0,
             heard=12001 + 1024, frames_too=(13 * 1024,))
    aac_case("m4a/aac_fragments_list.mp4", 2, 44100, 12001, ("-movflags", "frag_keyframe+delay_moov", "-frag_duration", "50000"), ext="mp4",
             heard=12001)
    aac_case("m4a/aac_fragments_small.mp4", 1, 44100, 3001, ("-movflags", "frag_keyframe+delay_moov", "-frag_duration", "30000"), ext="mp4",
             heard=3001, small=True)
    for name in ("noise", "zeros", "id3v1", "ape"):
        aac_case(f"m4a/aac_tail_{name}.m4a", 1, 44100, 3000, heard=3000, then=lambda data, name=name: data + TAILS[name])
        aac_case(f"adts/aac_tail_{name}.aac", 1, 44100, 3000, ext="aac", first=0, then=lambda data, name=name: data + TAILS[name], small=name == "id3v1")
    for rate in (8000, 16000, 22050, 44100, 48000, 96000):
        for channels in (1, 2):
            aac_case(f"adts/aac_{rate}_{channels}ch.aac", channels, rate, 6011, ext="aac", first=0)
    aac_case("adts/aac_id3v2.aac", 2, 44100, 6011, ext="aac", first=0, then=lambda data: id3v2(300) + data)
    for name, options in (("no_tns", ("-aac_tns", "0")), ("no_intensity", ("-aac_is", "0")), ("no_mid_side", ("-aac_ms", "0")), ("fast", ("-aac_coder", "fast"))):
        aac_case(f"m4a/aac_{name}.m4a", 2, 44100, 9011, options, heard=9011)
    aac_case("m4a/aac_320k.m4a", 2, 48000, 9011, ("-b:a", "320k"), heard=9011)
    aac_case("m4a/aac_32k.m4a", 2, 44100, 9011, ("-b:a", "32k"), heard=9011)
    aac_case("m4a/aac_main.m4a", 2, 44100, 9011, ("-profile:a", "aac_main"), heard=9011, expect="either")


def mp3_case(name, channels, rate, n, options, small=False, then=None, tags=True, judge="ffmpeg", **more):
    # FFmpeg does not read frames of free format, and is wrong at 24 kHz.
    judge = "libsndfile" if rate == 24000 or "--freeformat" in options else judge

    def make(path):
        resample = ("--resample", f"{rate / 1000:g}")
        encoded(path, music(n, channels, rate), rate, ("lame", "--quiet", "--noreplaygain", *resample, *options, "{in}", "{out}"))
        changed(path, then)
        found = libsndfile_decode(path) if judge == "libsndfile" else ffmpeg_decode(path, channels)
        with open(path, "rb") as file:
            data = file.read()
        # LAME leaves its tag out where the first frame is too small for it; FFmpeg does not cut the end off where
        # something stands behind it.
        if tags and (b"Info" in data or b"Xing" in data):
            assert len(found) >= n, f"{name}: FFmpeg has {len(found)} of {n}"
            found = found[:n]
        return found

    add(f"mp3/{name}.mp3", "MP3", "MP3", make, rate, "lossy", needs=(judge, "lame"), small=small, **more)


def only_xing(data):
    """A Xing tag without what LAME adds, so without a delay."""
    at = max(data.find(b"Xing"), data.find(b"Info"))
    return data[:at + 8 + 4 + 4 + 100 + 4] + bytes(36) + data[at + 120 + 36:]


def mp3_cases():
    for rate in (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000):
        low = rate < 32000
        for mode, channels in (("m", 1), ("s", 2), ("j", 2)):
            rates = ("-b", 32 * channels) if low else ("-b", 64 * channels)
            mp3_case(f"mp3_{rate}_{mode}", channels, rate, 9011 if rate > 16000 else 5011, ("-m", mode, *rates))
        mp3_case(f"mp3_{rate}_vbr", 2, rate, 9011 if rate > 16000 else 5011, ("-V", 4))
        mp3_case(f"mp3_{rate}_no_tag", 2, rate, 6011, ("-t", "-m", "j"), tags=False)
    for kbits in (32, 64, 96, 128, 192, 256, 320):
        mp3_case(f"mp3_cbr{kbits}", 2, 44100, 9011, ("-b", kbits))
    for quality in (0, 2, 6, 9):
        mp3_case(f"mp3_v{quality}", 2, 44100, 9011, ("-V", quality, "--resample", 44100))
    mp3_case("mp3_abr", 2, 44100, 9011, ("--abr", 140))
    mp3_case("mp3_crc", 2, 44100, 9011, ("-p", "-b", 128))
    mp3_case("mp3_no_reservoir", 2, 44100, 9011, ("--nores", "-b", 128))
    mp3_case("mp3_strict", 2, 48000, 9011, ("--strictly-enforce-ISO", "-b", 160))
    mp3_case("mp3_free_format", 2, 44100, 9011, ("--freeformat", "-b", 200), expect="either", tags=False)
    mp3_case("mp3_small", 1, 44100, 2600, ("-b", 64), small=True)
    mp3_case("mp3_small_2ch", 2, 22050, 1500, ("-b", 48, "-m", "j"), small=True)
    mp3_case("mp3_small_8k", 1, 8000, 1300, ("-b", 16), small=True)
    mp3_case("mp3_small_vbr", 2, 48000, 2600, ("-V", 5), small=True)
    mp3_case("mp3_small_no_tag", 1, 44100, 2000, ("-t", "-b", 64), tags=False, small=True)
    for n in (1, 600, 1152, 1153, 2304):
        mp3_case(f"mp3_{n}_frames", 1, 44100, n, ("-b", 64))
    mp3_case("mp3_xing_without_lame", 2, 44100, 9011, ("-b", 128), tags=False, then=only_xing)
    for name, tail in TAILS.items():
        mp3_case(f"mp3_tail_{name}", 1, 44100, 3011, ("-b", 64), then=lambda data, tail=tail: data + tail, small=name in ("id3v1", "ape"))
        mp3_case(f"mp3_no_tag_tail_{name}", 1, 44100, 3011, ("-t", "-b", 64), tags=False, then=lambda data, tail=tail: data + tail)
    mp3_case("mp3_tail_ape_id3v1", 1, 44100, 3011, ("-b", 64), then=lambda data: data + APE + ID3V1)
    for n in (0, 300, 100_000):
        mp3_case(f"mp3_id3v2_{n}", 1, 44100, 3011, ("-b", 64), then=lambda data, n=n: id3v2(n) + data, small=n == 300)
    mp3_case("mp3_id3v2_twice", 1, 44100, 3011, ("-b", 64), then=lambda data: id3v2(100) + id3v2(50) + data)
    # FFmpeg finds the frames behind zeros, but not LAME's tag.
    for name, before in (("id3v2_padded", id3v2(100) + bytes(90)), ("zeros_before", bytes(500))):
        mp3_case(f"mp3_{name}", 1, 44100, 3011, ("-b", 64), then=lambda data, before=before: before + data, judge="libsndfile")
    mp3_case("mp3_id3v2_inside", 1, 44100, 3011, ("-t", "-b", 64), then=lambda data: data + id3v2(40) + ID3V1, tags=False)
    mp3_case("mp3_lame_id3", 2, 44100, 9011, ("-b", 128, "--tt", "title", "--ta", "artist", "--add-id3v2"))

    def mp2(name, channels, rate, options=(), n=9011, then=None, small=False):
        def make(path):
            encoded(path, music(n, channels, rate), rate, (*FFMPEG, "-c:a", "mp2", *options, "{out}"))
            changed(path, then)
            # Unasked it would decode to 16 bits.
            return ffmpeg_decode(path, channels, "-c:a", "mp2float")

        add(f"mp2/{name}.mp2", "MP2", "MP2", make, rate, "lossy", needs=("ffmpeg",), small=small)

    for rate in (16000, 22050, 24000, 32000, 44100, 48000):
        for channels in (1, 2):
            mp2(f"mp2_{rate}_{channels}ch", channels, rate, ("-b:a", f"{48 * channels if rate < 32000 else 96 * channels}k"))
    mp2("mp2_small", 1, 44100, ("-b:a", "64k"), 3000, small=True)
    for name in ("id3v1", "zeros", "noise"):
        mp2(f"mp2_tail_{name}", 1, 44100, ("-b:a", "64k"), then=lambda data, name=name: data + TAILS[name])


WAV_ORDER = {3: [0, 2, 1], 5: [0, 2, 1, 3, 4], 6: [0, 2, 1, 5, 3, 4], 7: [0, 2, 1, 6, 5, 3, 4], 8: [0, 2, 1, 7, 5, 6, 3, 4]}


def vorbis_case(name, channels, rate, n, options=("-q", 4), encoder="oggenc", then=None, small=False, **more):
    def make(path):
        if encoder == "oggenc":
            encoded(path, music(n, channels, rate, 0.2), rate, ("oggenc", "-Q", "-s", 7, *options, "{in}", "-o", "{out}"))
        else:
            encoded(path, music(n, channels, rate, 0.2), rate, (*FFMPEG, "-c:a", "libvorbis", *options, "{out}"))
        found = libsndfile_decode(path).astype(np.float32).astype(np.float64)
        found = found[:, WAV_ORDER.get(channels, list(range(channels)))]
        assert len(found) == n, f"{name}: libsndfile has {len(found)} of {n}"
        changed(path, then)
        return found

    add(f"vorbis/{name}.ogg", "Ogg", "Vorbis", make, rate, "lossy", needs=("libsndfile", "oggenc" if encoder == "oggenc" else "ffmpeg"), small=small, **more)


def ogg_pages(data):
    at, pages = 0, []
    while data[at:at + 4] == b"OggS":
        n = data[at + 26]
        size = 27 + n + sum(data[at + 27:at + 27 + n])
        pages.append(data[at:at + size])
        at += size
    return pages


def ogg_sum(page):
    page = bytearray(page)
    page[22:26] = bytes(4)
    value = 0
    for byte in page:
        value ^= byte << 24
        for _ in range(8):
            value = value << 1 & MASK ^ (0x04C11DB7 if value & 0x80000000 else 0)
    page[22:26] = struct.pack("<I", value)
    return bytes(page)


def opus_head(change):
    """Changes the identification header, and its page's sum."""

    def then(data):
        pages = ogg_pages(data)
        head = bytearray(pages[0])
        change(head, head.index(b"OpusHead"))
        return ogg_sum(head) + b"".join(pages[1:])

    return then


def opus_case(name, channels, n, options=(), rate=48000, encoder="opusenc", then=None, small=False, heard=None, **more):
    def make(path):
        if encoder == "opusenc":
            encoded(path, music(n, channels, rate, 0.2), rate, ("opusenc", "--quiet", "--discard-comments", "--serial", "7", *options, "{in}", "{out}"))
        else:
            encoded(path, music(n, channels, rate, 0.2), rate, (*FFMPEG, "-c:a", "libopus", *options, "{out}"))
        changed(path, then)
        found = opusdec(path, channels)
        assert heard is None or len(found) == heard, f"{name}: opusdec has {len(found)} of {heard}"
        return found

    add(f"opus/{name}.opus", "Ogg", "Opus", make, 48000, "lossy", needs=("opusenc", "opusdec"), small=small, **more)


def ogg_cases():
    for channels in range(1, 9):
        for quality in (2, 6):
            vorbis_case(f"vorbis_{channels}ch_q{quality}", channels, 48000, 9011, ("-q", quality))
    for rate in (8000, 11025, 16000, 22050, 32000, 44100, 96000, 192000):
        vorbis_case(f"vorbis_{rate}", 2, rate, 9011)
    for n in (1, 100, 576, 1024, 1025, 5000):
        vorbis_case(f"vorbis_{n}_frames", 1, 44100, n)
    for channels in (1, 2, 6):
        vorbis_case(f"vorbis_ffmpeg_{channels}ch", channels, 44100, 9011, ("-q:a", "4"), encoder="ffmpeg")
    vorbis_case("vorbis_low", 2, 44100, 9011, ("-q", -1))
    vorbis_case("vorbis_high", 2, 44100, 9011, ("-q", 10))
    for name in ("newline", "noise", "id3v1", "zeros"):
        vorbis_case(f"vorbis_tail_{name}", 1, 44100, 3000, then=lambda data, name=name: data + TAILS[name])
    vorbis_case("vorbis_small", 1, 44100, 2500, small=True)
    vorbis_case("vorbis_small_6ch", 6, 48000, 2500, ("-q", 0), small=True)
    vorbis_case("vorbis_small_tail", 2, 22050, 1500, then=lambda data: data + TAILS["noise"], small=True)

    for channels in range(1, 9):
        for kbits in (24, 64):
            opus_case(f"opus_{channels}ch_{kbits}k", channels, 12011, ("--bitrate", kbits * channels), heard=12011)
    for size in ("2.5", "5", "10", "20", "40", "60"):
        opus_case(f"opus_frame{size.replace('.', '_')}", 2, 12011, ("--framesize", size), heard=12011)
    for rate in (8000, 16000, 24000, 44100, 96000):
        opus_case(f"opus_from_{rate}", 2, rate // 4, rate=rate)
    for name, options in (("speech", ("--speech", "--bitrate", "16")), ("music", ("--music",)), ("cbr", ("--hard-cbr",)), ("6k", ("--bitrate", "6"))):
        opus_case(f"opus_{name}", 1, 12011, options, heard=12011)
    for decibels in (-6, 6, -20):
        opus_case(f"opus_gain{decibels}", 2, 12011, then=opus_head(lambda head, at, decibels=decibels: head.__setitem__(
            slice(at + 16, at + 18), struct.pack("<h", decibels * 256))), heard=12011, tolerance=2e-5 if decibels > 0 else None)
    for skip in (0, 100, 3840):
        opus_case(f"opus_preskip_{skip}", 2, 12011, then=opus_head(lambda head, at, skip=skip: head.__setitem__(
            slice(at + 10, at + 12), struct.pack("<H", skip))), small=skip == 3840)
    for n in (1, 100, 648, 960, 961):
        opus_case(f"opus_{n}_frames", 1, n, heard=n)
    for name in ("newline", "noise", "id3v1", "zeros"):
        opus_case(f"opus_tail_{name}", 1, 6000, then=lambda data, name=name: data + TAILS[name], heard=6000)
    for channels in (1, 2, 6):
        opus_case(f"opus_ffmpeg_{channels}ch", channels, 12011, ("-b:a", f"{48 * channels}k"), encoder="ffmpeg", heard=12011)
    opus_case("opus_small", 1, 3000, ("--bitrate", "32"), heard=3000, small=True)
    opus_case("opus_small_2ch", 2, 3000, ("--bitrate", "48"), heard=3000, small=True)
    opus_case("opus_small_6ch", 6, 2000, ("--bitrate", "128"), heard=2000, small=True)


# ------------------------------------------------------------------------------------------------- joined, cut, renumbered


def crc8(data):
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value << 1 & 0xFF ^ (0x07 if value & 0x80 else 0)
    return value


def crc16(data):
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = value << 1 & 0xFFFF ^ (0x8005 if value & 0x8000 else 0)
    return value


def flac_frames(data):
    """The frames of a FLAC: where a header's sum is right and the sum of what stands before it, too."""
    at = flac_blocks(data)[1]
    frames, begin = [], at
    for place in range(at + 1, len(data) + 1):
        if place == len(data) or data[place:place + 2] == data[at:at + 2] and any(
                crc8(data[place:place + n]) == data[place + n] for n in range(5, 16) if place + n < len(data)):
            if crc16(data[begin:place]) == 0:
                frames.append(data[begin:place])
                begin = place
    assert begin == len(data)
    return frames


def flac_number(value):
    """As UTF-8 codes letters."""
    if value < 128:
        return bytes([value])
    more = 1
    while value >= 1 << (6 * more + 6 - more):
        more += 1
    lead = 0xFF << (7 - more) & 0xFF
    return bytes([lead | value >> 6 * more] + [0x80 | value >> 6 * k & 0x3F for k in reversed(range(more))])


def flac_renumbered(numbers, variable=False):
    """Frames that are numbered otherwise: `numbers` gets the index of a frame and where its first sample lies."""

    def then(data):
        head, samples = data[:flac_blocks(data)[1]], 0
        out = [head]
        for index, frame in enumerate(flac_frames(data)):
            lead = frame[4]
            n_number = 1 if lead < 0x80 else 8 - (~lead & 0xFF).bit_length()
            code, rest = frame[2] >> 4, frame[4 + n_number:]
            n_more = {6: 1, 7: 2}.get(code, 0)
            block = {6: rest[0] + 1, 7: int.from_bytes(rest[:2], "big") + 1, 1: 192}.get(code) or (
                576 << (code - 2) if code < 6 else 256 << (code - 8))
            n_more += {12: 1, 13: 2, 14: 2}.get(frame[2] & 15, 0)
            header = frame[:1] + bytes([frame[1] | variable]) + frame[2:4] + flac_number(numbers(index, samples)) + rest[:n_more]
            body = header + bytes([crc8(header)]) + rest[n_more + 1:-2]
            out.append(body + crc16(body).to_bytes(2, "big"))
            samples += block
        return b"".join(out)

    return then


def flac_bytes(n, channels, bits, rate, seed=0, options=()):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part.flac")
        flac_encode(integers(n, channels, bits, seed), bits, rate, path, "--no-padding", "--no-seektable", *options)
        with open(path, "rb") as file:
            return file.read()


def joined(name, container, codec, rate, depth, parts, decode, needs, ext, between=(b"",), n_heard=None, whole=None, small=True, **more):
    """Parts behind each other, of which the first `n_heard` are decoded by `decode` one by one, or the whole by `whole`."""

    def make(path):
        data = [part() for part in parts]
        gaps = [*between] * len(data)
        with open(path, "wb") as file:
            file.write(b"".join(part + gap for part, gap in zip(data, gaps[:len(data) - 1] + [b""])))
        if whole:
            return whole(data)
        return np.concatenate([in_a_file(part, ext, decode) for part in data[:n_heard]])

    add(name, container, codec, make, rate, depth, needs=needs, small=small, told=more.pop("told", ""), **more)


def joined_flac_cases():
    def renumbered(name, *how, change=total_zero, small=True, options=("--blocksize=128",), **more):
        def make(path):
            # Neither the sum nor the length of all samples is that of the file.
            data = flac_with(change=lambda info: (change(info), zero(18, 34)(info)))(flac_bytes(1000, 1, 16, 44100, options=options))
            with open(path, "wb") as file:
                file.write(flac_renumbered(*how)(data))
            found = flac_of(path)
            assert len(found) == 1000, f"{name}: flac has {len(found)}"
            return found

        add(f"flac/flac16_{name}.flac", "FLAC", "flac16", make, 44100, "16", needs=("flac",), small=small, told="", **more)

    renumbered("restart", lambda index, _: index % 4)
    renumbered("from_100", lambda index, _: index + 100)
    renumbered("all_0", lambda index, _: 0, small=False)
    renumbered("backwards", lambda index, _: 50 - index, small=False)
    renumbered("by_sample", lambda _, sample: sample, True, small=False, change=lambda info: (total_zero(info), put(0, b"\0\x10\x10\0")(info)))
    renumbered("by_sample_from", lambda _, sample: sample + 90_000, True, small=False,
               change=lambda info: (total_zero(info), put(0, b"\0\x10\x10\0")(info)))
    renumbered("by_sample_restart", lambda _, sample: sample % 512, True, change=lambda info: (total_zero(info), put(0, b"\0\x10\x10\0")(info)))

    def two_sizes():
        first, second = (flac_bytes(500, 1, 16, 44100, seed, (f"--blocksize={size}",)) for seed, size in ((0, 128), (1, 192)))
        return flac_with(change=total_zero)(first) + b"".join(flac_frames(second))

    def by_parts(_):
        return np.concatenate([in_a_file(flac_bytes(500, 1, 16, 44100, seed), "flac", flac_of) for seed in (0, 1)])

    joined("flac/flac16_two_sizes.flac", "FLAC", "flac16", 44100, "16", [two_sizes], flac_of, ("flac",), "flac", whole=by_parts)

    def part(n, rate=44100, channels=1, bits=16, seed=0):
        return lambda: flac_bytes(n, channels, bits, rate, seed)

    def flacs(name, parts, rate=44100, depth="16", small=False, **more):
        joined(f"flac/flac_{name}.flac", "FLAC", f"flac{depth}", rate, depth, parts, flac_of, ("flac",), "flac", small=small, **more)

    flacs("joined", [part(700), part(500, seed=1)])
    flacs("joined_same", [part(700), part(700)])
    flacs("joined_three", [part(700, channels=2), part(5000, channels=2, seed=1), part(900, channels=2, seed=2)])
    flacs("joined_tags", [part(700), part(500, seed=1)], between=(ID3V1 + id3v2(50),), small=True)
    flacs("joined_shallower", [part(700, bits=24), part(500, bits=16, seed=1)], depth="24")
    flacs("joined_deeper", [part(700, bits=16), part(500, bits=24, seed=1)], n_heard=1, told="from 0.016 s on, of 24 bits")
    flacs("joined_rate", [part(700), part(500, rate=48000, seed=1)], n_heard=1, told="from 0.016 s on, of 48 kHz and 1 channel;", small=True)
    flacs("joined_channels", [part(700), part(500, channels=2, seed=1)], n_heard=1, told="of 44100 Hz and 2 channels")
    flacs("joined_cut", [part(700), lambda: flac_bytes(500, 1, 16, 44100, 1)[:50]], n_heard=1, told="which cannot be read")

    def other_frames():
        return b"".join(flac_frames(flac_bytes(500, 1, 16, 48000, 1)))

    flacs("frames_of_another_rate", [part(700), other_frames], n_heard=1, told="of 48 kHz and 1 channel")

    def cut(path):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "in.flac")
            with open(source, "wb") as file:
                file.write(flac_bytes(60_000, 2, 16, 44100, options=("--blocksize=4096",)))
            run("ffmpeg", "-v", "error", "-y", "-nostdin", "-ss", "0.5", "-i", source, "-map_metadata", "-1", "-bitexact", "-c", "copy", path)
        with open(path, "rb") as file:
            data = file.read()
        # The sum is still that of all.
        return in_a_file(flac_with(change=lambda info: (total_zero(info), zero(18, 34)(info)))(data), "flac", flac_of)

    add("flac/flac16_ffmpeg_cut.flac", "FLAC", "flac16", cut, 44100, "16", needs=("flac", "ffmpeg"))


def lame_bytes(n, channels, rate, *options, seed=0):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part.mp3")
        samples = music(n + 400 * seed, channels, rate)[400 * seed:]
        encoded(path, samples, rate, ("lame", "--quiet", "--noreplaygain", "--resample", f"{rate / 1000:g}", *options, "{in}", "{out}"))
        with open(path, "rb") as file:
            return file.read()


def vbri(data):
    """Frames behind Fraunhofer's tag: the header of the first, nothing, and the tag."""
    kbits = 1 if data[1] & 8 else 0
    tables = {1: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320], 0: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]}
    rate = [44100, 48000, 32000][data[2] >> 2 & 3] >> (1 - kbits)
    size = (144 if kbits else 72) * 1000 * tables[kbits][(data[2] >> 4) - 1] // rate
    n = len(data) // size
    tag = b"VBRI" + struct.pack(">HHHIIHHHH", 1, 1105, 75, len(data) + size, n, 0, 1, 2, n)
    return (data[:2] + bytes([data[2] & 0xFD]) + data[3:4] + bytes(32) + tag).ljust(size, b"\0") + data


def info_field(flag, value):
    """Changes the count of frames (1) or bytes (2) of a tag, but not its sum."""

    def then(data):
        at = max(data.find(b"Xing"), data.find(b"Info")) + (8 if flag == 1 else 12)
        was = struct.unpack_from(">I", data, at)[0]
        return data[:at] + struct.pack(">I", value(was)) + data[at + 4:]

    return then


def mp3_wav(data, rate, channels, tag=0x55, tail=b""):
    form = struct.pack("<HHIIHHHHIHHH", tag, channels, rate, 8000, 1, 0, 12, 1, 2, 208, 1, 1393)
    body = b"WAVE" + chunk(b"fmt ", form) + chunk(b"fact", struct.pack("<I", 3011)) + chunk(b"data", data) + tail
    return b"RIFF" + struct.pack("<I", len(body)) + body


def joined_mp3_cases():
    def part(n, *options, rate=44100, channels=1, seed=0, then=None):
        return lambda: (then or (lambda data: data))(lame_bytes(n, channels, rate, *options, seed=seed))

    def mp3s(name, parts, rate=44100, small=False, **more):
        joined(f"mp3/mp3_{name}.mp3", "MP3", "MP3", rate, "lossy", parts, mpg123_of, ("lame", "mpg123"), "mp3", small=small, **more)

    tags = (ID3V1 + id3v2(700),)
    low = {"rate": 22050}
    a, b = part(900, "-b", 64, **low), part(1300, "-b", 56, seed=1, **low)
    mp3s("joined", [a, b], rate=22050)
    mp3s("joined_three", [a, b, a], rate=22050)
    mp3s("joined_tags", [a, b], rate=22050, between=tags, small=True)
    mp3s("joined_ape", [a, b], rate=22050, between=(struct.pack("<8sIIII8x", b"APETAGEX", 2000, 36, 1, 0xA0000000) + b"abcd" + APE[:12].ljust(32, b"\0"),))
    mp3s("joined_vbr", [part(6011, "-V", 4, channels=2), part(9011, "-V", 4, channels=2, seed=2)])
    mp3s("joined_cbr_vbr", [part(6011, "-b", 128, channels=2), part(9011, "-V", 2, channels=2, seed=2)], between=tags)
    # No tag of its own: by that of the first it begins where the count of frames and that of bytes say.
    mp3s("joined_second_bare", [a, part(1300, "-t", "-b", 56, seed=1, **low)], rate=22050, small=True)
    mp3s("joined_rate", [a, part(1300, "-b", 32, rate=24000)], rate=22050, n_heard=1, told="from 0.041 s on, of 24000 Hz and 1 channel;")
    mp3s("joined_channels", [part(6011, "-b", 64), part(6011, "-b", 128, channels=2)], n_heard=1, told="of 44100 Hz and 2 channels")
    mp3s("joined_layer", [part(6011, "-b", 64), part(6011, "-b", 64, rate=32000)], n_heard=1, told="of 32000 Hz and 1 channel")
    bare = part(900, "-t", "-b", 32, **low)
    mp3s("vbri", [lambda: vbri(bare())], rate=22050, whole=lambda _: in_a_file(bare(), "mp3", mpg123_of), small=True)
    mp3s("joined_vbri", [lambda: vbri(bare()), lambda: vbri(bare())], rate=22050,
         whole=lambda _: np.concatenate([in_a_file(bare(), "mp3", mpg123_of)] * 2))
    # One wrong field: all others are as they were, so is the sound.
    for name, then in (("count_more", info_field(1, lambda n: n + 1)), ("count_less", info_field(1, lambda n: n - 1)),
                       ("bytes_less", info_field(2, lambda n: n - 100)), ("bytes_none", info_field(2, lambda _: 0))):
        mp3s(f"field_{name}", [lambda then=then: then(a())], rate=22050, whole=lambda _: in_a_file(a(), "mp3", mpg123_of), small=name == "count_more")

    def in_wav(name, data, tail=b"", tag=0x55, small=False, rate=22050, **more):
        def make(path):
            with open(path, "wb") as file:
                file.write(mp3_wav(data(), rate, 1, tag, tail))
            return in_a_file(data(), "mp3", mpg123_of)

        add(f"wav/{name}.wav", "WAV", "MP3" if tag == 0x55 else "MP2", make, rate, "lossy", needs=("lame", "mpg123"), small=small, told="", **more)

    in_wav("mp3_with_tag", a)
    in_wav("mp3_small", bare, small=True)
    in_wav("mp3_chunks_behind", bare, tail=ODD)

    def mp2():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "part.mp2")
            encoded(path, music(3011, 1, 44100), 44100, (*FFMPEG, "-c:a", "mp2", "-b:a", "64k", "{out}"))
            with open(path, "rb") as file:
                return file.read()

    in_wav("mp2", mp2, tag=0x50, rate=44100)

    def adts(n):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "part.aac")
            encoded(path, music(n, 1, 44100), 44100, (*FFMPEG, "-c:a", "aac", "-aac_pns", "0", "-b:a", "64k", "{out}"))
            with open(path, "rb") as file:
                return file.read()

    def segment(index):
        """Half of a stream's frames: segments are cut out of one stream, whose decoder goes on from each to the next."""
        data, at = adts(8000), 0
        for _ in range(4):
            at += (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
        return data[at:] if index else data[:at]

    def through_ffmpeg(data):
        return in_a_file(b"".join(data), "aac", lambda path: ffmpeg_decode(path, 1))

    for name, between in (("joined", b""), ("joined_tags", id3v2(63))):
        joined(f"adts/aac_{name}.aac", "ADTS", "AAC", 44100, "lossy", [lambda: segment(0), lambda: segment(1)], None, ("ffmpeg",), "aac",
               between=(between,), whole=through_ffmpeg, small=name == "joined_tags")


def joined_ogg_cases():
    def vorbis(n, rate=44100, channels=1, seed=0):
        def part():
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "part.ogg")
                samples = music(n + 400 * seed, channels, rate, 0.2)[400 * seed:]
                encoded(path, samples, rate, ("oggenc", "-Q", "-s", 7 + seed, "-q", 0, "{in}", "-o", "{out}"))
                with open(path, "rb") as file:
                    return file.read()

        return part

    def oggs(name, parts, rate=44100, small=False, **more):
        joined(f"vorbis/vorbis_{name}.ogg", "Ogg", "Vorbis", rate, "lossy", parts, oggdec_of, ("oggenc", "oggdec"), "ogg", small=small,
               # oggdec rounds to 16 bits.
               tolerance=6e-5, **more)

    oggs("chained", [vorbis(900, 8000), vorbis(1300, 8000, seed=1)], rate=8000, small=True)
    oggs("chained_same_serial", [vorbis(900), vorbis(900)])
    oggs("chained_three", [vorbis(9011, channels=2), vorbis(6011, channels=2, seed=1), vorbis(30011, channels=2, seed=2)])
    oggs("chained_rate", [vorbis(900, 8000), vorbis(900, 11025, seed=1)], rate=8000, n_heard=1, told="from 0.113 s on, of 11025 Hz and 1 channel;")
    oggs("chained_channels", [vorbis(900), vorbis(900, channels=2, seed=1)], n_heard=1, told="of 44100 Hz and 2 channels")

    def opus(n, channels=1, seed=0):
        def part():
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "part.opus")
                samples = music(n + 400 * seed, channels, 48000, 0.2)[400 * seed:]
                encoded(path, samples, 48000, ("opusenc", "--quiet", "--discard-comments", "--serial", str(7 + seed), "--bitrate", "32", "{in}", "{out}"))
                with open(path, "rb") as file:
                    return file.read()

        return part

    def opuses(name, parts, channels=1, small=False, **more):
        joined(f"opus/opus_{name}.opus", "Ogg", "Opus", 48000, "lossy", parts, lambda path: opusdec(path, channels), ("opusenc", "opusdec"), "opus",
               small=small, **more)

    opuses("chained", [opus(1000), opus(2000, seed=1)], small=True)
    opuses("chained_three", [opus(12011), opus(9011, seed=1), opus(100, seed=2)])
    opuses("chained_channels", [opus(1000), opus(2000, 2, seed=1)], n_heard=1, told="of 48000 Hz and 2 channels")

    def oggflac(n, rate=44100, seed=0):
        def part():
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "part.oga")
                flac_encode(integers(n, 1, 16, seed), 16, rate, path, "--no-padding", f"--serial-number={8 + seed}", ogg=True)
                with open(path, "rb") as file:
                    return file.read()

        return part

    def oggflacs(name, parts, small=False, **more):
        joined(f"oggflac/flac16_{name}.oga", "Ogg FLAC", "flac16", 44100, "16", parts, flac_of, ("flac",), "oga", small=small, **more)

    oggflacs("chained", [oggflac(400), oggflac(300, seed=1)], small=True)
    oggflacs("chained_rate", [oggflac(900), oggflac(700, 48000, seed=1)], n_heard=1, told="from 0.020 s on, of 48 kHz and 1 channel;")


# ------------------------------------------------------------------------------------------------------------- refused


def refused(name, container, data, says, why, small=True):
    def make(path):
        with open(path, "wb") as file:
            file.write(data)

    add(f"refused/{name}", container, "refused", make, 0, "", expect="refused", says=says, why=why, small=small)


def refused_by_ffmpeg(name, container, options, says, why, channels=1):
    def make(path):
        encoded(path, music(4000, channels, 44100), 44100, (*FFMPEG, *options, "{out}"))

    add(f"refused/{name}", container, "refused", make, 0, "", needs=("ffmpeg",), expect="refused", says=says, why=why)


def refused_cases():
    sound = Sound("s16le", 20, 33)
    refused("33_channels.wav", "WAV", wav(sound, 48000, 40), "at most 32", "32 channels at most")
    sound = Sound("s16le", 20, 1)
    refused("rate_3999.wav", "WAV", wav(sound, 3999), "3.999 kHz", "4 kHz at least")
    refused("rate_768001.wav", "WAV", wav(sound, 768001), "768.001 kHz", "768 kHz at most")
    refused("empty.wav", "nothing", b"", "empty", "nothing is in it")
    refused("text.wav", "nothing", b"This is a letter, not a sound.\n" * 9, "not audio", "no sound file at all")
    refused("header_only.wav", "WAV", wav(sound, 48000)[:44], "no samples", "no samples")
    refused("cut_header.wav", "WAV", wav(sound, 48000)[:24], "header", "cut inside its header")
    refused("rifx.wav", "WAV", b"RIFX" + struct.pack(">I", 44) + b"WAVE" + chunk(b"fmt ", struct.pack(">HHIIHH", 1, 1, 8000, 16000, 2, 16), order=">")
            + chunk(b"data", bytes(16), order=">"), "RIFX", "rare")
    refused("gsm.wav", "WAV", wav(sound, 8000).replace(b"fmt \x10\0\0\0\1\0", b"fmt \x10\0\0\0\x31\0"), "GSM", "telephone codec without a decoder here")
    for start, name, says in ((b"wvpk", "wavpack.wv", "WavPack"), (b"MAC ", "monkey.ape", "Monkey"), (b"TTA1", "tta.tta", "True Audio"),
                              (b"MPCK", "musepack.mpc", "Musepack"), (b"DSD ", "dsd.dsf", "DSD"), (b"FRM8", "dsd.dff", "DSD"), (b"#!AMR\n", "amr.amr", "AMR"),
                              (b"MThd", "notes.mid", "MIDI"), (b"\x1a\x45\xdf\xa3", "video.mkv", "Matroska"), (b"ADIF", "old.aac", "ADIF"),
                              (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "media.wma", "Windows Media")):
        refused(name, says, start + noise_bytes(400), says, "no decoder here reads it", small=start in (b"wvpk", b"ADIF"))
    for name, options, says in (("real.wv", ("-c:a", "wavpack"), "WavPack"), ("real.tta", ("-c:a", "tta"), "True Audio"), ("real.mkv", ("-c:a", "flac"), "Matroska"),
                                ("real.wma", ("-c:a", "wmav2"), "Windows Media"), ("real_speex.ogg", ("-c:a", "libspeex", "-ar", "16000"), "Speex"),
                                ("real_ac3.mp4", ("-c:a", "ac3"), "AC-3|MP4"), ("real_adpcm.aifc", ("-c:a", "adpcm_ima_qt"), "AIFF"),
                                ("real_g722.wav", ("-c:a", "g722", "-ar", "16000"), "WAV"), ("real_ac3.wav", ("-c:a", "ac3"), "AC-3|WAV"),
                                ("real_webm.webm", ("-c:a", "libopus"), "Matroska|WebM")):
        refused_by_ffmpeg(name, "refused", options, says, "no decoder here reads it")


def he_aac_case():
    """High Efficiency by its header: a plain file whose description says that its upper half is coded apart."""

    def make(path):
        encoded(path, music(3000, 1, 22050), 22050, (*FFMPEG, "-c:a", "aac", "{out}"))
        with open(path, "rb") as file:
            data = file.read()
        at = data.index(b"\x05\x80\x80\x80") + 4
        # AAC-SBR, 22,050 Hz, one channel, 44,100 Hz, over Low Complexity.
        bits = ("00101" "0111" "0001" "0100" "00010" "000").ljust(8 * data[at], "0")
        with open(path, "wb") as file:
            file.write(data[:at + 1] + int(bits, 2).to_bytes(data[at], "big") + data[at + 1 + data[at]:])

    add("refused/he_aac.m4a", "MP4", "refused", make, 0, "", needs=("ffmpeg",), expect="refused", says="AAC", why="its upper half would be missing",
        small=True)


def all_cases():
    if not CASES:
        for group in (wav_cases, plain_container_cases, flac_cases, mp4_cases, aac_cases, mp3_cases, ogg_cases, joined_flac_cases, joined_mp3_cases, joined_ogg_cases, refused_cases, he_aac_case):
            group()
    return CASES


# ------------------------------------------------------------------------------------------------------- making a folder


def missing(case):
    found = {"libsndfile": soundfile is not None}
    return [need for need in case.needs if not found.get(need, tool(need))]


def witness(case, path, samples):
    """What FFmpeg and libsndfile say of a lossless file."""
    out = {}
    for name in ("ffmpeg", "libsndfile"):
        if name == "libsndfile" and not soundfile or name == "ffmpeg" and not tool("ffmpeg"):
            continue
        try:
            found = ffmpeg_decode(path, samples.shape[1]) if name == "ffmpeg" else libsndfile_decode(path)
        except Exception as error:  # Whatever goes wrong in them is only told.
            out[name] = f"does not open it: {str(error).splitlines()[-1][-120:]}"
            continue
        out[name] = "agrees" if agrees(found, samples, 0.0) is None else agrees(found, samples, 0.0)
    return out


def agrees(found, wanted, tolerance):
    """None, or how they differ."""
    if found.shape[1] != wanted.shape[1]:
        return f"{found.shape[1]} channels, not {wanted.shape[1]}"
    if len(found) != len(wanted):
        return f"{len(found)} frames, not {len(wanted)}"
    worst = float(np.max(np.abs(found - wanted), initial=0.0))
    # No number is not within it either.
    return None if worst <= tolerance else f"differs by {worst:.3g}"


def make_one(case, folder):
    path = os.path.join(folder, case.name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    entry = {"name": case.name, "container": case.container, "codec": case.codec, "expect": case.expect, "tolerance": case.tolerance,
             "depth": case.depth, "rate": case.rate}
    for key in ("says", "why", "about", "told"):
        if getattr(case, key) is not None:
            entry[key] = getattr(case, key)
    lacking = missing(case)
    if lacking:
        return entry | {"skipped": "needs " + ", ".join(lacking)}
    try:
        samples = case.make(path)
    except Exception as error:
        return entry | {"broken": f"could not be made: {error}"[:300]}
    if samples is None:
        return entry
    samples = np.asarray(samples, np.float64).reshape(len(samples), -1)
    entry |= {"frames": len(samples), "channels": samples.shape[1], "frames_too": list(case.frames_too)}
    reference = os.path.join(folder, "references", case.name + ".npy")
    os.makedirs(os.path.dirname(reference), exist_ok=True)
    np.save(reference, samples if case.depth != "lossy" else samples.astype(np.float32))
    if case.depth != "lossy" and "ADPCM" not in case.codec:
        entry["witnesses"] = witness(case, path, samples)
    return entry


def make_all(folder, only=None):
    os.makedirs(folder, exist_ok=True)
    cases = [case for case in all_cases() if not only or re.search(only, case.name)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        entries = list(pool.map(lambda case: make_one(case, folder), cases))
    manifest = os.path.join(folder, "manifest.json")
    if only and os.path.exists(manifest):
        with open(manifest) as file:
            others = json.load(file)
        made = {entry["name"]: entry for entry in entries}
        names = {entry["name"] for entry in others}
        known = {case.name for case in all_cases()}
        entries = [made.get(entry["name"], entry) for entry in others if entry["name"] in known]
        entries += [entry for name, entry in made.items() if name not in names]
    with open(manifest, "w") as file:
        json.dump(entries, file, indent=1)
    return entries


# ----------------------------------------------------------------------------------------------------------- comparing


def diagnosis(found, wanted, tolerance):
    """None, or in what way a decode is wrong: a shift and a swap are told as such."""
    plainly = agrees(found, wanted, tolerance)
    if plainly is None:
        return None
    hints = []
    if found.shape[1] != wanted.shape[1]:
        return plainly
    n = min(len(found), len(wanted))
    if n > 100:
        near = max(tolerance, 1e-9) * 10

        def close(a, b):
            return len(a) > 50 and float(np.max(np.abs(a - b))) <= near

        if len(found) != len(wanted) and close(found[:n], wanted[:n]):
            hints.append("what both have is right")
        for shift in [*range(1, 40), 64, 128, 192, 256, 312, 448, 512, 529, 576, 1024, 1105, 1152, 2048, 2112, 4096]:
            if shift + 60 > n:
                break
            m = min(len(found) - shift, len(wanted))
            if close(found[shift:shift + m], wanted[:m]):
                hints.append(f"{shift} late")
            m = min(len(wanted) - shift, len(found))
            if close(found[:m], wanted[shift:shift + m]):
                hints.append(f"{shift} early")
        if found.shape[1] > 1 and not hints:
            order = []
            for channel in range(found.shape[1]):
                same = [c for c in range(wanted.shape[1]) if close(found[:n, channel], wanted[:n, c])]
                order.append(str(same[0]) if same else "?")
            if any(name != "?" for name in order) and order != [str(c) for c in range(found.shape[1])]:
                hints.append("channels are " + " ".join(order))
    if not hints and n > 0:
        off = np.flatnonzero(np.max(np.abs(found[:n] - wanted[:n]), axis=1) > tolerance)
        if len(off):
            hints.append(f"{len(off)} of {n} frames, from {off[0]} to {off[-1]}")
    return plainly + (f" ({'; '.join(hints)})" if hints else "")


def call(program, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SONOBRUSH_", "XDG_"))}
    environment["SONOBRUSH_ENGINE"] = "cpu"
    environment["HOME"] = SCRATCH
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, env=environment)


SCRATCH = None


def judge(entry, folder, program):
    """What is wrong with how the program opens a file, or nothing, and the largest difference; notices too."""
    path = os.path.join(folder, entry["name"])
    info = call(program, "info", path, "--json")
    if info.returncode not in (0, 1):
        return f"exit code {info.returncode}: {info.stderr.strip()[-200:]}", None, None
    if info.returncode == 1:
        line = info.stderr.strip().replace(path, "FILE")
        if info.stderr.count("\n") != 1 or "panick" in line:
            return f"is not refused in one line: {line[-200:]}", None, None
        if entry["expect"] == "opens":
            return f"is refused: {line}", None, None
        # Of what may be refused, any sentence will do; of what must be, it has to say why.
        if entry["expect"] == "refused" and entry.get("says") and not re.search(entry["says"], line):
            return f"is refused, but not for '{entry['says']}': {line}", None, None
        return None, None, "refused"
    if entry["expect"] == "refused":
        return "opens, and should be refused", None, None
    found = json.loads(info.stdout)
    told = "; ".join(found["notices"])
    wrong = [f"{name} is {found[name]}, not {entry[key]}" for name, key in (("sample_rate", "rate"), ("channels", "channels")) if found[name] != entry[key]]
    frames = [entry["frames"], *entry.get("frames_too", [])]
    if found["frames"] not in frames:
        wrong.append(f"{found['frames']} frames, not {entry['frames']}")
    target = os.path.join(SCRATCH, hashlib.sha1(entry["name"].encode()).hexdigest() + ".wav")
    script = os.path.join(SCRATCH, "nothing.json")
    painted = call(program, "paint", path, "--script", script, "-o", target, "--format", "source", "--dither", "none")
    if painted.returncode:
        return f"paint fails: {painted.stderr.strip()[-200:]}", None, None
    samples, rate = read_wav(target)
    os.remove(target)
    wanted = np.load(os.path.join(folder, "references", entry["name"] + ".npy")).astype(np.float64)
    if found["frames"] in frames and found["frames"] != entry["frames"]:
        n = min(len(samples), len(wanted))
        samples, wanted = samples[:n], wanted[:n]
    different = diagnosis(samples, wanted, entry["tolerance"])
    if different:
        wrong.append(different)
    if "told" in entry and (entry["told"] not in told or not entry["told"] and told):
        wrong.append(f"tells '{told}', not '{entry['told']}'")
    if wrong:
        return "; ".join(dict.fromkeys(wrong)) + (f" [told: {told}]" if told else ""), None, None
    # The control: neither a shift by one sample nor a swap of two channels may pass.
    if len(wanted) > 20:
        if agrees(samples[1:], wanted[:-1], entry["tolerance"]) is None:
            return "a planted shift by one sample is not seen", None, None
        channels = wanted.shape[1]
        if channels > 1 and agrees(samples, wanted[:, [1, 0, *range(2, channels)]], entry["tolerance"]) is None:
            return "two swapped channels are not seen", None, None
    depth = entry["depth"]
    stated = re.search(r"(\d+) bit( float)?", found["format"])
    if stated and depth not in ("lossy", "") and (stated[2] is not None, stated[1]) != (depth[0] == "f", depth.strip("f")):
        return f"says '{found['format']}', not {depth}", None, None
    worst = float(np.max(np.abs(samples - wanted), initial=0.0))
    return None, worst, told or None


def compare(folder, program, entries, only=None, quiet=False):
    global SCRATCH
    rows, failures, skipped, told = {}, [], [], []
    n_controls = 0
    with tempfile.TemporaryDirectory() as scratch:
        SCRATCH = scratch
        with open(os.path.join(scratch, "nothing.json"), "w") as file:
            json.dump({"version": 1, "edits": []}, file)

        def one(entry):
            try:
                return judge(entry, folder, program)
            except Exception as error:
                return f"{type(error).__name__}: {error}", None, None

        entries = [entry for entry in entries if not only or re.search(only, entry["name"])]
        made = [entry for entry in entries if "skipped" not in entry and "broken" not in entry]
        failures = [f"{entry['name']}: {entry['broken']}" for entry in entries if "broken" in entry]
        skipped = [entry for entry in entries if "skipped" in entry]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(one, made))
    for entry, (wrong, worst, note) in zip(made, outcomes):
        row = rows.setdefault((entry["container"], entry["codec"]), {"passed": 0, "failed": 0, "refused": 0, "worst": 0.0, "witness": {}})
        row["failed" if wrong else "passed"] += 1
        row["refused"] += note == "refused"
        row["worst"] = max(row["worst"], worst or 0.0)
        n_controls += worst is not None and entry["frames"] > 20
        for name, says in entry.get("witnesses", {}).items():
            count = row["witness"].setdefault(name, [0, 0])
            count[0] += says == "agrees"
            count[1] += 1
        if wrong:
            failures.append(f"{entry['name']}: {wrong}")
        elif note and note != "refused":
            told.append(f"{entry['name']}: {note}")
    print(f"{'container':10} {'codec':16} {'passed':>6} {'failed':>6} {'refused':>7} {'worst':>8}  FFmpeg  libsndfile")
    for (container, codec), row in sorted(rows.items()):
        agree = [f"{row['witness'][name][0]}/{row['witness'][name][1]}" if name in row["witness"] else "-" for name in ("ffmpeg", "libsndfile")]
        print(f"{container:10} {codec:16} {row['passed']:6} {row['failed']:6} {row['refused']:7} {row['worst']:8.1e}  {agree[0]:7} {agree[1]}")
    if not quiet:
        for line in told:
            print("told:", line)
    for line in failures:
        print("FAILED", line)
    for entry in skipped:
        print("skipped", entry["name"] + ":", entry["skipped"])
    print(f"controls: a shift by one sample and swapped channels were caught in {n_controls} files")
    print(f"skipped {len(skipped)}")
    print(f"{sum(row['passed'] for row in rows.values())} passed, {len(failures)} failed")
    return not failures


# ------------------------------------------------------------------------------------------------------- the selection

MOST_BYTES = 300_000
# Frames of each window of a reference that is no formula: at the start, in the middle and at the end.
WINDOW = 64


def select(target):
    """Writes the small files, what they must be, and the references of those that are no formula."""
    cases = [case for case in all_cases() if case.small]
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            entries = list(pool.map(lambda case: make_one(case, folder), cases))
        lacking = [f"{entry['name']}: {entry.get('skipped') or entry['broken']}" for entry in entries if {"skipped", "broken"} & entry.keys()]
        if lacking:
            print("\n".join(lacking))
            return 1
        shutil.rmtree(target, ignore_errors=True)
        words, lines = b"", []
        for case, entry in zip(cases, entries):
            os.makedirs(os.path.join(target, os.path.dirname(entry["name"])), exist_ok=True)
            shutil.copyfile(os.path.join(folder, entry["name"]), os.path.join(target, entry["name"]))
            kept = {key: entry[key] for key in ("name", "codec", "expect")}
            if entry["expect"] == "refused":
                kept["says"] = entry["says"]
            else:
                kept |= {key: entry[key] for key in ("frames", "rate", "channels", "depth", "tolerance", "told") if key in entry}
                if case.formula:
                    kept["formula_bits"] = case.formula
                else:
                    samples = np.load(os.path.join(folder, "references", entry["name"] + ".npy"))
                    n = min(WINDOW, len(samples))
                    firsts = sorted({0, len(samples) // 2 - n // 2, len(samples) - n})
                    kept |= {"windows": firsts, "window_frames": n, "word": len(words) // 4}
                    for first in firsts:
                        values = samples[first:first + n].T
                        if entry["depth"] == "lossy":
                            words += values.astype("<f4").tobytes()
                        else:
                            words += np.round(values * 2.0 ** (int(entry["depth"]) - 1)).astype("<i4").tobytes()
            lines.append(json.dumps(kept))
    with open(os.path.join(target, "references.bin"), "wb") as file:
        file.write(words)
    with open(os.path.join(target, "manifest.json"), "w") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")
    n_bytes = sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(target) for name in names)
    print(f"{len(entries)} files, {n_bytes} bytes")
    return 0 if n_bytes <= MOST_BYTES else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="where the files are, or are made")
    parser.add_argument("--program", help="the sonobrush to judge")
    parser.add_argument("--only", help="a regular expression of names")
    parser.add_argument("--again", action="store_true", help="make the files even if they are there")
    parser.add_argument("--quiet", action="store_true", help="do not print notices of files that pass")
    parser.add_argument("--select", metavar="FOLDER", help="write the small selection there")
    arguments = parser.parse_args()
    if arguments.select:
        return select(arguments.select)
    if not arguments.folder:
        parser.error("a folder is needed")
    manifest = os.path.join(arguments.folder, "manifest.json")
    if arguments.again or not os.path.exists(manifest):
        entries = make_all(arguments.folder, arguments.only)
    else:
        with open(manifest) as file:
            entries = json.load(file)
    n_skipped, n_broken = (sum(key in entry for entry in entries) for key in ("skipped", "broken"))
    print(f"{len(entries) - n_skipped - n_broken} files made, {n_skipped} skipped, {n_broken} could not be made")
    if arguments.program and not compare(arguments.folder, os.path.abspath(arguments.program), entries, arguments.only, arguments.quiet):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
