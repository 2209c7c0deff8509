//! Voices by hand: strokes that snap to notes, and MIDI files that are dropped, moved and placed.

use super::rig::Rig;
use super::studio::{Studio, is_at_rest};
use std::f64::consts::TAU;
use std::path::Path;

const RATE_HZ: f64 = 48_000.0;
/// C4, E4 and G4.
const CHORD_HZ: [f64; 3] = [261.626, 329.628, 391.995];

fn spec(n_channels: u16) -> hound::WavSpec {
    let (bits_per_sample, sample_format) = (32, hound::SampleFormat::Float);
    hound::WavSpec { channels: n_channels, sample_rate: RATE_HZ as u32, bits_per_sample, sample_format }
}

/// Silence in floats, so that an export rounds nothing.
fn write_silence(path: &Path, secs: usize, n_channels: u16) {
    let mut writer = hound::WavWriter::create(path, spec(n_channels)).unwrap();
    for _ in 0..secs * RATE_HZ as usize * usize::from(n_channels) {
        writer.write_sample(0.0f32).unwrap();
    }
    writer.finalize().unwrap();
}

/// Samples of all channels in turn.
fn read_floats(path: &Path, n_channels: u16) -> Vec<f32> {
    let mut reader = hound::WavReader::open(path).unwrap();
    assert_eq!(reader.spec(), spec(n_channels));
    reader.samples::<f32>().map(Result::unwrap).collect()
}

/// How far the strongest tone within half a semitone of a note is from it, in cents; under a Hann window.
fn cents_from(samples: &[f32], note_hz: f64) -> f64 {
    let n = samples.len() as f64;
    let hann = |i: usize| 0.5 - 0.5 * (TAU * i as f64 / n).cos();
    let windowed: Vec<f64> = samples.iter().enumerate().map(|(i, x)| f64::from(*x) * hann(i)).collect();
    let level = |cents: f64| {
        let step = TAU * note_hz * (cents / 1200.0).exp2() / RATE_HZ;
        let part =
            |turn: fn(f64) -> f64| -> f64 { windowed.iter().enumerate().map(|(i, x)| x * turn(step * i as f64)).sum() };
        part(f64::cos).hypot(part(f64::sin))
    };
    let strongest = |places: &mut dyn Iterator<Item = f64>| {
        places.map(|cents| (cents, level(cents))).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0
    };
    let near = strongest(&mut (-25..=25).map(|step| 2.0 * f64::from(step)));
    strongest(&mut (-20..=20).map(|step| near + 0.1 * f64::from(step)))
}

/// Draws a stroke of the brush in hand along a frequency.
fn stroke(studio: &Studio<'_>, [from_y, to_y]: [i64; 2]) {
    let pane = studio.pane();
    let place = |part: f64| {
        let y = from_y as f64 + part * (to_y - from_y) as f64;
        [pane.x_at(0.3 + 1.5 * part), y.round() as i64]
    };
    studio.drag(&(0..=10).map(|i| place(f64::from(i) / 10.0)).collect::<Vec<_>>());
}

/// Takes the voice brush in hand.
fn take_voices(studio: &Studio<'_>) {
    studio.key("shift+m");
    studio.wait("the voice brush", |state| (state["tool"] == "tool_voices").then_some(()));
}

pub fn a_chord_of_three_strokes_is_in_tune(rig: &Rig) {
    let file = rig.path("silence.wav");
    write_silence(&file, 3, 1);
    let studio = rig.open(&file);
    take_voices(&studio);
    studio.click_control("Timbre");
    studio.click_control("Timbre: Pluck");
    studio.wait("the list to close", |state| state["controls"]["Timbre: Pluck"].is_null().then_some(()));
    studio.key("n");
    let pane = studio.pane();
    for (n, hz) in CHORD_HZ.into_iter().enumerate() {
        // Not quite where the note is, and not quite level.
        let y = pane.y_at(hz);
        stroke(&studio, [y - 1, y]);
        studio.wait_position(n as u64 + 1);
    }
    let chord = read_floats(&studio.export("chord.wav"), 1);
    let middle = |samples: &[f32]| samples[24_000..56_768].to_vec();
    for hz in CHORD_HZ {
        let cents = cents_from(&middle(&chord), hz);
        println!("  {hz} Hz: {cents:+.2} cents");
        assert!(cents.abs() < 2.0, "{cents} cents from {hz} Hz");
    }
    assert!(chord[..12_000].iter().all(|x| *x == 0.0), "silence before the pen");
    let peak = |samples: &[f32]| samples.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    // A pluck: its beginning is several times as loud as its end.
    assert!(peak(&chord[16_000..24_000]) > 3.0 * peak(&chord[80_000..84_000]), "it falls as a string does");
    // The control: without snapping the pitch is the pen's, which stands between two notes.
    for position in [2, 1, 0] {
        studio.key("ctrl+z");
        studio.wait_position(position);
    }
    studio.key("n");
    // The notice of the export leaves after six seconds, and the picture takes its room.
    std::thread::sleep(std::time::Duration::from_secs(8));
    let pane = studio.pane();
    let cents_at = |y: i64| 1200.0 * (pane.hz_at(y) / CHORD_HZ[0]).log2();
    let about = pane.y_at(CHORD_HZ[0]);
    let y = (about - 2..=about + 2).find(|&y| (5.0..45.0).contains(&cents_at(y).abs())).unwrap();
    stroke(&studio, [y, y]);
    studio.wait_position(1);
    let free = cents_from(&middle(&read_floats(&studio.export("free.wav"), 1)), CHORD_HZ[0]);
    assert!((free - cents_at(y)).abs() < 3.0 && free.abs() > 2.0, "{free} cents where the pen was {}", cents_at(y));
}

