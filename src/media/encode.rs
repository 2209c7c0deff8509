//! WAV out. Samples that no edit changed are written as they were; changed ones are rounded once, with dither.

use super::format::SampleFormat;
use super::source::Source;
use super::values::{Original, full_scale};
use super::wav_header::Chunk;
use super::wav_writer::{Planes, WavLayout, WavShape, WavWriter};
use crate::base::{Error, ErrorKind, Progress, Result, check_room, write_atomic};
use std::ops::Range;
use std::path::Path;

/// Samples of all channels together that are in memory at a time.
const BLOCK_SAMPLES: usize = 131_072;

/// The sample format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportFormat {
    /// As the source: its own integers or floats; 32-bit float where it was lossy.
    #[default]
    Source,
    /// 16-bit integers.
    Pcm16,
    /// 24-bit integers.
    Pcm24,
    /// 32-bit integers.
    Pcm32,
    /// 32-bit float.
    Float32,
}

/// Noise added before rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dither {
    /// Plain rounding.
    None,
    /// Triangular, two LSB wide.
    Tpdf,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Encoded {
    /// Samples beyond full scale, written as the nearest integer there is.
    pub clipped: u64,
    /// For people: `WAV, 24 bit`.
    pub description: String,
    /// One sentence each.
    pub notices: Vec<String>,
}

/// Gives the samples to write: channel, first sample, where they go.
pub type ReadSamples<'a> = dyn Fn(usize, u64, &mut [f32]) -> Result<()> + 'a;

/// Writes a WAV file atomically: as long as `source`, with the samples that `read` gives (channel, first sample, out).
/// A sample that equals the source's as f32 is written as the source's own value where the format holds it, else as that
/// value rounded once. Without `dither`, integers of 16 bits and less get [`Dither::Tpdf`], others none.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io), also for a `path` that is the source's own file;
/// [`DiskFull`](crate::base::ErrorKind::DiskFull), before anything is written; what `read` returns; [`Cancelled`](crate::base::ErrorKind::Cancelled). Then `path` is as it was.
pub fn encode_wav(
    path: &Path,
    source: &Source,
    read: &ReadSamples<'_>,
    format: ExportFormat,
    dither: Option<Dither>,
    progress: &Progress,
) -> Result<Encoded> {
    encode_part(path, source, 0..source.info().n_samples, read, format, dither, progress)
}

