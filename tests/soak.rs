//! Random commands through the studio, and after each what is guaranteed: undo restores bits, samples that an edit does
//! not reach keep theirs, all samples are finite, the history stays within its budget, an export holds what is shown,
//! no worker dies, and memory does not grow.
//!
//! `SONOBRUSH_SOAK_COMMANDS` and `SONOBRUSH_SOAK_SEED` run another number, or others.

#![allow(clippy::print_stdout, reason = "the seed of a run is told, so that it can be run again")]

mod laws;

use crate::support::random::{KINDS, Place, Random, edit, shape};
use crate::support::studio::{Bench, Drawing, NONE, clip, has_gpu, open, set_number};
use laws::{hash_of, reach_secs, rss_anon_bytes, violation, write_sound};
use serde_json::json;
use sonobrush::base::Progress;
use sonobrush::document::{Script, Snapshot, export};
use sonobrush::media::{ExportFormat, SampleFormat};
use sonobrush::studio::Studio;
use sonobrush::workbench::Picked;
use sonobrush::workbench::commands::{
    COMMANDS, ClipboardCommand, Command, EditCommand, FileCommand, PlayCommand, ToolCommand, WindowCommand,
};
use sonobrush::workbench::{DocumentAct, SelectRequest, ShapeSearch, Tool};
use std::path::{Path, PathBuf};

const SHORT_COMMANDS: usize = 400;
const LONG_COMMANDS: usize = 100_000;
/// A budget so small that nearly every edit moves an older one to disk.
const BUDGET_BYTES: u64 = 256 << 10;
/// A document longer than this is put away: it would only take time.
const MAX_SAMPLES: u64 = 400_000;
const MAX_GROWTH_BYTES: i64 = 10 << 20;
const COUNT: &str = "SONOBRUSH_SOAK_COMMANDS";
const SEED: &str = "SONOBRUSH_SOAK_SEED";
const WITHIN: &str = "SONOBRUSH_SOAK_WITHIN";

/// A snapshot seen before, and what its samples were.
struct Known {
    snapshot: Snapshot,
    hash: u64,
}

struct Soak {
    bench: Bench,
    random: Random,
    sounds: Vec<PathBuf>,
    commands: Vec<Command>,
    document: Option<u64>,
    known: Vec<Known>,
    log: Vec<String>,
    counts: Counts,
    has_canvas: bool,
}

/// What was done: a soak in which nothing happens proves nothing.
#[derive(Debug, Default)]
struct Counts {
    edits: usize,
    undone: usize,
    opened: usize,
    exports: usize,
    bounded: usize,
    frames_heard: usize,
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| value.parse().unwrap())
}

#[test]
fn random_commands_keep_every_guarantee() {
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    let n_commands = number(COUNT).map_or(if is_long { LONG_COMMANDS } else { SHORT_COMMANDS }, |n| n as usize);
    if std::env::var_os(WITHIN).is_some() {
        let mut soak = Soak::new(Drawing::None, number(SEED).unwrap_or(1));
        return soak.run(n_commands);
    }
    // A process of its own: memory is a process's. One arena with fixed thresholds gives back what is freed, so that
    // growth is ours and not the allocator's.
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "soak::random_commands_keep_every_guarantee", "--nocapture"]);
    command.env(COUNT, n_commands.to_string()).env(WITHIN, "1");
    command.env("MALLOC_ARENA_MAX", "1").env("MALLOC_TRIM_THRESHOLD_", "131072").env("MALLOC_MMAP_THRESHOLD_", "65536");
    let output = command.output().unwrap();
    let (said, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{failed}");
    if is_long {
        println!("{}", said.lines().find(|line| line.starts_with("soak:")).unwrap_or_default());
    }
}

/// The same with a canvas that draws, and strokes by hand.
#[test]
fn random_strokes_on_the_canvas_keep_every_guarantee() {
    if has_gpu() {
        Soak::new(Drawing::Wgpu, number(SEED).unwrap_or(2)).run(60);
    }
}

