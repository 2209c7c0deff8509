//! Edits that are previewed: what is applied is the plain edit, what is cancelled leaves nothing behind.

use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, samples, set_number};
use egui::Key;
use egui_kittest::kittest::Queryable;
use sonobrush::base::Progress;
use sonobrush::document::brushes::{Dereverb, Gain};
use sonobrush::document::{Edit, Snapshot, apply};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::view::ChannelView;
use sonobrush::workbench::commands::{Command, EditCommand, FindCommand, PreviewCommand, SelectCommand, TabCommand};
use sonobrush::workbench::{
    DocumentAct, EditPreview, HealMode, OpenDocument, PreviewKind, PreviewSound, Severity, Tool, ViewAct,
};

const RATE: u32 = 16_000;
const SECS: f64 = 3.0;

/// Noise, a tone with a hum below it, and a hit at 1.5 s, in stereo.
pub fn sound() -> Snapshot {
    let n = (SECS * f64::from(RATE)) as usize;
    let channel = |seed| {
        let mut all = noise(n, 0.02, seed);
        for (hz, level) in [(50.0, 0.05), (100.0, 0.03), (150.0, 0.02), (1_000.0, 0.1)] {
            all.iter_mut().zip(tone(n, f64::from(RATE), hz, level)).for_each(|(sum, x)| *sum += x);
        }
        all[24_000..24_400].iter_mut().zip(noise(400, 0.5, seed + 10)).for_each(|(sum, x)| *sum += x);
        all
    };
    Snapshot::new(Source::from_channels(vec![channel(1), channel(2)], RATE).unwrap())
}

pub fn bench() -> Bench {
    bench_on(Drawing::None)
}

pub fn bench_on(drawing: Drawing) -> Bench {
    let mut bench = Bench::with_clip(drawing, "speech_16k_mono.wav");
    bench.show(sound());
    bench
}

pub fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

pub fn preview(bench: &Bench) -> &EditPreview {
    document(bench).open_preview().expect("a preview is open")
}

/// Learns a noise from the first second.
pub fn learn(bench: &mut Bench) {
    bench.select(Some([0.1, 1.1]), None);
    bench.act(FindCommand::LearnNoise);
    bench.settle();
}

#[test]
fn escape_and_enter_close_an_open_list_and_leave_the_preview() {
    let mut bench = bench();
    bench.select(Some([1.4, 1.6]), None);
    bench.act(PreviewCommand::Heal);
    bench.settle();
    for key in [Key::Escape, Key::Enter] {
        bench.harness.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Mode").click();
        bench.harness.run();
        assert!(egui::Popup::is_any_open(&bench.harness.ctx));
        bench.key(NONE, key);
        assert!(document(&bench).open_preview().is_some(), "{key:?}");
        assert_eq!(document(&bench).history().position(), 0, "{key:?}");
        bench.key(NONE, Key::Escape);
        bench.settle();
        if document(&bench).open_preview().is_none() {
            bench.act(PreviewCommand::Heal);
            bench.settle();
        }
    }
}

fn all_bits(snapshot: &Snapshot) -> Vec<Vec<u32>> {
    (0..snapshot.n_channels()).map(|channel| bits(&samples(snapshot, channel))).collect()
}

fn plain(base: &Snapshot, edit: &Edit) -> Vec<Vec<u32>> {
    all_bits(&apply(base, edit, &Engine::cpu(), &Progress::new()).unwrap().snapshot)
}

fn n_steps(bench: &Bench) -> usize {
    document(bench).history().entries().len() - 1
}

fn last_told(bench: &Bench) -> (Severity, String) {
    bench.notices().pop().unwrap_or((Severity::Info, String::new()))
}

/// How a preview begins on a bench whose noise is learnt.
pub type Begin = Box<dyn Fn(&mut Bench)>;

