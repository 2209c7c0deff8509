//! Notes are found and written as MIDI and as a table by `sonobrush notes`, and become labels in the window.

use crate::previews::document;
use crate::support::program::Place;
use crate::support::studio::{Bench, Drawing};
use crate::support::wav::{Format, Wav};
use sonobrush::document::Snapshot;
use sonobrush::document::labels::Label;
use sonobrush::media::Source;
use sonobrush::media::score::{ReadScore, ScoreOverrides};
use sonobrush::workbench::Severity;
use sonobrush::workbench::commands::{EditCommand, FindCommand};
use std::f64::consts::TAU;

/// Starts in seconds and MIDI numbers.
const PLUCKED: [(f64, i32); 3] = [(0.1, 52), (0.7, 59), (1.3, 67)];

/// Three plucked tones after each other.
fn plucked(rate: f64) -> Vec<f32> {
    let partial = |secs: f64, hz: f64, k: f64| match hz * k < 0.45 * rate {
        true => 0.3 / (k * k) * (TAU * k * hz * secs).sin() * (-(3.0 + k) * secs).exp(),
        false => 0.0,
    };
    let tone = |at_secs: f64, (start_secs, midi): (f64, i32)| {
        let (secs, hz) = (at_secs - start_secs, 440.0 * (f64::from(midi - 69) / 12.0).exp2());
        if secs < 0.0 { 0.0 } else { (1..=8).map(|k| partial(secs, hz, f64::from(k))).sum::<f64>() }
    };
    let sample = |at: usize| PLUCKED.iter().map(|note| tone(at as f64 / rate, *note)).sum::<f64>() as f32;
    (0..(1.63 * rate) as usize).map(sample).collect()
}

fn write(place: &Place, name: &str, rate: u32, channels: &[Vec<f32>]) {
    let stored = |channel: &Vec<f32>| channel.iter().map(|x| (f64::from(*x) * 32_768.0).round() as i64).collect();
    Wav { format: Format::Pcm(16), rate, channels: channels.iter().map(stored).collect() }.write(&place.path(name));
}

/// Asserts that notes, starts in seconds and MIDI numbers, are those that were plucked.
fn check(found: &[(f64, f64)], name: &str) {
    assert_eq!(found.len(), PLUCKED.len(), "{name}: {found:?}");
    for ((start_secs, midi), (wanted_secs, wanted)) in found.iter().zip(PLUCKED) {
        assert!((start_secs - wanted_secs).abs() < 0.05 && *midi == f64::from(wanted), "{name}: {found:?}");
    }
}

#[test]
fn the_command_writes_midi_at_any_rate() {
    let place = Place::new();
    for rate in [8_000, 44_100, 96_000] {
        let sound = plucked(f64::from(rate));
        // The mean of both channels is heard.
        write(&place, "in.wav", rate, &[sound.clone(), vec![0.0; sound.len()]]);
        assert_eq!(place.done(&["notes", "in.wav", "-o", "out.mid"]), "in.wav: 3 notes found\n");
        let ReadScore { score, notices } =
            ReadScore::from_bytes(&place.read("out.mid"), &ScoreOverrides::default()).unwrap();
        assert_eq!(notices, [""; 0]);
        let found: Vec<(f64, f64)> = score.notes.iter().map(|note| (note.start_secs, note.pitch)).collect();
        check(&found, &format!("{rate} Hz"));
        assert!(score.notes.iter().all(|note| note.duration_secs > 0.127 && (0.3..=1.0).contains(&note.velocity)));
    }
    let reported = place.done(&["voices", "out.mid", "-o", "again.wav"]);
    assert!(place.path("again.wav").exists(), "{reported}");
}

#[test]
fn the_table_is_one_of_labels_and_bad_names_change_nothing() {
    let place = Place::new();
    write(&place, "in.wav", 22_050, &[plucked(22_050.0)]);
    place.done(&["notes", "in.wav", "-o", "notes.csv"]);
    place.done(&["labels", "in.wav", "--import", "notes.csv", "-o", "labels.txt"]);
    let text = std::fs::read_to_string(place.path("labels.txt")).unwrap();
    let names: Vec<&str> = text.lines().filter_map(|line| line.split('\t').nth(2)).collect();
    let named = names.iter().filter(|name| name.parse::<f64>().is_err());
    assert_eq!(named.copied().collect::<Vec<_>>(), ["E3", "B3", "G4"], "{text}");
    let table = std::fs::read_to_string(place.path("notes.csv")).unwrap();
    assert!(table.lines().next().unwrap().ends_with(",midi") && table.contains(",67"), "{table}");
    for (input, output, part) in [
        ("in.wav", "out.txt", "would contain notes"),
        ("in.wav", "none/out.mid", "none"),
        ("in.wav", "in.wav", "would contain notes"),
        ("missing.wav", "new.mid", "missing.wav"),
    ] {
        let before = place.path(output).exists();
        let line = place.failed(&["notes", input, "-o", output]);
        assert!(line.contains(part) && place.path(output).exists() == before, "{line}");
    }
    write(&place, "silent.wav", 44_100, &[vec![0.0; 30_000]]);
    write(&place, "short.wav", 44_100, &[vec![0.5]]);
    for name in ["silent.wav", "short.wav"] {
        assert_eq!(place.done(&["notes", name, "-o", "none.mid"]), format!("{name}: no notes found\n"));
        assert!(place.read("none.mid").starts_with(b"MThd"));
    }
}

fn labels(bench: &Bench) -> Vec<Label> {
    document(bench).history().labels().iter().cloned().collect()
}

#[test]
fn notes_become_labels_named_by_their_pitch() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![plucked(22_050.0)], 22_050).unwrap()));
    let find = |bench: &mut Bench| {
        bench.act(FindCommand::Notes);
        bench.settle();
        bench.notices().pop().unwrap()
    };
    assert_eq!(find(&mut bench), (Severity::Info, "3 notes found and labelled.".to_owned()));
    let found = labels(&bench);
    assert_eq!(found.iter().map(|label| &*label.text).collect::<Vec<_>>(), ["E3", "B3", "G4"]);
    check(
        &found.iter().zip([52.0, 59.0, 67.0]).map(|(label, midi)| (label.secs[0], midi)).collect::<Vec<_>>(),
        "labels",
    );
    assert!(found.iter().all(|label| label.low_hz.unwrap() < label.high_hz.unwrap()));
    // Once more adds none; a selection says where to look.
    assert_eq!(find(&mut bench).1, "3 notes found, all of them labelled before.");
    assert_eq!(labels(&bench), found);
    bench.act(EditCommand::Undo);
    bench.settle();
    assert!(labels(&bench).is_empty(), "it is one step");
    bench.select(Some([0.5, 1.0]), None);
    assert_eq!(find(&mut bench).1, "1 note found and labelled.");
    bench.select(Some([0.0, 0.05]), None);
    assert_eq!(find(&mut bench).1, "No notes found.");
}
