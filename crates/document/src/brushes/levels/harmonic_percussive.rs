//! Tonal and transient: separate gains for sustained and brief sound.

use crate::base::{Error, ErrorKind, Result};
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Locality, MagnitudeScale, Operation};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::trial::BrushTrial;
use crate::dsp::kernels::{HarmonicPercussiveKernel, median_window};
use crate::dsp::strokes::brush::HarmonicPercussive;
use crate::dsp::{Grid, Kernel};

/// Maximum length of the median, in cells.
const MAX_MEDIAN_CELLS: usize = 2049;

/// Maximum length of the median on rows, in columns: 0.7 s at a hop of 8 and 44.1 kHz; longer ones are shortened to
/// this.
const MAX_MEDIAN_COLUMNS: usize = 4097;

impl BrushModule for HarmonicPercussive {
    const KIND: &'static str = "harmonic_percussive";
    const NAME: &'static str = "Tonal and transient";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: HarmonicPercussive::KIND,
        id: "tool_harmonic_percussive",
        name: "Tonal and transient brush",
        what: "Changes sustained and percussive sound separately.",
        keys: &[ToolKey::shift('X')],
        // Lucide's split.
        icon: '\u{e440}',
        group: BrushGroup::Retouch,
    });
    const PARAMETERS: &'static [Parameter] =
        &[
            Parameter::optional("harmonic_db", ParameterLimits::Within(-120.0, 24.0))
                .controls(&[OptionControl::number("Tonal", "Gain of sustained sound.", "dB")]),
            Parameter::optional("percussive_db", ParameterLimits::Within(-120.0, 24.0))
                .controls(&[OptionControl::number("Transient", "Gain of short, broadband sound.", "dB")]),
            Parameter::optional("reach", ParameterLimits::Positive)
                .note(
                    "how many seconds a sound must last to count as tonal, and how many hertz it must span to count as \
                 transient",
                )
                .controls(&[
                    OptionControl::millis("Tonal duration", "How long a sound must last to count as tonal.", 2.0)
                        .within(0.01, 2.0)
                        .steps(0, 1.0),
                    OptionControl::number(
                        "Transient bandwidth",
                        "How wide a band a sound must cover to count as transient.",
                        "Hz",
                    )
                    .within(10.0, 10_000.0)
                    .steps(0, 1.0),
                ]),
        ];

    fn omitted() -> Option<HarmonicPercussive> {
        Some(HarmonicPercussive { harmonic_db: 0.0, percussive_db: 0.0, reach: HarmonicPercussive::REACH })
    }

    fn first() -> Option<HarmonicPercussive> {
        // The most common use: tones alone.
        let reach = HarmonicPercussive::STUDIO_REACH;
        HarmonicPercussive::omitted().map(|parts| HarmonicPercussive { percussive_db: -24.0, reach, ..parts })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Number(&mut self.harmonic_db),
            ParameterValue::Number(&mut self.percussive_db),
            ParameterValue::Pair(&mut self.reach),
        ]
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<HarmonicPercussive>> {
        let tonal = HarmonicPercussive { harmonic_db: 0.0, percussive_db: -60.0, reach: HarmonicPercussive::REACH };
        vec![BrushTrial::new(HarmonicPercussive::KIND, tonal)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for HarmonicPercussive {
    fn locality(&self) -> Locality {
        Locality::Neighbourhood
    }

    fn cell_kernel(&self, grid: &Grid, _: MagnitudeScale) -> Result<Option<Kernel>> {
        let windows = [grid.frames_in_secs(self.reach[0]), grid.bins_in_hz(self.reach[1])].map(median_window);
        // The hops of the highest rows are so short that a usual reach would cover more columns than a median needs.
        let windows =
            if grid.row_table().is_some() { windows.map(|window| window.min(MAX_MEDIAN_COLUMNS)) } else { windows };
        let max = MAX_MEDIAN_CELLS;
        if let Some(window) = windows.iter().find(|&&window| window > max && grid.row_table().is_none()) {
            return Err(Error::new(
                ErrorKind::Script,
                format!(
                    "this reach covers {window} cells; at most {max} are allowed, so use a smaller reach or another FFT \
                     size"
                ),
            ));
        }
        let gains = [self.harmonic_db, self.percussive_db].map(|db| 10f64.powf(db / 20.0) as f32);
        Ok(Some(HarmonicPercussiveKernel { windows, gains }.into()))
    }
}
