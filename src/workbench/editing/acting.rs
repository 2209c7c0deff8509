//! Commands that change the sound: steps of the history, edits of the selection, cut, copy and paste.
#![deny(clippy::wildcard_enum_match_arm)]

use super::afloat::{drop_floating, land};
use super::clipboard::Clipboard;
use super::lengthen::lengthen;
use crate::document::brushes::{Brush, Erase, RebuildPhase};
use crate::document::{Edit, erasing};
use crate::dsp::heal::Heal;
use crate::workbench::commands::{ClipboardCommand, EditCommand};
use crate::workbench::context::{BenchEvent, Context};
use crate::workbench::documents::{OpenDocument, limits_of};
use crate::workbench::hearing::Hearer;
use crate::workbench::measuring::Spectrum;

/// Performs a command of the clipboard.
pub fn perform_clipboard(
    command: ClipboardCommand,
    clipboard: &mut Clipboard,
    spectrum: &mut Spectrum,
    context: &mut Context,
) {
    match command {
        ClipboardCommand::Cut => clipboard.copy(true, context),
        ClipboardCommand::Copy => clipboard.copy(false, context),
        ClipboardCommand::Paste => clipboard.paste(false, context),
        ClipboardCommand::PasteInPlace => clipboard.paste(true, context),
        ClipboardCommand::LandPaste => land(context),
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
        EditCommand::EraseSelection => {
            // What floats is not in the sound yet: to erase it, drop it.
            if !discard_floating(hearer, context) {
                edit_selection(Brush::Erase(Erase), context);
            }
        }
        EditCommand::AttenuateSelection => {
            let heal = context.tools.settings().heal.attenuation();
            edit_selection(Brush::Heal(heal), context);
        }
        EditCommand::HealSelection => {
            let selection = context.documents.active().and_then(OpenDocument::selection);
            // Samples that are known to be damaged are all that need be made anew.
            let is_gap = selection.is_some_and(|selection| selection.has_moments());
            let heal = if is_gap { Heal::GAP } else { context.tools.settings().heal.heal() };
            edit_selection(Brush::Heal(heal), context);
        }
        EditCommand::RebuildPhase => {
            edit_selection(Brush::RebuildPhase(RebuildPhase { steps: crate::dsp::phase::DEFAULT_STEPS }), context);
        }
        EditCommand::ReduceNoise => reduce_noise(context),
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

/// Applies a brush to the whole of the selection, at full strength.
fn edit_selection(brush: Brush, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let Some(selection) = document.selection().cloned() else { return };
    let edit = erasing(selection, document.view().channels.edited(), document.view().transform.clone());
    document.edit(Edit { brush, ..edit });
}

/// Takes the learnt noise out of the selection, or of the whole file.
fn reduce_noise(context: &mut Context) {
    let denoise = context.tools.denoise();
    let (Some(document), Some(denoise)) = (context.documents.active_mut(), denoise) else { return };
    let edit = Edit {
        brush: Brush::Denoise(denoise),
        stroke: None,
        select: document.selection().cloned(),
        channels: document.view().channels.edited(),
        transform: document.view().transform.clone(),
        strength: 1.0,
        consistency_steps: None,
    };
    document.edit(edit);
}
