//! Declip as an edit: clipped recordings are restored, everything else is unchanged, and bad input gives one sentence.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::Progress;
use document::brushes::Declip;
use document::{Applied, Channels, DeclipLevels, Edit, Script, Snapshot, apply, export, find_clipping};
use dsp::repair::declip::{DeclipQuality, DetectedBy};
use dsp::{Axis, Combine, Selection, Shape, StftParams};
use engine::Engine;
use media::{ExportFormat, Source};
use support::measure::{changed, snr_db_f32};
use support::signals::tone;
use support::snapshots::{open, samples};
use support::wav::clip;

const SPEECH: &str = "speech_16k_mono.wav";
const GUITAR: &str = "guitar_chord_44k_stereo.flac";
const FAST: Declip = Declip { quality: DeclipQuality::Fast, ..Declip::DEFAULT };

fn sound(channels: &[Vec<f32>], rate: u32) -> Snapshot {
    Snapshot::new(Source::from_channels(channels.to_vec(), rate).unwrap())
}

fn within(secs: &[[f64; 2]]) -> Option<Selection> {
    let shape = |secs: &[f64; 2]| Shape::Rectangle {
        secs: Some(*secs),
        hz: Some([100.0, 900.0]),
        feather: [0.0; 2],
        axis: Axis::Linear,
    };
    Some(Selection { shapes: secs.iter().map(|secs| (Combine::Add, shape(secs))).collect() })
}

fn declip(before: &Snapshot, brush: Declip, select: Option<Selection>) -> base::Result<Applied> {
    let edit = Edit { select, ..Edit::of(brush, StftParams::default()) };
    apply(before, &edit, &Engine::cpu(), &Progress::new())
}

fn declipped(clipped: &[f32], rate: u32, brush: Declip) -> Vec<f32> {
    samples(&declip(&sound(&[clipped.to_vec()], rate), brush, None).unwrap().snapshot, 0)
}

/// Some seconds of a recording, at a peak of 0.9.
fn recording(name: &str, secs: [f64; 2]) -> (Vec<f32>, u32) {
    let opened = open(&clip(name));
    let (rate, all) = (opened.sample_rate_hz(), samples(&opened, 0));
    let [start, end] = secs.map(|secs| ((secs * rate) as usize).min(all.len()));
    let part = &all[start..end];
    let peak = part.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    (part.iter().map(|x| 0.9 * x / peak).collect(), rate as u32)
}

