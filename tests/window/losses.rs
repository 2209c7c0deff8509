//! A graphics device that is lost at any submission: the window comes back, each time, with what was saved.

use super::rig::{Rig, wait_for};
use super::signals::{tone, write_wav};
use super::studio::{Studio, is_at_rest, notices};
use super::support::drivers::with_faults;
use super::support::random::Random;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Repeats the losses of a run that printed it.
const SEED: &str = "SONOBRUSH_LOSS_SEED";
/// A window is drawn by then, has been painted in, and has moved. The second number is that of the long form.
const MAX_SUBMISSIONS: [usize; 2] = [120, 400];

fn seed() -> u64 {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
    std::env::var(SEED).ok().and_then(|text| text.parse().ok()).unwrap_or_else(now)
}

/// Works in the window until its device is lost: zooms, paints, moves. Nothing is waited for: it may end at any moment.
/// How many edits were said to be saved.
fn work_until(studio: &Studio<'_>, is_lost: impl Fn() -> bool) -> u64 {
    let (mut step, mut n_kept) = (0, 0);
    wait_for("the loss of the device", || {
        studio.try_input(&["mousemove", "640", &(380 + 7 * (step % 9)).to_string()]);
        match step % 6 {
            1 => studio.try_input(&["mousedown", "1"]),
            3 => studio.try_input(&["mouseup", "1"]),
            4 => studio.try_input(&["key", "plus"]),
            _ => {}
        }
        step += 1;
        // The state is written once the window is at rest, and an edit is saved soon after.
        for _ in 0..if step == 24 { 30 } else { 1 } {
            let state = studio.state().filter(|state| state["restarts"] == 0).unwrap_or_default();
            n_kept = n_kept.max(state["document"]["n_kept"].as_u64().unwrap_or(0));
            if step != 24 || n_kept > 0 || is_lost() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        (is_lost() || studio.ended().is_some()).then_some(())
    });
    // A button that stays down would paint on in the next window.
    studio.try_input(&["mouseup", "1"]);
    n_kept
}

/// How many edits were known to be saved before the loss.
fn one_loss(rig: &Rig, file: &Path, round: usize, at: usize, engine: &str) -> u64 {
    let once = rig.path(&format!("lost-{round}-{at}"));
    std::fs::remove_file(&once).ok();
    let studio = rig.start_unseen(&[file], |command| {
        with_faults(command).env("L_LOST_AT", at.to_string()).env("L_LOST_ONCE", &once);
        command.env("SONOBRUSH_ENGINE", engine);
    });
    let pid = studio.pid();
    let n_kept = work_until(&studio, || once.exists());
    let log = || std::fs::read_to_string(studio.path("stderr.log")).unwrap_or_default();
    let (path, position) = wait_for("the file, open again", || {
        assert!(studio.ended().is_none(), "it ended ({:?}): {}", studio.ended(), log());
        let state = studio.state()?;
        let is_there = is_at_rest(&state) && state["restarts"] == 1 && state["document"].is_object();
        is_there.then(|| (state["document"]["path"].clone(), state["document"]["position"].as_u64().unwrap()))
    });
    assert_eq!((studio.pid(), path.as_str()), (pid, file.to_str()));
    assert!(position >= n_kept, "{position} of {n_kept} edits that were saved");
    println!("    {position} edits, {n_kept} known to be saved");
    studio.wait("what happened, told", |state| {
        notices(state).any(|notice| notice.contains("stopped unexpectedly")).then_some(())
    });
    studio.kill();
    n_kept
}

/// Each in a window of its own: five, in the long form fifty.
pub fn a_lost_device_never_ends_the_program(rig: &Rig) {
    let file = rig.path("losses.wav");
    write_wav(&file, 48_000, &tone(2 * 48_000, 48_000.0, 440.0, 0.3));
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    let (seed, n, max) = (seed(), [5, 50][usize::from(is_long)], MAX_SUBMISSIONS[usize::from(is_long)]);
    println!("  {n} losses, {SEED}={seed}");
    let mut random = Random::new(seed);
    let mut max_kept = 0;
    for round in 0..n {
        // The first submissions are those of a window that opens; after the last, edits have been saved.
        let at = 1 + match round % 5 {
            0 | 3 => random.below(12),
            4 => max + random.below(max),
            _ => random.below(max),
        };
        let engine = ["cpu", "gpu"][round % 2];
        println!("  loss {round} at submission {at}, engine {engine}");
        max_kept = max_kept.max(one_loss(rig, &file, round, at, engine));
    }
    assert!(max_kept > 0, "no device was lost after an edit was saved");
}

/// A device that is lost again and again: the third time another interface draws, with the CPU engine. Without another
/// it is said in a sentence.
pub fn a_device_that_is_always_lost_is_a_sentence(rig: &Rig) {
    let file = rig.path("losses.wav");
    write_wav(&file, 48_000, &tone(2 * 48_000, 48_000.0, 440.0, 0.3));
    let start = |change: fn(&mut Command)| {
        rig.start_unseen(&[&file], |command| {
            change(with_faults(command).env("L_LOST_AT", "3"));
        })
    };
    let studio = start(|_| ());
    studio.wait("the file, open on OpenGL", |state| {
        (is_at_rest(state) && state["restarts"] == 3 && state["document"].is_object()).then_some(())
    });
    studio.kill();
    let studio = start(|command| _ = command.env("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent"));
    let log = studio.path("stderr.log");
    assert_eq!(studio.exit_code(), Some(1));
    let said = std::fs::read_to_string(log).unwrap();
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("sonobrush: the window stopped 4 times within a minute; see "), "{said}");
}
