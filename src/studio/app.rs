//! The studio: owns the document, canvas, transport, edits and notices; commands are applied here and nowhere else.

mod frame;

use super::audition::{Around, Audition, Hearing, InHand};
use super::canvas::Canvas;
use super::cards::{Answer, Card};
use super::clipboard::Clipboard;
use super::commands::Facts;
use super::cursor::Anchor;
use super::difference::{Difference, Differing};
use super::edits::{Edits, Outcome, brush_name};
use super::empty::DemoPicture;
use super::files::Files;
use super::finding::Finding;
use super::frame_times::FrameTimes;
use super::lengthen::PastEnd;
use super::measure::Measuring;
use super::notices::{Level, Notices, sentence};
use super::output_card::OutputJobs;
use super::overview::Overview;
use super::panels::Asked;
use super::probe::Probe;
use super::profiler::Profiler;
use super::projects::Projects;
use super::remember::{Keeper, Remembered};
use super::selecting::Selecting;
use super::services::{Dialogs, Services};
use super::sessions::Sessions;
use super::similar::Similar;
use super::snap_key::SnapKey;
use super::spectrum::Spectrum;
use super::state::{Gestures, Layout, OpenDocument, Readout, Tools};
use super::theme;
use super::transport::Transport;
use crate::base::{Error, ErrorKind, Settings};
use crate::document::{Edit, EditReport};
use crate::dsp::Brush;
use crate::engine::Engine;
use crate::playback::Voice;
use crate::view::KeptPyramids;
use egui::Context;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// What draws and computes, found out by whoever makes the window.
pub struct Machine {
    /// None where there is no device to draw with; the reason was told.
    pub canvas: Option<Canvas>,
    /// Applies edits.
    pub engine: Engine,
    /// For the status line: `CPU engine, llvmpipe`.
    pub engine_words: String,
    /// One sentence: why this engine.
    pub why: String,
    /// What the device's error callbacks report.
    pub faults: Receiver<Error>,
    /// Said at the start.
    pub notices: Vec<Error>,
}

/// The application.
pub struct Studio {
    pub(super) services: ServicesLeft,
    pub(super) dialogs: Arc<dyn Dialogs>,
    pub(super) document: Option<OpenDocument>,
    pub(super) canvas: Option<Canvas>,
    pub(super) edits: Edits,
    pub(super) files: Files,
    pub(super) projects: Projects,
    pub(super) sessions: Sessions,
    pub(super) notices: Notices,
    pub(super) card: Option<Card>,
    pub(super) tools: Tools,
    pub(super) transport: Transport,
    pub(super) audition: Audition,
    pub(super) output_jobs: OutputJobs,
    pub(super) readout: Option<Readout>,
    pub(super) selecting: Selecting,
    pub(super) clipboard: Clipboard,
    pub(super) similar: Similar,
    pub(super) anchor: Anchor,
    pub(super) snap_key: SnapKey,
    pub(super) past_end: Option<PastEnd>,
    pub(super) finding: Finding,
    measuring: Measuring,
    overview: Overview,
    differing: Differing,
    difference: Option<Difference>,
    /// Since when what of the sound is heard is being computed.
    preparing_since_secs: Option<f64>,
    pub(super) is_quitting: bool,
    /// Since when the window is to close without a question.
    pub(super) ending_since_secs: Option<f64>,
    pub(super) layout: Layout,
    pub(super) spectrum: Spectrum,
    pub(super) remembered: Remembered,
    pub(super) keeper: Keeper,
    demo_picture: DemoPicture,
    pub(super) canvas_rect: egui::Rect,
    engine: Engine,
    pub(super) engine_words: String,
    engine_why: String,
    faults: Receiver<Error>,
    pub(super) is_painting: bool,
    title: String,
    pub(super) probe: Probe,
    frame_times: FrameTimes,
    pub(super) profiler: Profiler,
    pub(super) history_bytes: u64,
    pub(super) source_bytes: u64,
    /// Bytes that decoded sound leaves free on its disk; none: a part of it.
    pub(super) reserve_bytes: Option<u64>,
}

/// The services that are not handed on.
pub(super) struct ServicesLeft {
    pub clock: Arc<dyn super::services::Clock>,
    pub folders: crate::base::Folders,
    pub jobs: super::jobs::Jobs,
}

