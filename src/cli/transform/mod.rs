//! `sonobrush transform`

mod arrays;
mod choice;
mod description;
mod files;

use super::analysis::stft::{RUN_FRAMES, Spectra};
use super::args::{PhaseName, TransformCommand};
use super::common::input;
use super::common::outputs::{refuse_output, refuse_same_file};
use super::common::terminal::{FileNotices, Terminal, json_of};
use crate::base::{Error, Folders, LoadedSettings, Progress, Result, write_atomic};
use crate::document::Snapshot;
use crate::dsp::transforms::rows::{Excerpt, RowBank, RowsParams};
use crate::dsp::{StftParams, Transform};
use crate::engine::Engine;
use arrays::RowArray;
pub(super) use choice::typed_transform;
use description::CellDescription;
use files::{ArrayFile, ArrayOutputs, write_together};
use std::io::Write;
use std::ops::Range;

/// Minimum number of samples spanned by the columns of a step.
const MIN_STEP: usize = 1 << 17;

pub(super) fn run(
    typed: &TransformCommand,
    loaded: &LoadedSettings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    let outputs = ArrayOutputs::of(&typed.output)?;
    refuse_same_file(&typed.input, &typed.output)?;
    refuse_same_file(&typed.input, outputs.description())?;
    refuse_output(&typed.output, &["npy"], "a NumPy array")?;
    let transform = typed_transform(&typed.choice)?;
    let opened = input::open(&typed.input, &typed.project, &loaded.settings, folders, terminal)?;
    let snapshot = opened.history.current().clone();
    let mut file_notices = terminal.file_notices();
    file_notices.add_notices(opened.notices);
    let work = Work { typed, snapshot: &snapshot, outputs, of_settings: &loaded.notices, terminal };
    match &transform {
        Transform::Stft(params) => work.write_stft(*params, &mut file_notices),
        Transform::Rows(params) => work.write_rows(params, &mut file_notices),
    }
}

/// A sound to transform, and the outputs.
struct Work<'a> {
    typed: &'a TransformCommand,
    snapshot: &'a Snapshot,
    outputs: ArrayOutputs,
    /// Notices about the settings.
    of_settings: &'a [String],
    terminal: &'a Terminal,
}

