//! Unit tests of the level meters.

use audio::playback::Levels;
use workbench::Meters;

#[test]
fn bars_fall_ticks_hold_and_clips_stay() {
    let mut meters = Meters::default();
    meters.note(&Levels { peaks: [0.5, 2.0], clipped: [false, true] });
    meters.show(1.0);
    let db = |meters: &Meters| meters.channels.map(|meter| (meter.db * 10.0).round() / 10.0);
    assert_eq!(db(&meters), [-6.0, 6.0]);
    meters.show(1.5);
    assert_eq!(db(&meters), [-16.0, -4.0]);
    assert!((meters.channels[0].held_db + 6.02).abs() < 0.01, "held");
    meters.show(3.0);
    assert!((meters.channels[0].held_db + 46.02).abs() < 0.01, "let go");
    meters.show(20.0);
    assert!(meters.is_at_rest() && meters.channels[1].clipped && !meters.channels[0].clipped);
    meters.clear_clips();
    assert!(!meters.channels[1].clipped);
}
