//! Cutting and inserting time: crossfades at joins, and the mapping of times.

use super::selected_sound::{SelectedSound, whole_range};
use crate::base::{Error, ErrorKind, Progress, Result, shown_number};
use crate::dsp::Selection;
use crate::engine::Plans;
use crate::{Channels, Signal, Snapshot};
use std::f64::consts::FRAC_PI_2;
use std::ops::Range;

/// A cut, or an insertion of time, in samples of the sound before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeChange {
    /// Sample of the change.
    pub at: u64,
    /// Number of samples removed from there on.
    pub removed: u64,
    /// Number of samples inserted in their place.
    pub added: u64,
}

impl TimeChange {
    /// The position of a sample after the change: positions in a cut move to its start, and those after it are shifted.
    /// A position at the change itself stays before the inserted samples.
    pub fn place_after(&self, sample: f64) -> f64 {
        let (at, end) = (self.at as f64, (self.at + self.removed) as f64);
        if sample <= at {
            sample
        } else if sample < end {
            at
        } else {
            sample - self.removed as f64 + self.added as f64
        }
    }

    /// The inverse change.
    #[must_use]
    pub fn undone(self) -> TimeChange {
        TimeChange { at: self.at, removed: self.added, added: self.removed }
    }

    /// A range after the change. A range that begins at an insertion is shifted as a whole, so that an insertion at an
    /// edge does not lengthen it.
    pub fn range_after(&self, [start, end]: [f64; 2]) -> [f64; 2] {
        let is_added_at_start = self.removed == 0 && start == self.at as f64 && end > start;
        let moved = if is_added_at_start { start + self.added as f64 } else { self.place_after(start) };
        [moved, self.place_after(end).max(moved)]
    }
}

/// The sound after time was cut or added.
#[derive(Debug, Clone)]
pub struct Retimed {
    /// The sound.
    pub(crate) snapshot: Snapshot,
    /// The first sample crossfaded at a join.
    pub(crate) first_mixed: Option<u64>,
    /// Number of crossfaded samples per channel.
    pub(crate) n_mixed: u64,
}

/// The sound and range of a brush that cuts or inserts time.
pub struct TimePlace<'a> {
    pub(crate) sound: &'a Snapshot,
    pub(crate) select: Option<&'a Selection>,
    pub(crate) plans: &'a Plans,
    pub(crate) progress: &'a Progress,
}

impl TimePlace<'_> {
    /// The selected samples: at least one.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a selection of another shape, or of nothing.
    pub(crate) fn range(&self) -> Result<Range<u64>> {
        let found = whole_range(self.sound, self.select);
        found.filter(|range| !range.is_empty()).ok_or_else(|| refused("Select a time range to cut."))
    }

    /// All channels of a range.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for channels that do not exist.
    pub(crate) fn selected(&self, range: Range<u64>) -> Result<SelectedSound<'_>> {
        let signals = Signal::of(&Channels::All, self.sound.n_channels())?;
        Ok(SelectedSound::all_of(self.sound, signals, range, self.plans, self.progress))
    }

    /// A time in samples, rounded once.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) past the end of the sound.
    pub(crate) fn sample_from_secs(&self, secs: f64) -> Result<u64> {
        let sample = self.n_samples_of(secs);
        if sample <= self.sound.n_samples() {
            return Ok(sample);
        }
        let end_secs = self.sound.n_samples() as f64 / self.sound.sample_rate_hz();
        let secs = shown_number(secs);
        Err(refused(&format!("{secs} s is past the end of the sound ({end_secs} s)")))
    }

    /// A duration in samples.
    pub(crate) fn n_samples_of(&self, secs: f64) -> u64 {
        (secs * self.sound.sample_rate_hz()).round().max(0.0) as u64
    }
}

/// An error the user can fix by another selection or number.
pub(crate) fn refused(what: &str) -> Error {
    Error::new(ErrorKind::Script, what)
}

/// The sound on one side of a join, with the samples on both sides of the join that a crossfade may use.
pub(crate) struct Side<'a> {
    /// The sound; `None` for silence.
    pub sound: Option<&'a Snapshot>,
    /// The sound's sample at the join.
    pub at: u64,
    /// Number of samples available before that one, and from it on.
    pub reach: [u64; 2],
}

