//! Random labels through each format: the result matches the table of losses.

use document::labels::formats::{
    AudacityStyle, LabelReading, LabelWriting, chunks_with_labels, format_named, labels_of_chunks, read_label_bytes,
};
use document::labels::{Columns, Label, LabelSet};
use media::{Chunk, ChunkPlace};
use proptest::prelude::*;
use std::sync::Arc;

const RATE_HZ: u32 = 48_000;

fn letter() -> impl Strategy<Value = char> {
    let odd = vec![
        '"',
        '\'',
        ',',
        ';',
        '\t',
        '\n',
        ' ',
        '\\',
        '&',
        '<',
        '>',
        '-',
        '!',
        '[',
        ']',
        '0',
        '7',
        '.',
        'a',
        '\u{e9}',
        '\u{3a9}',
        '\u{4e2d}',
        '\u{1f426}',
        '\u{feff}',
        '\u{85}',
        '\u{2028}',
        '\u{a0}',
        '\u{3000}',
        '|',
    ];
    let any =
        any::<char>().prop_filter("texts hold no NUL, and lines end with LF", |letter| !matches!(letter, '\0' | '\r'));
    prop_oneof![4 => prop::sample::select(odd), 1 => any]
}

fn text() -> impl Strategy<Value = String> {
    let words = vec![
        "",
        "call A",
        "-->",
        "a --> b",
        "&amp;",
        "\"\"",
        "\\\t1\t2",
        "1",
        "NOTE",
        "1\n00:00:01,000 --> 00:00:02,000",
        "\n\n",
    ];
    let letters = prop::collection::vec(letter(), 0..12).prop_map(|letters| letters.into_iter().collect::<String>());
    prop_oneof![3 => letters, 1 => prop::sample::select(words).prop_map(str::to_owned)]
}

fn columns() -> impl Strategy<Value = Columns> {
    let names = vec![
        "View",
        "label",
        "start_s",
        "id",
        "tier",
        "note",
        "loop",
        "Annotation",
        "File Offset (s)",
        "file",
        "Begin File",
        "x y",
        "caf\u{e9}",
        "a,b",
        "\"q\"",
        "Selection",
        "No Band",
        "duration_s",
        "channel",
    ];
    prop::collection::vec((prop::sample::select(names), text()), 0..4).prop_map(|mut all| {
        all.sort();
        all.dedup_by(|a, b| a.0 == b.0);
        all.into_iter().map(|(name, text)| (Arc::from(name), Arc::from(text))).collect()
    })
}

fn secs() -> impl Strategy<Value = [f64; 2]> {
    let start =
        prop_oneof![-3.0..60.0f64, (0..3_000_000u32).prop_map(|n| f64::from(n) / 48_000.0), Just(1.5), Just(0.0)];
    let length = prop_oneof![2 => Just(0.0), 4 => 0.0..20.0f64, 1 => Just(0.001), 1 => 0.0..0.0005f64];
    (start, length).prop_map(|(start, length)| [start, start + length])
}

fn band() -> impl Strategy<Value = [Option<f64>; 2]> {
    let edges = (0.0..24_000.0f64, 0.0..24_000.0f64).prop_map(|(a, b)| [a.min(b), a.max(b)]);
    prop_oneof![
        Just([None, None]),
        edges.clone().prop_map(|[low, high]| [Some(low), Some(high)]),
        edges.clone().prop_map(|[low, _]| [Some(low), None]),
        edges.prop_map(|[_, high]| [None, Some(high)]),
        Just([Some(40_000.0), None]),
    ]
}

fn label() -> impl Strategy<Value = Label> {
    let numbers = (prop::option::of(0.0..=1.0f64), prop::option::of(0..40u16), prop::option::of(0..12u8));
    (secs(), band(), text(), numbers, columns()).prop_map(
        |(secs, [low_hz, high_hz], text, (confidence, channel, colour), columns)| Label {
            low_hz,
            high_hz,
            confidence,
            channel,
            colour,
            columns,
            ..Label::new(secs, text)
        },
    )
}

/// Sets with labels that overlap up to 20 deep.
fn sets() -> impl Strategy<Value = LabelSet> {
    let deep = (label(), 0..=20usize).prop_map(|(label, n)| vec![label; n]);
    (prop::collection::vec(label(), 0..25), deep).prop_map(|(mut labels, more)| {
        labels.extend(more);
        LabelSet::of(labels).unwrap()
    })
}

fn writing() -> LabelWriting {
    LabelWriting {
        sound_name: Some("a, \"b\".wav".into()),
        rate_hz: Some(f64::from(RATE_HZ)),
        sound_secs: Some(70.0),
        ..LabelWriting::default()
    }
}

