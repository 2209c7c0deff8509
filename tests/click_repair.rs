//! Clicks of 2 to 14 samples in speech: found, counted, stepped through and healed, and nothing beside them changed.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use crate::support::damage::add_clicks;
use crate::support::measure::{changed, snr_db_f32};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, clip, open, samples};
use egui::Key;
use sonobrush::document::Snapshot;
use sonobrush::dsp::find::clicks;
use sonobrush::media::Source;
use sonobrush::workbench::Seek;
use sonobrush::workbench::commands::FindCommand;
use std::ops::Range;

const RATE: u32 = 16_000;
const N_CLICKS: usize = 30;

fn speech() -> Vec<f32> {
    samples(&open(&clip("speech_16k_mono.wav")), 0)
}

/// The error over some samples, in squares.
fn error(found: &[f32], clean: &[f32], range: &Range<usize>) -> f64 {
    found[range.clone()].iter().zip(&clean[range.clone()]).map(|(a, b)| f64::from(a - b).powi(2)).sum()
}

#[test]
fn clicks_in_speech_are_repaired_and_nothing_else() {
    let clean = speech();
    let mut damaged = clean.clone();
    let places = add_clicks(&mut damaged, N_CLICKS, 415);
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![damaged.clone()], RATE).unwrap()));
    bench.act(FindCommand::Seek(Seek::Clicks));
    bench.settle();
    let (_, told) = bench.notices().pop().unwrap();
    let n_told: usize = told.split(' ').next().unwrap().parse().unwrap();
    assert!(told.contains("clicks found and selected") && (28..=30).contains(&n_told), "{told}");
    bench.key(CTRL, Key::H);
    let healed = bench.samples(0);

    let is_repaired = |place: &&Range<usize>| error(&healed, &clean, place) < 0.25 * error(&damaged, &clean, place);
    let n_repaired = places.iter().filter(is_repaired).count();
    let touched = changed(&damaged, &healed);
    let is_near = |at: &usize| places.iter().any(|place| (place.start.saturating_sub(4)..place.end + 4).contains(at));
    let far: Vec<&usize> = touched.iter().filter(|at| !is_near(at)).collect();
    let (before, after) = (snr_db_f32(&damaged, &clean), snr_db_f32(&healed, &clean));
    println!(
        "{n_repaired} of {N_CLICKS} repaired, {} samples far from any, {before:.1} dB to {after:.1} dB",
        far.len()
    );
    assert!(n_repaired >= 28, "{n_repaired} of {N_CLICKS}");
    assert!(far.is_empty(), "{far:?}");
    assert!(after > before + 10.0, "{before} dB to {after} dB");
    assert!(!touched.is_empty() && before < 25.0, "the checks can fail");
}

#[test]
fn other_clicks_in_speech_are_found_and_speech_is_not() {
    let clean = speech();
    assert_eq!(clicks(&clean, 10.0).len(), 0, "pulses of a voice are no clicks");
    let (mut n_hit, mut n_false) = (0, 0);
    for seed in 0..5 {
        let mut damaged = clean.clone();
        let places = add_clicks(&mut damaged, N_CLICKS, seed);
        let found = clicks(&damaged, 10.0);
        let meets = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
        n_hit += places.iter().filter(|place| found.iter().any(|run| meets(run, place))).count();
        n_false += found.iter().filter(|run| !places.iter().any(|place| meets(run, place))).count();
    }
    assert!(n_hit >= 5 * 28, "{n_hit} of {}", 5 * N_CLICKS);
    assert_eq!(n_false, 0);
}

#[test]
fn tab_steps_through_what_was_found() {
    let mut damaged = speech();
    let places = add_clicks(&mut damaged, 12, 3);
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![damaged], RATE).unwrap()));
    let cursor = |bench: &Bench| bench.studio().document().unwrap().cursor_secs();
    let facts = bench.studio().facts();
    assert!(FindCommand::NextPlace.row().enabled(&facts).is_err(), "nothing was found yet");
    bench.act(FindCommand::Seek(Seek::Clicks));
    bench.settle();
    bench.set_view(|view| view.secs = [0.0, 0.5]);
    bench.settle();
    let is_at = |secs: f64, place: &Range<usize>| {
        let at = (secs * f64::from(RATE)).round() as usize;
        at + 4 >= place.start && at <= place.end
    };
    for place in &places {
        bench.key(NONE, Key::Tab);
        assert!(is_at(cursor(&bench), place), "{} is not at {place:?}", cursor(&bench));
        let view = bench.studio().document().unwrap().view().secs;
        assert!((view[0]..=view[1]).contains(&cursor(&bench)), "it is scrolled to");
    }
    let steps = bench.notices().into_iter().filter(|(_, what)| what.starts_with("Place"));
    let steps: Vec<String> = steps.map(|(_, what)| what).collect();
    assert!(steps.len() == 1 && steps[0].starts_with("Place 12 of 12 at"), "{steps:?}");
    bench.key(NONE, Key::Tab);
    assert!(is_at(cursor(&bench), &places[0]), "after the last comes the first");
    bench.key(SHIFT, Key::Tab);
    assert!(is_at(cursor(&bench), &places[11]));
    assert!(bench.harness.ctx.memory(|memory| memory.focused()).is_none(), "no button takes the keyboard meanwhile");
    // Where nothing was found, Tab goes to the buttons.
    bench.key(CTRL, Key::D);
    bench.key(NONE, Key::Tab);
    assert!(bench.harness.ctx.memory(|memory| memory.focused()).is_some());
}
