//! Clipped samples in a sound: detected channel by channel, and restored group by group.

use crate::base::{Error, Progress, Result};
use crate::dsp::repair::declip::{
    ClipDetector, ClipLevels, ClipPeaks, ClippedSignal, DeclipQuality, DetectedBy, MIN_RELIABLE_SHARE, restore_clipped,
};
use crate::edits::selected_sound::SelectedSound;
use crate::engine::Plans;
use crate::{Channels, Signal, Snapshot};
use std::ops::Range;

/// Maximum distance between clipped samples that are restored together, and length of the context on both sides of
/// them, in samples.
const REACH: u64 = 8192;
/// Length of the sections into which longer groups are split, and their overlap, in samples.
const SECTION: u64 = 1 << 20;
const SECTION_FADE: u64 = 16_384;
/// Fraction of clipped samples above which a notice warns that little can be restored.
const MANY_CLIPPED_SHARE: f64 = 0.5;
/// Fractions of the progress at which detection and restoration end.
const DETECTED: f64 = 0.02;
const RESTORED: f64 = 0.9;

/// The levels at which a sound is clipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DeclipLevels {
    /// Detected in each channel separately.
    Found,
    /// Samples are clipped at or above the first level, which is positive, and at or below the second, which is
    /// negative.
    Given([f64; 2]),
}

/// Clipping of a channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChannelClipping {
    /// The levels at which the waveform is cut off.
    pub levels: ClipLevels,
    /// How they were detected; `None` if they were given.
    pub by: Option<DetectedBy>,
    /// Fraction of clipped samples, 0 to 1.
    pub share: f64,
}

impl ChannelClipping {
    /// The larger magnitude of the two levels, in dBFS.
    pub fn level_db(&self) -> f64 {
        20.0 * f64::from(self.levels.largest()).log10()
    }

    /// A summary of channels: `-1.8 dBFS, 3.2 % clipped`, with the range of their levels and the largest share.
    pub fn described(channels: &[ChannelClipping]) -> String {
        let levels = channels.iter().map(ChannelClipping::level_db);
        let [low, high] = levels.fold([f64::MAX, f64::MIN], |[low, high], db| [low.min(db), high.max(db)]);
        let levels = match high - low < 0.05 {
            true => format!("{high:.1}"),
            false => format!("{low:.1} to {high:.1}"),
        };
        let share = channels.iter().map(|channel| channel.share).fold(0.0, f64::max);
        format!("{levels} dBFS, {} % clipped", percent(share))
    }

    /// Whether too many samples are clipped to restore much.
    pub fn is_mostly_lost(&self) -> bool {
        self.share > MANY_CLIPPED_SHARE
    }
}

/// Clipping of each channel of a sound; `None` for unclipped channels.
///
/// # Errors
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and read errors of the source.
pub fn find_clipping(snapshot: &Snapshot, progress: &Progress) -> Result<Vec<Option<ChannelClipping>>> {
    let signals = Signal::of(&Channels::All, snapshot.n_channels())?;
    let plans = Plans::default();
    let sound = SelectedSound::all_of(snapshot, signals, 0..snapshot.n_samples(), &plans, progress);
    (0..sound.n_signals()).map(|signal| clipping_of(&sound, signal, DeclipLevels::Found)).collect()
}

/// Clipping of the selected samples of a signal; `None` if there is none. Detects the levels in the whole signal if the
/// selection alone shows no clipping.
fn clipping_of(sound: &SelectedSound<'_>, signal: usize, wanted: DeclipLevels) -> Result<Option<ChannelClipping>> {
    let selected = sound.runs();
    let found = match wanted {
        DeclipLevels::Given([above, below]) => Some((ClipLevels { above: above as f32, below: below as f32 }, None)),
        DeclipLevels::Found => {
            let all = 0..sound.n_samples();
            let mut found = detected(sound, signal, &selected)?;
            if found.is_none() && selected != [all.clone()] {
                found = detected(sound, signal, &[all])?;
            }
            found.map(|(levels, by)| (levels, Some(by)))
        }
    };
    let Some((levels, by)) = found else { return Ok(None) };
    let mut n_clipped = 0;
    sound.each_piece(signal, &selected, |_, samples| n_clipped += levels.count(samples))?;
    let n_samples: u64 = selected.iter().map(|run| run.end - run.start).sum();
    let share = n_clipped as f64 / n_samples.max(1) as f64;
    Ok((n_clipped > 0).then_some(ChannelClipping { levels, by, share }))
}

