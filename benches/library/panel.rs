//! The panel of a library of half a million sounds, without a window or a device: how soon its first rows, what is
//! found and what is similar are there, and how long the UI thread works on a frame while the list is scrolled and 500
//! sounds are added. `cargo bench --bench studio -- --library` prints a table, and fails where a limit is missed.

#[path = "../../tests/harness/made_library.rs"]
mod made_library;

use super::{FRAME, quantiles, services, write_clip};
use eframe::App;
use egui::{Event, Key, Modifiers, MouseWheelUnit, Pos2, RawInput, Rect, TouchPhase, pos2, vec2};
use made_library::{LIKE, NEAREST, make_library};
use sonobrush::base::{Folders, Progress, thread_time};
use sonobrush::dsp::{Axis, Selection};
use sonobrush::engine::Engine;
use sonobrush::library::search::{SoundFilter, SoundQuery};
use sonobrush::library::similar::SimilarDials;
use sonobrush::library::store::{LibraryPlace, LibraryStore};
use sonobrush::studio::{Machine, Studio};
use sonobrush::workbench::commands::{BrowseCommand, LayoutCommand};
use sonobrush::workbench::{Browser, CHIPS, DocumentAct, FileAct, Jobs, LibraryAct, LibraryMode, LibraryQuery};
use std::path::Path;
use std::time::{Duration, Instant};

const N_ADDED: usize = 500;
/// Fewer frames while these are added have no last hundredth worth the name.
const MIN_FRAMES: usize = 200;
/// Of what is measured several times the median counts.
const N_TURNS: usize = 5;
/// Rows from the top that have to be known for the list to be there.
const N_ROWS: usize = 10;
const QUIET_FRAMES: usize = 30;
const MAX_WAIT: Duration = Duration::from_secs(60);
const MAX_ADD: Duration = Duration::from_secs(300);

/// What was measured, in milliseconds, and what is asked.
struct Line {
    what: &'static str,
    took_ms: f64,
    limit_ms: Option<f64>,
}

/// A line for each; with a limit, how much of it was taken.
fn print(lines: &[Line]) {
    println!("{:<66} {:>10} {:>10} {:>6}", "", "ms", "limit", "ratio");
    for Line { what, took_ms, limit_ms } in lines {
        let limit = limit_ms.map_or_else(String::new, |limit| format!("{limit:10.0} {:6.2}", took_ms / limit));
        println!("{what:<66} {took_ms:10.2} {limit}");
    }
}

/// The studio and what stands in for its window, a frame each sixtieth of a second.
struct Panel {
    ctx: egui::Context,
    studio: Studio,
    frame: eframe::Frame,
    began: Instant,
    last: Instant,
}

/// How long the UI thread took for a frame, and how much of that it worked, in milliseconds.
struct FrameTook {
    wall_ms: f64,
    busy_ms: f64,
}

impl Panel {
    fn new(folder: &Path) -> Panel {
        let ctx = egui::Context::default();
        let jobs = Jobs::threads(|| {});
        let (_, faults) = std::sync::mpsc::channel();
        let machine = Machine {
            canvas: None,
            engine: Engine::cpu(),
            engine_words: "CPU engine".into(),
            why: "Nothing is drawn here.".into(),
            adapters: Vec::new(),
            faults,
            surface: None,
            notices: Vec::new(),
        };
        let studio = Studio::new(&ctx, services(folder, jobs), machine);
        let now = Instant::now();
        Panel { ctx, studio, frame: eframe::Frame::_new_kittest(), began: now, last: now }
    }

    fn browser(&self) -> &Browser {
        self.studio.workbench().browser()
    }

