//! A chunk of samples: the control points of its voices, and their samples rendered on the CPU.

use super::control::{ControlMaker, SoundingVoice};
use super::render::render_voices;
use super::start::{Oscillators, OscillatorsMut};
use super::{BLOCK, ControlPoint, VoiceRun};
use crate::base::trace;
use rayon::prelude::*;
use std::ops::Range;

/// Samples that one task renders.
const SAMPLES_PER_TASK: usize = 512;

/// Minimum number of control points computed per task.
const POINTS_PER_TASK: usize = 2048;

/// The threads that work on a chunk, which do not affect the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threads {
    /// As many as rayon's pool has.
    All,
    /// Only the calling thread, which then never waits for other work in the pool.
    This,
}

/// The control points of all voices over a stretch of samples, ready to be rendered on either engine.
#[derive(Debug)]
pub struct VoiceChunk {
    first_sample: u64,
    n_samples: usize,
    voices: Vec<VoiceRun>,
    points: Vec<ControlPoint>,
    n_points: usize,
}

impl VoiceChunk {
    /// An empty chunk with room for `n_voices` and `n_points`.
    pub(super) fn with_room(n_voices: usize, n_points: usize) -> VoiceChunk {
        VoiceChunk {
            first_sample: 0,
            n_samples: 0,
            voices: Vec::with_capacity(n_voices),
            // Zeroed pages from the operating system take no memory until they are written.
            points: bytemuck::zeroed_vec(n_points),
            n_points: 0,
        }
    }

    /// Clears the chunk and reserves at least `n_voices` and `n_points`.
    pub(super) fn make_room(&mut self, n_voices: usize, n_points: usize) {
        self.voices.clear();
        self.voices.reserve(n_voices);
        self.points.resize(n_points.max(self.points.len()), ControlPoint::default());
    }

    /// Computes the control points of `voices` over the range `samples`. `oscillators` holds the voices' state at the
    /// start of the range, and is advanced to its end. Voices must sound in the range or begin after it.
    pub(super) fn make(
        &mut self,
        maker: &ControlMaker<'_>,
        voices: &[SoundingVoice],
        oscillators: &mut Oscillators,
        samples: Range<u64>,
        threads: Threads,
    ) {
        self.place(voices, samples.start, samples.end);
        let n_oscillators = voices.iter().map(|voice| voice.n_partials).sum();
        let part = Part {
            voices,
            runs: &self.voices,
            oscillators: oscillators.first_mut(n_oscillators),
            points: &mut self.points[..self.n_points],
        };
        match threads {
            Threads::All => part.share(maker, samples.start, samples.end),
            Threads::This => part.fill(maker, samples.start, samples.end),
        }
    }

    /// Index of the chunk's first sample in the score.
    pub fn first_sample(&self) -> u64 {
        self.first_sample
    }

    /// Length of the chunk in samples.
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// The voices of the chunk, in the order of summation.
    pub fn voices(&self) -> &[VoiceRun] {
        &self.voices
    }

    /// The control points of all voices.
    pub fn points(&self) -> &[ControlPoint] {
        &self.points[..self.n_points]
    }

    /// Assigns rows of control points to voices. A voice that begins after `first..end` gets one row, and so no blocks.
    fn place(&mut self, voices: &[SoundingVoice], first: u64, end: u64) {
        self.first_sample = first;
        self.n_samples = (end - first) as usize;
        self.voices.clear();
        let mut offset = 0;
        for voice in voices {
            let blocks = voice.blocks_in(first, end);
            let [first_block, rows] = blocks.map_or([0, 1], |[from, to]| [from, to - from + 2]);
            let run = VoiceRun {
                first: ((voice.start + (first_block * BLOCK) as u64) as i64 - first as i64) as i32,
                rows: rows as u32,
                partials: voice.n_partials as u32,
                offset: offset as u32,
                gain: voice.gain,
            };
            offset += run.n_points();
            self.voices.push(run);
        }
        self.n_points = offset;
    }

    /// Renders the chunk on the CPU. `left` has [`n_samples`](VoiceChunk::n_samples); `right` has the same length, or
    /// is empty for mono.
    pub fn render(&self, left: &mut [f32], right: &mut [f32]) {
        self.render_from(0, left, right);
    }

    /// Renders a part of the chunk on the CPU, from its sample `first` on: as many samples as `left` has.
    pub fn render_from(&self, first: usize, left: &mut [f32], right: &mut [f32]) {
        self.render_on(Threads::All, first, left, right);
    }

    pub(super) fn render_on(&self, threads: Threads, first: usize, left: &mut [f32], right: &mut [f32]) {
        let _span = trace::span("voices.render");
        let render = |task: usize, left: &mut [f32], right: &mut [f32]| {
            left.fill(0.0);
            right.fill(0.0);
            render_voices(&self.voices, self.points(), first + task * SAMPLES_PER_TASK, left, right);
        };
        if threads == Threads::This || left.len() <= SAMPLES_PER_TASK {
            return render(0, left, right);
        }
        let lefts = left.par_chunks_mut(SAMPLES_PER_TASK).enumerate();
        if right.is_empty() {
            lefts.for_each(|(task, left)| render(task, left, &mut []));
        } else {
            let rights = right.par_chunks_mut(SAMPLES_PER_TASK);
            lefts.zip(rights).for_each(|((task, left), right)| render(task, left, right));
        }
    }
}

/// A run of voices and their part of the buffers; can be split between two threads.
struct Part<'a> {
    voices: &'a [SoundingVoice],
    runs: &'a [VoiceRun],
    oscillators: OscillatorsMut<'a>,
    points: &'a mut [ControlPoint],
}

impl Part<'_> {
    /// Fills the rows of all voices, in parallel if there are enough of them.
    fn share(self, maker: &ControlMaker<'_>, first: u64, end: u64) {
        if self.voices.len() > 1 && self.points.len() > POINTS_PER_TASK {
            let middle = self.voices.len() / 2;
            let (voices, voices_after) = self.voices.split_at(middle);
            let (runs, runs_after) = self.runs.split_at(middle);
            let n_oscillators = voices.iter().map(|voice| voice.n_partials).sum();
            let n_points = runs.iter().map(VoiceRun::n_points).sum();
            let (oscillators, oscillators_after) = self.oscillators.split_at(n_oscillators);
            let (points, points_after) = self.points.split_at_mut(n_points);
            let before = Part { voices, runs, oscillators, points };
            let after =
                Part { voices: voices_after, runs: runs_after, oscillators: oscillators_after, points: points_after };
            rayon::join(|| before.share(maker, first, end), || after.share(maker, first, end));
        } else {
            self.fill(maker, first, end);
        }
    }

    /// Fills the rows of all voices on this thread.
    fn fill(self, maker: &ControlMaker<'_>, first: u64, end: u64) {
        let (mut oscillators, mut points) = (self.oscillators, self.points);
        for (voice, run) in self.voices.iter().zip(self.runs) {
            let (of_voice, others) = oscillators.split_at(voice.n_partials);
            let (rows, rest) = points.split_at_mut(run.n_points());
            (oscillators, points) = (others, rest);
            if let Some([first_block, _]) = voice.blocks_in(first, end) {
                let next_block = (end.min(voice.end()) - voice.start) as usize / BLOCK;
                maker.fill(voice, of_voice, rows, first_block, next_block);
            }
        }
    }
}
