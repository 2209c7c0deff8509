//! Clicks of 2 to 14 samples: found, counted and stepped through.

use crate::support::damage::add_clicks;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT};
use egui::Key;
use sonobrush::document::Snapshot;
use sonobrush::media::Source;
use sonobrush::workbench::Seek;
use sonobrush::workbench::commands::FindCommand;
use std::f64::consts::TAU;
use std::ops::Range;

const RATE: u32 = 16_000;

/// Two seconds of a tone.
fn tone() -> Vec<f32> {
    (0..2 * RATE).map(|n| (0.2 * (TAU * 440.0 * f64::from(n) / f64::from(RATE)).sin()) as f32).collect()
}

#[test]
fn tab_steps_through_what_was_found() {
    let mut damaged = tone();
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

#[test]
fn tab_goes_to_the_one_place_that_was_found() {
    let mut damaged = tone();
    let places = add_clicks(&mut damaged, 1, 3);
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![damaged], RATE).unwrap()));
    bench.act(FindCommand::Seek(Seek::Clicks));
    bench.settle();
    let (_, reported) = bench.notices().pop().unwrap();
    assert_eq!(reported, "1 click found and selected.");
    for _ in 0..2 {
        bench.key(NONE, Key::Tab);
        let at = (bench.studio().document().unwrap().cursor_secs() * f64::from(RATE)).round() as usize;
        assert!(at + 4 >= places[0].start && at <= places[0].end, "{at} is not at {:?}", places[0]);
        assert!(bench.notices().pop().unwrap().1.starts_with("Place 1 of 1 at"));
    }
    assert!(bench.harness.ctx.memory(|memory| memory.focused()).is_none());
}
