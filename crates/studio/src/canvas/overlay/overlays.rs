//! Overlays of the pictures, cached between frames.

use super::loupe::Loupe;
use super::marks::Ants;
use super::outline::Outlines;
use super::picture_ghost::PictureGhost;
use super::speech_tint::SpeechTint;
use super::waveform::Waveforms;

/// Overlays of the pictures.
#[derive(Default)]
pub struct Overlays {
    /// Outlines of selections.
    pub outlines: Outlines,
    /// Marching ants of the outlines.
    pub ants: Ants,
    /// The loupe at the pointer.
    pub loupe: Loupe,
    /// The floating picture.
    pub picture: PictureGhost,
    /// Tint of isolated speech.
    pub speech: SpeechTint,
    /// Waveforms of the visible range.
    pub waveforms: Waveforms,
}
