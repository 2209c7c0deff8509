//! Spectral descriptors of a sound: on the CPU frame by frame, on a device for many sounds at once.
//!
//! Both use the same meters, which receive spectra, mel levels and medians.

use crate::base::{Result, trace};
use crate::dsp::FftPlans;
use crate::dsp::descriptors::{
    BandDescriptors, BandMeter, ChromaDescriptors, ChromaMeter, FRAME_SAMPLES, FrameReading, HarmonicMeter, MelLevels,
    MfccDescriptors, MfccMeter, N_BINS, N_MELS, OnsetCounter, PIECE_FRAMES, PlaneBatch, RhythmDescriptors, RhythmMeter,
    STEP_SAMPLES, SpectrumDescriptors, SpectrumMeter,
};
use crate::dsp::transforms::frame_stream::{FrameCutter, FrameSpectra};
use crate::engine::Engine;
use std::ops::Range;

/// Name of the trace span for separating tonal from percussive sound.
const TONAL_AND_PERCUSSIVE: &str = "tonal and percussive";
/// Names of the trace spans for notes and for onsets.
const CHROMA: &str = "chroma";
const ONSETS: &str = "onsets";
/// Number of samples cut into frames at a time.
const BLOCK_SAMPLES: usize = 1 << 16;

/// A sound whose spectra are measured.
#[derive(Debug, Clone, Copy)]
pub struct SpectralSound<'a> {
    /// One channel at [`RATE_HZ`](crate::dsp::descriptors::RATE_HZ).
    pub samples: &'a [f32],
    /// Duration of the source in seconds, at its original sample rate.
    pub duration_secs: f64,
}

/// Spectral descriptors of an audible sound.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectralDescriptors {
    /// Fractions of the power in seven bands.
    pub bands: Option<BandDescriptors>,
    /// The shape of the spectrum.
    pub spectrum: Option<SpectrumDescriptors>,
    /// Fraction that is tonal rather than percussive, 0 to 1.
    pub harmonic_ratio: Option<f64>,
    /// Tempo and onset strength.
    pub rhythm: RhythmDescriptors,
    /// Timbre.
    pub mfcc: Option<MfccDescriptors>,
    /// Notes and key.
    pub chroma: Option<ChromaDescriptors>,
    /// Onsets per second.
    pub onsets_per_second: Option<f64>,
}

/// All meters of the spectra of [`FRAME_SAMPLES`].
#[derive(Default)]
struct SpectralMeters {
    bands: BandMeter,
    spectrum: SpectrumMeter,
    harmonic: HarmonicMeter,
    rhythm: RhythmMeter,
    mfcc: MfccMeter,
}

impl SpectralMeters {
    fn push_spectrum(&mut self, frame: &FrameReading<'_>) {
        self.bands.push(frame);
        self.spectrum.push(frame);
    }

    fn push_levels(&mut self, levels: &[f64]) {
        self.rhythm.push(levels);
        self.mfcc.push(levels);
    }

    fn finish(
        &mut self,
        duration_secs: f64,
        (chroma, onsets_per_second): (Option<ChromaDescriptors>, Option<f64>),
    ) -> SpectralDescriptors {
        SpectralDescriptors {
            bands: self.bands.finish(),
            spectrum: self.spectrum.finish(),
            harmonic_ratio: self.harmonic.finish(),
            rhythm: self.rhythm.finish(duration_secs),
            mfcc: self.mfcc.finish(),
            chroma,
            onsets_per_second,
        }
    }
}

/// Measures a sound frame by frame, in two passes: the loudest mel must be known before the first level can be
/// computed.
pub(super) struct SpectralReader {
    transform: FrameSpectra,
    power: Vec<f64>,
    magnitude: Vec<f64>,
    mel_levels: MelLevels,
    meters: SpectralMeters,
    chroma: ChromaMeter,
    onsets: OnsetCounter,
    of_stft: trace::Pieces,
    of_parts: trace::Pieces,
    of_chroma: trace::Pieces,
    of_onsets: trace::Pieces,
}