/// [`encode_wav`] of a range of samples. Of the other chunks a part keeps those that hold no place in the sound, and
/// `bext`, whose time reference it moves along.
///
/// # Errors
/// As [`encode_wav`], and [`Script`](crate::base::ErrorKind::Script) for a range without a sample.
pub fn encode_part(
    path: &Path,
    source: &Source,
    samples: Range<u64>,
    read: &ReadSamples<'_>,
    format: ExportFormat,
    dither: Option<Dither>,
    progress: &Progress,
) -> Result<Encoded> {
    let samples = samples.start..samples.end.min(source.info().n_samples);
    if samples.is_empty() && source.info().n_samples > 0 {
        return Err(Error::new(ErrorKind::Script, "the selection holds no sample; select a longer range"));
    }
    if source.is_file_at(path) {
        let sentence = "is the open file, which is never overwritten; choose another name";
        return Err(Error::new(ErrorKind::Io, sentence).at(path));
    }
    let info = source.info();
    let layout = layout_of(source, format);
    let is_part = samples != (0..info.n_samples);
    let of_part = if is_part { chunks_of_part(source.chunks(), samples.start) } else { Vec::new() };
    let shape = WavShape {
        layout,
        sample_rate_hz: info.sample_rate_hz,
        n_channels: info.n_channels,
        n_frames: samples.end - samples.start,
        channel_mask: info.channel_mask,
        chunks: if is_part { &of_part } else { source.chunks() },
    };
    let default = match layout {
        WavLayout::Integers { valid_bits, .. } if valid_bits <= 16 => Dither::Tpdf,
        _ => Dither::None,
    };
    let mut rounding =
        Rounding { dither: dither.unwrap_or(default), source_bits: info.container_bits, clipped: 0, not_finite: 0 };
    // The old file, if there is one, stays until the new one is whole.
    let folder = path.parent().unwrap_or(Path::new("."));
    check_room(folder, shape.file_bytes()).map_err(|error| error.at(path))?;
    write_atomic(path, |out| {
        let mut writer = WavWriter::new(out, &shape)?;
        let block = (BLOCK_SAMPLES / info.n_channels) as u64;
        let mut held = vec![0.0; block as usize];
        let mut first = samples.start;
        while first < samples.end {
            progress.step(first - samples.start, shape.n_frames)?;
            let n = block.min(samples.end - first) as usize;
            let mut planes = match layout {
                WavLayout::Integers { .. } => Planes::Integers(Vec::new()),
                WavLayout::Float32 => Planes::Float32(Vec::new()),
                WavLayout::Float64 => Planes::Float64(Vec::new()),
            };
            for channel in 0..info.n_channels {
                let held = &mut held[..n];
                read(channel, first, held)?;
                let original = source.read_original(channel, first, n)?;
                rounding.add_channel(&mut planes, held, &original, layout, (channel, first), source);
            }
            writer.write(&planes, n)?;
            first += n as u64;
        }
        writer.finish()
    })
    .map_err(|error| {
        // What is about the source stays about it.
        let has_place = error.path().is_some_and(|place| !place.as_os_str().is_empty());
        if error.kind() == ErrorKind::Cancelled || has_place { error } else { error.at(path) }
    })?;
    progress.step(1, 1)?;
    let mut notices = Vec::new();
    if rounding.clipped > 0 {
        let samples = samples_were(rounding.clipped);
        notices.push(format!("{samples} beyond full scale and clipped"));
    }
    if rounding.not_finite > 0 {
        let samples = samples_were(rounding.not_finite);
        notices.push(format!("{samples} not finite (NaN or infinity) and written as 0"));
    }
    Ok(Encoded { clipped: rounding.clipped, description: format!("WAV, {}", layout.described()), notices })
}

fn samples_were(n: u64) -> String {
    if n == 1 { "1 sample was".into() } else { format!("{n} samples were") }
}

/// The chunks that are still true of the samples from `first` on.
fn chunks_of_part(chunks: &[Chunk], first: u64) -> Vec<Chunk> {
    /// Where `bext` counts the samples since midnight, low word first.
    const TIME_REFERENCE: Range<usize> = 338..346;
    let moved = |chunk: &Chunk| match (&chunk.id, chunk.data.get(TIME_REFERENCE)) {
        (b"bext", Some(stated)) => {
            let mut moved = chunk.clone();
            let since_midnight = stated.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
            moved.data[TIME_REFERENCE].copy_from_slice(&since_midnight.wrapping_add(first).to_le_bytes());
            Some(moved)
        }
        (b"LIST", _) if chunk.data.starts_with(b"INFO") => Some(chunk.clone()),
        (b"id3 " | b"ID3 ", _) => Some(chunk.clone()),
        _ => None,
    };
    chunks.iter().filter_map(moved).collect()
}

/// How a format stores samples; `source` keeps depth and container.
fn layout_of(source: &Source, format: ExportFormat) -> WavLayout {
    let whole = |bits| WavLayout::Integers { container_bits: bits, valid_bits: bits };
    let info = source.info();
    match format {
        ExportFormat::Pcm16 => whole(16),
        ExportFormat::Pcm24 => whole(24),
        ExportFormat::Pcm32 => whole(32),
        ExportFormat::Float32 => WavLayout::Float32,
        ExportFormat::Source => match info.format {
            SampleFormat::Pcm { bits } => WavLayout::Integers { container_bits: info.container_bits, valid_bits: bits },
            SampleFormat::Float32 | SampleFormat::Lossy => WavLayout::Float32,
            SampleFormat::Float64 => WavLayout::Float64,
        },
    }
}

struct Rounding {
    dither: Dither,
    source_bits: u32,
    clipped: u64,
    not_finite: u64,
}

