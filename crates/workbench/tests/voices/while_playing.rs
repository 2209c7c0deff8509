//! Playback does not underrun while other threads render phrases.

use super::{note, score};
use audio::playback::{Player, Recorder, RecordingOutput};
use base::Progress;
use document::brushes::{Phrase, VoicesBrush};
use document::{Edit, Snapshot, apply};
use dsp::StftParams;
use dsp::voices::Timbre;
use engine::Engine;
use media::Source;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use support::signals::noise;
use workbench::Jobs;

const RATE: u32 = 48_000;
const N_PHRASES: usize = 10;
const TIMEOUT: Duration = Duration::from_secs(20);
/// Sample frames per buffer of the simulated device.
const BUFFER_FRAMES: usize = 512;
const N_BUFFERS: usize = 60;

fn snapshot(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE).unwrap())
}

/// A chord of eight notes of 3 s.
fn chord() -> Edit {
    let notes = (0..8).map(|k| note(40.0 + 5.0 * f64::from(k), 3.0)).collect();
    let phrase = Phrase::new(score(Timbre::named("pad").unwrap(), notes), 0.0).unwrap();
    Edit::of(VoicesBrush::Phrase(phrase), StftParams::default())
}

/// Pulls buffers at the rate of a device, whether or not the ring has data. Delays of this thread delay the device too.
fn listen(recorder: &Recorder) {
    let period = Duration::from_secs_f64(BUFFER_FRAMES as f64 / f64::from(RATE));
    for _ in 0..N_BUFFERS {
        let next = Instant::now() + period;
        recorder.pull(BUFFER_FRAMES);
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}

/// Plays a clip while ten threads render phrases. Returns the number of underruns, and whether the output is bit-exact.
fn play_while_rendering(jobs: &Jobs, engine: &Engine) -> (u64, bool) {
    let clip = noise(5 * RATE as usize, 0.1, 7);
    let (output, recorder) = RecordingOutput::new(None, 1);
    let player = Player::new(Box::new(output));
    player.load(Some(&snapshot(vec![clip.clone()])));
    let (is_over, n_begun) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let render = || {
        let (is_over, n_begun, engine) = (is_over.clone(), n_begun.clone(), engine.clone());
        let (silence, chord) = (snapshot(vec![vec![0.0; 4 * RATE as usize]; 2]), chord());
        jobs.spawn("phrase", move |_| {
            n_begun.fetch_add(1, SeqCst);
            let mut n_rendered = 0;
            while n_rendered == 0 || !is_over.load(SeqCst) {
                let applied = apply(&silence, &chord, &engine, &Progress::new())?;
                assert!(!applied.changed.is_empty());
                n_rendered += 1;
            }
            Ok(n_rendered)
        })
    };
    let mut phrases: Vec<_> = (0..N_PHRASES).map(|_| render()).collect();
    let deadline = Instant::now() + TIMEOUT;
    while n_begun.load(SeqCst) < N_PHRASES {
        assert!(Instant::now() < deadline, "the phrases were not begun");
        std::thread::sleep(Duration::from_millis(1));
    }
    player.play(0, 0..clip.len() as u64, false);
    assert!(recorder.pull_ready(BUFFER_FRAMES, TIMEOUT), "nothing came");
    // Gives the player time to fill the ring before the next buffer is pulled.
    std::thread::sleep(Duration::from_millis(10));
    listen(&recorder);
    let (n_underruns, heard) = (player.status().underruns, recorder.samples());
    is_over.store(true, SeqCst);
    for phrase in &mut phrases {
        let n_rendered = loop {
            if let Some(answer) = phrase.poll() {
                break answer.unwrap();
            }
            assert!(Instant::now() < deadline, "a phrase does not end");
            std::thread::sleep(Duration::from_millis(1));
        };
        assert!(n_rendered > 0);
    }
    assert_eq!(heard.len(), (N_BUFFERS + 1) * BUFFER_FRAMES);
    let is_whole = heard == clip[..heard.len()];
    // Control: pulling more than the ring holds counts as one underrun.
    recorder.pull(RATE as usize);
    assert_eq!(player.status().underruns, n_underruns + 1);
    (n_underruns, is_whole)
}

/// Up to five attempts, of which one must succeed: tests that run in parallel may cause underruns.
#[test]
fn ten_phrases_at_once_leave_the_player_its_time() {
    let (jobs, engine) = (Jobs::threads(|| ()), Engine::cpu());
    let mut turns = Vec::new();
    while turns.len() < 5 && !turns.contains(&(0, true)) {
        turns.push(play_while_rendering(&jobs, &engine));
    }
    assert!(turns.contains(&(0, true)), "underruns, and whether the clip was heard to the bit: {turns:?}");
}
