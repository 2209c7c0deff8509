//! The table of measurements at labels: the table of labels with measurements appended, as text or Parquet, and its
//! parameters beside it.

use super::formats::{LabelWriting, free_columns, label_table};
use super::{Label, LabelMeasureParams, LabelMeasures, LabelSet, MEASURE_COLUMNS, MeasureColumn};
use crate::base::{
    Error, ErrorKind, ExportColumn, ExportTable, ExportValues, PROGRAM_VERSION, Result, refuse_other_json, shown_json,
    write_atomic,
};
use crate::dsp::Window;
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Keys of the parameters beside a table.
const PARAMETER_KEYS: [&str; 3] = ["measured", "n_fft", "hop"];

/// Measurements of labels, to be written.
pub struct MeasuredTable<'a> {
    /// The labels.
    pub labels: &'a LabelSet,
    /// Their measurements, in order.
    pub measured: &'a [LabelMeasures],
    /// The parameters.
    pub measuring: LabelMeasureParams,
    /// Sample rate of the sound.
    pub rate_hz: f64,
    /// The name of the sound's file.
    pub sound_name: &'a str,
    /// Whether columns have Raven's names.
    pub has_raven_names: bool,
}

/// Writes a table as Parquet; implemented by the library.
pub type WriteParquet = fn(&Path, &ExportTable) -> Result<()>;

impl MeasuredTable<'_> {
    /// Refuses a path if another file is where its parameters would be written.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn check_place(path: &Path) -> Result<()> {
        refuse_other_json(&parameters_of(path), &PARAMETER_KEYS, "the parameters of a table of measurements")
    }

    /// Writes the table, as Parquet by its extension, else as CSV, and its parameters as JSON beside it.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); [`Limit`](ErrorKind::Limit) for more columns than a table can have.
    pub fn write(&self, path: &Path, write_parquet: WriteParquet) -> Result<()> {
        MeasuredTable::check_place(path)?;
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
            write_parquet(path, &self.by_columns()?)?;
        } else {
            write_text(path, &self.text()?)?;
        }
        write_text(&parameters_of(path), &format!("{}\n", self.parameters()?))
    }

    fn name(&self, column: &MeasureColumn) -> &'static str {
        if self.has_raven_names { column.raven } else { column.name }
    }

    fn text(&self) -> Result<String> {
        let more = |out: &mut String, index: usize| {
            for column in &MEASURE_COLUMNS {
                out.push(',');
                // Writing to a `String` cannot fail.
                _ = (column.value)(&self.measured[index]).map(|value| write!(out, "{value:?}"));
            }
        };
        let names: String = MEASURE_COLUMNS.iter().map(|column| format!(",{}", self.name(column))).collect();
        let writing = LabelWriting { sound_name: Some(self.sound_name.to_owned()), ..LabelWriting::default() };
        label_table(self.labels, &writing, &more, &names)
    }

    fn by_columns(&self) -> Result<ExportTable> {
        let labels = self.labels;
        let texts = |text: &dyn Fn(&Label) -> Option<String>| ExportValues::Texts(labels.iter().map(text).collect());
        let reals = |real: &dyn Fn(&Label) -> Option<f64>| ExportValues::Reals(labels.iter().map(real).collect());
        let whole = |whole: &dyn Fn(&Label) -> Option<i64>| ExportValues::Integers(labels.iter().map(whole).collect());
        let own = [
            ("file", texts(&|_| Some(self.sound_name.to_owned()))),
            ("channel", whole(&|label| label.channel.map(i64::from))),
            ("start_s", reals(&|label| Some(label.secs[0]))),
            ("end_s", reals(&|label| Some(label.secs[1]))),
            ("low_hz", reals(&|label| label.low_hz)),
            ("high_hz", reals(&|label| label.high_hz)),
            ("label", texts(&|label| Some(label.text.to_string()))),
            ("confidence", reals(&|label| label.confidence)),
            ("colour", whole(&|label| label.colour.map(i64::from))),
            ("id", whole(&|label| Some(label.id as i64))),
        ];
        let mut columns: Vec<ExportColumn> =
            own.into_iter().map(|(name, values)| ExportColumn { name: name.into(), values }).collect();
        let measures: Vec<ExportColumn> = MEASURE_COLUMNS
            .iter()
            .map(|column| ExportColumn {
                name: self.name(column).into(),
                values: ExportValues::Reals(self.measured.iter().map(column.value).collect()),
            })
            .collect();
        for free in free_columns(labels)? {
            // Column names must be unique.
            let is_taken = |name: &str| columns.iter().chain(&measures).any(|column| column.name == name);
            let mut unique = free.to_string();
            let mut n = 2;
            while is_taken(&unique) {
                unique = format!("{free} ({n})");
                n += 1;
            }
            let values = texts(&|label| label.columns.get(&free).map(str::to_owned));
            columns.push(ExportColumn { name: unique.into(), values });
        }
        columns.extend(measures);
        Ok(ExportTable { name: "measurements", columns, n_rows: labels.len() })
    }

    fn parameters(&self) -> Result<String> {
        let columns: Vec<&str> = MEASURE_COLUMNS.iter().map(|column| self.name(column)).collect();
        let about = json!({
            "measured": "labels", "program": format!("sonobrush {PROGRAM_VERSION}"), "sound": self.sound_name,
            "rate": self.rate_hz, "n_fft": self.measuring.n_fft, "hop": self.measuring.hop,
            "window": Window::Hann.name(), "labels": self.labels.len(), "columns": columns,
        });
        let not_json = |error: serde_json::Error| Error::new(ErrorKind::Internal, error.to_string());
        serde_json::to_string_pretty(&about).map(|text| shown_json(&text).into_owned()).map_err(not_json)
    }
}

/// Path of a table's parameters.
fn parameters_of(path: &Path) -> PathBuf {
    path.with_extension("json")
}

fn write_text(path: &Path, text: &str) -> Result<()> {
    write_atomic(path, |out| out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", path)))
}
