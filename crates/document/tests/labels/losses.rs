//! Losses of a format are reported in one line.

use super::formats::{columns, file};
use document::labels::formats::{LabelReading, LabelWriting, format_named, format_of_name, read_label_bytes};
use document::labels::{Label, LabelSet};
use std::collections::BTreeMap;
use std::path::Path;

fn written(format: &str, set: &LabelSet, writing: &LabelWriting) -> (String, Option<String>) {
    let (text, losses) = format_named(format).unwrap().written(set, writing).unwrap();
    (text, losses.sentence())
}

#[test]
fn losses_are_counted_in_one_line() {
    let mut labels: Vec<Label> =
        (0..12).map(|n| Label { channel: Some(n), ..Label::new([f64::from(n); 2], "x") }).collect();
    for label in &mut labels[..3] {
        label.confidence = Some(0.5);
    }
    labels[4].text = "a\nb".into();
    labels[5].text = "a\nb\nc".into();
    let set = LabelSet::of(labels).unwrap();
    let writing = LabelWriting::default();
    let losses = written("audacity", &set, &writing).1.unwrap();
    assert_eq!(losses, "Not kept: 12 channels, 3 confidences; 2 texts had line breaks, now spaces.");
    assert_eq!(written("raven", &set, &writing).1.unwrap(), "2 texts had line breaks, now spaces.");
    assert_eq!(written("srt", &set, &writing).1.unwrap(), "Not kept: 12 channels, 3 confidences.");
    assert_eq!(written("csv", &set, &writing).1, None);
}

#[test]
fn each_kind_of_loss_is_counted() {
    let full = Label {
        low_hz: Some(100.0),
        colour: Some(1),
        columns: columns(&[("Species", "x"), ("tier", "words")]),
        ..Label::new([0.123_456_789, 1.0], "a\n\nb\tc")
    };
    let set = LabelSet::of(vec![full, Label::new([2.0, 3.0], "")]).unwrap();
    let writing = LabelWriting { rate_hz: Some(192_000.0), ..LabelWriting::default() };
    let losses = |format: &str| written(format, &set, &writing).1.unwrap();
    assert_eq!(
        losses("srt"),
        "Not kept: 1 band, 1 colour, 2 columns, 1 label without a text; 1 text had blank lines, now none, 1 label moved by \
         more than half a sample."
    );
    assert_eq!(
        losses("textgrid"),
        "Not kept: 1 band, 1 colour, 1 column, 1 label without a text; 1 text had line breaks, now spaces."
    );
    assert_eq!(
        losses("chapters"),
        "Not kept: 2 ends, 1 band, 1 colour, 2 columns; 1 text had line breaks, now spaces, 1 text \
         had tabs, now spaces, 1 label moved by more than half a sample."
    );
    // With a replacement for empty texts, and with the band appended to the text.
    let writing = LabelWriting { empty_text: Some("?".into()), keeps_in_text: true, ..writing };
    let (grid, lost) = written("textgrid", &set, &writing);
    assert_eq!(lost.unwrap(), "Not kept: 1 colour, 1 column; 1 text had line breaks, now spaces.");
    assert!(grid.contains("text = \"a  b\tc [above 100.0 Hz]\"") && grid.contains("text = \"?\""), "{grid}");
    let raven = written("raven", &set, &writing).0;
    assert!(raven.contains("\t?\t"), "{raven}");
    let open = |low_hz, high_hz| Label { low_hz, high_hz, ..Label::new([1.0, 2.0], "x") };
    let set = LabelSet::of(vec![open(Some(200.0), None), open(None, Some(300.0))]).unwrap();
    let grid = written("textgrid", &set, &writing).0;
    assert!(grid.contains("\"x [above 200.0 Hz]\"") && grid.contains("\"x [below 300.0 Hz]\""), "{grid}");
}

