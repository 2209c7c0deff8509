//! Edits that work on samples: over a range of time, or on the sound that any other selection holds.

use super::{Applied, joined};
use crate::base::{Error, ErrorKind, Progress, Result, trace};
use crate::document::apply::report::EditReport;
use crate::document::brushes::{Erase, SampleEdit};
use crate::document::{Edit, Signal, Snapshot, SnapshotEdit, lifted};
use crate::dsp::{Clip, Selection, Shape};
use crate::engine::Engine;
use std::ops::Range;

/// Samples of one signal that are in memory at a time.
const PIECE_SAMPLES: u64 = 1 << 17;

/// The sound that an edit of samples works on: all of a range of time, or what a selection holds of one.
pub struct SelectedSound<'a> {
    snapshot: &'a Snapshot,
    /// What the selection holds; none where it is all of the range.
    part: Option<Clip>,
    signals: Vec<Signal>,
    range: Range<u64>,
    progress: &'a Progress,
}

impl SelectedSound<'_> {
    /// Its samples, counted from the start of the sound.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// How many signals the edit works on.
    pub fn n_signals(&self) -> usize {
        self.signals.len()
    }

    /// The samples of a signal, counted from the start of the sound.
    ///
    /// # Errors
    /// The source's.
    pub fn read(&self, signal: usize, samples: Range<u64>) -> Result<Vec<f32>> {
        let mut out = vec![0.0; (samples.end - samples.start) as usize];
        match &self.part {
            None => self.signals[signal].read(self.snapshot, samples.start as i64, &mut out)?,
            Some(part) => read_part(part, self.signals[signal], samples.start as i64, &mut out),
        }
        Ok(out)
    }

    /// All of a signal, piece after piece.
    ///
    /// # Errors
    /// The source's, and [`Cancelled`](ErrorKind::Cancelled).
    pub fn each_piece(&self, signal: usize, mut look: impl FnMut(&[f32])) -> Result<()> {
        for piece in pieces(&self.range) {
            self.progress.check()?;
            look(&self.read(signal, piece)?);
        }
        Ok(())
    }
}

fn read_part(part: &Clip, signal: Signal, first: i64, out: &mut [f32]) {
    let from = first - part.first_sample;
    let sign = match signal {
        Signal::Channel(_) if part.channels.len() == 1 => return part.read(0, from, out),
        Signal::Channel(channel) => return part.read(channel, from, out),
        Signal::Mid => 1.0,
        Signal::Side => -1.0,
    };
    let mut right = vec![0.0; out.len()];
    part.read(0, from, out);
    part.read(1, from, &mut right);
    out.iter_mut().zip(&right).for_each(|(left, right)| *left = (*left + sign * right) * 0.5);
}

fn pieces(range: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
    let Range { start, end } = range.clone();
    let starts = (start..end).step_by(PIECE_SAMPLES as usize);
    starts.map(move |first| first..end.min(first + PIECE_SAMPLES))
}

/// The range of a selection that holds all frequencies of one range of time, with hard edges; `None` for any other.
fn whole_range(snapshot: &Snapshot, select: Option<&Selection>) -> Option<Range<u64>> {
    let (rate_hz, n_samples) = (snapshot.sample_rate_hz(), snapshot.n_samples());
    let Some(select) = select else { return Some(0..n_samples) };
    let [(_, Shape::Rectangle { secs, hz, .. })] = select.shapes.as_slice() else { return None };
    let holds_all = hz.is_none_or(|[low, high]| low <= 0.0 && high >= rate_hz / 2.0);
    let sample = |secs: f64| (secs * rate_hz).round().clamp(0.0, n_samples as f64) as u64;
    holds_all.then(|| secs.map_or(0..n_samples, |[start, end]| sample(start)..sample(end).max(sample(start))))
}

/// Applies an edit of samples. `edit` is resolved.
///
/// # Errors
/// Those of the edit and of [`lifted`]; [`Script`](ErrorKind::Script) for channels that the sound lacks.
pub fn apply_to_samples(
    snapshot: &Snapshot,
    edit: &Edit,
    brush: &dyn SampleEdit,
    engine: &Engine,
    progress: &Progress,
) -> Result<Applied> {
    let _span = trace::span("apply to samples");
    let signals = Signal::of(&edit.channels, snapshot.n_channels())?;
    let (part, range) = match whole_range(snapshot, edit.select.as_ref()) {
        Some(range) => (None, range),
        None => {
            let erasing = Edit { brush: Erase.into(), strength: 1.0, ..edit.clone() };
            let part = lifted(snapshot, &erasing, engine, &progress.quiet())?;
            let first = part.first_sample.max(0) as u64;
            let range = first..first + part.n_samples() as u64;
            (Some(part), range)
        }
    };
    if range.is_empty() {
        return Err(Error::new(ErrorKind::Script, "the selection holds no sample; select a longer range"));
    }
    let sound = SelectedSound { snapshot, part, signals, range, progress };
    let pass = brush.pass(&sound)?;
    let mut writer =
        Writer { sound: &sound, strength: edit.strength as f32, edit: None, changed: Vec::new(), n_written: 0 };
    let n_steps = sound.signals.len() as u64 * (sound.range.end - sound.range.start);
    let mut n_done = 0;
    for signal in 0..sound.signals.len() {
        for piece in pieces(&sound.range) {
            progress.step(n_done, n_steps)?;
            n_done += piece.end - piece.start;
            writer.write(signal, piece.clone(), pass(signal, piece)?)?;
        }
    }
    progress.step(n_steps, n_steps)?;
    let report = EditReport { engine: engine.name(), touched_samples: writer.n_written, ..EditReport::default() };
    let changed = joined(writer.changed);
    let after = writer.edit.map_or_else(|| snapshot.clone(), SnapshotEdit::finish);
    Ok(Applied { snapshot: after, report, resolved: None, changed })
}

/// Takes new samples over into a sound.
struct Writer<'a> {
    sound: &'a SelectedSound<'a>,
    strength: f32,
    /// None as long as nothing changed.
    edit: Option<SnapshotEdit>,
    changed: Vec<Range<u64>>,
    n_written: u64,
}

impl Writer<'_> {
    /// Writes the new samples of a signal; those of a part take its place in the sound.
    fn write(&mut self, signal: usize, piece: Range<u64>, mut after: Vec<f32>) -> Result<()> {
        let snapshot = self.sound.snapshot;
        let before = self.sound.read(signal, piece.clone())?;
        for (after, before) in after.iter_mut().zip(&before) {
            if self.strength < 1.0 {
                *after = before + self.strength * (*after - before);
            }
            if !after.is_finite() {
                *after = *before;
            }
        }
        if after.iter().zip(&before).all(|(after, before)| after.to_bits() == before.to_bits()) {
            return Ok(());
        }
        let signal = self.sound.signals[signal];
        let edit = self.edit.get_or_insert_with(|| snapshot.edit());
        for (channel, sign) in signal.targets() {
            let samples = match (signal, &self.sound.part) {
                (Signal::Channel(_), None) => after.clone(),
                _ => {
                    let mut samples = vec![0.0; after.len()];
                    snapshot.read(channel, piece.start as i64, &mut samples)?;
                    let change = after.iter().zip(&before).map(|(after, before)| sign * (after - before));
                    samples.iter_mut().zip(change).for_each(|(sample, change)| *sample += change);
                    samples
                }
            };
            edit.write(channel, piece.start, &samples)?;
            self.n_written += samples.len() as u64;
        }
        edit.settle();
        self.changed.push(piece);
        Ok(())
    }
}
