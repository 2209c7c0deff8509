//! What each command does. The one place where commands act.

use super::app::Studio;
use super::audition::Hearing;
use super::canvas::Canvas;
use super::cards::Card;
use super::commands::Command;
use super::files::{ExportWish, Purpose, Then};
use super::finding::Seek;
use super::notices::Level;
use super::order::Told;
use super::selecting::Reshape;
use super::state::{ChannelView, OpenDocument, Panes, Radius, View, channel_views, limits_of};
use super::theme;
use crate::document::{Edit, erasing};
use crate::dsp::heal::Heal;
use crate::dsp::{Axis, Brush, Selection, StftParams};
use crate::view::{Colormap, Viewport};

impl Studio {
    /// Does what a command says, if it is enabled.
    pub fn apply(&mut self, ctx: &egui::Context, command: Command) {
        if command.enabled(&self.facts()).is_err() {
            return;
        }
        match command {
            Command::New => self.card = Some(Card::New(super::NewCanvas::default())),
            Command::Open => self.ask_open(),
            Command::OpenPath => {
                self.card = Some(Card::Path { purpose: Purpose::Open, text: String::new(), replaces: None });
            }
            Command::OpenDemo => self.unless_unsaved(Then::OpenDemo),
            Command::Close => self.unless_unsaved(Then::Close),
            Command::SaveProject => self.save_project(None),
            Command::SaveProjectAs => self.save_project_as(),
            Command::Export => self.card = Some(Card::Export(ExportWish::default())),
            Command::Quit => self.unless_unsaved(Then::Quit),
            Command::Cancel => self.cancel(ctx),
            Command::Palette => self.card = Some(Card::Palette { text: String::new(), row: 0 }),
            Command::Keys => self.card = Some(Card::Keys),
            Command::Theme => theme::toggle(ctx),
            Command::Panels => self.layout.has_panels = !self.layout.has_panels,
            Command::OpenRecent(index) => {
                if let Some(recent) = self.remembered.recent.get(index) {
                    self.open(recent.path.clone());
                }
            }
            Command::ForgetRecent => self.remembered.recent.clear(),
            Command::LargerInterface => Studio::scale_interface(ctx, 0.25),
            Command::SmallerInterface => Studio::scale_interface(ctx, -0.25),
            Command::Panel(panel) => self.layout.toggle(panel),
            Command::CopySpectrum => self.spectrum.copy(&self.services.jobs),
            Command::Profiler => self.profiler.toggle(),
            Command::Tool(tool) => self.tools.active = tool,
            Command::BrushSmaller => self.scale_radius(0.8),
            Command::BrushLarger => self.scale_radius(1.25),
            Command::BrushSofter => self.tools.hardness = tenths(self.tools.hardness - 0.1),
            Command::BrushHarder => self.tools.hardness = tenths(self.tools.hardness + 0.1),
            Command::LockRadius => self.lock_radius(),
            Command::ResetTool => self.tools.reset_active(),
            Command::GrowSelection => self.reshape_selection(Reshape::Grow),
            Command::ShrinkSelection => self.reshape_selection(Reshape::Shrink),
            Command::FeatherSelection => self.reshape_selection(Reshape::Feather),
            Command::ClosePolygon => self.close_polygon(),
            Command::CopyFigures => self.copy_figures(ctx),
            Command::Snapping => self.toggle_snapping(ctx),
            Command::FindNext => self.find_similar(true),
            Command::FindPrevious => self.find_similar(false),
            Command::Cursor(act) => self.cursor_command(ctx, act),
            Command::Copy => self.copy(ctx, false),
            Command::Cut => self.copy(ctx, true),
            Command::Paste => self.paste(false),
            Command::PasteInPlace => self.paste(true),
            Command::LandPaste => self.land(),
            Command::Lengthen => self.lengthen(),
            Command::LearnNoise => self.learn_noise(),
            Command::Find(seek) => self.find(seek),
            Command::Loop => self.transport.toggle_loop(),
            Command::MonitorLouder => self.transport.change_gain(3.0),
            Command::MonitorQuieter => self.transport.change_gain(-3.0),
            Command::MonitorReset => self.transport.monitor.gain_db = 0.0,
            Command::ClearClips => self.transport.meters.clear_clips(),
            Command::Output => self.ask_outputs(),
            Command::FitRange | Command::Loupe => {
                if let Some(canvas) = &mut self.canvas {
                    if command == Command::Loupe { canvas.toggle_loupe() } else { canvas.fit_range() }
                }
            }
            Command::BandOnly => self.toggle_hearing(Hearing::Band),
            Command::Delta => self.toggle_hearing(Hearing::Delta),
            Command::Solo(channel) => self.transport.toggle_solo(channel),
            Command::NextSolo => self.transport.next_solo(self.facts().n_channels),
            Command::PlayStop | Command::Pause | Command::Stop | Command::ToStart | Command::ToEnd => {
                self.play_command(command);
            }
            Command::PlayFromPointer | Command::ShuttleBack | Command::ShuttleForward => self.play_command(command),
            _ => self.document_command(command),
        }
    }

