//! *Run on files…*: the edits of the open file, or a script, over folders, through the window.

use crate::support::studio::{Bench, Drawing, NONE};
use crate::support::wav::{Format, Wav};
use egui::Key;
use egui_kittest::kittest::Queryable;
use sonobrush::base::Progress;
use sonobrush::document::brushes::Gain;
use sonobrush::document::{Edit, Snapshot, apply};
use sonobrush::dsp::{Axis, Selection, StftParams};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::{DocumentAct, Picked};
use std::path::{Path, PathBuf};

const RATE: u32 = 8_000;
/// What rounding to 16 bits with dither does at most.
const DITHER: f32 = 2.5 / 32_768.0;

fn sound(path: &Path, n: usize, n_channels: usize) {
    let sample = |k: usize| (8_000.0 * (k as f64 * (0.1 + 0.01 * n as f64)).sin()) as i64;
    let channel: Vec<i64> = (0..4_000).map(sample).collect();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    Wav { format: Format::Pcm(16), rate: RATE, channels: vec![channel; n_channels] }.write(path);
}

fn edit() -> Edit {
    let select = Selection::rectangle(Some([0.1, 0.3]), None, [0.0; 2], Axis::Linear);
    Edit { select: Some(select), ..Edit::of(Gain { gain_db: -12.0 }, StftParams::of_size(512, 4, Default::default())) }
}

/// A bench with an edited file open, and a folder of other files, 3 of 40 damaged.
fn bench() -> (Bench, PathBuf) {
    let mut bench = Bench::new(Drawing::None);
    let folder = bench.out("takes");
    for n in 0..40 {
        let path = folder.join(format!("{n:02}.wav"));
        sound(&path, n, 1);
        if n % 13 == 5 {
            std::fs::write(path, "no sound").unwrap();
        }
    }
    let own = bench.out("own.wav");
    sound(&own, 50, 1);
    bench.open(own);
    bench.settle();
    bench.act(DocumentAct::Edit(Box::new(edit())));
    bench.settle();
    (bench, folder)
}

/// A file that is dropped on the window.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

fn samples(path: &Path) -> Vec<f32> {
    let source = Source::open(path, &Progress::new()).unwrap().source;
    let mut samples = vec![0.0; source.info().n_samples as usize];
    source.read(0, 0, &mut samples).unwrap();
    samples
}

/// What a person does: the palette, its name, Enter, the folder, Run, and a look at what came of it.
#[test]
fn forty_files_are_run_in_six_inputs() {
    let (mut bench, folder) = bench();
    let mut n_inputs = 0;
    let mut input = |bench: &mut Bench, act: &dyn Fn(&mut Bench)| {
        act(bench);
        n_inputs += 1;
    };
    input(&mut bench, &|bench| bench.click("Find a command\u{2026}"));
    input(&mut bench, &|bench| {
        bench.harness.get_by_label("Command to find").type_text("Run on files");
        bench.settle();
    });
    input(&mut bench, &|bench| bench.key(NONE, Key::Enter));
    let typed = folder.to_string_lossy().into_owned();
    input(&mut bench, &|bench| bench.fill("Folders and files", &typed));
    input(&mut bench, &|bench| bench.click("Run"));
    assert!(bench.has("37 of 40 files painted"), "{:?}", bench.notices());
    // The worst come first: those that failed, each with its sentence.
    let texts = bench.harness.query_all_by_role(egui::Role::Label);
    let failed = texts.filter(|text| text.value().is_some_and(|text| text.starts_with("failed  ")));
    assert_eq!(failed.count(), 3);
    input(&mut bench, &|bench| bench.click("Close"));
    assert!(n_inputs <= 6, "{n_inputs} inputs");
    let output = folder.with_file_name("takes-painted");
    for n in 0..40 {
        let name = format!("{n:02}.wav");
        let path = output.join(&name);
        assert_eq!(path.exists(), n % 13 != 5, "{name}");
        if !path.exists() {
            continue;
        }
        let before = Snapshot::new(Source::open(&folder.join(&name), &Progress::new()).unwrap().source);
        let after = apply(&before, &edit(), &Engine::cpu(), &Progress::new()).unwrap().snapshot;
        let mut expected = vec![0.0; after.n_samples() as usize];
        after.read(0, 0, &mut expected).unwrap();
        let apart = expected.iter().zip(samples(&path)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < DITHER, "{name} is {apart} off");
    }
}

#[test]
fn what_does_not_go_together_is_said_on_the_card_and_a_script_file_serves() {
    let (mut bench, folder) = bench();
    give(&mut bench);
    bench.click("Run");
    assert!(bench.has("Name a folder, or several files, to run on."));
    bench.fill("Folders and files", &folder.to_string_lossy());
    bench.fill("Output", &folder.join("inside").to_string_lossy());
    bench.click("Run");
    let said = |bench: &Bench, what: &str| {
        bench
            .harness
            .query_all_by(|node| node.value().or_else(|| node.label()).is_some_and(|text| text.contains(what)))
            .count()
            > 0
    };
    assert!(said(&bench, "lies within the input"));
    assert!(!folder.join("inside").exists());
    // A script from a file, through dialogs; a dialog that is cancelled changes nothing.
    bench.click("A script");
    let script = bench.out("s.json");
    std::fs::write(&script, r#"{"version": 1, "edits": [{"brush": {"kind": "gian"}}]}"#).unwrap();
    bench.dialogs.answer(Picked::File(script.clone()));
    bench.click("Choose script");
    bench.click("Choose output");
    bench.dialogs.answer(Picked::File(bench.out("made")));
    bench.click("Choose output");
    bench.click("Run");
    assert!(said(&bench, "\"gian\" is unknown"));
    std::fs::write(&script, r#"{"version": 1, "edits": [{"brush": {"kind": "reverse"}}]}"#).unwrap();
    bench.click("Run");
    assert!(bench.has("37 of 40 files painted"));
    bench.click("Show folder");
    assert_eq!(bench.dialogs.shown(), [bench.out("made")]);
    let (mut reversed, painted) = (samples(&folder.join("00.wav")), samples(&bench.out("made/00.wav")));
    reversed.reverse();
    let apart = reversed.iter().zip(&painted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart < DITHER && reversed.len() == painted.len(), "{apart}");
}

#[test]
fn files_that_are_dropped_on_the_card_are_its_inputs() {
    let (mut bench, folder) = bench();
    give(&mut bench);
    for name in ["00.wav", "01.wav"] {
        bench.harness.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(folder.join(name))));
        bench.settle();
    }
    bench.click("Run");
    assert!(bench.has("2 files painted"), "{:?}", bench.notices());
    assert_eq!(std::fs::read_dir(folder.join("painted")).unwrap().count(), 3, "two outputs and the report");
}

fn give(bench: &mut Bench) {
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text("Run on files");
    bench.settle();
    bench.key(NONE, Key::Enter);
}
