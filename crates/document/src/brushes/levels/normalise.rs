//! Normalise: applies a gain to reach a peak level or a loudness.

use crate::base::{Error, ErrorKind, Result};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::parameter::{Parameter, ParameterLimits, ParameterValue};
use crate::brushes::sample_edit::{SampleEdit, SamplePass};
use crate::document::analysis::levels::{gain_to_loudness, peak_of};
use crate::document::edits::selected_sound::SelectedSound;

const LIMITS: ParameterLimits = ParameterLimits::Within(Normalise::LEVELS[0], Normalise::LEVELS[1]);

/// Applies one gain to all channels, for a target peak or loudness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normalise {
    /// Target peak, -60 to 0 dBFS.
    pub peak_db: f64,
    /// Target loudness, -60 to 0 LUFS, integrated by BS.1770; replaces the peak.
    pub loudness_lufs: Option<f64>,
}

impl Normalise {
    /// Default peak in dBFS: leaves headroom for conversion to a lossy format.
    pub const PEAK_DB: f64 = -1.0;
    /// Range of both levels, in dBFS and LUFS.
    pub const LEVELS: [f64; 2] = [-60.0, 0.0];

    /// Normalises to a peak.
    pub fn to_peak(peak_db: f64) -> Normalise {
        Normalise { peak_db, loudness_lufs: None }
    }

    /// Normalises to a loudness.
    pub fn to_loudness(loudness_lufs: f64) -> Normalise {
        Normalise { peak_db: Normalise::PEAK_DB, loudness_lufs: Some(loudness_lufs) }
    }
}

impl BrushModule for Normalise {
    const KIND: &'static str = "normalise";
    const NAME: &'static str = "Normalise";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("peak_db", LIMITS).note("the level of the loudest sample"),
        Parameter::optional("loudness_lufs", LIMITS).sparse().note("in place of the peak"),
    ];

    fn omitted() -> Option<Normalise> {
        Some(Normalise::to_peak(Normalise::PEAK_DB))
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.peak_db), ParameterValue::MaybeNumber(&mut self.loudness_lufs)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl SampleEdit for Normalise {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let peak = peak_of(sound)?;
        if peak == 0.0 {
            return Err(Error::outcome("there is only silence to normalise; select a sound"));
        }
        let gain = match self.loudness_lufs {
            // The first gain is to full scale, since the sound's own level may be below the loudness gate.
            Some(lufs) => gain_to_loudness(lufs, sound, 1.0 / peak)?.ok_or_else(|| {
                let what = "the sound has no loudness to normalise, as it is inaudibly low; normalise its peak instead";
                Error::new(ErrorKind::Script, what)
            })?,
            None => 10f64.powf(self.peak_db / 20.0) / peak,
        };
        Ok(Box::new(move |signal, piece| {
            let mut samples = sound.read(signal, piece)?;
            samples.iter_mut().for_each(|sample| *sample = (f64::from(*sample) * gain) as f32);
            Ok(samples)
        }))
    }
}
