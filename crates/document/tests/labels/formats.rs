//! Label files of other programs: those of `tests/labels`, written byte by byte by `make.py` there.

use base::ErrorKind;
use document::labels::formats::{
    FORMATS, ImportedLabels, LabelReading, format_named, labels_of_chunks, read_label_bytes,
};
use document::labels::{Columns, Label};
use media::{Chunk, ChunkPlace};
use std::path::PathBuf;
use std::sync::Arc;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/labels")
}

pub fn file(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Names and contents of all label files in that folder.
pub fn all_files() -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| !name.ends_with(".py")).collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), file(&name))).collect()
}

fn read_as(name: &str, reading: &LabelReading) -> ImportedLabels {
    read_label_bytes(&file(name), None, reading).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn read(name: &str) -> ImportedLabels {
    read_as(name, &LabelReading::default())
}

pub fn columns(columns: &[(&str, &str)]) -> Columns {
    columns.iter().map(|(name, text)| (Arc::from(*name), Arc::from(*text))).collect()
}

/// The two labels of the files written by hand, as far as a format keeps ids, bands and tiers.
fn hand_labels(has_ids: bool, has_band: bool, tiers: Option<[&str; 2]>) -> Vec<Label> {
    let tier = |at: usize| tiers.map(|tiers| columns(&[("tier", tiers[at])])).unwrap_or_default();
    let band = |hz: f64| has_band.then_some(hz);
    let id = |id: u64| if has_ids { id } else { 0 };
    vec![
        Label { id: id(1), columns: tier(0), ..Label::new([0.5, 0.5], "p") },
        Label {
            id: id(2),
            low_hz: band(2000.0),
            high_hz: band(4500.5),
            columns: tier(1),
            ..Label::new([1.0, 1.5], "a \"b\"")
        },
    ]
}

#[test]
fn hand_files_and_their_variants_hold_their_values() {
    let kinds: [(&str, &str, &str, Vec<Label>); 7] = [
        ("csv", "csv", "csv", hand_labels(true, true, None)),
        ("aud", "txt", "audacity", hand_labels(false, true, None)),
        ("raven", "selections.txt", "raven", hand_labels(true, true, None)),
        ("grid_short", "TextGrid", "textgrid", hand_labels(false, false, Some(["markers", "labels"]))),
        ("grid_long", "TextGrid", "textgrid", hand_labels(false, false, Some(["markers", "labels"]))),
        ("srt", "srt", "srt", hand_labels(false, false, None)),
        ("vtt", "vtt", "vtt", hand_labels(false, false, None)),
    ];
    let variants = ["", "_crlf", "_cr", "_no_last_newline", "_bom", "_utf16le", "_utf16be"];
    for (stem, ending, format, expected) in kinds {
        for variant in variants {
            let name = format!("{stem}{variant}.{ending}");
            let mut read = read(&name);
            assert_eq!((read.format, read.n_bad, read.notices.len()), (format, 0, 0), "{name}: {:?}", read.notices);
            read.labels.sort_by(Label::order);
            assert_eq!(read.labels, expected, "{name}");
        }
    }
    for (name, format, has_ids) in
        [("csv_semicolons_and_commas.csv", "csv", true), ("aud_commas.txt", "audacity", false)]
    {
        let read = read(name);
        assert_eq!((read.format, read.labels), (format, hand_labels(has_ids, true, None)), "{name}");
    }
    for name in ["grid_chronological.TextGrid", "grid_binary.TextGrid"] {
        let mut read = read(name);
        read.labels.sort_by(Label::order);
        assert_eq!(
            (read.format, read.labels),
            ("textgrid", hand_labels(false, false, Some(["markers", "labels"]))),
            "{name}"
        );
    }
}

#[test]
fn odd_contents_of_our_own_table_are_read() {
    let read = read("csv_odd.csv");
    let expected = [
        Label { id: 1, confidence: Some(0.5), channel: Some(0), colour: Some(3), ..Label::new([-0.25, 0.5], "") },
        Label {
            id: 2,
            low_hz: Some(2000.0),
            channel: Some(1),
            columns: columns(&[("note", "x")]),
            ..Label::new([1.0, 1.5], "two\nlines\tand a tab")
        },
    ];
    assert_eq!(read.labels, expected);
    assert_eq!(read.sound_name.as_deref(), Some("a.wav"));
    assert_eq!(
        read.notices,
        ["1 label began behind their end and were turned around", "1 row of other files were left out, such as b.wav"]
    );
}

#[test]
fn tables_of_other_programs_are_read_by_their_headers() {
    let of_sound = |name: &str, sound: &str| {
        read_as(name, &LabelReading { sound_name: Some(sound.into()), ..LabelReading::default() }).labels
    };
    let species = |name: &str| columns(&[("Scientific name", name)]);
    let birds = of_sound("birdnet.csv", "a.wav");
    let expected = [
        Label {
            confidence: Some(0.8731),
            columns: species("Turdus merula"),
            ..Label::new([0.0, 3.0], "Eurasian Blackbird")
        },
        Label { confidence: Some(0.4), columns: species("Parus major"), ..Label::new([3.0, 6.0], "Great Tit") },
    ];
    assert_eq!(birds, expected);
    assert_eq!(&*of_sound("birdnet.csv", "b.wav")[0].text, "Common Raven");

    let reading = LabelReading { rate_hz: Some(48_000.0), ..LabelReading::default() };
    let sequence = read_as("generic_seq.csv", &reading).labels;
    let times: Vec<[f64; 2]> = sequence.iter().map(|label| label.secs).collect();
    assert_eq!(times, [[1.0, 1.5], [2.0, 2.5]]);
    assert_eq!(&*sequence[1].text, "b");

    let whisper = read("whisper.tsv").labels;
    assert_eq!(whisper, [Label::new([0.0, 1.5], "Hello there."), Label::new([1.5, 2.25], "Yes, it is.")]);
}

#[test]
fn odd_label_tracks_of_audacity_are_read() {
    let read = read("aud_odd.txt");
    let expected = [
        Label::new([0.5, 0.5], "p"),
        Label::new([1.0, 1.5], "reversed"),
        Label::new([-0.25, 0.5], ""),
        Label { high_hz: Some(4500.5), ..Label::new([2.0, 3.0], "runs\tof tabs") },
        Label::new([4.0, 5.0], "other lines"),
        Label::new([6.0, 7.0], "latin"),
    ];
    assert_eq!(read.labels, expected);
    assert_eq!(read.notices, ["1 label began behind their end and were turned around"]);
    let old = self::read("aud_1252.txt");
    assert_eq!(old.labels, [Label::new([0.5, 1.0], "fa\u{e7}ade \u{2013} \u{20ac}")]);
    assert_eq!(old.notices, ["is not UTF-8 and was read as Windows-1252; check letters with accents"]);
}

#[test]
fn selection_tables_of_raven_and_its_friends_are_read() {
    let commas = read("raven_commas.selections.txt").labels;
    let label = Label {
        low_hz: Some(2000.0),
        high_hz: Some(4500.5),
        confidence: Some(0.5),
        channel: Some(1),
        ..Label::new([1.0, 1.5], "a")
    };
    assert_eq!(commas, [label]);
    // Raven writes a selection twice: once for the waveform and once for the spectrogram.
    let views = read("raven_views.selections.txt").labels;
    let expected = [
        Label {
            low_hz: Some(2000.0),
            high_hz: Some(4500.5),
            channel: Some(0),
            columns: columns(&[("Quality", "good")]),
            ..Label::new([1.0, 1.5], "cat")
        },
        Label { low_hz: Some(0.0), high_hz: Some(24000.0), channel: Some(1), ..Label::new([-0.25, 3.0], "dog") },
    ];
    assert_eq!(views, expected);
    let reading = LabelReading { sound_name: Some("a.wav".into()), ..LabelReading::default() };
    let birds = read_as("raven_birdnet.selections.txt", &reading);
    assert_eq!(birds.labels.len(), 1);
    assert_eq!((birds.labels[0].secs, &*birds.labels[0].text), ([3.0, 6.0], "Great Tit"));
    assert_eq!(birds.notices, ["1 row of other files were left out, such as b.wav"]);
    let refused = read_label_bytes(&file("raven_files.selections.txt"), None, &reading).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "3:15: expected rows of one file, or a column File Offset (s) that says where each row is in its own"
    );
    let reading = LabelReading { text_column: Some("Species Code".into()), ..reading };
    assert_eq!(&*read_as("raven_birdnet.selections.txt", &reading).labels[0].text, "gretit1");
}

