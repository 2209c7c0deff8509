//! A picture as a bank of sines, one for each row of pixels, as photo-optical synthesizers have it.

use super::{PictureArea, PictureView};
use crate::dsp::voices::SineBank;

/// No sound is so long; sums of such places fit their type.
const FARTHEST_SAMPLES: f64 = 1e15;

/// A picture laid out as a bank: the pitches of its rows are exact, whatever the transform.
#[derive(Debug, Clone)]
pub struct PictureBank<'a> {
    view: PictureView<'a>,
    range_db: [f64; 2],
    bank: SineBank,
    /// The bank's first sample in the sound, and its length.
    first: i64,
    n_samples: u64,
}

impl<'a> PictureBank<'a> {
    /// A row of pixels is a sine at the frequency of its middle, on a log axis `f0 (f1/f0)^((H - i - 0.5)/H)` for row `i`
    /// of `H` from the top, of the level that its pixels have from `range_db[0]` (dark) to `range_db[1]` (white), 0 dB
    /// being full scale. Black is silent.
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
        let [first, end] =
            area.secs.map(|secs| (secs * rate_hz + 0.5).floor().clamp(-FARTHEST_SAMPLES, FARTHEST_SAMPLES) as i64);
        let bank = SineBank::new(&rows, seed, rate_hz);
        PictureBank { view, range_db, bank, first, n_samples: (end - first).max(0) as u64 }
    }

    /// The sound's samples from `first` on.
    pub fn samples(&self, first: i64, n: usize) -> Vec<f32> {
        let mut samples = vec![0.0; n];
        let from = first.max(self.first);
        let end = (first.saturating_add(n as i64)).min(self.first.saturating_add(self.n_samples as i64));
        if from < end {
            let out = &mut samples[(from - first) as usize..(end - first) as usize];
            self.bank.render((from - self.first) as u64, out, |row, sample| self.level(row, sample));
        }
        samples
    }

    /// The amplitude of a row at a sample of the bank, straight between the centres of pixels; 0 at both ends.
    fn level(&self, row: usize, sample: u64) -> f32 {
        if sample == 0 || sample >= self.n_samples {
            return 0.0;
        }
        let width = self.view.size()[0];
        let place = sample as f64 / self.n_samples as f64 * width as f64 - 0.5;
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
