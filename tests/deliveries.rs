//! Exports that convert: channels, sample rates, levels, speeds, and the presets that name them.

use super::support::exported::chunk_of;
use super::support::measure::{max_error, rms};
use super::support::program::{Place, has_program};
use super::support::signals::{Rng, noise, tone};
use super::support::snapshots::{bits, open, samples};
use super::support::wav::{Format, Wav, clip};
use sonobrush::base::{Folders, Progress};
use sonobrush::document::labels::{Label, LabelSet, formats::labels_of_sound};
use sonobrush::document::{
    DeliveredChannels, Delivery, ExportPresets, LevelTarget, Snapshot, chosen_preset, deliver, export_part, forecast,
    preset_folder,
};
use sonobrush::media::{BitRate, Container, Dither, ExportFormat, Source};
use std::f64::consts::{FRAC_1_SQRT_2, TAU};
use std::path::Path;
use std::process::Command;

const MANY_CHUNKS: &str = "many_chunks_44k_stereo.wav";

fn sound(channels: Vec<Vec<f32>>, rate: u32) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, rate).unwrap())
}

/// Delivers all of a sound without labels; what the report said.
fn delivered(sound: &Snapshot, path: &Path, delivery: &Delivery) -> Vec<String> {
    let labels = LabelSet::default();
    deliver((sound, &labels), 0..sound.n_samples(), path, delivery, &Progress::new()).unwrap().notices
}

fn floats(path: &Path) -> Vec<Vec<f32>> {
    let sound = open(path);
    (0..sound.n_channels()).map(|channel| samples(&sound, channel)).collect()
}

#[test]
fn a_channel_alone_has_the_sources_own_values() {
    let mut rng = Rng(71);
    for (format, n_channels) in [(Format::Pcm(24), 2), (Format::Pcm(32), 5), (Format::F64, 2)] {
        let place = Place::new();
        let full = match format {
            Format::Pcm(bits) => (1i64 << (bits - 1)) as f64,
            _ => 1.0,
        };
        let mut value = || match format {
            Format::Pcm(_) => (rng.between(-1.0, 1.0) * (full - 1.0)) as i64,
            _ => rng.between(-1.0, 1.0).to_bits() as i64,
        };
        let channels: Vec<Vec<i64>> = (0..n_channels).map(|_| (0..70_001).map(|_| value()).collect()).collect();
        let whole = Wav { format, rate: 48_000, channels };
        whole.write(&place.path("in.wav"));
        let numbers: Vec<String> = (0..n_channels).map(|channel| channel.to_string()).collect();
        let named = ["left", "right"].into_iter().enumerate();
        for (channel, choice) in numbers.iter().map(String::as_str).enumerate().chain(named) {
            place.done(&["export", "in.wav", "-o", "out.wav", "--channels", choice]);
            let out = Wav::read(&place.path("out.wav"));
            assert_eq!((out.format, out.rate, out.channels.len()), (format, 48_000, 1), "{choice}");
            assert!(out.channels[0] == whole.channels[channel], "{format:?}, {choice}: other values");
        }
        place.done(&["export", "in.wav", "-o", "out.wav", "--channels", "all"]);
        assert!(Wav::read(&place.path("out.wav")) == whole);
    }
}

#[test]
fn mid_and_mix_are_the_sums_that_they_say() {
    let place = Place::new();
    let of = |n_channels: u64, choice: DeliveredChannels| {
        let channels: Vec<Vec<f32>> = (0..n_channels).map(|seed| noise(9_001, 0.3, seed + 1)).collect();
        let path = place.path("out.wav");
        let delivery = Delivery { channels: choice, ..Delivery::default() };
        delivered(&sound(channels.clone(), 44_100), &path, &delivery);
        (channels, floats(&path))
    };
    let factors = [
        (2, DeliveredChannels::Mid, 0.5),
        (2, DeliveredChannels::Mix, FRAC_1_SQRT_2),
        (5, DeliveredChannels::Mid, 0.2),
        (5, DeliveredChannels::Mix, 0.2),
    ];
    for (n_channels, choice, factor) in factors {
        let (all, out) = of(n_channels, choice);
        let sum = |at: usize| factor * all.iter().map(|channel| f64::from(channel[at])).sum::<f64>();
        let expected = (0..9_001).map(sum);
        assert_eq!(out.len(), 1);
        assert!(max_error(out[0].iter().copied().map(f64::from), expected) < 1e-7, "{n_channels} {choice:?}");
    }
    let (all, out) = of(1, DeliveredChannels::Mix);
    assert_eq!(bits(&all[0]), bits(&out[0]), "one channel is its own mix");
}

