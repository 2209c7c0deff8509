//! Time cut and added in the window: by key, what moves with it, and what comes back.

use crate::support::measure::strongest_tone;
use crate::support::program::Place;
use crate::support::studio::{Bench, CTRL, Drawing, NONE};
use egui::{Key, Modifiers};
use sonobrush::base::Progress;
use sonobrush::document::brushes::{Brush, CloneSource, Follows, Gain, TimeStretch};
use sonobrush::document::{Channels, Edit, Script, Snapshot, export};
use sonobrush::dsp::warps::peak_locking::LockedPeaks;
use sonobrush::dsp::{Axis, Selection, StftParams};
use sonobrush::media::{ExportFormat, Source};
use sonobrush::workbench::commands::{ClipboardCommand, EditCommand, PlayCommand};
use sonobrush::workbench::{DocumentAct, ExportOptions, OpenDocument, Purpose, Reply, StretchOptions};

const RATE: f64 = 16_000.0;
const BOTH: Modifiers = Modifiers { ctrl: true, shift: true, command: true, ..Modifiers::NONE };

/// Four seconds, each a tone of its own: 400, 500, 600 and 700 Hz.
fn sound() -> Snapshot {
    let at = |k: usize| {
        let t = k as f64 / RATE;
        (0.4 * (std::f64::consts::TAU * (400.0 + 100.0 * t.floor()) * t).sin()) as f32
    };
    let channel: Vec<f32> = (0..4 * RATE as usize).map(at).collect();
    let other = channel.iter().map(|sample| 0.5 * sample).collect();
    Snapshot::new(Source::from_channels(vec![channel, other], RATE as u32).unwrap())
}

fn bench() -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(sound());
    bench
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn secs(bench: &Bench) -> f64 {
    document(bench).duration_secs()
}

/// The tone in the middle of a second.
fn hz_at(bench: &Bench, second: f64) -> f64 {
    let samples = bench.samples(0);
    let from = ((second + 0.3) * RATE) as usize;
    strongest_tone(&samples[from..from + (0.4 * RATE) as usize], RATE, 300.0, 800.0).hz
}

fn tones(bench: &Bench) -> Vec<i32> {
    (0..secs(bench).round() as usize).map(|second| (hz_at(bench, second as f64) / 100.0).round() as i32).collect()
}

#[test]
fn a_selected_range_is_cut_out_and_trimmed_to_by_one_key_each() {
    let mut bench = bench();
    bench.select(Some([1.0, 2.0]), None);
    bench.key(CTRL, Key::Delete);
    assert_eq!(tones(&bench), [4, 6, 7]);
    assert!(document(&bench).selection().is_none());
    assert!(bench.notices().iter().any(|(_, what)| what.contains("Cut 1.000 s")), "{:?}", bench.notices());
    bench.key(CTRL, Key::Z);
    assert_eq!(tones(&bench), [4, 5, 6, 7]);
    assert_eq!(document(&bench).selected_secs(), Some([1.0, 2.0]), "what was selected is again");
    bench.key(CTRL, Key::T);
    assert_eq!(tones(&bench), [5]);
    bench.key(CTRL, Key::Z);
    bench.key(BOTH, Key::Z);
    assert_eq!(tones(&bench), [5]);
}

#[test]
fn what_is_no_range_of_time_is_not_cut() {
    let mut bench = bench();
    bench.select(Some([1.0, 2.0]), Some([300.0, 900.0]));
    for command in [EditCommand::DeleteTime, EditCommand::KeepTime, EditCommand::DuplicateTime, EditCommand::SplitToNew]
    {
        bench.act(command);
        assert!(bench.notices().iter().any(|(_, what)| what == "Select a time range to cut."), "{command:?}");
    }
    bench.act(ClipboardCommand::CutAndClose);
    assert_eq!((document(&bench).history().position(), secs(&bench)), (0, 4.0));
    bench.select(None, None);
    bench.key(CTRL, Key::A);
    bench.key(CTRL, Key::Delete);
    assert!(
        bench.notices().iter().any(|(_, what)| what.contains("This would leave nothing.")),
        "{:?}",
        bench.notices()
    );
}

