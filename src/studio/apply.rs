//! What each command does. The one place where commands act.

use super::app::Studio;
use super::canvas::Canvas;
use super::cards::{Answer, Card};
use super::theme;
use crate::document::{Edit, erasing};
use crate::dsp::heal::Heal;
use crate::dsp::{Axis, Brush, Selection, Transform};
use crate::view::{Colormap, Viewport};
use crate::workbench::commands::Command;
use crate::workbench::{
    ChannelView, ExportWish, Hearing, NewCanvas, OpenDocument, Panes, Purpose, Question, Radius, Reshape, SCALES, Then,
    View, channel_views, limits_of,
};

impl Studio {
    /// Does what a command says, if it is enabled.
    pub fn apply(&mut self, ctx: &egui::Context, command: Command) {
        if command.enabled(&self.facts()).is_err() {
            return;
        }
        match command {
            Command::New => self.ask(Question::New(NewCanvas::default())),
            Command::Open => self.bench.ask_open(),
            Command::OpenPath => {
                self.ask(Question::Path { purpose: Purpose::Open, text: String::new(), replaces: None });
            }
            Command::OpenDemo => self.bench.open_demo(),
            Command::Close => self.close_front(),
            Command::SaveProject => self.bench.save_project(),
            Command::SaveProjectAs => self.bench.save_project_as(),
            Command::Export => self.ask_export(),
            Command::Quit => self.bench.unless_unsaved(Then::Quit),
            Command::Cancel => self.cancel(ctx),
            Command::Palette => self.card = Some(Card::Palette { text: String::new(), row: 0 }),
            Command::Keys => self.card = Some(Card::Keys),
            Command::Theme => theme::toggle(ctx),
            Command::Panels => {
                let layout = self.bench.parts().layout;
                layout.has_panels = !layout.has_panels;
            }
            Command::OpenRecent(index) => {
                if let Some(recent) = self.bench.remembered().recent.get(index) {
                    self.open(recent.path.clone());
                }
            }
            Command::ForgetRecent => self.bench.remembered_mut().recent.clear(),
            Command::LargerInterface => scale_interface(ctx, 0.25),
            Command::SmallerInterface => scale_interface(ctx, -0.25),
            Command::Panel(panel) => self.bench.parts().layout.toggle(panel),
            Command::CopySpectrum => self.bench.copy_spectrum(),
            Command::Profiler => self.profiler.toggle(),
            Command::Tool(tool) => self.bench.tools_mut().active = tool,
            Command::BrushSmaller => self.scale_radius(0.8),
            Command::BrushLarger => self.scale_radius(1.25),
            Command::BrushSofter => self.change_hardness(-0.1),
            Command::BrushHarder => self.change_hardness(0.1),
            Command::LockRadius => self.lock_radius(),
            Command::ResetTool => self.bench.tools_mut().reset_active(),
            Command::GrowSelection => self.bench.reshape(Reshape::Grow),
            Command::ShrinkSelection => self.bench.reshape(Reshape::Shrink),
            Command::FeatherSelection => self.bench.reshape(Reshape::Feather),
            Command::ClosePolygon => self.close_polygon(),
            Command::CopyFigures => self.copy_figures(ctx),
            Command::Snapping => self.toggle_snapping(ctx),
            Command::FindNext => self.bench.find_similar(true),
            Command::FindPrevious => self.bench.find_similar(false),
            Command::Cursor(act) => self.cursor_command(ctx, act),
            Command::Copy => self.bench.copy(false),
            Command::Cut => self.bench.copy(true),
            Command::Paste => self.bench.paste(false),
            Command::PasteInPlace => self.bench.paste(true),
            Command::LandPaste => self.bench.land(),
            Command::Lengthen => self.bench.lengthen(),
            Command::LearnNoise => self.bench.learn_noise(),
            Command::Find(seek) => self.bench.seek(seek),
            Command::Loop => self.bench.transport_mut().toggle_loop(),
            Command::MonitorLouder => self.bench.transport_mut().change_gain(3.0),
            Command::MonitorQuieter => self.bench.transport_mut().change_gain(-3.0),
            Command::MonitorReset => self.bench.transport_mut().monitor.gain_db = 0.0,
            Command::ClearClips => self.bench.transport_mut().meters.clear_clips(),
            Command::Output => self.bench.ask_outputs(),
            Command::FitRange | Command::Loupe => {
                if let Some(canvas) = &mut self.canvas {
                    if command == Command::Loupe { canvas.toggle_loupe() } else { canvas.fit_range() }
                }
            }
            Command::BandOnly => self.bench.toggle_hearing(Hearing::Band),
            Command::Delta => self.bench.toggle_hearing(Hearing::Delta),
            Command::Solo(channel) => self.bench.transport_mut().toggle_solo(channel),
            Command::NextSolo => {
                let n_channels = self.facts().n_channels;
                self.bench.transport_mut().next_solo(n_channels);
            }
            Command::PlayStop | Command::Pause | Command::Stop | Command::ToStart | Command::ToEnd => {
                self.play_command(command);
            }
            Command::PlayFromPointer | Command::ShuttleBack | Command::ShuttleForward => self.play_command(command),
            _ => self.document_command(command),
        }
    }

