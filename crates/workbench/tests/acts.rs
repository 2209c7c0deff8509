//! Acts may contain any numbers: the workbench clamps or refuses those outside the ranges of the window's controls.

use super::services::services;
use document::brushes::{Brush, Gain, ParameterValue};
use document::brushes::{PictureBrush, PictureImage};
use document::labels::Label;
use document::{BeatGrid, Edit, Snapshot};
use dsp::strokes::picture::PictureArea;
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, Clip, Grid, Point, Selection, Shape, StftParams, Stroke, Transform};
use engine::Engine;
use library::similar::SimilarDials;
use media::Source;
use serde_json::Value;
use std::collections::BTreeSet;
use support::bad_rows::bad_rows;
use support::wav::clip;
use view::{Level, TileSet};
use workbench::bench::limits::{BUFFER_FRAMES, CANVAS_SECS, PANEL_POINTS, PHASE_PARTS, RANGE_DB, WINDOW_POINTS};
use workbench::commands::{BeatCommand, ClipboardCommand, Command, EditCommand, FileCommand, ToolCommand, ViewCommand};
use workbench::{
    Act, BandFilterTool, BeatAnswer, BeatOptions, BenchEvent, Budgets, CHIPS, ChannelView, DamageAct, DocumentAct,
    DragOutAct, FileAct, GAIN_DB, HealTool, Jobs, LabelAct, LabelTool, LayoutAct, LibraryAct, LibraryQuery,
    LibrarySoundAct, ModulationFilterTool, NewCanvas, NoticeAct, PanelSide, PasteAt, PastedSound, PlayAct,
    PreviewedSound, Question, Radius, Readout, RecordAnswer, RecordOptions, Reply, SCALES, SelectRequest, ShapeSearch,
    StartedStroke, StrokeAct, StrokePlace, TabAct, Then, Tool, ToolSettings, ViewAct, WindowPreferences, Workbench,
};

/// Numbers that no control sends, and some just beyond a limit.
const NUMBERS: [f64; 16] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    1e300,
    -1e300,
    1e18,
    -1e18,
    1e6,
    -1.0,
    -0.0,
    0.0,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    1e-300,
];

/// Hostile integers: 0, and numbers far above any limit.
const HOSTILE_INTEGERS: [usize; 4] = [0, 1 << 20, u32::MAX as usize, usize::MAX];

struct TestBench {
    bench: Workbench,
    jobs: Jobs,
    _folder: tempfile::TempDir,
}

impl TestBench {
    /// A workbench with 2 s of stereo sound, a different tone in each channel.
    fn new() -> TestBench {
        let folder = tempfile::tempdir().unwrap();
        let services = services(folder.path());
        let jobs = services.jobs.clone();
        let mut bench = Workbench::new(services, Engine::cpu());
        let tone = |hz: f64| (0..32_000).map(|n| (f64::from(n) * hz / 16_000.0).sin() as f32 * 0.3).collect();
        let source = Source::from_channels(vec![tone(800.0), tone(3100.0)], 16_000).unwrap();
        bench.act(FileAct::Show(Snapshot::new(source)));
        let mut desk = TestBench { bench, jobs, _folder: folder };
        desk.settle();
        desk
    }

