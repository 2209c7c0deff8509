//! A rendered sound added to the samples of a document, without a transform: samples where it is silent keep their
//! bits.

use super::sound::AddedSound;
use crate::base::{Progress, Result};
use crate::document::edits::sums::SampleSums;
use crate::document::{BLOCK_SAMPLES, Signal, Snapshot, SnapshotEdit};
use crate::engine::Engine;
use std::ops::Range;

/// A document with a sound added.
#[derive(Debug)]
pub struct Mixed {
    /// The document; the same snapshot if the sound lies outside it.
    pub snapshot: Snapshot,
    /// Notices about rendering the sound, one sentence each.
    pub rendering: Vec<String>,
    /// Notices about levels, one sentence each.
    pub notices: Vec<String>,
    /// Samples written, over all channels.
    pub n_samples: u64,
    /// Changed ranges in any channel, unordered.
    pub changed: Vec<Range<u64>>,
}

/// Receives the document with the part of a sound rendered so far, before the rest is rendered.
pub type PartialResult<'a> = dyn FnMut(Snapshot) + 'a;

/// Adds `strength` times a sound to some signals of a document. `so_far`, if given, receives the document after each
/// block except the last, before the next is rendered.
///
/// # Errors
/// Errors of rendering and of reading the document, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
pub fn mix(
    document: &Snapshot,
    sound: &dyn AddedSound,
    strength: f32,
    signals: &[Signal],
    (engine, progress): (&Engine, &Progress),
    mut so_far: Option<&mut PartialResult<'_>>,
) -> Result<Mixed> {
    let first_sample = sound.first_sample();
    let n_samples = sound.n_samples();
    let is_before = first_sample.saturating_add_unsigned(n_samples) <= 0;
    let room = (document.n_samples() as i64).saturating_sub(first_sample).max(0) as u64;
    let until = if is_before { 0 } else { room };
    let n_steps = n_samples.min(until);
    let edit = document.edit();
    let mut mixer = Mixer { document, edit, strength, n_samples: 0, changed: Vec::new(), sums: SampleSums::default() };
    let mut take = |first: u64, rendered: [&[f32]; 2]| {
        progress.step(first, n_steps)?;
        for signal in signals {
            mixer.add(*signal, first_sample.saturating_add(first as i64), &sound.part(*signal, rendered))?;
        }
        mixer.edit.settle();
        let is_last = first + rendered[0].len() as u64 >= n_steps;
        if let Some(take) = so_far.as_mut().filter(|_| !is_last) {
            take(mixer.edit.so_far());
        }
        Ok(())
    };
    let rendering = sound.render(engine, document.n_channels() == 2, until, &mut take)?;
    progress.step(n_steps, n_steps)?;
    let Mixer { edit, n_samples, changed, sums, .. } = mixer;
    let notices = sums.too_large_notice().into_iter().chain(sums.peak_notice()).collect();
    let snapshot = if changed.is_empty() { document.clone() } else { edit.finish() };
    Ok(Mixed { snapshot, rendering, notices, n_samples, changed })
}

/// Collects the new samples.
struct Mixer<'a> {
    document: &'a Snapshot,
    edit: SnapshotEdit,
    strength: f32,
    n_samples: u64,
    changed: Vec<Range<u64>>,
    sums: SampleSums,
}

impl Mixer<'_> {
    /// Adds a part from sample `first` on, which may precede the document.
    fn add(&mut self, signal: Signal, first: i64, part: &[f32]) -> Result<()> {
        for (index, part) in part.chunks(BLOCK_SAMPLES).enumerate() {
            let first = first.saturating_add((index * BLOCK_SAMPLES) as i64);
            let n_before = first.saturating_neg().clamp(0, part.len() as i64) as usize;
            let (first, part) = (first.max(0), &part[n_before..]);
            if part.iter().any(|added| *added != 0.0) {
                self.add_block(signal, first as u64, part)?;
            }
        }
        Ok(())
    }

    fn add_block(&mut self, signal: Signal, first: u64, part: &[f32]) -> Result<()> {
        let mut samples = vec![0.0; part.len()];
        for (channel, sign) in signal.targets() {
            // Reads the original samples: each channel belongs to a single signal, so nothing was written here before.
            self.document.read(channel, first as i64, &mut samples)?;
            for (sample, added) in samples.iter_mut().zip(part).filter(|(_, added)| **added != 0.0) {
                self.sums.add(sample, sign * self.strength * added);
            }
            self.edit.write(channel, first, &samples)?;
            let end = (first + samples.len() as u64).min(self.document.n_samples());
            self.n_samples += end.saturating_sub(first);
            self.changed.push(first..end);
        }
        Ok(())
    }
}
