//! Edits that work on samples rather than on cells.

use crate::base::Result;
use crate::document::edits::selected_sound::SelectedSound;
use std::cell::RefCell;
use std::ops::Range;

/// Returns the new samples of a signal, given by its index, over a piece of the range: as many as the piece has. Called
/// once per signal of each piece, with the pieces in order.
pub type SamplePass<'a> = Box<dyn Fn(usize, Range<u64>) -> Result<Vec<f32>> + 'a>;

/// How an edit of samples uses a selection other than a range of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionUse {
    /// Processes the sound in the selection.
    Sound,
    /// Processes all frequencies in the selected ranges of time.
    Time,
    /// Analyses the whole sound; the selection masks its changes.
    Mask,
}

/// An edit of samples: over a range of time, or over the sound of any other selection.
pub trait SampleEdit {
    /// Analyses the whole range, and returns a function that computes each piece.
    ///
    /// # Errors
    /// Read errors of the source, and [`Script`](crate::base::ErrorKind::Script) if the edit does not fit the sound.
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>>;

    /// Whether its result is added to the selection rather than replacing it.
    fn adds(&self) -> bool {
        false
    }

    /// How it uses a selection other than a range of time.
    fn takes_selection(&self) -> SelectionUse {
        SelectionUse::Sound
    }

    /// The end of its result, in samples from the start of the sound. Beyond the selected range, the result is added to
    /// the sound; anything past the end of the sound is lost.
    fn end(&self, sound: &SelectedSound<'_>) -> u64 {
        sound.range().end
    }
}

/// A pass that computes all signals of a piece together.
pub(super) fn all_signals<'a>(make: impl FnMut(Range<u64>) -> Result<Vec<Vec<f32>>> + 'a) -> SamplePass<'a> {
    let made: (_, Range<u64>, Vec<Vec<f32>>) = (make, 0..0, Vec::new());
    let made = RefCell::new(made);
    Box::new(move |signal, piece| {
        let (make, of, signals) = &mut *made.borrow_mut();
        if *of != piece {
            *signals = make(piece.clone())?;
            *of = piece;
        }
        Ok(signals.get_mut(signal).map(std::mem::take).unwrap_or_default())
    })
}