#[test]
fn what_is_cut_and_closed_is_inserted_elsewhere() {
    let mut bench = bench();
    bench.select(Some([0.0, 1.0]), None);
    bench.key(BOTH, Key::X);
    assert_eq!(tones(&bench), [5, 6, 7]);
    bench.put_cursor(2.0);
    bench.key(BOTH, Key::I);
    assert_eq!(tones(&bench), [5, 6, 4, 7]);
    assert_eq!(document(&bench).selected_secs(), Some([2.0, 3.0]), "it is selected");
    for channel in 0..2 {
        let (samples, level) = (bench.samples(channel), [0.4, 0.2][channel]);
        let loudest = samples[35_000..45_000].iter().fold(0.0f32, |max, sample| max.max(sample.abs()));
        assert!((loudest - level).abs() < 0.01, "channel {channel}: {loudest}");
    }
    bench.act(EditCommand::DuplicateTime);
    bench.settle();
    assert_eq!(tones(&bench), [5, 6, 4, 4, 7]);
    assert_eq!(document(&bench).selected_secs(), Some([3.0, 4.0]), "the copy is selected");
}

#[test]
fn silence_is_inserted_by_a_card() {
    let mut bench = bench();
    bench.select(None, None);
    bench.put_cursor(1.0);
    bench.key(BOTH, Key::M);
    assert!(bench.has("Insert silence"));
    bench.key(NONE, Key::Enter);
    bench.settle();
    assert_eq!(secs(&bench), 5.0);
    let samples = bench.samples(1);
    assert!(samples[16_080..31_920].iter().all(|sample| *sample == 0.0));
    assert_eq!(document(&bench).selected_secs(), Some([1.0, 2.0]));
    bench.act(Reply::InsertSilence([9.0, 1.0]));
    bench.settle();
    assert!(bench.notices().iter().any(|(_, what)| what.contains("past the end")), "{:?}", bench.notices());
    assert_eq!(secs(&bench), 5.0);
}

#[test]
fn the_cursor_and_the_view_stay_at_their_moments() {
    let mut bench = bench();
    bench.put_cursor(3.5);
    bench.set_view(|view| view.secs = [2.5, 3.5]);
    bench.select(Some([1.0, 2.0]), None);
    bench.key(CTRL, Key::Delete);
    assert_eq!((document(&bench).cursor_secs(), document(&bench).view().secs), (2.5, [1.5, 2.5]));
    bench.key(CTRL, Key::Z);
    assert_eq!((document(&bench).cursor_secs(), document(&bench).view().secs), (3.5, [2.5, 3.5]));
    // An edit that begins before the view and ends in it leaves it where it is.
    bench.select(Some([2.0, 3.0]), None);
    bench.key(CTRL, Key::Delete);
    assert_eq!(
        (document(&bench).cursor_secs(), document(&bench).view().secs[0]),
        (2.5, 2.0),
        "as far as there is sound"
    );
    bench.key(CTRL, Key::Z);
    bench.put_cursor(2.3);
    bench.key(BOTH, Key::Z);
    assert_eq!(document(&bench).cursor_secs(), 2.0, "what was cut is where the join is");
}

#[test]
fn playing_goes_on_at_the_same_moment() {
    let mut bench = bench();
    bench.put_cursor(3.0);
    bench.act(PlayCommand::PlayStop);
    assert!(bench.studio().workbench().transport().status.playing);
    bench.select(Some([0.5, 1.5]), None);
    bench.key(CTRL, Key::Delete);
    let at = bench.studio().workbench().transport().playhead_secs().unwrap();
    assert!((2.0..2.9).contains(&at), "{at}");
    bench.key(CTRL, Key::Z);
    let at = bench.studio().workbench().transport().playhead_secs().unwrap();
    assert!((3.0..3.9).contains(&at), "{at}");
    // What was playing is cut: it goes on at the join.
    bench.select(Some([2.5, 3.95]), None);
    bench.key(CTRL, Key::Delete);
    let transport = bench.studio().workbench().transport();
    assert!(transport.status.playing);
    let at = transport.playhead_secs().unwrap();
    assert!((2.4..2.54).contains(&at), "{at}");
}

