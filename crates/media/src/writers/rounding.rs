//! Converts samples to the values stored in a file. Unchanged samples keep their values if the format can store them;
//! all others are rounded once.

use super::sample_writer::{Planes, WavLayout};
use crate::samples::format::SampleFormat;
use crate::samples::source::Source;
use crate::samples::values::{Original, full_scale};

/// Noise added before rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dither {
    /// No noise.
    None,
    /// Triangular noise from -1 to 1 LSB.
    Tpdf,
}

/// Samples beyond full scale, which a file of integers cannot store.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Clipping {
    /// Number of samples.
    pub n_samples: u64,
    /// Maximum excess over full scale in dB; 0 without clipping.
    pub over_db: f64,
}

impl Clipping {
    /// Counts a clipped sample; full scale is 1.
    fn add(&mut self, sample: f64) {
        self.n_samples += 1;
        self.over_db = self.over_db.max(20.0 * sample.abs().log10());
    }
}

pub(crate) struct Rounding {
    pub(crate) dither: Dither,
    /// Bits per sample in the source's container.
    pub(crate) source_bits: u32,
    /// Clipping so far.
    pub(crate) clipping: Clipping,
    /// Number of NaN and infinite samples so far.
    pub(crate) not_finite: u64,
}

impl Rounding {
    /// Appends a channel of a block whose first sample is at `at` (channel, frame). A sample is unchanged if it equals
    /// its value in `original`; without original values, all samples count as changed.
    pub(crate) fn add_channel(
        &mut self,
        planes: &mut Planes,
        samples: &[f32],
        original: Option<&Original>,
        layout: WavLayout,
        at: (usize, u64),
        source: &Source,
    ) {
        let source_bits = self.source_bits;
        let unchanged =
            |index: usize, sample: f32| original.filter(|original| original.as_f32(index, source_bits) == sample);
        match (planes, layout) {
            (Planes::Integers(channels), WavLayout::Integers { container_bits, valid_bits }) => {
                // The source's integers can be stored exactly unless bits would be lost.
                let fits = matches!(source.info().format, SampleFormat::Pcm { bits } if bits <= valid_bits);
                let mut values = Vec::with_capacity(samples.len());
                for (index, sample) in samples.iter().enumerate() {
                    let same = unchanged(index, *sample);
                    values.push(match same {
                        Some(Original::Integers(integers)) if fits => {
                            moved(integers[index], source_bits, container_bits)
                        }
                        _ => {
                            let noise = match self.dither {
                                Dither::None => 0.0,
                                Dither::Tpdf => tpdf(at.0, at.1 + index as u64),
                            };
                            // A 32-bit float has only 24 bits, so unchanged samples are rounded from their original
                            // values.
                            let exact = same.map_or(f64::from(*sample), |same| same.as_f64(index, source_bits));
                            let rounded = round(exact, valid_bits, noise);
                            if rounded.is_clipped {
                                self.clipping.add(exact);
                            }
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
                    values.push(match unchanged(index, *sample) {
                        Some(Original::Doubles(doubles)) => doubles[index],
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
                    values.push(match unchanged(index, *sample) {
                        // This also keeps the sign of a zero.
                        Some(Original::Floats(floats)) => floats[index],
                        _ => {
                            self.not_finite += u64::from(!sample.is_finite());
                            finite(*sample)
                        }
                    });
                }
                channels.push(values);
            }
            // Planes are created from the layout, so their types match.
            (Planes::Integers(_), _) => (),
        }
    }
}

fn finite(sample: f32) -> f32 {
    if sample.is_finite() { sample } else { 0.0 }
}

/// Converts an integer from one container size to another; its upper bits are the valid ones.
fn moved(value: i32, from_bits: u32, to_bits: u32) -> i32 {
    if to_bits >= from_bits { value << (to_bits - from_bits) } else { value >> (from_bits - to_bits) }
}

struct Rounded {
    value: i32,
    is_clipped: bool,
}

/// Computes `clamp(round_half_away(sample * 2^(bits-1) + noise))`, and whether the sample exceeds full scale without
/// the noise.
fn round(sample: f64, bits: u32, noise: f64) -> Rounded {
    let scale = full_scale(bits);
    let (low, high) = (-scale, scale - 1.0);
    let exact = if sample.is_finite() { sample * scale } else { 0.0 };
    let plain = exact.round();
    Rounded { value: (exact + noise).round().clamp(low, high) as i32, is_clipped: plain < low || plain > high }
}

/// Triangular noise in (-1, 1) that depends only on the position, so that exports are reproducible.
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
