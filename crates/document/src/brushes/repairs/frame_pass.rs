//! Sample edits that change the spectra of frames.

use crate::base::Result;
use crate::brushes::sample_edit::{SamplePass, all_signals};
use crate::document::edits::selected_sound::SelectedSound;
use crate::dsp::repair::frame_gains::{FrameCells, FrameEdit, GainFrames};
use std::ops::Range;

/// Number of frames held in memory at a time.
const RUN_FRAMES: u64 = 64;

/// The frames of a sound's range.
pub(in crate::brushes) struct RangeFrames<'a> {
    sound: &'a SelectedSound<'a>,
    frames: GainFrames,
}

impl<'a> RangeFrames<'a> {
    /// The range in frames of about `secs` seconds.
    pub fn new(sound: &'a SelectedSound<'a>, secs: f64) -> RangeFrames<'a> {
        RangeFrames { sound, frames: GainFrames::new(secs, sound.sample_rate_hz(), sound.plans.ffts()) }
    }

    /// Length and spacing of the frames, and their transform.
    pub fn layout(&self) -> &GainFrames {
        &self.frames
    }

    /// Number of frames.
    fn n_frames(&self) -> u64 {
        let range = self.sound.range();
        self.frames.n_frames(range.end - range.start)
    }

    /// The cells of a range of frames; negative frames precede the range.
    fn cells(&self, frames: Range<i64>) -> Result<Vec<FrameCells>> {
        let n_frames = (frames.end - frames.start) as usize;
        let first = self.sound.range().start as i64 + self.frames.first_sample(frames.start);
        let (n, step) = (self.frames.n_samples(), self.frames.step_samples());
        let mut cells = vec![FrameCells::new(); n_frames];
        for signal in 0..self.sound.n_signals() {
            let samples = self.sound.read_from(signal, first, n + (n_frames - 1) * step)?;
            for (frame, samples) in cells.iter_mut().zip(samples.windows(n).step_by(step)) {
                frame.push(self.frames.spectrum(samples));
            }
        }
        Ok(cells)
    }

    /// Calls `take` with all frames, in runs of consecutive ones. `pass` (from 0) and `n_passes`, the number of calls
    /// that an edit makes, scale the progress.
    ///
    /// # Errors
    /// Read errors of the source, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn look(&self, [pass, n_passes]: [u64; 2], mut take: impl FnMut(&[FrameCells])) -> Result<()> {
        let n_frames = self.n_frames();
        for first in (0..n_frames).step_by(RUN_FRAMES as usize) {
            self.sound.progress.step(pass * n_frames + first, n_passes * n_frames)?;
            let end = n_frames.min(first + RUN_FRAMES);
            take(&self.cells(first as i64..end as i64)?);
        }
        Ok(())
    }

    /// The range as changed by an edit, with `n_before` frames before it as context. Where the range does not begin or
    /// end with the sound, changes fade in and out.
    pub fn pass(self, edit: impl FrameEdit + 'a, n_before: usize) -> SamplePass<'a> {
        let n = self.frames.n_samples();
        let mut changing = Changing {
            edit,
            next_taken: -(n_before as i64),
            next_changed: -(n_before as i64),
            sums: vec![vec![0.0; n]; self.sound.n_signals()],
            first: 0,
            frames: self,
        };
        changing.next_changed -= changing.edit.delay() as i64;
        changing.first = changing.frames.frames.first_sample(changing.next_changed);
        all_signals(move |piece| changing.samples(piece))
    }
}

/// The state of an edit that is computed frame by frame.
struct Changing<'a, E> {
    frames: RangeFrames<'a>,
    edit: E,
    /// The next input frame of the edit, and the next output frame.
    next_taken: i64,
    next_changed: i64,
    /// Sample changes of each signal that are not emitted yet.
    sums: Vec<Vec<f32>>,
    /// The first of these samples, counted from the start of the range.
    first: i64,
}

impl<E: FrameEdit> Changing<'_, E> {
    /// The samples of the next piece of the range.
    fn samples(&mut self, piece: Range<u64>) -> Result<Vec<Vec<f32>>> {
        let sound = self.frames.sound;
        let [start, end] = [piece.start, piece.end].map(|at| (at - sound.range().start) as i64);
        let layout = &self.frames.frames;
        // Every frame that begins before the end of the piece may change its last samples.
        while layout.first_sample(self.next_changed) < end {
            sound.progress.check()?;
            let run = self.next_taken..self.next_taken + RUN_FRAMES as i64;
            for frame in self.frames.cells(run.clone())? {
                let change = self.edit.next(frame);
                let at = (self.frames.frames.first_sample(self.next_changed) - self.first) as usize;
                let n = self.frames.frames.n_samples();
                for (signal, sums) in self.sums.iter_mut().enumerate() {
                    sums.resize(sums.len().max(at + n), 0.0);
                    if let Some(mut cells) = change.as_ref().and_then(|change| change.get(signal)).cloned() {
                        self.frames.frames.add_samples(&mut cells, &mut sums[at..at + n]);
                    }
                }
                self.next_changed += 1;
            }
            self.next_taken = run.end;
        }
        let n_gone = (start - self.first) as usize;
        self.first = start;
        let mut signals = Vec::new();
        for (signal, sums) in self.sums.iter_mut().enumerate() {
            sums.drain(..n_gone);
            let mut samples = sound.read(signal, piece.clone())?;
            for ((sample, change), at) in samples.iter_mut().zip(sums.iter()).zip(piece.clone()) {
                if *change != 0.0 {
                    *sample += change * sound.fade_at(at) as f32;
                }
            }
            signals.push(samples);
        }
        Ok(signals)
    }
}
