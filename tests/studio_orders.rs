//! Answers that arrive after the selection, the document or the tool has changed: each is applied, or a notice says why
//! not. Orders given in quick succession do what they would do slowly.

use crate::support::canvas;
use crate::support::opened::clip;
use crate::support::studio::{Bench, Drawing, bits, open};
use sonobrush::base::Progress;
use sonobrush::document::{Channels, learn_noise, resolve};
use sonobrush::dsp::selections::find::Find;
use sonobrush::dsp::{Axis, Combine, Selection, Shape, StftParams};
use sonobrush::engine::Plans;
use sonobrush::workbench::Picked;
use sonobrush::workbench::Seek;
use sonobrush::workbench::commands::{
    ClipboardCommand, Command, EditCommand, FileCommand, FindCommand, SelectCommand, ToolCommand,
};
use sonobrush::workbench::{DocumentAct, NoticeAct, SelectRequest, ShapeSearch, Tool};

const HISS: &str = "vinyl_hiss_44k_stereo.flac";

/// Gives a command and lets nothing happen yet.
fn order(bench: &mut Bench, command: impl Into<Command>) {
    let ctx = bench.harness.ctx.clone();
    bench.harness.state_mut().apply(&ctx, command);
}

fn select_now(bench: &mut Bench, secs: [f64; 2]) {
    bench.select_shape(Selection::rectangle(Some(secs), None, [0.0, 0.0], Axis::Linear));
}

fn selection(bench: &Bench) -> Option<Selection> {
    bench.studio().document().unwrap().selection().cloned()
}

#[track_caller]
fn assert_told(bench: &Bench, words: &str) {
    let notices = bench.notices();
    assert!(notices.iter().any(|(_, what)| what.contains(words)), "{words:?} is not in {notices:?}");
}

fn has_noise(bench: &mut Bench) -> bool {
    bench.tools().noise().is_some()
}

#[test]
fn a_noise_is_learnt_though_it_is_deselected_at_once() {
    let mut bench = Bench::with_clip(Drawing::None, HISS);
    bench.select(Some([1.0, 2.0]), None);
    order(&mut bench, FindCommand::LearnNoise);
    order(&mut bench, SelectCommand::Nothing);
    bench.settle();
    assert_told(&bench, "Noise learnt from 1.00 s.");
    assert!(has_noise(&mut bench) && selection(&bench).is_none());
    // Where another was learnt before, the later one counts.
    let first = bench.tools().noise().cloned().unwrap();
    bench.select(Some([0.2, 0.9]), None);
    order(&mut bench, FindCommand::LearnNoise);
    select_now(&mut bench, [3.0, 4.0]);
    bench.settle();
    assert_told(&bench, "Noise learnt from 0.70 s.");
    let second = bench.tools().noise().cloned().unwrap();
    assert!(!std::sync::Arc::ptr_eq(&first, &second));
}

#[test]
fn a_noise_is_learnt_though_its_file_is_closed_or_the_tool_changed() {
    let mut bench = Bench::with_clip(Drawing::None, HISS);
    bench.select(Some([1.0, 2.0]), None);
    order(&mut bench, FindCommand::LearnNoise);
    order(&mut bench, ToolCommand::Pick(Tool::ERASE));
    order(&mut bench, FileCommand::Close);
    bench.settle();
    assert!(bench.studio().document().is_none());
    assert_told(&bench, "Noise learnt from 1.00 s.");
    assert!(has_noise(&mut bench));
}

#[test]
fn a_noise_that_cannot_be_learnt_is_told_though_it_is_deselected() {
    let mut bench = Bench::with_clip(Drawing::None, HISS);
    bench.select(Some([1.0, 1.02]), None);
    order(&mut bench, FindCommand::LearnNoise);
    order(&mut bench, SelectCommand::Nothing);
    bench.settle();
    assert_told(&bench, "Cannot learn the noise: noise cannot be learnt from 0.020 s");
}

