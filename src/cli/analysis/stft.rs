//! `sonobrush stft`

use crate::base::{
    Error, ErrorKind, Folders, LoadedSettings, Progress, Result, npy_header, refuse_other_json, shown_path,
    write_atomic,
};
use crate::cli::args::{PhaseName, StftCommand};
use crate::cli::common::engines::engine_for;
use crate::cli::common::input;
use crate::cli::common::outputs::{refuse_output, refuse_same_file};
use crate::cli::common::terminal::{Terminal, json_of};
use crate::document::Snapshot;
use crate::dsp::cells::polar;
use crate::dsp::{Grid, Stft, StftParams};
use crate::engine::Engine;
use serde::Serialize;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

/// Number of frames analysed at a time.
pub(in crate::cli) const RUN_FRAMES: usize = 256;

/// The parameters, as written to the JSON file beside the array.
#[derive(Serialize)]
struct Used {
    source: String,
    sample_rate: u32,
    samples: u64,
    channels: usize,
    bins: usize,
    frames: usize,
    #[serde(flatten)]
    transform: StftParams,
    phase: &'static str,
    engine: &'static str,
    notices: Vec<String>,
}

pub(in crate::cli) fn run(
    typed: &StftCommand,
    loaded: &LoadedSettings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    let settings = &loaded.settings;
    let beside = typed.output.with_extension("json");
    if beside == typed.output {
        return Err(Error::new(
            ErrorKind::Unsupported,
            "ends in .json, the name of the parameter file; end it in .npy",
        )
        .at(&typed.output));
    }
    refuse_same_file(&typed.input, &typed.output)?;
    refuse_same_file(&typed.input, &beside)?;
    refuse_output(&typed.output, &["npy"], "a NumPy array")?;
    refuse_other_json(&beside, &["bins", "frames", "phase", "engine"], "the parameters of an stft")?;
    let params = typed.transform.over(StftParams::default())?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut file_notices = terminal.file_notices();
    file_notices.add_notices(opened.notices);
    let snapshot = opened.history.current().clone();
    let engine = engine_for(settings)?.engine;

    let grid = snapshot.grid(params);
    let shape = [snapshot.n_channels(), grid.n_bins(), grid.n_frames()];
    let analysis = Spectra {
        snapshot: &snapshot,
        grid: grid.clone(),
        stft: engine.plans().get(params),
        engine,
        phase: typed.phase,
    };
    let mut n_not_finite = 0;
    terminal.with_progress("analysing", |progress| {
        write_atomic(&typed.output, |out| {
            let io = |error: std::io::Error| Error::io(&error, "written", &typed.output);
            out.write_all(&npy_header("<c8", true, &shape)).map_err(io)?;
            for start in (0..grid.n_frames()).step_by(RUN_FRAMES) {
                progress.step(start as u64, grid.n_frames() as u64)?;
                let frames = start..(start + RUN_FRAMES).min(grid.n_frames());
                let values = analysis.interleaved(frames, progress)?;
                n_not_finite += values.iter().filter(|value| !(value[0].is_finite() && value[1].is_finite())).count();
                out.write_all(bytemuck::cast_slice(&values)).map_err(io)?;
            }
            Ok(())
        })
    })?;
    if n_not_finite > 0 {
        file_notices
            .add_notices([format!("{n_not_finite} coefficients overflow 32-bit float and are infinite or NaN")]);
    }
    file_notices.add_notices(snapshot.source().take_notice());
    let used = Used {
        source: shown_path(&typed.input),
        sample_rate: snapshot.sample_rate_hz() as u32,
        samples: snapshot.n_samples(),
        channels: shape[0],
        bins: shape[1],
        frames: shape[2],
        transform: params,
        phase: typed.phase.name(),
        engine: analysis.engine.name(),
        notices: [&loaded.notices[..], file_notices.all()].concat(),
    };
    let text = json_of(&used)?;
    write_atomic(&beside, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", &beside)))
}

/// Computes the spectra of a sound's frames.
pub(in crate::cli) struct Spectra<'a> {
    pub snapshot: &'a Snapshot,
    pub grid: Grid,
    pub stft: Arc<Stft>,
    pub engine: Engine,
    pub phase: PhaseName,
}

impl Spectra<'_> {
    /// The spectra of frames as real and imaginary parts. Channels vary fastest, then bins, then frames: Fortran order
    /// of `[channels, bins, frames]`.
    pub fn interleaved(&self, frames: Range<usize>, progress: &Progress) -> Result<Vec<[f32; 2]>> {
        let (n_bins, n_channels) = (self.grid.n_bins(), self.snapshot.n_channels());
        let mut values = vec![[0.0; 2]; frames.len() * n_bins * n_channels];
        let mut samples = vec![0.0; self.grid.n_samples_under(frames.len())];
        let first = self.grid.first_sample_under(frames.start);
        for channel in 0..n_channels {
            progress.check()?;
            self.snapshot.read(channel, first, &mut samples)?;
            let here = values[channel..].iter_mut().step_by(n_channels);
            match self.engine.gpu() {
                None => {
                    let mut spectra = vec![Default::default(); frames.len() * n_bins];
                    self.stft.forward(&samples, &mut spectra);
                    here.zip(&spectra).for_each(|(value, cell)| *value = [cell.re, cell.im]);
                }
                Some(_) => {
                    let engine = &self.engine;
                    let rect = self.grid.all_bins(frames.clone());
                    let region = engine.download(engine.analyse(&self.stft.clone().into(), &samples, &rect)?)?;
                    for ((value, magnitude), turns) in here.zip(&region.magnitude).zip(&region.phase) {
                        *value = polar::cos_sin_turns(*turns).map(|part| part * magnitude);
                    }
                }
            }
        }
        if self.phase == PhaseName::Start {
            // The frame's centre is half a frame after its first sample, so the phase of bin m differs by m half turns.
            let odd = values.chunks_exact_mut(n_channels).enumerate().filter(|(cell, _)| cell % n_bins % 2 == 1);
            odd.flat_map(|(_, cells)| cells).for_each(|value| *value = value.map(|part| -part));
        }
        Ok(values)
    }
}
