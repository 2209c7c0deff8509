//! `sonobrush export --by-label`: a file for each label.

use super::support::exported::chunks_of;
use super::support::measure::rms;
use super::support::program::Place;
use super::support::signals::Rng;
use super::support::wav::{Format, Wav, clip};
use sonobrush::base::Progress;
use sonobrush::media::{Original, Source};
use std::path::Path;

fn open(path: &Path) -> Source {
    Source::open(path, &Progress::new()).unwrap().source
}

fn samples(path: &Path, channel: usize) -> Vec<f32> {
    let source = open(path);
    let mut out = vec![0.0; source.info().n_samples as usize];
    source.read(channel, 0, &mut out).unwrap();
    out
}

/// The names of the sounds in a folder, in order.
fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(folder)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// All stored values of files one behind another.
fn joined(paths: &[std::path::PathBuf], channel: usize) -> Original {
    let parts = paths.iter().map(|path| {
        let source = open(path);
        source.read_original(channel, 0, source.info().n_samples as usize).unwrap()
    });
    parts
        .reduce(|joined, part| match (joined, part) {
            (Original::Integers(a), Original::Integers(b)) => Original::Integers([a, b].concat()),
            (Original::Floats(a), Original::Floats(b)) => Original::Floats([a, b].concat()),
            (Original::Doubles(a), Original::Doubles(b)) => Original::Doubles([a, b].concat()),
            _ => panic!("parts of several kinds"),
        })
        .unwrap()
}

const MARKERS: &str = "start_s,end_s,label\n0.01,0.01,a\n0.05,0.05,b\n0.05,0.0501,a range\n0.2,0.2,a\n";

fn assert_parts_are_the_sound(place: &Place, input: &Path, more: &[&str]) {
    place.write("m.csv", MARKERS);
    let arguments =
        ["export", input.to_str().unwrap(), "--by-label", "--split", "--labels", "m.csv", "-o", "parts", "--overwrite"];
    place.done(&[&arguments, more].concat());
    let paths: Vec<_> = names(place, "parts").iter().map(|name| place.path("parts").join(name)).collect();
    assert_eq!(paths.len(), 4, "{paths:?}");
    let sound = open(input);
    for channel in 0..sound.info().n_channels {
        let all = sound.read_original(channel, 0, sound.info().n_samples as usize).unwrap();
        assert_eq!(joined(&paths, channel), all, "{}, channel {channel}", input.display());
    }
    std::fs::remove_dir_all(place.path("parts")).unwrap();
}

#[test]
fn parts_between_markers_are_the_sound_bit_for_bit() {
    let mut rng = Rng(34);
    for format in [Format::Pcm(8), Format::Pcm(16), Format::Pcm(24), Format::Pcm(32), Format::F32, Format::F64] {
        let place = Place::new();
        let full = match format {
            Format::Pcm(bits) => (1i64 << (bits - 1)) as f64,
            _ => 1e6,
        };
        let mut channel = || (0..12_001).map(|_| (rng.between(-1.0, 1.0) * (full - 1.0)) as i64).collect::<Vec<i64>>();
        let n_channels = if format == Format::Pcm(24) { 5 } else { 2 };
        let channels = (0..n_channels).map(|_| channel()).collect();
        Wav { format, rate: 48_000, channels }.write(&place.path("in.wav"));
        assert_parts_are_the_sound(&place, &place.path("in.wav"), &[]);
        if format == Format::Pcm(16) {
            assert_parts_are_the_sound(&place, &place.path("in.wav"), &["--as", "flac"]);
        }
    }
    let place = Place::new();
    assert_parts_are_the_sound(&place, &clip("crow_44k_mono.flac"), &[]);
}

