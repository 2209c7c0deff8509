//! Parameters of a transform on rows at the frequencies of a scale, as stored in scripts, views and edits.

use crate::base::{Error, ErrorKind, Result};
use std::sync::Arc;

/// A number compared by its bits, so that parameters can be keys of caches.
#[derive(Debug, Clone, Copy)]
pub struct ExactNumber(f64);

impl ExactNumber {
    /// Wraps a number; -0 becomes 0.
    pub fn new(value: f64) -> ExactNumber {
        ExactNumber(value + 0.0)
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for ExactNumber {
    fn eq(&self, other: &ExactNumber) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for ExactNumber {}

impl std::hash::Hash for ExactNumber {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// Placement of the rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RowScale {
    /// Rows at equal steps of log frequency.
    Log {
        /// Rows per octave, 4 to 96.
        bins: u32,
    },
    /// Rows at equal steps of Slaney's mel.
    Mel {
        /// Number of rows, 8 to 512.
        bands: u32,
    },
    /// Rows at equal steps of bark.
    Bark {
        /// Number of rows, 8 to 512.
        bands: u32,
    },
    /// Rows at these frequencies in hertz, ascending, 4 to 1,024 of them.
    List(Arc<[ExactNumber]>),
}

/// Broadening of the rows relative to their spacing, in hertz.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowsGamma {
    /// Like the bands of the ear (librosa's choice): 6.61 Hz with 24 rows per octave. Only for [`RowScale::Log`].
    Erb,
    /// 0 to 1,000 Hz; 0 is the constant-Q transform.
    Hz(ExactNumber),
}

impl RowsGamma {
    /// No broadening: the constant-Q transform on a log scale.
    pub const ZERO: RowsGamma = RowsGamma::Hz(ExactNumber(0.0));
}

/// A transform on rows at frequencies of a scale, which can be inverted. Cheap to clone; equal if all bits are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RowsParams {
    /// Placement of the rows.
    pub scale: RowScale,
    /// The first row in hertz. `None` is one step above 0 Hz, and valid only for mel and bark. Ignored for a list.
    pub fmin_hz: Option<ExactNumber>,
    /// The highest frequency of a row in hertz. `None` is as high as the sample rate allows. Ignored for a list.
    pub fmax_hz: Option<ExactNumber>,
    /// Broadening of the rows relative to their spacing.
    pub gamma: RowsGamma,
}

impl Default for RowsParams {
    /// The preset [`RowsParams::music`].
    fn default() -> RowsParams {
        RowsParams::music()
    }
}

/// Frequency of the lowest row of a log scale by default: C1.
pub const C1_HZ: f64 = 32.703;

impl RowsParams {
    /// Allowed numbers of rows per octave.
    pub const BINS: std::ops::RangeInclusive<u32> = 4..=96;
    /// Allowed numbers of mel and bark rows.
    pub const BANDS: std::ops::RangeInclusive<u32> = 8..=512;
    /// Allowed numbers of frequencies in a list.
    pub const LIST: std::ops::RangeInclusive<usize> = 4..=1024;
    /// Minimum frequency of the first row.
    pub const MIN_FMIN_HZ: f64 = 10.0;
    /// Maximum broadening.
    pub const MAX_GAMMA_HZ: f64 = 1000.0;
    /// Maximum factor by which the spacing of a list may change from one row to the next.
    pub const MAX_SPACING_RATIO: f64 = 1.5;

    /// `bins` rows per octave from C1, with gamma `erb`: a variable-Q transform.
    pub fn log(bins: u32) -> RowsParams {
        let fmin_hz = Some(ExactNumber::new(C1_HZ));
        RowsParams { scale: RowScale::Log { bins }, fmin_hz, fmax_hz: None, gamma: RowsGamma::Erb }
    }

    /// `bands` rows at equal steps of mel.
    pub fn mel(bands: u32) -> RowsParams {
        RowsParams { scale: RowScale::Mel { bands }, fmin_hz: None, fmax_hz: None, gamma: RowsGamma::ZERO }
    }

