//! Copies and pastes pictures through the system clipboard, by egui.

use crate::dsp::strokes::picture::{Bitmap, BitmapSamples};
use crate::workbench::PastedPicture;
use egui::{ColorImage, Event};

/// The pictures pasted in this frame.
pub fn pasted(ctx: &egui::Context) -> Vec<PastedPicture> {
    let picture = |event: &Event| match event {
        Event::PasteImage(image) => {
            let image = image.clone();
            Some(PastedPicture::new(move || bitmap_of(&image)))
        }
        _ => None,
    };
    ctx.input(|input| input.events.iter().filter_map(picture).collect())
}

/// Copies an 8-bit grey picture to the system clipboard.
pub fn copy(ctx: &egui::Context, bitmap: &Bitmap) {
    if let BitmapSamples::Eight(grey) = bitmap.samples() {
        ctx.copy_image(ColorImage::from_gray(bitmap.size(), grey));
    }
}

/// An image as a bitmap: one channel if all pixels are grey and opaque, three if all are opaque, else four. `None` for
/// an empty image.
fn bitmap_of(image: &ColorImage) -> Option<Bitmap> {
    let is_opaque = image.pixels.iter().all(|pixel| pixel.a() == 255);
    let is_grey = image.pixels.iter().all(|pixel| pixel.r() == pixel.g() && pixel.g() == pixel.b());
    // egui stores premultiplied colours.
    let pixels = image.pixels.iter().map(|pixel| pixel.to_srgba_unmultiplied());
    let (n_channels, samples): (usize, Vec<u8>) = match (is_opaque, is_grey) {
        (true, true) => (1, pixels.map(|[grey, ..]| grey).collect()),
        (true, false) => (3, pixels.flat_map(|[red, green, blue, _]| [red, green, blue]).collect()),
        (false, _) => (4, pixels.flatten().collect()),
    };
    Bitmap::new(image.size, n_channels, BitmapSamples::Eight(samples))
}
