//! Damage in a sound: what of it there is, where, and the edit that repairs it. Nothing is changed.

use super::brushes::{Declip, RemoveDc, RemoveHum};
use super::declip::{ChannelClipping, DeclipLevels, find_clipping};
use super::{Channels, Edit, HumSearch, Snapshot, find_hum, resolve};
use crate::base::{Progress, Result};
use crate::dsp::find::Find;
use crate::dsp::heal::Heal;
use crate::dsp::{Moments, Selection, Shape, StftParams};
use crate::engine::Plans;
use std::ops::Range;

/// Clicks that are worth a word, in all and a minute.
const LEAST_CLICKS: usize = 3;
const LEAST_CLICKS_A_MINUTE: f64 = 3.0;
/// How far from a clipped sample its corner is taken for a click.
const CORNER_SAMPLES: i64 = 16;
/// The least offset that is reported: as a level, in standard errors of the means of parts, and how many parts.
const LEAST_OFFSET_DB: f64 = -50.0;
const LEAST_STANDARD_ERRORS: f64 = 5.0;
const N_PARTS: usize = 20;
/// How long one value is held in a dropout, and how loud the sound is on both sides of it, within this time.
const DROPOUT_SECS: [f64; 2] = [0.001, 0.25];
const LEAST_AROUND_DB: f64 = -50.0;
const AROUND_SECS: f64 = 0.02;
/// Samples read at once.
const CHUNK: usize = 1 << 17;

/// Something that is wrong with a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Damage {
    /// Of what kind.
    pub kind: DamageKind,
    /// The channels that have it, ascending.
    pub channels: Vec<usize>,
    /// Where, as start and end in seconds, ascending; empty where it is everywhere.
    pub secs: Vec<[f64; 2]>,
    /// How much of it, in short.
    pub what: String,
    /// The edit that repairs it.
    pub repair: Edit,
}

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// The tops of waves are cut off.
    Clipping,
    /// Runs of a few samples that do not belong there.
    Clicks,
    /// A mains tone and its harmonics.
    Hum,
    /// The mean is not 0.
    Dc,
    /// One value is held where sound was lost.
    Dropouts,
}

impl DamageKind {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            DamageKind::Clipping => "clipping",
            DamageKind::Clicks => "clicks",
            DamageKind::Hum => "hum",
            DamageKind::Dc => "DC offset",
            DamageKind::Dropouts => "dropouts",
        }
    }
}

/// All damage of a sound, kind by kind.
///
/// # Errors
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and the source's.
pub fn find_damage(snapshot: &Snapshot, progress: &Progress) -> Result<Vec<Damage>> {
    let part = |index: usize| progress.within([index, index + 1].map(|index| index as f64 / 5.0));
    let clippings = find_clipping(snapshot, &part(0))?;
    let mut all: Vec<Damage> = clippings.iter().enumerate().filter_map(clipping_of_channel).collect();
    all.extend(clicks(snapshot, &clippings, &part(1))?);
    all.extend(hum(snapshot, &part(2))?);
    all.extend(offset(snapshot, &part(3))?);
    all.extend(dropouts(snapshot, &clippings, &part(4))?);
    Ok(all)
}

fn transform(snapshot: &Snapshot) -> StftParams {
    StftParams::for_rate(snapshot.sample_rate_hz())
}

fn clipping_of_channel((channel, clipping): (usize, &Option<ChannelClipping>)) -> Option<Damage> {
    let clipping = (*clipping)?;
    let [above, below] = [clipping.levels.above, clipping.levels.below].map(f64::from);
    // Levels that one side lacks are found again.
    let is_whole = above.is_finite() && below.is_finite();
    let levels = if is_whole { DeclipLevels::Given([above, below]) } else { DeclipLevels::Found };
    let brush = Declip { levels, ..Declip::DEFAULT };
    let repair = Edit { channels: Channels::List(vec![channel]), ..Edit::of(brush, StftParams::default()) };
    let what = clipping.described();
    Some(Damage { kind: DamageKind::Clipping, channels: vec![channel], secs: Vec::new(), what, repair })
}

/// Moments as the hole of an edit that heals them.
fn healing(snapshot: &Snapshot, heal: Heal, moments: Moments, channels: Channels) -> Edit {
    let select = Some(Selection::of(Shape::Moments(moments)));
    Edit { select, channels, ..Edit::of(heal, transform(snapshot)) }
}

