//! Damage that can occur in any sound, detected from its samples and from spectral lines of hum.

use super::examined::Examined;
use super::found::{Damage, DamageKind, counted};
use crate::base::{Progress, Result};
use crate::document::analysis::declip::{ChannelClipping, DeclipLevels, clipped_ranges};
use crate::document::brushes::{Declip, RemoveDc, RemoveHum};
use crate::document::{Channels, Edit, HumSearch, Snapshot, find_hum, resolve};
use crate::dsp::repair::declip::ClipLevels;
use crate::dsp::repair::heal::Heal;
use crate::dsp::repair::hum::HumFigures;
use crate::dsp::selections::find::Find;
use crate::dsp::{Moments, Selection, Shape, StftParams};
use crate::engine::Plans;
use std::ops::Range;

/// Minimum number of clicks to report, in total and per minute.
const MIN_CLICKS: usize = 3;
const MIN_CLICKS_PER_MINUTE: f64 = 3.0;
/// Distance from a clipped sample within which the corner of the cut-off wave would be mistaken for a click.
const CORNER_SAMPLES: i64 = 16;
/// Minimum DC offset to report: as a level in dBFS, and in standard errors of the means of [`N_PARTS`] equal parts of
/// the sound.
const MIN_OFFSET_DB: f64 = -50.0;
const MIN_STANDARD_ERRORS: f64 = 5.0;
const N_PARTS: usize = 20;
/// Minimum and maximum duration of a dropout, and minimum level of the sound on both sides of it, in dBFS, measured
/// over [`CONTEXT_SECS`].
const DROPOUT_SECS: [f64; 2] = [0.001, 0.25];
const MIN_CONTEXT_DB: f64 = -50.0;
const CONTEXT_SECS: f64 = 0.02;

/// Clipping, as one finding for all clipped channels.
pub fn clipping(examined: &Examined<'_>, progress: &Progress) -> Result<Vec<Damage>> {
    let of_channels = examined.clippings.iter().enumerate();
    let (channels, clippings): (Vec<usize>, Vec<ChannelClipping>) =
        of_channels.filter_map(|(channel, clipping)| Some((channel, (*clipping)?))).unzip();
    if clippings.is_empty() {
        return Ok(Vec::new());
    }
    let mut secs = Vec::new();
    for (channel, clipping) in channels.iter().zip(&clippings) {
        let ranges = clipped_ranges(examined.snapshot, *channel, clipping.levels, progress)?;
        secs.extend(ranges.iter().map(|range| examined.secs(range)));
    }
    // The edit has one pair of levels: with several clipped channels, or clipping of one polarity only, it detects the
    // levels itself.
    let levels = match clippings[..] {
        [ChannelClipping { levels: ClipLevels { above, below }, .. }] if above.is_finite() && below.is_finite() => {
            DeclipLevels::Given([above, below].map(f64::from))
        }
        _ => DeclipLevels::Found,
    };
    let brush = Declip { levels, ..Declip::DEFAULT };
    let mut what = ChannelClipping::described(&clippings);
    if clippings.iter().any(ChannelClipping::is_mostly_lost) {
        what.push_str("; little can be restored");
    }
    let repair = Edit { channels: examined.channels(&channels), ..Edit::of(brush, StftParams::default()) };
    Ok(vec![Damage { kind: DamageKind::Clipping, channels, secs: merged(secs), hz: Vec::new(), what, repair }])
}

/// Sorts ranges, and merges those that touch or overlap.
fn merged(mut ranges: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    ranges.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut merged: Vec<[f64; 2]> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range[0] <= last[1] => last[1] = last[1].max(range[1]),
            _ => merged.push(range),
        }
    }
    merged
}

/// An edit that heals the given moments.
fn healing(examined: &Examined<'_>, heal: Heal, moments: Moments, channels: Channels) -> Edit {
    let select = Some(Selection::of(Shape::Moments(moments)));
    Edit { select, channels, ..Edit::of(heal, examined.transform()) }
}

