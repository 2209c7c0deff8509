//! The JSON file beside the arrays, which describes rows, positions in time, and levels.

use super::arrays::RowArray;
use crate::base::shown_path;
use crate::document::Snapshot;
use crate::dsp::transforms::rows::RowBank;
use crate::dsp::{Grid, StftParams, Transform};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Contents of the JSON file.
#[derive(Debug, Serialize)]
pub(super) struct CellDescription {
    source: String,
    sample_rate: u32,
    samples: u64,
    channels: usize,
    transform: Transform,
    /// Whether the sound can be reconstructed from the arrays.
    inverts: bool,
    /// One entry per array.
    pub groups: Vec<DescribedArray>,
    rows: Vec<DescribedRow>,
    engine: &'static str,
    pub notices: Vec<String>,
}

/// Description of an array.
#[derive(Debug, Serialize)]
pub(super) struct DescribedArray {
    file: String,
    /// First row, and the row after the last.
    rows: [usize; 2],
    /// Hop in samples.
    hop: usize,
    columns: usize,
    /// Sample on which column 0 is centred.
    first_sample: i64,
    first_secs: f64,
    /// Maximum distance on each side of a column, in seconds, within which a changed cell changes the sound.
    reach_secs: f64,
}

/// Description of a row; rows ascend in frequency, from DC.
#[derive(Debug, Serialize)]
struct DescribedRow {
    hz: f64,
    /// Magnitude of a sine of amplitude 1: the level of a value c is `20 log10(|c| / reference)` dB.
    reference: f64,
    /// Index of the array that contains the row.
    group: usize,
    /// Maximum hop at which the row can be inverted, in samples.
    hop: usize,
    /// Whether its values are real, as for DC and Nyquist.
    real: bool,
}

impl CellDescription {
    /// A description of a sound, with no arrays or rows yet.
    fn of_sound(source: &Path, snapshot: &Snapshot, transform: Transform) -> CellDescription {
        CellDescription {
            source: shown_path(source),
            sample_rate: snapshot.sample_rate_hz() as u32,
            samples: snapshot.n_samples(),
            channels: snapshot.n_channels(),
            transform,
            inverts: true,
            groups: Vec::new(),
            rows: Vec::new(),
            engine: "cpu",
            notices: Vec::new(),
        }
    }

    /// Describes the cells of an STFT.
    pub fn of_stft(source: &Path, snapshot: &Snapshot, params: &StftParams, grid: &Grid) -> CellDescription {
        let reach_secs = params.n_fft as f64 / 2.0 / snapshot.sample_rate_hz();
        let array = DescribedArray {
            file: String::new(),
            rows: [0, grid.n_bins()],
            hop: params.hop,
            columns: grid.n_frames(),
            first_sample: 0,
            first_secs: 0.0,
            reach_secs,
        };
        let sum = params.window.sum(params.n_fft);
        let row = |bin: usize| {
            let real = bin == 0 || bin == grid.n_bins() - 1;
            let reference = if real { sum } else { sum / 2.0 };
            DescribedRow { hz: grid.hz_from_bin(bin as f64), reference, group: 0, hop: params.hop, real }
        };
        let rows = (0..grid.n_bins()).map(row).collect();
        CellDescription { groups: vec![array], rows, ..CellDescription::of_sound(source, snapshot, params.into()) }
    }

    /// Describes rows in arrays.
    pub fn of_rows(source: &Path, snapshot: &Snapshot, bank: &RowBank, arrays: &[RowArray<'_>]) -> CellDescription {
        let rate_hz = bank.sample_rate_hz();
        let described = |array: &RowArray<'_>| DescribedArray {
            file: String::new(),
            rows: [array.rows.start, array.rows.end],
            hop: array.hop,
            columns: array.n_columns,
            first_sample: array.first_sample,
            first_secs: array.first_sample as f64 / rate_hz,
            reach_secs: array.reach() as f64 / rate_hz,
        };
        let row = |(k, spec): (usize, &crate::dsp::transforms::rows::RowSpec)| DescribedRow {
            hz: spec.hz,
            reference: spec.peak,
            group: arrays.iter().position(|array| array.rows.contains(&k)).unwrap_or_default(),
            hop: spec.hop,
            real: spec.is_real,
        };
        let rows: Vec<DescribedRow> = bank.rows().iter().enumerate().map(row).collect();
        let inverts = rows.iter().all(|row| arrays.get(row.group).is_some_and(|array| array.hop <= row.hop));
        let groups = arrays.iter().map(described).collect();
        CellDescription {
            groups,
            rows,
            inverts,
            ..CellDescription::of_sound(source, snapshot, bank.params().clone().into())
        }
    }

    /// Sets the names of the arrays' files.
    pub fn name_files(&mut self, paths: &[PathBuf]) {
        for (group, path) in self.groups.iter_mut().zip(paths) {
            group.file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        }
    }
}
