//! Voices played live: notes that begin, move and end during rendering.
//!
//! The played notes form a [`Score`] that grows: a note's pitch and pressure are points added after those already
//! rendered; its duration is set when it is released. So live playback has the same samples as a rendering of that
//! score.

use super::chunk::{Threads, VoiceChunk};
use super::control::{ControlMaker, SoundingVoice};
use super::drawn::held;
use super::note::along;
use super::start::Oscillators;
use super::{BLOCK, MAX_OSCILLATORS, Score, ScoreNote, Timbre};
use crate::base::{Error, ErrorKind, Result, trace};

/// Samples rendered at a time.
const PIECE: usize = 4 * BLOCK;

/// Maximum number of block edges in a piece.
const MAX_ROWS: usize = PIECE / BLOCK + 2;

/// Glide time of pitch and pressure to a new value.
const GLIDE_SECS: f64 = 0.004;

/// Minimum duration of a note, however briefly it is held.
const MIN_SECS: f64 = 0.03;

/// Length of a held note in blocks, practically unlimited.
const MAX_NOTE_BLOCKS: usize = 1 << 40;

/// A score played live. It renders on the calling thread, and allocates only where a note begins, moves or ends.
#[derive(Debug)]
pub struct LiveVoices {
    score: Score,
    rate_hz: f64,
    is_stereo: bool,
    /// The next sample.
    at: u64,
    /// Sounding voices, by note and unison.
    voices: Vec<SoundingVoice>,
    oscillators: Oscillators,
    chunk: VoiceChunk,
}

impl LiveVoices {
    /// Silence, until a note begins. `shared` has level, tuning and seed; its notes and timbres are not played. A
    /// measured timbre is not stretched, as the end of a live note is not known.
    pub fn new(shared: &Score, timbre: &Timbre, rate_hz: f64, is_stereo: bool) -> LiveVoices {
        let timbre = Timbre { stretch_time: false, ..timbre.clone() };
        LiveVoices {
            score: Score { timbres: vec![timbre], notes: Vec::new(), ..*shared },
            rate_hz,
            is_stereo,
            at: 0,
            voices: Vec::new(),
            oscillators: Oscillators::with_capacity(0),
            chunk: VoiceChunk::with_room(0, 0),
        }
    }

    /// The notes played so far. Held notes have no end.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// The sample that is rendered next.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Whether every note has ended.
    pub fn is_silent(&self) -> bool {
        self.voices.iter().all(|voice| voice.end() <= self.at)
    }

