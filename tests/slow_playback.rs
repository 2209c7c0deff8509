//! Sound slowed down to be heard: chosen in the transport or by key, kept for each document.

use crate::support::signals::tone;
use crate::support::studio::{Bench, CTRL, Drawing, NONE};
use egui::{Key, Modifiers};
use sonobrush::document::Snapshot;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{PlayCommand, TabCommand};
use sonobrush::workbench::{FileAct, PlayAct, Transport};
use std::time::Duration;

const CTRL_SHIFT: Modifiers = Modifiers { ctrl: true, command: true, shift: true, ..Modifiers::NONE };

/// Two documents: a bat of 45 kHz at 192 kHz in front of a crow.
fn bench() -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![tone(16_000, 16_000.0, 440.0, 0.3)], 16_000).unwrap()));
    let bat = tone(192_000, 192_000.0, 45_000.0, 0.3);
    bench.act(FileAct::Show(Snapshot::new(Source::from_channels(vec![bat], 192_000).unwrap())));
    bench.settle();
    bench
}

fn transport(bench: &Bench) -> &Transport {
    bench.studio().workbench().transport()
}

fn speed(bench: &Bench) -> f64 {
    transport(bench).speed(bench.studio().document().unwrap().id())
}

#[test]
fn the_speed_is_stepped_by_keys_and_kept_for_each_document() {
    let mut bench = bench();
    for wanted in [0.5, 0.25, 0.2, 0.125, 0.1] {
        bench.key(CTRL_SHIFT, Key::J);
        assert_eq!(speed(&bench), wanted);
    }
    let id = bench.studio().document().unwrap().id();
    assert_eq!(transport(&bench).audible_hz(id), [200.0, 200_000.0]);
    bench.act(TabCommand::Next);
    bench.settle();
    assert_eq!(speed(&bench), 1.0, "the other document plays as before");
    bench.key(CTRL_SHIFT, Key::K);
    assert_eq!(speed(&bench), 2.0);
    bench.act(TabCommand::Next);
    bench.settle();
    assert_eq!(speed(&bench), 0.1);
    for _ in 0..20 {
        bench.act(PlayCommand::Slower);
    }
    assert_eq!(speed(&bench), 1.0 / 20.0);
    for _ in 0..20 {
        bench.act(PlayCommand::Faster);
    }
    assert_eq!(speed(&bench), 8.0);
    // What is no speed changes nothing; another goes to the nearest.
    for odd in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        bench.act(PlayAct::Speed(odd));
        assert_eq!(speed(&bench), 8.0);
    }
    bench.act(PlayAct::Speed(0.11));
    assert_eq!(speed(&bench), 0.1);
}

#[test]
fn slow_sound_is_played_slowly_and_the_playhead_follows() {
    let mut bench = bench();
    bench.act(PlayAct::Speed(0.1));
    bench.put_cursor(0.2);
    bench.key(NONE, Key::Space);
    assert!(transport(&bench).status.playing, "{:?}", bench.notices());
    for _ in 0..10 {
        assert!(bench.recorder.pull_ready(480, Duration::from_secs(10)));
    }
    bench.settle();
    // A tenth of a second is heard: a hundredth of the sound, less what the device holds.
    let at = transport(&bench).playhead_secs().unwrap();
    assert!((0.2..=0.211).contains(&at), "{at}");
    // Faster while it plays: it goes on where it is.
    bench.act(PlayAct::Speed(1.0));
    bench.settle();
    let now = transport(&bench).playhead_secs().unwrap();
    assert!(transport(&bench).status.playing && (now - at).abs() < 0.02, "{at} {now}");
    bench.key(CTRL, Key::Space);
    assert!(!transport(&bench).status.playing);
}

/// Ten seconds of the device at a tenth of the speed.
#[test]
fn the_playhead_keeps_its_time_at_a_tenth_of_the_speed() {
    let mut bench = bench();
    let two_secs = tone(2 * 192_000, 192_000.0, 45_000.0, 0.3);
    bench.show(Snapshot::new(Source::from_channels(vec![two_secs], 192_000).unwrap()));
    bench.act(PlayAct::Speed(0.1));
    bench.put_cursor(0.0);
    bench.key(NONE, Key::Space);
    for _ in 0..1_000 {
        assert!(bench.recorder.pull_ready(480, Duration::from_secs(10)));
        bench.clock.advance(0.01);
    }
    bench.settle();
    let at_secs = transport(&bench).playhead_secs().unwrap();
    assert!((at_secs - 1.0).abs() < 0.002, "{at_secs} s");
}