/// Clicks in all channels together, if they are at least [`MIN_CLICKS`] and [`MIN_CLICKS_PER_MINUTE`].
pub fn clicks(examined: &Examined<'_>, progress: &Progress) -> Result<Vec<Damage>> {
    let (snapshot, wanted) = (examined.snapshot, Selection::of(Shape::Find(Find::CLICKS)));
    let (stft, plans) = (examined.transform(), Plans::default());
    let found = resolve(snapshot, &wanted, stft, &Channels::All, &plans, progress)?;
    let [(_, Shape::Moments(moments))] = &found.shapes[..] else { return Ok(Vec::new()) };
    let mut runs = Vec::new();
    for run in moments.runs.iter() {
        // The corners of a clipped wave and the ends of a dropout are not clicks.
        if !is_clipped_near(examined, *run)? && !is_near_dropout(examined, *run) {
            runs.push(*run);
        }
    }
    let moments = Moments { runs: runs.into(), ..moments.clone() };
    let (n, minutes) = (moments.runs.len(), snapshot.n_samples() as f64 / snapshot.sample_rate_hz() / 60.0);
    if n < MIN_CLICKS || (n as f64) < MIN_CLICKS_PER_MINUTE * minutes {
        return Ok(Vec::new());
    }
    Ok(vec![Damage {
        kind: DamageKind::Clicks,
        channels: (0..snapshot.n_channels()).collect(),
        secs: moments.runs.to_vec(),
        hz: Vec::new(),
        what: counted(n, "click"),
        repair: healing(examined, Heal::WEIGHED_GAP, moments, Channels::All),
    }])
}

