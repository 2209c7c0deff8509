//! Rasterises text for images: the pixel coverage of a line set in the Inter font.

use crate::base::{Error, ErrorKind, Result};
use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};

/// A line of text as coverage of pixels, 0 to 1, rows from the top.
pub(crate) struct TextLine {
    /// Width and height in pixels; all lines of the same font size have the same height.
    pub(crate) size: [usize; 2],
    /// One value per pixel.
    pub(crate) coverage: Vec<f32>,
}

impl TextLine {
    /// The line rotated to read from bottom to top.
    pub(crate) fn turned_left(&self) -> TextLine {
        let [width, height] = self.size;
        let coverage = (0..width).rev().flat_map(|x| (0..height).map(move |y| self.coverage[y * width + x])).collect();
        TextLine { size: [height, width], coverage }
    }
}

/// Text of one font size.
pub(crate) struct Lettering {
    font: FontRef<'static>,
    scale: PxScale,
}

impl Lettering {
    /// Text with lines about `px` pixels high.
    ///
    /// # Errors
    /// [`Internal`](ErrorKind::Internal) if the built-in font cannot be read.
    pub(crate) fn new(px: f32) -> Result<Lettering> {
        let font = FontRef::try_from_slice(include_bytes!("../../../../assets/fonts/Inter-Regular.ttf"))
            .map_err(|error| Error::new(ErrorKind::Internal, format!("the font cannot be read: {error}")))?;
        Ok(Lettering { font, scale: PxScale::from(px) })
    }

    /// Width of the widest digit.
    pub(crate) fn digit_width(&self) -> f32 {
        let font = self.font.as_scaled(self.scale);
        ('0'..='9').map(|digit| font.h_advance(font.glyph_id(digit))).fold(0.0, f32::max)
    }

    /// Draws a line.
    pub(crate) fn line(&self, text: &str) -> TextLine {
        let font = self.font.as_scaled(self.scale);
        let mut glyphs: Vec<Glyph> = Vec::new();
        let mut x = 0.0;
        let mut last = None;
        for letter in text.chars() {
            let id = font.glyph_id(letter);
            if let Some(last) = last {
                x += font.kern(last, id);
            }
            glyphs.push(id.with_scale_and_position(self.scale, point(x, font.ascent())));
            x += font.h_advance(id);
            last = Some(id);
        }
        let [width, height] = [x, font.height()].map(|side| side.ceil().max(1.0) as usize);
        let mut coverage = vec![0.0f32; width * height];
        for outlined in glyphs.into_iter().filter_map(|glyph| self.font.outline_glyph(glyph)) {
            let bounds = outlined.px_bounds();
            outlined.draw(|x, y, covered| {
                let (x, y) = (bounds.min.x + x as f32, bounds.min.y + y as f32);
                if x >= 0.0 && y >= 0.0 && (x as usize) < width && (y as usize) < height {
                    let pixel = &mut coverage[y as usize * width + x as usize];
                    *pixel = (*pixel + covered).min(1.0);
                }
            });
        }
        TextLine { size: [width, height], coverage }
    }
}
