//! Documents with a history, as sessions and projects keep them.

use base::Progress;
use document::labels::{Label, LabelSet};
use document::session::{ProjectFile, Restored, SampleStorage, SessionState, SourceError, SourceSearch, open_project};
use document::{History, Script, Snapshot, apply};
use dsp::{Axis, Selection, StftParams};
use engine::Engine;
use media::{OpenOptions, Source};
use std::path::Path;

/// Edits of several kinds, small and fast, the fourth of which lengthens the sound.
pub const SCRIPT: &str = r#"{"version": 1, "edits": [
  {"brush": {"kind": "gain", "gain_db": -24.0}, "select": {"time": [0.10, 0.13], "frequency": [200.0, 5000.0]}},
  {"brush": {"kind": "erase"}, "channels": [0], "select": {"time": [0.20, 0.22]}},
  {"brush": {"kind": "noise", "level_db": -40.0, "seed": 7}, "select": {"time": [0.30, 0.32]}},
  {"brush": {"kind": "lengthen", "secs": 0.25}},
  {"brush": {"kind": "tone", "level_db": -20.0},
   "stroke": {"points": [[0.41, 440.0, 1.0], [0.44, 880.0, 0.5]], "axis": "log", "radius": [0.01, 0.25]}},
  {"brush": {"kind": "erase"}, "select": {"time": [0.10, 0.12]}}]}"#;

/// Half a second of two channels of noise and a tone, as a 16-bit WAV file.
pub fn write_wav(path: &Path) {
    let n = 24_000;
    let mut state = 1u32;
    let mut noise = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 20) as f32 / 4096.0 - 0.5
    };
    let channels = (0..2).map(|channel| {
        let hz = 440.0 * (channel + 1) as f32;
        (0..n).map(|i| 0.4 * (i as f32 / 48_000.0 * hz * std::f32::consts::TAU).sin() + 0.05 * noise()).collect()
    });
    let snapshot = Snapshot::new(Source::from_channels(channels.collect(), 48_000).unwrap());
    let format = media::ExportFormat::Pcm16;
    document::export(&snapshot, path, format, None, &Progress::new()).unwrap();
}

/// Two labels, a marker and a range.
pub fn labels() -> LabelSet {
    let range = Label { low_hz: Some(200.0), ..Label::new([0.2, 0.3], "Strophe \u{e4}\n2") };
    LabelSet::of(vec![Label::new([0.1; 2], "hit"), range]).unwrap()
}

/// A sound with labels and with the script's edits, two of them undone.
pub fn painted(source: Source) -> History {
    let mut history = History::labelled(Snapshot::new(source), labels());
    for edit in Script::parse(SCRIPT).unwrap().edits {
        let applied = apply(history.current(), &edit, &Engine::cpu(), &Progress::new()).unwrap();
        history.push(edit, applied.snapshot);
        history.note_consistency(applied.report.consistency_db);
    }
    history.go_to(4);
    history
}

pub fn desk() -> SessionState {
    let mut desk = SessionState::of_rate(48_000.0);
    desk.transform = StftParams { n_fft: 1024, hop: 256, ..*desk.transform.as_stft().unwrap() }.into();
    desk.view = r#"{"axis":"mel"}"#.into();
    desk.selection = Some(Selection::rectangle(Some([0.1, 0.2]), Some([300.0, 4000.0]), [0.01, 50.0], Axis::Linear));
    desk
}

pub fn room(folder: &Path) -> SampleStorage {
    let sound = OpenOptions { scratch_folder: folder.to_path_buf(), ..OpenOptions::default() };
    SampleStorage { budget_bytes: 64 << 20, folder: folder.to_path_buf(), sound }
}

/// Opens a project with a folder for what it contains.
pub fn open(path: &Path, finding: &SourceSearch) -> Result<(Restored, ProjectFile), SourceError> {
    let folder = path.parent().unwrap();
    open_project(path, finding, &room(folder), &folder.join("contained"), &Progress::new())
}

/// All samples of a snapshot, as bits, channel after channel.
pub fn bits(snapshot: &Snapshot) -> Vec<u32> {
    let mut all = Vec::new();
    for channel in 0..snapshot.n_channels() {
        let mut samples = vec![0.0; snapshot.n_samples() as usize];
        snapshot.read(channel, 0, &mut samples).unwrap();
        all.extend(samples.iter().map(|sample| sample.to_bits()));
    }
    all
}

/// Every step with its edit, its sound to the bit, and the position.
pub fn assert_same(found: &History, wanted: &History) {
    assert_eq!(found.position(), wanted.position());
    assert_eq!(found.entries().len(), wanted.entries().len());
    for (step, (found, wanted)) in found.entries().iter().zip(wanted.entries()).enumerate() {
        assert_eq!(found.edit, wanted.edit, "step {step}");
        assert_eq!(found.labels, wanted.labels, "step {step}");
        assert_eq!(found.consistency_db, wanted.consistency_db, "step {step}");
        assert!(bits(&found.snapshot) == bits(&wanted.snapshot), "step {step}");
    }
}
