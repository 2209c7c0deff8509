//! What is dragged out of the window, on X11 and in Weston: what other programs get, and what stays.

use super::rig::{Rig, wait_for};
use super::signals::{read_floats, write_floats};
use super::studio::{Studio, is_at_rest};
use super::weston::Weston;
use super::x11_taker::X11Taker;
use serde_json::Value;
use std::path::{Path, PathBuf};

const RATE_HZ: f64 = 48_000.0;
const GRIP: &str = "Grip of the selection";
const LIST: &str = "text/uri-list";
/// The window on X11: beside it lie the other program's and the bare display.
const PLACE: [i64; 2] = [20, 40];
const SIZE: [i64; 2] = [900, 700];
const NOWHERE: [i64; 2] = [1_200, 900];

/// Ten seconds of noise, in stereo.
fn write_noise(file: &Path) -> Vec<Vec<f32>> {
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut channel = || (0..10 * RATE_HZ as usize).map(|_| 0.2 * noise()).collect::<Vec<f32>>();
    let channels = vec![channel(), channel()];
    write_floats(file, RATE_HZ, &channels);
    channels
}

fn selected_secs(state: &Value) -> Option<[f64; 2]> {
    let at = |end: usize| state["document"]["selected_secs"][end].as_f64();
    Some([at(0)?, at(1)?])
}

fn selected(studio: &Studio<'_>) -> [f64; 2] {
    studio.wait("a selection", |state| selected_secs(state).filter(|_| is_at_rest(state)))
}

/// Places in the picture, in pixels of the window, by their parts of its width and height.
fn places(studio: &Studio<'_>, parts: &[[f64; 2]]) -> Vec<[i64; 2]> {
    let [left, top, width, height] = studio.pane().rect;
    parts.iter().map(|[x, y]| [(left + x * width).round() as i64, (top + y * height).round() as i64]).collect()
}

/// The file in a list of one.
fn file_in(list: &str) -> PathBuf {
    let named = sonobrush::studio::desktop::uri_list::read_uris(list.as_bytes(), "");
    assert!(named.refused.is_empty() && named.files.len() == 1, "{list:?}");
    named.files[0].clone()
}

/// What is selected of the source, to the bit.
fn assert_holds(file: &Path, source: &[Vec<f32>], [start, end]: [f64; 2]) {
    let sample = |secs: f64| (secs * RATE_HZ).round() as usize;
    let given = read_floats(file);
    assert_eq!(given.len(), source.len());
    for (given, source) in given.iter().zip(source) {
        let is_same =
            given.iter().map(|x| x.to_bits()).eq(source[sample(start)..sample(end)].iter().map(|x| x.to_bits()));
        assert!(is_same, "{} samples instead of those from {start} to {end} s", given.len());
    }
}

fn is_out(studio: &Studio<'_>, wanted: bool) {
    studio.wait(if wanted { "a drag out" } else { "its end" }, |state| {
        (state["input"]["is_out"] == wanted).then_some(())
    });
}

/// The program ends as its user or its system wishes.
fn end(studio: Studio<'_>) {
    let status = std::process::Command::new("kill").args(["-TERM", &studio.pid().to_string()]).status().unwrap();
    assert!(status.success());
    studio.exit_code();
}

pub fn on_x11_a_selection_is_dragged_out(rig: &Rig) {
    let file = rig.path("ten seconds.wav");
    let source = write_noise(&file);
    let studio = rig.open(&file);
    studio.place(PLACE, SIZE);
    let taker = X11Taker::open(rig);
    studio.key("t");
    studio.drag(&places(&studio, &[[0.2, 0.5], [0.3, 0.5], [0.4, 0.5]]));
    let before = selected(&studio);
    // Inside the window the grip moves the outline.
    let grip = studio.middle_of(GRIP);
    studio.drag(&[grip, [grip[0] + 30, grip[1]], [grip[0] + 60, grip[1]]]);
    let pane = studio.pane();
    let by_secs = pane.secs_at(60) - pane.secs_at(0);
    let moved = studio.wait("the outline moved", |state| selected_secs(state).filter(|found| *found != before));
    for (found, wanted) in moved.into_iter().zip(before.map(|secs| secs + by_secs)) {
        assert!((found - wanted).abs() <= 1.0 / RATE_HZ, "moved to {found} instead of {wanted} s");
    }
    let hold = || {
        let grip = studio.middle_of(GRIP);
        studio.point(grip);
        studio.press(true);
        studio.point([grip[0] + 10, grip[1]]);
        studio.point([SIZE[0] + 40, grip[1]]);
        is_out(&studio, true);
        assert_eq!(selected(&studio), moved, "the outline is where it was");
    };
    let middle = X11Taker::middle();
    // Out to another program.
    hold();
    studio.point_on_display(middle);
    taker.wait_for(&format!("at {} {}", middle[0], middle[1]));
    studio.press(false);
    let given = file_in(&taker.wait_for("took ")["took ".len()..]);
    is_out(&studio, false);
    assert_eq!(given.file_name().unwrap(), "ten seconds-part.wav");
    assert_holds(&given, &source, moved);
    assert_eq!(rig.given_files().len(), 2, "the file and its lock");
    // Escape, over one that would have taken it: it hears that it is left.
    hold();
    studio.point_on_display(middle);
    taker.wait_for("at ");
    studio.key_under_button("Escape");
    taker.wait_for("left");
    is_out(&studio, false);
    studio.press(false);
    // Let go over one that refuses it, and over nothing.
    taker.take(false);
    for at in [middle, NOWHERE] {
        hold();
        studio.point_on_display(at);
        if at == middle {
            taker.wait_for("at ");
        }
        studio.press(false);
        if at == middle {
            taker.wait_for("left");
        }
        is_out(&studio, false);
    }
    assert_eq!(selected(&studio), moved);
    // Back over the window it is a paste there.
    hold();
    let at = places(&studio, &[[0.7, 0.6]])[0];
    studio.point(at);
    studio.press(false);
    let found = floats_at(&studio);
    let wanted = studio.pane().secs_at(at[0]) - moved[0];
    assert!((found - wanted).abs() < 0.02, "it floats by {found} instead of {wanted} s");
    studio.key("Escape");
    studio.wait("nothing to float", |state| state["document"]["floating"].is_null().then_some(()));
    // The pointer is the window's again.
    studio.drag(&places(&studio, &[[0.5, 0.5], [0.55, 0.5], [0.6, 0.5]]));
    assert_ne!(selected(&studio), moved);
    end(studio);
    assert_eq!(rig.given_files(), [""; 0].map(PathBuf::from), "files stay after the end");
}

