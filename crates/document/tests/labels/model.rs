//! The set of labels against a plain list, and how labels follow edits of time.

use document::labels::{Columns, Label, LabelIds, LabelMove, LabelSet, MAX_LABELS, labels_from_json, labels_to_json};
use proptest::prelude::*;
use std::sync::Arc;

/// A label with an id.
fn numbered(id: u64, secs: [f64; 2], text: &str) -> Label {
    Label { id, ..Label::new(secs, text) }
}

/// Times and texts, in order.
fn shown(set: &LabelSet) -> Vec<(f64, f64, String)> {
    set.iter().map(|label| (label.secs[0], label.secs[1], label.text.to_string())).collect()
}

fn set_of(labels: &[(f64, f64, &str)]) -> LabelSet {
    LabelSet::of(labels.iter().map(|(start, end, text)| Label::new([*start, *end], *text)).collect()).unwrap()
}

/// Checks the queries of a set (order, ids, lanes and ranges) against a plain list of its labels.
fn check(set: &LabelSet, mut expected: Vec<Label>) {
    expected
        .sort_by(|a, b| a.secs[0].total_cmp(&b.secs[0]).then(a.secs[1].total_cmp(&b.secs[1])).then(a.id.cmp(&b.id)));
    assert_eq!(set.len(), expected.len());
    assert!(set.iter().eq(expected.iter()));
    for (index, label) in expected.iter().enumerate().step_by(1 + expected.len() / 50) {
        assert_eq!(set.at(index), Some(label));
        assert_eq!(set.get(label.id), Some(label));
        assert_eq!(set.index_of(label.id), Some(index));
    }
    assert_eq!(set.at(expected.len()), None);
    let mut free_from = [f64::NEG_INFINITY; 4];
    for (index, [start, end]) in expected.iter().map(|label| label.secs).enumerate() {
        let lane = set.lanes().at(index);
        if let Some(first) = free_from.iter().position(|free| *free <= start) {
            assert_eq!(lane, first, "label {index}");
        }
        free_from[lane] = if end > start { end.max(free_from[lane]) } else { start.next_up().max(free_from[lane]) };
    }
    for [from, to] in [[0.0, 0.0], [20.0, 30.0], [35.5, 36.0], [-10.0, 1e6], [99.0, 98.0]] {
        let inside = expected.iter().filter(|label| label.secs[0] <= to && label.secs[1] >= from);
        assert!(set.in_range([from, to]).eq(inside), "{from} to {to}");
        for spacing in [0.0, 0.4, 7.0] {
            let mut free = from;
            let apart = expected.iter().enumerate().filter(|(_, label)| {
                let is_apart = (free..=to).contains(&label.secs[0]);
                free = if is_apart { label.secs[0] + spacing } else { free };
                is_apart
            });
            assert!(set.spaced_in_range([from, to], spacing).eq(apart), "{from} to {to} by {spacing}");
        }
    }
}

/// Id, start and length of insertions, and positions of removals.
type SetChange = (Vec<(u64, f64, f64)>, Vec<usize>);

