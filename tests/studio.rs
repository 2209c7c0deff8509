//! The studio driven by accessible label, with scripted dialogs, a recording output, a set clock and jobs run by the
//! test. Each act is followed by a check of document, sound or pixels.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, bits, clip, has_gpu, open, samples};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::document::brushes::Gain;
use sonobrush::dsp::{Axis, Selection};
use sonobrush::workbench::Picked;
use sonobrush::workbench::Severity;
use sonobrush::workbench::commands::{Command, FileCommand, WindowCommand};
use sonobrush::workbench::{DocumentAct, HealMode, NoticeAct, Radius, Tool};
use std::time::Duration;

#[test]
fn a_file_is_opened_by_button_key_and_drop() {
    let bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let document = bench.studio().document().unwrap();
    assert_eq!(document.name(), "crow_44k_mono.flac");
    assert_eq!(bits(&bench.samples(0)), bits(&samples(&open(&clip("crow_44k_mono.flac")), 0)));
    assert!(bench.has("crow_44k_mono.flac"), "the name stands in the tab");

    let mut bench = Bench::new(Drawing::None);
    bench.dialogs.answer(Picked::Cancelled);
    bench.key(CTRL, egui::Key::O);
    assert!(bench.studio().document().is_none() && bench.notices().is_empty());
    bench.dialogs.answer(Picked::File(clip("speech_16k_mono.wav")));
    bench.key(CTRL, egui::Key::O);
    assert_eq!(bench.studio().document().unwrap().name(), "speech_16k_mono.wav");
}

#[test]
fn the_demo_clip_is_one_click_away() {
    let mut bench = Bench::new(Drawing::None);
    bench.click("Open demo clip");
    let document = bench.studio().document().unwrap();
    assert_eq!(document.history().current().n_channels(), 2);
    assert!((document.duration_secs() - 9.97).abs() < 0.1, "{}", document.duration_secs());
}

#[test]
fn a_bad_file_is_told_and_leaves_the_document_alone() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let id = bench.studio().document().unwrap().id();
    let bad = bench.out("poem.wav");
    std::fs::write(&bad, "Shall I compare thee to a summer's day?").unwrap();
    bench.dialogs.answer(Picked::File(bad));
    bench.key(CTRL, egui::Key::O);
    assert_eq!(bench.studio().document().unwrap().id(), id);
    let notices = bench.notices();
    let [.., (Severity::Error, what)] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(what.starts_with("Cannot open poem.wav: "), "{what}");
    bench.clock.advance(60.0);
    bench.settle();
    assert_eq!(bench.notices().len(), 1, "an error stays");
    bench.click("Close the notice");
    assert!(bench.notices().is_empty());
}

#[test]
fn delete_erases_the_selection_and_undo_restores_the_bits() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    let original = [bench.samples(0), bench.samples(1)];
    bench.select(Some([1.0, 2.0]), None);
    bench.key(NONE, egui::Key::Delete);
    let erased = bench.samples(0);
    let energy = |x: &[f32]| x.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
    let inside = 44_100 * 5 / 4..44_100 * 7 / 4;
    assert!(energy(&erased[inside.clone()]) < 1e-8 * energy(&original[0][inside]), "the selection is silent");
    assert_eq!(bits(&erased[..40_000]), bits(&original[0][..40_000]), "before it nothing changed");
    assert_eq!(bits(&erased[96_000..]), bits(&original[0][96_000..]), "after it nothing changed");
    assert!(bench.has("Step 1: Erase, selection"));

    bench.key(CTRL, egui::Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&original[0]));
    assert_eq!(bits(&bench.samples(1)), bits(&original[1]));
    bench.key(CTRL | SHIFT, egui::Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&erased));
    bench.click("Step 0: Opened");
    assert_eq!(bits(&bench.samples(0)), bits(&original[0]));
    bench.key(CTRL, egui::Key::Y);
    assert_eq!(bits(&bench.samples(0)), bits(&erased));
}

