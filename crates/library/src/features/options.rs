//! Options of features, and their limits.

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::mels::mel::{MelNorm, MelParams, MelScale};
use crate::dsp::mels::segment_mels::SegmentMels;
use crate::dsp::mels::segments::SegmentParams;
use half::slice::HalfFloatSliceExt as _;
use serde::{Deserialize, Serialize};

/// Range of target sample rates.
const RATES_HZ: [u32; 2] = [100, 768_000];
/// Range of FFT sizes.
const N_FFTS: [usize; 2] = [8, 65_536];
const MAX_MELS: usize = 4_096;
/// Maximum length of segments in samples: an hour at 48 kHz.
const MAX_SAMPLES: usize = 172_800_000;

/// How a row stores its frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduce {
    /// The mean of their power, taken before mels and logarithm: shape `[rows, mels, 1]`.
    Mean,
    /// All of them: shape `[rows, mels, frames]`.
    Frames,
}

/// Scale of the stored power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogScale {
    /// `10 log10(max(v, 1e-10))`.
    Db,
    /// Power, unchanged.
    None,
    /// `ln(max(v, 1e-10))`.
    Natural,
}

impl LogScale {
    /// Minimum power before the logarithm.
    const FLOOR: f32 = 1e-10;

    /// The stored value of a power.
    pub(super) fn value(self, power: f32) -> f32 {
        match self {
            LogScale::Db => 10.0 * power.max(LogScale::FLOOR).log10(),
            LogScale::None => power,
            LogScale::Natural => power.max(LogScale::FLOOR).ln(),
        }
    }
}

/// The type of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureType {
    /// 16-bit float, rounded to nearest even within +-65,504.
    F16,
    /// 32-bit float.
    F32,
}

impl FeatureType {
    /// Name of the type in NumPy.
    pub(super) fn descr(self) -> &'static str {
        match self {
            FeatureType::F16 => "<f2",
            FeatureType::F32 => "<f4",
        }
    }

    /// Number of bytes per value.
    pub(super) fn n_bytes(self) -> usize {
        match self {
            FeatureType::F16 => 2,
            FeatureType::F32 => 4,
        }
    }

    /// Appends values, little endian.
    pub(super) fn push(self, values: &[f32], bytes: &mut Vec<u8>) {
        const MAX: f32 = 65_504.0;
        const VALUES_AT_ONCE: usize = 64;
        match self {
            FeatureType::F16 => {
                let (mut within, mut halves) = ([0.0; VALUES_AT_ONCE], [half::f16::ZERO; VALUES_AT_ONCE]);
                for values in values.chunks(VALUES_AT_ONCE) {
                    let (within, halves) = (&mut within[..values.len()], &mut halves[..values.len()]);
                    within.iter_mut().zip(values).for_each(|(within, value)| *within = value.clamp(-MAX, MAX));
                    halves.convert_from_f32_slice(within);
                    bytes.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
                }
            }
            FeatureType::F32 => bytes.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        }
    }
}

/// How arrays are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFormat {
    /// `features.npy`, with NumPy's header.
    Npy,
    /// `features.dat`, raw without a header.
    Raw,
}

/// The analysed channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelChoice {
    /// The mean of all.
    Mix,
    /// One channel, counted from 0; it is an error if a sound does not have it.
    One(usize),
}

/// Options of features. Equal options on equal files give equal bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureOptions {
    /// Sample rate to which every sound is resampled, in hertz.
    pub rate_hz: u32,
    /// Samples per file at that rate, cut or zero-padded; `None` takes the whole file.
    pub samples: Option<usize>,
    /// Length and hop of long segments in samples.
    pub long: [usize; 2],
    /// Length and hop of the short segments within a long one, in samples.
    pub short: [usize; 2],
    /// FFT size in samples.
    pub n_fft: usize,
    /// Hop between frames in samples.
    pub hop: usize,
    /// The filter bank.
    pub mel: MelParams,
    /// How a row stores its frames.
    pub reduce: Reduce,
    /// Scale of the stored power.
    pub log: LogScale,
    /// The type of the values.
    pub dtype: FeatureType,
    /// How arrays are stored.
    pub format: FileFormat,
    /// Whether to write a table of rows.
    pub has_mapping: bool,
    /// Whether to write a table of files.
    pub has_index: bool,
    /// The analysed channel.
    pub channel: ChannelChoice,
    /// The engine for the whole run, since the last bits differ between engines.
    #[serde(default, skip_serializing_if = "FeatureEngine::is_cpu")]
    pub engine: FeatureEngine,
}

/// An engine for features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureEngine {
    /// The CPU.
    #[default]
    Cpu,
    /// A graphics adapter.
    Gpu,
}

impl FeatureEngine {
    /// Name, stored and displayed.
    pub fn name(self) -> &'static str {
        match self {
            FeatureEngine::Cpu => "cpu",
            FeatureEngine::Gpu => "gpu",
        }
    }

    fn is_cpu(&self) -> bool {
        *self == FeatureEngine::Cpu
    }
}

