//! Pictures move with their sound where time was cut or added.

use base::Progress;
use document::Snapshot;
use dsp::{StftParams, Transform, Window};
use engine::{Engine, Plans};
use media::Source;
use sonobrush_view::{Analysis, ChannelView, Level, Moved, Piece, Pyramid, finest};

const RATE: u32 = 16_000;

fn transform() -> Transform {
    StftParams { n_fft: 512, hop: 128, window: Window::Hann }.into()
}

/// A tone with periodic swells, so that each moment has a different level.
fn sound(n_secs: usize) -> Snapshot {
    let at = |i: usize| {
        let t = i as f64 / f64::from(RATE);
        let level = 0.1 + 0.8 * (t * 0.37).fract();
        (level * (std::f64::consts::TAU * 1000.0 * t).sin()) as f32
    };
    Snapshot::new(Source::from_channels(vec![(0..n_secs * RATE as usize).map(at).collect()], RATE).unwrap())
}

fn pyramid(sound: &Snapshot) -> Pyramid {
    let plans = Plans::default();
    let plan = plans.view(&transform(), sound.sample_rate_hz()).unwrap();
    let analysis = Analysis::new(sound, ChannelView::All, plan).unwrap();
    let mut pyramid = Pyramid::new(sound.grid(transform()));
    for index in 0..pyramid.n_pieces() {
        pyramid.insert(index, Piece::compute(&analysis, &Engine::cpu(), index, &Progress::new()).unwrap(), true);
    }
    pyramid
}

/// The loudest value of each entry of a level.
fn loudest(pyramid: &Pyramid, level: u32) -> Vec<u16> {
    let of = Level { index: level, grid: pyramid.grid().clone() };
    let rows = pyramid.rows(level, 0..of.n_entries()).values;
    rows.chunks(of.n_rows()).map(|rows| rows.iter().copied().max().unwrap()).collect()
}

#[test]
fn a_moved_pyramid_is_within_an_entry_of_the_true_one_and_none_of_it_is_fresh_where_it_moved() {
    let before = sound(120);
    let known = pyramid(&before);
    let cut = before.without(700_007..1_100_001);
    let grown = before.with_silence(900_003, 160_001).unwrap();
    let repeated = before.with_copy(400_000..640_000, 1_000_000).unwrap();
    for (name, after) in [("cut", cut), ("silence", grown), ("repeated", repeated)] {
        let moved = Moved::between(&before, &after).unwrap();
        let mut shifted = known.moved(after.grid(transform()), Some(&moved));
        let truth = pyramid(&after);
        assert_eq!(shifted.n_pieces(), truth.n_pieces(), "{name}");
        assert!(shifted.is_complete(), "{name}: nothing is blank");
        for level in finest(shifted.grid())..=6 {
            let (ours, theirs) = (loudest(&shifted, level), loudest(&truth, level));
            assert_eq!(ours.len(), theirs.len());
            let is_near = |k: usize| {
                let around = k.saturating_sub(1)..(k + 2).min(theirs.len());
                let (min, max) = (theirs[around.clone()].iter().min(), theirs[around].iter().max());
                (*min.unwrap()..=*max.unwrap()).contains(&ours[k])
            };
            let n_off = (0..ours.len()).filter(|&k| !is_near(k)).count();
            // Entries that may be off: new silence shows the sound beside it until it is analysed, entries at a join
            // show their neighbours, and where the ramp of the tone restarts, half an entry changes the level.
            let n_silent = theirs.iter().filter(|&&value| value < 200).count();
            let n_falls = (after.n_samples() as f64 / f64::from(RATE) * 0.37).ceil() as usize;
            assert!(
                n_off <= n_silent + n_falls + 6,
                "{name}, level {level}: {n_off} of {} entries are elsewhere",
                ours.len()
            );
        }
        // Control: without the map, more than a third of the entries are wrong.
        let unmoved = known.moved(after.grid(transform()), None);
        let (ours, theirs) = (loudest(&unmoved, 3), loudest(&truth, 3));
        let n_off = ours.iter().zip(&theirs).filter(|(a, b)| a.abs_diff(**b) > 300).count();
        assert!(n_off > ours.len() / 3, "{name}: {n_off}");
        // The pieces before the join, at least one, are kept and still fresh.
        shifted.judge(|snapshot, frames| {
            let samples = frames.start as u64 * 128..frames.end as u64 * 128 + 512;
            let differs = |range: std::ops::Range<u64>| range.start < samples.end && samples.start < range.end;
            !snapshot.differing(&after, 0).into_iter().any(differs)
        });
        let n_fresh = (0..shifted.n_pieces()).filter(|&i| shifted.next_piece(i..i + 1, |_| false).is_none()).count();
        assert!((1..shifted.n_pieces()).contains(&n_fresh), "{name}: {n_fresh} of {} pieces", shifted.n_pieces());
    }
}

#[test]
fn what_only_became_longer_is_kept() {
    let before = sound(120);
    let known = pyramid(&before);
    let longer = before.lengthened(64_000).unwrap();
    assert_eq!(Moved::between(&before, &longer), None);
    let kept = known.moved(longer.grid(transform()), None);
    assert!(kept.is_complete());
    let (ours, truth) = (loudest(&kept, 2), loudest(&pyramid(&longer), 2));
    let n_before = known.grid().n_frames() / 16 - 2;
    assert_eq!(ours[..n_before], truth[..n_before]);
}
