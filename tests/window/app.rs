//! The window as such.

use super::rig::Rig;
use super::signals::{tone, write_wav};
use super::studio::notices;

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
