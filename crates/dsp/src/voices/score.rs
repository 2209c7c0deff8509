//! The notes that are rendered together.

use super::{BLOCK, MAX_OSCILLATORS, ScoreNote, Timbre};
use crate::base::{Error, ErrorKind, Result, shown_number};

/// Fraction of the Nyquist frequency at and above which partials are silent.
pub(super) const SILENT_ABOVE: f64 = 0.98;

/// Notes, their timbres, and common settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Level of a note of velocity 1, as the root of the sum of its partials' squares; 0 is full scale.
    pub level_db: f64,
    /// Frequency of A4, in hertz.
    pub tuning_hz: f64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Timbres, to which notes refer by index.
    pub timbres: Vec<Timbre>,
    /// Notes in any order. Their indices determine random numbers and the order of sums.
    pub notes: Vec<ScoreNote>,
}

/// An error in a score.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteProblem {
    /// Index of the note; `None` if the problem concerns the whole score.
    pub note: Option<usize>,
    /// Name of the field in JSON.
    pub field: &'static str,
    /// Message, without a full stop.
    pub what: String,
}

impl Score {
    /// Maximum number of notes.
    pub const MAX_NOTES: usize = 100_000;
    /// Maximum number of points of all glides, pressures and sides together, counted per tone of a chord: 32 MB.
    pub const MAX_POINTS: usize = 1 << 21;
    /// The longest score, releases included.
    pub const MAX_SECS: f64 = 4.0 * 3600.0;
    /// The highest pitch as a MIDI number: 20 kHz.
    pub const MAX_PITCH: f64 = 135.1;
    /// The longest note, without its release.
    pub const MAX_NOTE_SECS: f64 = 600.0;

    /// A score without notes: -18 dB, A4 at 440 Hz, seed 0.
    pub fn empty() -> Score {
        Score { level_db: -18.0, tuning_hz: 440.0, seed: 0, timbres: Vec::new(), notes: Vec::new() }
    }

    /// The first field that is outside its limits; `None` if the score is valid.
    pub fn problem(&self) -> Option<NoteProblem> {
        let of_all = |field: &'static str, what: String| Some(NoteProblem { note: None, field, what });
        if !(-120.0..=24.0).contains(&self.level_db) {
            return of_all("level_db", format!("{} is outside -120 to 24", shown_number(self.level_db)));
        }
        if !(20.0..=20_000.0).contains(&self.tuning_hz) {
            return of_all("tuning", format!("{} is outside 20 to 20000", shown_number(self.tuning_hz)));
        }
        if let Some((field, what)) = self.timbres.iter().find_map(Timbre::problem) {
            return of_all("timbre", format!("{field}: {what}"));
        }
        if self.notes.is_empty() {
            return of_all("notes", "there are no notes".into());
        }
        if self.notes.len() > Score::MAX_NOTES {
            return of_all("notes", format!("{} notes are more than {}", self.notes.len(), Score::MAX_NOTES));
        }
        self.notes.iter().enumerate().find_map(|(index, note)| {
            self.note_problem(note).map(|(field, what)| NoteProblem { note: Some(index), field, what })
        })
    }

    fn note_problem(&self, note: &ScoreNote) -> Option<(&'static str, String)> {
        let is_pitch = |pitch: f64| (0.0..=Score::MAX_PITCH).contains(&pitch);
        let pitch_outside =
            |pitch: f64| format!("{} is outside 0 to {} (20 kHz)", shown_number(pitch), Score::MAX_PITCH);
        if note.glide.is_empty() && !is_pitch(note.pitch) {
            return Some(("pitch", pitch_outside(note.pitch)));
        }
        if let Some(point) = note.glide.iter().find(|point| !is_pitch(point[1])) {
            return Some(("glide", pitch_outside(point[1])));
        }
        if !(note.start_secs >= 0.0 && note.start_secs <= Score::MAX_SECS) {
            let start_secs = shown_number(note.start_secs);
            return Some(("start", format!("{start_secs} is outside 0 to {} seconds", Score::MAX_SECS)));
        }
        if !(note.duration_secs > 0.0 && note.duration_secs <= Score::MAX_NOTE_SECS) {
            let max = Score::MAX_NOTE_SECS;
            let secs = shown_number(note.duration_secs);
            return Some(("duration", format!("{secs} is not above 0 and at most {max} seconds")));
        }
        if !(note.velocity > 0.0 && note.velocity <= 1.0) {
            return Some(("velocity", format!("{} is not above 0 and at most 1", shown_number(note.velocity))));
        }
        if !(-1.0..=1.0).contains(&note.pan) {
            return Some(("pan", format!("{} is outside -1 to 1", shown_number(note.pan))));
        }
        let unordered = unordered("glide", &note.glide)
            .or_else(|| unordered("pressure", &note.pressure))
            .or_else(|| unordered("sides", &note.sides));
        if let Some(field) = unordered {
            return Some((field, "times must be 0 or more and must not decrease".into()));
        }
        let is_gain = |gain: &f64| (0.0..=ScoreNote::MAX_GAIN).contains(gain);
        if !note.pressure.iter().all(|point| is_gain(&point[1])) {
            return Some(("pressure", format!("values must be 0 to {}", ScoreNote::MAX_GAIN)));
        }
        if !note.sides.iter().flat_map(|point| &point[1..]).all(is_gain) {
            return Some(("sides", format!("values must be 0 to {}", ScoreNote::MAX_GAIN)));
        }
        let Some(timbre) = self.timbres.get(note.timbre) else {
            return Some(("timbre", format!("there is no timbre {}", note.timbre)));
        };
        let end_secs = note.start_secs + note.duration_secs + timbre.adsr.release_secs;
        (end_secs > Score::MAX_SECS)
            .then(|| ("start", format!("the note ends after {} hours", Score::MAX_SECS / 3600.0)))
    }

