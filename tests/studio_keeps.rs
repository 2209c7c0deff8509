//! What is kept by a name: a noise profile of yesterday reduces today's noise, and settings come back as they were.

use crate::support::program::Place;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, clip, number_of, set_number};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use sonobrush::document::Snapshot;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{Command, EditCommand, FindCommand, PresetCommand, PreviewCommand, SelectCommand};
use sonobrush::workbench::{PresetKind, PreviewKind, Radius, Severity, Tool};

const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..CTRL };

fn give(bench: &mut Bench, command: impl Into<Command>) {
    let ctx = bench.harness.ctx.clone();
    bench.harness.state_mut().apply(&ctx, command);
    bench.settle();
}

/// Two seconds of white noise at -40 dBFS, with the same density per hertz at any rate.
fn hiss(rate_hz: u32, seed: u64) -> Snapshot {
    let sigma = 0.01 * (f64::from(rate_hz) / 16_000.0).sqrt();
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    // Twelve uniform numbers have the variance 1.
    let sample = |_| ((0..12).map(|_| uniform()).sum::<f64>() * sigma) as f32;
    let samples = (0..2 * rate_hz).map(sample).collect();
    Snapshot::new(Source::from_channels(vec![samples], rate_hz).unwrap())
}

fn power_db(samples: &[f32]) -> f64 {
    let middle = &samples[samples.len() / 4..samples.len() * 3 / 4];
    10.0 * (middle.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / middle.len() as f64).log10()
}

/// A bench with this sound in front.
fn with(sound: Snapshot) -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(sound);
    bench
}

/// Learns all of the noise in front and saves it by this name.
fn learn_and_save(bench: &mut Bench, name: &str) {
    bench.select(Some([0.0, 2.0]), None);
    give(bench, FindCommand::LearnNoise);
    give(bench, PresetCommand::SaveNoise);
    bench.fill("Name", name);
    bench.key(NONE, Key::Enter);
    give(bench, SelectCommand::Nothing);
}

#[test]
fn a_noise_of_yesterday_is_reduced_today_with_three_keys_or_three_clicks() {
    let mut bench = with(hiss(16_000, 1));
    learn_and_save(&mut bench, "Tape hiss");
    let (level, what) = bench.notices().last().cloned().unwrap();
    assert_eq!((level, what.as_str()), (Severity::Info, "Saved the noise profile \u{201c}Tape hiss\u{201d}."));
    let yesterday = bench.tools().noise().cloned().unwrap();
    let file = bench.out("settings/noise/Tape hiss.json");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.len() < 1 << 20 && text.contains("\"kind\": \"noise\"") && text.contains("\"date\""), "{text}");

    // By keys: Ctrl+Shift+N, Enter for the name, Enter to apply.
    let mut bench = bench.restarted(Drawing::None);
    let at = bench.out("today.wav");
    std::fs::copy(clip("speech_16k_mono.wav"), &at).unwrap();
    bench.open(at);
    bench.settle();
    bench.show(hiss(16_000, 2));
    assert!(bench.tools().noise().is_none(), "a noise in hand is not remembered");
    let before = bench.samples(0);
    bench.key(CTRL_SHIFT, Key::N);
    bench.key(NONE, Key::Enter);
    assert_eq!(bench.tools().noise(), Some(&yesterday), "to the bit");
    let kind = bench.studio().document().unwrap().preview().map(|preview| preview.kind());
    assert_eq!(kind, Some(PreviewKind::ReduceNoise));
    bench.clock.advance(1.0);
    bench.key(NONE, Key::Enter);
    let after = bench.samples(0);
    let fall_db = power_db(&before) - power_db(&after);
    assert!(fall_db > 15.0, "{fall_db} dB");
    give(&mut bench, EditCommand::Undo);
    assert_eq!(bits(&before), bits(&bench.samples(0)));

    // By mouse, on yet another day: the button, the name, Apply.
    let mut bench = bench.restarted(Drawing::None);
    bench.open(clip("speech_16k_mono.wav"));
    bench.settle();
    bench.show(hiss(16_000, 2));
    bench.pick(Tool::DENOISE);
    bench.settle();
    bench.click("Reduce noise\u{2026}");
    bench.click("Tape hiss");
    bench.click("Apply preview");
    assert_eq!(bits(&after), bits(&bench.samples(0)));
}