#[test]
fn denoise_says_that_the_noise_is_still_being_learnt() {
    let mut bench = Bench::with_clip(Drawing::None, HISS);
    bench.select(Some([1.0, 2.0]), None);
    order(&mut bench, FindCommand::LearnNoise);
    bench.settle();
    bench.select(Some([0.2, 0.9]), None);
    order(&mut bench, FindCommand::LearnNoise);
    // Not with the noise before.
    let refused = Err("The noise profile is still being learnt.");
    assert_eq!(EditCommand::ReduceNoise.row().enabled(&bench.studio().facts()), refused);
    bench.settle();
    assert_eq!(EditCommand::ReduceNoise.row().enabled(&bench.studio().facts()), Ok(()));
}

#[test]
fn a_find_waits_for_a_noise_that_is_being_learnt() {
    let mut bench = Bench::with_clip(Drawing::None, HISS);
    bench.select(Some([1.0, 2.0]), None);
    order(&mut bench, FindCommand::LearnNoise);
    order(&mut bench, FindCommand::Seek(Seek::Clicks));
    bench.settle();
    assert_told(&bench, "Noise learnt from 1.00 s.");
    assert_told(&bench, "clicks found and selected");
}

#[test]
fn what_is_found_after_something_else_was_selected_is_told_and_not_selected() {
    let mut bench = Bench::with_clip(Drawing::None, HISS);
    order(&mut bench, FindCommand::Seek(Seek::Clicks));
    select_now(&mut bench, [0.5, 0.75]);
    let mine = selection(&bench);
    bench.settle();
    assert_eq!(selection(&bench), mine);
    assert_told(&bench, "Finding clicks had no effect because the selection changed in the meantime.");

    order(&mut bench, FindCommand::Seek(Seek::Hum));
    order(&mut bench, FileCommand::Close);
    bench.settle();
    assert_told(&bench, "Finding hum had no effect because its file was closed.");
}

#[test]
fn of_two_finds_the_later_counts_and_says_so() {
    let mut bench = Bench::with_clip(Drawing::None, HISS);
    order(&mut bench, FindCommand::Seek(Seek::Clicks));
    order(&mut bench, FindCommand::Seek(Seek::Clipping));
    bench.settle();
    assert_told(&bench, "Finding clipping instead of the previous search.");
    // Its loudest peak is round.
    assert_told(&bench, "No clipped peaks found.");
    assert_eq!(bench.notices().iter().filter(|(_, what)| what.contains("click")).count(), 0);
}

fn wand(bench: &mut Bench, secs: f64, hz: f64, combine: Option<Combine>) {
    let options = SelectRequest { combine, what: ShapeSearch::Wand { at: [secs, hz], tolerance_db: 12.0 } };
    bench.act(DocumentAct::Find(options));
}

#[test]
fn wands_one_after_the_other_add_up() {
    let mut slow = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    let mut fast = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    for (secs, combine) in [(0.5, None), (1.5, Some(Combine::Add)), (2.0, Some(Combine::Add))] {
        wand(&mut slow, secs, 330.0, combine);
        slow.settle();
        wand(&mut fast, secs, 330.0, combine);
    }
    fast.settle();
    assert!(selection(&slow).is_some());
    assert_eq!(selection(&fast), selection(&slow));
}

#[test]
fn a_wand_that_comes_too_late_is_told() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    wand(&mut bench, 0.5, 330.0, None);
    select_now(&mut bench, [0.1, 0.2]);
    let mine = selection(&bench);
    bench.settle();
    assert_eq!(selection(&bench), mine);
    assert_told(&bench, "Selecting had no effect because the selection changed in the meantime.");
    wand(&mut bench, 0.5, 330.0, None);
    order(&mut bench, FileCommand::Close);
    bench.settle();
    assert_told(&bench, "Selecting had no effect because its file was closed.");
}

