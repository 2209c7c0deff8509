//! Textures of the thumbnail spectrograms, for visible rows only.

use crate::dsp::comparison::hashes::GreyPicture;
use crate::view::Colormap;
use egui::{Color32, ColorImage, TextureHandle, TextureId, TextureOptions};
use std::collections::{HashMap, HashSet};

/// Maximum number of textures made per frame; the rest follow in later frames.
const MAX_NEW_TEXTURES: usize = 3;

/// Textures by sound id, in one colour map.
#[derive(Default)]
pub struct Thumbs {
    colours: Option<(Colormap, Vec<Color32>)>,
    textures: HashMap<i64, TextureHandle>,
    used: HashSet<i64>,
    n_new: usize,
    has_more: bool,
}

impl Thumbs {
    /// Begins a frame.
    pub fn begin(&mut self, colormap: Colormap) {
        if self.colours.as_ref().is_none_or(|(known, _)| *known != colormap) {
            let colour = |grey: u8| {
                let [r, g, b] = colormap.rgb(f32::from(grey) / 255.0);
                Color32::from_rgb(r, g, b)
            };
            self.colours = Some((colormap, (0..=u8::MAX).map(colour).collect()));
            self.textures.clear();
        }
        self.used.clear();
        (self.n_new, self.has_more) = (0, false);
    }

    /// The texture of a picture; `None` if too many were already made in this frame.
    pub fn get(&mut self, ctx: &egui::Context, id: i64, picture: &GreyPicture) -> Option<TextureId> {
        self.used.insert(id);
        if let Some(known) = self.textures.get(&id) {
            return Some(known.id());
        }
        if self.n_new == MAX_NEW_TEXTURES {
            self.has_more = true;
            return None;
        }
        self.n_new += 1;
        let (_, colours) = self.colours.as_ref()?;
        let pixels = picture.pixels().iter().map(|&grey| colours[usize::from(grey)]).collect();
        let image = ColorImage::new([picture.width(), picture.height()], pixels);
        let texture = ctx.load_texture("sound of the library", image, TextureOptions::LINEAR);
        let texture_id = texture.id();
        self.textures.insert(id, texture);
        Some(texture_id)
    }

    /// Ends a frame, dropping textures that were not drawn.
    pub fn end(&mut self, ctx: &egui::Context) {
        self.textures.retain(|id, _| self.used.contains(id));
        if self.has_more {
            ctx.request_repaint();
        }
    }
}