impl Default for SpectralReader {
    fn default() -> SpectralReader {
        let ffts = FftPlans::default();
        SpectralReader {
            transform: FrameSpectra::new(FRAME_SAMPLES),
            power: vec![0.0; N_BINS],
            magnitude: vec![0.0; N_BINS],
            mel_levels: MelLevels::default(),
            meters: SpectralMeters::default(),
            chroma: ChromaMeter::new(&ffts),
            onsets: OnsetCounter::new(&ffts),
            of_stft: trace::Pieces::new("STFT"),
            of_parts: trace::Pieces::new(TONAL_AND_PERCUSSIVE),
            of_chroma: trace::Pieces::new(CHROMA),
            of_onsets: trace::Pieces::new(ONSETS),
        }
    }
}

impl SpectralReader {
    /// Processes a frame in the first pass.
    pub(super) fn note(&mut self, frame: &[f32]) {
        self.of_stft.piece(|| self.transform.power(frame, &mut self.power));
        self.mel_levels.note(&self.power);
    }

    /// Processes a frame in the second pass, after the first pass is complete.
    pub(super) fn push(&mut self, frame: &[f32], is_loud: bool) {
        let SpectralReader { transform, power, magnitude, mel_levels, meters, of_stft, of_parts, .. } = self;
        of_stft.piece(|| transform.power(frame, power));
        magnitude.iter_mut().zip(power.iter()).for_each(|(out, power)| *out = power.sqrt());
        let (power, magnitude): (&[f64], &[f64]) = (power, magnitude);
        meters.push_spectrum(&FrameReading { power, magnitude, is_loud });
        of_parts.piece(|| meters.harmonic.push(magnitude));
        meters.push_levels(mel_levels.levels(power));
    }

    /// Processes the next samples for chroma and onsets, whose frames have other lengths.
    pub(super) fn push_samples(&mut self, samples: &[f32]) {
        self.of_chroma.piece(|| self.chroma.push(samples));
        self.of_onsets.piece(|| self.onsets.push(samples));
    }

    /// The result for a sound of `duration_secs`.
    pub(super) fn finish(self, duration_secs: f64) -> SpectralDescriptors {
        let SpectralReader { mut meters, mut chroma, onsets, mut of_chroma, mut of_onsets, .. } = self;
        let chroma = of_chroma.piece(|| chroma.finish().describe());
        meters.finish(duration_secs, (chroma, of_onsets.piece(|| onsets.finish())))
    }
}

/// Cuts a sound into frames.
pub(super) fn frame_cutter() -> FrameCutter {
    FrameCutter::new(FRAME_SAMPLES, STEP_SAMPLES)
}