    /// Advances until idle.
    fn settle(&mut self) {
        for _ in 0..1000 {
            self.bench.advance();
            self.bench.take_shown(usize::MAX);
            self.bench.play();
            self.bench.follow_hand(None, None);
            // Sent once a frame by the spectrum panel; without it, results of spectra would never be taken.
            self.bench.act(DocumentAct::FollowSpectrum(Some(0.5)));
            if self.jobs.run_until_idle() == 0 && self.bench.is_idle() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("the workbench does not settle");
    }

    /// Names of the settings that are outside their limits.
    fn beyond(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut expect = |what: &str, is_right: bool| {
            if !is_right {
                found.push(what.to_owned());
            }
        };
        let within = |value: f64, [min, max]: [f64; 2]| (min..=max).contains(&value);
        let is_range = |[low, high]: [f64; 2], limits| within(low, limits) && within(high, limits) && low <= high;
        if let Some(document) = self.bench.document() {
            let (secs, view) = ([0.0, document.duration_secs()], document.view());
            let hz = [0.0, document.history().original().sample_rate_hz() / 2.0];
            expect("cursor", within(document.cursor_secs(), secs) && within(document.cursor_hz(), hz));
            expect("view in time", is_range(view.secs, secs) && view.secs[0] < view.secs[1]);
            // Converting hertz to axis units and back has a rounding error of a few bits.
            let nearly = [0.0, hz[1] * (1.0 + 1e-12)];
            expect("view in frequency", is_range(view.hz, nearly) && view.hz[0] < view.hz[1]);
            expect("log axis", view.axis != Axis::Log || view.hz[0] > 0.0);
            expect("range of levels", is_range(view.range_db.map(f64::from), RANGE_DB));
            expect("waveform", within(view.waveform.into(), [0.0, 1.0]));
            expect("transform", view.transform.clone().validated().is_ok());
            let n_channels = document.history().original().n_channels();
            expect("channels", !matches!(view.channels, ChannelView::One(channel) if channel >= n_channels));
            let selected = [document.selected_secs().unwrap_or(secs), document.selected_hz().unwrap_or(hz)];
            expect("selection", is_range(selected[0], secs) && is_range(selected[1], hz));
            let placed = document.floating().map(|floating| floating.secs().map(|at| at + floating.offset[0]));
            let room = [0.0, secs[1] + CANVAS_SECS[1]];
            let is_label = |label: &Label| {
                is_range(label.secs, secs) && label.band_hz(hz[1]).is_none_or(|band| is_range(band, hz))
            };
            expect("labels", document.history().labels().iter().all(is_label));
            expect("paste", placed.is_none_or(|[start, end]| start <= room[1] + 1e-6 && end >= room[0] - 1e-6));
            let position = document.history().position();
            expect("history", position < document.history().entries().len());
        }
        if let Some(readout) = self.bench.readout() {
            expect("readout", readout.secs.is_finite() && readout.hz.is_finite());
        }
        let (settings, usual) = (self.bench.tools().settings(), ToolSettings::default());
        expect("tools", settings.clone().within_limits(&usual) == *settings);
        expect("numbers of tools", !has_null(&serde_json::to_value(settings).unwrap()));
        let remembered = self.bench.remembered();
        expect("interface scale", within(remembered.window.scale.into(), SCALES.map(f64::from)));
        let is_size = |points: &f32| within(f64::from(*points), WINDOW_POINTS);
        expect("size of the window", remembered.window.size.iter().all(is_size));
        let part = f64::from(remembered.view.phase_part);
        let sides = [PanelSide::Left, PanelSide::Right].map(|side| f64::from(remembered.layout.width(side)));
        expect("sides", sides.iter().all(|width| within(*width, PANEL_POINTS)));
        expect("phase pane", within(part, [PHASE_PARTS[0] - 1e-6, PHASE_PARTS[1] + 1e-6]));
        expect("gain", within(self.bench.transport().monitor.gain_db, GAIN_DB));
        let buffer = self.bench.transport().chosen_output.as_ref().map_or(BUFFER_FRAMES[0], |(_, frames)| *frames);
        expect("buffer", (BUFFER_FRAMES[0]..=BUFFER_FRAMES[1]).contains(&buffer));
        let has_crashed = self.bench.notices().log().any(|logged| logged.what.contains("stopped unexpectedly"));
        expect("a job that panicked", !has_crashed);
        found
    }

    #[track_caller]
    fn assert_within(&self, after: &str) {
        let beyond = self.beyond();
        assert!(beyond.is_empty(), "{beyond:?} after {after}: {:?}", self.bench.notices());
    }
}

/// Whether a number was serialized as `null`, as non-finite numbers are.
fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(all) => all.iter().any(has_null),
        Value::Object(all) => all.values().any(has_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The name of an act that contains a number; `None` for others. The match is exhaustive, so new acts must be listed.
fn name_of(act: &Act) -> Option<&'static str> {
    Some(match act {
        // Presets are read from files, which may contain any numbers; `studio_keeps` tests those.
        Act::Command(_) | Act::Cancel | Act::Preset(_) => return None,
        Act::Tools(_) => "Tools",
        Act::Reply(reply) => return name_of_reply(reply),
        Act::File(act) => return name_of_file_act(act),
        Act::Tab(act) => match act {
            TabAct::Move { .. } => "Move",
            TabAct::Activate(_) | TabAct::Close(_) => return None,
        },
        Act::Document(act) => match act {
            DocumentAct::Edit(_) => "Edit",
            DocumentAct::GoTo(_) => "GoTo",
            DocumentAct::Cursor(_) => "Cursor",
            DocumentAct::KeyCursor(_) => "KeyCursor",
            DocumentAct::CloneFromHere => return None,
            DocumentAct::Select(_) => "Select",
            DocumentAct::Find(_) => "Find",
            DocumentAct::Float(_) => "Float",
            DocumentAct::FloatPicture(_) => "FloatPicture",
            DocumentAct::Point(_) => "Point",
            DocumentAct::FollowSpectrum(_) => "FollowSpectrum",
        },
        Act::Label(act) => return name_of_label_act(act),
        Act::Damage(act) => match act {
            DamageAct::GoTo(_) => "GoToDamage",
            DamageAct::Repair(_) => "RepairDamage",
            DamageAct::Clear => return None,
        },
        Act::Stroke(act) => match act {
            StrokeAct::Begin(_) => "Begin",
            StrokeAct::Extend { .. } => "Extend",
            StrokeAct::End | StrokeAct::Cancel => return None,
        },
        Act::View(act) => return name_of_view_act(act),
        Act::Layout(act) => match act {
            LayoutAct::Window(_) => "Window",
            LayoutAct::PhasePart(_) => "PhasePart",
            LayoutAct::Width(..) => "Width",
            LayoutAct::Open { .. } | LayoutAct::Over(_) | LayoutAct::Curves(_) => return None,
        },
        Act::Library(act) => return name_of_library_act(act),
        Act::LibrarySound(act) => match act {
            LibrarySoundAct::Play(_) => "PlaySound",
            LibrarySoundAct::Float(..) => "FloatSound",
        },
        Act::DragOut(act) => match act {
            DragOutAct::Paste(_) => "PasteDragged",
            DragOutAct::Begin(_) => return None,
        },
        Act::Play(act) => match act {
            PlayAct::Gain(_) => "Gain",
            PlayAct::Speed(_) => "Speed",
        },
        Act::Notice(act) => match act {
            NoticeAct::Show { .. }
            | NoticeAct::Fail { .. }
            | NoticeAct::Close(_)
            | NoticeAct::CloseAll
            | NoticeAct::Report { .. }
            | NoticeAct::CopyReport(_)
            | NoticeAct::ShowFolder(_)
            | NoticeAct::Keep(_) => return None,
        },
    })
}

fn name_of_file_act(act: &FileAct) -> Option<&'static str> {
    Some(match act {
        FileAct::Limit(_) => "Limit",
        FileAct::Open(_)
        | FileAct::OpenFile(_)
        | FileAct::PickLibraryFolder
        | FileAct::Paste(_)
        | FileAct::Show(_)
        | FileAct::LookForSessions { .. }
        | FileAct::BeginWithDemo
        | FileAct::AskGraphics(_)
        | FileAct::Resume(_)
        | FileAct::StopWriting
        | FileAct::AllowSavingBack
        | FileAct::Panic(_) => return None,
    })
}

