//! *Export by label…*: a file for each label through the window, by mouse and keys.

use super::export_card::{choose, chosen, fill_number};
use crate::support::program::Place;
use crate::support::signals::Rng;
use crate::support::studio::{Bench, CTRL, Drawing, NONE};
use crate::support::wav::{Format, Wav};
use egui::{Key, Role};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::workbench::{Jobs, LabelAct, LabelOrder, Picked, Severity};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const RATE: u32 = 16_000;
/// Two ranges with one text that is no name, a marker, and a range with a band.
const LABELS: &str = "start_s,end_s,low_hz,high_hz,label\n\
    0.10004,0.5,,,call/A\n0.6,0.9,,,call/A\n1.0,1.0,,,here\n1.2,1.5,1000,3000,b\n";

/// Two seconds of noise on two channels.
fn noise() -> Wav {
    let mut rng = Rng(34);
    let mut channel = || (0..2 * RATE).map(|_| (rng.between(-1.0, 1.0) * 9_000.0) as i64).collect::<Vec<i64>>();
    let channels = vec![channel(), channel()];
    Wav { format: Format::Pcm(16), rate: RATE, channels }
}

/// The sound in a folder of its own, with these labels read from a file by the command for it.
fn bench_with(labels: &str) -> (Bench, Wav) {
    let mut bench = Bench::new(Drawing::None);
    let (sound, path) = (noise(), bench.out("in.wav"));
    sound.write(&path);
    bench.open(path);
    bench.settle();
    std::fs::write(bench.out("l.csv"), labels).unwrap();
    bench.dialogs.answer(Picked::File(bench.out("l.csv")));
    give(&mut bench, "Import labels\u{2026}");
    (bench, sound)
}

/// By its name in the palette.
fn give(bench: &mut Bench, name: &str) {
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text(name);
    bench.settle();
    bench.key(NONE, Key::Enter);
}

/// Opens the card by the menu.
fn ask(bench: &mut Bench) {
    bench.click("File");
    bench.click("Export by label\u{2026}");
    assert!(bench.has("Close dialog"), "{:?}", bench.notices());
}