#[test]
fn odd_grids_are_read() {
    let odd = read("grid_odd.TextGrid");
    let tier = columns(&[("tier", "x")]);
    let expected = [
        Label { columns: tier.clone(), ..Label::new([1.0, 1.5], "two\nlines\t") },
        Label { columns: tier, ..Label::new([-0.25, 0.5], "y") },
    ];
    assert_eq!(odd.labels, expected);
    let unicode = read("grid_binary_unicode.TextGrid").labels;
    assert_eq!(&*unicode[0].text, "\u{251}\u{2d0} \u{1f426}");
    let latin = read("grid_latin1.TextGrid");
    assert_eq!((&*latin.labels[0].text, latin.notices.len()), ("\u{fc}ber", 1));
    let comma = read_label_bytes(&file("grid_comma.TextGrid"), None, &LabelReading::default()).unwrap_err();
    assert_eq!(comma.to_string(), "3:37: expected a number with a point, found \"1,25\"");
}

#[test]
fn odd_subtitles_are_read() {
    let expected = [Label::new([1.0, 1.5], "<i>two</i>\nlines"), Label::new([3600.0, 3602.25], "")];
    assert_eq!(read("srt_odd.srt").labels, expected);
    assert_eq!(read("vtt_odd.vtt").labels, [Label::new([2.0, 3.0], "<v Bob>A & B --> C")]);
}