fn name_of_view_act(act: &ViewAct) -> Option<&'static str> {
    Some(match act {
        ViewAct::Secs(_) => "Secs",
        ViewAct::Hz(_) => "Hz",
        ViewAct::Channels(_) => "Channels",
        ViewAct::Transform(_) => "Transform",
        ViewAct::RangeDb(_) => "RangeDb",
        ViewAct::Waveform(_) => "Waveform",
        ViewAct::Axis(_)
        | ViewAct::Panes(_)
        | ViewAct::Stacked(_)
        | ViewAct::Colormap(_)
        | ViewAct::RawPhase(_)
        | ViewAct::Smooth(_)
        | ViewAct::TimeOfDay(_)
        | ViewAct::BeatLines(_)
        | ViewAct::PitchLine(_)
        | ViewAct::RangeLocked(_) => return None,
    })
}

fn name_of_label_act(act: &LabelAct) -> Option<&'static str> {
    match act {
        LabelAct::Draw { .. } => Some("DrawLabel"),
        LabelAct::Reshape { .. } => Some("ReshapeLabel"),
        LabelAct::GoToPlace(_) => Some("GoToPlace"),
        LabelAct::GoTo(_) | LabelAct::Name(_) | LabelAct::Remove(_) | LabelAct::List(_) => None,
    }
}

fn name_of_reply(reply: &Reply) -> Option<&'static str> {
    Some(match reply {
        Reply::Output(..) => "Output",
        Reply::New { .. } => "New",
        Reply::Lengthen(_) => "Lengthen",
        Reply::InsertSilence(_) => "InsertSilence",
        Reply::Label(_) => return None,
        Reply::Beat(_) => "Beat",
        Reply::PitchShift(_) => "PitchShift",
        Reply::Stretch(_) => "Stretch",
        Reply::Normalise(_) => "Normalise",
        Reply::Resample(_) => "Resample",
        Reply::Record(_) => "Record",
        Reply::Preset(_)
        | Reply::Graphics(..)
        | Reply::ExportWhere(_)
        | Reply::ExportParts(..)
        | Reply::ExportPartsWhere(_)
        | Reply::RunFiles(_)
        | Reply::RunFilesWhere(..)
        | Reply::ShowFolder(_)
        | Reply::ProjectWhere(_)
        | Reply::LocateWhere(_)
        | Reply::Path { .. }
        | Reply::SaveFirst { .. }
        | Reply::ExportFirst { .. }
        | Reply::SaveBackFirst { .. }
        | Reply::Discard { .. }
        | Reply::KeepEditing
        | Reply::Locate(..)
        | Reply::Recover(_) => return None,
    })
}

fn name_of_library_act(act: &LibraryAct) -> Option<&'static str> {
    Some(match act {
        LibraryAct::See { .. } => "See",
        LibraryAct::Choose { .. } => "Choose",
        LibraryAct::Paste { .. } => "Paste",
        LibraryAct::Dials(_) => "Dials",
        LibraryAct::NullTest(_) => "NullTest",
        LibraryAct::Find(_) => "FindSounds",
        LibraryAct::WatchFolder { .. } => "WatchFolder",
        LibraryAct::Use(_)
        | LibraryAct::Add(_)
        | LibraryAct::RemoveFolder(_)
        | LibraryAct::Quiet
        | LibraryAct::Open => {
            return None;
        }
    })
}

