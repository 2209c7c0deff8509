//! Commands that change the sound: steps of the history, edits of the selection, cut, copy and paste.
#![deny(clippy::wildcard_enum_match_arm)]

use super::afloat::{drop_floating, flip_picture, land, turn_picture};
use super::clipboard::Clipboard;
use super::lengthen::lengthen;
use crate::document::Edit;
use crate::document::brushes::{Brush, Erase, Fade, Noise, Normalise, RebuildPhase, RemoveDc, Reverse};
use crate::dsp::heal::Heal;
use crate::dsp::{Axis, Selection};
use crate::workbench::commands::{ClipboardCommand, EditCommand, Process};
use crate::workbench::context::{BenchEvent, Context};
use crate::workbench::documents::{OpenDocument, limits_of};
use crate::workbench::files::{Picturing, Question, StretchWish};
use crate::workbench::hearing::Hearer;
use crate::workbench::measuring::Spectrum;

/// Who copies what.
type Copiers<'a> = (&'a mut Clipboard, &'a mut Picturing, &'a mut Spectrum);

/// Performs a command of the clipboard.
pub fn perform_clipboard(
    command: ClipboardCommand,
    (clipboard, picturing, spectrum): Copiers<'_>,
    context: &mut Context,
) {
    match command {
        ClipboardCommand::Cut => clipboard.copy(true, context),
        ClipboardCommand::Copy => clipboard.copy(false, context),
        ClipboardCommand::Paste => clipboard.paste(false, context),
        ClipboardCommand::PasteInPlace => clipboard.paste(true, context),
        ClipboardCommand::CopyPicture => picturing.copy(context),
        ClipboardCommand::LandPaste => land(context),
        ClipboardCommand::TurnPicture => turn_picture(context),
        ClipboardCommand::FlipPicture => flip_picture(context),
        ClipboardCommand::CopyFigures => copy_figures(context),
        ClipboardCommand::CopySpectrum => spectrum.copy(&context.jobs),
    }
}

fn copy_figures(context: &mut Context) {
    let Some((document, figures)) = context.documents.active().and_then(|d| Some((d, d.figures()?))) else { return };
    let limits = limits_of(document.shown());
    let secs = document.selected_secs().unwrap_or([0.0, limits.duration_secs]);
    let hz = document.selected_hz().unwrap_or([0.0, limits.nyquist_hz]);
    let text = figures.csv(secs, hz);
    context.send(BenchEvent::Copy(text));
}

/// Performs a command that changes the sound of the document in front.
pub fn perform_edit(command: EditCommand, hearer: &mut Hearer, context: &mut Context) {
    match command {
        EditCommand::Undo => undo(hearer, context),
        EditCommand::Redo => {
            if let Some(document) = context.documents.active_mut() {
                document.show_current();
                document.step_forward();
            }
        }
        EditCommand::Before => {
            if let Some(document) = context.documents.active_mut() {
                document.toggle_before();
            }
        }
        EditCommand::Lengthen => lengthen(context),
        EditCommand::ApplyToSelection => {
            if let Some(brush) = context.tools.applied_brush() {
                let (brush, strength) = (suited(brush, context), context.tools.settings().strength);
                edit_selection(brush, strength, context);
            }
        }
        EditCommand::EraseSelection => {
            // What floats is not in the sound yet: to erase it, drop it.
            if !discard_floating(hearer, context) {
                edit_selection(Brush::Erase(Erase), 1.0, context);
            }
        }
        EditCommand::AttenuateSelection => {
            let heal = context.tools.settings().heal.attenuation();
            edit_selection(Brush::Heal(heal), 1.0, context);
        }
        EditCommand::HealSelection => {
            let heal = Brush::Heal(context.tools.settings().heal.heal());
            edit_selection(suited(heal, context), 1.0, context);
        }
        EditCommand::RebuildPhase => {
            let brush = RebuildPhase { steps: crate::dsp::phase::DEFAULT_STEPS };
            edit_selection(brush.into(), 1.0, context);
        }
        EditCommand::ReduceNoise => {
            if let Some(denoise) = context.tools.denoise() {
                edit_selected_or_all(denoise.into(), context);
            }
        }
        EditCommand::RemoveHum => remove_hum(context),
        EditCommand::Process(process) => edit_selected_or_all(brush_of(process), context),
        EditCommand::PitchShift => ask_semitones(context),
        EditCommand::TimeStretch => ask_percent(context),
    }
}

