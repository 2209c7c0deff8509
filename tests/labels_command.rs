//! `sonobrush labels`: from one format to another, and into the cues of WAV files.
#![allow(clippy::print_stdout, reason = "says what could not be tested here")]

use super::support::exported::chunks_of;
use super::support::program::{Place, has_program, skipped};
use super::support::signals::Rng;
use super::support::wav::{Format, Wav, clip};
use sonobrush::media::Source;

fn hand_file(name: &str) -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/labels/").to_owned() + name).unwrap()
}

/// A place with the hand files that are named.
fn place(names: &[&str]) -> Place {
    let place = Place::new();
    names.iter().for_each(|name| place.write(name, hand_file(name)));
    place
}

const MANY_CHUNKS: &str = "many_chunks_44k_stereo.wav";

#[test]
fn the_hand_files_become_one_another() {
    let place = place(&["csv.csv"]);
    let outputs = [
        ("o.txt", "aud.txt", " Not kept: nothing"),
        ("o.selections.txt", "raven.selections.txt", ""),
        ("o.srt", "srt.srt", " Not kept: 1 band."),
        ("o.csv", "csv.csv", ""),
    ];
    for (output, same, lost) in outputs {
        let reported = place.done(&["labels", "csv.csv", "-o", output]);
        assert_eq!(place.read(output), hand_file(same), "{output}");
        let lost = lost.replace(" Not kept: nothing", "");
        assert_eq!(reported, format!("Labels exported to {output}.{lost}\n"));
    }
    // And back, by what they are: the name says nothing.
    for (output, ..) in &outputs[..2] {
        std::fs::rename(place.path(output), place.path("in.dat")).unwrap();
        place.done(&["labels", "in.dat", "-o", "again.srt"]);
        assert_eq!(place.read("again.srt"), hand_file("srt.srt"), "{output}");
    }
    place.done(&["labels", "csv.csv", "-o", "o.TextGrid"]);
    place.done(&["labels", "o.TextGrid", "-o", "grid.srt"]);
    assert_eq!(place.read("grid.srt"), hand_file("srt.srt"));
    place.done(&["labels", "csv.csv", "-o", "chapters.txt", "--format", "chapters"]);
    assert!(place.read("chapters.txt").starts_with(b"CHAPTER001=00:00:00.500\n"));
    place.done(&["labels", "csv.csv", "-o", "seq.csv", "--columns", "generic-seq"]);
    let sequence = String::from_utf8(place.read("seq.csv")).unwrap();
    assert!(
        sequence.ends_with(
            "\np,0.5,0.5,24000,24000,a.wav,seq.csv,0,0\n\"a \"\"b\"\"\",1.0,1.5,48000,72000,a.wav,seq.csv,0,0\n"
        ),
        "{sequence}"
    );
    assert_eq!(place.done(&["labels", "csv.csv", "-o", "-", "--format", "srt"]).as_bytes(), hand_file("srt.srt"));
    let failed = place.failed(&["labels", "csv.csv", "-o", "-"]);
    assert!(failed.contains("needs --format") && !place.path("-").exists(), "{failed}");
    place.done(&["labels", "csv.csv", "-o", "plain.txt", "--style", "plain"]);
    assert!(!place.read("plain.txt").contains(&b'\\'));
}