#[test]
fn shift_delete_pulls_the_selection_down_to_its_surroundings() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    let original = bench.samples(0);
    bench.select(Some([1.0, 1.2]), Some([300.0, 600.0]));
    bench.key(SHIFT, egui::Key::Delete);
    assert!(bench.has("Step 1: Heal by attenuate, selection"), "{:?}", bench.notices());
    let healed = bench.samples(0);
    let energy = |x: &[f32]| x[48_000..49_000].iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
    assert!(energy(&healed) < energy(&original), "quieter");
    assert!(energy(&healed) > 0.01 * energy(&original), "and not silent");
    bench.key(CTRL, egui::Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&original));

    // In the mode of the brush; a notice says what it cannot do, and what to do instead.
    bench.set_tools(|tools| tools.heal.mode = HealMode::Gap);
    bench.key(CTRL, egui::Key::H);
    let notices = bench.notices();
    let [.., (Severity::Error, what)] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(what.contains("200 ms long") && what.contains("select less"), "{what}");
    assert_eq!(bits(&bench.samples(0)), bits(&original));
    bench.select(Some([1.0, 1.02]), None);
    bench.key(CTRL, egui::Key::H);
    assert!(bench.has("Step 1: Heal by gap, selection"), "{:?}", bench.notices());
}

#[test]
fn an_edit_that_reaches_nothing_is_told_and_enters_no_history() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([100.0, 101.0]), None);
    bench.key(NONE, egui::Key::Delete);
    assert_eq!(bench.studio().document().unwrap().history().entries().len(), 1);
    assert_eq!(bench.notices().len(), 1, "{:?}", bench.notices());
}

#[test]
fn before_shows_and_plays_the_opened_file() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let original = bench.samples(0);
    bench.select(Some([0.1, 0.2]), None);
    bench.key(NONE, egui::Key::Delete);
    bench.click("Original");
    let document = bench.studio().document().unwrap();
    assert_eq!(bits(&samples(document.shown(), 0)), bits(&original));
    assert_ne!(bits(&bench.samples(0)), bits(&original), "the edit is still there");
    bench.key(NONE, egui::Key::B);
    let document = bench.studio().document().unwrap();
    assert_eq!(bits(&samples(document.shown(), 0)), bits(&bench.samples(0)));
}

#[test]
fn the_original_is_named_across_the_canvas() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    bench.key(NONE, egui::Key::Delete);
    assert!(!bench.has("Original is shown"));
    bench.key(NONE, egui::Key::B);
    assert!(bench.has("Original is shown"));
    bench.key(NONE, egui::Key::B);
    assert!(!bench.has("Original is shown"));
}

#[test]
fn the_window_asks_before_it_closes() {
    let close = |bench: &mut Bench| {
        let viewport = egui::ViewportId::ROOT;
        let input = bench.harness.input_mut();
        input.viewports.entry(viewport).or_default().events.push(egui::ViewportEvent::Close);
        bench.harness.step();
        bench.harness.input_mut().viewports.entry(viewport).or_default().events.clear();
        let commands = &bench.harness.output().viewport_output[&viewport].commands;
        commands.contains(&egui::ViewportCommand::CancelClose)
    };
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    assert!(!close(&mut bench), "without edits it closes");
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    bench.key(NONE, egui::Key::Delete);
    assert!(close(&mut bench));
    bench.settle();
    // A second click on the cross asks nothing new.
    assert!(close(&mut bench));
    bench.settle();
    bench.click("Keep editing");
    assert!(!bench.has("Keep editing"));
    assert_eq!(bench.studio().document().unwrap().history().entries().len(), 2);
    // Neither does the key of the command, which egui knows as well.
    bench.harness.key_press_modifiers(CTRL, egui::Key::Q);
    bench.harness.step();
    let commands = &bench.harness.output().viewport_output[&egui::ViewportId::ROOT].commands;
    assert!(!commands.contains(&egui::ViewportCommand::Close), "{commands:?}");
    bench.settle();
    bench.click("Keep editing");
    assert!(!bench.has("Keep editing"));
}

