//! `sonobrush save`, `verify` and `export`

use super::args::{Export, Save, Verify};
use super::by_label;
use super::engines::engine_for;
use super::input::{self, Passing, finding, room_of, told};
use super::outputs::{refuse_other_format, refuse_same_file, refuse_sound};
use super::paint::{in_script, labels_of_script, of_script, read_script};
use super::saving::save_as_project;
use super::terminal::Terminal;
use crate::base::{Folders, Result, Settings, clock_from_secs};
use crate::document::brushes::Brush;
use crate::document::session::verify_project;
use crate::document::{Script, apply, deliver};
use serde_json::json;

pub(super) fn save(typed: &Save, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    refuse_other_format(&typed.output, &["sonobrush"], "a project")?;
    refuse_same_file(&typed.input, &typed.output)?;
    let script = match &typed.script {
        Some(path) => {
            refuse_same_file(path, &typed.output)?;
            read_script(path, folders)?
        }
        None => Script::default(),
    };
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut told = terminal.file_notices();
    told.tell(opened.notices);
    told.tell(of_script(&script));
    let mut history = opened.history;
    let path = typed.script.as_deref().unwrap_or(&typed.input);
    if let Some((edit, _)) = labels_of_script(&script, history.labels(), history.next_label_id(), path)? {
        let sound = history.current().clone();
        history.push(edit, sound);
    }
    let chosen = if script.edits.is_empty() { None } else { Some(engine_for(settings)?) };
    let n_edits = script.edits.len();
    for (index, edit) in script.edits.iter().enumerate() {
        let Some(chosen) = &chosen else { break };
        let applied = terminal
            .with_progress(&format!("edit {} of {n_edits}", index + 1), |progress| {
                apply(history.current(), edit, &chosen.engine, progress)
            })
            .map_err(|error| in_script(error, index, path))?;
        told.tell(applied.report.notices.iter().map(|notice| format!("edits[{index}]: {notice}")));
        // A step that does not fit its labels would make a project that cannot be opened.
        if let Brush::Labels(brush) = &edit.brush {
            brush.applied(history.labels()).map_err(|error| in_script(error, index, path))?;
        }
        if !applied.snapshot.is_same(history.current()) || matches!(edit.brush, Brush::Labels(_)) {
            history.push(applied.resolved.map_or_else(|| edit.clone(), |found| *found), applied.snapshot);
            history.note_consistency(applied.report.consistency_db);
        }
    }
    save_as_project(&typed.output, &history, opened.project, typed.embed, terminal)
}

pub(super) fn verify(typed: &Verify, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    let (finding, room) = (finding(&typed.project), room_of(settings, folders));
    let contained = Passing::in_state(folders)?;
    let found = terminal.with_progress("reading", |progress| {
        verify_project(&typed.input, &finding, &room, &contained.0, progress).map_err(told)
    })?;
    terminal.notices(&found.notices);
    if typed.json {
        return terminal.print_json(&json!({
            "edits": found.n_edits, "position": found.position, "blocks": found.n_blocks,
            "duration_secs": found.duration_secs, "source": found.source,
            "notices": found.notices,
        }));
    }
    terminal.print(&format!(
        "intact\nedits        {}, at {}\nduration     {}\nsource       {}\n",
        found.n_edits,
        found.position,
        clock_from_secs(found.duration_secs),
        found.source
    ))
}

pub(super) fn export(typed: &Export, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    if typed.by_label.is_wanted {
        return by_label::export(typed, settings, folders, terminal);
    }
    refuse_same_file(&typed.input, &typed.output)?;
    let delivery = typed.delivery.delivery(folders)?;
    refuse_sound(&typed.output, &delivery)?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut told = terminal.file_notices();
    told.tell(opened.notices);
    let report = terminal.with_progress("writing", |progress| {
        let (snapshot, labels) = (opened.history.current(), opened.history.labels());
        let samples = 0..snapshot.n_samples();
        deliver((snapshot, labels), samples, &typed.output, &delivery, progress)
    })?;
    told.tell(report.notices);
    told.tell(opened.history.current().source().take_notice());
    Ok(())
}
