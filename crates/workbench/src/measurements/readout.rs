//! The values under the pointer: of the cell drawn there, or of the peak whose main lobe contains the pointer,
//! interpolated by the shape of the lobe.

use crate::base::{Result, lock};
use crate::document::Snapshot;
use crate::dsp::{Lobe, Region, Transform, peak_under};
use crate::services::{JobQuestion, Jobs, Latest};
use crate::view::{Analysis, ChannelView, Plans, db_from_amplitude};
use std::sync::{Arc, Mutex};

/// The values under the pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Readout {
    /// Time at the pointer.
    pub secs: f64,
    /// Frequency at the pointer.
    pub hz: f64,
    /// Frequency of the peak whose main lobe contains the pointer, interpolated to 0.1 bin; `None` elsewhere.
    pub peak_hz: Option<f64>,
    /// Level of that peak, to 0.1 dB, else of the cell under the pointer; 0 dB is a full-scale sine. `None` in silence.
    pub level_db: Option<f32>,
    /// Displayed phase of the cell under the pointer, in turns.
    pub phase_turns: Option<f32>,
}

/// Input of a readout: the pointer's position, and the displayed sound.
#[derive(Debug, Clone)]
pub struct ReadoutQuery {
    /// The sound.
    pub snapshot: Snapshot,
    /// The displayed transform.
    pub transform: Transform,
    /// The displayed channels.
    pub channels: ChannelView,
    /// Time at the pointer.
    pub secs: f64,
    /// Frequency at the pointer.
    pub hz: f64,
    /// Band of the pixel under the pointer, low and high. The canvas draws its loudest cell.
    pub pixel_hz: [f64; 2],
    /// Whether the raw phase is shown rather than the phase relative to its bin's rotation.
    pub raw_phase: bool,
}

impl JobQuestion for ReadoutQuery {
    fn is_same(&self, other: &ReadoutQuery) -> bool {
        self.snapshot.is_same(&other.snapshot)
            && (&self.transform, self.channels, self.secs, self.hz)
                == (&other.transform, other.channels, other.secs, other.hz)
            && self.pixel_hz == other.pixel_hz
            && self.raw_phase == other.raw_phase
    }
}

/// Computes readouts in jobs, one at a time.
#[derive(Default)]
pub struct Reader {
    lobes: Lobes,
    readout: Latest<ReadoutQuery, Readout>,
}

impl Reader {
    /// The cache of window lobes that readouts use.
    pub fn lobes(&self) -> &Lobes {
        &self.lobes
    }

    /// Drops the last readout; call when another sound is displayed.
    pub fn forget(&mut self) {
        self.readout.clear();
    }

    /// The readout of a query. Time and frequency are current; peak, level and phase are those of the previous query
    /// until a job has computed them.
    pub fn read(&mut self, query: &ReadoutQuery, jobs: &Jobs, plans: &Plans) -> Readout {
        let (lobes, plans) = (self.lobes.clone(), plans.clone());
        self.readout.ask_in_turn(query, jobs, "readout", move |query, _| answer(query, &plans, &lobes));
        let place = Readout { secs: query.secs, hz: query.hz, peak_hz: None, level_db: None, phase_turns: None };
        let last = self.readout.last().map_or(place, |(_, readout)| *readout);
        Readout { secs: query.secs, hz: query.hz, ..last }
    }
}

fn answer(query: &ReadoutQuery, plans: &Plans, lobes: &Lobes) -> Result<Readout> {
    let analysis =
        Analysis::new(&query.snapshot, query.channels, plans.view(&query.transform, query.snapshot.sample_rate_hz())?)?;
    let grid = analysis.grid().clone();
    let frame = (grid.frame_from_secs(query.secs).round().max(0.0) as usize).min(grid.n_frames() - 1);
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
    let nearest = bin_near(query.hz);
    let [low, high] = query.pixel_hz.map(|hz| grid.bin_from_hz(hz));
    let in_pixel = (low.ceil().max(0.0) as usize)..=(high.floor().max(0.0) as usize).min(last_bin);
    let bin = in_pixel.fold(nearest, |best, bin| if at(bin) > at(best) { bin } else { best });
    let Some(region) = loudest_at(bin) else {
        return Ok(Readout { secs: query.secs, hz: query.hz, peak_hz: None, level_db: None, phase_turns: None });
    };
    // If another bin of the pixel is louder than the nearest, the peak is searched at its centre, not at the pointer.
    let pointer = grid.bin_from_hz(query.hz);
    let place = if bin == nearest { pointer } else { bin as f64 };
    let lobe = lobes.get(&query.transform);
    let peak = peak_under(&region.magnitude, place, &lobe.around(&grid, bin));
    let magnitude = peak.map_or(f64::from(region.magnitude[bin]), |(_, magnitude)| magnitude);
    let turned = if query.raw_phase { 0.0 } else { grid.turns_of_bin(frame, bin) };
    let phase = region.phase[bin] - turned;
    Ok(Readout {
        secs: query.secs,
        hz: query.hz,
        peak_hz: peak.map(|(bin, _)| grid.hz_from_bin(bin)),
        level_db: (magnitude > 0.0).then(|| db_from_amplitude(magnitude as f32 * analysis.amplitude_scale().of(bin))),
        phase_turns: Some(phase - phase.round()),
    })
}

/// Cache of the window lobe last used, shared by clones.
#[derive(Debug, Clone, Default)]
pub struct Lobes(Arc<Mutex<Option<LobeOf>>>);

type LobeOf = (Transform, Arc<Lobe>);

impl Lobes {
    /// The lobe of a transform, computed unless it is the cached one.
    pub fn get(&self, transform: &Transform) -> Arc<Lobe> {
        let mut held = lock(&self.0);
        match &*held {
            Some((of, lobe)) if of == transform => lobe.clone(),
            _ => {
                let lobe = Arc::new(Lobe::of(transform));
                *held = Some((transform.clone(), lobe.clone()));
                lobe
            }
        }
    }
}