#[test]
fn a_tab_that_is_dragged_takes_the_place_it_is_dropped_at() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for name in ["speech_16k_mono.wav", "tabla_loop_44k_stereo.flac"] {
        bench.open(clip(name));
        bench.settle();
    }
    let order = |bench: &Bench| -> Vec<String> {
        bench.studio().workbench().documents().iter().map(|document| document.name()[..4].to_owned()).collect()
    };
    let tab = |bench: &Bench, name: &str| bench.harness.get_by_role_and_label(egui::Role::Button, name).rect().center();
    assert_eq!(order(&bench), ["crow", "spee", "tabl"]);
    let from = tab(&bench, "crow_44k_mono.flac");
    let to = tab(&bench, "tabla_loop_44k_stereo.flac");
    let place = |part: f32| egui::pos2(from.x + (to.x - from.x) * part, from.y);
    // Slowly, so that it rests over every place on its way.
    let way: Vec<egui::Pos2> = (0..=40).map(|i| place(i as f32 / 40.0)).collect();
    bench.drag(&way);
    assert_eq!(order(&bench), ["spee", "tabl", "crow"]);
    bench.drag(&way.into_iter().rev().collect::<Vec<_>>());
    assert_eq!(order(&bench), ["crow", "spee", "tabl"]);
}

#[test]
fn edits_run_in_order_and_undo_takes_back_one_on_its_way() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    for _ in 0..2 {
        bench.harness.key_press(egui::Key::Delete);
        bench.harness.step();
    }
    // The first is with a worker that has not begun, the second waits behind it.
    bench.harness.key_press_modifiers(CTRL, egui::Key::Z);
    bench.harness.step();
    bench.settle();
    let history = bench.studio().document().unwrap().history();
    assert_eq!((history.entries().len(), history.position()), (2, 1), "one of two was taken back");
    bench.harness.key_press(egui::Key::Delete);
    bench.harness.step();
    bench.harness.key_press_modifiers(CTRL, egui::Key::Z);
    bench.harness.step();
    bench.settle();
    let history = bench.studio().document().unwrap().history();
    assert_eq!((history.entries().len(), history.position()), (2, 1), "the one with the worker, too");
}

#[test]
fn a_second_file_is_a_second_document_and_closing_asks_about_unsaved_edits() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    bench.key(NONE, egui::Key::Delete);
    bench.dialogs.answer(Picked::File(clip("speech_16k_mono.wav")));
    bench.key(CTRL, egui::Key::O);
    assert_eq!(names(&bench), ["crow_44k_mono.flac", "speech_16k_mono.wav"]);
    assert_eq!(bench.studio().document().unwrap().name(), "speech_16k_mono.wav", "the new one is in front");

    // Nothing was edited there: closes without a question.
    bench.key(CTRL, egui::Key::W);
    assert_eq!(names(&bench), ["crow_44k_mono.flac"]);
    bench.key(CTRL, egui::Key::W);
    bench.click("Keep editing");
    assert_eq!(names(&bench), ["crow_44k_mono.flac"]);
    bench.key(CTRL, egui::Key::W);
    bench.click("Discard edits");
    assert!(bench.studio().document().is_none());
}

#[test]
fn a_file_that_is_open_comes_to_the_front() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let id = bench.studio().document().unwrap().id();
    bench.open(clip("speech_16k_mono.wav"));
    bench.settle();
    bench.open(clip("crow_44k_mono.flac"));
    bench.settle();
    assert_eq!(names(&bench), ["crow_44k_mono.flac", "speech_16k_mono.wav"]);
    assert_eq!(bench.studio().document().unwrap().id(), id);
}

#[test]
fn strokes_made_while_a_file_is_read_stay_with_their_document() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    bench.open(clip("speech_16k_mono.wav"));
    bench.harness.key_press(egui::Key::Delete);
    bench.harness.step();
    bench.settle();
    let documents = bench.studio().workbench().documents();
    let edits: Vec<usize> = documents.iter().map(|document| document.history().position()).collect();
    assert_eq!(edits, [1, 0]);
    assert_eq!(documents.active().unwrap().name(), "speech_16k_mono.wav");
}

