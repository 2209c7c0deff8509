//! What a picture brush is set to.

use crate::dsp::picture::{PictureArea, PictureLook};
use crate::media::picture::EmbeddedPicture;
use std::path::PathBuf;
use std::sync::Arc;

/// A picture laid over a time and a band: bright pixels are loud cells.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureBrush {
    /// The picture.
    pub image: PictureImage,
    /// Where it lies.
    pub area: PictureArea,
    /// Levels of the darkest grey and of white in decibels, ascending, -200 to 24; 0 dB is a full-scale sine. Black
    /// itself is silent.
    pub range_db: [f64; 2],
    /// The peak of the picture's own sound in decibels of full scale, to which its levels are raised or lowered
    /// together; none leaves them as they are. Not for [`Filter`](PictureMode::Filter).
    pub peak_db: Option<f64>,
    /// How it combines with the existing sound.
    pub mode: PictureMode,
    /// Where phases come from; not for [`Filter`](PictureMode::Filter), which keeps them.
    pub phase: PicturePhase,
    /// Fast Griffin-Lim steps from these phases on, 0 to 64.
    pub steps: u32,
    /// How it is turned and mirrored.
    pub look: PictureLook,
    /// In a stereo sound red is the left channel and green the right one.
    pub is_stereo: bool,
    /// The seed of random phases.
    pub seed: u64,
}

/// A picture of an edit.
#[derive(Debug, Clone, PartialEq)]
pub enum PictureImage {
    /// A file that is read when the edit is applied.
    File(PathBuf),
    /// The picture itself, and what the user should know about how it was read.
    Embedded(Arc<EmbeddedPicture>, Vec<String>),
}

/// What a picture does to the sound under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureMode {
    /// Its sound is added.
    Add,
    /// Its sound replaces the existing one.
    Replace,
    /// Attenuates the existing sound where it is dark; white changes nothing.
    Filter,
}

/// Where the phases of a picture's cells come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PicturePhase {
    /// Random phases.
    Random,
    /// From the gradients of the levels (PGHI).
    Rebuild,
    /// The phases of the existing sound.
    Beneath,
    /// There are no cells: each row of pixels is a sine.
    Bank,
}

impl PictureBrush {
    /// Default levels of black and white in decibels.
    pub const RANGE_DB: [f64; 2] = [-80.0, -20.0];
    /// The peak of a picture that is laid over a sound by hand.
    pub const PEAK_DB: f64 = -3.0;
    /// The least and the highest peak.
    pub const PEAK_RANGE_DB: [f64; 2] = [-60.0, 0.0];
    /// Default number of steps.
    pub const STEPS: u32 = 16;
    /// Maximum number of steps.
    pub const MOST_STEPS: u32 = 64;

    /// A picture over a time and a band, with all else as scripts have it that state no more.
    pub fn new(image: PictureImage, area: PictureArea) -> PictureBrush {
        PictureBrush {
            image,
            area,
            range_db: PictureBrush::RANGE_DB,
            peak_db: None,
            mode: PictureMode::Add,
            phase: PicturePhase::Random,
            steps: PictureBrush::STEPS,
            look: PictureLook::default(),
            is_stereo: false,
            seed: 0,
        }
    }
}
