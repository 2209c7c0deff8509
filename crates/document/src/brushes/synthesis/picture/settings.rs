//! Settings of a picture brush.

use crate::dsp::strokes::picture::{PictureArea, PictureLook};
use crate::media::picture::EmbeddedPicture;
use std::path::PathBuf;
use std::sync::Arc;

/// A picture over a time and a band, whose bright pixels are loud cells.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureBrush {
    /// The picture, or its file.
    pub image: PictureImage,
    /// The time and the band that it covers.
    pub area: PictureArea,
    /// Levels of the darkest grey and of white in decibels, ascending, -200 to 24; 0 dB is a full-scale sine. Black
    /// itself is silent.
    pub range_db: [f64; 2],
    /// The peak of the picture's own sound in dBFS, to which its levels are scaled together; `None` leaves them
    /// unchanged. Not for [`Filter`](PictureMode::Filter).
    pub peak_db: Option<f64>,
    /// How it combines with the existing sound.
    pub mode: PictureMode,
    /// Source of the phases; not for [`Filter`](PictureMode::Filter), which keeps them.
    pub phase: PicturePhase,
    /// Number of fast Griffin-Lim steps that follow, 0 to 64.
    pub steps: u32,
    /// Rotation and mirroring.
    pub look: PictureLook,
    /// Whether in a stereo sound red is the left channel and green the right one.
    pub is_stereo: bool,
    /// The seed of random phases.
    pub seed: u64,
}

/// A picture of an edit.
#[derive(Debug, Clone, PartialEq)]
pub enum PictureImage {
    /// A file read when the edit is applied.
    File(PathBuf),
    /// The picture itself, and notices from reading it.
    Embedded(Arc<EmbeddedPicture>, Vec<String>),
}

/// How a picture is combined with the sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureMode {
    /// Adds its sound.
    Add,
    /// Its sound replaces the existing one.
    Replace,
    /// Attenuates the existing sound where it is dark; white changes nothing.
    Filter,
}

/// Source of the phases of a picture's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PicturePhase {
    /// Random phases.
    Random,
    /// From the gradients of the levels (PGHI).
    Rebuild,
    /// The phases of the existing sound.
    Beneath,
    /// None: each row of pixels is a sine.
    Bank,
}

impl PictureBrush {
    /// Default levels of black and white in decibels.
    pub const RANGE_DB: [f64; 2] = [-80.0, -20.0];
    /// Default peak of a picture placed by hand.
    pub const PEAK_DB: f64 = -3.0;
    /// Range of peaks.
    pub const PEAK_RANGE_DB: [f64; 2] = [-60.0, 0.0];
    /// Default number of steps.
    pub const STEPS: u32 = 16;
    /// Maximum number of steps.
    pub const MAX_STEPS: u32 = 64;

    /// A picture over a time and a band, with the script defaults for all other settings.
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