#[test]
fn a_tone_is_the_same_tone_at_another_rate() {
    let place = Place::new();
    let path = place.path("out.wav");
    for (from, to, hz) in [(44_100u32, 48_000u32, 997.0), (48_000, 44_100, 12_000.0), (192_000, 16_000, 440.0)] {
        let n = from as usize + 1;
        let delivery = Delivery { rate_hz: Some(to), format: ExportFormat::Float32, ..Delivery::default() };
        delivered(&sound(vec![tone(n, f64::from(from), hz, 0.5)], from), &path, &delivery);
        let wav = Wav::read(&path);
        let n_expected = (n as f64 * f64::from(to) / f64::from(from)).round() as usize;
        assert_eq!((wav.rate, wav.channels[0].len()), (to, n_expected));
        let out = &floats(&path)[0];
        // Away from its ends, where the tone begins at once.
        let inner = n_expected / 4..3 * n_expected / 4;
        let formula = |at: usize| 0.5 * (TAU * hz * at as f64 / f64::from(to)).sin();
        let expected: Vec<f64> = inner.clone().map(formula).collect();
        let error = max_error(out[inner].iter().copied().map(f64::from), expected);
        assert!(error < 2e-6, "{from} to {to}: off by {error}");
    }
    // What the lower rate has no room for is gone, not folded.
    let delivery = Delivery { rate_hz: Some(44_100), format: ExportFormat::Float32, ..Delivery::default() };
    delivered(&sound(vec![tone(96_000, 96_000.0, 30_000.0, 0.5)], 96_000), &path, &delivery);
    let out = &floats(&path)[0];
    let level = rms(&out[11_025..33_075]);
    assert!(level < 1e-6, "{level}");
}

/// Cutting and converting are the same as cutting first and converting the file of that.
#[test]
fn a_part_is_converted_as_a_file_of_its_own() {
    let place = Place::new();
    let whole = open(&clip("drum_break_44k_stereo.flac"));
    let range = 20_001..51_000;
    let cut = place.path("cut.wav");
    export_part(&whole, range.clone(), &cut, ExportFormat::Source, None, &Progress::new()).unwrap();
    let delivery = Delivery {
        rate_hz: Some(48_000),
        channels: DeliveredChannels::Mid,
        level: LevelTarget::Peak(-3.0),
        format: ExportFormat::Float32,
        ..Delivery::default()
    };
    let (at_once, later) = (place.path("a.wav"), place.path("b.wav"));
    deliver((&whole, &LabelSet::default()), range, &at_once, &delivery, &Progress::new()).unwrap();
    delivered(&open(&cut), &later, &delivery);
    assert!(chunk_of(&place.read("a.wav"), "data") == chunk_of(&place.read("b.wav"), "data"));
}

/// What FFmpeg says of the loudness of a file.
fn lufs_by_ffmpeg(path: &Path) -> f64 {
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-nostats", "-i"]).arg(path);
    command.args(["-af", "ebur128=metadata=1,ametadata=print:key=lavfi.r128.I:file=-", "-f", "null", "-"]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().rev().find_map(|line| line.strip_prefix("lavfi.r128.I="));
    last.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr))).parse().unwrap()
}

