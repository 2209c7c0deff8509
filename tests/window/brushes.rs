//! Every brush, by hand.

use super::erase::zoom_in;
use super::pictures::{crop, part_apart};
use super::rig::Rig;
use super::signals::{comb, loudest_hz, read_wav, tone, write_wav};

const RATE_HZ: f64 = 44_100.0;

const BRUSHES: [(&str, &str); 6] = [
    ("3", "tool_gain"),
    ("4", "tool_erase"),
    ("5", "tool_blur"),
    ("6", "tool_band_filter"),
    ("7", "tool_modulation_filter"),
    ("8", "tool_warp"),
];

pub fn every_brush_paints_and_is_undone(rig: &Rig) {
    let file = rig.path("tones.wav");
    // Tones that stand apart, with a beat in them, so that every brush has something to change.
    let mut samples = comb(3 * 44_100, RATE_HZ, 200.0, 12_000.0, 0.006);
    for (n, sample) in samples.iter_mut().enumerate() {
        *sample *= 1.0 + 0.8 * (std::f64::consts::TAU * 12.0 * n as f64 / RATE_HZ).sin();
    }
    write_wav(&file, RATE_HZ as u32, &samples);
    let studio = rig.open(&file);
    let pane = studio.pane();
    let place = |part_x: f64, hz: f64| [(pane.rect[0] + part_x * pane.rect[2]) as i64, pane.y_at(hz)];
    studio.leave_canvas();
    let before = crop(&studio.picture("before.png"), &pane);
    for (key, tool) in BRUSHES {
        studio.key(key);
        studio.wait(tool, |state| (state["tool"] == tool).then_some(()));
        let hz = 2_000.0;
        let end = if tool == "tool_warp" { 1.3 * hz } else { hz };
        let steps: Vec<[i64; 2]> =
            (0..=10).map(|i| place(0.4 + 0.01 * f64::from(i), hz + (end - hz) * f64::from(i) / 10.0)).collect();
        studio.drag(&steps);
        studio.wait_position(1);
        studio.leave_canvas();
        let painted = crop(&studio.picture("painted.png"), &pane);
        assert!(part_apart(&before, &painted) > 0.0005, "{tool} changed nothing that is seen");
        studio.key("ctrl+z");
        studio.wait_position(0);
        studio.leave_canvas();
        let undone = crop(&studio.picture("undone.png"), &pane);
        assert_eq!(part_apart(&before, &undone), 0.0, "{tool} is undone to the pixel");
    }
}

pub fn sound_follows_a_push(rig: &Rig) {
    let file = rig.path("push.wav");
    write_wav(&file, RATE_HZ as u32, &tone(3 * 44_100, RATE_HZ, 1_000.0, 0.25));
    let studio = rig.open(&file);
    // So that the brush is wider than the tone, in time and in frequency, as it must be to take hold of it.
    zoom_in(&studio, [1.5, 1_050.0], 3.0, 32.0);
    assert!(studio.pane().radius_secs() > 0.1 && studio.pane().radius_octaves() > 0.2);
    let pane = studio.pane();
    let x = pane.x_at(1.5);
    let (from, to) = (pane.y_at(1_000.0), pane.y_at(1_200.0));
    assert!(from > to);
    studio.key("8");
    studio.wait("the warp brush", |state| (state["tool"] == "tool_warp").then_some(()));
    let steps: Vec<[i64; 2]> = (to..=from).rev().step_by(2).chain([to]).map(|y| [x, y]).collect();
    studio.drag(&steps);
    studio.wait_position(1);
    let pushed = read_wav(&studio.export("pushed.wav"));
    let around = |secs: f64| -> Vec<f64> {
        let middle = (secs * RATE_HZ) as usize;
        pushed[middle - 1_024..middle + 1_024].iter().map(|&sample| f64::from(sample)).collect()
    };
    let heard_hz = loudest_hz(&around(1.5), RATE_HZ);
    let pointer_hz = pane.hz_at(to);
    assert!((heard_hz - pointer_hz).abs() < RATE_HZ / 2_048.0, "heard {heard_hz} Hz, pointer at {pointer_hz} Hz");
    let far_hz = loudest_hz(&around(0.5), RATE_HZ);
    assert!((far_hz - 1_000.0).abs() < 5.0, "{far_hz} Hz away from the stroke");
}
