//! The sound that an edit of samples processes.

use super::stretched::Stretched;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::repair::isolation::SpeechMap;
use crate::dsp::warps::peak_locking::LockedPeaks;
use crate::dsp::{Combine, Selection, Shape};
use crate::engine::Plans;
use crate::media::SampleFormat;
use crate::{Signal, Snapshot};
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::sync::Arc;

/// Fade of an edit's effect at both ends, in seconds, unless it reaches the first or last sample.
const FADE_SECS: f64 = 0.02;
/// Number of samples of one signal held in memory at a time.
const PIECE_SAMPLES: u64 = 1 << 17;

/// A range of time, or the part of it in a selection.
pub struct SelectedSound<'a> {
    /// The sound before the edit.
    pub(crate) snapshot: &'a Snapshot,
    /// The sound with the selected part erased; `None` if the edit reads all sound in the range.
    pub(crate) rest: Option<Snapshot>,
    /// The selection that masks the change, for an edit that analyses the whole sound.
    pub(crate) mask: Option<&'a Selection>,
    pub(crate) signals: Vec<Signal>,
    pub(crate) range: Range<u64>,
    pub(crate) plans: &'a Plans,
    pub(crate) progress: &'a Progress,
    /// The runs that the edit may change, ascending and disjoint; `None` for the whole range.
    pub(crate) runs: Option<Vec<Range<u64>>>,
    pub(crate) findings: SampleFindings,
}

/// What an edit found in the sound that it processes.
#[derive(Debug, Default)]
pub struct SampleFindings {
    found: OnceCell<String>,
    speech: OnceCell<Arc<SpeechMap>>,
    notices: RefCell<Vec<String>>,
}

impl SampleFindings {
    /// A summary, if it searches for something.
    pub fn found(&self) -> Option<String> {
        self.found.get().cloned()
    }

    /// The fraction of speech in each cell, if estimated.
    pub fn speech(&self) -> Option<Arc<SpeechMap>> {
        self.speech.get().cloned()
    }

    /// Notices, one sentence each.
    pub fn notices(&self) -> Vec<String> {
        self.notices.borrow().clone()
    }
}

impl<'a> SelectedSound<'a> {
    /// All sound of the signals in a range.
    pub(crate) fn all_of(
        snapshot: &'a Snapshot,
        signals: Vec<Signal>,
        range: Range<u64>,
        plans: &'a Plans,
        progress: &'a Progress,
    ) -> SelectedSound<'a> {
        let findings = SampleFindings::default();
        SelectedSound { snapshot, rest: None, mask: None, signals, range, plans, progress, runs: None, findings }
    }
}

