//! The studio on files too long for memory, in a process of its own, so that what it holds can be measured: opened,
//! zoomed, painted on, undone, played, exported; stretched in the long form alone. `SONOBRUSH_LONG_TESTS=1` takes an
//! hour, else it is five minutes.
#![expect(clippy::print_stdout, reason = "the process that started this one reads what it prints")]

use crate::support::flac;
use crate::support::measure::strongest_tone;
use crate::support::opened::{clip, folder};
use crate::support::signals::Rng;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu};
use sonobrush::base::MALLOC_SETTINGS;
use sonobrush::document::Snapshot;
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{Axis, Selection};
use sonobrush::workbench::{DocumentAct, Jobs, Picked, Reply, StretchOptions, Tool};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Names the file and what is done with it in the process of its own.
const VARIABLE: &str = "SONOBRUSH_TEST_LONG_STUDIO";
const RATE_HZ: u32 = 48_000;

fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}

/// How often the hour is opened, so that one lucky or unlucky time is not enough, and how many strokes are painted on
/// it.
fn rounds_and_strokes() -> (usize, usize) {
    if is_long() { (5, 10) } else { (1, 4) }
}

/// Strokes that are undone.
const N_UNDONE: usize = 3;

/// What is stretched: the tone to the left and to the right, and the time from one hit to the next.
const TONES_HZ: [f64; 2] = [440.0, 659.26];
const HIT_SECS: u64 = 2;
const STRETCHED_SECS: u64 = 600;
const STRETCH_PERCENT: f64 = 110.0;

/// Writes a stereo float WAV of `secs` seconds; `frame` returns the samples of each frame by its number, in order.
fn write_wav(path: &Path, secs: u64, mut frame: impl FnMut(u64) -> [f32; 2]) {
    let n_data = secs * u64::from(RATE_HZ) * 8;
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(path).unwrap());
    out.write_all(b"RIFF").unwrap();
    out.write_all(&u32::try_from(36 + n_data).unwrap().to_le_bytes()).unwrap();
    out.write_all(b"WAVEfmt \x10\0\0\0\x03\0\x02\0\x80\xbb\0\0\0\xdc\x05\0\x08\0\x20\0data").unwrap();
    out.write_all(&(n_data as u32).to_le_bytes()).unwrap();
    let mut second = Vec::new();
    for at in 0..secs {
        second.clear();
        let first = at * u64::from(RATE_HZ);
        for at in first..first + u64::from(RATE_HZ) {
            frame(at).into_iter().for_each(|sample| second.extend(sample.to_le_bytes()));
        }
        out.write_all(&second).unwrap();
    }
    out.flush().unwrap();
}

/// Noise, with a tone in it that moves on every second.
fn noise_and_tone() -> impl FnMut(u64) -> [f32; 2] {
    let mut rng = Rng(7);
    move |at| {
        let (second, i) = (at / u64::from(RATE_HZ), at % u64::from(RATE_HZ));
        let hz = 300.0 + 37.0 * (second % 100) as f32;
        let tone = 0.2 * (std::f32::consts::TAU * hz * i as f32 / RATE_HZ as f32).sin();
        let bits = rng.bits();
        [bits as u32 as i32, (bits >> 32) as u32 as i32].map(|noise| tone + noise as f32 * (0.05 / 2f32.powi(31)))
    }
}

/// A steady tone on each side, and a hit on both every two seconds.
fn tones_and_hits() -> impl FnMut(u64) -> [f32; 2] {
    let mut rng = Rng(8);
    move |at| {
        let since = at % (HIT_SECS * u64::from(RATE_HZ));
        let hit = if since < 4_800 { 0.5 * rng.between(-1.0, 1.0) * (-(since as f64) / 480.0).exp() } else { 0.0 };
        let turns = |hz: f64| (hz * at as f64 / f64::from(RATE_HZ)).fract();
        TONES_HZ.map(|hz| (0.2 * (std::f64::consts::TAU * turns(hz)).sin() + hit) as f32)
    }
}

/// Private memory of this process in bytes.
fn rss_anon() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<u64>().unwrap() * 1024
}

/// Processor time of this process so far, in seconds.
fn processor_secs() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    // The fourteenth and fifteenth of all, in hundredths, of which two stand before the bracket.
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap() / 100.0).sum()
}

