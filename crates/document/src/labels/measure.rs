//! Measurements at labels: distribution and amount of energy in each box, and its level above the surrounding noise.

use super::label::Label;
use super::set::LabelSet;
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::dsp::cells::box_measures::{BoxGrid, BoxMeasures, BoxMeter};
use crate::dsp::descriptors::median;
use crate::dsp::transforms::frame_power::FramePower;
use crate::dsp::{Lobe, TruePeak, Window};
use rayon::prelude::*;
use std::ops::Range;

/// Number of labels measured by one thread at a time, since neighbours share frames.
const LABELS_AT_ONCE: usize = 64;
/// Cached frames, for nearby labels.
const KEPT_FRAMES: usize = 512;
/// Number of samples read at a time, and how many of them precede the requested ones.
const READ_SAMPLES: usize = 1 << 16;
const READ_BEFORE: usize = 1 << 14;
/// Distance between a label and the noise around it, and minimum length of the noise on each side.
const MIN_NOISE_SEPARATION_SECS: f64 = 0.02;
const NOISE_SECS: f64 = 0.25;
/// Minimum number of noise frames for a result.
const MIN_NOISE_FRAMES: usize = 8;

/// Parameters of measuring labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelMeasureParams {
    /// Number of samples per frame, a power of two.
    pub n_fft: usize,
    /// Number of samples between frames.
    pub hop: usize,
}

impl Default for LabelMeasureParams {
    fn default() -> LabelMeasureParams {
        LabelMeasureParams { n_fft: 2_048, hop: 512 }
    }
}

/// Measurements of a label.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelMeasures {
    /// Measures of its box.
    pub cells: BoxMeasures,
    /// Root mean square of its samples; 0 dB is a full-scale square wave.
    pub rms_db: Option<f64>,
    /// The maximum inter-sample peak of any channel; 0 dB is full scale.
    pub true_peak_db: Option<f64>,
    /// Power in the band relative to the surrounding noise in dB; `None` if there is too little noise to measure, or if
    /// the noise is at least as loud.
    pub snr_db: Option<f64>,
}

/// A column of measurements.
pub struct MeasureColumn {
    /// Its name.
    pub name: &'static str,
    /// Raven's name if Raven has the same measure, else `name`.
    pub raven: &'static str,
    /// Returns the value; `None` if it was not measured.
    pub value: fn(&LabelMeasures) -> Option<f64>,
}

impl std::fmt::Debug for MeasureColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const fn column(name: &'static str, raven: &'static str, value: fn(&LabelMeasures) -> Option<f64>) -> MeasureColumn {
    MeasureColumn { name, raven, value }
}

/// All columns, in order.
pub static MEASURE_COLUMNS: [MeasureColumn; 25] = [
    column("freq_5", "Freq 5% (Hz)", |of| of.cells.hz.map(|hz| hz[0])),
    column("freq_25", "Freq 25% (Hz)", |of| of.cells.hz.map(|hz| hz[1])),
    column("freq_center", "Center Freq (Hz)", |of| of.cells.hz.map(|hz| hz[2])),
    column("freq_75", "Freq 75% (Hz)", |of| of.cells.hz.map(|hz| hz[3])),
    column("freq_95", "Freq 95% (Hz)", |of| of.cells.hz.map(|hz| hz[4])),
    column("bw_90", "BW 90% (Hz)", |of| of.cells.hz.map(|hz| hz[4] - hz[0])),
    column("bw_50", "BW 50% (Hz)", |of| of.cells.hz.map(|hz| hz[3] - hz[1])),
    column("time_5", "Time 5% (s)", |of| of.cells.secs.map(|secs| secs[0])),
    column("time_25", "Time 25% (s)", |of| of.cells.secs.map(|secs| secs[1])),
    column("time_center", "Center Time (s)", |of| of.cells.secs.map(|secs| secs[2])),
    column("time_75", "Time 75% (s)", |of| of.cells.secs.map(|secs| secs[3])),
    column("time_95", "Time 95% (s)", |of| of.cells.secs.map(|secs| secs[4])),
    column("dur_90", "Dur 90% (s)", |of| of.cells.secs.map(|secs| secs[4] - secs[0])),
    column("dur_50", "Dur 50% (s)", |of| of.cells.secs.map(|secs| secs[3] - secs[1])),
    column("peak_hz", "Peak Freq (Hz)", |of| of.cells.peak.map(|peak| peak[0])),
    column("peak_time", "Peak Time (s)", |of| of.cells.peak.map(|peak| peak[1])),
    column("peak_db", "peak_db", |of| of.cells.peak.map(|peak| peak[2])),
    column("energy_db", "Energy (dB FS)", |of| of.cells.energy_db),
    column("inband_db", "Inband Power (dB FS)", |of| of.cells.inband_db),
    column("agg_entropy", "Agg Entropy (bits)", |of| of.cells.aggregate_entropy),
    column("avg_entropy", "Avg Entropy (bits)", |of| of.cells.average_entropy),
    column("rms_db", "rms_db", |of| of.rms_db),
    column("true_peak_db", "true_peak_db", |of| of.true_peak_db),
    column("centroid_hz", "centroid_hz", |of| of.cells.centroid_hz),
    column("snr_db", "snr_db", |of| of.snr_db),
];

