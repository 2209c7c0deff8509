//! Pictures copied to and pasted from the system clipboard.

use crate::dsp::Axis;
use crate::dsp::strokes::picture::Bitmap;
use std::sync::Arc;

/// Pasted pixels, converted by the job that reads them.
#[derive(Clone)]
pub struct PastedPicture(Arc<dyn Fn() -> Option<Bitmap> + Send + Sync>);

impl PastedPicture {
    /// A picture whose pixels come from a function; `None` if there are no pixels.
    pub fn new(pixels: impl Fn() -> Option<Bitmap> + Send + Sync + 'static) -> PastedPicture {
        PastedPicture(Arc::new(pixels))
    }

    /// Its pixels.
    pub(super) fn bitmap(&self) -> Option<Bitmap> {
        (self.0)()
    }
}

impl std::fmt::Debug for PastedPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PastedPicture")
    }
}

/// The last picture copied to the clipboard. A pasted picture of the same size is assumed to be an edited version of
/// it, and gets the same band, length and levels.
#[derive(Debug, Clone, PartialEq)]
pub struct CopiedPicture {
    /// Grey, 8 bits.
    pub bitmap: Arc<Bitmap>,
    /// Duration in seconds.
    pub length_secs: f64,
    /// Lower and upper edge in hertz.
    pub hz: [f64; 2],
    /// The frequency axis on which the rows are evenly spaced.
    pub axis: Axis,
    /// Levels of black and white, in decibels.
    pub range_db: [f64; 2],
}
