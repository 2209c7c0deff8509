//! Level of the last edit's change, measured in a job while the difference is played.

use super::audition::compared;
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::documents::OpenDocument;
use crate::services::{Jobs, Latest};

/// Samples compared at a time.
const CHUNK: usize = 1 << 16;

/// The level of a difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Root mean square from the first sample that changed to the last, over the channels that changed; 0 dB is a
    /// full-scale square wave, a full-scale sine -3 dB. `None` where nothing changed.
    pub rms_db: Option<f64>,
    /// Peak level of the difference, in decibels; `None` where nothing changed.
    pub peak_db: Option<f64>,
}

type Pair = [Snapshot; 2];

/// Measures the level of the difference whenever the compared sounds change.
#[derive(Default)]
pub struct DifferenceMeter {
    level: Latest<Pair, Difference>,
}

impl DifferenceMeter {
    /// Whether a level is being measured.
    pub fn is_busy(&self) -> bool {
        self.level.is_busy()
    }

    /// The level of the document's last change; starts measuring it if necessary. `None` until it is measured. Without
    /// a request, cancels the measurement and returns `None`.
    pub fn follow(&mut self, document: Option<&OpenDocument>, is_requested: bool, jobs: &Jobs) -> Option<Difference> {
        let Some(document) = document.filter(|_| is_requested) else {
            self.level.cancel();
            return None;
        };
        let pair = compared(document).map(Snapshot::clone);
        self.level.ask(&pair, jobs, "difference", difference);
        self.level.answer_to(&pair).copied()
    }
}

fn difference([before, after]: &Pair, progress: &Progress) -> Result<Difference> {
    let (mut sum, mut peak, mut n_channels) = (0.0, 0.0f64, 0);
    let mut span: Option<[u64; 2]> = None;
    let (mut one, mut other) = (vec![0.0f32; CHUNK], vec![0.0f32; CHUNK]);
    for channel in 0..after.n_channels() {
        let mut has_changed = false;
        for range in after.differing(before, channel) {
            let mut start = range.start;
            while start < range.end {
                progress.check()?;
                let n = CHUNK.min((range.end - start) as usize);
                before.read(channel, start as i64, &mut one[..n])?;
                after.read(channel, start as i64, &mut other[..n])?;
                for (i, (a, b)) in one[..n].iter().zip(&other[..n]).enumerate() {
                    let apart = f64::from(b - a);
                    if apart != 0.0 {
                        let at = start + i as u64;
                        span = Some(span.map_or([at, at], |[first, last]| [first.min(at), last.max(at)]));
                        has_changed = true;
                        peak = peak.max(apart.abs());
                        sum += apart * apart;
                    }
                }
                start += n as u64;
            }
        }
        n_channels += u64::from(has_changed);
    }
    let Some([first, last]) = span else { return Ok(Difference { rms_db: None, peak_db: None }) };
    let n = (last - first + 1) * n_channels;
    let db = |amplitude: f64| Some(20.0 * amplitude.log10());
    Ok(Difference { rms_db: db((sum / n as f64).sqrt()), peak_db: db(peak) })
}
