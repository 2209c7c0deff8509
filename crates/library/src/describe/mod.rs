//! The description of a sound: all its descriptors.

mod spectral;

pub use spectral::{SpectralDescriptors, SpectralSound, device_bytes_of, rhythm_of, spectra_of};

use super::mono::MonoSound;
use crate::base::{Progress, Result, trace};
use crate::dsp::descriptors::{
    BandDescriptors, ChromaDescriptors, FRAME_SAMPLES, FrameReading, LevelDescriptors, LevelMeter, MfccDescriptors,
    PITCH_FRAME_SAMPLES, PitchDescriptors, PitchMeter, RATE_HZ, RhythmDescriptors, STEP_SAMPLES, SpectrumDescriptors,
    StereoDescriptors, StereoMeter,
};
use crate::dsp::signal::loudness::{LoudnessDescriptors, LoudnessMeter};
use crate::dsp::transforms::frame_stream::FrameCutter;
use crate::media::{Source, SourceInfo};
use spectral::{SpectralReader, frame_cutter};

/// RMS below which a sound counts as silent.
const SILENT_RMS: f64 = 1e-5;
/// Peak above which a sound is measured on the CPU: the rounding of a device would exceed the power floor of the
/// flatness.
const MAX_DEVICE_PEAK: f32 = 2.0;
/// Number of samples per channel read at a time.
const BLOCK_SAMPLES: usize = 1 << 16;

/// Descriptors of a sound. In JSON an object of [`DESCRIBED`](super::descriptors::DESCRIBED), null where a value is
/// missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// Format of the decoded sound.
    pub format: FormatDescriptors,
    /// Loudness of all channels.
    pub loudness: LoudnessDescriptors,
    /// Stereo image of the first two channels.
    pub stereo: StereoDescriptors,
    /// All other descriptors; `None` for a silent sound.
    pub audible: Option<AudibleDescriptors>,
}

/// Format of a sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormatDescriptors {
    /// Length of the sound.
    pub duration_secs: f64,
    /// Sample rate in hertz.
    pub sample_rate: u32,
    /// Number of channels.
    pub channels: usize,
    /// Whether it is practically silent: an RMS under -100 dB.
    pub silent: bool,
}

/// Descriptors of audible sounds only.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AudibleDescriptors {
    /// Crest factor, and variation of levels and peaks over time.
    pub levels: Option<LevelDescriptors>,
    /// Fractions of the power in seven bands.
    pub bands: Option<BandDescriptors>,
    /// The shape of the spectrum.
    pub spectrum: Option<SpectrumDescriptors>,
    /// Fraction that is tonal rather than percussive, 0 to 1.
    pub harmonic_ratio: Option<f64>,
    /// The pitch.
    pub pitch: Option<PitchDescriptors>,
    /// Notes and key.
    pub chroma: Option<ChromaDescriptors>,
    /// Tempo and onset strength.
    pub rhythm: Option<RhythmDescriptors>,
    /// Onsets per second.
    pub onsets_per_second: Option<f64>,
    /// Timbre.
    pub mfcc: Option<MfccDescriptors>,
}

impl AudibleDescriptors {
    /// Adds the spectral descriptors.
    fn with(self, spectra: SpectralDescriptors) -> AudibleDescriptors {
        let SpectralDescriptors { bands, spectrum, harmonic_ratio, rhythm, mfcc, chroma, onsets_per_second } = spectra;
        let rhythm = Some(rhythm);
        AudibleDescriptors { bands, spectrum, harmonic_ratio, rhythm, mfcc, chroma, onsets_per_second, ..self }
    }
}

/// Describes a sound of any length in bounded memory.
///
/// # Errors
/// Read errors; cancelled.
pub fn describe(source: &Source, progress: &Progress) -> Result<Description> {
    let channels = measure_channels(source, progress)?;
    describe_here(source.info(), channels, &MonoSound::new(source, RATE_HZ, progress)?, progress)
}

/// A description whose spectra are measured elsewhere, together with those of other sounds; see [`begin_description`].
#[derive(Debug)]
pub enum PendingDescription {
    /// Complete, since the sound is silent, too long or too loud for a batch.
    Done(Box<Description>),
    /// Complete except for [its spectra](PreparedSound::sound).
    Prepared(Box<PreparedSound>),
}

impl PendingDescription {
    /// The sound whose spectra remain to be measured.
    pub fn sound(&self) -> Option<SpectralSound<'_>> {
        match self {
            PendingDescription::Done(_) => None,
            PendingDescription::Prepared(prepared) => Some(prepared.sound()),
        }
    }
}

/// A sound described except for its spectra.
#[derive(Debug, Clone)]
pub struct PreparedSound {
    description: Description,
    samples: Vec<f32>,
}

impl PreparedSound {
    /// The sound whose spectra remain to be measured.
    pub fn sound(&self) -> SpectralSound<'_> {
        SpectralSound { samples: &self.samples, duration_secs: self.description.format.duration_secs }
    }

    /// Memory in bytes.
    pub fn n_bytes(&self) -> usize {
        size_of_val(self.samples.as_slice())
    }

    /// The complete description.
    #[must_use]
    pub fn finished(self, spectra: SpectralDescriptors) -> Description {
        Description { audible: self.description.audible.map(|audible| audible.with(spectra)), ..self.description }
    }
}

