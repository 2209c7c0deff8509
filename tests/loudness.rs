//! Loudness, its range and the peak between samples: the signals of EBU Tech 3341 and 3342, made from their text, and
//! files of many channels. `scripts/ebu_loudness.py` makes the same signals at their full rate and asks the program.

use super::support::program::Place;
use serde_json::Value;
use sonobrush::base::Progress;
use sonobrush::document::brushes::Normalise;
use sonobrush::document::{Edit, Snapshot, measure_levels};
use sonobrush::dsp::StftParams;
use sonobrush::dsp::signal::loudness::{LoudnessDescriptors, LoudnessMeter};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use std::f64::consts::{PI, TAU};
use std::path::Path;

/// The rate of the long signals: K-weighting is made for each rate, and a tone of 1 kHz is far below half of it.
const LOW_RATE: u32 = 8_000;
const RATE: u32 = 48_000;

fn amplitude(db: f64) -> f64 {
    10f64.powf(db / 20.0)
}

/// A tone of 1 kHz with these levels one after the other: seconds and the dBFS of its peaks.
fn tone_in_parts(rate: u32, parts: &[(f64, f64)]) -> Vec<f32> {
    let levels = parts
        .iter()
        .flat_map(|&(secs, db)| std::iter::repeat_n(amplitude(db), (secs * f64::from(rate)).round() as usize));
    let tone = |(at, level): (usize, f64)| (level * (TAU * 1_000.0 * at as f64 / f64::from(rate)).sin()) as f32;
    levels.enumerate().map(tone).collect()
}

fn measured(rate: u32, mask: Option<u32>, channels: &[Vec<f32>]) -> LoudnessDescriptors {
    let mut meter = LoudnessMeter::new(rate, channels.len(), mask).unwrap();
    // In uneven pieces: no result depends on them.
    let mut at = 0;
    for n in [1, 7, 4_800, 300].into_iter().cycle() {
        let end = (at + n).min(channels[0].len());
        meter.push(&channels.iter().map(|channel| &channel[at..end]).collect::<Vec<_>>()).unwrap();
        at = end;
        if at == channels[0].len() {
            return meter.finish().unwrap();
        }
    }
    unreachable!("a cycle has no end")
}

/// A stereo tone of 1 kHz.
fn measured_stereo(parts: &[(f64, f64)]) -> LoudnessDescriptors {
    let tone = tone_in_parts(LOW_RATE, parts);
    measured(LOW_RATE, None, &[tone.clone(), tone])
}

/// Seconds and dBFS of each part of a tone.
type Parts<'a> = &'a [(f64, f64)];