#[test]
fn what_is_not_kept_is_said_or_refused() {
    let place = Place::new();
    let rows: String =
        (0..12).map(|n| format!("{n},{n}.5,{n},\"a\nb\",{}\n", if n < 3 { "0.5" } else { "" })).collect();
    place.write("in.csv", format!("start_s,end_s,channel,label,confidence\n{rows}"));
    let reported = place.done(&["labels", "in.csv", "-o", "a.txt"]);
    let lost = "Not kept: 12 channels, 3 confidences; 12 texts had line breaks, now spaces";
    assert_eq!(reported, format!("Labels exported to a.txt. {lost}.\n"));
    let refused = place.failed(&["labels", "in.csv", "-o", "b.txt", "--strict"]);
    assert_eq!(refused, format!("sonobrush: b.txt: was not written, as Audacity does not hold all; {lost}"));
    assert!(!place.path("b.txt").exists());
    place.done(&["labels", "in.csv", "-o", "b.csv", "--strict"]);
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_nothing_is_written() {
    let place = place(&["raven_files.selections.txt", "generic_seq.csv"]);
    place.write("bad.csv", "start_s,end_s,label\n1,2,a\n1,x,b\n3,4,c\n");
    let wrong = place.failed(&["labels", "bad.csv", "-o", "o.srt"]);
    assert_eq!(wrong, "sonobrush: bad.csv: 3:3: expected an end in seconds, found \"x\"");
    assert!(!place.path("o.srt").exists());
    let (_, notices) = place.done_with_notices(&["labels", "bad.csv", "-o", "o.srt", "--skip-bad"]);
    assert_eq!(
        notices,
        ["bad.csv: 1 row could not be read and were left out; the first: 3:3: expected an end in seconds, found \"x\""]
    );
    assert_eq!(String::from_utf8(place.read("o.srt")).unwrap().matches("-->").count(), 2);
    let cases: [(&[&str], &str); 4] = [
        (&["labels", "bad.csv", "-o", "bad.csv"], "bad.csv: is the input file; choose another name for the output"),
        (
            &["labels", "bad.csv", "-o", "o.doc"],
            "o.doc: has no ending of a file of labels (.csv, .txt, .selections.txt, \
            .TextGrid, .srt, .vtt, .wav, .flac, .mp3, .opus, .sonobrush); choose one, or say --format",
        ),
        (
            &["labels", "raven_files.selections.txt", "-o", "o.csv"],
            "raven_files.selections.txt: 3:15: expected rows of one \
            file, or a column File Offset (s) that says where each row is in its own",
        ),
        (
            &["labels", "raven_files.selections.txt", "-o", "o.csv", "--text-column", "What"],
            "raven_files.selections.txt: has no column named \"What\"",
        ),
    ];
    for (arguments, sentence) in cases {
        assert_eq!(place.failed(arguments), format!("sonobrush: {sentence}"));
    }
    let missing = place.failed(&["labels", "no.csv", "-o", "o.csv"]);
    assert!(missing.starts_with("sonobrush: no file no.csv in /"), "{missing}");
    place.write("ok.csv", "start_s,end_s,label\n1,2,a\n");
    let no_sound = place.failed(&["labels", "ok.csv", "-o", "o.wav"]);
    assert_eq!(
        no_sound,
        "sonobrush: o.wav: would hold a sound, but there is none; name the sound first, and its labels with --import"
    );
    place.write("words.txt", "Recorded at dawn \u{2013} two crows.\n");
    assert_eq!(
        place.failed(&["labels", "words.txt", "-o", "o.csv"]),
        "sonobrush: words.txt: is text of an unknown kind; name its label format with --from"
    );
    place.done(&["labels", "generic_seq.csv", "-o", "samples.csv", "--rate", "48000"]);
}

#[test]
fn what_only_has_the_name_of_a_file_of_labels_is_no_sound() {
    let place = place(&[]);
    place.write("empty.csv", "");
    place.write("zeros.csv", [0; 1_000]);
    let utf32: Vec<u8> = "\u{feff}start_s,end_s\n".chars().flat_map(|l| u32::from(l).to_le_bytes()).collect();
    place.write("utf32.csv", utf32);
    for (name, what) in [
        ("empty.csv", "is empty; choose a file that holds labels"),
        ("zeros.csv", "is no file of labels that is known; save it as one of TextGrid, WebVTT, SRT"),
        ("utf32.csv", "is UTF-32, which is not read; save it as UTF-8"),
    ] {
        let reported = place.failed(&["labels", name, "-o", "o.srt"]);
        assert!(reported.starts_with(&format!("sonobrush: {name}: {what}")), "{reported}");
    }
    assert!(place.failed(&["labels", "zeros.csv", "-o", "o.srt"]).ends_with(", or name its format with --from"));
}

#[test]
fn a_name_that_is_nothing_but_an_ending_is_refused() {
    let place = place(&[]);
    place.write("ok.csv", "start_s,end_s,label\n1,2,a\n");
    let sound = clip("speech_16k_mono.wav");
    let input = sound.to_str().unwrap();
    let runs: [&[&str]; 4] = [
        &["labels", "ok.csv", "-o", ".csv"],
        &["export", input, "-o", ".mp3"],
        &["export", input, "-o", ".WAV"],
        &["image", input, "-o", ".png"],
    ];
    for run in runs {
        let name = run[3];
        let reported = place.failed(run);
        assert_eq!(reported, format!("sonobrush: {name}: is nothing but the ending of a name; put a name before it"));
        assert!(!place.path(name).exists());
    }
}

#[test]
fn the_cues_of_a_sound_are_labels() {
    let place = Place::new();
    let sound = clip(MANY_CHUNKS);
    let input = sound.to_str().unwrap();
    place.done(&["labels", input, "-o", "cues.csv"]);
    let table = String::from_utf8(place.read("cues.csv")).unwrap();
    // Its two cues, one with a text, and the loop of its sampler.
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.lines().nth(1).unwrap().starts_with(&format!("{MANY_CHUNKS},,")), "{table}");
    // Written again with nothing changed, every chunk is as it was.
    place.done(&["labels", input, "-o", "same.wav"]);
    assert_eq!(chunks_of(&place.read("same.wav")), chunks_of(&std::fs::read(&sound).unwrap()));
    // With more labels, all but the places and their texts are.
    place.write("more.csv", "start_s,end_s,low_hz,high_hz,label\n0.5,1.25,200,300.5,more \u{1f426}\n");
    place.done(&["labels", input, "--import", "more.csv", "-o", "more.wav"]);
    let is_of_labels = |(id, data): &(String, Vec<u8>)| id == "cue " || id == "LIST" && data.starts_with(b"adtl");
    let others = |bytes: &[u8]| chunks_of(bytes).into_iter().filter(|chunk| !is_of_labels(chunk)).collect::<Vec<_>>();
    assert_eq!(others(&place.read("more.wav")), others(&std::fs::read(&sound).unwrap()));
    place.done(&["labels", "more.wav", "-o", "more_again.csv"]);
    let table = String::from_utf8(place.read("more_again.csv")).unwrap();
    assert!(table.contains("0.5,1.25,200.0,300.5,more \u{1f426},,,"), "{table}");
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(Source::open(&place.path("more.wav"), &sonobrush::base::Progress::new()).unwrap().notices.is_empty());
}

