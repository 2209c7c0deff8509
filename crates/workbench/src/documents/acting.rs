//! Commands and acts on tabs, the view, and the document in front.
#![deny(clippy::wildcard_enum_match_arm)]

use super::Documents;
use super::document::OpenDocument;
use super::floating::Floating;
use super::view::{Panes, View, channel_views, limits_of};
use crate::bench::acts::ViewAct;
use crate::bench::limits::{CANVAS_SECS, MIN_RANGE_DB, PARTS, PASTE_UNITS, RANGE_DB, are_finite, held, held_single};
use crate::commands::{TabCommand, ViewCommand};
use crate::document::brushes::{PictureBrush, PictureMode, PicturePhase};
use crate::dsp::strokes::picture::PictureArea;
use crate::dsp::{Axis, Transform};
use crate::view::{ChannelView, Colormap, Limits, grid_of};

/// Performs a tab command.
pub fn perform_tab(command: TabCommand, documents: &mut Documents) {
    match command {
        TabCommand::Next => documents.activate_next(1),
        TabCommand::Previous => documents.activate_next(-1),
    }
}

/// Performs a view command on a document.
pub fn perform_view(command: ViewCommand, document: &mut OpenDocument) {
    let limits = limits_of(document.shown());
    let n_channels = document.history().original().n_channels();
    let (selected_secs, selected_hz) = (document.selected_secs(), document.selected_hz());
    let cursor_secs = document.cursor_secs();
    let mut view = document.view().clone();
    let is_in_view = (view.secs[0]..=view.secs[1]).contains(&cursor_secs) && cursor_secs > 0.0;
    let about_secs = if is_in_view { cursor_secs } else { (view.secs[0] + view.secs[1]) / 2.0 };
    let span_secs = view.secs[1] - view.secs[0];
    let [low, high] = view.hz.map(|hz| view.axis.units_from_hz(hz.max(limits.floor_hz(view.axis))));
    let span_units = high - low;
    match command {
        ViewCommand::ZoomAll => {
            view.secs = [0.0, limits.duration_secs];
            view.hz = limits.all_hz(view.axis);
        }
        ViewCommand::ZoomSelection => {
            view.secs = selected_secs.map_or(view.secs, |secs| limits.clamp_secs(secs));
            view.hz = selected_hz.map_or(view.hz, |hz| limits.clamp_hz(hz, view.axis));
        }
        ViewCommand::ZoomInTime => view.secs = limits.zoom_secs(view.secs, about_secs, 2.0),
        ViewCommand::ZoomOutTime => view.secs = limits.zoom_secs(view.secs, about_secs, 0.5),
        ViewCommand::ZoomInFrequency => view.hz = limits.zoom_hz(view.hz, view.axis, middle_hz(&view), 2.0),
        ViewCommand::ZoomOutFrequency => view.hz = limits.zoom_hz(view.hz, view.axis, middle_hz(&view), 0.5),
        ViewCommand::ZoomAllFrequency => view.hz = limits.all_hz(view.axis),
        ViewCommand::ScrollEarlier => view.secs = limits.clamp_secs(view.secs.map(|secs| secs - span_secs / 8.0)),
        ViewCommand::ScrollLater => view.secs = limits.clamp_secs(view.secs.map(|secs| secs + span_secs / 8.0)),
        ViewCommand::ScrollUp => view.hz = limits.pan_hz(view.hz, view.axis, span_units / 8.0),
        ViewCommand::ScrollDown => view.hz = limits.pan_hz(view.hz, view.axis, -span_units / 8.0),
        ViewCommand::Panes(panes) => view.panes = panes,
        ViewCommand::NextPanes => view.panes = next(&Panes::ALL, view.panes),
        ViewCommand::RawPhase => view.raw_phase = !view.raw_phase,
        ViewCommand::PitchLine => view.pitch_line = !view.pitch_line,
        ViewCommand::SmoothCells => view.smooth = !view.smooth,
        // Ignores a channel that the file lacks: a panel may have offered it for another file.
        ViewCommand::Channels(ChannelView::One(index)) if index >= n_channels => {}
        ViewCommand::Channels(channels) => (view.channels, view.stacked) = (channels, false),
        ViewCommand::Stacked => (view.channels, view.stacked) = (ChannelView::All, true),
        ViewCommand::NextChannels if view.channels == ChannelView::All && !view.stacked && n_channels > 1 => {
            view.stacked = true;
        }
        ViewCommand::NextChannels => {
            view.stacked = false;
            view.channels = next(&channel_views(n_channels), view.channels);
        }
        ViewCommand::LockRange => view.range_locked = !view.range_locked,
        ViewCommand::ResetRange => (view.range_db, view.range_locked) = (View::RANGE_DB, true),
        ViewCommand::Waveform => view.waveform = if view.waveform > 0.0 { 0.0 } else { View::WAVEFORM },
        ViewCommand::TimeOfDay => view.time_of_day = !view.time_of_day,
        ViewCommand::Axis(axis) => view.set_axis(axis, &limits),
        ViewCommand::NextAxis => view.set_axis(next(&Axis::ALL, view.axis), &limits),
        ViewCommand::LongerFrames => resize_frames(&mut view.transform, [2, 1], &limits),
        ViewCommand::ShorterFrames => resize_frames(&mut view.transform, [1, 2], &limits),
        ViewCommand::FftSize(exponent) => {
            let sized = view.transform.with_frames_of(1 << exponent.clamp(6, 15));
            view.transform = sized.unwrap_or(view.transform);
        }
        ViewCommand::Colormap(map) => view.colormap = map,
        ViewCommand::NextColormap => view.colormap = next(&Colormap::ALL, view.colormap),
    }
    document.change_view(|shown| *shown = view);
}

