//! The WGSL of every pipeline: files from `shaders/` with shared functions prepended as text, and the generated FFTs.
//! Constants from Rust precede all of them.

use super::fft::{self, FftShader};
use super::fft_text;
use crate::dsp::cells::polar;
use crate::dsp::kernels::{AnyCellKernel, CellProgram, ShaderPart};
use crate::dsp::numeric::{exp2, log2};
use crate::dsp::{kernels, voices};
use std::borrow::Cow;
use std::f32::consts::LN_2;
use std::sync::LazyLock;

const CELLS: &str = include_str!("../../../../shaders/common/cells.wgsl");
const WRITTEN: &str = include_str!("../../../../shaders/common/written.wgsl");
const PAINTED: &str = include_str!("../../../../shaders/common/painted.wgsl");
const FRAMES: &str = include_str!("../../../../shaders/common/frames.wgsl");
const POLAR: &str = include_str!("../../../../shaders/common/polar.wgsl");
const COMPLEX: &str = include_str!("../../../../shaders/common/complex.wgsl");
const PACKING: &str = include_str!("../../../../shaders/common/packing.wgsl");
const CELL_BITS: &str = include_str!("../../../../shaders/common/cell_bits.wgsl");
const ROW_PART: &str = include_str!("../../../../shaders/common/row_part.wgsl");
const ROW_CHANGE: &str = include_str!("../../../../shaders/common/row_change.wgsl");
const ROW_TURNS: &str = include_str!("../../../../shaders/common/row_turns.wgsl");
const CATMULL_ROM: &str = include_str!("../../../../shaders/common/catmull_rom.wgsl");
const EXP2: &str = include_str!("../../../../shaders/common/exp2.wgsl");
const LOG2: &str = include_str!("../../../../shaders/common/log2.wgsl");
/// The shader for drawing; `display` creates its pipelines.
pub(super) const DISPLAY: &str = include_str!("../../../../shaders/display.wgsl");

const BLURRED: &str = include_str!("../../../../shaders/common/blurred.wgsl");
const BLUR_MIX: &str = include_str!("../../../../shaders/common/blur_mix.wgsl");
const SHARPEN_MIX: &str = include_str!("../../../../shaders/common/sharpen_mix.wgsl");
const COMBINED: &str = include_str!("../../../../shaders/common/combined.wgsl");
const MEDIAN: &str = include_str!("../../../../shaders/common/median.wgsl");

/// The constants that shaders share with Rust, by their WGSL names: `EXP2_0` is the first of `exp2::COEFFICIENTS`.
pub fn constants() -> Vec<(String, f32)> {
    let lists: [(&str, &[f32]); 6] = [
        ("EXP2", &exp2::COEFFICIENTS),
        ("LOG2", &log2::COEFFICIENTS),
        ("SINE", &polar::SINE),
        ("COSINE", &polar::COSINE),
        ("ANGLE", &polar::ANGLE),
        ("TURN_SINE", &voices::SINE_COEFFICIENTS),
    ];
    let numbered = |(name, values): (&str, &[f32])| {
        values.iter().enumerate().map(|(k, value)| (format!("{name}_{k}"), *value)).collect::<Vec<_>>()
    };
    let single = [("LOG2_MIN", log2::MIN_ARGUMENT), ("RAISED_LOG2", kernels::RAISED_LOG2), ("LN_2", LN_2)];
    let single = single.map(|(name, value)| (name.to_owned(), value));
    lists.into_iter().flat_map(numbered).chain(single).collect()
}

/// [`constants`] as WGSL, exact to the bit: Rust prints enough digits to read the same number back.
static HEADER: LazyLock<String> = LazyLock::new(|| {
    constants().into_iter().map(|(name, value)| format!("const {name}: f32 = {value:?}f;\n")).collect()
});

/// A shader's text, assembled from its parts.
fn assembled(parts: &[&str]) -> String {
    format!("{}\n{}", *HEADER, parts.join("\n"))
}

/// The text of a file in `shaders/common/`.
fn text_of(part: ShaderPart) -> &'static str {
    match part {
        ShaderPart::Exp2 => EXP2,
        ShaderPart::Log2 => LOG2,
        ShaderPart::Blurred => BLURRED,
        ShaderPart::BlurMix => BLUR_MIX,
        ShaderPart::SharpenMix => SHARPEN_MIX,
        ShaderPart::Median => MEDIAN,
    }
}

/// The text of a cell kernel.
fn cells_text(program: &CellProgram) -> String {
    let front = [CELLS, WRITTEN, PAINTED].into_iter();
    let parts: Vec<&str> =
        front.chain(program.parts.iter().map(|part| text_of(*part))).chain([program.source]).collect();
    assembled(&parts)
}

