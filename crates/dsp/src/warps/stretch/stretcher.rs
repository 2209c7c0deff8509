//! A stream of stretched sound.

use super::ReadInput;
use super::attack_parts::AttackParts;
use super::locking::{FramePair, Locking, power_of};
use super::time_map::{MappedOnset, TimeMap};
use crate::base::Result;
use crate::dsp::Stft;
use crate::dsp::warps::peak_locking::LockedPeaks;
use rayon::prelude::*;
use rustfft::num_complex::Complex32;
use std::ops::Range;
use std::sync::Arc;

/// Frames computed together, always the same number, so that the order of sums does not depend on the request.
const BATCH_FRAMES: usize = 64;

/// A bin restarts at an onset if its power, or that of the `2 CONTEXT_FRAMES + 1` bins around it, rises by more than
/// this factor: the spectrum of a noisy hit has gaps, which must restart as well.
const RISE: f32 = 2.0;
const CONTEXT_BINS: usize = 8;

/// Produces stretched sound in order, in pieces of any length: bit-identical to a single piece.
pub struct Stretcher {
    stft: Arc<Stft>,
    map: TimeMap,
    n_channels: usize,
    /// The next frame, counted from the one centred on the first sample of the output.
    next_frame: i64,
    next_onset: usize,
    locking: Locking,
    attacks: AttackParts,
    /// Overlap-add sums of the samples to which later frames will still contribute, by channel.
    sums: Vec<Vec<f32>>,
    /// Samples computed but not yet returned, by channel.
    ready: Vec<Vec<f32>>,
    /// Samples produced so far; for an identity map, samples passed through.
    n_given: i64,
    /// Number of samples before the first of the output that are still to be dropped.
    n_before: usize,
}

impl Stretcher {
    /// A stretcher of `n_channels` at a sample rate. `stft` is of the [transform](super::stretch_transform) for that
    /// rate.
    pub fn new(stft: Arc<Stft>, rate_hz: f64, map: TimeMap, n_channels: usize, peaks: LockedPeaks) -> Stretcher {
        let (size, step) = sizes(&stft);
        let half = (size / 2) as i64;
        Stretcher {
            next_frame: -half / step as i64,
            next_onset: 0,
            locking: Locking::new(size / 2 + 1, peaks),
            attacks: AttackParts::new(map.onsets(), size, rate_hz),
            sums: vec![vec![0.0; size - step]; n_channels],
            ready: vec![Vec::new(); n_channels],
            n_given: 0,
            n_before: size,
            stft,
            map,
            n_channels,
        }
    }

    /// The next `n` samples of every channel. Past the end of the output, sound continues as in the input.
    ///
    /// # Errors
    /// Errors reading the input.
    pub fn next(&mut self, n: usize, read: &mut ReadInput<'_>) -> Result<Vec<Vec<f32>>> {
        if self.map.is_identity() {
            let first = self.n_given;
            self.n_given += n as i64;
            return read(first, n);
        }
        while self.ready.first().map_or(n, Vec::len) < n {
            self.make_batch(read)?;
        }
        Ok(self.ready.iter_mut().map(|ready| ready.drain(..n).collect()).collect())
    }

    fn make_batch(&mut self, read: &mut ReadInput<'_>) -> Result<()> {
        let (size, step) = sizes(&self.stft);
        let n_bins = size / 2 + 1;
        let outputs: Vec<i64> = (0..BATCH_FRAMES as i64).map(|i| (self.next_frame + i) * step as i64).collect();
        let pairs = self.analyse(&outputs, read)?;
        let mut spectra = vec![Vec::with_capacity(BATCH_FRAMES * n_bins); self.n_channels];
        for (output, pair) in outputs.iter().zip(pairs) {
            let begins = self.begins_by(*output, read)?;
            let given = self.locking.next(pair, begins.as_deref());
            spectra.iter_mut().zip(given).for_each(|(spectra, given)| spectra.extend_from_slice(given));
        }
        self.next_frame += BATCH_FRAMES as i64;
        // With eight frames per window, the sum of squared windows is constant except for rounding.
        let gain = (step as f64 / self.stft.window_power()) as f32;
        let n_whole = BATCH_FRAMES * step;
        let n_dropped = self.n_before.min(n_whole);
        self.n_before -= n_dropped;
        let mut samples = vec![0.0; self.stft.n_samples_under(BATCH_FRAMES)];
        let mut made = Vec::with_capacity(self.n_channels);
        for (spectra, sums) in spectra.iter().zip(&mut self.sums) {
            self.stft.overlap_add(spectra, &mut samples);
            samples.iter_mut().zip(&*sums).for_each(|(sample, sum)| *sample += sum);
            made.push(samples[n_dropped..n_whole].iter().map(|sample| gain * sample).collect::<Vec<f32>>());
            sums.copy_from_slice(&samples[n_whole..]);
        }
        self.attacks.put(self.n_given, &mut made, read)?;
        self.n_given += (n_whole - n_dropped) as i64;
        self.ready.iter_mut().zip(made).for_each(|(ready, made)| ready.extend(made));
        Ok(())
    }