/// Describes a sound except for its spectra, which a device measures for many sounds at once.
///
/// # Errors
/// As [`describe`].
pub fn begin_description(source: &Source, progress: &Progress) -> Result<PendingDescription> {
    let channels = measure_channels(source, progress)?;
    let sound = MonoSound::new(source, RATE_HZ, progress)?;
    let is_quiet = |samples: &[f32]| samples.iter().all(|sample| sample.abs() <= MAX_DEVICE_PEAK);
    let is_fit = sound.kept().is_some_and(is_quiet);
    if !is_fit {
        return describe_here(source.info(), channels, &sound, progress)
            .map(|done| PendingDescription::Done(done.into()));
    }
    let mut levels = LevelMeter::default();
    sound.each_block(progress, &mut |block| levels.push(block))?;
    if levels.rms() < SILENT_RMS {
        return Ok(PendingDescription::Done(described(source.info(), channels, None).into()));
    }
    let audible = measure(&sound, &levels, progress, None)?;
    let description = described(source.info(), channels, Some(audible));
    let samples = sound.into_cached().unwrap_or_default();
    Ok(PendingDescription::Prepared(PreparedSound { description, samples }.into()))
}

/// Completes the description of a sound whose channels were measured.
fn describe_here(
    info: &SourceInfo,
    channels: (LoudnessDescriptors, StereoDescriptors),
    sound: &MonoSound<'_>,
    progress: &Progress,
) -> Result<Description> {
    if sound.is_silent() {
        return Ok(described(info, channels, None));
    }
    let (mut levels, mut reader, mut cutter) = (LevelMeter::default(), SpectralReader::default(), frame_cutter());
    sound.each_block(progress, &mut |block| {
        levels.push(block);
        cutter.push(block, &mut |frame| reader.note(frame));
    })?;
    cutter.finish(&mut |frame| reader.note(frame));
    if levels.rms() < SILENT_RMS {
        return Ok(described(info, channels, None));
    }
    let audible = measure(sound, &levels, progress, Some(&mut reader))?;
    let spectra = reader.finish(duration_secs(info));
    Ok(described(info, channels, Some(audible.with(spectra))))
}

fn described(
    info: &SourceInfo,
    (loudness, stereo): (LoudnessDescriptors, StereoDescriptors),
    audible: Option<AudibleDescriptors>,
) -> Description {
    let format = FormatDescriptors {
        duration_secs: duration_secs(info),
        sample_rate: info.sample_rate_hz,
        channels: info.n_channels,
        silent: audible.is_none(),
    };
    Description { format, loudness, stereo, audible }
}

fn duration_secs(info: &SourceInfo) -> f64 {
    info.n_samples as f64 / f64::from(info.sample_rate_hz)
}

/// Measures the original channels: the loudness of all, and the width of the first two.
fn measure_channels(source: &Source, progress: &Progress) -> Result<(LoudnessDescriptors, StereoDescriptors)> {
    let info = source.info();
    let n_channels = info.n_channels;
    let mut loudness = LoudnessMeter::new(info.sample_rate_hz, n_channels, info.channel_mask)?;
    let mut stereo = StereoMeter::default();
    let mut blocks = vec![Vec::new(); n_channels];
    let mut first = 0;
    while first < info.n_samples {
        progress.check()?;
        let n_silent = source.silent_until(first).min(info.n_samples) - first;
        if n_silent >= BLOCK_SAMPLES as u64 {
            // Silence contributes nothing to the stereo width.
            loudness.push_silence(n_silent)?;
            first += n_silent;
            continue;
        }
        let n = usize::try_from(info.n_samples - first).unwrap_or(BLOCK_SAMPLES).min(BLOCK_SAMPLES);
        for (channel, block) in blocks.iter_mut().enumerate() {
            block.resize(n, 0.0f32);
            source.read(channel, i64::try_from(first).unwrap_or(i64::MAX), block)?;
            block.iter_mut().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
        }
        let channels: Vec<&[f32]> = blocks.iter().map(Vec::as_slice).collect();
        loudness.push(&channels)?;
        if let [left, right, ..] = channels[..] {
            stereo.push(left, right);
        }
        first += n as u64;
    }
    Ok((loudness.finish()?, stereo.finish()))
}

/// Measures an audible sound except for its spectral descriptors; passes its frames and samples to `spectra`, if given,
/// which measures those.
fn measure(
    sound: &MonoSound<'_>,
    levels: &LevelMeter,
    progress: &Progress,
    mut spectra: Option<&mut SpectralReader>,
) -> Result<AudibleDescriptors> {
    let mut pitch = PitchMeter::default();
    // A frame for spectra is the middle of a frame for pitch.
    let mut cutter = FrameCutter::new(PITCH_FRAME_SAMPLES, STEP_SAMPLES);
    let middle = (PITCH_FRAME_SAMPLES - FRAME_SAMPLES) / 2;
    let mut of_pitch = trace::Pieces::new("pitch");
    let mut take = |around: &[f32], spectra: &mut Option<&mut SpectralReader>| {
        let samples = &around[middle..middle + FRAME_SAMPLES];
        let is_loud = FrameReading::is_loud(samples);
        of_pitch.piece(|| pitch.push(around, is_loud));
        spectra.iter_mut().for_each(|reader| reader.push(samples, is_loud));
    };
    let n_samples = sound.n_samples();
    let mut n_done = 0;
    sound.each_block(progress, &mut |block| {
        cutter.push(block, &mut |around| take(around, &mut spectra));
        spectra.iter_mut().for_each(|reader| reader.push_samples(block));
        n_done += block.len() as u64;
        // Cancellation is checked before each block.
        progress.step(n_done, n_samples).ok();
    })?;
    cutter.finish(&mut |around| take(around, &mut spectra));
    Ok(AudibleDescriptors { levels: levels.finish(), pitch: pitch.finish(), ..AudibleDescriptors::default() })
}