/// Whether a sample in or near a range of seconds is clipped in any channel.
fn is_clipped_near(examined: &Examined<'_>, run: [f64; 2]) -> Result<bool> {
    let [start, end] = run.map(|secs| (secs * examined.rate_hz()).round() as i64);
    let mut samples = vec![0.0; (end - start + 2 * CORNER_SAMPLES) as usize];
    for (channel, clipping) in examined.clippings.iter().enumerate() {
        let Some(clipping) = clipping else { continue };
        examined.snapshot.read(channel, start - CORNER_SAMPLES, &mut samples)?;
        if clipping.levels.count(&samples) > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a range of seconds overlaps or is near a dropout of any channel.
fn is_near_dropout(examined: &Examined<'_>, run: [f64; 2]) -> bool {
    let [start, end] = run.map(|secs| (secs * examined.rate_hz()).round() as i64);
    let is_near = |gap: &Range<u64>| start - CORNER_SAMPLES < gap.end as i64 && end + CORNER_SAMPLES > gap.start as i64;
    examined.dropouts.iter().flatten().any(is_near)
}

/// Mains hum in all channels together.
pub fn hum(examined: &Examined<'_>, progress: &Progress) -> Result<Vec<Damage>> {
    let found = find_hum(examined.snapshot, None, &Channels::All, &HumSearch::DEFAULT, progress)?;
    let row = |hum: HumFigures| Damage {
        kind: DamageKind::Hum,
        channels: (0..examined.n_channels()).collect(),
        secs: Vec::new(),
        hz: hum.bands_hz().collect(),
        what: hum.described(),
        repair: Edit::of(RemoveHum::DEFAULT, examined.transform()),
    };
    Ok(found.into_iter().map(row).collect())
}

fn decibels(level: f64) -> f64 {
    20.0 * level.log10()
}

/// DC offset, as one finding for all channels that have one.
pub fn offset(examined: &Examined<'_>, progress: &Progress) -> Result<Vec<Damage>> {
    let n_samples = examined.snapshot.n_samples();
    if n_samples < N_PARTS as u64 {
        return Ok(Vec::new());
    }
    let sums_of_channels = examined.look(
        progress,
        || [(0.0f64, 0u64); N_PARTS],
        |sums, first, samples| {
            for (at, sample) in (first..).zip(samples) {
                let (sum, n) = &mut sums[(at as u128 * N_PARTS as u128 / u128::from(n_samples)) as usize];
                (*sum, *n) = (*sum + f64::from(*sample), *n + 1);
            }
        },
    )?;
    let (mut channels, mut largest) = (Vec::new(), 0.0f64);
    for (channel, sums) in sums_of_channels.into_iter().enumerate() {
        let means = sums.map(|(sum, n)| sum / n.max(1) as f64);
        let mean = means.iter().sum::<f64>() / N_PARTS as f64;
        let variance = means.iter().map(|part| (part - mean).powi(2)).sum::<f64>() / (N_PARTS - 1) as f64;
        let standard_error = (variance / N_PARTS as f64).sqrt();
        if decibels(mean.abs()) > MIN_OFFSET_DB && mean.abs() > MIN_STANDARD_ERRORS * standard_error {
            channels.push(channel);
            largest = if mean.abs() > largest.abs() { mean } else { largest };
        }
    }
    if channels.is_empty() {
        return Ok(Vec::new());
    }
    let repair = Edit { channels: examined.channels(&channels), ..Edit::of(RemoveDc, examined.transform()) };
    let what = format!("{:.0} dBFS ({largest:+.4})", decibels(largest.abs()));
    Ok(vec![Damage { kind: DamageKind::Dc, channels, secs: Vec::new(), hz: Vec::new(), what, repair }])
}

/// Dropouts of each channel: unclipped runs of a constant value with audible sound on both sides.
pub fn held_runs(examined: &Examined<'_>, progress: &Progress) -> Result<Vec<Vec<Range<u64>>>> {
    let [min, max] = DROPOUT_SECS.map(|secs| (secs * examined.rate_hz()).round() as u64);
    let held_of_channels = examined.look(
        progress,
        || HeldRuns { lengths: min.max(3)..=max, value: 0.0, start: 0, end: 0, runs: Vec::new() },
        HeldRuns::add,
    )?;
    let mut found = Vec::new();
    for ((channel, mut held), clipping) in held_of_channels.into_iter().enumerate().zip(&examined.clippings) {
        held.close();
        let is_clipped = |value: f32| clipping.is_some_and(|clipping| clipping.levels.is_clipped(value));
        let mut runs = Vec::new();
        for (run, _) in held.runs.into_iter().filter(|(_, value)| !is_clipped(*value)) {
            if is_loud_around(examined.snapshot, channel, &run)? {
                runs.push(run);
            }
        }
        found.push(runs);
    }
    Ok(found)
}

/// Dropouts: for each set of channels that have them at the same times, one finding for short ones, which prediction
/// bridges, and one for longer ones.
pub fn dropouts(examined: &Examined<'_>, _: &Progress) -> Result<Vec<Damage>> {
    let longest_gap = (Heal::MAX_GAP_SECS * examined.rate_hz()) as u64;
    // Whether the dropouts of a finding are too long for prediction, their channels, and their times in seconds.
    let mut found: Vec<(bool, Vec<usize>, Vec<[f64; 2]>)> = Vec::new();
    for (channel, runs) in examined.dropouts.iter().enumerate() {
        for is_long in [false, true] {
            let of_row = runs.iter().filter(|run| (run.end - run.start > longest_gap) == is_long);
            let secs: Vec<[f64; 2]> = of_row.map(|run| examined.secs(run)).collect();
            match found.iter_mut().find(|row| row.0 == is_long && row.2 == secs) {
                _ if secs.is_empty() => {}
                Some((_, channels, _)) => channels.push(channel),
                None => found.push((is_long, vec![channel], secs)),
            }
        }
    }
    found.sort_by_key(|(is_long, ..)| *is_long);
    let row = |(is_long, channels, secs): (bool, Vec<usize>, Vec<[f64; 2]>)| {
        let longest_secs = secs.iter().map(|[start, end]| end - start).fold(0.0, f64::max);
        let dropouts = counted(secs.len(), "dropout");
        let moments = Moments { runs: secs.clone().into(), reach_secs: 0.0, feather_secs: 0.0 };
        let heal = if is_long { Heal::PATTERN } else { Heal::WEIGHED_GAP };
        Damage {
            kind: DamageKind::Dropouts,
            what: format!("{dropouts}, up to {:.0} ms", longest_secs * 1000.0),
            secs,
            hz: Vec::new(),
            repair: healing(examined, heal, moments, examined.channels(&channels)),
            channels,
        }
    };
    Ok(found.into_iter().map(row).collect())
}

/// Detects runs of a constant value in consecutive pieces of a channel.
struct HeldRuns {
    lengths: std::ops::RangeInclusive<u64>,
    value: f32,
    start: u64,
    end: u64,
    runs: Vec<(Range<u64>, f32)>,
}

impl HeldRuns {
    fn add(&mut self, first: u64, samples: &[f32]) {
        for (at, sample) in (first..).zip(samples) {
            if *sample != self.value || at == 0 {
                self.close();
                (self.value, self.start) = (*sample, at);
            }
            self.end = at + 1;
        }
    }

    fn close(&mut self) {
        if self.lengths.contains(&(self.end - self.start)) {
            self.runs.push((self.start..self.end, self.value));
        }
    }
}

/// Whether the level on both sides of a run is at least [`MIN_CONTEXT_DB`].
fn is_loud_around(snapshot: &Snapshot, channel: usize, run: &Range<u64>) -> Result<bool> {
    let n = (CONTEXT_SECS * snapshot.sample_rate_hz()).round() as u64;
    for side in [run.start.saturating_sub(n)..run.start, run.end..(run.end + n).min(snapshot.n_samples())] {
        let mut samples = vec![0.0; (side.end - side.start) as usize];
        snapshot.read(channel, side.start as i64, &mut samples)?;
        let power = samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / samples.len().max(1) as f64;
        if decibels(power.sqrt()) < MIN_CONTEXT_DB || samples.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}