fn names(bench: &Bench) -> Vec<String> {
    bench.studio().workbench().documents().iter().map(|document| document.name()).collect()
}

#[test]
fn what_is_exported_is_what_is_heard_and_untouched_samples_keep_their_bits() {
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    let original = bench.samples(0);
    bench.select(Some([2.0, 3.0]), Some([300.0, 3000.0]));
    bench.key(NONE, egui::Key::Delete);
    let edited = bench.samples(0);
    assert_ne!(bits(&edited), bits(&original));
    let out = bench.out("edited.wav");
    bench.dialogs.answer(Picked::File(out.clone()));
    bench.key(CTRL, egui::Key::E);
    bench.click("Save as\u{2026}");
    let notices = bench.notices();
    assert!(notices.iter().any(|(_, what)| what.starts_with("Exported edited.wav")), "{notices:?}");
    let exported = samples(&open(&out), 0);
    assert_eq!(exported.len(), edited.len());
    for (i, ((&out, &edited), &original)) in exported.iter().zip(&edited).zip(&original).enumerate() {
        if edited.to_bits() == original.to_bits() {
            assert_eq!(out.to_bits(), original.to_bits(), "sample {i} was not touched");
        } else {
            // Rounding and triangular dither: 1.5 LSB of 16 bits.
            assert!((out - edited).abs() <= 1.5 / 32768.0 + 1e-7, "sample {i}: {out} for {edited}");
        }
    }
    assert!(!bench.studio().document().unwrap().has_unsaved_edits());

    // Over the source itself: refused, and the source stays.
    let source = clip("speech_16k_mono.wav");
    let before = std::fs::read(&source).unwrap();
    bench.dialogs.answer(Picked::File(source.clone()));
    bench.key(CTRL, egui::Key::E);
    bench.click("Save as\u{2026}");
    let notices = bench.notices();
    assert!(notices.iter().any(|(level, _)| *level == Severity::Error), "{notices:?}");
    assert_eq!(std::fs::read(&source).unwrap(), before);
}

#[test]
fn clipped_samples_are_told() {
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    let document = bench.studio().document().unwrap();
    let edit = sonobrush::document::Edit {
        select: Some(Selection::rectangle(Some([1.0, 2.0]), None, [0.0, 0.0], Axis::Linear)),
        channels: document.view().channels.edited(),
        ..sonobrush::document::Edit::of(
            sonobrush::document::Brush::Gain(Gain { gain_db: 24.0 }),
            document.view().transform.clone(),
        )
    };
    bench.act(DocumentAct::Edit(Box::new(edit)));
    bench.settle();
    bench.dialogs.answer(Picked::File(bench.out("loud.wav")));
    bench.key(CTRL, egui::Key::E);
    bench.click("Save as\u{2026}");
    let notices = bench.notices();
    assert!(notices.iter().any(|(_, what)| what.contains("beyond full scale and clipped")), "{notices:?}");
}

#[test]
fn without_a_file_dialog_a_path_is_typed() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let out = bench.out("typed.wav");
    std::fs::write(&out, "something else").unwrap();
    for round in 0..2 {
        bench.key(CTRL, egui::Key::E);
        if round == 1 {
            // Asking for a dialog that the system has not leads back to the same card.
            bench.dialogs.answer(Picked::Unavailable);
            bench.click("Save as\u{2026}");
        }
        let suggested = bench.harness.get_by_label("Path").value().unwrap();
        assert!(suggested.ends_with("crow_44k_mono-edited.wav"), "{suggested}");
        bench.fill("Path", out.to_str().unwrap());
        bench.click("Export");
        assert_eq!(std::fs::read(&out).unwrap(), b"something else", "nothing is replaced unasked");
        bench.click(if round == 0 { "Cancel" } else { "Replace" });
    }
    assert_eq!(bits(&samples(&open(&out), 0)), bits(&bench.samples(0)));
}

