//! What is known of one sound.

use super::mono::MonoSound;
use crate::base::{Progress, Result};
use crate::dsp::FftPlans;
use crate::dsp::descriptors::{
    BandDescriptors, BandMeter, ChromaDescriptors, ChromaMeter, FRAME_SAMPLES, FrameReading, HarmonicMeter,
    LevelDescriptors, LevelMeter, MelLevels, MfccDescriptors, MfccMeter, N_BINS, OnsetCounter, PitchDescriptors,
    PitchMeter, RATE_HZ, RhythmDescriptors, RhythmMeter, STEP_SAMPLES, SpectrumDescriptors, SpectrumMeter,
    StereoDescriptors, StereoMeter,
};
use crate::dsp::frame_stream::{FrameCutter, FrameSpectra};
use crate::dsp::loudness::{LoudnessDescriptors, LoudnessMeter};
use crate::media::Source;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// A sound whose RMS is below this is silent.
const SILENT_RMS: f64 = 1e-5;
/// Samples of each channel read at once.
const BLOCK_SAMPLES: usize = 1 << 16;

/// The names of everything that is known, in order.
pub const DESCRIPTOR_NAMES: [&str; 40] = [
    "duration_secs",
    "sample_rate",
    "channels",
    "silent",
    "lufs",
    "true_peak_dbtp",
    "loudness_range",
    "stereo_width",
    "phase_correlation",
    "crest_db",
    "sub_bass",
    "bass",
    "low_mid",
    "mid",
    "upper_mid",
    "presence",
    "air",
    "bass_mid_db",
    "silence_ratio",
    "centroid_hz",
    "centroid_std_hz",
    "rolloff_hz",
    "flatness",
    "harmonic_ratio",
    "f0_hz",
    "voiced_ratio",
    "pitch_stability",
    "chroma",
    "chroma_strength",
    "key",
    "key_strength",
    "tempo_bpm",
    "rhythm_stability",
    "onset_strength_mean",
    "onsets_per_second",
    "crest_variation_db",
    "level_variation_db",
    "peak_consistency",
    "mfcc_mean",
    "mfcc_std",
];

/// What is known of a sound. As JSON an object of [`DESCRIPTOR_NAMES`], null where there is no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// Of the decoded sound.
    pub format: FormatDescriptors,
    /// Of the first two channels.
    pub loudness: LoudnessDescriptors,
    /// Of the first two channels.
    pub stereo: StereoDescriptors,
    /// All else; `None` of a silent sound.
    pub audible: Option<AudibleDescriptors>,
}

/// The shape of a sound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FormatDescriptors {
    /// Its length.
    pub duration_secs: f64,
    /// In hertz.
    pub sample_rate: u32,
    /// Their number.
    pub channels: usize,
    /// Whether there is next to nothing to hear: an RMS under -100 dB.
    pub silent: bool,
}

/// What is known only of sounds that can be heard.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AudibleDescriptors {
    /// Peaks against levels.
    pub levels: Option<LevelDescriptors>,
    /// Shares of seven bands.
    pub bands: Option<BandDescriptors>,
    /// The shape of the spectrum.
    pub spectrum: Option<SpectrumDescriptors>,
    /// How steady rather than struck, 0 to 1.
    pub harmonic_ratio: Option<f64>,
    /// The pitch.
    pub pitch: Option<PitchDescriptors>,
    /// Notes and key.
    pub chroma: Option<ChromaDescriptors>,
    /// Tempo and onset strength.
    pub rhythm: Option<RhythmDescriptors>,
    /// How many sounds begin a second.
    pub onsets_per_second: Option<f64>,
    /// Timbre.
    pub mfcc: Option<MfccDescriptors>,
}

impl Description {
    /// Every name with its value, in order.
    pub fn entries(&self) -> [(&'static str, Value); DESCRIPTOR_NAMES.len()] {
        let mut found = Map::new();
        let mut add = |group: serde_json::Result<Value>| {
            if let Ok(Value::Object(group)) = group {
                found.extend(group);
            }
        };
        add(serde_json::to_value(self.format));
        add(serde_json::to_value(self.loudness));
        add(serde_json::to_value(self.stereo));
        if let Some(audible) = &self.audible {
            add(serde_json::to_value(audible.levels));
            add(serde_json::to_value(audible.bands));
            add(serde_json::to_value(audible.spectrum));
            add(serde_json::to_value(audible.pitch));
            add(serde_json::to_value(&audible.chroma));
            add(serde_json::to_value(audible.rhythm));
            add(serde_json::to_value(&audible.mfcc));
            found.insert("harmonic_ratio".into(), audible.harmonic_ratio.into());
            found.insert("onsets_per_second".into(), audible.onsets_per_second.into());
        }
        DESCRIPTOR_NAMES.map(|name| (name, found.remove(name).unwrap_or(Value::Null)))
    }
}

impl Serialize for Description {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.entries())
    }
}

