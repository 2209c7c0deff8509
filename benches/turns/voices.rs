//! Turns of `peers/voices.py`.

use super::millis;
use serde_json::{Value, json};
use sonobrush::document::brushes::{Brush, DrawnVoice, VoicesBrush};
use sonobrush::document::{HeldPoint, Snapshot};
use sonobrush::dsp::voices::{CHUNK, Score, ScoreNote, Timbre, VoicePool};
use sonobrush::media::Source;
use sonobrush::playback::{Player, RecordingOutput};
use std::time::{Duration, Instant};

const RATE: f64 = 44_100.0;
const N_SAMPLES: usize = 4 * 44_100;
const N_STREAMS: usize = 10;
/// How long each of them is.
const STREAM_SECS: f64 = 20.0;
const N_STREAM_SAMPLES: usize = 20 * 44_100;
/// Most samples of a stream that are rendered at a time, as for what is heard.
const MAX_SAMPLES: usize = 1 << 16;
const N_PHRASES: usize = 1_000;
/// Frames that an output takes at a time.
const REQUEST_FRAMES: usize = 512;

/// A pool, and room for a stream in stereo.
struct Stream {
    pool: VoicePool,
    sides: [Vec<f32>; 2],
}

/// Everything that turns are rendered with, made once.
pub struct Voices {
    chord: Score,
    phrase: Score,
    long: Score,
    streams: Vec<Stream>,
}

impl Voices {
    pub fn new() -> Voices {
        let side = || vec![0.0; N_STREAM_SAMPLES];
        let stream = |_| Stream { pool: VoicePool::new(), sides: [side(), side()] };
        let streams = (0..N_STREAMS).map(stream).collect();
        Voices { chord: chord(8, 4.0), phrase: chord(1, 0.5), long: chord(8, STREAM_SECS), streams }
    }

    /// What a name answers; `None` for a name of others.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let Voices { chord, phrase, long, streams } = self;
        let long: &Score = long;
        Some(match name {
            "voices_pad" => {
                let took = millis(|| render(&mut streams[0], chord, N_SAMPLES));
                let samples = streams[0].sides.iter().flat_map(|side| &side[..N_SAMPLES]);
                let power: f64 = samples.map(|sample| f64::from(*sample).powi(2)).sum();
                json!({"ours": took, "rms": (power / (2 * N_SAMPLES) as f64).sqrt()})
            }
            "voices_first_chunk" => json!({"ours": millis(|| render(&mut streams[0], chord, CHUNK))}),
            "voices_pen" => json!({"ours": pen_to_ring_millis()}),
            "voices_ten" => {
                let in_sequence = millis(|| {
                    streams.iter_mut().for_each(|stream| {
                        read_stream(stream, long);
                    });
                });
                let mut n_underruns = 0;
                let at_once = millis(|| {
                    n_underruns = std::thread::scope(|scope| {
                        let heard: Vec<_> =
                            streams.iter_mut().map(|stream| scope.spawn(move || read_stream(stream, long))).collect();
                        heard.into_iter().map(|stream| stream.join().unwrap()).sum::<usize>()
                    });
                });
                json!({"at_once": at_once, "in_sequence": in_sequence, "underruns": n_underruns})
            }
            "voices_phrases" => {
                // On one thread, so that its processor time is all there is.
                let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
                let mut took: Vec<f64> = alone.install(|| {
                    (0..N_PHRASES).map(|_| processor_millis(|| render(&mut streams[0], phrase, 22_050))).collect()
                });
                took.sort_by(f64::total_cmp);
                json!({"median": took[N_PHRASES / 2], "p95": took[N_PHRASES * 95 / 100], "most": took[N_PHRASES - 1]})
            }
            _ => return None,
        })
    }
}

/// From a pen that goes down with a chord of eight to the first sample in the ring of a player that has played before.
fn pen_to_ring_millis() -> f64 {
    let (output, recorder) = RecordingOutput::new(Some(RATE), 2);
    let player = Player::new(Box::new(output));
    player.load(Some(&Snapshot::new(Source::silence(RATE as u64, RATE as u32, 2).unwrap())));
    let chord = DrawnVoice { chord: (0..8).map(|k| 3.5 * f64::from(k)).collect(), ..DrawnVoice::default() };
    let brush = Brush::from(VoicesBrush::Drawn(chord));
    let mut took = 0.0;
    for _ in 0..2 {
        player.stop();
        while recorder.n_ready() > 0 {
            recorder.pull(REQUEST_FRAMES);
            std::thread::sleep(Duration::from_millis(5));
        }
        let began = Instant::now();
        took = millis(|| {
            player.hold(brush.live().unwrap(), vec![HeldPoint { key: 0, hz: 130.8, pressure: 1.0 }]);
            while recorder.n_ready() == 0 && began.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_micros(20));
            }
        });
    }
    took
}

/// Renders as what is heard is rendered: 4,096 samples, then twice as many each time. How often a device that began to
/// play with the first of them would have found nothing.
fn read_stream(stream: &mut Stream, score: &Score) -> usize {
    let [left, right] = &mut stream.sides;
    let mut rendered = stream.pool.begin(score, RATE, true).unwrap();
    let (mut done, mut max, mut n_underruns) = (0, CHUNK, 0);
    let mut plays_since: Option<Instant> = None;
    while done < left.len() {
        let end = left.len().min(done + max);
        rendered.render(&mut left[done..end], &mut right[done..end]);
        // What was there before these lasted until then.
        let since = *plays_since.get_or_insert_with(Instant::now);
        n_underruns += usize::from(done > 0 && since.elapsed().as_secs_f64() > done as f64 / RATE);
        (done, max) = (end, (2 * max).min(MAX_SAMPLES));
    }
    n_underruns
}

/// Processor time of this thread.
fn processor_millis(run: impl FnOnce()) -> f64 {
    let began = sonobrush::base::thread_time();
    run();
    (sonobrush::base::thread_time() - began).as_secs_f64() * 1e3
}

fn render(stream: &mut Stream, score: &Score, n_samples: usize) {
    let [left, right] = &mut stream.sides;
    let mut rendered = stream.pool.begin(score, RATE, true).unwrap();
    rendered.render(&mut left[..n_samples], &mut right[..n_samples]);
}

/// Notes of the pad, 48 oscillators each, whose last release ends after `secs`.
fn chord(n_notes: u32, secs: f64) -> Score {
    let release_secs = Timbre::pad().adsr.release_secs;
    let note = |k: u32| ScoreNote {
        pitch: 48.0 + 3.5 * f64::from(k),
        start_secs: 0.0,
        duration_secs: (secs - release_secs).max(0.1),
        velocity: 0.8,
        pan: 0.0,
        timbre: 0,
        glide: Vec::new(),
        pressure: Vec::new(),
        sides: Vec::new(),
    };
    Score { timbres: vec![Timbre::pad()], notes: (0..n_notes).map(note).collect(), ..Score::empty() }
}