/// Labels after a round trip through a format.
fn through(format: &str, labels: &LabelSet, writing: &LabelWriting) -> Vec<Label> {
    let (text, _) = format_named(format).unwrap().written(labels, writing).unwrap();
    // The format is detected from the text, except for texts without labels.
    let known = if labels.is_empty() || text.trim().is_empty() { format_named(format) } else { None };
    let read = read_label_bytes(text.as_bytes(), known, &LabelReading::default());
    let read = read.unwrap_or_else(|error| panic!("{format}: {error}\n{text}"));
    assert_eq!((read.n_bad, read.notices), (0, Vec::<String>::new()), "{text}");
    read.labels
}

fn with_columns(label: &Label, keep: impl Fn(&str) -> bool, change: impl Fn(&str) -> String) -> Columns {
    let kept = label.columns.iter().filter(|(name, _)| keep(name));
    kept.map(|(name, text)| (name.clone(), Arc::from(change(text)))).collect()
}

/// Replaces line breaks and tabs by spaces.
fn spaced(text: &str) -> String {
    text.chars().map(|letter| if matches!(letter, '\n' | '\t') { ' ' } else { letter }).collect()
}

/// A label reduced to time, band and text.
fn bare(label: &Label) -> Label {
    Label { low_hz: label.low_hz, high_hz: label.high_hz, ..Label::new(label.secs, label.text.clone()) }
}

/// Sorts the columns, since a table returns them in its own order.
fn sorted_columns(label: &Label) -> Label {
    let mut columns: Vec<_> = label.columns.to_vec();
    columns.sort();
    Label { columns: columns.into_iter().collect(), ..label.clone() }
}

