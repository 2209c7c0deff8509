//! Arguments for lossy encoding.

use crate::media::BitRate;
use clap::Args;

/// Bit rate options of lossy files.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct BitRateChoice {
    /// Bit rate of an MP3 or Opus file in kbit/s [default: VBR V2 for MP3 (96 for mono), 64 per channel for Opus].
    #[arg(long, value_name = "KBPS", conflicts_with = "vbr")]
    pub bit_rate: Option<u32>,
    /// Variable bit rate of an MP3 file, from 0 (best) to 9 (smallest), like LAME's -V.
    #[arg(long, value_name = "0..9", value_parser = clap::value_parser!(u8).range(0..=9))]
    pub vbr: Option<u8>,
}

impl BitRateChoice {
    pub fn bit_rate(self) -> BitRate {
        self.typed().unwrap_or_default()
    }

    /// The typed choice; `None` if neither option was given.
    pub fn typed(self) -> Option<BitRate> {
        match (self.bit_rate, self.vbr) {
            (Some(kbps), _) => Some(BitRate::Kbps(kbps)),
            (None, quality) => quality.map(BitRate::Quality),
        }
    }
}
