//! Phase integration against a plain implementation with one heap, cell by cell: bit-identical.

use dsp::warps::phase;
use dsp::{CellRect, Grid, Mask, Region, Stft, StftParams, Window};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::f64::consts::TAU;
use support::signals::{Rng, busy};

/// `gamma / N^2` of the Hann window.
const HANN_GAMMA: f64 = 0.248_87;

fn wrapped(turns: f64) -> f64 {
    turns - turns.round_ties_even()
}

/// Phases under the mask, the loudest cells first; `None` where a cell is too quiet to have one.
fn integrated(grid: &Grid, known: &Region, target: &Region, mask: &Mask) -> Vec<Option<f32>> {
    let StftParams { n_fft, hop, .. } = *grid.transform().as_stft().unwrap();
    let (n_fft, hop, n_bins) = (n_fft as f64, hop as f64, known.n_bins());
    let mut magnitude = known.magnitude.clone();
    let mut is_known = vec![true; magnitude.len()];
    let mut turns: Vec<f64> = known.phase.iter().map(|&turns| f64::from(turns)).collect();
    let mut places = Vec::new();
    for frame in target.rect.frames.clone() {
        for bin in target.rect.bins.clone() {
            let (from, to) = (target.index(frame, bin), known.index(frame, bin));
            if mask.values[from] > 0.0 {
                (magnitude[to], is_known[to], turns[to]) =
                    (target.magnitude[from], false, f64::from(target.phase[from]));
                places.push((from, to));
            }
        }
    }
    let min = magnitude.iter().fold(0.0f32, |max, m| max.max(*m)) * 1e-6;
    let log: Vec<f64> = magnitude.iter().map(|&m| f64::from(m).max(f64::from(min)).ln()).collect();
    let gamma = HANN_GAMMA * n_fft * n_fft;
    let gradients = |i: usize| {
        let (frame, column) = (i / n_bins, i % n_bins);
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(known.n_frames() - 1));
        let (low, high) = (column.saturating_sub(1), (column + 1).min(n_bins - 1));
        let slope = |low: usize, high: usize, apart: usize| (log[high] - log[low]) / apart as f64;
        let bin = known.rect.bins.start + column;
        let is_end = bin == 0 || bin + 1 == grid.n_bins();
        let row = frame * n_bins;
        let along_bins = if is_end { 0.0 } else { slope(row + low, row + high, high - low) };
        let along_frames = slope(before * n_bins + column, after * n_bins + column, after - before);
        let per_frame = wrapped(bin as f64 * hop / n_fft) + hop * n_fft / gamma * along_bins / TAU;
        [per_frame, -gamma / (hop * n_fft) * along_frames / TAU]
    };
    let has_phase = |i: usize| magnitude[i] > min;
    let entry = |i: usize| (magnitude[i].to_bits(), Reverse(i));
    let mut queue: BinaryHeap<_> = (0..magnitude.len()).filter(|&i| is_known[i] && has_phase(i)).map(entry).collect();
    loop {
        let Some((_, Reverse(i))) = queue.pop() else {
            let Some(start) = (0..magnitude.len()).filter(|&i| !is_known[i] && has_phase(i)).max_by_key(|&i| entry(i))
            else {
                break;
            };
            is_known[start] = true;
            queue.push(entry(start));
            continue;
        };
        let (frame, column, own) = (i / n_bins, i % n_bins, gradients(i));
        let steps = [
            (frame > 0, i.wrapping_sub(n_bins), 0, -0.5),
            (frame + 1 < known.n_frames(), i + n_bins, 0, 0.5),
            (column > 0, i.wrapping_sub(1), 1, -0.5),
            (column + 1 < n_bins, i + 1, 1, 0.5),
        ];
        for (_, j, along, half) in steps.into_iter().filter(|(is_there, ..)| *is_there) {
            if !is_known[j] && has_phase(j) {
                turns[j] = wrapped(turns[i] + half * (own[along] + gradients(j)[along]));
                is_known[j] = true;
                queue.push(entry(j));
            }
        }
    }
    let mut phases = vec![None; target.magnitude.len()];
    for (from, to) in places {
        let turned = turns[to] as f32;
        phases[from] = is_known[to].then_some(if turned >= 0.5 { -0.5 } else { turned });
    }
    phases
}

#[test]
fn phases_are_integrated_as_cell_after_cell() {
    let params = StftParams { n_fft: 256, hop: 64, window: Window::Hann };
    let x = busy(12_000, 22_050.0, 7);
    let (grid, stft) = (Grid::new(params, 22_050.0, x.len() as u64), Stft::new(params));
    let analysed = |rect: &CellRect| {
        let samples = stft.samples_under(&rect.frames).map(|i| usize::try_from(i).map_or(0.0, |i| x[i]));
        stft.analyse(&samples.collect::<Vec<_>>(), rect)
    };
    let mut rng = Rng(11);
    // With known cells around the target, with both ends of the spectrum, and without known cells.
    for (bins, is_alone) in [(20..90, false), (0..129, false), (0..60, true), (100..129, true)] {
        let rect = CellRect::new(20..80, bins);
        let mut known = analysed(&rect.grown(phase::HALO, phase::HALO, &grid.all_cells()));
        let mut target = analysed(&rect);
        // The mask has islands; the target has quiet, silent and equal cells.
        let mut mask = Mask::zeros(rect.clone());
        for (i, m) in mask.values.iter_mut().enumerate() {
            let (frame, bin) = (i / rect.bins.len(), i % rect.bins.len());
            *m = if (frame / 13 + bin / 17) % 3 < 2 || rng.uniform() < 0.2 { 0.7 } else { 0.0 };
            let factor = [1.0, 1.0, 1.0, 0.0, 1e-8, 1.0, 1.0][(rng.uniform() * 7.0) as usize];
            target.magnitude[i] *= factor;
            target.magnitude[i] = if rng.uniform() < 0.1 { 0.25 } else { target.magnitude[i] };
        }
        if is_alone {
            known.magnitude.fill(0.0);
        }
        let rebuilt = phase::rebuild(&stft, &grid, &known, &target, &mask, 0);
        let plain = integrated(&grid, &known, &target, &mask);
        let mut n_found = 0;
        for (i, plain) in plain.iter().enumerate() {
            match plain {
                Some(turns) => assert_eq!(rebuilt.phase[i].to_bits(), turns.to_bits(), "{rect:?} cell {i}"),
                None if mask.values[i] > 0.0 => assert!(target.magnitude[i] < 1e-5),
                None => assert_eq!(rebuilt.phase[i], target.phase[i]),
            }
            n_found += usize::from(plain.is_some_and(|turns| turns != target.phase[i]));
        }
        assert!(n_found > rect.n_cells() / 3, "{n_found} of {}", rect.n_cells());
        assert_eq!(rebuilt.magnitude, target.magnitude);
    }
}
