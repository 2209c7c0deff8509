//! Isolates speech in a range of a sound.

use super::frame_source::{FrameSource, feed};
use super::top_band::TopBand;
use super::{BLOCK_FRAMES, speech_network};
use crate::base::Result;
use crate::document::edits::selected_sound::SelectedSound;
use crate::dsp::repair::isolation::{
    FRAME_SAMPLES, IsolatedFrame, IsolationFrames, IsolationSettings, N_BINS, RATE_HZ, STEP_SAMPLES, SpeechCells,
    SpeechIsolator, SpeechMap,
};
use crate::dsp::selections::mask;
use crate::dsp::{CellRect, Grid, Selection, StftParams, Window};
use crate::media::Resampled;
use std::ops::Range;

/// Number of frames past the end of the range that its last samples need, including the reach of resampling.
const TAIL_FRAMES: usize = 20;

/// Computes the isolated speech of consecutive pieces.
pub struct Isolation<'a> {
    sound: &'a SelectedSound<'a>,
    change: Change<'a>,
    /// `None` if the sound has the sample rate of the network.
    resampled: Option<Resampled>,
    /// The next sample of the sound to compute.
    next_sample: u64,
}

impl<'a> Isolation<'a> {
    /// An isolation positioned at its first piece.
    ///
    /// # Errors
    /// [`Script`](crate::base::ErrorKind::Script) for a sample rate that is too low, and errors of loading the model.
    pub fn new(sound: &'a SelectedSound<'a>, settings: IsolationSettings) -> Result<Isolation<'a>> {
        let source = FrameSource::new(sound)?;
        let rate_hz = sound.sample_rate_hz();
        if rate_hz > RATE_HZ {
            sound.report_notice("above 24 kHz the sound is left as it is".to_owned());
        }
        let next_sample = source.first_sample();
        let change = Change::new(sound, source, settings)?;
        let resampled = match rate_hz == RATE_HZ {
            true => None,
            false => Some(Resampled::sharp(RATE_HZ, rate_hz, change.sums.len())?),
        };
        Ok(Isolation { sound, change, resampled, next_sample })
    }

    /// The samples of each signal in the next piece of the range.
    ///
    /// # Errors
    /// Read errors of the source, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn samples(&mut self, piece: Range<u64>) -> Result<Vec<Vec<f32>>> {
        let n_before = piece.start.saturating_sub(self.next_sample) as usize;
        let mut changes = self.next_changes(n_before + (piece.end - piece.start) as usize)?;
        self.next_sample = piece.end;
        if piece.end >= self.sound.range().end {
            self.change.report_map();
        }
        let resampled = changes.split_off(self.sound.n_signals());
        let mut signals = Vec::new();
        for (signal, changes) in changes.iter_mut().enumerate() {
            let mut samples = self.sound.read(signal, piece.clone())?;
            if let (Some(resampled), Some(top)) = (resampled.get(signal), &self.change.top) {
                let pairs = samples.iter().zip(&resampled[n_before..]);
                for ((change, (sample, resampled)), at) in changes[n_before..].iter_mut().zip(pairs).zip(piece.clone())
                {
                    *change += (sample - resampled) * (top.gain_at(at as f64 / self.sound.sample_rate_hz()) - 1.0);
                }
            }
            for ((sample, change), at) in samples.iter_mut().zip(&changes[n_before..]).zip(piece.clone()) {
                if *change != 0.0 {
                    *sample += change * self.sound.fade_at(at) as f32;
                }
            }
            signals.push(samples);
        }
        Ok(signals)
    }

    /// The next `n` samples of each signal's change, at the sample rate of the sound. With a top band, `n` samples of
    /// each signal itself follow, also resampled.
    fn next_changes(&mut self, n: usize) -> Result<Vec<Vec<f32>>> {
        let mut read = |n: usize| self.change.next(n);
        match &mut self.resampled {
            Some(resampled) => resampled.next(n, &mut read),
            None => read(n),
        }
    }
}

/// The difference added to each signal, at the sample rate of the network.
struct Change<'a> {
    source: FrameSource<'a>,
    isolator: SpeechIsolator<'static>,
    /// Number of frames added so far, and to add in total.
    n_added: usize,
    n_wanted: usize,
    /// The cells to change: a selection on the grid of the frames; `None` for all.
    mask: Option<(Grid, &'a Selection)>,
    /// Changes not emitted yet; the next frame still adds to the last step of samples.
    sums: Vec<Vec<f32>>,
    /// Handles the highest frequencies, which resampling removes; `None` for sample rates of 48,000 Hz and above. With
    /// a top band, `sums` contains the changes of all signals, then the signals themselves.
    top: Option<TopBand>,
    sound: &'a SelectedSound<'a>,
    /// The fraction of speech in each cell of the range.
    map: SpeechMap,
    /// The frames of the map, counted from the first frame of the source.
    mapped: Range<usize>,
}

