//! The wand on rows, and masks of rows as shapes.

use super::{RATE, bank};
use base::Progress;
use document::brushes::Erase;
use document::{Channels, Edit, Script, Snapshot, apply, resolve};
use dsp::selections::mask;
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, CellRect, Cells, Grid, Mask, RowsPlan, Selection, Shape, StftParams, Transform};
use engine::{PlannedGrid, Plans};
use media::Source;
use std::sync::Arc;
use support::engines::cpu;
use support::measure::strongest_tone;
use support::signals::tone;

fn snapshot(samples: Vec<f32>) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![samples], RATE as u32).unwrap())
}

fn wand(at: [f64; 2], tolerance_db: f64) -> Selection {
    Selection::of(Shape::Wand { at, tolerance_db })
}

fn found(sound: &Snapshot, at: [f64; 2], transform: impl Into<Transform>) -> Cells {
    let selection =
        resolve(sound, &wand(at, 20.0), transform, &Channels::All, &Plans::default(), &Progress::new()).unwrap();
    match &selection.shapes[0].1 {
        Shape::Cells(cells) => cells.clone(),
        other => panic!("{other:?}"),
    }
}

/// Tones of 60 Hz and a semitone above, together for three seconds.
fn two_notes() -> Vec<f32> {
    let n = (4.0 * RATE) as usize;
    let notes = [60.0, 60.0 * 2f64.powf(1.0 / 12.0)].map(|hz| tone(n, RATE, hz, 0.2));
    let fade = |i: usize| ((i as f64 / RATE - 0.5).min(3.5 - i as f64 / RATE) / 0.05).clamp(0.0, 1.0) as f32;
    (0..n).map(|i| fade(i) * (notes[0][i] + notes[1][i])).collect()
}

#[test]
fn the_wand_tells_low_notes_apart_on_rows_and_not_on_an_stft() {
    let sound = snapshot(two_notes());
    let edit = |transform: Transform| Edit {
        brush: Erase.into(),
        stroke: None,
        select: Some(wand([2.0, 60.0], 9.0)),
        channels: Channels::All,
        transform,
        strength: 1.0,
        consistency_steps: Some(0),
    };
    let levels = |sound: &Snapshot| {
        let mut samples = vec![0.0; (2.0 * RATE) as usize];
        sound.read(0, RATE as i64, &mut samples).unwrap();
        [[58.0, 61.0], [62.5, 65.0]].map(|[low, high]| 20.0 * strongest_tone(&samples, RATE, low, high).level.log10())
    };
    let before = levels(&sound);
    let change = |transform: Transform| {
        let applied = apply(&sound, &edit(transform), &cpu(), &Progress::new()).unwrap();
        let after = levels(&applied.snapshot);
        [0, 1].map(|i| after[i] - before[i])
    };
    let on_rows = change(RowsParams::bass().into());
    let on_stft = change(Transform::for_rate(RATE));
    println!("erased {:.1}, kept {:+.2} dB; on the STFT {on_stft:.1?} dB", on_rows[0], on_rows[1]);
    assert!(on_rows[0] < -20.0 && on_rows[1].abs() < 1.0);
    assert!((on_stft[0] - on_stft[1]).abs() < 1.0, "control: there both are one");
}

/// A tone of half a second: selected from its start to its end, and at most its row's window beyond.
#[test]
fn the_wand_takes_a_tone_as_long_as_it_is() {
    let n = (2.0 * RATE) as usize;
    let samples = tone(n, RATE, 2_000.0, 0.2).into_iter().enumerate();
    let sound = snapshot(samples.map(|(i, x)| if (0.5..1.0).contains(&(i as f64 / RATE)) { x } else { 0.0 }).collect());
    for params in [RowsParams::music(), RowsParams::mel(128), RowsParams::bark(96)] {
        let axis = bank(&params, RATE).axis();
        let cells = found(&sound, [0.75, 2_000.0], params);
        println!("{axis:?}: {:?} s, {:?} Hz", cells.secs, cells.hz);
        assert!((0.45..0.52).contains(&cells.secs[0]) && (0.98..1.05).contains(&cells.secs[1]), "{cells:?}");
        assert!(cells.hz[0] > 1_600.0 && cells.hz[0] < 2_000.0 && cells.hz[1] > 2_000.0 && cells.hz[1] < 2_400.0);
        assert_eq!(cells.axis, axis);
    }
    // From the ends of the sound and beyond, and below the first row.
    let whole = snapshot(tone(n, RATE, 40.0, 0.2));
    for at in [[0.0, 40.0], [2.0, 40.0], [-1.0, 40.0], [9.0, 5.0]] {
        let cells = found(&whole, at, RowsParams::music());
        assert!(cells.secs[0] > -0.1 && cells.secs[1] < 2.1, "{at:?}: {:?}", cells.secs);
    }
}

