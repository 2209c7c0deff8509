//! Memory for rendering voices, allocated once, and a score being rendered with it.

use super::chunk::{Threads, VoiceChunk};
use super::control::{ControlMaker, SoundingVoice};
use super::start::Oscillators;
use super::{BLOCK, CHUNK, MAX_OSCILLATORS, Score};
use crate::base::{Error, ErrorKind, Result, trace};

/// Maximum number of control points of a chunk: [`MAX_OSCILLATORS`] over [`CHUNK`] samples, with an incomplete block at
/// each end.
const MAX_POINTS: usize = MAX_OSCILLATORS * (CHUNK / BLOCK + 2);

/// All memory for rendering, so that rendering itself allocates nothing: 17 MB of control points for two chunks (one is
/// rendered on a device while the next is computed) and the state of 8,192 oscillators. Untouched pages take no memory.
#[derive(Debug)]
pub struct VoicePool {
    chunks: [VoiceChunk; 2],
    /// Sounding voices in this chunk and the previous one, by note and unison.
    voices: [Vec<SoundingVoice>; 2],
    oscillators: [Oscillators; 2],
    /// Notes by their start.
    starts: Vec<Start>,
    /// Starts and ends of oscillators.
    changes: Vec<(u64, i64)>,
}

#[derive(Debug, Clone, Copy)]
struct Start {
    sample: u64,
    note: u32,
}

/// A score being rendered with the memory of a pool, chunk by chunk.
#[derive(Debug)]
pub struct VoiceStream<'a> {
    pool: &'a mut VoicePool,
    score: &'a Score,
    rate_hz: f64,
    is_stereo: bool,
    n_samples: u64,
    max_oscillators: usize,
    /// The next chunk's first sample.
    at: u64,
    next_start: usize,
    /// Index of the half of the pool for the next chunk, 0 or 1.
    half: usize,
}

impl Default for VoicePool {
    fn default() -> VoicePool {
        VoicePool::new()
    }
}

