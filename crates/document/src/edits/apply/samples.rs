//! Edits of samples: over a range of time, or on the sound within any other selection.

use super::changes::joined;
use super::report::EditReport;
use crate::base::{Error, ErrorKind, Result, trace};
use crate::document::brushes::SampleEdit;
use crate::document::edits::selected_sound::{SelectedSound, pieces_of};
use crate::document::{Signal, Snapshot, SnapshotEdit};
use std::ops::Range;

/// Maximum fraction of an edit's progress for measuring, and the number of steps in which progress is reported.
const MEASURING_SHARE: f64 = 0.9;
const STEPS: f64 = 65_536.0;

/// The new sound, the report, and the runs of samples that may have changed.
///
/// # Errors
/// Errors of the edit, and [`Script`](ErrorKind::Script) for a range without a sample.
pub fn apply_to_samples(
    sound: &SelectedSound<'_>,
    brush: &dyn SampleEdit,
    strength: f64,
) -> Result<(Snapshot, EditReport, Vec<Range<u64>>)> {
    let _span = trace::span("apply to samples");
    if sound.range.is_empty() {
        return Err(Error::new(ErrorKind::Script, "the selection holds no sample; select a longer range"));
    }
    sound.progress.step(0, 1)?;
    let pass = brush.pass(sound)?;
    // Writing takes the part of the progress that measuring left.
    let measured = f64::from(sound.progress.fraction()).min(MEASURING_SHARE);
    let step = |done: u64, total: u64| {
        let part = measured + (1.0 - measured) * done as f64 / total.max(1) as f64;
        sound.progress.step((part * STEPS) as u64, STEPS as u64)
    };
    let (strength, adds) = (strength as f32, brush.adds());
    let mut writer = Writer { sound, strength, adds, edit: None, changed: Vec::new(), n_written: 0 };
    let (n_samples, wanted_end) = (sound.n_samples(), brush.end(sound).max(sound.range.end));
    let beyond = sound.range.end..wanted_end.min(n_samples);
    let n_steps = beyond.end.max(sound.range.end) - sound.range.start;
    // Replaces the samples in the selection, and adds to those beyond it.
    for piece in sound.pieces().chain(pieces_of(beyond)) {
        for signal in 0..sound.signals.len() {
            step(piece.start - sound.range.start, n_steps)?;
            writer.write(signal, piece.clone(), pass(signal, piece.clone())?)?;
        }
    }
    step(n_steps, n_steps)?;
    let n_past_end = wanted_end.saturating_sub(n_samples);
    let past_end_secs = (n_past_end > 0).then(|| n_past_end as f64 / sound.sample_rate_hz());
    let (found, speech, notices) = (sound.findings.found(), sound.findings.speech(), sound.findings.notices());
    let touched_samples = writer.n_written;
    let report = EditReport { touched_samples, past_end_secs, found, speech, notices, ..EditReport::default() };
    let changed = joined(writer.changed);
    let after = writer.edit.map_or_else(|| sound.snapshot.clone(), SnapshotEdit::finish);
    Ok((after, report, changed))
}

/// Writes new samples into a sound.
struct Writer<'a> {
    sound: &'a SelectedSound<'a>,
    strength: f32,
    /// Whether new samples are added to the selected sound instead of replacing it.
    adds: bool,
    /// `None` until something changes.
    edit: Option<SnapshotEdit>,
    changed: Vec<Range<u64>>,
    n_written: u64,
}

impl Writer<'_> {
    /// Replaces the selected part of a signal with the new samples, or adds them to it.
    fn write(&mut self, signal: usize, piece: Range<u64>, mut after: Vec<f32>) -> Result<()> {
        let snapshot = self.sound.snapshot;
        let before = match self.adds {
            true => vec![0.0; after.len()],
            false => self.sound.replaced(signal, piece.clone())?,
        };
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
            let samples = match (signal, &self.sound.rest) {
                (Signal::Channel(_), None) if !self.adds && piece.end <= self.sound.range.end => after.clone(),
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
