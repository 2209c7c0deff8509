//! The file formats that can be written.

use crate::base::{Error, ErrorKind, Result};
use std::path::Path;

/// File format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Container {
    /// WAV, or RF64 beyond 4 GiB.
    #[default]
    Wav,
    /// FLAC: integers of up to 32 bits, up to 8 channels.
    Flac,
    /// MP3, encoded by LAME, with 1 or 2 channels; lossy.
    Mp3,
    /// Opus in Ogg, with up to 8 channels at 48,000 Hz; lossy.
    Opus,
}

impl Container {
    /// Every format that this build writes.
    #[cfg(feature = "mp3")]
    pub const ALL: [Container; 4] = [Container::Wav, Container::Flac, Container::Mp3, Container::Opus];
    /// Every format that this build writes.
    #[cfg(not(feature = "mp3"))]
    pub const ALL: [Container; 3] = [Container::Wav, Container::Flac, Container::Opus];

    /// Whether this build writes the format.
    pub fn is_in_build(self) -> bool {
        Container::ALL.contains(&self)
    }

    /// The container for the extension of a path: WAV unless the extension is that of another container.
    pub fn of(path: &Path) -> Container {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        // This includes MP3 in builds without it: the export is then refused rather than written as WAV.
        let others = [Container::Flac, Container::Mp3, Container::Opus];
        others.into_iter().find(|kind| Some(kind.ending()) == ending.as_deref()).unwrap_or_default()
    }

    /// The format for parts of a file at `path`: that of its extension, or WAV if that format is lossy.
    pub fn lossless_like(path: &Path) -> Container {
        Some(Container::of(path)).filter(|kind| !kind.is_lossy()).unwrap_or_default()
    }

    /// The usual extension, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Container::Wav => "wav",
            Container::Flac => "flac",
            Container::Mp3 => "mp3",
            Container::Opus => "opus",
        }
    }

    /// Name for display.
    pub fn name(self) -> &'static str {
        match self {
            Container::Wav => "WAV",
            Container::Flac => "FLAC",
            Container::Mp3 => "MP3",
            Container::Opus => "Opus",
        }
    }

    /// Name for display, with its article.
    pub fn a_file(self) -> &'static str {
        match self {
            Container::Wav => "a WAV file",
            Container::Flac => "a FLAC file",
            Container::Mp3 => "an MP3 file",
            Container::Opus => "an Opus file",
        }
    }

    /// Whether it is lossy: such files have a bit rate, and no sample format.
    pub fn is_lossy(self) -> bool {
        match self {
            Container::Wav | Container::Flac => false,
            Container::Mp3 | Container::Opus => true,
        }
    }

    /// Refuses options that do not apply to the format. `has_format` is whether the user chose a sample format or
    /// dither.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a sample format or dither with a lossy format, and for a bit rate
    /// with a lossless one.
    pub fn refuse_chosen(self, has_format: bool, bit_rate: BitRate) -> Result<()> {
        let name = self.name();
        let what = match self.is_lossy() {
            true if has_format => {
                format!("{name} has no sample format and no dither; choose a bit rate, or export WAV or FLAC")
            }
            false if bit_rate != BitRate::Usual => {
                format!("{name} has no bit rate; choose a sample format, or export MP3 or Opus")
            }
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::Unsupported, what))
    }

    /// Maximum number of chapters; `None` if the format stores labels in another form.
    pub fn max_chapters(self) -> Option<usize> {
        match self {
            Container::Wav => None,
            Container::Flac | Container::Opus => Some(usize::MAX),
            // The table of contents states their number in one byte.
            Container::Mp3 => Some(255),
        }
    }
}

/// The sample format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportFormat {
    /// The format of the source; 32-bit float if it is lossy. In FLAC, which has no floats, 24-bit integers replace
    /// them.
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

/// Bit rate of a lossy file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BitRate {
    /// The container's default: for MP3 V2 with two channels and 96 kbit/s with one; for Opus 64 kbit/s per channel.
    #[default]
    Usual,
    /// Total bit rate of all channels in kbit/s: constant for MP3, on average for Opus.
    Kbps(u32),
    /// Variable bit rate by quality, 0 (best) to 9 (smallest), like LAME's `-V`; MP3 only.
    Quality(u8),
}
