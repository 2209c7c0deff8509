//! Remove DC: sets the mean of each channel to 0.

use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::sample_edit::{SampleEdit, SamplePass};
use crate::document::edits::selected_sound::SelectedSound;

/// Subtracts the mean of each channel over the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoveDc;

impl BrushModule for RemoveDc {
    const KIND: &'static str = "remove_dc";
    const NAME: &'static str = "Remove DC offset";

    fn omitted() -> Option<RemoveDc> {
        Some(RemoveDc)
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl SampleEdit for RemoveDc {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let range = sound.range();
        let n_samples = (range.end - range.start) as f64;
        let mut means = vec![0.0; sound.n_signals()];
        for (signal, mean) in means.iter_mut().enumerate() {
            let add = |_, samples: &[f32]| *mean += samples.iter().copied().map(f64::from).sum::<f64>();
            sound.each_piece(signal, std::slice::from_ref(&range), add)?;
            *mean /= n_samples;
        }
        Ok(Box::new(move |signal, piece| {
            let mut samples = sound.read(signal, piece)?;
            samples.iter_mut().for_each(|sample| *sample = (f64::from(*sample) - means[signal]) as f32);
            Ok(samples)
        }))
    }
}
