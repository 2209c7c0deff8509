//! What lies over the pictures says where things are and hides little: places that were found, lines at notes, the
//! names and waveforms of stacked channels; and the wand, which begins at the peak beside the click.

use crate::selecting::{bench, drag, selected_at};
use crate::support::damage::add_clicks;
use crate::support::signals::tone;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, has_gpu};
use egui::{Event, Key, Rect, Shape, pos2};
use sonobrush::document::Snapshot;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{FindCommand, ToolCommand};
use sonobrush::workbench::{Panes, Seek, Tool};

const RATE: u32 = 16_000;

/// What was painted in the last frame, each with the part of the window that it was cut to.
fn painted(bench: &Bench) -> Vec<(Rect, Shape)> {
    fn collect(clip: Rect, shape: &Shape, all: &mut Vec<(Rect, Shape)>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(clip, shape, all)),
            shape => all.push((clip, shape.clone())),
        }
    }
    let mut all = Vec::new();
    bench.harness.output().shapes.iter().for_each(|clipped| collect(clipped.clip_rect, &clipped.shape, &mut all));
    all
}

/// Filled rectangles that lie in a part of the window.
fn filled(bench: &Bench, within: Rect) -> Vec<Rect> {
    let in_part = |(clip, shape): (Rect, Shape)| match shape {
        Shape::Rect(face) if within.contains_rect(clip) => Some(face.rect),
        _ => None,
    };
    painted(bench).into_iter().filter_map(in_part).collect()
}

fn lines(bench: &Bench, within: Rect) -> Vec<([egui::Pos2; 2], f32)> {
    let in_part = |(clip, shape): (Rect, Shape)| match shape {
        Shape::LineSegment { points, stroke } if within.expand(1.0).contains_rect(clip) => Some((points, stroke.width)),
        _ => None,
    };
    painted(bench).into_iter().filter_map(in_part).collect()
}

/// Dashes of the outlines of selections.
fn n_dashes(bench: &Bench, picture: Rect) -> usize {
    lines(bench, picture).iter().filter(|(_, width)| *width == 1.5).count()
}

#[test]
fn found_places_are_ticks_and_tints_rather_than_outlines() {
    if !has_gpu() {
        return;
    }
    let mut damaged = tone(4 * RATE as usize, f64::from(RATE), 440.0, 0.2);
    let clicks = add_clicks(&mut damaged, 24, 3);
    let mut bench = bench(Drawing::Wgpu);
    bench.show(Snapshot::new(Source::from_channels(vec![damaged], RATE).unwrap()));
    bench.act(FindCommand::Seek(Seek::Clicks));
    bench.settle();
    let picture = bench.studio().picture_rect().unwrap();
    let viewport = bench.studio().viewport().unwrap();
    let above = Rect::from_x_y_ranges(-1e4..=1e4, 0.0..=picture.top() + 0.5);
    let ticks: Vec<Rect> =
        filled(&bench, above).into_iter().filter(|rect| (rect.height() - 8.0).abs() < 0.01).collect();
    let tints: Vec<Rect> =
        filled(&bench, picture.expand(0.5)).into_iter().filter(|rect| rect.height() >= picture.height()).collect();
    assert_eq!((ticks.len(), tints.len()), (24, 24), "{ticks:?} {tints:?}");
    for (click, (tick, tint)) in clicks.iter().zip(ticks.iter().zip(&tints)) {
        let x = viewport.x_from_secs(click.start as f64 / f64::from(RATE)) as f32;
        assert!((tick.center().x - x).abs() < 2.0 && (tint.center().x - x).abs() < 2.0, "{x} {tick:?} {tint:?}");
        assert!(tint.width() < 8.0);
    }
    assert_eq!(n_dashes(&bench, picture), 0);
    // What is drawn by hand has its outline, also where it is joined to what was found.
    bench.key(NONE, Key::T);
    drag(&mut bench, &[[1.0, 500.0], [1.5, 500.0]], SHIFT);
    assert!(n_dashes(&bench, picture) > 50);
    bench.key(CTRL, Key::D);
    assert_eq!(filled(&bench, above).iter().filter(|rect| (rect.height() - 8.0).abs() < 0.01).count(), 0);
}

