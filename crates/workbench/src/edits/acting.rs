//! Commands that change the sound: steps of the history, edits of the selection, cut, copy and paste.
#![deny(clippy::wildcard_enum_match_arm)]

use super::clipboard::{Clipboard, CopyWay, PasteWay};
use super::floating_paste::{drop_floating, flip_picture, land, land_pushing, turn_picture};
use super::lengthen::lengthen;
use super::lift::SelectionLifter;
use super::normalise::LevelAnalyser;
use super::time::{ask_silence, delete_time, duplicate_time, keep_time, selected_time, split_to_new};
use super::whole_sound::{applying, healing, over_selected_or_all, over_selection};
use crate::bench::context::{BenchEvent, Context};
use crate::bench::notices::Severity;
use crate::commands::{ClipboardCommand, EditCommand, Process};
use crate::devices::monitor::PlaybackMonitor;
use crate::document::Edit;
use crate::document::brushes::{Brush, Erase, Fade, RebuildPhase, RemoveDc, Reverse};
use crate::documents::{OpenDocument, limits_of};
use crate::files::{ImageExporter, Question, StretchOptions};
use crate::measurements::Spectrum;
use crate::preview::{PreviewKind, begin_preview, cancel_preview};
use crate::settings::presets::{PresetAct, PresetKind, PresetPurpose};
use crate::settings::tools::{Repair, Tools};

/// The concerns that carry out clipboard commands.
type Copiers<'a> = (&'a mut Clipboard, &'a mut SelectionLifter, &'a mut ImageExporter, &'a mut Spectrum);

