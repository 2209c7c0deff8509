//! A phrase that is heard while it is rendered.

use super::{note, rendered, score};
use base::{Progress, Result};
use document::brushes::{Phrase, VoicesBrush};
use document::{AddedSound, Edit, Signal, Snapshot, TakeRendered, apply, apply_heard, mix};
use dsp::StftParams;
use dsp::voices::{CHUNK, Score, ScoreNote, Timbre};
use engine::Engine;
use media::Source;
use std::sync::{Arc, Mutex};

const RATE: u32 = 48_000;

fn silence() -> Snapshot {
    Snapshot::new(Source::from_channels(vec![vec![0.0; 480_000]], RATE).unwrap())
}

fn phrase_edit(score: Score, at_secs: f64) -> Edit {
    Edit::of(VoicesBrush::Phrase(Phrase::new(score, at_secs).unwrap()), StftParams::default())
}

fn left(sound: &Snapshot) -> Vec<f32> {
    let mut samples = vec![0.0; sound.n_samples() as usize];
    sound.read(0, 0, &mut samples).unwrap();
    samples
}

#[test]
fn what_is_rendered_of_a_phrase_is_heard_chunk_by_chunk() {
    let notes =
        (0..6).map(|k| ScoreNote { start_secs: 0.5 * f64::from(k), ..note(50.0 + f64::from(k), 0.6) }).collect();
    let score = score(Timbre::organ(), notes);
    let edit = phrase_edit(score.clone(), 1.0);
    let (before, mut heard) = (silence(), Vec::new());
    let mut take = |sound: Snapshot| heard.push(left(&sound));
    let whole = apply_heard(&before, &edit, &Engine::cpu(), &Progress::new(), Some(&mut take)).unwrap().unwrap();
    let [expected, _] = rendered(&score, f64::from(RATE), false);
    let whole = left(&whole);
    assert!(whole[48_000..][..expected.len()] == expected && whole[..48_000].iter().all(|sample| *sample == 0.0));
    assert!(
        left(&apply(&before, &edit, &Engine::cpu(), &Progress::new()).unwrap().snapshot) == whole,
        "the commit's bits"
    );
    // The first step is one chunk; each further step is twice as long, up to 16 chunks.
    let mut n = 0;
    for (step, heard) in heard.iter().enumerate() {
        n += CHUNK << step.min(4);
        assert!(heard[48_000..][..n] == expected[..n], "step {step}");
        assert!(heard[48_000 + n..].iter().all(|sample| *sample == 0.0), "step {step}: {n}");
    }
    assert!(heard.len() == 5 && n < expected.len(), "{} steps to {n} of {}", heard.len(), expected.len());
}

/// Records the order of events.
#[derive(Debug)]
struct Logged(Arc<Mutex<Vec<&'static str>>>);

impl AddedSound for Logged {
    fn first_sample(&self) -> i64 {
        0
    }
    fn n_samples(&self) -> u64 {
        3 * 1_000
    }
    fn render(&self, _: &Engine, _: bool, until: u64, take: &mut TakeRendered<'_>) -> Result<Vec<String>> {
        assert_eq!(until, 3_000);
        for block in 0..3 {
            self.0.lock().unwrap().push("rendered");
            take(1_000 * block, [&[0.25; 1_000], &[]])?;
        }
        Ok(Vec::new())
    }
}

#[test]
fn any_added_sound_is_handed_over_block_by_block() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let source = Source::from_channels(vec![vec![0.5; 3_000]], RATE).unwrap();
    let mut n = 0;
    let mut take = |sound: Snapshot| {
        n += 1_000;
        log.lock().unwrap().push("heard");
        assert!(left(&sound)[..n].iter().all(|sample| *sample == 0.75));
        assert!(left(&sound)[n..].iter().all(|sample| *sample == 0.5));
    };
    let (engine, progress) = (Engine::cpu(), Progress::new());
    let signals = [Signal::Channel(0)];
    let sound = Logged(log.clone());
    mix(&Snapshot::new(source), &sound, 1.0, &signals, (&engine, &progress), Some(&mut take)).unwrap();
    // The last block arrives with the returned sound.
    assert_eq!(*log.lock().unwrap(), ["rendered", "heard", "rendered", "heard", "rendered"]);
}