#[test]
fn a_saved_noise_fits_other_rates_and_says_where_it_ends() {
    // The density per hertz is the same, so the same profile takes as much off.
    let mut bench = with(hiss(16_000, 1));
    learn_and_save(&mut bench, "Hiss");
    let mut falls = Vec::new();
    for rate_hz in [16_000, 12_000, 32_000] {
        bench.show(hiss(rate_hz, 7));
        give(&mut bench, PresetCommand::UseNoise);
        bench.key(NONE, Key::Enter);
        let advice = bench.studio().notices().all().last().unwrap().advice.clone();
        let says_so = advice.is_some_and(|advice| advice.contains("nothing above 8\u{2009}000 Hz is reduced"));
        assert_eq!(says_so, rate_hz == 32_000, "{rate_hz} Hz");
        let before = bench.samples(0);
        give(&mut bench, EditCommand::ReduceNoise);
        give(&mut bench, PreviewCommand::Apply);
        falls.push(power_db(&before) - power_db(&bench.samples(0)));
    }
    let [same, lower, higher] = falls[..] else { panic!("{falls:?}") };
    assert!(same > 15.0 && (same - lower).abs() < 3.0, "{falls:?}");
    // Half of the band of 16 kHz is not known: half of its power stays.
    assert!((higher - 3.0).abs() < 0.3, "{falls:?}");
}

#[test]
fn noises_are_chosen_replaced_and_removed_and_bad_names_and_files_are_told() {
    let mut bench = with(hiss(16_000, 1));
    bench.pick(Tool::DENOISE);
    bench.settle();
    assert!(bench.harness.query_by_value("No noise learnt").is_some() && !bench.has("Save noise profile\u{2026}"));
    learn_and_save(&mut bench, "One");
    bench.select(Some([0.0, 1.0]), None);
    give(&mut bench, FindCommand::LearnNoise);
    let second = bench.tools().noise().cloned();
    // A name that is taken is replaced only once that was agreed to.
    bench.click("Save noise profile\u{2026}");
    bench.fill("Name", "One");
    assert!(bench.has("There is a noise profile of this name, which would be replaced."));
    bench.fill("Name", "a/b");
    bench.key(NONE, Key::Enter);
    let (level, what) = bench.notices().last().cloned().unwrap();
    assert!(level == Severity::Error && what.contains("must not contain any of"), "{what}");
    bench.click("Save noise profile\u{2026}");
    bench.fill("Name", "Two");
    bench.click("Save");
    assert_eq!(bench.studio().workbench().keeping().names(PresetKind::Noise)[..], ["One", "Two"]);
    // From the list of the tool.
    let in_progress = |bench: &Bench| bench.tools().current_noise().and_then(|noise| noise.name.clone());
    assert_eq!(in_progress(&bench).as_deref(), Some("Two"));
    bench.click("Noise");
    bench.click("One");
    assert_eq!(in_progress(&bench).as_deref(), Some("One"));
    assert_ne!(bench.tools().noise().cloned(), second);
    // Back to what was learnt here.
    bench.click("Noise");
    bench.click("1.00 s of Untitled");
    assert_eq!((in_progress(&bench), bench.tools().noise().cloned()), (None, second.clone()));
    bench.click("Remove saved noise profile\u{2026}");
    bench.click("One");
    assert!(!bench.out("settings/noise/One.json").exists());
    give(&mut bench, PresetCommand::RemoveNoise);
    bench.key(NONE, Key::Escape);
    assert!(bench.out("settings/noise/Two.json").exists());
    // Another window broke one meanwhile: it is named at the next start, and the others are there.
    std::fs::write(bench.out("settings/noise/Torn.json"), "{\"version\": 1, \"kind\"").unwrap();
    let bench = bench.restarted(Drawing::None);
    let reported: Vec<String> =
        bench.notices().into_iter().map(|(_, what)| what).filter(|w| w.contains("Torn")).collect();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(
        reported[0].contains("is not a noise profile that can be read") && reported[0].contains("left out"),
        "{reported:?}"
    );
    assert_eq!(bench.studio().workbench().keeping().names(PresetKind::Noise)[..], ["Two"]);
}

