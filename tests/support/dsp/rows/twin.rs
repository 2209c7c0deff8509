//! The transform in f64 from its definition, bin by bin: no folding, no tables, no sharing between groups.

use crate::fourier::{Complex, fft, times, turn};
use std::f64::consts::{PI, TAU};
use std::ops::Range;

/// What may be got wrong on purpose, or made longer than needed.
#[derive(Clone, Copy)]
pub struct Flaws {
    /// Windows are divided by the root of their sum.
    pub is_tight: bool,
    /// Length of slices, times that of the definition.
    pub slice: f64,
}

pub const NONE: Flaws = Flaws { is_tight: true, slice: 1.0 };

/// What a transform is made from.
pub struct TwinScale {
    pub hz: Vec<f64>,
    pub spacing: Vec<f64>,
    pub gamma: f64,
    pub kappa: f64,
}

impl TwinScale {
    pub fn log(bins: f64, fmin: f64, gamma: Option<f64>, rate: f64) -> TwinScale {
        let alpha = (2f64.powf(1.0 / bins) - 2f64.powf(-1.0 / bins)) / 2.0;
        let all = (0..).map(|k| fmin * 2f64.powf(f64::from(k) / bins));
        let hz: Vec<f64> = all.take_while(|f| f + alpha * f / 2.0 < rate / 2.0).collect();
        let spacing = hz.iter().map(|f| alpha * f).collect();
        let kappa = if bins < 24.0 { 11.0 } else { 9.0 };
        TwinScale { hz, spacing, gamma: gamma.unwrap_or(24.7 * alpha / 0.108), kappa }
    }

    pub fn mel(bands: usize, rate: f64) -> TwinScale {
        let back = |m: f64| match m {
            m if m < 15.0 => 200.0 * m / 3.0,
            m => 1000.0 * ((m - 15.0) * 6.4f64.ln() / 27.0).exp(),
        };
        let step = (15.0 + 27.0 * (rate / 2.0 / 1000.0).ln() / 6.4f64.ln()) / (bands as f64 + 1.0);
        TwinScale::of_axis(bands, step, back)
    }

    pub fn bark(bands: usize, rate: f64) -> TwinScale {
        let step = 6.0 * (rate / 2.0 / 600.0).asinh() / (bands as f64 + 1.0);
        TwinScale::of_axis(bands, step, |b| 600.0 * (b / 6.0).sinh())
    }

    fn of_axis(bands: usize, step: f64, back: impl Fn(f64) -> f64) -> TwinScale {
        let place = |k: usize| (k + 1) as f64 * step;
        let hz = (0..bands).map(|k| back(place(k))).collect();
        let spacing = (0..bands).map(|k| (back(place(k) + step) - back(place(k) - step)) / 2.0).collect();
        TwinScale { hz, spacing, gamma: 0.0, kappa: if bands < 64 { 11.0 } else { 9.0 } }
    }

    pub fn list(hz: Vec<f64>) -> TwinScale {
        let n = hz.len();
        let between =
            |k: usize| (hz[(k + 1).min(n - 1)] - hz[k.max(1) - 1]) / if k == 0 || k == n - 1 { 1.0 } else { 2.0 };
        let spacing = (0..n).map(between).collect();
        TwinScale { hz, spacing, gamma: 0.0, kappa: 16.0 }
    }
}

/// A row, and a run of rows.
pub struct TwinRow {
    pub hz: f64,
    pub width: f64,
    pub half: f64,
    pub is_real: bool,
    pub hop: usize,
    spacing: f64,
}

pub struct TwinGroup {
    pub rows: Range<usize>,
    pub hop: usize,
    pub len: usize,
}

pub struct Twin {
    pub rows: Vec<TwinRow>,
    pub groups: Vec<TwinGroup>,
    rate: f64,
    edges: [f64; 2],
    flaws: Flaws,
}

fn integral(x: f64) -> f64 {
    let x = x.clamp(-0.5, 0.5);
    let waves = [(1.0, 1584.0), (2.0, 990.0), (3.0, 440.0), (4.0, 132.0), (5.0, 24.0), (6.0, 2.0)];
    (924.0 * (x + 0.5) + waves.iter().map(|(i, c)| c * (TAU * i * x).sin() / (TAU * i)).sum::<f64>()) / 924.0
}

