//! Decoded samples, stored without loss of precision: integers as integers of at least the file's depth.

use crate::base::Result;
use crate::probe::options::OpenOptions;
use crate::samples::budget::Budget;
use crate::samples::format::SampleFormat;
use crate::samples::planar::PlanarSamples;
use crate::samples::scratch::{DiskBudget, Scratch};
use crate::samples::storage::Storage;
use crate::samples::values::{finite_f32, finite_f64};
use std::ops::Range;
use std::sync::Arc;
use symphonia::core::audio::{Channels, GenericAudioBufferRef};
use symphonia::core::codecs::audio::AudioCodecId;
use symphonia::core::codecs::audio::well_known::CODEC_ID_ALAC;

/// Minimum number of frames moved to disk at a time.
const MOVED_FRAMES: usize = 16_384;

/// When the samples are moved to disk.
#[derive(Clone, Copy, PartialEq)]
enum Attempt {
    /// As soon as the stated length exceeds the memory limit, so that the sound is displayed early.
    AsStated,
    /// When the samples decoded so far exceed the memory limit.
    AsHeld,
    /// Never, since the folder cannot be used.
    None,
}

/// Order of the channels, if symphonia's differs from that of the codec's authors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speakers {
    /// For each channel in WAV order, the decoder's channel.
    planes: &'static [usize],
    /// Speaker mask as in extensible WAV headers.
    mask: u32,
}

impl Speakers {
    /// Speakers of ALAC with 7 or 8 channels; `None` for all other streams. Its surround channels are WAV's back
    /// channels (Apple, `CoreAudioBaseTypes.h`, "WAVE: Back Left"), as in FFmpeg, but symphonia orders them like side
    /// channels.
    pub(crate) fn of(codec: AudioCodecId, n_channels: usize) -> Option<Speakers> {
        match n_channels {
            _ if codec != CODEC_ID_ALAC => None,
            // FL FR FC LFE BL BR BC.
            7 => Some(Speakers { planes: &[0, 1, 2, 3, 5, 6, 4], mask: 0x13f }),
            // FL FR FC LFE BL BR FLC FRC.
            8 => Some(Speakers { planes: &[0, 1, 2, 3, 6, 7, 4, 5], mask: 0xff }),
            _ => None,
        }
    }
}

/// The speaker mask of a stream as in extensible WAV headers; `None` if it is a default one or WAV cannot express it.
fn unusual_mask(channels: &Channels) -> Option<u32> {
    const KNOWN_MASKS: [u32; 11] = [0x1, 0x3, 0x4, 0x7, 0x33, 0x37, 0x607, 0x3f, 0x60f, 0x70f, 0x63f];
    let Channels::Positioned(positions) = channels else { return None };
    // The positions above WAV's 18 are symphonia's own.
    let mask = u32::try_from(positions.bits()).ok().filter(|mask| mask >> 18 == 0)?;
    (!KNOWN_MASKS.contains(&mask)).then_some(mask)
}

/// The samples of a stream decoded so far: in memory up to a limit, beyond it on disk except for the last ones.
pub(crate) struct Samples {
    tail: PlanarSamples,
    scratch: Option<Arc<Scratch>>,
    attempt: Attempt,
    /// Factor applied to decoded floats.
    pub(crate) gain: f32,
    /// Speakers, if channels must be reordered.
    pub(crate) speakers: Option<Speakers>,
    pub(crate) channel_mask: Option<u32>,
    pub(crate) sample_rate_hz: u32,
    pub(crate) n_channels: usize,
    pub(crate) format: SampleFormat,
    pub(crate) container_bits: u32,
}

impl Samples {
    /// An empty stream with the rate, channels and sample type of `buffer`; integers have `bits` valid bits.
    pub(crate) fn new(
        buffer: &GenericAudioBufferRef<'_>,
        is_lossy: bool,
        bits: u32,
        gain: f32,
        speakers: Option<Speakers>,
    ) -> Samples {
        let n_channels = buffer.num_planes();
        let (format, container_bits) = match buffer {
            _ if is_lossy => (SampleFormat::Lossy, 32),
            GenericAudioBufferRef::F32(_) => (SampleFormat::Float32, 32),
            GenericAudioBufferRef::F64(_) => (SampleFormat::Float64, 64),
            _ => (SampleFormat::Pcm { bits }, bits.div_ceil(8) * 8),
        };
        let tail = match format {
            SampleFormat::Pcm { .. } => PlanarSamples::integers(container_bits, n_channels),
            SampleFormat::Float64 => PlanarSamples::Float64(vec![Vec::new(); n_channels]),
            _ => PlanarSamples::Float32(vec![Vec::new(); n_channels]),
        };
        let sample_rate_hz = buffer.spec().rate();
        Samples {
            tail,
            scratch: None,
            attempt: Attempt::AsStated,
            gain,
            speakers,
            channel_mask: speakers.map(|speakers| speakers.mask).or_else(|| unusual_mask(buffer.spec().channels())),
            sample_rate_hz,
            n_channels,
            format,
            container_bits,
        }
    }

    /// Number of frames so far.
    pub(crate) fn len(&self) -> usize {
        self.n_on_disk() + self.tail.len()
    }

    fn n_on_disk(&self) -> usize {
        self.scratch.as_ref().map_or(0, |scratch| scratch.len() as usize)
    }

    /// Scratch file, once the samples are on disk.
    pub(crate) fn scratch(&self) -> Option<&Arc<Scratch>> {
        self.scratch.as_ref()
    }

