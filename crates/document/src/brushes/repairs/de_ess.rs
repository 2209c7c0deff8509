//! De-ess: lowers sibilants to the level of the voice.

use super::frame_pass::RangeFrames;
use crate::base::{Error, ErrorKind, Result};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::sample_edit::{SampleEdit, SamplePass};
use crate::document::edits::selected_sound::SelectedSound;
use crate::dsp::repair::frame_gains::{BandLevels, SibilantExcess, SibilantSearch};

/// The bands of sibilants in hertz, with the minimum sample rate of each.
const BANDS: [([f64; 2], f64); 2] = [([4500.0, 12_000.0], 24_000.0), ([3800.0, 7800.0], 15_600.0)];
/// Minimum duration for a reliable estimate of a voice's level.
const MIN_SECS: f64 = 0.5;

/// Lowers sibilants; its analysis does not depend on the edit's transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeEss {
    /// Threshold: the level above the voice beyond which sibilants are attenuated, in dB.
    pub threshold_db: f64,
    /// Fraction of the excess over the threshold that is removed, 0 to 1.
    pub ratio: f64,
    /// Maximum attenuation, in dB.
    pub max_db: f64,
    /// Band of the sibilants in hertz; `None` uses the default for the sample rate.
    pub band_hz: Option<[f64; 2]>,
}

impl BrushModule for DeEss {
    const KIND: &'static str = "de_ess";
    const NAME: &'static str = "De-ess";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("threshold_db", ParameterLimits::Within(-30.0, 30.0))
            .note("from how far above the level of the voice sibilants are lowered")
            .controls(&[OptionControl::number(
                "Threshold",
                "Lowers sibilants that are louder than this, relative to the voice.",
                "dB",
            )]),
        Parameter::optional("ratio", ParameterLimits::Within(0.0, 1.0))
            .note("by which part of what they are above it")
            .controls(&[OptionControl {
                scale: 100.0,
                ..OptionControl::number("Amount", "How much of what is above the threshold is taken away.", "%")
                    .steps(0, 0.5)
            }]),
        Parameter::optional("most_db", ParameterLimits::Within(0.0, 40.0))
            .note("the largest reduction")
            .controls(&[OptionControl::number("At most", "The largest reduction.", "dB")]),
        Parameter::optional("band", ParameterLimits::Within(1000.0, 40_000.0))
            .sparse()
            .note("of sibilants, in hertz; omitted: 4,500 to 12,000, at rates under 24,000 Hz 3,800 to 7,800")
            .controls(&[
                OptionControl::number("From", "Lowers the sound above this frequency.", "Hz").steps(0, 10.0),
                OptionControl::number("To", "Measures sibilants up to this frequency.", "Hz").steps(0, 10.0),
            ]),
    ];

    fn omitted() -> Option<DeEss> {
        Some(DeEss::DEFAULT)
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Number(&mut self.threshold_db),
            ParameterValue::Number(&mut self.ratio),
            ParameterValue::Number(&mut self.max_db),
            ParameterValue::MaybePair(&mut self.band_hz),
        ]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl DeEss {
    /// Settings that leave clean voices nearly unchanged.
    pub const DEFAULT: DeEss = DeEss { threshold_db: -6.0, ratio: 0.8, max_db: 15.0, band_hz: None };

    /// The band of sibilants at a sample rate, in hertz.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the rate is too low.
    pub fn band_at(&self, rate_hz: f64) -> Result<[f64; 2]> {
        match self.band_hz {
            Some([from, to]) => {
                let [low, high] = [from.min(to), from.max(to)];
                if high > rate_hz / 2.0 {
                    let what = format!("a band up to {high} Hz needs {} samples a second; lower its end", 2.0 * high);
                    return Err(Error::new(ErrorKind::Script, what));
                }
                Ok([low, high])
            }
            None => {
                let fits = BANDS.iter().find(|(_, min_rate_hz)| rate_hz >= *min_rate_hz);
                fits.map(|(band, _)| *band).ok_or_else(|| {
                    let what = format!("there are no sibilants in {rate_hz} samples a second; de-ess needs 15600");
                    Error::new(ErrorKind::Script, what)
                })
            }
        }
    }
}

impl DeEss {
    /// Level of the sibilants above the voice at the times accepted by `counts`, and the ranges of time in which it
    /// exceeds `over_db`; `None` without sibilants, and if the sample rate is too low for them. Times are in seconds
    /// from the start of the range.
    ///
    /// # Errors
    /// Read errors of the source, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub(crate) fn excess(
        &self,
        sound: &SelectedSound<'_>,
        over_db: f64,
        counts: impl Fn(f64) -> bool,
    ) -> Result<Option<(SibilantExcess, Vec<[f64; 2]>)>> {
        let Ok(band_hz) = self.band_at(sound.sample_rate_hz()) else { return Ok(None) };
        let frames = RangeFrames::new(sound, SibilantSearch::FRAME_SECS);
        let levels = levels(&frames, [0, 1], [band_hz, SibilantSearch::VOICE_HZ])?;
        let step_secs = frames.layout().step_secs();
        // The middle of a frame lies two steps after its first sample.
        let secs = |frame: f64| (frame - 1.0) * step_secs;
        let excess = SibilantSearch::excess(&levels, over_db, |frame| counts(secs(frame as f64)));
        let range_secs = (sound.range().end - sound.range().start) as f64 / sound.sample_rate_hz();
        let around = |frame: usize| secs(frame as f64 - 0.5).clamp(0.0, range_secs);
        Ok(excess.map(|excess| {
            let runs = excess.runs.iter().map(|run| [around(run.start), around(run.end)]).collect();
            (excess, runs)
        }))
    }
}

/// Levels in dB: for each frame, one value per band. `pass` is the number of the pass (from 0), and of all passes.
fn levels(frames: &RangeFrames<'_>, pass: [u64; 2], bands_hz: [[f64; 2]; 2]) -> Result<Vec<Vec<f64>>> {
    let meter = BandLevels::new(frames.layout(), &bands_hz);
    let mut levels = Vec::new();
    frames.look(pass, |run| levels.extend(run.iter().map(|frame| meter.of(frame))))?;
    Ok(levels)
}

impl SampleEdit for DeEss {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let search = SibilantSearch {
            band_hz: self.band_at(sound.sample_rate_hz())?,
            threshold_db: self.threshold_db,
            ratio: self.ratio,
            max_db: self.max_db,
        };
        sound.check_length(MIN_SECS)?;
        let frames = RangeFrames::new(sound, SibilantSearch::FRAME_SECS);
        let levels = levels(&frames, [0, 2], search.bands_hz())?;
        let no_voice = || Error::outcome("no voice found to compare sibilants with; select speech");
        let reduction = search.reduction(frames.layout(), &levels).ok_or_else(no_voice)?;
        if reduction.n_runs() == 0 {
            return Err(Error::outcome("no sibilants found above the threshold; lower it"));
        }
        let n = reduction.n_runs();
        let sibilants = if n == 1 { "1 sibilant".to_owned() } else { format!("{n} sibilants") };
        sound.report_found(format!("{sibilants}, up to -{:.1} dB", reduction.max_db()));
        Ok(frames.pass(reduction, 0))
    }
}
