//! A preview in the window: heard in a loop while its settings change, and gone without a trace.

use super::rig::Rig;
use super::signals::{read_wav, tone, write_wav};
use super::sound::{SINK_HZ, recorded};
use super::studio::{Studio, is_at_rest};
use std::f64::consts::TAU;
use std::time::Duration;

const HZ: f64 = 1_000.0;
const LEVEL: f64 = 0.3;
const SELECTED_SECS: [f64; 2] = [1.0, 1.5];
const SETTINGS_DB: [f64; 2] = [-20.0, -40.0];

/// The least amplitude of the tone in any 50 ms of a recording's part in which it sounds.
fn least_db(recording: &[f64]) -> f64 {
    let amplitude = |part: &[f64]| {
        let sum = |turn: fn(f64) -> f64| -> f64 {
            part.iter().enumerate().map(|(n, x)| x * turn(TAU * HZ * n as f64 / SINK_HZ)).sum()
        };
        2.0 * sum(f64::cos).hypot(sum(f64::sin)) / part.len() as f64
    };
    let parts: Vec<f64> = recording.chunks_exact(2_400).map(amplitude).collect();
    let sounding = parts.iter().position(|level| *level > 0.9 * LEVEL).expect("the tone is heard");
    let last = parts.iter().rposition(|level| *level > 0.9 * LEVEL).expect("the tone is heard");
    20.0 * (parts[sounding..=last].iter().copied().fold(f64::MAX, f64::min) / LEVEL).log10()
}

/// Waits until the preview has its present settings.
fn wait_preview(studio: &Studio<'_>) {
    studio.wait("the preview", |state| (state["document"]["preview"] == true && is_at_rest(state)).then_some(()));
}

/// Types a gain into the option bar.
fn set_gain(studio: &Studio<'_>, gain_db: f64) {
    studio.click_control("Gain");
    studio.wait("the field", |state| (state["is_typing"] == true).then_some(()));
    studio.key("ctrl+a");
    studio.type_text(&gain_db.to_string());
    studio.key("Return");
    studio.wait("the field to be left", |state| (state["is_typing"] == false).then_some(()));
}

pub fn a_preview_is_heard_as_its_settings_change(rig: &Rig) {
    let file = rig.path("to preview.wav");
    write_wav(&file, SINK_HZ as u32, &tone(144_000, SINK_HZ, HZ, LEVEL));
    let studio = rig.open(&file);
    studio.key("g");
    studio.wait("the gain brush", |state| (state["tool"] == "tool_gain").then_some(()));
    studio.key("v");
    studio.wait("the lasso", |state| (state["tool"] == "tool_lasso").then_some(()));
    let pane = studio.pane();
    let [top, bottom] = [pane.rect[1] + 2.0, pane.rect[1] + pane.rect[3] - 2.0].map(|y| y as i64);
    let [left, right] = SELECTED_SECS.map(|secs| pane.x_at(secs));
    studio.drag(&[[left, top], [(left + right) / 2, top], [right, top], [right, bottom], [left, bottom]]);
    studio.wait("the selection", |state| {
        let secs = state["document"]["selected_secs"].as_array()?;
        ((secs[0].as_f64()? - SELECTED_SECS[0]).abs() < 0.05 && is_at_rest(state)).then_some(())
    });
    studio.run_command("preview brush on selection");
    wait_preview(&studio);
    let underruns = studio.wait("underruns", |state| state["underruns"].as_u64());
    let mut heard = Vec::new();
    studio.click_control("Preview: loop");
    studio.wait("the loop", |state| (state["playing"] == true).then_some(()));
    for gain_db in SETTINGS_DB {
        set_gain(&studio, gain_db);
        wait_preview(&studio);
        let recording = recorded(rig, "preview.raw", || std::thread::sleep(Duration::from_secs(3)));
        // From when the setting is heard for certain.
        let least = least_db(&recording[SINK_HZ as usize / 2..]);
        println!("  at {gain_db} dB the quietest of the loop is {least:.1} dB under the tone");
        heard.push(least);
    }
    let after = studio.wait("underruns", |state| state["underruns"].as_u64());
    studio.key("Escape");
    studio.wait("no preview", |state| state["document"]["preview"].is_null().then_some(()));
    studio.wait_position(0);
    for (gain_db, heard_db) in SETTINGS_DB.into_iter().zip(heard) {
        assert!((heard_db - gain_db).abs() < 1.0, "{heard_db} dB heard of {gain_db}");
    }
    assert!(!rig.is_optimised() || after == underruns, "{} underruns", after - underruns);
    let exported = read_wav(&studio.export("as it was.wav"));
    assert!(exported == read_wav(&file), "nothing is left of the preview");
}
