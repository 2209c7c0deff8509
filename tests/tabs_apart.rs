//! What is read, drawn and measured of a document is gone with it when another comes to the front; and fields keep
//! their unit while they are edited.

use crate::support::signals::tone;
use crate::support::studio::{Bench, Drawing, has_gpu};
use egui::{Event, Shape};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::document::Snapshot;
use sonobrush::media::Source;
use sonobrush::workbench::{FileAct, TabAct};

#[test]
fn nothing_read_of_one_document_is_shown_of_another() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    let crow = bench.studio().document().unwrap().id();
    let samples = tone(32_000, 16_000.0, 1_000.0, 0.5);
    bench.act(FileAct::Show(Snapshot::new(Source::from_channels(vec![samples], 16_000).unwrap())));
    bench.settle();
    let viewport = bench.studio().viewport().unwrap();
    let at = egui::pos2(viewport.x_from_secs(1.0) as f32, viewport.y_from_hz(1_000.0) as f32);
    bench.harness.event(Event::PointerMoved(at));
    bench.settle();
    let readout = bench.studio().workbench().readout().unwrap();
    let peak_hz = readout.peak_hz.unwrap();
    assert!((peak_hz - 1_000.0).abs() < 2.0 && bench.studio().slice().is_some(), "{readout:?}");
    bench.act(TabAct::Activate(crow));
    // Frames without the answer of any job.
    for _ in 0..4 {
        bench.harness.step();
        let read = bench
            .studio()
            .workbench()
            .readout()
            .and_then(|readout| readout.peak_hz.or(readout.level_db.map(f64::from)));
        assert_eq!(read, None, "of the tone");
        assert!(bench.studio().slice().is_none(), "the spectrum is of the tone");
    }
    bench.settle();
    assert_eq!(bench.studio().slice().unwrap().grid.sample_rate_hz, 44_100.0);
}

#[test]
fn a_field_shows_its_unit_while_it_is_edited() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let is_field = |node: &egui_kittest::Node<'_>| node.accesskit_node().role() == egui::Role::SpinButton;
    let rect = bench.harness.query_all_by_label("Gain").find(is_field).unwrap().rect();
    let units = |bench: &Bench| {
        let painted = bench.harness.output().shapes.iter().filter_map(|clipped| match &clipped.shape {
            Shape::Text(text) if text.galley.text().trim() == "dB" => Some(text.visual_bounding_rect()),
            _ => None,
        });
        painted.filter(|place| rect.contains_rect(*place)).count()
    };
    assert_eq!(units(&bench), 1, "beside the number");
    bench.harness.query_all_by_label("Gain").find(is_field).unwrap().click();
    bench.settle();
    assert_eq!(units(&bench), 1);
}
