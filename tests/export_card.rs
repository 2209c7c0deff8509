//! The card of an export: each choice is the command line's, presets, names, and the warning of samples that would
//! clip.

use super::support::program::Place;
use super::support::studio::{Bench, CTRL, Drawing, NONE, clip};
use super::support::wav::Wav;
use egui::Key;
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::document::brushes::Gain;
use sonobrush::document::{DeliveredChannels, Delivery, Edit, LevelTarget};
use sonobrush::dsp::{Axis, Selection, StftParams};
use sonobrush::workbench::commands::EditCommand;
use sonobrush::workbench::{DocumentAct, PlayAct, Severity};
use std::path::PathBuf;

const DRUMS: &str = "drum_break_44k_stereo.flac";

/// Takes an entry of a list of the card.
pub fn choose(bench: &mut Bench, list: &str, entry: &str) {
    list_of(bench, list).click();
    bench.settle();
    bench.click(entry);
}

pub fn chosen(bench: &Bench, list: &str) -> String {
    list_of(bench, list).value().unwrap_or_default()
}

/// The list of the card, which lies over the bars: these have one of presets, too.
fn list_of<'a>(bench: &'a Bench, list: &'a str) -> egui_kittest::Node<'a> {
    let mut all = bench.harness.query_all_by_role(egui::Role::ComboBox);
    all.rfind(|node| node.accesskit_node().label().as_deref() == Some(list)).unwrap()
}

/// Types a number into a field and leaves it.
pub fn fill_number(bench: &mut Bench, field: &str, text: &str) {
    bench.harness.get_by_role_and_label(egui::Role::SpinButton, field).click();
    bench.settle();
    bench.harness.key_press_modifiers(CTRL, Key::A);
    bench.harness.event(egui::Event::Text(text.into()));
    bench.harness.key_press(Key::Tab);
    bench.settle();
}

fn ask(bench: &mut Bench) {
    bench.key(CTRL, Key::E);
    assert!(bench.has("Close dialog"));
}

fn export_as(bench: &mut Bench, path: &std::path::Path) {
    bench.fill("Path", path.to_str().unwrap());
    bench.click("Export");
    assert!(path.exists(), "{:?}", bench.notices());
}

