//! Grey pictures to be hashed.

/// An 8-bit grey picture, rows from top to bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GreyPicture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl GreyPicture {
    /// A picture of `width * height` pixels; `None` if the number of pixels differs, or is zero.
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Option<GreyPicture> {
        let n_pixels = width.checked_mul(height)?;
        (n_pixels > 0 && pixels.len() == n_pixels).then_some(GreyPicture { width, height, pixels })
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The pixels, so that their memory can be reused.
    pub fn into_pixels(self) -> Vec<u8> {
        self.pixels
    }
}
