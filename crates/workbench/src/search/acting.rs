//! Performs commands that change the selection or search the sound.
#![deny(clippy::wildcard_enum_match_arm)]

use super::find_jobs::FindJobs;
use super::pattern::Similar;
use super::places::step_to_place;
use super::selection_finder::{Reshape, SelectionFinder};
use crate::bench::context::Context;
use crate::commands::{FindCommand, SelectCommand};
use crate::dsp::{Axis, Selection};

/// Performs a selection command on the document in front.
pub fn perform_select(command: SelectCommand, selecting: &mut SelectionFinder, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    match command {
        SelectCommand::All => {
            let all = Some([0.0, document.duration_secs()]);
            document.select(Some(Selection::rectangle(all, None, [0.0, 0.0], Axis::Linear)));
        }
        SelectCommand::Nothing => document.select(None),
        SelectCommand::Reselect => document.select(document.last_selection().cloned()),
        SelectCommand::Invert => document.select(document.selection().map(Selection::inverted)),
        SelectCommand::Grow => selecting.reshape(Reshape::Grow, context),
        SelectCommand::Shrink => selecting.reshape(Reshape::Shrink, context),
        SelectCommand::Feather => selecting.reshape(Reshape::Feather, context),
    }
}

/// Performs a search command, or one that learns noise or a timbre from the sound.
pub fn perform_find(command: FindCommand, finding: &mut FindJobs, similar: &mut Similar, context: &mut Context) {
    match command {
        FindCommand::LearnNoise => finding.learn(context),
        FindCommand::TakeTimbre => finding.take_timbre(context),
        FindCommand::Damage => finding.search_damage(context),
        FindCommand::Notes => finding.search_notes(context),
        FindCommand::Next => similar.find(true, context),
        FindCommand::Previous => similar.find(false, context),
        FindCommand::Seek(seek) => finding.seek(seek, context),
        FindCommand::NextPlace => step_to_place(true, context),
        FindCommand::PreviousPlace => step_to_place(false, context),
    }
}
