//! Autoregressive model of a block of samples, and its assessment of possibly damaged runs.

use std::f64::consts::TAU;
use std::ops::Range;

/// Order of the linear prediction.
pub const ORDER: usize = 32;
/// White noise added to the autocorrelation, 80 dB below the signal; a pure tone would otherwise be predicted to the
/// last digit.
const RIDGE: f64 = 1e-8;

/// Predicts each sample of a block from the [`ORDER`] before it.
pub struct Model {
    /// 1, then the negated prediction coefficients: filtering samples with it gives prediction errors.
    filter: [f64; ORDER + 1],
    /// Autocorrelation of the filter at lags `0 ..= ORDER`.
    lags: [f64; ORDER + 1],
}

impl Model {
    /// The model of a block with half its length on both sides, under a Hann window; `None` for silence and for too few
    /// samples.
    pub fn learn(samples: &[f64], block: Range<usize>) -> Option<Model> {
        let beside = block.len() / 2;
        let range = block.start.saturating_sub(beside)..(block.end + beside).min(samples.len());
        if range.len() <= 2 * ORDER {
            return None;
        }
        let mut windowed = vec![0.0; ORDER];
        let hann = |i: usize| 0.5 - 0.5 * (TAU * (i as f64 + 0.5) / range.len() as f64).cos();
        windowed.extend(samples[range.clone()].iter().enumerate().map(|(i, sample)| sample * hann(i)));
        // The last entry is lag 0: all lags are summed at once, which the compiler vectorises.
        let mut r = [0.0; ORDER + 1];
        for past in windowed.windows(ORDER + 1) {
            let now = past[ORDER];
            r.iter_mut().zip(past).for_each(|(sum, sample)| *sum += now * sample);
        }
        r.reverse();
        if r[0] <= 0.0 {
            return None;
        }
        r[0] *= 1.0 + RIDGE;
        let filter = levinson(&r);
        let lags = std::array::from_fn(|lag| filter[lag..].iter().zip(&filter).map(|(a, b)| a * b).sum());
        Some(Model { filter, lags })
    }

    /// The errors of a range of samples; 0 for the first [`ORDER`] samples of the sound.
    pub fn errors(&self, samples: &[f64], range: Range<usize>) -> Vec<f64> {
        let mut errors = vec![0.0; range.len()];
        let from = range.start.max(ORDER);
        if from < range.end {
            let known = &mut errors[from - range.start..];
            for (k, a) in self.filter.iter().enumerate() {
                let past = &samples[from - k..range.end - k];
                known.iter_mut().zip(past).for_each(|(error, sample)| *error += a * sample);
            }
        }
        errors
    }

    /// Filters errors with the time-reversed filter, which gives half the derivative of the error energy with respect
    /// to each sample. Inexact for the last [`ORDER`] samples.
    pub fn matched(&self, errors: &[f64]) -> Vec<f64> {
        let mut matched = vec![0.0; errors.len()];
        for (k, a) in self.filter.iter().enumerate().take(errors.len()) {
            matched.iter_mut().zip(&errors[k..]).for_each(|(sum, error)| *sum += a * error);
        }
        matched
    }

    /// Standard deviation of a matched sample when that of the errors is 1.
    pub fn matched_gain(&self) -> f64 {
        self.lags[0].sqrt()
    }
}

/// `1, a_1 ..= a_ORDER` of the best prediction, by the Levinson-Durbin recursion.
fn levinson(r: &[f64; ORDER + 1]) -> [f64; ORDER + 1] {
    let mut a = [0.0; ORDER + 1];
    a[0] = 1.0;
    let mut power = r[0];
    for i in 1..=ORDER {
        let reflection = -(0..i).map(|k| a[k] * r[i - k]).sum::<f64>() / power;
        let before = a;
        for k in 1..=i {
            a[k] = before[k] + reflection * before[i - k];
        }
        power *= 1.0 - reflection * reflection;
        if power <= 0.0 {
            break;
        }
    }
    a
}