fn cases() -> u32 {
    if super::is_long() { 1_000 } else { 200 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn through_our_own_table_nothing_is_lost(labels in sets()) {
        let back = through("csv", &labels, &writing());
        let expected: Vec<Label> = labels.iter().map(sorted_columns).collect();
        prop_assert_eq!(back.iter().map(sorted_columns).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn through_raven_breaks_and_tabs_are_spaces(labels in sets()) {
        let back = through("raven", &labels, &writing());
        let taken = ["Annotation", "File Offset (s)", "Begin File", "Selection", "No Band", "View", "channel"];
        let expected = labels.iter().map(|label| sorted_columns(&Label {
            text: spaced(&label.text).into(),
            colour: None,
            columns: with_columns(label, |name| !taken.contains(&name), spaced),
            ..label.clone()
        }));
        prop_assert_eq!(back.iter().map(sorted_columns).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn through_audacity_times_and_bands_have_six_decimals(labels in sets()) {
        let micro = |value: f64| format!("{value:.6}").parse::<f64>().unwrap() + 0.0;
        let expected = labels.iter().map(|label| Label {
            low_hz: label.low_hz.map(micro),
            high_hz: label.high_hz.map(micro),
            ..Label::new(label.secs.map(micro), spaced(&label.text))
        });
        prop_assert_eq!(through("audacity", &labels, &writing()), expected.collect::<Vec<_>>());
        let plain = LabelWriting { audacity: AudacityStyle::Plain, ..writing() };
        let expected = labels.iter().map(|label| Label::new(label.secs.map(micro), spaced(&label.text)));
        prop_assert_eq!(through("audacity", &labels, &plain), expected.collect::<Vec<_>>());
        let all = LabelWriting { audacity: AudacityStyle::All, ..writing() };
        prop_assert!(through("audacity", &labels, &all).iter().all(|label| label.low_hz.is_some() || label.high_hz.is_some()));
    }

    #[test]
    fn through_grids_times_and_texts_are_kept(labels in sets()) {
        let mut back: Vec<Label> = through("textgrid", &labels, &writing()).iter().map(bare).collect();
        let one_line = |text: &str| text.replace('\n', " ");
        let kept = labels.iter().filter(|label| !label.text.is_empty());
        let mut expected: Vec<Label> = kept.map(|label| Label::new(label.secs, one_line(&label.text))).collect();
        let key = |label: &Label| (label.secs.map(f64::to_bits), label.text.clone());
        back.sort_by_key(key);
        expected.sort_by_key(key);
        prop_assert_eq!(back, expected);
    }

    #[test]
    fn through_subtitles_times_have_thousandths(labels in sets()) {
        let millis = |secs: f64| (secs.max(0.0) * 1e3).round() as i64;
        let texts = |text: &str| text.split('\n').filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n");
        let expected: Vec<Label> = labels.iter().filter(|label| !label.text.trim().is_empty()).map(|label| {
            let [start, end] = label.secs.map(millis);
            // A range of at most 1 ms is read as a marker.
            let end = if end <= start + 1 { start } else { end };
            Label::new([start as f64 / 1e3, end as f64 / 1e3], texts(&label.text))
        }).collect();
        prop_assert_eq!(&through("srt", &labels, &writing()), &expected);
        prop_assert_eq!(&through("vtt", &labels, &writing()), &expected);
    }

    #[test]
    fn through_sequences_of_crowsetta_times_and_texts_are_kept(labels in sets()) {
        let back = through("generic-seq", &labels, &writing());
        let expected = labels.iter().map(|label| Label::new(label.secs, label.text.clone()));
        prop_assert_eq!(back.iter().map(bare).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn through_the_chunks_of_a_wav_file_nothing_is_lost(labels in sets()) {
        let info = Chunk { id: *b"bext", data: vec![7; 602], place: ChunkPlace::BeforeFormat };
        let old = Chunk { id: *b"cue ", data: vec![1, 0, 0], place: ChunkPlace::AfterData };
        let plst = Chunk { id: *b"plst", data: vec![0; 4], place: ChunkPlace::AfterData };
        let before = [info.clone(), old, plst];
        let chunks = chunks_with_labels(&before, &labels, RATE_HZ).unwrap();
        prop_assert_eq!(&chunks[0], &info);
        if !labels.is_empty() {
            prop_assert!(!chunks.iter().any(|chunk| &chunk.id == b"plst"));
        }
        let (back, notices) = labels_of_chunks(&chunks, RATE_HZ);
        prop_assert_eq!(notices.len(), 0);
        let plain = |label: &Label| Label { id: 0, ..label.clone() };
        prop_assert_eq!(back.iter().map(plain).collect::<Vec<_>>(), labels.iter().map(plain).collect::<Vec<_>>());
        // Writing unchanged labels reproduces the chunks byte for byte.
        let again = chunks_with_labels(&chunks, &LabelSet::of(back).unwrap(), RATE_HZ).unwrap();
        prop_assert_eq!(again, chunks);
    }
}

/// Cues moved by another program keep their new positions.
#[test]
fn a_cue_that_others_moved_is_where_it_is_now() {
    let label = Label { low_hz: Some(100.0), ..Label::new([0.123_456_789, 0.9], "call") };
    let set = LabelSet::of(vec![label]).unwrap();
    let mut chunks = chunks_with_labels(&[], &set, RATE_HZ).unwrap();
    assert_eq!(labels_of_chunks(&chunks, RATE_HZ).0[0].secs, [0.123_456_789, 0.9]);
    for at in [8, 24] {
        chunks[0].data[at..at + 4].copy_from_slice(&96_000u32.to_le_bytes());
    }
    let moved = &labels_of_chunks(&chunks, RATE_HZ).0[0];
    assert!((moved.secs[0] - 2.0).abs() < 1e-12 && moved.low_hz == Some(100.0), "{moved:?}");
}

#[test]
fn loops_stay_in_the_sampler_chunk_that_was_there() {
    let chunks = super::formats::chunks(&super::formats::file("cue_odd.chunks"));
    let (labels, _) = labels_of_chunks(&chunks, RATE_HZ);
    let mut labels = labels;
    labels.push(Label::new([1.75, 1.75], "new"));
    let set = LabelSet::of(labels).unwrap();
    let changed = chunks_with_labels(&chunks, &set, RATE_HZ).unwrap();
    let sampler = |chunks: &[Chunk]| chunks.iter().find(|chunk| &chunk.id == b"smpl").unwrap().clone();
    assert_eq!(sampler(&changed), sampler(&chunks));
    assert_eq!(changed.iter().filter(|chunk| &chunk.id == b"cue ").count(), 1);
    let (back, _) = labels_of_chunks(&changed, RATE_HZ);
    let texts: Vec<&str> = back.iter().map(|label| &*label.text).collect();
    assert_eq!(texts, ["p", "na\u{ef}ve", "new", "loop"]);
}

#[test]
fn a_label_past_the_last_sample_of_a_cue_is_refused() {
    let set = LabelSet::of(vec![Label::new([100_000.0, 100_001.0], "far")]).unwrap();
    let error = chunks_with_labels(&[], &set, RATE_HZ).unwrap_err().to_string();
    assert_eq!(error, "the label at 100000 s is beyond what the cues of a WAV file can say; write CSV instead");
}