/// The laws can be broken, and then are seen.
#[test]
fn a_soak_sees_a_changed_sample() {
    let mut soak = Soak::new(Drawing::None, 3);
    let path = soak.sounds[0].clone();
    soak.bench.open(path);
    soak.settle_and_check();
    let document = soak.bench.studio().document().unwrap();
    let current = document.history().current().clone();
    let script = json!({"version": 1, "edits": [{"brush": {"kind": "erase"}, "select": {"time": [0.1, 0.2]}}]});
    let edit = Script::parse(&script.to_string()).unwrap().edits.remove(0);
    let sample = |at| current.with_samples(0, at, &[0.7]).unwrap();
    // Far from what the edit reaches, and not finite.
    assert!(violation(&edit, &current, &sample(current.n_samples() - 1)).is_some());
    assert!(violation(&edit, &current, &sample((0.15 * current.sample_rate_hz()) as u64)).is_none());
    let infinite = current.with_samples(0, 1, &[f32::INFINITY]).unwrap();
    assert!(hash_of(&infinite).is_none() && hash_of(&current) != hash_of(&sample(9)));
}

impl Soak {
    fn new(drawing: Drawing, seed: u64) -> Soak {
        let mut bench = Bench::new(drawing);
        bench.limit(|budgets| budgets.history_bytes = BUDGET_BYTES);
        let make = |name: &str, n_channels, rate, bits, n| {
            let path = bench.out(name);
            write_sound(&path, n_channels, rate, bits, n, 5);
            path
        };
        let bad = bench.out("bad.wav");
        std::fs::write(&bad, b"RIFF\x10\0\0\0WAVEfmt ").unwrap();
        let sounds = vec![
            make("mono16.wav", 1, 8000, 16, 8000),
            make("stereo_float.wav", 2, 11_025, 32, 9000),
            make("stereo24.wav", 2, 16_000, 24, 12_345),
            make("tiny.wav", 1, 8000, 8, 3),
            clip("crow_44k_mono.flac"),
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coded/alaw.au"),
            bad,
            bench.out("nowhere.wav"),
        ];
        let is_left_out = |command: &Command| {
            // The window would be gone, and its history with it; and it names the devices of this machine.
            matches!(command, Command::File(FileCommand::Quit))
        };
        let commands = COMMANDS.into_iter().filter(|command| !is_left_out(command)).collect();
        Soak {
            bench,
            random: Random::new(seed),
            sounds,
            commands,
            document: None,
            known: Vec::new(),
            log: Vec::new(),
            counts: Counts::default(),
            has_canvas: drawing == Drawing::Wgpu,
        }
    }

