//! Reverse: plays the range backwards.

use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::sample_edit::{SampleEdit, SamplePass};
use crate::document::edits::selected_sound::SelectedSound;

/// Reverses the order of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reverse;

impl BrushModule for Reverse {
    const KIND: &'static str = "reverse";
    const NAME: &'static str = "Reverse";

    fn omitted() -> Option<Reverse> {
        Some(Reverse)
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl SampleEdit for Reverse {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let range = sound.range();
        Ok(Box::new(move |signal, piece| {
            let mirrored = |at: u64| range.start + (range.end - at);
            let mut samples = sound.read(signal, mirrored(piece.end)..mirrored(piece.start))?;
            samples.reverse();
            Ok(samples)
        }))
    }
}
