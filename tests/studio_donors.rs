//! Holes that are filled from the library: the stretch of a sound that fits the surroundings takes their place.

use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, clip, has_gpu, open, samples};
use crate::support::wav::{Format, Wav};
use egui_kittest::kittest::Queryable;
use sonobrush::document::brushes::{Brush, Erase};
use sonobrush::document::{Channels, Edit, Script, Snapshot};
use sonobrush::dsp::{Axis, Point, Stroke, Transform};
use sonobrush::media::Source;
use sonobrush::workbench::commands::{BrowseCommand, EditCommand};
use sonobrush::workbench::{DocumentAct, EntryNote, FileAct, LibraryAct, Tool};
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
    bench.act(FileAct::Open(vec![bench.out("sounds")]));
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
    bench.act(LibraryAct::Choose { at: 0, is_audible: false });
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
    let script = sonobrush::document::Script::from(vec![edit]);
    let text = script.to_json();
    assert!(text.contains("\"replace\""), "{text}");
}

#[test]
fn what_cannot_be_filled_is_one_sentence() {
    let mut bench = Bench::new(Drawing::None);
    write(&bench.out("sounds/hiss.wav"), &[noise(90_000, 0.1, 3)], 44_100);
    bench.act(FileAct::Open(vec![bench.out("sounds")]));
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

/// A stroke over all frequencies of the hole.
fn stroke_over_hole() -> Stroke {
    let point = |secs| Point { secs, hz: 11_000.0, pressure: 1.0 };
    Stroke {
        points: HOLE_SECS.map(point).to_vec(),
        axis: Axis::Linear,
        radius: [0.02, 12_000.0],
        hardness: 1.0,
        strength: 1.0,
        build_up: false,
    }
}

#[test]
fn the_clone_brush_paints_with_the_donor_that_fits_around_a_stroke() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::new(Drawing::Wgpu);
    let sound = open(&clip("drum_break_44k_stereo.flac"));
    let rate = sound.sample_rate_hz();
    let whole: Vec<Vec<f32>> = (0..2).map(|channel| samples(&sound, channel)).collect();
    let late: Vec<Vec<f32>> =
        whole.iter().map(|channel| channel[7_777..].iter().map(|sample| 0.3 * sample).collect()).collect();
    write(&bench.out("sounds/break.wav"), &late, rate as u32);
    write(&bench.out("sounds/hiss.wav"), &[noise(90_000, 0.1, 3)], 44_100);
    bench.act(FileAct::Open(vec![bench.out("sounds")]));
    bench.settle();
    let hole = HOLE_SECS.map(|secs| (secs * rate) as usize);
    let mut damaged = whole.clone();
    damaged.iter_mut().for_each(|channel| channel[hole[0]..hole[1]].fill(0.0));
    bench.act(FileAct::Show(Snapshot::new(Source::from_channels(damaged, rate as u32).unwrap())));
    bench.settle();
    // Neither selected nor painted over: there is nothing to repair.
    let enabled = |bench: &Bench| {
        let facts = bench.studio().workbench().facts();
        BrowseCommand::Donors.row().needs.iter().all(|need| need.check(&facts).is_ok())
    };
    assert!(!enabled(&bench));
    // A stroke of any brush, which did not help; undone, it is still the last.
    let over = |brush: Brush| Edit {
        brush,
        stroke: Some(stroke_over_hole()),
        select: None,
        channels: Channels::All,
        transform: Transform::default(),
        strength: 1.0,
        consistency_steps: None,
    };
    bench.act(DocumentAct::Edit(Box::new(over(Erase.into()))));
    bench.settle();
    bench.act(EditCommand::Undo);
    bench.settle();
    assert!(enabled(&bench));
    bench.act(BrowseCommand::Donors);
    bench.settle();
    let browser = bench.studio().workbench().browser();
    let names: Vec<String> = browser.entries().iter().map(|entry| browser.row(entry.id).unwrap().name()).collect();
    assert_eq!(names, ["break.wav", "hiss.wav"]);
    assert!(browser.is_cloning());
    bench.act(LibraryAct::Choose { at: 0, is_audible: false });
    bench.settle();
    bench.click("Clone from chosen sound");
    assert!(bench.notices().is_empty(), "{:?}", bench.notices());
    let document = bench.studio().document().unwrap();
    let donor = document.donor().unwrap().clone();
    assert_eq!((bench.tools().active(), donor.name.as_str()), (Tool::CLONE, "break.wav"));
    assert!(bench.has("Paints with break.wav. Ctrl+click the canvas to clone from there instead."));
    // Painted with over the hole it is what was lost.
    bench.act(DocumentAct::Edit(Box::new(over(donor.brush().into()))));
    bench.settle();
    for (channel, whole) in whole.iter().enumerate() {
        let snr = snr_db(whole, &bench.samples(channel), hole[0] + 1_000..hole[1] - 1_000);
        assert!(snr > 20.0, "channel {channel}: {snr:.1} dB");
    }
    bench.act(EditCommand::Undo);
    // By hand: the edit holds what its stroke needs of the donor, and no more.
    bench.set_view(|view| (view.secs, view.hz) = ([0.8, 1.4], [0.0, 10_000.0]));
    bench.settle();
    let viewport = bench.studio().viewport().unwrap();
    let place = |secs| egui::pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(3_000.0) as f32);
    bench.drag(&[place(1.0), place(1.05), place(1.15)]);
    let document = bench.studio().document().unwrap();
    let edit = document.history().entries().last().unwrap().edit.clone().unwrap();
    assert_eq!(sonobrush::workbench::describe(&edit), "Clone from another sound, stroke");
    let Brush::Paste(paste) = &edit.brush else { panic!("{edit:?}") };
    let [secs, _] = edit.stroke.as_ref().unwrap().reach();
    assert!(paste.replaces && paste.clip.secs()[0] >= secs[0] - 1.001 && paste.clip.secs()[1] <= secs[1] + 1.001);
    assert!(paste.clip.n_samples() < donor.clip.n_samples());
    // As a script it is the same, without any library.
    let script = Script::from(vec![edit]);
    assert!(Script::parse(&script.to_json()).unwrap().edits == script.edits);
    // Ctrl+click: a place of this sound again.
    let (pos, button, modifiers) = (place(1.3), egui::PointerButton::Primary, CTRL);
    bench.harness.event(egui::Event::PointerMoved(pos));
    for pressed in [true, false] {
        bench.harness.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
    }
    bench.settle();
    assert!(bench.studio().document().unwrap().donor().is_none());
}

#[test]
fn what_cannot_be_cloned_is_one_sentence() {
    let mut bench = Bench::new(Drawing::None);
    write(&bench.out("sounds/hiss.wav"), &[noise(90_000, 0.1, 3)], 44_100);
    bench.act(FileAct::Open(vec![bench.out("sounds")]));
    bench.settle();
    // Nothing sounds but where the stroke is.
    let mut click = vec![0.0; 2 * 44_100];
    click[47_000..48_000].fill(0.5);
    bench.act(FileAct::Show(Snapshot::new(Source::from_channels(vec![click], 44_100).unwrap())));
    bench.settle();
    let edit = Edit {
        brush: Erase.into(),
        stroke: Some(stroke_over_hole()),
        select: None,
        channels: Channels::All,
        transform: Transform::default(),
        strength: 1.0,
        consistency_steps: None,
    };
    bench.act(DocumentAct::Edit(Box::new(edit)));
    bench.settle();
    bench.act(BrowseCommand::Donors);
    bench.settle();
    assert!(bench.has("What surrounds the stroke is silent, so nothing fits it."));
}
