//! Deliveries: levels that are kept, and invalid presets.

use base::Progress;
use document::{Delivery, LevelTarget, Snapshot, deliver};
use media::{ExportFormat, Source};
use std::path::Path;
use support::opened::open;
use support::signals::tone;
use support::snapshots::samples;

const RATE: u32 = 48_000;

/// Writes a sound with an integrated loudness of -16 LUFS: its samples then, and the notices.
fn at_16_lufs(sound: &Snapshot, path: &Path) -> (Vec<f32>, Vec<String>) {
    let labels = document::labels::LabelSet::default();
    let delivery =
        Delivery { level: LevelTarget::Loudness(-16.0), format: ExportFormat::Float32, ..Delivery::default() };
    let written = deliver((sound, &labels), 0..sound.n_samples(), path, &delivery, &Progress::new()).unwrap();
    (samples(&Snapshot::new(open(path).source), 0), written.notices)
}

/// The gate of BS.1770 is at -70 LUFS, and a sine in one channel has 3 dB less than its peak.
#[test]
fn what_is_below_the_gate_keeps_its_level_and_a_notice_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.wav");
    let of_peak = |db: f64| tone(RATE as usize * 2, f64::from(RATE), 1_000.0, 10f64.powf(db / 20.0));
    for (db, is_loud_enough) in [(-75.0, false), (-68.0, false), (-66.0, true), (-20.0, true)] {
        let before = of_peak(db);
        let sound = Snapshot::new(Source::from_channels(vec![before.clone()], RATE).unwrap());
        let (after, notices) = at_16_lufs(&sound, &path);
        let reason =
            notices.iter().any(|notice| notice == "the sound is too quiet to have a loudness; its level stays");
        assert_eq!(reason, !is_loud_enough, "{db} dBFS: {notices:?}");
        let peak = after.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        let expected = if is_loud_enough { -16.0 + 3.01 } else { db };
        let found = 20.0 * f64::from(peak).log10();
        assert!((found - expected).abs() < 0.1, "{db} dBFS becomes {found}");
    }
}

#[test]
fn a_preset_names_the_field_that_is_wrong() {
    for (fields, what) in [
        (r#""rate_hz": "48000""#, "rate_hz: the text \"48000\" stands where a whole number, 0 or more is needed"),
        (
            r#""channels": -1"#,
            "channels: must be all, left, right, mid, mix or the number of a channel, counted from 0",
        ),
        (r#""peak_db": -1, "speed": [2]"#, "speed: a list stands where a number is needed"),
        (r#""vbr": 1e300"#, "vbr: the number 1e+300 stands where a whole number, 0 or more is needed"),
        (r#""name": 3"#, "name: the number 3 stands where a text is needed"),
        (r#""depth": 24"#, "depth is no field here; possible: container,"),
        (r#""speed": 0"#, "the speed must be from 0.05 to 8"),
    ] {
        let error = serde_json::from_str::<Delivery>(&format!("{{{fields}}}")).unwrap_err();
        let why = base::json_reason(&error);
        assert!(why.starts_with(what), "{why}");
    }
    let good = serde_json::from_str::<Delivery>(r#"{"rate_hz": 48000, "channels": 1, "speed": 2}"#).unwrap();
    assert_eq!((good.rate_hz, good.speed), (Some(48_000), 2.0));
}