/// The spectral descriptors of each sound, in order: sequentially on the CPU, or in parallel on a device, which takes
/// longer sounds piece by piece.
///
/// # Errors
/// Errors of the device.
pub fn spectra_of(engine: &Engine, sounds: &[SpectralSound<'_>]) -> Result<Vec<SpectralDescriptors>> {
    if engine.gpu().is_none() {
        return Ok(sounds.iter().map(read_here).collect());
    }
    let mut readings: Vec<PlaneReading> = sounds.iter().map(|_| PlaneReading::default()).collect();
    for round in 0.. {
        let mut batch = PlaneBatch::default();
        let mut of_pieces = Vec::new();
        for (index, sound) in sounds.iter().enumerate() {
            let frames = piece_of(sound, round);
            if !frames.is_empty() {
                batch.push(sound.samples, frames);
                of_pieces.push(index);
            }
        }
        if of_pieces.is_empty() {
            break;
        }
        let _span = trace::span("STFT");
        engine.frame_planes(&batch, &mut |piece, planes| {
            let magnitudes = planes.magnitude.chunks_exact(N_BINS);
            let frames = batch.rows(piece).map(|row| batch.frame(row));
            let reading = &mut readings[of_pieces[piece]];
            magnitudes.zip(frames).for_each(|(magnitude, frame)| reading.push(magnitude, frame));
            let span = trace::span(TONAL_AND_PERCUSSIVE);
            reading.meters.harmonic.push_medians(&planes.magnitude, [&planes.harmonic, &planes.percussive]);
            drop(span);
            reading.mels.extend_from_slice(&planes.mels);
        })?;
    }
    let (chroma, onsets) = (chroma_of(engine, sounds)?, onsets_of(engine, sounds)?);
    let each = sounds.iter().zip(readings).zip(chroma.into_iter().zip(onsets));
    Ok(each.map(|((sound, reading), of_samples)| reading.finish(sound.duration_secs, of_samples)).collect())
}

fn chroma_of(engine: &Engine, sounds: &[SpectralSound<'_>]) -> Result<Vec<Option<ChromaDescriptors>>> {
    let _span = trace::span(CHROMA);
    let samples: Vec<&[f32]> = sounds.iter().map(|sound| sound.samples).collect();
    Ok(engine.chroma_columns(&samples)?.iter().map(|columns| columns.describe()).collect())
}

/// Onsets per second of each sound. A device computes only the flux; its peaks are found on the CPU.
fn onsets_of(engine: &Engine, sounds: &[SpectralSound<'_>]) -> Result<Vec<Option<f64>>> {
    let _span = trace::span(ONSETS);
    let samples: Vec<&[f32]> = sounds.iter().map(|sound| sound.samples).collect();
    let flux = engine.onset_flux(OnsetCounter::transform(), &samples)?;
    Ok(samples.iter().zip(&flux).map(|(samples, flux)| OnsetCounter::of_flux(samples, flux)).collect())
}

/// Memory in bytes of a sound on a device: that of its first piece, since pieces are computed one after the other.
pub fn device_bytes_of(sound: &SpectralSound<'_>) -> u64 {
    PlaneBatch::bytes_of(piece_of(sound, 0).len())
}

/// The frames of a piece of a sound; empty past its end.
fn piece_of(sound: &SpectralSound<'_>, round: usize) -> Range<usize> {
    let n_frames = PlaneBatch::n_frames(sound.samples.len());
    (round * PIECE_FRAMES).min(n_frames)..((round + 1) * PIECE_FRAMES).min(n_frames)
}

fn read_here(sound: &SpectralSound<'_>) -> SpectralDescriptors {
    let mut reader = SpectralReader::default();
    each_frame(sound.samples, &mut |frame| reader.note(frame));
    each_frame(sound.samples, &mut |frame| reader.push(frame, FrameReading::is_loud(frame)));
    reader.push_samples(sound.samples);
    reader.finish(sound.duration_secs)
}

/// Only the tempo and onset strength of a sound, as in its description.
pub fn rhythm_of(sound: &SpectralSound<'_>) -> RhythmDescriptors {
    let (mut transform, mut power) = (FrameSpectra::new(FRAME_SAMPLES), vec![0.0; N_BINS]);
    let (mut mel_levels, mut rhythm) = (MelLevels::default(), RhythmMeter::default());
    each_frame(sound.samples, &mut |frame| {
        transform.power(frame, &mut power);
        mel_levels.note(&power);
    });
    each_frame(sound.samples, &mut |frame| {
        transform.power(frame, &mut power);
        rhythm.push(mel_levels.levels(&power));
    });
    rhythm.finish(sound.duration_secs)
}

fn each_frame(samples: &[f32], take: &mut dyn FnMut(&[f32])) {
    let mut cutter = frame_cutter();
    for block in samples.chunks(BLOCK_SAMPLES) {
        cutter.push(block, take);
    }
    cutter.finish(take);
}

/// Reads a sound's planes as they arrive from a device.
#[derive(Default)]
struct PlaneReading {
    meters: SpectralMeters,
    /// Mels of all frames read: the loudest must be known before the first level can be computed.
    mels: Vec<f32>,
    power: Vec<f64>,
    magnitude: Vec<f64>,
}

impl PlaneReading {
    /// Processes the magnitudes and the samples of the next frame.
    fn push(&mut self, magnitude: &[f32], frame: &[f32]) {
        self.magnitude.clear();
        self.magnitude.extend(magnitude.iter().map(|&value| f64::from(value)));
        self.power.clear();
        self.power.extend(self.magnitude.iter().map(|value| value * value));
        let is_loud = FrameReading::is_loud(frame);
        let reading = FrameReading { power: &self.power, magnitude: &self.magnitude, is_loud };
        self.meters.push_spectrum(&reading);
    }

    fn finish(
        mut self,
        duration_secs: f64,
        of_samples: (Option<ChromaDescriptors>, Option<f64>),
    ) -> SpectralDescriptors {
        let mut mel_levels = MelLevels::default();
        mel_levels.note_mels(&self.mels);
        for mels in self.mels.chunks_exact(N_MELS) {
            self.meters.push_levels(mel_levels.levels_of(mels));
        }
        self.meters.finish(duration_secs, of_samples)
    }
}