fn detected(sound: &SelectedSound<'_>, signal: usize, runs: &[Range<u64>]) -> Result<Option<(ClipLevels, DetectedBy)>> {
    let mut peaks = ClipPeaks::default();
    sound.each_piece(signal, runs, |_, samples| peaks.add(samples))?;
    let mut detector = ClipDetector::new(peaks, sound.stored_bits());
    sound.each_piece(signal, runs, |_, samples| detector.add(samples))?;
    Ok(detector.detected().map(|found| (found.levels, found.by)))
}

/// The clipped samples of all signals, restored.
pub(crate) struct Declipped {
    signals: Vec<Option<DeclippedSignal>>,
    runs: Vec<Range<u64>>,
}

/// Restored samples of a signal.
struct DeclippedSignal {
    levels: ClipLevels,
    /// New values of the clipped samples within the selection, in order.
    restored: Vec<f32>,
}

impl Declipped {
    /// Detects and restores the clipped samples of the selected time, and reports what was found.
    ///
    /// # Errors
    /// An outcome if nothing is clipped, or almost everything is; [`Cancelled`](crate::base::ErrorKind::Cancelled), and
    /// read errors of the source.
    pub fn of(sound: &SelectedSound<'_>, wanted: DeclipLevels, quality: DeclipQuality) -> Result<Declipped> {
        let runs = sound.runs();
        let signals = 0..sound.n_signals();
        let clippings: Vec<_> = signals.map(|signal| clipping_of(sound, signal, wanted)).collect::<Result<_>>()?;
        let found: Vec<ChannelClipping> = clippings.iter().flatten().copied().collect();
        add_notices(sound, &found)?;
        let mut groups = Vec::new();
        for (signal, clipping) in clippings.iter().enumerate() {
            groups.push(match clipping {
                Some(clipping) => groups_of(sound, signal, clipping.levels, &runs)?,
                None => Vec::new(),
            });
        }
        let total: u64 = groups.iter().flatten().map(|group| group.end - group.start + 2 * REACH).sum();
        let (mut work, mut signals) = (Work { sound, quality, done: 0, total }, Vec::new());
        for ((signal, clipping), groups) in clippings.iter().enumerate().zip(&groups) {
            let Some(ChannelClipping { levels, share, .. }) = *clipping else {
                signals.push(None);
                continue;
            };
            let mut restored = Vec::new();
            for group in groups {
                let clipped = ClippedSignal { levels, share, rate_hz: sound.sample_rate_hz() };
                work.restore(signal, &clipped, group, &runs, &mut restored)?;
            }
            signals.push(Some(DeclippedSignal { levels, restored }));
        }
        let peak = signals.iter().flatten().flat_map(|signal| &signal.restored);
        let peak = peak.fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        if peak > 1.0 {
            let db = 20.0 * f64::from(peak).log10();
            sound.report_notice(format!("peaks reach {db:+.1} dBFS; normalise before you export integers"));
        }
        Ok(Declipped { signals, runs })
    }

    /// Converts the result to a writer, which reads consecutive pieces and replaces their clipped samples.
    pub fn into_writer(self) -> DeclipWriter {
        let n_given = vec![0; self.signals.len()];
        DeclipWriter { declipped: self, n_given }
    }
}

/// Reports the clipping found in the signals. Fails if there is none, or if too few samples are unclipped.
fn add_notices(sound: &SelectedSound<'_>, found: &[ChannelClipping]) -> Result<()> {
    let Some(share) = found.iter().map(|clipping| clipping.share).reduce(f64::max) else {
        return Err(Error::outcome("no clipping found"));
    };
    if share > 1.0 - MIN_RELIABLE_SHARE {
        return Err(Error::outcome("nothing reliable is left between the clipped samples"));
    }
    sound.report_found(ChannelClipping::described(found));
    if share > MANY_CLIPPED_SHARE {
        sound.report_notice(format!("{} % of the samples are clipped; expect little", percent(share)));
    }
    Ok(())
}

/// Formats a fraction as a percentage: with one decimal below 10 %, and as `under 0.1` below 0.1 %.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        10.0.. => format!("{percent:.0}"),
        0.1.. => format!("{percent:.1}"),
        _ => "under 0.1".to_owned(),
    }
}

/// Clipped ranges of a channel, each from the first to the last of a group of clipped samples less than [`REACH`]
/// apart.
///
/// # Errors
/// As [`find_clipping`].
pub(crate) fn clipped_ranges(
    snapshot: &Snapshot,
    channel: usize,
    levels: ClipLevels,
    progress: &Progress,
) -> Result<Vec<Range<u64>>> {
    let (plans, all) = (Plans::default(), 0..snapshot.n_samples());
    let sound = SelectedSound::all_of(snapshot, vec![Signal::Channel(channel)], all.clone(), &plans, progress);
    groups_of(&sound, 0, levels, &[all])
}