/// Measures a sound at all of its labels, in order. Labels outside the sound, or on a missing channel, have no values.
///
/// # Errors
/// Read errors of the sound, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
pub fn measure_labels(
    snapshot: &Snapshot,
    labels: &LabelSet,
    measuring: LabelMeasureParams,
    progress: &Progress,
) -> Result<Vec<LabelMeasures>> {
    let all: Vec<&Label> = labels.iter().collect();
    let taken = joined(&all);
    let n_done = std::sync::atomic::AtomicU64::new(0);
    let groups: Vec<Vec<LabelMeasures>> = all
        .par_chunks(LABELS_AT_ONCE)
        .map(|group| {
            let mut meter = Meter::new(snapshot, measuring, &taken);
            let measured = group.iter().map(|label| {
                progress.check()?;
                meter.label(label)
            });
            let measured = measured.collect::<Result<Vec<LabelMeasures>>>()?;
            let done = n_done.fetch_add(group.len() as u64, std::sync::atomic::Ordering::Relaxed);
            progress.step(done, all.len() as u64)?;
            Ok(measured)
        })
        .collect::<Result<_>>()?;
    Ok(groups.concat())
}

/// The union of all labels' ranges, as ascending disjoint ranges. Labels come in the order of their starts.
fn joined(labels: &[&Label]) -> Vec<[f64; 2]> {
    let mut joined: Vec<[f64; 2]> = Vec::new();
    for label in labels.iter().filter(|label| !label.is_marker()) {
        match joined.last_mut() {
            Some(last) if label.secs[0] <= last[1] => last[1] = last[1].max(label.secs[1]),
            _ => joined.push(label.secs),
        }
    }
    joined
}

/// Measures labels in order.
struct Meter<'a> {
    snapshot: &'a Snapshot,
    power: FramePower,
    lobe: Lobe,
    hop: usize,
    rate_hz: f64,
    taken: &'a [[f64; 2]],
    kept: Vec<Option<CachedFrame>>,
    /// The samples read per channel, with the index of the first.
    read: Vec<(i64, Vec<f32>)>,
}

/// The power of the bins of a frame, of one channel or as the mean of all.
struct CachedFrame {
    frame: i64,
    channel: Option<u16>,
    power: Vec<f64>,
}