fn type_into(bench: &mut Bench, field: &str, text: &str) {
    bench.fill(field, text);
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn says(bench: &Bench, severity: Severity, what: &str) -> bool {
    bench.notices().iter().any(|(of, said)| *of == severity && said.contains(what))
}

fn is_ready(bench: &Bench) -> bool {
    let mut all = bench.harness.query_all_by_role(Role::Button);
    all.any(|node| node.accesskit_node().label().as_deref() == Some("Export") && !node.accesskit_node().is_disabled())
}

#[test]
fn labels_become_files_with_the_sounds_own_samples_and_a_table() {
    let (mut bench, sound) = bench_with(LABELS);
    ask(&mut bench);
    let folder = bench.harness.get_by_label("Folder").value().unwrap();
    assert_eq!(Path::new(&folder), bench.out("in-parts"));
    assert!(bench.has("Writes 3 files, in_001_call_A.wav first."));
    // A dialog fills the folder, a cancelled one changes nothing.
    bench.click("Choose folder");
    bench.dialogs.answer(Picked::File(bench.out("parts")));
    bench.click("Choose folder");
    assert_eq!(Path::new(&bench.harness.get_by_label("Folder").value().unwrap()), bench.out("parts"));
    type_into(&mut bench, "Names", "{label}");
    choose(&mut bench, "Table", "CSV");
    assert!(bench.has("Writes 3 files, call_A.wav first, and in-parts.csv."));
    bench.click("Export");
    let folder = bench.out("parts");
    assert_eq!(names(&folder), ["b.wav", "call_A.wav", "call_A_2.wav", "in-parts.csv"], "{:?}", bench.notices());
    let edges = [("call_A.wav", 1_601..8_000), ("call_A_2.wav", 9_600..14_400), ("b.wav", 19_200..24_000)];
    let table = std::fs::read_to_string(folder.join("in-parts.csv")).unwrap();
    assert_eq!(table.lines().count(), 4);
    for (name, range) in edges {
        let part = Wav::read(&folder.join(name));
        assert_eq!((part.format, part.rate), (sound.format, RATE));
        for (channel, all) in part.channels.iter().zip(&sound.channels) {
            assert!(*channel == all[range.clone()], "{name}");
        }
        let hash = blake3::hash(&std::fs::read(folder.join(name)).unwrap()).to_hex().to_string();
        let row = format!(",{name},{},{},{hash}", range.start, range.len());
        assert!(table.lines().any(|line| line.ends_with(&row)), "{row} is not in {table}");
    }
    assert!(!bench.has("Close dialog") && says(&bench, Severity::Info, "Exported 3 files to parts."));
    bench.click("Show folder");
    assert_eq!(bench.dialogs.shown(), [folder]);
    assert!(bench.studio().document().unwrap().has_unsaved_edits(), "parts are no copy of the sound with its labels");
}

#[test]
fn what_is_there_is_replaced_only_where_that_is_ticked() {
    let (mut bench, sound) = bench_with(LABELS);
    let folder = bench.out("parts");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("in_002_call_A.wav"), "mine").unwrap();
    ask(&mut bench);
    type_into(&mut bench, "Folder", folder.to_str().unwrap());
    assert!(bench.has("in_002_call_A.wav is already there. Choose another folder, or tick Replace."));
    assert!(!is_ready(&bench));
    bench.key(CTRL, Key::Enter);
    assert!(bench.has("Close dialog") && names(&folder).len() == 1);
    bench.click("Replace files that are there");
    assert!(bench.has("Writes 3 files, in_001_call_A.wav first.") && is_ready(&bench));
    bench.key(CTRL, Key::Enter);
    assert!(!bench.has("Close dialog"));
    assert_eq!(names(&folder).len(), 3, "{:?}", bench.notices());
    assert!(Wav::read(&folder.join("in_002_call_A.wav")).channels[1] == sound.channels[1][9_600..14_400]);

    // The sound itself is replaced by no part of it.
    ask(&mut bench);
    let own = bench.out("");
    type_into(&mut bench, "Folder", own.to_str().unwrap());
    type_into(&mut bench, "Names", "{name}");
    bench.click("Replace files that are there");
    assert!(bench.has("in.wav is the sound itself. Choose another folder or other names.") && !is_ready(&bench));
    type_into(&mut bench, "Names", "{nme}");
    assert!(!is_ready(&bench));
    bench.key(NONE, Key::Escape);
    assert!(!bench.has("Close dialog") && Wav::read(&bench.out("in.wav")) == sound);

    // What comes to be there after the card looked is kept, too; the card comes back as it was.
    ask(&mut bench);
    let other = bench.out("other");
    type_into(&mut bench, "Folder", other.to_str().unwrap());
    type_into(&mut bench, "Names", "{n}");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("2.wav"), "mine").unwrap();
    bench.click("Export");
    assert!(
        says(&bench, Severity::Error, "Cannot export 2.wav: it is already there; choose another folder"),
        "{:?}",
        bench.notices()
    );
    assert_eq!((names(&other).len(), std::fs::read(other.join("2.wav")).unwrap()), (1, b"mine".to_vec()));
    ask(&mut bench);
    assert_eq!(bench.harness.get_by_label("Names").value().unwrap(), "{n}");
    assert!(bench.has("2.wav is already there. Choose another folder, or tick Replace."));
}

#[test]
fn parts_between_markers_are_the_whole_sound() {
    let (mut bench, sound) = bench_with("start_s,end_s,label\n0.3,0.3,a\n0.3,0.9,a range\n1.5,1.5,b\n");
    ask(&mut bench);
    bench.click("Split at markers");
    type_into(&mut bench, "Names", "{n:03}_{label}");
    assert!(bench.has("Writes 3 files, 001_start.wav first."));
    bench.click("Export");
    let folder = bench.out("in-parts");
    assert_eq!(names(&folder), ["001_start.wav", "002_a.wav", "003_b.wav"]);
    let parts: Vec<Wav> = names(&folder).iter().map(|name| Wav::read(&folder.join(name))).collect();
    for (channel, all) in sound.channels.iter().enumerate() {
        let joined: Vec<i64> = parts.iter().flat_map(|part| part.channels[channel].clone()).collect();
        assert!(joined == *all, "channel {channel}");
    }
    // Where there are markers alone, the card comes with that ticked.
    let (mut bench, _) = bench_with("start_s,end_s,label\n0.3,0.3,a\n");
    ask(&mut bench);
    assert!(bench.has("Writes 2 files, in_001_start.wav first."));
}