#[test]
fn ranges_get_names_tables_and_the_labels_within_them() {
    let place = Place::new();
    let sound = clip("many_chunks_44k_stereo.wav");
    let rows = "start_s,end_s,low_hz,high_hz,label,id\n0.25,0.75,200,4000,call/A,7\n0.5,0.5,,,inner,8\n1.0,1.5,,,,9\n3,4,,,outside,10\n";
    place.write("l.csv", rows);
    let run = [
        "export",
        sound.to_str().unwrap(),
        "--by-label",
        "--labels",
        "l.csv",
        "-o",
        "out",
        "--manifest",
        "m.csv",
        "--label",
        "*",
    ];
    let (_, notices) = place.done_with_notices(&run);
    assert!(notices.iter().any(|notice| notice == "1 label has no sound of its own, and no file"), "{notices:?}");
    let loops = usize::from(names(&place, "out").len() > 2);
    let expected = ["many_chunks_44k_stereo_001_call_A.wav", "many_chunks_44k_stereo_002_unlabelled.wav"];
    let found = names(&place, "out");
    assert!(expected.iter().all(|name| found.iter().any(|known| known.ends_with(&name[27..]))), "{found:?}, {loops}");
    let part = place.path("out").join(found.iter().find(|name| name.contains("call_A")).unwrap());
    let (whole, taken) = (samples(&sound, 1), samples(&part, 1));
    assert_eq!(taken, whole[11_025..33_075]);
    // What holds a place in the sound moved along: the time of day, and the label inside.
    let chunks = |path: &Path| chunks_of(&std::fs::read(path).unwrap());
    let time = |path: &Path| {
        let (_, bext) = chunks(path).into_iter().find(|(id, _)| id == "bext").unwrap();
        u64::from_le_bytes(bext[338..346].try_into().unwrap())
    };
    assert_eq!(time(&part), time(&sound) + 11_025);
    place.done(&["labels", part.to_str().unwrap(), "-o", "inner.csv"]);
    let inner = String::from_utf8(place.read("inner.csv")).unwrap();
    assert!(inner.contains(",0.25,0.25,,,inner,"), "{inner}");
    let manifest = String::from_utf8(place.read("m.csv")).unwrap();
    let row = manifest.lines().find(|line| line.contains("call/A")).unwrap();
    let hash = blake3::hash(&std::fs::read(&part).unwrap()).to_hex().to_string();
    let name = part.file_name().unwrap().to_str().unwrap();
    assert!(manifest.starts_with("file,channel,start_s,end_s,low_hz,high_hz,label,confidence,colour,id"), "{manifest}");
    assert!(row.ends_with(&format!(",{name},11025,22050,{hash}")), "{row}");
    // Nothing is replaced unasked.
    let refused = place.failed(&run);
    assert!(refused.ends_with("is already there; choose another folder, or add --overwrite"), "{refused}");
    place.done_with_notices(&[&run[..], &["--overwrite"]].concat());
    let hugging = [
        "export",
        sound.to_str().unwrap(),
        "--by-label",
        "--labels",
        "l.csv",
        "-o",
        "hf",
        "--hf",
        "--name",
        "{id}",
        "--label",
        "call*",
    ];
    place.done_with_notices(&hugging);
    let metadata = String::from_utf8(place.read("hf/metadata.csv")).unwrap();
    assert!(metadata.starts_with("file_name,label,start_s,"), "{metadata}");
    assert!(metadata.contains(".wav,call/A,0.25,0.75,200.0,4000.0,,11025,22050\n"), "{metadata}");
}

/// Two tones, one in the band of the label.
#[test]
fn of_a_band_only_what_sounds_in_it_is_written() {
    let place = Place::new();
    let tone = |hz: f64, at: usize| (std::f64::consts::TAU * hz * at as f64 / 16_000.0).sin();
    let both = (0..32_000).map(|at| ((tone(500.0, at) + tone(4_000.0, at)) * 8_000.0) as i64).collect();
    Wav { format: Format::Pcm(16), rate: 16_000, channels: vec![both] }.write(&place.path("in.wav"));
    place.write("l.csv", "start_s,end_s,low_hz,high_hz,label\n0.5,1.5,3000,5000,high\n");
    place.done(&[
        "--engine",
        "cpu",
        "export",
        "in.wav",
        "--by-label",
        "--labels",
        "l.csv",
        "--band",
        "--fade",
        "10",
        "--pad",
        "0.1,0.1",
        "-o",
        "out",
        "--format",
        "float32",
    ]);
    let part = samples(&place.path("out/in_001_high.wav"), 0);
    assert_eq!(part.len(), 16_000 + 3_200);
    let middle = &part[4_000..12_000];
    let high: Vec<f32> =
        (0..8_000).map(|at| (tone(4_000.0, at + 4_000 + 8_000 - 1_600) * 8_000.0 / 32_768.0) as f32).collect();
    let rest: Vec<f32> = middle.iter().zip(&high).map(|(a, b)| a - b).collect();
    assert!(rms(&rest) < 0.01 * rms(&high), "{} of {}", rms(&rest), rms(&high));
    // Outside the box there is nothing, and the ends are faded.
    assert!(rms(&part[..800]) < 0.02 * rms(&high), "{}", rms(&part[..800]));
    assert!(part[0].abs() < 1e-3 && part[part.len() - 1].abs() < 1e-3);
}