    /// Escape: the topmost thing first.
    fn cancel(&mut self, ctx: &egui::Context) {
        if self.card.is_some() {
            return self.take_answer(ctx, Answer::Close);
        }
        if self.canvas.as_mut().is_some_and(Canvas::cancel_stroke) {
            return self.bench.drop_stroke();
        }
        if !self.bench.drop_floating()
            && !self.bench.cancel()
            && let Some(id) = self.canvas.as_ref().and_then(Canvas::id)
        {
            // Nothing was in progress: the keyboard goes back to the window.
            ctx.memory_mut(|memory| memory.surrender_focus(id));
        }
    }

    fn close_front(&mut self) {
        if let Some(id) = self.bench.documents().active_id() {
            self.bench.unless_unsaved(Then::Close(id));
        }
    }

    fn ask_export(&mut self) {
        let document = self.bench.documents().active_id();
        self.ask(Question::Export(ExportWish { document, ..ExportWish::default() }));
    }

    fn change_hardness(&mut self, by: f64) {
        let tools = self.bench.tools_mut();
        tools.hardness = tenths(tools.hardness + by);
    }

    fn close_polygon(&mut self) {
        let (Some(document), Some(canvas)) = (self.bench.document_mut(), &mut self.canvas) else { return };
        let grid = crate::view::grid_of(document.shown(), &document.view.stft);
        if let Some(selection) = canvas.close_polygon(&grid) {
            document.select(Some(selection));
        }
    }

    fn copy_figures(&mut self, ctx: &egui::Context) {
        let Some((document, figures)) = self.bench.document().and_then(|d| Some((d, d.figures?))) else { return };
        let limits = limits_of(document.shown());
        let secs = document.selected_secs().unwrap_or([0.0, limits.duration_secs]);
        let hz = document.selected_hz().unwrap_or([0.0, limits.nyquist_hz]);
        ctx.copy_text(figures.csv(secs, hz));
    }

    fn play_command(&mut self, command: Command) {
        let readout_secs = self.bench.readout().map(|readout| readout.secs);
        let parts = self.bench.parts();
        let (transport, Some(document)) = (parts.transport, parts.document) else { return };
        match command {
            Command::PlayStop if transport.status.playing => {
                transport.stop();
            }
            Command::PlayStop => transport.play(document),
            Command::PlayFromPointer => {
                let secs = readout_secs.unwrap_or(document.cursor_secs);
                transport.play_from(document, secs);
            }
            Command::ShuttleBack => transport.shuttle(document, -1),
            Command::ShuttleForward => transport.shuttle(document, 1),
            Command::Pause => {
                if let Some(secs) = transport.stop() {
                    document.cursor_secs = secs.clamp(0.0, document.duration_secs());
                }
            }
            Command::Stop => {
                transport.stop();
            }
            Command::ToStart | Command::ToEnd => {
                let duration_secs = document.duration_secs();
                let span = document.view.secs[1] - document.view.secs[0];
                let is_start = command == Command::ToStart;
                document.cursor_secs = if is_start { 0.0 } else { duration_secs };
                document.view.secs = if is_start {
                    [0.0, span.min(duration_secs)]
                } else {
                    [(duration_secs - span).max(0.0), duration_secs]
                };
                if transport.status.playing {
                    if is_start {
                        transport.play(document);
                    } else {
                        transport.stop();
                    }
                }
            }
            _ => {}
        }
    }