/// Acts sent by [`acts_with`] or by a test of their own.
const NAMES: [&str; 50] = [
    "Beat",
    "Begin",
    "Channels",
    "Choose",
    "Cursor",
    "Dials",
    "DrawLabel",
    "Edit",
    "Extend",
    "Find",
    "FindSounds",
    "Float",
    "FloatPicture",
    "FloatSound",
    "FollowSpectrum",
    "Gain",
    "GoTo",
    "GoToDamage",
    "GoToPlace",
    "Hz",
    "InsertSilence",
    "KeyCursor",
    "Lengthen",
    "Limit",
    "Move",
    "New",
    "Normalise",
    "NullTest",
    "Output",
    "Paste",
    "PasteDragged",
    "PhasePart",
    "PitchShift",
    "PlaySound",
    "Point",
    "RangeDb",
    "Record",
    "RepairDamage",
    "Resample",
    "ReshapeLabel",
    "Secs",
    "See",
    "Select",
    "Speed",
    "Stretch",
    "Tools",
    "Transform",
    "WatchFolder",
    "Waveform",
    "Width",
];

fn edit_with(n: f64, stroke: Option<Stroke>, select: Option<Selection>) -> Edit {
    Edit {
        stroke,
        select,
        ..Edit::of(Brush::Gain(Gain { gain_db: n }), StftParams { n_fft: 512, hop: 128, ..StftParams::default() })
    }
}

/// A stroke that begins at the point `odd`, and one that is extended to it; both are cancelled.
fn strokes_to(odd: Point) -> [Act; 5] {
    let whole = Point { secs: 0.5, hz: 500.0, pressure: 1.0 };
    let started = |point: Point| {
        let (axis, radius) = (Axis::Linear, [0.1, 90.0]);
        let stroke = Stroke { points: vec![point], axis, radius, hardness: 0.5, strength: 1.0, build_up: false };
        let edit = edit_with(3.0, Some(stroke), None);
        let grid = Grid::new(StftParams { n_fft: 512, hop: 128, ..StftParams::default() }, 16_000.0, 32_000);
        let (transform, channels) = (edit.transform.clone(), ChannelView::All);
        let set = TileSet { document: 0, transform, channels, level: 0, has_phases: false };
        let place = StrokePlace { set, level: Level { index: 0, grid } };
        Act::from(StrokeAct::Begin(Box::new(StartedStroke { edit, place, tiles: Vec::new() })))
    };
    let along = StrokeAct::Extend { points: vec![odd, whole], tiles: Vec::new() };
    [started(odd), StrokeAct::Cancel.into(), started(whole), along.into(), StrokeAct::Cancel.into()]
}

fn library_sound() -> Snapshot {
    Snapshot::new(Source::from_channels(vec![vec![0.1; 4_000]], 16_000).unwrap())
}

fn library_clip() -> Clip {
    Clip { sample_rate_hz: 16_000.0, first_sample: 0, channels: vec![vec![0.1; 4_000]].into() }
}

/// Acts on a sound of the library, with `n` in each numeric field.
fn library_sounds_with(n: f64) -> [Act; 2] {
    let (at, clip) = (PasteAt { document: 0, secs: n, hz: Some(n) }, library_clip());
    [
        LibrarySoundAct::Play(Box::new(PreviewedSound { snapshot: library_sound(), gain_db: n })).into(),
        LibrarySoundAct::Float(at, Box::new(PastedSound { clip, own_hz: Some(n) })).into(),
    ]
}

/// Redirects the paste of a library sound to the document in front; returns other acts unchanged.
fn on_front(act: Act, desk: &TestBench) -> Act {
    match act {
        Act::LibrarySound(LibrarySoundAct::Float(at, sound)) => {
            let document = desk.bench.document().map_or(0, |document| document.id());
            LibrarySoundAct::Float(PasteAt { document, ..at }, sound).into()
        }
        act => act,
    }
}

