//! An organ melody in a MIDI file, rendered by an edit: onsets and pitches are measured in the samples alone.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::Progress;
use document::brushes::{Brush, Phrase, VoicesBrush};
use document::{Edit, Snapshot, apply};
use dsp::StftParams;
use media::Source;
use media::score::{ReadScore, ScoreOverrides};
use support::engines::cpu;
use support::measure::strongest_tone;
use support::voices::midi::{file, track};

const RATE: f64 = 48_000.0;
const ONSET_SECS: f64 = 0.003;
const CENTS: f64 = 2.0;

/// Key; rest before it and duration in ticks. 480 ticks are a beat of 0.6 s up to tick 1920, then of 0.4 s.
const NOTES: [(u8, u32, u32); 10] = [
    (60, 0, 360),
    (64, 120, 400),
    (67, 80, 360),
    (72, 120, 360),
    (71, 120, 480),
    (69, 240, 420),
    (57, 180, 700),
    (77, 160, 420),
    (48, 180, 840),
    (84, 240, 480),
];

fn secs_of(tick: u32) -> f64 {
    f64::from(tick.min(1_920)) / 480.0 * 0.6 + f64::from(tick.saturating_sub(1_920)) / 480.0 * 0.4
}

/// The bytes of the file, and start and end of each note in seconds.
fn melody() -> (Vec<u8>, Vec<[f64; 2]>) {
    let conductor = track(&[(0, &[0xff, 0x51, 3, 0x09, 0x27, 0xc0]), (1_920, &[0xff, 0x51, 3, 0x06, 0x1a, 0x80])]);
    let (mut messages, mut spans, mut tick) = (vec![(0, vec![0xc0, 19])], Vec::new(), 0);
    for (key, rest, length) in NOTES {
        messages.push((rest, vec![0x90, key, 100]));
        messages.push((length, vec![0x80, key, 0]));
        spans.push([tick + rest, tick + rest + length].map(secs_of));
        tick += rest + length;
    }
    let events: Vec<(u32, &[u8])> = messages.iter().map(|(delta, message)| (*delta, message.as_slice())).collect();
    (file(1, 480, &[conductor, track(&events)]), spans)
}

/// Onset after a rest: the time at which the sound first reaches a hundredth of its later level.
fn onset_secs(samples: &[f32], around_secs: f64) -> f64 {
    // The release of the previous note has ended by then.
    let from = ((around_secs - 0.03) * RATE).max(0.0) as usize;
    let steady = ((around_secs + 0.05) * RATE) as usize;
    let peak = samples[steady..steady + 4_800].iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    let first = samples[from..].iter().position(|x| x.abs() > 0.01 * peak).unwrap();
    (from + first) as f64 / RATE
}

#[test]
fn every_onset_is_within_3_ms_and_every_pitch_within_2_cents() {
    let (bytes, spans) = melody();
    let ReadScore { score, notices } = ReadScore::from_bytes(&bytes, &ScoreOverrides::default()).unwrap();
    assert_eq!(notices, [""; 0]);
    let at_secs = 0.5;
    let edit = Edit::of(Brush::from(VoicesBrush::Phrase(Phrase::new(score, at_secs).unwrap())), StftParams::default());
    let silence = Snapshot::new(Source::silence(9 * RATE as u64, RATE as u32, 1).unwrap());
    let after = apply(&silence, &edit, &cpu(), &Progress::new()).unwrap().snapshot;
    let mut samples = vec![0.0; after.n_samples() as usize];
    after.read(0, 0, &mut samples).unwrap();
    for ((key, ..), [start, end]) in NOTES.into_iter().zip(spans) {
        let late = onset_secs(&samples, at_secs + start) - (at_secs + start);
        let middle = ((at_secs + (start + end) / 2.0) * RATE) as usize;
        let hz = 440.0 * ((f64::from(key) - 69.0) / 12.0).exp2();
        let found = strongest_tone(&samples[middle - 4_096..middle + 4_096], RATE, hz * 0.97, hz * 1.03);
        let cents = 1200.0 * (found.hz / hz).log2();
        println!("{key}: {:.2} ms late, {cents:.2} cents off", 1e3 * late);
        assert!(late.abs() < ONSET_SECS, "{key}: {late} s late");
        assert!(cents.abs() < CENTS && found.level > 0.005, "{key}: {cents} cents off, {found:?}");
    }
    // Control: the measures detect a delay of 5 ms, and a pitch 4 cents higher.
    let delayed = [vec![0.0; 240], samples[..samples.len() - 240].to_vec()].concat();
    assert!((onset_secs(&delayed, at_secs) - at_secs).abs() > ONSET_SECS);
    let sharp = strongest_tone(&samples[26_000..34_192], RATE * 1.00231, 255.0, 270.0).hz;
    assert!((1200.0 * (sharp / 261.626).log2()).abs() > CENTS, "{sharp}");
}
