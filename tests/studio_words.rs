//! What the window says and how it is found: history, notices, the command finder, FFT sizes, tools in view.

use crate::support::signals::tone;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, clip, has_gpu};
use egui::{Key, pos2};
use egui_kittest::kittest::Queryable;
use sonobrush::base::{Error, ErrorKind, Folders, Settings};
use sonobrush::document::brushes::Gain;
use sonobrush::document::{Edit, Snapshot};
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{Axis, Point, StftParams, Stroke};
use sonobrush::media::Source;
use sonobrush::studio::cards::finder::{FinderRow, matching, rows};
use sonobrush::studio::widgets::short_names::without_middle;
use sonobrush::workbench::commands::{Command, Facts, FindCommand, SelectCommand, ToolCommand, ViewCommand};
use sonobrush::workbench::{
    ChannelView, DocumentAct, NewCanvas, Notice, NoticeAct, Notices, OpenDocument, Reply, Severity, Tool, ViewAct,
    channel_label, describe, place_of,
};
use std::path::Path;

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn found(text: &str) -> Vec<&'static str> {
    matching(text, &Facts::default()).into_iter().map(|command: Command| command.row().name).collect()
}

#[test]
fn the_finder_takes_words_and_synonyms() {
    assert_eq!(found("normalize")[0], "Normalise\u{2026}");
    assert_eq!(found("apply")[0], "Apply brush to selection");
    assert!(found("delete").contains(&"Erase selection"));
    assert!(found("marker").contains(&"Rename label\u{2026}"));
    for word in ["split", "region", "label", "split by label"] {
        assert!(found(word).contains(&"Export by label\u{2026}"), "{word}");
    }
    assert!(found("fft 2048").contains(&"FFT size 2048"));
    assert!(found("sel era").contains(&"Erase selection"), "words in any order, begun");
    // Letters within words are no words.
    assert!(!found("rase").contains(&"Erase selection") && !found("ut").contains(&"Cut"));
    assert_eq!(found("xylophone"), Vec::<&str>::new());
}

/// What users of other programs type, and what they find first, with nothing open as well as with a selection.
#[test]
fn what_other_programs_call_a_command_finds_it_first() {
    let words = [
        ("amplify", "Gain brush"),
        ("apply", "Apply brush to selection"),
        ("bounce", "Export\u{2026}"),
        ("clear", "Erase selection"),
        ("crop", "Trim to selection"),
        ("declick", "Find clicks"),
        ("dehum", "Remove hum\u{2026}"),
        ("delta", "Difference"),
        ("denoise", "Reduce noise\u{2026}"),
        ("gain", "Gain brush"),
        ("gpu", "Graphics\u{2026}"),
        ("image", "Open picture as sound\u{2026}"),
        ("inpaint", "Heal selection"),
        ("latency", "Sound output\u{2026}"),
        ("Loudness", "Normalise\u{2026}"),
        ("slice", "Export by label\u{2026}"),
        ("LUFS", "Normalise\u{2026}"),
        ("marker", "Add label\u{2026}"),
        ("maximize", "Normalise\u{2026}"),
        ("mute", "Erase selection"),
        ("noise reduction", "Reduce noise\u{2026}"),
        ("normalize", "Normalise\u{2026}"),
        ("peak", "Normalise\u{2026}"),
        ("pitch", "Pitch shift\u{2026}"),
        ("preferences", "Larger interface"),
        ("remove", "Erase selection"),
        ("render", "Export\u{2026}"),
        ("repair", "Heal selection"),
        ("screenshot", "Save picture\u{2026}"),
        ("shortcuts", "Keyboard shortcuts"),
        ("silence", "Erase selection"),
        ("speed", "Time stretch\u{2026}"),
        ("tempo", "Time stretch\u{2026}"),
        ("transpose", "Pitch shift\u{2026}"),
        ("trim", "Trim to selection"),
        ("volume", "Gain brush"),
    ];
    let selected = Facts { has_document: true, has_selection: true, has_clip: true, ..Facts::default() };
    for (word, name) in words {
        for facts in [&Facts::default(), &selected] {
            let first = matching(word, facts).first().map(|command| command.row().name);
            assert_eq!(first, Some(name), "{word}");
        }
        // Half of it is enough to be in the list.
        let started: String = word.chars().take(3.max(word.len() / 2)).collect();
        assert!(found(&started).contains(&name), "{started}");
    }
    // Others with these words in their names are still found.
    assert!(
        found("denoise").contains(&"Denoise brush") && found("silence").contains(&"Add silence at the end\u{2026}")
    );
    assert!(found("delete").contains(&"Erase brush") && found("loudness").contains(&"Match loudness"));
}

