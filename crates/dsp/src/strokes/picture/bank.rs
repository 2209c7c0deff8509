//! A picture as a bank of sines, one for each row of pixels, as in photo-optical synthesizers.

use super::{PictureArea, PictureView};
use crate::dsp::voices::{BLOCK, SineBank};
use std::ops::Range;

/// Longer than any sound; sums of such positions still fit an `i64`.
const FARTHEST_SAMPLES: f64 = 1e15;

/// A picture laid out as a bank: the pitches of its rows are exact, independent of any transform.
#[derive(Debug, Clone)]
pub struct PictureBank<'a> {
    view: PictureView<'a>,
    range_db: [f64; 2],
    bank: SineBank,
    span: Range<i64>,
    /// Length of the picture in samples, not rounded.
    length_samples: f64,
}

impl<'a> PictureBank<'a> {
    /// Each row of pixels is a sine at the frequency of its middle, on a log axis `f0 (f1/f0)^((H - i - 0.5)/H)` for
    /// row `i` of `H` from the top. Its level follows the brightness of its pixels, from `range_db[0]` (dark) to
    /// `range_db[1]` (white), 0 dB being full scale. Black is silent.
    pub fn new(
        view: PictureView<'a>,
        area: &PictureArea,
        range_db: [f64; 2],
        seed: u64,
        rate_hz: f64,
    ) -> PictureBank<'a> {
        let height = view.size()[1];
        let [low, high] = area.hz.map(|edge| area.axis.units_from_hz(edge));
        let up = |row: usize| (height as f64 - row as f64 - 0.5) / height as f64;
        let hz = |row: usize| area.axis.hz_from_units(low + (high - low) * up(row));
        let rows: Vec<f64> = (0..height).map(hz).collect();
        let bank = SineBank::new(&rows, seed, rate_hz);
        let length_samples = (area.secs[1] - area.secs[0]) * rate_hz;
        PictureBank { view, range_db, bank, span: PictureBank::span(area, rate_hz), length_samples }
    }

    /// The samples in which a bank over an area sounds: from the left edge on, rounded up to whole blocks as for notes;
    /// levels fade to 0 over the last block.
    pub fn span(area: &PictureArea, rate_hz: f64) -> Range<i64> {
        let rounded = |samples: f64| (samples + 0.5).floor().clamp(-FARTHEST_SAMPLES, FARTHEST_SAMPLES) as i64;
        let n_samples = rounded((area.secs[1] - area.secs[0]) * rate_hz).max(0) as u64;
        let first = rounded(area.secs[0] * rate_hz);
        first..first + n_samples.next_multiple_of(BLOCK as u64) as i64
    }

    /// Samples of the sound from `first` on; 0 outside the picture.
    pub fn samples(&self, first: i64, n: usize) -> Vec<f32> {
        let mut samples = vec![0.0; n];
        let from = first.max(self.span.start);
        let end = first.saturating_add(n as i64).min(self.span.end);
        if from < end {
            let out = &mut samples[(from - first) as usize..(end - first) as usize];
            self.bank.render((from - self.span.start) as u64, out, |row, sample| self.level(row, sample));
        }
        samples
    }

    /// The amplitude of a row at a sample of the bank, interpolated linearly between the centres of pixels; 0 at both
    /// ends.
    fn level(&self, row: usize, sample: u64) -> f32 {
        if sample == 0 || sample >= (self.span.end - self.span.start) as u64 {
            return 0.0;
        }
        let width = self.view.size()[0];
        let place = sample as f64 / self.length_samples * width as f64 - 0.5;
        let place = place.clamp(0.0, width as f64 - 1.0);
        let (pixel, part) = (place as usize, place.fract());
        let low = self.amplitude(pixel, row);
        if part > 0.0 { (low + (self.amplitude(pixel + 1, row) - low) * part) as f32 } else { low as f32 }
    }

    fn amplitude(&self, x: usize, y: usize) -> f64 {
        let brightness = self.view.brightness(x, y);
        let [dark, white] = self.range_db;
        if brightness > 0.0 { 10f64.powf((dark + brightness * (white - dark)) / 20.0) } else { 0.0 }
    }
}