/// The chunks of a file that consists of RIFF chunks.
pub fn chunks(bytes: &[u8]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut at = 0;
    while at + 8 <= bytes.len() {
        let n = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        let data = bytes[at + 8..bytes.len().min(at + 8 + n)].to_vec();
        chunks.push(Chunk { id: bytes[at..at + 4].try_into().unwrap(), data, place: ChunkPlace::AfterData });
        at += 8 + n + n % 2;
    }
    chunks
}

#[test]
fn cues_of_wav_files_are_read() {
    let (labels, notices) = labels_of_chunks(&chunks(&file("cue.chunks")), 48_000);
    assert_eq!((labels, notices.len()), (hand_labels(false, false, None), 0));
    let (labels, _) = labels_of_chunks(&chunks(&file("cue_odd.chunks")), 48_000);
    let expected = [
        Label { columns: columns(&[("note", "loud")]), ..Label::new([0.5, 0.5], "p") },
        Label::new([1.0, 1.5], "na\u{ef}ve"),
        // The last sample of a loop is part of it.
        Label { columns: columns(&[("loop", "0")]), ..Label::new([1.0, 1.5], "loop") },
    ];
    assert_eq!(labels, expected);
}

/// The error for a text in a format, with its place.
fn wrong(format: &str, text: &str) -> String {
    let format = Some(format_named(format).unwrap());
    let error = read_label_bytes(text.as_bytes(), format, &LabelReading::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed, "{text}");
    error.to_string()
}