/// What users type first: a row that does it, or one that says that nothing does and names the nearest command. With
/// nothing open as well as with a selection.
#[test]
fn the_first_row_answers_what_users_ask_for() {
    let answers = [
        ("trim", "Trim to selection"),
        ("crop", "Trim to selection"),
        ("cut silence", "No removal of silence. Nearest: Delete time"),
        ("delete", "Delete time"),
        ("insert", "Insert silence\u{2026}"),
        ("split", "Split to new document"),
        ("join", "No joining of documents. Nearest: Paste inserting"),
        ("swap", "No swapping. Nearest: Cut and close"),
        ("region", "Add label\u{2026}"),
        ("marker", "Add label\u{2026}"),
        ("label", "Label"),
        ("mono", "Export\u{2026}"),
        ("convert", "Export\u{2026}"),
        ("mp3", "Export\u{2026}"),
        ("batch", "Run on files\u{2026}"),
        ("script", "Run on files\u{2026}"),
        ("bpm", "Beat grid\u{2026}"),
        ("beat grid", "Beat grid\u{2026}"),
        ("chord", "Voice brush"),
        ("louder", "Gain brush"),
        ("quieter", "Gain brush"),
        ("clip", "Declip\u{2026}"),
        ("de-clip", "Declip\u{2026}"),
        ("declip", "Declip\u{2026}"),
        ("clipping", "Declip\u{2026}"),
        ("hiss", "Reduce noise\u{2026}"),
        ("hum", "Remove hum\u{2026}"),
        ("eq", "Gain brush"),
        ("reverb", "Reduce reverb\u{2026}"),
        ("dereverb", "Reduce reverb\u{2026}"),
        ("de-ess", "De-ess\u{2026}"),
        ("isolate", "Isolate speech\u{2026}"),
        ("dialogue", "Isolate speech\u{2026}"),
        ("speech", "Isolate speech\u{2026}"),
        ("vad", "Find speech"),
        ("sibilance", "De-ess\u{2026}"),
        ("plosive", "Remove plosives\u{2026}"),
        ("compress", "No compressor. Nearest: Contrast brush"),
        ("normalize", "Normalise\u{2026}"),
        ("loudness", "Normalise\u{2026}"),
        ("speed", "Time stretch\u{2026}"),
        ("slow", "Time stretch\u{2026}"),
        ("pitch", "Pitch shift\u{2026}"),
        ("save", "Save project"),
        ("undo", "Undo"),
        ("zoom", "Zoom to selection"),
        ("note", "Voice brush"),
        ("record", "Record\u{2026}"),
        ("noise", "Reduce noise\u{2026}"),
        ("click", "Find clicks"),
    ];
    let selected = Facts { has_document: true, has_selection: true, has_clip: true, ..Facts::default() };
    for (text, answer) in answers {
        for facts in [&Facts::default(), &selected] {
            let first = rows(text, facts).into_iter().next();
            assert_eq!(first.map(|row| row.text).as_deref(), Some(answer), "{text}");
        }
    }
    // In words around it, and only whole.
    assert_eq!(rows("remove reverb", &selected)[0].text, "Reduce reverb\u{2026}");
    assert!(rows("voice compressor", &selected)[0].text.starts_with("No compressor."));
    assert!(rows("monophonic", &selected).is_empty());
    // What is nearest is what the row gives.
    let FinderRow { command, .. } = rows("compressor", &selected).remove(0);
    assert_eq!(command.row().name, "Contrast brush");
}