    /// Escape: the topmost thing first.
    fn cancel(&mut self, ctx: &egui::Context) {
        if self.card.take().is_some() {
            return;
        }
        if self.canvas.as_mut().is_some_and(Canvas::cancel_stroke) {
            self.audition.drop_stroke();
            return;
        }
        if self.drop_floating() {
            return;
        }
        let is_selecting =
            self.selecting.cancel() || self.finding.cancel() || self.similar.cancel() || self.clipboard.cancel();
        if is_selecting || self.cancel_files() || self.projects.cancel() || self.audition.cancel() {
            return;
        }
        if !self.edits.cancel_last()
            && let Some(id) = self.canvas.as_ref().and_then(Canvas::id)
        {
            // Nothing was under way: the keyboard goes back to the window.
            ctx.memory_mut(|memory| memory.surrender_focus(id));
        }
    }

    fn reshape_selection(&mut self, how: Reshape) {
        if let Some(document) = &self.document {
            self.selecting.reshape(document, how, &self.services.jobs, self.services.clock.now_secs());
        }
    }

    fn learn_noise(&mut self) {
        let now_secs = self.services.clock.now_secs();
        let document = self.document.as_ref();
        let told = document.and_then(|document| self.finding.learn(document, &self.services.jobs, now_secs));
        self.tell(told);
    }

    fn find(&mut self, seek: Seek) {
        let Some(document) = &self.document else { return };
        let now_secs = self.services.clock.now_secs();
        let told = self.finding.seek(document, seek, &self.tools, &self.services.jobs, now_secs);
        self.tell(told);
    }

    /// Tells what became of an order, and what to do next.
    pub(super) fn tell(&mut self, told: Option<Told>) {
        if let Some(Told { is_success, what, advice }) = told {
            let level = if is_success { Level::Info } else { Level::Warning };
            let advice = Some(advice).filter(|advice| !advice.is_empty());
            self.notices.tell(self.services.clock.now_secs(), level, what, advice);
        }
    }

    fn close_polygon(&mut self) {
        let (Some(document), Some(canvas)) = (&mut self.document, &mut self.canvas) else { return };
        let grid = crate::view::grid_of(document.shown(), document.view.stft);
        if let Some(selection) = canvas.close_polygon(&grid) {
            document.select(Some(selection));
        }
    }

    fn copy_figures(&mut self, ctx: &egui::Context) {
        let Some((document, figures)) = self.document.as_ref().and_then(|d| Some((d, d.figures?))) else { return };
        let limits = limits_of(document.shown());
        let secs = document.selected_secs().unwrap_or([0.0, limits.duration_secs]);
        let hz = document.selected_hz().unwrap_or([0.0, limits.nyquist_hz]);
        ctx.copy_text(figures.csv(secs, hz));
    }

    fn toggle_hearing(&mut self, hearing: Hearing) {
        self.audition.hearing = if self.audition.hearing == hearing { Hearing::All } else { hearing };
    }

    fn play_command(&mut self, command: Command) {
        let Some(document) = &mut self.document else { return };
        match command {
            Command::PlayStop if self.transport.status.playing => {
                self.transport.stop();
            }
            Command::PlayStop => self.transport.play(document),
            Command::PlayFromPointer => {
                let secs = self.readout.map_or(document.cursor_secs, |readout| readout.secs);
                self.transport.play_from(document, secs);
            }
            Command::ShuttleBack => self.transport.shuttle(document, -1),
            Command::ShuttleForward => self.transport.shuttle(document, 1),
            Command::Pause => {
                if let Some(secs) = self.transport.stop() {
                    document.cursor_secs = secs.clamp(0.0, document.duration_secs());
                }
            }
            Command::Stop => {
                self.transport.stop();
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
                if self.transport.status.playing {
                    if is_start {
                        self.transport.play(document);
                    } else {
                        self.transport.stop();
                    }
                }
            }
            _ => {}
        }
    }

    fn document_command(&mut self, command: Command) {
        // What floats is not in the sound yet: dropping it takes it back, and erases it.
        if matches!(command, Command::Undo | Command::EraseSelection) && self.drop_floating() {
            return;
        }
        let Some(document) = &mut self.document else { return };
        match command {
            Command::Undo => {
                document.show_before = false;
                // An edit on its way is taken back before it arrives.
                if !self.edits.cancel_last() {
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
                        Command::AttenuateSelection => Brush::Heal(self.tools.heal.attenuation()),
                        // Samples that are known to be damaged are all that need be made anew.
                        Command::HealSelection if has_moments => Brush::Heal(Heal::GAP),
                        Command::HealSelection => Brush::Heal(self.tools.heal.heal()),
                        Command::RebuildPhase => Brush::RebuildPhase { steps: crate::dsp::phase::DEFAULT_STEPS },
                        _ => Brush::Erase,
                    };
                    let edit = erasing(selection, document.view.channels.edited(), document.view.stft);
                    let edit = Edit { brush, ..edit };
                    self.edits.push(document.id, edit);
                }
            }
            Command::ReduceNoise => {
                if let Some(denoise) = self.tools.denoise() {
                    document.show_before = false;
                    let edit = Edit {
                        brush: Brush::Denoise(denoise),
                        stroke: None,
                        select: document.selection.clone(),
                        channels: document.view.channels.edited(),
                        transform: document.view.stft,
                        strength: 1.0,
                        consistency_steps: None,
                    };
                    self.edits.push(document.id, edit);
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
        match &mut self.tools.radius {
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
        self.tools.radius = match self.tools.radius {
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
fn resize_frames(stft: &mut StftParams, times: usize, over: usize) {
    let resized = StftParams { n_fft: stft.n_fft * times / over, hop: stft.hop * times / over, ..*stft };
    if let Ok(valid) = resized.validated() {
        *stft = valid;
    }
}
