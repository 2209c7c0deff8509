//! The beat grid in sessions and projects.

use base::Progress;
use document::BeatGrid;
use document::session::{
    Place, SessionFolder, SessionStart, SessionState, SessionWriter, SourceSearch, open_session, save_new_project,
};
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;
use support::opened::folder;
use support::sessions::{assert_same, desk, open, painted, room, write_wav};

const TIMEOUT: Duration = Duration::from_secs(30);

fn with_beat(beat: Option<BeatGrid>) -> SessionState {
    SessionState { beat, ..desk() }
}

fn sound(place: &Path) -> document::History {
    let source = place.join("in.wav");
    write_wav(&source);
    painted(media::Source::open(&source, &Progress::new()).unwrap().source)
}

#[test]
fn every_number_must_lie_within_its_bounds() {
    for (tempo_bpm, beats, first_secs) in [
        (19.99, 4, 0.0),
        (400.01, 4, 0.0),
        (f64::NAN, 4, 0.0),
        (120.0, 0, 0.0),
        (120.0, 17, 0.0),
        (120.0, 4, -0.001),
        (120.0, 4, 86_400.1),
        (120.0, 4, f64::INFINITY),
    ] {
        assert!(BeatGrid::new(tempo_bpm, beats, first_secs).is_err(), "{tempo_bpm} {beats} {first_secs}");
    }
    for (tempo_bpm, beats, first_secs) in [(20.0, 1, 0.0), (400.0, 16, 86_400.0)] {
        assert!(BeatGrid::new(tempo_bpm, beats, first_secs).is_ok());
    }
    // 90 beats a minute are a beat every two thirds of a second.
    let grid = BeatGrid::new(90.0, 4, 0.5).unwrap();
    assert!((grid.secs_at(6.0) - 4.5).abs() < 1e-12 && (grid.beats_at(4.5) - 6.0).abs() < 1e-12);
    assert!((grid.nearest_secs(1.4, 1.0) - (0.5 + 2.0 / 3.0)).abs() < 1e-12);
    assert!((grid.nearest_secs(0.1, 0.5) - (0.5 - 1.0 / 3.0)).abs() < 1e-12, "before the first bar, too");
}

#[test]
fn it_comes_back_from_a_project_a_killed_session_and_its_save() {
    let place = folder();
    let grid = BeatGrid::new(103.456_789, 7, 0.123_456_789).unwrap();
    let (history, path) = (sound(place.path()), place.path().join("p.sonobrush"));
    save_new_project(&path, &history, &with_beat(Some(grid)), None, false, &Progress::new()).unwrap();
    let (restored, _) = open(&path, &SourceSearch::default()).unwrap();
    assert_eq!((restored.desk.beat, restored.damage.is_none()), (Some(grid), true));
    assert_same(&restored.history, &history);
    let begin = SessionStart {
        place: Place::New(place.path().join("state")),
        history: restored.history,
        desk: with_beat(None),
        source: Some(restored.source),
        project: None,
    };
    let mut writer = SessionWriter::start(begin, || ());
    writer.set_desk(with_beat(Some(grid)));
    assert!(writer.flush(TIMEOUT));
    // Copies the session while it is open, which is the state that a killed process leaves behind.
    let killed = |name: &str| {
        let copy = place.path().join("state/sessions").join(name);
        std::fs::create_dir_all(&copy).unwrap();
        for entry in std::fs::read_dir(writer.folder().unwrap()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
        }
        let folder = SessionFolder::adopt(&copy).unwrap();
        open_session(&folder, &SourceSearch::default(), &room(place.path()), &Progress::new()).unwrap().desk.beat
    };
    assert_eq!(killed("1-1-1"), Some(grid));
    let copy = place.path().join("copy.sonobrush");
    writer.save(&copy, false, None).wait(&Progress::new()).unwrap();
    assert_eq!(open(&copy, &SourceSearch::default()).unwrap().0.desk.beat, Some(grid));
    writer.end();
}

#[test]
fn a_project_without_one_has_none_and_a_damaged_one_costs_nothing_else() {
    let place = folder();
    let (history, path) = (sound(place.path()), place.path().join("p.sonobrush"));
    save_new_project(&path, &history, &with_beat(None), None, false, &Progress::new()).unwrap();
    assert_eq!(open(&path, &SourceSearch::default()).unwrap().0.desk.beat, None);
    // A project of the previous version, which had no such table.
    let old = place.path().join("old.sonobrush");
    std::fs::copy(support::root().join("tests/golden/version_1.sonobrush"), &old).unwrap();
    let (restored, _) = open(&old, &SourceSearch::default()).unwrap();
    assert_eq!((restored.version, restored.desk.beat, restored.damage), (1, None, None));
    let grid = BeatGrid::new(120.0, 4, 0.0).unwrap();
    for (n, change) in ["bpm = 130", "bpm = 1e9", "beats = 0", "beats = 1000000", "first_secs = -1", "seal = x'00'"]
        .into_iter()
        .enumerate()
    {
        let path = place.path().join(format!("{n}.sonobrush"));
        save_new_project(&path, &history, &with_beat(Some(grid)), None, false, &Progress::new()).unwrap();
        Connection::open(&path).unwrap().execute(&format!("UPDATE grid SET {change}"), []).unwrap();
        let (restored, _) = open(&path, &SourceSearch::default()).unwrap();
        let reason = restored.damage.unwrap_or_else(|| panic!("{change} is not noticed"));
        assert!(reason.message().starts_with("is damaged: "), "{change}: {reason}");
        assert_eq!(restored.desk.beat, None, "{change}");
        assert_same(&restored.history, &history);
    }
}
