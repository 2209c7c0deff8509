//! A selection under a real hand: taken by its edge, erased from the menu that a right-click opens.

use super::rig::Rig;
use super::signals::write_floats;
use super::studio::is_at_rest;
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