/// Acts with `n` in each numeric field.
fn acts_with(n: f64) -> Vec<Act> {
    let pairs = [[n, n], [n, 0.5], [0.5, n]];
    let point = |secs: f64, hz: f64, pressure: f64| Point { secs, hz, pressure };
    let stroke = |points: Vec<Point>, radius: [f64; 2], hardness: f64| Stroke {
        points,
        axis: Axis::Linear,
        radius,
        hardness,
        strength: 1.0,
        build_up: false,
    };
    let whole = point(0.5, 500.0, 1.0);
    let rectangle = |secs, hz, feather| Selection::rectangle(secs, hz, feather, Axis::Linear);
    let mut acts: Vec<Act> = vec![
        DocumentAct::Cursor(n).into(),
        DocumentAct::FollowSpectrum(Some(n)).into(),
        DocumentAct::Edit(Box::new(edit_with(n, None, Some(rectangle(Some([0.2, 0.4]), None, [0.0; 2]))))).into(),
        DocumentAct::Edit(Box::new(edit_with(3.0, Some(stroke(vec![point(n, 500.0, 1.0)], [0.1, 90.0], 0.5)), None)))
            .into(),
        DocumentAct::Edit(Box::new(edit_with(3.0, Some(stroke(vec![point(0.5, n, 1.0)], [0.1, 90.0], 0.5)), None)))
            .into(),
        DocumentAct::Edit(Box::new(edit_with(3.0, Some(stroke(vec![point(0.5, 500.0, n)], [0.1, 90.0], 0.5)), None)))
            .into(),
        DocumentAct::Edit(Box::new(edit_with(3.0, Some(stroke(vec![whole], [n, 90.0], 0.5)), None))).into(),
        DocumentAct::Edit(Box::new(edit_with(3.0, Some(stroke(vec![whole], [0.1, n], 0.5)), None))).into(),
        DocumentAct::Edit(Box::new(edit_with(3.0, Some(stroke(vec![whole], [0.1, 90.0], n)), None))).into(),
        DocumentAct::Edit(Box::new(Edit { strength: n, ..edit_with(3.0, None, None) })).into(),
        ViewAct::Waveform(n as f32).into(),
        LayoutAct::PhasePart(n as f32).into(),
        LayoutAct::Width(PanelSide::Left, n as f32).into(),
        LayoutAct::Width(PanelSide::Right, n as f32).into(),
        PlayAct::Gain(n).into(),
        PlayAct::Speed(n).into(),
        LibraryAct::Dials(SimilarDials { timbre: n as f32, pitch: n as f32, ..SimilarDials::default() }).into(),
    ];
    acts.extend(library_sounds_with(n));
    acts.extend([point(n, 500.0, 1.0), point(0.5, n, 1.0), point(0.5, 500.0, n)].into_iter().flat_map(strokes_to));
    for pair in pairs {
        let readout =
            Readout { secs: pair[0], hz: pair[1], peak_hz: Some(n), level_db: Some(n as f32), phase_turns: None };
        let harmonics =
            ShapeSearch::Harmonics { at: pair, near_hz: pair, secs: Some(pair), count: usize::MAX, width_hz: n };
        let wanted = [ShapeSearch::Wand { at: pair, tolerance_db: n }, harmonics];
        acts.extend(wanted.map(|what| Act::from(DocumentAct::Find(SelectRequest { combine: None, what }))));
        acts.extend([
            Act::from(DocumentAct::KeyCursor(pair)),
            DocumentAct::Float(pair).into(),
            LabelAct::Draw { secs: pair, hz: None }.into(),
            LabelAct::Draw { secs: [0.1, 0.2], hz: Some(pair) }.into(),
            LabelAct::Reshape { id: 1, secs: pair, hz: [Some(n), None] }.into(),
            LibraryAct::Paste { id: n as i64, at: pair }.into(),
            picture_over([0.1, 0.2], pair, n),
            picture_over(pair, [500.0, 900.0], n),
            DocumentAct::Point(Some(readout)).into(),
            DocumentAct::Select(Some(rectangle(Some(pair), None, [0.0; 2]))).into(),
            DocumentAct::Select(Some(rectangle(None, Some(pair), [0.0; 2]))).into(),
            DocumentAct::Select(Some(rectangle(Some([0.2, 0.4]), None, pair))).into(),
            ViewAct::Axis(Axis::Log).into(),
            ViewAct::Secs(pair).into(),
            ViewAct::Hz(pair).into(),
            ViewAct::Axis(Axis::Mel).into(),
            ViewAct::Hz(pair).into(),
            ViewAct::RangeDb(pair.map(|db| db as f32)).into(),
            LayoutAct::Window(WindowPreferences {
                is_light: true,
                scale: n as f32,
                size: pair.map(|n| n as f32),
                position: Some(pair.map(|n| n as f32)),
                is_maximized: true,
            })
            .into(),
        ]);
        let lasso = Shape::Polygon { points: vec![pair, [0.1, 0.2], [0.3, 900.0]], feather: pair, axis: Axis::Linear };
        acts.push(DocumentAct::Select(Some(Selection::of(lasso))).into());
        for settings in settings_with(n, pair) {
            acts.push(Act::Tools(Box::new(settings)));
        }
    }
    acts
}

/// Settings with hostile values: `n`, the range `pair`, and integers beyond their limits.
fn settings_with(n: f64, pair: [f64; 2]) -> [ToolSettings; 2] {
    let usual = ToolSettings::default();
    let all = ToolSettings {
        radius: Radius::Screen { points: n as f32 },
        radii: [(Tool::GAIN, Radius::Locked { secs: n, octaves: n })].into(),
        hardness: n,
        strength: n,
        band_filter: BandFilterTool { bend_hz: n, cutoff_hz: pair, order: u32::MAX, ..usual.band_filter },
        modulation_filter: ModulationFilterTool {
            time_cutoff: pair,
            frequency_cutoff: pair,
            order: 0,
            ..usual.modulation_filter
        },
        wand_tolerance_db: n,
        harmonic_count: usize::MAX,
        harmonic_width_hz: n,
        find_sensitivity: n,
        labels: LabelTool { class: usize::MAX, ..LabelTool::default() },
        ..usual.clone()
    };
    let mut deep = ToolSettings { radius: Radius::Locked { secs: pair[0], octaves: pair[1] }, ..usual };
    // Each parameter of each brush that a tool remembers.
    for tool in Tool::ALL {
        let Some(mut brush) = deep.brush_of(tool) else { continue };
        for value in brush.values() {
            match value {
                ParameterValue::Number(value) => *value = n,
                ParameterValue::Pair(value) => *value = pair,
                ParameterValue::Whole(value) => *value = u32::MAX,
                _ => {}
            }
        }
        deep.keep(brush);
    }
    deep.heal = HealTool {
        interpolate_secs: pair,
        order: u32::MAX,
        gap_secs: pair,
        pattern_context: pair,
        reach_secs: n,
        ..deep.heal
    };
    let around = &mut deep.heal.surroundings;
    (around.context_secs, around.context_hz, around.time_weights, around.frequency_weights) = (pair, pair, pair, pair);
    [all, deep]
}