#[test]
fn a_preset_sets_a_tool_and_a_preview_as_it_was() {
    let mut bench = with(hiss(16_000, 1));
    bench.pick(Tool::GAIN);
    bench.set_tools(|tools| {
        set_number(tools, Tool::GAIN, "gain_db", -9.0);
        (tools.strength, tools.hardness) = (0.25, 0.75);
    });
    bench.settle();
    give(&mut bench, PresetCommand::SavePreset);
    bench.fill("Name", "Duck");
    bench.key(NONE, Key::Enter);
    let kept = bench.tools().settings().clone();
    let kind = PresetKind::Tool(Tool::GAIN);
    let in_progress = |bench: &Bench| {
        let keeping = bench.studio().workbench().keeping();
        keeping.current_preset(kind, bench.tools().settings()).map(str::to_owned)
    };
    assert_eq!(in_progress(&bench).as_deref(), Some("Duck"));
    bench.set_tools(|tools| {
        set_number(tools, Tool::GAIN, "gain_db", 3.0);
        set_number(tools, Tool::SHARPEN, "amount", 1.5);
        (tools.strength, tools.hardness) = (1.0, 0.5);
    });
    bench.settle();
    assert_eq!(in_progress(&bench), None, "it is set otherwise now");
    // By mouse, from the list in the options.
    bench.click("Saved preset");
    bench.click("Duck");
    let settings = bench.tools().settings().clone();
    assert_eq!(number_of(&settings, Tool::GAIN, "gain_db"), -9.0);
    assert_eq!((settings.strength, settings.hardness), (0.25, 0.75));
    assert_eq!(number_of(&settings, Tool::SHARPEN, "amount"), 1.5, "other tools stay as they are");
    // By keys, after a restart; it is one of the gain tool alone.
    let mut bench = bench.restarted(Drawing::None);
    bench.open(clip("speech_16k_mono.wav"));
    bench.settle();
    bench.pick(Tool::SHARPEN);
    bench.settle();
    assert!(PresetCommand::UsePreset.row().enabled(&bench.studio().facts()).is_err());
    bench.pick(Tool::GAIN);
    bench.set_tools(|tools| set_number(tools, Tool::GAIN, "gain_db", 6.0));
    bench.settle();
    give(&mut bench, PresetCommand::UsePreset);
    bench.key(NONE, Key::Enter);
    let settings = bench.tools().settings();
    assert_eq!(settings.brush_of(Tool::GAIN), kept.brush_of(Tool::GAIN));
    // A file may say anything: numbers are held within what the fields take.
    let file = bench.out("settings/tools/gain/Duck.json");
    let mut value: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    (value["strength"], value["hardness"]) = (1e300.into(), (-5.0).into());
    value["radius"] = serde_json::json!({"locked": {"secs": 1e300, "octaves": -1.0}});
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, value.to_string()).unwrap();
    give(&mut bench, PresetCommand::UsePreset);
    bench.key(NONE, Key::Enter);
    let settings = bench.tools().settings();
    assert_eq!((settings.strength, settings.hardness), (1.0, 0.0));
    let Radius::Locked { secs, octaves } = settings.radius_of(Tool::GAIN) else { panic!() };
    assert!(secs < 1e3 && octaves > 0.0, "{secs} s, {octaves} octaves");
    std::fs::write(&file, bytes).unwrap();
    // In a preview of the brush the same preset is at hand.
    bench.set_tools(|tools| set_number(tools, Tool::GAIN, "gain_db", 6.0));
    bench.select(Some([0.2, 0.8]), None);
    give(&mut bench, PreviewCommand::Brush);
    bench.click("Saved preset");
    bench.click("Duck");
    assert_eq!(number_of(bench.tools().settings(), Tool::GAIN, "gain_db"), -9.0);
    give(&mut bench, PresetCommand::RemovePreset);
    bench.key(NONE, Key::Enter);
    assert!(!bench.out("settings/tools/gain/Duck.json").exists());
    assert!(PresetCommand::UsePreset.row().enabled(&bench.studio().facts()).is_err());
}