#[test]
fn play_is_heard_and_stops_and_loops() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.select(Some([0.5, 0.6]), None);
    bench.harness.key_press(egui::Key::Space);
    bench.harness.step();
    let patience = Duration::from_secs(20);
    for _ in 0..8 {
        assert!(bench.recorder.pull_ready(512, patience), "nothing came");
        bench.harness.step();
    }
    assert!(bench.harness.query_by_label("Pause").is_some(), "the button shows that it plays");
    let heard: Vec<f32> = bench.recorder.samples().chunks(2).map(|pair| pair[0]).collect();
    let wanted = bench.samples(0);
    let start = 22_050;
    // The fade in apart, what is heard is the file, to the bit: the output takes its rate.
    let at = heard.iter().position(|&sample| sample != 0.0).unwrap();
    let is_same = |shift: usize| (0..1500).all(|i| heard[at + 1000 + i] == wanted[start + shift + 1000 + i]);
    assert!((0..64).any(is_same), "the recording is not the selection");
    assert!(!(2000..2064).any(is_same), "the comparison can fail");

    // Space again: silence after a short fade.
    bench.harness.key_press(egui::Key::Space);
    bench.harness.step();
    for _ in 0..8 {
        bench.recorder.pull(512);
    }
    bench.harness.step();
    let end = bench.recorder.samples();
    assert!(end[end.len() - 512..].iter().all(|&sample| sample == 0.0));
    assert!(bench.harness.query_by_label("Play/stop").is_some());

    // In a loop, more comes than the selection holds.
    bench.key(CTRL, egui::Key::L);
    bench.harness.key_press(egui::Key::Space);
    bench.harness.step();
    for _ in 0..20 {
        assert!(bench.recorder.pull_ready(512, patience), "the loop ended");
        bench.harness.step();
    }
    assert!(bench.harness.query_by_label("Pause").is_some(), "20 x 512 frames are more than 4,410");
}

#[test]
fn keys_change_tool_brush_and_view() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let points = |bench: &mut Bench| match bench.tools().radius() {
        Radius::Screen { points } => points,
        Radius::Locked { .. } => panic!("locked"),
    };
    assert_eq!(points(&mut bench), 32.0);
    bench.key(NONE, egui::Key::CloseBracket);
    assert_eq!(points(&mut bench), 40.0);
    bench.key(NONE, egui::Key::OpenBracket);
    assert_eq!(points(&mut bench), 32.0);
    bench.key(SHIFT, egui::Key::CloseBracket);
    assert_eq!(points(&mut bench), 32.0);
    assert!((bench.tools().settings().hardness - 0.6).abs() < 1e-9);
    for (key, tool) in [(egui::Key::E, Tool::ERASE), (egui::Key::Num3, Tool::GAIN), (egui::Key::W, Tool::WARP)] {
        bench.key(NONE, key);
        assert_eq!(bench.tools().active(), tool);
    }
    bench.key(NONE, egui::Key::Plus);
    let view = bench.studio().document().unwrap().view().clone();
    let duration_secs = bench.studio().document().unwrap().duration_secs();
    assert!((view.secs[1] - view.secs[0] - duration_secs / 2.0).abs() < 1e-9, "{:?}", view.secs);
    bench.key(NONE, egui::Key::End);
    let document = bench.studio().document().unwrap();
    assert_eq!((document.cursor_secs(), document.view().secs[1]), (duration_secs, duration_secs));
    bench.key(NONE, egui::Key::Home);
    let document = bench.studio().document().unwrap();
    assert_eq!((document.cursor_secs(), document.view().secs[0]), (0.0, 0.0));
    bench.click("Linear axis");
    assert_eq!(bench.studio().document().unwrap().view().axis, Axis::Linear);
    bench.key(CTRL, egui::Key::Num0);
    assert_eq!(bench.studio().document().unwrap().view().hz, [0.0, 22_050.0]);
}

