//! Memory that the device holds while many strokes are painted on an hour of stereo in a large window.

use super::{Options, Window, write_clip};
use sonobrush::workbench::commands::ToolCommand;
use sonobrush::workbench::{FileAct, Tool, ViewAct};

const SIZE: [u32; 2] = [3840, 2160];
const CLIP_SECS: u32 = 3600;
/// Frames of a stroke, unless `--frames` gives another number.
const FRAMES: usize = 8;
/// Durations of the views that the strokes are painted on, in turn, in seconds; each view is at another position.
const VIEW_SECS: [f64; 4] = [10.0, 2.0, 60.0, 2.0];
/// Duration of every twentieth view. A stroke on it changes eight minutes, which takes a software adapter a minute.
const LONG_VIEW_SECS: f64 = 600.0;
const TOOLS: [Tool; 3] = [Tool::GAIN, Tool::BLUR, Tool::WARP];
const MAX_BYTES: u64 = 2_000_000_000;

/// Paints the strokes, and prints the bytes that the driver reserved for the device: after the last stroke that was
/// painted in time, and the maximum after any.
///
/// # Errors
/// A sentence; also if the driver does not report its memory, or if it reserved more than [`MAX_BYTES`].
pub fn measure(options: &Options, n_strokes: usize) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let clip = folder.path().join("an hour.wav");
    write_clip(&clip, CLIP_SECS);
    let mut window = Window::new(&options.settings, folder.path(), options.limit, SIZE)?;
    let device = window.state.device.clone();
    let reserved_bytes = || {
        let report = device.generate_allocator_report();
        report.map(|report| report.total_reserved_bytes).ok_or("the driver does not report its memory")
    };
    window.studio.act(FileAct::Open(vec![clip]));
    window.settle("opening")?;
    let opened_bytes = reserved_bytes()?;
    // With the opened sound as the first.
    let n_entries = window.studio.document().map_or(0, |document| document.history().entries().len());
    let options = Options { frames: options.frames.or(Some(FRAMES)), ..options.clone() };
    let mut max_bytes = opened_bytes;
    let mut painted = Ok(());
    let mut n_painted = 0;
    for stroke in 0..n_strokes {
        let (view_secs, tool) = if stroke % 20 == 19 {
            // A warp of minutes is refused.
            (LONG_VIEW_SECS, [Tool::GAIN, Tool::BLUR][stroke / 20 % 2])
        } else {
            (VIEW_SECS[stroke % VIEW_SECS.len()], TOOLS[stroke % TOOLS.len()])
        };
        let start_secs = (f64::from(CLIP_SECS) - view_secs) * (stroke * 89 % n_strokes) as f64 / n_strokes as f64;
        window.studio.act(ToolCommand::Pick(tool));
        window.studio.act(ViewAct::Secs([start_secs, start_secs + view_secs]));
        painted = paint(&mut window, &options, &format!("stroke {} of {n_strokes}", stroke + 1));
        max_bytes = max_bytes.max(reserved_bytes()?);
        if painted.is_err() {
            break;
        }
        n_painted += 1;
    }
    let after_bytes = reserved_bytes()?;
    if options.json {
        let adapter = window.state.adapter.get_info().name;
        println!(
            "{}",
            serde_json::json!({"adapter": adapter, "size": SIZE, "strokes": n_painted, "opened_bytes": opened_bytes,
                               "after_bytes": after_bytes, "max_bytes": max_bytes})
        );
    } else {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        println!(
            "memory of the device: {:.0} MB once opened, {:.0} MB after {n_painted} strokes, at most {:.0} MB",
            mb(opened_bytes),
            mb(after_bytes),
            mb(max_bytes)
        );
    }
    painted?;
    let n_now = window.studio.document().map_or(0, |document| document.history().entries().len());
    if n_now != n_entries + n_strokes {
        let notices = window.studio.notices();
        return Err(format!("the history has {n_now} entries after {n_entries} and {n_strokes} strokes: {notices:?}"));
    }
    if max_bytes > MAX_BYTES {
        return Err(format!("the device held {max_bytes} bytes, more than {MAX_BYTES}"));
    }
    Ok(())
}

/// A stroke, with frames before and after it until nothing is left to do.
fn paint(window: &mut Window, options: &Options, name: &str) -> Result<(), String> {
    window.settle(&format!("the view of {name}"))?;
    window.paint(options)?;
    window.settle(name)
}