#[test]
fn the_chapters_of_a_flac_file_are_its_labels() {
    let place = Place::new();
    place.write("l.csv", "start_s,end_s,label\n0.5,1.5,first\n2.0,2.0,\"two\nlines\"\n");
    let input = clip("crow_44k_mono.flac");
    let reported = place.done(&["labels", input.to_str().unwrap(), "--import", "l.csv", "-o", "o.flac"]);
    assert_eq!(reported, "Labels exported to o.flac. Not kept: 1 end; 1 text had line breaks, now spaces.\n");
    let bytes = place.read("o.flac");
    let holds = |text: &str| bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count();
    for comment in ["CHAPTER001=00:00:00.500", "CHAPTER001NAME=first", "CHAPTER002NAME=two lines"] {
        assert_eq!(holds(comment), 1, "{comment}");
    }
    let all = |path: &std::path::Path| {
        let source = Source::open(path, &sonobrush::base::Progress::new()).unwrap().source;
        source.read_original(0, 0, source.info().n_samples as usize).unwrap()
    };
    assert_eq!(all(&place.path("o.flac")), all(&input));
    // Other labels take their place.
    place.write("m.csv", "start_s,end_s,label\n1.0,1.0,other\n");
    place.done(&["labels", "o.flac", "--import", "m.csv", "-o", "p.flac"]);
    let bytes = place.read("p.flac");
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("CHAPTER001NAME=other") && !text.contains("CHAPTER002"));
    let refused = place.failed(&["labels", input.to_str().unwrap(), "--import", "l.csv", "-o", "q.flac", "--strict"]);
    assert!(refused.contains("was not written, as a list of chapters does not hold all; Not kept: 1 end"), "{refused}");
}

#[test]
fn cues_are_chapters_to_ffmpeg() {
    if !has_program("ffprobe") {
        return skipped("ffprobe is not here");
    }
    let place = place(&["csv.csv"]);
    let input = clip("speech_16k_mono.wav");
    // Some have notes, and texts are of odd and of even lengths.
    let rows = "0.5,0.5,,p\n0.6,0.6,1,pp\n0.7,0.7,12,ppp\n0.8,0.8,123,pppp\n1.0,1.5,,\u{fc}ber\n";
    place.write("l.csv", format!("start_s,end_s,low_hz,label\n{rows}"));
    place.done(&["labels", input.to_str().unwrap(), "--import", "l.csv", "-o", "cued.wav"]);
    let mut command = place.other("ffprobe");
    let output = command.args(["-v", "error", "-show_chapters", "-of", "compact", "cued.wav"]).output().unwrap();
    let reported = String::from_utf8(output.stdout).unwrap();
    assert!(reported.contains("start_time=0.500000") && reported.contains("title=p"), "{reported}");
    assert!(reported.contains("start_time=1.000000") && reported.contains("title=\u{fc}ber"), "{reported}");
    assert_eq!(reported.matches("tag:title=").count(), 5, "{reported}");
}

/// Writes what others read into a place.
fn written_for_others() -> Place {
    let place = Place::new();
    let rows = "0.5,0.5,,,p\n1.0,1.5,2000,4500.5,\"a \"\"b\"\", \u{fc}\"\n1.25,1.75,,,\"two\nlines\"\n";
    place.write("l.csv", format!("start_s,end_s,low_hz,high_hz,label\n{rows}"));
    let outputs: [(&str, &[&str]); 6] = [
        ("own.csv", &[]),
        ("seq.csv", &["--columns", "generic-seq"]),
        ("plain.txt", &["--style", "plain"]),
        ("all.txt", &["--style", "all"]),
        ("r.selections.txt", &[]),
        ("g.TextGrid", &[]),
    ];
    for (output, more) in outputs {
        place.done(&[&["labels", "l.csv", "-o", output], more].concat());
    }
    place
}

