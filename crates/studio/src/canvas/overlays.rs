//! What lies over the pictures and is kept from frame to frame.

use super::loupe::Loupe;
use super::marks::Ants;
use super::outline::Outlines;
use super::picture_ghost::PictureGhost;
use super::speech_tint::SpeechTint;
use super::waveform::Waveforms;

/// What lies over the pictures.
#[derive(Default)]
pub struct Overlays {
    /// Of selections.
    pub outlines: Outlines,
    /// Their dashes, which walk.
    pub ants: Ants,
    /// The area around the pointer with another FFT size.
    pub loupe: Loupe,
    /// The picture that floats.
    pub picture: PictureGhost,
    /// Of speech that is isolated.
    pub speech: SpeechTint,
    /// Of what is seen.
    pub waveforms: Waveforms,
}