#[test]
fn what_is_written_has_the_loudness_by_ffmpeg() {
    if !has_program("ffmpeg") {
        return;
    }
    let place = Place::new();
    let clips = ["speech_16k_mono.wav", "drum_break_44k_stereo.flac", "guitar_chord_44k_stereo.flac"];
    let choices: [&[&str]; 4] = [
        &["--loudness", "-16"],
        &["--loudness", "-23", "--channels", "mid", "--format", "pcm16"],
        &["--loudness", "-14", "--rate", "48000", "--format", "float32"],
        &["--loudness", "-30", "--rate", "22050", "--channels", "mix", "--format", "pcm24"],
    ];
    for clip in clips.map(clip) {
        for choice in choices {
            let run = [&["export", clip.to_str().unwrap(), "-o", "out.wav"], choice].concat();
            place.done_with_notices(&run);
            let (found, wanted) = (lufs_by_ffmpeg(&place.path("out.wav")), choice[1].parse::<f64>().unwrap());
            assert!((found - wanted).abs() <= 0.1, "{run:?}: {found} LUFS");
        }
    }
    // Coders leave out some of what is loud: the target is that of the decoded file.
    let drums = clip("drum_break_44k_stereo.flac");
    place.done_with_notices(&["export", drums.to_str().unwrap(), "-o", "out.mp3", "--preset", "podcast"]);
    assert_eq!(open(&place.path("out.mp3")).n_channels(), 1);
    let found = lufs_by_ffmpeg(&place.path("out.mp3"));
    assert!((found + 16.0).abs() <= 0.1, "{found} LUFS");
}

#[test]
fn the_loudest_sample_written_has_the_peak() {
    let place = Place::new();
    let input = clip("guitar_chord_44k_stereo.flac");
    let peak = |name: &str| {
        let wav = Wav::read(&place.path(name));
        wav.channels.iter().flatten().map(|value| value.abs()).max().unwrap()
    };
    let export = |more: &[&str]| {
        let run = [&["export", input.to_str().unwrap(), "-o", "out.wav", "--dither", "none"], more].concat();
        let (_, notices) = place.done_with_notices(&run);
        assert!(notices.is_empty(), "{run:?}: {notices:?}");
        peak("out.wav")
    };
    let level = |db: f64, bits: i32| (10f64.powf(db / 20.0) * 2f64.powi(bits - 1)).round() as i64;
    assert_eq!(export(&["--peak", "-1", "--format", "pcm24"]), level(-1.0, 24));
    assert_eq!(export(&["--peak", "-6.5", "--rate", "48000", "--channels", "mid"]), level(-6.5, 16));
    // Full scale is the highest integer.
    for (format, bits) in [("pcm16", 16), ("pcm24", 24), ("pcm32", 32)] {
        let found = export(&["--peak", "0", "--format", format]);
        assert!(found >= (1i64 << (bits - 1)) - 1 - (1i64 << (bits - 1) >> 23), "{format}: {found}");
    }
}

#[test]
fn a_slower_file_has_the_same_samples_at_another_rate() {
    let place = Place::new();
    let input = clip(MANY_CHUNKS);
    let run = ["export", input.to_str().unwrap(), "-o"];
    place.done(&[&run[..], &["half.wav", "--speed", "1/2"]].concat());
    let (before, after) = (std::fs::read(&input).unwrap(), place.read("half.wav"));
    assert_eq!(chunk_of(&after, "data"), chunk_of(&before, "data"));
    assert_eq!(Wav::read(&place.path("half.wav")).rate, 22_050);
    // Labels stay at their samples, and the time of day is the same.
    let of = |path: &Path| {
        let source = open(path).source().clone();
        let rate = f64::from(source.info().sample_rate_hz);
        labels_of_sound(&source).0.iter().map(|label| label.secs.map(|secs| (secs * rate).round())).collect::<Vec<_>>()
    };
    assert_eq!(of(&place.path("half.wav")), of(&input));
    assert!(of(&input).len() > 1);
    let midnight = |bytes: &[u8]| u64::from_le_bytes(chunk_of(bytes, "bext")[338..346].try_into().unwrap());
    assert_eq!(midnight(&after), midnight(&before).div_ceil(2));
    // In whole hertz.
    place.done(&[&run[..], &["tenth.wav", "--speed", "0.13"]].concat());
    assert_eq!(Wav::read(&place.path("tenth.wav")).rate, 5_733);
    // At a rate of its own the file plays as slowly: it has twice the samples, and the label times are twice as late.
    place.done(&[&run[..], &["both.wav", "--speed", "1/2", "--rate", "44100", "--format", "float32"]].concat());
    let both = open(&place.path("both.wav"));
    assert_eq!((both.n_samples(), both.sample_rate_hz()), (2 * open(&input).n_samples(), 44_100.0));
    assert_eq!(of(&place.path("both.wav")), of(&input).iter().map(|at| at.map(|at| 2.0 * at)).collect::<Vec<_>>());
    assert!(place.failed(&[&run[..], &["no.wav", "--speed", "1/20"]].concat()).contains("would have 2.205 kHz"));
    assert!(!place.path("no.wav").exists());
}

