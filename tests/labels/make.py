#!/usr/bin/env python3
"""Writes the label files beside it, byte by byte: a marker `p` at 0.5 s, and `a "b"` from 1.0 to 1.5 s, 2,000 to 4,500.5 Hz,
of a sound of 48 kHz. Beside each kind: other line ends, byte order marks, decimal commas and odd contents."""

import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))


def put(name, data):
    with open(os.path.join(HERE, name), "wb") as out:
        out.write(data.encode() if isinstance(data, str) else data)


def variants(stem, ending, text, has_line_ends=True):
    put(f"{stem}.{ending}", text)
    if has_line_ends:
        put(f"{stem}_crlf.{ending}", text.replace("\n", "\r\n"))
        put(f"{stem}_cr.{ending}", text.replace("\n", "\r"))
        put(f"{stem}_no_last_newline.{ending}", text.rstrip("\n"))
    put(f"{stem}_bom.{ending}", b"\xef\xbb\xbf" + text.encode())
    put(f"{stem}_utf16le.{ending}", b"\xff\xfe" + text.encode("utf-16-le"))
    put(f"{stem}_utf16be.{ending}", b"\xfe\xff" + text.encode("utf-16-be"))


# Our own CSV.
HEAD = "file,channel,start_s,end_s,low_hz,high_hz,label,confidence,colour,id\n"
variants("csv", "csv", HEAD + 'a.wav,,0.5,0.5,,,p,,,1\na.wav,,1.0,1.5,2000.0,4500.5,"a ""b""",,,2\n')
put(
    "csv_semicolons_and_commas.csv",
    'file;channel;start_s;end_s;low_hz;high_hz;label;confidence;colour;id\na.wav;;0,5;0,5;;;p;;;1\n'
    'a.wav;;1,0;1,5;2000,0;4500,5;"a ""b""";;;2\n',
)
put(
    "csv_odd.csv",
    HEAD.rstrip("\n") + ",note\n"
    + "a.wav,0,-0.25,0.5,,,,0.5,3,1,\n"
    + "a.wav,1,1.5,1.0,2000.0,,\"two\nlines\tand a tab\",,,2,x\n"
    + "b.wav,,9.0,9.5,,,of another file,,,3,\n",
)
# Others' tables.
put(
    "birdnet.csv",
    "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
    "0.0,3.0,Turdus merula,Eurasian Blackbird,0.8731,/data/a.wav\n"
    "3.0,6.0,Parus major,Great Tit,0.4,/data/a.wav\n"
    "0.0,3.0,Corvus corax,Common Raven,0.9,/data/b.wav\n",
)
put(
    "generic_seq.csv",
    "label,onset_s,offset_s,onset_sample,offset_sample,notated_path,annot_path,sequence,annotation\n"
    "a,1.0,1.5,48000,72000,/data/a.wav,/data/a.csv,0,0\n"
    "b,,,96000,120000,/data/a.wav,/data/a.csv,0,0\n",
)
put("whisper.tsv", "start\tend\ttext\n0\t1500\tHello there.\n1500\t2250\tYes, it is.\n")

# Audacity.
AUD = '0.500000\t0.500000\tp\n1.000000\t1.500000\ta "b"\n\\\t2000.000000\t4500.500000\n'
variants("aud", "txt", AUD)
put("aud_commas.txt", '0,500000\t0,500000\tp\n1,000000\t1,500000\ta "b"\n\\\t2000,000000\t4500,500000\n')
put(
    "aud_odd.txt",
    "0.5\tp\n1.5\t1.0\treversed\n-0.25\t0.5\t\n2\t\t\t3\truns\tof tabs\n\\\t-1\t4500.5\n4\t5\tother lines\n\\x\t7\n6\t7\tlatin\n",
)
put("aud_1252.txt", "0.5\t1.0\tfa\u00e7ade \u2013 \u20ac\n".encode("cp1252"))

# Raven.
RHEAD = "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tAnnotation\tConfidence"
variants(
    "raven",
    "selections.txt",
    RHEAD + "\tNo Band\tsonobrush id\n"
    '1\tSpectrogram 1\t1\t0.5\t0.5\t0.0\t24000.0\tp\t\t1\t1\n'
    '2\tSpectrogram 1\t1\t1.0\t1.5\t2000.0\t4500.5\ta "b"\t\t\t2\n',
)
put("raven_commas.selections.txt", RHEAD + "\n1\tSpectrogram 1\t2\t1,0\t1,5\t2000,0\t4500,5\ta\t0,5\n")
put(
    "raven_views.selections.txt",
    "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tSpecies\tQuality\n"
    "1\tWaveform 1\t1\t1.5\t1.0\t0\t24000\t\tgood\n"
    "1\tSpectrogram 1\t1\t1.5\t1.0\t2000\t4500.5\tcat\tgood\n"
    "2\tWaveform 1\t2\t-0.25\t3.0\t0\t24000\tdog\t\n",
)
put(
    "raven_birdnet.selections.txt",
    "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tCommon Name\tSpecies Code"
    "\tConfidence\tBegin Path\tFile Offset (s)\n"
    "1\tSpectrogram 1\t1\t0.0\t3.0\t0\t15000\tBlackbird\teurbla\t0.9\t/data/b.wav\t0.0\n"
    "2\tSpectrogram 1\t1\t103.0\t106.0\t0\t15000\tGreat Tit\tgretit1\t0.5\t/data/a.wav\t3.0\n",
)
put(
    "raven_files.selections.txt",
    "Selection\tBegin Time (s)\tEnd Time (s)\tBegin File\n1\t0.0\t3.0\tb.wav\n2\t103.0\t106.0\ta.wav\n",
)