/// The maximum private memory since its creation, sampled every few milliseconds.
struct Watch {
    max: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Watch {
    fn new() -> Watch {
        let watch = Watch { max: Arc::default(), stop: Arc::default() };
        let (max, stop) = (watch.max.clone(), watch.stop.clone());
        std::thread::spawn(move || {
            while !stop.load(Relaxed) {
                max.fetch_max(rss_anon(), Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        watch
    }

    fn max_mb(&self) -> u64 {
        self.max.load(Relaxed) / 1_000_000
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

/// Frames until something holds.
fn until(bench: &mut Bench, what: &str, mut holds: impl FnMut(&mut Bench) -> bool) {
    let began = Instant::now();
    loop {
        bench.harness.step();
        if holds(bench) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(600), "{what} never came: {:?}", bench.notices());
        // As often as a screen is drawn.
        std::thread::sleep(Duration::from_millis(15));
    }
}

fn until_idle(bench: &mut Bench) {
    let mut n_quiet = 0;
    until(bench, "rest", |bench| {
        n_quiet = if bench.studio().is_idle() { n_quiet + 1 } else { 0 };
        n_quiet >= 3
    });
}

/// Whether the picture shows something in all of its parts from left to right.
fn has_picture(bench: &mut Bench) -> bool {
    let Some(rect) = bench.studio().picture_rect() else { return false };
    let image = bench.harness.render().unwrap();
    let [left, width] = [rect.left() + 4.0, rect.width() - 8.0].map(|x| x as u32);
    let (top, bottom) = (rect.top() as u32 + 4, rect.bottom() as u32 - 4);
    // Silence and missing parts have the darkest colour.
    let colormap = bench.studio().document().unwrap().view().colormap;
    let (silence, window) = (colormap.rgb(0.0), sonobrush::studio::widgets::theme::DARK.window.to_array());
    (0..50).all(|part| {
        let x = left + width * part / 50;
        let n_lit = (top..bottom).step_by(4).filter(|&y| {
            let pixel = image.get_pixel(x, y).0;
            pixel[..3] != silence && pixel[..3] != window[..3]
        });
        n_lit.count() > (bottom - top) as usize / 16
    })
}

fn bench(folder: tempfile::TempDir) -> Bench {
    let mut bench = Bench::with_jobs(Drawing::Wgpu, folder, Jobs::threads(|| ()));
    until_idle(&mut bench);
    bench.harness.render().unwrap();
    bench
}

/// Runs one test of this binary by itself; what it printed.
fn in_a_process_of_its_own(test: &str, path: &Path) -> String {
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(VARIABLE, path)
        // As the program starts itself.
        .envs(MALLOC_SETTINGS)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{text}\n{}", String::from_utf8_lossy(&run.stderr));
    let figures = text.lines().filter_map(|line| line.split_once("figure: "));
    // Past the harness, which swallows what passing tests print.
    figures.for_each(|(_, figure)| drop(writeln!(std::io::stderr(), "{test}: {figure}")));
    text
}

/// The figure that a process printed.
fn figure(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.split_once("figure: ")?.1.strip_prefix(name)).unwrap();
    line.trim().parse().unwrap()
}

#[test]
fn an_hour_is_opened_painted_played_and_exported_in_bounded_memory() {
    if !has_gpu() || !cfg!(target_os = "linux") {
        return;
    }
    let folder = folder();
    let path = folder.path().join("long.wav");
    write_wav(&path, if is_long() { 3600 } else { 300 }, noise_and_tone());
    let text = in_a_process_of_its_own("long_studio::child_works_on_a_long_wav", &path);
    assert!(figure(&text, "private memory, MB") < 300.0);
    // The law is for two cores that have nothing else to do.
    let max_secs = if is_long() { 1.5 } else { 10.0 };
    assert!(figure(&text, "first picture, s") < max_secs);
}

/// The same on rows, where the picture of all of it comes as a sketch first.
#[test]
fn an_hour_is_opened_zoomed_and_painted_on_rows_in_bounded_memory() {
    if !has_gpu() || !cfg!(target_os = "linux") {
        return;
    }
    let folder = folder();
    let path = folder.path().join("long.wav");
    write_wav(&path, if is_long() { 3600 } else { 240 }, noise_and_tone());
    let text = in_a_process_of_its_own("long_studio::child_works_on_a_long_wav_on_rows", &path);
    assert!(figure(&text, "private memory, MB") < 300.0);
    assert!(figure(&text, "first picture, s") < 20.0);
}

#[test]
fn flac_of_14_minutes_is_seen_whole_in_bounded_memory() {
    if !has_gpu() || !cfg!(target_os = "linux") {
        return;
    }
    let folder = folder();
    let path = folder.path().join("long.flac");
    let clips =
        ["drum_break", "guitar_chord", "tabla_loop", "vinyl_hiss"].map(|name| clip(&format!("{name}_44k_stereo.flac")));
    let secs = if is_long() { 847 } else { 400 };
    flac::write_long(&path, &clips.each_ref().map(PathBuf::as_path), secs * 44_100);
    let text = in_a_process_of_its_own("long_studio::child_looks_at_a_long_flac", &path);
    assert!(figure(&text, "private memory, MB") < 200.0);
    let max_secs = if is_long() { 4.0 } else { 20.0 };
    assert!(figure(&text, "whole overview, s") < max_secs);
}

/// Too long to float; as samples in memory the result alone would take 230 MB.
#[test]
fn ten_minutes_are_stretched_in_bounded_memory_and_stay_in_tune_and_in_time() {
    if !is_long() || !cfg!(target_os = "linux") {
        return;
    }
    let folder = folder();
    let path = folder.path().join("long.wav");
    write_wav(&path, STRETCHED_SECS, tones_and_hits());
    let text = in_a_process_of_its_own("long_studio::child_stretches_ten_minutes", &path);
    assert!(figure(&text, "private memory for it, MB") < 128.0);
}

fn open(bench: &mut Bench, path: &Path) -> Instant {
    let began = Instant::now();
    bench.open(path.to_path_buf());
    until(bench, "the document", |bench| bench.studio().document().is_some());
    began
}

fn close(bench: &mut Bench) {
    bench.harness.key_press_modifiers(CTRL, egui::Key::W);
    until(bench, "an empty window", |bench| bench.studio().document().is_none());
}

#[test]
fn child_works_on_a_long_wav() {
    let Some(path) = std::env::var_os(VARIABLE).map(PathBuf::from) else { return };
    let place = folder();
    let cache = place.path().join("cache");
    let mut bench = bench(place);
    let watch = Watch::new();
    let (mut best_secs, mut min_processor_secs) = (f64::INFINITY, f64::INFINITY);
    let (n_rounds, n_strokes) = rounds_and_strokes();
    for round in 0..n_rounds {
        // Nothing is kept from the time before.
        std::fs::remove_dir_all(&cache).ok();
        let processor_before_secs = processor_secs();
        let began = open(&mut bench, &path);
        until(&mut bench, "the first picture", has_picture);
        min_processor_secs = min_processor_secs.min(processor_secs() - processor_before_secs);
        best_secs = best_secs.min(began.elapsed().as_secs_f64());
        if round + 1 < n_rounds {
            close(&mut bench);
        }
    }
    println!("figure: first picture, s {best_secs:.3}");
    println!("figure: processor time to it, s {min_processor_secs:.2}");
    let began = Instant::now();
    until_idle(&mut bench);
    println!("figure: whole pyramid after that, s {:.1}", began.elapsed().as_secs_f64());
    println!("figure: private memory once it is seen, MB {}", rss_anon() / 1_000_000);

    let duration_secs = bench.studio().document().unwrap().duration_secs();
    bench.pick(Tool::ERASE);
    for place in 0..n_strokes {
        // At a different zoom each time, from all of it to a second.
        let at_secs = duration_secs * (place as f64 + 0.5) / n_strokes as f64;
        for width_secs in [duration_secs, 60.0, 1.0 + place as f64] {
            let start = (at_secs - width_secs / 2.0).clamp(0.0, duration_secs - width_secs);
            bench.set_view(|view| view.secs = [start, start + width_secs]);
            until(&mut bench, "the view", |bench| bench.studio().is_idle());
            bench.harness.render().unwrap();
        }
        println!("figure: private memory zoomed {place}, MB {}", rss_anon() / 1_000_000);
        let rect = bench.studio().picture_rect().unwrap();
        let along = [0.4, 0.45, 0.5, 0.55, 0.6].map(|part| rect.left_top() + rect.size() * egui::vec2(part, 0.5));
        drag(&mut bench, &along);
        until(&mut bench, "the edit", |bench| {
            bench.studio().document().unwrap().history().position() == place + 1 && bench.studio().is_idle()
        });
    }
    for position in (n_strokes - N_UNDONE..n_strokes).rev() {
        bench.harness.key_press_modifiers(CTRL, egui::Key::Z);
        until(&mut bench, "undo", |bench| bench.studio().document().unwrap().history().position() == position);
    }
    until_idle(&mut bench);
    let document = bench.studio().document().unwrap();
    let (edited, original) = (document.history().current().clone(), document.history().original().clone());
    println!("figure: private memory painted, MB {}", rss_anon() / 1_000_000);

    // Ten seconds from the middle are heard as they are.
    bench.put_cursor(duration_secs / 2.0);
    bench.harness.key_press_modifiers(NONE, egui::Key::Space);
    bench.harness.step();
    for _ in 0..480 {
        assert!(bench.recorder.pull_ready(1000, Duration::from_secs(20)));
        bench.harness.step();
    }
    let heard = bench.recorder.samples();
    let loudest = heard.iter().fold(0.0f32, |max, sample| max.max(sample.abs()));
    assert!(heard.len() > 9 * 2 * RATE_HZ as usize && (0.15..0.3).contains(&loudest), "{} of {loudest}", heard.len());
    bench.harness.key_press_modifiers(NONE, egui::Key::Space);
    until_idle(&mut bench);

    let out = bench.out("out.wav");
    bench.dialogs.answer(Picked::File(out.clone()));
    let began = Instant::now();
    bench.harness.key_press_modifiers(CTRL, egui::Key::E);
    bench.harness.step();
    bench.harness.step();
    press(&mut bench, "Save as\u{2026}");
    until(&mut bench, "the export", |bench| {
        bench.notices().iter().any(|(_, what)| what.starts_with("Exported")) && bench.studio().is_idle()
    });
    println!("figure: export, s {:.1}", began.elapsed().as_secs_f64());
    println!("figure: private memory, MB {}", watch.max_mb());
    check_export(&path, &out, &edited, &original, (n_strokes - N_UNDONE) as u64);
}

#[test]
fn child_works_on_a_long_wav_on_rows() {
    let Some(path) = std::env::var_os(VARIABLE).map(PathBuf::from) else { return };
    let mut bench = bench(folder());
    let watch = Watch::new();
    open(&mut bench, &path);
    let began = Instant::now();
    bench.set_view(|view| {
        (view.transform, view.axis, view.hz) = (RowsParams::music().into(), Axis::Log, [40.0, 20_000.0]);
    });
    until(&mut bench, "the first picture", has_picture);
    println!("figure: first picture, s {:.3}", began.elapsed().as_secs_f64());
    until_idle(&mut bench);
    println!("figure: whole pyramid, s {:.1}", began.elapsed().as_secs_f64());
    println!("figure: private memory once it is seen, MB {}", rss_anon() / 1_000_000);
    let (_, n_strokes) = rounds_and_strokes();
    let duration_secs = bench.studio().document().unwrap().duration_secs();
    bench.pick(Tool::ERASE);
    for place in 0..n_strokes {
        let at_secs = duration_secs * (place as f64 + 0.5) / n_strokes as f64;
        for width_secs in [duration_secs, 60.0, 1.0 + place as f64] {
            let start = (at_secs - width_secs / 2.0).clamp(0.0, duration_secs - width_secs);
            bench.set_view(|view| view.secs = [start, start + width_secs]);
            let began = Instant::now();
            until(&mut bench, "the view", |bench| bench.studio().is_idle());
            bench.harness.render().unwrap();
            println!("figure: {width_secs:.0} s seen, s {:.2}", began.elapsed().as_secs_f64());
        }
        let rect = bench.studio().picture_rect().unwrap();
        let along = [0.4, 0.45, 0.5, 0.55, 0.6].map(|part| rect.left_top() + rect.size() * egui::vec2(part, 0.5));
        let began = Instant::now();
        drag(&mut bench, &along);
        until(&mut bench, "the edit", |bench| {
            bench.studio().document().unwrap().history().position() == place + 1 && bench.studio().is_idle()
        });
        println!("figure: stroke {place}, s {:.2}", began.elapsed().as_secs_f64());
        println!("figure: private memory painted {place}, MB {}", rss_anon() / 1_000_000);
    }
    for position in (0..n_strokes).rev() {
        bench.harness.key_press_modifiers(CTRL, egui::Key::Z);
        until(&mut bench, "undo", |bench| bench.studio().document().unwrap().history().position() == position);
    }
    until_idle(&mut bench);
    let document = bench.studio().document().unwrap();
    assert!(document.history().current().differing(document.history().original(), 0).is_empty());
    println!("figure: private memory, MB {}", watch.max_mb());
}

fn press(bench: &mut Bench, label: &str) {
    use egui_kittest::kittest::Queryable;
    bench.harness.get_by_label(label).click();
    bench.harness.step();
}

fn drag(bench: &mut Bench, places: &[egui::Pos2]) {
    let press = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: NONE,
    };
    bench.harness.event(egui::Event::PointerMoved(places[0]));
    bench.harness.event(press(places[0], true));
    bench.harness.step();
    for &place in places {
        bench.harness.event(egui::Event::PointerMoved(place));
        bench.harness.step();
    }
    bench.harness.event(press(places[places.len() - 1], false));
    bench.harness.step();
}

/// A file at its samples, and how many bytes they take.
fn samples_of(path: &Path) -> (impl Read, u64) {
    let mut file = std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(path).unwrap());
    let mut head = [0; 12];
    file.read_exact(&mut head).unwrap();
    loop {
        let mut chunk = [0; 8];
        file.read_exact(&mut chunk).unwrap();
        let n = u32::from_le_bytes(chunk[4..].try_into().unwrap());
        if &chunk[..4] == b"data" {
            return (file, u64::from(n));
        }
        file.seek_relative(i64::from(n)).unwrap();
    }
}

/// The export differs from the source only where strokes reached, and there it does.
fn check_export(source: &Path, out: &Path, edited: &Snapshot, original: &Snapshot, n_strokes: u64) {
    let touched = edited.differing(original, 0);
    let n_touched: u64 = touched.iter().map(|range| range.end - range.start).sum();
    // Strokes of two seconds and less, a window, a block on each side.
    assert!(
        !touched.is_empty() && n_touched < n_strokes * 6 * u64::from(RATE_HZ),
        "{n_touched} samples in {touched:?}"
    );
    let [(mut ours, n_ours), (mut theirs, n_theirs)] = [out, source].map(samples_of);
    assert!(n_ours == n_theirs && n_ours == original.n_samples() * 8, "{n_ours} bytes of {n_theirs}");
    // Blocks of an edit are as fine as we look here.
    let (mut a, mut b) = (vec![0; 8 * 4096], vec![0; 8 * 4096]);
    let (mut at, mut n_changed) = (0u64, 0);
    while at < original.n_samples() {
        let n = (original.n_samples() - at).min(4096);
        let bytes = n as usize * 8;
        ours.read_exact(&mut a[..bytes]).unwrap();
        theirs.read_exact(&mut b[..bytes]).unwrap();
        let is_changed = a[..bytes] != b[..bytes];
        let may_change = touched.iter().any(|range| range.start < at + n && at < range.end);
        assert!(may_change || !is_changed, "sample {at} was not touched and is changed");
        n_changed += u64::from(is_changed);
        at += n;
    }
    assert!(n_changed >= n_strokes, "{n_changed} blocks were changed");
}

#[test]
fn child_stretches_ten_minutes() {
    let Some(path) = std::env::var_os(VARIABLE).map(PathBuf::from) else { return };
    let mut bench = Bench::in_folder(Drawing::None, folder());
    bench.limit(|budgets| budgets.history_bytes = 16 << 20);
    bench.open(path);
    bench.settle();
    let (before, watch, began) = (rss_anon() / 1_000_000, Watch::new(), Instant::now());
    bench.select_shape(Selection::rectangle(Some([0.0, STRETCHED_SECS as f64]), None, [0.0; 2], Axis::Linear));
    bench.act(Reply::Stretch(StretchOptions { percent: STRETCH_PERCENT, replaces: true, selected_secs: 0.0 }));
    // Its figures are none of the work.
    bench.act(DocumentAct::Select(None));
    bench.settle();
    println!("figure: stretched, s {:.1}", began.elapsed().as_secs_f64());
    println!("figure: private memory for it, MB {}", watch.max_mb().saturating_sub(before));
    let document = bench.studio().document().unwrap();
    assert!(document.floating().is_none() && document.history().position() == 1, "{:?}", bench.notices());
    check_stretched(document.history().current());
}

/// The tones keep their pitch between the hits, from the start to the end, and the hits are where they belong.
fn check_stretched(sound: &Snapshot) {
    let (rate_hz, factor) = (f64::from(RATE_HZ), STRETCH_PERCENT / 100.0);
    let part = |channel: usize, around_secs: f64, n: usize| {
        let mut samples = vec![0.0; n];
        sound.read(channel, (around_secs * rate_hz) as i64 - n as i64 / 2, &mut samples).unwrap();
        samples
    };
    let (mut max_cents, mut max_ms) = (0.0f64, 0.0f64);
    for hit in [1, 60, 137, 200, 271] {
        let hit_secs = (hit * HIT_SECS) as f64;
        for (channel, hz) in TONES_HZ.into_iter().enumerate() {
            let between = part(channel, factor * (hit_secs + 1.0), 16_384);
            let found = strongest_tone(&between, rate_hz, 0.9 * hz, 1.1 * hz);
            max_cents = max_cents.max((1200.0 * (found.hz / hz).log2()).abs());
        }
        // The first place that bends as no tone does.
        let around = part(0, factor * hit_secs, 9_600);
        let bends: Vec<f32> = around.windows(3).map(|x| (x[0] - 2.0 * x[1] + x[2]).abs()).collect();
        let first = bends.iter().position(|bend| *bend > 0.1).expect("a hit");
        max_ms = max_ms.max(1000.0 * (first as f64 - 4_800.0).abs() / rate_hz);
    }
    println!("figure: off, cents {max_cents:.3}");
    println!("figure: hits off, ms {max_ms:.2}");
    assert!(max_cents < 2.0 && max_ms < 5.0, "{max_cents} cents, {max_ms} ms");
}

#[test]
fn child_looks_at_a_long_flac() {
    let Some(path) = std::env::var_os(VARIABLE).map(PathBuf::from) else { return };
    let place = folder();
    let cache = place.path().join("cache");
    let mut bench = bench(place);
    let watch = Watch::new();
    let (mut best_secs, mut best_first_secs) = (f64::INFINITY, f64::INFINITY);
    let mut min_processor_secs = f64::INFINITY;
    let n_rounds = if is_long() { 3 } else { 1 };
    for round in 0..n_rounds {
        std::fs::remove_dir_all(&cache).ok();
        let processor_before_secs = processor_secs();
        let began = open(&mut bench, &path);
        let mut was_seen_while_read = false;
        let mut first_secs = None;
        until(&mut bench, "the whole overview", |bench| {
            let is_reading = bench.studio().document().unwrap().is_reading();
            was_seen_while_read |= is_reading;
            if first_secs.is_none() && bench.studio().envelope().is_some() {
                first_secs = Some(began.elapsed().as_secs_f64());
            }
            !is_reading && bench.studio().is_idle()
        });
        bench.harness.render().unwrap();
        assert!(was_seen_while_read, "it was shown before it was decoded");
        best_secs = best_secs.min(began.elapsed().as_secs_f64());
        min_processor_secs = min_processor_secs.min(processor_secs() - processor_before_secs);
        best_first_secs = best_first_secs.min(first_secs.unwrap());
        assert!(has_picture(&mut bench));
        if round + 1 < n_rounds {
            close(&mut bench);
        }
    }
    println!("figure: first overview, s {best_first_secs:.3}");
    println!("figure: whole overview, s {best_secs:.3}");
    println!("figure: processor time to it, s {min_processor_secs:.2}");
    println!("figure: private memory, MB {}", watch.max_mb());
    // Opened once more it is there at once: its picture was kept.
    let is_kept = |file: std::io::Result<std::fs::DirEntry>| file.unwrap().path().extension().is_some();
    until(&mut bench, "a picture to keep", |_| {
        std::fs::read_dir(cache.join("pictures")).is_ok_and(|mut files| files.any(is_kept))
    });
    close(&mut bench);
    let began = open(&mut bench, &path);
    until(&mut bench, "the picture that was kept", has_picture);
    let kept_secs = began.elapsed().as_secs_f64();
    println!("figure: picture that was kept, s {kept_secs:.3}");
    assert!(kept_secs < best_secs, "{kept_secs} s, where {best_secs} s made it");
}