#[test]
fn what_is_written_is_what_the_hand_files_are() {
    let read = |name: &str| {
        let read = read_label_bytes(&file(name), None, &LabelReading::default()).unwrap();
        LabelSet::of(read.labels).unwrap()
    };
    let text = |name: &str| String::from_utf8(file(name)).unwrap();
    let writing = LabelWriting {
        sound_name: Some("a.wav".into()),
        rate_hz: Some(48_000.0),
        sound_secs: Some(2.0),
        ..LabelWriting::default()
    };
    let set = read("csv.csv");
    for (format, name) in
        [("csv", "csv.csv"), ("audacity", "aud.txt"), ("raven", "raven.selections.txt"), ("srt", "srt.srt")]
    {
        assert_eq!(written(format, &set, &writing).0, text(name), "{format}");
    }
    let chapters = written("chapters", &set, &writing).0;
    assert_eq!(
        chapters,
        "CHAPTER001=00:00:00.500\nCHAPTER001NAME=p\nCHAPTER002=00:00:01.000\nCHAPTER002NAME=a \"b\"\n"
    );
    // crowsetta requires the name of a sound file; without a sound, `unknown` is written.
    let sequence = written("generic-seq", &set, &LabelWriting::default()).0;
    assert!(sequence.ends_with(",unknown,unknown,0,0\n"), "{sequence}");
    let reading = LabelReading { sound_name: Some("a.wav".into()), ..LabelReading::default() };
    assert_eq!(read_label_bytes(sequence.as_bytes(), None, &reading).unwrap().labels.len(), 2);
    // Compared in the order of their tiers, the grid is as Praat writes it, except for the number of decimals.
    let grid = written("textgrid", &read("grid_long.TextGrid"), &writing).0;
    let long = text("grid_long.TextGrid").replace(" ! 7 \"no\"", "");
    let items = |grid: &str| {
        let mut items: Vec<String> = grid
            .split("    item [")
            .skip(1)
            .map(|item| item[3..].replace(".0 \n", " \n").replace("\" \n", "\"\n"))
            .collect();
        items.sort();
        items
    };
    assert_eq!(items(&grid), items(&long));
}

#[test]
fn the_name_of_a_file_chooses_its_format() {
    let of = |name: &str| format_of_name(Path::new(name)).map(|format| format.name);
    assert_eq!(of("a.csv"), Some("csv"));
    assert_eq!(of("a.TextGrid"), Some("textgrid"));
    assert_eq!(of("a.txt"), Some("audacity"));
    assert_eq!(of("a.Table.1.selections.txt"), Some("raven"));
    assert_eq!(of("a.chapters.txt"), Some("chapters"));
    assert_eq!((of("a.srt"), of("a.VTT"), of("a.doc")), (Some("srt"), Some("vtt"), None));
}

#[test]
fn labels_that_lie_on_one_another_get_tiers_of_their_own() {
    let labels = vec![
        Label::new([0.0, 2.0], "a"),
        Label::new([1.0, 3.0], "b"),
        Label::new([2.0, 4.0], "c"),
        Label { columns: columns(&[("tier", "labels (2)")]), ..Label::new([0.0, 4.0], "d") },
    ];
    let grid = written("textgrid", &LabelSet::of(labels).unwrap(), &LabelWriting::default()).0;
    let names: Vec<&str> = grid.lines().filter_map(|line| line.trim().strip_prefix("name = ")).collect();
    assert_eq!(names, ["\"labels\" ", "\"labels (2)\" ", "\"labels (3)\" "].map(str::trim));
}

#[test]
fn thousands_of_nested_labels_are_written_at_once() {
    let nested = (0..4_000).map(|n| Label::new([f64::from(n), f64::from(10_000 - n)], "a")).collect();
    let began = std::time::Instant::now();
    let grid = written("textgrid", &LabelSet::of(nested).unwrap(), &LabelWriting::default()).0;
    let took = began.elapsed();
    assert!(grid.contains("size = 4000 \n") && grid.contains("name = \"labels (4000)\""));
    // One tier per label; a quadratic first-fit search took 20 s.
    assert!(took.as_secs_f64() < 8.0, "{took:?}");
    println!("4,000 nested labels: {took:?}");
}

#[test]
fn labels_go_into_the_first_tier_that_is_free() {
    // Ascending starts, with ends that free tiers in another order.
    let ends = [9.0, 2.0, 8.0, 3.0, 4.0, 6.0, 7.0, 9.5, 12.0, 11.0, 10.0, 12.0];
    let labels: Vec<Label> = ends.iter().zip(0..).map(|(end, n)| Label::new([f64::from(n), end + 0.5], "a")).collect();
    let mut free_from: Vec<f64> = Vec::new();
    let mut expected: Vec<Vec<f64>> = Vec::new();
    for label in &labels {
        let [start, end] = label.secs;
        let at = free_from.iter().position(|free| *free <= start).unwrap_or_else(|| {
            free_from.push(0.0);
            expected.push(Vec::new());
            expected.len() - 1
        });
        free_from[at] = end;
        expected[at].push(start);
    }
    let grid = written("textgrid", &LabelSet::of(labels).unwrap(), &LabelWriting::default()).0;
    let read = read_label_bytes(grid.as_bytes(), None, &LabelReading::default()).unwrap().labels;
    let mut found: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for label in &read {
        let tier = label.columns.get("tier").unwrap();
        let n = tier.strip_prefix("labels (").map_or(1, |rest| rest.trim_end_matches(')').parse().unwrap());
        found.entry(n).or_default().push(label.secs[0]);
    }
    assert_eq!(found.into_values().collect::<Vec<_>>(), expected);
}
