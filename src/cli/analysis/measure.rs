//! `sonobrush measure`

use crate::base::{Error, ErrorKind, Folders, Result, Settings, shown_path};
use crate::cli::args::MeasureCommand;
use crate::cli::common::input;
use crate::cli::common::outputs::{refuse_output, refuse_same_file};
use crate::cli::common::terminal::Terminal;
use crate::cli::labels::found_in;
use crate::document::labels::{LabelMeasureParams, LabelSet, MeasuredTable, measure_labels};
use crate::dsp::{StftParams, Window};
use crate::library::export::write_parquet;

pub(in crate::cli) fn run(
    typed: &MeasureCommand,
    settings: &Settings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    refuse_output(&typed.output, &["csv", "parquet"], "a table")?;
    for read in std::iter::once(&typed.input).chain(&typed.labels) {
        refuse_same_file(read, &typed.output)?;
    }
    MeasuredTable::check_place(&typed.output)?;
    let stft = StftParams { n_fft: typed.n_fft, hop: typed.hop.unwrap_or(typed.n_fft / 4), window: Window::Hann };
    let stft = stft.validated()?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut file_notices = terminal.file_notices();
    file_notices.add_notices(opened.notices.iter().cloned());
    let mut found = found_in(&typed.input, opened);
    if let Some(path) = &typed.labels {
        found.labels = LabelSet::default();
        found.rate_hz = typed.rate.rate_hz.or(found.rate_hz);
        found.import(path, typed.reading.format(), &typed.reading, terminal)?;
    }
    let Some(sound) = &found.sound else {
        return Err(Error::new(ErrorKind::Internal, "a sound is missing"));
    };
    if found.labels.is_empty() {
        let what = "has no labels to measure at; name a file of labels with --labels";
        return Err(Error::new(ErrorKind::Script, what).at(&typed.input));
    }
    let snapshot = sound.history.current();
    let measuring = LabelMeasureParams { n_fft: stft.n_fft, hop: stft.hop };
    let measured =
        terminal.with_progress("measuring", |progress| measure_labels(snapshot, &found.labels, measuring, progress))?;
    file_notices.add_notices(snapshot.source().take_notice());

    let table = MeasuredTable {
        labels: &found.labels,
        measured: &measured,
        measuring,
        rate_hz: snapshot.sample_rate_hz(),
        sound_name: found.sound_name.as_deref().unwrap_or_default(),
        has_raven_names: typed.raven_names,
    };
    table.write(&typed.output, write_parquet)?;
    let n = found.labels.len();
    let labels = if n == 1 { "1 label".into() } else { format!("{n} labels") };
    terminal.print(&format!("{}: {labels} measured\n", shown_path(&typed.output)))
}