/// Clipped ranges of a signal within `runs`, each from the first to the last of a group of clipped samples less than
/// [`REACH`] apart.
fn groups_of(
    sound: &SelectedSound<'_>,
    signal: usize,
    levels: ClipLevels,
    runs: &[Range<u64>],
) -> Result<Vec<Range<u64>>> {
    let mut groups: Vec<Range<u64>> = Vec::new();
    sound.each_piece(signal, runs, |first, samples| {
        for (at, sample) in (first..).zip(samples) {
            if !levels.is_clipped(*sample) {
                continue;
            }
            match groups.last_mut() {
                Some(group) if at - (group.end - 1) < REACH => group.end = at + 1,
                _ => groups.push(at..at + 1),
            }
        }
    })?;
    Ok(groups)
}

/// Calls `each` with the index in `samples` of each clipped sample within `runs`. `first` is the position of the first
/// sample in the sound.
fn each_clipped(samples: &[f32], first: u64, levels: ClipLevels, runs: &[Range<u64>], mut each: impl FnMut(usize)) {
    let end = first + samples.len() as u64;
    let from = runs.partition_point(|run| run.end <= first);
    for run in runs[from..].iter().take_while(|run| run.start < end) {
        let within = (run.start.max(first) - first) as usize..(run.end.min(end) - first) as usize;
        within.filter(|at| levels.is_clipped(samples[*at])).for_each(&mut each);
    }
}

/// Restores groups of clipped samples in order, and reports progress.
struct Work<'a> {
    sound: &'a SelectedSound<'a>,
    quality: DeclipQuality,
    /// Number of samples processed so far, and in total.
    done: u64,
    total: u64,
}

impl Work<'_> {
    /// Restores a group of a signal, and appends the new values of its clipped samples to `restored`.
    fn restore(
        &mut self,
        signal: usize,
        clipped: &ClippedSignal,
        group: &Range<u64>,
        runs: &[Range<u64>],
        restored: &mut Vec<f32>,
    ) -> Result<()> {
        let levels = clipped.levels;
        let all = group.start.saturating_sub(REACH)..(group.end + REACH).min(self.sound.n_samples());
        let mut start = all.start;
        // The previous section's result for the first samples of the next.
        let mut before: Vec<f32> = Vec::new();
        loop {
            let section = start..all.end.min(start + SECTION);
            let samples = self.sound.read(signal, section.clone())?;
            let progress = self.progress(section.end - section.start);
            let plans = self.sound.plans.ffts();
            let mut after = restore_clipped(&samples, clipped, self.quality, plans, &progress)?;
            for (i, (after, before)) in after.iter_mut().zip(&before).enumerate() {
                let part = (i as f32 + 0.5) / SECTION_FADE as f32;
                *after = before + part * (*after - before);
            }
            let is_last = section.end == all.end;
            let next = if is_last { section.end } else { section.end - SECTION_FADE };
            let n = (next - start) as usize;
            each_clipped(&samples[..n], start, levels, runs, |at| {
                // The context may include clipped samples of neighbouring groups.
                if group.contains(&(start + at as u64)) {
                    restored.push(levels.allow(samples[at], after[at]));
                }
            });
            if is_last {
                return Ok(());
            }
            before = after.split_off(n);
            start = next;
        }
    }

    /// Progress of the next `n` samples.
    fn progress(&mut self, n: u64) -> Progress {
        let part = |done: u64| DETECTED + (RESTORED - DETECTED) * (done as f64 / self.total.max(1) as f64).min(1.0);
        let from = part(self.done);
        self.done += n;
        self.sound.progress_within([from, part(self.done)])
    }
}

/// Reads consecutive pieces of the signals, with clipped samples restored.
pub(crate) struct DeclipWriter {
    declipped: Declipped,
    /// Number of restored values used so far, per signal.
    n_given: Vec<usize>,
}

impl DeclipWriter {
    /// The samples of a signal in its next piece, with clipped samples restored.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn write(&mut self, sound: &SelectedSound<'_>, signal: usize, piece: Range<u64>) -> Result<Vec<f32>> {
        let mut samples = sound.read(signal, piece.clone())?;
        let Some(DeclippedSignal { levels, restored }) = &self.declipped.signals[signal] else { return Ok(samples) };
        let mut places = Vec::new();
        each_clipped(&samples, piece.start, *levels, &self.declipped.runs, |at| places.push(at));
        for (at, value) in places.iter().zip(&restored[self.n_given[signal]..]) {
            samples[*at] = *value;
        }
        self.n_given[signal] += places.len();
        Ok(samples)
    }
}