    /// `bands` rows at equal steps of bark.
    pub fn bark(bands: u32) -> RowsParams {
        RowsParams { scale: RowScale::Bark { bands }, ..RowsParams::mel(bands) }
    }

    /// Rows at these frequencies in hertz.
    pub fn list(hz: &[f64]) -> RowsParams {
        let hz = hz.iter().map(|hz| ExactNumber::new(*hz)).collect();
        RowsParams { scale: RowScale::List(hz), ..RowsParams::mel(0) }
    }

    /// With `times / over` as many rows; `None` for a list.
    pub fn with_rows(&self, times: u32, over: u32) -> Option<RowsParams> {
        let scale = match &self.scale {
            RowScale::Log { bins } => RowScale::Log { bins: bins * times / over },
            RowScale::Mel { bands } => RowScale::Mel { bands: bands * times / over },
            RowScale::Bark { bands } => RowScale::Bark { bands: bands * times / over },
            RowScale::List(_) => return None,
        };
        Some(RowsParams { scale, ..self.clone() })
    }

    /// With this broadening, in hertz.
    #[must_use]
    pub fn with_gamma_hz(self, gamma_hz: f64) -> RowsParams {
        RowsParams { gamma: RowsGamma::Hz(ExactNumber::new(gamma_hz)), ..self }
    }

    /// With the first row at `fmin_hz`.
    #[must_use]
    pub fn with_fmin_hz(self, fmin_hz: f64) -> RowsParams {
        RowsParams { fmin_hz: Some(ExactNumber::new(fmin_hz)), ..self }
    }

    /// With no row above `fmax_hz`.
    #[must_use]
    pub fn with_fmax_hz(self, fmax_hz: f64) -> RowsParams {
        RowsParams { fmax_hz: Some(ExactNumber::new(fmax_hz)), ..self }
    }

    /// Preset: 24 rows per octave, with atoms of at most 0.37 s on each side.
    pub fn music() -> RowsParams {
        RowsParams::log(24)
    }

    /// Preset: 48 rows per octave.
    pub fn fine_pitch() -> RowsParams {
        RowsParams::log(48)
    }

    /// Preset: constant-Q with 48 rows per octave. It separates neighbouring notes from C1 up; its windows last
    /// seconds.
    pub fn bass() -> RowsParams {
        RowsParams::log(48).with_gamma_hz(0.0)
    }

    /// Preset: 96 rows at equal steps of bark.
    pub fn speech() -> RowsParams {
        RowsParams::bark(96)
    }

    /// Name of the scale in scripts.
    pub fn scale_name(&self) -> &'static str {
        match self.scale {
            RowScale::Log { .. } => "log",
            RowScale::Mel { .. } => "mel",
            RowScale::Bark { .. } => "bark",
            RowScale::List(_) => "list",
        }
    }

    /// A unique, versioned string for caches on disk. Increase the version if the same parameters produce different
    /// cells.
    pub fn cache_key(&self) -> String {
        let bits = |number: Option<ExactNumber>| number.map_or("-".into(), |n| format!("{:x}", n.get().to_bits()));
        let size = match &self.scale {
            RowScale::Log { bins: n } | RowScale::Mel { bands: n } | RowScale::Bark { bands: n } => n.to_string(),
            RowScale::List(hz) => hz.iter().map(|hz| bits(Some(*hz))).collect::<Vec<_>>().join(","),
        };
        let gamma = match self.gamma {
            RowsGamma::Erb => "erb".into(),
            RowsGamma::Hz(hz) => bits(Some(hz)),
        };
        format!("rows-1 {} {size} {} {} {gamma}", self.scale_name(), bits(self.fmin_hz), bits(self.fmax_hz))
    }

