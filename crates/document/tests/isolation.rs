//! Isolate speech, Find speech and Find pauses: agreement with the definition, preserved audio, and quality figures.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::{ErrorKind, Folders, Progress};
use document::brushes::{Brush, Isolate};
use document::{Channels, Edit, SPEECH_MODEL, Script, locate_kept_noise, read_speech_model, resolve, selected_times};
use dsp::repair::isolation::IsolatedSide;
use dsp::selections::find::Find;
use dsp::{Axis, NoiseSource, Selection, Shape, StftParams};
use engine::Plans;
use std::f64::consts::TAU;
use support::measure::{changed, error_db, f64s, rms, si_sdr_db, snr_db};
use support::npy::{self, load};
use support::signals::noise;
use support::snapshots::{open, run, samples, sound};
use support::wav::clip;

fn edit(brush: impl Into<Brush>) -> Edit {
    Edit::of(brush.into(), StftParams::default())
}

fn over(brush: impl Into<Brush>, secs: [f64; 2], hz: Option<[f64; 2]>) -> Edit {
    Edit { select: Some(Selection::rectangle(Some(secs), hz, [0.0; 2], Axis::Linear)), ..edit(brush) }
}

fn after(channels: &[Vec<f32>], rate: u32, edit: &Edit) -> Vec<Vec<f32>> {
    let applied = run(&sound(channels, rate), edit).unwrap_or_else(|e| panic!("{e}"));
    (0..channels.len()).map(|channel| samples(&applied.snapshot, channel)).collect()
}

/// The samples of a mono sound after an edit.
fn mono(samples: &[f32], rate: u32, edit: &Edit) -> Vec<f32> {
    after(&[samples.to_vec()], rate, edit).remove(0)
}