/// A recording clipped at the level at which the error is `snr_db` below the sound.
fn clipped_to(clean: &[f32], snr_db: f64) -> Vec<f32> {
    let at = |level: f32| -> Vec<f32> { clean.iter().map(|x| x.clamp(-level, level)).collect() };
    let [mut low, mut high] = [0.0f32, 1.0];
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if snr_db_f32(&at(middle), clean) < snr_db {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(low)
}

fn gained_db(clean: &[f32], before: &[f32], after: &[f32]) -> f64 {
    snr_db_f32(after, clean) - snr_db_f32(before, clean)
}

/// Parts of recordings; all of them, and more, with `SONOBRUSH_LONG_TESTS`.
#[test]
fn clipped_recordings_come_nearer_to_what_they_were() {
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    // Minimum improvements of the SNR in dB, at the qualities fast and best.
    let mut cases = vec![(SPEECH, [1.0, 3.0], 7.0, [4.5, 5.5]), (GUITAR, [0.0, 0.7], 7.0, [10.0, 10.0])];
    if is_long {
        cases = vec![
            (SPEECH, [0.0, 8.0], 7.0, [5.5, 6.5]),
            (SPEECH, [0.0, 8.0], 15.0, [2.0, 5.0]),
            (GUITAR, [0.0, 11.0], 7.0, [19.0, 19.0]),
            (GUITAR, [0.0, 11.0], 15.0, [18.0, 18.0]),
            ("tabla_loop_44k_stereo.flac", [0.0, 11.0], 7.0, [5.0, 6.0]),
            ("tabla_loop_44k_stereo.flac", [0.0, 11.0], 15.0, [4.0, 5.0]),
            ("drum_break_44k_stereo.flac", [0.0, 7.0], 7.0, [4.0, 4.0]),
            ("many_chunks_44k_stereo.wav", [0.0, 2.0], 7.0, [3.0, 3.0]),
        ];
    }
    for (name, secs, snr_db, min) in cases {
        let (clean, rate) = recording(name, secs);
        let clipped = clipped_to(&clean, snr_db);
        for (quality, min) in [DeclipQuality::Fast, DeclipQuality::Best].into_iter().zip(min) {
            let began = std::time::Instant::now();
            let after = declipped(&clipped, rate, Declip { quality, ..Declip::DEFAULT });
            let gained = gained_db(&clean, &clipped, &after);
            let spent_secs = began.elapsed().as_secs_f64();
            println!("{name} at {snr_db} dB, {quality:?}: {gained:.1} dB in {spent_secs:.1} s");
            assert!(gained >= min, "{name} at {snr_db} dB, {quality:?}: {gained} dB");
            let level = clipped.iter().fold(0.0f32, |level, x| level.max(x.abs()));
            for (before, after) in clipped.iter().zip(&after) {
                let is_clipped = before.abs() >= 0.999 * level;
                assert!(before == after || (is_clipped && after * before.signum() >= 0.999 * level));
            }
        }
    }
}

#[test]
fn clean_and_softly_limited_sounds_are_left_alone() {
    for name in [SPEECH, GUITAR, "crow_44k_mono.flac", "choir_44k_stereo_float64.wav"] {
        let clean = open(&clip(name));
        let found = find_clipping(&clean, &Progress::new()).unwrap();
        assert!(found.iter().all(Option::is_none), "{name}: {found:?}");
        let refused = declip(&clean, Declip::DEFAULT, None).unwrap_err();
        assert_eq!(refused.message(), "no clipping found", "{name}");
    }
    let (clean, rate) = recording(GUITAR, [0.0, 2.0]);
    let soft: Vec<f32> = clean.iter().map(|x| (2.0 * x).tanh()).collect();
    assert_eq!(find_clipping(&sound(&[soft], rate), &Progress::new()).unwrap(), [None]);
    // This break was clipped when it was made.
    let drums = find_clipping(&open(&clip("drum_break_44k_stereo.flac")), &Progress::new()).unwrap();
    assert!(drums.iter().flatten().all(|clipping| clipping.by == Some(DetectedBy::Runs)));
    assert_eq!(drums.iter().flatten().count(), 2);
}

#[test]
fn a_selection_limits_in_time_what_changes() {
    let (clean, rate) = recording(SPEECH, [1.0, 3.0]);
    let clipped = clipped_to(&clean, 7.0);
    let before = sound(&[clipped.clone(), clipped.clone()], rate);
    let runs = [[0.3, 0.8], [1.2, 1.5]];
    let edit =
        Edit { select: within(&runs), channels: Channels::List(vec![1]), ..Edit::of(FAST, StftParams::default()) };
    let applied = apply(&before, &edit, &Engine::cpu(), &Progress::new()).unwrap();
    assert!(changed(&samples(&applied.snapshot, 0), &clipped).is_empty());
    let after = samples(&applied.snapshot, 1);
    let inside = |at: &usize| runs.iter().any(|run| (run[0]..run[1]).contains(&(*at as f64 / f64::from(rate))));
    let places = changed(&after, &clipped);
    assert!(places.iter().all(inside));
    assert!(runs.iter().all(|run| places.iter().any(|at| (run[0]..run[1]).contains(&(*at as f64 / f64::from(rate))))));
    // Inside the selection, the result is nearly as good as if all were restored, since the samples around it are read.
    let whole = declipped(&clipped, rate, FAST);
    let of_runs = |x: &[f32]| -> Vec<f32> { (0..x.len()).filter(inside).map(|at| x[at]).collect() };
    let [part, whole] = [&after, &whole].map(|after| gained_db(&of_runs(&clean), &of_runs(&clipped), &of_runs(after)));
    assert!(part > whole - 1.5 && part > 3.0, "{part} and {whole} dB");
    // For a selection too short to find the clipping level in it, the level of the whole sound is used.
    let first = clipped.iter().enumerate().skip(8_000).find(|(_, x)| x.abs() >= 0.999 * clipped[places[0]].abs());
    let at = first.unwrap().0 as f64 / f64::from(rate);
    let one =
        declip(&sound(std::slice::from_ref(&clipped), rate), FAST, within(&[[at - 0.0002, at + 0.0003]])).unwrap();
    assert!((1..=8).contains(&changed(&samples(&one.snapshot, 0), &clipped).len()));
}

#[test]
fn levels_may_be_given_and_channels_have_their_own() {
    let (clean, rate) = recording(GUITAR, [0.0, 0.6]);
    let [low, high] = [0.3f32, 0.5].map(|level| clean.iter().map(|x| x.clamp(-level, level)).collect::<Vec<f32>>());
    let found = find_clipping(&sound(&[low.clone(), high.clone(), clean], rate), &Progress::new()).unwrap();
    let levels: Vec<Option<f32>> = found.iter().map(|found| found.map(|found| found.levels.above)).collect();
    assert!((levels[0].unwrap() - 0.3).abs() < 1e-5 && (levels[1].unwrap() - 0.5).abs() < 1e-5 && levels[2].is_none());
    let both = declip(&sound(&[low.clone(), high.clone()], rate), FAST, None).unwrap();
    for (channel, clipped) in [low.clone(), high].iter().enumerate() {
        let alone = declipped(clipped, rate, FAST);
        assert!(changed(&samples(&both.snapshot, channel), &alone).is_empty(), "each channel is restored by itself");
    }
    let given = Declip { levels: DeclipLevels::Given([0.2999, -0.2999]), ..FAST };
    let after = declipped(&low, rate, given);
    assert!(changed(&after, &low).iter().all(|at| low[*at].abs() >= 0.2999 && after[*at].abs() >= 0.2999));
    // No sample reaches these levels.
    let none = declip(&sound(&[low], rate), Declip { levels: DeclipLevels::Given([0.9, -0.9]), ..FAST }, None);
    assert_eq!(none.unwrap_err().message(), "no clipping found");
}

#[test]
fn known_samples_are_exported_as_they_were_stored() {
    let folder = tempfile::tempdir().unwrap();
    let (clean, rate) = recording(GUITAR, [0.0, 0.5]);
    let stored: Vec<i32> = clean.iter().map(|x| (f64::from(x.clamp(-0.4, 0.4)) * 8_388_608.0) as i32).collect();
    let path = folder.path().join("clipped.wav");
    let spec =
        hound::WavSpec { channels: 1, sample_rate: rate, bits_per_sample: 24, sample_format: hound::SampleFormat::Int };
    let mut writer = hound::WavWriter::create(&path, spec).unwrap();
    stored.iter().for_each(|sample| writer.write_sample(*sample).unwrap());
    writer.finalize().unwrap();
    let after = declip(&open(&path), FAST, None).unwrap();
    let out = folder.path().join("out.wav");
    export(&after.snapshot, &out, ExportFormat::default(), None, &Progress::new()).unwrap();
    let exported: Vec<i32> = hound::WavReader::open(&out).unwrap().samples::<i32>().map(Result::unwrap).collect();
    let level = stored.iter().map(|x| x.abs()).max().unwrap() - 4;
    let n_known = stored.iter().filter(|sample| sample.abs() < level).count();
    assert!(n_known > 5_000 && n_known < stored.len());
    let is_kept = |(stored, exported): (&i32, &i32)| stored.abs() >= level || stored == exported;
    assert!(stored.iter().zip(&exported).all(is_kept));
    assert_ne!(stored, exported);
}

#[test]
fn what_was_found_is_told() {
    let (clean, rate) = recording(GUITAR, [0.0, 0.6]);
    // Clipped at full scale, so that restored peaks exceed it.
    let clipped: Vec<f32> = clean.iter().map(|x| (4.0 * x).clamp(-1.0, 1.0)).collect();
    let report = declip(&sound(std::slice::from_ref(&clipped), rate), FAST, None).unwrap().report;
    let found = report.found.unwrap();
    assert!(found.starts_with("-0.0 dBFS, ") || found.starts_with("0.0 dBFS, "), "{found}");
    assert!(found.ends_with(" % clipped"), "{found}");
    let [peaks] = &report.notices[..] else { panic!("{:?}", report.notices) };
    assert!(peaks.starts_with("peaks reach +") && peaks.contains("normalise"), "{peaks}");
    let hard: Vec<f32> = clean.iter().map(|x| x.clamp(-0.02, 0.02)).collect();
    let report = declip(&sound(&[hard], rate), FAST, None).unwrap().report;
    assert!(report.notices[0].contains("% of the samples are clipped; expect little"), "{:?}", report.notices);
}

#[test]
fn bad_input_is_one_sentence() {
    let square: Vec<f32> = tone(8_000, 8_000.0, 100.0, 1.0).iter().map(|x| 0.5 * x.signum()).collect();
    let cases = [
        (vec![0.3], "no clipping found"),
        (vec![0.0; 4_000], "no clipping found"),
        (square, "nothing reliable is left between the clipped samples"),
        (vec![0.5; 4_000], "nothing reliable is left between the clipped samples"),
    ];
    for (samples, wanted) in cases {
        for quality in [DeclipQuality::Fast, DeclipQuality::Best] {
            let refused =
                declip(&sound(std::slice::from_ref(&samples), 8_000), Declip { quality, ..Declip::DEFAULT }, None);
            assert!(refused.unwrap_err().message().contains(wanted), "{wanted}");
        }
    }
    let read = |brush: &str| Script::parse(&format!(r#"{{"version": 1, "edits": [{{"brush": {brush}}}]}}"#));
    for (levels, wanted) in [
        ("[-0.5, 0.5]", "brush.levels: must be a level above 0 and one below 0"),
        ("[0.5, 0]", "must be a level above 0 and one below 0"),
        ("[0.5]", "must be a list of two numbers"),
        ("\"lost\"", "is unknown; use found"),
        ("[null, -1]", "must be a number"),
    ] {
        let refused = read(&format!(r#"{{"kind": "declip", "levels": {levels}}}"#)).unwrap_err();
        assert!(refused.message().contains(wanted), "{levels}: {refused}");
    }
    assert!(read(r#"{"kind": "declip", "quality": "good"}"#).unwrap_err().message().contains("use best, fast"));
    let given = read(r#"{"kind": "declip", "quality": "fast", "levels": [0.5, -0.25]}"#).unwrap();
    assert_eq!(given.edits[0].brush, Declip { levels: DeclipLevels::Given([0.5, -0.25]), ..FAST }.into());
    assert_eq!(Script::parse(&given.to_json()).unwrap(), given);
}

#[test]
fn long_groups_are_restored_in_sections_that_meet_without_a_seam() {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() {
        return;
    }
    // Over a million samples of a tone that is clipped at every peak.
    let rate = 44_100;
    let clean: Vec<f32> = tone(1_300_000, f64::from(rate), 441.3, 0.8);
    let clipped: Vec<f32> = clean.iter().map(|x| x.clamp(-0.6, 0.6)).collect();
    let after = declipped(&clipped, rate, FAST);
    for start in (0..clean.len() - 50_000).step_by(50_000) {
        let part = start..start + 50_000;
        let gained = gained_db(&clean[part.clone()], &clipped[part.clone()], &after[part]);
        assert!(gained > 10.0, "from {start}: {gained} dB");
    }
}