#[test]
fn names_come_before_descriptions_and_whole_words_before_parts() {
    let selected = Facts { has_document: true, has_selection: true, ..Facts::default() };
    // With nothing open, most that have the word in their names cannot be done, and some that only describe it can.
    for facts in [&Facts::default(), &selected] {
        for text in ["paste", "zoom", "selection", "file", "cursor", "place"] {
            let all = matching(text, facts);
            let is_named = |command: &Command| {
                let name = command.row().name.to_lowercase();
                name.split(|letter: char| !letter.is_alphanumeric()).any(|word| word.starts_with(text))
            };
            let n_named = all.iter().filter(|command| is_named(command)).count();
            assert!(n_named > 1 && all[..n_named].iter().all(is_named), "{text}: {all:?}");
        }
        assert_eq!(matching("place", facts)[0].row().name, "Place", "not Place and push, nor Label all found places");
    }
    let names: Vec<&str> = matching("place", &selected).into_iter().map(|command| command.row().name).collect();
    let at = |name: &str| names.iter().position(|one| *one == name);
    assert!(at("Paste in place") < at("Label all found places\u{2026}"), "{names:?}");
}

#[test]
fn the_finder_says_that_nothing_is_found_and_scrolls() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text("xylophone");
    bench.settle();
    assert!(bench.harness.query_all_by_label_contains("Nothing found").next().is_some());
    bench.key(NONE, Key::Escape);
    // More than ten rows: the one in hand comes into view.
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text("brush");
    bench.settle();
    let names = matching("brush", &bench.studio().facts());
    assert!(names.len() > 12);
    for _ in 0..12 {
        bench.key(NONE, Key::ArrowDown);
    }
    let field = bench.harness.get_by_label("Command to find").rect();
    let all = bench.harness.query_all_by_label(names[12].row().name).map(|node| node.rect());
    let is_in_view = |rect: egui::Rect| rect.top() >= field.bottom() && rect.bottom() <= field.bottom() + 350.0;
    assert!(all.into_iter().any(is_in_view), "{}", names[12].row().name);
}

/// A stroke of 6 dB less around 440 Hz.
fn stroke() -> DocumentAct {
    let point = |secs| Point { secs, hz: 440.0, pressure: 1.0 };
    let stroke = Stroke {
        points: vec![point(0.2), point(0.3)],
        axis: Axis::Linear,
        radius: [0.02, 200.0],
        hardness: 1.0,
        strength: 1.0,
        build_up: false,
    };
    let edit = Edit::of(Gain { gain_db: -6.0 }, StftParams::default());
    DocumentAct::Edit(Box::new(Edit { stroke: Some(stroke), ..edit }))
}

#[test]
fn a_new_user_is_told_once_how_a_stroke_is_heard_and_undone() {
    let folder = tempfile::tempdir().unwrap();
    Settings::remember(&Folders::in_folder(folder.path()), serde_json::json!({})).unwrap();
    let mut bench = Bench::in_folder(Drawing::None, folder);
    let n_reported =
        |bench: &Bench| bench.notices().iter().filter(|(_, what)| what.starts_with("Space plays it")).count();
    bench.open(clip("guitar_chord_44k_stereo.flac"));
    bench.settle();
    bench.select(Some([0.1, 0.2]), None);
    bench.key(NONE, Key::Delete);
    assert_eq!(n_reported(&bench), 0, "that was no stroke");
    bench.act(stroke());
    bench.settle();
    assert_eq!(n_reported(&bench), 1, "{:?}", bench.notices());
    bench.act(NoticeAct::CloseAll);
    bench.act(stroke());
    bench.settle();
    assert_eq!(n_reported(&bench), 0);
    // It is kept for the next start.
    bench.clock.advance(5.0);
    bench.settle();
    bench.clock.advance(5.0);
    bench.settle();
    let kept = Settings::remembered(&Folders::in_folder(&bench.out(""))).unwrap().0;
    assert_eq!(kept["lessons"]["has_painted"], true);
}