/// Discards what floats over the document in front; false if nothing does.
pub fn discard_floating(hearer: &mut Hearer, context: &mut Context) -> bool {
    let has_dropped = drop_floating(context);
    if has_dropped {
        hearer.drop_stroke();
    }
    has_dropped
}

fn undo(hearer: &mut Hearer, context: &mut Context) {
    // What floats is not in the sound yet: to undo the paste, drop it.
    if discard_floating(hearer, context) {
        return;
    }
    let Some(document) = context.documents.active_mut() else { return };
    document.show_current();
    // An edit on its way is taken back before it arrives.
    if !document.edits_mut().cancel_last() {
        document.step_back();
    }
}

/// Applies a brush to the whole of the selection.
fn edit_selection(brush: Brush, strength: f64, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    if let Some(edit) = over_selection(document, brush, strength) {
        document.edit(edit);
    }
}

/// The edit that applies a brush to all that is selected, in the channels and on the transform of the view; none if nothing
/// is selected.
pub fn over_selection(document: &OpenDocument, brush: Brush, strength: f64) -> Option<Edit> {
    let selection = document.selection()?.clone();
    Some(Edit {
        brush,
        stroke: None,
        select: Some(selection),
        channels: document.view().channels.edited(),
        transform: document.view().transform.clone(),
        strength,
        consistency_steps: None,
    })
}

/// A brush as the selection of the document in front needs it.
fn suited(brush: Brush, context: &Context) -> Brush {
    let Some(document) = context.documents.active() else { return brush };
    if let Brush::Noise(noise) = brush {
        // Applied twice it adds two noises, not the same one louder.
        return Noise { seed: 1 + document.history().position() as u64, ..noise }.into();
    }
    // Samples that are known to be damaged are all that need be made anew.
    let is_gap = matches!(brush, Brush::Heal(_)) && document.selection().is_some_and(Selection::has_moments);
    if is_gap { Heal::GAP.into() } else { brush }
}

/// Removes hum over the selected time, whatever band is selected: a hum is all of its harmonics.
fn remove_hum(context: &mut Context) {
    let brush = context.tools.settings().remove_hum();
    let Some(document) = context.documents.active_mut() else { return };
    let secs = document.selected_secs();
    let select = secs.map(|secs| Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear));
    document.edit(Edit {
        brush,
        stroke: None,
        select,
        channels: document.view().channels.edited(),
        transform: document.view().transform.clone(),
        strength: 1.0,
        consistency_steps: None,
    });
}

/// Asks how far the selection is moved in pitch.
fn ask_semitones(context: &mut Context) {
    context.ask(Question::PitchShift { semitones: 0.0 });
}

/// Asks how long the selection becomes.
fn ask_percent(context: &mut Context) {
    let selected = context.documents.active().and_then(OpenDocument::selected_secs);
    let selected_secs = selected.map_or(0.0, |[start, end]| end - start);
    context.ask(Question::Stretch(StretchWish { percent: 100.0, replaces: true, selected_secs }));
}

/// The edit of samples that a command stands for.
fn brush_of(process: Process) -> Brush {
    match process {
        Process::FadeIn => Fade { out: false }.into(),
        Process::FadeOut => Fade { out: true }.into(),
        Process::Normalise => Normalise { peak_db: Normalise::PEAK_DB }.into(),
        Process::Reverse => Reverse.into(),
        Process::RemoveDc => RemoveDc.into(),
    }
}

/// Applies a brush to the selection, or to the whole file.
fn edit_selected_or_all(brush: Brush, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let edit = Edit {
        brush,
        stroke: None,
        select: document.selection().cloned(),
        channels: document.view().channels.edited(),
        transform: document.view().transform.clone(),
        strength: 1.0,
        consistency_steps: None,
    };
    document.edit(edit);
}
