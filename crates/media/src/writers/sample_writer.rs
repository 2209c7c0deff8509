//! The common interface of the writers of all containers.

use crate::base::Result;
use crate::samples::values::f32_from_integer;

/// Layout of samples in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WavLayout {
    /// Integers, whose valid bits are the upper ones of the container.
    Integers {
        /// Bits per sample in the file.
        container_bits: u32,
        /// Valid bits.
        valid_bits: u32,
    },
    /// 32-bit floats.
    Float32,
    /// 64-bit floats.
    Float64,
}

impl WavLayout {
    pub(crate) fn container_bits(self) -> u32 {
        match self {
            WavLayout::Integers { container_bits, .. } => container_bits,
            WavLayout::Float32 => 32,
            WavLayout::Float64 => 64,
        }
    }

    /// For display: `24 bit`, `32 bit float`.
    pub(crate) fn described(self) -> String {
        match self {
            WavLayout::Integers { valid_bits, .. } => format!("{valid_bits} bit"),
            WavLayout::Float32 => "32 bit float".into(),
            WavLayout::Float64 => "64 bit float".into(),
        }
    }
}

/// A block of frames, with one vector per channel, of the type of a layout.
#[derive(Debug)]
pub(crate) enum Planes {
    Integers(Vec<Vec<i32>>),
    Float32(Vec<Vec<f32>>),
    Float64(Vec<Vec<f64>>),
}

impl Planes {
    /// Planes for a layout, still without channels.
    pub(crate) fn none(layout: WavLayout) -> Planes {
        match layout {
            WavLayout::Integers { .. } => Planes::Integers(Vec::new()),
            WavLayout::Float32 => Planes::Float32(Vec::new()),
            WavLayout::Float64 => Planes::Float64(Vec::new()),
        }
    }

    /// Converts the samples to floats with a full scale of 1.
    pub(crate) fn into_floats(self, layout: WavLayout) -> Vec<Vec<f32>> {
        let bits = layout.container_bits();
        let floats = |values: Vec<i32>| values.into_iter().map(|value| f32_from_integer(value, bits)).collect();
        match self {
            Planes::Integers(channels) => channels.into_iter().map(floats).collect(),
            Planes::Float32(channels) => channels,
            Planes::Float64(channels) => {
                channels.into_iter().map(|values| values.into_iter().map(|value| value as f32).collect()).collect()
            }
        }
    }
}

/// The layout, rate and description with which a container stores a sound.
#[derive(Debug, Clone)]
pub(crate) struct Storing {
    /// Layout of the samples for the writer.
    pub(crate) layout: WavLayout,
    /// Sample rate of the file; a sound with another rate is resampled.
    pub(crate) rate_hz: u32,
    /// Approximate bit rate of a lossy file for all channels together, in kbit/s; `None` for lossless files.
    pub(crate) kbps: Option<u32>,
    /// For display: `WAV, 24 bit`, `MP3, VBR V2`.
    pub(crate) described: String,
    /// Notices, one sentence each.
    pub(crate) notices: Vec<String>,
}

impl Storing {
    /// Creates the settings for a lossless container, which keeps the sample rate.
    pub(crate) fn of_samples(container: &str, layout: WavLayout, rate_hz: u32) -> Storing {
        let described = format!("{container}, {}", layout.described());
        Storing { layout, rate_hz, kbps: None, described, notices: Vec::new() }
    }
}

/// Writes a file from start to end.
pub(crate) trait SampleWriter {
    /// Writes the first `n` frames of `planes`.
    fn write(&mut self, planes: &Planes, n: usize) -> Result<()>;

    /// Writes the remaining data, and the fields known only at the end.
    fn finish(self: Box<Self>) -> Result<()>;
}
