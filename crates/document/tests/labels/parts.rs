//! A sound split by its labels: samples and names.

use document::labels::{Label, LabelSet, NamePattern, NamedFiles, PartChoice, SoundParts, labels_within};
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

fn set(labels: &[(f64, f64, &str)]) -> LabelSet {
    LabelSet::of(labels.iter().map(|(start, end, text)| Label::new([*start, *end], *text)).collect()).unwrap()
}

/// Samples and texts of the parts of a sound of 10 s at 1 kHz.
fn parts(labels: &LabelSet, choice: &PartChoice) -> Vec<(Range<u64>, String)> {
    let parts = SoundParts::of(labels, choice, (10_000, 1_000.0)).unwrap().parts;
    parts.into_iter().map(|part| (part.samples, part.label.text.to_string())).collect()
}

fn names(pattern: &str, labels: &LabelSet) -> Vec<String> {
    let parts = SoundParts::of(labels, &PartChoice::default(), (10_000, 1_000.0)).unwrap().parts;
    NamePattern::parse(pattern, NamedFiles::Parts).unwrap().names("crow", &parts)
}

#[test]
fn ranges_are_taken_out_sample_by_sample() {
    let labels = set(&[
        (0.1004, 0.2006, "rounded"),
        (0.5, 0.5, "a marker"),
        (1.0, 1.0002, "less than a sample"),
        (9.5, 12.0, "past the end"),
        (-1.0, 0.05, "before the start"),
        (11.0, 12.0, "outside"),
        (-2.0, -1.0, "outside"),
    ]);
    let of = |range: Range<u64>, text: &str| (range, text.to_owned());
    let expected = [
        of(0..50, "before the start"),
        of(100..201, "rounded"),
        of(1_000..1_001, "less than a sample"),
        of(9_500..10_000, "past the end"),
    ];
    assert_eq!(parts(&labels, &PartChoice::default()), expected);
    let found = SoundParts::of(&labels, &PartChoice::default(), (10_000, 1_000.0)).unwrap();
    assert_eq!(found.n_outside, 2);
    let padded = PartChoice { pad_secs: [0.2, 0.1], pattern: Some("r*d".into()), ..PartChoice::default() };
    assert_eq!(parts(&labels, &padded), [of(0..301, "rounded")]);
}

#[test]
fn labels_of_no_sound_are_one_sentence() {
    let labels = set(&[(11.0, 12.0, "outside"), (-2.0, -1.0, "outside"), (0.5, 0.5, "a marker")]);
    let reason = |labels: &LabelSet, n_samples, splits| {
        let choice = PartChoice { splits, ..PartChoice::default() };
        SoundParts::of(labels, &choice, (n_samples, 1_000.0)).unwrap_err().to_string()
    };
    let outside = "every chosen label lies outside the sound; move them, or choose others";
    assert_eq!(reason(&labels, 10_000, false), outside);
    assert_eq!(reason(&labels, 0, true), outside);
}

#[test]
fn markers_cut_the_whole_sound() {
    let labels =
        set(&[(1.0, 1.0, "a"), (1.0, 1.0, "b"), (4.0, 4.0, "c"), (2.0, 3.0, "a range"), (10.0, 10.0, "the end")]);
    let choice = PartChoice { splits: true, ..PartChoice::default() };
    let of = |range: Range<u64>, text: &str| (range, text.to_owned());
    assert_eq!(parts(&labels, &choice), [of(0..1_000, "start"), of(1_000..4_000, "b"), of(4_000..10_000, "c")]);
    assert_eq!(SoundParts::of(&labels, &choice, (10_000, 1_000.0)).unwrap().n_outside, 2);
    // There is no part before a marker at 0.
    let labels = set(&[(0.0, 0.0, "a"), (4.0, 4.0, "c")]);
    assert_eq!(parts(&labels, &choice), [of(0..4_000, "a"), of(4_000..10_000, "c")]);
    let error = SoundParts::of(&set(&[(1.0, 2.0, "x")]), &choice, (10_000, 1_000.0)).unwrap_err().to_string();
    assert_eq!(error, "there is no labelled marker; add one, or choose others");
}

