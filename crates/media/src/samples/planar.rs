//! Samples in memory, as they were stored: one vector per channel, all of equal length. Integers keep the container's
//! depth, so that `value / 2^(container_bits - 1)` is the sample.

use super::budget::Budget;
use super::values::{Original, f32_from_integer, full_scale};
use crate::base::Result;
use std::ops::Range;

/// The samples of all channels, of the same type.
#[derive(Debug)]
pub(crate) enum PlanarSamples {
    /// Integers of up to 16 bits.
    Int16(Vec<Vec<i16>>),
    /// Integers of 17 to 32 bits.
    Int32(Vec<Vec<i32>>),
    /// Finite 32-bit floats.
    Float32(Vec<Vec<f32>>),
    /// 64-bit floats that are finite as 32-bit floats too.
    Float64(Vec<Vec<f64>>),
}

/// Repeats code for the vectors of each type.
macro_rules! each_type {
    ($samples:expr, $channels:ident => $code:expr) => {
        match $samples {
            PlanarSamples::Int16($channels) => $code,
            PlanarSamples::Int32($channels) => $code,
            PlanarSamples::Float32($channels) => $code,
            PlanarSamples::Float64($channels) => $code,
        }
    };
}

impl PlanarSamples {
    /// Empty integers for a container of `container_bits`.
    pub(crate) fn integers(container_bits: u32, n_channels: usize) -> PlanarSamples {
        if container_bits <= 16 {
            PlanarSamples::Int16(vec![Vec::new(); n_channels])
        } else {
            PlanarSamples::Int32(vec![Vec::new(); n_channels])
        }
    }

    /// Number of samples per channel.
    pub(crate) fn len(&self) -> usize {
        each_type!(self, channels => channels.first().map_or(0, Vec::len))
    }

    /// Bytes of one value.
    pub(crate) fn value_bytes(&self) -> usize {
        fn of<T>(_: &[Vec<T>]) -> usize {
            size_of::<T>()
        }
        each_type!(self, channels => of(channels))
    }

    /// Reserves memory for exactly `n` more samples in every channel.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) if they do not fit in memory.
    pub(crate) fn reserve(&mut self, n: u64, budget: &Budget) -> Result<()> {
        each_type!(self, channels => budget.reserve_exact(channels, n))
    }

    /// Inserts `n` zeros at `at` in every channel.
    ///
    /// # Errors
    /// As [`reserve`](PlanarSamples::reserve).
    pub(crate) fn insert_silence(&mut self, at: usize, n: usize, budget: &mut Budget) -> Result<()> {
        fn insert<T: Copy + Default>(channels: &mut [Vec<T>], at: usize, n: usize, budget: &mut Budget) -> Result<()> {
            for channel in channels {
                budget.reserve(channel, n)?;
                channel.splice(at..at, std::iter::repeat_n(T::default(), n));
            }
            Ok(())
        }
        each_type!(self, channels => insert(channels, at, n, budget))
    }

    /// Truncates every channel to `n` samples and frees spare memory.
    pub(crate) fn finish(&mut self, n: usize) {
        each_type!(self, channels => for channel in channels {
            channel.truncate(n);
            channel.shrink_to_fit();
        });
    }

    /// Removes all samples but keeps the memory.
    pub(crate) fn clear(&mut self) {
        each_type!(self, channels => channels.iter_mut().for_each(Vec::clear));
    }

    /// Whether the bits of these frames are zero in all channels.
    pub(crate) fn is_silent(&self, frames: Range<usize>) -> bool {
        fn all<T: bytemuck::Pod>(channels: &[Vec<T>], frames: &Range<usize>) -> bool {
            let is_zero = |part: &[u8]| part.iter().fold(0, |any, byte| any | byte) == 0;
            let bytes = |channel: &Vec<T>| bytemuck::cast_slice(&channel[frames.clone()]).chunks(1024).all(is_zero);
            channels.iter().all(bytes)
        }
        each_type!(self, channels => all(channels, &frames))
    }

    /// Fills `out` with samples of a channel from `first` on, all of which must exist.
    pub(crate) fn read(&self, channel: usize, first: usize, container_bits: u32, out: &mut [f32]) {
        let range = first..first + out.len();
        match self {
            PlanarSamples::Int16(channels) => {
                let scale = 1.0 / full_scale(container_bits) as f32;
                for (out, value) in out.iter_mut().zip(&channels[channel][range]) {
                    *out = f32::from(*value) * scale;
                }
            }
            PlanarSamples::Int32(channels) => {
                for (out, value) in out.iter_mut().zip(&channels[channel][range]) {
                    *out = f32_from_integer(*value, container_bits);
                }
            }
            PlanarSamples::Float32(channels) => out.copy_from_slice(&channels[channel][range]),
            PlanarSamples::Float64(channels) => {
                for (out, value) in out.iter_mut().zip(&channels[channel][range]) {
                    *out = *value as f32;
                }
            }
        }
    }

    /// The stored values, all of which must exist.
    pub(crate) fn original(&self, channel: usize, range: Range<usize>) -> Original {
        match self {
            PlanarSamples::Int16(channels) => {
                Original::Integers(channels[channel][range].iter().map(|value| i32::from(*value)).collect())
            }
            PlanarSamples::Int32(channels) => Original::Integers(channels[channel][range].to_vec()),
            PlanarSamples::Float32(channels) => Original::Floats(channels[channel][range].to_vec()),
            PlanarSamples::Float64(channels) => Original::Doubles(channels[channel][range].to_vec()),
        }
    }
}