#[test]
fn note_lines_stand_at_octaves_and_near_the_pointer() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.key(SHIFT, Key::M);
    bench.act(ToolCommand::Snapping);
    bench.set_view(|view| {
        (view.axis, view.hz, view.panes) = (sonobrush::dsp::Axis::Log, [100.0, 6_400.0], Panes::Magnitude);
    });
    bench.settle();
    let picture = bench.studio().picture_rect().unwrap();
    let across = |bench: &Bench| -> Vec<f32> {
        let all = lines(bench, picture).into_iter();
        let full = all.filter(|([a, b], width)| a.y == b.y && *width == 1.0 && (b.x - a.x) >= picture.width() - 1.0);
        full.map(|([a, _], _)| a.y).collect()
    };
    bench.harness.event(Event::PointerMoved(pos2(picture.center().x, picture.top() - 60.0)));
    bench.settle();
    // C3 to C8 lie between 100 and 6,400 Hz: 130.8 Hz times powers of two.
    let viewport = bench.studio().viewport().unwrap();
    let mut octaves: Vec<f32> = (0..6).map(|n| viewport.y_from_hz(130.8128 * f64::from(1 << n)) as f32).collect();
    octaves.retain(|y| picture.y_range().contains(*y));
    let seen = across(&bench);
    assert!(octaves.len() >= 5 && seen.len() == octaves.len(), "{seen:?} {octaves:?}");
    assert!(octaves.iter().all(|y| seen.iter().any(|seen| (seen - y).abs() < 0.1)), "{seen:?} {octaves:?}");
    let at = picture.center();
    bench.harness.event(Event::PointerMoved(at));
    bench.settle();
    let between: Vec<f32> =
        across(&bench).into_iter().filter(|y| octaves.iter().all(|c| (c - y).abs() > 0.1)).collect();
    assert!(between.len() >= 4 && between.iter().all(|y| (y - at.y).abs() <= 60.0), "{between:?} {at:?}");
}

#[test]
fn stacked_channels_share_the_scale_of_their_waveforms_and_leave_the_axis_free() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let channels = [0.5, 0.05].map(|level| tone(RATE as usize, f64::from(RATE), 440.0, level)).to_vec();
    bench.show(Snapshot::new(Source::from_channels(channels, RATE).unwrap()));
    bench.set_view(|view| (view.panes, view.stacked, view.waveform) = (Panes::Magnitude, true, 1.0));
    bench.settle();
    let panes: Vec<Rect> = bench.studio().panes().iter().map(|pane| pane.rect).collect();
    assert_eq!(panes.len(), 2);
    let all = painted(&bench);
    let heights: Vec<f32> = panes
        .iter()
        .map(|pane| {
            let meshes = all.iter().filter(|(clip, _)| clip == pane);
            let heights = meshes.filter_map(|(_, shape)| match shape {
                Shape::Mesh(mesh) => Some(mesh.calc_bounds().height()),
                _ => None,
            });
            heights.fold(0.0, f32::max)
        })
        .collect();
    // The dark edge reaches 1.5 points further on both sides.
    let ratio = (heights[0] - 3.0) / (heights[1] - 3.0);
    assert!((ratio - 10.0).abs() < 1.0, "{heights:?}");
    for (pane, name) in panes.iter().zip(["L", "R"]) {
        let placed = all.iter().filter_map(|(clip, shape)| match shape {
            Shape::Text(text) if text.galley.text() == name && pane.contains_rect(*clip) => {
                Some(text.visual_bounding_rect())
            }
            _ => None,
        });
        let placed: Vec<Rect> = placed.collect();
        assert!(placed.len() == 1 && pane.contains_rect(placed[0]), "{name}: {placed:?} {pane:?}");
    }
}

#[test]
fn the_wand_begins_at_the_peak_beside_the_click() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.pick(Tool::Wand);
    bench.set_tools(|tools| tools.wand_tolerance_db = 10.0);
    let grid = sonobrush::view::grid_of(
        bench.studio().document().unwrap().shown(),
        &bench.studio().document().unwrap().view().transform,
    );
    // Two bins beside the tone, well down its side: without the peak these cells alone are as loud.
    for (secs, bins) in [(0.5, 2.0), (1.1, -2.0)] {
        drag(&mut bench, &[[secs, 3_000.0 + bins * grid.min_step_hz()]], NONE);
        assert_eq!([selected_at(&bench, 0.3, 3_000.0), selected_at(&bench, 1.8, 3_000.0)], [1.0, 1.0], "{bins} bins");
    }
    // A click farther away acts on what lies there.
    drag(&mut bench, &[[0.25, 3_000.0 - 12.0 * grid.min_step_hz()]], NONE);
    assert_eq!(selected_at(&bench, 0.3, 3_000.0), 0.0);
}