/// Three notes of two timbres, a chord, a bend and the pedal.
fn midi() -> Vec<u8> {
    midi_file(&[
        (0, &[0xc0, 19]),
        (0, &[0xc1, 0]),
        (0, &[0x90, 60, 100]),
        (0, &[0x90, 67, 80]),
        (96, &[0xe0, 0, 0x50]),
        (96, &[0x80, 60, 0]),
        (0, &[0x80, 67, 0]),
        (0, &[0xb1, 64, 127]),
        (24, &[0x91, 72, 110]),
        (48, &[0x81, 72, 0]),
        (96, &[0xb1, 64, 0]),
        (0, &[0x91, 48, 60]),
        (96, &[0x81, 48, 0]),
    ])
}

/// A file of one track, 96 ticks a beat: each message and the ticks before it.
fn midi_file(events: &[(u8, &[u8])]) -> Vec<u8> {
    let mut track = Vec::new();
    for (delta, message) in events {
        track.push(*delta);
        track.extend_from_slice(message);
    }
    track.extend_from_slice(&[0, 0xff, 0x2f, 0]);
    [b"MThd\0\0\0\x06\0\0\0\x01\0\x60MTrk".as_slice(), &(track.len() as u32).to_be_bytes(), &track].concat()
}

/// How far the notes that float are from where they were read: seconds and octaves.
fn offset(studio: &Studio<'_>) -> [f64; 2] {
    studio.wait("the floating notes", |state| {
        let offset = state["document"]["floating"].as_array()?;
        is_at_rest(state).then_some([offset[0].as_f64()?, offset[1].as_f64()?])
    })
}

/// Key, ticks of 1 / 96 beat from the end of the note before, ticks that it lasts. A beat is half a second.
const MELODY: [(u8, u8, u8); 8] =
    [(60, 0, 72), (64, 24, 80), (67, 16, 72), (72, 24, 72), (71, 24, 96), (57, 36, 110), (77, 36, 84), (48, 36, 120)];
const TICK_SECS: f64 = 0.5 / 96.0;

/// The melody in organ, and start and end of each note in seconds.
fn melody() -> (Vec<u8>, Vec<[f64; 2]>) {
    let (mut events, mut spans, mut tick) = (vec![(0, vec![0xc0, 19])], Vec::new(), 0);
    for (key, rest, length) in MELODY {
        events.extend([(rest, vec![0x90, key, 100]), (length, vec![0x80, key, 0])]);
        let start = tick + u32::from(rest);
        tick = start + u32::from(length);
        spans.push([start, tick].map(|tick| f64::from(tick) * TICK_SECS));
    }
    let events: Vec<(u8, &[u8])> = events.iter().map(|(delta, message)| (*delta, message.as_slice())).collect();
    (midi_file(&events), spans)
}

/// When the sound begins that a rest lies before: where it first reaches a hundredth of what it then is.
fn onset_secs(samples: &[f32], around_secs: f64) -> f64 {
    let from = ((around_secs - 0.03) * RATE_HZ).max(0.0) as usize;
    let steady = ((around_secs + 0.05) * RATE_HZ) as usize;
    let peak = samples[steady..steady + 4_800].iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    let first = samples[from..].iter().position(|x| x.abs() > 0.01 * peak).unwrap();
    (from + first) as f64 / RATE_HZ
}

