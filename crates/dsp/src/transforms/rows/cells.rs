//! Loops over the bins and cells of a slice.

use crate::dsp::cells::polar::{cos_sin_small, polar_from_parts};
use crate::dsp::numeric::vectors::vectorized;
use rustfft::num_complex::Complex32;

/// The spectrum of a real slice at a signed bin, `|bin| < len`, given its bins `0 ..= len / 2`.
#[inline]
fn at_signed(spectrum: &[Complex32], bin: i64) -> Complex32 {
    let len = 2 * (spectrum.len() as i64 - 1);
    let bin = bin.rem_euclid(len) as usize;
    if bin < spectrum.len() { spectrum[bin] } else { spectrum[len as usize - bin].conj() }
}

/// Adds the bins of a row's window, times the window, to the places that they fold onto. `first_bin` is signed.
pub(super) fn fold(spectrum: &[Complex32], first_bin: i64, window: &[f32], places: &mut [Complex32]) {
    let last_bin = first_bin + window.len() as i64 - 1;
    if first_bin < 0 || last_bin >= spectrum.len() as i64 {
        for (bin, weight) in (first_bin..).zip(window) {
            // The bin must be signed here: where a window straddles 0 Hz, it folds onto a different place than its
            // mirror image.
            places[bin.rem_euclid(places.len() as i64) as usize] += at_signed(spectrum, bin) * weight;
        }
        return;
    }
    let spectrum = &spectrum[first_bin as usize..];
    let mut done = 0;
    let mut place = first_bin as usize % places.len();
    while done < window.len() {
        let n = (places.len() - place).min(window.len() - done);
        add_weighted(&spectrum[done..done + n], &window[done..done + n], &mut places[place..place + n]);
        done += n;
        place = 0;
    }
}

/// Adds the spectrum of a row's places, times its window, to the bins of the window. For complex rows, the mirror image
/// of each bin gets the conjugate.
pub(super) fn unfold(places: &[Complex32], first_bin: i64, window: &[f32], is_real: bool, spectrum: &mut [Complex32]) {
    let last_bin = first_bin + window.len() as i64 - 1;
    if first_bin <= 0 || last_bin >= spectrum.len() as i64 - 1 {
        let half = spectrum.len() as i64 - 1;
        for (bin, weight) in (first_bin..).zip(window) {
            let value = places[bin.rem_euclid(places.len() as i64) as usize] * weight;
            let bin = bin.rem_euclid(2 * half);
            if bin <= half {
                spectrum[bin as usize] += value;
            }
            if !is_real && (bin == 0 || bin >= half) {
                spectrum[((2 * half - bin) % (2 * half)) as usize] += value.conj();
            }
        }
        return;
    }
    let spectrum = &mut spectrum[first_bin as usize..];
    let mut done = 0;
    let mut place = first_bin as usize % places.len();
    while done < window.len() {
        let n = (places.len() - place).min(window.len() - done);
        add_weighted(&places[place..place + n], &window[done..done + n], &mut spectrum[done..done + n]);
        done += n;
        place = 0;
    }
}

vectorized! {
    /// `out += values * weights`.
    fn add_weighted(values: &[Complex32], weights: &[f32], out: &mut [Complex32]) {
        for ((out, value), weight) in out.iter_mut().zip(values).zip(weights) {
            out.re += value.re * weight;
            out.im += value.im * weight;
        }
    }
}

vectorized! {
    /// Converts complex numbers to magnitudes and phases.
    pub(super) fn polar_column(cells: &[Complex32], magnitude: &mut [f32], phase: &mut [f32]) {
        for (x, (magnitude, phase)) in cells.iter().zip(magnitude.iter_mut().zip(phase)) {
            [*magnitude, *phase] = polar_from_parts(x.re, x.im);
        }
    }
}

vectorized! {
    /// Converts magnitudes and phases to complex numbers, times a factor that is a power of two.
    pub(super) fn complex_column(magnitude: &[f32], phase: &[f32], factor: f32, out: &mut [Complex32]) {
        for (x, (magnitude, phase)) in out.iter_mut().zip(magnitude.iter().zip(phase)) {
            let ([cos, sin], magnitude) = (cos_sin_small(*phase), factor * magnitude);
            *x = Complex32::new(magnitude * cos, magnitude * sin);
        }
    }
}

vectorized! {
    /// Subtracts cells from complex numbers, times a power of two.
    pub(super) fn subtract_column(magnitude: &[f32], phase: &[f32], factor: f32, out: &mut [Complex32]) {
        for (x, (magnitude, phase)) in out.iter_mut().zip(magnitude.iter().zip(phase)) {
            let ([cos, sin], magnitude) = (cos_sin_small(*phase), factor * magnitude);
            x.re -= magnitude * cos;
            x.im -= magnitude * sin;
        }
    }
}

vectorized! {
    /// Whether two columns differ; a cell without magnitude has no phase.
    pub(super) fn differ(before: [&[f32]; 2], after: [&[f32]; 2]) -> bool {
        let cells = before[0].iter().zip(after[0]).zip(before[1].iter().zip(after[1]));
        cells.fold(false, |differ, ((mb, ma), (pb, pa))| differ | (mb != ma) | ((pb != pa) & (*mb != 0.0)))
    }
}
