//! A studio on a bench: its window without a screen, and the test's ends of its services.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use sonobrush::base::{Folders, Settings};
use sonobrush::document::Snapshot;
use sonobrush::document::brushes::ParameterValue;
use sonobrush::dsp::{Axis, Selection};
use sonobrush::media::Source;
use sonobrush::playback::{Recorder, RecordingOutput};
use sonobrush::recording::{Microphone, PlantedInput};
use sonobrush::studio::{Machine, Studio, machine};
use sonobrush::workbench::commands::ToolCommand;
use sonobrush::workbench::{
    Act, Budgets, DocumentAct, FileAct, Jobs, Picked, Reply, ScriptedDialogs, Services, SetClock, Severity, Then, Tool,
    ToolSettings, Tools, View, ViewAct,
};
use std::path::PathBuf;
use std::sync::Arc;

use super::signals::tone;
pub use test_document::snapshots::{bits, open, samples};
pub use test_document::wav::clip;

/// Whether there is a GPU to draw with. [`engines`](super::engines::engines) prints a skip or fails without one.
pub fn has_gpu() -> bool {
    super::engines::engines().len() > 1
}

/// A studio and the test's ends of its services.
pub struct Bench {
    pub harness: Harness<'static, Studio>,
    pub dialogs: ScriptedDialogs,
    pub recorder: Recorder,
    pub microphone: Microphone,
    pub clock: SetClock,
    pub jobs: Jobs,
    folder: tempfile::TempDir,
}

/// The device as the window asks for it.
pub fn wgpu_setup() -> eframe::egui_wgpu::WgpuSetup {
    let mut setup = egui_kittest::wgpu::default_wgpu_setup();
    if let eframe::egui_wgpu::WgpuSetup::CreateNew(new) = &mut setup {
        new.device_descriptor = Arc::new(sonobrush::studio::device_descriptor);
    }
    setup
}

/// What draws: nothing, or the device that tests have.
#[derive(Clone, Copy, PartialEq)]
pub enum Drawing {
    None,
    Wgpu,
}

/// Discards textures, which the default keeps for a picture that no test requests.
struct NothingDrawn;

impl egui_kittest::TestRenderer for NothingDrawn {
    fn handle_delta(&mut self, delta: &mut egui::TexturesDelta) {
        delta.clear();
    }

    fn render(&mut self, _: &egui::Context, _: &egui::FullOutput) -> Result<image::RgbaImage, String> {
        Err("nothing is drawn on this bench".into())
    }
}

impl Bench {
    pub fn new(drawing: Drawing) -> Bench {
        Bench::in_folder(drawing, tempfile::tempdir().unwrap())
    }

    /// The program ended, and started again: what is on disk is all that is left.
    pub fn restarted(mut self, drawing: Drawing) -> Bench {
        // What it writes when nothing has happened for a while.
        self.clock.advance(5.0);
        self.settle();
        self.clock.advance(5.0);
        self.settle();
        let Bench { harness, folder, .. } = self;
        drop(harness);
        Bench::in_folder(drawing, folder)
    }

    /// The program was killed; its folder.
    pub fn into_folder(self) -> tempfile::TempDir {
        let Bench { harness, folder, .. } = self;
        drop(harness);
        folder
    }

    /// With settings, state and made files in this folder.
    pub fn in_folder(drawing: Drawing, folder: tempfile::TempDir) -> Bench {
        let mut bench = Bench::with_jobs(drawing, folder, Jobs::manual());
        bench.settle();
        bench
    }

    /// The same, with jobs of any kind, and nothing done yet.
    pub fn with_jobs(drawing: Drawing, folder: tempfile::TempDir, jobs: Jobs) -> Bench {
        let folders = Folders::in_folder(folder.path());
        // Who has settings has been here before; a new user gets more notices, which most tests do not expect.
        if !folders.settings_file().exists() {
            let known = serde_json::json!({"lessons": {"has_painted": true}});
            Settings::remember(&folders, known).ok();
        }
        let (dialogs, clock) = (ScriptedDialogs::default(), SetClock::default());
        let (output, recorder) = RecordingOutput::new(None, 2);
        let (input, microphone) = PlantedInput::new(48_000, 2);
        let services = Services {
            dialogs: Arc::new(dialogs.clone()),
            audio_output: Box::new(output),
            audio_input: Box::new(input),
            clock: Arc::new(clock.clone()),
            folders,
            jobs: jobs.clone(),
        };
        let settings = Settings::default();
        let builder = Harness::builder().with_size([1280.0, 800.0]).with_render_cursor(false);
        let job_queue = jobs.clone();
        let theme = Arc::new(std::sync::Mutex::new(egui::Theme::Dark));
        let as_made = theme.clone();
        let harness = match drawing {
            Drawing::None => builder.renderer(NothingDrawn).build_eframe(move |creation| {
                let (_, faults) = std::sync::mpsc::channel();
                let machine = Machine {
                    canvas: None,
                    engine: super::engines::cpu(),
                    engine_words: "CPU engine".into(),
                    why: "Tests draw nothing here.".into(),
                    adapters: vec!["Radeon RX 7600".into(), "llvmpipe (LLVM 15)".into()],
                    faults,
                    surface: None,
                    notices: Vec::new(),
                };
                let studio = Studio::new(&creation.egui_ctx, services, machine);
                *as_made.lock().unwrap() = creation.egui_ctx.theme();
                studio
            }),
            Drawing::Wgpu => builder.wgpu_setup(wgpu_setup()).build_eframe(move |creation| {
                let ctx = creation.egui_ctx.clone();
                let machine = machine(creation.wgpu_render_state.as_ref(), &settings, &job_queue, &ctx).unwrap();
                assert!(machine.canvas.is_some(), "{:?}", machine.notices);
                let studio = Studio::new(&ctx, services, machine);
                *as_made.lock().unwrap() = ctx.theme();
                studio
            }),
        };
        // The harness gives the context a theme of its own after the studio has been made.
        harness.ctx.set_theme(*theme.lock().unwrap());
        Bench { harness, dialogs, recorder, microphone, clock, jobs, folder }
    }