pub fn a_dropped_melody_is_in_time_and_in_tune(rig: &Rig) {
    let (file, score) = (rig.path("silence.wav"), rig.path("melody.mid"));
    write_silence(&file, 14, 1);
    let (bytes, spans) = melody();
    std::fs::write(&score, bytes).unwrap();
    let studio = rig.open(&file);
    // What is dropped lies where the pointer is, which stood elsewhere in the case before.
    studio.point([300, 400]);
    studio.wait("the pointer on the canvas", |state| (state["is_hovering"] == true).then_some(()));
    studio.drop_file(&score, [300, 400]);
    let [at_secs, _] = offset(&studio);
    studio.key("Return");
    studio.wait_position(1);
    let samples = read_floats(&studio.export("melody.wav"), 1);
    let mut middles = Vec::new();
    for ((key, ..), [start, end]) in MELODY.into_iter().zip(spans) {
        let late_secs = onset_secs(&samples, at_secs + start) - (at_secs + start);
        let middle = ((at_secs + (start + end) / 2.0) * RATE_HZ) as usize;
        let hz = 440.0 * ((f64::from(key) - 69.0) / 12.0).exp2();
        let cents = cents_from(&samples[middle - 8_192..middle + 8_192], hz);
        println!("  {key}: {:+.2} ms, {cents:+.2} cents", 1e3 * late_secs);
        assert!(late_secs.abs() < 0.003, "{key}: {late_secs} s late");
        assert!(cents.abs() < 2.0, "{key}: {cents} cents off");
        middles.push((middle, hz));
    }
    // The controls: what is 5 ms late is found to be, and what is 4 cents sharp.
    let delayed = [vec![0.0; 240], samples[..samples.len() - 240].to_vec()].concat();
    assert!((onset_secs(&delayed, at_secs) - at_secs).abs() > 0.003);
    let (middle, hz) = middles[0];
    assert!(cents_from(&samples[middle - 8_192..middle + 8_192], hz / 1.00231) > 2.0);
}

/// What the command line renders of a score.
fn rendered(rig: &Rig, score: &Path) -> Vec<f32> {
    let out = rig.path("rendered.wav");
    let mut command = rig.command(env!("CARGO_BIN_EXE_sonobrush"));
    command.arg("voices").arg(score).arg("--overwrite").arg("-o").arg(&out).args([
        "--rate",
        "48000",
        "--channels",
        "2",
    ]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read_floats(&out, 2)
}

/// Exports what the studio holds: what was rendered from a time on, bit for bit, and silence around it.
fn assert_placed(studio: &Studio<'_>, rendered: &[f32], at_secs: f64) {
    let exported = read_floats(&studio.export("placed.wav"), 2);
    let first = 2 * (at_secs * RATE_HZ).round() as usize;
    let bits = |samples: &[f32]| samples.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
    assert!(rendered.iter().any(|x| *x != 0.0) && exported.len() == 2 * 10 * 48_000);
    let end = first + rendered.len();
    assert!(bits(&exported[first..end]) == bits(rendered), "bit for bit");
    assert!(exported[..first].iter().chain(&exported[end..]).all(|x| *x == 0.0), "on silence");
    // The control: a sample beside it is another sound.
    assert!(bits(&exported[first + 2..end + 2]) != bits(rendered), "the comparison bites");
}

pub fn a_dropped_midi_file_is_what_the_command_line_renders(rig: &Rig) {
    let (file, score) = (rig.path("ten seconds.wav"), rig.path("notes.mid"));
    write_silence(&file, 10, 2);
    std::fs::write(&score, midi()).unwrap();
    let rendered = rendered(rig, &score);

    let studio = rig.open(&file);
    studio.drop_file(&score, [600, 400]);
    let dropped = offset(&studio);
    // By hand to a later time, at the same pitch.
    let pane = studio.pane();
    let y = pane.y_at(330.0);
    let place = |secs: f64| [pane.x_at(dropped[0] + secs), y];
    studio.drag(&[place(0.4), place(0.6), place(0.9), place(1.25)]);
    let placed = studio.wait("the notes at a later time", |state| {
        let offset = state["document"]["floating"].as_array()?;
        let [secs, units] = [offset[0].as_f64()?, offset[1].as_f64()?];
        (secs > dropped[0] + 0.5 && units == 0.0 && is_at_rest(state)).then_some(secs)
    });
    assert!((placed - dropped[0] - 0.85).abs() < 0.03, "moved from {} to {placed} s", dropped[0]);
    assert_eq!(studio.state().unwrap()["document"]["position"], 0, "it is in no history yet");
    studio.key("Return");
    studio.wait_position(1);
    assert_placed(&studio, &rendered, placed);
}

/// Three notes of two timbres.
const SCORE: &str = r#"{"version": 1, "timbre": "organ", "notes": [
    {"pitch": "A4", "start": 0, "duration": 0.5}, {"pitch": "C5", "start": 0.7, "duration": 0.4},
    {"pitch": "E4", "start": 0.7, "duration": 0.8, "timbre": "pluck"}]}"#;

pub fn a_dropped_score_is_what_the_command_line_renders(rig: &Rig) {
    let (file, score) = (rig.path("ten seconds.wav"), rig.path("score.json"));
    write_silence(&file, 10, 2);
    std::fs::write(&score, SCORE).unwrap();
    let rendered = rendered(rig, &score);
    let studio = rig.open(&file);
    studio.point([300, 400]);
    studio.wait("the pointer on the canvas", |state| (state["is_hovering"] == true).then_some(()));
    studio.drop_file(&score, [300, 400]);
    let [at_secs, _] = offset(&studio);
    assert!((at_secs - studio.pane().secs_at(300)).abs() < 0.02, "where the pointer is: {at_secs} s");
    studio.key("Return");
    studio.wait_position(1);
    assert_placed(&studio, &rendered, at_secs);
}
