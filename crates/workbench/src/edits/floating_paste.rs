//! Floating pastes: starting, placing and discarding them.

use super::time::of_time;
use crate::base::{Error, ErrorKind};
use crate::bench::context::Context;
use crate::bench::notices::Severity;
use crate::commands::ClipboardCommand;
use crate::document::brushes::{Follows, Phrase, PictureBrush, PictureImage, TimeStretch};
use crate::document::{Edit, whole_range};
use crate::documents::{Floating, FloatingSound, OpenDocument, SelectionStep};
use crate::dsp::strokes::picture::{Bitmap, PictureArea, PictureLook, PictureTurn};
use crate::dsp::voices::Score;
use crate::dsp::warps::peak_locking::LockedPeaks;
use crate::dsp::{Axis, Selection};
use crate::media::picture::EmbeddedPicture;
use std::sync::Arc;

/// Floats a sound over a document and shows `what`, a sentence, as a notice. False if the document was closed.
pub fn float_over(id: u64, floating: Floating, what: &str, context: &mut Context) -> bool {
    let Some(document) = context.documents.get_mut(id) else { return false };
    document.float(floating);
    let advice = Some("Press Enter or click outside it to place it, or Esc to discard it.");
    context.notices.offer(context.now_secs(), Severity::Info, what.into(), advice, ClipboardCommand::LandPaste);
    true
}

/// Floats the notes of a score over the document in front, starting at `at_secs` or else the cursor.
pub fn float_score(score: Score, at_secs: Option<f64>, context: &mut Context) {
    land(context);
    let Some(document) = context.documents.active_mut() else { return };
    if document.is_reading() {
        let what = "the file in front is still being read; drop the notes when it is complete";
        return context.fail("place the notes", &Error::new(ErrorKind::Unsupported, what));
    }
    document.show_current();
    let (id, at_secs) = (document.id(), at_secs.unwrap_or(document.cursor_secs()));
    let rate_hz = document.history().current().sample_rate_hz();
    match Phrase::new(score, 0.0) {
        Ok(phrase) => {
            let mut floating = Floating::of_notes(phrase, rate_hz);
            floating.move_to([at_secs, 0.0], 1.0);
            float_over(id, floating, "The notes are floating: drag them, or move them with the arrow keys.", context);
        }
        Err(error) => context.fail("place the notes", &error),
    }
}

/// Floats a picture over part of the visible range of the document in front, starting at `at_secs` or else the cursor.
pub fn float_picture(picture: EmbeddedPicture, bitmap: Arc<Bitmap>, at_secs: Option<f64>, context: &mut Context) {
    land(context);
    let Some(document) = context.documents.active_mut() else { return };
    if document.is_reading() {
        let what = "the file in front is still being read; drop the picture when it is complete";
        return context.fail("place the picture", &Error::new(ErrorKind::Unsupported, what));
    }
    document.show_current();
    let view = document.view();
    let copied = context.copied_picture.as_ref().filter(|copied| copied.bitmap.size() == bitmap.size());
    let length_secs = copied.map_or((view.secs[1] - view.secs[0]) * INITIAL_WIDTH_SHARE, |copied| copied.length_secs);
    let last_secs = (document.duration_secs() - length_secs).max(0.0);
    let start_secs = at_secs.unwrap_or(document.cursor_secs()).clamp(0.0, last_secs);
    let min_hz = if view.axis == Axis::Log { 1.0 } else { 0.0 };
    let [low, high] = view.hz.map(|hz| view.axis.units_from_hz(hz.max(min_hz)));
    let edge = |part: f64| view.axis.hz_from_units(low + part * (high - low));
    let area = PictureArea {
        secs: [start_secs, start_secs + length_secs],
        hz: [edge(MARGIN).max(min_hz), edge(1.0 - MARGIN)],
        axis: view.axis,
    };
    let (id, rate_hz) = (document.id(), document.history().current().sample_rate_hz());
    let mut brush = PictureBrush::new(PictureImage::Embedded(Arc::new(picture), Vec::new()), area);
    // A picture that was copied from here and returns from an image editor keeps its levels.
    brush.peak_db = copied.is_none().then_some(PictureBrush::PEAK_DB);
    if let Some(copied) = copied {
        (brush.area.hz, brush.area.axis, brush.range_db) = (copied.hz, copied.axis, copied.range_db);
    }
    let floating = Floating::of_picture(brush, bitmap, rate_hz);
    let what = "The picture is floating: drag it or its edges; R turns it, F flips it.";
    float_over(id, floating, what, context);
}

/// Initial width of a picture as a fraction of the visible time.
const INITIAL_WIDTH_SHARE: f64 = 0.4;

