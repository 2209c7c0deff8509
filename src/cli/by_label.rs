//! `sonobrush export --by-label`

use super::args::Export;
use super::common::engines::engine_for;
use super::common::input;
use super::common::outputs::refuse_no_folder;
use super::common::terminal::Terminal;
use super::labels::found_in;
use crate::base::{Error, ErrorKind, Folders, Result, Settings, shown_path};
use crate::document::labels::{NamePattern, NamedFiles, PartChoice};
use crate::document::{Delivery, PartsOrder, PartsPlan, PartsSound, PartsTable, PartsWriter};

/// Advice if an output would overwrite the sound's own file, or another existing file.
const EXISTING_FILE_ADVICE: [&str; 2] =
    ["choose another folder or --name", "choose another folder, or add --overwrite"];

pub(super) fn export(typed: &Export, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    let by_label = &typed.by_label;
    let delivery = typed.delivery.delivery(folders)?;
    let pattern = by_label.name.as_deref().or(delivery.name.as_deref()).unwrap_or(NamePattern::DEFAULT_PATTERN);
    let pattern = NamePattern::parse(pattern, NamedFiles::Parts)?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut file_notices = terminal.file_notices();
    file_notices.add_notices(opened.notices.iter().cloned());
    let mut labelled = found_in(&typed.input, opened);
    if let Some(path) = &by_label.labels {
        labelled.import(path, by_label.reading.format(), &by_label.reading, terminal)?;
    }
    let Some(snapshot) = labelled.sound.as_ref().map(|sound| sound.history.current().clone()) else {
        return Err(Error::new(ErrorKind::Internal, "a sound is missing"));
    };
    let name = labelled.sound_name.clone().unwrap_or_default();
    let sound = PartsSound { snapshot, labels: labelled.labels.clone(), name };
    let order = order_of(typed, pattern, delivery);
    let found = sound.parts(&order.choice).map_err(|error| error.at(&typed.input))?;
    if found.n_outside > 0 {
        let labels =
            if found.n_outside == 1 { "1 label has".into() } else { format!("{} labels have", found.n_outside) };
        file_notices.add_notices([format!("{labels} no sound of its own, and no file")]);
    }
    let plan = PartsPlan::of(order, found, &sound)?;
    if let Some(hindrance) = plan.hindrance(&sound) {
        return Err(hindrance.error(EXISTING_FILE_ADVICE));
    }
    if let Some(table) = plan.table().filter(|table| table.parent() != Some(&typed.output)) {
        refuse_no_folder(table)?;
    }
    let chosen = if by_label.band { Some(engine_for(settings)?) } else { None };
    let mut writing = PartsWriter::begin(&plan, &sound, chosen.as_ref().map(|chosen| &chosen.engine))?;
    let n_parts = plan.parts().len();
    while !writing.is_done() {
        let index = writing.n_written();
        let doing = format!("file {} of {n_parts}", index + 1);
        let report = terminal.with_progress(&doing, |progress| writing.write_next(progress))?;
        file_notices.add_notices(report.notices.into_iter().map(|notice| format!("{}: {notice}", plan.names()[index])));
    }
    file_notices.add_notices(writing.losses());
    writing.finish()?;
    file_notices.add_notices(sound.snapshot.source().take_notice());
    let files = if n_parts == 1 { "1 file".into() } else { format!("{n_parts} files") };
    terminal.print(&format!("{}: {files} exported\n", shown_path(&typed.output)))
}

/// The export order for the typed arguments.
fn order_of(typed: &Export, pattern: NamePattern, delivery: Delivery) -> PartsOrder {
    let by_label = &typed.by_label;
    let table = match (by_label.hf, &by_label.manifest) {
        (true, _) => PartsTable::HuggingFace,
        (false, Some(path)) => PartsTable::Csv(path.clone()),
        (false, None) => PartsTable::None,
    };
    PartsOrder {
        folder: typed.output.clone(),
        choice: PartChoice {
            splits: by_label.split,
            pattern: by_label.label.clone(),
            pad_secs: by_label.pad.map_or([0.0; 2], |pad| pad.0),
            ..PartChoice::default()
        },
        pattern,
        fade_ms: by_label.fade.unwrap_or(0.0),
        is_band_only: by_label.band,
        delivery: Delivery { container: by_label.kind.map(|kind| kind.container()).or(delivery.container), ..delivery },
        table,
        replaces: by_label.overwrite,
    }
}
