//! What can be typed of how a lossy file is coded.

use crate::media::BitRate;
use clap::Args;

/// How a lossy file is coded.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct BitRateChoice {
    /// Bit rate of an MP3 or Opus file in kbit/s; by default of MP3 VBR V2, of mono 96; of Opus 64 a channel.
    #[arg(long, value_name = "KBPS", conflicts_with = "vbr")]
    pub bit_rate: Option<u32>,
    /// Variable bit rate of an MP3 file: 0 (best) to 9 (smallest), as of LAME's -V.
    #[arg(long, value_name = "0..9", value_parser = clap::value_parser!(u8).range(0..=9))]
    pub vbr: Option<u8>,
}

impl BitRateChoice {
    pub fn bit_rate(self) -> BitRate {
        self.typed().unwrap_or_default()
    }

    /// None if none was typed.
    pub fn typed(self) -> Option<BitRate> {
        match (self.bit_rate, self.vbr) {
            (Some(kbps), _) => Some(BitRate::Kbps(kbps)),
            (None, quality) => quality.map(BitRate::Quality),
        }
    }
}
