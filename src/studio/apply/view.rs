//! Commands that change the view of the document.

use crate::dsp::{Axis, Transform};
use crate::studio::app::Studio;
use crate::view::Colormap;
use crate::workbench::commands::ViewCommand;
use crate::workbench::{ChannelView, OpenDocument, Panes, View, channel_views, limits_of};

impl Studio {
    pub(super) fn view_command(&mut self, command: ViewCommand) {
        if let Some(document) = self.bench.document_mut() {
            change_view(document, command);
        }
    }
}

fn change_view(document: &mut OpenDocument, command: ViewCommand) {
    let limits = limits_of(document.shown());
    let n_channels = document.history.original().n_channels();
    let (selected_secs, selected_hz) = (document.selected_secs(), document.selected_hz());
    let cursor_secs = document.cursor_secs;
    let view = &mut document.view;
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
        ViewCommand::ZoomInFrequency => view.hz = limits.zoom_hz(view.hz, view.axis, middle_hz(view), 2.0),
        ViewCommand::ZoomOutFrequency => view.hz = limits.zoom_hz(view.hz, view.axis, middle_hz(view), 0.5),
        ViewCommand::ZoomAllFrequency => view.hz = limits.all_hz(view.axis),
        ViewCommand::ScrollEarlier => view.secs = limits.clamp_secs(view.secs.map(|secs| secs - span_secs / 8.0)),
        ViewCommand::ScrollLater => view.secs = limits.clamp_secs(view.secs.map(|secs| secs + span_secs / 8.0)),
        ViewCommand::ScrollUp => view.hz = limits.pan_hz(view.hz, view.axis, span_units / 8.0),
        ViewCommand::ScrollDown => view.hz = limits.pan_hz(view.hz, view.axis, -span_units / 8.0),
        ViewCommand::Panes(panes) => view.panes = panes,
        ViewCommand::NextPanes => view.panes = next(&Panes::ALL, view.panes),
        ViewCommand::RawPhase => view.raw_phase = !view.raw_phase,
        // Panels offer each channel of the file, and the file may be another by now.
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
        ViewCommand::Axis(axis) => view.set_axis(axis, &limits),
        ViewCommand::NextAxis => view.set_axis(next(&Axis::ALL, view.axis), &limits),
        ViewCommand::LongerFrames => resize_frames(&mut view.stft, 2, 1),
        ViewCommand::ShorterFrames => resize_frames(&mut view.stft, 1, 2),
        ViewCommand::Colormap(map) => view.colormap = map,
        ViewCommand::NextColormap => view.colormap = next(&Colormap::ALL, view.colormap),
    }
}

/// The middle of the band, in units of the axis.
fn middle_hz(view: &View) -> f64 {
    let [low, high] = view.hz.map(|hz| view.axis.units_from_hz(hz));
    view.axis.hz_from_units((low + high) / 2.0)
}

/// The one after, the first after the last.
fn next<T: PartialEq + Copy>(all: &[T], current: T) -> T {
    let at = all.iter().position(|&one| one == current).map_or(0, |at| (at + 1) % all.len());
    all[at]
}

/// Another size with the same overlap, where there is one.
fn resize_frames(transform: &mut Transform, times: usize, over: usize) {
    if let Some(resized) = transform.resized(times, over) {
        *transform = resized;
    }
}