    fn run(&mut self, n_commands: usize) {
        let began = std::time::Instant::now();
        let every = (n_commands / 100).max(100);
        let mut memory = Vec::new();
        for index in 0..n_commands {
            if self.log.len() > 60 {
                self.log.drain(..30);
            }
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.act()));
            if result.is_err() {
                panic!("after {index} commands, the last of which were {:#?}", self.log);
            }
            if index % every == every - 1 || index + 1 == n_commands {
                // Measured with nothing open, as an empty window's memory is the same at any time.
                self.put_away();
                self.bench.recorder.forget();
                memory.push(rss_anon_bytes().unwrap_or(0));
            }
        }
        self.put_away();
        let counts = &self.counts;
        let first = memory.len() / 10;
        let growth = memory[first..].iter().max().unwrap() - memory[first];
        let mb = |bytes: i64| bytes as f64 / f64::from(1 << 20);
        println!(
            "soak: {n_commands} commands in {:.0} s, {counts:?}, {:.1} MB after the first tenth, {:.1} MB at the end, \
             {:.1} MB more at most",
            began.elapsed().as_secs_f64(),
            mb(memory[first]),
            mb(*memory.last().unwrap()),
            mb(growth),
        );
        if n_commands >= 60 {
            assert!(counts.edits > n_commands / 40 && counts.opened > 0 && counts.undone > 0, "{counts:?}");
        }
        if n_commands >= SHORT_COMMANDS {
            assert!(counts.exports > 0 && counts.bounded > 0 && counts.frames_heard > 0, "{counts:?}");
        }
        // In a short run caches still fill.
        if n_commands >= 10_000 {
            assert!(growth < MAX_GROWTH_BYTES, "memory grew by {:.1} MB: {memory:?}", mb(growth));
        }
    }

    fn note(&mut self, what: String) {
        self.log.push(what);
    }

    fn studio(&mut self) -> &mut Studio {
        self.bench.harness.state_mut()
    }

    fn command(&mut self, command: impl Into<Command>) {
        let command = command.into();
        self.note(format!("{command:?}"));
        let ctx = self.bench.harness.ctx.clone();
        self.studio().apply(&ctx, command);
    }

    fn act(&mut self) {
        if self.bench.studio().document().is_none() {
            // The first three are good for much.
            let index =
                if self.random.once_in(8) { self.random.below(self.sounds.len()) } else { self.random.below(3) };
            self.open(index);
        }
        match self.random.below(100) {
            0..20 => {
                let command = self.random.pick(&self.commands);
                self.command(command);
            }
            20..50 => self.edit(),
            50..58 => self.select(),
            58..66 => {
                for _ in 0..1 + self.random.below(4) {
                    let command = self.random.pick(&[EditCommand::Undo, EditCommand::Undo, EditCommand::Redo]);
                    self.counts.undone += usize::from(command == EditCommand::Undo);
                    self.command(command);
                }
            }
            66..68 => {
                let index = self.random.below(self.sounds.len());
                self.open(index);
            }
            68..73 => self.listen(),
            73..75 => self.export(),
            75..79 => self.look_elsewhere(),
            79..83 => self.change_tools(),
            83..87 => self.press_a_key(),
            87..89 => self.go_through_history(),
            89..91 => {
                let secs = self.random.magnitude(0.01, 100.0);
                self.bench.clock.advance(secs);
            }
            91..96 if self.has_canvas => self.paint_by_hand(),
            91..94 => {
                let command = self.random.pick(&[
                    ClipboardCommand::Copy,
                    ClipboardCommand::Cut,
                    ClipboardCommand::Paste,
                    ClipboardCommand::PasteInPlace,
                ]);
                self.command(command);
            }
            _ => self.command(ClipboardCommand::LandPaste),
        }
        match self.random.below(4) {
            // Commands also come while others are under way.
            0 => self.bench.harness.step(),
            1 => {
                self.bench.jobs.run_until_idle();
                self.bench.harness.step();
            }
            _ => self.settle_and_check(),
        }
    }

    fn open(&mut self, index: usize) {
        let path = self.sounds[index].clone();
        self.note(format!("open {}", path.display()));
        self.bench.open(path);
        self.answer_card();
        self.counts.opened += 1;
    }

    /// Edits that would be lost are thrown away; other cards now and then stay open for a while.
    fn answer_card(&mut self) {
        if !self.discard_if_asked() && self.random.once_in(2) {
            self.command(WindowCommand::Cancel);
        }
    }

    fn discard_if_asked(&mut self) -> bool {
        // A card takes a frame to be measured.
        self.bench.harness.run_steps(2);
        let requested = ["Discard edits", "Discard recording"].into_iter().find(|label| self.bench.has(label));
        if let Some(label) = requested {
            self.bench.click(label);
        }
        requested.is_some()
    }

    fn place(&self) -> Option<Place> {
        let shown = self.bench.studio().document()?.shown();
        let rate_hz = shown.sample_rate_hz();
        let secs = (shown.n_samples() as f64 / rate_hz).max(0.01);
        Some(Place { secs, nyquist_hz: rate_hz / 2.0, n_channels: shown.n_channels() })
    }

    fn edit(&mut self) {
        let Some(place) = self.place() else { return };
        let kind = self.random.pick(&KINDS);
        let made = edit(&mut self.random, kind, place);
        self.note(made.to_string());
        let script = json!({"version": 1, "edits": [made]}).to_string();
        let edit = Script::parse(&script).unwrap_or_else(|error| panic!("{error}: {script}")).edits.remove(0);
        self.bench.act(DocumentAct::Edit(Box::new(edit)));
    }

    fn select(&mut self) {
        let Some(place) = self.place() else { return };
        let made = shape(&mut self.random, place);
        self.note(format!("select {made}"));
        let options = SelectRequest {
            combine: None,
            what: ShapeSearch::Wand {
                at: [self.random.between(0.0, place.secs), self.random.between(0.0, place.nyquist_hz)],
                tolerance_db: self.random.between(0.0, 40.0),
            },
        };
        if self.random.once_in(4) {
            return self.bench.act(DocumentAct::Find(options));
        }
        let script = json!({"version": 1, "edits": [{"brush": {"kind": "erase"}, "select": made}]}).to_string();
        let selection = Script::parse(&script).unwrap().edits.remove(0).select;
        if selection.as_ref().is_some_and(|selection| !selection.needs_sound()) {
            self.bench.act(DocumentAct::Select(selection));
        }
    }

    fn listen(&mut self) {
        let command =
            self.random.pick(&[PlayCommand::PlayStop, PlayCommand::Pause, PlayCommand::Loop, PlayCommand::ShuttleBack]);
        self.command(command);
        self.bench.harness.step();
        if self.bench.studio().facts().is_playing && self.random.once_in(2) {
            for _ in 0..1 + self.random.below(6) {
                // Less than the 40 ms that are kept ready.
                let n = 1 + self.random.below(250);
                self.bench.recorder.pull_ready(n, std::time::Duration::from_millis(200));
            }
            let heard = self.bench.recorder.samples();
            assert!(heard.iter().all(|sample| sample.is_finite()), "what is heard is not finite");
            self.counts.frames_heard += heard.len() / 2;
            self.bench.recorder.forget();
        }
    }

    /// What is written is what is shown: unchanged samples bit by bit, all of them within a rounding of its format.
    fn export(&mut self) {
        self.settle_and_check();
        let to = self.bench.out("out.wav");
        let Some(document) = self.bench.studio().document() else { return };
        let (current, original) = (document.history().current().clone(), document.history().original().clone());
        let format = self.random.pick(&[ExportFormat::Source, ExportFormat::Float32, ExportFormat::Pcm24]);
        self.note(format!("export {format:?}"));
        if format == ExportFormat::Source && self.random.once_in(2) {
            // As the user does.
            self.bench.dialogs.answer(Picked::File(to.clone()));
            self.command(FileCommand::Export);
            self.bench.settle();
            if self.bench.has("Save as\u{2026}") {
                self.bench.click("Save as\u{2026}");
            }
            self.bench.settle();
            self.bench.dialogs.forget();
        } else {
            export(&current, &to, format, None, &Progress::new()).unwrap();
        }
        if !to.exists() {
            return;
        }
        let written = open(&to);
        assert_eq!((written.n_samples(), written.n_channels()), (current.n_samples(), current.n_channels()));
        let step = match (format, original.source().info().format) {
            (ExportFormat::Source, SampleFormat::Pcm { bits }) => 2.0 / 2f32.powi(bits as i32 - 1),
            (ExportFormat::Pcm24, _) => 2.0 / 2f32.powi(23),
            _ => 0.0,
        };
        let n = current.n_samples() as usize;
        let [mut is, mut was, mut shown] = [vec![0.0f32; n], vec![0.0f32; n], vec![0.0f32; n]];
        for channel in 0..current.n_channels() {
            written.read(channel, 0, &mut is).unwrap();
            original.read(channel, 0, &mut was).unwrap();
            current.read(channel, 0, &mut shown).unwrap();
            for (at, is) in is.iter().enumerate() {
                let near = (is - shown[at].clamp(-1.0, 1.0)).abs() <= step * 1.01 + 1e-7 || is == &shown[at];
                assert!(near, "{format:?} wrote {is} for {} at {at}", shown[at]);
                let is_untouched = format == ExportFormat::Source && shown[at].to_bits() == was[at].to_bits();
                assert!(!is_untouched || is.to_bits() == was[at].to_bits(), "{} became {is} at {at}", was[at]);
            }
        }
        std::fs::remove_file(&to).unwrap();
        self.counts.exports += 1;
    }

    fn look_elsewhere(&mut self) {
        let Some(place) = self.place() else { return };
        let (a, b) = (self.random.between(0.0, place.secs), self.random.between(0.0, place.secs));
        let n_fft = self.random.pick(&[256, 512, 1024, 2048]);
        let hop = n_fft / self.random.pick(&[2, 4, 8]);
        self.bench.set_view(|view| {
            if b - a > 1e-3 {
                view.secs = [a, b];
            }
            view.transform = sonobrush::dsp::StftParams { n_fft, hop, ..*view.transform.as_stft().unwrap() }.into();
        });
        self.note(format!("look at {a} to {b}, {n_fft}, {hop}"));
    }

    fn change_tools(&mut self) {
        let tool = self.random.pick(&Tool::ALL);
        let (gain_db, hardness) = (self.random.between(-120.0, 24.0), self.random.between(0.0, 1.0));
        let build_up = self.random.once_in(4);
        self.note(format!("{tool:?} in hand"));
        self.bench.pick(tool);
        self.bench.set_tools(|tools| {
            set_number(tools, Tool::GAIN, "gain_db", gain_db);
            (tools.hardness, tools.build_up) = (hardness, build_up);
        });
    }

    fn press_a_key(&mut self) {
        use egui::Key::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Delete, Enter, Escape, Space, Tab};
        let key = self.random.pick(&[ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Delete, Enter, Escape, Space, Tab]);
        self.note(format!("{key:?}"));
        self.bench.harness.key_press_modifiers(NONE, key);
        self.bench.harness.step();
    }

    /// As a click in the history panel does.
    fn go_through_history(&mut self) {
        let to = self.random.below(64);
        if self.bench.studio().facts().is_busy {
            return;
        }
        self.note(format!("to step {to}"));
        self.bench.act(DocumentAct::GoTo(to));
    }

    fn paint_by_hand(&mut self) {
        let tool = self.random.pick(&[Tool::GAIN, Tool::ERASE, Tool::WARP, Tool::SelectBox, Tool::HEAL, Tool::TONE]);
        self.command(WindowCommand::Cancel);
        self.command(ToolCommand::Pick(tool));
        self.bench.settle();
        let Some(rect) = self.bench.studio().picture_rect() else { return };
        let at = |random: &mut Random| {
            let x = random.between(f64::from(rect.left()) + 2.0, f64::from(rect.right()) - 2.0);
            let y = random.between(f64::from(rect.top()) + 2.0, f64::from(rect.bottom()) - 2.0);
            egui::pos2(x as f32, y as f32)
        };
        let places: Vec<egui::Pos2> = (0..4).map(|_| at(&mut self.random)).collect();
        self.note(format!("drag {places:?}"));
        self.bench.drag(&places);
    }

    /// Closes everything: an empty window.
    fn put_away(&mut self) {
        self.command(PlayCommand::Stop);
        // More cards may wait behind the open one.
        for n_cancelled in 0..100 {
            if n_cancelled >= 4 && !self.bench.has("Close dialog") {
                break;
            }
            self.command(WindowCommand::Cancel);
            self.bench.settle();
        }
        while self.bench.studio().document().is_some() {
            let n_open = self.bench.studio().workbench().documents().len();
            self.command(FileCommand::Close);
            self.discard_if_asked();
            self.bench.settle();
            assert!(self.bench.studio().workbench().documents().len() < n_open, "{:?}", self.bench.notices());
        }
        assert!(self.bench.studio().document().is_none(), "{:?}", self.bench.notices());
        self.settle_and_check();
    }

    fn settle_and_check(&mut self) {
        self.bench.settle();
        let said = self.bench.notices();
        assert!(!said.iter().any(|(_, what)| what.contains("stopped unexpectedly")), "{said:?}");
        let facts = self.bench.studio().facts();
        let Some(document) = self.bench.harness.state().document() else {
            (self.document, self.known) = (None, Vec::new());
            return assert!(!facts.has_document && !facts.can_undo && !facts.has_selection);
        };
        if self.document != Some(document.id()) {
            (self.document, self.known) = (Some(document.id()), Vec::new());
        }
        let (entries, position) = (document.history().entries(), document.history().position());
        assert!(position < entries.len());
        let is_floating = document.floating().is_some();
        // Undo discards what floats and what is previewed.
        assert_eq!(facts.can_undo, position > 0 || is_floating || facts.is_previewing);
        assert_eq!(facts.can_redo, position + 1 < entries.len());
        self.known.truncate(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            if self.known.get(index).is_some_and(|known| known.snapshot.is_same(&entry.snapshot)) {
                continue;
            }
            self.known.truncate(index);
            let hash = hash_of(&entry.snapshot).unwrap_or_else(|| panic!("not finite: {:?}", entry.edit));
            if let (Some(edit), Some(before)) = (&entry.edit, self.known.last()) {
                self.counts.edits += 1;
                let broken = violation(edit, &before.snapshot, &entry.snapshot);
                assert!(broken.is_none(), "{broken:?}: {edit:?}");
                self.counts.bounded += usize::from(reach_secs(edit, entry.snapshot.sample_rate_hz()).is_some());
            }
            self.known.push(Known { snapshot: entry.snapshot.clone(), hash });
        }
        for index in [position, self.random.below(entries.len())] {
            let hash = hash_of(&entries[index].snapshot);
            assert_eq!(hash, Some(self.known[index].hash), "step {index} of {} has changed", entries.len());
        }
        let store = document.history().original().store();
        assert!(store.ram_bytes() <= BUDGET_BYTES, "{} bytes of history in memory", store.ram_bytes());
        let view = document.view();
        let (secs, hz) = (view.secs, view.hz);
        assert!(secs[0] < secs[1] && hz[0] < hz[1] && secs[1] <= document.duration_secs() + 1e-9, "{secs:?} {hz:?}");
        assert!((0.0..=document.duration_secs()).contains(&document.cursor_secs()), "{}", document.cursor_secs());
        let n = document.shown().n_samples() * document.shown().n_channels() as u64;
        if n > MAX_SAMPLES || entries.len() > 60 {
            self.put_away();
        }
    }
}
