//! Rules for work whose document is closed, that is cancelled, or that fails. Each rule has one test over all orders
//! (`JobQueue`), and one over all results that follow the display (`Latest`).

mod followers;
mod orders;

use crate::services::services;
use document::Edit;
use document::brushes::LabelsEdit;
use document::labels::Label;
use dsp::{Axis, Selection, StftParams};
use engine::Engine;
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::wav::{Format, Wav};
use workbench::{
    Act, BenchEvent, Budgets, DocumentAct, ExportOptions, ExportQuery, FileAct, Jobs, OpenDocument, Purpose, Reply,
    Severity, Then, Workbench,
};

const RATE: u32 = 16_000;
/// Selected and labelled range in seconds; the sound repeats it 1 s later.
const SELECTED: [f64; 2] = [0.25, 0.5];
/// Generous, since threads that write settings and state may wait on a busy machine.
const MAX_SETTLING: Duration = Duration::from_secs(60);

struct TestBench {
    bench: Workbench,
    jobs: Jobs,
    folder: tempfile::TempDir,
    /// Folder that orders write to.
    output: PathBuf,
    events: Vec<BenchEvent>,
    /// Time at which the spectrum is shown.
    spectrum_secs: f64,
    /// Options on the export card.
    export: ExportOptions,
}

impl TestBench {
    /// A workbench with 2 s of noise that repeats after 1 s, read from a file on disk, with a label and a selection.
    fn new() -> TestBench {
        let folder = tempfile::tempdir().unwrap();
        let services = services(folder.path());
        let jobs = services.jobs.clone();
        let bench = Workbench::new(services, Engine::cpu());
        let output = folder.path().to_path_buf();
        let (events, export) = (Vec::new(), ExportOptions::default());
        let mut desk = TestBench { bench, jobs, folder, output, events, spectrum_secs: 0.5, export };
        desk.bench.act(FileAct::Limit(Budgets { source_bytes: 0, ..Budgets::default() }));
        desk.bench.act(FileAct::AllowSavingBack);
        desk.open("sound.wav");
        desk
    }

    fn open(&mut self, name: &str) {
        let path = self.folder.path().join(name);
        let mut random = support::signals::Rng(7);
        let second: Vec<i64> = (0..RATE).map(|_| (random.bits() >> 41) as i64 - (1 << 22)).collect();
        let wav = Wav { format: Format::Pcm(24), rate: RATE, channels: vec![[second.clone(), second].concat(); 2] };
        wav.write(&path);
        self.act(FileAct::Open(vec![path]));
        let label = Label { id: 1, ..Label::new(SELECTED, "hiss") };
        let labels = LabelsEdit { set: vec![label], remove: Vec::new() };
        self.act(DocumentAct::Edit(Box::new(Edit::of(labels, StftParams::default()))));
        self.act(DocumentAct::Select(Some(selection(SELECTED))));
        self.events.clear();
    }

    /// Overwrites the file of the sound, which then can't be read.
    fn break_sound(&mut self) {
        // Modification times of files have a resolution of some milliseconds.
        std::thread::sleep(Duration::from_millis(20));
        let path = self.folder.path().join("sound.wav");
        let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(1_000)).unwrap();
        file.write_all(b"not ours").unwrap();
    }

    /// Sets the output folder to a missing one, so that writing fails.
    fn break_output(&mut self) {
        self.output = self.folder.path().join("missing");
    }

    fn frame(&mut self) {
        self.bench.advance();
        self.bench.play();
        // The panels send these once a frame.
        self.bench.act(DocumentAct::FollowSpectrum(Some(self.spectrum_secs)));
        self.bench.follow_export(Some(ExportQuery::File(&self.export, "forecast.wav")));
        self.events.extend(self.bench.take_events());
    }

    /// Advances until idle; returns the number of jobs run.
    fn settle(&mut self) -> usize {
        let (mut n_run, began) = (0, Instant::now());
        while began.elapsed() < MAX_SETTLING {
            self.frame();
            match self.jobs.run_until_idle() {
                0 if self.bench.is_idle() => return n_run,
                n => n_run += n,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("the workbench does not settle");
    }

    fn act(&mut self, act: impl Into<Act>) {
        self.bench.act(act);
        self.settle();
    }

    fn document(&self) -> Option<&OpenDocument> {
        self.bench.document()
    }

    fn id(&self) -> u64 {
        self.document().unwrap().id()
    }

    /// Closes the document without asking the user and without advancing a frame.
    fn close(&mut self) {
        let document = self.id();
        self.bench.act(Reply::Discard { document, then: Then::Close(document) });
    }

    fn messages(&self) -> Vec<String> {
        self.bench.notices().all().iter().map(|notice| notice.words()).collect()
    }

    fn n_errors(&self) -> usize {
        self.bench.notices().all().iter().filter(|notice| notice.severity == Severity::Error).count()
    }

    fn out(&self, n: usize, ending: &str) -> PathBuf {
        self.output.join(format!("out-{n}{ending}"))
    }

    fn n_written(&self, ending: &str) -> usize {
        (0..2).filter(|&n| self.out(n, ending).exists()).count()
    }

    fn n_events(&self, is_it: impl Fn(&BenchEvent) -> bool) -> usize {
        self.events.iter().filter(|event| is_it(event)).count()
    }

    /// Writes to a file, replacing any that exists.
    fn write(&mut self, purpose: fn(u64) -> Purpose, n: usize, ending: &str) {
        let (purpose, path) = (purpose(self.id()), self.out(n, ending));
        self.bench.act(Reply::Path { purpose, replaces: Some(path.clone()), path });
    }
}

fn selection(secs: [f64; 2]) -> Selection {
    Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear)
}
