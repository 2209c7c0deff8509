//! What is under the pointer: the cell that is drawn there, or the peak whose main lobe it is part of, interpolated by
//! the lobe's shape.

use super::super::jobs::{Job, Jobs};
use super::super::state::Readout;
use crate::base::{Result, lock};
use crate::document::Snapshot;
use crate::dsp::{Region, StftParams, Window};
use crate::view::{Analysis, ChannelView, Plans, amplitude_scale, db_from_amplitude};
use std::sync::{Arc, Mutex};

/// Where a readout is wanted.
#[derive(Debug, Clone)]
pub struct Probe {
    /// The sound.
    pub snapshot: Snapshot,
    /// The grid.
    pub stft: StftParams,
    /// Which channels.
    pub channels: ChannelView,
    /// Time at the pointer.
    pub secs: f64,
    /// Frequency at the pointer.
    pub hz: f64,
    /// The band of the pixel under the pointer, low and high: of its cells the loudest is drawn.
    pub pixel_hz: [f64; 2],
    /// The phase as it is, not less its bin's own turning.
    pub raw_phase: bool,
}

impl Probe {
    fn is_same(&self, other: &Probe) -> bool {
        self.snapshot.is_same(&other.snapshot)
            && (self.stft, self.channels, self.secs, self.hz) == (other.stft, other.channels, other.secs, other.hz)
            && self.pixel_hz == other.pixel_hz
            && self.raw_phase == other.raw_phase
    }
}

/// Reads one place after another, off the UI thread, one at a time.
#[derive(Default)]
pub struct Reader {
    lobes: Lobes,
    job: Option<(Probe, Job<Readout>)>,
    last: Option<(Probe, Readout)>,
}

impl Reader {
    /// The readout at a place: of its time and frequency at once, of level and phase once they are known; until then
    /// those of the place before.
    pub fn read(&mut self, probe: &Probe, jobs: &Jobs, plans: &Plans) -> Readout {
        if let Some((asked, job)) = &mut self.job
            && let Some(answer) = job.poll()
        {
            if let Ok(readout) = answer {
                self.last = Some((asked.clone(), readout));
            }
            self.job = None;
        }
        let known = self.last.as_ref().is_some_and(|(at, _)| at.is_same(probe));
        if !known && self.job.is_none() {
            let (lobes, plans, theirs) = (self.lobes.clone(), plans.clone(), probe.clone());
            let job = jobs.spawn("readout", move |_| read_probe(&theirs, &plans, &lobes));
            self.job = Some((probe.clone(), job));
        }
        let place = Readout { secs: probe.secs, hz: probe.hz, peak_hz: None, level_db: None, phase_turns: None };
        let last = self.last.as_ref().map_or(place, |(_, readout)| *readout);
        Readout { secs: probe.secs, hz: probe.hz, ..last }
    }
}

fn read_probe(probe: &Probe, plans: &Plans, lobes: &Lobes) -> Result<Readout> {
    let analysis = Analysis::new(&probe.snapshot, probe.channels, plans.get(probe.stft))?;
    let grid = *analysis.grid();
    let frame = (grid.frame_from_secs(probe.secs).round().max(0.0) as usize).min(grid.n_frames() - 1);
    let last_bin = grid.n_bins() - 1;
    let bin_near = |hz: f64| (grid.bin_from_hz(hz).round().max(0.0) as usize).min(last_bin);
    let regions: Vec<Region> = analysis
        .signals()
        .into_iter()
        .map(|signal| analysis.signal_region(signal, frame..frame + 1))
        .collect::<Result<_>>()?;
    let loudest_at = |bin: usize| regions.iter().max_by(|a, b| a.magnitude[bin].total_cmp(&b.magnitude[bin]));
    let at = |bin: usize| loudest_at(bin).map_or(0.0, |region| region.magnitude[bin]);
    // The nearest bin, and those whose centres lie in the pixel: the canvas draws the loudest of them.
    let nearest = bin_near(probe.hz);
    let [low, high] = probe.pixel_hz.map(|hz| grid.bin_from_hz(hz));
    let in_pixel = (low.ceil().max(0.0) as usize)..=(high.floor().max(0.0) as usize).min(last_bin);
    let bin = in_pixel.fold(nearest, |best, bin| if at(bin) > at(best) { bin } else { best });
    let Some(region) = loudest_at(bin) else {
        return Ok(Readout { secs: probe.secs, hz: probe.hz, peak_hz: None, level_db: None, phase_turns: None });
    };
    // A pixel of many bins has no finer place than itself.
    let pointer = grid.bin_from_hz(probe.hz);
    let place = if bin == nearest { pointer } else { bin as f64 };
    let peak = peak_under(&region.magnitude, place, &lobes.get(probe.stft));
    let magnitude = peak.map_or(f64::from(region.magnitude[bin]), |(_, magnitude)| magnitude);
    let turned = if probe.raw_phase { 0.0 } else { grid.stft.turns_of_bin(frame, bin) };
    let phase = region.phase[bin] - turned;
    Ok(Readout {
        secs: probe.secs,
        hz: probe.hz,
        peak_hz: peak.map(|(bin, _)| grid.hz_from_bin(bin)),
        level_db: (magnitude > 0.0).then(|| db_from_amplitude(magnitude as f32 * amplitude_scale(probe.stft))),
        phase_turns: Some(phase - phase.round()),
    })
}

