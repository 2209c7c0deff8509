//! The target peak of a picture's own sound.

use super::{RATE, applied, brush_of, edit_of, samples_of, silence, sound_of};
use document::Script;
use document::brushes::{PictureBrush, PictureMode, PicturePhase};
use dsp::Axis;
use support::engines::{cpu, engines};
use support::pictures::Grey;
use support::signals::noise;

const SECS: f64 = 1.0;

/// A hill, whose sound is far below full scale.
fn hill() -> Vec<u8> {
    Grey::of(24, 16, |x, y| ((x - 0.5).powi(2) + (y - 0.5).powi(2)).mul_add(-3.0, 0.8).max(0.0)).png()
}

fn brush(mode: PictureMode, phase: PicturePhase, steps: u32, peak_db: Option<f64>) -> PictureBrush {
    let brush = brush_of(hill(), [0.2, 0.8], [200.0, 6_000.0], Axis::Log);
    PictureBrush { mode, phase, steps, peak_db, ..brush }
}

fn peak_db(samples: &[f32]) -> f64 {
    20.0 * f64::from(samples.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()))).log10()
}

#[test]
fn every_way_from_pixels_to_sound_peaks_where_it_should() {
    let ways = [
        (PicturePhase::Random, 4),
        (PicturePhase::Random, 0),
        (PicturePhase::Rebuild, 0),
        (PicturePhase::Beneath, 4),
        (PicturePhase::Bank, 0),
    ];
    for engine in engines() {
        for (phase, steps) in ways {
            for wanted_db in [-3.0, -20.0] {
                let edit = edit_of(brush(PictureMode::Add, phase, steps, Some(wanted_db)));
                let after = samples_of(&applied(&silence(SECS), &edit, engine).snapshot, 0);
                let found_db = peak_db(&after);
                // The peak is measured on the whole bank; limiting the bank to the picture's cells then removes leakage
                // at the edges.
                let within_db = if phase == PicturePhase::Bank { 0.5 } else { 0.05 };
                assert!((found_db - wanted_db).abs() < within_db, "{} {phase:?} {steps}: {found_db}", engine.name());
            }
        }
        // In a picture that replaces a sound, the phases adapt to the sound around it, so the
        // peak is only approximate.
        let sound = sound_of(vec![noise((SECS * f64::from(RATE)) as usize, 1e-4, 5)]);
        let edit = edit_of(brush(PictureMode::Replace, PicturePhase::Random, 4, Some(-3.0)));
        let found_db = peak_db(&samples_of(&applied(&sound, &edit, engine).snapshot, 0));
        assert!((found_db + 3.0).abs() < 1.0, "{}: {found_db}", engine.name());
    }
}

/// One gain for all channels: their balance is that of the picture.
#[test]
fn channels_keep_their_balance() {
    let red = support::pictures::png(&[200, 120, 0, 200, 120, 0], [2, 1], image::ExtendedColorType::Rgb8);
    let peaks = |wanted_db| {
        let brush = brush_of(red.clone(), [0.2, 0.8], [500.0, 4_000.0], Axis::Log);
        let edit = edit_of(PictureBrush { is_stereo: true, steps: 2, peak_db: wanted_db, ..brush });
        let silent = sound_of(vec![vec![0.0; (SECS * f64::from(RATE)) as usize]; 2]);
        let after = applied(&silent, &edit, &cpu()).snapshot;
        [0, 1].map(|channel| peak_db(&samples_of(&after, channel)))
    };
    let (plain, levelled) = (peaks(None), peaks(Some(-3.0)));
    assert!((levelled[0] + 3.0).abs() < 0.05, "{levelled:?}");
    assert!(((levelled[0] - levelled[1]) - (plain[0] - plain[1])).abs() < 0.01, "{plain:?} {levelled:?}");
}

/// A script without `peak_db` leaves levels as they are.
#[test]
fn a_script_without_a_peak_keeps_its_levels() {
    let script = |more: &str| {
        let image = "\"file\": \"hill.png\", \"time\": [0.2, 0.8], \"frequency\": [200, 6000]";
        Script::parse(&format!(r#"{{"version": 1, "edits": [{{"brush": {{"kind": "picture", {image}{more}}}}}]}}"#))
    };
    let peak_of = |script: &Script| match &script.edits[0].brush {
        document::brushes::Brush::Picture(brush) => brush.peak_db,
        other => panic!("{other:?}"),
    };
    assert_eq!(peak_of(&script("").unwrap()), None);
    let with_peak = script(", \"peak_db\": -6").unwrap();
    assert_eq!(peak_of(&with_peak), Some(-6.0));
    for bad in ["1", "-61", "\"loud\""] {
        let error = script(&format!(", \"peak_db\": {bad}")).unwrap_err().to_string();
        assert!(error.contains("edits[0].brush.peak_db"), "{error}");
    }
    let plain = edit_of(brush(PictureMode::Add, PicturePhase::Bank, 0, None));
    let white_db = peak_db(&samples_of(&applied(&silence(SECS), &plain, &cpu()).snapshot, 0));
    assert!(white_db < -10.0, "{white_db}");
}
