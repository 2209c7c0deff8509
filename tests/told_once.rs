//! Notices say what is so: what can be done again is not said to fail, one thing is said once, and nothing is done
//! silently.

use crate::support::studio::{Bench, CTRL, Drawing, SHIFT};
use egui::Key;
use sonobrush::document::Edit;
use sonobrush::document::brushes::Gain;
use sonobrush::dsp::StftParams;
use sonobrush::workbench::{DocumentAct, Picked};
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(30);

/// Notices that playback failed, each by its number: another for each time that it is given.
fn faults(bench: &Bench) -> Vec<u64> {
    let notices = bench.studio().notices().all();
    notices
        .iter()
        .filter(|notice| notice.what.starts_with("No sound device") || notice.what.starts_with("The sound device"))
        .map(|notice| notice.id)
        .collect()
}

/// Frames until it is so; in none of them `at_all_times` may fail.
fn frames_until(bench: &mut Bench, what: &str, is_so: impl Fn(&Bench) -> bool, at_all_times: impl Fn(&Bench) -> bool) {
    let began = Instant::now();
    while !is_so(bench) {
        assert!(began.elapsed() < TIMEOUT, "never: {what}");
        bench.harness.step();
        bench.jobs.run_until_idle();
        assert!(at_all_times(bench), "before {what}: {:?}", bench.notices());
    }
}

fn is_playing(bench: &Bench) -> bool {
    bench.studio().workbench().transport().status.playing
}

#[test]
fn playback_that_works_again_takes_its_notice_down() {
    let mut bench = Bench::with_clip(Drawing::None, "drum_break_44k_stereo.flac");
    bench.recorder.set_present(false);
    bench.harness.key_press(Key::Space);
    frames_until(&mut bench, "the fault", |bench| faults(bench).len() == 1, |_| true);
    let first = faults(&bench);
    // A second failure: the play button stays lit until it is known that the sound cannot play.
    bench.harness.key_press(Key::Space);
    let is_reported = |bench: &Bench| faults(bench).len() == 1;
    frames_until(&mut bench, "the second fault", |bench| faults(bench) != first, is_reported);
    // The device is there again, and playing; that it plays shows only once it has taken sound.
    bench.recorder.set_present(true);
    bench.harness.key_press(Key::Space);
    frames_until(&mut bench, "playing", is_playing, is_reported);
    for _ in 0..10 {
        bench.harness.step();
        assert!(is_playing(&bench) && is_reported(&bench), "{:?}", bench.notices());
    }
    assert!(bench.recorder.pull_ready(512, TIMEOUT));
    frames_until(&mut bench, "the end of the notice", |bench| faults(bench).is_empty(), |_| true);
    // Lost while it plays: the notice is not taken down by what sounded before.
    bench.recorder.set_present(false);
    frames_until(&mut bench, "the loss", is_reported, |_| true);
    for _ in 0..10 {
        bench.harness.step();
        assert!(is_reported(&bench) && !is_playing(&bench));
    }
    // And down again with the next sound, here backwards.
    bench.recorder.set_present(true);
    let began = Instant::now();
    while bench.recorder.is_open() {
        assert!(began.elapsed() < TIMEOUT);
        std::thread::sleep(Duration::from_millis(1));
    }
    bench.act(sonobrush::workbench::commands::PlayCommand::ToEnd);
    bench.act(sonobrush::workbench::commands::PlayCommand::ShuttleBack);
    frames_until(&mut bench, "playing", is_playing, is_reported);
    assert!(bench.recorder.pull_ready(512, TIMEOUT));
    frames_until(&mut bench, "the end of the notice", |bench| faults(bench).is_empty(), |_| true);
}

#[test]
fn a_clipped_export_is_told_once() {
    let mut bench = Bench::with_clip(Drawing::None, "drum_break_44k_stereo.flac");
    bench.act(DocumentAct::Edit(Box::new(Edit::of(Gain { gain_db: 24.0 }, StftParams::default()))));
    bench.settle();
    bench.dialogs.answer(Picked::File(bench.out("loud.wav")));
    bench.key(CTRL, Key::E);
    bench.click("Save as\u{2026}");
    assert!(bench.out("loud.wav").exists(), "{:?}", bench.notices());
    let notices = bench.notices();
    let about_clipping = notices.iter().filter(|(_, what)| what.contains("clipped")).count();
    let about_the_export = notices.iter().filter(|(_, what)| what.contains("loud.wav")).count();
    assert_eq!((about_clipping, about_the_export), (1, 1), "{notices:?}");
}

#[test]
fn each_softening_of_the_edges_says_how_soft_they_are() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.2, 0.4]), Some([1000.0, 3000.0]));
    let reported = |bench: &Bench| -> Vec<String> {
        let notices = bench.notices().into_iter().map(|(_, what)| what);
        notices.filter(|what| what.contains("softer")).collect()
    };
    // Two hops and four bins of the picture.
    let params = *bench.studio().document().unwrap().view().transform.as_stft().unwrap();
    let step = [2.0 * params.hop as f64 / 44_100.0, 4.0 * 44_100.0 / params.n_fft as f64];
    for n in 1..=3 {
        bench.key(CTRL | SHIFT, Key::F);
        let [ms, hz] = [1000.0 * step[0], step[1]].map(|by| f64::from(n) * by);
        assert_eq!(reported(&bench), [format!("The edges of the selection are softer by {ms:.0} ms and {hz:.0} Hz.")]);
    }
    // Another selection starts from hard edges.
    bench.select(Some([0.3, 0.4]), Some([1000.0, 3000.0]));
    bench.key(CTRL | SHIFT, Key::F);
    let (ms, hz) = (1000.0 * step[0], step[1]);
    assert_eq!(reported(&bench), [format!("The edges of the selection are softer by {ms:.0} ms and {hz:.0} Hz.")]);
}