/// Describes a sound of any length in bounded memory.
///
/// # Errors
/// Those of reading; cancelled.
pub fn describe(source: &Source, progress: &Progress) -> Result<Description> {
    let info = source.info();
    let (loudness, stereo) = measure_channels(source, progress)?;
    let sound = MonoSound::new(source, RATE_HZ, progress)?;
    let mut levels = LevelMeter::default();
    let mut mel_levels = MelLevels::default();
    let mut frames = Frames::new();
    sound.each_block(progress, &mut |block| {
        levels.push(block);
        frames.cutter.push(block, &mut |frame| mel_levels.note(frames.spectra.power(frame)));
    })?;
    frames.cutter.finish(&mut |frame| mel_levels.note(frames.spectra.power(frame)));
    let duration_secs = info.n_samples as f64 / f64::from(info.sample_rate_hz);
    let silent = levels.rms() < SILENT_RMS;
    let format =
        FormatDescriptors { duration_secs, sample_rate: info.sample_rate_hz, channels: info.n_channels, silent };
    let audible = match silent {
        true => None,
        false => Some(AudibleDescriptors {
            levels: levels.finish(),
            ..measure(&sound, mel_levels, duration_secs, progress)?
        }),
    };
    Ok(Description { format, loudness, stereo, audible })
}

/// What is read from the first two channels as they are.
fn measure_channels(source: &Source, progress: &Progress) -> Result<(LoudnessDescriptors, StereoDescriptors)> {
    let info = source.info();
    let n_channels = info.n_channels.min(2);
    let mut loudness = LoudnessMeter::new(info.sample_rate_hz, n_channels)?;
    let mut stereo = StereoMeter::default();
    let mut blocks = vec![Vec::new(); n_channels];
    let mut first = 0;
    while first < info.n_samples {
        progress.check()?;
        let n = usize::try_from(info.n_samples - first).unwrap_or(BLOCK_SAMPLES).min(BLOCK_SAMPLES);
        for (channel, block) in blocks.iter_mut().enumerate() {
            block.resize(n, 0.0f32);
            source.read(channel, i64::try_from(first).unwrap_or(i64::MAX), block)?;
            block.iter_mut().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
        }
        let channels: Vec<&[f32]> = blocks.iter().map(Vec::as_slice).collect();
        loudness.push(&channels)?;
        if let [left, right] = channels[..] {
            stereo.push(left, right);
        }
        first += n as u64;
    }
    Ok((loudness.finish()?, stereo.finish()))
}

/// Frames and their spectra.
struct Frames {
    cutter: FrameCutter,
    spectra: Spectra,
}

/// A frame's power, in memory that is kept.
struct Spectra {
    transform: FrameSpectra,
    power: Vec<f64>,
}

impl Frames {
    fn new() -> Frames {
        let spectra = Spectra { transform: FrameSpectra::new(FRAME_SAMPLES), power: vec![0.0; N_BINS] };
        Frames { cutter: FrameCutter::new(FRAME_SAMPLES, STEP_SAMPLES), spectra }
    }
}

impl Spectra {
    fn power(&mut self, frame: &[f32]) -> &[f64] {
        self.transform.power(frame, &mut self.power);
        &self.power
    }
}

/// All that is measured frame by frame.
struct FrameMeters {
    mel_levels: MelLevels,
    magnitude: Vec<f64>,
    bands: BandMeter,
    spectrum: SpectrumMeter,
    harmonic: HarmonicMeter,
    pitch: PitchMeter,
    rhythm: RhythmMeter,
    mfcc: MfccMeter,
}

impl FrameMeters {
    fn push(&mut self, samples: &[f32], power: &[f64]) {
        self.magnitude.iter_mut().zip(power).for_each(|(out, power)| *out = power.sqrt());
        let is_loud = FrameReading::is_loud(samples);
        let frame = FrameReading { samples, power, magnitude: &self.magnitude, is_loud };
        self.bands.push(&frame);
        self.spectrum.push(&frame);
        self.harmonic.push(frame.magnitude);
        self.pitch.push(&frame);
        let levels = self.mel_levels.levels(power);
        self.rhythm.push(levels);
        self.mfcc.push(levels);
    }
}

/// All but the levels.
fn measure(
    sound: &MonoSound<'_>,
    mel_levels: MelLevels,
    duration_secs: f64,
    progress: &Progress,
) -> Result<AudibleDescriptors> {
    let ffts = FftPlans::default();
    let mut chroma = ChromaMeter::new(&ffts);
    let mut onsets = OnsetCounter::new(&ffts);
    let mut meters = FrameMeters {
        mel_levels,
        magnitude: vec![0.0; N_BINS],
        bands: BandMeter::default(),
        spectrum: SpectrumMeter::default(),
        harmonic: HarmonicMeter::default(),
        pitch: PitchMeter::default(),
        rhythm: RhythmMeter::default(),
        mfcc: MfccMeter::default(),
    };
    let Frames { mut cutter, mut spectra } = Frames::new();
    let n_samples = sound.n_samples();
    let mut n_done = 0;
    sound.each_block(progress, &mut |block| {
        cutter.push(block, &mut |frame| meters.push(frame, spectra.power(frame)));
        chroma.push(block);
        onsets.push(block);
        n_done += block.len() as u64;
        // Whether it is cancelled is asked before each block.
        progress.step(n_done, n_samples).ok();
    })?;
    cutter.finish(&mut |frame| meters.push(frame, spectra.power(frame)));
    Ok(AudibleDescriptors {
        levels: None,
        bands: meters.bands.finish(),
        spectrum: meters.spectrum.finish(),
        harmonic_ratio: meters.harmonic.finish(),
        pitch: meters.pitch.finish(),
        chroma: chroma.finish(),
        rhythm: Some(meters.rhythm.finish(duration_secs)),
        onsets_per_second: onsets.finish(),
        mfcc: meters.mfcc.finish(),
    })
}