    /// Begins a note at the next sample, and returns its index.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) for more than [`MAX_OSCILLATORS`] at once.
    pub fn begin(&mut self, pitch: f64, pressure: f64, velocity: f64) -> Result<usize> {
        self.drop_ended();
        let timbre = &self.score.timbres[0];
        let (n_before, n_more) = (self.n_oscillators(), timbre.n_oscillators());
        let n = n_before + n_more;
        if n > MAX_OSCILLATORS {
            let what = format!("{n} oscillators would sound at once; the limit is {MAX_OSCILLATORS}");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let (n_partials, unison, index) = (timbre.n_partials(), timbre.unison, self.score.notes.len());
        let pitch = held(pitch);
        self.score.notes.push(ScoreNote {
            pitch,
            start_secs: self.at as f64 / self.rate_hz,
            duration_secs: f64::INFINITY,
            velocity,
            pan: 0.0,
            timbre: 0,
            glide: vec![[0.0, pitch]],
            pressure: vec![[0.0, pressure.clamp(0.0, 1.0)]],
            sides: Vec::new(),
        });
        self.oscillators.make_room(n);
        self.chunk.make_room(self.voices.len() + unison as usize, n * MAX_ROWS);
        for part in 0..unison {
            let oscillator = n_before + part as usize * n_partials;
            self.oscillators.start(oscillator, &self.score, index, part);
            let voices = SoundingVoice::of_part(&self.score, index, part, self.rate_hz, self.is_stereo);
            let held =
                voices.map(|voice| SoundingVoice { oscillator, start: self.at, n_blocks: MAX_NOTE_BLOCKS, ..voice });
            self.voices.extend(held);
        }
        Ok(index)
    }

    /// Moves a held note to another pitch and pressure, from its next block edge on.
    pub fn steer(&mut self, note: usize, pitch: f64, pressure: f64) {
        let Some(edge_secs) = self.next_edge_secs(note) else { return };
        let note = &mut self.score.notes[note];
        lead(&mut note.glide, edge_secs, held(pitch));
        lead(&mut note.pressure, edge_secs, pressure.clamp(0.0, 1.0));
    }

    /// Ends a note: its release begins at its next block edge, but not before the minimum duration.
    pub fn release(&mut self, note: usize) {
        let Some(edge_secs) = self.next_edge_secs(note) else { return };
        let block_secs = BLOCK as f64 / self.rate_hz;
        let min_secs = (MIN_SECS / block_secs).ceil() * block_secs;
        self.score.notes[note].duration_secs = edge_secs.max(min_secs);
        let n_blocks = self.score.notes[note].n_blocks(&self.score.timbres[0], self.rate_hz);
        let of_note = self.voices.iter_mut().filter(|voice| voice.note as usize == note);
        of_note.for_each(|voice| voice.n_blocks = n_blocks);
    }

    /// Renders the next `left.len()` samples. `right` has the same length, or is empty for mono.
    pub fn render(&mut self, left: &mut [f32], right: &mut [f32]) {
        let mut done = 0;
        while done < left.len() {
            let n = PIECE.min(left.len() - done);
            let right = if right.is_empty() { &mut [] } else { &mut right[done..done + n] };
            self.render_piece(&mut left[done..done + n], right);
            done += n;
        }
    }

    fn render_piece(&mut self, left: &mut [f32], right: &mut [f32]) {
        let control = trace::span("voices.control");
        self.drop_ended();
        let samples = self.at..self.at + left.len() as u64;
        let maker = ControlMaker { score: &self.score, rate_hz: self.rate_hz };
        self.chunk.make(&maker, &self.voices, &mut self.oscillators, samples.clone(), Threads::This);
        drop(control);
        self.chunk.render_on(Threads::This, 0, left, right);
        self.at = samples.end;
    }

    fn n_oscillators(&self) -> usize {
        self.voices.iter().map(|voice| voice.n_partials).sum()
    }

    /// Drops ended voices, and compacts the oscillators of the others.
    fn drop_ended(&mut self) {
        let (at, oscillators) = (self.at, &mut self.oscillators);
        let mut to = 0;
        self.voices.retain_mut(|voice| {
            let sounds = voice.end() > at;
            if sounds {
                oscillators.move_down(to, voice.oscillator..voice.oscillator + voice.n_partials);
                voice.oscillator = to;
                to += voice.n_partials;
            }
            sounds
        });
    }

    /// Time of a held note's next block edge, the earliest at which it can still change, in seconds from its start.
    /// `None` for a note that is not held.
    fn next_edge_secs(&self, note: usize) -> Option<f64> {
        let is_held = self.score.notes.get(note).is_some_and(|note| note.duration_secs == f64::INFINITY);
        let voice = self.voices.iter().find(|voice| is_held && voice.note as usize == note)?;
        let edge = (self.at - voice.start).div_ceil(BLOCK as u64) * BLOCK as u64;
        Some(edge as f64 / self.rate_hz)
    }
}

/// Lets a curve glide from its value at a time to another value. Earlier values are unchanged.
fn lead(points: &mut Vec<[f64; 2]>, secs: f64, value: f64) {
    if points.last().is_some_and(|last| last[1] == value) {
        return;
    }
    if secs == 0.0 {
        *points = vec![[0.0, value]];
        return;
    }
    let now = along(points, secs).unwrap_or(value);
    points.truncate(points.partition_point(|point| point[0] < secs));
    points.extend([[secs, now], [secs + GLIDE_SECS, value]]);
}