#[test]
fn a_range_becomes_a_document_of_its_own() {
    let mut bench = bench();
    let path = bench.out("split.wav");
    export(&sound(), &path, ExportFormat::Pcm16, None, &Progress::new()).unwrap();
    bench.open(path);
    bench.settle();
    let n_tabs = bench.studio().workbench().documents().len();
    bench.select(Some([2.0, 3.0]), None);
    bench.act(EditCommand::SplitToNew);
    bench.settle();
    assert_eq!(bench.studio().workbench().documents().len(), n_tabs + 1);
    assert!(document(&bench).name().contains("split.wav, from 0:02.000"), "{}", document(&bench).name());
    assert_eq!(tones(&bench), [6], "{:?}", document(&bench).history().entries().len());
    bench.key(CTRL, Key::Z);
    assert_eq!(tones(&bench), [4, 5, 6, 7], "its own history leads back to all of it");
}

#[test]
fn stretched_sound_is_placed_over_what_follows_or_pushes_it() {
    for pushes in [true, false] {
        let mut bench = bench();
        bench.select(Some([1.0, 2.0]), None);
        bench.act(Reply::Stretch(StretchOptions { percent: 200.0, replaces: true, selected_secs: 1.0 }));
        bench.settle();
        assert!(bench.has("Overlap") && bench.has("Push"));
        if pushes {
            bench.click("Push");
            bench.settle();
            assert_eq!(tones(&bench), [4, 5, 5, 6, 7]);
            assert_eq!(document(&bench).selected_secs(), Some([1.0, 3.0]));
            bench.key(CTRL, Key::Z);
            assert_eq!(tones(&bench), [4, 5, 6, 7]);
        } else {
            bench.key(NONE, Key::Enter);
            bench.settle();
            // What follows lies beneath, so either may be the louder in the third second.
            let found = tones(&bench);
            assert_eq!((found.len(), found[1], found[3]), (4, 5, 7));
        }
        assert_eq!(document(&bench).history().entries().len(), 2, "one step");
    }
}

/// What the window exports after cuts, an insertion, a stretch that pushes, a clone and an edit of the side is what
/// `paint` makes of the file with the script of its history.
#[test]
fn the_script_of_a_history_makes_the_same_file() {
    let place = Place::new();
    export(&sound(), &place.path("in.wav"), ExportFormat::Pcm16, None, &Progress::new()).unwrap();
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.open(place.path("in.wav"));
    bench.settle();
    bench.select(Some([1.0, 1.5]), None);
    bench.key(CTRL, Key::Delete);
    bench.select(Some([0.2, 0.5]), None);
    bench.key(CTRL, Key::C);
    bench.put_cursor(2.25);
    bench.key(BOTH, Key::I);
    let over = |brush: Brush, secs, channels| {
        let select = Some(Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear));
        DocumentAct::Edit(Box::new(Edit { select, channels, ..Edit::of(brush, StftParams::default()) }))
    };
    let stretch =
        TimeStretch { percent: 130.0, keeps_original: false, follows: Follows::Push, peaks: LockedPeaks::Narrow };
    bench.act(over(stretch.into(), [0.6, 1.1], Channels::All));
    bench.act(over(CloneSource { offset: [0.8, 0.0] }.into(), [1.2, 1.5], Channels::All));
    bench.act(over(Gain { gain_db: -9.0 }.into(), [0.3, 2.9], Channels::Side));
    bench.settle();
    let purpose = Purpose::Export(ExportOptions::default());
    bench.act(Reply::Path { purpose, path: place.path("window.wav"), replaces: None });
    bench.settle();
    let entries = document(&bench).history().entries();
    let mut edits: Vec<Edit> = entries.iter().filter_map(|entry| entry.edit.clone()).collect();
    assert_eq!(edits.len(), 5, "{:?}", bench.notices());
    let painted = |edits: &[Edit]| {
        place.write("history.json", Script::from(edits.to_vec()).to_json());
        place.done(&["paint", "in.wav", "--script", "history.json", "--engine", "cpu", "-o", "painted.wav"]);
        place.read("painted.wav")
    };
    assert!(place.read("window.wav") == painted(&edits));
    edits[4].brush = Gain { gain_db: -8.0 }.into();
    assert!(place.read("window.wav") != painted(&edits), "the comparison can fail");
}
