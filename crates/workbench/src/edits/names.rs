//! Names and descriptions of edits for display.

use crate::base::{clock_from_secs, length_from_secs, number};
use crate::document::Edit;
use crate::document::brushes::{
    Brush, DuplicateTime, Fade, Gain, Insert, InsertSilence, LabelsEdit, Lengthen, Normalise, PitchShift, TimeStretch,
    VoicesBrush,
};
use crate::dsp::strokes::brush::{Paste, StretchedFrom};
use crate::dsp::{Selection, ShapeExtent};

/// Name of an edit in the history and the status line.
pub fn brush_name(edit: &Edit) -> &'static str {
    match &edit.brush {
        // A painted paste comes from the clone brush with another sound.
        Brush::Paste(_) if edit.stroke.is_some() => "Clone",
        Brush::Paste(Paste { stretch: Some(stretch), .. }) if is_move(stretch) => "Move",
        Brush::Paste(Paste { stretch: Some(_), .. }) => "Time stretch",
        brush => brush.name(),
    }
}

/// Whether the pasted sound keeps its length and its original is cleared.
fn is_move(stretch: &StretchedFrom) -> bool {
    stretch.percent == 100.0 && stretch.clears.is_some()
}

/// The place of an edit, such as `0:01.200, 440 Hz`: the first point of its stroke, else the start of its selection and
/// the middle of its band; for labels, the start of the first one. `None` for an edit of the whole file, for a placed
/// paste, and for silence added at the end.
pub fn place_of(edit: &Edit) -> Option<String> {
    if let Brush::Labels(LabelsEdit { set, .. }) = &edit.brush {
        return set.first().map(|label| clock_from_secs(label.secs[0].max(0.0)));
    }
    if edit.stroke.is_none() && matches!(edit.brush, Brush::Paste(_) | Brush::Lengthen(_)) {
        return None;
    }
    let [secs, hz]: ShapeExtent = match (&edit.stroke, &edit.select) {
        (Some(stroke), _) => {
            let first = stroke.points.first()?;
            [Some([first.secs; 2]), Some([first.hz; 2])]
        }
        (None, Some(select)) => select.extent(),
        (None, None) => return None,
    };
    let time = secs.map(|[start, _]| clock_from_secs(start.max(0.0)));
    let pitch = hz.map(|[low, high]| format!("{} Hz", number((low + high) / 2.0, 0)));
    let words: Vec<String> = time.into_iter().chain(pitch).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Description of an edit in the history: `Gain −12.0 dB, stroke`.
pub fn describe(edit: &Edit) -> String {
    match &edit.brush {
        Brush::Paste(_) if edit.stroke.is_some() => (),
        Brush::Paste(paste) => {
            let taken_secs = paste.clip.first_sample as f64 / paste.clip.sample_rate_hz;
            let at = |secs: f64| clock_from_secs((secs + paste.offset[0]).max(0.0));
            return match &paste.stretch {
                Some(stretch @ StretchedFrom { percent, clears }) => {
                    // A clip with soft edges begins before the selection.
                    let [secs, _] = clears.as_ref().map(Selection::extent).unwrap_or_default();
                    let start_secs = secs.map_or(taken_secs, |[start, _]| start);
                    match is_move(stretch) {
                        true => format!("Move to {}", at(start_secs)),
                        false => format!("Time stretch to {} %, at {}", number(*percent, 2), at(start_secs)),
                    }
                }
                None => format!("Paste at {}", at(taken_secs)),
            };
        }
        // No "selection" or "whole file" here: a picture of cells has no selection, but changes only the cells that
        // were painted over.
        Brush::DeleteTime(_) | Brush::KeepTime(_) | Brush::Cells(_) => return brush_name(edit).into(),
        Brush::DuplicateTime(DuplicateTime { times: 1, .. }) => return brush_name(edit).into(),
        Brush::DuplicateTime(DuplicateTime { times, .. }) => return format!("{} {times} times", brush_name(edit)),
        Brush::InsertSilence(InsertSilence { at_secs, secs, .. }) => {
            return format!("Insert {} of silence at {}", length_from_secs(*secs, 3), clock_from_secs(*at_secs));
        }
        Brush::Insert(Insert { at_secs, .. }) => return format!("Insert at {}", clock_from_secs(*at_secs)),
        Brush::Labels(LabelsEdit { set, remove }) => {
            return match (set.as_slice(), remove.as_slice()) {
                ([one], []) if !one.text.is_empty() => format!("Label {}", first_line(&one.text)),
                ([_], []) => "Label".into(),
                ([], [_]) => "Remove label".into(),
                ([], all) => format!("Remove {} labels", all.len()),
                (all, _) => format!("{} labels", all.len()),
            };
        }
        Brush::Lengthen(Lengthen { secs }) => return format!("Add {} of silence", length_from_secs(*secs, 3)),
        Brush::Picture(picture) => return format!("Picture at {}", clock_from_secs(picture.area.secs[0].max(0.0))),
        Brush::Voices(VoicesBrush::Phrase(phrase)) => {
            let (n_notes, at) = (phrase.score().notes.len(), clock_from_secs(phrase.at_secs.max(0.0)));
            return if n_notes == 1 { format!("1 note at {at}") } else { format!("{n_notes} notes at {at}") };
        }
        _ => (),
    }
    let how = match (&edit.stroke, &edit.select) {
        (Some(_), None) => "stroke",
        (Some(_), Some(_)) => "stroke in selection",
        (None, Some(_)) => "selection",
        (None, None) => "whole file",
    };
    let amount = match &edit.brush {
        Brush::Gain(Gain { gain_db }) => format!(" {} dB", number(*gain_db, 1)),
        Brush::Heal(heal) => format!(" by {}", heal.mode()),
        Brush::Paste(_) => " from another sound".into(),
        Brush::Fade(Fade { out }) => if *out { " out" } else { " in" }.into(),
        Brush::Normalise(Normalise { loudness_lufs: Some(lufs), .. }) => format!(" to {} LUFS", number(*lufs, 1)),
        Brush::Normalise(Normalise { peak_db, .. }) => format!(" to {} dB", number(*peak_db, 1)),
        Brush::PitchShift(PitchShift { semitones, .. }) => format!(" by {} semitones", number(*semitones, 2)),
        Brush::Stretch(TimeStretch { percent, .. }) => format!(" to {} %", number(*percent, 2)),
        _ => String::new(),
    };
    format!("{}{amount}, {how}", brush_name(edit))
}