#[test]
fn the_tones_of_ebu_tech_3341_have_their_loudness() {
    let cases: [(u32, Parts<'_>, f64); 5] = [
        (1, &[(20.0, -23.0)], -23.0),
        (2, &[(20.0, -33.0)], -33.0),
        (3, &[(10.0, -36.0), (60.0, -23.0), (10.0, -36.0)], -23.0),
        (4, &[(10.0, -72.0), (10.0, -36.0), (60.0, -23.0), (10.0, -36.0), (10.0, -72.0)], -23.0),
        (5, &[(20.0, -26.0), (20.1, -20.0), (20.0, -26.0)], -23.0),
    ];
    for (case, parts, expected) in cases {
        let found = measured_stereo(parts).lufs.unwrap();
        assert!((found - expected).abs() <= 0.1, "case {case}: {found}");
    }
    // 5.0: left and right, centre, surrounds.
    let channels = [-28.0, -28.0, -24.0, -30.0, -30.0].map(|db| tone_in_parts(LOW_RATE, &[(20.0, db)]));
    for mask in [None, Some(0x37), Some(0x607)] {
        let found = measured(LOW_RATE, mask, &channels).lufs.unwrap();
        assert!((found + 23.0).abs() <= 0.1, "case 6: {found}");
    }
    // The control: as five channels in front it is 1.2 dB less.
    let found = measured(LOW_RATE, Some(0xc7), &channels).lufs.unwrap();
    assert!((found + 23.0).abs() > 0.3, "{found}");
}

#[test]
fn the_tones_of_ebu_tech_3342_have_their_range() {
    let cases: [(u32, &[f64], f64); 4] = [
        (1, &[-20.0, -30.0], 10.0),
        (2, &[-20.0, -15.0], 5.0),
        (3, &[-40.0, -20.0], 20.0),
        (4, &[-50.0, -35.0, -20.0, -35.0, -50.0], 15.0),
    ];
    for (case, levels, expected) in cases {
        let parts: Vec<(f64, f64)> = levels.iter().map(|&db| (20.0, db)).collect();
        let found = measured_stereo(&parts).loudness_range.unwrap();
        assert!((found - expected).abs() <= 1.0, "case {case}: {found}");
    }
}

/// Half a second of a sine of a share of the rate, faded over 10 ms: where one sets in at once, the step itself passes
/// its peak between samples.
fn sine(periods_per_sample: f64, degrees: f64, amplitude: f64) -> Vec<f32> {
    let n = RATE as usize / 2;
    let fade = |at: usize| (at.min(n - 1 - at) as f64 / (0.01 * f64::from(RATE))).min(1.0);
    let turn = |at: usize| TAU * (periods_per_sample * at as f64 + degrees / 360.0);
    (0..n).map(|at| (fade(at) * amplitude * turn(at).sin()) as f32).collect()
}

/// A sine of a sixth of the rate at half of full scale, with one period of a fourth of the rate at full scale among it:
/// made at four times the rate, without what is above half the rate, and every fourth sample from `offset` on.
fn with_a_loud_period(offset: usize) -> Vec<f32> {
    const PERIOD: usize = 24;
    const HALF: isize = 400;
    let quiet = |at: usize| 0.5 * (TAU * at as f64 / PERIOD as f64).sin();
    let long: Vec<f64> = (0..200 * PERIOD)
        .map(quiet)
        .chain((0..16).map(|at| (TAU * f64::from(at) / 16.0).sin()))
        .chain((0..200 * PERIOD).map(quiet))
        .collect();
    let filter: Vec<f64> = (-HALF..=HALF)
        .map(|at| {
            let place = at as f64 / 4.0;
            let sinc = if at == 0 { 1.0 } else { (PI * place).sin() / (PI * place) };
            sinc / 4.0 * (0.5 + 0.5 * (PI * at as f64 / HALF as f64).cos())
        })
        .collect();
    let filtered = |at: usize| {
        let around = (-HALF..=HALF).zip(&filter);
        let sample = |by: isize| at.checked_add_signed(by).and_then(|at| long.get(at)).copied().unwrap_or(0.0);
        around.map(|(by, weight)| weight * sample(by)).sum::<f64>() as f32
    };
    (offset..long.len()).step_by(4).map(filtered).collect()
}

#[test]
fn the_sines_of_ebu_tech_3341_have_their_true_peak() {
    let mut cases = vec![
        (15, sine(1.0 / 4.0, 0.0, 0.5), -6.0),
        (16, sine(1.0 / 4.0, 45.0, 0.5), -6.0),
        (17, sine(1.0 / 6.0, 60.0, 0.5), -6.0),
        (18, sine(1.0 / 8.0, 67.5, 0.5), -6.0),
        (19, sine(1.0 / 4.0, 45.0, 1.41), 3.0),
    ];
    cases.extend((0..4).map(|offset| (20 + offset, with_a_loud_period(offset), 0.0)));
    for (case, samples, expected) in cases {
        let largest = samples.iter().fold(0.0f32, |max, sample| max.max(sample.abs()));
        let found = measured(RATE, None, &[samples]).true_peak_dbtp.unwrap();
        assert!((-0.4..=0.2).contains(&(found - expected)), "case {case}: {found}");
        // The control: the samples themselves are 3 dB lower.
        assert!(![16, 19].contains(&case) || found - 20.0 * f64::from(largest).log10() > 2.5, "case {case}");
    }
    // What is between the loudest samples is found wherever it lies in a piece, and behind louder ones that are steady.
    let mut samples = vec![0.9f32; 3_000];
    samples[1_499] = 1.0;
    samples[1_500] = 1.0;
    samples[1_498] = -1.0;
    samples[1_501] = -1.0;
    let found = measured(RATE, None, &[samples]).true_peak_dbtp.unwrap();
    assert!(found > 1.0, "{found}");
}

/// 16 bits in a WAV file that says which speakers its channels are for.
fn write_speakers(path: &Path, rate: u32, mask: u32, channels: &[Vec<f32>]) {
    let n_channels = channels.len() as u16;
    let frames = (0..channels[0].len()).flat_map(|at| channels.iter().map(move |channel| channel[at]));
    let data: Vec<u8> = frames.flat_map(|x| ((x * 32_767.0).round() as i16).to_le_bytes()).collect();
    let mut out = b"RIFF".to_vec();
    out.extend((60 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt \x28\0\0\0\xfe\xff");
    out.extend(n_channels.to_le_bytes());
    out.extend(rate.to_le_bytes());
    out.extend((rate * 2 * u32::from(n_channels)).to_le_bytes());
    out.extend((2 * n_channels).to_le_bytes());
    out.extend(b"\x10\0\x16\0\x10\0");
    out.extend(mask.to_le_bytes());
    out.extend(b"\x01\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    std::fs::write(path, out).unwrap();
}

fn described(place: &Place, file: &Path) -> Value {
    serde_json::from_str(&place.done(&["library", "describe", file.to_str().unwrap(), "--json"])).unwrap()
}

/// What `normalise` measures of a file.
fn measured_by_normalise(file: &Path) -> Option<f64> {
    let sound = Snapshot::new(Source::open(file, &Progress::new()).unwrap().source);
    let edit = Edit::of(Normalise::to_loudness(-20.0), StftParams::default());
    measure_levels(&sound, &edit, &Engine::cpu(), &Progress::new()).unwrap().and_then(|levels| levels.loudness_lufs)
}

/// A tone in one channel reads 3.01 dB below its peak, and 1.49 dB more at the side; in the subwoofer nothing at all,
/// but it has a peak.
#[test]
fn every_channel_of_a_file_counts_by_its_speaker() {
    let place = Place::new();
    place.write("none.json", r#"{"version": 1, "edits": []}"#);
    // Levels of the channels in dBFS, and their weights.
    type Layout = (&'static str, u32, &'static [(f64, f64)]);
    const SIDE: f64 = 1.41;
    const LFE: f64 = 0.0;
    let layouts: [Layout; 9] = [
        ("a lone centre", 0x4, &[(-20.0, 1.0)]),
        ("quad", 0x33, &[(-90.0, 1.0), (-90.0, 1.0), (-20.0, SIDE), (-26.0, SIDE)]),
        ("front, centre and one behind", 0x107, &[(-30.0, 1.0), (-30.0, 1.0), (-20.0, 1.0), (-20.0, 1.0)]),
        ("5.0", 0x37, &[(-28.0, 1.0), (-28.0, 1.0), (-24.0, 1.0), (-30.0, SIDE), (-20.0, SIDE)]),
        (
            "5.1, at the sides",
            0x60f,
            &[(-40.0, 1.0), (-40.0, 1.0), (-40.0, 1.0), (-3.0, LFE), (-20.0, SIDE), (-25.0, SIDE)],
        ),
        (
            "5.1, the centre alone",
            0x3f,
            &[(-90.0, 1.0), (-90.0, 1.0), (-20.0, 1.0), (-90.0, LFE), (-90.0, SIDE), (-90.0, SIDE)],
        ),
        (
            "7.1",
            0x63f,
            &[
                (-50.0, 1.0),
                (-50.0, 1.0),
                (-50.0, 1.0),
                (-1.0, LFE),
                (-22.0, 1.0),
                (-22.0, 1.0),
                (-25.0, SIDE),
                (-20.0, SIDE),
            ],
        ),
        ("channels without speakers", 0x0, &[(-90.0, 1.0), (-90.0, 1.0), (-20.0, 1.0)]),
        (
            "5.1 without speakers",
            0x0,
            &[(-40.0, 1.0), (-40.0, 1.0), (-40.0, 1.0), (-3.0, LFE), (-20.0, SIDE), (-25.0, SIDE)],
        ),
    ];
    for (name, mask, channels) in layouts {
        let samples: Vec<Vec<f32>> = channels.iter().map(|(db, _)| tone_in_parts(RATE, &[(0.5, *db)])).collect();
        let file = place.path("in.wav");
        write_speakers(&file, RATE, mask, &samples);
        let power: f64 = channels.iter().map(|(db, weight)| weight * amplitude(*db).powi(2) / 2.0).sum();
        let expected = 10.0 * power.log10();
        let loudest = channels.iter().fold(f64::MIN, |max, (db, _)| max.max(*db));
        let found = described(&place, &file);
        let [lufs, peak] = ["lufs", "true_peak_dbtp"].map(|name| found[name].as_f64().unwrap());
        assert!((lufs - expected).abs() < 0.1, "{name}: {lufs} LUFS, not {expected}");
        assert!((peak - loudest).abs() < 0.1, "{name}: {peak} dBTP, not {loudest}");
        let normalised = measured_by_normalise(&file).unwrap();
        assert!((normalised - lufs).abs() < 0.01, "{name}: {normalised} when it is normalised, {lufs} described");
        // As FLAC it says the same of its speakers.
        let flac = place.path("in.flac");
        place.done(&["paint", "in.wav", "--script", "none.json", "-o", "in.flac"]);
        let again = described(&place, &flac)["lufs"].as_f64().unwrap();
        assert!((again - lufs).abs() < 0.01, "{name}: {again} as FLAC, {lufs} as WAV");
    }
    // Nothing but the subwoofer: a peak, and no loudness.
    let samples: Vec<Vec<f32>> =
        (0..6).map(|channel| tone_in_parts(RATE, &[(0.5, if channel == 3 { -1.0 } else { -200.0 })])).collect();
    write_speakers(&place.path("lfe.wav"), RATE, 0x3f, &samples);
    let found = described(&place, &place.path("lfe.wav"));
    assert!(found["lufs"].is_null() && (found["true_peak_dbtp"].as_f64().unwrap() + 1.0).abs() < 0.1, "{found}");
}

#[test]
fn a_short_file_of_five_channels_is_described_as_tech_3341_says() {
    let place = Place::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found3/tech3341_6_short.wav");
    let found = described(&place, &file);
    let [lufs, peak] = ["lufs", "true_peak_dbtp"].map(|name| found[name].as_f64().unwrap());
    assert!((lufs + 23.0).abs() <= 0.1 && (peak + 24.0).abs() <= 0.2, "{lufs} LUFS, {peak} dBTP");
}