#[test]
fn what_is_wrong_is_one_sentence_with_its_place() {
    let head = "start_s,end_s,label,low_hz\n";
    let csv = |rows: &str| wrong("csv", &format!("{head}{rows}"));
    assert_eq!(csv("1,2,a\n1,x,b\n"), "3:3: expected an end in seconds, found \"x\"");
    assert_eq!(csv("inf,2,a\n"), "2:1: expected a start in seconds, found \"inf\"");
    assert_eq!(csv("1e999,2,a\n"), "2:1: expected a start in seconds, found \"1e999\"");
    assert_eq!(csv(",2,a\n"), "2:1: expected a start in seconds, found nothing");
    assert_eq!(csv("1,2,\"a\nb\"c\n"), "3:3: expected the end of the field behind its quotation mark");
    assert_eq!(csv("1,2,\u{e9}\u{e9}\n1,2,\"a\n"), "3:5: expected a quotation mark that closes the one here");
    assert_eq!(csv("1,2,\u{e9}\u{e9},x\n"), "2:8: expected a frequency in Hz, found \"x\"");
    assert_eq!(
        csv("1,2,a,-5\n"),
        "2:1: expected a label that can be kept, but its frequency is negative or not a number"
    );
    assert_eq!(csv("1,2,a,5,6\n"), "2:9: expected 4 fields as in the header, found 5");
    assert_eq!(csv("1 000,2,a,5\n"), "2:1: expected a start in seconds, found \"1 000\"");
    assert_eq!(csv("2e7,2,a,5\n"), "2:1: expected a label that can be kept, but its time is beyond 10000000 s");
    assert_eq!(
        wrong("csv", "a,b\n1,2\n"),
        "1:1: expected a header with columns for start and end, such as start_s and end_s"
    );
    assert_eq!(wrong("audacity", "0.5\t1\ta\nx\t1\tb\n"), "2:1: expected a start in seconds, found \"x\"");
    assert_eq!(wrong("audacity", "0.5\t1\ta\n\\\t5\tb\n"), "2:5: expected a frequency in Hz, found \"b\"");
    for end in ["NaN", "-inf", "Infinity", "1e400", "1,5e999"] {
        let expected = format!("1:5: expected an end in seconds, found \"{end}\"");
        assert_eq!(wrong("audacity", &format!("0.5\t{end}\tcall\n")), expected);
        let expected = format!("2:1: expected a start in seconds, found \"{end}\"");
        assert_eq!(wrong("audacity", &format!("0\t1\ta\n{end}\t1\tcall\n")), expected);
        let expected = format!("2:5: expected a frequency in Hz, found \"{end}\"");
        assert_eq!(wrong("audacity", &format!("0\t1\ta\n\\\t5\t{end}\n")), expected);
    }
    assert_eq!(
        wrong("raven", "Begin Time (s)\tEnd Time (s)\n0.5\t\n"),
        "2:5: expected an end time in seconds, found nothing"
    );
    assert_eq!(wrong("raven", "Begin Time (s)\n0.5\n"), "1:1: expected a header with Begin Time (s) and End Time (s)");
    assert_eq!(
        wrong("srt", "1\n00:00:01,5 --> 00:00:02,000\na\n"),
        "2:1: expected a time such as 00:00:01,500, found \"00:00:01,5\""
    );
    assert_eq!(wrong("srt", "1\n\n2\n"), "1:1: expected two times with --> between them, found \"1\"");
    assert_eq!(
        wrong("vtt", "WEBVTT\n\n00:01.000 --> 00:61.000\na\n"),
        "3:15: expected a time such as 00:00:01,500, found \"00:61.000\""
    );
    let grid = |rest: &str| wrong("textgrid", &format!("\"ooTextFile\"\n\"TextGrid\"\n{rest}"));
    assert_eq!(
        grid("0 2 <exists> 1 \"Tier\" \"x\""),
        "3:16: expected \"IntervalTier\" or \"TextTier\", found \"Tier\""
    );
    assert_eq!(
        grid("0 2 <exists> 1 \"TextTier\" \"x\" 0 2 1 0.5"),
        "3:40: expected a text in quotation marks, but the file ends"
    );
    assert_eq!(grid("0 2 <exists> 1 \"TextTier\" \"x"), "3:27: expected a quotation mark that closes the one here");
    let short = &file("grid_binary.TextGrid")[..60];
    let error = read_label_bytes(short, None, &LabelReading::default()).unwrap_err().to_string();
    assert_eq!(error, "byte 57: expected more of the grid; the file is cut short");
    let unknown = read_label_bytes(b"hello\n", None, &LabelReading::default()).unwrap_err().to_string();
    assert!(
        unknown.starts_with("is no file of labels that is known; save it as one of TextGrid, WebVTT, SRT, Raven, CSV"),
        "{unknown}"
    );
    let samples = read_label_bytes(&file("generic_seq.csv"), None, &LabelReading::default()).unwrap_err().to_string();
    assert_eq!(samples, "3:3: expected a start in seconds, found nothing");
}

#[test]
fn a_row_of_nothing_but_separators_is_refused_with_its_place() {
    let max = 2_048;
    for (format, head, separator) in
        [("csv", "start_s,end_s,label", ","), ("raven", "Begin Time (s)\tEnd Time (s)\tAnnotation", "\t")]
    {
        let expected = format!("1:{}: expected at most {max} fields in a row", 1 + head.len() + max - 2);
        assert_eq!(wrong(format, &format!("{head}{}\n", separator.repeat(3_000_000))), expected, "{format}");
        let format = Some(format_named(format).unwrap());
        let widest = format!("{head}{}\n0{separator}1{separator}a\n", separator.repeat(max - 3));
        let read = read_label_bytes(widest.as_bytes(), format, &LabelReading::default()).unwrap();
        assert_eq!(read.labels, [Label::new([0.0, 1.0], "a")]);
    }
    let row = format!("start_s,end_s,label\n0,1,a{}\n", ",".repeat(3_000_000));
    assert_eq!(wrong("csv", &row), "2:2052: expected at most 2048 fields in a row");
    // Columns with equal names are numbered.
    let same = format!("start_s,end_s{}\n0,1{}\n", ",a".repeat(60), ",x".repeat(60));
    let read = read_label_bytes(same.as_bytes(), None, &LabelReading::default()).unwrap();
    let names: Vec<&str> = read.labels[0].columns.iter().map(|(name, _)| &**name).collect();
    assert_eq!((names.len(), &names[..3], names[59]), (60, &["a", "a (2)", "a (3)"][..], "a (60)"));
}