    /// Samples until the last block of the last note has ended.
    pub fn n_samples(&self, rate_hz: f64) -> u64 {
        let end = |note: &ScoreNote| {
            note.first_sample(rate_hz) + (BLOCK * note.n_blocks(&self.timbres[note.timbre], rate_hz)) as u64
        };
        self.notes.iter().map(end).max().unwrap_or(0)
    }

    /// Maximum number of simultaneous oscillators.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) beyond [`MAX_OSCILLATORS`], with their number and the time.
    pub fn max_oscillators(&self, rate_hz: f64) -> Result<usize> {
        self.max_at_once(rate_hz, &mut Vec::with_capacity(2 * self.notes.len()))
    }

    /// As [`max_oscillators`](Score::max_oscillators), with a buffer for starts and ends.
    pub(super) fn max_at_once(&self, rate_hz: f64, changes: &mut Vec<(u64, i64)>) -> Result<usize> {
        changes.clear();
        for note in &self.notes {
            let timbre = &self.timbres[note.timbre];
            let (first, n) = (note.first_sample(rate_hz), (note.n_sides() * timbre.n_oscillators()) as i64);
            changes.push((first, n));
            changes.push((first + (BLOCK * note.n_blocks(timbre, rate_hz)) as u64, -n));
        }
        // At the same sample, ends (negative changes) sort before starts.
        changes.sort_unstable();
        let (mut n, mut max) = (0, (0, 0));
        for &(sample, change) in &*changes {
            n += change;
            max = max.max((n, sample));
        }
        let (n, sample) = (max.0 as usize, max.1);
        if n > MAX_OSCILLATORS {
            let secs = sample as f64 / rate_hz;
            let what = format!("{n} oscillators sound at once at {secs:.3} s; the limit is {MAX_OSCILLATORS}");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        Ok(n)
    }

    /// The notice that some notes [cannot be heard](Score::n_inaudible) at a sample rate; `None` if all can.
    pub fn inaudible_notice(&self, rate_hz: f64) -> Option<String> {
        let notes = match self.n_inaudible(rate_hz) {
            0 => return None,
            1 => "1 note lies".into(),
            n => format!("{n} notes lie"),
        };
        Some(format!("{notes} wholly above what {rate_hz} Hz can hold, and cannot be heard"))
    }

    /// Number of notes that are inaudible at a sample rate, since all of their partials are at or above 98 % of the
    /// Nyquist frequency.
    pub fn n_inaudible(&self, rate_hz: f64) -> usize {
        let silent_hz = SILENT_ABOVE * rate_hz / 2.0;
        // For most notes, the first partial decides.
        let is_inaudible = |note: &&ScoreNote| {
            let hz = self.tuning_hz * ((note.lowest_pitch() - 69.0) / 12.0).exp2();
            let timbre = &self.timbres[note.timbre];
            (0..timbre.n_partials()).all(|k| hz * timbre.ratio(k) >= silent_hz)
        };
        self.notes.iter().filter(is_inaudible).count()
    }
}

/// `field` if times of the curve are negative or decrease, or a value is not finite.
fn unordered<const N: usize>(field: &'static str, points: &[[f64; N]]) -> Option<&'static str> {
    let starts_well = points.first().is_none_or(|point| point[0] >= 0.0);
    let is_ordered = points.windows(2).all(|pair| pair[0][0] <= pair[1][0]);
    let is_finite = points.iter().flatten().all(|value| value.is_finite());
    (!(starts_well && is_ordered && is_finite)).then_some(field)
}
