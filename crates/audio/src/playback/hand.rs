//! Interactive sound: scrubbing, which follows the pointer, a tone being drawn, and the sound of a brush while it is
//! held. It is generated block by block on the audio control thread, and never part of a document.

use super::ring::FADE_SECS;
use super::sound::Sound;
use crate::base::{Result, trace};
use crate::document::{HeldPoint, LiveSound};
use std::f64::consts::TAU;

/// A tone being drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Voice {
    /// Frequency of the first partial in hertz.
    pub hz: f64,
    /// Partials: frequency as a multiple of the first, and amplitude, where 1 is full scale.
    pub partials: Vec<(f64, f64)>,
}

/// Maximum scrub speed, in seconds of the document per second.
const MAX_SPEED: f64 = 8.0;
/// Speed below which scrubbing fades out, in seconds of the document per second: a resting position would only output a
/// DC offset.
const FADE_OUT_SPEED: f64 = 0.08;
/// Angular frequency of scrubbing in radians per second: the position follows the pointer like a critically damped
/// spring. It lags a steadily moving pointer by 60 ms, and does not overshoot when the pointer moves in steps.
const SPRING: f64 = 33.0;
/// Distance from which a pointer movement is a jump: scrubbing continues at the pointer, without the sound in between.
const JUMP_SECS: f64 = 1.0;
/// Time constant with which a drawn tone's frequency glides.
const GLIDE_SECS: f64 = 0.004;

/// An interactive sound.
pub(super) enum Hand {
    Scrub(Scrub),
    Tone(ToneHand),
    Live(LiveHand),
}

/// Maximum number of brush sounds, including the held one. If exceeded, the oldest ends at once.
const MAX_RINGING_VOICES: usize = 8;

/// The sound of a held brush, and the released sounds that still ring on.
pub(super) struct LiveHand {
    /// All sounds; if `is_held`, the last one is held.
    sounds: Vec<Box<dyn LiveSound>>,
    rate_hz: f64,
    is_stereo: bool,
    is_held: bool,
    /// Trace time in nanoseconds at which the held sound was requested; `None` once its first samples are in the ring.
    requested_nanos: Option<u64>,
    /// Buffers for the left and right samples of a sound.
    buffers: [Vec<f32>; 2],
}

/// Scrubbing: a position and its target, in samples of the document.
pub(super) struct Scrub {
    sound: Sound,
    at: f64,
    /// Current speed, in samples of the document per second.
    speed: f64,
    target: f64,
    /// Speed below which the sound fades out, in samples of the document per second.
    full_speed: f64,
}

/// A drawn tone, with the current amplitudes of its partials, and their phases in turns.
pub(super) struct ToneHand {
    voice: Voice,
    hz: f64,
    amplitudes: Vec<f64>,
    turns: Vec<f64>,
}

impl Hand {
    /// Scrubbing from sample `at` on. At a playback speed `pace` below 1, slower movements are audible.
    pub(super) fn scrub(sound: Sound, at: f64, pace: f64) -> Hand {
        let full_speed = FADE_OUT_SPEED * sound.sample_rate_hz() * pace.abs().min(1.0);
        Hand::Scrub(Scrub { sound, at, speed: 0.0, target: at, full_speed })
    }

    pub(super) fn tone(voice: Voice) -> Hand {
        let hz = voice.hz;
        Hand::Tone(ToneHand { voice, hz, amplitudes: Vec::new(), turns: Vec::new() })
    }

    /// Brush sounds at the device's sample rate, in stereo if the document has two channels.
    pub(super) fn live(rate_hz: f64, n_channels: usize) -> Hand {
        Hand::Live(LiveHand {
            sounds: Vec::new(),
            rate_hz,
            is_stereo: n_channels == 2,
            is_held: false,
            requested_nanos: None,
            buffers: [Vec::new(), Vec::new()],
        })
    }

    /// Whether the sound is mixed over playback; scrubbing replaces playback.
    pub(super) fn is_over_playback(&self) -> bool {
        !matches!(self, Hand::Scrub(_))
    }

