//! The change of level by edits where they changed the sound, and the level of the difference.

use crate::Snapshot;
use crate::base::{Progress, Result};
use std::ops::Range;

/// Number of samples compared at a time.
const SAMPLES_PER_CHUNK: usize = 1 << 16;
/// Level of silence; minimum of all levels.
const LOWEST_DB: f64 = -200.0;

/// Mean levels over the samples that edits changed, all channels; 0 dB is a full-scale square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelChange {
    /// Level before the edits.
    pub before_db: f64,
    /// Level after the edits.
    pub after_db: f64,
    /// Level of the difference; `None` if time was cut or added, so that samples have no counterparts.
    pub difference_db: Option<f64>,
    /// Start and end of the changed range; `None` if time was cut or added.
    pub secs: Option<[f64; 2]>,
}

impl LevelChange {
    /// Compares a sound before and after edits over the samples that may have changed; `None` if there are none.
    /// `changed` is `None` if time was cut or added; both sounds are then measured completely.
    ///
    /// # Errors
    /// Read errors; cancelled.
    pub fn between(
        before: &Snapshot,
        after: &Snapshot,
        changed: Option<Vec<Range<u64>>>,
        progress: &Progress,
    ) -> Result<Option<LevelChange>> {
        let Some(changed) = changed else {
            let [before, after] = [before, after].map(|sound| whole(sound, progress));
            let (before, after) = (before?, after?);
            return Ok(Some(LevelChange { before_db: before, after_db: after, difference_db: None, secs: None }));
        };
        let runs = joined(changed, after.n_samples());
        let n_samples: u64 = runs.iter().map(|run| run.end - run.start).sum();
        if n_samples == 0 {
            return Ok(None);
        }
        let mut energies = [0.0; 3];
        let (mut old, mut new) = (vec![0.0f32; SAMPLES_PER_CHUNK], vec![0.0f32; SAMPLES_PER_CHUNK]);
        for run in &runs {
            for first in run.clone().step_by(SAMPLES_PER_CHUNK) {
                progress.check()?;
                let n = (run.end - first).min(SAMPLES_PER_CHUNK as u64) as usize;
                for channel in 0..after.n_channels() {
                    before.read(channel, first as i64, &mut old[..n])?;
                    after.read(channel, first as i64, &mut new[..n])?;
                    for (old, new) in old[..n].iter().zip(&new[..n]) {
                        let (old, new) = (f64::from(*old), f64::from(*new));
                        let difference = new - old;
                        energies[0] += old * old;
                        energies[1] += new * new;
                        energies[2] += difference * difference;
                    }
                }
            }
        }
        let n = n_samples as f64 * after.n_channels() as f64;
        let [before_db, after_db, difference_db] = energies.map(|energy| level_db(energy / n));
        let at = |sample: u64| sample as f64 / after.sample_rate_hz();
        let secs = runs.first().zip(runs.last()).map(|(first, last)| [at(first.start), at(last.end)]);
        Ok(Some(LevelChange { before_db, after_db, difference_db: Some(difference_db), secs }))
    }

    /// The change of level.
    pub fn change_db(&self) -> f64 {
        self.after_db - self.before_db
    }
}

fn whole(sound: &Snapshot, progress: &Progress) -> Result<f64> {
    let (mut energy, mut samples) = (0.0, vec![0.0f32; SAMPLES_PER_CHUNK]);
    for first in (0..sound.n_samples()).step_by(SAMPLES_PER_CHUNK) {
        progress.check()?;
        let n = (sound.n_samples() - first).min(SAMPLES_PER_CHUNK as u64) as usize;
        for channel in 0..sound.n_channels() {
            sound.read(channel, first as i64, &mut samples[..n])?;
            energy += samples[..n].iter().map(|sample| f64::from(*sample) * f64::from(*sample)).sum::<f64>();
        }
    }
    Ok(level_db(energy / (sound.n_samples() as f64 * sound.n_channels() as f64).max(1.0)))
}

/// A mean square as a level. NaN counts as silence.
fn level_db(mean_square: f64) -> f64 {
    if mean_square.is_finite() { (10.0 * mean_square.log10()).max(LOWEST_DB) } else { LOWEST_DB }
}

/// Sorts runs, merges those that overlap or touch, and limits them to the sound.
fn joined(mut runs: Vec<Range<u64>>, n_samples: u64) -> Vec<Range<u64>> {
    runs.sort_by_key(|run| run.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for run in runs {
        let run = run.start..run.end.min(n_samples);
        match joined.last_mut() {
            Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
            _ if run.is_empty() => {}
            _ => joined.push(run),
        }
    }
    joined
}