    fn document_command(&mut self, command: Command) {
        // What floats is not in the sound yet: dropping it takes it back, and erases it.
        if matches!(command, Command::Undo | Command::EraseSelection) && self.bench.drop_floating() {
            return;
        }
        let parts = self.bench.parts();
        let (tools, Some(document)) = (parts.tools, parts.document) else { return };
        match command {
            Command::Undo => {
                document.show_before = false;
                // An edit on its way is taken back before it arrives.
                if !document.edits.cancel_last() {
                    document.history.undo();
                }
            }
            Command::Redo => {
                document.show_before = false;
                document.history.redo();
            }
            Command::Before => document.show_before = !document.show_before,
            Command::EraseSelection | Command::AttenuateSelection | Command::HealSelection | Command::RebuildPhase => {
                if let Some(selection) = document.selection.clone() {
                    document.show_before = false;
                    let has_moments = selection.has_moments();
                    let brush = match command {
                        Command::AttenuateSelection => Brush::Heal(tools.heal.attenuation()),
                        // Samples that are known to be damaged are all that need be made anew.
                        Command::HealSelection if has_moments => Brush::Heal(Heal::GAP),
                        Command::HealSelection => Brush::Heal(tools.heal.heal()),
                        Command::RebuildPhase => Brush::RebuildPhase { steps: crate::dsp::phase::DEFAULT_STEPS },
                        _ => Brush::Erase,
                    };
                    let edit = erasing(selection, document.view.channels.edited(), document.view.stft.clone());
                    let edit = Edit { brush, ..edit };
                    document.edits.push(edit);
                }
            }
            Command::ReduceNoise => {
                if let Some(denoise) = tools.denoise() {
                    document.show_before = false;
                    let edit = Edit {
                        brush: Brush::Denoise(denoise),
                        stroke: None,
                        select: document.selection.clone(),
                        channels: document.view.channels.edited(),
                        transform: document.view.stft.clone(),
                        strength: 1.0,
                        consistency_steps: None,
                    };
                    document.edits.push(edit);
                }
            }
            Command::SelectAll => {
                let all = Some([0.0, document.duration_secs()]);
                document.selection = Some(Selection::rectangle(all, None, [0.0, 0.0], Axis::Linear));
            }
            Command::SelectNone => document.select(None),
            Command::Reselect => document.selection = document.last_selection.clone(),
            Command::InvertSelection => {
                document.selection = document.selection.as_ref().map(Selection::inverted);
            }
            _ => view_command(document, command),
        }
    }

    fn scale_radius(&mut self, factor: f64) {
        match &mut self.bench.tools_mut().radius {
            Radius::Screen { points } => *points = (*points * factor as f32).clamp(2.0, 400.0),
            Radius::Locked { secs, octaves } => {
                *secs = (*secs * factor).clamp(1e-4, 60.0);
                *octaves = (*octaves * factor).clamp(1e-3, 10.0);
            }
        }
    }

    /// From points to seconds and octaves as they are at this zoom, and back.
    fn lock_radius(&mut self) {
        let Some(viewport) = self.canvas.as_ref().and_then(Canvas::viewport) else { return };
        let secs_per_point = viewport.secs_per_pixel();
        let octaves_per_point = octaves_per_point(&viewport);
        let tools = self.bench.tools_mut();
        tools.radius = match tools.radius {
            Radius::Screen { points } => Radius::Locked {
                secs: f64::from(points) * secs_per_point,
                octaves: f64::from(points) * octaves_per_point,
            },
            Radius::Locked { secs, .. } => {
                Radius::Screen { points: ((secs / secs_per_point) as f32).clamp(2.0, 400.0) }
            }
        };
    }
}

