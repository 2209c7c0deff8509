"""Reads what `sonobrush features` wrote as users do, with NumPy and pyarrow, and checks that it all fits together.

    pip install numpy pyarrow
    python tests/reference/check_features.py OUT
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

out = Path(sys.argv[1])
report = json.loads((out / "features.json").read_text())
features = np.load(out / "features.npy", mmap_mode="r")
mapping = np.load(out / "mapping.npy", mmap_mode="r")
files = pq.read_table(out / "files.parquet")

types = {
    "file": pa.int64(), "path": pa.string(), "path_bytes": pa.binary(), "bytes": pa.int64(), "modified_ns": pa.int64(),
    "blake3": pa.string(), "rate": pa.int64(), "channels": pa.int64(), "samples": pa.int64(), "padded": pa.bool_(),
    "cut": pa.bool_(), "error": pa.string(), "first_row": pa.int64(), "n_rows": pa.int64(),
}
assert {field.name: field.type for field in files.schema} == types, files.schema
assert list(features.shape) == report["shape"] and features.dtype == np.dtype("<f2"), features.shape
assert mapping.shape == (len(features), 6) and mapping.dtype == np.dtype("<i8")
assert files.num_rows == report["files"]

columns = {name: files[name].to_pylist() for name in types}
row = 0
for file in range(files.num_rows):
    first, n = columns["first_row"][file], columns["n_rows"][file]
    assert columns["file"][file] == file and first == row, (file, first, row)
    rows = mapping[first:first + n]
    assert (rows[:, 0] == np.arange(first, first + n)).all() and (rows[:, 1] == file).all()
    assert (columns["path"][file] is None) == (columns["path_bytes"][file] is not None)
    failed = columns["error"][file] is not None
    for name in ("rate", "channels", "samples", "padded", "cut"):
        assert (columns[name][file] is None) == failed, (file, name)
    if failed:
        assert (features[first:first + n] == features.dtype.type(-100)).all(), file
    row += n
assert row == len(features)
assert sum(error is not None for error in columns["error"]) == len(report["failures"])
assert sum(flag is True for flag in columns["padded"]) == report["padded"]
assert sum(flag is True for flag in columns["cut"]) == report["cut"]
print(f"{out}: {files.num_rows} files, {len(features)} rows, pyarrow {pa.__version__}: as it should be")