/// The shortest of three runs, in seconds.
fn min_secs(place: &Place, arguments: &[&str]) -> f64 {
    let took = (0..3).map(|_| {
        let start = std::time::Instant::now();
        place.done_with_notices(arguments);
        start.elapsed().as_secs_f64()
    });
    took.fold(f64::INFINITY, f64::min)
}

/// A hundred thousand rows of each format are read, or written, within 0.3 s, ten thousand labels on an hour measured
/// within 6 s: true of an optimised program.
#[test]
fn many_labels_are_read_and_measured_in_a_moment() {
    if !is_long() || std::env::var_os("SONOBRUSH_TEST_PROGRAM").is_none() {
        return;
    }
    let place = Place::new();
    let row =
        |n: u32| format!("{:.6},{:.6},2000.0,4500.5,call {}\n", 0.31 * f64::from(n), 0.31 * f64::from(n) + 0.2, n % 7);
    let rows: String = (0..100_000).map(row).collect();
    place.write("l.csv", format!("start_s,end_s,low_hz,high_hz,label\n{rows}"));
    let whole = min_secs(&place, &["labels", "l.csv", "-o", "again.csv"]);
    assert!(whole < 0.3, "read and written as CSV: {whole:.3} s");
    for name in ["l.txt", "l.selections.txt", "l.TextGrid", "l.srt", "l.vtt"] {
        let wrote = min_secs(&place, &["labels", "l.csv", "-o", name]) - whole / 2.0;
        let read = min_secs(&place, &["labels", name, "-o", "again.csv"]) - whole / 2.0;
        println!("{name}: 100,000 rows written in {wrote:.3} s, read in {read:.3} s");
        assert!(wrote < 0.3 && read < 0.3, "{name}: {wrote:.3} s, {read:.3} s");
    }
    let mut random = Rng(3);
    let hour = (0..3_600 * 48_000).map(|_| i64::from((random.bits() >> 48) as i16)).collect();
    Wav { format: Format::Pcm(16), rate: 48_000, channels: vec![hour] }.write(&place.path("hour.wav"));
    let row = |n: u32| format!("{:.6},{:.6},2000.0,6000.0,call\n", 0.36 * f64::from(n), 0.36 * f64::from(n) + 0.2);
    let rows: String = (0..10_000).map(row).collect();
    place.write("m.csv", format!("start_s,end_s,low_hz,high_hz,label\n{rows}"));
    let took = min_secs(&place, &["measure", "hour.wav", "--labels", "m.csv", "-o", "t.csv"]);
    println!("10,000 labels on an hour measured in {took:.2} s");
    assert!(took <= 6.0, "{took:.2} s");
}

fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}

#[test]
fn pandas_and_crowsetta_read_what_is_written() {
    if !is_long() {
        return;
    }
    let place = written_for_others();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/labels/read.py");
    let python = std::env::var("SONOBRUSH_PYTHON").unwrap_or_else(|_| "python3".into());
    let has_pandas = place.other(&python).args(["-c", "import pandas"]).output().is_ok_and(|run| run.status.success());
    if !has_pandas {
        return skipped("pandas is not here");
    }
    let output = place.other(&python).arg(script).arg(place.folder.path()).output().unwrap();
    match output.status.code() {
        Some(77) => skipped("crowsetta is not here"),
        code => assert_eq!(code, Some(0), "{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn praat_reads_our_grids_and_we_read_its_own() {
    if !is_long() {
        return;
    }
    if !has_program("praat") {
        return skipped("praat is not here");
    }
    let place = written_for_others();
    let kinds = ["text", "short text", "chronological text", "binary"];
    let saves: String =
        kinds.iter().map(|kind| format!("Save as {kind} file: \"{}.TextGrid\"\n", kind.replace(' ', "_"))).collect();
    place.write("p.praat", format!("Read from file: \"g.TextGrid\"\n{saves}"));
    let output = place.other("praat").args(["--run", "p.praat"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    place.done(&["labels", "g.TextGrid", "-o", "ours.srt"]);
    for kind in kinds {
        place.done(&["labels", &format!("{}.TextGrid", kind.replace(' ', "_")), "-o", "theirs.srt"]);
        let texts = |name: &str| {
            let text = String::from_utf8(place.read(name)).unwrap();
            let mut blocks: Vec<String> =
                text.split("\n\n").map(|block| block.split_once('\n').unwrap_or_default().1.to_owned()).collect();
            blocks.sort();
            blocks
        };
        assert_eq!(texts("theirs.srt"), texts("ours.srt"), "{kind}");
    }
}