/// What is previewed, and how it begins.
pub fn all_kinds() -> Vec<(&'static str, Begin)> {
    let heal = |mode: HealMode, rebuilds: bool| -> Begin {
        Box::new(move |bench: &mut Bench| {
            bench.set_tools(|tools| {
                tools.heal.mode = mode;
                tools.heal.surroundings.rebuild_phase = rebuilds;
            });
            bench.select(Some([1.49, 1.53]), if mode == HealMode::Gap { None } else { Some([300.0, 5_000.0]) });
            bench.act(PreviewCommand::Heal);
        })
    };
    let mut all = vec![("attenuate with new phases", heal(HealMode::Attenuate, true))];
    all.extend(HealMode::ALL.map(|mode| (mode.label(), heal(mode, false))));
    all.push((
        "noise",
        Box::new(|bench| {
            bench.select(Some([0.5, 2.5]), Some([200.0, 7_000.0]));
            bench.act(EditCommand::ReduceNoise);
        }),
    ));
    all.push((
        "noise of all",
        Box::new(|bench| {
            bench.act(SelectCommand::Nothing);
            bench.act(EditCommand::ReduceNoise);
        }),
    ));
    all.push((
        "hum",
        Box::new(|bench| {
            bench.select(Some([0.2, 2.8]), Some([500.0, 600.0]));
            bench.act(EditCommand::RemoveHum);
        }),
    ));
    all.push((
        "reverb",
        Box::new(|bench| {
            bench.set_tools(|tools| tools.keep(Dereverb { rt60_secs: Some(0.5), ..Dereverb::DEFAULT }.into()));
            bench.select(Some([0.2, 2.8]), None);
            bench.act(EditCommand::ReduceReverb);
        }),
    ));
    all.push((
        "speech",
        Box::new(|bench| {
            bench.select(Some([0.3, 0.9]), Some([300.0, 3_000.0]));
            bench.act(EditCommand::IsolateSpeech);
        }),
    ));
    all.push((
        "gain",
        Box::new(|bench| {
            bench.pick(Tool::GAIN);
            bench.set_tools(|tools| tools.strength = 0.5);
            bench.select(Some([1.0, 2.0]), Some([500.0, 2_000.0]));
            bench.act(PreviewCommand::Brush);
        }),
    ));
    all
}

#[test]
fn what_is_applied_is_the_plain_edit_to_the_bit() {
    let mut bench = bench();
    learn(&mut bench);
    let base = document(&bench).history().current().clone();
    for (name, begin) in all_kinds() {
        // Once when all is computed, once before anything is.
        for waits in [true, false] {
            begin(&mut bench);
            bench.harness.step();
            let edit = preview(&bench).edit().clone();
            let expected = plain(&base, &edit);
            assert_ne!(expected, all_bits(&base), "{name} changes something");
            if waits {
                bench.settle();
                assert!(preview(&bench).is_up_to_date() && preview(&bench).fault().is_none(), "{name}");
                assert_eq!(all_bits(document(&bench).shown()), expected, "{name} is seen as it will be");
            }
            assert_eq!(document(&bench).history().position(), 0, "{name}");
            bench.key(NONE, Key::Enter);
            assert_eq!(document(&bench).history().position(), 1, "{name}: {:?}", bench.notices());
            assert!(document(&bench).preview().is_none(), "{name}");
            assert_eq!(all_bits(document(&bench).history().current()), expected, "{name}, {waits}");
            assert_eq!(document(&bench).history().entries()[1].edit.as_ref(), Some(&edit), "{name}");
            bench.key(CTRL, Key::Z);
            assert!(document(&bench).history().current().is_same(&base), "{name}");
        }
    }
}

#[test]
fn healing_at_once_and_through_the_preview_are_one_edit() {
    let mut bench = bench();
    bench.set_tools(|tools| tools.heal.mode = HealMode::Pattern);
    bench.select(Some([1.49, 1.53]), None);
    let facts = bench.studio().facts();
    assert_eq!(Command::from(EditCommand::HealSelection).menu_name(&facts), "Heal selection (Pattern)");
    bench.key(CTRL, Key::H);
    let at_once = all_bits(document(&bench).history().current());
    bench.key(CTRL, Key::Z);
    bench.act(PreviewCommand::Heal);
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!(all_bits(document(&bench).history().current()), at_once);
}

#[test]
fn escape_restores_the_bits_and_leaves_the_history_alone() {
    let mut bench = bench();
    learn(&mut bench);
    bench.select(Some([1.0, 2.0]), None);
    bench.key(NONE, Key::Delete);
    bench.key(CTRL, Key::Z);
    let before = document(&bench).history().current().clone();
    for (name, begin) in all_kinds() {
        begin(&mut bench);
        bench.settle();
        assert!(!document(&bench).shown().is_same(&before), "{name} is seen");
        bench.key(NONE, Key::Escape);
        assert!(document(&bench).preview().is_none() && document(&bench).shown().is_same(&before), "{name}");
        assert_eq!((n_steps(&bench), document(&bench).history().position()), (1, 0), "{name}: redo is still there");
    }
    // Undo takes back the preview alone.
    bench.key(CTRL, Key::Y);
    let erased = document(&bench).history().current().clone();
    bench.act(EditCommand::ReduceNoise);
    bench.settle();
    bench.key(CTRL, Key::Z);
    assert!(document(&bench).preview().is_none() && document(&bench).history().current().is_same(&erased));
}