#[test]
fn bass_is_offered_rows_of_its_own_once_a_document() {
    let mut bench = Bench::with_clip(Drawing::None, "drum_break_44k_stereo.flac");
    // Bins of 21.5 Hz: a semitone is as wide at 359 Hz.
    assert_eq!(document(&bench).view().transform.stft_or_default().n_fft, 2048);
    assert!(!bench.has("Bass view"));
    bench.select(None, Some([60.0, 380.0]));
    assert!(!bench.has("Bass view"));
    bench.select(None, Some([60.0, 350.0]));
    assert!(bench.has("Bass view"));
    bench.click("Bass view");
    bench.settle();
    assert_eq!(document(&bench).view().transform, RowsParams::bass().into());
    assert!(!bench.has("Bass view"));
    bench.act(ViewCommand::FftSize(11));
    bench.settle();
    assert!(!bench.has("Bass view"), "once is enough");
    // Another document; there it ends with what it was made for.
    bench.open(clip("guitar_chord_44k_stereo.flac"));
    bench.settle();
    bench.select(None, Some([60.0, 350.0]));
    assert!(bench.has("Bass view"));
    bench.act(SelectCommand::Nothing);
    bench.settle();
    assert!(!bench.has("Bass view"));
    bench.select(None, Some([60.0, 350.0]));
    assert!(!bench.has("Bass view"));
}

/// Lines that are seen across the middle of the picture: how often it turns dark again from bottom to top.
fn n_lines(bench: &mut Bench) -> usize {
    let (image, canvas) = (bench.harness.render().unwrap(), bench.studio().canvas_rect());
    let (middle, rows) = (canvas.center().x as u32, canvas.top() as u32 + 4..canvas.bottom() as u32 - 4);
    let brightness = |y: u32| -> f64 {
        let at = |x: u32| image.get_pixel(x, y).0[..3].iter().map(|part| f64::from(*part)).sum::<f64>();
        (middle - 10..middle + 10).map(at).sum()
    };
    let profile: Vec<f64> = rows.map(brightness).collect();
    let (min, max) = profile.iter().fold((f64::MAX, 0.0f64), |(low, high), y| (low.min(*y), high.max(*y)));
    let (step, mut n, mut is_rising, mut turn) = (0.1 * (max - min), 0, true, profile[0]);
    for y in profile {
        if is_rising && y < turn - step {
            (n, is_rising, turn) = (n + 1, false, y);
        } else if !is_rising && y > turn + step {
            (is_rising, turn) = (true, y);
        }
        turn = if is_rising { turn.max(y) } else { turn.min(y) };
    }
    n
}

/// C2 and the semitone above it lie in one bin of 2,048 samples.
#[test]
fn the_bass_view_tells_two_semitones_apart() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::on_tones(Drawing::Wgpu, &[65.41, 69.30]);
    bench.act(ViewAct::Axis(Axis::Log));
    bench.act(ViewAct::Hz([50.0, 90.0]));
    bench.settle();
    let before = document(&bench).view().clone();
    assert_eq!(n_lines(&mut bench), 1, "one lump");
    bench.click("Bass view");
    bench.settle();
    let view = document(&bench).view();
    assert_eq!(view.transform, RowsParams::bass().into());
    assert_eq!((view.hz, view.secs, view.axis), (before.hz, before.secs, before.axis), "what was looked at stays");
    assert_eq!(n_lines(&mut bench), 2);
}

