//! Edits that work on samples instead of cells.

use crate::base::Result;
use crate::document::selected_sound::SelectedSound;
use std::ops::Range;

/// Gives the new samples of a signal, by its number, over a piece of the range: as many as the piece has.
pub type SamplePass<'a> = Box<dyn Fn(usize, Range<u64>) -> Result<Vec<f32>> + 'a>;

/// An edit of samples: over a range of time, or over what any other selection holds.
pub trait SampleEdit {
    /// Measures what it has to know of the whole range, and says what each piece becomes.
    ///
    /// # Errors
    /// The source's; [`Script`](crate::base::ErrorKind::Script) where the edit does not fit the sound.
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>>;
}