#[test]
fn keys_do_not_fire_while_text_is_typed() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.key(CTRL | SHIFT, egui::Key::O);
    bench.harness.get_by_label("Path").focus();
    bench.harness.step();
    bench.key(NONE, egui::Key::E);
    bench.key(NONE, egui::Key::Space);
    assert_eq!(bench.tools().active(), Tool::GAIN);
    bench.click("Close dialog");
    bench.key(NONE, egui::Key::E);
    assert_eq!(bench.tools().active(), Tool::ERASE, "the same key works outside the field");
}

#[test]
fn every_control_has_a_name() {
    let mut bench = Bench::new(Drawing::None);
    bench.harness.check_accessibility();
    let mut bench_with = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    for tool in Tool::ALL {
        bench_with.pick(tool);
        bench_with.settle();
        bench_with.harness.check_accessibility();
    }
    for command in [
        Command::File(FileCommand::Export),
        Command::File(FileCommand::OpenPath),
        Command::Window(WindowCommand::Palette),
        Command::Window(WindowCommand::Keys),
    ] {
        let ctx = bench.harness.ctx.clone();
        bench_with.harness.state_mut().apply(&ctx, command);
        bench_with.settle();
        bench_with.harness.check_accessibility();
    }
    bench_with.harness.set_size([1000.0, 600.0].into());
    bench_with.settle();
    bench_with.harness.check_accessibility();
    assert!(bench_with.has("Open the History panel"), "the panels fold into a strip");
    bench.click("File");
    bench.harness.check_accessibility();
    for label in ["Export\u{2026}", "Quit"] {
        let item = bench.harness.get_by_label(label);
        assert!(!item.accesskit_node().is_disabled() || label == "Export\u{2026}");
    }
}

#[test]
fn the_palette_finds_a_command_by_letters() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text("mel ax");
    bench.settle();
    bench.key(NONE, egui::Key::Enter);
    assert_eq!(bench.studio().document().unwrap().view().axis, Axis::Mel);
}

#[test]
fn warnings_leave_and_three_stand_at_most() {
    let mut bench = Bench::new(Drawing::None);
    for i in 0..5 {
        let bad = bench.out(&format!("bad{i}.wav"));
        std::fs::write(&bad, "x").unwrap();
        bench.open(bad);
        bench.settle();
    }
    assert_eq!(bench.notices().len(), 5);
    assert_eq!(bench.harness.query_all_by_label("Close the notice").count(), 3);
    bench.act(NoticeAct::warning("something to know"));
    bench.settle();
    assert!(bench.notices().iter().any(|(level, _)| *level == Severity::Warning));
    bench.clock.advance(10.5);
    bench.settle();
    assert!(bench.notices().iter().all(|(level, _)| *level == Severity::Error));
}

/// A horizontal drag over the canvas, at the middle of its height.
fn stroke(bench: &mut Bench) {
    let rect = bench.studio().canvas_rect();
    let y = rect.center().y;
    let at = |part: f32| egui::pos2(rect.left() + rect.width() * part, y);
    let button = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: NONE,
    };
    let moves: Vec<f32> = (0..=20).map(|i| 0.4 + 0.2 * i as f32 / 20.0).collect();
    bench.harness.event(egui::Event::PointerMoved(at(moves[0])));
    bench.harness.step();
    bench.harness.event(button(at(moves[0]), true));
    bench.harness.step();
    for &part in &moves {
        bench.harness.event(egui::Event::PointerMoved(at(part)));
    }
    for _ in 0..30 {
        bench.jobs.run_until_idle();
        bench.harness.step();
    }
    bench.harness.event(button(at(0.6), false));
    bench.settle();
    bench.harness.remove_cursor();
    bench.settle();
}

/// Mean brightness of the rendered canvas around a stroke.
fn brightness(bench: &mut Bench) -> f64 {
    let rect = bench.studio().canvas_rect();
    let image = bench.harness.render().unwrap();
    let (x0, x1) = (rect.left() + rect.width() * 0.42, rect.left() + rect.width() * 0.58);
    let (y0, y1) = (rect.center().y - 12.0, rect.center().y + 12.0);
    let mut sum = 0.0;
    let mut n = 0.0;
    for y in y0 as u32..y1 as u32 {
        for x in x0 as u32..x1 as u32 {
            let pixel = image.get_pixel(x, y);
            sum += f64::from(pixel[0]) + f64::from(pixel[1]) + f64::from(pixel[2]);
            n += 3.0;
        }
    }
    sum / n
}

