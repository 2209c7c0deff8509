//! A picture that is placed by its handles: its sound begins and ends where the rulers say.

use crate::hearing::bench_with;
use crate::support::picture_edits::ends_at;
use crate::support::pictures::Grey;
use crate::support::studio::{Bench, CTRL, Drawing, has_gpu};
use egui::{Key, Pos2, pos2};
use sonobrush::document::Brush;
use sonobrush::document::brushes::{PictureBrush, PictureMode};
use sonobrush::dsp::strokes::picture::PictureArea;
use sonobrush::dsp::{Axis, StftParams};
use sonobrush::workbench::{DocumentAct, Floating};

fn picture(bench: &Bench) -> PictureBrush {
    bench.studio().document().unwrap().floating().and_then(Floating::picture).cloned().unwrap()
}

/// The area of the last edit, which is a picture.
fn placed_area(bench: &Bench) -> PictureArea {
    let edit = bench.studio().document().unwrap().history().entries().last().unwrap().edit.clone().unwrap();
    let Brush::Picture(brush) = &edit.brush else { panic!("{:?}", edit.brush) };
    brush.area
}

#[test]
fn edges_placed_by_handles_lie_on_the_ruler_values_to_a_cell() {
    if !has_gpu() {
        return;
    }
    for axis in [Axis::Linear, Axis::Log] {
        let mut bench = bench_with(Drawing::Wgpu, &[vec![0.0; 72_000]]);
        bench.set_view(|view| (view.axis, view.secs, view.hz) = (axis, [0.0, 1.5], [500.0, 10_000.0]));
        bench.settle();
        let path = bench.out("white.png");
        std::fs::write(&path, Grey::of(8, 8, |_, _| 1.0).png()).unwrap();
        bench.open(path);
        bench.settle();
        let mut brush = picture(&bench);
        (brush.mode, brush.area.secs, brush.area.hz) = (PictureMode::Replace, [0.5, 0.7], [3_000.0, 4_000.0]);
        // Without a peak target, so that the levels are those of the brush.
        brush.peak_db = None;
        bench.act(DocumentAct::FloatPicture(Box::new(brush)));
        bench.settle();
        let viewport = bench.studio().viewport().unwrap();
        let at = |secs: f64, hz: f64| pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32);
        let drag = |bench: &mut Bench, from: Pos2, to: Pos2| bench.drag(&[from, from.lerp(to, 0.5), to]);
        // The upper right corner, the left edge, the lower edge: each to a value of the rulers.
        drag(&mut bench, at(0.7, 4_000.0), at(0.9, 5_000.0));
        drag(&mut bench, at(0.5, 3_500.0), at(0.3, 3_600.0));
        drag(&mut bench, at(0.6, 3_000.0), at(0.7, 2_000.0));
        bench.key(CTRL, Key::Enter);
        let sound = bench.studio().document().unwrap().history().current().clone();
        let wanted = PictureArea { secs: [0.3, 0.9], hz: [2_000.0, 5_000.0], axis };
        // The area of the edit, in seconds and hertz, to a cell.
        let grid = sound.grid(StftParams::for_rate(sound.sample_rate_hz()));
        let cell = [grid.hop_secs(), grid.step_hz_at(1_000.0)];
        let placed = placed_area(&bench);
        let edges_of = |area: &PictureArea| [area.secs, area.hz].concat();
        let is_placed = |wanted: &PictureArea| {
            let off = edges_of(&placed).into_iter().zip(edges_of(wanted)).map(|(found, wanted)| (found - wanted).abs());
            off.enumerate().all(|(edge, off)| off <= cell[edge / 2])
        };
        assert!(placed.axis == axis && is_placed(&wanted), "{}: {placed:?}", axis.name());
        // The control: each edge, two cells off.
        for cells in [-2.0, 2.0] {
            for edge in 0..2 {
                let (mut secs, mut hz) = (wanted.secs, wanted.hz);
                secs[edge] += cells * cell[0];
                hz[edge] += cells * cell[1];
                assert!(!is_placed(&PictureArea { secs, ..wanted }) && !is_placed(&PictureArea { hz, ..wanted }));
            }
        }
        ends_at(&sound, &wanted, 1).unwrap_or_else(|what| panic!("{}: {what}", axis.name()));
        // Control: edges elsewhere are detected.
        for wrong in [
            PictureArea { secs: [0.25, 0.9], ..wanted },
            PictureArea { secs: [0.3, 0.85], ..wanted },
            PictureArea { hz: [1_800.0, 5_000.0], ..wanted },
            PictureArea { hz: [2_000.0, 4_800.0], ..wanted },
        ] {
            assert!(ends_at(&sound, &wrong, 1).is_err(), "{}: {wrong:?}", axis.name());
        }
    }
}
