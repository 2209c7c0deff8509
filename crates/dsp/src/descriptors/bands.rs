//! Distribution of energy among seven bands.

use super::analysis::{FrameReading, N_BINS, hz_from_bin};

/// The lower end of each band, and the upper end of the last, exclusive.
const EDGES_HZ: [f64; 8] = [20.0, 60.0, 200.0, 500.0, 2_000.0, 4_000.0, 8_000.0, 22_051.0];
/// Limit of the balance of bass and middle in dB, in both directions.
const MAX_DB: f64 = 60.0;

/// Fractions of the energy above 20 Hz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandDescriptors {
    /// 20 to 60 Hz.
    pub sub_bass: f64,
    /// 60 to 200 Hz.
    pub bass: f64,
    /// 200 to 500 Hz.
    pub low_mid: f64,
    /// 500 Hz to 2 kHz.
    pub mid: f64,
    /// 2 to 4 kHz.
    pub upper_mid: f64,
    /// 4 to 8 kHz.
    pub presence: f64,
    /// From 8 kHz on.
    pub air: f64,
    /// Energy of sub-bass and bass relative to `mid` in dB, limited to -60 to 60 dB; `None` if neither is present.
    pub bass_mid_db: Option<f64>,
}

/// Sums the power of each band.
#[derive(Debug, Clone)]
pub struct BandMeter {
    /// The first bin of each band, and the end of the last.
    bins: [usize; 8],
    sums: [f64; 7],
}

impl Default for BandMeter {
    fn default() -> BandMeter {
        let first_bin = |hz: f64| (0..N_BINS).find(|&bin| hz_from_bin(bin) >= hz).unwrap_or(N_BINS);
        BandMeter { bins: EDGES_HZ.map(first_bin), sums: [0.0; 7] }
    }
}

impl BandMeter {
    /// Processes the next frame.
    pub fn push(&mut self, frame: &FrameReading<'_>) {
        for (sum, bins) in self.sums.iter_mut().zip(self.bins.windows(2)) {
            *sum += frame.power[bins[0]..bins[1]].iter().sum::<f64>();
        }
    }

    /// The result; `None` if there is nothing above 20 Hz.
    pub fn finish(&self) -> Option<BandDescriptors> {
        let all: f64 = self.sums.iter().sum();
        if all <= 0.0 {
            return None;
        }
        let [sub_bass, bass, low_mid, mid, upper_mid, presence, air] = self.sums.map(|sum| sum / all);
        let balance_db = (10.0 * ((sub_bass + bass) / mid).log10()).clamp(-MAX_DB, MAX_DB);
        let bass_mid_db = (sub_bass + bass + mid > 0.0).then_some(balance_db);
        Some(BandDescriptors { sub_bass, bass, low_mid, mid, upper_mid, presence, air, bass_mid_db })
    }
}