/// Sets a value of a document's view, clamped to the limits of the view. Ignores non-finite values, invalid transforms
/// and missing channels.
pub fn change_view(act: ViewAct, document: &mut OpenDocument) {
    let (n_channels, rate_hz) = (document.history().original().n_channels(), document.shown().sample_rate_hz());
    let limits = narrowest(document);
    document.change_view(|view| match act {
        ViewAct::Secs(secs) => view.secs = if are_finite(&secs) { limits.clamp_secs(secs) } else { view.secs },
        ViewAct::Hz(hz) => view.hz = if are_finite(&hz) { limits.clamp_hz(hz, view.axis) } else { view.hz },
        ViewAct::Axis(axis) => (view.axis, view.hz) = (axis, limits.clamp_hz(view.hz, axis)),
        ViewAct::Panes(panes) => view.panes = panes,
        ViewAct::Channels(ChannelView::One(index)) if index >= n_channels => {}
        ViewAct::Channels(ChannelView::Mid | ChannelView::Side) if n_channels != 2 => {}
        ViewAct::Channels(channels) => view.channels = channels,
        ViewAct::Stacked(is_stacked) => view.stacked = is_stacked,
        ViewAct::Transform(transform) => {
            view.transform = transform.validated_at(rate_hz).unwrap_or_else(|_| view.transform.clone())
        }
        ViewAct::Colormap(map) => view.colormap = map,
        ViewAct::RangeDb([dark, bright]) if dark.is_finite() && bright.is_finite() => {
            let [min, max] = RANGE_DB.map(|db| db as f32);
            let dark = dark.clamp(min, max - MIN_RANGE_DB);
            view.range_db = [dark, bright.clamp(dark + MIN_RANGE_DB, max)];
        }
        ViewAct::RangeDb(_) => {}
        ViewAct::RawPhase(is_raw) => view.raw_phase = is_raw,
        ViewAct::Smooth(is_smooth) => view.smooth = is_smooth,
        ViewAct::RangeLocked(is_locked) => view.range_locked = is_locked,
        ViewAct::TimeOfDay(is_shown) => view.time_of_day = is_shown,
        ViewAct::PitchLine(is_shown) => view.pitch_line = is_shown,
        ViewAct::BeatLines(are_shown) => view.beat_lines = are_shown,
        ViewAct::Waveform(opacity) => view.waveform = held_single(opacity, PARTS, view.waveform),
    });
}

/// Limits of the view that allow zooming in to four cells of the document's transform.
fn narrowest(document: &OpenDocument) -> Limits {
    let limits = limits_of(document.shown());
    let grid = grid_of(document.shown(), &document.view().transform);
    let min_secs = limits.min_secs.min(grid.secs_in_frames(4.0));
    let min_hz = limits.min_hz.min(4.0 * grid.min_step_hz());
    Limits { min_secs, min_hz, ..limits }
}

/// Moves the keyboard cursor to a time in seconds and a frequency in hertz, and scrolls it into view; ignored if either
/// is not finite.
pub fn move_key_cursor(place: [f64; 2], document: &mut OpenDocument) {
    if are_finite(&place) {
        document.set_cursor(place[0]);
        document.set_cursor_hz(place[1]);
        show_secs(document, Some([document.cursor_secs(); 2]));
        show_hz(document);
    }
}

/// Centres a range of time in the view, without zooming, unless all of it is visible.
pub fn show_secs(document: &mut OpenDocument, secs: Option<[f64; 2]>) {
    let Some([start, end]) = secs else { return };
    let [from, to] = document.view().secs;
    if start >= from && end <= to {
        return;
    }
    let span = to - from;
    let first = ((start + end - span) / 2.0).min(document.duration_secs() - span).max(0.0);
    document.change_view(|view| view.secs = [first, first + span]);
}

