//! The window: a workbench, a canvas, and the bars and panels around them.

pub(super) mod empty;
pub(super) mod ending;
mod frame;
mod menus;
pub(super) mod restart;
pub(super) mod run;
mod surface;
mod window;

use super::bars::bass_offer::BassOffer;
use super::bars::compare_strip::CompareStrip;
use super::bars::overview::Overview;
use super::canvas::{Canvas, Gestures, PaneAt};
use super::canvas_menus::CanvasMenus;
use super::cards::Card;
use super::cards::card_parts::{CardAnswer, is_enter};
use super::desktop::drops::Drops;
use super::hooks::frame_times::FrameTimes;
use super::hooks::probe::Probe;
use super::input::hand::{Anchor, CanvasInputState, SnapKey};
use super::input::keys::PendingText;
use super::input::typing;
use super::input::typing::TypingKeyboard;
use super::library_panel::LibraryPanel;
use super::notices::NoticeLane;
use super::profiler::Profiler;
use super::widgets::theme;
use crate::base::Error;
use crate::document::session::SessionWriter;
use crate::engine::Engine;
use crate::view::{Envelope, Extent, PyramidCache, Slice, Viewport};
use crate::workbench::commands::Facts;
use crate::workbench::{
    Act, BeatAnswer, FileAct, LabelSummaries, Layout, NoticeAct, Notices, OpenDocument, Question, Recent, RecordAnswer,
    RecoveryAnswer, Reply, Services, Workbench,
};
use egui::Context;
use empty::DemoPicture;
use ending::Ending;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use surface::SurfaceRetry;

/// The canvas and the computing engine, on the adapter of the window.
pub struct Machine {
    /// `None` without a graphics device; a notice gives the reason.
    pub canvas: Option<Canvas>,
    /// Applies edits.
    pub engine: Engine,
    /// Text of the status line, such as `CPU engine, drawn by llvmpipe`.
    pub engine_words: String,
    /// The reason for choosing this engine, in one sentence.
    pub why: String,
    /// Names of the adapters that can draw the window, each once.
    pub adapters: Vec<String>,
    /// Receives errors of the graphics device.
    pub faults: Receiver<Error>,
    /// Configures the window's surface again after wgpu refused to; `None` without a device.
    pub surface: Option<SurfaceRetry>,
    /// Errors to show as notices at startup.
    pub notices: Vec<Error>,
}

/// The application: state of the window, and the workbench.
pub struct Studio {
    pub(super) bench: Workbench,
    pub(super) canvas: Option<Canvas>,
    pub(super) card: Option<Card>,
    /// Questions to show once the open card is closed.
    pub(super) questions: VecDeque<Question>,
    pub(super) hand: CanvasInputState,
    pub(super) sides: Sides,
    pub(super) demo_picture: DemoPicture,
    pub(super) profiler: Profiler,
    pub(super) graphics: Graphics,
    pub(super) ending: Ending,
    pub(super) title: String,
    pub(super) watched: TestHooks,
}

/// Descriptions of the rendering and computing engines, and errors of the device.
pub(super) struct Graphics {
    pub words: String,
    pub why: String,
    pub adapters: Vec<String>,
    pub faults: Receiver<Error>,
    pub surface: Option<SurfaceRetry>,
}

/// Widgets around the canvas that keep state.
#[derive(Default)]
pub(super) struct Sides {
    /// The overview above the canvas.
    pub overview: Overview,
    /// The library panel at the left.
    pub browser: LibraryPanel,
    /// Notices over the canvas.
    pub notices: NoticeLane,
    /// Context menus over the canvas.
    pub menus: CanvasMenus,
    /// The strip above the canvas while modes of heal are compared.
    pub compare_strip: CompareStrip,
    /// Drops from other programs.
    pub drops: Drops,
    /// The offer of a bass view in the status line.
    pub bass_offer: BassOffer,
}

/// Hooks that let tests observe the window.
pub(super) struct TestHooks {
    pub probe: Probe,
    pub frame_times: FrameTimes,
}

/// Maximum disk space for cached pictures of long files: about ten hours of stereo.
const PICTURES_BYTES: u64 = 512 << 20;
/// Window width in points below which panels fold into a strip.
const FOLD_WIDTH: f32 = 1280.0;