#[test]
fn growing_three_times_at_once_is_growing_three_times() {
    let mut slow = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    let mut fast = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    for bench in [&mut slow, &mut fast] {
        bench.select(Some([1.0, 1.5]), Some([500.0, 900.0]));
    }
    let before = selection(&slow);
    for _ in 0..3 {
        order(&mut slow, SelectCommand::Grow);
        slow.settle();
        order(&mut fast, SelectCommand::Grow);
    }
    fast.settle();
    assert_ne!(selection(&slow), before);
    assert_eq!(selection(&fast), selection(&slow));
}

#[test]
fn finding_the_like_twice_at_once_goes_two_steps() {
    let mut slow = Bench::with_clip(Drawing::None, "drum_break_44k_stereo.flac");
    let mut fast = Bench::with_clip(Drawing::None, "drum_break_44k_stereo.flac");
    for bench in [&mut slow, &mut fast] {
        bench.select(Some([0.0, 0.25]), Some([100.0, 8000.0]));
    }
    let mut seen = vec![selection(&slow)];
    for _ in 0..2 {
        order(&mut slow, FindCommand::Next);
        slow.settle();
        seen.push(selection(&slow));
        order(&mut fast, FindCommand::Next);
    }
    fast.settle();
    assert!(seen[1] != seen[0] && seen[2] != seen[1], "there are two more");
    assert_eq!(selection(&fast), selection(&slow));
    // Something else selected meanwhile stays selected.
    order(&mut fast, FindCommand::Previous);
    select_now(&mut fast, [0.1, 0.2]);
    let mine = selection(&fast);
    fast.settle();
    assert_eq!(selection(&fast), mine);
    assert_told(&fast, "Finding similar sound had no effect because the selection changed in the meantime.");
}

#[test]
fn a_cut_is_of_what_was_selected_and_a_paste_waits_for_it() {
    let mut slow = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    let mut fast = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    for bench in [&mut slow, &mut fast] {
        bench.select(Some([1.0, 1.5]), None);
    }
    order(&mut slow, ClipboardCommand::Cut);
    slow.settle();
    order(&mut slow, ClipboardCommand::PasteInPlace);
    slow.settle();
    order(&mut fast, ClipboardCommand::Cut);
    select_now(&mut fast, [3.0, 3.1]);
    order(&mut fast, ClipboardCommand::PasteInPlace);
    fast.settle();
    assert_eq!(bits(&fast.samples(0)), bits(&slow.samples(0)), "cut where it was selected");
    let clip = |bench: &Bench| {
        let floating = bench.studio().document().unwrap().floating();
        let channels = &floating.expect("it was pasted").clip().unwrap().channels;
        channels.iter().map(|channel| bits(channel)).collect::<Vec<_>>()
    };
    assert_eq!(clip(&fast), clip(&slow));
}

#[test]
fn a_copy_and_a_cut_right_after_each_other_are_both_done() {
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    bench.select(Some([1.0, 1.5]), None);
    order(&mut bench, ClipboardCommand::Cut);
    bench.harness.step();
    order(&mut bench, ClipboardCommand::Copy);
    bench.settle();
    assert_eq!(bench.studio().document().unwrap().history().position(), 1, "the cut was made");
}

#[test]
fn what_was_cut_from_a_file_that_was_closed_is_copied_and_told() {
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    bench.select(Some([1.0, 1.5]), None);
    order(&mut bench, ClipboardCommand::Cut);
    bench.harness.step();
    order(&mut bench, FileCommand::Close);
    bench.settle();
    assert!(bench.studio().document().is_none());
    assert_told(&bench, "Cut 0.544 s.");
    // An order that had not begun is dropped with a notice.
    bench.dialogs.answer(Picked::File(clip("speech_16k_mono.wav")));
    bench.click("Open\u{2026}");
    bench.select(Some([1.0, 1.5]), None);
    order(&mut bench, ClipboardCommand::Copy);
    order(&mut bench, FileCommand::Close);
    bench.settle();
    assert_told(&bench, "Copying had no effect because its file was closed.");
}