impl Work<'_> {
    fn write_stft(&self, params: StftParams, file_notices: &mut FileNotices) -> Result<()> {
        let (engine, grid) = (Engine::cpu(), self.snapshot.grid(params));
        let shape = [self.snapshot.n_channels(), grid.n_bins(), grid.n_frames()];
        let description = CellDescription::of_stft(&self.typed.input, self.snapshot, &params, &grid);
        let stft = engine.plans().get(params);
        let spectra = Spectra { snapshot: self.snapshot, grid, stft, engine, phase: PhaseName::Centre };
        self.write(description, n_bytes(shape), file_notices, |files, progress| {
            let [file] = files else { return Ok(()) };
            file.begin(shape)?;
            for start in (0..shape[2]).step_by(RUN_FRAMES) {
                progress.step(start as u64, shape[2] as u64)?;
                file.append(&spectra.interleaved(start..(start + RUN_FRAMES).min(shape[2]), progress)?)?;
            }
            Ok(())
        })
    }

    fn write_rows(&self, params: &RowsParams, file_notices: &mut FileNotices) -> Result<()> {
        let TransformCommand { matrix, choice, .. } = self.typed;
        let (n_samples, n_channels) = (self.snapshot.n_samples(), self.snapshot.n_channels());
        let bank = RowBank::new(params, self.snapshot.sample_rate_hz())?;
        let arrays = if *matrix || choice.hop.is_some() {
            vec![RowArray::matrix(&bank, choice.hop, n_samples)?]
        } else {
            bank.groups().iter().map(|group| RowArray::of_group(group, n_samples)).collect()
        };
        let shape = |array: &RowArray<'_>| [n_channels, array.rows.len(), array.n_columns];
        let n_bytes = arrays.iter().map(|array| n_bytes(shape(array))).fold(0, u64::saturating_add);
        let description = CellDescription::of_rows(&self.typed.input, self.snapshot, &bank, &arrays);
        self.write(description, n_bytes, file_notices, |files, progress| {
            files.iter_mut().zip(&arrays).try_for_each(|(file, array)| file.begin(shape(array)))?;
            write_cells(self.snapshot, &arrays, files, progress)
        })
    }

    /// Writes the arrays, filled by `fill`, and the description.
    fn write(
        &self,
        mut description: CellDescription,
        n_bytes: u64,
        file_notices: &mut FileNotices,
        fill: impl Fn(&mut [ArrayFile<'_>], &Progress) -> Result<()>,
    ) -> Result<()> {
        let paths = self.outputs.arrays(&self.typed.input, description.groups.len(), n_bytes)?;
        description.name_files(&paths);
        file_notices.add_notices(std::mem::take(&mut description.notices));
        file_notices.add_notices(self.outputs.left_over(&paths));
        let beside = self.outputs.description();
        self.terminal.with_progress("analysing", |progress| {
            // The description gets its final name after the arrays.
            write_atomic(beside, |out| {
                let n_not_finite = write_together(&paths, Vec::new(), &mut |files| fill(files, progress))?;
                if n_not_finite > 0 {
                    file_notices.add_notices([format!(
                        "{n_not_finite} coefficients overflow 32-bit float and are infinite or NaN"
                    )]);
                }
                file_notices.add_notices(self.snapshot.source().take_notice());
                description.notices = [self.of_settings, file_notices.all()].concat();
                let text = json_of(&description)?;
                writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", beside))
            })
        })
    }
}

/// The size of an array in bytes, without its header.
fn n_bytes(shape: [usize; 3]) -> u64 {
    shape.iter().fold(size_of::<[f32; 2]>() as u64, |n, size| n.saturating_mul(*size as u64))
}

/// Appends the cells of a sound to the files of the arrays, step by step through time. Memory use depends on the
/// transform and the number of channels, but not on the length of the sound.
fn write_cells(
    snapshot: &Snapshot,
    arrays: &[RowArray<'_>],
    files: &mut [ArrayFile<'_>],
    progress: &Progress,
) -> Result<()> {
    let longest = arrays.iter().map(RowArray::slice_len).max().unwrap_or(1);
    let step = (2 * longest).max(MIN_STEP);
    let columns_of = |array: &RowArray<'_>, number: usize| {
        let n = step / array.hop;
        (number * n).min(array.n_columns)..((number + 1) * n).min(array.n_columns)
    };
    let n_steps = arrays.iter().map(|array| array.n_columns.div_ceil(step / array.hop)).max().unwrap_or(0);
    let n_channels = snapshot.n_channels();
    let (mut samples, mut values) = (vec![Vec::new(); n_channels], Vec::new());
    for number in 0..n_steps {
        progress.step(number as u64, n_steps as u64)?;
        let under = arrays.iter().map(|array| array.samples_under(&columns_of(array, number)));
        let under = under.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
        for (channel, samples) in samples.iter_mut().enumerate() {
            read(snapshot, channel, &under, samples)?;
        }
        let excerpts: Vec<Excerpt<'_>> =
            samples.iter().map(|samples| Excerpt { first: under.start, samples }).collect();
        for (array, file) in arrays.iter().zip(&mut *files) {
            let columns = columns_of(array, number);
            let n_at_once = array.columns_at_once(n_channels);
            for start in columns.clone().step_by(n_at_once) {
                array.values(&(start..(start + n_at_once).min(columns.end)), &excerpts, progress, &mut values)?;
                file.append(&values)?;
            }
        }
    }
    Ok(())
}

fn read(snapshot: &Snapshot, channel: usize, under: &Range<i64>, samples: &mut Vec<f32>) -> Result<()> {
    samples.clear();
    samples.resize((under.end - under.start) as usize, 0.0);
    snapshot.read(channel, under.start, samples)
}
