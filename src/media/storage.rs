//! Where a source's original values live. Integers keep the container's depth: left-justified, so that
//! `value / 2^(container_bits - 1)` is the sample.

use super::Original;
use super::plain_file::PlainFile;
use super::scratch::Scratch;
use crate::base::{Error, ErrorKind, Result};
use std::ops::Range;
use std::sync::Arc;

/// Original values: planar in memory, one vector per channel, or on disk.
#[derive(Debug)]
pub(super) enum Storage {
    /// Nothing but zeros, of any length.
    Silence,
    /// Integers of up to 16 bits.
    Int16(Vec<Vec<i16>>),
    /// Integers of 17 to 32 bits.
    Int32(Vec<Vec<i32>>),
    /// Finite 32-bit floats.
    Float32(Vec<Vec<f32>>),
    /// 64-bit floats that are finite as 32-bit floats too.
    Float64(Vec<Vec<f64>>),
    /// Where they are in the user's file.
    Plain(Box<PlainFile>),
    /// Decoded into a temporary file.
    Scratch(Arc<Scratch>),
}

impl Storage {
    /// Empty integers for a container of so many bits.
    pub(super) fn integers(container_bits: u32, n_channels: usize) -> Storage {
        if container_bits <= 16 {
            Storage::Int16(vec![Vec::new(); n_channels])
        } else {
            Storage::Int32(vec![Vec::new(); n_channels])
        }
    }

    /// Samples of the first channel.
    pub(super) fn len(&self) -> usize {
        match self {
            Storage::Silence => 0,
            Storage::Plain(file) => file.n_frames() as usize,
            Storage::Scratch(scratch) => scratch.len() as usize,
            Storage::Int16(channels) => channels.first().map_or(0, Vec::len),
            Storage::Int32(channels) => channels.first().map_or(0, Vec::len),
            Storage::Float32(channels) => channels.first().map_or(0, Vec::len),
            Storage::Float64(channels) => channels.first().map_or(0, Vec::len),
        }
    }

    /// Room for exactly `n` more in every channel.
    pub(super) fn reserve(&mut self, n: u64, budget: &mut Budget) -> Result<()> {
        fn reserve<T>(channels: &mut [Vec<T>], n: u64, budget: &mut Budget) -> Result<()> {
            let n_bytes = n.saturating_mul(channels.len() as u64 * size_of::<T>() as u64);
            let n = usize::try_from(n).map_err(|_| too_long(n_bytes))?;
            budget.check(n_bytes)?;
            for channel in channels {
                channel.try_reserve_exact(n).map_err(|_| too_long(n_bytes))?;
            }
            Ok(())
        }
        match self {
            Storage::Silence | Storage::Plain(_) | Storage::Scratch(_) => Ok(()),
            Storage::Int16(channels) => reserve(channels, n, budget),
            Storage::Int32(channels) => reserve(channels, n, budget),
            Storage::Float32(channels) => reserve(channels, n, budget),
            Storage::Float64(channels) => reserve(channels, n, budget),
        }
    }

    /// `n` zeros at `at` in every channel, moving what is behind.
    pub(super) fn insert_silence(&mut self, at: usize, n: usize, budget: &mut Budget) -> Result<()> {
        fn insert<T: Copy + Default>(channels: &mut [Vec<T>], at: usize, n: usize, budget: &mut Budget) -> Result<()> {
            for channel in channels {
                budget.reserve(channel, n)?;
                channel.splice(at..at, std::iter::repeat_n(T::default(), n));
            }
            Ok(())
        }
        match self {
            Storage::Silence | Storage::Plain(_) | Storage::Scratch(_) => Ok(()),
            Storage::Int16(channels) => insert(channels, at, n, budget),
            Storage::Int32(channels) => insert(channels, at, n, budget),
            Storage::Float32(channels) => insert(channels, at, n, budget),
            Storage::Float64(channels) => insert(channels, at, n, budget),
        }
    }

    /// Every channel cut to `n`, and spare room given back.
    pub(super) fn finish(&mut self, n: usize) {
        fn cut<T>(channels: &mut [Vec<T>], n: usize) {
            for channel in channels {
                channel.truncate(n);
                channel.shrink_to_fit();
            }
        }
        match self {
            Storage::Silence | Storage::Plain(_) | Storage::Scratch(_) => (),
            Storage::Int16(channels) => cut(channels, n),
            Storage::Int32(channels) => cut(channels, n),
            Storage::Float32(channels) => cut(channels, n),
            Storage::Float64(channels) => cut(channels, n),
        }
    }

    /// Nothing, in the same kind of values, with the room there was.
    pub(super) fn clear(&mut self) {
        match self {
            Storage::Silence | Storage::Plain(_) | Storage::Scratch(_) => (),
            Storage::Int16(channels) => channels.iter_mut().for_each(Vec::clear),
            Storage::Int32(channels) => channels.iter_mut().for_each(Vec::clear),
            Storage::Float32(channels) => channels.iter_mut().for_each(Vec::clear),
            Storage::Float64(channels) => channels.iter_mut().for_each(Vec::clear),
        }
    }