/// Acts with hostile integers.
fn whole_acts() -> Vec<Act> {
    let document_acts = HOSTILE_INTEGERS.map(|n| Act::from(DocumentAct::GoTo(n)));
    let label_acts = HOSTILE_INTEGERS.map(|n| Act::from(LabelAct::GoToPlace(n)));
    let damage_acts = HOSTILE_INTEGERS.map(|n| Act::from(DamageAct::GoTo(n)));
    let repairs = HOSTILE_INTEGERS.map(|n| Act::from(DamageAct::Repair(n)));
    let channels = HOSTILE_INTEGERS.map(|n| Act::from(ViewAct::Channels(ChannelView::One(n))));
    let records = HOSTILE_INTEGERS.map(|n| {
        let options = RecordOptions { rate_hz: Some(n as u32), ..RecordOptions::default() };
        Act::from(Reply::Record(RecordAnswer::Choose(options)))
    });
    let outputs = HOSTILE_INTEGERS.map(|n| Act::from(Reply::Output(None, n as u32)));
    let transforms = HOSTILE_INTEGERS.into_iter().flat_map(|n| {
        [StftParams { n_fft: n, ..StftParams::default() }, StftParams { hop: n, ..StftParams::default() }]
            .map(|stft| Act::from(ViewAct::Transform(Transform::Stft(stft))))
    });
    let budgets = HOSTILE_INTEGERS.map(|n| {
        let bytes = n as u64;
        Act::from(FileAct::Limit(Budgets {
            history_bytes: bytes,
            source_bytes: bytes,
            reserve_bytes: Some(bytes),
            library_bytes: Some(bytes),
        }))
    });
    let library_acts = HOSTILE_INTEGERS.into_iter().flat_map(|n| {
        let query = LibraryQuery { chips: [Some(n); CHIPS.len()], ..LibraryQuery::default() };
        [
            Act::from(LibraryAct::See { first: n, n }),
            LibraryAct::Choose { at: n, is_audible: true }.into(),
            LibraryAct::NullTest([n as i64, -1]).into(),
            LibraryAct::WatchFolder { id: n as i64, is_watched: true }.into(),
            LibraryAct::Find(query).into(),
        ]
    });
    let transforms = transforms.chain(library_acts);
    [document_acts, label_acts, damage_acts, repairs, channels, outputs, records, budgets]
        .into_iter()
        .flatten()
        .chain(transforms)
        .collect()
}

fn picture_over(secs: [f64; 2], hz: [f64; 2], level_db: f64) -> Act {
    let area = PictureArea { secs, hz, axis: Axis::Linear };
    let brush = PictureBrush::new(PictureImage::File("gone.png".into()), area);
    DocumentAct::FloatPicture(Box::new(PictureBrush { range_db: [level_db, level_db], ..brush })).into()
}

#[test]
fn every_act_with_a_number_is_sent() {
    let sent = NUMBERS.into_iter().flat_map(acts_with).chain(whole_acts());
    let mut names: BTreeSet<&str> = sent.filter_map(|act| name_of(&act)).collect();
    // These acts have tests of their own.
    names.extend(["InsertSilence", "Lengthen", "Move", "New", "Normalise", "PasteDragged", "PitchShift", "Resample"]);
    names.extend(["Beat", "Stretch"]);
    assert!(names.remove("Window"));
    assert_eq!(names.into_iter().collect::<Vec<_>>(), NAMES);
}

/// Transforms that are invalid, or invalid at the sound's rate, leave the view unchanged, and edits that use them are
/// refused.
#[test]
fn no_act_brings_rows_that_are_not_allowed() {
    let mut desk = TestBench::new();
    let rows = Transform::from(RowsParams::music());
    desk.bench.act(ViewAct::Transform(rows.clone()));
    desk.settle();
    assert_eq!(desk.bench.document().unwrap().view().transform, rows);
    let at_rate = [
        RowsParams::log(24).with_fmax_hz(8_001.0),
        RowsParams::log(24).with_fmin_hz(4_100.0),
        RowsParams::log(96).with_gamma_hz(0.0),
    ];
    for transform in bad_rows().into_iter().chain(at_rate.map(Transform::from)) {
        desk.bench.act(ViewAct::Transform(transform.clone()));
        desk.settle();
        assert_eq!(desk.bench.document().unwrap().view().transform, rows, "{transform:?}");
        let edit = Edit { transform: transform.clone(), ..edit_with(-6.0, None, None) };
        desk.bench.act(DocumentAct::Edit(Box::new(edit)));
        desk.settle();
        assert_eq!(desk.bench.document().unwrap().history().position(), 0, "{transform:?}");
    }
}