# TextGrid.
GRID = (
    '"ooTextFile"\n"TextGrid"\n0 2 <exists> 2 "IntervalTier" "labels" 0 2 3 0 1 "" 1 1.5 "a ""b""" 1.5 2 "" '
    '"TextTier" "markers" 0 2 1 0.5 "p"\n'
)
variants("grid_short", "TextGrid", GRID)
LONG = '''File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0 
xmax = 2 
tiers? <exists> 
size = 2 
item []: 
    item [1]:
        class = "IntervalTier" 
        name = "labels" 
        xmin = 0 
        xmax = 2 
        intervals: size = 3 
        intervals [1]:
            xmin = 0 
            xmax = 1 
            text = "" 
        intervals [2]:
            xmin = 1 
            xmax = 1.5 
            text = "a ""b""" ! 7 "no"
        intervals [3]:
            xmin = 1.5 
            xmax = 2 
            text = "" 
    item [2]:
        class = "TextTier" 
        name = "markers" 
        xmin = 0 
        xmax = 2 
        points: size = 1 
        points [1]:
            number = 0.5 
            mark = "p" 
'''
variants("grid_long", "TextGrid", LONG)
put(
    "grid_chronological.TextGrid",
    '"Praat chronological TextGrid text file"\n0 2   ! Time domain.\n2   ! Number of tiers.\n"IntervalTier" "labels" 0 2\n'
    '"TextTier" "markers" 0 2\n1 0 1\n""\n\n2 0.5\n"p"\n\n1 1 1.5\n"a ""b"""\n\n1 1.5 2\n""\n',
)


def text(value):
    try:
        data = value.encode("ascii")
        return struct.pack(">H", len(data)) + data
    except UnicodeEncodeError:
        data = value.encode("utf-16-be")
        return struct.pack(">HH", 0xFFFF, len(data) // 2) + data


def binary(first_tier, first_text):
    grid = b"ooBinaryFile\x08TextGrid" + struct.pack(">ddBi", 0, 2, 1, 2)
    grid += b"\x0cIntervalTier" + text(first_tier) + struct.pack(">ddi", 0, 2, 3)
    for start, end, mark in [(0, 1, ""), (1, 1.5, first_text), (1.5, 2, "")]:
        grid += struct.pack(">dd", start, end) + text(mark)
    grid += b"\x08TextTier" + text("markers") + struct.pack(">ddi", 0, 2, 1) + struct.pack(">d", 0.5) + text("p")
    return grid


put("grid_binary.TextGrid", binary("labels", 'a "b"'))
put("grid_binary_unicode.TextGrid", binary("labels", "\u0251\u02d0 \U0001f426"))
put("grid_odd.TextGrid", '"ooTextFile"\n"TextGrid"\n-1 2 <exists> 1 "IntervalTier" "x" -1 2 2 1.5 1 "two\nlines\t" -0.25 0.5 "y"\n')
put("grid_comma.TextGrid", '"ooTextFile"\n"TextGrid"\n0 2 <exists> 1 "TextTier" "x" 0 2 1 1,25 "p"\n')
put("grid_latin1.TextGrid", '"ooTextFile"\n"TextGrid"\n0 2 <exists> 1 "TextTier" "x" 0 2 1 0.5 "\u00fcber"\n'.encode("latin-1"))

# Subtitles.
SRT = '1\n00:00:00,500 --> 00:00:00,501\np\n\n2\n00:00:01,000 --> 00:00:01,500\na "b"\n\n'
variants("srt", "srt", SRT)
put("srt_odd.srt", "7\n00:00:01,500 --> 00:00:01,000\n<i>two</i>\nlines\n\n8\n01:00:00,000 --> 01:00:02.250\n\n")
VTT = 'WEBVTT\n\nNOTE made by hand\nand skipped\n\n1\n00:00.500 --> 00:00.501\np\n\n00:00:01.000 --> 00:00:01.500 align:start\na "b"\n\n'
variants("vtt", "vtt", VTT)
put("vtt_odd.vtt", "WEBVTT - a title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\n00:02.000 --> 00:03.000\n<v Bob>A &amp; B --&gt; C\n")

# Cues of a WAV file, as they stand behind the samples.
def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def cue(places):
    data = struct.pack("<I", len(places))
    for number, sample in places:
        data += struct.pack("<II4sIII", number, sample, b"data", 0, 0, sample)
    return chunk(b"cue ", data)


def labl(number, value, pads=True):
    whole = chunk(b"labl", struct.pack("<I", number) + value + b"\0")
    return whole if pads or len(value) % 2 else whole[:-1]


def ltxt(number, length, value=b""):
    return chunk(b"ltxt", struct.pack("<II4sHHHH", number, length, b"rgn ", 0, 0, 0, 65001) + value)


PLACES = cue([(1, 24000), (2, 48000)])
put("cue.chunks", PLACES + chunk(b"LIST", b"adtl" + labl(1, b"p") + labl(2, b'a "b"') + ltxt(2, 24000)))
# Texts first, no padding, a length past the end, a name of Windows-1252, a loop and a note of others.
odd = b"adtl" + labl(2, b"na\xefve", False) + ltxt(2, 24000) + chunk(b"note", struct.pack("<I", 1) + b"loud\0")
odd += b"labl" + struct.pack("<II", 4000, 1) + b"p"
smpl = struct.pack("<9I", 0, 0, 20833, 60, 0, 0, 0, 1, 0) + struct.pack("<6I", 1, 0, 48000, 71999, 0, 0)
put("cue_odd.chunks", chunk(b"LIST", odd) + PLACES + chunk(b"smpl", smpl))