#[test]
fn names_in_little_room_keep_their_ends() {
    let within = |n: usize| move |text: &str| text.chars().count() <= n;
    assert_eq!(without_middle("take.wav", within(8)), "take.wav");
    assert_eq!(without_middle("interview_take_12.wav", within(13)), "interv\u{2026}12.wav");
    assert_eq!(without_middle("Größe_übel.wav", within(6)), "Grö\u{2026}av");
    assert_eq!(without_middle("interview.wav", within(0)), "\u{2026}");
}

/// Seven documents in a window of 1280 points: the finder folds before their names do.
#[test]
fn the_finder_makes_room_for_tabs() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let finder_width = |bench: &Bench| {
        let all = bench.harness.query_all_by_label("Find a command\u{2026}").map(|node| node.rect().width());
        all.reduce(f32::max).unwrap()
    };
    assert!(finder_width(&bench) > 200.0);
    for _ in 0..6 {
        bench.act(Reply::New { canvas: NewCanvas { secs: 1.0, ..NewCanvas::default() }, has_picture: false });
        bench.settle();
    }
    assert!(finder_width(&bench) < 40.0);
    let names: Vec<String> = bench.studio().workbench().documents().iter().map(OpenDocument::name).collect();
    assert_eq!(
        names,
        ["crow_44k_mono.flac", "Untitled", "Untitled 2", "Untitled 3", "Untitled 4", "Untitled 5", "Untitled 6"]
    );
}

#[test]
fn every_fft_size_is_a_command() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    let usual = *document(&bench).view().transform.as_stft().unwrap();
    for exponent in 6..=15u8 {
        bench.act(ViewCommand::FftSize(exponent));
        bench.settle();
        let now = *document(&bench).view().transform.as_stft().unwrap();
        assert_eq!(now.n_fft, 1 << exponent);
        assert_eq!(now.n_fft / now.hop, usual.n_fft / usual.hop, "the same overlap");
        assert_eq!(now.window, usual.window);
    }
}

#[test]
fn history_says_where_and_keeps_its_names_apart() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.select(Some([1.25, 2.0]), Some([300.0, 580.0]));
    bench.key(NONE, Key::Enter);
    let entry = document(&bench).history().entries().last().unwrap().clone();
    let edit = entry.edit.unwrap();
    assert_eq!(describe(&edit), "Gain \u{2212}12.0 dB, selection");
    assert_eq!(place_of(&edit).as_deref(), Some("0:01.250, 440 Hz"));
    // The current step comes into view, both ways.
    for _ in 0..30 {
        bench.key(NONE, Key::Enter);
    }
    let is_in_view = |bench: &Bench, step: usize| {
        let heading = bench.harness.get_by_label("History panel").rect();
        let row = bench.harness.get_by_label_contains(&format!("Step {step}:")).rect();
        row.top() >= heading.bottom() - 1.0 && row.bottom() <= 800.0 - 80.0 + 1.0
    };
    assert!(is_in_view(&bench, 31) && !is_in_view(&bench, 1));
    for _ in 0..30 {
        bench.key(CTRL, Key::Z);
    }
    assert!(is_in_view(&bench, 1), "undone it is scrolled back to");
}

#[test]
fn three_notices_of_a_kind_are_one() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let notify = |bench: &mut Bench, severity, what: &str| {
        bench.act(NoticeAct::Show { severity, what: what.into(), advice: None });
        bench.settle();
    };
    notify(&mut bench, Severity::Info, "Copied 0.5 s.");
    notify(&mut bench, Severity::Info, "Copied 0.6 s.");
    assert_eq!(bench.notices().len(), 2);
    notify(&mut bench, Severity::Info, "Copied 0.7 s.");
    assert_eq!(bench.notices(), [(Severity::Info, "Copied 0.7 s.".to_owned())]);
    assert_eq!(bench.studio().notices().all()[0].words(), "Copied 0.7 s. (3 times)");
    notify(&mut bench, Severity::Info, "Copied 0.8 s.");
    assert_eq!(bench.studio().notices().all()[0].words(), "Copied 0.8 s. (4 times)");
    notify(&mut bench, Severity::Warning, "Copied 0.9 s.");
    assert_eq!(bench.notices().len(), 2, "a warning is of another kind");
}