/// How far what floats is from where it was taken, in seconds.
fn floats_at(studio: &Studio<'_>) -> f64 {
    studio.wait("what floats", |state| {
        let at = state["document"]["floating"][0].as_f64()?;
        is_at_rest(state).then_some(at)
    })
}

pub fn on_weston_a_selection_is_dragged_out(rig: &Rig) {
    let file = rig.path("ten seconds.wav");
    let source = write_noise(&file);
    let weston = Weston::start(rig);
    let window = weston.open_small(&file);
    let (studio, taker) = (&window.studio, window.giver_beside());
    // A press gives the window the keyboard, too.
    weston.point(window.place(studio.middle_of("Time range")));
    window.press(true);
    window.press(false);
    studio.wait("the tool", |state| (state["tool"] == "tool_time").then_some(()));
    let path = places(studio, &[[0.2, 0.5], [0.3, 0.5], [0.4, 0.5]]);
    weston.point(window.place(path[0]));
    window.press(true);
    path.iter().for_each(|at| weston.point(window.place(*at)));
    window.press(false);
    let before = selected(studio);
    let hold = || {
        let grip = studio.middle_of(GRIP);
        weston.point(window.place(grip));
        window.press(true);
        weston.point(window.place([grip[0] + 10, grip[1]]));
        let outside = window.outside();
        // The first move of a drag only begins it.
        [outside, [outside[0] + 1, outside[1]]].into_iter().for_each(|at| weston.point(at));
        is_out(studio, true);
        assert_eq!(selected(studio), before, "the outline is where it was");
    };
    let drop_on_taker = || {
        let place = taker.place();
        [[place[0] - 1, place[1]], place].into_iter().for_each(|at| weston.point(at));
        taker.wait_for(&format!("offered {LIST}, audio/x-wav"));
        weston.press(false);
    };
    taker.take(Some(LIST));
    hold();
    drop_on_taker();
    taker.wait_for(&format!("took {LIST}"));
    is_out(studio, false);
    let given = file_in(&String::from_utf8(taker.taken()).unwrap());
    assert_eq!(given.file_name().unwrap(), "ten seconds-part.wav");
    assert_holds(&given, &source, before);
    // The sound itself, for programs that take no files.
    taker.take(Some("audio/x-wav"));
    hold();
    drop_on_taker();
    taker.wait_for("took audio/x-wav");
    assert!(taker.taken() == std::fs::read(&given).unwrap(), "the sound is not that of the file");
    is_out(studio, false);
    // Let go over one that refuses it, which is what Escape does elsewhere.
    taker.take(None);
    hold();
    drop_on_taker();
    is_out(studio, false);
    assert_eq!(selected(studio), before);
    // Back over the window it is a paste there.
    hold();
    let at = places(studio, &[[0.7, 0.6]])[0];
    let place = window.place(at);
    [[place[0] - 1, place[1]], place].into_iter().for_each(|at| weston.point(at));
    studio.wait("the pointer in the window", |state| (state["is_hovering"] == true).then_some(()));
    let is_file_over = studio.wait("what is over it", |state| state["input"]["is_file_over"].as_bool());
    assert!(!is_file_over, "it is taken for a file of another program");
    weston.press(false);
    let (found, wanted) = (floats_at(studio), studio.pane().secs_at(at[0]) - before[0]);
    assert!((found - wanted).abs() < 0.03, "it floats by {found} instead of {wanted} s");
    assert_eq!(studio.wait("the tabs", |state| Some(state["tabs"].as_array()?.len())), 1, "it was opened");
    // Weston takes the keyboard for a drag, and gives it back with a press.
    window.press(true);
    window.press(false);
    window.key("Escape");
    studio.wait("nothing to float", |state| state["document"]["floating"].is_null().then_some(()));
    assert!(!rig.given_files().is_empty());
    drop(taker);
    end(window.studio);
    assert_eq!(rig.given_files(), [""; 0].map(PathBuf::from), "files stay after the end");
}