fn clicks(snapshot: &Snapshot, clippings: &[Option<ChannelClipping>], progress: &Progress) -> Result<Option<Damage>> {
    let wanted = Selection::of(Shape::Find(Find::CLICKS));
    let (stft, plans) = (transform(snapshot), Plans::default());
    let found = resolve(snapshot, &wanted, stft, &Channels::All, &plans, progress)?;
    let [(_, Shape::Moments(moments))] = &found.shapes[..] else { return Ok(None) };
    let mut runs = Vec::new();
    for run in moments.runs.iter() {
        // The corners of a clipped wave are no clicks.
        if !is_clipped_near(snapshot, clippings, *run)? {
            runs.push(*run);
        }
    }
    let moments = Moments { runs: runs.into(), ..moments.clone() };
    let (n, minutes) = (moments.runs.len(), snapshot.n_samples() as f64 / snapshot.sample_rate_hz() / 60.0);
    if n < LEAST_CLICKS || (n as f64) < LEAST_CLICKS_A_MINUTE * minutes {
        return Ok(None);
    }
    Ok(Some(Damage {
        kind: DamageKind::Clicks,
        channels: (0..snapshot.n_channels()).collect(),
        secs: moments.runs.to_vec(),
        what: format!("{n} clicks"),
        repair: healing(snapshot, Heal::WEIGHED_GAP, moments, Channels::All),
    }))
}