type Choices<'a> = &'a [(&'a str, &'a str)];
/// Lists, fields, and what is typed to the command for the same.
type CardCase<'a> = (Choices<'a>, Choices<'a>, &'a [&'a str]);

#[test]
fn each_choice_of_the_card_is_the_command_lines() {
    let place = Place::new();
    let mut bench = Bench::with_clip(Drawing::None, DRUMS);
    let input = clip(DRUMS);
    let cases: [CardCase<'_>; 8] = [
        (&[], &[], &[]),
        (&[("Format", "24 bit"), ("Dither", "TPDF")], &[], &["--format", "pcm24", "--dither", "tpdf"]),
        (&[("Dither", "None"), ("Channels", "Left")], &[], &["--dither", "none", "--channels", "left"]),
        (&[("Channels", "Right"), ("Format", "32-bit float")], &[], &["--channels", "right", "--format", "float32"]),
        (&[("Channels", "Mono: (L+R)/2"), ("Rate", "16 kHz")], &[], &["--channels", "mid", "--rate", "16000"]),
        (
            &[("Channels", "Mono: (L+R)/\u{221a}2"), ("Level", "To a peak")],
            &[("Peak", "-3.5")],
            &["--channels", "mix", "--peak", "-3.5"],
        ),
        (
            &[("Level", "To a loudness"), ("Rate", "22.05 kHz")],
            &[("Loudness", "-23"), ("Rate in hertz", "12345")],
            &["--loudness", "-23", "--rate", "12345"],
        ),
        (&[("Speed", "1/2, 22.05 kHz")], &[], &["--speed", "0.5"]),
    ];
    for (index, (lists, fields, typed)) in cases.iter().enumerate() {
        for ending in ["wav", "flac"] {
            if ending == "flac" && typed.contains(&"float32") {
                continue;
            }
            let by_card = place.path(&format!("{index}.{ending}"));
            ask(&mut bench);
            if ending == "flac" {
                choose(&mut bench, "Type", "FLAC");
            }
            for (list, entry) in *lists {
                choose(&mut bench, list, entry);
                assert_eq!(chosen(&bench, list), *entry);
            }
            for (field, text) in *fields {
                fill_number(&mut bench, field, text);
            }
            export_as(&mut bench, &by_card);
            let by_command = format!("c.{ending}");
            let run = [&["export", input.to_str().unwrap(), "-o", &by_command], *typed].concat();
            place.done_with_notices(&run);
            assert!(std::fs::read(&by_card).unwrap() == place.read(&by_command), "{typed:?}: other bits in {ending}");
            std::fs::remove_file(place.path(&by_command)).unwrap();
        }
    }
}

/// What has lost something of the sound is no safe copy of its edits.
#[test]
fn a_lossy_export_leaves_edits_unsaved() {
    let place = Place::new();
    let mut bench = Bench::with_clip(Drawing::None, DRUMS);
    bench.select(Some([0.1, 0.2]), None);
    bench.act(EditCommand::EraseSelection);
    bench.settle();
    let is_unsaved = |bench: &Bench| bench.studio().document().unwrap().has_unsaved_edits();
    for (name, is_copy) in [("a.mp3", false), ("b.opus", false), ("c.flac", true)] {
        ask(&mut bench);
        export_as(&mut bench, &place.path(name));
        assert_eq!(is_unsaved(&bench), !is_copy, "{name}");
    }
}

/// Four inputs, by keys alone: the card, the list of presets, a preset, the export.
#[test]
fn a_preset_is_exported_in_four_inputs() {
    let place = Place::new();
    let mut bench = Bench::with_clip(Drawing::None, DRUMS);
    ask(&mut bench);
    export_path(&mut bench, &place);
    bench.key(NONE, Key::Tab);
    bench.key(NONE, Key::ArrowDown);
    assert_eq!(chosen(&bench, "Preset"), "podcast");
    bench.key(CTRL, Key::Enter);
    assert!(!bench.has("Close dialog"));
    place.done(&["export", clip(DRUMS).to_str().unwrap(), "-o", "c.mp3", "--channels", "mid", "--loudness", "-16"]);
    assert!(place.read("out.mp3") == place.read("c.mp3"));

    // By mouse: the card, the list, the preset, Export.
    ask(&mut bench);
    export_path(&mut bench, &place);
    choose(&mut bench, "Preset", "archive");
    assert_eq!(chosen(&bench, "Format"), "24 bit");
    bench.click("Export");
    place.done(&["export", clip(DRUMS).to_str().unwrap(), "-o", "a.flac", "--preset", "archive"]);
    assert!(place.read("out.flac") == place.read("a.flac"));
}

/// Puts the suggested path into the test's folder; the field keeps the keyboard.
fn export_path(bench: &mut Bench, place: &Place) {
    bench.fill("Path", place.path("out.wav").to_str().unwrap());
}

#[test]
fn presets_are_saved_chosen_and_removed_on_the_card() {
    let mut bench = Bench::with_clip(Drawing::None, DRUMS);
    ask(&mut bench);
    choose(&mut bench, "Channels", "Mono: (L+R)/2");
    choose(&mut bench, "Level", "To a loudness");
    choose(&mut bench, "Type", "FLAC");
    bench.click("Save as preset\u{2026}");
    // The field has the keyboard.
    bench.harness.event(egui::Event::Text("Talk".into()));
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert!(bench.has("Close dialog"), "Enter saved the preset and exported nothing");
    assert_eq!(chosen(&bench, "Preset"), "Talk");
    let file = bench.out("settings/exports/Talk.json");
    let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let fields = ["container", "channels", "loudness_lufs"].map(|field| kept[field].to_string());
    assert_eq!(fields, ["\"flac\"", "\"mid\"", "-16.0"]);
    // Changed by hand it is the preset no longer; chosen again, its choices come back.
    choose(&mut bench, "Channels", "Left");
    assert_eq!(chosen(&bench, "Preset"), "None");
    choose(&mut bench, "Preset", "Talk");
    assert_eq!(chosen(&bench, "Channels"), "Mono: (L+R)/2");
    choose(&mut bench, "Preset", "as source");
    assert_eq!((chosen(&bench, "Channels"), chosen(&bench, "Level")), ("Stereo, as it is".into(), "As it is".into()));
    choose(&mut bench, "Preset", "Talk");
    bench.click("Remove preset");
    assert!(!file.exists() && chosen(&bench, "Preset") == "None");
    bench.key(NONE, Key::Escape);

    // A name that is none, and a folder that cannot be written: one sentence, nothing changed.
    ask(&mut bench);
    bench.click("Save as preset\u{2026}");
    bench.harness.event(egui::Event::Text("a/b".into()));
    bench.settle();
    bench.click("Save preset");
    let notices = bench.notices();
    assert!(notices.iter().any(|(severity, what)| *severity == Severity::Error && what.contains("must not contain")));
    assert!(std::fs::read_dir(bench.out("settings/exports")).unwrap().next().is_none());
}

#[test]
fn clipping_is_told_before_it_happens_with_a_cure_beside_it() {
    let mut bench = Bench::with_clip(Drawing::None, DRUMS);
    ask(&mut bench);
    assert!(bench.has("Nothing clips. Samples outside your edits are written unchanged."));
    bench.key(NONE, Key::Escape);
    let select = Some(Selection::rectangle(Some([0.0, 1.0]), None, [0.0; 2], Axis::Linear));
    bench.act(DocumentAct::Edit(Box::new(Edit { select, ..Edit::of(Gain { gain_db: 12.0 }, StftParams::default()) })));
    bench.settle();
    ask(&mut bench);
    let reported = |bench: &Bench| {
        let labels = bench.harness.query_all_by_role(egui::Role::Label);
        labels
            .filter_map(|node| node.value().or(node.accesskit_node().label()))
            .find(|text| text.contains("would clip"))
    };
    let before = reported(&bench).unwrap();
    let n: u64 = before.split(' ').next().unwrap().replace('\u{2009}', "").parse().unwrap();
    let path = bench.out("loud.wav");
    export_as(&mut bench, &path);
    let full = Wav::read(&path);
    assert!(n > 10 && before.contains("by up to "), "{before}");
    let counted = bench.notices().into_iter().find(|(_, what)| what.contains("beyond full scale")).unwrap().1;
    assert!(counted.contains(&sonobrush::base::number(n as f64, 0)), "{before} and {counted}");
    assert!(full.channels.iter().flatten().any(|value| value.abs() >= 32_767));

    ask(&mut bench);
    bench.click("Normalise");
    assert_eq!(reported(&bench), None);
    assert_eq!(chosen(&bench, "Level"), "To a peak");
    let path = bench.out("normal.wav");
    export_as(&mut bench, &path);
    let peak = Wav::read(&path).channels.iter().flatten().map(|value| value.abs()).max().unwrap();
    // Rounded with two LSB of noise.
    assert!((peak - (10f64.powf(-0.05) * 32_768.0) as i64).abs() <= 2, "{peak}");
    // Floats hold what is beyond full scale.
    ask(&mut bench);
    choose(&mut bench, "Format", "32-bit float");
    assert_eq!(reported(&bench), None);
}

#[test]
fn a_name_may_be_a_pattern_and_a_choice_that_cannot_be_is_told() {
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    bench.select(Some([0.25, 0.5]), None);
    ask(&mut bench);
    bench.harness.get_by_label_contains("Export the selection only").click();
    bench.settle();
    let path: PathBuf = bench.out("{name}_{start}_{end}.wav");
    bench.fill("Path", path.to_str().unwrap());
    assert!(bench.has("Named speech_16k_mono_0.250_0.500.wav."));
    bench.click("Export");
    assert_eq!(Wav::read(&bench.out("speech_16k_mono_0.250_0.500.wav")).channels[0].len(), 4_000);
    ask(&mut bench);
    bench.fill("Path", bench.out("{nam}.wav").to_str().unwrap());
    bench.click("Export");
    let notices = bench.notices();
    assert!(notices.iter().any(|(severity, what)| *severity == Severity::Error && what.contains("{nam} is no part")));

    // At the speed that it is played at, 3,200 Hz would be too few.
    bench.act(PlayAct::Speed(0.2));
    bench.settle();
    ask(&mut bench);
    choose(&mut bench, "Speed", "1/5, 3.2 kHz, as played");
    assert!(bench.has("At this speed the file would have 3.2 kHz; choose another speed."), "{:?}", bench.notices());
    let path = bench.out("slow.wav");
    bench.fill("Path", path.to_str().unwrap());
    bench.click("Export");
    assert!(!path.exists() && bench.notices().iter().any(|(severity, _)| *severity == Severity::Error));
}

/// What a preset holds is what the card's choices are.
#[test]
fn a_preset_says_what_was_chosen() {
    let delivery = Delivery {
        channels: DeliveredChannels::Mid,
        level: LevelTarget::Loudness(-16.0),
        rate_hz: Some(16_000),
        ..Delivery::default()
    };
    let text = serde_json::to_string(&delivery).unwrap();
    assert_eq!(text, r#"{"rate_hz":16000,"channels":"mid","loudness_lufs":-16.0}"#);
    assert_eq!(serde_json::from_str::<Delivery>(&text).unwrap(), delivery);
}

#[test]
fn a_failed_export_brings_its_card_back_as_it_was() {
    let mut bench = Bench::with_clip(Drawing::None, DRUMS);
    let path_of = |bench: &Bench| bench.harness.get_by_label("Path").value().unwrap_or_default();
    ask(&mut bench);
    let suggested = path_of(&bench);
    choose(&mut bench, "Channels", "Left");
    let missing = bench.out("nowhere/take 7.flac");
    bench.fill("Path", missing.to_str().unwrap());
    bench.click("Export");
    assert!(bench.notices().iter().any(|(severity, _)| *severity == Severity::Error), "{:?}", bench.notices());
    ask(&mut bench);
    assert_eq!((path_of(&bench), chosen(&bench, "Channels")), (missing.to_string_lossy().into_owned(), "Left".into()));
    // It is tried again once there is a folder; the next card suggests a place again.
    std::fs::create_dir(missing.parent().unwrap()).unwrap();
    bench.click("Export");
    assert!(missing.exists(), "{:?}", bench.notices());
    ask(&mut bench);
    assert_eq!((path_of(&bench), chosen(&bench, "Channels")), (suggested, "Stereo, as it is".into()));
    // A name that is no pattern keeps the card, too.
    let odd = bench.out("take {nothing}.wav");
    bench.fill("Path", odd.to_str().unwrap());
    bench.click("Export");
    assert!(bench.has("Close dialog"));
    assert_eq!(path_of(&bench), odd.to_string_lossy());
}