    /// A frame, not before it is time for one.
    fn step(&mut self, events: Vec<Event>) -> FrameTook {
        std::thread::sleep(FRAME.saturating_sub(self.last.elapsed()));
        self.last = Instant::now();
        let busy = thread_time();
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(1_920.0, 1_080.0))),
            time: Some(self.began.elapsed().as_secs_f64()),
            events,
            ..RawInput::default()
        };
        let (studio, frame) = (&mut self.studio, &mut self.frame);
        let mut output = self.ctx.run_ui(input, |ui| {
            let ctx = ui.ctx().clone();
            studio.logic(&ctx, frame);
            studio.ui(ui, frame);
        });
        // No device takes them.
        output.textures_delta.clear();
        drop(self.ctx.tessellate(output.shapes, output.pixels_per_point));
        FrameTook { wall_ms: millis(self.last.elapsed()), busy_ms: millis(thread_time() - busy) }
    }

    /// Frames until something is so: milliseconds from the events to the end of the frame that shows it.
    fn until(&mut self, what: &str, events: Vec<Event>, is_so: impl Fn(&Browser) -> bool) -> Result<f64, String> {
        let began = Instant::now();
        self.step(events);
        while !is_so(self.browser()) {
            if began.elapsed() > MAX_WAIT {
                let trouble = self.browser().trouble();
                return Err(format!("{what} never came: {trouble:?}, {:?}", self.studio.notices()));
            }
            self.step(Vec::new());
        }
        Ok(millis(began.elapsed()))
    }

    /// Frames until nothing is left to do for a while.
    fn settle(&mut self) -> Result<(), String> {
        let (began, mut n_quiet) = (Instant::now(), 0);
        while n_quiet < QUIET_FRAMES {
            if began.elapsed() > MAX_WAIT {
                return Err(format!("the studio never came to rest: {:?}", self.studio.notices()));
            }
            self.step(Vec::new());
            n_quiet = if self.studio.is_idle() { n_quiet + 1 } else { 0 };
        }
        Ok(())
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The median of some turns.
fn median_of(mut turn: impl FnMut() -> Result<f64, String>) -> Result<f64, String> {
    let mut took = (0..N_TURNS).map(|_| turn()).collect::<Result<Vec<f64>, String>>()?;
    took.sort_by(f64::total_cmp);
    Ok(took[N_TURNS / 2])
}

/// How long something takes that answers with a result of the library.
fn timed<T>(what: impl FnOnce() -> sonobrush::base::Result<T>) -> Result<(T, f64), String> {
    let began = Instant::now();
    let answer = what().map_err(|error| error.to_string())?;
    Ok((answer, millis(began.elapsed())))
}

/// Whether at least `min` sounds are listed and the first rows are known.
fn are_drawn(browser: &Browser, min: usize) -> bool {
    let entries = browser.entries();
    entries.len() >= min && entries.iter().take(N_ROWS).all(|entry| browser.row(entry.id).is_some())
}

/// Measures all of it.
///
/// # Errors
/// A limit was missed, or something never came.
pub fn measure(n_sounds: usize) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let database = folder.path().join("sounds/library.db");
    let place = LibraryPlace::new(&Folders::in_folder(folder.path()), Some(&database));
    let began = Instant::now();
    make_library(&place, n_sounds as i64);
    // Computes the scale as adding does, since a change of it later would make the panel read all vectors again.
    LibraryStore::open_to_edit(&place).and_then(|store| store.refresh_scale()).map_err(|error| error.to_string())?;
    println!("{n_sounds} sounds were made in {:.1} s", began.elapsed().as_secs_f64());
    let mut panel = Panel::new(folder.path());
    let clip = folder.path().join("five seconds.wav");
    write_clip(&clip, 5);
    panel.studio.act(FileAct::Open(vec![clip]));
    panel.settle()?;
    let mut lines = lists(&mut panel, &database, n_sounds)?;
    lines.extend(similar(&mut panel, &place)?);
    lines.extend(searches(&mut panel, &place, n_sounds)?);
    lines.extend(adds(&mut panel, &place, folder.path(), n_sounds)?);
    print(&lines);
    let missed = |line: &&Line| line.limit_ms.is_some_and(|limit| line.took_ms > limit);
    let missed: Vec<&str> = lines.iter().filter(missed).map(|line| line.what).collect();
    if missed.is_empty() { Ok(()) } else { Err(format!("over the limit: {}", missed.join("; "))) }
}