#[test]
fn wrong_choices_are_one_sentence_and_write_nothing() {
    let place = Place::new();
    let sound = clip("speech_16k_mono.wav");
    let input = sound.to_str().unwrap();
    place.write("l.csv", "start_s,end_s,label\n0.5,1.5,a\n");
    let run = |more: &[&str]| {
        place.failed(&[&["export", input, "--by-label", "--labels", "l.csv", "-o", "out"], more].concat())
    };
    assert!(run(&["--name", "{nme}"]).contains("{nme} is no part of a name"));
    assert!(
        run(&["--label", "b*"]).ends_with("there is no labelled range with such a text; add one, or choose others")
    );
    assert!(run(&["--split"]).ends_with("there is no labelled marker; add one, or choose others"));
    assert!(!place.path("out").exists());
    for wrong in [&["--pad", "1"][..], &["--fade", "-1"], &["--split", "--band"], &["--hf", "--manifest", "m.csv"]] {
        let output = place.run(&[&["export", input, "--by-label", "-o", "out"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn no_folder_is_left_where_nothing_was_exported() {
    let place = Place::new();
    let sound = clip("speech_16k_mono.wav");
    let input = sound.to_str().unwrap();
    place.write("l.csv", "start_s,end_s,label\n0.5,1.5,a\n");
    place.write("far.csv", "start_s,end_s,label\n500,501,a\n-2,-1,b\n");
    let run = |labels: &str, more: &[&str]| {
        place.failed(&[&["export", input, "--by-label", "--labels", labels, "-o", "new/out"], more].concat())
    };
    let outside = "speech_16k_mono.wav: every chosen label lies outside the sound; move them, or choose others";
    assert!(run("far.csv", &[]).ends_with(outside));
    // Files of this rate have 160 kbit/s at most, which only the encoder knows.
    assert!(run("l.csv", &["--as", "mp3", "--bit-rate", "320"]).contains("kbit/s"));
    assert!(!place.path("new").exists());
    std::fs::create_dir_all(place.path("new/out")).unwrap();
    run("l.csv", &["--as", "mp3", "--bit-rate", "320"]);
    assert!(place.path("new/out").exists(), "what was there is gone");
}

#[test]
fn labels_of_an_unknown_kind_are_read_with_from() {
    let place = Place::new();
    let sound = clip("speech_16k_mono.wav");
    let input = sound.to_str().unwrap();
    // Two lines of a label track, with a remark that makes it nothing that is known.
    place.write("l.txt", "# mine\n0.5\t1.5\ta\n0.6\t1\tb\n");
    let runs: [&[&str]; 2] = [
        &["export", input, "--by-label", "--labels", "l.txt", "-o", "out"],
        &["measure", input, "--labels", "l.txt", "-o", "m.csv"],
    ];
    for run in runs {
        let reported = place.failed(run);
        assert!(
            reported.contains("l.txt: is no file of labels that is known; save it as one of TextGrid"),
            "{reported}"
        );
        assert!(reported.ends_with(", or name its format with --from"), "{reported}");
        place.done_with_notices(&[run, &["--from", "audacity", "--skip-bad"]].concat());
    }
    assert_eq!(names(&place, "out").len(), 2);
    assert_eq!(String::from_utf8(place.read("m.csv")).unwrap().lines().count(), 3);
}
