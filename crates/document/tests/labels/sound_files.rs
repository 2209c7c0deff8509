//! Labels in sound files.

use base::Progress;
use document::labels::formats::labels_of_sound;
use document::labels::{Label, LabelSet};
use document::{Delivery, Snapshot, deliver};
use media::{ExportFormat, Source};
use support::opened::folder;

fn sound() -> Snapshot {
    Snapshot::new(Source::from_channels(vec![vec![0.25; 4_800]], 48_000).unwrap())
}

/// 12 MB of text exceed the 8 MB for chapters in a FLAC file's comment block.
#[test]
fn chapters_that_a_flac_file_has_no_room_for_are_counted() {
    let text = "x".repeat(4_000);
    let labels = (0..3_000).map(|n| Label::new([f64::from(n) * 1e-5; 2], text.clone())).collect();
    let labels = LabelSet::of(labels).unwrap();
    let place = folder();
    let write = |name: &str| {
        let (sound, path) = (sound(), place.path().join(name));
        let written_as = Delivery { format: ExportFormat::Pcm16, ..Delivery::default() };
        let report = deliver((&sound, &labels), 0..4_800, &path, &written_as, &Progress::new()).unwrap();
        (report.notices, Source::open(&path, &Progress::new()).unwrap().source)
    };
    let (notices, flac) = write("o.flac");
    assert_eq!(flac.info().n_samples, 4_800);
    assert_eq!(
        notices[0],
        "1019 labels are not kept, as a FLAC file has no room for more chapters; \"sonobrush labels\" writes them to a \
         file of their own"
    );
    let (notices, wav) = write("o.wav");
    // A label that a cue describes completely is stored without its id, so ids are not compared.
    let plain = |labels: &LabelSet| labels.iter().map(|label| (label.secs, label.text.clone())).collect::<Vec<_>>();
    assert!(notices.is_empty() && plain(&labels_of_sound(&wav).0) == plain(&labels));
}

/// Labels of a part are those within it, relative to its start; labels outside the sound are exported only with the
/// whole sound.
#[test]
fn a_part_has_the_labels_within_it() {
    let labels = [([0.01, 0.02], "in"), ([0.04, 0.09], "across"), ([0.05; 2], "at the end"), ([7.0, 8.0], "outside")];
    let labels = labels.map(|(secs, text)| Label::new(secs, text)).to_vec();
    let labels = LabelSet::of(labels).unwrap();
    let place = folder();
    let texts = |samples: std::ops::Range<u64>| {
        let (sound, path) = (sound(), place.path().join("o.wav"));
        let written_as = Delivery { format: ExportFormat::Float32, ..Delivery::default() };
        deliver((&sound, &labels), samples, &path, &written_as, &Progress::new()).unwrap();
        let (found, _) = labels_of_sound(&Source::open(&path, &Progress::new()).unwrap().source);
        found.iter().map(|label| (label.secs, label.text.to_string())).collect::<Vec<_>>()
    };
    let near = |found: Vec<([f64; 2], String)>| {
        found.into_iter().map(|(secs, text)| (secs.map(|at| (at * 1e6).round() / 1e6), text)).collect::<Vec<_>>()
    };
    assert_eq!(near(texts(240..2_400)), [([0.005, 0.015], "in".to_owned())]);
    assert_eq!(near(texts(240..2_401)).len(), 2, "the sample that is marked is in it");
    assert_eq!(texts(0..4_800), labels.iter().map(|label| (label.secs, label.text.to_string())).collect::<Vec<_>>());
}