/// The panel is opened.
fn lists(panel: &mut Panel, database: &Path, n_sounds: usize) -> Result<Vec<Line>, String> {
    panel.studio.act(LibraryAct::Use(database.to_path_buf()));
    panel.studio.act(LayoutCommand::Library);
    let began = Instant::now();
    let first_ms = panel.until("the first rows", Vec::new(), |browser| are_drawn(browser, 1))?;
    panel.until("the whole list", Vec::new(), |browser| browser.entries().len() == n_sounds)?;
    let whole_ms = millis(began.elapsed());
    // The vectors are read.
    panel.settle()?;
    Ok(vec![
        Line { what: "from opening the panel to its first rows", took_ms: first_ms, limit_ms: Some(1_000.0) },
        Line { what: "from opening the panel to the whole list", took_ms: whole_ms, limit_ms: None },
    ])
}

/// A second of the clip is compared with all of them, by its key.
fn similar(panel: &mut Panel, place: &LibraryPlace) -> Result<Vec<Line>, String> {
    let second = Selection::rectangle(Some([1.0, 2.0]), None, [0.0; 2], Axis::Linear);
    panel.studio.act(DocumentAct::Select(Some(second)));
    panel.settle()?;
    let panel_ms = median_of(|| {
        let (key, modifiers) = (Key::U, Modifiers::COMMAND);
        let press = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        let is_there = |browser: &Browser| browser.mode() == LibraryMode::Similar && are_drawn(browser, 1);
        let took_ms = panel.until("what is similar", vec![press(true), press(false)], is_there)?;
        panel.studio.act(BrowseCommand::All);
        panel.settle()?;
        Ok(took_ms)
    })?;
    let store = LibraryStore::open_to_read(place).map_err(|error| error.to_string())?;
    let (index, read_ms) = timed(|| store.similar_index(None, &Progress::new()))?;
    let query = store.similar_to(LIKE).map_err(|error| error.to_string())?;
    let engine_ms = median_of(|| {
        let began = Instant::now();
        let found = index.nearest(&query, &SimilarDials::default(), 200);
        let took_ms = millis(began.elapsed());
        let ids: Vec<i64> = found.iter().take(4).map(|(id, _)| *id).collect();
        let is_right = ids == [LIKE, NEAREST[0], NEAREST[1], NEAREST[2]];
        if is_right { Ok(took_ms) } else { Err(format!("the nearest to {LIKE} are wrong: {ids:?}")) }
    })?;
    Ok(vec![
        Line { what: "similar, from the key to the list", took_ms: panel_ms, limit_ms: Some(100.0) },
        Line { what: "similar, the search alone", took_ms: engine_ms, limit_ms: Some(20.0) },
        Line { what: "all vectors read", took_ms: read_ms, limit_ms: None },
    ])
}

/// Two words that all of them have, and a filter.
fn searches(panel: &mut Panel, place: &LibraryPlace, n_sounds: usize) -> Result<Vec<Line>, String> {
    let engine_ms = median_of(|| {
        let filter = SoundFilter::parse("duration_secs >= 2 and duration_secs <= 10").ok();
        let query = SoundQuery { text: "pack hit".into(), filter, max: Some(100), ..SoundQuery::default() };
        let (found, took_ms) = timed(|| LibraryStore::open_to_read(place)?.search(&query))?;
        if found.len() == 100 { Ok(took_ms) } else { Err(format!("{} sounds were found", found.len())) }
    })?;
    let panel_ms = median_of(|| {
        let chips = CHIPS.map(|chip| (chip.name == "Duration").then_some(2));
        panel.studio.act(LibraryAct::Find(LibraryQuery { text: "pack hit".into(), chips, ..LibraryQuery::default() }));
        // The second sound of all is too short.
        let is_found = |browser: &Browser| browser.entries().first().is_some_and(|entry| entry.id == 2);
        let took_ms =
            panel.until("what was found", Vec::new(), |browser| is_found(browser) && are_drawn(browser, 1))?;
        panel.studio.act(LibraryAct::Find(LibraryQuery::default()));
        panel.until("all of them", Vec::new(), |browser| browser.entries().len() == n_sounds)?;
        panel.settle()?;
        Ok(took_ms)
    })?;
    Ok(vec![
        Line { what: "two words with a filter, 100 sounds", took_ms: engine_ms, limit_ms: Some(50.0) },
        Line { what: "two words with a filter, from the act to the list", took_ms: panel_ms, limit_ms: Some(100.0) },
    ])
}