impl Twin {
    pub fn new(scale: &TwinScale, rate: f64, flaws: Flaws) -> Twin {
        let last = scale.hz.len() - 1;
        let width = |k: usize| 6.0 * (scale.spacing[k] + scale.gamma);
        let edges = [scale.hz[0] - scale.spacing[0] / 2.0, scale.hz[last] + scale.spacing[last] / 2.0];
        let row = |hz: f64, width: f64, half: f64, is_real: bool, spacing: f64| {
            let mut hop = 1;
            while 2.0 * hop as f64 <= rate / (2.0 * half - 0.18 * width) * (1.0 + 1e-12) {
                hop *= 2;
            }
            TwinRow { hz, width, half, is_real, hop, spacing }
        };
        let mut rows = vec![row(0.0, width(0), edges[0] + width(0) / 2.0, true, 0.0)];
        rows.extend((0..=last).map(|k| row(scale.hz[k], width(k), width(k) / 2.0, false, scale.spacing[k])));
        rows.push(row(rate / 2.0, width(last), rate / 2.0 - edges[1] + width(last) / 2.0, true, 0.0));
        let mut groups: Vec<TwinGroup> = Vec::new();
        for (k, row) in rows.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if group.hop == row.hop && !row.is_real && k > 1 => group.rows.end = k + 1,
                _ => groups.push(TwinGroup { rows: k..k + 1, hop: row.hop, len: 0 }),
            }
        }
        for group in &mut groups {
            let narrow = rows[group.rows.clone()].iter().map(|row| row.width).fold(f64::MAX, f64::min);
            let mut places = 8;
            while (places as f64) < 4.0 * scale.kappa * rate / (narrow * group.hop as f64) - 1e-9 {
                places *= 2;
            }
            group.len = ((places * group.hop) as f64 * flaws.slice) as usize;
        }
        Twin { rows, groups, rate, edges, flaws }
    }

    fn squared(&self, k: usize, f: f64) -> f64 {
        let row = &self.rows[k];
        if (f - row.hz).abs() > row.half {
            return 0.0;
        }
        let plateau = |x: f64, edge: f64| integral((x + edge) / row.width) - integral((x - edge) / row.width);
        match k {
            0 => plateau(f, self.edges[0]),
            k if k == self.rows.len() - 1 => plateau(row.hz - f, row.hz - self.edges[1]),
            _ => row.spacing / (row.width * 924.0 / 4096.0) * (PI * (f - row.hz) / row.width).cos().powi(12),
        }
    }

    fn sum(&self, f: f64) -> f64 {
        let f = if f.abs() > self.rate / 2.0 { self.rate - f.abs() } else { f.abs() };
        let of = |k: usize| {
            let images = self.squared(k, -f) + self.squared(k, self.rate - f);
            self.squared(k, f) + if self.rows[k].is_real { 0.0 } else { images }
        };
        (0..self.rows.len()).map(of).sum()
    }

    pub fn window(&self, k: usize, f: f64) -> f64 {
        let squared = self.squared(k, f).max(0.0);
        if self.flaws.is_tight && squared > 0.0 { (squared / self.sum(f)).sqrt() } else { squared.sqrt() }
    }

    /// Per row of a group: the first bin of its window and the values.
    fn windows(&self, group: &TwinGroup) -> Vec<(i64, Vec<f64>)> {
        let step = self.rate / group.len as f64;
        let of = |k: usize| {
            let row = &self.rows[k];
            let first = ((row.hz - row.half) / step).ceil() as i64;
            let last = ((row.hz + row.half) / step).floor() as i64;
            (first, (first..=last).map(|j| self.window(k, j as f64 * step)).collect())
        };
        group.rows.clone().map(of).collect()
    }

    pub fn n_columns(&self, group: &TwinGroup, n: usize) -> usize {
        n.div_ceil(group.hop) + group.len / group.hop / 2 + 1
    }

    /// Cells of a group, column by column.
    pub fn analyse(&self, x: &[f64], group: &TwinGroup) -> Vec<Complex> {
        let (len, places) = (group.len, group.len / group.hop);
        let windows = self.windows(group);
        let twiddles: Vec<Complex> = (0..places).map(|i| turn(i as f64 / places as f64)).collect();
        let n_columns = self.n_columns(group, x.len());
        let mut cells = vec![[0.0; 2]; n_columns * windows.len()];
        for slice in 0..n_columns.div_ceil(places / 2) {
            let start = (slice as i64 - 1) * len as i64 / 2;
            let at = |i: usize| usize::try_from(start + i as i64).ok().and_then(|i| x.get(i)).copied().unwrap_or(0.0);
            let mut spectrum: Vec<Complex> = (0..len).map(|i| [at(i), 0.0]).collect();
            fft(&mut spectrum, -1.0);
            for (r, (first, window)) in windows.iter().enumerate() {
                let factor = if self.rows[group.rows.start + r].is_real { 1.0 } else { 2.0 } / len as f64;
                for place in places / 4..3 * places / 4 {
                    let column = slice * places / 2 + place - places / 4;
                    if column >= n_columns {
                        break;
                    }
                    let mut sum = [0.0, 0.0];
                    for (j, g) in (*first..).zip(window) {
                        let x = spectrum[j.rem_euclid(len as i64) as usize];
                        let w = twiddles[(j * place as i64).rem_euclid(places as i64) as usize];
                        let value = times(x, w);
                        sum = [sum[0] + g * value[0], sum[1] + g * value[1]];
                    }
                    cells[column * windows.len() + r] = [factor * sum[0], factor * sum[1]];
                }
            }
        }
        cells
    }

    /// Adds the samples of a group's cells.
    pub fn synthesise(&self, cells: &[Complex], group: &TwinGroup, y: &mut [f64]) {
        let (len, places) = (group.len, group.len / group.hop);
        let windows = self.windows(group);
        let twiddles: Vec<Complex> = (0..places).map(|i| turn(-(i as f64) / places as f64)).collect();
        let n_columns = cells.len() / windows.len();
        for slice in 0..n_columns.div_ceil(places / 2) {
            let columns = slice * places / 2..((slice + 1) * places / 2).min(n_columns);
            let own = &cells[columns.start * windows.len()..columns.end * windows.len()];
            if own.iter().all(|cell| *cell == [0.0, 0.0]) {
                continue;
            }
            let mut spectrum = vec![[0.0; 2]; len];
            for (r, (first, window)) in windows.iter().enumerate() {
                let is_real = self.rows[group.rows.start + r].is_real;
                for (j, g) in (*first..).zip(window) {
                    let mut sum = [0.0, 0.0];
                    for column in columns.clone() {
                        let place = (column - slice * places / 2 + places / 4) as i64;
                        let cell = cells[column * windows.len() + r];
                        let cell = if is_real { [cell[0], 0.0] } else { cell };
                        let value = times(cell, twiddles[(j * place).rem_euclid(places as i64) as usize]);
                        sum = [sum[0] + value[0], sum[1] + value[1]];
                    }
                    let factor = g * group.hop as f64 * if is_real { 1.0 } else { 0.5 };
                    let (bin, mirror) = (j.rem_euclid(len as i64) as usize, (-j).rem_euclid(len as i64) as usize);
                    spectrum[bin] = [spectrum[bin][0] + factor * sum[0], spectrum[bin][1] + factor * sum[1]];
                    if !is_real {
                        let old = spectrum[mirror];
                        spectrum[mirror] = [old[0] + factor * sum[0], old[1] - factor * sum[1]];
                    }
                }
            }
            fft(&mut spectrum, 1.0);
            let start = (slice as i64 - 1) * len as i64 / 2;
            for (i, value) in spectrum.iter().enumerate() {
                if let Some(y) = usize::try_from(start + i as i64).ok().and_then(|i| y.get_mut(i)) {
                    *y += value[0] / len as f64;
                }
            }
        }
    }
}