#[test]
fn settings_selection_and_view_are_followed_and_the_last_one_counts() {
    let mut bench = bench();
    learn(&mut bench);
    let base = document(&bench).history().current().clone();
    bench.select(Some([0.5, 2.5]), None);
    bench.act(EditCommand::ReduceNoise);
    bench.settle();
    let first = document(&bench).shown().clone();
    // Nothing of these runs before the last is set; until then the sound of before is there.
    for reduction_db in [6.0, 12.0, 40.0] {
        bench.set_tools(|tools| set_number(tools, Tool::DENOISE, "reduction_db", reduction_db));
        bench.harness.step();
        assert!(document(&bench).shown().is_same(&first) && !preview(&bench).is_up_to_date());
    }
    bench.settle();
    let expected = plain(&base, preview(&bench).edit());
    assert_ne!(expected, all_bits(&first));
    assert_eq!(all_bits(document(&bench).shown()), expected);

    bench.select(Some([1.0, 1.5]), Some([100.0, 4_000.0]));
    bench.act(ViewAct::Channels(ChannelView::One(1)));
    bench.settle();
    let edit = preview(&bench).edit().clone();
    assert_eq!(edit.select.as_ref(), document(&bench).selection());
    assert_eq!(all_bits(document(&bench).shown()), plain(&base, &edit));
    assert_eq!(bits(&samples(document(&bench).shown(), 0)), bits(&samples(&base, 0)), "the left channel is left alone");
    // What is typed and applied in one frame counts, too.
    bench.set_tools(|tools| set_number(tools, Tool::DENOISE, "reduction_db", 9.0));
    bench.act(PreviewCommand::Apply);
    bench.settle();
    let edit = document(&bench).history().entries()[1].edit.clone().unwrap();
    assert_eq!(all_bits(document(&bench).history().current()), plain(&base, &edit));
    assert!(format!("{:?}", edit.brush).contains("reduction_db: 9.0"));
}

#[test]
fn edits_and_strokes_are_refused_with_a_sentence_while_a_preview_is_open() {
    let mut bench = bench();
    bench.select(Some([1.0, 2.0]), None);
    bench.act(PreviewCommand::Heal);
    bench.settle();
    for command in [EditCommand::EraseSelection, EditCommand::HealSelection, EditCommand::PitchShift] {
        let why = command.row().enabled(&bench.studio().facts());
        assert_eq!(why, Err("Apply or cancel the preview first."), "{command:?}");
    }
    bench.key(NONE, Key::Delete);
    assert!(last_told(&bench).1.contains("Apply or cancel the preview first."), "{:?}", bench.notices());
    let edit = preview(&bench).edit().clone();
    bench.act(DocumentAct::Edit(Box::new(Edit { brush: Gain { gain_db: 6.0 }.into(), ..edit })));
    bench.settle();
    assert_eq!(last_told(&bench), (Severity::Info, "A preview is open, so nothing else was changed.".into()));
    assert_eq!((n_steps(&bench), preview(&bench).kind()), (0, PreviewKind::Heal));
}

#[test]
fn a_preview_ends_where_its_sound_or_its_selection_goes() {
    let mut bench = bench();
    bench.select(Some([1.0, 1.4]), None);
    bench.key(NONE, Key::Delete);
    // Back in the history.
    bench.act(PreviewCommand::Heal);
    bench.settle();
    bench.act(DocumentAct::GoTo(0));
    bench.settle();
    assert!(document(&bench).preview().is_none());
    assert!(last_told(&bench).1.contains("the sound was changed in another way"), "{:?}", bench.notices());
    // Nothing is selected any more.
    bench.act(PreviewCommand::Heal);
    bench.settle();
    bench.act(SelectCommand::Nothing);
    bench.settle();
    assert!(document(&bench).preview().is_none() && last_told(&bench).1.contains("nothing is selected"));
    // Another tab keeps its own; a closed one takes it along.
    bench.act(SelectCommand::Reselect);
    bench.act(PreviewCommand::Heal);
    bench.settle();
    bench.act(sonobrush::workbench::FileAct::Show(sound()));
    bench.settle();
    assert!(document(&bench).preview().is_none());
    bench.act(TabCommand::Next);
    bench.settle();
    assert!(document(&bench).open_preview().is_some());
    bench.show(sound());
    assert!(document(&bench).preview().is_none());
    bench.settle();
}