fn sum(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// 2.5 s of the speech clip.
fn speech() -> Vec<f32> {
    samples(&open(&clip("speech_16k_mono.wav")), 0)[8000..48_000].to_vec()
}

/// The speech in white noise at an SNR of `db` dB, and the noise.
fn in_noise(db: f64) -> [Vec<f32>; 2] {
    let speech = speech();
    let level = rms(&speech) * 10f64.powf(-db / 20.0);
    let noise = noise(speech.len(), level, 4);
    [sum(&speech, &noise), noise]
}

#[test]
fn a_sound_of_48_khz_is_isolated_as_defined() {
    let cases: serde_json::Value =
        serde_json::from_slice(&std::fs::read(npy::path("isolation/cases.json")).unwrap()).unwrap();
    let (scale, step) = (cases["scale"].as_f64().unwrap() as f32, cases["sample_step"].as_u64().unwrap() as usize);
    let whole = load(&"isolation/sound".into()).u16s_of("<i2");
    let before: Vec<f32> = whole.into_iter().map(|bits| f32::from(bits as i16) * scale).collect();
    let found = mono(&before, 48_000, &edit(Isolate::DEFAULT));
    let found: Vec<f32> = found.into_iter().step_by(step).collect();
    let wanted = load(&"isolation/result".into()).f32s();
    let db = snr_db(&f64s(&found[2400 / step..]), &f64s(&wanted[2400 / step..]));
    // The reference attenuates without a limit; the default limit of 100 dB leaves a residue close to this level.
    assert!(db >= 95.0, "{db}");
}

#[test]
fn speech_comes_out_of_noise_at_any_rate() {
    let ([noisy, _], clean) = (in_noise(5.0), speech());
    let found = run(&sound(&[noisy.to_vec()], 16_000), &edit(Isolate::DEFAULT)).unwrap();
    let speech = samples(&found.snapshot, 0);
    let gain = si_sdr_db(&speech, &clean) - si_sdr_db(&noisy, &clean);
    println!("white noise at 5 dB: SI-SDR {:+.1} dB", gain);
    assert!(gain >= 5.5, "{gain}");
    let notices = found.report.notices.join("\n");
    assert!(notices.contains("music is removed, too; learn the noise first to keep it"), "{notices}");
    // Speech and rest add up to the input, but only approximately in the top 2 % of frequencies,
    // which get one gain per frame.
    let rest = mono(&noisy, 16_000, &edit(Isolate { side: IsolatedSide::Rest, ..Isolate::DEFAULT }));
    let db = snr_db(&f64s(&sum(&speech, &rest)), &f64s(&noisy));
    assert!(db >= 20.0, "{db}");
    // A strength of 0.5 applies half of the change.
    let half = mono(&noisy, 16_000, &Edit { strength: 0.5, ..edit(Isolate::DEFAULT) });
    let middle: Vec<f64> = noisy.iter().zip(&speech).map(|(a, b)| 0.5 * (f64::from(*a) + f64::from(*b))).collect();
    assert!(snr_db(&f64s(&half), &middle) >= 120.0);
}

#[test]
fn noise_goes_up_to_the_highest_frequency() {
    for rate in [16_000, 44_100] {
        let before = noise(32_768 + 8_192, 0.05, 9);
        let after = mono(&before, rate, &edit(Isolate::DEFAULT));
        let lowered_db = |band: [f64; 2]| {
            let [low, high] = band.map(|part| part * f64::from(rate) / 2.0);
            let power = |x: &[f32]| support::measure::band_power(&x[4_096..4_096 + 32_768], f64::from(rate), low, high);
            10.0 * (power(&before) / power(&after)).log10()
        };
        // Resampling removes the top 2 % of frequencies; they get the gain of a band just below.
        let [below_db, above_db] = [lowered_db([0.8, 0.95]), lowered_db([0.985, 0.999])];
        println!("{rate} Hz: lowered by {below_db:.1} dB, at the top by {above_db:.1} dB");
        assert!(below_db > 15.0 && above_db > below_db - 6.0, "{rate}: {below_db} {above_db}");
    }
}

/// A selection that ends below the highest frequencies keeps them; one of only these attenuates them.
#[test]
fn the_highest_frequencies_follow_the_selection() {
    let (rate, before) = (16_000, noise(32_768 + 8_192, 0.05, 9));
    for (band, is_lowered) in [([0.0, 7_700.0], false), ([7_650.0, 8_000.0], true)] {
        let after = mono(&before, rate, &over(Isolate::DEFAULT, [0.0, 10.0], Some(band)));
        let power = |x: &[f32]| support::measure::band_power(&x[4_096..4_096 + 32_768], 16_000.0, 7_900.0, 7_990.0);
        let lowered_db = 10.0 * (power(&before) / power(&after)).log10();
        println!("{band:?}: the top is lowered by {lowered_db:.1} dB");
        assert!(if is_lowered { lowered_db > 10.0 } else { lowered_db.abs() < 0.5 }, "{band:?}: {lowered_db}");
    }
}

#[test]
fn what_lies_above_24_khz_stays() {
    let [noisy, _] = in_noise(5.0);
    // Upsampled from 16 to 96 kHz by repeating and averaging samples, with little energy above 8 kHz.
    let mut low: Vec<f32> = noisy[..16_000].iter().flat_map(|sample| [*sample; 6]).collect();
    for _ in 0..3 {
        low = low.windows(6).map(|near| near.iter().sum::<f32>() / 6.0).collect();
    }
    let high: Vec<f32> = (0..low.len()).map(|i| (0.02 * (TAU * 30_000.0 * i as f64 / 96_000.0).sin()) as f32).collect();
    let applied = run(&sound(&[sum(&low, &high)], 96_000), &edit(Isolate::DEFAULT)).unwrap();
    let notices = applied.report.notices.join("\n");
    assert!(notices.contains("above 24 kHz the sound is left as it is"), "{notices}");
    let part = |of: &[f32], turn: f64| -> f64 {
        let wave = |i: usize| (TAU * (30_000.0 * i as f64 / 96_000.0 + turn)).sin();
        of.iter().enumerate().map(|(i, sample)| f64::from(*sample) * wave(i)).sum::<f64>() * 2.0 / of.len() as f64
    };
    let found = samples(&applied.snapshot, 0);
    let [own, other] = [0.0, 0.25].map(|turn| part(&found[..95_984], turn));
    println!("30 kHz at 0.02: {own:.6}, {other:.6}");
    assert!((own - 0.02).abs() < 2e-5 && other.abs() < 2e-5, "{own} {other}");
    let alone = mono(&low, 96_000, &edit(Isolate::DEFAULT));
    let db = snr_db(&f64s(&found), &f64s(&sum(&alone, &high)));
    assert!(db >= 30.0, "{db}");
}

#[test]
fn selections_limit_what_changes() {
    let [noisy, _] = in_noise(5.0);
    let in_time = mono(&noisy, 16_000, &over(Isolate::DEFAULT, [0.5, 1.5], None));
    let places = changed(&noisy, &in_time);
    assert!(places.first().is_some_and(|at| *at >= 8000) && places.last().is_some_and(|at| *at < 24_000));
    let whole = mono(&noisy, 16_000, &edit(Isolate::DEFAULT));
    let db = snr_db(&f64s(&in_time[9600..22_400]), &f64s(&whole[9600..22_400]));
    assert!(db >= 100.0, "inside, the selection is as the whole: {db}");
    // A box leaves samples outside its time range and frequencies outside its band as they are.
    let boxed = over(Isolate::DEFAULT, [0.5, 1.5], Some([1000.0, 3000.0]));
    let in_box = mono(&noisy, 16_000, &boxed);
    let places = changed(&noisy, &in_box);
    assert!(places.first().is_some_and(|at| *at >= 7000) && places.last().is_some_and(|at| *at < 25_000));
    let change: Vec<f32> = in_box.iter().zip(&noisy).map(|(after, before)| after - before).collect();
    let power = |low, high| support::measure::band_power(&change[9600..17_792], 16_000.0, low, high);
    let (inside, above) = (power(1200.0, 2800.0), power(3400.0, 7800.0));
    assert!(above < 1e-4 * inside, "{above:e} {inside:e}");
}

#[test]
fn channels_keep_their_image() {
    let [noisy, _] = in_noise(10.0);
    let right: Vec<f32> = noisy.iter().map(|sample| 0.5 * sample).collect();
    let found = after(&[noisy, right], 16_000, &edit(Isolate::DEFAULT));
    let doubled: Vec<f64> = found[1].iter().map(|sample| 2.0 * f64::from(*sample)).collect();
    let db = snr_db(&doubled, &f64s(&found[0]));
    assert!(db >= 80.0, "{db}");
}

/// A hum of eight harmonics over hiss 50 dB below it.
fn hum_and_hiss(n: usize, rate_hz: f64) -> Vec<f32> {
    let hum = |secs: f64| (1..=8).map(|k| (TAU * 50.0 * f64::from(k) * secs).sin() / f64::from(k)).sum::<f64>();
    let hiss = noise(n, 0.0003, 9);
    hiss.iter().enumerate().map(|(at, hiss)| hiss + 0.1 * hum(at as f64 / rate_hz) as f32).collect()
}

#[test]
fn a_learnt_hum_does_not_stand_out_of_itself() {
    // Learnt with FFT sizes that resolve the hum better and worse than isolation's own frames.
    for (rate, n_fft) in [(16_000, 1024), (44_100, 2048), (44_100, 512)] {
        let hum = hum_and_hiss(3 * rate, rate as f64);
        let learnt = Isolate { noise: Some(NoiseSource::Range { secs: [0.1, 1.1], hz: None }), ..Isolate::DEFAULT };
        let transform = StftParams { n_fft, hop: n_fft / 4, ..StftParams::default() };
        let found = mono(&hum, rate as u32, &Edit::of(learnt, transform));
        let inside = rate / 2..5 * rate / 2;
        let left = rms(&found[inside.clone()]) / rms(&hum[inside]);
        println!("hum of {rate} Hz, learnt at {n_fft}: {:.1} dB", 20.0 * left.log10());
        assert!(left < 0.02, "{rate} Hz, {n_fft}: {left}");
    }
}

#[test]
fn music_stays_where_the_noise_was_learnt() {
    let rate = 44_100;
    let music = samples(&open(&clip("guitar_chord_44k_stereo.flac")), 0)[..3 * rate].to_vec();
    let clean = [vec![0.0; rate], music.clone()].concat();
    let noise = noise(clean.len(), rms(&music) * 10f64.powf(-15.0 / 20.0), 8);
    let noisy = sum(&clean, &noise);
    let kept = |isolate: Isolate| {
        let found = mono(&noisy, rate as u32, &edit(isolate));
        let [found, clean] = [&found, &clean].map(|samples| samples[rate + 4410..].to_vec());
        -error_db(&found, &clean)
    };
    let learnt = Isolate { noise: Some(NoiseSource::Range { secs: [0.1, 0.9], hz: None }), ..Isolate::DEFAULT };
    let [with, without] = [kept(learnt.clone()), kept(Isolate::DEFAULT)];
    println!("music in noise at 15 dB: {with:.1} dB with a learnt noise, {without:.1} dB without");
    assert!(with >= 18.0 && without <= 6.0, "{with} {without}");
    // Where there is only noise, it is removed all the same.
    let applied = run(&sound(&[noisy.to_vec()], rate as u32), &edit(learnt.clone())).unwrap();
    assert!(applied.report.notices.is_empty(), "{:?}", applied.report.notices);
    let still = samples(&applied.snapshot, 0);
    assert!(rms(&still[8820..35_280]) < 0.2 * rms(&noise));
    // The resolved edit contains the learnt profile, and gives the same result again.
    let resolved = *applied.resolved.unwrap();
    let Brush::Isolate(Isolate { noise: Some(NoiseSource::Profile(_)), model: Some(model), .. }) = &resolved.brush
    else {
        panic!("{:?}", resolved.brush.kind())
    };
    assert_eq!(model, SPEECH_MODEL);
    let again = Edit { brush: Brush::from_json(&resolved.brush.to_json()).unwrap(), ..resolved };
    assert!(mono(&noisy, rate as u32, &again) == still);
    // Without `keep`, the profile has no effect.
    let alone = kept(Isolate { keep: false, ..learnt });
    assert!((alone - without).abs() < 0.1, "{alone} {without}");
}

/// Speech in noise at an SNR of `db` dB, with 1.5 s of noise before and after it; and the same without noise.
fn between_pauses(db: f64) -> [Vec<f32>; 2] {
    let still = vec![0.0; 24_000];
    let clean = [still.clone(), speech(), still].concat();
    let noise = noise(clean.len(), rms(&speech()) * 10f64.powf(-db / 20.0), 6);
    [sum(&clean, &noise), clean]
}

#[test]
fn speech_is_a_selection_of_cells() {
    let [noisy, clean] = between_pauses(5.0);
    let before = sound(&[noisy.to_vec()], 16_000);
    let (stft, plans) = (StftParams::for_rate(16_000.0), Plans::default());
    let wanted = Selection::of(Shape::Find(Find::SpeechCells));
    let found = resolve(&before, &wanted, stft, &Channels::All, &plans, &Progress::new()).unwrap();
    // Two masks with frames of 10 ms: the 96 filtered bins of 50 Hz, and bands of four bins above them up to 8 kHz.
    let [(_, Shape::Group(group))] = &found.shapes[..] else { panic!("{found:?}") };
    let [(_, Shape::Cells(low)), (_, Shape::Cells(high))] = &group.shapes[..] else { panic!("{group:?}") };
    assert_eq!((low.size, low.hz, high.size, high.hz), ([551, 96], [-25.0, 4775.0], [551, 17], [4775.0, 8175.0]));
    assert!(low.secs[0] == -0.005 && (low.secs[1] - 5.505).abs() < 1e-9 && high.secs == low.secs);
    // Without speech, next to nothing is selected.
    let mean = |frames: std::ops::Range<usize>| {
        low.values[96 * frames.start..96 * frames.end].iter().sum::<f32>() / (96 * frames.len()) as f32
    };
    let [pause, speech] = [mean(20..130), mean(160..380)];
    println!("selected: {pause:.3} of a pause, {speech:.3} of speech");
    assert!(pause < 0.02 && speech > 4.0 * pause && speech > 0.08, "{pause} {speech}");
    // Erasing the inverse selection isolates speech nearly as well as the brush.
    let erase = |select: Selection| Edit { select: Some(select), ..Edit::of(Brush::omitted("erase").unwrap(), stft) };
    let gain_db = |edit: &Edit| si_sdr_db(&mono(&noisy, 16_000, edit), &clean) - si_sdr_db(&noisy, &clean);
    let (erased_db, isolated_db) = (gain_db(&erase(found.inverted())), gain_db(&edit(Isolate::DEFAULT)));
    println!("white noise at 5 dB: SI-SDR {erased_db:+.1} dB by erasing the rest, {isolated_db:+.1} dB isolated");
    assert!(erased_db >= 4.0 && erased_db >= isolated_db - 3.0, "{erased_db} {isolated_db}");
    // Scripts can contain the found values, or the search for them.
    let text = Script::from(vec![erase(found.clone())]).to_json();
    assert!(text.contains(r#""shape":"mask""#) && text.len() < 1_000_000, "{} bytes", text.len());
    let again = Script::parse(&text).unwrap().edits.remove(0);
    assert_eq!(again.select.as_ref(), Some(&found));
    let finding = r#"{"version": 1, "edits": [{"brush": {"kind": "erase"}, "select": {"shape": "speech_cells"}}]}"#;
    let finding = Script::parse(finding).unwrap();
    assert_eq!(Script::parse(&finding.to_json()).unwrap(), finding);
    let scripted = Edit { transform: stft.into(), ..finding.edits[0].clone() };
    assert!(mono(&noisy, 16_000, &scripted) == mono(&noisy, 16_000, &again));
    // Nothing is found without speech.
    let silence = sound(&[vec![0.0; 16_000]], 16_000);
    let none = resolve(&silence, &wanted, stft, &Channels::All, &plans, &Progress::new()).unwrap();
    assert!(matches!(&none.shapes[..], [(_, Shape::Rectangle { secs: Some([_, end]), .. })] if *end < 0.0), "{none:?}");
}

#[test]
fn isolating_tells_what_of_each_cell_is_speech() {
    let [noisy, _] = between_pauses(5.0);
    let before = sound(&[noisy.to_vec()], 16_000);
    let report = |edit: &Edit| run(&before, edit).unwrap().report.speech.unwrap();
    let map = report(&edit(Isolate::DEFAULT));
    let loudest = |secs: [f64; 2]| (1..150).map(|k| map.share(secs, 50.0 * f64::from(k))).fold(0.0, f32::max);
    assert!(loudest([0.3, 1.2]) < 0.2 && loudest([1.6, 3.8]) > 0.8, "{} {}", loudest([0.3, 1.2]), loudest([1.6, 3.8]));
    assert!(
        map.share([-2.0, -1.0], 500.0) == 0.0
            && map.share([9.0, 10.0], 500.0) == 0.0
            && map.share([2.0, 3.0], 3e4) == 0.0
    );
    // For a selected range, the map equals that of the whole sound inside the range, and is 0 outside.
    let part = report(&over(Isolate::DEFAULT, [1.5, 2.5], None));
    let places =
        (0..100).map(|k| 1.505 + 0.01 * f64::from(k)).flat_map(|secs| [300.0, 1200.0, 6000.0].map(|hz| (secs, hz)));
    let same =
        places.filter(|(secs, hz)| (map.share([*secs; 2], *hz) - part.share([*secs; 2], *hz)).abs() < 0.05).count();
    assert!(same >= 285, "{same} of 300");
    assert!(part.share([0.0, 1.45], 500.0) == 0.0 && part.share([2.6, 5.0], 500.0) == 0.0);
}

#[test]
fn bad_input_gets_one_sentence_and_changes_nothing() {
    let error = run(&sound(&[vec![0.1; 8000]], 7350), &edit(Isolate::DEFAULT)).unwrap_err();
    assert!(error.kind() == ErrorKind::Script, "{error}");
    assert_eq!(error.to_string(), "speech isolation needs at least 8,000 samples a second");
    let other = Isolate { model: Some("0123".into()), ..Isolate::DEFAULT };
    let error = run(&sound(&[vec![0.1; 8000]], 8000), &edit(other)).unwrap_err();
    assert!(error.to_string().contains("this edit was made with another model"), "{error}");
    // A single flipped bit in the model file is detected.
    let mut bytes = std::fs::read(support::root().join("assets/models/deepfilternet3.bin")).unwrap();
    assert!(read_speech_model(&bytes).is_ok());
    bytes[4_000_000] ^= 1;
    for bytes in [&bytes[..], &bytes[..1000], &[]] {
        let error = read_speech_model(bytes).unwrap_err();
        assert_eq!(error.to_string(), "the speech model is damaged; install Sonobrush again");
    }
    for (field, why) in [
        (r#""limit_db": 3"#, "limit_db"),
        (r#""side": "both""#, "side"),
        (r#""learn": [0, 1], "profile": "tape""#, "not both"),
        (r#""model": 3"#, "model"),
    ] {
        let error = Brush::from_json(&format!(r#"{{"kind": "isolate", {field}}}"#)).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    // Silent sounds much shorter than a frame stay silent.
    for n in [1, 100] {
        assert!(after(&[vec![0.0; n]], 44_100, &edit(Isolate::DEFAULT)) == [vec![0.0; n]]);
    }
}

#[test]
fn saved_noise_is_found_by_name() {
    let script = r#"{"version": 1, "edits": [{"brush": {"kind": "isolate", "profile": "nothing of this name"}}]}"#;
    let mut edits = Script::parse(script).unwrap().edits;
    let folder = tempfile::tempdir().unwrap();
    let error = locate_kept_noise(&mut edits, &Folders::in_folder(folder.path())).unwrap_err();
    assert!(error.to_string().starts_with("edits[0].brush.profile: "), "{error}");
}

#[test]
fn speech_and_pauses_are_found() {
    let speech = speech();
    let level = 0.05 * rms(&speech);
    let still = |secs: f64, seed| noise((secs * 16_000.0) as usize, level, seed);
    let sound = sound(&[[still(1.5, 1), sum(&speech, &noise(speech.len(), level, 2)), still(1.5, 3)].concat()], 16_000);
    let found = |find: Find| {
        let (stft, plans) = (StftParams::for_rate(16_000.0), Plans::default());
        let wanted = Selection::of(Shape::Find(find));
        let found = resolve(&sound, &wanted, stft, &Channels::All, &plans, &Progress::new()).unwrap();
        selected_times(&found)
    };
    let (runs, pauses) = (found(Find::Speech), found(Find::Pauses));
    println!("speech {runs:.2?}, pauses {pauses:.2?}");
    let length = |runs: &[[f64; 2]]| runs.iter().map(|[start, end]| end - start).sum::<f64>();
    assert!(runs.first().unwrap()[0] >= 1.3 && runs.last().unwrap()[1] <= 4.2 && length(&runs) >= 1.2, "{runs:?}");
    assert!(pauses[0][0] == 0.0 && (pauses.last().unwrap()[1] - 5.5).abs() < 1e-9);
    assert!((length(&runs) + length(&pauses) - 5.5).abs() < 0.2);
    // Pauses also work as a shape in scripts: erasing them silences the noise before the speech.
    let script = r#"{"version": 1, "edits": [{"brush": {"kind": "erase"}, "select": {"shape": "pauses"}}]}"#;
    let edit = Script::parse(script).unwrap().edits.remove(0);
    let erased = samples(&run(&sound, &edit).unwrap().snapshot, 0);
    assert!(rms(&erased[3200..16_000]) < 1e-3 * level);
}