/// In the middle of the picture.
fn octaves_per_point(viewport: &Viewport) -> f64 {
    let middle = viewport.origin[1] + viewport.size[1] / 2.0;
    (viewport.hz_from_y(middle - 0.5) / viewport.hz_from_y(middle + 0.5)).log2()
}

/// Kept to tenths, so that steps add up.
fn tenths(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 10.0).round() / 10.0
}

fn view_command(document: &mut OpenDocument, command: Command) {
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
        Command::ZoomAll => {
            view.secs = [0.0, limits.duration_secs];
            view.hz = limits.all_hz(view.axis);
        }
        Command::ZoomSelection => {
            view.secs = selected_secs.map_or(view.secs, |secs| limits.clamp_secs(secs));
            view.hz = selected_hz.map_or(view.hz, |hz| limits.clamp_hz(hz, view.axis));
        }
        Command::ZoomInTime => view.secs = limits.zoom_secs(view.secs, about_secs, 2.0),
        Command::ZoomOutTime => view.secs = limits.zoom_secs(view.secs, about_secs, 0.5),
        Command::ZoomInFrequency => view.hz = limits.zoom_hz(view.hz, view.axis, middle_hz(view), 2.0),
        Command::ZoomOutFrequency => view.hz = limits.zoom_hz(view.hz, view.axis, middle_hz(view), 0.5),
        Command::ZoomAllFrequency => view.hz = limits.all_hz(view.axis),
        Command::ScrollEarlier => view.secs = limits.clamp_secs(view.secs.map(|secs| secs - span_secs / 8.0)),
        Command::ScrollLater => view.secs = limits.clamp_secs(view.secs.map(|secs| secs + span_secs / 8.0)),
        Command::ScrollUp => view.hz = limits.pan_hz(view.hz, view.axis, span_units / 8.0),
        Command::ScrollDown => view.hz = limits.pan_hz(view.hz, view.axis, -span_units / 8.0),
        Command::Panes(panes) => view.panes = panes,
        Command::NextPanes => view.panes = next(&Panes::ALL, view.panes),
        Command::RawPhase => view.raw_phase = !view.raw_phase,
        Command::Channels(channels) => (view.channels, view.stacked) = (channels, false),
        Command::Stacked => (view.channels, view.stacked) = (ChannelView::All, true),
        Command::NextChannels if view.channels == ChannelView::All && !view.stacked && n_channels > 1 => {
            view.stacked = true;
        }
        Command::NextChannels => {
            view.stacked = false;
            view.channels = next(&channel_views(n_channels), view.channels);
        }
        Command::LockRange => view.range_locked = !view.range_locked,
        Command::ResetRange => (view.range_db, view.range_locked) = (View::RANGE_DB, true),
        Command::Waveform => view.waveform = if view.waveform > 0.0 { 0.0 } else { View::WAVEFORM },
        Command::Axis(axis) => view.set_axis(axis, &limits),
        Command::NextAxis => view.set_axis(next(&Axis::ALL, view.axis), &limits),
        Command::LongerFrames => resize_frames(&mut view.stft, 2, 1),
        Command::ShorterFrames => resize_frames(&mut view.stft, 1, 2),
        Command::Colormap(map) => view.colormap = map,
        Command::NextColormap => view.colormap = next(&Colormap::ALL, view.colormap),
        _ => {}
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

/// Larger or smaller by a quarter of the usual size.
fn scale_interface(ctx: &egui::Context, by: f32) {
    let scale = ((ctx.zoom_factor() + by) * 4.0).round() / 4.0;
    ctx.set_zoom_factor(scale.clamp(SCALES[0], SCALES[1]));
}
