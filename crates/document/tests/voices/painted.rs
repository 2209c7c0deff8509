//! The voices brush: notes of a score, and strokes played as notes, added to a sound.

use super::rendered;
use base::{ErrorKind, Progress};
use document::brushes::{Brush, Phrase, VoicesBrush};
use document::{Edit, History, PenDown, Script, Snapshot, StrokeSession, apply, secs_past_end};
use dsp::voices::Timbre;
use media::Source;
use media::score::{ReadScore, ScoreOverrides};
use std::time::Instant;
use support::engines::{cpu, engines};
use support::measure::{changed, snr_db_f32, strongest_tone};
use support::phrases::{NOTES, RATE, applied, edit, phrase_at, same_bits, samples, silence};
use support::voices::midi::{MELODY, melody};

fn noise(secs: f64, n_channels: usize) -> Snapshot {
    let channel = |seed| support::signals::noise((secs * f64::from(RATE)) as usize, 0.1, seed);
    Snapshot::new(Source::from_channels((1..=n_channels as u64).map(channel).collect(), RATE).unwrap())
}

#[test]
fn the_engines_agree() {
    let reference = samples(&applied(&silence(2.0, 2), &phrase_at(0.25, ""), &cpu()).snapshot, 0);
    for engine in engines() {
        engine.set_may_fall_back(false);
        let sound = applied(&silence(2.0, 2), &phrase_at(0.25, ""), engine);
        engine.set_may_fall_back(true);
        assert_eq!(sound.report.engine(), engine.name());
        let apart_db = snr_db_f32(&samples(&sound.snapshot, 0), &reference);
        assert!(apart_db > 120.0, "{}: {apart_db:.1} dB", engine.name());
    }
}

