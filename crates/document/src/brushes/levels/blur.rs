//! Blur: a Gaussian over the magnitudes.

use crate::base::{Error, ErrorKind, Result};
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Locality, MagnitudeScale, Operation};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::trial::BrushTrial;
use crate::dsp::kernels::{BlurKernel, blur_radius, gaussian_taps};
use crate::dsp::transforms::rows::RowBlur;
use crate::dsp::warps::phase;
use crate::dsp::{Axis, Grid, Kernel};
use std::sync::Arc;

/// Maximum reach of a blur, in cells.
const MAX_BLUR_CELLS: usize = 512;

/// Maximum reach of a blur of rows, in columns: one second at 48 kHz and the shortest hop.
const MAX_BLUR_COLUMNS: usize = 6_000;

/// The check box for rebuilding phases.
pub(in crate::brushes) const REBUILDS: OptionControl = OptionControl::tick(
    "Rebuild phase",
    "Rebuilds the phase from the new magnitudes after the stroke instead of keeping it.",
);

/// Gaussian blur of the magnitude.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blur {
    /// Standard deviations along time in seconds, and along frequency in hertz or units of `sigma_axis`.
    pub sigma: [f64; 2],
    /// Frequency axis of the second standard deviation; must be linear on an STFT, and mel on mel bands.
    pub sigma_axis: Axis,
    /// Whether phases are rebuilt from the blurred magnitude instead of kept.
    pub rebuild_phase: bool,
}

/// The axis of `sigma`.
pub(in crate::brushes) const SIGMA_AXIS: Parameter = Parameter::axis("sigma_axis")
    .note("the axis in whose units the second `sigma` is; others than linear on rows only");

/// The parameter `sigma`: standard deviations along time and along frequency, with these controls.
pub(in crate::brushes) const fn sigma(controls: &'static [OptionControl; 2]) -> Parameter {
    Parameter::required("sigma", ParameterLimits::NotNegative).note("seconds and hertz").controls(controls)
}

/// The controls of a Gaussian's standard deviations.
pub(in crate::brushes) const fn sigma_controls(
    in_time: &'static str,
    in_frequency: &'static str,
) -> [OptionControl; 2] {
    let time = OptionControl::millis(in_time, "Standard deviation of the Gaussian along time.", 2.0);
    let frequency = OptionControl::number(in_frequency, "Standard deviation of the Gaussian along frequency.", "Hz");
    [time.wide(84.0), frequency.within(0.0, 20_000.0).steps(1, 1.0).wide(84.0)]
}

impl BrushModule for Blur {
    const KIND: &'static str = "blur";
    const NAME: &'static str = "Blur";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Blur::KIND,
        id: "tool_blur",
        name: "Blur brush",
        what: "Blurs magnitudes in time and frequency.",
        keys: &[ToolKey::plain('U'), ToolKey::plain('5')],
        // Lucide's droplet.
        icon: '\u{e0b4}',
        group: BrushGroup::Filter,
    });
    const PARAMETERS: &'static [Parameter] = &[
        sigma(&sigma_controls("Blur in time", "Blur in frequency")),
        SIGMA_AXIS,
        Parameter::flag("rebuild_phase").controls(&[REBUILDS]),
    ];

    fn omitted() -> Option<Blur> {
        Some(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Pair(&mut self.sigma),
            ParameterValue::Choice(&mut self.sigma_axis),
            ParameterValue::Flag(&mut self.rebuild_phase),
        ]
    }

    fn trials(reach: [f64; 2]) -> Vec<BrushTrial<Blur>> {
        vec![BrushTrial::new(Blur::KIND, Blur { sigma: reach, sigma_axis: Axis::Linear, rebuild_phase: false })]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Blur {
    fn locality(&self) -> Locality {
        Locality::Neighbourhood
    }

    fn phase_steps(&self) -> Option<u32> {
        self.rebuild_phase.then_some(phase::DEFAULT_STEPS)
    }

    fn works_on_rows(&self) -> Result<()> {
        if self.rebuild_phase { Err(phases_of_stft_only()) } else { Ok(()) }
    }

    fn cell_kernel(&self, grid: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        if let Some(blur) = row_blur(grid, self.sigma, self.sigma_axis, Blur::KIND)? {
            return Ok(Some(Kernel::RowBlur(Arc::new(blur))));
        }
        let [frame_taps, bin_taps] = taps(grid, self.sigma, Blur::KIND)?;
        Ok(Some(BlurKernel { frame_taps, bin_taps }.into()))
    }
}

/// The error for rebuilding phases on rows, which only an STFT supports.
pub(in crate::brushes) fn phases_of_stft_only() -> Error {
    Error::new(
        ErrorKind::Script,
        "phases can be rebuilt on an STFT only; leave rebuild_phase out, or choose an FFT size",
    )
}

/// The blur of rows of a scale; `None` on an STFT.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if it covers too many columns, or an STFT is blurred along another axis than hertz.
pub(in crate::brushes) fn row_blur(grid: &Grid, sigma: [f64; 2], axis: Axis, kind: &str) -> Result<Option<RowBlur>> {
    let refuse = |why: String| Err(Error::new(ErrorKind::Script, why));
    let Some(table) = grid.row_table() else {
        return match axis {
            Axis::Linear => Ok(None),
            Axis::Log | Axis::Mel | Axis::Bark => {
                refuse(format!("sigma_axis {} works on rows only; give sigma in hertz, or choose rows", axis.name()))
            }
        };
    };
    let columns = grid.frames_in_secs(sigma[0]);
    let far = blur_radius(columns);
    if far > MAX_BLUR_COLUMNS {
        return refuse(format!(
            "this {kind} covers {far} columns of the rows at {:.0} Hz; at most {MAX_BLUR_COLUMNS} are allowed, so use a \
             smaller sigma",
            grid.hz_from_bin(grid.own_cells().bins.start as f64)
        ));
    }
    Ok(Some(RowBlur::new(table, grid.own_cells().bins, columns, sigma[1], axis)))
}

/// The taps of a Gaussian along frames and bins.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if it covers too many cells.
pub(in crate::brushes) fn taps(grid: &Grid, sigma: [f64; 2], kind: &str) -> Result<[Vec<f32>; 2]> {
    taps_of_cells([grid.frames_in_secs(sigma[0]), grid.bins_in_hz(sigma[1])], kind)
}

/// The taps of a Gaussian with standard deviations in cells.
///
/// # Errors
/// As [`taps`].
pub(in crate::brushes) fn taps_of_cells(cells: [f64; 2], kind: &str) -> Result<[Vec<f32>; 2]> {
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