impl<'a> Change<'a> {
    fn new(sound: &'a SelectedSound<'a>, source: FrameSource<'a>, settings: IsolationSettings) -> Result<Change<'a>> {
        let secs = sound.n_samples() as f64 / sound.sample_rate_hz();
        let params = StftParams::of_size(FRAME_SAMPLES, 2, Window::Sine);
        let grid = || Grid::new(params, RATE_HZ, (secs * RATE_HZ).ceil() as u64);
        let mapped = source.frame_at(sound.range().start)..source.frame_at(sound.range().end) + 1;
        let top =
            (sound.sample_rate_hz() < RATE_HZ).then(|| TopBand::new(sound.sample_rate_hz(), source.first_frame()));
        let n_sums = if top.is_some() { 2 * sound.n_signals() } else { sound.n_signals() };
        Ok(Change {
            top,
            map: SpeechMap::new(source.first_frame() + mapped.start),
            mapped,
            sound,
            isolator: SpeechIsolator::new(speech_network()?, settings),
            n_added: 0,
            n_wanted: source.frame_at(sound.range().end) + TAIL_FRAMES,
            mask: sound.mask.map(|select| (grid(), select)),
            sums: vec![Vec::new(); n_sums],
            source,
        })
    }

    /// The next `n` samples of each row of `sums`; 0 after the last frame.
    fn next(&mut self, n: usize) -> Result<Vec<Vec<f32>>> {
        let n_whole = |sums: &[Vec<f32>]| sums.first().map_or(0, |sums| sums.len().saturating_sub(STEP_SAMPLES));
        while n_whole(&self.sums) < n && self.n_added < self.n_wanted {
            self.add_block()?;
        }
        let given = self.sums.iter_mut().map(|sums| {
            let mut samples: Vec<f32> = sums.drain(..n.min(sums.len())).collect();
            samples.resize(n, 0.0);
            samples
        });
        Ok(given.collect())
    }

    /// Adds the frames of a block.
    fn add_block(&mut self) -> Result<()> {
        let n_block = BLOCK_FRAMES.min(self.n_wanted - self.n_added);
        if feed(&mut self.source, n_block, &mut self.isolator, SpeechIsolator::push, SpeechIsolator::n_ready)? {
            self.isolator.end();
        }
        let frames = self.isolator.next_frames(n_block);
        if frames.is_empty() {
            self.n_wanted = self.n_added;
        }
        let mask = self.mask_of(frames.len());
        for (i, frame) in frames.into_iter().enumerate() {
            if self.mapped.contains(&self.n_added) {
                self.map.push(&frame.shares);
            }
            let IsolatedFrame { cells, mut change, .. } = frame;
            let mask = mask.as_ref().map(|mask| &mask[i * N_BINS..][..N_BINS]);
            if let Some(top) = &mut self.top {
                top.push(&cells, &change, mask);
            }
            let is_changed = match mask {
                None => true,
                Some(mask) => {
                    change.iter_mut().for_each(|cells| cells.iter_mut().zip(mask).for_each(|(cell, m)| *cell *= m));
                    mask.iter().any(|m| *m > 0.0)
                }
            };
            let mut change = if is_changed { change } else { Vec::new() };
            if self.top.is_some() {
                change.resize(cells.len(), vec![Default::default(); N_BINS]);
                change.extend(cells);
            }
            add_frame(self.source.layout(), self.n_added == 0, change, &mut self.sums);
            self.n_added += 1;
        }
        Ok(())
    }

    /// Stores the map for the edit's report.
    fn report_map(&mut self) {
        self.sound.report_speech(std::mem::replace(&mut self.map, SpeechMap::new(0)));
    }

    /// The mask of the next frames; `None` if all of their cells change.
    fn mask_of(&self, n_frames: usize) -> Option<Vec<f32>> {
        let (grid, select) = self.mask.as_ref()?;
        let first = self.source.first_frame() + self.n_added;
        let rect = CellRect::new(first..(first + n_frames).min(grid.n_frames()).max(first), 0..N_BINS);
        let mut values = mask::evaluate(grid, None, Some(select), 1.0, &rect).values;
        values.resize(n_frames * N_BINS, 0.0);
        Some(values)
    }
}

/// Overlap-adds a frame to the sums, or silence if `change` is empty; the first half of the first frame is dropped.
fn add_frame(frames: &IsolationFrames, is_first: bool, change: Vec<SpeechCells>, sums: &mut [Vec<f32>]) {
    let mut change = change.into_iter();
    for sums in sums {
        let mut samples = vec![0.0; FRAME_SAMPLES];
        if let Some(mut cells) = change.next() {
            frames.add_samples(&mut cells, &mut samples);
        }
        if !is_first {
            let tail = sums.len() - STEP_SAMPLES;
            sums[tail..].iter_mut().zip(&samples).for_each(|(sum, sample)| *sum += sample);
        }
        sums.extend_from_slice(&samples[STEP_SAMPLES..]);
    }
}