#[test]
fn a_paste_that_is_resampled_for_a_file_that_was_closed_is_told() {
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    bench.select(Some([1.0, 1.5]), None);
    order(&mut bench, ClipboardCommand::Copy);
    bench.settle();
    order(&mut bench, FileCommand::Close);
    bench.settle();
    bench.dialogs.answer(Picked::File(clip("crow_44k_mono.flac")));
    bench.click("Open\u{2026}");
    order(&mut bench, ClipboardCommand::Paste);
    order(&mut bench, FileCommand::Close);
    bench.settle();
    assert_told(&bench, "Pasting had no effect because its file was closed.");
}

#[test]
fn a_second_dialog_and_a_second_file_do_not_silence_the_first() {
    let mut bench = Bench::new(Drawing::None);
    bench.dialogs.answer(Picked::File(clip("speech_16k_mono.wav")));
    order(&mut bench, FileCommand::Open);
    order(&mut bench, FileCommand::Open);
    bench.settle();
    assert_told(&bench, "A file dialog is open already.");
    assert_eq!(bench.studio().document().unwrap().name(), "speech_16k_mono.wav");

    bench.open(clip("crow_44k_mono.flac"));
    bench.open(clip(HISS));
    bench.settle();
    let names: Vec<String> = bench.studio().workbench().documents().iter().map(|one| one.name()).collect();
    assert_eq!(names, ["speech_16k_mono.wav", "crow_44k_mono.flac", HISS], "each is opened, in order");
}

#[test]
fn the_last_twenty_notices_are_logged_with_their_times() {
    let mut bench = Bench::new(Drawing::None);
    for index in 0..25 {
        bench.clock.advance(1.0);
        bench.act(NoticeAct::warning(&format!("notice {index}")));
    }
    let log: Vec<_> = bench.studio().notices().log().cloned().collect();
    assert_eq!(log.len(), 20);
    assert!(log[0].what == "Notice 24." && log[19].what == "Notice 5.", "{log:?}");
    assert!(log.windows(2).all(|pair| pair[0].at_secs > pair[1].at_secs), "{log:?}");
}

#[test]
fn a_denoise_stroke_says_that_the_noise_is_still_being_learnt() {
    if !canvas::has_gpu() {
        return;
    }
    let mut harness = canvas::harness(canvas::sound(1, 1.0));
    canvas::settle(&mut harness);
    let places = canvas::wave(&harness);
    let app = harness.state_mut();
    app.tools.pick(Tool::DENOISE);
    app.tools.set_learning(true);
    canvas::send(&mut harness, &canvas::down_and_along(&places));
    assert_eq!(harness.state().reported, ["the noise profile is still being learnt; paint again when it is ready"]);
    assert!(!harness.state().last.painting);
}

#[test]
fn learning_and_finding_say_how_far_they_are() {
    let snapshot = open(&clip(HISS));
    let progress = Progress::new();
    learn_noise(&snapshot, [1.0, 2.0], None, StftParams::default(), &Plans::default(), &progress).unwrap();
    assert!(progress.fraction() > 0.8, "{}", progress.fraction());
    let clicks = Find::CLICKS;
    for find in [clicks, Find::Clipping { level: 0.99 }] {
        let (progress, wanted) = (Progress::new(), Selection::of(Shape::Find(find.clone())));
        resolve(&snapshot, &wanted, StftParams::default(), &Channels::All, &Plans::default(), &progress).unwrap();
        assert!(progress.fraction() >= 0.5, "{find:?}: {}", progress.fraction());
        // As a part of something larger it shows nothing, and is cancelled with it.
        let whole = Progress::new();
        resolve(&snapshot, &wanted, StftParams::default(), &Channels::All, &Plans::default(), &whole.quiet()).unwrap();
        assert_eq!(whole.fraction(), 0.0);
        whole.cancel();
        assert!(
            resolve(&snapshot, &wanted, StftParams::default(), &Channels::All, &Plans::default(), &whole.quiet())
                .is_err()
        );
    }
}