    /// Number of channels that [`next`](Hand::next) renders.
    pub(super) fn n_channels(&self) -> usize {
        match self {
            Hand::Scrub(scrub) => scrub.sound.n_channels(),
            Hand::Tone(_) => 1,
            Hand::Live(live) => live.n_channels(),
        }
    }

    /// Moves the scrub target to a sample of the document. Returns false if this is not scrubbing.
    pub(super) fn move_to(&mut self, sample: f64) -> bool {
        let Hand::Scrub(scrub) = self else { return false };
        scrub.target = sample;
        true
    }

    /// Updates the drawn tone. Returns false if this is not a tone.
    pub(super) fn sing(&mut self, voice: Voice) -> bool {
        let Hand::Tone(tone) = self else { return false };
        tone.voice = voice;
        true
    }

    /// The brush sounds; `None` if this is scrubbing or a tone.
    pub(super) fn live_mut(&mut self) -> Option<&mut LiveHand> {
        let Hand::Live(live) = self else { return None };
        Some(live)
    }

    /// Releases the held sound. Returns false for scrubbing and tones, which do not ring on and must be stopped.
    pub(super) fn let_go(&mut self) -> bool {
        let Hand::Live(live) = self else { return false };
        live.let_go();
        true
    }

    /// Whether all brush sounds were released and have faded out; always false for scrubbing and tones.
    pub(super) fn has_faded(&self) -> bool {
        matches!(self, Hand::Live(live) if !live.is_held && live.sounds.is_empty())
    }

    /// The trace time in nanoseconds at which the held sound was requested; `None` from the second call on.
    pub(super) fn take_requested_nanos(&mut self) -> Option<u64> {
        let Hand::Live(live) = self else { return None };
        live.requested_nanos.take()
    }

    /// Replaces the document's sound by one of the same shape.
    pub(super) fn set_sound(&mut self, sound: &Sound) {
        if let Hand::Scrub(scrub) = self {
            scrub.sound = sound.clone();
        }
    }

    /// Generates the next frames, interleaved, at the device's rate.
    ///
    /// # Errors
    /// Read errors of a source on disk.
    pub(super) fn next(&mut self, n_frames: usize, rate_hz: f64) -> Result<Vec<f32>> {
        match self {
            Hand::Scrub(scrub) => scrub.next(n_frames, rate_hz),
            Hand::Tone(tone) => Ok(tone.next(n_frames, rate_hz)),
            Hand::Live(live) => Ok(live.next(n_frames)),
        }
    }
}

impl Scrub {
    fn next(&mut self, n_frames: usize, rate_hz: f64) -> Result<Vec<f32>> {
        let n_channels = self.sound.n_channels();
        let document_hz = self.sound.sample_rate_hz();
        let has_jumped = (self.target - self.at).abs() > JUMP_SECS * document_hz;
        let dt = 1.0 / rate_hz;
        let mut places = Vec::with_capacity(n_frames);
        for frame in 0..n_frames {
            let pull = SPRING * SPRING * (self.target - self.at) - 2.0 * SPRING * self.speed;
            let max = MAX_SPEED * document_hz;
            self.speed = (self.speed + if has_jumped { 0.0 } else { pull * dt }).clamp(-max, max);
            self.at += self.speed * dt;
            let gain = (self.speed.abs() / self.full_speed).min(1.0);
            let fade = if has_jumped { 1.0 - (frame + 1) as f64 / n_frames as f64 } else { 1.0 };
            places.push((self.at, gain * fade));
        }
        let mut out = vec![0.0; n_frames * n_channels];
        let ends = places.iter().fold([f64::MAX, f64::MIN], |[a, b], &(at, _)| [a.min(at), b.max(at)]);
        let first = ends[0].floor() as i64 - 1;
        let mut samples = vec![0.0; (ends[1].floor() as i64 - first) as usize + 3];
        for channel in 0..n_channels {
            self.sound.read(channel, first, &mut samples)?;
            for (frame, &(at, gain)) in places.iter().enumerate() {
                let whole = at.floor();
                let near = &samples[(whole as i64 - 1 - first) as usize..][..4];
                out[frame * n_channels + channel] = (gain * cubic(near, at - whole)) as f32;
            }
        }
        if has_jumped {
            (self.at, self.speed) = (self.target, 0.0);
        }
        Ok(out)
    }
}