/// Performs a clipboard command on the document in front.
pub fn perform_clipboard(
    command: ClipboardCommand,
    (clipboard, stretching, image_export, spectrum): Copiers<'_>,
    context: &mut Context,
) {
    match command {
        ClipboardCommand::Cut => clipboard.take(CopyWay::Cut, context),
        ClipboardCommand::CutAndClose => {
            if selected_time(context).is_some() {
                clipboard.take(CopyWay::CutAndClose, context);
            }
        }
        ClipboardCommand::CutToFloat => stretching.cut_to_float(context),
        ClipboardCommand::Copy => clipboard.take(CopyWay::Copy, context),
        ClipboardCommand::Paste => clipboard.paste(PasteWay::Floating, context),
        ClipboardCommand::PasteInPlace => clipboard.paste(PasteWay::InPlace, context),
        ClipboardCommand::PasteInserting => clipboard.paste(PasteWay::Inserting, context),
        ClipboardCommand::CopyPicture => image_export.copy(context),
        ClipboardCommand::LandPaste => land(context),
        ClipboardCommand::LandPushing => land_pushing(context),
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
pub fn perform_edit(
    command: EditCommand,
    normalising: &mut LevelAnalyser,
    monitor: &mut PlaybackMonitor,
    context: &mut Context,
) {
    match command {
        EditCommand::Undo => undo(monitor, context),
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
        EditCommand::DeleteTime => delete_time(context),
        EditCommand::KeepTime => keep_time(context),
        EditCommand::DuplicateTime => duplicate_time(context),
        EditCommand::InsertSilence => ask_silence(context),
        EditCommand::SplitToNew => split_to_new(context),
        EditCommand::ApplyToSelection => {
            let tool = context.tools.applied();
            if context.documents.active_mut().is_some_and(OpenDocument::take_landed) {
                let advice = "Press Enter again to apply the brush to it.";
                return context.notify(Severity::Info, "It is placed already.", Some(advice));
            }
            edit_with(|document, tools| applying(tool, document, tools), context);
        }
        EditCommand::EraseSelection => {
            // A floating paste is not part of the sound yet, so erasing discards it.
            if !discard_floating(monitor, context) {
                edit_selection(Brush::Erase(Erase), context);
            }
        }
        EditCommand::AttenuateSelection => {
            let heal = context.tools.settings().heal.attenuation();
            edit_selection(Brush::Heal(heal), context);
        }
        EditCommand::HealSelection => edit_with(healing, context),
        EditCommand::RebuildPhase => {
            let brush = RebuildPhase { steps: crate::dsp::warps::phase::DEFAULT_STEPS };
            edit_selection(brush.into(), context);
        }
        EditCommand::ReduceNoise if context.tools.noise().is_none() => {
            context.order(PresetAct::AskWhich { kind: PresetKind::Noise, purpose: PresetPurpose::Reduce });
        }
        EditCommand::ReduceNoise => begin_preview(PreviewKind::ReduceNoise, monitor, context),
        EditCommand::RemoveHum => begin_preview(PreviewKind::Repair(Repair::Hum), monitor, context),
        EditCommand::Declip => begin_preview(PreviewKind::Repair(Repair::Declip), monitor, context),
        EditCommand::DeEss => begin_preview(PreviewKind::Repair(Repair::DeEss), monitor, context),
        EditCommand::RemovePlosives => begin_preview(PreviewKind::Repair(Repair::Plosives), monitor, context),
        EditCommand::ReduceReverb => begin_preview(PreviewKind::Repair(Repair::Reverb), monitor, context),
        EditCommand::IsolateSpeech => begin_preview(PreviewKind::Repair(Repair::Isolate), monitor, context),
        EditCommand::Process(process) => edit_selected_or_all(brush_of(process), context),
        EditCommand::Normalise => normalising.ask(context),
        EditCommand::PitchShift => ask_semitones(context),
        EditCommand::TimeStretch => ask_percent(context),
    }
}

/// Discards the floating paste of the document in front; false if nothing floats.
pub fn discard_floating(monitor: &mut PlaybackMonitor, context: &mut Context) -> bool {
    let has_dropped = drop_floating(context);
    if has_dropped {
        monitor.drop_stroke();
    }
    has_dropped
}

fn undo(monitor: &mut PlaybackMonitor, context: &mut Context) {
    // A floating paste or a preview is not part of the sound yet, so undo discards it.
    if discard_floating(monitor, context) || cancel_preview(monitor, context) {
        return;
    }
    let Some(document) = context.documents.active_mut() else { return };
    document.show_current();
    // Cancels a pending edit before it enters the history.
    if !document.cancel_last_edit() {
        document.step_back();
    }
}

/// Applies a brush to the whole selection, if there is one.
fn edit_selection(brush: Brush, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    if let Some(edit) = over_selection(document, brush, 1.0) {
        document.edit(edit);
    }
}

/// Applies an edit built from the document in front and the tools, if there is one.
fn edit_with(edit: impl FnOnce(&OpenDocument, &Tools) -> Option<Edit>, context: &mut Context) {
    let tools = &context.tools;
    if let Some(document) = context.documents.active_mut()
        && let Some(edit) = edit(document, tools)
    {
        document.edit(edit);
    }
}

/// Asks the user for the pitch shift of the selection.
fn ask_semitones(context: &mut Context) {
    context.ask(Question::PitchShift { semitones: 0.0 });
}

/// Asks the user for the new length of the selection.
fn ask_percent(context: &mut Context) {
    let selected = context.documents.active().and_then(OpenDocument::selected_secs);
    let selected_secs = selected.map_or(0.0, |[start, end]| end - start);
    context.ask(Question::Stretch(StretchOptions { percent: 100.0, replaces: true, selected_secs }));
}

/// The brush of a command that processes samples.
fn brush_of(process: Process) -> Brush {
    match process {
        Process::FadeIn => Fade { out: false }.into(),
        Process::FadeOut => Fade { out: true }.into(),
        Process::Reverse => Reverse.into(),
        Process::RemoveDc => RemoveDc.into(),
    }
}

/// Applies a brush to the selection, or to the whole file.
fn edit_selected_or_all(brush: Brush, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let edit = over_selected_or_all(document, brush);
    document.edit(edit);
}
