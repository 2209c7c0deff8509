//! Reduce reverb: attenuates late reverberation, estimated from the decay of the room. In stereo, the reverberation
//! predicted from earlier cells of both channels is subtracted first.

use super::frame_pass::RangeFrames;
use crate::base::{Error, ErrorKind, Result};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::sample_edit::{SampleEdit, SamplePass};
use crate::document::edits::selected_sound::SelectedSound;
use crate::dsp::repair::frame_gains::{
    BandLevels, DecaySearch, FrameCells, LateReverb, MultichannelPrediction, PredictionFit,
};

/// Minimum and maximum of the estimated decay, in seconds.
const RT60_SECS: [f64; 2] = [0.2, 5.0];
/// Number of channels whose reverberation is predicted from each other; with any other number, there is no prediction.
const N_PREDICTED: usize = 2;
/// Minimum sample rate: lower ones lack some of the octaves in which the decay is measured.
const MIN_RATE_HZ: f64 = 2.0 * DecaySearch::BANDS_HZ[2][1];

/// Lowers late reverberation; its analysis does not depend on the edit's transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dereverb {
    /// Reverberation time (RT60) of the room in seconds; estimated from the sound if `None`.
    pub rt60_secs: Option<f64>,
    /// Delay after the direct sound from which reverberation counts as late, in seconds.
    pub delay_secs: f64,
    /// Maximum attenuation of cells, in dB.
    pub floor_db: f64,
}

impl Dereverb {
    /// Settings that estimate the decay.
    pub const DEFAULT: Dereverb = Dereverb { rt60_secs: None, delay_secs: 0.05, floor_db: -12.0 };

    /// The RT60 that the edit estimates for a sound, in seconds; `None` without an estimate, and if the sample rate is
    /// too low.
    ///
    /// # Errors
    /// Read errors of the source, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub(crate) fn found_rt60_secs(sound: &SelectedSound<'_>) -> Result<Option<f64>> {
        if sound.sample_rate_hz() < MIN_RATE_HZ {
            return Ok(None);
        }
        let frames = RangeFrames::new(sound, LateReverb::FRAME_SECS);
        let meter = BandLevels::new(frames.layout(), &DecaySearch::BANDS_HZ);
        let mut decay = DecaySearch::default();
        frames.look([0, 1], |run| run.iter().for_each(|frame| decay.push(meter.of(frame))))?;
        Ok(decay.rt60_secs(frames.layout().step_secs()))
    }
}

impl BrushModule for Dereverb {
    const KIND: &'static str = "dereverb";
    const NAME: &'static str = "Reduce reverb";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("rt60", ParameterLimits::Within(RT60_SECS[0], RT60_SECS[1]))
            .sparse()
            .note("seconds in which the room falls by 60 dB; omitted: found in the sound")
            .controls(
                &[OptionControl::number("RT60", "How long the room takes to fall by 60 dB.", "s").steps(2, 0.01)],
            ),
        Parameter::optional("delay", ParameterLimits::Within(0.01, 0.2))
            .note("seconds after the direct sound from which reverberation counts as late")
            .controls(&[OptionControl {
                scale: 1000.0,
                ..OptionControl::number("Keep early", "Reflections up to this time are kept.", "ms").steps(0, 0.2)
            }]),
        Parameter::optional("floor_db", ParameterLimits::Within(-60.0, 0.0))
            .note("the largest reduction")
            .controls(&[OptionControl::number("Floor", "Nothing is lowered further than this.", "dB")]),
    ];

    fn omitted() -> Option<Dereverb> {
        Some(Dereverb::DEFAULT)
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::MaybeNumber(&mut self.rt60_secs),
            ParameterValue::Number(&mut self.delay_secs),
            ParameterValue::Number(&mut self.floor_db),
        ]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl SampleEdit for Dereverb {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        if sound.sample_rate_hz() < MIN_RATE_HZ {
            let what = format!("reducing reverb needs {MIN_RATE_HZ} samples a second");
            return Err(Error::new(ErrorKind::Script, what));
        }
        let frames = RangeFrames::new(sound, LateReverb::FRAME_SECS);
        let predicts = sound.n_signals() == N_PREDICTED;
        let n_rounds = if predicts { MultichannelPrediction::N_ROUNDS as u64 } else { 0 };
        // One pass estimates the decay, one per round fits the prediction, and one writes.
        let n_passes = n_rounds + 2;
        let meter = BandLevels::new(frames.layout(), &DecaySearch::BANDS_HZ);
        let mut decay = DecaySearch::default();
        let mut powers = MeanPowers::new(frames.layout().n_bins());
        frames.look([0, n_passes], |run| {
            for frame in run {
                decay.push(meter.of(frame));
                powers.add(frame);
            }
        })?;
        let rt60_secs = match self.rt60_secs {
            Some(given) => given,
            None => {
                let none = || Error::outcome("no decay found; give its seconds, or select speech with pauses");
                let found = decay.rt60_secs(frames.layout().step_secs()).ok_or_else(none)?;
                sound.report_found(format!("RT60 {found:.2} s"));
                found.clamp(RT60_SECS[0], RT60_SECS[1])
            }
        };
        let mut early = None;
        if predicts {
            let mut fit = PredictionFit::new(N_PREDICTED, &powers.means());
            for round in 0..n_rounds {
                frames.look([1 + round, n_passes], |run| fit.push(run))?;
                fit.solve();
            }
            early = Some(fit.finish());
        }
        let late = LateReverb::new(frames.layout(), [rt60_secs, self.delay_secs], self.floor_db, early);
        let n_before = late.n_frames_before(frames.layout()) + MultichannelPrediction::N_FRAMES_BEFORE;
        Ok(frames.pass(late, n_before))
    }
}

/// The mean power of each bin.
struct MeanPowers {
    sums: Vec<f64>,
    n: u64,
}

impl MeanPowers {
    fn new(n_bins: usize) -> MeanPowers {
        MeanPowers { sums: vec![0.0; n_bins], n: 0 }
    }

    fn add(&mut self, frame: &FrameCells) {
        for channel in frame {
            self.sums.iter_mut().zip(channel).for_each(|(sum, cell)| *sum += f64::from(cell.norm_sqr()));
            self.n += 1;
        }
    }

    fn means(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| sum / self.n.max(1) as f64).collect()
    }
}