/// Cholesky factor of the least-squares interpolation matrix of the longest run, which contains the factors of all
/// shorter runs. Row `i` holds columns `i - ORDER ..= i`; all others are 0.
pub struct Factor {
    rows: Vec<[f64; ORDER + 1]>,
}

impl Factor {
    /// A factor for runs of at most `n` samples.
    pub fn new(model: &Model, n: usize) -> Factor {
        let mut rows: Vec<[f64; ORDER + 1]> = Vec::with_capacity(n);
        for i in 0..n {
            let mut row = [0.0; ORDER + 1];
            let first = i.saturating_sub(ORDER);
            for j in first..i {
                let other = &rows[j];
                let known: f64 = (first..j).map(|k| row[k + ORDER - i] * other[k + ORDER - j]).sum();
                row[j + ORDER - i] = (model.lags[i - j] - known) / other[ORDER];
            }
            let known: f64 = row[..ORDER].iter().map(|entry| entry * entry).sum();
            row[ORDER] = (model.lags[0] - known).max(f64::MIN_POSITIVE).sqrt();
            rows.push(row);
        }
        Factor { rows }
    }

    /// Solves `L z = matched` sample by sample. `take` receives the index of each sample, and the reduction of the
    /// error energy when the samples up to it are interpolated. `z` begins with [`ORDER`] zeros.
    fn gains(&self, matched: impl Iterator<Item = f64>, z: &mut Vec<f64>, mut take: impl FnMut(usize, f64)) {
        z.clear();
        z.resize(ORDER, 0.0);
        let mut gain = 0.0;
        for (i, (value, row)) in matched.zip(&self.rows).enumerate() {
            let known: f64 = row[..ORDER].iter().zip(&z[i..]).map(|(entry, z)| entry * z).sum();
            let solved = (value - known) / row[ORDER];
            z.push(solved);
            gain += solved * solved;
            take(i, gain);
        }
    }

    /// The corrections of a run's samples that minimise the energy of the errors.
    pub fn corrections(&self, matched: &[f64]) -> Vec<f64> {
        let mut z = Vec::new();
        self.gains(matched.iter().copied(), &mut z, |_, _| {});
        let mut solved = z.split_off(ORDER);
        for i in (0..solved.len()).rev() {
            let later = (i + 1..solved.len().min(i + ORDER + 1)).map(|j| self.rows[j][i + ORDER - j] * solved[j]);
            solved[i] = (solved[i] - later.sum::<f64>()) / self.rows[i][ORDER];
        }
        solved
    }

    /// The run of `matched` whose interpolation lowers the energy of the errors most, with `penalty` subtracted per
    /// sample, and the reduction without the penalty.
    pub fn best_run(&self, matched: &[f64], penalty: f64) -> (Range<usize>, f64) {
        let n = matched.len();
        let mut z = Vec::with_capacity(ORDER + n);
        // Upper bounds on the gain of a run: it is at most that of any run that contains it. `until` is for runs from
        // sample 0 to a given end, `since` for runs from a given start to the last sample.
        let mut until = vec![0.0; n];
        self.gains(matched.iter().copied(), &mut z, |i, gain| until[i] = gain);
        let mut since = vec![0.0; n];
        self.gains(matched.iter().rev().copied(), &mut z, |i, gain| since[n - 1 - i] = gain);
        let max = |start: usize, last: usize| since[start].min(until[last]) - penalty * (last + 1 - start) as f64;
        let bound = |start: usize| (start..n).map(|last| max(start, last)).fold(f64::MIN, f64::max);
        let mut starts: Vec<(usize, f64)> = (0..n).map(|start| (start, bound(start))).collect();
        starts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut best = (0..0, 0.0, f64::MIN);
        for (start, bound) in starts {
            if bound <= best.2 {
                break;
            }
            let end = (start..n).rposition(|last| max(start, last) > best.2).map_or(start, |i| start + i + 1);
            self.gains(matched[start..end].iter().copied(), &mut z, |i, gain| {
                let value = gain - penalty * (i + 1) as f64;
                if value > best.2 {
                    best = (start..start + i + 1, gain, value);
                }
            });
        }
        (best.0, best.1)
    }
}
