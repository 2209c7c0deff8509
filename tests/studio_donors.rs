//! Holes that are filled from the library: the stretch of a sound that fits the surroundings takes their place.

use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, Drawing, clip, open, samples};
use crate::support::wav::{Format, Wav};
use egui_kittest::kittest::Queryable;
use sonobrush::document::Snapshot;
use sonobrush::document::brushes::Brush;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{BrowseCommand, EditCommand};
use sonobrush::workbench::{EntryNote, FileAct, LibraryAct};
use std::path::Path;

const HOLE_SECS: [f64; 2] = [1.0, 1.15];

fn write(path: &Path, channels: &[Vec<f32>], rate: u32) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let bits = |channel: &Vec<f32>| channel.iter().map(|sample| i64::from(sample.to_bits())).collect();
    Wav { format: Format::F32, rate, channels: channels.iter().map(bits).collect() }.write(path);
}

/// How far above the error the wanted sound lies between two samples.
fn snr_db(wanted: &[f32], got: &[f32], within: std::ops::Range<usize>) -> f64 {
    let power = |value: &dyn Fn(usize) -> f32| within.clone().map(|at| f64::from(value(at)).powi(2)).sum::<f64>();
    10.0 * (power(&|at| wanted[at]) / power(&|at| wanted[at] - got[at]).max(1e-20)).log10()
}

#[test]
fn a_hole_is_filled_from_the_library_and_undone() {
    let mut bench = Bench::new(Drawing::None);
    let sound = open(&clip("drum_break_44k_stereo.flac"));
    let rate = sound.sample_rate_hz();
    let whole: Vec<Vec<f32>> = (0..2).map(|channel| samples(&sound, channel)).collect();
    let n = whole[0].len();
    assert!(n as f64 / rate > 2.0);
    // The same break, quieter and beginning later, among others; one is too short to fill anything.
    let late: Vec<Vec<f32>> =
        whole.iter().map(|channel| channel[7_777..].iter().map(|sample| 0.3 * sample).collect()).collect();
    write(&bench.out("sounds/break.wav"), &late, rate as u32);
    write(&bench.out("sounds/hiss.wav"), &[noise(90_000, 0.1, 3)], 44_100);
    write(&bench.out("sounds/note.wav"), &[tone(90_000, 44_100.0, 440.0, 0.3)], 44_100);
    write(&bench.out("sounds/short.wav"), &[noise(9_000, 0.1, 4)], 44_100);
    bench.act(LibraryAct::Dropped(vec![bench.out("sounds")]));
    bench.settle();
    let hole = HOLE_SECS.map(|secs| (secs * rate) as usize);
    let mut damaged = whole.clone();
    damaged.iter_mut().for_each(|channel| channel[hole[0]..hole[1]].fill(0.0));
    bench.act(FileAct::Show(Snapshot::new(Source::from_channels(damaged.clone(), rate as u32).unwrap())));
    bench.settle();
    // Without a selection there is nothing to fill.
    assert!(bench.studio().workbench().browser().entries().len() == 4);
    bench.select(Some(HOLE_SECS), None);
    bench.act(BrowseCommand::Donors);
    bench.settle();
    let browser = bench.studio().workbench().browser();
    let entries = browser.entries().to_vec();
    let name = |at: usize| browser.row(entries[at].id).unwrap().name();
    assert_eq!((entries.len(), name(0)), (3, "break.wav".to_owned()));
    assert!(entries.iter().all(|entry| matches!(entry.note, EntryNote::Alike(_))), "{entries:?}");
    bench.act(LibraryAct::Choose { at: 0, is_heard: false });
    bench.settle();
    bench.click("Fill selection from chosen sound");
    bench.settle();
    assert!(bench.notices().is_empty(), "{:?}", bench.notices());
    let inner = hole[0] + 1_000..hole[1] - 1_000;
    let filled: Vec<Vec<f32>> = (0..2).map(|channel| bench.samples(channel)).collect();
    for channel in 0..2 {
        let snr = snr_db(&whole[channel], &filled[channel], inner.clone());
        assert!(snr > 20.0, "channel {channel}: {snr:.1} dB");
        // Beyond the touched frames nothing changed.
        let far = |samples: &[f32]| [&samples[..hole[0] - 4_096], &samples[hole[1] + 4_096..]].concat();
        assert!(far(&damaged[channel]) == far(&filled[channel]));
    }
    // One step, which holds what it took: without the library it is undone and done again, to the bit.
    std::fs::remove_dir_all(bench.out("sounds")).unwrap();
    std::fs::remove_dir_all(bench.out("state/library")).unwrap();
    let document = bench.studio().document().unwrap();
    assert_eq!(document.history().position(), 1);
    let edit = document.history().entries()[1].edit.clone().unwrap();
    assert!(matches!(edit.brush, Brush::Paste(ref paste) if paste.replaces));
    bench.act(EditCommand::Undo);
    bench.settle();
    assert!(bench.samples(0) == damaged[0]);
    bench.act(EditCommand::Redo);
    bench.settle();
    assert!(bench.samples(0) == filled[0] && bench.samples(1) == filled[1]);
    // As a script it is the same.
    let script = sonobrush::document::Script { edits: vec![edit] };
    let text = script.to_json();
    assert!(text.contains("\"replace\""), "{text}");
}

#[test]
fn what_cannot_be_filled_is_one_sentence() {
    let mut bench = Bench::new(Drawing::None);
    write(&bench.out("sounds/hiss.wav"), &[noise(90_000, 0.1, 3)], 44_100);
    bench.act(LibraryAct::Dropped(vec![bench.out("sounds")]));
    bench.settle();
    let silence = Source::from_channels(vec![vec![0.0; 20 * 44_100]], 44_100).unwrap();
    bench.act(FileAct::Show(Snapshot::new(silence)));
    bench.settle();
    for (secs, hz, what) in [
        (Some([1.0, 1.2]), None, "What surrounds the selection is silent, so nothing fits it."),
        (Some([0.0, 11.0]), None, "The selection is too long to be filled from another sound; select 10 s at most."),
        (None, Some([100.0, 200.0]), "Select a range of time or a box to be filled."),
    ] {
        bench.select(secs, hz);
        bench.act(BrowseCommand::Donors);
        bench.settle();
        assert!(
            bench.harness.query_by_label(what).is_some(),
            "{what}: {:?}",
            bench.studio().workbench().browser().trouble()
        );
    }
}
