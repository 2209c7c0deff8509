//! Sounds dragged out of the window become files; dropped on the window itself, they become pastes.

use super::services::services;
use base::Folders;
use document::Snapshot;
use document::brushes::{Gain, LabelsEdit};
use document::labels::Label;
use document::labels::formats::labels_of_sound;
use document::session::{GeneratedSound, SoundFolder};
use document::{Edit, erasing};
use dsp::{Axis, Selection, Transform};
use engine::Engine;
use media::Source;
use std::path::{Path, PathBuf};
use support::heard::amplitude;
use support::signals::tone;
use support::wav::{Format, Wav};
use workbench::commands::ClipboardCommand;
use workbench::{
    Act, BenchEvent, DocumentAct, DragOutAct, Draggable, FileAct, Jobs, OpenDocument, Reply, Then, Workbench,
};

const RATE: u32 = 16_000;

struct TestBench {
    bench: Workbench,
    jobs: Jobs,
    folder: tempfile::TempDir,
}

impl TestBench {
    fn new() -> TestBench {
        TestBench::in_folder(tempfile::tempdir().unwrap())
    }

    fn in_folder(folder: tempfile::TempDir) -> TestBench {
        let services = services(folder.path());
        let jobs = services.jobs.clone();
        TestBench { bench: Workbench::new(services, Engine::cpu()), jobs, folder }
    }

    /// A workbench with a 24-bit stereo file of 2 s of noise; also returns the path and content of the file.
    fn with_noise() -> (TestBench, PathBuf, Wav) {
        let mut desk = TestBench::new();
        let mut random = support::signals::Rng(7);
        let mut noise = || (0..2 * RATE).map(|_| (random.bits() >> 41) as i64 - (1 << 22)).collect::<Vec<i64>>();
        let wav = Wav { format: Format::Pcm(24), rate: RATE, channels: vec![noise(), noise()] };
        let path = desk.folder.path().join("Grüße 1.wav");
        wav.write(&path);
        desk.open(&path);
        (desk, path, wav)
    }

    /// A workbench with 2 s of two tones, 500 Hz and 3 kHz.
    fn with_tones() -> TestBench {
        let mut desk = TestBench::new();
        let (low, high) = (tone(32_000, 16_000.0, 500.0, 0.2), tone(32_000, 16_000.0, 3_000.0, 0.3));
        let both = low.iter().zip(high).map(|(low, high)| low + high).collect();
        desk.bench.act(FileAct::Show(Snapshot::new(Source::from_channels(vec![both], RATE).unwrap())));
        desk.settle();
        desk
    }

    fn open(&mut self, path: &Path) {
        self.bench.act(FileAct::Open(vec![path.to_owned()]));
        self.settle();
    }

    /// Advances until idle.
    fn settle(&mut self) {
        for _ in 0..1000 {
            self.bench.advance();
            self.bench.play();
            if self.jobs.run_until_idle() == 0 && self.bench.is_idle() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("the workbench does not settle");
    }

    fn act(&mut self, act: impl Into<Act>) {
        self.bench.act(act);
        self.settle();
    }

    fn document(&self) -> &OpenDocument {
        self.bench.document().unwrap()
    }

    fn select(&mut self, secs: Option<[f64; 2]>, hz: Option<[f64; 2]>) {
        // With soft edges, as a selection drawn by the user has.
        self.act(DocumentAct::Select(Some(Selection::rectangle(secs, hz, [0.008, 30.0], Axis::Linear))));
    }

    /// Drags `what` out of the window; returns the file, if any.
    fn dragged(&mut self, what: Draggable) -> Option<PathBuf> {
        self.bench.take_events();
        self.act(DragOutAct::Begin(what));
        self.given()
    }

    fn given(&mut self) -> Option<PathBuf> {
        let given = self.bench.take_events().into_iter().filter_map(|event| match event {
            BenchEvent::DragOut(path) => Some(path),
            _ => None,
        });
        let given: Vec<PathBuf> = given.collect();
        assert!(given.len() <= 1, "{given:?}");
        given.into_iter().next()
    }

    fn whole(&self) -> Draggable {
        Draggable::Document(self.document().id())
    }

    fn messages(&self) -> Vec<String> {
        self.bench.notices().all().iter().map(|notice| notice.what.clone()).collect()
    }

    /// Number of entries in the folder of sounds dragged out.
    fn n_kept(&self) -> usize {
        let own = std::fs::read_dir(Folders::in_folder(self.folder.path()).state().join("dragged-out"));
        own.into_iter().flatten().count()
    }
}

fn gain(db: f64, secs: [f64; 2], document: &OpenDocument) -> Edit {
    let selection = Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear);
    let erased = erasing(selection, document.view().channels.edited(), document.view().transform.clone());
    Edit { brush: Gain { gain_db: db }.into(), ..erased }
}

