//! Transforms in f64, from the definitions: the textbook radix-2 FFT, the STFT of design section 6 and its inverse.

use std::f64::consts::TAU;

pub type Complex = [f64; 2];

pub fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

pub fn turn(turns: f64) -> Complex {
    let angle = TAU * (turns - turns.round());
    [angle.cos(), angle.sin()]
}

/// In place, a power of two long; `sign` is -1 forward, +1 inverse (not divided by the length).
pub fn fft(x: &mut [Complex], sign: f64) {
    let n = x.len();
    assert!(n.is_power_of_two());
    let mut j = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
        if i < j {
            x.swap(i, j);
        }
    }
    let twiddles: Vec<Complex> = (0..n / 2).map(|k| turn(sign * k as f64 / n as f64)).collect();
    let mut half = 1;
    while half < n {
        for start in (0..n).step_by(2 * half) {
            for k in 0..half {
                let (a, b) = (x[start + k], times(x[start + k + half], twiddles[k * (n / (2 * half))]));
                x[start + k] = [a[0] + b[0], a[1] + b[1]];
                x[start + k + half] = [a[0] - b[0], a[1] - b[1]];
            }
        }
        half *= 2;
    }
}

/// The DFT of real samples at `0 ..= n / 2`.
pub fn rfft(samples: &[f64]) -> Vec<Complex> {
    let mut x: Vec<Complex> = samples.iter().map(|&s| [s, 0.0]).collect();
    fft(&mut x, -1.0);
    x.truncate(samples.len() / 2 + 1);
    x
}

/// An STFT in f64: `cells[frame][bin]`, frame `n` centred on sample `n hop`, phase referenced to that centre.
pub struct Stft64 {
    pub window: Vec<f64>,
    pub hop: usize,
}

impl Stft64 {
    pub fn n_fft(&self) -> usize {
        self.window.len()
    }

    pub fn n_frames(&self, n_samples: usize) -> usize {
        n_samples.div_ceil(self.hop) + 1
    }

    pub fn frame(&self, samples: &[f64], frame: usize) -> Vec<Complex> {
        let half = self.n_fft() as i64 / 2;
        let at = |k: usize| {
            let i = frame as i64 * self.hop as i64 + k as i64 - half;
            usize::try_from(i).ok().and_then(|i| samples.get(i)).copied().unwrap_or(0.0)
        };
        let windowed: Vec<f64> = self.window.iter().enumerate().map(|(k, w)| w * at(k)).collect();
        let mut spectrum = rfft(&windowed);
        spectrum.iter_mut().skip(1).step_by(2).for_each(|x| *x = [-x[0], -x[1]]);
        spectrum
    }

    pub fn analyse(&self, samples: &[f64]) -> Vec<Vec<Complex>> {
        (0..self.n_frames(samples.len())).map(|n| self.frame(samples, n)).collect()
    }

    /// `OLA(cells) / sum(w^2)` over the samples of the signal.
    pub fn synthesise(&self, cells: &[Vec<Complex>], n_samples: usize) -> Vec<f64> {
        let (n, half) = (self.n_fft(), self.n_fft() as i64 / 2);
        let (mut sum, mut weight) = (vec![0.0; n_samples], vec![0.0; n_samples]);
        for (frame, cells) in cells.iter().enumerate() {
            let mut x: Vec<Complex> = vec![[0.0; 2]; n];
            for (m, &[re, im]) in cells.iter().enumerate() {
                let sign = if m % 2 == 0 { 1.0 } else { -1.0 };
                x[m] = [sign * re, sign * im];
                if m > 0 && m < n / 2 {
                    x[n - m] = [sign * re, -sign * im];
                }
            }
            x[0][1] = 0.0;
            x[n / 2][1] = 0.0;
            fft(&mut x, 1.0);
            for (k, (w, [re, _])) in self.window.iter().zip(&x).enumerate() {
                let i = frame as i64 * self.hop as i64 + k as i64 - half;
                if let Some(i) = usize::try_from(i).ok().filter(|&i| i < n_samples) {
                    sum[i] += w * re / n as f64;
                    weight[i] += w * w;
                }
            }
        }
        sum.iter().zip(&weight).map(|(s, w)| s / w).collect()
    }
}