impl VoicePool {
    /// A pool for any score.
    pub fn new() -> VoicePool {
        let chunk = || VoiceChunk::with_room(MAX_OSCILLATORS, MAX_POINTS);
        VoicePool {
            chunks: [chunk(), chunk()],
            voices: [Vec::with_capacity(MAX_OSCILLATORS), Vec::with_capacity(MAX_OSCILLATORS)],
            oscillators: [Oscillators::with_capacity(MAX_OSCILLATORS), Oscillators::with_capacity(MAX_OSCILLATORS)],
            starts: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Begins to render a score at its first sample, in mono or stereo. Allocates only for a score of more notes than
    /// any before.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) if the score has a [problem](Score::problem) or more than [`MAX_OSCILLATORS`]
    /// simultaneous oscillators.
    pub fn begin<'a>(&'a mut self, score: &'a Score, rate_hz: f64, is_stereo: bool) -> Result<VoiceStream<'a>> {
        if let Some(problem) = score.problem() {
            let of_note = problem.note.map_or(String::new(), |note| format!("notes[{note}]."));
            return Err(Error::new(ErrorKind::Limit, format!("{of_note}{}: {}", problem.field, problem.what)));
        }
        self.voices.iter_mut().for_each(Vec::clear);
        self.starts.clear();
        for (index, note) in score.notes.iter().enumerate() {
            let sample = note.first_sample(rate_hz);
            self.starts.push(Start { sample, note: index as u32 });
        }
        self.starts.sort_unstable_by_key(|start| (start.sample, start.note));
        let max_oscillators = score.max_at_once(rate_hz, &mut self.changes)?;
        let n_samples = score.n_samples(rate_hz);
        Ok(VoiceStream {
            pool: self,
            score,
            rate_hz,
            is_stereo,
            n_samples,
            max_oscillators,
            at: 0,
            next_start: 0,
            half: 0,
        })
    }
}

impl<'a> VoiceStream<'a> {
    /// Samples until the last block of the last note has ended.
    pub fn n_samples(&self) -> u64 {
        self.n_samples
    }

    /// The sample that is rendered next.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Maximum number of simultaneous oscillators.
    pub fn max_oscillators(&self) -> usize {
        self.max_oscillators
    }

    /// Renders the next `left.len()` samples on the CPU, chunk by chunk. `right` has the same length, or is empty for
    /// mono. Silent past the score's end.
    pub fn render(&mut self, left: &mut [f32], right: &mut [f32]) {
        let mut done = 0;
        while done < left.len() {
            let n_wanted = CHUNK.min(left.len() - done);
            let chunk = self.make_chunk(n_wanted);
            let n = chunk.n_samples();
            let right = if right.is_empty() { &mut [] } else { &mut right[done..done + n] };
            chunk.render(&mut left[done..done + n], right);
            done += n;
        }
    }

    /// Computes the control points of the next samples, at least 1 and at most `max`: as many as fit in the pool.
    pub fn make_chunk(&mut self, max: usize) -> &VoiceChunk {
        let half = self.half;
        self.fill_chunk(max);
        &self.pool.chunks[half]
    }

    /// As [`make_chunk`](VoiceStream::make_chunk), but returns an index for [`chunk`](VoiceStream::chunk), which is
    /// valid until the chunk after the next is computed.
    pub fn fill_chunk(&mut self, max: usize) -> usize {
        let _span = trace::span("voices.control");
        let (half, first) = (self.half, self.at);
        let n_samples = self.admit(max.max(1));
        let end = first + n_samples as u64;
        let pool = &mut *self.pool;
        let maker = ControlMaker { score: self.score, rate_hz: self.rate_hz };
        pool.chunks[half].make(&maker, &pool.voices[half], &mut pool.oscillators[half], first..end, Threads::All);
        self.at = end;
        self.half = 1 - half;
        half
    }

    /// The chunk at an index returned by [`fill_chunk`](VoiceStream::fill_chunk).
    pub fn chunk(&self, half: usize) -> &VoiceChunk {
        &self.pool.chunks[half]
    }

    /// Collects the voices that sound in the next chunk, with their oscillators, and returns its length in samples.
    fn admit(&mut self, max: usize) -> usize {
        let (half, at) = (self.half, self.at);
        let (score, rate_hz, is_stereo) = (self.score, self.rate_hz, self.is_stereo);
        let pool = &mut *self.pool;
        let [before, voices] = two(&mut pool.voices, half);
        voices.clear();
        voices.extend(before.iter().filter(|voice| voice.end() > at));
        let mut n_oscillators: usize = voices.iter().map(|voice| voice.n_partials).sum();
        let mut n_samples = max.min(max_samples(n_oscillators));
        let n_old = voices.len();
        while let Some(start) = pool.starts.get(self.next_start) {
            let note = start.note as usize;
            let timbre = &score.timbres[score.notes[note].timbre];
            if start.sample >= at + n_samples as u64 {
                break;
            }
            let n_sides = if is_stereo { score.notes[note].n_sides() } else { 1 };
            let n_then = n_oscillators + n_sides * timbre.n_oscillators();
            let fits = n_then <= MAX_OSCILLATORS && n_samples <= max_samples(n_then);
            if !fits && start.sample > at {
                // The next chunk begins with this note.
                n_samples = (start.sample - at) as usize;
                break;
            }
            n_samples = n_samples.min(max_samples(n_then));
            n_oscillators = n_then;
            let unisons = 0..timbre.unison;
            let of_part = |unison| SoundingVoice::of_part(score, note, unison, rate_hz, is_stereo);
            voices.extend(unisons.flat_map(of_part));
            self.next_start += 1;
        }
        // New voices have no state from the previous chunk.
        let is_new = |voice: &SoundingVoice| voice.start >= at;
        if voices.len() > n_old {
            voices.sort_unstable_by_key(|voice| (voice.note, voice.unison, voice.side));
        }
        let [states_before, states] = two(&mut pool.oscillators, half);
        let mut to = 0;
        for voice in voices {
            if is_new(voice) {
                states.start(to, score, voice.note as usize, voice.unison);
            } else {
                states.copy(to, states_before, voice.oscillator..voice.oscillator + voice.n_partials);
            }
            voice.oscillator = to;
            to += voice.n_partials;
        }
        n_samples
    }
}

/// The maximum length in samples of a chunk whose control points fit in the pool.
fn max_samples(n_oscillators: usize) -> usize {
    match n_oscillators {
        0 => usize::MAX,
        n => (MAX_POINTS / n).saturating_sub(2) * BLOCK,
    }
}

/// Both halves, half `half` last.
fn two<T>(halves: &mut [T; 2], half: usize) -> [&mut T; 2] {
    let [a, b] = halves;
    if half == 0 { [b, a] } else { [a, b] }
}