/// One change of a set: labels inserted (by id, or 0 for a new one), and the number of existing labels removed.
fn changes() -> impl Strategy<Value = Vec<SetChange>> {
    let label = (0..40u64, -5.0..100.0f64, 0.0..30.0f64);
    let set =
        prop_oneof![3 => prop::collection::vec(label.clone(), 0..4), 1 => prop::collection::vec(label, 500..1500)];
    prop::collection::vec((set, prop::collection::vec(0..5000usize, 0..6)), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_set_is_its_list_in_order(changes in changes()) {
        let mut set = LabelSet::default();
        let mut list: Vec<Label> = Vec::new();
        let mut next_id = 1;
        for (put, removed) in changes {
            let mut put: Vec<Label> = put.iter().map(|&(id, at, length)| numbered(id, [at, at + length], "x")).collect();
            let mut seen = std::collections::BTreeSet::new();
            put.retain(|label| label.id == 0 || seen.insert(label.id));
            let mut gone: Vec<u64> = removed.iter().filter_map(|at| list.get(*at)).map(|label| label.id).collect();
            gone.sort_unstable();
            gone.dedup();
            gone.retain(|id| !seen.contains(id));
            let before = set.clone();
            let kept = list.clone();
            set = set.edited(put.clone(), &gone).unwrap();
            list.retain(|label| !seen.contains(&label.id) && !gone.contains(&label.id));
            next_id = next_id.max(put.iter().map(|label| label.id).max().unwrap_or(0) + 1);
            for label in &mut put {
                if label.id == 0 {
                    label.id = next_id;
                    next_id += 1;
                }
            }
            list.extend(put);
            prop_assert_eq!(set.next_id(), next_id);
            check(&set, list.clone());
            // The set before the edit is unchanged.
            check(&before, kept);
        }
    }

    #[test]
    fn labels_follow_time_as_a_list_does(
        labels in prop::collection::vec((0..100i32, 0..30i32), 0..1500),
        cuts in prop::collection::vec((0..3u8, 0..100i32, 1..30i32, 1..60i32), 1..6),
    ) {
        // Whole seconds: sums are exact, and edges meet often.
        let labels: Vec<Label> = labels
            .iter()
            .map(|&(at, length)| Label::new([f64::from(at), f64::from(at + length)], "x"))
            .collect();
        let mut set = LabelSet::of(labels).unwrap();
        for (kind, at, length, to) in cuts {
            let [at, length, to] = [at, length, to].map(f64::from);
            let change = change_of(kind, at, length, to);
            let expected = moved_one_by_one(&set.iter().cloned().collect::<Vec<_>>(), &change);
            let moved = set.moved(&change);
            check(&moved, expected);
            set = moved;
        }
    }
}

/// A change of time: 0 removes, 1 inserts, any other kind stretches.
fn change_of(kind: u8, at: f64, length: f64, to: f64) -> LabelMove {
    match kind {
        0 => LabelMove::Removed { secs: [at, at + length] },
        1 => LabelMove::Inserted { at_secs: at, secs: length },
        _ => LabelMove::Stretched { secs: [at, at + length], to_secs: to },
    }
}

/// Reference: every label moved individually.
fn moved_one_by_one(labels: &[Label], change: &LabelMove) -> Vec<Label> {
    labels.iter().filter_map(|label| change.range(label.secs).map(|secs| Label { secs, ..label.clone() })).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Blocks of labels after a change are shifted lazily; times must be the same to the last bit, also where rounding
    /// merges two of them, and after many changes without a read in between.
    #[test]
    fn labels_follow_time_to_the_last_bit(
        labels in prop::collection::vec((0.0..1_000.0f64, 0.0..3.0f64, 0..6u8), 600..2_500),
        changes in prop::collection::vec((0..3u8, 0.0..900.0f64, 0.001..40.0f64, 0.0..5_000.0f64, 0..4u8), 1..90),
    ) {
        let labels: Vec<Label> = labels
            .iter()
            .enumerate()
            .flat_map(|(n, &(at, length, neighbour))| {
                let label = Label::new([at, at + length], format!("{n}"));
                // Starts at the next f64 and ends earlier, so that rounding may make both starts
                // equal and reverse the order.
                let close = Label::new([at.next_up(), at + length / 2.0], "close");
                [Some(label), (neighbour == 0).then_some(close)]
            })
            .flatten()
            .collect();
        let mut set = LabelSet::of(labels).unwrap();
        let mut plain: Vec<Label> = set.iter().cloned().collect();
        for (n, (kind, at, length, to, look)) in changes.into_iter().enumerate() {
            let change = change_of(kind, at, length, to);
            plain = moved_one_by_one(&plain, &change);
            set = set.moved(&change);
            if look == 0 && !plain.is_empty() {
                // Labels are inserted and removed while shifts of others are pending.
                let (gone, known) = (plain.len() / 2, plain.len() / 3);
                let (gone, known) = (plain[gone].id, plain[known].id);
                let new = numbered(1_000_000 + n as u64, [at, at + 1.0], "new");
                let put = if known == gone { vec![new] } else { vec![new, numbered(known, [at / 2.0, at], "put")] };
                set = set.edited(put.clone(), &[gone]).unwrap();
                plain.retain(|label| label.id != gone && put.iter().all(|put| put.id != label.id));
                plain.extend(put);
            }
            if look == 1 {
                check(&set, plain.clone());
            }
        }
        check(&set, plain);
    }
}

/// Each label gets the first free one of four lanes, or if there is none, the one that is free soonest.
#[test]
fn labels_that_overlap_lie_in_lanes_of_their_own() {
    let labels = [(0.0, 9.0, "a"), (1.0, 4.0, "b"), (2.0, 3.0, "c"), (3.0, 3.0, "m"), (3.0, 3.0, "n"), (4.0, 5.0, "d")];
    let lanes = |set: &LabelSet| (0..set.len()).map(|index| set.lanes().at(index)).collect::<Vec<_>>();
    let set = set_of(&labels);
    assert_eq!((lanes(&set), set.lanes().len()), (vec![0, 1, 2, 2, 3, 1], 4));
    // Labels or inserted time before these do not change their lanes.
    let before = set.edited(vec![Label::new([-3.0, -2.0], "e"), Label::new([-1.0, 0.0], "f")], &[]).unwrap();
    assert_eq!(lanes(&before), [0, 0, 0, 1, 2, 2, 3, 1]);
    assert_eq!(lanes(&set.moved(&LabelMove::Inserted { at_secs: -1.0, secs: 0.1 })), lanes(&set));
    // Five overlapping labels in four lanes.
    let deep =
        set_of(&[(0.0, 9.0, ""), (1.0, 9.0, ""), (2.0, 8.0, ""), (3.0, 9.0, ""), (4.0, 9.0, ""), (8.5, 9.0, "")]);
    assert_eq!((lanes(&deep), deep.lanes().len()), (vec![0, 1, 2, 3, 2, 0], 4));
    assert_eq!((LabelSet::default().lanes().len(), set_of(&labels[..1]).lanes().len()), (0, 1));
}

/// The id of a deleted label can be used again, and an existing one is found after any number of changes.
#[test]
fn labels_are_found_by_their_ids_after_many_changes_of_time() {
    let mut set = set_of(&[(1.0, 2.0, "cut"), (5.0, 6.0, "stays")]);
    set = set.moved(&LabelMove::Removed { secs: [0.5, 2.5] });
    assert_eq!((set.get(1), set.index_of(1), set.len()), (None, None, 1));
    assert_eq!(set.edited(Vec::new(), &[1]).unwrap_err().to_string(), "label 1 is not there");
    set = set.edited(vec![numbered(1, [0.25, 0.5], "again")], &[]).unwrap();
    for _ in 0..2_500 {
        set = set.moved(&LabelMove::Inserted { at_secs: 0.75, secs: 0.125 });
    }
    assert_eq!(set.get(1).unwrap().secs, [0.25, 0.5]);
    assert_eq!(set.get(2).unwrap().secs, [3.0 + 312.5, 4.0 + 312.5]);
    assert_eq!((set.index_of(2), set.edited(Vec::new(), &[1, 2]).unwrap().len()), (Some(1), 0));
}

/// The cost of a cut does not depend on the number of labels behind it.
#[test]
fn a_cut_in_front_of_many_labels_is_far_quicker_than_moving_each() {
    let labels = (0..MAX_LABELS).map(|at| Label::new([at as f64 * 0.5, at as f64 * 0.5 + 0.4], "call")).collect();
    let set = LabelSet::of(labels).unwrap();
    let plain: Vec<Label> = set.iter().cloned().collect();
    let change = LabelMove::Removed { secs: [0.1, 1.1] };
    let min_ms = |work: &dyn Fn()| {
        let run = |_| {
            let start = std::time::Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        };
        (0..20).map(run).fold(f64::INFINITY, f64::min)
    };
    let moved = min_ms(&|| assert!(set.moved(&change).len() < MAX_LABELS));
    let each = min_ms(&|| assert!(moved_one_by_one(&plain, &change).len() < MAX_LABELS));
    println!("a cut of 100,000 labels: {moved:.3} ms; each by itself: {each:.3} ms");
    assert!(moved < each / 4.0, "{moved} ms, each by itself {each} ms");
    check(&set.moved(&change), moved_one_by_one(&plain, &change));
}

#[test]
fn a_cut_shortens_moves_and_removes() {
    let set = set_of(&[
        (0.0, 1.0, "before"),
        (0.5, 2.5, "its end is cut"),
        (1.0, 10.0, "around"),
        (2.0, 2.0, "a marker at the cut"),
        (2.0, 4.0, "all of it"),
        (2.5, 3.0, "inside"),
        (3.0, 6.0, "its start is cut"),
        (4.0, 4.0, "a marker behind the cut"),
        (4.0, 5.0, "from its end"),
        (7.0, 8.0, "after"),
    ]);
    let expected = [
        (0.0, 1.0, "before"),
        (0.5, 2.0, "its end is cut"),
        (1.0, 8.0, "around"),
        (2.0, 2.0, "a marker behind the cut"),
        (2.0, 3.0, "from its end"),
        (2.0, 4.0, "its start is cut"),
        (5.0, 6.0, "after"),
    ];
    let moved = set.moved(&LabelMove::Removed { secs: [2.0, 4.0] });
    assert_eq!(shown(&moved), expected.map(|(start, end, text)| (start, end, text.to_owned())));
    assert_eq!(set.len(), 10, "the set before the edit stays");
}

#[test]
fn what_is_inserted_at_an_edge_stays_outside() {
    let set =
        set_of(&[(0.0, 2.0, "ends there"), (1.0, 3.0, "around"), (2.0, 2.0, "marker"), (2.0, 3.0, "starts there")]);
    let moved = set.moved(&LabelMove::Inserted { at_secs: 2.0, secs: 5.0 });
    let expected = [(0.0, 2.0, "ends there"), (1.0, 8.0, "around"), (7.0, 7.0, "marker"), (7.0, 8.0, "starts there")];
    assert_eq!(shown(&moved), expected.map(|(start, end, text)| (start, end, text.to_owned())));
}

#[test]
fn a_stretch_that_pushes_takes_its_labels_along() {
    let set = set_of(&[(0.0, 1.0, "before"), (2.0, 3.0, "inside"), (3.0, 5.0, "over its end"), (6.0, 7.0, "after")]);
    let moved = set.moved(&LabelMove::Stretched { secs: [2.0, 4.0], to_secs: 4.0 });
    let expected = [(0.0, 1.0, "before"), (2.0, 4.0, "inside"), (4.0, 7.0, "over its end"), (8.0, 9.0, "after")];
    assert_eq!(shown(&moved), expected.map(|(start, end, text)| (start, end, text.to_owned())));
}

#[test]
fn ids_are_never_given_twice() {
    let set = set_of(&[(0.0, 1.0, "a"), (2.0, 3.0, "b")]);
    let ids: Vec<u64> = set.iter().map(|label| label.id).collect();
    assert_eq!(ids, [1, 2]);
    let fewer = set.edited(Vec::new(), &[2]).unwrap();
    let more = fewer.edited(vec![Label::new([5.0, 6.0], "c")], &[]).unwrap();
    assert_eq!(more.iter().map(|label| label.id).collect::<Vec<_>>(), [1, 3]);
    // After an undo, the document passes on the highest id so far.
    let undone = set.with_next_id(more.next_id()).edited(vec![Label::new([5.0, 6.0], "d")], &[]).unwrap();
    assert_eq!(undone.iter().map(|label| label.id).collect::<Vec<_>>(), [1, 2, 4]);
}

#[test]
fn wrong_edits_of_labels_are_refused_in_one_sentence() {
    let set = set_of(&[(0.0, 1.0, "a")]);
    let label = |change: fn(&mut Label)| {
        let mut label = numbered(1, [0.0, 1.0], "a");
        change(&mut label);
        set.edited(vec![label], &[]).unwrap_err().to_string()
    };
    assert_eq!(label(|label| label.secs[1] = 1e8), "a label cannot be kept: its time is beyond 10000000 s");
    assert_eq!(label(|label| label.secs[0] = f64::NAN), "a label cannot be kept: its time is not a number");
    assert_eq!(
        label(|label| label.confidence = Some(1.5)),
        "a label cannot be kept: its confidence is not between 0 and 1"
    );
    assert_eq!(label(|label| label.colour = Some(12)), "a label cannot be kept: its colour is not one of 0 to 11");
    assert_eq!(
        label(|label| (label.low_hz, label.high_hz) = (Some(3.0), Some(2.0))),
        "a label cannot be kept: its lower frequency is above its upper one"
    );
    assert_eq!(
        label(|label| label.text = "x".repeat(4097).into()),
        "a label cannot be kept: its text is longer than 4096 bytes"
    );
    assert_eq!(set.edited(Vec::new(), &[9]).unwrap_err().to_string(), "label 9 is not there");
    assert_eq!(set.edited(Vec::new(), &[1, 1]).unwrap_err().to_string(), "label 1 is named twice");
    let twice = vec![numbered(4, [0.0, 1.0], "a"), numbered(4, [0.0, 1.0], "b")];
    assert_eq!(set.edited(twice, &[]).unwrap_err().to_string(), "label 4 is there twice");
    let many = vec![Label::new([0.0, 0.0], ""); MAX_LABELS];
    let refused = set.edited(many, &[]).unwrap_err().to_string();
    assert_eq!(refused, "there would be 100001 labels; a sound may have 100000");
    assert_eq!(shown(&set), [(0.0, 1.0, "a".to_owned())]);
}

#[test]
fn times_are_put_in_order_and_lines_are_one_kind() {
    let checked = Label::new([2.0, 1.0], "a\r\nb\rc").checked().unwrap();
    assert!(checked.is_swapped);
    assert_eq!((checked.label.secs, &*checked.label.text), ([1.0, 2.0], "a\nb\nc"));
}

#[test]
fn labels_are_the_same_after_json() {
    let columns: Columns = [("View", "Spectrogram 1"), ("empty", ""), ("n", "3")]
        .map(|(a, b)| (Arc::from(a), Arc::from(b)))
        .into_iter()
        .collect();
    let full = Label {
        id: 7,
        low_hz: Some(2000.0),
        high_hz: Some(4500.5),
        confidence: Some(0.25),
        channel: Some(1),
        colour: Some(11),
        columns: columns.clone(),
        ..Label::new([1.0 / 3.0, 1.5], "a \"b\"\n\u{1f426}")
    };
    let above = Label { id: 8, low_hz: Some(100.0), ..Label::new([-0.5, -0.5], "") };
    let text = labels_to_json([&full, &above]);
    assert!(text.contains(r#""frequency":[100.0,null]"#), "{text}");
    let read = labels_from_json(&text, LabelIds::Needed).unwrap();
    assert_eq!((read.labels, read.n_swapped), (vec![full, above], 0));
    assert_eq!(Columns::from_json(&columns.to_json()).unwrap(), columns);
    assert_eq!(columns.len(), 2, "a column that says nothing is none");

    let read = labels_from_json(r#"[{"time": [2, 1]}]"#, LabelIds::Optional).unwrap();
    assert_eq!((read.labels, read.n_swapped), (vec![Label::new([1.0, 2.0], "")], 1));
    let refused = |text: &str| labels_from_json(text, LabelIds::Needed).unwrap_err().to_string();
    assert_eq!(refused(r#"[{"time": [1, 2]}]"#), "[0]: id is missing");
    assert_eq!(refused(r#"[{"id": 0, "time": [1, 2]}]"#), "[0].id: must be a whole number above 0");
    assert_eq!(refused(r#"[{"id": 1, "time": [1]}]"#), "[0].time: must be a list of two numbers");
    assert_eq!(
        refused(r#"[{"id": 1, "time": [1, 2], "frequency": [5, 4]}]"#),
        "[0]: its lower frequency is above its upper one"
    );
    assert_eq!(refused(r#"[{"id": 1, "time": [1, 2], "colour": 12}]"#), "[0].colour: must be 0 to 11");
    assert_eq!(refused(r#"[{"id": 1, "time": [1, 2], "txt": ""}]"#), "[0]: the field \"txt\" is unknown");
    assert_eq!(
        refused(r#"[{"id": 1, "time": [1, 2], "columns": [["a", "1"], ["a", "2"]]}]"#),
        "[0]: the column a is there twice"
    );
}

/// Prints the time of edits of 100,000 labels: `cargo test --release -- --ignored --nocapture edits_of_many_labels`.
#[test]
#[ignore = "a measurement: run it alone, in a release build"]
fn edits_of_many_labels() {
    let n = MAX_LABELS - 1000;
    let labels =
        (0..n).map(|at| Label::new([at as f64 * 0.5, at as f64 * 0.5 + 0.4], ["cat", "dog"][at % 2])).collect();
    let set = LabelSet::of(labels).unwrap();
    let timed = |name: &str, work: &dyn Fn(usize) -> LabelSet| {
        let mut all: Vec<f64> = (0..200)
            .map(|k| {
                let start = std::time::Instant::now();
                let made = work(k);
                let secs = start.elapsed().as_secs_f64();
                drop(made);
                secs * 1e3
            })
            .collect();
        all.sort_by(f64::total_cmp);
        println!("{name}: median {:.3} ms, longest {:.3} ms", all[100], all[199]);
    };
    timed("add", &|k| set.edited(vec![Label::new([k as f64 * 200.0, k as f64 * 200.0 + 1.0], "new")], &[]).unwrap());
    timed("replace", &|k| set.edited(vec![numbered(k as u64 * 400 + 1, [3.0, 4.0], "moved")], &[]).unwrap());
    timed("remove", &|k| set.edited(Vec::new(), &[k as u64 * 400 + 1]).unwrap());
    timed("cut at the start", &|_| set.moved(&LabelMove::Removed { secs: [0.1, 1.1] }));
    timed("cut in the middle", &|_| set.moved(&LabelMove::Removed { secs: [25_000.1, 25_001.1] }));
    timed("look up", &|k| set.with_next_id(set.get(k as u64 * 400 + 1).unwrap().id));
}