impl Studio {
    /// Creates the window's state, without a file.
    pub fn new(ctx: &Context, services: Services, machine: Machine) -> Studio {
        theme::install(ctx);
        let pictures = services.folders.cache().join("pictures");
        let mut bench = Workbench::new(services, machine.engine);
        for notice in machine.notices {
            bench.act(NoticeAct::warning(&notice.to_string()));
        }
        let mut studio = Studio {
            bench,
            canvas: machine.canvas,
            card: None,
            questions: VecDeque::new(),
            hand: CanvasInputState {
                anchor: Anchor::default(),
                snap_key: SnapKey::default(),
                typing: TypingKeyboard::default(),
                typed_on: PendingText::default(),
                is_painting: false,
                canvas_rect: egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(912.0, 600.0)),
            },
            sides: Sides::default(),
            demo_picture: DemoPicture::default(),
            profiler: Profiler::default(),
            graphics: Graphics {
                words: machine.engine_words,
                why: machine.why,
                adapters: machine.adapters,
                faults: machine.faults,
                surface: machine.surface,
            },
            ending: Ending::default(),
            title: String::new(),
            watched: TestHooks { probe: Probe::from_environment(), frame_times: FrameTimes::from_environment() },
        };
        studio.recall(ctx);
        if let Some(canvas) = &mut studio.canvas {
            canvas.keep_pyramids(PyramidCache::in_folder(&pictures, PICTURES_BYTES));
        }
        studio
    }

    /// The workbench.
    pub fn workbench(&self) -> &Workbench {
        &self.bench
    }

    /// The document in front.
    pub fn document(&self) -> Option<&OpenDocument> {
        self.bench.document()
    }

    /// The list of labels, their classes and measurements.
    pub fn labels(&self) -> &LabelSummaries {
        self.bench.labels()
    }

    /// The notices shown to the user.
    pub fn notices(&self) -> &Notices {
        self.bench.notices()
    }

    /// The session of the document in front.
    pub fn session(&self) -> Option<&SessionWriter> {
        self.document()?.session().writer()
    }

    /// The folder of that session, as the `--session` option takes it; `None` before it is created.
    pub fn session_folder(&self) -> Option<PathBuf> {
        self.document()?.session().folder()
    }

    /// Number of edits of the document in front, from the first on, that are on disk in its session.
    pub fn n_kept(&self) -> usize {
        let Some((document, writer)) = self.document().zip(self.session()) else { return 0 };
        let steps = 1..document.history().entries().len();
        steps.take_while(|&step| writer.is_saved(step)).count()
    }

    /// Whether all work of workbench and window is done: nothing is being opened, applied, exported or drawn.
    pub fn is_idle(&self) -> bool {
        let is_looking = self.sides.overview.is_busy() || self.demo_picture.is_busy();
        self.bench.is_idle() && !is_looking && self.canvas.as_ref().is_none_or(Canvas::is_settled)
    }

    /// Mapping of the upper picture between points of the window and seconds and hertz; `None` before it was drawn.
    pub fn viewport(&self) -> Option<Viewport> {
        self.canvas.as_ref().and_then(Canvas::viewport)
    }

    /// The spectrum of a frame in the spectrum panel, once computed.
    pub fn slice(&self) -> Option<&Slice> {
        self.bench.slice()
    }

    /// Mean and maximum over the selection in the spectrum panel, once computed.
    pub fn extent(&self) -> Option<&Extent> {
        self.bench.extent()
    }

    /// Layout of the panels.
    pub fn layout(&self) -> &Layout {
        self.bench.layout()
    }

    /// Recently opened files, latest first.
    pub fn recent(&self) -> &[Recent] {
        &self.bench.remembered().recent
    }

    /// The waveform of the overview, once computed.
    pub fn envelope(&self) -> Option<&Envelope> {
        self.sides.overview.envelope()
    }

    /// Area of the canvas, in points of the window.
    pub fn canvas_rect(&self) -> egui::Rect {
        self.hand.canvas_rect
    }

    /// The pictures on the canvas, from top to bottom; empty before they were drawn.
    pub fn panes(&self) -> &[PaneAt] {
        self.canvas.as_ref().map_or(&[], Canvas::panes)
    }

    /// Area of the upper picture, in points of the window.
    pub fn picture_rect(&self) -> Option<egui::Rect> {
        self.canvas.as_ref().and_then(Canvas::rects).map(|rects| rects.picture)
    }

    /// State that decides which commands are enabled.
    pub fn facts(&self) -> Facts {
        let is_drawing_polygon = self.canvas.as_ref().is_some_and(Canvas::is_drawing_polygon);
        let is_moving_label = self.canvas.as_ref().is_some_and(Canvas::is_moving_label);
        Facts { is_drawing_polygon, is_moving_label, ..self.bench.facts() }
    }

    /// Passes the current sound to the player.
    pub(super) fn play(&mut self) {
        self.bench.play();
    }

    /// Performs an act on the workbench; for tests and drivers.
    pub fn act(&mut self, act: impl Into<Act>) {
        self.bench.act(act);
    }

    /// Performs the gestures made on the canvas.
    pub(super) fn take_gestures(&mut self, ctx: &egui::Context, gestures: Gestures) {
        if let Some(place) = gestures.menu {
            self.open_menu(place, false);
        }
        let notes = self.hand.typing.notes(ctx);
        let Some(document) = self.bench.document() else { return };
        let scrub_secs = gestures.scrub_secs;
        let notes = gestures.key_note.map_or(notes, |note| vec![note]);
        let keys = typing::played(&notes, self.bench.tools(), document.view());
        self.hand.set_painting(gestures.painting);
        gestures.acts(document).into_iter().for_each(|act| self.bench.act(act));
        self.bench.follow_hand(scrub_secs, keys.as_ref().map(|edit| (&*notes, edit)));
    }

    /// Opens a card, replacing the open one.
    pub(super) fn open_card(&mut self, card: Card) {
        self.card = Some(card);
    }

    /// Queues a question until no card is open. A question about unsaved edits is not repeated while it is open or
    /// queued, for example after a second click on the window's close button.
    pub(super) fn queue_question(&mut self, question: Question) {
        let open = self.card.as_ref().and_then(Card::question);
        // Replaces the card of the recording that the question is about.
        if matches!((open, &question), (Some(Question::Record(_)), Question::StillRecording)) {
            return self.open_card(Card::Question(question));
        }
        if !open.into_iter().chain(&self.questions).any(|requested| requested.is_same_end(&question)) {
            self.questions.push_back(question);
        }
    }

    /// Opens the next question, if no card is open.
    pub(super) fn open_next_question(&mut self) {
        if self.card.is_none() {
            self.card = self.questions.pop_front().map(Card::Question);
        }
    }

    /// Allows saving sounds over their files if the settings enable it (`is_on`), or in `--edit` mode, which passes a
    /// `flag` that becomes true once a file was saved.
    pub(super) fn allow_saving_back(&mut self, is_on: bool, flag: Option<Arc<AtomicBool>>) {
        if is_on || flag.is_some() {
            self.bench.act(FileAct::AllowSavingBack);
        }
        if let Some(flag) = flag {
            self.ending.watch_saved_back(flag);
        }
    }

    /// Closes the card that asks for the location of a sound, once it was located.
    pub(super) fn close_location_card(&mut self) {
        self.card = self.card.take().filter(|card| !card.is_about_location());
    }

    /// Sets the window's title; returns false if it is unchanged.
    pub(super) fn note_title(&mut self, title: &str) -> bool {
        let is_new = self.title != title;
        if is_new {
            self.title = title.to_owned();
        }
        is_new
    }

    pub(super) fn take_answer(&mut self, ctx: &Context, answer: CardAnswer) {
        // These answers take effect at once and leave the card open.
        let stays = match &answer {
            CardAnswer::Reply(
                Reply::Output(..)
                | Reply::Graphics(..)
                | Reply::LocateWhere(_)
                | Reply::Preset(_)
                | Reply::Beat(BeatAnswer::Find(_)),
            ) => true,
            CardAnswer::Reply(Reply::Record(answer)) => {
                matches!(answer, RecordAnswer::Choose(_) | RecordAnswer::Start | RecordAnswer::ClearClips)
            }
            _ => false,
        };
        let card = if stays { None } else { self.card.take() };
        match answer {
            // The sessions on offer are kept for the next start.
            CardAnswer::Close if matches!(card, Some(Card::Question(Question::Recover(_)))) => {
                self.bench.act(Reply::Recover(RecoveryAnswer::NotNow));
            }
            CardAnswer::Close if matches!(card, Some(Card::Question(Question::Record(_)))) => {
                self.bench.act(Reply::Record(RecordAnswer::PutAway));
            }
            CardAnswer::Close => self.bench.act(Reply::KeepEditing),
            CardAnswer::Reply(Reply::Path { path, .. }) if self.does_for_test(&path) => {}
            CardAnswer::Reply(reply) => self.bench.act(reply),
            CardAnswer::Keep(act) => self.bench.act(act),
            CardAnswer::Run(command) => {
                self.apply(ctx, command);
                if self.card.is_some() || self.bench.is_asking() {
                    let index = ctx.input(|input| input.events.iter().position(is_enter));
                    self.hand.typed_on.keep_after(ctx, index);
                }
            }
        }
    }
}
