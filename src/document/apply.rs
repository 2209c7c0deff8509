//! The one function that changes sound.
//!
//! Works channel by channel in pieces of frames, so that memory grows with a piece and with what is changed, never
//! with the length of the file.

use super::plan::{Plan, Work};
use super::snapshot::{SnapshotEdit, join};
use super::{Channels, Edit, Snapshot};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::{Difference, Stft};
use crate::engine::Engine;
use std::ops::Range;

/// What an edit did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EditReport {
    /// `gpu` or `cpu`.
    pub engine: &'static str,
    /// Frames with at least one changed coefficient, summed over channels.
    pub touched_frames: u64,
    /// Samples written, summed over channels.
    pub touched_samples: u64,
    /// Such as an edit that reaches no cell.
    pub notices: Vec<String>,
}

/// The new sound, and what was done.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The sound after the edit.
    pub snapshot: Snapshot,
    /// Figures.
    pub report: EditReport,
    /// Runs of samples that may have changed, any channel, ascending and disjoint.
    pub changed: Vec<Range<u64>>,
}

/// A signal that is analysed and edited: a channel, or mid or side of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// One channel.
    Channel(usize),
    /// `(L + R) / 2`.
    Mid,
    /// `(L - R) / 2`.
    Side,
}

impl Signal {
    /// The signals that an edit of these channels works on.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a channel that the sound lacks, and for mid and side of sound that is not stereo.
    pub fn of(channels: &Channels, n_channels: usize) -> Result<Vec<Signal>> {
        let stereo = |signal| {
            if n_channels == 2 {
                return Ok(vec![signal]);
            }
            Err(Error::new(ErrorKind::Script, format!("mid and side need 2 channels; this sound has {n_channels}")))
        };
        match channels {
            Channels::All => Ok((0..n_channels).map(Signal::Channel).collect()),
            Channels::Mid => stereo(Signal::Mid),
            Channels::Side => stereo(Signal::Side),
            Channels::List(list) => match list.iter().find(|&&channel| channel >= n_channels) {
                Some(channel) => {
                    let last = n_channels - 1;
                    Err(Error::new(
                        ErrorKind::Script,
                        format!("channel {channel} does not exist; the last one is {last}"),
                    ))
                }
                None => Ok(list.iter().copied().map(Signal::Channel).collect()),
            },
        }
    }

    /// The signal's samples from `first` on, 0 beyond the ends.
    ///
    /// # Errors
    /// The source's.
    pub fn read(self, snapshot: &Snapshot, first: i64, out: &mut [f32]) -> Result<()> {
        let sign = match self {
            Signal::Channel(channel) => return snapshot.read(channel, first, out),
            Signal::Mid => 1.0,
            Signal::Side => -1.0,
        };
        let mut right = vec![0.0; out.len()];
        snapshot.read(0, first, out)?;
        snapshot.read(1, first, &mut right)?;
        for (left, right) in out.iter_mut().zip(&right) {
            *left = (*left + sign * right) * 0.5;
        }
        Ok(())
    }

    /// The channels that a change of this signal is added to, with its sign.
    fn targets(self) -> Vec<(usize, f32)> {
        match self {
            Signal::Channel(channel) => vec![(channel, 1.0)],
            Signal::Mid => vec![(0, 1.0), (1, 1.0)],
            Signal::Side => vec![(0, 1.0), (1, -1.0)],
        }
    }
}

/// Applies an edit: `y = x + OLA(C' - C) / sum(w^2)` over the touched frames.
///
/// # Errors
/// [`Script`](ErrorKind::Script) where the edit does not fit the sound (a channel it lacks, too large a patch),
/// [`Cancelled`](ErrorKind::Cancelled), and the engine's.
pub fn apply(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Applied> {
    let signals = Signal::of(&edit.channels, snapshot.n_channels())?;
    let (engine, notice) = engine.for_transform(&edit.transform);
    let mut report =
        EditReport { engine: engine.name(), notices: notice.into_iter().collect(), ..EditReport::default() };
    let Some(plan) = Plan::new(snapshot, edit, engine.max_cells())? else {
        return Ok(without_a_cell(snapshot, report));
    };
    let stft = Stft::new(plan.grid.stft);
    let n_steps = (signals.len() * plan.n_pieces()) as u64;
    let mut changes: Vec<Channel> = vec![Channel::default(); snapshot.n_channels()];
    let (mut step, mut reaches_a_cell, mut n_too_large) = (0, false, 0);
    for signal in &signals {
        let mut sum = OverlapSum::new(*signal, &plan);
        for work in plan.pieces() {
            progress.step(step, n_steps)?;
            let work = work?;
            step += 1;
            if work.mask.values.iter().all(|&m| m == 0.0) {
                continue;
            }
            reaches_a_cell = true;
            let difference = edit_piece(snapshot, *signal, &stft, &engine, &work)?;
            report.touched_frames += difference.touched.iter().filter(|touched| **touched).count() as u64;
            sum.add(&stft, snapshot, &work.rect.frames, &difference, &mut changes)?;
        }
        n_too_large += sum.finish(&stft, snapshot, &mut changes)?;
    }
    if n_too_large > 0 {
        report.notices.push(format!("{n_too_large} samples are too large to be edited and were left as they are"));
    }
    progress.step(step, n_steps)?;
    if !reaches_a_cell {
        return Ok(without_a_cell(snapshot, report));
    }
    let mut builder = snapshot.edit();
    let mut changed = Vec::new();
    for (channel, runs) in changes.into_iter().enumerate() {
        report.touched_samples += runs.write_into(&mut builder, channel, &mut changed);
    }
    let changed = joined(changed);
    let snapshot = if changed.is_empty() { snapshot.clone() } else { builder.finish() };
    Ok(Applied { snapshot, report, changed })
}

/// The sound as it was, and that the edit found nothing to do.
fn without_a_cell(snapshot: &Snapshot, mut report: EditReport) -> Applied {
    report.notices.push("this edit reaches no cell of the spectrogram; nothing was changed".into());
    Applied { snapshot: snapshot.clone(), report, changed: Vec::new() }
}

/// Analyses what a piece reads, edits it, and brings the difference back to time.
fn edit_piece(snapshot: &Snapshot, signal: Signal, stft: &Stft, engine: &Engine, work: &Work) -> Result<Difference> {
    let params = stft.params();
    let mut samples = vec![0.0; stft.n_samples_under(work.read.frames.len())];
    let first = work.read.frames.start as i64 * params.hop as i64 - params.n_fft as i64 / 2;
    signal.read(snapshot, first, &mut samples)?;
    let before = engine.analyse(stft, &samples, &work.read)?;
    let after = engine.run(&work.kernel, &before, &work.mask)?;
    engine.difference(stft, &before, &after)
}

/// Runs of new samples of one channel, ascending and disjoint within a signal.
#[derive(Debug, Clone, Default)]
struct Channel(Vec<(u64, Vec<f32>)>);

impl Channel {
    fn write_into(self, builder: &mut SnapshotEdit, channel: usize, changed: &mut Vec<Range<u64>>) -> u64 {
        let mut n_written = 0;
        for (first, samples) in self.0 {
            n_written += samples.len() as u64;
            changed.push(first..first + samples.len() as u64);
            builder.write(channel, first, &samples);
        }
        n_written
    }
}

fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined_ranges = Vec::new();
    for range in ranges {
        join(&mut joined_ranges, range);
    }
    joined_ranges
}

