//! Layout of plain samples in a file, and conversion of their bytes to little-endian samples as in WAV.
//!
//! Source: ITU-T G.711 for the logarithmic codes.

use super::format::SampleFormat;
use std::borrow::Cow;

/// Byte order and encoding of stored samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoredBytes {
    /// Little-endian; single bytes are unsigned.
    AsInWav,
    /// Big-endian; single bytes are signed.
    Swapped,
    /// Mu-law: one byte per sample, which expands to 16 bits.
    MuLaw,
    /// A-law: one byte per sample, which expands to 16 bits.
    ALaw,
}

/// Plain samples: uncompressed, and all of the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plain {
    /// Format of a sample, with the valid bits of integers.
    pub(crate) format: SampleFormat,
    /// Bits per sample after conversion to WAV's layout, including unused ones.
    pub(crate) container_bits: u32,
    pub(crate) bytes: StoredBytes,
}

impl Plain {
    pub(crate) const MU_LAW: Plain = Plain::law(StoredBytes::MuLaw);
    pub(crate) const A_LAW: Plain = Plain::law(StoredBytes::ALaw);

    const fn law(bytes: StoredBytes) -> Plain {
        Plain { format: SampleFormat::Pcm { bits: 16 }, container_bits: 16, bytes }
    }

    /// Number of bytes per stored sample.
    pub(crate) fn stored_bytes(self) -> usize {
        match self.bytes {
            StoredBytes::AsInWav | StoredBytes::Swapped => self.container_bits as usize / 8,
            StoredBytes::MuLaw | StoredBytes::ALaw => 1,
        }
    }

    /// Converts whole stored samples to their bytes in WAV.
    pub(crate) fn as_in_wav<'a>(&self, stored: &'a [u8]) -> Cow<'a, [u8]> {
        match self.bytes {
            StoredBytes::AsInWav => Cow::Borrowed(stored),
            StoredBytes::Swapped if self.container_bits == 8 => stored.iter().map(|byte| byte ^ 0x80).collect(),
            StoredBytes::Swapped => {
                let samples = stored.chunks_exact(self.container_bits as usize / 8);
                samples.flat_map(|sample| sample.iter().rev()).copied().collect()
            }
            StoredBytes::MuLaw => stored.iter().flat_map(|code| from_mu_law(*code).to_le_bytes()).collect(),
            StoredBytes::ALaw => stored.iter().flat_map(|code| from_a_law(*code).to_le_bytes()).collect(),
        }
    }

    /// The byte that, repeated, encodes silence. A-law has no 0, so its smallest value is used.
    pub(crate) fn silence(self) -> u8 {
        match self.bytes {
            StoredBytes::AsInWav if self.container_bits == 8 => 0x80,
            StoredBytes::AsInWav | StoredBytes::Swapped => 0,
            StoredBytes::MuLaw => 0xff,
            StoredBytes::ALaw => 0xd5,
        }
    }

    /// For display: `24 bit`, `mu-law`.
    pub(crate) fn described(self) -> String {
        match self.bytes {
            StoredBytes::AsInWav | StoredBytes::Swapped => self.format.described(),
            StoredBytes::MuLaw => "mu-law".into(),
            StoredBytes::ALaw => "A-law".into(),
        }
    }
}

/// Decodes G.711 mu-law: 14 bits, in the upper bits of 16.
fn from_mu_law(code: u8) -> i16 {
    let code = !code;
    let magnitude = ((i16::from(code & 0x0f) << 3) + 0x84) << (code >> 4 & 7);
    if code & 0x80 == 0 { magnitude - 0x84 } else { 0x84 - magnitude }
}

/// Decodes G.711 A-law: 13 bits, in the upper bits of 16.
fn from_a_law(code: u8) -> i16 {
    let code = code ^ 0x55;
    let step = (i16::from(code & 0x0f) << 4) + 8;
    let magnitude = match code >> 4 & 7 {
        0 => step,
        segment => (step + 0x100) << (segment - 1),
    };
    if code & 0x80 == 0 { -magnitude } else { magnitude }
}