#[test]
fn a_heal_names_its_mode_and_offers_the_others() {
    let mut bench = bench();
    bench.set_tools(|tools| tools.heal.mode = HealMode::Interpolate);
    let before = all_bits(document(&bench).history().current());
    bench.select(Some([1.48, 1.54]), None);
    bench.key(CTRL, Key::H);
    let healed = all_bits(document(&bench).history().current());
    assert_ne!(healed, before);
    assert_eq!(last_told(&bench), (Severity::Info, "Healed by Interpolate in time.".into()));
    bench.click("Other modes");
    bench.settle();
    assert_eq!(preview(&bench).kind(), PreviewKind::Heal);
    assert!(preview(&bench).comparison().is_some(), "all modes, side by side");
    assert_eq!(all_bits(document(&bench).history().current()), before, "of the sound as it was before");
    bench.key(NONE, Key::Escape);
    assert_eq!(all_bits(document(&bench).history().current()), healed, "who only looked keeps the heal");
    // Nothing was healed now, or something else than what is selected.
    let refused = |bench: &Bench| Command::from(PreviewCommand::OtherHeals).enabled(&bench.studio().facts());
    assert_eq!(refused(&bench), Ok(()));
    bench.act(EditCommand::Undo);
    bench.settle();
    assert_eq!(refused(&bench), Err("Heal the selection first."));
    bench.act(EditCommand::HealSelection);
    bench.settle();
    bench.select(Some([0.5, 0.54]), None);
    assert_eq!(refused(&bench), Err("Heal the selection first."));
}

#[test]
fn what_waits_comes_first() {
    let mut bench = bench();
    learn(&mut bench);
    bench.select(Some([1.0, 1.2]), None);
    // The erasing has not run yet.
    bench.act(EditCommand::EraseSelection);
    bench.act(SelectCommand::Nothing);
    bench.act(EditCommand::ReduceNoise);
    bench.act(PreviewCommand::Apply);
    bench.settle();
    assert_eq!(n_steps(&bench), 2);
    let entries = document(&bench).history().entries();
    let edit = entries[2].edit.as_ref().unwrap();
    assert_eq!(all_bits(&entries[2].snapshot), plain(&entries[1].snapshot, edit));
}

#[test]
fn what_cannot_be_done_is_one_sentence_and_changes_nothing() {
    let mut bench = bench();
    let base = document(&bench).history().current().clone();
    bench.set_tools(|tools| tools.heal.mode = HealMode::Gap);
    bench.select(Some([1.0, 1.4]), None);
    bench.act(PreviewCommand::Heal);
    bench.settle();
    let fault = preview(&bench).fault().expect("a gap that long is not predicted").clone();
    assert!(fault.message().contains("400 ms long"), "{fault}");
    assert!(document(&bench).shown().is_same(&base));
    bench.key(NONE, Key::Enter);
    assert!(preview(&bench).fault().is_some() && n_steps(&bench) == 0);
    let (severity, what) = last_told(&bench);
    assert!(severity == Severity::Error && what.contains("400 ms long"), "{what}");
    // Another mode can do it.
    bench.set_tools(|tools| tools.heal.mode = HealMode::Interpolate);
    bench.settle();
    assert!(preview(&bench).fault().is_none() && preview(&bench).is_up_to_date());
    bench.key(NONE, Key::Enter);
    assert_eq!(n_steps(&bench), 1);
}

#[test]
fn the_status_says_how_far_a_preview_is_while_it_is_computed() {
    let reported = |bench: &Bench| bench.harness.query_all_by_label_contains("Computing the preview, ").count();
    for mode in [HealMode::Gap, HealMode::Pattern] {
        let mut bench = bench();
        bench.set_tools(|tools| tools.heal.mode = mode);
        bench.select(Some([1.49, 1.53]), None);
        bench.act(PreviewCommand::Heal);
        // Nothing of it runs until the bench comes to rest.
        (0..2).for_each(|_| bench.harness.step());
        assert!(preview(&bench).is_busy() && reported(&bench) == 0, "{mode:?}: not for a moment");
        bench.clock.advance(0.4);
        (0..2).for_each(|_| bench.harness.step());
        assert!(preview(&bench).is_busy() && reported(&bench) == 1, "{mode:?}");
        bench.settle();
        assert!(preview(&bench).is_up_to_date() && preview(&bench).fault().is_none(), "{mode:?}");
        assert_eq!(reported(&bench), 0, "{mode:?}");
    }
}

