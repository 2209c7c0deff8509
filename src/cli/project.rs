//! `sonobrush save`, `verify` and `export`

use super::args::{Export, Save, Verify};
use super::by_label;
use super::common::engines::engine_for;
use super::common::input;
use super::common::input::{finding, source_error, storage_of};
use super::common::outputs::{refuse_output, refuse_same_file, refuse_sound};
use super::common::saving::save_as_project;
use super::common::scripts::read_script;
use super::common::terminal::Terminal;
use super::paint::PaintTerminal;
use crate::base::{Folders, Result, Settings, clock_from_secs};
use crate::document::brushes::Brush;
use crate::document::session::{ContainedFile, verify_project};
use crate::document::{LabelledSound, NamedScript, PaintWatch, Script, ScriptedEdit, deliver};
use crate::engine::Engine;
use serde_json::json;

pub(super) fn save(typed: &Save, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    refuse_output(&typed.output, &["sonobrush"], "a project")?;
    refuse_same_file(&typed.input, &typed.output)?;
    let script = match &typed.script {
        Some(path) => {
            refuse_same_file(path, &typed.output)?;
            read_script(path, folders)?
        }
        None => Script::default(),
    };
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut watch = PaintTerminal { terminal, file_notices: terminal.file_notices() };
    watch.add_notices(opened.notices);
    let mut history = opened.history;
    let path = typed.script.as_deref().unwrap_or(&typed.input);
    let engine = if script.edits.is_empty() { Engine::cpu() } else { engine_for(settings)?.engine };
    let begin = LabelledSound::of(&history);
    let mut push = |ScriptedEdit { edit, applied }: ScriptedEdit<'_>| {
        let sound = applied.map_or_else(|| history.current().clone(), |applied| applied.snapshot.clone());
        if !sound.is_same(history.current()) || matches!(edit.brush, Brush::Labels(_)) {
            history.push(edit.clone(), sound);
            history.note_consistency(applied.and_then(|applied| applied.report.consistency_db));
        }
    };
    NamedScript { script: &script, path }.run(begin, &engine, &mut watch, &mut push)?;
    save_as_project(&typed.output, &history, opened.project, typed.embed, terminal)
}

pub(super) fn verify(typed: &Verify, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    let (finding, room) = (finding(&typed.project), storage_of(settings, folders));
    let contained = ContainedFile::in_folder(folders.state())?;
    let found = terminal.with_progress("reading", |progress| {
        verify_project(&typed.input, &finding, &room, contained.path(), progress).map_err(source_error)
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
    if typed.by_label.is_requested {
        return by_label::export(typed, settings, folders, terminal);
    }
    refuse_same_file(&typed.input, &typed.output)?;
    let delivery = typed.delivery.delivery(folders)?;
    refuse_sound(&typed.output, &delivery)?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut file_notices = terminal.file_notices();
    file_notices.add_notices(opened.notices);
    let report = terminal.with_progress("writing", |progress| {
        let (snapshot, labels) = (opened.history.current(), opened.history.labels());
        let samples = 0..snapshot.n_samples();
        deliver((snapshot, labels), samples, &typed.output, &delivery, progress)
    })?;
    file_notices.add_notices(report.notices);
    file_notices.add_notices(opened.history.current().source().take_notice());
    Ok(())
}