    /// With a clip opened through the button and a scripted dialog.
    pub fn with_clip(drawing: Drawing, name: &str) -> Bench {
        let mut bench = Bench::new(drawing);
        bench.dialogs.answer(Picked::File(clip(name)));
        bench.click("Open\u{2026}");
        assert!(bench.studio().document().is_some(), "{:?}", bench.studio().notices());
        bench
    }

    /// On 2 s of tones at 48 kHz, seen from 0 to 6 kHz on a linear axis, with the box tool in hand.
    pub fn on_tones(drawing: Drawing, hz: &[f64]) -> Bench {
        let mut bench = Bench::with_clip(drawing, "crow_44k_mono.flac");
        let mut sum = vec![0.0; 96_000];
        for hz in hz {
            sum.iter_mut().zip(tone(96_000, 48_000.0, *hz, 0.3)).for_each(|(sum, x)| *sum += x);
        }
        bench.show(Snapshot::new(Source::from_channels(vec![sum], 48_000).unwrap()));
        bench.act(ViewAct::Axis(Axis::Linear));
        bench.act(ViewAct::Hz([0.0, 6_000.0]));
        bench.pick(Tool::SelectBox);
        bench.settle();
        bench
    }

    pub fn studio(&self) -> &Studio {
        self.harness.state()
    }

    /// Frames and jobs until nothing is left to do. What one frame asks for the next may begin, so rest is three quiet
    /// ones in a row.
    pub fn settle(&mut self) {
        let mut n_quiet = 0;
        for _ in 0..400 {
            self.harness.step();
            let is_quiet = self.jobs.run_until_idle() == 0 && self.studio().is_idle();
            n_quiet = if is_quiet { n_quiet + 1 } else { 0 };
            if n_quiet == 3 {
                return;
            }
        }
        panic!("the studio never came to rest");
    }