/// A file of `shaders/` other than a cell kernel, and its prepended parts.
struct File {
    name: &'static str,
    parts: &'static [&'static str],
}

const FILES: &[File] = &[
    File {
        name: "attenuate",
        parts: &[CELLS, WRITTEN, PAINTED, EXP2, LOG2, include_str!("../../../../shaders/attenuate.wgsl")],
    },
    File {
        name: "chroma",
        parts: &[CELLS, FRAMES, COMPLEX, PACKING, POLAR, include_str!("../../../../shaders/chroma.wgsl")],
    },
    File {
        name: "combine",
        parts: &[CELLS, WRITTEN, POLAR, COMBINED, include_str!("../../../../shaders/combine.wgsl")],
    },
    File {
        name: "modulation_filter",
        parts: &[CELLS, WRITTEN, PAINTED, BLUR_MIX, include_str!("../../../../shaders/modulation_filter.wgsl")],
    },
    File {
        name: "modulation_lines",
        parts: &[CELLS, COMPLEX, include_str!("../../../../shaders/modulation_lines.wgsl")],
    },
    File {
        name: "resample",
        parts: &[CELLS, COMPLEX, POLAR, CATMULL_ROM, include_str!("../../../../shaders/resample.wgsl")],
    },
    File { name: "retarget", parts: &[CELLS, WRITTEN, include_str!("../../../../shaders/retarget.wgsl")] },
    File { name: "distance", parts: &[CELLS, WRITTEN, POLAR, include_str!("../../../../shaders/distance.wgsl")] },
    File { name: "display", parts: &[DISPLAY] },
    File { name: "level_peaks", parts: &[CELLS, include_str!("../../../../shaders/level_peaks.wgsl")] },
    File { name: "louder", parts: &[CELLS, include_str!("../../../../shaders/louder.wgsl")] },
    File { name: "scatter", parts: &[include_str!("../../../../shaders/scatter.wgsl")] },
    File {
        name: "stft_unpack",
        parts: &[FRAMES, COMPLEX, PACKING, POLAR, include_str!("../../../../shaders/stft_unpack.wgsl")],
    },
    File {
        name: "stft_pack",
        parts: &[FRAMES, COMPLEX, PACKING, POLAR, CELL_BITS, include_str!("../../../../shaders/stft_pack.wgsl")],
    },
    File {
        name: "row_blur",
        parts: &[CELLS, WRITTEN, PAINTED, BLUR_MIX, SHARPEN_MIX, include_str!("../../../../shaders/row_blur.wgsl")],
    },
    File {
        name: "row_cells",
        parts: &[FRAMES, COMPLEX, PACKING, POLAR, ROW_PART, include_str!("../../../../shaders/row_cells.wgsl")],
    },
    File {
        name: "row_touched",
        parts: &[CELLS, POLAR, CELL_BITS, ROW_PART, ROW_CHANGE, include_str!("../../../../shaders/row_touched.wgsl")],
    },
    File {
        name: "row_bins",
        parts: &[
            FRAMES,
            COMPLEX,
            POLAR,
            CELL_BITS,
            ROW_PART,
            ROW_CHANGE,
            include_str!("../../../../shaders/row_bins.wgsl"),
        ],
    },
    File {
        name: "row_drag",
        parts: &[CELLS, WRITTEN, POLAR, COMBINED, include_str!("../../../../shaders/row_drag.wgsl")],
    },
    File { name: "row_drawn", parts: &[CELLS, ROW_TURNS, include_str!("../../../../shaders/row_drawn.wgsl")] },
    File {
        name: "row_resample",
        parts: &[CELLS, COMPLEX, POLAR, CATMULL_ROM, ROW_TURNS, include_str!("../../../../shaders/row_resample.wgsl")],
    },
    File {
        name: "row_spectrum",
        parts: &[FRAMES, COMPLEX, PACKING, include_str!("../../../../shaders/row_spectrum.wgsl")],
    },
    File { name: "row_add", parts: &[CELLS, FRAMES, include_str!("../../../../shaders/row_add.wgsl")] },
    File { name: "overlap_add", parts: &[CELLS, FRAMES, include_str!("../../../../shaders/overlap_add.wgsl")] },
    File { name: "haar", parts: &[CELLS, include_str!("../../../../shaders/haar.wgsl")] },
    File { name: "hash_pairs", parts: &[CELLS, include_str!("../../../../shaders/hash_pairs.wgsl")] },
    File { name: "hash_resize", parts: &[CELLS, include_str!("../../../../shaders/hash_resize.wgsl")] },
    File { name: "mid_side", parts: &[CELLS, include_str!("../../../../shaders/mid_side.wgsl")] },
    File {
        name: "onset_flux",
        parts: &[CELLS, FRAMES, COMPLEX, PACKING, POLAR, LOG2, include_str!("../../../../shaders/onset_flux.wgsl")],
    },
    File { name: "picture_hashes", parts: &[CELLS, include_str!("../../../../shaders/picture_hashes.wgsl")] },
    File { name: "segment_mels", parts: &[CELLS, include_str!("../../../../shaders/segment_mels.wgsl")] },
    File { name: "sound_medians", parts: &[CELLS, MEDIAN, include_str!("../../../../shaders/sound_medians.wgsl")] },
    File { name: "sound_mels", parts: &[CELLS, include_str!("../../../../shaders/sound_mels.wgsl")] },
    File { name: "voices", parts: &[include_str!("../../../../shaders/voices.wgsl")] },
];