#[test]
fn no_number_sets_what_the_window_cannot() {
    let mut desk = TestBench::new();
    // Copies a clip; it is pasted before the acts, so that those that move a floating paste have one.
    let selection = Selection::rectangle(Some([0.5, 0.6]), Some([500.0, 1500.0]), [0.0; 2], Axis::Linear);
    desk.bench.act(DocumentAct::Select(Some(selection)));
    desk.bench.act(ClipboardCommand::Copy);
    desk.settle();
    for n in NUMBERS {
        desk.bench.act(ClipboardCommand::Paste);
        desk.settle();
        for act in acts_with(n) {
            let what = format!("{n}: {act:?}").chars().take(400).collect::<String>();
            desk.bench.act(on_front(act, &desk));
            desk.assert_within(&what);
        }
        desk.settle();
        desk.assert_within(&format!("all acts with {n}"));
        // Reverts all edits, so that every number is tested on the same sound.
        desk.bench.act(Act::Cancel);
        desk.bench.act(DocumentAct::GoTo(0));
        desk.bench.act(DocumentAct::Select(None));
        desk.settle();
    }
    for act in whole_acts() {
        let what = format!("{act:?}");
        desk.bench.act(act);
        desk.assert_within(&what);
    }
    desk.settle();
    desk.assert_within("whole numbers");
}

#[test]
fn what_is_no_number_changes_nothing() {
    let mut desk = TestBench::new();
    let state = |desk: &TestBench| {
        let document = desk.bench.document().unwrap();
        let view = document.view().clone();
        let rest = (document.cursor_secs(), document.cursor_hz(), document.selection().cloned());
        let gain_db = desk.bench.transport().monitor.gain_db;
        (view, rest, gain_db, desk.bench.remembered().window.clone(), document.history().entries().len())
    };
    desk.bench.act(DocumentAct::KeyCursor([0.7, 300.0]));
    desk.bench.act(PlayAct::Gain(-7.0));
    desk.bench.act(ViewAct::Secs([0.5, 1.5]));
    let before = state(&desk);
    for n in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for act in acts_with(n) {
            let is_kept = matches!(act, Act::View(ViewAct::Axis(_)) | Act::Tools(_) | Act::Layout(_));
            if !is_kept {
                desk.bench.act(on_front(act, &desk));
            }
        }
        desk.settle();
    }
    assert_eq!(state(&desk), before);
    // Control: numbers within the limits change the state.
    desk.bench.act(PlayAct::Gain(-9.0));
    desk.bench.act(ViewAct::Secs([0.5, 1.0]));
    assert_ne!(state(&desk), before);
}

#[test]
fn what_is_refused_is_told() {
    let mut desk = TestBench::new();
    let refused =
        |desk: &TestBench| desk.bench.notices().all().iter().map(|notice| notice.what.clone()).collect::<Vec<_>>();
    desk.bench.act(DocumentAct::Select(Some(Selection::rectangle(None, Some([f64::NAN, 1.0]), [0.0; 2], Axis::Mel))));
    assert!(refused(&desk)[0].starts_with("Cannot select"), "{:?}", refused(&desk));
    desk.bench.act(DocumentAct::Edit(Box::new(edit_with(900.0, None, None))));
    assert!(refused(&desk)[1].starts_with("Cannot apply the edit"), "{:?}", refused(&desk));
    desk.settle();
    assert_eq!(desk.bench.document().unwrap().history().position(), 0);
    // Control: a valid edit is applied.
    desk.bench.act(DocumentAct::Edit(Box::new(edit_with(9.0, None, None))));
    desk.settle();
    assert_eq!(desk.bench.document().unwrap().history().position(), 1);
}

#[test]
fn a_canvas_and_silence_are_as_long_as_the_card_makes_them() {
    for n in NUMBERS {
        let mut desk = TestBench::new();
        desk.bench.act(Reply::Lengthen(n));
        let canvas = NewCanvas { secs: n, rate_hz: u32::MAX, n_channels: usize::MAX };
        desk.bench.act(Reply::New { canvas, has_picture: false });
        let document = desk.bench.document().unwrap();
        let info = document.history().original().source().info();
        let secs = document.duration_secs();
        assert!((CANVAS_SECS[0]..=CANVAS_SECS[1]).contains(&secs), "{n}: {secs}");
        assert_eq!((info.sample_rate_hz, info.n_channels), (768_000, 32));
        desk.assert_within(&format!("a canvas of {n} s"));
        let id = document.id();
        desk.bench.act(Reply::Discard { document: id, then: Then::Close(id) });
        desk.settle();
        let added_secs = desk.bench.document().unwrap().duration_secs() - 2.0;
        assert!(
            added_secs == 0.0 || (CANVAS_SECS[0] - 1e-9..=CANVAS_SECS[1] + 1e-9).contains(&added_secs),
            "{added_secs}"
        );
        assert_eq!(added_secs == 0.0, !n.is_finite(), "{n}");
        desk.assert_within(&format!("silence of {n} s"));
    }
}