/// If the keyboard cursor is above or below the view, scrolls until it is inside by an eighth of the view's height.
fn show_hz(document: &mut OpenDocument) {
    let view = document.view();
    let [low, high] = view.hz;
    if (low..=high).contains(&document.cursor_hz()) {
        return;
    }
    let inside = document.cursor_hz().clamp(low, high);
    let span = view.axis.units_from_hz(high) - view.axis.units_from_hz(low);
    let limits = limits_of(document.shown());
    let by =
        view.axis.units_from_hz(document.cursor_hz().max(limits.floor_hz(view.axis))) - view.axis.units_from_hz(inside);
    let by = if by > 0.0 { by + span / 8.0 } else { by - span / 8.0 };
    document.change_view(|view| view.hz = limits.pan_hz(view.hz, view.axis, by));
}

/// Moves the floating paste to an offset in seconds and units of its axis. The offset is clamped: the paste ends no
/// earlier than 0 s, and starts at most `CANVAS_SECS[1]` after the end of the sound. Ignored if the offset is not
/// finite.
pub fn float(offset: [f64; 2], document: &mut OpenDocument) {
    let grid = grid_of(document.shown(), &document.view().transform);
    let duration_secs = document.duration_secs();
    let Some(floating) = document.floating().filter(|_| are_finite(&offset)) else { return };
    let [start, end] = floating.secs();
    let secs = offset[0].clamp(-end, (duration_secs + CANVAS_SECS[1] - start).max(-end));
    let units = match floating.axis {
        Axis::Linear => offset[1].clamp(-grid.nyquist_hz(), grid.nyquist_hz()),
        Axis::Log | Axis::Mel | Axis::Bark => offset[1].clamp(PASTE_UNITS[0], PASTE_UNITS[1]),
    };
    document.move_floating([secs, units], grid.min_step_hz());
}

/// Changes settings and area of the floating picture. Settings are clamped to the ranges of scripts. The whole
/// change is ignored if the area is empty, or too far from the sound in time or frequency.
pub fn change_picture(mut brush: PictureBrush, document: &mut OpenDocument) {
    let Some(before) = document.floating().and_then(Floating::picture) else { return };
    let PictureArea { secs, hz, axis } = brush.area;
    let is_area = are_finite(&secs) && are_finite(&hz) && secs[0] < secs[1] && hz[0] < hz[1];
    if !is_area || hz[0] < 0.0 || axis == Axis::Log && hz[0] <= 0.0 {
        return;
    }
    let (limits, last_secs) = (limits_of(document.shown()), document.duration_secs() + CANVAS_SECS[1]);
    if secs[1] < 0.0 || secs[0] > last_secs || hz[1] > MAX_PICTURE_NYQUISTS * limits.nyquist_hz {
        return;
    }
    let dark = held(brush.range_db[0], [-200.0, 23.0], before.range_db[0]);
    let white = held(brush.range_db[1], [-199.0, 24.0], before.range_db[1]);
    brush.range_db = [dark, white.max(dark + 1.0)];
    let usual_db = before.peak_db.unwrap_or(PictureBrush::PEAK_DB);
    brush.peak_db = brush.peak_db.map(|peak_db| held(peak_db, PictureBrush::PEAK_RANGE_DB, usual_db));
    brush.steps = brush.steps.min(PictureBrush::MAX_STEPS);
    if brush.mode == PictureMode::Filter && brush.phase == PicturePhase::Bank {
        // A filter keeps the sound's phases and cannot be a bank of sines.
        brush.phase = PicturePhase::Random;
    }
    document.change_picture(brush);
}

/// Maximum upper edge of a picture, as a multiple of the sound's Nyquist frequency.
const MAX_PICTURE_NYQUISTS: f64 = 16.0;

/// Goes to a step of the history, unless an edit is in progress.
pub fn go_to(position: usize, document: &mut OpenDocument) {
    if !document.edits().is_busy() {
        document.go_to(position);
    }
}

/// The frequency in the middle of the view on its axis, in hertz.
fn middle_hz(view: &View) -> f64 {
    let [low, high] = view.hz.map(|hz| view.axis.units_from_hz(hz));
    view.axis.hz_from_units((low + high) / 2.0)
}

/// The next value in a list, wrapping to the first.
fn next<T: PartialEq + Copy>(all: &[T], current: T) -> T {
    let at = all.iter().position(|&one| one == current).map_or(0, |at| (at + 1) % all.len());
    all[at]
}

/// Scales the frame size by `times / over` with the same overlap; unchanged if that size is not available.
fn resize_frames(transform: &mut Transform, [times, over]: [usize; 2], limits: &Limits) {
    let resized = transform.resized(times, over);
    if let Some(resized) = resized.and_then(|resized| resized.validated_at(2.0 * limits.nyquist_hz).ok()) {
        *transform = resized;
    }
}
