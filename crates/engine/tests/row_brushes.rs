//! Brushes of rows on the device: against the CPU engine, given the same cells.

use super::rows::{PARITY, apart, bank};
use dsp::transforms::rows::{RowBank, RowBlur, RowDrag, RowGroup, RowMove, RowShift, RowsParams};
use dsp::{Axis, CellRect, Kernel, Mask, Region, RowsPlan};
use engine::Engine;
use engine::gpu::Gpu;
use std::sync::Arc;
use support::gpu::{gpu, own_gpu, poison};
use support::regions::{Random, random_mask, random_region};

/// Bytes of the buffers that are spoiled before the device runs.
const SPOILED_BYTES: usize = 1 << 18;

fn loudest(region: &Region) -> f64 {
    f64::from(region.magnitude.iter().copied().fold(0.0, f32::max))
}

/// That the device's cells are the CPU's, relative to the loudest of `before`. Returns whether those of `control` are
/// not.
fn assert_parity([on_gpu, control]: [&Region; 2], on_cpu: &Region, before: &Region, what: &str) -> bool {
    assert_eq!(on_gpu.rect, on_cpu.rect, "{what}");
    let off = |a: &Region| apart(a, on_cpu, [0, 0]) / loudest(before);
    assert!(off(on_gpu) <= PARITY, "{what}: {:e}", off(on_gpu));
    off(control) > PARITY
}

fn run(engine: &Engine, kernel: &Kernel, before: &Region, mask: &Mask) -> Region {
    let before = engine.upload(before.clone()).unwrap();
    engine.download(engine.run(kernel, &before, mask).unwrap()).unwrap()
}

const COLUMNS: f64 = 2.3;

/// A blur of a group's rows over half an octave at most.
fn blur_of(bank: &RowBank, group: &RowGroup, octaves: f64, amount: Option<f32>) -> Kernel {
    let blur = RowBlur::new(bank.table(), group.rows(), COLUMNS, octaves, Axis::Log);
    Kernel::RowBlur(Arc::new(match amount {
        Some(amount) => blur.sharpening(amount),
        None => blur,
    }))
}

/// The cells of a mask over rows of a group, and those of a region that holds what its blur reads.
fn rects_of(bank: &RowBank, group: &RowGroup, kernel: &Kernel, columns: std::ops::Range<usize>) -> [CellRect; 2] {
    let rows = group.rows();
    let written = CellRect::new(columns, rows.start + rows.len() / 4..rows.end);
    let [frames, bins] = kernel.halo();
    [written.clone(), written.grown(frames, bins + 1, &CellRect::new(0..60, 0..bank.rows().len()))]
}

#[test]
fn blurs_of_rows_are_the_cpus() {
    let (Some(gpu), cpu) = (own_gpu(), support::engines::cpu()) else { return };
    let (engine, mut random) = (Engine::on(gpu.clone()), Random(3));
    let presets = [RowsParams::music(), RowsParams::mel(128)].map(|params| bank(&params, 44_100.0));
    for bank in &presets {
        let groups = bank.groups();
        // DC alone, the lowest rows, some whose blur reads other groups, the highest, Nyquist alone.
        for group in [0, 1, groups.len() / 2, groups.len() - 2, groups.len() - 1].map(|at| &groups[at]) {
            for (octaves, amount) in [(0.3, None), (0.08, Some(1.7)), (0.0, None)] {
                let (kernel, mut is_noticed) = (blur_of(bank, group, octaves, amount), false);
                // In the middle, at both ends, one column.
                for columns in [20..37, 0..9, 51..60, 30..31] {
                    let [written, read] = rects_of(bank, group, &kernel, columns);
                    let (before, mask) = (random_region(&mut random, &read), random_mask(&mut random, &written));
                    let what = format!("{group:?}, {octaves} octaves, {amount:?}, {written:?}");
                    let on_cpu = run(&cpu, &kernel, &before, &mask);
                    poison(&gpu, SPOILED_BYTES);
                    let on_gpu = run(&engine, &kernel, &before, &mask);
                    // The control blurs a hundredth further.
                    let blur = RowBlur::new(bank.table(), group.rows(), 1.01 * COLUMNS, 1.01 * octaves, Axis::Log);
                    let blur = if let Some(amount) = amount { blur.sharpening(amount) } else { blur };
                    is_noticed |= assert_parity([&on_gpu, &blur.run(&before, &mask)], &on_cpu, &before, &what);
                    let kept = mask
                        .values
                        .iter()
                        .zip(&on_gpu.magnitude)
                        .zip(&before.crop(&written).magnitude)
                        .all(|((m, after), before)| *m != 0.0 || after.to_bits() == before.to_bits());
                    assert!(kept, "{what}: cells outside the mask keep their bits");
                }
                assert!(is_noticed, "{group:?}, {octaves}, {amount:?}: the control was not noticed");
            }
        }
    }
}

