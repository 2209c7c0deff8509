//! A selection under a real hand: taken by its edge, erased from the menu that a right-click opens; swift drags and
//! keys on a busy machine.

use super::rig::Rig;
use super::signals::write_floats;
use super::studio::is_at_rest;
use super::support::load::Load;
use serde_json::Value;

const RATE_HZ: f64 = 48_000.0;

fn selected_secs(state: &Value) -> Option<[f64; 2]> {
    let at = |end: usize| state["document"]["selected_secs"][end].as_f64();
    Some([at(0)?, at(1)?]).filter(|_| is_at_rest(state))
}

pub fn selections_are_taken_by_their_edges(rig: &Rig) {
    let file = rig.path("four seconds.wav");
    let tone = |i: usize| 0.3 * (std::f64::consts::TAU * 1_000.0 * i as f64 / RATE_HZ).sin() as f32;
    write_floats(&file, RATE_HZ, &[(0..4 * RATE_HZ as usize).map(tone).collect()]);
    let studio = rig.open(&file);
    studio.key("t");
    let pane = studio.pane();
    let y = (pane.rect[1] + 0.6 * pane.rect[3]) as i64;
    let [from, to] = [0.2, 0.5].map(|part| (pane.rect[0] + part * pane.rect[2]) as i64);
    studio.drag(&[[from, y], [from + 40, y], [to, y]]);
    let before = studio.wait("a selection", selected_secs);
    // Taken 3 points beside its edge, which goes as far as the pointer.
    studio.drag(&[[to + 3, y], [to + 30, y], [to + 103, y]]);
    let after = studio.wait("another selection", |state| selected_secs(state).filter(|secs| *secs != before));
    let wanted = before[1] + pane.secs_at(100) - pane.secs_at(0);
    assert!(after[0] == before[0] && (after[1] - wanted).abs() < 2.0 / RATE_HZ, "{after:?}, not {wanted} s at its end");
    // The menu that the right button opens there, and the one with Shift.
    studio.right_click([(from + to) / 2, y], false);
    studio.click_control("Menu: Erase selection");
    studio.wait_position(1);
    studio.right_click([(from + to) / 2, y], true);
    studio.click_control("Cividis");
    studio.wait("no menu", |state| state["controls"]["Cividis"].is_null().then_some(()));
}

/// Size ratio of successive brushes.
const LARGER: f64 = 1.25;

/// Drags of 0.2 s and keys 10 ms apart while four threads do nothing but work: one batch of each, or a hundred in the
/// long form.
pub fn no_swift_drag_and_no_key_is_lost(rig: &Rig) {
    let file = rig.path("swift.wav");
    let tone = |i: usize| 0.3 * (std::f64::consts::TAU * 1_000.0 * i as f64 / RATE_HZ).sin() as f32;
    write_floats(&file, RATE_HZ, &[(0..4 * RATE_HZ as usize).map(tone).collect()]);
    let studio = rig.open(&file);
    studio.key("t");
    let pane = studio.pane();
    let _load = Load::begin(4);
    let n_drags: u32 = if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 100 } else { 3 };
    for k in 0..n_drags {
        // None begins at an edge of the one before.
        let [from, to] = [0.1, 0.45].map(|part| part + 0.06 * f64::from(k % 8));
        let [from, to] = [from, to].map(|part| (pane.rect[0] + part * pane.rect[2]) as i64);
        let y = (pane.rect[1] + 0.6 * pane.rect[3]) as i64;
        let places: Vec<[i64; 2]> = (0..=10).map(|step| [from + (to - from) * step / 10, y]).collect();
        studio.swift_drag(&places, 0.2);
        let wanted = [from, to].map(|x| pane.secs_at(x));
        let is_near = |secs: [f64; 2]| {
            secs.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 2.0 * (pane.secs_at(1) - pane.secs_at(0)))
        };
        studio.wait(&format!("the selection of drag {k}, {wanted:?}"), |state| {
            selected_secs(state).filter(|secs| is_near(*secs))
        });
    }
    studio.key("e");
    studio.point([(pane.rect[0] + 0.5 * pane.rect[2]) as i64, (pane.rect[1] + 0.5 * pane.rect[3]) as i64]);
    let first = studio.pane().radius;
    // Five larger, five smaller: twice, or ten times.
    for k in 0..n_drags.div_ceil(10).max(2) {
        for (name, wanted) in [("bracketright", first * LARGER.powi(5)), ("bracketleft", first)] {
            studio.keys(&[name; 5]);
            studio.wait(&format!("a radius of {wanted} after batch {k}"), |state| {
                let pixels = state["pixels_per_point"].as_f64()?;
                let radius = state["document"]["radius_points"].as_f64()? * pixels;
                ((radius / wanted - 1.0).abs() < 0.01 && is_at_rest(state)).then_some(())
            });
        }
    }
}
