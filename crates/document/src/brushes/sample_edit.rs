//! Edits that work on samples instead of cells.

use crate::base::Result;
use crate::document::selected_sound::SelectedSound;
use std::cell::RefCell;
use std::ops::Range;

/// Gives the new samples of a signal, by its number, over a piece of the range: as many as the piece has. It is called
/// once for every signal of each piece, and for pieces in their order.
pub type SamplePass<'a> = Box<dyn Fn(usize, Range<u64>) -> Result<Vec<f32>> + 'a>;

/// What a selection that is no range of time means for an edit of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionUse {
    /// It works on the sound that the selection holds.
    Sound,
    /// It works on all frequencies, in the selected ranges of time.
    Time,
    /// It hears all of the sound, and the selection masks what it changes.
    Mask,
}

/// An edit of samples: over a range of time, or over what any other selection holds.
pub trait SampleEdit {
    /// Measures what it has to know of the whole range, and says what each piece becomes.
    ///
    /// # Errors
    /// The source's; [`Script`](crate::base::ErrorKind::Script) where the edit does not fit the sound.
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>>;

    /// Whether it is added to what is selected, instead of replacing it.
    fn adds(&self) -> bool {
        false
    }

    /// What a selection that is no range of time means for it.
    fn takes_selection(&self) -> SelectionUse {
        SelectionUse::Sound
    }

    /// The end of what it writes, in samples from the start of the sound. Beyond the range that is selected it adds to
    /// what is there; what lies past the end of the sound is lost.
    fn end(&self, sound: &SelectedSound<'_>) -> u64 {
        sound.range().end
    }
}

/// A pass that makes all signals of a piece together.
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
