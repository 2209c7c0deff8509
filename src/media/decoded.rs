//! What decoders deliver, kept as exactly as it was coded: integers as integers of the file's depth.

use super::source::SampleFormat;
use super::storage::{Budget, Storage};
use super::wav::{finite_f32, finite_f64};
use crate::base::Result;
use symphonia::core::audio::GenericAudioBufferRef;

/// The samples of one stream so far.
pub(super) struct Samples {
    pub(super) storage: Storage,
    pub(super) sample_rate_hz: u32,
    pub(super) n_channels: usize,
    pub(super) format: SampleFormat,
    pub(super) container_bits: u32,
}

impl Samples {
    /// None yet, stored as `buffer` suggests; integers have so many valid bits.
    pub(super) fn new(buffer: &GenericAudioBufferRef<'_>, is_lossy: bool, bits: u32) -> Samples {
        let n_channels = buffer.num_planes();
        let (format, container_bits) = match buffer {
            _ if is_lossy => (SampleFormat::Lossy, 32),
            GenericAudioBufferRef::F32(_) => (SampleFormat::Float32, 32),
            GenericAudioBufferRef::F64(_) => (SampleFormat::Float64, 64),
            _ => (SampleFormat::Pcm { bits }, bits.div_ceil(8) * 8),
        };
        let storage = match format {
            SampleFormat::Pcm { .. } => Storage::integers(container_bits, n_channels),
            SampleFormat::Float64 => Storage::Float64(vec![Vec::new(); n_channels]),
            _ => Storage::Float32(vec![Vec::new(); n_channels]),
        };
        Samples { storage, sample_rate_hz: buffer.spec().rate(), n_channels, format, container_bits }
    }

    /// Appends a packet less its first `skipped` samples.
    pub(super) fn append(
        &mut self,
        buffer: &GenericAudioBufferRef<'_>,
        skipped: usize,
        budget: &mut Budget,
        not_finite: &mut u64,
    ) -> Result<()> {
        // Integers come at the top of their own width; the container's width keeps every valid bit.
        let shift = 32 - self.container_bits.min(32);
        for channel in 0..self.n_channels {
            match &mut self.storage {
                Storage::Silence => (),
                Storage::Int16(channels) => {
                    extend(&mut channels[channel], buffer, channel, skipped, budget, |value| {
                        (value.top_aligned() >> shift) as i16
                    })?
                }
                Storage::Int32(channels) => {
                    extend(&mut channels[channel], buffer, channel, skipped, budget, |value| {
                        value.top_aligned() >> shift
                    })?
                }
                Storage::Float32(channels) => {
                    extend(&mut channels[channel], buffer, channel, skipped, budget, |value| {
                        finite_f32(value.float() as f32, not_finite)
                    })?;
                }
                Storage::Float64(channels) => {
                    extend(&mut channels[channel], buffer, channel, skipped, budget, |value| {
                        finite_f64(value.float(), not_finite)
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// One decoded value.
#[derive(Clone, Copy)]
enum Value {
    Integer(i32),
    Float(f64),
}

impl Value {
    /// An integer whose upper bits are the valid ones.
    fn top_aligned(self) -> i32 {
        match self {
            Value::Integer(value) => value,
            Value::Float(value) => (value * 2f64.powi(31)) as i32,
        }
    }

    fn float(self) -> f64 {
        match self {
            Value::Integer(value) => f64::from(value) / 2f64.powi(31),
            Value::Float(value) => value,
        }
    }
}

fn extend<T>(
    out: &mut Vec<T>,
    buffer: &GenericAudioBufferRef<'_>,
    channel: usize,
    skipped: usize,
    budget: &mut Budget,
    mut convert: impl FnMut(Value) -> T,
) -> Result<()> {
    use symphonia::core::audio::Audio;
    budget.reserve(out, buffer.frames().saturating_sub(skipped))?;
    macro_rules! plane {
        ($buffer:expr, $value:expr) => {
            if let Some(plane) = $buffer.plane(channel) {
                out.extend(plane.iter().skip(skipped).map(|value| convert($value(*value))));
            }
        };
    }
    match buffer {
        GenericAudioBufferRef::U8(buffer) => plane!(buffer, |v: u8| Value::Integer((i32::from(v) - 128) << 24)),
        GenericAudioBufferRef::U16(buffer) => plane!(buffer, |v: u16| Value::Integer((i32::from(v) - 32768) << 16)),
        GenericAudioBufferRef::U24(buffer) => {
            plane!(buffer, |v: symphonia::core::audio::sample::u24| Value::Integer(
                (v.inner() as i32 - 0x80_0000) << 8
            ));
        }
        GenericAudioBufferRef::U32(buffer) => {
            plane!(buffer, |v: u32| Value::Integer((v ^ 0x8000_0000) as i32));
        }
        GenericAudioBufferRef::S8(buffer) => plane!(buffer, |v: i8| Value::Integer(i32::from(v) << 24)),
        GenericAudioBufferRef::S16(buffer) => plane!(buffer, |v: i16| Value::Integer(i32::from(v) << 16)),
        GenericAudioBufferRef::S24(buffer) => {
            plane!(buffer, |v: symphonia::core::audio::sample::i24| Value::Integer(v.inner() << 8));
        }
        GenericAudioBufferRef::S32(buffer) => plane!(buffer, Value::Integer),
        GenericAudioBufferRef::F32(buffer) => plane!(buffer, |v: f32| Value::Float(f64::from(v))),
        GenericAudioBufferRef::F64(buffer) => plane!(buffer, Value::Float),
    }
    Ok(())
}