/// `y = x + r` under the notes; every other sample keeps its bits, and undo restores all of them.
#[test]
fn samples_outside_the_notes_keep_their_bits() {
    let before = noise(2.0, 2);
    let alone = applied(&silence(2.0, 2), &phrase_at(0.25, ""), &cpu());
    let after = applied(&before, &phrase_at(0.25, ""), &cpu());
    assert_eq!(after.changed, alone.changed);
    let first = f64::from(RATE) as usize / 4;
    let n = ReadScore::from_bytes(format!(r#"{{"version": 1, {NOTES}}}"#).as_bytes(), &ScoreOverrides::default());
    let last = first + n.unwrap().score.n_samples(f64::from(RATE)) as usize;
    for channel in 0..2 {
        let [x, r, y] = [&before, &alone.snapshot, &after.snapshot].map(|sound| samples(sound, channel));
        let sum: Vec<f32> = x.iter().zip(&r).map(|(x, r)| x + r).collect();
        assert!(same_bits(&y, &sum));
        let differing = changed(&x, &y);
        assert!(differing.len() > 40_000 && differing[0] >= first && *differing.last().unwrap() < last);
    }
    let mut history = History::new(before.clone());
    history.push(phrase_at(0.25, ""), after.snapshot.clone());
    history.undo();
    assert!((0..2).all(|channel| same_bits(&samples(history.current(), channel), &samples(&before, channel))));
}

#[test]
fn channels_and_strength_are_those_of_the_edit() {
    let before = noise(2.0, 2);
    let both = applied(&silence(2.0, 2), &phrase_at(0.25, ""), &cpu()).snapshot;
    let [left, right] = [0, 1].map(|channel| samples(&both, channel));
    assert!(!same_bits(&left, &right), "the pan is heard");
    let one = applied(&before, &phrase_at(0.25, r#", "channels": [1]"#), &cpu()).snapshot;
    assert!(same_bits(&samples(&one, 0), &samples(&before, 0)));
    assert!(!same_bits(&samples(&one, 1), &samples(&before, 1)));
    let side = applied(&silence(2.0, 2), &phrase_at(0.25, r#", "channels": "side""#), &cpu()).snapshot;
    let [l, r] = [0, 1].map(|channel| samples(&side, channel));
    assert!(l.iter().zip(&r).all(|(l, r)| *l == -r) && l.iter().any(|sample| *sample != 0.0));
    let half = applied(&silence(2.0, 2), &phrase_at(0.25, r#", "strength": 0.5"#), &cpu()).snapshot;
    let expected: Vec<f32> = left.iter().map(|sample| 0.5 * sample).collect();
    assert!(same_bits(&samples(&half, 0), &expected));
    // Of notes before the start of the sound or past its end, only the part inside is added.
    let early = applied(&silence(1.0, 2), &phrase_at(-0.25, ""), &cpu()).snapshot;
    assert!(same_bits(&samples(&early, 0)[..9_000], &left[24_000..33_000]));
    let late = phrase_at(1.5, "");
    let past = applied(&silence(1.0, 2), &late, &cpu());
    assert!(past.changed.is_empty() && past.report.notices[0].contains("past the end"), "{:?}", past.report);
    assert!(secs_past_end(&silence(1.0, 2), &late).is_some_and(|secs| secs > 1.3));
}

/// With a selection, notes are added through the transform: samples outside its time keep their bits, and bands
/// outside it change only by leakage.
#[test]
fn a_selection_confines_the_notes() {
    let select = r#", "select": [{"time": [0.4, 0.6], "frequency": [0, 1000], "feather": [0.01, 50]}]"#;
    for engine in engines() {
        let sound = applied(&silence(2.0, 1), &phrase_at(0.25, select), engine);
        // So few voices are rendered on the CPU, even by a GPU engine.
        assert_eq!(sound.report.engine(), if engine.gpu().is_some() { "mixed" } else { "cpu" });
        let confined = samples(&sound.snapshot, 0);
        assert!(confined[..16_000].iter().chain(&confined[32_000..]).all(|sample| *sample == 0.0));
        let free = samples(&applied(&silence(2.0, 1), &phrase_at(0.25, ""), engine).snapshot, 0);
        let part = |samples: &[f32], low, high| strongest_tone(&samples[20_500..27_500], f64::from(RATE), low, high);
        // Below 1 kHz, the fifth of the chord; above, the upper partials.
        let [below, cut] = [part(&confined, 150.0, 400.0), part(&confined, 1_300.0, 2_000.0)];
        let [whole, above] = [part(&free, 150.0, 400.0), part(&free, 1_300.0, 2_000.0)];
        assert!((below.level / whole.level - 1.0).abs() < 0.05, "{} of {}", below.level, whole.level);
        assert!(cut.level < 0.05 * above.level, "{} of {}", cut.level, above.level);
    }
}

/// Notices about notes also appear if a selection limits them.
#[test]
fn a_selection_hides_no_notice() {
    let select = r#", "select": [{"time": [0.2, 0.8]}]"#;
    let notices = |sound: &Snapshot, brush: &str, more: &str| {
        let edit = edit(&format!(r#"{{"brush": {{"kind": "voices", "timbre": "pad", {brush}}}{more}}}"#));
        applied(sound, &edit, &cpu()).report.notices
    };
    let low = Snapshot::new(Source::silence(16_000, 8_000, 1).unwrap());
    let high = r#""notes": [{"pitch": 120, "start": 0, "duration": 1}]"#;
    let on_rows = format!(r#"{select}, "transform": {{"kind": "vqt"}}"#);
    for more in ["", select, &on_rows] {
        let reason = notices(&low, high, more);
        assert_eq!(reason[0], "1 note lies wholly above what 8000 Hz can hold, and cannot be heard", "{more}");
        assert!(reason.iter().skip(1).all(|other| *other != reason[0]), "{reason:?}");
    }
    // The peak is that of the sum: a note that is too loud alone may be quiet enough in the sound.
    let loud = r#""level_db": 12, "notes": [{"pitch": 60, "start": 0, "duration": 1}]"#;
    let reason = notices(&silence(2.0, 1), loud, select);
    assert!(reason.len() == 1 && reason[0].contains("dB over full scale"), "{reason:?}");
    let quiet = format!(r#"{select}, "strength": 0.02"#);
    assert_eq!(notices(&silence(2.0, 1), loud, &quiet), [""; 0]);
}

/// Notes limited by a selection are first rendered completely; cancelling the edit stops that at once.
#[test]
fn confined_notes_are_given_up_while_they_are_rendered() {
    let sound = Snapshot::new(Source::silence(320_000, 8_000, 1).unwrap());
    let notes = vec![r#"{"pitch": 40, "start": 0, "duration": 39}"#; 25].join(", ");
    let confined = edit(&format!(
        r#"{{"brush": {{"kind": "voices", "timbre": "pad", "notes": [{notes}]}}, "select": [{{"time": [0.2, 0.4]}}]}}"#
    ));
    let started = Instant::now();
    applied(&sound, &confined, &cpu());
    let whole = started.elapsed();
    let ends_early = || {
        let (progress, started) = (Progress::new(), Instant::now());
        let (sound, confined, theirs) = (sound.clone(), confined.clone(), progress.clone());
        let job = std::thread::spawn(move || apply(&sound, &confined, &cpu(), &theirs));
        std::thread::sleep(whole / 20);
        progress.cancel();
        assert_eq!(job.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
        started.elapsed() < whole / 2
    };
    // On a busy machine one attempt may be late.
    assert!((0..3).any(|_| ends_early()), "all of {whole:?} passes");
}

fn stroke_of(points: &str, more: &str) -> Edit {
    edit(&format!(
        r#"{{"brush": {{"kind": "voices", {more}}},
            "stroke": {{"points": {points}, "axis": "log", "radius": [0.01, 0.1]}}}}"#
    ))
}

/// A painted C major triad: three strokes, and one stroke with a chord.
#[test]
fn a_painted_triad_has_its_pitches() {
    let strokes: Vec<Edit> = [261.625_565_3, 329.627_556_9, 391.995_436]
        .iter()
        .map(|hz| stroke_of(&format!("[[0.1, {hz}, 1], [1.4, {hz}, 1]]"), r#""timbre": "pluck""#))
        .collect();
    let chord = stroke_of("[[0.1, 261.6255653, 1], [1.4, 261.6255653, 1]]", r#""timbre": "pluck", "chord": "F""#);
    let before = silence(2.0, 1);
    let three = strokes.iter().fold(before.clone(), |sound, edit| applied(&sound, edit, &cpu()).snapshot);
    let one = applied(&before, &chord, &cpu()).snapshot;
    // The tones of a chord may be listed in any order.
    let listed =
        |tones: &str| stroke_of("[[0.1, 261.6, 1], [0.4, 261.6, 1]]", &format!(r#""timbre": "pad", "chord": {tones}"#));
    let [mixed, ordered] = ["[7, 0, 4]", "[0, 4, 7]"].map(|tones| applied(&before, &listed(tones), &cpu()).snapshot);
    assert!(same_bits(&samples(&mixed, 0), &samples(&ordered, 0)));
    for sound in [&three, &one] {
        let samples = samples(sound, 0);
        for hz in [261.63, 329.63, 392.0] {
            let found = strongest_tone(&samples[9_600..42_368], f64::from(RATE), hz * 0.97, hz * 1.03).hz;
            let cents = 1200.0 * (found / hz).log2();
            assert!(cents.abs() < 2.0, "{found:.3} Hz is {cents:.2} cents off {hz}");
        }
        // The sound lasts from pen-down to the end of the release.
        assert!(samples[..4_800].iter().all(|sample| *sample == 0.0));
        let end = (1.4 + Timbre::pluck().adsr.release_secs) * f64::from(RATE) + 64.0;
        assert!(samples[end as usize..].iter().all(|sample| *sample == 0.0));
        assert!(samples[4_800..5_800].iter().any(|sample| *sample != 0.0));
    }
}

/// A stroke glides as drawn, and its pressure is the level; a click has the length that is set.
#[test]
fn a_stroke_is_a_note() {
    let sine = r#""timbre": {"adsr": [0, 0, 1, 0]}, "level_db": -12"#;
    let sound = |edit: &Edit| samples(&applied(&silence(3.0, 1), edit, &cpu()).snapshot, 0);
    let glide = sound(&stroke_of("[[0.5, 400, 1], [1.5, 800, 1], [2.5, 800, 0.25]]", sine));
    let tone = |from: usize| strongest_tone(&glide[from..from + 2_048], f64::from(RATE), 300.0, 900.0);
    // The glide is straight on the log axis: half an octave in the middle.
    let middle = tone(48_000 - 1_024).hz;
    assert!((middle / 565.685 - 1.0).abs() < 2e-3, "{middle}");
    let [loud, soft] = [tone(72_000).level, tone(117_000).level];
    assert!((soft / loud - 0.27).abs() < 0.02, "{soft} of {loud}");
    let click = sound(&stroke_of("[[0.5, 400, 1]]", &format!(r#"{sine}, "length": 0.75"#)));
    let last = click.iter().rposition(|sample| *sample != 0.0).unwrap();
    assert!((60_000 - 64..=60_064).contains(&last), "{last}");
    // The click equals a note of a score that starts at the edge of a block.
    let score = ReadScore::from_bytes(
        br#"{"version": 1, "timbre": {"adsr": [0, 0, 1, 0]}, "level_db": -12,
             "notes": [{"pitch": 67.34995771, "start": 0, "duration": 0.75}]}"#,
        &ScoreOverrides::default(),
    );
    let expected = &rendered(&score.unwrap().score, f64::from(RATE), false)[0];
    let apart_db = snr_db_f32(&click[24_000..24_000 + expected.len()], expected);
    assert!(apart_db > 60.0, "{apart_db:.1} dB");
}

/// Sound and display of a stroke in progress equal its release.
#[test]
fn a_stroke_in_progress_is_the_same_sound() {
    let whole = stroke_of("[[0.2, 300, 1], [0.5, 350, 0.8], [0.9, 500, 0.6]]", r#""timbre": "organ", "chord": "Cm""#);
    let points = whole.stroke.clone().unwrap().points;
    for engine in engines() {
        let before = noise(2.0, 2);
        let mut started = whole.clone();
        started.stroke.as_mut().unwrap().points.clear();
        let pen_down = PenDown { snapshot: before.clone(), pending: Vec::new(), engine: engine.clone() };
        let mut session = StrokeSession::begin(pen_down, &started).unwrap();
        for point in &points {
            let cells = session.extend(std::slice::from_ref(point)).unwrap().unwrap();
            assert!(!cells.is_marked);
        }
        let cells = session.finish().unwrap().unwrap();
        let live = session.sound(&Progress::new()).unwrap();
        let released = applied(&before, &whole, engine).snapshot;
        assert!((0..2).all(|channel| same_bits(&samples(&live, channel), &samples(&released, channel))));
        // The displayed cells are those of the released sound.
        let plan = engine.plans().get(whole.transform.stft().unwrap()).into();
        let grid = released.grid(&whole.transform);
        let shown = engine.download(cells.signals.into_iter().next().unwrap()).unwrap();
        let all = grid.all_bins(shown.rect.frames.clone());
        let mut read = vec![0.0; grid.n_samples_under(all.frames.len())];
        released.read(0, grid.first_sample_under(all.frames.start), &mut read).unwrap();
        let found = engine.download(engine.analyse(&plan, &read, &all).unwrap()).unwrap();
        let apart_db = snr_db_f32(&shown.magnitude, &found.magnitude);
        assert!(shown.rect == all && apart_db > 80.0, "{}: {apart_db:.1} dB", engine.name());
    }
}

/// Two tempi, the pedal and two programs, through a script and back; onsets to a sample.
#[test]
fn a_midi_file_becomes_an_edit() {
    let score = ReadScore::from_bytes(&melody(), &ScoreOverrides::default()).unwrap().score;
    let phrase = Phrase::new(score, 1.0).unwrap();
    for (note, (pitch, start, ..)) in phrase.score().notes.iter().zip(MELODY) {
        let off = note.first_sample(f64::from(RATE)) as f64 - start * f64::from(RATE);
        assert!(note.pitch == pitch && off.abs() <= 1.0);
    }
    let brush = Brush::from(VoicesBrush::Phrase(phrase.clone()));
    assert_eq!(Brush::from_json(&brush.to_json()).unwrap(), brush);
    let higher = phrase.transposed(12.0);
    assert_eq!(higher.pitches(), phrase.pitches().map(|pitch| pitch + 12.0));
    // A transposition is limited so that the highest note stays in range.
    assert_eq!(phrase.transposed(500.0).pitches()[1], 135.1);
    let elsewhere = VoicesBrush::Phrase(higher.at(0.0)).into();
    let edit = Edit { brush: elsewhere, ..phrase_at(0.0, "") };
    let sound = samples(&applied(&silence(8.0, 1), &edit, &cpu()).snapshot, 0);
    let found = strongest_tone(&sound[2_000..18_384], f64::from(RATE), 500.0, 550.0).hz;
    assert!((found / 523.251 - 1.0).abs() < 1e-3, "{found}");
}

#[test]
fn what_is_wrong_is_refused_with_its_place() {
    let failure = |brush: &str, more: &str| {
        let text = format!(r#"{{"version": 1, "edits": [{{"brush": {{"kind": "voices", {brush}}}{more}}}]}}"#);
        Script::parse(&text).unwrap_err().message().to_owned()
    };
    let note = r#"{"pitch": 60, "start": 0, "duration": 1}"#;
    let stroke = r#", "stroke": {"points": [[0, 400, 1]], "radius": [0.1, 50]}"#;
    for (brush, more, sentence) in [
        (r#""notes": []"#, "", "edits[0].brush.notes: there are no notes"),
        (r#""notes": [{"pitch": 60, "start": 0}]"#, "", "edits[0].brush.notes[0]: duration is missing"),
        (
            r#""notes": [{"pitch": 60, "start": 0, "duration": 1}, {"chord": "Cfoo", "start": 0, "duration": 1}]"#,
            "",
            r#"edits[0].brush.notes[1].chord: the chord "Cfoo" is unknown"#,
        ),
        (
            r#""notes": [{"pitch": 140, "start": 0, "duration": 1}]"#,
            "",
            "edits[0].brush.notes[0].pitch: 140 is outside 0 to 135.1 (20 kHz)",
        ),
        (
            r#""timbre": {"unison": 10}, "notes": [{"pitch": 60, "start": 0, "duration": 1}]"#,
            "",
            "edits[0].brush.timbre.unison: 10 is outside 1 to 9",
        ),
        (&format!(r#""notes": [{note}], "chord": [0]"#), "", r#"edits[0].brush: the field "chord" is unknown"#),
        (&format!(r#""notes": [{note}], "version": 2"#), "", "edits[0].brush.version: must be 1"),
        (&format!(r#""notes": [{note}]"#), stroke, "edits[0]: voices takes no stroke"),
        (r#""chord": [0]"#, "", "edits[0]: voices without notes needs a stroke"),
        (r#""chord": "Xm""#, stroke, r#"edits[0].brush.chord: the chord "Xm" is unknown"#),
        (
            r#""timbre": "harp""#,
            stroke,
            "edits[0].brush.timbre: the timbre \"harp\" is unknown; use pad, pluck, organ, bell, breath, burst_low, burst_mid, burst_high, burst_wide",
        ),
        (r#""length": 0"#, stroke, "edits[0].brush.length: 0 is outside 0.001 to 600"),
        (r#""at": 1"#, stroke, r#"edits[0].brush: the field "at" is unknown"#),
    ] {
        assert_eq!(failure(brush, more), sentence);
    }
    // Errors that depend on the sound.
    let many: Vec<&str> = vec![r#"{"pitch": 60, "start": 0, "duration": 1}"#; 200];
    let many = edit(&format!(r#"{{"brush": {{"kind": "voices", "notes": [{}]}}}}"#, many.join(", ")));
    let error = apply(&silence(2.0, 1), &many, &cpu(), &Progress::new()).unwrap_err();
    assert_eq!(error.message(), "9600 oscillators sound at once at 0.000 s; the limit is 8192");
    let long = stroke_of("[[0, 400, 1], [700, 400, 1]]", r#""timbre": "organ""#);
    let error = apply(&silence(2.0, 1), &long, &cpu(), &Progress::new()).unwrap_err();
    assert_eq!(error.message(), "a note lasts at most 600 s; draw a shorter stroke");
    let loud = edit(&format!(r#"{{"brush": {{"kind": "voices", "level_db": 12, "notes": [{note}]}}}}"#));
    let report = applied(&silence(3.0, 1), &loud, &cpu()).report;
    assert!(report.notices[0].contains("dB over full scale"), "{report:?}");
}