impl FeatureOptions {
    /// The preset `mel-segments`: 10 s at 4,096 Hz, 79 long segments of three short ones each, 32 mels: 237 rows per
    /// file.
    pub fn mel_segments() -> FeatureOptions {
        FeatureOptions {
            rate_hz: 4_096,
            samples: Some(40_960),
            long: [1_024, 512],
            short: [512, 256],
            n_fft: 64,
            hop: 16,
            mel: MelParams { n_mels: 32, scale: MelScale::Htk, norm: MelNorm::None, min_hz: 0.0, max_hz: 2_048.0 },
            reduce: Reduce::Mean,
            log: LogScale::Db,
            dtype: FeatureType::F16,
            format: FileFormat::Npy,
            has_mapping: true,
            has_index: true,
            channel: ChannelChoice::Mix,
            engine: FeatureEngine::Cpu,
        }
    }

    /// Returns the options if they are valid.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script), with the problem and advice, if no features can be computed with them.
    pub fn validated(self) -> Result<FeatureOptions> {
        let refuse = |sentence: String| Err(Error::new(ErrorKind::Script, sentence));
        let Self { rate_hz, samples, long, short, n_fft, hop, mel, .. } = self;
        if !(RATES_HZ[0]..=RATES_HZ[1]).contains(&rate_hz) {
            return refuse(format!("a rate of {rate_hz} Hz is outside {} to {} Hz", RATES_HZ[0], RATES_HZ[1]));
        }
        for (name, [length, step]) in [("long", long), ("short", short)] {
            if length == 0 || step == 0 || length > MAX_SAMPLES {
                return refuse(format!("{name} segments of {length} samples every {step} are not possible"));
            }
        }
        if samples.is_some_and(|samples| samples < long[0] || samples > MAX_SAMPLES) {
            let samples = samples.unwrap_or(0);
            return refuse(format!(
                "{samples} samples of each file hold no long segment of {}; use shorter segments or more seconds",
                long[0]
            ));
        }
        if long[0] < short[0] {
            return refuse(format!(
                "long segments of {} samples hold no short segment of {}; use shorter ones",
                long[0], short[0]
            ));
        }
        if !(N_FFTS[0]..=N_FFTS[1]).contains(&n_fft) || !n_fft.is_multiple_of(2) {
            return refuse(format!("an FFT of {n_fft} is not even or outside {} to {}", N_FFTS[0], N_FFTS[1]));
        }
        if hop == 0 || hop > short[0] || n_fft / 2 >= short[0] {
            return refuse(format!(
                "an FFT of {n_fft} every {hop} does not fit short segments of {} samples: half the FFT and the hop must \
                 be shorter",
                short[0]
            ));
        }
        if !(1..=MAX_MELS).contains(&mel.n_mels) {
            return refuse(format!("{} mels are outside 1 to {MAX_MELS}", mel.n_mels));
        }
        let nyquist_hz = f64::from(rate_hz) / 2.0;
        if !(0.0 <= mel.min_hz && mel.min_hz < mel.max_hz && mel.max_hz <= nyquist_hz) {
            return refuse(format!(
                "mels from {} to {} Hz are not within 0 to {nyquist_hz} Hz, half the rate",
                mel.min_hz, mel.max_hz
            ));
        }
        if self.engine == FeatureEngine::Gpu && !SegmentMels::SIZES.contains(&n_fft) {
            let [min, max] = [SegmentMels::SIZES.start(), SegmentMels::SIZES.end()];
            return refuse(format!(
                "an FFT of {n_fft} is computed on the CPU: the GPU does {min} to {max}; leave out --gpu, or \
                 add --no-gpu"
            ));
        }
        Ok(self)
    }

    /// Number of the stored values at the limit of 16-bit floats, which logarithms never reach.
    pub(super) fn n_largest(&self, bytes: &[u8]) -> u64 {
        if self.dtype != FeatureType::F16 || self.log != LogScale::None {
            return 0;
        }
        let (halves, _) = bytes.as_chunks::<2>();
        let magnitude = |half: &[u8; 2]| u16::from_le_bytes(*half) & !(1 << 15);
        halves.iter().filter(|half| magnitude(half) == half::f16::MAX.to_bits()).count() as u64
    }

    /// Number of long segments in `n_samples`.
    pub fn n_long(&self, n_samples: usize) -> usize {
        if n_samples < self.long[0] { 0 } else { (n_samples - self.long[0]) / self.long[1] + 1 }
    }

    /// Number of short segments per long one.
    pub fn n_short(&self) -> usize {
        (self.long[0] - self.short[0]) / self.short[1] + 1
    }

    /// Number of rows of a sound of `n_samples` at the features' rate: at least those of one long segment, since a
    /// short sound is zero-padded.
    pub fn n_rows(&self, n_samples: u64) -> u64 {
        let n_samples = self.samples.map_or(n_samples, |samples| samples as u64);
        let n_long = n_samples.saturating_sub(self.long[0] as u64) / self.long[1] as u64 + 1;
        n_long * self.n_short() as u64
    }

    /// Analysis parameters of a short segment.
    pub fn segment(&self) -> SegmentParams {
        SegmentParams { n_samples: self.short[0], n_fft: self.n_fft, hop: self.hop }
    }

    /// Shape of a row: mels, and frames of each.
    pub fn row_shape(&self) -> [usize; 2] {
        let n_frames = match self.reduce {
            Reduce::Mean => 1,
            Reduce::Frames => self.segment().n_frames(),
        };
        [self.mel.n_mels, n_frames]
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.row_shape().iter().product::<usize>() * self.dtype.n_bytes()
    }
}
