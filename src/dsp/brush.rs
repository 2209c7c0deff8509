//! Brushes as data: what a stroke does to the cells under it.

/// Which frequencies a band filter keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Below the cutoff.
    Low,
    /// Above the cutoff.
    High,
    /// Between two cutoffs.
    Band,
    /// Outside two cutoffs.
    Notch,
}

/// Butterworth magnitude response of an order at one cutoff (low, high) or two (band, notch).
#[derive(Debug, Clone, PartialEq)]
pub struct Butterworth {
    /// Which side is kept.
    pub pass: Pass,
    /// One or two cutoffs, ascending, above 0.
    pub cutoff: Vec<f64>,
    /// 1 to 8.
    pub order: u32,
}

impl Butterworth {
    /// The response at `f`, in the cutoffs' unit, 0 to 1.
    pub fn response(&self, f: f64) -> f64 {
        let power = 2 * self.order as i32;
        let low = |q: f64| 1.0 / (1.0 + q.powi(power)).sqrt();
        match (self.pass, self.cutoff.as_slice()) {
            (Pass::Low, &[fc]) => low(f / fc),
            (Pass::High, &[fc]) if f > 0.0 => low(fc / f),
            (Pass::High, _) => 0.0,
            (Pass::Band, &[f1, f2]) if f > 0.0 => low((f * f - f1 * f2) / (f * (f2 - f1))),
            (Pass::Band, _) => 0.0,
            (Pass::Notch, &[f1, f2]) if f > 0.0 => {
                let q = (f * f - f1 * f2) / (f * (f2 - f1));
                if q == 0.0 { 0.0 } else { low(1.0 / q) }
            }
            (Pass::Notch | Pass::Low, _) => 1.0,
        }
    }
}

/// Which axes of the magnitude patch a modulation filter runs along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Along {
    /// Across frames: cutoffs in hertz.
    Time,
    /// Across bins: cutoffs in cycles per kilohertz.
    Frequency,
    /// Both: the product of two filters.
    Both,
}

/// How a warp moves what is under it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WarpMode {
    /// Everything under the mask moves by `shift`: seconds, axis units.
    Grab {
        /// Seconds, and units of the edit's axis.
        shift: [f64; 2],
    },
    /// What is under the pointer moves with it.
    Push,
}

/// A brush with its parameters.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Brush {
    /// Louder or quieter.
    Gain {
        /// -120 to +24.
        gain_db: f64,
    },
    /// To silence.
    Erase,
    /// Gaussian blur of the magnitude.
    Blur {
        /// Standard deviations in seconds and hertz.
        sigma: [f64; 2],
    },
    /// Butterworth filter over frequency.
    BandFilter(Butterworth),
    /// Butterworth filter over the speed of change along time, frequency or both.
    ModulationFilter {
        /// Which axes; `Both` uses the two filters in the order time, frequency.
        along: Along,
        /// One filter, or two for `Both`.
        filters: Vec<Butterworth>,
    },
    /// Moves sound in time and frequency.
    Warp(WarpMode),
}

impl Brush {
    /// The name of its kind in scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Brush::Gain { .. } => "gain",
            Brush::Erase => "erase",
            Brush::Blur { .. } => "blur",
            Brush::BandFilter(_) => "band_filter",
            Brush::ModulationFilter { .. } => "modulation_filter",
            Brush::Warp(_) => "warp",
        }
    }
}