#[test]
fn labels_follow_speed_and_channels() {
    let place = Place::new();
    let stereo = sound(vec![noise(48_000, 0.1, 1), noise(48_000, 0.1, 2)], 48_000);
    let of = |channel: Option<u16>, text: &str| Label {
        low_hz: Some(1_000.0),
        high_hz: Some(4_000.0),
        channel,
        ..Label::new([0.25, 0.5], text)
    };
    let labels = LabelSet::of(vec![of(None, "both"), of(Some(0), "first"), of(Some(1), "second")]).unwrap();
    let path = place.path("out.wav");
    let delivery = Delivery { channels: DeliveredChannels::Right, speed: 0.25, ..Delivery::default() };
    let report = deliver((&stereo, &labels), 0..48_000, &path, &delivery, &Progress::new()).unwrap();
    assert_eq!(report.notices, ["1 label of another channel is left out"]);
    let found = labels_of_sound(open(&path).source()).0;
    let texts: Vec<_> = found.iter().map(|label| (label.text.to_string(), label.channel, label.secs)).collect();
    assert_eq!(texts, [("both".to_owned(), None, [1.0, 2.0]), ("second".to_owned(), None, [1.0, 2.0])]);
    assert!(found.iter().all(|label| (label.low_hz, label.high_hz) == (Some(250.0), Some(1_000.0))));
}

