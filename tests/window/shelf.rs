//! A folder is dropped on the window while a clip plays: its sounds are listed at once, and playback does not run dry.

use super::rig::{Rig, is_at_rest};
use std::path::Path;
use std::time::{Duration, Instant};

const N_SOUNDS: usize = 200;
/// From the drop to the first row, on a machine of its own.
const FIRST_ROW: Duration = Duration::from_secs(1);

/// Short tones, each another one.
fn write_sounds(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 44_100,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    for number in 0..N_SOUNDS {
        let mut writer = hound::WavWriter::create(folder.join(format!("tone {number:03}.wav")), spec).unwrap();
        let step = 0.02 + 0.001 * number as f64;
        for at in 0..22_050 {
            writer.write_sample(((f64::from(at) * step).sin() * 9_000.0) as i16).unwrap();
        }
        writer.finalize().unwrap();
    }
}

pub fn a_dropped_folder_is_listed_while_a_clip_plays(rig: &Rig) {
    let clip = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clips/guitar_chord_44k_stereo.flac");
    let studio = rig.start_studio(&[&clip]);
    studio.wait("the clip", |state| is_at_rest(state).then_some(()));
    let folder = studio.path("sounds");
    write_sounds(&folder);
    studio.key("ctrl+l");
    studio.key("space");
    studio.wait("playback", |state| (state["playing"] == true).then_some(()));
    let underruns = studio.wait("underruns", |state| state["underruns"].as_u64());
    let dropped = Instant::now();
    studio.drop_file(&folder, [600, 400]);
    studio.wait("the first row", |state| state["library"]["n_listed"].as_u64().filter(|n| *n > 0));
    let first = dropped.elapsed();
    println!("  the first row after {:.2} s", first.as_secs_f64());
    assert!(!rig.is_optimised() || first <= FIRST_ROW, "the first row came after {first:?}");
    studio.wait("every sound", |state| {
        let is_done = state["library"]["n_listed"] == N_SOUNDS && state["library"]["is_adding"] == false;
        is_done.then_some(())
    });
    let after = studio.wait("underruns", |state| state["underruns"].as_u64());
    assert_eq!(after, underruns, "playback ran dry while the folder was added");
    let is_playing = studio.wait("playback", |state| state["playing"].as_bool());
    assert!(is_playing, "it plays on");
    studio.key("space");
}