/// Sums the differences of successive pieces where their frames overlap, and gives out samples as soon as no later
/// piece can reach them.
struct OverlapSum {
    signal: Signal,
    n_grid_frames: usize,
    /// Not yet divided by `sum(w^2)`; the first of them is sample `first`.
    pending: Vec<f32>,
    first: i64,
    /// Samples under touched frames, ascending and disjoint.
    touched: Vec<Range<i64>>,
    /// Samples kept because 32-bit float cannot hold what the edit makes of them.
    n_too_large: u64,
}

impl OverlapSum {
    fn new(signal: Signal, plan: &Plan) -> OverlapSum {
        OverlapSum {
            signal,
            n_grid_frames: plan.grid.n_frames(),
            pending: Vec::new(),
            first: 0,
            touched: Vec::new(),
            n_too_large: 0,
        }
    }

    fn add(
        &mut self,
        stft: &Stft,
        snapshot: &Snapshot,
        frames: &Range<usize>,
        difference: &Difference,
        changes: &mut [Channel],
    ) -> Result<()> {
        let (hop, n_fft) = (stft.params().hop as i64, stft.params().n_fft as i64);
        let first = frames.start as i64 * hop - n_fft / 2;
        self.give_out(stft, snapshot, first, changes)?;
        if self.pending.is_empty() {
            self.first = first;
        }
        let offset = (first - self.first) as usize;
        self.pending.resize((offset + difference.samples.len()).max(self.pending.len()), 0.0);
        for (sum, sample) in self.pending[offset..].iter_mut().zip(&difference.samples) {
            *sum += sample;
        }
        for (frame, _) in frames.clone().zip(&difference.touched).filter(|(_, touched)| **touched) {
            let start = frame as i64 * hop - n_fft / 2;
            join(&mut self.touched, start..start + n_fft);
        }
        Ok(())
    }

    /// Gives out the rest; returns how many samples were too large to be edited.
    fn finish(mut self, stft: &Stft, snapshot: &Snapshot, changes: &mut [Channel]) -> Result<u64> {
        self.give_out(stft, snapshot, i64::MAX, changes)?;
        Ok(self.n_too_large)
    }

    /// Adds what is pending before sample `until` to the sound, where touched frames reach.
    fn give_out(&mut self, stft: &Stft, snapshot: &Snapshot, until: i64, changes: &mut [Channel]) -> Result<()> {
        let n_ready = (until.saturating_sub(self.first)).clamp(0, self.pending.len() as i64) as usize;
        let mut ready: Vec<f32> = self.pending.drain(..n_ready).collect();
        let (first, end) = (self.first, self.first + n_ready as i64);
        stft.divide_by_weight(&mut ready, first, self.n_grid_frames);
        let last_sample = snapshot.n_samples() as i64;
        for range in &self.touched {
            let (from, to) = (range.start.max(first).max(0), range.end.min(end).min(last_sample));
            if from >= to {
                continue;
            }
            let delta = &ready[(from - first) as usize..(to - first) as usize];
            for (channel, sign) in self.signal.targets() {
                let mut samples = vec![0.0; delta.len()];
                snapshot.read(channel, from, &mut samples)?;
                for (sample, delta) in samples.iter_mut().zip(delta) {
                    let sum = *sample + sign * delta;
                    // Only magnitudes near the end of f32 could overflow; a file must never hold an infinity.
                    if sum.is_finite() {
                        *sample = sum;
                    } else {
                        self.n_too_large += 1;
                    }
                }
                changes[channel].0.push((from as u64, samples));
            }
        }
        self.touched.retain(|range| range.end > end);
        self.first = end;
        Ok(())
    }
}
