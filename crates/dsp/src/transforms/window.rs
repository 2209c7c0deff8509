//! Analysis and synthesis windows, periodic, computed in f64.

use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A window by name. All are periodic: `w[k]` for `k = 0 .. N`, with `w[0]` the one sample that has no mirror image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// Raised cosine.
    #[default]
    Hann,
    /// Raised cosine on a pedestal, 0.54 and 0.46.
    Hamming,
    /// Three terms, 0.42, 0.5 and 0.08.
    Blackman,
    /// Four terms, -92 dB.
    BlackmanHarris,
    /// Four terms, -98 dB (SciPy's `nuttall`).
    Nuttall,
    /// Kaiser with beta 8.6.
    Kaiser,
    /// `sin(pi k/N)`, the square root of Hann; not SciPy's `cosine`.
    Sine,
}

const KAISER_BETA: f64 = 8.6;

impl Window {
    /// All windows, in the order of menus.
    pub const ALL: [Window; 7] = [
        Window::Hann,
        Window::Hamming,
        Window::Blackman,
        Window::BlackmanHarris,
        Window::Nuttall,
        Window::Kaiser,
        Window::Sine,
    ];

    /// The name in scripts and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Window::Hann => "hann",
            Window::Hamming => "hamming",
            Window::Blackman => "blackman",
            Window::BlackmanHarris => "blackman_harris",
            Window::Nuttall => "nuttall",
            Window::Kaiser => "kaiser",
            Window::Sine => "sine",
        }
    }

    /// The name shown in the user interface.
    pub fn label(self) -> &'static str {
        match self {
            Window::Hann => "Hann",
            Window::Hamming => "Hamming",
            Window::Blackman => "Blackman",
            Window::BlackmanHarris => "Blackman-Harris",
            Window::Nuttall => "Nuttall",
            Window::Kaiser => "Kaiser 8.6",
            Window::Sine => "Sine",
        }
    }

    /// The window with this [`name`](Window::name).
    pub fn from_name(name: &str) -> Option<Window> {
        Window::ALL.into_iter().find(|window| window.name() == name)
    }

    /// The sum of its `n` samples.
    pub fn sum(self, n: usize) -> f64 {
        // Cosines over whole periods sum to 0, which leaves the constant term.
        match self.cosine_terms() {
            Some([constant, ..]) => constant * n as f64,
            _ => self.samples(n).iter().sum(),
        }
    }

    /// The terms of a window that is a sum of cosines with alternating signs.
    fn cosine_terms(self) -> Option<&'static [f64]> {
        match self {
            Window::Hann => Some(&[0.5, 0.5]),
            Window::Hamming => Some(&[0.54, 0.46]),
            Window::Blackman => Some(&[0.42, 0.5, 0.08]),
            Window::BlackmanHarris => Some(&[0.35875, 0.48829, 0.14128, 0.01168]),
            Window::Nuttall => Some(&[0.3635819, 0.4891775, 0.1365995, 0.0106411]),
            Window::Kaiser | Window::Sine => None,
        }
    }

    /// The `n` samples of the periodic window.
    pub fn samples(self, n: usize) -> Vec<f64> {
        let cosines = |terms: &[f64]| {
            let term = |k: usize, order: usize, weight: f64| {
                // The argument is reduced in integers, so that the window is symmetric to the last bit.
                let turns = (k * order % n) as f64 / n as f64;
                if order.is_multiple_of(2) {
                    weight * (2.0 * PI * turns).cos()
                } else {
                    -weight * (2.0 * PI * turns).cos()
                }
            };
            (0..n).map(|k| terms.iter().enumerate().map(|(order, &weight)| term(k, order, weight)).sum()).collect()
        };
        if let Some(terms) = self.cosine_terms() {
            return cosines(terms);
        }
        match self {
            Window::Kaiser => {
                let shape = |k: usize| {
                    let across = 2.0 * k as f64 / n as f64 - 1.0;
                    bessel_i0(KAISER_BETA * (1.0 - across * across).max(0.0).sqrt()) / bessel_i0(KAISER_BETA)
                };
                (0..n).map(shape).collect()
            }
            _ => (0..n).map(|k| (PI * k as f64 / n as f64).sin()).collect(),
        }
    }
}

/// Modified Bessel function of the first kind, order 0, by its power series: all terms are positive, so it is exact
/// to rounding.
fn bessel_i0(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while term > sum * 1e-17 {
        term *= quarter / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}