impl Rounding {
    /// One channel of a block whose first sample is `at` (channel, frame).
    fn add_channel(
        &mut self,
        planes: &mut Planes,
        samples: &[f32],
        original: &Original,
        layout: WavLayout,
        at: (usize, u64),
        source: &Source,
    ) {
        let is_unchanged = |index: usize, sample: f32| original.as_f32(index, self.source_bits) == sample;
        match (planes, layout) {
            (Planes::Integers(channels), WavLayout::Integers { container_bits, valid_bits }) => {
                // The source's integers fit unless bits would be lost.
                let fits = matches!(source.info().format, SampleFormat::Pcm { bits } if bits <= valid_bits);
                let integers = match original {
                    Original::Integers(values) if fits => Some(values),
                    _ => None,
                };
                let mut values = Vec::with_capacity(samples.len());
                for (index, sample) in samples.iter().enumerate() {
                    values.push(match integers {
                        Some(integers) if is_unchanged(index, *sample) => {
                            moved(integers[index], self.source_bits, container_bits)
                        }
                        _ => {
                            let noise = match self.dither {
                                Dither::None => 0.0,
                                Dither::Tpdf => tpdf(at.0, at.1 + index as u64),
                            };
                            // 32-bit float holds 24 bits: what no edit changed is rounded from what was stored.
                            let exact = if is_unchanged(index, *sample) {
                                original.as_f64(index, self.source_bits)
                            } else {
                                f64::from(*sample)
                            };
                            let rounded = round(exact, valid_bits, noise);
                            self.clipped += u64::from(rounded.is_clipped);
                            self.not_finite += u64::from(!sample.is_finite());
                            rounded.value << (container_bits - valid_bits)
                        }
                    });
                }
                channels.push(values);
            }
            (Planes::Float64(channels), _) => {
                let mut values = Vec::with_capacity(samples.len());
                for (index, sample) in samples.iter().enumerate() {
                    values.push(match original {
                        Original::Doubles(doubles) if is_unchanged(index, *sample) => doubles[index],
                        _ => {
                            self.not_finite += u64::from(!sample.is_finite());
                            f64::from(finite(*sample))
                        }
                    });
                }
                channels.push(values);
            }
            (Planes::Float32(channels), _) => {
                let mut values = Vec::with_capacity(samples.len());
                for (index, sample) in samples.iter().enumerate() {
                    values.push(match original {
                        // Also keeps the sign of a zero.
                        Original::Floats(floats) if is_unchanged(index, *sample) => floats[index],
                        _ => {
                            self.not_finite += u64::from(!sample.is_finite());
                            finite(*sample)
                        }
                    });
                }
                channels.push(values);
            }
            // Planes are made from the layout.
            (Planes::Integers(_), _) => (),
        }
    }
}

fn finite(sample: f32) -> f32 {
    if sample.is_finite() { sample } else { 0.0 }
}

/// An integer at the top of one container, at the top of another.
fn moved(value: i32, from_bits: u32, to_bits: u32) -> i32 {
    if to_bits >= from_bits { value << (to_bits - from_bits) } else { value >> (from_bits - to_bits) }
}

struct Rounded {
    value: i32,
    is_clipped: bool,
}

/// `clamp(round_half_away(sample * 2^(bits-1) + noise))`; whether the sample itself was beyond full scale.
fn round(sample: f64, bits: u32, noise: f64) -> Rounded {
    let scale = full_scale(bits);
    let (low, high) = (-scale, scale - 1.0);
    let exact = if sample.is_finite() { sample * scale } else { 0.0 };
    let plain = exact.round();
    Rounded { value: (exact + noise).round().clamp(low, high) as i32, is_clipped: plain < low || plain > high }
}

/// Triangular noise in (-1, 1) that depends on the place alone, so that exports repeat.
///
/// Source: the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn tpdf(channel: usize, frame: u64) -> f64 {
    let mut hash = frame.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (channel as u64 + 1).wrapping_mul(0xd1b5_4a32_d192_ed03);
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^= hash >> 31;
    let unit = |bits: u64| (bits as f64 + 0.5) / 2f64.powi(32);
    unit(hash >> 32) + unit(hash & 0xffff_ffff) - 1.0
}