    /// The parameters, if valid at some sample rate. [`RowBank::new`](super::RowBank::new) checks a given rate.
    ///
    /// # Errors
    /// [`ErrorKind::Script`] with the reason, which begins with the name of the field.
    pub fn validated(self) -> Result<RowsParams> {
        match &self.scale {
            RowScale::Log { bins } if !RowsParams::BINS.contains(bins) => {
                return refuse(format!("bins {bins} is not 4 to 96"));
            }
            RowScale::Mel { bands } | RowScale::Bark { bands } if !RowsParams::BANDS.contains(bands) => {
                return refuse(format!("bands {bands} is not 8 to 512"));
            }
            RowScale::Log { .. } if self.fmin_hz.is_none() => return refuse("fmin is missing"),
            RowScale::List(hz) => check_list(&hz.iter().map(|hz| hz.get()).collect::<Vec<_>>())?,
            _ => {}
        }
        if let Some(fmin) = self.fmin_hz.map(ExactNumber::get)
            && !(fmin >= RowsParams::MIN_FMIN_HZ && fmin.is_finite())
        {
            return refuse(format!("fmin {fmin} Hz is below 10 Hz"));
        }
        if let (Some(fmin), Some(fmax)) = (self.fmin_hz, self.fmax_hz) {
            check_range(fmin.get(), fmax.get())?;
        }
        match self.gamma {
            RowsGamma::Erb if self.scale_name() != "log" => {
                refuse("gamma erb is for rows on a log scale; use a number of hertz")
            }
            RowsGamma::Hz(gamma) if !(0.0..=RowsParams::MAX_GAMMA_HZ).contains(&gamma.get()) => {
                refuse(format!("gamma {} Hz is not 0 to 1000 Hz", gamma.get()))
            }
            _ => Ok(self),
        }
    }

    /// Checks the lowest and highest frequency at a sample rate.
    pub(super) fn validated_range(&self, sample_rate_hz: f64) -> Result<()> {
        let nyquist_hz = sample_rate_hz / 2.0;
        let fmax_hz = self.fmax_hz.map_or(nyquist_hz, ExactNumber::get);
        if !(fmax_hz <= nyquist_hz && fmax_hz > 0.0) {
            return refuse(format!("fmax {fmax_hz} Hz is above half the sample rate, {nyquist_hz} Hz"));
        }
        self.fmin_hz.map_or(Ok(()), |fmin| check_range(fmin.get(), fmax_hz))
    }
}

/// An error that describes the problem.
pub(super) fn refuse<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Script, why))
}

fn check_range(fmin_hz: f64, fmax_hz: f64) -> Result<()> {
    if fmin_hz < fmax_hz / 2.0 {
        Ok(())
    } else {
        refuse(format!("fmin {fmin_hz} Hz is not below half of the highest frequency, {fmax_hz} Hz"))
    }
}

fn check_list(hz: &[f64]) -> Result<()> {
    if !RowsParams::LIST.contains(&hz.len()) {
        return refuse(format!("frequencies: {} values are not 4 to 1024", hz.len()));
    }
    if !(hz[0] >= RowsParams::MIN_FMIN_HZ && hz[0].is_finite()) {
        return refuse(format!("frequencies: {} Hz is below 10 Hz", hz[0]));
    }
    if let Some(pair) = hz.windows(2).find(|pair| !(pair[0] < pair[1] && pair[1].is_finite())) {
        return refuse(format!("frequencies: {} Hz after {} Hz does not ascend", pair[1], pair[0]));
    }
    let spacing = gradient(hz);
    let is_uneven = |i: &usize| {
        let (a, b) = (spacing[*i], spacing[i + 1]);
        a.max(b) > RowsParams::MAX_SPACING_RATIO * a.min(b)
    };
    match (0..hz.len() - 1).find(is_uneven) {
        Some(i) => refuse(format!(
            "frequencies: the spacing changes by more than a factor of 1.5 between {} and {} Hz",
            hz[i],
            hz[i + 1]
        )),
        None => Ok(()),
    }
}

/// NumPy's `gradient` of at least two values: half the difference of the neighbours, one-sided at the ends.
pub(super) fn gradient(values: &[f64]) -> Vec<f64> {
    let last = values.len() - 1;
    let at = |i: usize| match i {
        0 => values[1] - values[0],
        i if i == last => values[i] - values[i - 1],
        i => (values[i + 1] - values[i - 1]) / 2.0,
    };
    (0..values.len()).map(at).collect()
}
