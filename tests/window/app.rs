//! The window as such.

use super::rig::Rig;
use super::signals::{tone, write_wav};
use super::studio::{Studio, is_at_rest, notices};

/// Wider than any window of the tests that does not fill the display.
const FILLED_WIDTH: f64 = 1_300.0;

pub fn opens_and_closes(rig: &Rig) {
    let file = rig.path("tone.wav");
    write_wav(&file, 44_100, &tone(44_100, 44_100.0, 440.0, 0.5));
    let studio = rig.open(&file);
    let (secs, hz, tool) = studio.wait("the view", |state| {
        let document = &state["document"];
        Some((document["secs"].clone(), document["hz"].clone(), state["tool"].clone()))
    });
    assert_eq!(secs, serde_json::json!([0.0, 1.0]));
    assert_eq!(hz, serde_json::json!([20.0, 22_050.0]));
    assert_eq!(tool, "tool_gain");
    let size = studio.picture("start.png").dimensions();
    assert_eq!(size, (1280, 800));
    studio.key("ctrl+q");
    assert_eq!(studio.exit_code(), Some(0));
}

/// Without any configuration there is something to paint on at once, and the window has our icon.
pub fn the_first_start_opens_on_the_demo(rig: &Rig) {
    let began = std::time::Instant::now();
    let studio = rig.start_first();
    let (name, tool) = studio.wait("the demo", |state| {
        let path = state["document"]["path"].as_str()?;
        is_at_rest(state).then(|| (path.to_owned(), state["tool"].clone()))
    });
    println!("  the demo is seen after {:.2} s", began.elapsed().as_secs_f64());
    assert!(name.ends_with("guitar_chord_44k_stereo.flac") && tool == "tool_erase", "{name}, {tool}");

    let wanted = image::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/icon.png")).unwrap().to_rgba8();
    let argb = wanted.pixels().map(|pixel| u32::from_be_bytes([pixel[3], pixel[0], pixel[1], pixel[2]]));
    let wanted: Vec<u32> = [wanted.width(), wanted.height()].into_iter().chain(argb).collect();
    assert_eq!(studio.icon(), wanted);
    studio.take_focus();
    studio.key("ctrl+q");
    assert_eq!(studio.exit_code(), Some(0));
    // From then on it is left to the user.
    let studio = rig.start_again();
    studio.wait("the empty window", |state| (is_at_rest(state) && state["document"].is_null()).then_some(()));
}

pub fn a_bad_file_is_a_notice(rig: &Rig) {
    let file = rig.path("not-a-sound.wav");
    std::fs::write(&file, "only words").unwrap();
    let studio = rig.start_studio(&[&file]);
    let notice = studio.wait("a notice", |state| notices(state).next().map(str::to_owned));
    assert!(notice.contains("not-a-sound.wav"), "{notice}");
    assert!(studio.state().unwrap()["document"].is_null());
    studio.take_focus();
    studio.key("ctrl+q");
    assert_eq!(studio.exit_code(), Some(0));
}

/// Waits until the window is at rest in a size that is wanted.
fn wait_size(studio: &Studio<'_>, what: &str, is_requested: impl Fn([f64; 2]) -> bool) {
    studio.wait(what, |state| {
        let size = [state["size"][0].as_f64()?, state["size"][1].as_f64()?];
        (is_requested(size) && is_at_rest(state)).then_some(())
    });
}

pub fn a_window_opens_as_it_was_left(rig: &Rig) {
    let own: [u32; 2] = [1_100, 700];
    let is_own = |size: [f64; 2]| size == own.map(f64::from);
    let is_filled = |size: [f64; 2]| size[0] > FILLED_WIDTH;
    let restarted = |studio: Studio<'_>| {
        studio.take_focus();
        studio.key("ctrl+q");
        assert_eq!(studio.exit_code(), Some(0));
        rig.start_again()
    };
    let studio = rig.start_studio(&[]);
    wait_size(&studio, "the window as it is at first", |size| size == [1_280.0, 800.0]);
    studio.resize(own);
    wait_size(&studio, "another size", is_own);
    let studio = restarted(studio);
    wait_size(&studio, "the same size", is_own);
    studio.maximise(true);
    wait_size(&studio, "the whole display", is_filled);
    let studio = restarted(studio);
    wait_size(&studio, "the whole display again", is_filled);
    // Its own size is remembered beneath it.
    studio.maximise(false);
    wait_size(&studio, "the size before", is_own);
}
