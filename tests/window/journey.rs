//! All the way in the real window: a file is dropped on it, painted with every brush, selected from, looped, undone and
//! exported, and what comes out is what went in.

use super::rig::Rig;
use super::signals::{comb, read_wav, write_wav};
use super::sound::{SINK_HZ, recorded};
use super::studio::{is_at_rest, notices};
use sonobrush::workbench::Tool;
use std::time::Duration;

const RATE_HZ: f64 = 48_000.0;

const BRUSHES: [(&str, &str); 18] = [
    ("g", "tool_gain"),
    ("e", "tool_erase"),
    ("u", "tool_blur"),
    ("f", "tool_band_filter"),
    ("o", "tool_modulation_filter"),
    ("w", "tool_warp"),
    ("shift+c", "tool_clone"),
    ("r", "tool_smudge"),
    ("shift+t", "tool_tone"),
    ("shift+n", "tool_noise"),
    ("shift+e", "tool_sharpen"),
    ("shift+h", "tool_heal"),
    ("shift+x", "tool_harmonic_percussive"),
    ("shift+r", "tool_rebuild_phase"),
    ("shift+q", "tool_denoise"),
    ("shift+i", "tool_contrast"),
    ("shift+g", "tool_gate"),
    ("shift+m", "tool_voices"),
];

pub fn from_a_drop_to_an_export(rig: &Rig) {
    assert_eq!(BRUSHES.len(), Tool::ALL.into_iter().filter(|tool| tool.is_brush()).count(), "every brush is tried");
    let file = rig.path("to drop \u{e9}.wav");
    // Tones that stand apart, with a beat in them, so that every brush has something to change.
    let mut samples = comb(3 * 48_000, RATE_HZ, 200.0, 12_000.0, 0.006);
    for (n, sample) in samples.iter_mut().enumerate() {
        *sample *= 1.0 + 0.8 * (std::f64::consts::TAU * 12.0 * n as f64 / RATE_HZ).sin();
    }
    write_wav(&file, RATE_HZ as u32, &samples);
    let studio = rig.start_studio(&[]);
    studio.take_focus();
    studio.drop_file(&file, [600, 400]);
    studio.wait("the dropped file", |state| {
        let is_open = state["document"]["path"] == file.display().to_string() && is_at_rest(state);
        is_open.then_some(())
    });
    let pane = studio.pane();
    let place = |secs: f64, hz: f64| [pane.x_at(secs), pane.y_at(hz)];

    let mut n_edits = 0;
    for (key, tool) in BRUSHES {
        studio.key(key);
        studio.wait(tool, |state| (state["tool"] == tool).then_some(()));
        if tool == "tool_clone" {
            studio.ctrl_click(place(0.8, 1_000.0));
        }
        if tool == "tool_denoise" {
            studio.key("ctrl+a");
            studio.key("ctrl+shift+l");
            // A noise is learnt from what was selected when the command was given.
            studio.key("ctrl+d");
            studio.wait("the noise", |state| {
                notices(state).any(|notice| notice.starts_with("Noise learnt")).then_some(())
            });
        }
        let (from_hz, to_hz) = (2_000.0, if tool == "tool_warp" { 2_600.0 } else { 2_200.0 });
        let step = |i: i32| {
            let part = f64::from(i) / 10.0;
            place(1.4 + 0.2 * part, from_hz + (to_hz - from_hz) * part)
        };
        studio.drag(&(0..=10).map(step).collect::<Vec<_>>());
        n_edits += 1;
        studio.wait_position(n_edits);
    }

    studio.key("v");
    studio.wait("the lasso", |state| (state["tool"] == "tool_lasso").then_some(()));
    let corners = [(0.5, 500.0), (0.9, 500.0), (0.9, 3_000.0), (0.7, 5_000.0), (0.5, 3_000.0), (0.5, 600.0)];
    studio.drag(&corners.map(|(secs, hz)| place(secs, hz)));
    let [start, end] = studio.wait("the selection", |state| {
        let secs = state["document"]["selected_secs"].as_array()?;
        Some([secs[0].as_f64()?, secs[1].as_f64()?])
    });
    assert!((start - 0.5).abs() < 0.05 && (end - 0.9).abs() < 0.05, "selected {start} to {end} s");
    studio.key("Delete");
    n_edits += 1;
    studio.wait_position(n_edits);

    studio.key("ctrl+l");
    let recording = recorded(rig, "journey.raw", || {
        studio.key("space");
        studio.wait("the sound to begin", |state| (state["playing"] == true).then_some(()));
        std::thread::sleep(Duration::from_secs_f64(5.0 * (end - start)));
        studio.wait("the loop to go on", |state| (state["playing"] == true).then_some(()));
        studio.key("space");
        studio.wait("rest", |state| (state["playing"] == false).then_some(()));
    });
    let n_loud = recording.iter().filter(|sample| sample.abs() > 0.003).count();
    assert!(n_loud as f64 > 2.0 * (end - start) * SINK_HZ * 0.5, "{n_loud} samples of the loop were heard");

    let painted = read_wav(&studio.export("painted.wav"));
    for position in (0..n_edits).rev() {
        studio.key("ctrl+z");
        studio.wait("a step back", |state| (state["document"]["position"] == position).then_some(()));
    }
    studio.wait_position(0);
    let undone = studio.export("undone.wav");
    let original = read_wav(&file);
    assert_eq!(read_wav(&undone), original, "the source's own samples come out again");
    assert_ne!(painted, original, "the comparison bites");
    let outside = |samples: &[i32]| samples[(2.5 * RATE_HZ) as usize..].to_vec();
    assert_eq!(outside(&painted), outside(&original), "where nothing was painted");
}