#[test]
fn painting_changes_sound_and_pixels_and_undo_restores_both() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "guitar_chord_44k_stereo.flac");
    let original = bench.samples(0);
    let before = brightness(&mut bench);
    bench.click("Erase brush");
    stroke(&mut bench);
    let history = bench.studio().document().unwrap().history();
    assert_eq!(history.entries().len(), 2, "{:?}", bench.notices());
    let painted = bench.samples(0);
    assert_ne!(bits(&painted), bits(&original));
    let duration_secs = bench.studio().document().unwrap().duration_secs();
    let rate_hz = 44_100.0;
    // The stroke covers 0.4 to 0.6 of the canvas, rulers included; nothing near either end of the file may change.
    let quarter = (duration_secs * 0.2 * rate_hz) as usize;
    assert_eq!(bits(&painted[..quarter]), bits(&original[..quarter]));
    let last = painted.len() - quarter;
    assert_eq!(bits(&painted[last..]), bits(&original[last..]));
    let after = brightness(&mut bench);
    assert!(after < before - 5.0, "the stroke is seen: {before} to {after}");

    bench.click("Step 0: Opened");
    assert_eq!(bits(&bench.samples(0)), bits(&original));
    let undone = brightness(&mut bench);
    assert!((undone - before).abs() < 1.0, "the picture is back: {before} and {undone}");
}

#[test]
fn escape_drops_the_stroke_in_hand() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    let rect = bench.studio().canvas_rect();
    let at = |x: f32| egui::pos2(rect.left() + rect.width() * x, rect.center().y);
    let button = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: NONE,
    };
    bench.harness.event(egui::Event::PointerMoved(at(0.4)));
    bench.harness.step();
    bench.harness.event(button(at(0.4), true));
    bench.harness.event(egui::Event::PointerMoved(at(0.5)));
    bench.harness.step();
    bench.harness.key_press(egui::Key::Escape);
    bench.harness.step();
    bench.harness.event(button(at(0.5), false));
    bench.settle();
    assert_eq!(bench.studio().document().unwrap().history().entries().len(), 1);
    stroke(&mut bench);
    assert_eq!(bench.studio().document().unwrap().history().entries().len(), 2, "the next stroke counts");

    // Locked, the brush keeps its size in sound while the view zooms; on a log axis it is the same brush.
    bench.key(SHIFT, egui::Key::K);
    let locked = bench.tools().radius();
    let Radius::Locked { secs, octaves } = locked else { panic!("{locked:?}") };
    assert!((0.005..0.05).contains(&secs) && (0.1..1.0).contains(&octaves), "{locked:?}");
    bench.key(NONE, egui::Key::Plus);
    assert_eq!(bench.tools().radius(), locked);
    bench.key(NONE, egui::Key::Minus);
    bench.key(SHIFT, egui::Key::K);
    let Radius::Screen { points } = bench.tools().radius() else { panic!() };
    assert!((points - 32.0).abs() < 0.01, "{points}");
}

#[test]
fn ctrl_tab_goes_through_the_documents_and_back() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.open(clip("speech_16k_mono.wav"));
    bench.settle();
    let front = |bench: &Bench| bench.studio().document().unwrap().name();
    assert_eq!(front(&bench), "speech_16k_mono.wav");
    bench.key(CTRL, egui::Key::Tab);
    assert_eq!(front(&bench), "crow_44k_mono.flac", "around the end");
    bench.key(CTRL | egui::Modifiers::SHIFT, egui::Key::Tab);
    assert_eq!(front(&bench), "speech_16k_mono.wav");
    bench.click("crow_44k_mono.flac");
    assert_eq!(front(&bench), "crow_44k_mono.flac");
    bench.click("Close speech_16k_mono.wav");
    assert_eq!(names(&bench), ["crow_44k_mono.flac"]);
}
