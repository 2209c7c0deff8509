//! Blur: a Gaussian over the magnitudes.

use super::module::{BrushModule, Locality, MagnitudeScale};
use super::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use super::trial::BrushTrial;
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::kernels::{BlurKernel, blur_radius, gaussian_taps};
use crate::dsp::{Grid, Kernel, phase};

/// Largest reach of a blur, in cells.
const MAX_BLUR_CELLS: usize = 512;

/// What the tick of rebuilt phases says.
pub(super) const REBUILDS: OptionControl = OptionControl::tick(
    "Rebuild phase",
    "Rebuilds the phase from the new magnitudes after the stroke instead of keeping it.",
);

/// Gaussian blur of the magnitude.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blur {
    /// Standard deviations in seconds and hertz.
    pub sigma: [f64; 2],
    /// Whether phases are rebuilt from the blurred magnitude instead of kept.
    pub rebuild_phase: bool,
}

/// A standard deviation along time and one along frequency, as parameter `sigma`, with these labels.
pub(super) const fn sigma(controls: &'static [OptionControl; 2]) -> Parameter {
    Parameter::required("sigma", ParameterLimits::NotNegative).note("seconds and hertz").controls(controls)
}

/// The controls of a Gaussian's standard deviations.
pub(super) const fn sigma_controls(in_time: &'static str, in_frequency: &'static str) -> [OptionControl; 2] {
    let time = OptionControl::millis(in_time, "Standard deviation of the Gaussian along time.", 2.0);
    let frequency = OptionControl::number(in_frequency, "Standard deviation of the Gaussian along frequency.", "Hz");
    [time.wide(84.0), frequency.within(0.0, 20_000.0).steps(1, 1.0).wide(84.0)]
}

impl BrushModule for Blur {
    const KIND: &'static str = "blur";
    const NAME: &'static str = "Blur";
    const PARAMETERS: &'static [Parameter] = &[
        sigma(&sigma_controls("Blur in time", "Blur in frequency")),
        Parameter::flag("rebuild_phase").controls(&[REBUILDS]),
    ];
    const LOCALITY: Locality = Locality::Neighbourhood;

    fn usual() -> Option<Blur> {
        Some(Blur { sigma: [0.02, 60.0], rebuild_phase: false })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Pair(&mut self.sigma), ParameterValue::Flag(&mut self.rebuild_phase)]
    }

    fn phase_steps(&self) -> Option<u32> {
        self.rebuild_phase.then_some(phase::DEFAULT_STEPS)
    }

    fn cell_kernel(&self, grid: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        let [frame_taps, bin_taps] = taps(grid, self.sigma, Blur::KIND)?;
        Ok(Some(BlurKernel { frame_taps, bin_taps }.into()))
    }

    fn trials(reach: [f64; 2]) -> Vec<BrushTrial<Blur>> {
        vec![BrushTrial::new(Blur::KIND, Blur { sigma: reach, rebuild_phase: false })]
    }
}

/// The taps of a Gaussian along frames and bins.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if it covers too many cells.
pub(super) fn taps(grid: &Grid, sigma: [f64; 2], kind: &str) -> Result<[Vec<f32>; 2]> {
    let cells = [grid.frames_in_secs(sigma[0]), grid.bin_from_hz(sigma[1])];
    if let Some(far) = cells.iter().map(|&sigma| blur_radius(sigma)).find(|&radius| radius > MAX_BLUR_CELLS) {
        return Err(Error::new(
            ErrorKind::Script,
            format!(
                "this {kind} covers {far} cells; at most {MAX_BLUR_CELLS} are allowed, so use a smaller sigma or another \
                 FFT size"
            ),
        ));
    }
    Ok(cells.map(gaussian_taps))
}