/// An entry point of a shader, from which one pipeline is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Program {
    /// A generated FFT.
    Fft(FftShader),
    /// A file of `shaders/`.
    File { name: &'static str, entry_point: &'static str },
}

impl Program {
    /// The kernels that are not cell kernels, and the steps of the STFT that do not depend on its size.
    const FILES: [Program; 21] = [
        Program::file("mid_side", "mid_side"),
        Program::file("stft_unpack", "stft_unpack"),
        Program::file("stft_pack", "stft_pack"),
        Program::file("overlap_add", "overlap_add"),
        Program::file("scatter", "scatter"),
        Program::file("louder", "keep_louder"),
        Program::file("level_peaks", "level_peaks"),
        Program::file("retarget", "run"),
        Program::file("distance", "run"),
        Program::file("attenuate", "measure"),
        Program::file("attenuate", "run"),
        Program::file("blur", "blur_frames"),
        Program::file("combine", "run"),
        Program::file("resample", "resample"),
        Program::file("modulation_filter", "run"),
        Program::file("modulation_lines", "load"),
        Program::file("modulation_lines", "pass_4"),
        Program::file("modulation_lines", "pass_2"),
        Program::file("modulation_lines", "respond"),
        Program::file("modulation_lines", "store"),
        Program::file("voices", "render_voices"),
    ];

    /// The steps and brushes of rows that work for every size of slices.
    pub const ROWS: [Program; 9] = [
        Program::file("row_blur", "run"),
        Program::file("row_drag", "row_drag"),
        Program::file("row_resample", "row_resample"),
        Program::file("row_drawn", "row_drawn"),
        Program::file("row_cells", "row_cells"),
        Program::file("row_touched", "row_touched"),
        Program::file("row_bins", "row_bins"),
        Program::file("row_spectrum", "row_spectrum"),
        Program::file("row_add", "row_add"),
    ];

    /// All kernels, and the steps of the STFT that do not depend on its size.
    pub fn files() -> impl Iterator<Item = Program> {
        let cells = AnyCellKernel::PROGRAMS.iter().map(|program| Program::cells(program));
        Program::FILES.into_iter().chain(cells)
    }

    /// The entry point of a cell kernel.
    pub const fn cells(program: &CellProgram) -> Program {
        Program::file(program.name, "run")
    }

    pub const fn file(name: &'static str, entry_point: &'static str) -> Program {
        Program::File { name, entry_point }
    }

    pub fn entry_point(self) -> &'static str {
        match self {
            Program::Fft(_) => "fft",
            Program::File { entry_point, .. } => entry_point,
        }
    }

    pub fn label(self) -> Cow<'static, str> {
        match self {
            Program::Fft(shader) => shader.name().into(),
            Program::File { name, .. } => name.into(),
        }
    }

    /// The whole text; `None` for an FFT of an unsupported size.
    pub fn source(self) -> Option<String> {
        match self {
            Program::Fft(shader) => fft_text::source(shader).map(|text| assembled(&[FRAMES, COMPLEX, &text])),
            Program::File { name, .. } => {
                let cells = AnyCellKernel::PROGRAMS.iter().find(|program| program.name == name);
                let file = || FILES.iter().find(|file| file.name == name).map(|file| assembled(file.parts));
                cells.map(|program| cells_text(program)).or_else(file)
            }
        }
    }
}

/// Name and text of every shader: the files of `shaders/`, then the FFTs of all sizes.
pub fn sources() -> Vec<(String, String)> {
    let cells = AnyCellKernel::PROGRAMS.iter().map(|program| (program.name.to_string(), cells_text(program)));
    let files = cells.chain(FILES.iter().map(|file| (file.name.to_string(), assembled(file.parts))));
    let ffts = fft::shaders().map(Program::Fft);
    files.chain(ffts.filter_map(|program| Some((program.label().into_owned(), program.source()?)))).collect()
}
