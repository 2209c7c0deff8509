//! `sonobrush measure`

use super::args::MeasureCommand;
use super::input;
use super::labels::found_in;
use super::outputs::{refuse_other_format, refuse_other_json, refuse_same_file};
use super::terminal::{Terminal, json_of};
use crate::base::{Error, ErrorKind, Folders, PROGRAM_VERSION, Result, Settings, shown_path, write_atomic};
use crate::document::labels::formats::{LabelWriting, free_columns, label_table};
use crate::document::labels::{
    Label, LabelMeasures, LabelMeasuring, LabelSet, MEASURE_COLUMNS, MeasureColumn, measure_labels,
};
use crate::dsp::{StftParams, Window};
use crate::library::export::{ExportColumn, ExportTable, ExportValues, write_parquet};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

/// Keys of the parameters that stand beside a table.
const PARAMETER_KEYS: [&str; 3] = ["measured", "n_fft", "hop"];

pub(super) fn run(typed: &MeasureCommand, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    refuse_other_format(&typed.output, &["csv", "parquet"], "a table")?;
    for read in std::iter::once(&typed.input).chain(&typed.labels) {
        refuse_same_file(read, &typed.output)?;
    }
    let parameters = typed.output.with_extension("json");
    refuse_other_json(&parameters, &PARAMETER_KEYS, "the parameters of a table of measurements")?;
    let stft = StftParams { n_fft: typed.n_fft, hop: typed.hop, window: Window::Hann }.validated()?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut told = terminal.file_notices();
    told.tell(opened.notices.iter().cloned());
    let mut found = found_in(&typed.input, opened);
    if let Some(path) = &typed.labels {
        found.labels = LabelSet::default();
        found.import(path, None, &typed.reading, terminal)?;
    }
    let Some(sound) = &found.sound else {
        return Err(Error::new(ErrorKind::Internal, "a sound is missing"));
    };
    if found.labels.is_empty() {
        let what = "has no labels to measure at; name a file of labels with --labels";
        return Err(Error::new(ErrorKind::Script, what).at(&typed.input));
    }
    let snapshot = sound.history.current();
    let measuring = LabelMeasuring { n_fft: stft.n_fft, hop: stft.hop };
    let measured =
        terminal.with_progress("measuring", |progress| measure_labels(snapshot, &found.labels, measuring, progress))?;
    told.tell(snapshot.source().take_notice());

    let name = |column: &MeasureColumn| if typed.raven_names { column.raven } else { column.name };
    let sound_name = found.sound_name.clone().unwrap_or_default();
    if is_parquet(&typed.output) {
        write_parquet(&typed.output, &table(&found.labels, &measured, &sound_name, name)?)?;
    } else {
        let text = text(&found.labels, &measured, &sound_name, name)?;
        write_text(&typed.output, &text)?;
    }
    let columns: Vec<&str> = MEASURE_COLUMNS.iter().map(name).collect();
    let about = json!({
        "measured": "labels", "program": format!("sonobrush {PROGRAM_VERSION}"), "sound": sound_name,
        "rate": snapshot.sample_rate_hz(), "n_fft": stft.n_fft, "hop": stft.hop, "window": stft.window.name(),
        "labels": found.labels.len(), "columns": columns,
    });
    write_text(&parameters, &format!("{}\n", json_of(&about)?))?;
    let n = found.labels.len();
    let labels = if n == 1 { "1 label".into() } else { format!("{n} labels") };
    terminal.print(&format!("{}: {labels} measured\n", shown_path(&typed.output)))
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

fn write_text(path: &Path, text: &str) -> Result<()> {
    write_atomic(path, |out| out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", path)))
}

/// Our table of labels, with the measurements behind.
fn text(
    labels: &LabelSet,
    measured: &[LabelMeasures],
    sound_name: &str,
    name: impl Fn(&MeasureColumn) -> &'static str,
) -> Result<String> {
    let more = |out: &mut String, index: usize| {
        for column in &MEASURE_COLUMNS {
            out.push(',');
            // Writing to a text cannot fail.
            _ = (column.value)(&measured[index]).map(|value| write!(out, "{value:?}"));
        }
    };
    let names: String = MEASURE_COLUMNS.iter().map(|column| format!(",{}", name(column))).collect();
    let writing = LabelWriting { sound_name: Some(sound_name.to_owned()), ..LabelWriting::default() };
    label_table(labels, &writing, &more, &names)
}

/// The same as columns.
fn table(
    labels: &LabelSet,
    measured: &[LabelMeasures],
    sound_name: &str,
    name: impl Fn(&MeasureColumn) -> &'static str,
) -> Result<ExportTable> {
    let texts = |text: &dyn Fn(&Label) -> Option<String>| ExportValues::Texts(labels.iter().map(text).collect());
    let reals = |real: &dyn Fn(&Label) -> Option<f64>| ExportValues::Reals(labels.iter().map(real).collect());
    let whole = |whole: &dyn Fn(&Label) -> Option<i64>| ExportValues::Integers(labels.iter().map(whole).collect());
    let own = [
        ("file", texts(&|_| Some(sound_name.to_owned()))),
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
            name: name(column).into(),
            values: ExportValues::Reals(measured.iter().map(column.value).collect()),
        })
        .collect();
    for free in free_columns(labels)? {
        // Two columns of one name cannot be told apart.
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