impl<'a> Meter<'a> {
    fn new(snapshot: &'a Snapshot, measuring: LabelMeasureParams, taken: &'a [[f64; 2]]) -> Meter<'a> {
        Meter {
            snapshot,
            power: FramePower::new(Window::Hann, measuring.n_fft),
            lobe: Lobe::new(Window::Hann, measuring.n_fft),
            hop: measuring.hop,
            rate_hz: snapshot.sample_rate_hz(),
            taken,
            kept: (0..KEPT_FRAMES).map(|_| None).collect(),
            read: vec![(0, Vec::new()); snapshot.n_channels()],
        }
    }

    fn label(&mut self, label: &Label) -> Result<LabelMeasures> {
        let n_samples = self.snapshot.n_samples();
        let sound_secs = n_samples as f64 / self.rate_hz;
        let has_channel = label.channel.is_none_or(|channel| usize::from(channel) < self.snapshot.n_channels());
        let [start, end] = [label.secs[0].max(0.0), label.secs[1].min(sound_secs)];
        if !has_channel || start > end || start >= sound_secs || label.secs[1] < 0.0 {
            return Ok(LabelMeasures::default());
        }
        let frames = self.frames([start, end]);
        let bins = self.bins(label);
        let top_hz = self.rate_hz / 2.0;
        let grid = BoxGrid {
            bins: bins.clone(),
            bin_hz: self.rate_hz / self.power.n_fft() as f64,
            hop_secs: self.hop as f64 / self.rate_hz,
            secs: [start, end],
            hz: label.band_hz(top_hz).map_or([0.0, top_hz], |hz| hz.map(|hz| hz.min(top_hz))),
        };
        let mut meter = BoxMeter::new(grid, frames.start);
        for frame in frames {
            meter.push(self.frame(frame, label.channel)?);
        }
        let cells = meter.finish(&self.lobe, |power| self.power.amplitude(power));
        let noise = self.noise([start, end], bins, label.channel)?;
        let snr_db =
            noise.filter(|noise| cells.power > *noise).map(|noise| 10.0 * ((cells.power - noise) / noise).log10());
        let [rms_db, true_peak_db] = self.levels([start, end], label.channel)?;
        Ok(LabelMeasures { cells, rms_db, true_peak_db, snr_db: snr_db.filter(|snr| snr.is_finite()) })
    }

    /// Frames centred in a range, at least the nearest one.
    fn frames(&self, [start, end]: [f64; 2]) -> Range<i64> {
        let within = self.frames_within([start, end]);
        let nearest = ((start + end) / 2.0 * self.rate_hz / self.hop as f64).round() as i64;
        if within.is_empty() { nearest..nearest + 1 } else { within }
    }

    /// Frames centred in a range.
    fn frames_within(&self, secs: [f64; 2]) -> Range<i64> {
        // Seconds are rounded: tolerate a millionth of a hop.
        let [first, behind] = secs.map(|secs| (secs * self.rate_hz / self.hop as f64 - 1e-6).ceil() as i64);
        first..behind
    }

    /// The bins in a label's band, at least the nearest one; all except 0 Hz for a label without a band.
    fn bins(&self, label: &Label) -> std::ops::RangeInclusive<usize> {
        let last = self.power.n_bins() - 1;
        let top_hz = self.rate_hz / 2.0;
        let Some(band) = label.band_hz(top_hz) else { return 1..=last };
        let [low, high] = band.map(|hz| hz.min(top_hz) * self.power.n_fft() as f64 / self.rate_hz);
        let [first, end] = [(low - 1e-6).ceil().max(0.0) as usize, ((high + 1e-6).floor() as usize).min(last)];
        let middle = (((low + high) / 2.0).round() as usize).min(last);
        if first <= end { first..=end } else { middle..=middle }
    }

    /// The power of a frame's bins, of one channel or as the mean of all; cached.
    fn frame(&mut self, frame: i64, channel: Option<u16>) -> Result<&[f64]> {
        let slot = frame.rem_euclid(KEPT_FRAMES as i64) as usize;
        let is_kept = |kept: &CachedFrame| kept.frame == frame && kept.channel == channel;
        if !self.kept[slot].as_ref().is_some_and(is_kept) {
            let mut power = vec![0.0; self.power.n_bins()];
            let channels = match channel {
                Some(channel) => usize::from(channel)..usize::from(channel) + 1,
                None => 0..self.snapshot.n_channels(),
            };
            let n = channels.len() as f64;
            let n_fft = self.power.n_fft();
            let first = frame * self.hop as i64 - n_fft as i64 / 2;
            for channel in channels {
                self.read_from(channel, first, n_fft)?;
                let (start, samples) = &self.read[channel];
                let at = (first - start) as usize;
                self.power.add(&samples[at..at + n_fft], &mut power);
            }
            power.iter_mut().for_each(|power| *power /= n);
            self.kept[slot] = Some(CachedFrame { frame, channel, power });
        }
        Ok(self.kept[slot].as_ref().map_or(&[], |kept| &kept.power))
    }

    /// Ensures that the given samples of a channel have been read.
    fn read_from(&mut self, channel: usize, first: i64, n: usize) -> Result<()> {
        let (start, samples) = &mut self.read[channel];
        if first >= *start && first + n as i64 <= *start + samples.len() as i64 {
            return Ok(());
        }
        *start = first - READ_BEFORE as i64;
        samples.resize(READ_SAMPLES.max(READ_BEFORE + n), 0.0);
        self.snapshot.read(channel, *start, samples)
    }

    /// The median over frames of the power in `bins`, before and after a label where there are no labels; `None` for
    /// fewer than [`MIN_NOISE_FRAMES`] frames.
    fn noise(
        &mut self,
        [start, end]: [f64; 2],
        bins: std::ops::RangeInclusive<usize>,
        channel: Option<u16>,
    ) -> Result<Option<f64>> {
        let length = (end - start).max(NOISE_SECS);
        let sound_secs = self.snapshot.n_samples() as f64 / self.rate_hz;
        let before = [(start - MIN_NOISE_SEPARATION_SECS - length).max(0.0), start - MIN_NOISE_SEPARATION_SECS];
        let behind = [end + MIN_NOISE_SEPARATION_SECS, (end + MIN_NOISE_SEPARATION_SECS + length).min(sound_secs)];
        let mut powers = Vec::new();
        for [from, to] in [before, behind] {
            for frame in self.frames_within([from, to]) {
                if !self.is_taken((frame * self.hop as i64) as f64 / self.rate_hz) {
                    powers.push(self.frame(frame, channel)?[bins.clone()].iter().sum());
                }
            }
        }
        Ok(if powers.len() < MIN_NOISE_FRAMES { None } else { median(&powers) })
    }

    fn is_taken(&self, secs: f64) -> bool {
        let behind = self.taken.partition_point(|range| range[0] <= secs);
        behind.checked_sub(1).is_some_and(|at| self.taken[at][1] >= secs)
    }

    /// Root mean square and true peak of a range, in dB; `None` for silence. At least one sample is measured.
    fn levels(&self, [start, end]: [f64; 2], channel: Option<u16>) -> Result<[Option<f64>; 2]> {
        let n_samples = self.snapshot.n_samples();
        let at = |secs: f64| ((secs * self.rate_hz).round().max(0.0) as u64).min(n_samples);
        let first = at(start).min(n_samples.saturating_sub(1));
        let last = at(end).max(first + 1).min(n_samples);
        let channels = match channel {
            Some(channel) => usize::from(channel)..usize::from(channel) + 1,
            None => 0..self.snapshot.n_channels(),
        };
        let (mut sum, mut peak) = (0.0, 0.0f64);
        let n_channels = channels.len() as f64;
        let mut samples = vec![0.0; READ_SAMPLES.min((last - first) as usize)];
        for channel in channels {
            let mut meter = TruePeak::new(self.rate_hz as u32);
            let mut from = first;
            while from < last {
                let n = samples.len().min((last - from) as usize);
                let samples = &mut samples[..n];
                self.snapshot.read(channel, from as i64, samples)?;
                sum += samples.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>();
                meter.push(samples);
                from += n as u64;
            }
            peak = peak.max(meter.peak());
        }
        let power = sum / (n_channels * (last - first) as f64);
        let db = |amplitude: f64| (amplitude > 0.0).then(|| 20.0 * amplitude.log10());
        Ok([db(power.sqrt()), db(peak)])
    }
}