/// Whether a sample in a range of seconds, or beside it, is clipped in any channel.
fn is_clipped_near(snapshot: &Snapshot, clippings: &[Option<ChannelClipping>], run: [f64; 2]) -> Result<bool> {
    let [start, end] = run.map(|secs| (secs * snapshot.sample_rate_hz()).round() as i64);
    let mut samples = vec![0.0; (end - start + 2 * CORNER_SAMPLES) as usize];
    for (channel, clipping) in clippings.iter().enumerate() {
        let Some(clipping) = clipping else { continue };
        snapshot.read(channel, start - CORNER_SAMPLES, &mut samples)?;
        if clipping.levels.count(&samples) > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn hum(snapshot: &Snapshot, progress: &Progress) -> Result<Option<Damage>> {
    let search = HumSearch::DEFAULT;
    let found = find_hum(snapshot, None, &Channels::All, &search, progress)?;
    Ok(found.map(|hum| Damage {
        kind: DamageKind::Hum,
        channels: (0..snapshot.n_channels()).collect(),
        secs: Vec::new(),
        what: hum.described(),
        repair: Edit::of(RemoveHum::DEFAULT, transform(snapshot)),
    }))
}

/// The samples of a channel, piece after piece, with the first of each.
fn each_piece(
    snapshot: &Snapshot,
    channel: usize,
    progress: &Progress,
    mut look: impl FnMut(u64, &[f32]),
) -> Result<()> {
    let (n_samples, n_channels) = (snapshot.n_samples(), snapshot.n_channels() as u64);
    let mut samples = vec![0.0; CHUNK];
    for start in (0..n_samples).step_by(CHUNK) {
        progress.step(channel as u64 * n_samples + start, n_channels * n_samples)?;
        let piece = &mut samples[..CHUNK.min((n_samples - start) as usize)];
        snapshot.read(channel, start as i64, piece)?;
        look(start, piece);
    }
    Ok(())
}

fn decibels(level: f64) -> f64 {
    20.0 * level.log10()
}

fn offset(snapshot: &Snapshot, progress: &Progress) -> Result<Option<Damage>> {
    let n_samples = snapshot.n_samples();
    let (mut channels, mut largest) = (Vec::new(), 0.0f64);
    if n_samples < N_PARTS as u64 {
        return Ok(None);
    }
    for channel in 0..snapshot.n_channels() {
        let mut sums = [(0.0f64, 0u64); N_PARTS];
        each_piece(snapshot, channel, progress, |first, samples| {
            for (at, sample) in (first..).zip(samples) {
                let (sum, n) = &mut sums[(at as u128 * N_PARTS as u128 / u128::from(n_samples)) as usize];
                (*sum, *n) = (*sum + f64::from(*sample), *n + 1);
            }
        })?;
        let means = sums.map(|(sum, n)| sum / n.max(1) as f64);
        let mean = means.iter().sum::<f64>() / N_PARTS as f64;
        let variance = means.iter().map(|part| (part - mean).powi(2)).sum::<f64>() / (N_PARTS - 1) as f64;
        let standard_error = (variance / N_PARTS as f64).sqrt();
        if decibels(mean.abs()) > LEAST_OFFSET_DB && mean.abs() > LEAST_STANDARD_ERRORS * standard_error {
            channels.push(channel);
            largest = if mean.abs() > largest.abs() { mean } else { largest };
        }
    }
    let repair = Edit { channels: Channels::List(channels.clone()), ..Edit::of(RemoveDc, transform(snapshot)) };
    let what = format!("{:.0} dBFS ({largest:+.4})", decibels(largest.abs()));
    let found = Damage { kind: DamageKind::Dc, channels, secs: Vec::new(), what, repair };
    Ok((!found.channels.is_empty()).then_some(found))
}

/// Runs of one value between louder sound, one row for those that prediction bridges and one for longer ones.
fn dropouts(snapshot: &Snapshot, clippings: &[Option<ChannelClipping>], progress: &Progress) -> Result<Vec<Damage>> {
    let rate_hz = snapshot.sample_rate_hz();
    let [least, most] = DROPOUT_SECS.map(|secs| (secs * rate_hz).round() as u64);
    let mut rows = Vec::new();
    let mut found: Vec<(usize, Range<u64>)> = Vec::new();
    for (channel, clipping) in clippings.iter().enumerate() {
        let mut held = HeldRuns { lengths: least.max(3)..=most, value: 0.0, start: 0, end: 0, runs: Vec::new() };
        each_piece(snapshot, channel, progress, |first, samples| held.add(first, samples))?;
        held.close();
        let is_clipped = |value: f32| clipping.is_some_and(|clipping| clipping.levels.is_clipped(value));
        for (run, _) in held.runs.into_iter().filter(|(_, value)| !is_clipped(*value)) {
            if is_loud_around(snapshot, channel, &run)? {
                found.push((channel, run));
            }
        }
    }
    let longest_gap = (Heal::LONGEST_GAP_SECS * rate_hz) as u64;
    for (heal, is_long) in [(Heal::WEIGHED_GAP, false), (Heal::PATTERN, true)] {
        let of_row = || found.iter().filter(|(_, run)| (run.end - run.start > longest_gap) == is_long);
        let mut channels: Vec<usize> = of_row().map(|(channel, _)| *channel).collect();
        channels.dedup();
        for channel in channels {
            let runs = of_row().filter(|(of, _)| *of == channel);
            let secs: Vec<[f64; 2]> = runs.map(|(_, run)| [run.start, run.end].map(|at| at as f64 / rate_hz)).collect();
            let longest_secs = secs.iter().map(|[start, end]| end - start).fold(0.0, f64::max);
            let dropouts = if secs.len() == 1 { "1 dropout" } else { &format!("{} dropouts", secs.len()) };
            let moments = Moments { runs: secs.clone().into(), reach_secs: 0.0, feather_secs: 0.0 };
            rows.push(Damage {
                kind: DamageKind::Dropouts,
                channels: vec![channel],
                what: format!("{dropouts}, up to {:.0} ms", longest_secs * 1000.0),
                secs,
                repair: healing(snapshot, heal, moments, Channels::List(vec![channel])),
            });
        }
    }
    Ok(rows)
}

/// Runs of one value, found piece after piece.
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

/// Whether there is sound on both sides of a run.
fn is_loud_around(snapshot: &Snapshot, channel: usize, run: &Range<u64>) -> Result<bool> {
    let n = (AROUND_SECS * snapshot.sample_rate_hz()).round() as u64;
    for side in [run.start.saturating_sub(n)..run.start, run.end..(run.end + n).min(snapshot.n_samples())] {
        let mut samples = vec![0.0; (side.end - side.start) as usize];
        snapshot.read(channel, side.start as i64, &mut samples)?;
        let power = samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / samples.len().max(1) as f64;
        if decibels(power.sqrt()) < LEAST_AROUND_DB || samples.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}