#[test]
fn a_card_is_set_as_a_preset_says() {
    let mut bench = with(hiss(16_000, 1));
    give(&mut bench, EditCommand::Normalise);
    bench.click("To a loudness");
    bench.enter("Target loudness", "-23");
    // Enter normalised; the card has its settings of the start again.
    give(&mut bench, EditCommand::Normalise);
    bench.click("To a loudness");
    bench.fill("Target loudness", "-23");
    bench.click("Save as\u{2026}");
    bench.fill("Name", "Broadcast");
    bench.key(NONE, Key::Enter);
    assert!(bench.has("Target loudness"), "the card is there again, as it was");
    bench.key(NONE, Key::Escape);
    give(&mut bench, EditCommand::Normalise);
    assert!(bench.has("Target peak"));
    bench.click("Saved preset");
    bench.click("Broadcast");
    assert!(bench.has("Target loudness"));
    let text = std::fs::read_to_string(bench.out("settings/previews/normalise/Broadcast.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["settings"]["loudness_lufs"], -23.0);
    assert!(bench.has("Saved preset"), "the card stays");
}

#[test]
fn a_script_names_a_saved_noise_or_its_file_and_projects_hold_its_numbers() {
    let mut bench = with(hiss(16_000, 1));
    learn_and_save(&mut bench, "Tape hiss");
    let place = Place::new();
    let settings = place.path(".config/sonobrush");
    std::fs::create_dir_all(settings.join("noise")).unwrap();
    std::fs::copy(bench.out("settings/noise/Tape hiss.json"), settings.join("noise/Tape hiss.json")).unwrap();
    std::fs::copy(bench.out("settings/noise/Tape hiss.json"), place.path("sent.json")).unwrap();
    std::fs::copy(clip("speech_16k_mono.wav"), place.path("in.wav")).unwrap();
    for (name, profile) in [("name", "Tape hiss"), ("path", "sent.json"), ("unknown", "Tape")] {
        let brush = format!(r#"{{"kind": "denoise", "profile": {profile:?}}}"#);
        place.write(&format!("{name}.json"), format!(r#"{{"version": 1, "edits": [{{"brush": {brush}}}]}}"#));
    }
    place.done(&["paint", "in.wav", "--script", "name.json", "-o", "name.wav"]);
    place.done(&["paint", "in.wav", "--script", "path.json", "-o", "path.wav"]);
    assert!(place.read("name.wav") == place.read("path.wav") && place.read("name.wav") != place.read("in.wav"));
    let said = place.failed(&["paint", "in.wav", "--script", "unknown.json", "-o", "unknown.wav"]);
    let expected = "edits[0].brush.profile: there is no noise profile \"Tape\"; saved are Tape hiss";
    assert!(said.contains(expected) && !place.path("unknown.wav").exists(), "{said}");
    // A project holds the numbers: it is whole without the file.
    place.done(&["save", "in.wav", "--script", "name.json", "-o", "made.sonobrush"]);
    std::fs::remove_dir_all(settings.join("noise")).unwrap();
    place.done(&["export", "made.sonobrush", "-o", "project.wav"]);
    assert!(place.read("name.wav") == place.read("project.wav"));
}