/// A folder is dropped, and the list scrolled while its sounds are analysed.
fn adds(panel: &mut Panel, place: &LibraryPlace, folder: &Path, n_sounds: usize) -> Result<Vec<Line>, String> {
    let dropped = folder.join("dropped");
    std::fs::create_dir(&dropped).map_err(|error| error.to_string())?;
    (0..N_ADDED).for_each(|number| write_tone(&dropped.join(format!("tone {number}.wav")), number));
    let store = LibraryStore::open_to_read(place).map_err(|error| error.to_string())?;
    let (index, _) = timed(|| store.similar_index(None, &Progress::new()))?;
    panel.step(vec![Event::PointerMoved(pos2(150.0, 700.0))]);
    panel.studio.act(FileAct::Open(vec![dropped]));
    let began = Instant::now();
    let (mut first_ms, mut wall_ms, mut busy_ms) = (None, Vec::new(), Vec::new());
    let mut was_running = false;
    for notch in 0.. {
        let took = panel.step(vec![wheel(if notch % 3 == 0 { -4_400.0 } else { -44.0 })]);
        let browser = panel.browser();
        if first_ms.is_none() && browser.entries().len() > n_sounds {
            first_ms = Some(millis(began.elapsed()));
        }
        if browser.added().is_running {
            was_running = true;
            wall_ms.push(took.wall_ms);
            busy_ms.push(took.busy_ms);
        } else if was_running {
            break;
        }
        if began.elapsed() > MAX_ADD {
            return Err(format!("the folder was not added: {:?}", panel.studio.notices()));
        }
    }
    panel.until("all that was added", Vec::new(), |browser| browser.entries().len() == n_sounds + N_ADDED)?;
    let first_ms = first_ms.unwrap_or_else(|| millis(began.elapsed()));
    if wall_ms.len() < MIN_FRAMES {
        return Err(format!("only {} frames were drawn while sounds were added", wall_ms.len()));
    }
    println!("{} frames while {N_ADDED} sounds were added", wall_ms.len());
    let (_, grown_ms) = timed(|| store.similar_index(Some(index), &Progress::new()))?;
    let [[p50, _, p99, worst], [busy50, _, busy99, _]] = [quantiles(wall_ms), quantiles(busy_ms)];
    Ok(vec![
        Line { what: "from dropping a folder to its first row", took_ms: first_ms, limit_ms: Some(1_000.0) },
        Line { what: "a frame of scrolling while it is added, p50", took_ms: p50, limit_ms: None },
        Line { what: "a frame of scrolling while it is added, p99", took_ms: p99, limit_ms: Some(8.0) },
        Line { what: "a frame of scrolling while it is added, the longest", took_ms: worst, limit_ms: None },
        Line { what: "of such a frame the UI thread's processor time, p50", took_ms: busy50, limit_ms: None },
        Line { what: "of such a frame the UI thread's processor time, p99", took_ms: busy99, limit_ms: None },
        Line {
            what: "vectors of what was added read to those that are kept",
            took_ms: grown_ms,
            limit_ms: Some(100.0),
        },
    ])
}

fn wheel(points: f32) -> Event {
    Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: vec2(0.0, points),
        modifiers: Modifiers::NONE,
        phase: TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
    }
}

/// A second of a tone that dies away, another one for each number.
fn write_tone(path: &Path, number: usize) {
    let sample_format = hound::SampleFormat::Int;
    let spec = hound::WavSpec { channels: 1, sample_rate: 44_100, bits_per_sample: 16, sample_format };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    for at in 0..44_100 {
        let secs = f64::from(at) / 44_100.0;
        let phase = secs * (80.0 + 7.0 * number as f64) * std::f64::consts::TAU;
        writer.write_sample((16_000.0 * phase.sin() * (-4.0 * secs).exp()) as i16).unwrap();
    }
    writer.finalize().unwrap();
}