#[test]
fn a_time_goes_out_with_the_bits_of_its_source() {
    let (mut desk, _, wav) = TestBench::with_noise();
    desk.select(Some([0.25, 0.75]), None);
    let path = desk.dragged(Draggable::Selection).unwrap();
    assert_eq!(path.file_name().unwrap(), "Grüße 1-part.wav");
    let channels = wav.channels.iter().map(|channel| channel[4_000..12_000].to_vec()).collect();
    assert_eq!(Wav::read(&path), Wav { channels, ..wav });
    // The file is written once, and kept until the program ends.
    assert_eq!(desk.dragged(Draggable::Selection).unwrap(), path);
    assert_eq!(desk.n_kept(), 1);
    desk.select(Some([0.25, 0.5]), None);
    let other = desk.dragged(Draggable::Selection).unwrap();
    assert!(other != path && path.exists() && desk.n_kept() == 2);
    desk.bench.end(true);
    assert_eq!(desk.n_kept(), 0, "a file stays after the end");
}

#[test]
fn a_band_goes_out_alone() {
    let mut desk = TestBench::with_tones();
    desk.select(Some([0.5, 1.5]), Some([2_000.0, 4_000.0]));
    let wav = Wav::read(&desk.dragged(Draggable::Selection).unwrap());
    assert_eq!((wav.format, wav.rate), (Format::F32, RATE));
    let samples: Vec<f32> = wav.channels[0].iter().map(|bits| f32::from_bits(*bits as u32)).collect();
    // The file covers the selected second with a short margin.
    assert!((16_000..20_000).contains(&samples.len()), "{} samples", samples.len());
    let middle = &samples[samples.len() / 2 - 4_000..samples.len() / 2 + 4_000];
    // `amplitude` assumes a sample rate of 48 kHz.
    let level = |hz: f64| amplitude(middle, hz * 48_000.0 / f64::from(RATE));
    let (high, low) = (level(3_000.0), level(500.0));
    assert!((high - 0.3).abs() < 0.003 && low < 0.0003, "3 kHz at {high}, 500 Hz at {low}");
}

#[test]
fn a_tab_goes_out_as_its_own_file_until_it_is_edited() {
    let (mut desk, path, wav) = TestBench::with_noise();
    assert_eq!(desk.dragged(desk.whole()).unwrap(), path);
    assert_eq!(desk.n_kept(), 0, "nothing was to be written");
    let edit = gain(-6.0, [0.5, 1.0], desk.document());
    // The edit is not applied yet when the drag begins.
    desk.bench.act(DocumentAct::Edit(Box::new(edit)));
    let edited = desk.dragged(desk.whole()).unwrap();
    assert_eq!(edited.file_name().unwrap(), "Grüße 1-edited.wav");
    let found = Wav::read(&edited);
    assert_eq!((found.format, found.channels[0].len()), (wav.format, wav.channels[0].len()));
    for (after, before) in found.channels.iter().zip(&wav.channels) {
        assert!(after[..5_900] == before[..5_900] && after[18_100..] == before[18_100..], "the rest was changed");
        let quieter = 10.0_f64.powf(-6.0 / 20.0);
        let off = (10_100..13_900).map(|at| (after[at] as f64 - quieter * before[at] as f64).abs()).fold(0.0, f64::max);
        assert!(off <= 64.0, "off by {off} of 24 bits");
    }
}

#[test]
fn what_goes_out_has_the_labels_that_it_is_named_by() {
    let (mut desk, path, wav) = TestBench::with_noise();
    let put = |id: u64, secs: [f64; 2], text: &str| {
        let set = vec![Label { id, ..Label::new(secs, text) }];
        DocumentAct::Edit(Box::new(Edit::of(LabelsEdit { set, remove: Vec::new() }, Transform::default())))
    };
    let labels = |path: &Path| {
        let source = Source::open(path, &base::Progress::new()).unwrap().source;
        let (labels, _) = labels_of_sound(&source);
        labels.iter().map(|label| (label.secs, label.text.to_string())).collect::<Vec<_>>()
    };
    desk.act(put(1, [0.5, 1.0], "call"));
    assert_eq!(desk.document().history().labels().len(), 1, "{:?}", desk.messages());
    let whole = desk.dragged(desk.whole()).unwrap();
    assert!(whole != path && Wav::read(&whole).channels == wav.channels);
    assert_eq!(labels(&whole), [([0.5, 1.0], "call".to_owned())]);
    desk.select(Some([0.25, 1.25]), None);
    let part = desk.dragged(Draggable::Selection).unwrap();
    assert_eq!(labels(&part), [([0.25, 0.75], "call".to_owned())]);
    // After its label is renamed, the part is written again.
    desk.act(put(1, [0.5, 1.0], "song"));
    let again = desk.dragged(Draggable::Selection).unwrap();
    assert_eq!(labels(&again), [([0.25, 0.75], "song".to_owned())]);
    // Removing a label that does not exist is refused and changes nothing.
    let (n_steps, brush) = (desk.document().history().entries().len(), LabelsEdit { set: Vec::new(), remove: vec![9] });
    desk.act(DocumentAct::Edit(Box::new(Edit::of(brush, Transform::default()))));
    assert_eq!(desk.document().history().entries().len(), n_steps);
    assert!(desk.messages().iter().any(|what| what.contains("label 9 is not there")), "{:?}", desk.messages());
}