    /// Whether some frames in memory are zeros to the bit, in all channels.
    pub(super) fn is_silent(&self, frames: Range<usize>) -> bool {
        fn all<T: bytemuck::Pod>(channels: &[Vec<T>], frames: &Range<usize>) -> bool {
            let is_zero = |part: &[u8]| part.iter().fold(0, |any, byte| any | byte) == 0;
            let bytes = |channel: &Vec<T>| bytemuck::cast_slice(&channel[frames.clone()]).chunks(1024).all(is_zero);
            channels.iter().all(bytes)
        }
        match self {
            Storage::Silence => true,
            Storage::Plain(_) | Storage::Scratch(_) => false,
            Storage::Int16(channels) => all(channels, &frames),
            Storage::Int32(channels) => all(channels, &frames),
            Storage::Float32(channels) => all(channels, &frames),
            Storage::Float64(channels) => all(channels, &frames),
        }
    }

    /// The end of the silence that a frame begins or lies in, as far as that is known without reading; the frame itself
    /// where it is not.
    pub(super) fn silent_until(&self, first: u64) -> u64 {
        match self {
            Storage::Silence => u64::MAX,
            Storage::Scratch(scratch) => scratch.silent_until(first),
            held if first >= held.len() as u64 => u64::MAX,
            _ => first,
        }
    }

    /// Bytes of one value in memory.
    pub(super) fn value_bytes(&self) -> usize {
        match self {
            Storage::Int16(_) => 2,
            Storage::Float64(_) => 8,
            _ => 4,
        }
    }

    /// Samples `first ..` of a channel as f32, all inside the source.
    ///
    /// # Errors
    /// Those of the disk, and of a file that was changed by others.
    pub(super) fn read(&self, channel: usize, first: usize, container_bits: u32, out: &mut [f32]) -> Result<()> {
        let range = first..first + out.len();
        match self {
            Storage::Plain(file) => return file.read(channel, first as u64, out),
            Storage::Scratch(scratch) => return scratch.read(channel, first as u64, container_bits, out),
            Storage::Silence => out.fill(0.0),
            Storage::Int16(channels) => {
                let scale = 1.0 / full_scale(container_bits) as f32;
                for (out, value) in out.iter_mut().zip(&channels[channel][range]) {
                    *out = f32::from(*value) * scale;
                }
            }
            Storage::Int32(channels) => {
                for (out, value) in out.iter_mut().zip(&channels[channel][range]) {
                    *out = f32_from_integer(*value, container_bits);
                }
            }
            Storage::Float32(channels) => out.copy_from_slice(&channels[channel][range]),
            Storage::Float64(channels) => {
                for (out, value) in out.iter_mut().zip(&channels[channel][range]) {
                    *out = *value as f32;
                }
            }
        }
        Ok(())
    }

    /// The values as they were stored, all inside the source.
    ///
    /// # Errors
    /// As [`read`](Storage::read).
    pub(super) fn original(&self, channel: usize, first: usize, n: usize) -> Result<Original> {
        let range = first..first + n;
        Ok(match self {
            Storage::Plain(file) => file.original(channel, first as u64, n)?,
            Storage::Scratch(scratch) => scratch.original(channel, first as u64, n)?,
            Storage::Silence => Original::Floats(vec![0.0; n]),
            Storage::Int16(channels) => {
                Original::Integers(channels[channel][range].iter().map(|value| i32::from(*value)).collect())
            }
            Storage::Int32(channels) => Original::Integers(channels[channel][range].to_vec()),
            Storage::Float32(channels) => Original::Floats(channels[channel][range].to_vec()),
            Storage::Float64(channels) => Original::Doubles(channels[channel][range].to_vec()),
        })
    }
}

/// `2^(bits - 1)`.
pub(super) fn full_scale(bits: u32) -> f64 {
    f64::from(bits.saturating_sub(1)).exp2()
}

/// An integer of `bits` as a sample: rounded once, as the scale is a power of two.
pub(super) fn f32_from_integer(value: i32, bits: u32) -> f32 {
    value as f32 * (1.0 / full_scale(bits)) as f32
}

/// How much memory samples may still take. Nothing is ever sized by what a file claims.
#[derive(Debug)]
pub(super) struct Budget {
    left_bytes: u64,
}

impl Budget {
    /// Three quarters of the memory that is free now; where that is unknown, 8 GiB.
    pub(super) fn new() -> Budget {
        let free = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
            line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
        });
        Budget { left_bytes: free.map_or(8 << 30, |kib| kib * 1024 / 4 * 3) }
    }

    /// Refuses before allocating.
    pub(super) fn check(&self, n_bytes: u64) -> Result<()> {
        if n_bytes > self.left_bytes {
            return Err(too_long(n_bytes));
        }
        Ok(())
    }

    /// What was counted is memory again.
    pub(super) fn give_back(&mut self, n_bytes: u64) {
        self.left_bytes += n_bytes;
    }

    /// Room for `n` more values.
    pub(super) fn reserve<T>(&mut self, values: &mut Vec<T>, n: usize) -> Result<()> {
        let n_bytes = (n as u64).saturating_mul(size_of::<T>() as u64);
        self.check(n_bytes)?;
        values.try_reserve(n).map_err(|_| too_long(n_bytes))?;
        self.left_bytes -= n_bytes;
        Ok(())
    }
}

fn too_long(n_bytes: u64) -> Error {
    let gb = n_bytes as f64 / 1e9;
    let sentence = format!("is too long for the memory that is free ({gb:.1} GB more are needed); split it into parts");
    Error::new(ErrorKind::Limit, sentence)
}