#[test]
fn weights_of_a_blur_are_uploaded_once() {
    let Some(gpu) = own_gpu() else { return };
    let (engine, bank) = (Engine::on(gpu), bank(&RowsParams::music(), 44_100.0));
    let group = &bank.groups()[bank.groups().len() / 2];
    let n_made = |octaves: f64| {
        let kernel = blur_of(&bank, group, octaves, None);
        let [written, read] = rects_of(&bank, group, &kernel, 10..20);
        let before = random_region(&mut Random(1), &read);
        run(&engine, &kernel, &before, &Mask { values: vec![1.0; written.n_cells()], rect: written });
        engine.n_tables_made()
    };
    let first = n_made(0.1);
    // The same weights in another allocation are the same table.
    assert_eq!(n_made(0.1), first);
    assert_eq!(n_made(0.2), first + 1);
    assert_eq!(n_made(0.1), first + 1);
}

#[test]
fn a_blur_beyond_its_region_is_refused() {
    let Some(gpu) = gpu() else { return };
    let (engine, bank) = (Engine::on(gpu), bank(&RowsParams::music(), 44_100.0));
    let group = &bank.groups()[bank.groups().len() / 2];
    let kernel = blur_of(&bank, group, 0.2, None);
    let rect = CellRect::new(10..20, group.rows());
    let mask = Mask { values: vec![1.0; rect.n_cells()], rect: rect.clone() };
    let before = engine.upload(random_region(&mut Random(1), &rect)).unwrap();
    assert!(engine.run(&kernel, &before, &mask).is_err(), "rows of other groups are missing");
}

fn moved(engine: &Engine, way: &RowMove<'_>, source: &Region, mask: &Mask, turns: &[f64]) -> Region {
    let source = engine.upload(source.clone()).unwrap();
    engine.download(engine.move_rows(way, &source, mask, turns).unwrap()).unwrap()
}

/// Moves a mask's cells on both engines, from random cells by random turns.
fn assert_moves_agree(gpu: &Gpu, engines: &[Engine; 2], way: &RowMove<'_>, mask: &Mask, random: &mut Random) {
    let read = way.cells_read(mask, 1 << 40).union(&mask.rect);
    let source = random_region(random, &read);
    let turns: Vec<f64> = mask.values.iter().map(|_| random.next() - 0.5).collect();
    let what = format!("{:?}, {:?} from {read:?} by {:?}", way.group, mask.rect, way.shift);
    let [on_gpu, on_cpu] = engines.each_ref().map(|engine| {
        poison(gpu, SPOILED_BYTES);
        moved(engine, way, &source, mask, &turns)
    });
    // The control turns a hundred thousandth of a turn further.
    let further: Vec<f64> = turns.iter().map(|turns| turns + 1e-5).collect();
    let control = way.run(&source, mask, &further);
    assert!(assert_parity([&on_gpu, &control], &on_cpu, &source, &what), "{what}: the control was not noticed");
    let bits = |region: &Region, i: usize| [region.magnitude[i].to_bits(), region.phase[i].to_bits()];
    let cells = source.crop(&mask.rect);
    let kept = |i: usize| mask.values[i] > 0.0 || bits(&on_gpu, i) == bits(&cells, i);
    assert!((0..mask.values.len()).all(kept), "{what}: cells outside the mask keep their bits");
}

#[test]
fn moves_through_rows_are_the_cpus() {
    let Some(gpu) = own_gpu() else { return };
    let (engines, mut random) = ([Engine::on(gpu.clone()), support::engines::cpu()], Random(5));
    let bank = Arc::new(bank(&RowsParams::music(), 44_100.0));
    let middle = bank.group_of(bank.row_from_hz(2_000.0) as usize).rows().end;
    let top = bank.scale_rows().end;
    // Rows of two groups, the lowest, and the highest.
    for rows in [middle - 6..middle + 7, 1..9, top - 9..top] {
        let plan = RowsPlan::for_moves(&bank, rows.start.max(6) - 5..(rows.end + 5).min(top));
        let group = plan.group();
        let inside = group.first_column_inside();
        let secs = group.secs_per_column();
        // From the sound's first columns, from its middle, and a hundred hours later, where turns have wrapped often.
        for first in [0, inside + 1_000, 1 << 28] {
            let mask = random_mask(&mut random, &CellRect::new(first..first + 13, rows.clone()));
            let pushed: Vec<[f64; 2]> = mask
                .values
                .iter()
                .map(|_| [40.0 * secs * (random.next() - 0.5), 0.4 * (random.next() - 0.5)])
                .collect();
            for shift in [
                RowShift::Grab([0.0, 0.13]),
                RowShift::Grab([-3.7 * secs, 0.0]),
                RowShift::Grab([5.3 * secs, -0.21]),
                RowShift::Push(&pushed),
            ] {
                let way = RowMove { bank: &bank, group, axis: Axis::Log, shift, keeps_pitch: true };
                assert_moves_agree(&gpu, &engines, &way, &mask, &mut random);
            }
        }
        assert!(group.rows().any(|row| group.whole_turns_per_column(row) > 0) || rows.start == 1);
    }
}

