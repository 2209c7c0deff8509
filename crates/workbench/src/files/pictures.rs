//! Pictures on their way through the clipboard of the system.

use crate::dsp::Axis;
use crate::dsp::picture::Bitmap;
use std::sync::Arc;

/// Pixels that were pasted, converted by the job that takes them.
#[derive(Clone)]
pub struct PastedPicture(Arc<dyn Fn() -> Option<Bitmap> + Send + Sync>);

impl PastedPicture {
    /// A picture whose pixels a function gives; none where it has no pixels.
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

/// The picture that was copied to the clipboard last. One of the same size that is pasted later is that picture,
/// perhaps painted over, and is laid over the same band with the same levels.
#[derive(Debug, Clone, PartialEq)]
pub struct CopiedPicture {
    /// Grey, 8 bits.
    pub bitmap: Arc<Bitmap>,
    /// How long it lasts.
    pub length_secs: f64,
    /// Lower and upper edge in hertz.
    pub hz: [f64; 2],
    /// Rows are equally high on this axis.
    pub axis: Axis,
    /// Levels of black and white.
    pub range_db: [f64; 2],
}