#[test]
fn every_command_writes_the_same_bits() {
    let place = Place::new();
    let input = clip("drum_break_44k_stereo.flac");
    let input = input.to_str().unwrap();
    place.write("nothing.json", r#"{"version": 1, "edits": []}"#);
    let secs = open(Path::new(input)).n_samples() as f64 / 44_100.0;
    place.write("all.csv", format!("start_s,end_s,label\n0.0,{secs:?},all\n"));
    let choices: [&[&str]; 4] = [
        &["--format", "pcm16"],
        &["--rate", "48000", "--channels", "mid", "--loudness", "-16"],
        &["--channels", "right", "--peak", "-1", "--dither", "tpdf"],
        &["--speed", "0.5", "--format", "float32"],
    ];
    for choice in choices {
        place.done_with_notices(&[&["export", input, "-o", "a.wav"], choice].concat());
        place.done_with_notices(&[&["paint", input, "--script", "nothing.json", "-o", "b.wav"], choice].concat());
        let by_label = [
            "export",
            input,
            "--by-label",
            "--labels",
            "all.csv",
            "-o",
            "c",
            "--as",
            "wav",
            "--name",
            "c",
            "--overwrite",
        ];
        place.done_with_notices(&[&by_label, choice].concat());
        let data = |name: &str| chunk_of(&place.read(name), "data");
        assert!(data("a.wav") == data("b.wav") && data("a.wav") == data("c/c.wav"), "{choice:?}");
        assert_eq!(chunk_of(&place.read("a.wav"), "fmt "), chunk_of(&place.read("c/c.wav"), "fmt "), "{choice:?}");
    }
}

#[test]
fn clipping_is_known_before_it_happens() {
    let place = Place::new();
    let loud = sound(vec![tone(10_000, 48_000.0, 440.0, 2.0), tone(10_000, 48_000.0, 440.0, 0.5)], 48_000);
    let path = place.path("out.wav");
    let pcm16 = Delivery { format: ExportFormat::Pcm16, ..Delivery::default() };
    let cases = [
        (pcm16.clone(), true),
        (Delivery { channels: DeliveredChannels::Right, ..pcm16.clone() }, false),
        (Delivery { channels: DeliveredChannels::Mid, rate_hz: Some(44_100), ..pcm16.clone() }, true),
        (Delivery { level: LevelTarget::Peak(-1.0), ..pcm16.clone() }, false),
        (Delivery { level: LevelTarget::Loudness(-1.0), ..pcm16.clone() }, true),
        (Delivery { format: ExportFormat::Float32, ..pcm16.clone() }, false),
    ];
    for (delivery, clips) in cases {
        let reported = forecast(&loud, 0..loud.n_samples(), &path, &delivery, &Progress::new()).unwrap();
        assert!(!path.exists(), "nothing is written");
        let all = 0..loud.n_samples();
        let report = deliver((&loud, &LabelSet::default()), all, &path, &delivery, &Progress::new()).unwrap();
        assert_eq!((reported.n_samples, reported.n_samples > 0), (report.clipped, clips), "{delivery:?}");
        std::fs::remove_file(&path).unwrap();
    }
    let reported = forecast(&loud, 0..10_000, &path, &pcm16, &Progress::new()).unwrap();
    assert!((reported.over_db - 20.0 * 2f64.log10()).abs() < 0.01, "{reported:?}");
}

#[test]
fn silence_stays_silence() {
    let place = Place::new();
    let path = place.path("out.wav");
    for level in [LevelTarget::Peak(-1.0), LevelTarget::Loudness(-16.0)] {
        let delivery = Delivery { level, format: ExportFormat::Pcm24, ..Delivery::default() };
        let notices = delivered(&sound(vec![vec![0.0; 4_800]], 48_000), &path, &delivery);
        assert_eq!(notices, ["there is only silence, whose level stays"]);
        assert!(Wav::read(&path).channels[0].iter().all(|value| *value == 0));
    }
}

#[test]
fn presets_are_kept_and_what_is_typed_comes_before_them() {
    let folder = tempfile::tempdir().unwrap();
    let presets = preset_folder(&Folders::in_folder(folder.path()));
    let all = Delivery {
        container: Some(Container::Flac),
        format: ExportFormat::Pcm24,
        dither: Some(Dither::None),
        bit_rate: BitRate::Kbps(128),
        rate_hz: Some(48_000),
        channels: DeliveredChannels::One(3),
        level: LevelTarget::Loudness(-18.5),
        speed: 0.1,
        name: Some("{name}_{start}".into()),
    };
    let peak = Delivery { channels: DeliveredChannels::Mix, level: LevelTarget::Peak(-1.0), ..Delivery::default() };
    for delivery in [all.clone(), peak, Delivery::default()] {
        presets.keep("mine", &delivery).unwrap();
        assert_eq!(chosen_preset(&presets, "mine").unwrap(), delivery);
        assert_eq!(chosen_preset(&presets, presets.file("mine").unwrap().to_str().unwrap()).unwrap(), delivery);
    }
    // One of the user's takes the place of one that comes with the program.
    presets.keep("archive", &all).unwrap();
    let read = ExportPresets::read(&presets);
    assert_eq!(read.named("archive").map(|preset| (preset.is_users, &preset.delivery)), Some((true, &all)));
    presets.remove("archive").unwrap();
    let archive = ExportPresets::read(&presets).named("archive").unwrap().clone();
    assert_eq!((archive.is_users, archive.delivery.container), (false, Some(Container::Flac)));

    let place = Place::new();
    let input = clip("guitar_chord_44k_stereo.flac");
    let input = input.to_str().unwrap();
    place.done(&["export", input, "-o", "a.flac", "--preset", "archive"]);
    place.done(&["export", input, "-o", "b.flac", "--format", "pcm24"]);
    assert_eq!(place.read("a.flac"), place.read("b.flac"));
    place.write(
        "mine.json",
        r#"{"version": 1, "kind": "exports", "channels": "left", "peak_db": -3, "format": "pcm16"}"#,
    );
    place.done(&["export", input, "-o", "a.wav", "--preset", "mine.json", "--loudness", "-20", "--channels", "1"]);
    place.done(&["export", input, "-o", "b.wav", "--loudness", "-20", "--channels", "right", "--format", "pcm16"]);
    assert_eq!(place.read("a.wav"), place.read("b.wav"));
}

#[test]
fn bad_presets_are_one_sentence_and_left_out() {
    let place = Place::new();
    let input = clip("speech_16k_mono.wav");
    let input = input.to_str().unwrap();
    let reported = |name: &str| {
        let line = place.failed(&["export", input, "-o", "out.wav", "--preset", name]);
        assert!(!place.path("out.wav").exists(), "{name}");
        line
    };
    assert!(
        reported("nowhere").contains("there is no preset for exports \"nowhere\"; choose podcast, archive, as source")
    );
    assert!(reported("../up").contains("up"));
    assert!(reported("archive").contains("would contain FLAC; end its name in .flac"));
    let folder = tempfile::tempdir().unwrap();
    let presets = preset_folder(&Folders::in_folder(folder.path()));
    presets.keep("good", &Delivery::default()).unwrap();
    let bad = [
        ("field", r#""depth": 24"#, "depth is no field here"),
        ("container", r#""container": "ogg2""#, "container \"ogg2\" is not known here; possible: wav, flac, mp3, opus"),
        ("rate", r#""rate_hz": 12"#, "the sample rate must be from 4 kHz to 768 kHz"),
        ("text", r#""rate_hz": "48k""#, "the text \"48k\" stands where"),
        ("peak", r#""peak_db": 6"#, "the peak must be from -60 to 0 dBFS"),
        ("both", r#""peak_db": -6, "loudness_lufs": -16"#, "it has both peak_db and loudness_lufs"),
        ("speed", r#""speed": 0"#, "the speed must be from 0.05 to 8"),
        ("channels", r#""channels": "centre""#, "channels \"centre\" is not known here"),
        ("name", r#""name": "{nam}""#, "{nam} is no part of a name"),
    ];
    for (name, field, what) in bad {
        let text = format!(r#"{{"version": 1, "kind": "exports", {field}}}"#);
        place.write("p.json", &text);
        std::fs::write(presets.file(name).unwrap(), text).unwrap();
        let line = reported("p.json");
        assert!(line.contains(what) && line.contains("p.json"), "{line}");
    }
    let read = ExportPresets::read(&presets);
    assert!(read.named("good").is_some() && read.notices.len() >= bad.len(), "{read:?}");
    assert!(bad.iter().all(|(name, ..)| read.named(name).is_none()));
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_written() {
    let place = Place::new();
    let input = clip("speech_16k_mono.wav");
    fn run<'a>(input: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
        [&["export", input.to_str().unwrap(), "-o", "out.wav"], more].concat()
    }
    place.write("l.csv", "start_s,end_s,label\n0.5,1.0,a\n");
    for (more, what) in [
        (["--channels", "right"], "the sound has 1 channel and no right channel; choose another"),
        (["--channels", "1"], "the sound has 1 channel and no channel 1, counted from 0; choose another"),
        (["--speed", "0.2"], "at this speed the file would have 3.2 kHz; choose another speed"),
    ] {
        assert!(place.failed(&run(&input, &more)).contains(what), "{more:?}");
        let by_label = ["export", input.to_str().unwrap(), "--by-label", "--labels", "l.csv", "-o", "parts"];
        assert!(place.failed(&[&by_label[..], &more].concat()).contains(what), "{more:?}");
    }
    for more in [
        ["--peak", "1"],
        ["--peak", "loud"],
        ["--loudness", "-61"],
        ["--rate", "3999"],
        ["--rate", "48k"],
        ["--channels", "-1"],
        ["--speed", "1/0"],
        ["--speed", "9"],
    ] {
        assert_eq!(place.run(&run(&input, &more)).status.code(), Some(2), "{more:?}");
    }
    assert_eq!(place.run(&run(&input, &["--peak", "-1", "--loudness", "-16"])).status.code(), Some(2));
    assert!(!place.path("out.wav").exists() && !place.path("parts").exists());
}