impl SelectedSound<'_> {
    /// Range of samples, counted from the start of the sound.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// The signals that the edit works on.
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// Number of signals.
    pub fn n_signals(&self) -> usize {
        self.signals.len()
    }

    /// The speakers of the signals, if these are all channels of the file and the file states them.
    pub fn channel_mask(&self) -> Option<u32> {
        let is_all = self.n_signals() == self.snapshot.n_channels();
        self.snapshot.source().info().channel_mask.filter(|_| is_all)
    }

    /// The samples of a signal, or of its selected part if the edit reads only that. Positions count from the start of
    /// the sound.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn read(&self, signal: usize, samples: Range<u64>) -> Result<Vec<f32>> {
        self.read_from(signal, samples.start as i64, (samples.end - samples.start) as usize)
    }

    /// The samples of a signal from any position, counted from the start of the sound; 0 beyond its ends.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn read_from(&self, signal: usize, first: i64, n: usize) -> Result<Vec<f32>> {
        let mut selected = vec![0.0; n];
        self.signals[signal].read(self.snapshot, first, &mut selected)?;
        if let Some(rest) = &self.rest {
            let mut other = vec![0.0; n];
            self.signals[signal].read(rest, first, &mut other)?;
            selected.iter_mut().zip(&other).for_each(|(sample, other)| *sample -= other);
        }
        Ok(selected)
    }

    /// How much of an edit's change applies to a sample, 0 to 1: it fades in and out at edges of the range inside the
    /// sound. 1 if a selection masks the change, since the edit then applies the mask itself.
    pub fn fade_at(&self, at: u64) -> f64 {
        if self.mask.is_some() {
            return 1.0;
        }
        let fade = FADE_SECS * self.snapshot.sample_rate_hz();
        let range = &self.range;
        let rising = if range.start > 0 { ((at - range.start) as f64 + 0.5) / fade } else { 1.0 };
        let fades_out = range.end < self.snapshot.n_samples();
        let falling = if fades_out { ((range.end - at) as f64 - 0.5) / fade } else { 1.0 };
        rising.min(falling).min(1.0)
    }

    /// The part of a signal that the edit replaces: as [`read`](SelectedSound::read), but 0 outside the range.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn replaced(&self, signal: usize, samples: Range<u64>) -> Result<Vec<f32>> {
        let mut replaced = self.read(signal, samples.clone())?;
        let is_outside = |at: &u64| !self.range.contains(at);
        replaced.iter_mut().zip(samples).filter(|(_, at)| is_outside(at)).for_each(|(sample, _)| *sample = 0.0);
        Ok(replaced)
    }

    /// The range stretched to a length in samples, with the sound around it as context.
    ///
    /// # Errors
    /// Read errors of the source, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn stretched(&self, n_output: u64, peaks: LockedPeaks) -> Result<Stretched<'_>> {
        let (start, n_input) = (self.range.start as i64, self.range.end - self.range.start);
        let read = move |first: i64, n: usize| {
            (0..self.signals.len()).map(|signal| self.read_from(signal, start + first, n)).collect()
        };
        let (rate_hz, n_signals) = (self.snapshot.sample_rate_hz(), self.signals.len());
        Stretched::new(rate_hz, n_signals, [n_input, n_output], peaks, Box::new(read), self.plans, self.progress)
    }

    /// Samples per second.
    pub fn sample_rate_hz(&self) -> f64 {
        self.snapshot.sample_rate_hz()
    }

    /// Samples of the whole sound.
    pub fn n_samples(&self) -> u64 {
        self.snapshot.n_samples()
    }

    /// Stores a summary of what the edit found, for its report.
    pub fn report_found(&self, what: String) {
        // An edit reports at most one summary.
        let _ = self.findings.found.set(what);
    }

    /// Stores the fraction of speech in each cell, for its report.
    pub fn report_speech(&self, speech: SpeechMap) {
        let _ = self.findings.speech.set(Arc::new(speech));
    }

    /// Stores a notice about the result, one sentence without a full stop.
    pub fn report_notice(&self, what: String) {
        self.findings.notices.borrow_mut().push(what);
    }

    /// The runs that the edit may change, ascending and disjoint.
    pub fn runs(&self) -> Vec<Range<u64>> {
        self.runs.clone().unwrap_or_else(|| vec![self.range()])
    }

    /// A handle for a part of the edit's progress.
    pub fn progress_within(&self, part: [f64; 2]) -> Progress {
        self.progress.within(part)
    }

    /// Bit depth of integers in the file; `None` for floats and coded sound.
    pub fn stored_bits(&self) -> Option<u32> {
        match self.snapshot.source().info().format {
            SampleFormat::Pcm { bits } => Some(bits),
            SampleFormat::Float32 | SampleFormat::Float64 | SampleFormat::Lossy => None,
        }
    }

    /// Returns an error once the edit is cancelled.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn check(&self) -> Result<()> {
        self.progress.check()
    }

    /// Refuses a range that is too short to analyse.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script).
    pub fn check_length(&self, min_secs: f64) -> Result<()> {
        if (self.range.end - self.range.start) as f64 >= min_secs * self.sample_rate_hz() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Script, format!("this needs at least {min_secs} s of sound; select a longer range")))
    }

    /// Calls `look` with the samples of some ranges of a signal, in pieces, each with the position of its first sample.
    ///
    /// # Errors
    /// Read errors of the source, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn each_piece(&self, signal: usize, runs: &[Range<u64>], mut look: impl FnMut(u64, &[f32])) -> Result<()> {
        for piece in runs.iter().cloned().flat_map(pieces_of) {
            self.progress.check()?;
            look(piece.start, &self.read(signal, piece)?);
        }
        Ok(())
    }

    /// The range in pieces that fit in memory.
    pub fn pieces(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        pieces_of(self.range())
    }
}

/// A range in pieces that fit in memory.
pub(crate) fn pieces_of(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let Range { start, end } = range;
    let starts = (start..end).step_by(PIECE_SAMPLES as usize);
    starts.map(move |first| first..end.min(first + PIECE_SAMPLES))
}

/// The samples of a selection that is a single rectangle over all frequencies, ignoring soft edges; all samples without
/// a selection. `None` for any other selection.
pub fn whole_range(snapshot: &Snapshot, select: Option<&Selection>) -> Option<Range<u64>> {
    let (rate_hz, n_samples) = (snapshot.sample_rate_hz(), snapshot.n_samples());
    let Some(select) = select else { return Some(0..n_samples) };
    let [(Combine::Add, Shape::Rectangle { secs, hz, .. })] = select.shapes.as_slice() else { return None };
    let holds_all = hz.is_none_or(|[low, high]| low <= 0.0 && high >= rate_hz / 2.0);
    let sample = |secs: f64| (secs * rate_hz).round().clamp(0.0, n_samples as f64) as u64;
    holds_all.then(|| secs.map_or(0..n_samples, |[start, end]| sample(start)..sample(end).max(sample(start))))
}