    /// Inserts `n` frames of silence before frame `at`.
    pub(crate) fn insert_silence(&mut self, at: usize, n: usize, budget: &mut Budget) -> Result<()> {
        if n >= MOVED_FRAMES {
            // Silence takes no space in a scratch file.
            self.move_tail(0, budget)?;
        }
        match &self.scratch {
            Some(scratch) if at < scratch.len() as usize || self.tail.len() == 0 => {
                scratch.insert_silence(at as u64, n as u64);
                Ok(())
            }
            _ => self.tail.insert_silence(at - self.n_on_disk(), n, budget),
        }
    }

    /// Moves the samples to disk if they exceed the memory limit, or are expected to. `stated` is the expected total
    /// number of frames, which may be wrong, so it only affects when they are moved.
    ///
    /// # Errors
    /// [`DiskFull`](crate::base::ErrorKind::DiskFull) if they do not fit into the available space, and write errors.
    pub(crate) fn settle(&mut self, options: &OpenOptions, stated: Option<u64>, budget: &mut Budget) -> Result<()> {
        let frame_bytes = (self.tail.value_bytes() * self.n_channels) as u64;
        let held_bytes = self.tail.len() as u64 * frame_bytes;
        // A stated number below the current one is wrong.
        let stated = stated.filter(|&stated| stated > self.len() as u64).unwrap_or(0);
        let stated_bytes = stated.saturating_mul(frame_bytes);
        let is_too_much = held_bytes > options.memory_bytes;
        if self.scratch.is_none() {
            let is_stated = stated_bytes > options.memory_bytes && self.tail.len() >= MOVED_FRAMES;
            let is_requested = match self.attempt {
                Attempt::AsStated => is_too_much || is_stated,
                Attempt::AsHeld => is_too_much,
                Attempt::None => false,
            };
            if !is_requested {
                return Ok(());
            }
            let room = DiskBudget::of(options);
            if !is_too_much && !room.holds(stated_bytes) {
                self.attempt = Attempt::AsHeld;
                return Ok(());
            }
            match Scratch::new(room.clone(), &self.tail, self.n_channels) {
                Ok(scratch) => self.scratch = Some(Arc::new(scratch)),
                // On a full disk, the file may not even be created.
                Err(_) if !room.holds(held_bytes) => return Err(room.refusal(stated_bytes)),
                Err(error) => {
                    tracing::warn!("a long sound stays in memory: {error}");
                    self.attempt = if is_too_much { Attempt::None } else { Attempt::AsHeld };
                    return Ok(());
                }
            }
        }
        let is_much = self.tail.len() >= MOVED_FRAMES || is_too_much;
        if is_much { self.move_tail(stated_bytes, budget) } else { Ok(()) }
    }

    fn move_tail(&mut self, stated_bytes: u64, budget: &mut Budget) -> Result<()> {
        let Some(scratch) = &self.scratch else { return Ok(()) };
        let n_bytes = (self.tail.len() * self.tail.value_bytes() * self.n_channels) as u64;
        scratch.take(&mut self.tail, stated_bytes)?;
        if n_bytes > 4 * (MOVED_FRAMES * self.tail.value_bytes() * self.n_channels) as u64 {
            // Release the memory that was allocated before the samples were moved to disk.
            self.tail.finish(0);
        }
        budget.give_back(n_bytes);
        Ok(())
    }

    /// Ends decoding and returns the storage of the first `n` frames.
    ///
    /// # Errors
    /// As [`settle`](Samples::settle).
    pub(crate) fn finish(mut self, n: usize, budget: &mut Budget) -> Result<Storage> {
        self.move_tail(0, budget)?;
        Ok(match self.scratch {
            Some(scratch) => {
                scratch.finish(n as u64);
                Storage::Scratch(scratch)
            }
            None => {
                self.tail.finish(n);
                Storage::Memory(self.tail)
            }
        })
    }

    /// Appends some frames of a packet.
    pub(crate) fn append(
        &mut self,
        buffer: &GenericAudioBufferRef<'_>,
        frames: Range<usize>,
        budget: &mut Budget,
        not_finite: &mut u64,
    ) -> Result<()> {
        // Integers are aligned to the top of 32 bits; the width of the container keeps every valid bit.
        let shift = 32 - self.container_bits.min(32);
        let gain = self.gain;
        for channel in 0..self.n_channels {
            let plane = self.speakers.map_or(channel, |speakers| speakers.planes[channel]);
            match &mut self.tail {
                PlanarSamples::Int16(channels) => {
                    extend(&mut channels[channel], buffer, plane, frames.clone(), budget, |value| {
                        (value.top_aligned() >> shift) as i16
                    })?
                }
                PlanarSamples::Int32(channels) => {
                    extend(&mut channels[channel], buffer, plane, frames.clone(), budget, |value| {
                        value.top_aligned() >> shift
                    })?
                }
                PlanarSamples::Float32(channels) => {
                    extend(&mut channels[channel], buffer, plane, frames.clone(), budget, |value| {
                        finite_f32(value.float() as f32, not_finite) * gain
                    })?;
                }
                PlanarSamples::Float64(channels) => {
                    extend(&mut channels[channel], buffer, plane, frames.clone(), budget, |value| {
                        finite_f64(value.float(), not_finite)
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// A decoded value.
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
    frames: Range<usize>,
    budget: &mut Budget,
    mut convert: impl FnMut(Value) -> T,
) -> Result<()> {
    use symphonia::core::audio::Audio;
    budget.reserve(out, frames.len())?;
    macro_rules! plane {
        ($buffer:expr, $value:expr) => {
            if let Some(plane) = $buffer.plane(channel).and_then(|plane| plane.get(frames)) {
                out.extend(plane.iter().map(|value| convert($value(*value))));
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
