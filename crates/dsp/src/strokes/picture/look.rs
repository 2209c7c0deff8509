//! Orientation of a picture, and which value counts as its brightness.

use super::Bitmap;

/// A clockwise rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PictureTurn {
    /// Unchanged.
    #[default]
    None,
    /// A quarter.
    Quarter,
    /// Half a turn.
    Half,
    /// Three quarters.
    ThreeQuarters,
}

/// Orientation of a picture, rotated first, then mirrored, and whether it is inverted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PictureLook {
    /// Clockwise rotation.
    pub turn: PictureTurn,
    /// Mirrored left to right.
    pub is_flipped: bool,
    /// Whether dark and bright are swapped.
    pub is_inverted: bool,
}

/// The value of a pixel used as its brightness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tint {
    /// `0.2126 R + 0.7152 G + 0.0722 B` of the encoded values.
    Luma,
    /// The red channel.
    Red,
    /// The green channel.
    Green,
}

/// A view of a picture; its top left pixel is `(0, 0)`.
#[derive(Debug, Clone, Copy)]
pub struct PictureView<'a> {
    bitmap: &'a Bitmap,
    look: PictureLook,
    tint: Tint,
}

impl<'a> PictureView<'a> {
    /// A view of a picture with an orientation and a choice of brightness.
    pub fn new(bitmap: &'a Bitmap, look: PictureLook, tint: Tint) -> PictureView<'a> {
        PictureView { bitmap, look, tint }
    }

    /// Width and height of the view.
    pub fn size(&self) -> [usize; 2] {
        let [width, height] = self.bitmap.size();
        match self.look.turn {
            PictureTurn::None | PictureTurn::Half => [width, height],
            PictureTurn::Quarter | PictureTurn::ThreeQuarters => [height, width],
        }
    }

    /// Whether the picture has an alpha channel.
    pub fn has_alpha(&self) -> bool {
        self.bitmap.has_alpha()
    }

    /// Brightness of a pixel, 0 to 1.
    #[inline(always)]
    pub fn brightness(&self, x: usize, y: usize) -> f64 {
        let [x, y] = self.stored_place(x, y);
        let [red, green, blue] = self.bitmap.colour(x, y);
        let brightness = match self.tint {
            // Grey pixels keep their exact value.
            Tint::Luma if red == green && green == blue => red,
            Tint::Luma => 0.2126 * red + 0.7152 * green + 0.0722 * blue,
            Tint::Red => red,
            Tint::Green => green,
        };
        if self.look.is_inverted { 1.0 - brightness } else { brightness }
    }

    /// Alpha of a pixel, 0 to 1.
    #[inline(always)]
    pub fn alpha(&self, x: usize, y: usize) -> f64 {
        let [x, y] = self.stored_place(x, y);
        self.bitmap.alpha(x, y)
    }

    /// Converts a pixel's position in the view to its position in the stored picture.
    #[inline(always)]
    fn stored_place(&self, x: usize, y: usize) -> [usize; 2] {
        let [width, height] = self.bitmap.size();
        let x = if self.look.is_flipped { self.size()[0] - 1 - x } else { x };
        match self.look.turn {
            PictureTurn::None => [x, y],
            PictureTurn::Quarter => [y, height - 1 - x],
            PictureTurn::Half => [width - 1 - x, height - 1 - y],
            PictureTurn::ThreeQuarters => [width - 1 - y, x],
        }
    }
}
