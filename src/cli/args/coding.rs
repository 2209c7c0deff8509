//! What can be typed of how a sound is stored.

use super::{DitherName, FormatName};
use crate::base::Result;
use crate::media::{BitRate, Container, Encoding, ExportFormat};
use clap::Args;

/// How a lossy file is coded.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(in crate::cli) struct BitRateChoice {
    /// Bit rate of an MP3 or Opus file in kbit/s; by default of MP3 VBR V2, of mono 96; of Opus 64 a channel.
    #[arg(long, value_name = "KBPS", conflicts_with = "vbr")]
    pub bit_rate: Option<u32>,
    /// Variable bit rate of an MP3 file: 0 (best) to 9 (smallest), as of LAME's -V.
    #[arg(long, value_name = "0..9", value_parser = clap::value_parser!(u8).range(0..=9))]
    pub vbr: Option<u8>,
}

impl BitRateChoice {
    pub fn bit_rate(self) -> BitRate {
        match (self.bit_rate, self.vbr) {
            (Some(kbps), _) => BitRate::Kbps(kbps),
            (None, Some(quality)) => BitRate::Quality(quality),
            (None, None) => BitRate::Usual,
        }
    }
}

/// How the samples of a file are stored.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct CodingChoice {
    /// Sample format of the output.
    #[arg(long, value_enum, default_value_t = FormatName::Source)]
    pub format: FormatName,
    /// Dither before rounding; by default tpdf up to 16 bits, none above.
    #[arg(long, value_enum)]
    pub dither: Option<DitherName>,
    #[command(flatten)]
    pub bit_rate: BitRateChoice,
}

impl CodingChoice {
    /// # Errors
    /// For what a kind of file does not have.
    pub fn refuse_for(&self, container: Container) -> Result<()> {
        let has_format = self.format.format() != ExportFormat::Source || self.dither.is_some();
        container.refuse_chosen(has_format, self.bit_rate.bit_rate())
    }

    pub fn encoding(&self) -> Encoding<'static> {
        Encoding {
            format: self.format.format(),
            dither: self.dither.map(|dither| dither.dither()),
            bit_rate: self.bit_rate.bit_rate(),
            ..Encoding::default()
        }
    }
}
