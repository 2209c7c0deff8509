//! A folder is dropped on the window while a clip plays: its sounds are listed at once, and playback does not run dry.
//! In an optimised build they are ten times as many, and the clip is painted meanwhile.

use super::frames::Frames;
use super::rig::Rig;
use super::studio::{Studio, is_at_rest};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

const N_SOUNDS: usize = 200;
const N_SOUNDS_OPTIMISED: usize = 2_000;
/// From the drop to the first row, on a machine of its own.
const FIRST_ROW: Duration = Duration::from_secs(1);

/// A stroke after the other, with time for the library between them: it waits while one is painted.
const BETWEEN_STROKES: Duration = Duration::from_millis(700);
const MAX_STROKES: i64 = 100;

/// Short tones, each another one.
fn write_sounds(folder: &Path, n_sounds: usize) {
    std::fs::create_dir_all(folder).unwrap();
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 44_100,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    for number in 0..n_sounds {
        let mut writer = hound::WavWriter::create(folder.join(format!("tone {number:04}.wav")), spec).unwrap();
        let step = 0.02 + 0.2 * number as f64 / n_sounds as f64;
        for at in 0..22_050 {
            writer.write_sample(((f64::from(at) * step).sin() * 9_000.0) as i16).unwrap();
        }
        writer.finalize().unwrap();
    }
}

/// One stroke over the clip.
fn paint(studio: &Studio<'_>, number: i64) {
    let pane = studio.pane();
    let [left, top, width, height] = pane.rect.map(|side| side as i64);
    let at =
        |step: i64| [left + width / 4 + step * width / 100, top + height / 4 + (37 * number + step) % (height / 2)];
    let places: Vec<[i64; 2]> = (0..40).map(at).collect();
    studio.drag(&places);
}

pub fn a_dropped_folder_is_listed_while_a_clip_plays(rig: &Rig) {
    let n_sounds = if rig.is_optimised() { N_SOUNDS_OPTIMISED } else { N_SOUNDS };
    let clip = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clips/guitar_chord_44k_stereo.flac");
    let studio = rig.start_studio(&[&clip]);
    studio.wait("the clip", |state| is_at_rest(state).then_some(()));
    let folder = studio.path("sounds");
    write_sounds(&folder, n_sounds);
    studio.key("ctrl+l");
    studio.key("space");
    studio.wait("playback", |state| (state["playing"] == true).then_some(()));
    let mut frames = Frames::of(&studio);
    frames.note("playing");
    let underruns = studio.wait("underruns", |state| state["underruns"].as_u64());
    let dropped = Instant::now();
    studio.drop_file(&folder, [600, 400]);
    studio.wait("the first row", |state| state["library"]["n_listed"].as_u64().filter(|n| *n > 0));
    let first = dropped.elapsed();
    println!("  the first row after {:.2} s", first.as_secs_f64());
    assert!(!rig.is_optimised() || first <= FIRST_ROW, "the first row came after {first:?}");
    let is_done = |state: &Value| state["library"]["n_listed"] == n_sounds && state["library"]["is_adding"] == false;
    let mut n_strokes = 0;
    while rig.is_optimised() && studio.state().is_some_and(|state| !is_done(&state)) && n_strokes < MAX_STROKES {
        paint(&studio, n_strokes);
        n_strokes += 1;
        studio.wait("the stroke", |state| is_at_rest(state).then_some(()));
        std::thread::sleep(BETWEEN_STROKES);
    }
    studio.wait("every sound", |state| is_done(state).then_some(()));
    println!("  every sound after {:.1} s, {n_strokes} strokes meanwhile", dropped.elapsed().as_secs_f64());
    frames.note("painted while sounds were added");
    assert!(!rig.is_optimised() || n_strokes > 0 && frames.is_short(), "the UI thread worked or waited too long");
    let after = studio.wait("underruns", |state| state["underruns"].as_u64());
    assert_eq!(after, underruns, "playback ran dry while the folder was added");
    let is_playing = studio.wait("playback", |state| state["playing"].as_bool());
    assert!(is_playing, "it plays on");
    studio.key("space");
}