/// Initial margin of a picture above and below, as a fraction of the visible band.
const MARGIN: f64 = 0.1;

/// Rotates the floating picture by a quarter turn clockwise.
pub fn turn_picture(context: &mut Context) {
    change_picture_look(context, |look| {
        look.turn = match look.turn {
            PictureTurn::None => PictureTurn::Quarter,
            PictureTurn::Quarter => PictureTurn::Half,
            PictureTurn::Half => PictureTurn::ThreeQuarters,
            PictureTurn::ThreeQuarters => PictureTurn::None,
        };
    });
}

/// Mirrors the floating picture horizontally.
pub fn flip_picture(context: &mut Context) {
    change_picture_look(context, |look| look.is_flipped = !look.is_flipped);
}

fn change_picture_look(context: &mut Context, change: impl FnOnce(&mut PictureLook)) {
    let Some(document) = context.documents.active_mut() else { return };
    let Some(mut brush) = document.floating().and_then(Floating::picture).cloned() else { return };
    change(&mut brush.look);
    document.change_picture(brush);
}

/// Places the floating paste of the document in front.
pub fn land(context: &mut Context) {
    if let Some(id) = context.documents.active_id() {
        land_in(id, context);
    }
}

/// Places the floating paste of a document. Stretched sound at the end of the document changes the document's length.
pub fn land_in(id: u64, context: &mut Context) {
    let Some(document) = context.documents.get_mut(id) else { return };
    if is_stretched_end(document) {
        return push_in(id, context);
    }
    let Some(floating) = document.take_floating() else { return };
    let edit = floating.edit(document.view());
    let selected = match &floating.sound {
        FloatingSound::Clip(_) => {
            let step = SelectionStep { before: document.selection().cloned(), after: Some(floating.selection()) };
            document.select(step.after.clone());
            Some(step)
        }
        // The outline of notes is not selected, since their partials extend beyond it.
        FloatingSound::Notes { .. } | FloatingSound::Picture { .. } => None,
    };
    document.edits_mut().push_placing(edit, floating, selected);
    document.note_landed();
    context.notices.withdraw(ClipboardCommand::LandPaste);
}

/// The edit that places stretched sound at its original time and shifts the following sound, and the range of the
/// stretched sound in seconds. `None` if the paste isn't a stretched range of time, was moved, or keeps its original.
pub fn pushed(document: &OpenDocument) -> Option<(Edit, [f64; 2])> {
    let floating = document.floating()?;
    let (percent, [start, end]) = floating.stretch.filter(|_| floating.offset == [0.0; 2])?;
    let cleared = floating.clearing.as_ref()?.edit.select.as_ref();
    whole_range(document.history().current(), cleared).filter(|_| cleared.is_some())?;
    let peaks = LockedPeaks::Narrow;
    let brush = TimeStretch { percent, keeps_original: false, follows: Follows::Push, peaks };
    let after = [start, start + (end - start) * percent / 100.0];
    Some((of_time(document, brush, Some([start, end])), after))
}

/// Whether the floating paste is a stretched range at the end of the sound.
fn is_stretched_end(document: &OpenDocument) -> bool {
    let stretch = document.floating().and_then(|floating| floating.stretch).filter(|(percent, _)| *percent != 100.0);
    let end_secs = stretch.map(|(_, [_, end])| end);
    let sound = document.history().current();
    end_secs.is_some_and(|end| (end * sound.sample_rate_hz()).round() >= sound.n_samples() as f64)
        && pushed(document).is_some()
}

/// Places the stretched sound of the document in front at its original time, and shifts the following sound.
pub fn land_pushing(context: &mut Context) {
    if let Some(id) = context.documents.active_id() {
        push_in(id, context);
    }
}

fn push_in(id: u64, context: &mut Context) {
    let Some(document) = context.documents.get_mut(id) else { return };
    let Some((edit, [start, end])) = pushed(document) else { return };
    let Some(floating) = document.take_floating() else { return };
    let after = Selection::rectangle(Some([start, end]), None, [0.0; 2], Axis::Linear);
    let step = SelectionStep { before: document.selection().cloned(), after: Some(after) };
    document.edits_mut().push_placing(edit, floating, Some(step));
    document.note_landed();
    context.notices.withdraw(ClipboardCommand::LandPaste);
}

/// Removes the floating paste of the document in front; false if nothing floats.
pub fn drop_floating(context: &mut Context) -> bool {
    let dropped = context.documents.active_mut().and_then(OpenDocument::take_floating).is_some();
    if dropped {
        context.notices.withdraw(ClipboardCommand::LandPaste);
    }
    dropped
}
