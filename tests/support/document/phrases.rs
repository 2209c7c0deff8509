//! Notes in edits.

use crate::measure::changed;
use base::Progress;
use document::{Applied, Edit, Script, Snapshot, apply};
use engine::Engine;
use media::Source;

pub const RATE: u32 = 48_000;

pub const NOTES: &str = r#""timbre": "pad", "seed": 7, "notes": [{"chord": "Am7/G", "octave": 3, "start": 0, "duration": 0.4},
    {"pitch": "C5", "start": 0.5, "duration": 0.3, "pan": 0.5, "timbre": {"like": "bell", "decay": 2},
     "glide": [[0, "C5"], [0.2, 73.5]], "pressure": [[0, 1], [0.3, 0.25]]}]"#;

pub fn edit(text: &str) -> Edit {
    Script::parse(&format!(r#"{{"version": 1, "edits": [{text}]}}"#)).unwrap().edits.remove(0)
}

pub fn phrase_at(at_secs: f64, more: &str) -> Edit {
    edit(&format!(r#"{{"brush": {{"kind": "voices", "at": {at_secs}, {NOTES}}}{more}}}"#))
}

pub fn silence(secs: f64, n_channels: usize) -> Snapshot {
    Snapshot::new(Source::silence((secs * f64::from(RATE)) as u64, RATE, n_channels).unwrap())
}

pub fn applied(sound: &Snapshot, edit: &Edit, engine: &Engine) -> Applied {
    apply(sound, edit, engine, &Progress::new()).unwrap()
}

pub fn samples(sound: &Snapshot, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; sound.n_samples() as usize];
    sound.read(channel, 0, &mut samples).unwrap();
    samples
}

pub fn same_bits(a: &[f32], b: &[f32]) -> bool {
    changed(a, b).is_empty()
}
