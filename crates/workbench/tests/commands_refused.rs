//! Commands and invalid input that the workbench refuses: each gives one sentence and changes nothing.

use super::services::services;
use document::brushes::{Gain, PitchShift};
use document::{Channels, Delivery, Edit, Snapshot};
use dsp::strokes::brush::Tone;
use dsp::{Axis, Denoise, NoiseSource, Point, Selection, Shape, StftParams, Stroke};
use engine::Engine;
use media::{ExportFormat, Source};
use std::path::Path;
use support::signals::{noise, tone};
use support::snapshots::{bits, samples};
use workbench::commands::{
    ClipboardCommand, EditCommand, FileCommand, FindCommand, PreviewCommand, Process, ToolCommand,
};
use workbench::{
    Act, DocumentAct, EditPreview, ExportOptions, FileAct, Jobs, NormaliseOptions, NoticeAct, Purpose, RecordAnswer,
    Reply, Seek, StretchOptions, Tool, Workbench, sentence,
};

const RATE: u32 = 16_000;
const SECS: f64 = 2.5;

/// State of the workbench when a command is given.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Given {
    NothingOpen,
    NothingSelected,
    Selected,
    SelectedPastTheEnd,
    SelectedSilence,
    NineChannels,
}

impl Given {
    fn sound(self) -> Option<Snapshot> {
        let n = (SECS * f64::from(RATE)) as usize;
        // A tone in quiet noise, in which searches find no hum and no clipped peaks.
        let channel = |seed| {
            let tone = tone(n, f64::from(RATE), 1_037.0, 0.3);
            tone.iter().zip(noise(n, 0.003, seed)).map(|(tone, noise)| tone + noise).collect()
        };
        let channels = match self {
            Given::NothingOpen => return None,
            Given::SelectedSilence => vec![vec![0.0; n]; 2],
            Given::NineChannels => vec![vec![0.25; 160]; 9],
            Given::NothingSelected | Given::Selected | Given::SelectedPastTheEnd => (1..=2).map(channel).collect(),
        };
        Some(Snapshot::new(Source::from_channels(channels, RATE).unwrap()))
    }

    fn selection(self) -> Option<Selection> {
        let secs = match self {
            Given::NothingOpen | Given::NothingSelected | Given::NineChannels => return None,
            Given::Selected | Given::SelectedSilence => [0.5, 1.5],
            Given::SelectedPastTheEnd => [9.0, 10.0],
        };
        Some(Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear))
    }
}

/// The user's state in a document: samples, length and position of the history, selection, and whether a paste floats.
type Kept = (Vec<Vec<u32>>, [usize; 2], Option<Selection>, bool);

struct TestBench {
    bench: Workbench,
    jobs: Jobs,
    given: Given,
    folder: tempfile::TempDir,
}

impl TestBench {
    fn new(given: Given) -> TestBench {
        let folder = tempfile::tempdir().unwrap();
        let services = services(folder.path());
        let jobs = services.jobs.clone();
        let mut desk = TestBench { bench: Workbench::new(services, Engine::cpu()), jobs, given, folder };
        if let Some(sound) = given.sound() {
            desk.bench.act(FileAct::Show(sound));
        }
        desk.settle();
        desk
    }

