//! Cutting and inserting time: the joins, and where every moment moves.

use super::selected_sound::{SelectedSound, whole_range};
use super::{Channels, Signal, Snapshot};
use crate::base::{Error, ErrorKind, Progress, Result, shown_number};
use crate::dsp::Selection;
use crate::engine::Plans;
use std::f64::consts::FRAC_PI_2;
use std::ops::Range;

/// One cut, or one stretch of time that was added, in samples of the sound just before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeChange {
    /// Where.
    pub at: u64,
    /// Samples that went, from there on.
    pub removed: u64,
    /// Samples that came in their place.
    pub added: u64,
}

impl TimeChange {
    /// Where a sample is after it: what lies in a cut goes to its start, and what lies behind moves along. A sample at
    /// the place itself stays before what is added.
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

    /// What takes it back.
    #[must_use]
    pub fn undone(self) -> TimeChange {
        TimeChange { at: self.at, removed: self.added, added: self.removed }
    }

    /// Where a range is after it; what begins where time is added moves along, so that nothing grows at its edges.
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
    pub(super) snapshot: Snapshot,
    /// The first sample that is mixed at a join.
    pub(super) first_mixed: Option<u64>,
    /// Samples of a channel that are.
    pub(super) n_mixed: u64,
}

/// What a brush that cuts or adds time works on.
pub struct TimePlace<'a> {
    pub(super) sound: &'a Snapshot,
    pub(super) select: Option<&'a Selection>,
    pub(super) plans: &'a Plans,
    pub(super) progress: &'a Progress,
}

impl TimePlace<'_> {
    /// The selected samples: at least one.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a selection of another shape, or of nothing.
    pub(super) fn range(&self) -> Result<Range<u64>> {
        let found = whole_range(self.sound, self.select);
        found.filter(|range| !range.is_empty()).ok_or_else(|| refused("Select a time range to cut."))
    }

    /// All channels of a range.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for channels that are not there.
    pub(super) fn selected(&self, range: Range<u64>) -> Result<SelectedSound<'_>> {
        let signals = Signal::of(&Channels::All, self.sound.n_channels())?;
        Ok(SelectedSound::all_of(self.sound, signals, range, self.plans, self.progress))
    }

    /// A time in samples, rounded once.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) past the end of the sound.
    pub(super) fn sample_from_secs(&self, secs: f64) -> Result<u64> {
        let sample = self.n_samples_of(secs);
        if sample <= self.sound.n_samples() {
            return Ok(sample);
        }
        let end_secs = self.sound.n_samples() as f64 / self.sound.sample_rate_hz();
        let secs = shown_number(secs);
        Err(refused(&format!("{secs} s is past the end of the sound ({end_secs} s)")))
    }

    /// Seconds in samples.
    pub(super) fn n_samples_of(&self, secs: f64) -> u64 {
        (secs * self.sound.sample_rate_hz()).round().max(0.0) as u64
    }
}

/// What a user can set right by another selection or another number.
pub(super) fn refused(what: &str) -> Error {
    Error::new(ErrorKind::Script, what)
}

/// What would go on sounding on one side of a join.
pub(super) struct Side<'a> {
    /// The sound that it is part of; none for silence.
    pub sound: Option<&'a Snapshot>,
    /// Its sample at the join.
    pub at: u64,
    /// Samples there are of it before that one, and from there on.
    pub reach: [u64; 2],
}

impl<'a> Side<'a> {
    /// A sound continued over its whole length.
    pub fn of(sound: &'a Snapshot, at: u64) -> Side<'a> {
        Side { sound: Some(sound), at, reach: [at, sound.n_samples().saturating_sub(at)] }
    }

    /// Silence of any length.
    pub fn silence() -> Side<'a> {
        Side { sound: None, at: 0, reach: [u64::MAX; 2] }
    }

    /// A sound of which there is nothing before this sample.
    pub fn beginning(sound: &'a Snapshot, at: u64) -> Side<'a> {
        Side { reach: [0, sound.n_samples().saturating_sub(at)], ..Side::of(sound, at) }
    }

    /// A sound of which there is nothing from this sample on.
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
    /// A sound in which nothing is mixed yet.
    pub(super) fn of(snapshot: Snapshot) -> Retimed {
        Retimed { snapshot, first_mixed: None, n_mixed: 0 }
    }

    /// Fades from one sound to another about the sample `at`, over at most `n_fade` samples: what ends there goes on
    /// with a gain of cos, what begins there comes with one of sin, both over `sqrt(1 + r sin 2 angle)`, where `r` is
    /// [how alike](likeness) they are: what is alike adds up, and would swell with each cut at one place. The fade shrinks
    /// to what there is of both, and at the ends of the sound there is none.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn join(&mut self, at: u64, n_fade: u64, [before, after]: [&Side<'_>; 2]) -> Result<()> {
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
        // On samples of its own, so that a join costs the same wherever it is.
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

/// `2 sum a b / sum (a^2 + b^2)` over all channels: 1 for two that are the same, 0 for two that have nothing in common,
/// or where one is silent; no less.
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