/// How far from a peak's true frequency its main lobe is sure to be louder than anything else, in bins: the lobe of
/// the narrowest window that is offered ends at 1.5.
const LOBE_BINS: f64 = 1.5;

/// The fractional bin and the magnitude of the peak whose main lobe holds a place, in fractional bins: one that lies
/// uphill of the cell there, at most [`LOBE_BINS`] away. None elsewhere, and in silence.
pub fn peak_under(magnitude: &[f32], place: f64, lobe: &Lobe) -> Option<(f64, f64)> {
    let start = (place.round().max(0.0) as usize).min(magnitude.len().saturating_sub(1));
    peak_near(magnitude, start, lobe).filter(|(bin, _)| (bin - place).abs() <= LOBE_BINS)
}

/// The fractional bin and the magnitude of the peak that lies uphill of `start`; none in silence.
pub fn peak_near(magnitude: &[f32], start: usize, lobe: &Lobe) -> Option<(f64, f64)> {
    let at = |bin: usize| magnitude.get(bin).copied().unwrap_or(0.0);
    let mut bin = start;
    loop {
        let higher = |next: usize| at(next) > at(bin);
        if bin + 1 < magnitude.len() && higher(bin + 1) && at(bin + 1) >= at(bin.saturating_sub(1)) {
            bin += 1;
        } else if bin > 0 && higher(bin - 1) {
            bin -= 1;
        } else {
            break;
        }
    }
    if at(bin) <= 0.0 {
        return None;
    }
    let (below, above) = (bin.checked_sub(1).map_or(0.0, at), at(bin + 1));
    let ratio = f64::from(below.max(above)) / f64::from(at(bin));
    let offset = lobe.offset_from_ratio(ratio);
    let sign = if above >= below { 1.0 } else { -1.0 };
    Some((bin as f64 + sign * offset, f64::from(at(bin)) / lobe.at(offset)))
}

/// The main lobe of a window's transform: how loud a tone is in a bin, by its distance to the bin's centre.
#[derive(Debug)]
pub struct Lobe(Vec<f64>);

/// Steps of a bin.
const LOBE_STEPS: usize = 64;

impl Lobe {
    /// The lobe of a window of `n` samples. Longer windows than 2,048 have the same to 6 digits.
    pub fn new(window: Window, n: usize) -> Lobe {
        let n = n.min(2048);
        let samples = window.samples(n);
        let sum: f64 = samples.iter().sum();
        let at = |step: usize| {
            let turns = step as f64 / (LOBE_STEPS * n) as f64;
            let part = |(k, w): (usize, &f64)| w * (std::f64::consts::TAU * turns * (k as f64 - n as f64 / 2.0)).cos();
            samples.iter().enumerate().map(part).sum::<f64>() / sum
        };
        Lobe((0..=LOBE_STEPS).map(at).collect())
    }

    /// 1 at a distance of 0 bins, falling to what it is at 1.
    pub fn at(&self, bins: f64) -> f64 {
        let place = (bins.clamp(0.0, 1.0) * LOBE_STEPS as f64).min(LOBE_STEPS as f64 - 1e-9);
        let step = place as usize;
        self.0[step] + (self.0[step + 1] - self.0[step]) * (place - step as f64)
    }

    /// The distance, 0 to 0.5, at which the next bin's magnitude is `ratio` times that of the nearest.
    pub fn offset_from_ratio(&self, ratio: f64) -> f64 {
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if self.at(1.0 - middle) / self.at(middle) < ratio { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    }
}

/// The lobe that was used last. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Lobes(Arc<Mutex<Option<LobeOf>>>);

type LobeOf = (Window, usize, Arc<Lobe>);

impl Lobes {
    fn get(&self, stft: StftParams) -> Arc<Lobe> {
        let mut held = lock(&self.0);
        match &*held {
            Some((window, n_fft, lobe)) if (*window, *n_fft) == (stft.window, stft.n_fft) => lobe.clone(),
            _ => {
                let lobe = Arc::new(Lobe::new(stft.window, stft.n_fft));
                *held = Some((stft.window, stft.n_fft, lobe.clone()));
                lobe
            }
        }
    }
}