#[test]
fn three_errors_of_a_kind_are_one_unless_they_are_about_several_files() {
    let mut notices = Notices::default();
    let fail = |notices: &mut Notices, what: String, file: Option<&str>| {
        let error = Error::new(ErrorKind::Limit, what);
        notices.fail(0.0, "open", &file.map_or(error.clone(), |file| error.at(Path::new(file))));
    };
    let words = |notices: &Notices| notices.all().iter().map(Notice::words).collect::<Vec<_>>();
    (1..=4).for_each(|n| fail(&mut notices, format!("{n} channels are too many"), None));
    assert_eq!(words(&notices), ["Cannot open: 4 channels are too many. (4 times)"]);
    let before = words(&notices);
    let files = ["take 1.wav", "take 2.wav", "take 3.wav"];
    for file in files {
        fail(&mut notices, "has 40 channels".into(), Some(file));
    }
    let each = files.map(|file| format!("Cannot open {file}: it has 40 channels."));
    assert_eq!(words(&notices), [&before[..], &each[..]].concat(), "each names its own");
    (41..=43).for_each(|n| fail(&mut notices, format!("has {n} channels"), Some(files[2])));
    assert_eq!(words(&notices)[3..], ["Cannot open take 3.wav: it has 43 channels. (4 times)"]);
    notices.succeed("open");
    assert!(notices.all().is_empty());
}

#[test]
fn a_stroke_outside_the_selection_says_so() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    let sound = tone(64_000, 16_000.0, 1000.0, 0.3);
    bench.show(Snapshot::new(Source::from_channels(vec![sound], 16_000).unwrap()));
    bench.select(Some([0.5, 1.0]), None);
    bench.pick(Tool::ERASE);
    bench.settle();
    let (at, rect) = (bench.studio().viewport().unwrap(), bench.studio().picture_rect().unwrap());
    let place = |secs: f64| pos2(at.x_from_secs(secs) as f32, rect.center().y);
    bench.drag(&[place(3.0), place(3.2)]);
    let (severity, what) = bench.notices().pop().unwrap();
    assert!(severity == Severity::Info && what.contains("outside the selection"), "{what}");
    assert_eq!(document(&bench).history().position(), 0);
}

#[test]
fn what_denoise_and_clone_lack_is_said_before_a_stroke() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "vinyl_hiss_44k_stereo.flac");
    let says = |bench: &Bench, words: &str| bench.harness.query_all_by_label_contains(words).next().is_some();
    bench.pick(Tool::CLONE);
    bench.settle();
    assert!(says(&bench, "Ctrl+click the sound to clone from first."));
    bench.pick(Tool::DENOISE);
    bench.settle();
    let shows = |bench: &Bench, noise: &str| bench.harness.query_all_by_value(noise).next().is_some();
    assert!(says(&bench, "Learn a noise first") && shows(&bench, "No noise learnt"));
    bench.select(Some([1.0, 2.0]), None);
    bench.act(FindCommand::LearnNoise);
    bench.settle();
    assert!(!says(&bench, "Learn a noise first") && !shows(&bench, "No noise learnt"));
    assert!(shows(&bench, "1.00 s of vinyl_hiss_44k_stereo.flac"), "its length and file are seen");
}

