//! Performs the commands of the beat grid and the answers of its card.
#![deny(clippy::wildcard_enum_match_arm)]

use super::finder::BeatFinder;
use super::options::{BeatAnswer, BeatOptions};
use crate::base::Result;
use crate::bench::context::Context;
use crate::commands::BeatCommand;
use crate::document::BeatGrid;
use crate::files::Question;

/// Performs a beat grid command on the document in front.
pub fn perform_beat(command: BeatCommand, finder: &mut BeatFinder, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    match command {
        BeatCommand::Grid => {
            let options = BeatOptions::of(document.id(), document.beat(), document.cursor_secs());
            finder.clear();
            context.ask(Question::Beat(options));
        }
        BeatCommand::FirstBar => {
            let (id, cursor_secs) = (document.id(), document.cursor_secs());
            let moved = document.beat().map(|grid| BeatGrid::new(grid.tempo_bpm(), grid.beats_a_bar(), cursor_secs));
            if let Some(moved) = moved {
                set(id, moved, context);
            }
        }
        BeatCommand::Lines => document.change_view(|view| view.beat_lines = !view.beat_lines),
        BeatCommand::Remove => document.set_beat(None),
    }
}

/// Applies the user's answer to the beat card.
pub fn answer(answer: BeatAnswer, finder: &mut BeatFinder, context: &mut Context) {
    match answer {
        BeatAnswer::Find(id) => finder.find(id, context),
        BeatAnswer::Remove(id) => {
            if let Some(document) = context.documents.get_mut(id) {
                document.set_beat(None);
            }
        }
        BeatAnswer::Set(options) => {
            let is_set = set(options.document, options.grid(), context);
            if let Some(document) = context.documents.get_mut(options.document).filter(|_| is_set) {
                document.change_view(|view| view.beat_lines = options.is_shown);
            }
        }
    }
}

/// Sets the grid of a document. Returns false, with a notice, if the numbers are invalid.
fn set(id: u64, grid: Result<BeatGrid>, context: &mut Context) -> bool {
    match grid {
        Ok(grid) => {
            context.notices.succeed(SETTING);
            let document = context.documents.get_mut(id);
            document.map(|document| document.set_beat(Some(grid))).is_some()
        }
        Err(error) => {
            context.fail(SETTING, &error);
            false
        }
    }
}

/// Operation named in the notice if tempo, beats per bar or position are out of range.
const SETTING: &str = "set the beat grid";