    /// The input frames for positions in the output, each with the input frame one step before it.
    fn analyse(&self, outputs: &[i64], read: &mut ReadInput<'_>) -> Result<Vec<FramePair>> {
        let (size, step) = sizes(&self.stft);
        let before = (size / 2 + step) as i64;
        let firsts: Vec<i64> = outputs.iter().map(|output| self.map.input_at(*output) - before).collect();
        let (Some(first), Some(last)) = (firsts.first().copied(), firsts.last().copied()) else {
            return Ok(Vec::new());
        };
        let input = self.attacks.read_without(first, (last - first) as usize + size + step, read)?;
        let pair = |from: &i64| {
            let samples = (from - first) as usize..(from - first) as usize + size + step;
            let both = |channel: &Vec<f32>| self.spectra(&channel[samples.clone()], 2);
            let (before, now) = input
                .iter()
                .map(both)
                .map(|mut both| {
                    let now = both.split_off(size / 2 + 1);
                    (both, now)
                })
                .unzip();
            FramePair { now, before }
        };
        Ok(firsts.par_iter().map(pair).collect())
    }

    fn spectra(&self, samples: &[f32], n_frames: usize) -> Vec<Complex32> {
        let n_bins = sizes(&self.stft).0 / 2 + 1;
        let mut spectra = vec![Complex32::default(); n_frames * n_bins];
        self.stft.forward(samples, &mut spectra);
        spectra
    }

    /// Rising bins of the onsets whose unstretched parts have begun since the previous frame; `None` if there are none.
    fn begins_by(&mut self, output: i64, read: &mut ReadInput<'_>) -> Result<Option<Vec<bool>>> {
        let mut begins: Option<Vec<bool>> = None;
        while let Some(onset) = self.map.onsets().get(self.next_onset).copied()
            && onset.first_output <= output
        {
            self.next_onset += 1;
            let rising = self.rising(onset, read)?;
            match &mut begins {
                Some(begins) => begins.iter_mut().zip(rising).for_each(|(begins, rises)| *begins |= rises),
                None => begins = Some(rising),
            }
        }
        Ok(begins)
    }

    /// The bins that restart at an onset; see [`RISE`].
    fn rising(&self, onset: MappedOnset, read: &mut ReadInput<'_>) -> Result<Vec<bool>> {
        let (size, _) = sizes(&self.stft);
        let input = read(onset.input - size as i64, 2 * size)?;
        let mut powers = [vec![0.0; size / 2 + 1], vec![0.0; size / 2 + 1]];
        for (power, samples) in powers.iter_mut().zip([0..size, size..2 * size]) {
            let spectra: Vec<_> = input.iter().map(|channel| self.spectra(&channel[samples.clone()], 1)).collect();
            power_of(&spectra, power);
        }
        let [before, after] = powers;
        let rises = |bins: Range<usize>| {
            let [before, after] = [&before, &after].map(|power| power[bins.clone()].iter().sum::<f32>());
            after > RISE * before
        };
        let n = before.len();
        Ok((0..n)
            .map(|bin| rises(bin..bin + 1) || rises(bin.saturating_sub(CONTEXT_BINS)..n.min(bin + CONTEXT_BINS + 1)))
            .collect())
    }
}

/// Samples per frame, and from one frame to the next.
fn sizes(stft: &Stft) -> (usize, usize) {
    let size = stft.n_samples_under(1);
    (size, stft.n_samples_under(2) - size)
}