/// What pictures of long files may take on disk: those of some ten hours of stereo.
const PICTURES_BYTES: u64 = 512 << 20;
/// Work shorter than this shows no progress.
const SHOW_WORK_AFTER_SECS: f64 = 0.3;
/// Under this width, panels fold into a strip.
const FOLD_WIDTH: f32 = 1280.0;

impl Studio {
    /// A window without a file.
    pub fn new(ctx: &Context, services: Services, machine: Machine) -> Studio {
        theme::install(ctx);
        let Services { dialogs, audio_output, clock, folders, jobs } = services;
        let mut studio = Studio {
            services: ServicesLeft { clock, folders, jobs },
            dialogs,
            document: None,
            canvas: machine.canvas,
            edits: Edits::default(),
            files: Files::default(),
            projects: Projects::default(),
            sessions: Sessions::default(),
            notices: Notices::default(),
            card: None,
            tools: Tools::default(),
            transport: Transport::new(audio_output),
            audition: Audition::default(),
            output_jobs: OutputJobs::default(),
            readout: None,
            selecting: Selecting::default(),
            clipboard: Clipboard::default(),
            similar: Similar::default(),
            anchor: Anchor::default(),
            snap_key: SnapKey::default(),
            past_end: None,
            finding: Finding::default(),
            measuring: Measuring::default(),
            overview: Overview::default(),
            differing: Differing::default(),
            difference: None,
            preparing_since_secs: None,
            is_quitting: false,
            ending_since_secs: None,
            layout: Layout::default(),
            spectrum: Spectrum::default(),
            remembered: Remembered::default(),
            keeper: Keeper::default(),
            demo_picture: DemoPicture::default(),
            canvas_rect: egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(912.0, 600.0)),
            engine: machine.engine,
            engine_words: machine.engine_words,
            engine_why: machine.why,
            faults: machine.faults,
            is_painting: false,
            title: String::new(),
            probe: Probe::from_environment(),
            frame_times: FrameTimes::from_environment(),
            profiler: Profiler::default(),
            history_bytes: Settings::default().history_bytes(),
            source_bytes: Settings::default().source_bytes(),
            reserve_bytes: None,
        };
        for notice in machine.notices {
            studio.warn(&notice.to_string());
        }
        let (remembered, notice) = Remembered::load(&studio.services.folders);
        if let Some(notice) = notice {
            studio.warn(&notice);
        }
        studio.recall(ctx, remembered);
        if let Some(canvas) = &mut studio.canvas {
            let folder = studio.services.folders.cache().join("pictures");
            canvas.keep_pyramids(KeptPyramids::in_folder(&folder, PICTURES_BYTES));
        }
        studio
    }

    /// From the next file on, undo holds so much in memory, and the rest on disk.
    pub fn limit_history(&mut self, bytes: u64) {
        self.history_bytes = bytes;
    }

    /// From the next file on, a sound that takes more than this is read from disk.
    pub fn limit_source(&mut self, bytes: u64) {
        self.source_bytes = bytes;
    }

    /// From the next file on, decoded sound leaves so much free on its disk; none: a part of it.
    pub fn reserve_scratch(&mut self, bytes: Option<u64>) {
        self.reserve_bytes = bytes;
    }

    /// Something that the user should know; a sentence without a full stop.
    pub fn warn(&mut self, what: &str) {
        self.notices.tell(self.services.clock.now_secs(), Level::Warning, sentence(what), None);
    }

    /// Opens the first of these files, and says what became of the others.
    pub fn open_all(&mut self, files: Vec<std::path::PathBuf>) {
        let n_more = files.len().saturating_sub(1);
        if let Some(first) = files.into_iter().next() {
            self.open(first);
        }
        if n_more > 0 {
            let now_secs = self.services.clock.now_secs();
            let what = match n_more {
                1 => "One file at a time: one more was given and not opened.".into(),
                n => format!("One file at a time: {n} more were given and not opened."),
            };
            self.notices.tell(now_secs, Level::Warning, what, Some("Drop or open them one by one."));
        }
    }

    /// The open document.
    pub fn document(&self) -> Option<&OpenDocument> {
        self.document.as_ref()
    }

    /// The open document, as panels and the canvas change it.
    pub fn document_mut(&mut self) -> Option<&mut OpenDocument> {
        self.document.as_mut()
    }

    /// The tool in hand and the settings of all.
    pub fn tools_mut(&mut self) -> &mut Tools {
        &mut self.tools
    }

    /// What the user is being told.
    pub fn notices(&self) -> &Notices {
        &self.notices
    }

    /// Whether nothing is being opened, applied, exported or drawn.
    pub fn is_idle(&self) -> bool {
        let is_looking =
            self.overview.is_busy() || self.spectrum.is_busy() || self.keeper.is_busy() || self.demo_picture.is_busy();
        let is_listening = self.audition.is_busy() || self.measuring.is_busy() || self.differing.is_busy();
        !self.is_working() && !is_listening && !is_looking && self.canvas.as_ref().is_none_or(Canvas::is_settled)
    }

    /// Whether anything that the user ordered is in progress.
    pub(super) fn is_working(&self) -> bool {
        self.files.is_busy()
            || self.projects.is_busy()
            || self.sessions.is_busy()
            || self.edits.is_busy()
            || self.selecting.is_busy()
            || self.clipboard.is_busy()
            || self.similar.is_busy()
            || self.finding.is_busy()
    }

    /// Places in the upper picture, in points of the window; none before one was drawn.
    pub fn viewport(&self) -> Option<crate::view::Viewport> {
        self.canvas.as_ref().and_then(Canvas::viewport)
    }

    /// The spectrum panel's slice, once there is one.
    pub fn slice(&self) -> Option<&super::Slice> {
        self.spectrum.slice().map(AsRef::as_ref)
    }

    /// The spectrum panel's mean and maximum over the selection, once they are known.
    pub fn extent(&self) -> Option<&super::Extent> {
        self.spectrum.extent().map(AsRef::as_ref)
    }

    /// Which panels there are, and how they are shown.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The waveform in the overview, once it is known.
    pub fn envelope(&self) -> Option<&crate::view::Envelope> {
        self.overview.envelope()
    }

    /// Where the canvas was drawn.
    pub fn canvas_rect(&self) -> egui::Rect {
        self.canvas_rect
    }

    /// The pictures on the canvas, from top to bottom; none before they were drawn.
    pub fn panes(&self) -> &[super::canvas::PaneAt] {
        self.canvas.as_ref().map_or(&[], Canvas::panes)
    }

    /// Where its upper picture was drawn.
    pub fn picture_rect(&self) -> Option<egui::Rect> {
        self.canvas.as_ref().and_then(Canvas::rects).map(|rects| rects.picture)
    }

    /// What decides which commands are enabled.
    pub fn facts(&self) -> Facts {
        let document = self.document.as_ref();
        let history = document.map(|document| &document.history);
        let n_channels = history.map_or(0, |history| history.original().n_channels());
        Facts {
            has_document: document.is_some(),
            is_reading: document.is_some_and(OpenDocument::is_reading),
            n_recent: self.remembered.recent.len(),
            is_largest: self.remembered.window.scale >= super::remember::SCALES[1],
            is_smallest: self.remembered.window.scale <= super::remember::SCALES[0],
            is_stereo: n_channels == 2,
            n_channels,
            has_clip: self.clipboard.has_clip() || self.clipboard.is_busy(),
            is_snapping: self.tools.snapping,
            is_floating: document.is_some_and(|document| document.floating.is_some()),
            can_undo: self.edits.is_busy()
                || document.is_some_and(|document| document.floating.is_some())
                || history.is_some_and(|history| history.position() > 0),
            can_redo: !self.edits.is_busy()
                && history.is_some_and(|history| history.position() + 1 < history.entries().len()),
            has_edits: history.is_some_and(|history| history.position() > 0)
                || document.is_some_and(|document| document.show_before),
            has_selection: document.is_some_and(|document| document.selection.is_some()),
            has_last_selection: document.is_some_and(|document| document.last_selection.is_some()),
            has_spectrum: self.spectrum.slice().is_some(),
            has_noise: self.tools.noise.is_some(),
            is_learning: self.finding.is_learning(),
            has_figures: document.is_some_and(|document| document.figures.is_some()),
            is_drawing_polygon: self.canvas.as_ref().is_some_and(Canvas::is_drawing_polygon),
            is_playing: self.transport.status.playing,
            is_busy: self.edits.is_busy(),
            has_brush: self.tools.active.has_radius(),
            is_band_only: self.audition.hearing == Hearing::Band,
            is_delta: self.audition.hearing == Hearing::Delta,
        }
    }

    /// Gives the player what is to be heard now.
    fn follow_sound(&mut self, now_secs: f64) {
        let sound = self.document.as_ref().and_then(|document| {
            let around = Around {
                jobs: &self.services.jobs,
                engine: &self.engine,
                now_secs,
                transport: &self.transport,
                is_busy: self.edits.is_busy(),
            };
            let in_hand = self.canvas.as_ref().and_then(Canvas::stroke_in_hand);
            // What floats is heard where it is, as a stroke is while it is drawn.
            let floating = document.floating.as_ref().map(|floating| (floating.version, floating.edit(document)));
            let in_hand = in_hand.or(floating.as_ref().map(|(id, edit)| (*id, edit)));
            let in_hand = in_hand.map(|(id, edit)| InHand { id, edit });
            let (sound, fault) = self.audition.advance(document, in_hand, &around);
            if let Some(fault) = fault {
                self.notices.fail(now_secs, "play the selection alone", &fault);
            }
            sound
        });
        self.transport.follow(self.document.as_ref(), sound, now_secs);
    }

    fn take_outcome(&mut self, outcome: Outcome, now_secs: f64) {
        let report = match outcome {
            Outcome::Committed(report) => {
                self.notices.succeed("apply the edit");
                self.tell_of_silence(now_secs);
                self.tell_of_length(&report, now_secs);
                report
            }
            Outcome::Empty(edit, _) if edit.brush.kind() == "warp" && edit.stroke.is_some() => {
                let what = "Drag to push sound along: a click moves nothing.";
                return self.notices.tell(now_secs, Level::Info, what, None);
            }
            Outcome::Empty(edit, EditReport { past_end_secs: Some(secs), .. }) => {
                return self.offer_room(*edit, secs, now_secs);
            }
            Outcome::Empty(_, report) => {
                if report.notices.is_empty() {
                    self.notices.tell(now_secs, Level::Info, "The edit changed no sample.", None);
                }
                report
            }
            Outcome::Stale(edit) => {
                let what = format!("{} had no effect: the sound has changed meanwhile.", brush_name(&edit));
                return self.notices.tell(now_secs, Level::Warning, what, Some("Repeat it on the sound as it is now."));
            }
            Outcome::Failed(error) => return self.notices.fail(now_secs, "apply the edit", &error),
        };
        for notice in report.notices {
            self.notices.tell(now_secs, Level::Warning, sentence(&notice), None);
        }
    }

    /// Erasing all frequencies of a range silences it; a user of other editors may expect that it is cut out.
    fn tell_of_silence(&mut self, now_secs: f64) {
        let history = self.document.as_ref().map(|document| &document.history);
        let entry = history.and_then(|history| history.entries().get(history.position()));
        let Some(edit) = entry.and_then(|entry| entry.edit.as_ref()) else { return };
        let extent = edit.select.as_ref().map(crate::dsp::Selection::extent);
        if let (Brush::Erase, None, Some([Some([start, end]), None])) = (&edit.brush, &edit.stroke, extent) {
            let what = format!("Silenced {} s; the length is kept.", theme::number(end - start, 3));
            self.notices.tell(now_secs, Level::Info, what, None);
        }
    }

    /// What went past the end is offered room; a longer sound is shown whole if it was before.
    fn tell_of_length(&mut self, report: &EditReport, now_secs: f64) {
        let history = self.document.as_ref().map(|document| &document.history);
        let entry = history.and_then(|history| history.entries().get(history.position()));
        let Some(edit) = entry.and_then(|entry| entry.edit.clone()) else { return };
        if matches!(edit.brush, Brush::Lengthen { .. }) {
            self.follow_length();
        } else if let Some(secs) = report.past_end_secs {
            self.offer_room(edit, secs, now_secs);
        }
    }

    /// Acts on what the canvas reports of a frame.
    pub fn take_gestures(&mut self, gestures: Gestures) {
        let now_secs = self.services.clock.now_secs();
        let Some(document) = &mut self.document else { return };
        if let Some(edit) = gestures.finished {
            document.show_before = false;
            self.edits.push(document.id, edit);
        }
        if let Some(secs) = gestures.cursor_secs {
            document.cursor_secs = secs.clamp(0.0, document.duration_secs());
        }
        if let Some(selection) = gestures.selection {
            document.select(selection);
        }
        let lands = gestures.lands;
        if let Some(wish) = gestures.wish {
            self.selecting.wish(document, wish, &self.services.jobs, now_secs);
        }
        self.readout = gestures.readout;
        self.is_painting = gestures.painting;
        if lands {
            self.land();
        }
        let voice = self.canvas.as_ref().and_then(|canvas| voice_of(canvas.stroke_in_hand()?.1));
        self.transport.follow_hand(self.document.as_ref(), gestures.scrub_secs, voice);
        match gestures.notice {
            Some(error) if error.kind() == ErrorKind::SourceChanged => self.notices.fail(now_secs, "read", &error),
            Some(error) => self.notices.tell(now_secs, Level::Warning, sentence(&error.to_string()), None),
            None => {}
        }
    }

    fn take_answer(&mut self, ctx: &Context, answer: Answer) {
        match answer {
            Answer::Close => self.card = None,
            Answer::ExportWhere(wish) => {
                self.card = None;
                self.ask_export(wish);
            }
            Answer::Path(purpose, path) => self.take_path(purpose, path),
            Answer::ProjectWhere(wish) => {
                self.card = None;
                self.ask_project(wish);
            }
            Answer::SaveFirst(then) => {
                self.card = None;
                self.save_project(Some(then));
            }
            Answer::LocateWhere(what) => self.ask_where(what),
            Answer::Locate(what, finding) => self.locate(what, finding),
            Answer::Left(answer) => self.take_left(answer),
            Answer::ExportFirst(then) => {
                let wish = super::files::ExportWish { then: Some(then), ..Default::default() };
                self.card = Some(Card::Export(wish));
            }
            Answer::Discard(then) => {
                self.card = None;
                self.edits.clear();
                self.sessions.is_discarded = matches!(then, super::files::Then::Quit);
                self.go_on(then);
            }
            Answer::New(wish) => self.make_canvas(wish),
            Answer::Lengthen(secs) => {
                self.card = None;
                self.lengthen_by(secs);
            }
            Answer::Output(device, buffer_frames) => self.choose_output(device, buffer_frames),
            Answer::Run(command) => {
                self.card = None;
                self.apply(ctx, command);
            }
        }
    }

    fn take_asked(&mut self, asked: Asked) {
        let Some(document) = &mut self.document else { return };
        if let Some(position) = asked.go_to
            && !self.edits.is_busy()
        {
            document.show_before = false;
            document.history.go_to(position);
        }
        if let Some(stft) = asked.stft {
            document.view.stft = stft;
        }
    }

    /// Progress that is worth showing: words and the part that is done.
    fn work(&self) -> Option<(String, f32)> {
        let now_secs = self.services.clock.now_secs();
        let since = self.preparing_since_secs.unwrap_or(now_secs);
        let preparing = || self.audition.work().map(|part| ("Preparing what is heard", part, since));
        let (words, part, started_secs) = self
            .files
            .work()
            .or_else(|| self.projects.work())
            .or_else(|| self.clipboard.work())
            .or_else(|| self.similar.work())
            .or_else(|| self.edits.work())
            .or_else(|| self.selecting.work())
            .or_else(|| self.finding.work())
            .or_else(preparing)?;
        (now_secs - started_secs >= SHOW_WORK_AFTER_SECS)
            .then(|| (format!("{words}, {} %", (part * 100.0).floor()), part))
    }

    fn repaint_when_needed(&mut self, ctx: &Context, now_secs: f64) {
        if self.transport.status.playing || !self.transport.meters.is_at_rest() {
            ctx.request_repaint();
        } else if self.is_working() || self.preparing_since_secs.is_some() {
            ctx.request_repaint_after(Duration::from_millis(100));
        }
        if let Some(at_secs) = self.notices.expire(now_secs) {
            ctx.request_repaint_after(Duration::from_secs_f64((at_secs - now_secs).max(0.01)));
        }
    }
}

/// The tone that a stroke draws now.
fn voice_of(edit: &Edit) -> Option<Voice> {
    let (Brush::Tone(tone), Some(stroke)) = (&edit.brush, &edit.stroke) else { return None };
    let point = stroke.points.last()?;
    let level = stroke.strength * edit.strength * point.pressure;
    let partials = tone.partials().into_iter().map(|(ratio, amplitude)| (ratio, level * amplitude)).collect();
    Some(Voice { hz: point.hz, partials })
}
