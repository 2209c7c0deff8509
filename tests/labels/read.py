#!/usr/bin/env python3
"""Reads what `sonobrush labels` wrote in the folder given: with pandas and, where it is, with crowsetta. Fails where either
does not find what was written: a marker `p`, and `a "b", u` with its band."""

import os
import sys

import pandas

os.chdir(sys.argv[1])
table = pandas.read_csv("own.csv")
assert list(table.label) == ["p", 'a "b", \u00fc', "two\nlines"], list(table.label)
assert list(table.start_s) == [0.5, 1.0, 1.25] and table.start_s.dtype == float, table.start_s
assert table.high_hz[1] == 4500.5 and table.id.dtype == int, table
try:
    import crowsetta
except ImportError:
    sys.exit(77)
read = {
    name: crowsetta.Transcriber(format=name).from_file(path)
    for name, path in [
        ("generic-seq", "seq.csv"),
        ("aud-seq", "plain.txt"),
        ("aud-bbox", "all.txt"),
        ("raven", "r.selections.txt"),
        ("textgrid", "g.TextGrid"),
    ]
}
boxes = read["raven"].df
assert list(boxes["begin_time_s"]) == [0.5, 1.0, 1.25], boxes
