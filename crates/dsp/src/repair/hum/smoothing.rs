//! Smoothers of a drifting value, from measurements with varying certainty (Kalman 1960; Fraser and Potter 1969; Rauch,
//! Tung and Striebel 1965).

use rustfft::num_complex::Complex64;

/// Smooths a random walk with variance `walk` per step, and returns the variance of the estimate: two Kalman filters,
/// one per direction, in information form. `certainty` is the inverse variance of a measurement.
pub(super) fn smoothed_walk(measured: &[Complex64], certainty: &[f64], walk: f64) -> (Vec<Complex64>, Vec<f64>) {
    let n = measured.len();
    let mut known = vec![(Complex64::default(), 0.0); n];
    let (mut mean, mut info) = (Complex64::default(), 0.0);
    for i in 0..n {
        (mean, info) = joined((mean, info / (1.0 + walk * info)), (measured[i], certainty[i]));
        known[i] = (mean, info);
    }
    (mean, info) = (Complex64::default(), 0.0);
    for i in (0..n).rev() {
        let later = (mean, info / (1.0 + walk * info));
        known[i] = joined(known[i], later);
        (mean, info) = joined(later, (measured[i], certainty[i]));
    }
    known.into_iter().map(|(mean, info)| (mean, 1.0 / info.max(1e-300))).unzip()
}

fn joined(a: (Complex64, f64), b: (Complex64, f64)) -> (Complex64, f64) {
    let info = a.1 + b.1;
    let mean = if info > 0.0 { (a.0 * a.1 + b.0 * b.1) / info } else { a.0 };
    (mean, info)
}

/// Smooths a phase whose step walks randomly with variance `walk`: a Kalman filter and smoother. `measured` holds
/// unwrapped phases, `certainty` their inverse variances, and `start` is the variance of the first step. Returns the
/// phase and its step to the next, for each measurement.
pub(super) fn smoothed_phase(measured: &[f64], certainty: &[f64], walk: f64, start: f64) -> Vec<[f64; 2]> {
    let n = measured.len();
    let (mut state, mut variance) = ([measured.first().copied().unwrap_or(0.0), 0.0], [1e4, 0.0, start]);
    let mut filtered = Vec::with_capacity(n);
    let mut predicted = Vec::with_capacity(n);
    for i in 0..n {
        if i > 0 {
            state = [state[0] + state[1], state[1]];
            let [p, c, v] = variance;
            variance = [p + 2.0 * c + v + walk / 3.0, c + v + walk / 2.0, v + walk];
        }
        predicted.push((state, variance));
        let [p, c, v] = variance;
        let scale = certainty[i] / (1.0 + p * certainty[i]);
        let off = measured[i] - state[0];
        state = [state[0] + p * scale * off, state[1] + c * scale * off];
        variance = [p - p * p * scale, c - p * c * scale, v - c * c * scale];
        filtered.push((state, variance));
    }
    let mut smooth: Vec<[f64; 2]> = filtered.iter().map(|(state, _)| *state).collect();
    for i in (0..n.saturating_sub(1)).rev() {
        let ([p, c, v], (ahead, [pp, pc, pv])) = (filtered[i].1, predicted[i + 1]);
        let det = (pp * pv - pc * pc).max(1e-300);
        // The smoother gain: the covariance with the next state, times the inverse of the predicted covariance.
        let (a, b) = ([p + c, c], [c + v, v]);
        let gain = |row: [f64; 2]| [(row[0] * pv - row[1] * pc) / det, (row[1] * pp - row[0] * pc) / det];
        let (g, h) = (gain(a), gain(b));
        let off = [smooth[i + 1][0] - ahead[0], smooth[i + 1][1] - ahead[1]];
        let (s, t) = (filtered[i].0[0], filtered[i].0[1]);
        smooth[i] = [s + g[0] * off[0] + g[1] * off[1], t + h[0] * off[0] + h[1] * off[1]];
    }
    smooth
}
