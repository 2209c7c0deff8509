//! From the start of the program to the picture of ten seconds in its window, on the display that there is.

use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The first is not counted: the disk has the program's pages from then on.
const N_STARTS: usize = 8;
const CLIP_SECS: u32 = 10;
const STEP: Duration = Duration::from_millis(2);
const TIMEOUT: Duration = Duration::from_secs(60);
const NO_DISPLAY: &str = "there is no display to open a window on; try xvfb-run";

/// Ends with the measurement, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// # Errors
/// One sentence, without a display or a picture.
pub fn measure() -> Result<(), String> {
    if ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none()) {
        return Err(NO_DISPLAY.into());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let clip = folder.path().join("clip.wav");
    super::write_clip(&clip, CLIP_SECS);
    let mut took_ms: Vec<f64> = (0..N_STARTS).map(|_| one(&clip)).collect::<Result<Vec<f64>, String>>()?.split_off(1);
    took_ms.sort_by(f64::total_cmp);
    let (best, median) = (took_ms[0], took_ms[took_ms.len() / 2]);
    println!("start: {best:.0} ms at best, {median:.0} ms in the middle of {} starts", took_ms.len());
    Ok(())
}

/// Milliseconds of one start without any configuration.
fn one(clip: &Path) -> Result<f64, String> {
    // Another build of the program, with the feature `hooks`.
    let named = std::env::var_os("SONOBRUSH_TEST_PROGRAM");
    let program = named.unwrap_or_else(|| env!("CARGO_BIN_EXE_sonobrush").into());
    let home = tempfile::tempdir().map_err(|error| error.to_string())?;
    let state = home.path().join("state.json");
    let mut command = Command::new(&program);
    ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"].iter().for_each(|name| {
        command.env_remove(name);
    });
    command.arg(clip).env("HOME", home.path()).env("SONOBRUSH_STATE_FILE", &state);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let mut running = Running(command.spawn().map_err(|error| format!("{}: {error}", program.display()))?);
    while began.elapsed() < TIMEOUT {
        if is_seen(&state) {
            return Ok(began.elapsed().as_secs_f64() * 1e3);
        }
        if let Ok(Some(status)) = running.0.try_wait() {
            return Err(format!("the program ended before its window was seen ({status})"));
        }
        std::thread::sleep(STEP);
    }
    Err("no picture came".into())
}

/// Whether the whole picture is there.
fn is_seen(state: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(state) else { return false };
    let Ok(state) = serde_json::from_str::<Value>(&text) else { return false };
    let has_pane = state["panes"].as_array().is_some_and(|panes| !panes.is_empty());
    state["document"].is_object() && has_pane && state["settled"] == true && state["busy"] == false
}