/// More cells than one dispatch moves.
#[test]
fn a_large_move_is_dispatched_in_parts() {
    let Some(gpu) = own_gpu() else { return };
    let (engines, mut random) = ([Engine::on(gpu.clone()), support::engines::cpu()], Random(7));
    let bank = Arc::new(bank(&RowsParams::music(), 44_100.0));
    let rows = bank.row_from_hz(300.0) as usize..bank.row_from_hz(3_000.0) as usize;
    let plan = RowsPlan::for_moves(&bank, rows.clone());
    let first = plan.group().first_column_inside();
    let mask = random_mask(&mut random, &CellRect::new(first..first + 3_600, rows));
    assert!(mask.values.len() > 1 << 18);
    let shift = RowShift::Grab([0.01, 0.05]);
    let way = RowMove { bank: &bank, group: plan.group(), axis: Axis::Log, shift, keeps_pitch: false };
    assert_moves_agree(&gpu, &engines, &way, &mask, &mut random);
}

/// The canvas after some dabs, each with its own mask.
fn dragged(engine: &Engine, drags: &[RowDrag<'_>], canvas: &Region, masks: &[Mask]) -> Region {
    let mut canvas = engine.upload(canvas.clone()).unwrap();
    for (drag, mask) in drags.iter().zip(masks) {
        engine.drag_rows(drag, &mut canvas, mask).unwrap();
    }
    engine.download(canvas).unwrap()
}

#[test]
fn drags_in_time_are_the_cpus() {
    let Some(gpu) = own_gpu() else { return };
    let (engine, cpu, mut random) = (Engine::on(gpu.clone()), support::engines::cpu(), Random(11));
    let bank = Arc::new(bank(&RowsParams::music(), 44_100.0));
    let all = bank.rows().len();
    // The middle, DC and the lowest rows, the highest and Nyquist.
    for rows in [60..90, 0..20, all - 20..all] {
        let scale = bank.scale_rows();
        let plan = RowsPlan::for_moves(&bank, rows.start.max(scale.start)..rows.end.min(scale.end));
        let canvas = random_region(&mut random, &CellRect::new(30..70, rows.clone()));
        // Each on what the last one left; the last ones come from outside the canvas.
        let steps = [1, 1, -2, 5, 0, 39, -60, i64::MAX];
        let drag = |columns: i64| RowDrag { bank: &bank, group: plan.group(), step: [columns, 0], first_column: 30 };
        let masks: Vec<Mask> = (0..steps.len())
            .map(|i| {
                let mid = rows.start + 4;
                random_mask(&mut random, &CellRect::new(30 + 2 * i..50 + 2 * i, rows.start..mid + i))
            })
            .collect();
        let drags = steps.map(drag);
        let on_cpu = dragged(&cpu, &drags, &canvas, &masks);
        poison(&gpu, SPOILED_BYTES);
        let on_gpu = dragged(&engine, &drags, &canvas, &masks);
        // The control drags by a column less.
        let control = dragged(&cpu, &steps.map(|columns| drag(columns.saturating_sub(1))), &canvas, &masks);
        let is_noticed = assert_parity([&on_gpu, &control], &on_cpu, &canvas, &format!("{rows:?}"));
        assert!(is_noticed, "{rows:?}: the control was not noticed");
    }
    // A drag in pitch is not the device's.
    let plan = RowsPlan::for_moves(&bank, 60..90);
    let drag = RowDrag { bank: &bank, group: plan.group(), step: [1, 1], first_column: 0 };
    let rect = CellRect::new(30..40, 60..90);
    let mut canvas = engine.upload(random_region(&mut random, &rect)).unwrap();
    let mask = random_mask(&mut random, &rect);
    assert!(engine.drag_rows(&drag, &mut canvas, &mask).is_err());
}
