//! `sonobrush voices`

use super::args::VoicesCommand;
use super::common::engines::{adapter_of, engine_for};
use super::common::outputs::{SOUND_ENDINGS, SOUND_KINDS, refuse_output, refuse_report, refuse_same_file};
use super::common::terminal::{Terminal, json_of};
use crate::base::{EngineChoice, Error, ErrorKind, Result, Settings, read_small_file, write_atomic};
use crate::dsp::voices::{Timbre, VoicePool};
use crate::engine::{Engine, VoiceRendering};
use crate::media::score::{ReadScore, ScoreOverrides, timbre_from_json};
use crate::media::{Container, Encoding, ExportFormat, SoundToWrite, Source, encode_as};
use serde::Serialize;
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;

/// Maximum size of a timbre file in bytes; a measured timbre may take megabytes as text.
const MAX_TIMBRE_BYTES: u64 = 16 << 20;

#[derive(Serialize)]
struct VoicesReport {
    engine: &'static str,
    adapter: Option<String>,
    sample_rate: u32,
    channels: u8,
    samples: u64,
    notes: usize,
    /// Maximum number of simultaneous oscillators.
    oscillators: usize,
    /// Peak level in dBFS; `None` for silence.
    peak_db: Option<f64>,
    clipped: u64,
    notices: Vec<String>,
}

pub(super) fn run(typed: &VoicesCommand, settings: &Settings, terminal: &Terminal) -> Result<()> {
    refuse_same_file(&typed.input, &typed.output)?;
    refuse_output(&typed.output, SOUND_ENDINGS, SOUND_KINDS)?;
    let container = Container::of(&typed.output);
    let bit_rate = typed.bit_rate.bit_rate();
    container.refuse_chosen(typed.format.is_some(), bit_rate).map_err(|error| error.at(&typed.output))?;
    if !typed.overwrite {
        refuse_existing(&typed.output)?;
    }
    if let Some(report) = &typed.report {
        refuse_same_file(&typed.input, report)?;
        refuse_report(report, &typed.output)?;
        if !typed.overwrite {
            refuse_existing(report)?;
        }
    }
    let overrides = ScoreOverrides {
        timbre: typed.timbre.as_deref().map(timbre_of).transpose()?,
        level_db: typed.level,
        tuning_hz: typed.tuning,
        seed: typed.seed,
    };
    let mut file_notices = terminal.file_notices();
    let ReadScore { score, notices } = ReadScore::open(&typed.input, &overrides)?;
    file_notices.add_notices(notices);
    let rate_hz = f64::from(typed.rate);
    file_notices.add_notices(score.inaudible_notice(rate_hz));

    let is_stereo = typed.channels == 2;
    let mut pool = VoicePool::new();
    let stream = pool.begin(&score, rate_hz, is_stereo).map_err(|error| error.at(&typed.input))?;
    let (n_samples, oscillators) = (stream.n_samples(), stream.max_oscillators());
    let engine = engine_for_voices(settings, oscillators)?;
    let source = Source::silence(n_samples, typed.rate, usize::from(typed.channels))?;
    let rendering = RefCell::new(Blocks {
        voices: engine.voices(stream, n_samples),
        is_stereo,
        block: [Vec::new(), Vec::new()],
        first: None,
        peak: 0.0,
        notices: Vec::new(),
    });
    let read = |channel: usize, first: u64, out: &mut [f32]| rendering.borrow_mut().read(channel, first, out);
    let format = typed.format.unwrap_or(match container {
        Container::Flac => ExportFormat::Pcm24,
        _ => ExportFormat::Float32,
    });
    let encoding = Encoding { format, bit_rate, ..Encoding::default() };
    let sound = SoundToWrite::of(&source, n_samples, &read, None);
    let encoded = terminal
        .with_progress("rendering", |progress| encode_as(&typed.output, &sound, 0..n_samples, &encoding, progress))?;
    let rendered = rendering.into_inner();
    file_notices.add_notices(rendered.notices);
    let peak_db = (rendered.peak > 0.0).then(|| 20.0 * f64::from(rendered.peak).log10());
    if let Some(over) = peak_db.filter(|_| rendered.peak > 1.0) {
        file_notices
            .add_notices([format!("the peak is {over:.1} dB over full scale; lower the level by at least that")]);
    }
    file_notices.add_notices(encoded.notices);
    let Some(path) = &typed.report else { return Ok(()) };
    let report = VoicesReport {
        engine: engine.name(),
        adapter: adapter_of(&engine),
        sample_rate: typed.rate,
        channels: typed.channels,
        samples: n_samples,
        notes: score.notes.len(),
        oscillators,
        peak_db,
        clipped: encoded.clipped,
        notices: file_notices.all().to_vec(),
    };
    let text = json_of(&report)?;
    write_atomic(path, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", path)))
}

/// Refuses an existing path; a dangling link counts as existing.
fn refuse_existing(output: &Path) -> Result<()> {
    match output.symlink_metadata() {
        Ok(_) => {
            let what = "is already there; choose another name, or add --overwrite";
            Err(Error::new(ErrorKind::Io, what).at(output))
        }
        Err(_) => Ok(()),
    }
}

/// A timbre by name, or from a file.
fn timbre_of(typed: &Path) -> Result<Timbre> {
    if let Some(timbre) = typed.to_str().and_then(Timbre::named) {
        return Ok(timbre);
    }
    let bytes = read_small_file(typed, MAX_TIMBRE_BYTES)?;
    timbre_from_json(&bytes).map_err(|error| error.at(typed))
}

/// The engine chosen in the settings. If automatic, the GPU is used only when there are enough oscillators for it to be
/// faster.
fn engine_for_voices(settings: &Settings, oscillators: usize) -> Result<Engine> {
    let cpu = Engine::cpu();
    match settings.engine {
        EngineChoice::Cpu => Ok(cpu),
        EngineChoice::Auto if !Engine::gpu_is_worth(oscillators) => Ok(cpu),
        EngineChoice::Auto | EngineChoice::Gpu => Ok(engine_for(settings)?.engine),
    }
}

/// Renders samples for the encoder, which requests them block by block, and channel by channel within a block.
struct Blocks<'a> {
    voices: VoiceRendering<'a>,
    is_stereo: bool,
    block: [Vec<f32>; 2],
    /// Number of the first sample in `block`; `None` before the first block.
    first: Option<u64>,
    peak: f32,
    notices: Vec<String>,
}

impl Blocks<'_> {
    fn read(&mut self, channel: usize, first: u64, out: &mut [f32]) -> Result<()> {
        if self.first != Some(first) {
            let [left, right] = &mut self.block;
            left.resize(out.len(), 0.0);
            right.resize(if self.is_stereo { out.len() } else { 0 }, 0.0);
            self.notices.extend(self.voices.render(left, right)?);
            let samples = left.iter().chain(&*right);
            self.peak = samples.fold(self.peak, |peak, sample| peak.max(sample.abs()));
            self.first = Some(first);
        }
        out.copy_from_slice(&self.block[channel]);
        Ok(())
    }
}