#[test]
fn a_sound_without_a_file_goes_out_whole() {
    let mut desk = TestBench::with_tones();
    let path = desk.dragged(desk.whole()).unwrap();
    assert_eq!(path.file_name().unwrap(), "Untitled.wav");
    let wav = Wav::read(&path);
    assert_eq!((wav.format, wav.channels[0].len()), (Format::F32, 32_000));
}

#[test]
fn what_takes_more_than_512_mb_is_left_to_export() {
    let mut desk = TestBench::new();
    let secs = (512 << 20) / 4 / 48_000 + 1;
    let long = Source::silence(secs * 48_000, 48_000, 1).unwrap();
    desk.act(FileAct::Show(Snapshot::new(long)));
    assert_eq!(desk.dragged(desk.whole()), None);
    let messages = desk.messages();
    assert!(messages.iter().any(|what| what.contains("Export in the File menu")), "{messages:?}");
    assert_eq!(desk.n_kept(), 0);
    // Control: a sound of 1 s is written.
    let whole = desk.whole();
    let Draggable::Document(id) = whole else { panic!("{whole:?}") };
    desk.act(Reply::Discard { document: id, then: Then::Close(id) });
    desk.act(FileAct::Show(Snapshot::new(Source::silence(48_000, 48_000, 1).unwrap())));
    assert!(desk.dragged(desk.whole()).is_some());
}

#[test]
fn over_the_window_itself_it_is_a_paste() {
    let mut desk = TestBench::with_tones();
    let before = samples(desk.document().history().current());
    desk.select(Some([0.25, 0.5]), None);
    assert!(desk.dragged(Draggable::Selection).is_some());
    desk.act(DragOutAct::Paste(1.0));
    let floating = desk.document().floating().expect("it floats");
    assert_eq!(floating.offset, [0.75, 0.0]);
    assert!(!desk.bench.facts().has_clip, "the clipboard is no part of it");
    desk.act(ClipboardCommand::LandPaste);
    let after = samples(desk.document().history().current());
    let secs = |at: usize| at as f64 / f64::from(RATE);
    // The selection has soft edges, and STFT frames extend beyond them: nothing is compared within a frame of an edge.
    let frame_secs = 0.07;
    for at in 0..32_000 {
        let is_near = [1.0, 1.25].iter().any(|edge| (secs(at) - edge).abs() < frame_secs);
        let added = if (1.0..1.25).contains(&secs(at)) { before[at - 12_000] } else { 0.0 };
        assert!(is_near || (after[at] - before[at] - added).abs() < 1e-4, "at {} s", secs(at));
    }
    // Pastes the whole document, also at hostile times: non-finite ones are refused, others clamped.
    assert!(desk.dragged(desk.whole()).is_some());
    for secs in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        desk.act(DragOutAct::Paste(secs));
        assert!(desk.document().floating().is_none(), "{secs}");
    }
    for (secs, from) in [(-1e300, 0.0), (1e300, 2.0), (f64::MIN_POSITIVE, 0.0)] {
        desk.act(DragOutAct::Paste(secs));
        assert_eq!(desk.document().floating().map(|floating| floating.offset[0]), Some(from), "{secs}");
        desk.act(Act::Cancel);
    }
}

fn samples(snapshot: &Snapshot) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(0, 0, &mut samples).unwrap();
    samples
}

#[test]
fn escape_while_it_is_written_leaves_nothing() {
    let (mut desk, ..) = TestBench::with_noise();
    desk.select(Some([0.25, 0.75]), None);
    desk.bench.take_events();
    desk.bench.act(DragOutAct::Begin(Draggable::Selection));
    desk.bench.act(Act::Cancel);
    desk.settle();
    assert_eq!((desk.given(), desk.n_kept()), (None, 0));
    assert!(desk.document().selection().is_some() && desk.messages().is_empty(), "{:?}", desk.messages());
    // Control: without Escape, the file is written.
    assert!(desk.dragged(Draggable::Selection).is_some());
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let desk = TestBench::new();
    let left = SoundFolder::create(Folders::in_folder(desk.folder.path()).state(), GeneratedSound::DraggedOut).unwrap();
    let sound = left.create_file("song-part.wav").unwrap();
    Wav { format: Format::Pcm(16), rate: RATE, channels: vec![vec![1; 160]] }.write(&sound);
    let TestBench { folder, .. } = desk;
    let mut desk = TestBench::in_folder(folder);
    // Files of a running process are kept; `left` holds the lock of the folder, as such a process would.
    desk.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
    assert!(sound.exists());
    drop(left);
    desk.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
    assert!(!sound.exists() && desk.n_kept() == 0);
}
