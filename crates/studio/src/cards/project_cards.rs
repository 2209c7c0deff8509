//! Cards of projects and sessions: saving a project, locating a missing sound, and recovering work after a crash.

use super::card_parts::{CardAnswer, heading, primary, weak};
use crate::base::shown_path;
use crate::document::session::{SourceError, SourceSearch};
use crate::widgets::{boxes, theme};
use crate::workbench::{Locating, ProjectSaveOptions, RecoverableWork, RecoveryAnswer, Reply, name_of};
use egui::{RichText, Ui};
use std::path::Path;

pub(crate) fn save(ui: &mut Ui, options: &mut ProjectSaveOptions, name: &str) -> Option<CardAnswer> {
    let mut answer = heading(ui, &format!("Save {name} as a project"));
    weak(ui, "A project keeps every edit, undo included. Your sound file is not changed.");
    boxes::checkbox(ui, &mut options.is_embedded, "Include the audio in the project")
        .on_hover_text("You can then move or send the project without the sound file.");
    ui.horizontal(|ui| {
        if primary(ui, "Save as\u{2026}") {
            answer = Some(CardAnswer::Reply(Reply::ProjectWhere(options.clone())));
        }
        if ui.button("Keep editing").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

pub(crate) fn locate(ui: &mut Ui, what: &Locating, lost: &SourceError) -> Option<CardAnswer> {
    let (path, has_changed) = match lost {
        SourceError::Changed(path) => (path.clone(), true),
        SourceError::Moved(path) => (path.clone(), false),
        SourceError::Failed(error) => (error.path().map(Path::to_path_buf).unwrap_or_default(), false),
    };
    let name = name_of(&path);
    let title = if has_changed { format!("{name} has changed") } else { format!("Where is {name}?") };
    let mut answer = heading(ui, &title);
    let whose = match what {
        Locating::Project(project) => name_of(project),
        Locating::Session(_) => "The session".into(),
    };
    match has_changed {
        false => weak(ui, &format!("{whose} needs this file, and it was not found:")),
        true => weak(ui, &format!("{whose} was made from a different version of this file:")),
    }
    ui.label(shown_path(&path));
    ui.horizontal(|ui| {
        if primary(ui, "Locate\u{2026}") {
            answer = Some(CardAnswer::Reply(Reply::LocateWhere(what.clone())));
        }
        let danger = theme::palette(ui.ctx()).danger;
        if has_changed && ui.button(RichText::new("Use it anyway").color(danger)).clicked() {
            let finding = SourceSearch { source: Some(path.clone()), may_have_changed: true };
            answer = Some(CardAnswer::Reply(Reply::Locate(what.clone(), finding)));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

/// An age in words, such as `2 minutes ago`.
fn ago(secs: f64) -> String {
    let count = |n: f64, unit: &str| {
        let n = n.floor() as u64;
        format!("{n} {unit}{} ago", if n == 1 { "" } else { "s" })
    };
    match secs {
        secs if secs < 60.0 => "less than a minute ago".into(),
        secs if secs < 3600.0 => count(secs / 60.0, "minute"),
        secs if secs < 86_400.0 => count(secs / 3600.0, "hour"),
        secs => count(secs / 86_400.0, "day"),
    }
}

pub(crate) fn left(ui: &mut Ui, left: &RecoverableWork) -> Option<CardAnswer> {
    let mut answer = heading(ui, "Sonobrush quit unexpectedly");
    let edits = if left.n_edits == 1 { "1 edit".to_owned() } else { format!("{} edits", left.n_edits) };
    let when = left.secs_ago.map(|secs| format!(", {}", ago(secs))).unwrap_or_default();
    weak(
        ui,
        &match left.is_recording {
            true => format!("{} was kept up to the last second{when}.", left.name),
            false => format!("{} with {edits} was saved{when}.", left.name),
        },
    );
    if left.n_more > 0 {
        let words = match left.n_more {
            1 => "One more document was kept, and comes back with it.".into(),
            n => format!("{n} more documents were kept, and come back with it."),
        };
        weak(ui, &words);
    }
    if left.was_tried {
        weak(ui, "Sonobrush quit unexpectedly when recovering it before.");
    }
    let is_fallback_first = left.was_tried && left.has_fallback;
    ui.horizontal_wrapped(|ui| {
        let first = if is_fallback_first { "Open last saved version" } else { "Recover" };
        if primary(ui, first) {
            answer = Some(CardAnswer::Reply(Reply::Recover(if is_fallback_first {
                RecoveryAnswer::Fallback
            } else {
                RecoveryAnswer::Recover
            })));
        }
        if is_fallback_first && ui.button("Try again").clicked() {
            answer = Some(CardAnswer::Reply(Reply::Recover(RecoveryAnswer::Recover)));
        }
        if ui.button("Not now").clicked() {
            answer = Some(CardAnswer::Reply(Reply::Recover(RecoveryAnswer::NotNow)));
        }
        let danger = theme::palette(ui.ctx()).danger;
        if ui.button(RichText::new("Discard").color(danger)).clicked() {
            answer = Some(CardAnswer::Reply(Reply::Recover(RecoveryAnswer::Discard)));
        }
    });
    answer
}
