//! The frequencies of a scale's rows at a sample rate, with their spacing and width.

use super::params::{ExactNumber, RowScale, RowsGamma, RowsParams, gradient, refuse};
use crate::base::Result;
use crate::dsp::Axis;

/// Full support of a row's window, relative to the row's resolution (spacing plus gamma).
const WIDTH_IN_RESOLUTIONS: f64 = 6.0;

/// Equivalent rectangular bandwidth of the ear at 0 Hz, and its growth per hertz (Glasberg and Moore 1990, as in
/// librosa).
const ERB_HZ: f64 = 24.7;
const ERB_PER_HZ: f64 = 0.108;

/// The rows of a scale, ascending, without the rows of DC and Nyquist.
#[derive(Debug, Clone)]
pub(super) struct ScaleRows {
    /// Frequencies in hertz.
    pub hz: Vec<f64>,
    /// Mean distance to the rows below and above, in hertz.
    pub spacing_hz: Vec<f64>,
    /// Support of the windows in hertz.
    pub width_hz: Vec<f64>,
    /// The axis on which rows are equally spaced; for a list, the one that interpolates between rows.
    pub axis: Axis,
}

impl ScaleRows {
    /// The rows of [valid](RowsParams::validated) parameters.
    ///
    /// # Errors
    /// [`ErrorKind::Script`](crate::base::ErrorKind::Script) if they do not fit below half the sample rate.
    pub fn new(params: &RowsParams, sample_rate_hz: f64) -> Result<ScaleRows> {
        params.validated_range(sample_rate_hz)?;
        let nyquist_hz = sample_rate_hz / 2.0;
        let (hz, spacing_hz, axis) = match &params.scale {
            RowScale::Log { bins } => {
                let (hz, spacing_hz) = log_rows(params, *bins, nyquist_hz);
                (hz, spacing_hz, Axis::Log)
            }
            RowScale::Mel { bands } => {
                let (hz, spacing_hz) = axis_rows(params, *bands, Axis::Mel, nyquist_hz);
                (hz, spacing_hz, Axis::Mel)
            }
            RowScale::Bark { bands } => {
                let (hz, spacing_hz) = axis_rows(params, *bands, Axis::Bark, nyquist_hz);
                (hz, spacing_hz, Axis::Bark)
            }
            RowScale::List(list) => {
                let hz: Vec<f64> = list.iter().map(|hz| hz.get()).collect();
                let spacing_hz = gradient(&hz);
                (hz, spacing_hz, Axis::Log)
            }
        };
        if let (Some(last), Some(spacing)) = (hz.last(), spacing_hz.last())
            && last + spacing / 2.0 >= nyquist_hz
        {
            return refuse(format!(
                "a row at {last:.1} Hz leaves no room below half the sample rate; the highest must lie below {:.1} Hz",
                nyquist_hz - spacing / 2.0
            ));
        }
        let gamma_hz = gamma_hz(params);
        let width_hz = spacing_hz.iter().map(|spacing| WIDTH_IN_RESOLUTIONS * (spacing + gamma_hz)).collect();
        Ok(ScaleRows { hz, spacing_hz, width_hz, axis })
    }
}

/// Half the distance between the neighbours of a row of a log scale, as a fraction of its frequency.
fn log_alpha(bins: u32) -> f64 {
    let ratio = (1.0 / f64::from(bins)).exp2();
    (ratio - 1.0 / ratio) / 2.0
}

/// Broadening in hertz.
pub(super) fn gamma_hz(params: &RowsParams) -> f64 {
    match (params.gamma, &params.scale) {
        (RowsGamma::Hz(gamma), _) => gamma.get(),
        (RowsGamma::Erb, RowScale::Log { bins }) => ERB_HZ * log_alpha(*bins) / ERB_PER_HZ,
        (RowsGamma::Erb, _) => 0.0,
    }
}

/// Frequencies and spacings of a log scale.
fn log_rows(params: &RowsParams, bins: u32, nyquist_hz: f64) -> (Vec<f64>, Vec<f64>) {
    let fmin_hz = params.fmin_hz.map_or(super::params::C1_HZ, ExactNumber::get);
    let fmax_hz = params.fmax_hz.map_or(nyquist_hz, ExactNumber::get);
    let alpha = log_alpha(bins);
    let last = (f64::from(bins) * (fmax_hz / fmin_hz).log2() + 1e-9).floor() as u32;
    let all = (0..=last).map(|k| fmin_hz * (f64::from(k) / f64::from(bins)).exp2());
    let hz: Vec<f64> = all.take_while(|hz| hz * (1.0 + alpha / 2.0) < nyquist_hz).collect();
    let spacing_hz = hz.iter().map(|hz| alpha * hz).collect();
    (hz, spacing_hz)
}

/// Frequencies and spacings of rows at equal steps of an axis, extended below 0 Hz as an odd function.
fn axis_rows(params: &RowsParams, bands: u32, axis: Axis, nyquist_hz: f64) -> (Vec<f64>, Vec<f64>) {
    let units = |hz: Option<ExactNumber>| hz.map(|hz| axis.units_from_hz(hz.get()));
    let (low, high) = (units(params.fmin_hz), units(params.fmax_hz));
    // Without `fmin` the scale starts one step above 0 Hz, without `fmax` it ends one step below half the sample rate.
    let n_steps = bands - 1 + u32::from(low.is_none()) + u32::from(high.is_none());
    let from = low.unwrap_or(0.0);
    let step = (high.unwrap_or(axis.units_from_hz(nyquist_hz)) - from) / f64::from(n_steps);
    let first = if low.is_none() { step } else { from };
    let place = |k: u32| first + f64::from(k) * step;
    let hz = (0..bands).map(|k| axis.hz_from_units(place(k))).collect();
    let spacing = |k: u32| (axis.hz_from_units(place(k) + step) - axis.hz_from_units(place(k) - step)) / 2.0;
    (hz, (0..bands).map(spacing).collect())
}