/// Catmull-Rom interpolation between the second and the third of four samples.
fn cubic(near: &[f32], part: f64) -> f64 {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| f64::from(near[i]));
    let slopes = [(c - a) / 2.0, (d - b) / 2.0];
    let (square, cube) = (part * part, part * part * part);
    (2.0 * cube - 3.0 * square + 1.0) * b
        + (cube - 2.0 * square + part) * slopes[0]
        + (3.0 * square - 2.0 * cube) * c
        + (cube - square) * slopes[1]
}

impl ToneHand {
    fn next(&mut self, n_frames: usize, rate_hz: f64) -> Vec<f32> {
        let n_partials = self.voice.partials.len().max(self.turns.len());
        self.turns.resize(n_partials, 0.0);
        self.amplitudes.resize(n_partials, 0.0);
        let glide = 1.0 - (-1.0 / (GLIDE_SECS * rate_hz)).exp();
        // Amplitudes follow their targets with this factor, so that partials fade in and out.
        let swell = 1.0 - (-3.0 / (FADE_SECS * rate_hz)).exp();
        let mut out = vec![0.0; n_frames];
        for sample in &mut out {
            self.hz += (self.voice.hz - self.hz) * glide;
            let mut sum = 0.0;
            for (k, (turns, amplitude)) in self.turns.iter_mut().zip(&mut self.amplitudes).enumerate() {
                let (ratio, wanted) = self.voice.partials.get(k).copied().unwrap_or((0.0, 0.0));
                let hz = ratio * self.hz;
                let wanted = if hz < rate_hz / 2.0 { wanted } else { 0.0 };
                *amplitude += (wanted - *amplitude) * swell;
                *turns = (*turns + hz / rate_hz).fract();
                sum += *amplitude * (TAU * *turns).sin();
            }
            *sample = sum as f32;
        }
        out
    }
}

impl LiveHand {
    fn n_channels(&self) -> usize {
        if self.is_stereo { 2 } else { 1 }
    }

    /// Whether this renders at `rate_hz` for documents of `n_channels`.
    pub(super) fn is_for(&self, rate_hz: f64, n_channels: usize) -> bool {
        self.rate_hz == rate_hz && self.is_stereo == (n_channels == 2)
    }

    /// Holds another sound, requested at `requested_nanos` of the trace; the previous one rings on.
    pub(super) fn hold(&mut self, mut sound: Box<dyn LiveSound>, held: &[HeldPoint], requested_nanos: u64) {
        self.let_go();
        let n_over = (self.sounds.len() + 1).saturating_sub(MAX_RINGING_VOICES);
        self.sounds.drain(..n_over);
        sound.begin(self.rate_hz, self.is_stereo);
        sound.follow(held);
        self.sounds.push(sound);
        (self.is_held, self.requested_nanos) = (true, Some(requested_nanos));
    }

    /// Updates the points of the held sound.
    pub(super) fn touch(&mut self, held: &[HeldPoint]) {
        if let Some(sound) = self.sounds.last_mut().filter(|_| self.is_held) {
            sound.follow(held);
        }
    }

    fn let_go(&mut self) {
        self.touch(&[]);
        self.is_held = false;
    }

    /// Renders the next frames, interleaved.
    fn next(&mut self, n_frames: usize) -> Vec<f32> {
        let _span = trace::span("voices.live");
        let n_channels = self.n_channels();
        let mut out = vec![0.0; n_frames * n_channels];
        let [left, right] = &mut self.buffers;
        left.resize(n_frames, 0.0);
        right.resize(if self.is_stereo { n_frames } else { 0 }, 0.0);
        for sound in &mut self.sounds {
            sound.render(left, right);
            for (channel, side) in [&*left, &*right].into_iter().enumerate() {
                let out = out.iter_mut().skip(channel).step_by(n_channels);
                out.zip(side).for_each(|(out, sample)| *out += sample);
            }
        }
        let n_sounds = self.sounds.len();
        let mut index = 0;
        self.sounds.retain(|sound| {
            index += 1;
            // A held sound may be silent for a while.
            !sound.is_silent() || (self.is_held && index == n_sounds)
        });
        out
    }
}