#[test]
fn every_tool_is_in_view_at_1280_by_800() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for [width, height] in [[1280.0, 800.0], [1600.0, 1000.0], [1280.0, 560.0]] {
        bench.harness.set_size([width, height].into());
        bench.settle();
        for tool in Tool::ALL {
            let name = ToolCommand::Pick(tool).row().name;
            // The option bar names the one in hand, too.
            let all = bench.harness.query_all_by_label(name).map(|node| node.rect());
            let is_in_view =
                |rect: egui::Rect| rect.right() < 100.0 && rect.top() >= 79.5 && rect.bottom() <= height - 79.5;
            assert!(all.into_iter().any(is_in_view), "{name} at {width} x {height}");
        }
    }
}

#[test]
fn channels_are_called_by_their_speakers_where_the_file_says_so() {
    let label = |channel, n, mask| channel_label(ChannelView::One(channel), n, mask);
    let all: Vec<String> = (0..6).map(|channel| label(channel, 6, Some(0x60f))).collect();
    assert_eq!(all, ["L", "R", "C", "LFE", "Ls", "Rs"]);
    assert_eq!((0..4).map(|channel| label(channel, 4, Some(0x33))).collect::<Vec<_>>(), ["L", "R", "Lb", "Rb"]);
    assert_eq!(label(3, 6, None), "4", "no guess where it does not");
    assert_eq!(label(3, 6, Some(0x3)), "4", "nor where it names fewer");
    assert_eq!([label(0, 2, None), label(1, 2, None)], ["L", "R"]);
}

/// Details that matter only to measurements or when something is wrong stay hidden while all is well.
#[test]
fn engine_and_underruns_are_told_while_the_profiler_is_shown() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.harness.set_size([1600.0, 1000.0].into());
    bench.settle();
    assert!(!bench.has("CPU engine") && !bench.has("0 underruns"));
    bench.key(NONE, Key::F12);
    assert!(bench.has("CPU engine") && bench.has("0 underruns"));
    bench.key(NONE, Key::F12);
    assert!(!bench.has("CPU engine") && !bench.has("0 underruns"));
}

#[test]
fn stacked_channels_belong_to_a_file() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.act(ViewCommand::Stacked);
    bench.settle();
    bench.open(clip("vinyl_hiss_44k_stereo.flac"));
    bench.settle();
    assert!(!document(&bench).view().stacked, "another file is not stacked for it");
    bench.key(CTRL, Key::Tab);
    assert!(document(&bench).name().starts_with("guitar") && document(&bench).view().stacked);
    let mut bench = bench.restarted(Drawing::None);
    bench.open(clip("guitar_chord_44k_stereo.flac"));
    bench.settle();
    assert!(!document(&bench).view().stacked);
}

/// The curve of the learnt noise is the mean of what was selected, found another way.
#[test]
fn the_noise_that_was_learnt_is_a_curve_in_the_spectrum() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        0.1 * ((state >> 8) as f32 / 8_388_608.0 - 1.0)
    };
    let sound: Vec<f32> = (0..64_000).map(|_| noise()).collect();
    bench.show(Snapshot::new(Source::from_channels(vec![sound], 16_000).unwrap()));
    bench.select(Some([0.5, 3.5]), None);
    assert!(bench.studio().slice().unwrap().noise.is_none());
    bench.act(FindCommand::LearnNoise);
    bench.settle();
    for fft_size in [9, 11] {
        bench.act(ViewCommand::FftSize(fft_size));
        bench.settle();
        let slice = bench.studio().slice().unwrap().clone();
        let (learnt, mean) = (slice.noise.unwrap(), bench.studio().extent().unwrap().mean.clone());
        assert_eq!((learnt.len(), mean.len()), (slice.after.len(), slice.after.len()));
        let inner = 8..learnt.len() - 8;
        let apart = inner.clone().map(|bin| f64::from(learnt[bin] - mean[bin])).sum::<f64>() / inner.len() as f64;
        assert!(apart.abs() < 0.5, "{apart} dB at FFT size 2^{fft_size}");
    }
    assert!(bench.harness.query_all_by_label("noise").next().is_some(), "the legend names it");
}
