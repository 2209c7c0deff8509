//! Brushes of rows on the device: against the CPU engine, given the same cells.

use super::rows::{PARITY, apart, bank};
use dsp::transforms::rows::{RowBank, RowBlur, RowGroup, RowsParams};
use dsp::{Axis, CellRect, Kernel, Mask, Region};
use engine::Engine;
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