#[test]
fn hum_is_removed_as_far_as_it_is_set() {
    let mut bench = bench();
    bench.act(EditCommand::RemoveHum);
    bench.settle();
    // Before the hit and after it, which has all frequencies.
    let powers = |bench: &Bench| {
        let heard = samples(document(bench).shown(), 0);
        [6_000, 26_000]
            .map(|at| crate::support::measure::band_power(&heard[at..at + 16_384], f64::from(RATE), 47.0, 53.0))
    };
    let all = powers(&bench);
    let found = preview(&bench).found().unwrap().to_owned();
    assert!(
        (found.starts_with("49.99 Hz, ") || found.starts_with("50.0")) && found.ends_with(" harmonics, -24 dB"),
        "{found}"
    );
    assert!(bench.has(&found), "the bar says it");
    assert_eq!(bench.harness.get_by_label("Fundamental").value().as_deref(), Some("50/60 Hz"));
    bench.act(PreviewCommand::HearBefore);
    bench.settle();
    let none = powers(&bench);
    assert!(all.iter().zip(none).all(|(all, none)| *all < none / 300.0), "{all:?} of {none:?}");
    bench.act(PreviewCommand::HearAfter);
    bench.set_tools(|tools| tools.hum_strength = 0.5);
    bench.settle();
    let half = powers(&bench)[1] / none[1];
    assert!((half - 0.25).abs() < 0.03, "{half} of the power");
}

#[test]
fn before_after_and_difference_are_chosen_by_key_and_button() {
    let mut bench = bench();
    bench.select(Some([1.4, 1.6]), None);
    bench.act(PreviewCommand::Heal);
    bench.settle();
    let ear = |bench: &Bench| bench.studio().workbench().preview_ear();
    let base = document(&bench).history().current().clone();
    assert_eq!(ear(&bench), Some(PreviewSound::After));
    bench.key(NONE, Key::B);
    assert!(ear(&bench) == Some(PreviewSound::Before) && document(&bench).shown().is_same(&base));
    bench.key(NONE, Key::D);
    assert_eq!(ear(&bench), Some(PreviewSound::Difference));
    assert!(bench.studio().workbench().monitor().difference().is_some_and(|found| found.peak_db.is_some()));
    for (label, expected) in [
        ("Preview: before", PreviewSound::Before),
        ("Preview: difference", PreviewSound::Difference),
        ("Preview: after", PreviewSound::After),
    ] {
        bench.click(label);
        assert_eq!(ear(&bench), Some(expected), "{label}");
    }
    bench.key(NONE, Key::D);
    bench.click("Cancel preview");
    assert_eq!(ear(&bench), None);
    assert_eq!(bench.studio().workbench().monitor().hearing(), sonobrush::workbench::Hearing::All);
    // The brush in hand, by its button, twice.
    bench.click("Preview brush on selection");
    assert_eq!(preview(&bench).kind(), PreviewKind::Brush(Tool::GAIN));
    bench.key(NONE, Key::Escape);
    assert!(document(&bench).preview().is_none());
}

#[test]
fn modes_of_heal_stand_side_by_side_and_one_is_taken() {
    let mut bench = bench();
    bench.select(Some([1.49, 1.53]), None);
    bench.act(PreviewCommand::Heal);
    bench.settle();
    bench.click("Preview: compare heal modes");
    let base = document(&bench).history().current().clone();
    let comparison = preview(&bench).comparison().unwrap();
    assert!(comparison.before().is_some());
    let pictures = HealMode::ALL.map(|mode| comparison.of(mode).unwrap().outcome.as_ref().unwrap().picture.clone());
    for (i, picture) in pictures.iter().enumerate() {
        assert!(pictures[..i].iter().all(|other| other.rgb != picture.rgb), "each mode looks different");
        assert_ne!(picture.rgb, comparison.before().unwrap().rgb);
    }
    let modes = HealMode::ALL.map(|mode| comparison.of(mode).unwrap().outcome.as_ref().unwrap().consistency_db);
    assert!(modes.iter().all(Option::is_some), "{modes:?}");
    bench.harness.get_by_label("Take Pattern").click();
    bench.harness.step();
    bench.harness.step();
    // It was computed already.
    assert_eq!(bench.tools().settings().heal.mode, HealMode::Pattern);
    assert!(preview(&bench).is_up_to_date() && !preview(&bench).is_busy());
    assert_eq!(all_bits(document(&bench).shown()), plain(&base, preview(&bench).edit()));
    // Another selection is compared again.
    bench.select(Some([2.0, 2.4]), None);
    let gap = preview(&bench).comparison().unwrap().of(HealMode::Gap).unwrap();
    assert!(gap.outcome.as_ref().is_err_and(|error| error.message().contains("400 ms long")));
    bench.key(NONE, Key::Enter);
    assert_eq!(n_steps(&bench), 1);
}