pub fn on_x11_tabs_and_library_rows_are_dragged_out(rig: &Rig) {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() {
        return println!("  in the long form alone");
    }
    let file = rig.path("ten seconds.wav");
    let source = write_noise(&file);
    let studio = rig.open(&file);
    studio.place(PLACE, SIZE);
    let taker = X11Taker::open(rig);
    let middle = X11Taker::middle();
    let out = |from: [i64; 2]| {
        studio.point(from);
        studio.press(true);
        studio.point([from[0] + 12, from[1]]);
        studio.point([from[0] + 24, from[1]]);
        studio.point([SIZE[0] + 40, from[1] + 10]);
        is_out(&studio, true);
        studio.point_on_display(middle);
        taker.wait_for("at ");
        studio.press(false);
        let given = file_in(&taker.wait_for("took ")["took ".len()..]);
        is_out(&studio, false);
        given
    };
    // The only tab: its own file.
    assert_eq!(out(studio.middle_of("Tab ten seconds.wav")), file);
    assert!(rig.given_files().is_empty());
    // Edited: as it would be exported. One of two tabs.
    let other = rig.path("other.wav");
    write_floats(&other, RATE_HZ, &[vec![0.0; 4_800]]);
    studio.key("t");
    studio.drag(&places(&studio, &[[0.2, 0.5], [0.3, 0.5], [0.4, 0.5]]));
    let [start, end_secs] = selected(&studio);
    studio.key("Delete");
    studio.wait_position(1);
    studio.drop_file(&other, places(&studio, &[[0.5, 0.5]])[0]);
    studio.wait("another tab", |state| (state["tabs"].as_array()?.len() == 2 && is_at_rest(state)).then_some(()));
    let given = out(studio.middle_of("Tab ten seconds.wav"));
    assert_eq!(given.file_name().unwrap(), "ten seconds-edited.wav");
    let samples = read_floats(&given);
    let middle_of_hole = ((start + end_secs) / 2.0 * RATE_HZ) as usize;
    assert_eq!(samples[0].len(), source[0].len());
    assert!(samples[0][middle_of_hole..middle_of_hole + 100].iter().all(|x| x.abs() < 1e-6), "the edit is not in it");
    let last = source[0].len() - 4_800;
    assert_eq!(samples[0][last..], source[0][last..], "the rest of it was changed");
    // A row of the library: the file that it is of.
    let sounds = studio.path("sounds");
    std::fs::create_dir_all(&sounds).unwrap();
    let sound = sounds.join("a row.wav");
    write_floats(&sound, RATE_HZ, &[source[0][..24_000].to_vec()]);
    studio.drop_file(&sounds, places(&studio, &[[0.5, 0.5]])[0]);
    studio.wait("the row", |state| (state["library"]["names"][0] == "a row.wav" && is_at_rest(state)).then_some(()));
    assert_eq!(out(studio.middle_of("a row.wav")), sound);
    // Back over the window it is a paste.
    let from = studio.middle_of("a row.wav");
    studio.point(from);
    studio.press(true);
    studio.point([from[0] + 12, from[1]]);
    studio.point([SIZE[0] + 40, from[1]]);
    is_out(&studio, true);
    let at = places(&studio, &[[0.5, 0.6]])[0];
    studio.point(at);
    studio.press(false);
    floats_at(&studio);
    studio.key("Escape");
    // What a run that was killed has left goes with the next start.
    studio.kill();
    assert!(rig.given_files().contains(&given), "{:?}", rig.given_files());
    let studio = rig.start_again();
    wait_for("no file", || rig.given_files().is_empty().then_some(()));
    end(studio);
}

pub fn on_weston_tabs_are_dragged_out(rig: &Rig) {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() {
        return println!("  in the long form alone");
    }
    let file = rig.path("ten seconds.wav");
    write_noise(&file);
    let weston = Weston::start(rig);
    let window = weston.open_small(&file);
    let (studio, taker) = (&window.studio, window.giver_beside());
    taker.take(Some(LIST));
    let from = studio.middle_of("Tab ten seconds.wav");
    weston.point(window.place(from));
    window.press(true);
    let outside = window.outside();
    weston.point(window.place([from[0] + 12, from[1]]));
    [outside, [outside[0] + 1, outside[1]]].into_iter().for_each(|at| weston.point(at));
    is_out(studio, true);
    let place = taker.place();
    [[place[0] - 1, place[1]], place].into_iter().for_each(|at| weston.point(at));
    taker.wait_for(&format!("offered {LIST}, audio/x-wav"));
    weston.press(false);
    taker.wait_for(&format!("took {LIST}"));
    is_out(studio, false);
    assert_eq!(file_in(&String::from_utf8(taker.taken()).unwrap()), file);
    drop(taker);
    end(window.studio);
    assert!(rig.given_files().is_empty());
}
