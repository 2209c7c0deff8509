//! What the UI thread works on frames and edits of a sound with many labels.

use super::{Options, SIZE, Window, quantiles, write_clip};
use sonobrush::workbench::commands::LabelCommand;
use sonobrush::workbench::{FileAct, LabelAct, LabelOrder, ViewAct};
use std::fmt::Write as _;
use std::time::Instant;

const CLIP_SECS: u32 = 180;
const N_FRAMES: usize = 120;
const N_EDITS: usize = 50;

/// What a hand does not notice, of the UI thread: the median frame, and any edit.
const MAX_FRAME_MS: f64 = 8.0;
const MAX_EDIT_MS: f64 = 2.0;

/// Frames of a view that moves, over all and over a part of the labels, then edits.
///
/// # Errors
/// A sentence; also where a frame or an edit takes too long.
pub fn measure(options: &Options, n_labels: usize) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let clip = folder.path().join("three minutes.wav");
    write_clip(&clip, CLIP_SECS);
    let mut table = String::from("start_s,end_s,low_hz,high_hz,label\n");
    for k in 0..n_labels {
        let start = f64::from(CLIP_SECS) * k as f64 / n_labels as f64;
        writeln!(table, "{start:?},{:?},500.0,2000.0,call {}", start + 0.01, k % 20)
            .map_err(|error| error.to_string())?;
    }
    std::fs::write(clip.with_extension("csv"), table).map_err(|error| error.to_string())?;
    let mut window = Window::new(&options.settings, folder.path(), options.limit, SIZE)?;
    window.studio.act(FileAct::Open(vec![clip]));
    window.settle("opening")?;
    window.studio.act(LabelCommand::ImportBeside);
    window.settle("importing")?;
    let n = window.studio.document().map_or(0, |document| document.history().labels().len());
    if n != n_labels {
        return Err(format!("there are {n} labels: {:?}", window.studio.notices()));
    }
    let mut slow = Vec::new();
    for (view, length_secs) in [("all labels", 170.0), ("ten seconds", 10.0), ("a tenth of a second", 0.1)] {
        let mut took = Vec::new();
        for k in 0..N_FRAMES {
            let start = 5.0 * k as f64 / N_FRAMES as f64;
            window.studio.act(ViewAct::Secs([start, start + length_secs]));
            // What a software adapter draws meanwhile on the same cores is not in it.
            let before_ms = thread_ms();
            window.step(Vec::new());
            took.push(thread_ms() - before_ms);
            window.notify("the view moves")?;
        }
        let [median_ms, _] = notify(&format!("UI thread's processor time for a frame, {view}"), took);
        slow.extend((median_ms > MAX_FRAME_MS).then(|| format!("a frame over {view}: {median_ms:.1} ms")));
    }
    window.studio.act(ViewAct::Secs([0.0, f64::from(CLIP_SECS)]));
    window.settle("the whole")?;
    let mut took = [const { Vec::new() }; 3];
    for k in 0..N_EDITS {
        let id = (k * n_labels / N_EDITS) as u64 + 1;
        let start = 3.0 * k as f64;
        let acts = [
            LabelAct::Draw { secs: [start, start + 1.0], hz: Some([100.0, 900.0]) },
            LabelAct::Reshape { id, secs: [start, start + 0.5], hz: [None, None] },
            LabelAct::Remove(id),
        ];
        for (act, took) in acts.into_iter().zip(&mut took) {
            let began = Instant::now();
            window.studio.act(act);
            took.push(began.elapsed().as_secs_f64() * 1e3);
            window.step(Vec::new());
        }
    }
    for (what, took) in ["drawing a label", "moving its edges", "removing it"].into_iter().zip(took) {
        let [_, worst_ms] = notify(what, took);
        slow.extend((worst_ms > MAX_EDIT_MS).then(|| format!("{what}: {worst_ms:.1} ms")));
    }
    window.studio.act(LabelAct::List(LabelOrder { filter: "CALL 1".into(), ..LabelOrder::default() }));
    let began = Instant::now();
    window.settle("filtering")?;
    println!("filtered after {:.0} ms", began.elapsed().as_secs_f64() * 1e3);
    if slow.is_empty() { Ok(()) } else { Err(format!("too slow: {}", slow.join("; "))) }
}

/// Processor time of this thread.
#[cfg(target_os = "linux")]
fn thread_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 * 1e-6
}

#[cfg(not(target_os = "linux"))]
fn thread_ms() -> f64 {
    static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

/// Prints the quantiles, and returns the median and the worst.
fn notify(what: &str, took: Vec<f64>) -> [f64; 2] {
    let [p50, p95, p99, worst] = quantiles(took);
    println!("{what}: p50 {p50:.3}  p95 {p95:.3}  p99 {p99:.3}  worst {worst:.3} ms");
    [p50, worst]
}