impl<'a> Side<'a> {
    /// A sound of which all samples are available.
    pub fn of(sound: &'a Snapshot, at: u64) -> Side<'a> {
        Side { sound: Some(sound), at, reach: [at, sound.n_samples().saturating_sub(at)] }
    }

    /// Silence of unlimited length.
    pub fn silence() -> Side<'a> {
        Side { sound: None, at: 0, reach: [u64::MAX; 2] }
    }

    /// A sound that begins at this sample.
    pub fn beginning(sound: &'a Snapshot, at: u64) -> Side<'a> {
        Side { reach: [0, sound.n_samples().saturating_sub(at)], ..Side::of(sound, at) }
    }

    /// A sound that ends before this sample.
    pub fn ending(sound: &'a Snapshot, at: u64) -> Side<'a> {
        Side { reach: [at, 0], ..Side::of(sound, at) }
    }

    fn read(&self, channel: usize, n_before: u64, out: &mut [f32]) -> Result<()> {
        match self.sound {
            Some(sound) => sound.read(channel, self.at as i64 - n_before as i64, out),
            None => {
                out.fill(0.0);
                Ok(())
            }
        }
    }
}

impl Retimed {
    /// A sound before any crossfade.
    pub(crate) fn of(snapshot: Snapshot) -> Retimed {
        Retimed { snapshot, first_mixed: None, n_mixed: 0 }
    }

    /// Crossfades two sounds around the sample `at`, over at most `n_fade` samples: the ending one with a gain of cos,
    /// the beginning one with a gain of sin, both divided by `sqrt(1 + r sin 2 angle)`, where `r` is their
    /// [`likeness`]. Without the division, similar sounds would become louder with each cut at the same place. The fade
    /// is limited to the samples available on both sides; there is none at the ends of the sound.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) fn join(&mut self, at: u64, n_fade: u64, [before, after]: [&Side<'_>; 2]) -> Result<()> {
        let n_samples = self.snapshot.n_samples();
        if at == 0 || at >= n_samples {
            return Ok(());
        }
        let n_left = (n_fade / 2).min(at).min(after.reach[0]);
        let n_right = (n_fade - n_fade / 2).min(n_samples - at).min(before.reach[1]);
        let (first, n) = (at - n_left, (n_left + n_right) as usize);
        if n == 0 {
            return Ok(());
        }
        // Writes to newly added samples, so that the cost of a join does not depend on its position.
        let mut edit = self.snapshot.with_added(first..at + n_right).edit();
        let n_channels = self.snapshot.n_channels();
        let mut channels = vec![[vec![0.0; n], vec![0.0; n]]; n_channels];
        for (channel, [ending, beginning]) in channels.iter_mut().enumerate() {
            before.read(channel, n_left, ending)?;
            after.read(channel, n_left, beginning)?;
        }
        let likeness = likeness(&channels);
        for (channel, [ending, beginning]) in channels.iter_mut().enumerate() {
            for (i, (ending, beginning)) in ending.iter_mut().zip(&*beginning).enumerate() {
                let angle = FRAC_PI_2 * (i as f64 + 0.5) / n as f64;
                let mixed = f64::from(*ending) * angle.cos() + f64::from(*beginning) * angle.sin();
                *ending = (mixed / (1.0 + likeness * (2.0 * angle).sin()).sqrt()) as f32;
            }
            edit.write(channel, first, ending)?;
        }
        self.snapshot = edit.finish();
        self.n_mixed += n as u64;
        self.first_mixed = Some(self.first_mixed.map_or(first, |known| known.min(first)));
        Ok(())
    }
}

/// `2 sum a b / sum (a^2 + b^2)` over all channels: 1 for equal sounds, 0 for uncorrelated ones, or if one is silent;
/// clipped at 0.
fn likeness(channels: &[[Vec<f32>; 2]]) -> f64 {
    let (mut both, mut each) = (0.0, 0.0);
    for [a, b] in channels {
        for (a, b) in a.iter().zip(b).map(|(a, b)| (f64::from(*a), f64::from(*b))) {
            both += 2.0 * a * b;
            each += a * a + b * b;
        }
    }
    if each > 0.0 { (both / each).max(0.0) } else { 0.0 }
}