    /// Advances until idle.
    fn settle(&mut self) {
        for _ in 0..1_000 {
            self.bench.advance();
            self.bench.play();
            if self.jobs.run_until_idle() == 0 && self.bench.is_idle() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("the workbench does not settle");
    }

    fn kept(&self) -> Vec<Kept> {
        let of = |document: &workbench::OpenDocument| {
            let (sound, history) = (document.shown(), document.history());
            let channels = (0..sound.n_channels()).map(|channel| bits(&samples(sound, channel))).collect();
            let steps = [history.entries().len(), history.position()];
            (channels, steps, document.selection().cloned(), document.floating().is_some())
        };
        self.bench.documents().iter().map(of).collect()
    }

    /// All messages after an act: why a command is disabled, notices, and the canvas's text on a preview.
    fn messages(&mut self, act: Act) -> Vec<String> {
        let why = match &act {
            Act::Command(command) => command.enabled(&self.bench.facts()).err(),
            _ => None,
        };
        self.bench.act(act);
        self.settle();
        let notices = self.bench.notices().all().iter().map(|notice| notice.words());
        let preview = self.bench.document().and_then(|document| document.open_preview());
        let of_preview = |preview: &EditPreview| {
            let why = preview.fault().map(|fault| fault.message()).or(preview.notice());
            why.map(sentence)
        };
        why.map(String::from).into_iter().chain(notices).chain(preview.and_then(of_preview)).collect()
    }

    /// Restores the state before the row.
    fn clear(&mut self) {
        self.bench.act(PreviewCommand::Cancel);
        self.bench.act(DocumentAct::Select(self.given.selection()));
        self.settle();
        self.bench.act(NoticeAct::CloseAll);
    }
}

/// An order, and the start of its message.
type Refused = (Act, &'static str);

fn rows(says: &'static str, acts: impl IntoIterator<Item = impl Into<Act>>) -> Vec<Refused> {
    acts.into_iter().map(|act| (act.into(), says)).collect()
}

fn row(says: &'static str, act: impl Into<Act>) -> Vec<Refused> {
    vec![(act.into(), says)]
}

const SELECTION_EDITS: [EditCommand; 7] = [
    EditCommand::ApplyToSelection,
    EditCommand::EraseSelection,
    EditCommand::AttenuateSelection,
    EditCommand::HealSelection,
    EditCommand::RebuildPhase,
    EditCommand::PitchShift,
    EditCommand::TimeStretch,
];

const VOICE_REPAIRS: [EditCommand; 3] = [EditCommand::DeEss, EditCommand::RemovePlosives, EditCommand::ReduceReverb];

const PROCESSES: [EditCommand; 4] = [
    EditCommand::Process(Process::FadeIn),
    EditCommand::Process(Process::FadeOut),
    EditCommand::Process(Process::Reverse),
    EditCommand::Process(Process::RemoveDc),
];

fn stretch(percent: f64) -> Reply {
    Reply::Stretch(StretchOptions { percent, replaces: true, selected_secs: 1.0 })
}

fn normalise() -> Reply {
    Reply::Normalise(NormaliseOptions::default())
}

/// A reply that writes to `path`, replacing any file there.
fn at(purpose: Purpose, path: &Path) -> Reply {
    Reply::Path { purpose, path: path.to_path_buf(), replaces: Some(path.to_path_buf()) }
}

fn export(options: ExportOptions, path: &Path) -> Reply {
    at(Purpose::Export(options), path)
}

fn edit(edit: Edit) -> DocumentAct {
    DocumentAct::Edit(Box::new(edit))
}

const TONE: Tone = Tone {
    level_db: -12.0,
    harmonics: 4,
    spacing: 1.0,
    inharmonicity: 0.0,
    slope_db: -6.0,
    pan: 0.0,
    fade_secs: Tone::MAX_FADE_SECS,
};

fn drawn(tone: Tone, points: &[[f64; 2]]) -> DocumentAct {
    let stroke = Stroke {
        points: points.iter().map(|&[secs, hz]| Point { secs, hz, pressure: 1.0 }).collect(),
        axis: Axis::Linear,
        radius: [0.02, 40.0],
        hardness: 0.5,
        strength: 1.0,
        build_up: false,
    };
    edit(Edit { stroke: Some(stroke), ..Edit::of(tone, StftParams::default()) })
}

fn with_nothing_open(folder: &Path) -> Vec<Refused> {
    let says = "Open a file first.";
    let own = [
        EditCommand::Normalise,
        EditCommand::ReduceNoise,
        EditCommand::RemoveHum,
        EditCommand::Declip,
        EditCommand::IsolateSpeech,
        EditCommand::Lengthen,
    ];
    [
        rows(says, VOICE_REPAIRS),
        rows(says, SELECTION_EDITS),
        rows(says, PROCESSES),
        rows(says, own),
        rows(says, [PreviewCommand::Heal, PreviewCommand::Brush]),
        rows(says, [FindCommand::LearnNoise, FindCommand::TakeTimbre, FindCommand::Next]),
        rows(says, Seek::ALL.map(FindCommand::Seek)),
        rows(says, [FileCommand::Export, FileCommand::ExportByLabel, FileCommand::SavePicture, FileCommand::Resample]),
        rows(
            says,
            [Reply::PitchShift(3.0), stretch(150.0), normalise(), Reply::Lengthen(1.0), Reply::Resample(48_000)],
        ),
        row(
            "out.wav was not exported because its file was closed.",
            export(ExportOptions::default(), &folder.join("out.wav")),
        ),
        row("Nothing is being recorded.", FileCommand::StopRecording),
        row("No input is open", Reply::Record(RecordAnswer::Start)),
    ]
    .concat()
}

fn with_nothing_selected(folder: &Path) -> Vec<Refused> {
    let says = "Nothing is selected.";
    let part = ExportOptions { is_selection: true, ..ExportOptions::default() };
    [
        rows(says, SELECTION_EDITS),
        rows(says, [PreviewCommand::Heal, PreviewCommand::Brush]),
        rows(says, [FindCommand::LearnNoise, FindCommand::TakeTimbre, FindCommand::Seek(Seek::Alike)]),
        row("Select the sound to find first.", FindCommand::Next),
        rows(says, [Reply::PitchShift(3.0), stretch(150.0)]),
        row("Cannot export out.wav: nothing is selected", export(part, &folder.join("out.wav"))),
        row("Learn a noise profile first.", EditCommand::ReduceNoise),
        row("No hum found near 50 or 60 Hz", EditCommand::RemoveHum),
        row("No clipping found.", EditCommand::Declip),
        row("No sibilants found above the threshold", EditCommand::DeEss),
        row("No plosives found", EditCommand::RemovePlosives),
        row("No decay found", EditCommand::ReduceReverb),
        row("No hum found.", FindCommand::Seek(Seek::Hum)),
        row("No clipped peaks found.", FindCommand::Seek(Seek::Clipping)),
    ]
    .concat()
}

fn with_a_selection(folder: &Path, id: u64) -> Vec<Refused> {
    let refused = "Cannot apply the edit";
    let whole = || Edit::of(Gain { gain_db: -6.0 }, StftParams::default());
    let bad_edits = [
        drawn(TONE, &[[1.0, 440.0], [f64::NAN, 440.0]]),
        drawn(TONE, &[]),
        drawn(Tone { harmonics: 0, ..TONE }, &[[1.0, 440.0]]),
        drawn(Tone { level_db: f64::INFINITY, ..TONE }, &[[1.0, 440.0]]),
        edit(Edit::of(Gain { gain_db: f64::NAN }, StftParams::default())),
        edit(Edit::of(PitchShift::by(99.0), StftParams::default())),
        edit(Edit { strength: 2.0, ..whole() }),
        edit(Edit { channels: Channels::List(vec![7]), ..whole() }),
        edit(Edit { brush: Denoise::of(NoiseSource::Range { secs: [0.0, 0.001], hz: None }).into(), ..whole() }),
    ];
    let harmonics =
        Shape::Harmonics { f0_hz: 0.0, count: 4, width_hz: 50.0, secs: None, feather: [0.0; 2], axis: Axis::Linear };
    let selections = [
        Selection::rectangle(Some([f64::NAN, 1.0]), None, [0.0; 2], Axis::Linear),
        Selection::rectangle(Some([1.5, 0.5]), None, [0.0; 2], Axis::Linear),
        Selection::of(harmonics),
    ];
    let file = folder.join("a file");
    std::fs::write(&file, b"no folder").unwrap();
    std::fs::create_dir(folder.join("folder.wav")).unwrap();
    let (missing, all) = (folder.join("missing"), ExportOptions::default);
    let delivery = Box::new(Delivery { format: ExportFormat::Float32, ..Delivery::default() });
    let floats = ExportOptions { delivery, ..all() };
    [
        rows(refused, bad_edits),
        rows("", [drawn(TONE, &[[1.0, 9_000.0], [1.2, 9_000.0]])]),
        rows("This stroke ends", [drawn(TONE, &[[4.0, 440.0], [5.0, 440.0]])]),
        rows("Cannot select", selections.map(|selection| DocumentAct::Select(Some(selection)))),
        rows("Cannot shift the pitch", [f64::NAN, f64::INFINITY].map(Reply::PitchShift)),
        rows("Cannot stretch", [f64::NAN, f64::NEG_INFINITY].map(stretch)),
        rows("Cannot add silence", [f64::NAN, f64::INFINITY].map(Reply::Lengthen)),
        rows("Cannot insert silence", [[f64::NAN, 1.0], [0.5, f64::INFINITY]].map(Reply::InsertSilence)),
        row("Cannot apply the edit: 99 s is past the end", Reply::InsertSilence([99.0, 1.0])),
        row("This document is already at 16 kHz.", Reply::Resample(RATE)),
        rows("Cannot export out.", ["out.wav", "out.flac"].map(|name| export(all(), &missing.join(name)))),
        row("Cannot export out.wav", export(all(), &file.join("out.wav"))),
        row("Cannot export folder.wav", export(all(), &folder.join("folder.wav"))),
        row("Cannot export out.flac: FLAC holds no floats", export(floats, &folder.join("out.flac"))),
        row("Cannot save the picture", at(Purpose::Picture(id), &missing.join("view.png"))),
        row("Cannot save the cells", at(Purpose::Cells(id), &missing.join("cells.exr"))),
        row("Learn a noise profile first.", EditCommand::ReduceNoise),
    ]
    .concat()
}

fn past_the_end(folder: &Path) -> Vec<Refused> {
    let no_cell = "This edit covers no cell of the spectrogram";
    let no_sample = "Cannot apply the edit: the selection holds no sample";
    let part = ExportOptions { is_selection: true, ..ExportOptions::default() };
    [
        rows(no_cell, SELECTION_EDITS[..5].to_vec()),
        row(no_cell, PreviewCommand::Brush),
        rows(no_sample, PROCESSES),
        rows(no_sample, [normalise(), Reply::PitchShift(3.0)]),
        row("The selection is silent.", stretch(150.0)),
        rows("", [EditCommand::RemoveHum, EditCommand::Declip, EditCommand::IsolateSpeech]),
        rows("", VOICE_REPAIRS),
        row("Cannot learn the noise", FindCommand::LearnNoise),
        row("No tone found.", FindCommand::TakeTimbre),
        row("The selection is outside the sound.", FindCommand::Seek(Seek::Alike)),
        row("No clicks found.", FindCommand::Seek(Seek::Clicks)),
        row("No hum found.", FindCommand::Seek(Seek::Hum)),
        row("Cannot export out.wav: the selection holds no sample", export(part, &folder.join("out.wav"))),
    ]
    .concat()
}

fn with_silence() -> Vec<Refused> {
    let unchanged = "The edit changed no samples.";
    [
        rows(unchanged, [EditCommand::ApplyToSelection, EditCommand::EraseSelection]),
        rows("", [EditCommand::AttenuateSelection, EditCommand::HealSelection, EditCommand::RebuildPhase]),
        rows(unchanged, PROCESSES),
        row(unchanged, Reply::PitchShift(3.0)),
        row("There is only silence to normalise.", normalise()),
        row("The selection is silent.", stretch(150.0)),
        row("The selection is silent.", ClipboardCommand::Copy),
        row("No noise between 0:0", FindCommand::LearnNoise),
        row("No tone found.", FindCommand::TakeTimbre),
        row("Hum cannot be told from a note", EditCommand::RemoveHum),
        row("No clipping found.", EditCommand::Declip),
        row("No voice found to compare sibilants with", EditCommand::DeEss),
        row("No plosives found", EditCommand::RemovePlosives),
        row("No decay found", EditCommand::ReduceReverb),
        row("No hum found.", FindCommand::Seek(Seek::Hum)),
        row("No clicks found.", FindCommand::Seek(Seek::Clicks)),
        row("No clipped peaks found.", FindCommand::Seek(Seek::Clipping)),
        rows("", [FindCommand::Seek(Seek::Alike)]),
    ]
    .concat()
}

fn assert_refused(desk: &mut TestBench, table: Vec<Refused>) {
    let given = desk.given;
    desk.clear();
    let before = desk.kept();
    for (act, says) in table {
        let name = format!("{given:?}: {act:?}");
        let messages = desk.messages(act);
        let [sentence] = &messages[..] else { panic!("{name}: {messages:?}") };
        assert!(sentence.starts_with(says) && sentence.ends_with('.'), "{name}: {sentence}");
        assert!(desk.kept() == before, "{name} changes something: {sentence}");
        desk.clear();
    }
}

#[test]
fn what_a_command_cannot_do_is_one_sentence_and_changes_nothing() {
    for given in [
        Given::NothingOpen,
        Given::NothingSelected,
        Given::Selected,
        Given::SelectedPastTheEnd,
        Given::SelectedSilence,
        Given::NineChannels,
    ] {
        let mut desk = TestBench::new(given);
        let folder = desk.folder.path().to_path_buf();
        let id = desk.bench.documents().active_id().unwrap_or(0);
        let table = match given {
            Given::NothingOpen => with_nothing_open(&folder),
            Given::NothingSelected => with_nothing_selected(&folder),
            Given::Selected => with_a_selection(&folder, id),
            Given::SelectedPastTheEnd => past_the_end(&folder),
            Given::SelectedSilence => with_silence(),
            Given::NineChannels => {
                let options = ExportOptions::default();
                row(
                    "Cannot export nine.flac: FLAC holds at most 8 channels",
                    export(options, &folder.join("nine.flac")),
                )
            }
        };
        assert_refused(&mut desk, table);
        // Control: with a document open, an accepted command changes the state and an accepted export writes its file.
        let before = desk.kept();
        let out = folder.join("written.wav");
        desk.messages(Reply::Lengthen(0.5).into());
        desk.messages(export(ExportOptions::default(), &out).into());
        assert_eq!((desk.kept() != before, out.exists()), (given != Given::NothingOpen, given != Given::NothingOpen));
        let files = ["out.wav", "out.flac", "nine.flac", "missing"];
        assert!(files.iter().all(|name| !folder.join(name).exists()), "{given:?} leaves a file");
    }
}

#[test]
fn a_brush_that_cannot_be_applied_to_a_selection_says_why() {
    let mut desk = TestBench::new(Given::Selected);
    for (tool, why) in [
        (Tool::DENOISE, "Learn a noise profile first."),
        (Tool::CLONE, "This brush works along a stroke only; paint with it."),
    ] {
        desk.bench.act(ToolCommand::Pick(tool));
        let acts: [Act; 2] = [EditCommand::ApplyToSelection.into(), PreviewCommand::Brush.into()];
        assert_refused(&mut desk, rows(why, acts));
    }
    desk.bench.act(ToolCommand::Pick(Tool::GAIN));
    let before = desk.kept();
    let messages = desk.messages(EditCommand::ApplyToSelection.into());
    assert_eq!(messages, ["Gain \u{2212}12.0 dB applied to the selection."], "the control");
    assert!(desk.kept() != before);
}