/// Lists, numbers and boxes of the card, and what is typed to the command for the same.
type PartsCase<'a> = (&'a [(&'a str, &'a str)], &'a [(&'a str, &'a str)], &'a [&'a str], &'a [&'a str]);

#[test]
fn each_choice_of_the_card_is_the_commands() {
    let (mut bench, _) = bench_with(LABELS);
    let place = Place::new();
    let cases: [PartsCase<'_>; 5] = [
        (&[("Type", "FLAC")], &[("Fade", "5")], &[], &["--as", "flac", "--fade", "5"]),
        (&[], &[("Before", "0.1"), ("After", "0.02")], &[], &["--pad", "0.1,0.02"]),
        (
            &[("Table", "Hugging Face"), ("Rate", "8 kHz"), ("Channels", "Left")],
            &[],
            &[],
            &["--hf", "--rate", "8000", "--channels", "left"],
        ),
        (
            &[("Format", "32-bit float")],
            &[("Fade", "10")],
            &["Only the box's band"],
            &["--band", "--fade", "10", "--format", "float32"],
        ),
        (&[("Type", "WAV")], &[("Before", "0.1")], &["Split at markers"], &["--split", "--as", "wav"]),
    ];
    for (index, (lists, numbers, boxes, typed)) in cases.iter().enumerate() {
        let by_card = bench.out(&format!("card{index}"));
        ask(&mut bench);
        type_into(&mut bench, "Folder", by_card.to_str().unwrap());
        for (list, entry) in *lists {
            choose(&mut bench, list, entry);
            assert_eq!(chosen(&bench, list), *entry);
        }
        numbers.iter().for_each(|(field, text)| fill_number(&mut bench, field, text));
        boxes.iter().for_each(|name| bench.click(name));
        bench.click("Export");
        let by_command = format!("command{index}");
        let (input, labels) = (bench.out("in.wav"), bench.out("l.csv"));
        let run = ["--engine", "cpu", "export", input.to_str().unwrap(), "--by-label", "--labels"];
        place.done_with_notices(&[&run[..], &[labels.to_str().unwrap(), "-o", &by_command], typed].concat());
        let written = names(&by_card);
        assert!(!written.is_empty() && written == names(&place.path(&by_command)), "{typed:?}: {written:?}");
        for name in written {
            let same = std::fs::read(by_card.join(&name)).unwrap() == place.read(&format!("{by_command}/{name}"));
            assert!(same, "{typed:?}: other bits in {name}");
        }
    }
}

#[test]
fn labels_are_chosen_by_their_text_and_by_the_list() {
    let (mut bench, _) = bench_with(LABELS);
    bench.act(LabelAct::List(LabelOrder { filter: "CALL".into(), ..LabelOrder::default() }));
    bench.settle();
    ask(&mut bench);
    choose(&mut bench, "Labels", "As listed");
    assert!(bench.has("Writes 2 files, in_001_call_A.wav first."));
    choose(&mut bench, "Labels", "With this text");
    type_into(&mut bench, "Text", "?");
    assert!(bench.has("Writes in_001_b.wav."));
    type_into(&mut bench, "Text", "none*");
    assert!(bench.has("There is no labelled range with such a text; add one, or choose others."));
    assert!(!is_ready(&bench));
    // Names of a preset are those of the card.
    choose(&mut bench, "Labels", "All labels");
    type_into(&mut bench, "Names", "{id}");
    bench.click("Save as preset\u{2026}");
    bench.harness.event(egui::Event::Text("Calls".into()));
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert!(bench.has("Close dialog"), "Enter saved the preset and exported nothing");
    type_into(&mut bench, "Names", "other");
    choose(&mut bench, "Preset", "podcast");
    choose(&mut bench, "Preset", "Calls");
    assert_eq!(bench.harness.get_by_label("Names").value().unwrap(), "{id}");
    bench.key(NONE, Key::Escape);
    assert!(!bench.has("Close dialog"));
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_the_rest_is_whole() {
    let (mut bench, _) = bench_with(LABELS);
    let folder = bench.out("in-parts");
    // A file is no match for a folder of its name.
    std::fs::create_dir_all(folder.join("in_002_call_A.wav/mine")).unwrap();
    ask(&mut bench);
    choose(&mut bench, "Table", "CSV");
    bench.click("Replace files that are there");
    bench.click("Export");
    assert!(says(&bench, Severity::Error, "Cannot export in_002_call_A.wav: it is not a regular file"));
    assert_eq!(bench.notices().iter().filter(|(severity, _)| *severity == Severity::Error).count(), 1);
    assert_eq!(names(&folder), ["in_001_call_A.wav", "in_002_call_A.wav"], "no table, nothing half written");
    assert_eq!(Wav::read(&folder.join("in_001_call_A.wav")).channels[0].len(), 6_399);
}

#[test]
fn an_export_that_is_stopped_before_its_first_file_leaves_nothing() {
    let (mut bench, _) = bench_with(LABELS);
    ask(&mut bench);
    bench.harness.get_by_label("Export").click();
    for _ in 0..3 {
        bench.harness.step();
    }
    assert!(!bench.has("Close dialog"), "the job waits");
    bench.harness.key_press(Key::Escape);
    bench.settle();
    assert!(!bench.out("in-parts").exists());
    assert!(says(&bench, Severity::Info, "The export was stopped; no file was written."), "{:?}", bench.notices());
}

fn wait_until(bench: &mut Bench, what: &str, is_so: impl Fn(&Bench) -> bool) {
    let began = Instant::now();
    while !is_so(bench) {
        assert!(began.elapsed() < Duration::from_secs(120), "{what}: {:?}", bench.notices());
        bench.harness.step();
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn an_export_that_is_stopped_leaves_whole_files_alone() {
    const MANY: usize = 4_000;
    let mut bench = Bench::with_jobs(Drawing::None, tempfile::tempdir().unwrap(), Jobs::threads(|| ()));
    let path: PathBuf = bench.out("in.wav");
    noise().write(&path);
    // Beside the sound, whose labels they are.
    let rows: String = (0..MANY).map(|n| format!("{},{},call\n", 4e-4 * n as f64, 4e-4 * n as f64 + 0.25)).collect();
    std::fs::write(bench.out("in.csv"), format!("start_s,end_s,label\n{rows}")).unwrap();
    bench.open(path);
    wait_until(&mut bench, "labels", |bench| bench.has("Import labels beside the file"));
    bench.harness.get_by_label("Import labels beside the file").click();
    wait_until(&mut bench, "the labels", |bench| bench.studio().facts().has_labels);
    bench.harness.get_by_label("File").click();
    wait_until(&mut bench, "the menu", |bench| bench.has("Export by label\u{2026}"));
    bench.harness.get_by_label("Export by label\u{2026}").click();
    wait_until(&mut bench, "the plan", |bench| bench.has("Writes 4000 files, in_001_call.wav first."));
    bench.harness.get_by_label("Export").click();
    let folder = bench.out("in-parts");
    let is_sound = |name: &String| name.ends_with(".wav") && !name.starts_with('.');
    wait_until(&mut bench, "files", |_| names(&folder).iter().filter(|name| is_sound(name)).count() > 2);
    bench.harness.key_press(Key::Escape);
    wait_until(&mut bench, "the end", |bench| says(bench, Severity::Info, "The export was stopped: "));
    let written = names(&folder);
    assert!(written.len() > 2 && written.len() < MANY, "{}", written.len());
    let reported = format!("The export was stopped: {} of {MANY} files are in in-parts.", written.len());
    assert!(says(&bench, Severity::Info, &reported), "{:?}", bench.notices());
    for (at, name) in written.iter().enumerate() {
        assert_eq!(*name, format!("in_{:03}_call.wav", at + 1));
        assert_eq!(Wav::read(&folder.join(name)).channels[0].len(), 4_000, "{name}");
    }
}