#[test]
fn a_tab_moves_to_the_end_at_most() {
    let mut desk = TestBench::new();
    desk.bench.act(FileAct::Open(vec![clip("crow_44k_mono.flac")]));
    desk.settle();
    let ids: Vec<u64> = desk.bench.documents().iter().map(|document| document.id()).collect();
    for place in HOSTILE_INTEGERS {
        desk.bench.act(TabAct::Move { id: ids[0], place });
        desk.bench.act(TabAct::Move { id: u64::MAX, place });
        let now: Vec<u64> = desk.bench.documents().iter().map(|document| document.id()).collect();
        assert_eq!(now, if place == 0 { ids.clone() } else { vec![ids[1], ids[0]] });
    }
}

#[test]
fn commands_with_a_number_stay_within() {
    let mut desk = TestBench::new();
    for n in HOSTILE_INTEGERS {
        desk.bench.act(FileCommand::OpenRecent(n));
        desk.bench.act(ViewCommand::Channels(ChannelView::One(n)));
    }
    for _ in 0..100 {
        desk.bench.act(ToolCommand::BrushLarger);
        desk.bench.act(ToolCommand::BrushHarder);
        desk.bench.act(ViewCommand::ZoomInTime);
        desk.bench.act(ViewCommand::ZoomInFrequency);
    }
    desk.assert_within("a hundred steps up");
    for _ in 0..200 {
        desk.bench.act(ToolCommand::BrushSmaller);
        desk.bench.act(ToolCommand::BrushSofter);
        desk.bench.act(ViewCommand::ZoomOutTime);
        desk.bench.act(ViewCommand::ZoomOutFrequency);
        desk.bench.act(EditCommand::Undo);
    }
    desk.settle();
    desk.assert_within("two hundred steps down");
    let requested = desk.bench.take_events();
    assert!(!requested.iter().any(|event| matches!(event, BenchEvent::Perform(Command::File(_)))), "{requested:?}");
}

#[test]
fn a_beat_grid_beyond_its_bounds_is_one_sentence_and_changes_nothing() {
    let mut desk = TestBench::new();
    let id = desk.bench.document().unwrap().id();
    let grid = |desk: &TestBench| desk.bench.document().unwrap().beat().copied();
    desk.bench.act(BeatCommand::Grid);
    let requested = desk.bench.take_events();
    let [BenchEvent::Ask(Question::Beat(usual))] = &requested[..] else { panic!("{requested:?}") };
    desk.bench.act(Reply::Beat(BeatAnswer::Set(BeatOptions {
        tempo_bpm: 97.5,
        first_bar_secs: 0.25,
        ..usual.clone()
    })));
    let before = grid(&desk);
    assert_eq!(before, Some(BeatGrid::new(97.5, 4, 0.25).unwrap()));
    let n_notices = |desk: &TestBench| desk.bench.notices().log().count();
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1.0, 1e6];
    let tempos = odd.into_iter().chain([0.0, 19.9, 400.1]).map(|tempo_bpm| BeatOptions { tempo_bpm, ..usual.clone() });
    let firsts = odd.into_iter().map(|first_bar_secs| BeatOptions { first_bar_secs, ..usual.clone() });
    let beats = [0, 17, u32::MAX].into_iter().map(|beats_a_bar| BeatOptions { beats_a_bar, ..usual.clone() });
    for options in tempos.chain(firsts).chain(beats) {
        let n_before = n_notices(&desk);
        desk.bench.act(Reply::Beat(BeatAnswer::Set(options.clone())));
        desk.settle();
        let messages = desk.bench.notices().log().last().unwrap().what.clone();
        assert!(messages.starts_with("Cannot set the beat grid: ") && messages.ends_with('.'), "{messages}");
        assert_eq!((grid(&desk), n_notices(&desk)), (before, n_before + 1), "{options:?}");
    }
    // Answers about a document that is not open change nothing.
    for answer in [BeatAnswer::Set(BeatOptions { document: u64::MAX, ..usual.clone() }), BeatAnswer::Remove(u64::MAX)] {
        desk.bench.act(Reply::Beat(answer));
    }
    desk.bench.act(Reply::Beat(BeatAnswer::Find(u64::MAX)));
    desk.settle();
    assert_eq!(grid(&desk), before);
    assert_eq!(desk.bench.document().unwrap().history().entries().len(), 1, "no step of the history");
    // Control: an answer about the open document takes effect.
    desk.bench.act(Reply::Beat(BeatAnswer::Remove(id)));
    assert_eq!(grid(&desk), None);
}
