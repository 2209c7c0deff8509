//! Sample formats.

/// Sample format of a source, and of exports that keep the source's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleFormat {
    /// Integers of `bits` valid bits, 1 to 32; 8 bits and less are unsigned in WAV.
    Pcm {
        /// Valid bits.
        bits: u32,
    },
    /// 32-bit floating point.
    Float32,
    /// 64-bit floating point.
    Float64,
    /// A lossy codec; written as 32-bit float.
    Lossy,
}

impl SampleFormat {
    /// For display: `24 bit`, `32 bit float`.
    pub(crate) fn described(self) -> String {
        match self {
            SampleFormat::Pcm { bits } => format!("{bits} bit"),
            SampleFormat::Float32 | SampleFormat::Lossy => "32 bit float".into(),
            SampleFormat::Float64 => "64 bit float".into(),
        }
    }
}