/// Rows of other groups are analysed with the clicked row's hop: their cells are those of the transform there.
#[test]
fn what_is_flooded_is_one_grid() {
    let samples = super::sound((RATE * 0.5) as usize, 4);
    let sound = snapshot(samples.clone());
    let bank = Arc::new(bank(&RowsParams::music(), RATE));
    let (at, tolerance) = ([0.25, 1_000.0], 6.0);
    let row = bank.row_from_hz(at[1]).round() as usize;
    let plan = RowsPlan::of_groups(&bank).into_iter().find(|plan| plan.group().rows().contains(&row)).unwrap();
    let on = PlannedGrid::of_rows(plan, samples.len() as u64);
    let frame = on.grid.frame_from_secs(at[0]).round() as usize;
    let rect = on.grid.cells_around(&on.grid.all_bins(frame..frame + 1));
    let region = super::analysed(&on.plan, &samples, &rect);
    let level = |frame: usize, bin: usize| region.magnitude[region.index(frame, bin)];
    let seed = [frame, row];
    let ratio = 10f32.powf(tolerance / 20.0);
    let is_near = |[frame, bin]: [usize; 2]| {
        let part = level(frame, bin) / level(seed[0], seed[1]);
        (1.0 / ratio..=ratio).contains(&part)
    };
    let mut taken = std::collections::BTreeSet::from([seed]);
    let mut open = vec![seed];
    while let Some([frame, bin]) = open.pop() {
        for frame in frame.saturating_sub(1).max(rect.frames.start)..=(frame + 1).min(rect.frames.end - 1) {
            for bin in (bin - 1).max(rect.bins.start)..=(bin + 1).min(rect.bins.end - 1) {
                if is_near([frame, bin]) && taken.insert([frame, bin]) {
                    open.push([frame, bin]);
                }
            }
        }
    }
    let selection = resolve(
        &sound,
        &wand(at, f64::from(tolerance)),
        RowsParams::music(),
        &Channels::All,
        &Plans::default(),
        &Progress::new(),
    )
    .unwrap();
    let mask = mask::evaluate(&on.grid, None, Some(&selection), 1.0, &rect);
    let flooded = rect.frames.clone().flat_map(|frame| rect.bins.clone().map(move |bin| [frame, bin]));
    let n_off = flooded.zip(&mask.values).filter(|(cell, m)| taken.contains(cell) != (**m > 0.0)).count();
    let bins: std::collections::BTreeSet<usize> = taken.iter().map(|[_, bin]| *bin).collect();
    println!("{} cells over {} rows, {n_off} off", taken.len(), bins.len());
    // Rounding may move levels across the tolerance, so a few cells may differ.
    assert!(taken.len() > 20 && n_off <= taken.len() / 100, "{n_off} of {}", taken.len());
}

/// A mask of rows keeps its values as a shape, on every scale; read on a linear axis it differs.
#[test]
fn a_mask_of_rows_is_one_of_their_axis() {
    let thirds = RowsParams::list(&super::thirds());
    for params in [RowsParams::music(), RowsParams::mel(64), RowsParams::bark(96), thirds] {
        let grid = Grid::new(params.clone(), RATE, 20_000);
        let n_rows = grid.n_bins();
        let rect = CellRect::new(30..70, 4..n_rows - 3);
        let values = rect.frames.clone().flat_map(|frame| {
            rect.bins
                .clone()
                .map(move |bin| if (frame * 7 + bin * 5) % 11 < 5 { ((frame + bin) % 4 + 1) as f32 / 4.0 } else { 0.0 })
        });
        let mask = Mask { rect: rect.clone(), values: values.collect() };
        let cells = Cells::from_mask(&grid, &mask).unwrap();
        let is_same = |cells: &Cells| {
            let selection = Selection::of(Shape::Cells(cells.clone()));
            let bounds = mask::bounds(&grid, None, Some(&selection));
            mask::evaluate(&grid, None, Some(&selection), 1.0, &rect) == mask && rect.contains(&bounds)
        };
        assert!(is_same(&cells), "{params:?}");
        assert!(!is_same(&Cells { axis: Axis::Linear, ..cells.clone() }), "{params:?}");
        // Scripts keep the axis.
        let edit = Edit { select: Some(Selection::of(Shape::Cells(cells))), ..Edit::of(Erase, params) };
        let script = Script::from(vec![edit]);
        assert_eq!(Script::parse(&script.to_json()).unwrap(), script);
    }
    // A mask of an STFT has the linear axis; a log axis needs frequencies above 0.
    let grid = Grid::new(StftParams::default(), RATE, 20_000);
    let mask = Mask { rect: CellRect::new(3..4, 5..7), values: vec![1.0, 0.5] };
    assert_eq!(Cells::from_mask(&grid, &mask).unwrap().axis, Axis::Linear);
    let shape = r#"{"shape": "mask", "axis": "log", "time": [0, 1], "frequency": [0, 100], "values": [[1]]}"#;
    let text = format!(r#"{{"version": 1, "edits": [{{"brush": {{"kind": "erase"}}, "select": {shape}}}]}}"#);
    let error = Script::parse(&text).unwrap_err();
    assert_eq!(error.message(), "edits[0].select.frequency: a log axis has no 0 Hz or below; use a frequency above 0");
}