#[test]
fn counts_of_grids_are_whole_numbers_from_0_on() {
    let grid = |rest: &str| wrong("textgrid", &format!("\"ooTextFile\"\n\"TextGrid\"\n{rest}"));
    for count in ["-1", "1.5"] {
        let tiers = format!("3:14: expected the number of tiers, a whole number from 0 on, found \"{count}\"");
        assert_eq!(grid(&format!("0 2 <exists> {count} \"TextTier\" \"x\" 0 2 0")), tiers);
        let labels =
            format!("3:35: expected the number of labels of the tier, a whole number from 0 on, found \"{count}\"");
        assert_eq!(grid(&format!("0 2 <exists> 1 \"TextTier\" \"x\" 0 2 {count} 0.5 \"a\"")), labels);
    }
    let chronological = "\"Praat chronological TextGrid text file\"\n0 2\n-1\n";
    assert!(wrong("textgrid", chronological).starts_with("3:1: expected the number of tiers"));

    // A binary grid: header, time range, whether it has tiers, number of tiers, and so on.
    let mut bytes = b"ooBinaryFile\x08TextGrid".to_vec();
    let put = |bytes: &mut Vec<u8>, secs: &[f64]| secs.iter().for_each(|secs| bytes.extend(secs.to_be_bytes()));
    put(&mut bytes, &[0.0, 2.0]);
    bytes.push(1);
    let n_tiers = bytes.len();
    bytes.extend(1i32.to_be_bytes());
    bytes.extend(b"\x08TextTier\x00\x01x");
    put(&mut bytes, &[0.0, 2.0]);
    let n_labels = bytes.len();
    bytes.extend(1i32.to_be_bytes());
    let label = bytes.len();
    put(&mut bytes, &[1e9]);
    bytes.extend(b"\x00\x01a");
    let reason = |at: usize, with: i32| {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&with.to_be_bytes());
        read_label_bytes(&bytes, None, &LabelReading::default()).unwrap_err().to_string()
    };
    let whole = "a whole number from 0 on, found \"-1\"";
    assert_eq!(reason(n_tiers, -1), format!("byte {n_tiers}: expected the number of tiers, {whole}"));
    assert_eq!(reason(n_labels, -1), format!("byte {n_labels}: expected the number of labels of the tier, {whole}"));
    let beyond = "expected a label that can be kept, but its time is beyond 10000000 s";
    assert_eq!(reason(n_tiers, 1), format!("byte {label}: {beyond}"));
}

#[test]
fn what_is_no_text_that_is_read_is_named() {
    let read = |bytes: &[u8]| read_label_bytes(bytes, None, &LabelReading::default()).unwrap_err().to_string();
    assert_eq!(read(b""), "is empty; choose a file that holds labels");
    assert!(read(&[0; 4_096]).starts_with("is no file of labels that is known"));
    let utf32: Vec<u8> = "\u{feff}start_s,end_s\n1,2\n".chars().flat_map(|l| u32::from(l).to_le_bytes()).collect();
    let reversed: Vec<u8> = "\u{feff}1\t2\n".chars().flat_map(|letter| u32::from(letter).to_be_bytes()).collect();
    for bytes in [utf32, reversed] {
        assert_eq!(read(&bytes), "is UTF-32, which is not read; save it as UTF-8");
    }
}

#[test]
fn bad_rows_can_be_left_out_and_are_counted() {
    let reading = LabelReading { skips_bad: true, ..LabelReading::default() };
    let text = "start_s,end_s,label\n1,2,a\nx,2,b\n3,\"4\"5,c\n5,6,d\n7,y,e\n";
    let read = read_label_bytes(text.as_bytes(), None, &reading).unwrap();
    assert_eq!(read.labels, [Label::new([1.0, 2.0], "a"), Label::new([5.0, 6.0], "d")]);
    assert_eq!(read.n_bad, 3);
    assert_eq!(
        read.notices,
        ["3 rows could not be read and were left out; the first: 3:1: expected a start in seconds, found \"x\""]
    );
    for format in FORMATS.iter().filter(|format| format.is_read()) {
        // These bytes fit no format: an error, or no labels.
        let read = read_label_bytes(b"\x01\n\x02\n", Some(format), &reading);
        assert!(read.map_or(true, |read| read.labels.is_empty()), "{}", format.name);
    }
}

#[test]
fn more_labels_than_a_sound_may_have_are_refused() {
    let text = format!("start_s,end_s\n{}", "1,2\n".repeat(100_001));
    let error = read_label_bytes(text.as_bytes(), None, &LabelReading::default()).unwrap_err();
    assert_eq!(error.to_string(), "has more than 100000 labels, the most that a sound may have");
    assert_eq!(error.kind(), ErrorKind::Limit);
}
