//! WAV out.

/// The sample format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportFormat {
    /// As the source.
    #[default]
    Source,
    /// 16-bit integers.
    Pcm16,
    /// 24-bit integers.
    Pcm24,
    /// 32-bit integers.
    Pcm32,
    /// 32-bit float.
    Float32,
}

/// Noise added before rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dither {
    /// Plain rounding.
    None,
    /// Triangular, two LSB wide.
    Tpdf,
}