#[test]
fn patterns_choose_labels_by_their_texts() {
    let labels = set(&[(1.0, 2.0, "call A"), (2.0, 3.0, "call B"), (3.0, 4.0, "noise"), (4.0, 5.0, "")]);
    let chosen = |pattern: &str| {
        let choice = PartChoice { pattern: Some(pattern.into()), ..PartChoice::default() };
        SoundParts::of(&labels, &choice, (10_000, 1_000.0)).map_or(0, |found| found.parts.len())
    };
    let cases =
        [("call *", 2), ("call ?", 2), ("*", 4), ("", 1), ("*i*e", 1), ("call", 0), ("*A", 1), ("c*l*B", 1), ("??", 0)];
    for (pattern, n) in cases {
        assert_eq!(chosen(pattern), n, "{pattern}");
    }
    // A matcher that backtracks over every star would need exponential time.
    let long = set(&[(1.0, 2.0, &"a".repeat(4_000))]);
    let choice = PartChoice { pattern: Some("*a".repeat(1_000) + "b"), ..PartChoice::default() };
    let start = std::time::Instant::now();
    assert!(SoundParts::of(&long, &choice, (10_000, 1_000.0)).is_err());
    assert!(start.elapsed().as_secs() < 10);
}

#[test]
fn names_are_names_on_every_system() {
    let labels = set(&[
        (1.0, 2.0, "call A"),
        (2.0, 2.5, "a/b\\c<d>e:f\"g|h?i*j\nk"),
        (3.0, 4.0, ""),
        (4.0, 5.0, " ..hidden. "),
        (5.0, 6.0, &"\u{e9}".repeat(150)),
    ]);
    let usual = names(NamePattern::DEFAULT_PATTERN, &labels);
    assert_eq!(
        usual[..4],
        ["crow_001_call A", "crow_002_a_b_c_d_e_f_g_h_i_j_k", "crow_003_unlabelled", "crow_004_hidden"]
    );
    // Names are cut to at most 200 bytes, between characters.
    assert!(usual[4].len() <= 200 && usual[4].len() >= 199 && usual[4].starts_with("crow_005_\u{e9}"));
    assert_eq!(names("{start}-{end} {n} {id}", &labels)[0], "1.000-2.000 1 1");
    assert_eq!(
        names("{low}{high}{channel}", &labels),
        ["unlabelled", "unlabelled_2", "unlabelled_3", "unlabelled_4", "unlabelled_5"]
    );
    let unclosed = |pattern: &str, of| NamePattern::parse(pattern, of).unwrap_err().to_string();
    assert_eq!(unclosed("{label", NamedFiles::Parts), "the brace of {label is not closed; add }");
    assert_eq!(unclosed("a{n", NamedFiles::Outputs), "the brace of {n is not closed; add }");
    let batch = NamePattern::parse("a\n\u{7}b/{name}\t{n}", NamedFiles::Outputs).unwrap();
    assert_eq!(batch.path(Path::new("x/y"), 3).unwrap(), Path::new("a__b/y_3"));
    for wrong in ["{what}", "{n:3}", "{n:099}"] {
        let error = NamePattern::parse(wrong, NamedFiles::Parts).unwrap_err().to_string();
        assert!(error.contains("is no part of a name; use {name}, {label}"), "{error}");
    }
}

#[test]
fn ten_thousand_equal_texts_get_ten_thousand_names() {
    let mut labels: Vec<Label> = (0..10_000)
        .map(|n| Label::new([f64::from(n) / 1e3, f64::from(n + 1) / 1e3], ["Call", "call", "CALL"][n as usize % 3]))
        .collect();
    labels[17].text = "call_2".into();
    labels[18].text = "x".repeat(300).into();
    labels[19].text = "X".repeat(300).into();
    let all = names("{label}", &LabelSet::of(labels).unwrap());
    let different: HashSet<String> = all.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(different.len(), 10_000);
    assert_eq!(all[..3], ["Call", "call_2", "CALL_3"]);
    assert!(all.iter().all(|name| name.len() <= 200));
}

#[test]
fn labels_within_a_part_count_from_its_start() {
    let labels = set(&[
        (1.0, 3.0, "part"),
        (1.0, 1.5, "inner"),
        (2.0, 2.0, "marker"),
        (2.5, 3.5, "over its end"),
        (0.5, 0.6, "before"),
    ]);
    let parts = SoundParts::of(
        &labels,
        &PartChoice { pattern: Some("part".into()), ..PartChoice::default() },
        (10_000, 1_000.0),
    );
    let inner = labels_within(&labels, &parts.unwrap().parts[0], 1_000.0).unwrap();
    let shown: Vec<([f64; 2], String)> = inner.iter().map(|label| (label.secs, label.text.to_string())).collect();
    assert_eq!(shown, [([0.0, 0.5], "inner".to_owned()), ([1.0, 1.0], "marker".to_owned())]);
}
