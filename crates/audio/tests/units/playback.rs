//! Channel folding, levels, the monitor gain and the position of the playhead.

use audio::playback::{ChannelFold, Levels, MonitorGain, Playhead};

fn folded(n_from: usize, n_to: usize, frame: &[f32]) -> Vec<f32> {
    let mut out = Vec::new();
    ChannelFold::new(n_from, n_to).append(frame, &mut out);
    out
}

#[test]
fn channels_go_where_they_are_expected() {
    assert_eq!(folded(1, 2, &[0.5]), [0.5, 0.5]);
    assert_eq!(folded(1, 6, &[0.5]), [0.5, 0.5, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(folded(2, 2, &[0.25, -0.5]), [0.25, -0.5]);
    assert_eq!(folded(2, 4, &[0.25, -0.5]), [0.25, -0.5, 0.0, 0.0]);
    assert_eq!(folded(2, 1, &[0.25, -0.5]), [-0.125]);
}

#[test]
fn a_fold_is_never_louder_than_full_scale() {
    for n_from in 3..=32 {
        for frame in [vec![1.0; n_from], (0..n_from).map(|c| if c == 0 { 1.0 } else { 0.0 }).collect()] {
            let out = folded(n_from, 2, &frame);
            assert!(out.iter().all(|sample| sample.abs() <= 1.0 + 1e-6), "{n_from}: {out:?}");
            assert!(out[0] > 0.05, "{n_from}: the left front is heard on the left");
        }
    }
}

#[test]
fn levels_are_peaks_and_clips() {
    let mut levels = Levels::default();
    levels.note(&[0.5, -1.0, -0.25, 1.5], 2);
    assert_eq!(levels, Levels { peaks: [0.5, 1.5], clipped: [false, true] });
}

#[test]
fn at_unity_bits_pass_and_beyond_full_scale_is_held() {
    let mut monitor = MonitorGain::new(48_000.0);
    let quiet: Vec<f32> = (0..960).map(|n| (n as f32 * 0.1).sin() * 0.9).collect();
    let mut out = quiet.clone();
    monitor.process(&mut out, 2);
    assert_eq!(out, quiet);
    monitor.set_gain(4.0);
    let mut loud = quiet.repeat(10);
    monitor.process(&mut loud, 2);
    assert!(loud.iter().all(|sample| sample.abs() <= 1.0));
    assert!(loud[4_800..].iter().any(|sample| sample.abs() > 0.95), "held at full scale, not below");
    // At unity gain, after the limiter's release, samples are unchanged bit for bit again.
    monitor.set_gain(1.0);
    monitor.process(&mut quiet.repeat(200), 2);
    let mut again = quiet.clone();
    monitor.process(&mut again, 2);
    assert_eq!(again, quiet);
}

#[test]
fn a_change_of_gain_has_no_step() {
    let mut monitor = MonitorGain::new(48_000.0);
    monitor.set_gain(0.0);
    let mut out = vec![1.0; 1_000];
    monitor.process(&mut out, 1);
    let step = out.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
    assert!(step < 0.005 && out[999] == 0.0, "{step}");
}

#[test]
fn follows_jumps_and_rates() {
    let mut playhead = Playhead::default();
    assert_eq!(playhead.secs_at(10.0), None);
    playhead.begin(24_000.0, 2.0);
    playhead.jump(100.0, 24_000.0);
    playhead.jump(4_900.0, 12_000.0);
    assert_eq!(playhead.secs_at(0.0), Some(1.0));
    assert_eq!(playhead.secs_at(2_500.0), Some(1.05));
    assert_eq!(playhead.secs_at(4_900.0), Some(0.5));
    assert_eq!(playhead.secs_at(9_700.0), Some(0.6));
}