    pub fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.settle();
    }

    /// Types over what a field holds; it keeps the keyboard.
    pub fn fill(&mut self, label: &str, text: &str) {
        self.harness.get_by_label(label).focus();
        self.harness.step();
        self.key(CTRL, egui::Key::A);
        self.harness.get_by_label(label).type_text(text);
        self.settle();
    }

    /// Clicks a field, types over what stands there and presses Enter.
    pub fn enter(&mut self, label: &str, text: &str) {
        self.harness.get_by_label(label).click();
        self.settle();
        self.harness.key_press_modifiers(CTRL, egui::Key::A);
        self.harness.event(egui::Event::Text(text.into()));
        self.harness.key_press(egui::Key::Enter);
        self.settle();
    }

    pub fn key(&mut self, modifiers: egui::Modifiers, key: egui::Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.settle();
    }

    /// Presses at the first place, moves through the others, releases at the last.
    pub fn drag(&mut self, places: &[egui::Pos2]) {
        self.drag_by(egui::PointerButton::Primary, NONE, places);
    }

    pub fn right_click(&mut self, place: egui::Pos2, modifiers: egui::Modifiers) {
        self.drag_by(egui::PointerButton::Secondary, modifiers, &[place]);
    }

    /// See [`drag`](Bench::drag).
    pub fn drag_by(&mut self, button: egui::PointerButton, modifiers: egui::Modifiers, places: &[egui::Pos2]) {
        let press = |pos, pressed| egui::Event::PointerButton { pos, button, pressed, modifiers };
        self.harness.event(egui::Event::PointerMoved(places[0]));
        self.harness.step();
        self.harness.event(press(places[0], true));
        self.harness.step();
        for &place in places {
            self.harness.event(egui::Event::PointerMoved(place));
            self.harness.step();
        }
        self.harness.event(press(places[places.len() - 1], false));
        self.settle();
    }

    /// What was last given to the clipboard in the frames until rest.
    pub fn copied(&mut self, act: impl FnOnce(&mut Bench)) -> Option<String> {
        act(self);
        let mut copied = None;
        for _ in 0..20 {
            let commands = &self.harness.output().platform_output.commands;
            let text = commands.iter().find_map(|command| match command {
                egui::OutputCommand::CopyText(text) => Some(text.clone()),
                _ => None,
            });
            copied = text.or(copied);
            self.jobs.run_until_idle();
            self.harness.step();
        }
        copied
    }

    pub fn has(&self, label: &str) -> bool {
        self.harness.query_all_by_label(label).next().is_some()
    }

    pub fn samples(&self, channel: usize) -> Vec<f32> {
        samples(self.studio().document().unwrap().history().current(), channel)
    }

    /// Does one thing to the workbench; its frames come later.
    pub fn act(&mut self, act: impl Into<Act>) {
        self.harness.state_mut().act(act);
    }

    /// Orders a file to be opened.
    pub fn open(&mut self, path: PathBuf) {
        self.act(FileAct::Open(vec![path]));
    }

    pub fn select(&mut self, secs: Option<[f64; 2]>, hz: Option<[f64; 2]>) {
        self.select_shape(Selection::rectangle(secs, hz, [0.0, 0.0], Axis::Linear));
        self.settle();
    }

    pub fn select_shape(&mut self, selection: Selection) {
        self.act(DocumentAct::Select(Some(selection)));
    }

    /// Limits memory and disk of the documents opened from now on.
    pub fn limit(&mut self, change: impl FnOnce(&mut Budgets)) {
        let mut budgets = self.studio().workbench().limits();
        change(&mut budgets);
        self.act(FileAct::Limit(budgets));
    }

    /// Moves the time cursor.
    pub fn put_cursor(&mut self, secs: f64) {
        self.act(DocumentAct::Cursor(secs));
    }

    pub fn tools(&self) -> &Tools {
        self.studio().workbench().tools()
    }

    pub fn pick(&mut self, tool: Tool) {
        self.act(ToolCommand::Pick(tool));
    }

    /// Changes settings of tools, as the option bar does.
    pub fn set_tools(&mut self, change: impl FnOnce(&mut ToolSettings)) {
        let mut settings = self.tools().settings().clone();
        change(&mut settings);
        self.act(Act::Tools(Box::new(settings)));
    }

    /// Changes the view of the document in front.
    pub fn set_view(&mut self, change: impl FnOnce(&mut View)) {
        let before = self.studio().document().unwrap().view().clone();
        let mut after = before.clone();
        change(&mut after);
        ViewAct::between(&before, &after).into_iter().for_each(|act| self.act(act));
    }

    /// Shows a sound without a file in the place of the document in front, whose edits are lost.
    pub fn show(&mut self, snapshot: Snapshot) {
        let document = self.studio().document().unwrap().id();
        self.act(Reply::Discard { document, then: Then::Close(document) });
        self.act(FileAct::Show(snapshot));
        self.settle();
    }

    /// What stands at the canvas, the newest last.
    pub fn notices(&self) -> Vec<(Severity, String)> {
        self.studio().notices().all().iter().map(|notice| (notice.severity, notice.what.clone())).collect()
    }

    pub fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

pub const NONE: egui::Modifiers = egui::Modifiers::NONE;
pub const SHIFT: egui::Modifiers = egui::Modifiers::SHIFT;
pub const CTRL: egui::Modifiers = egui::Modifiers::COMMAND;

/// Sets a number of a tool's brush, by its field in scripts.
pub fn set_number(settings: &mut ToolSettings, tool: Tool, field: &str, number: f64) {
    settings.change_parameter(tool, field, |value| match value {
        ParameterValue::Number(value) => *value = number,
        ParameterValue::Whole(value) => *value = number as u32,
        other => panic!("{field} is {other:?}"),
    });
}

/// Sets a pair of numbers of a tool's brush.
pub fn set_pair(settings: &mut ToolSettings, tool: Tool, field: &str, pair: [f64; 2]) {
    settings.change_parameter(tool, field, |value| match value {
        ParameterValue::Pair(value) => *value = pair,
        other => panic!("{field} is {other:?}"),
    });
}

/// A number of a tool's brush.
pub fn number_of(settings: &ToolSettings, tool: Tool, field: &str) -> f64 {
    let mut brush = settings.brush_of(tool).unwrap();
    let value = brush.parameters().iter().zip(brush.values()).find(|(parameter, _)| parameter.field == field);
    value.unwrap().1.json().as_f64().unwrap()
}
