//! Who works on a library, how far that process is, and whether it stalls: as another process sees it.

use super::library_store::{add_alone, json, library, place_of, sounds};
use super::support::program::Place;
use serde_json::{Value, json};
use sonobrush::base::Progress;
use sonobrush::library::store::{AddOrder, LibraryLock, LibraryStore, QueueWork};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

const SIGN: &str = "l/lib.db.heartbeat";
const BUDGET: u64 = 103_000_000;

fn working(place: &Place) -> Option<QueueWork> {
    LibraryStore::open_to_read(&place_of(place)).unwrap().status().unwrap().working
}

#[test]
fn status_says_who_works_how_far_it_is_and_whether_it_stalls() {
    let place = Place::new();
    sounds(&place, "in", 40);
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    let order = AddOrder { memory_bytes: Some(BUDGET), ..add_alone(place.path("in")) };
    let (mut status, mut sign, mut began) = (Value::Null, Vec::new(), None);
    store
        .add(&order, &lock, &Progress::new(), &mut |report| {
            // The first heartbeat is there by now; the second comes a second after it.
            let began = *began.get_or_insert_with(Instant::now);
            if report.analysed == 0 || !status.is_null() {
                return;
            }
            let until_second = Duration::from_millis(1_050).saturating_sub(began.elapsed());
            if until_second.is_zero() {
                (status, sign) = (json(&place, &["status"]), place.read(SIGN));
            } else {
                std::thread::sleep(until_second);
            }
        })
        .unwrap();
    let work = &status["working"];
    assert_eq!((&work["process"], &work["doing"]), (&std::process::id().into(), &"analysing".into()), "{status:#}");
    assert_eq!((&work["queued"], &work["failed"], &work["is_stalled"]), (&40.into(), &0.into(), &false.into()));
    let number = |name: &str| work[name].as_f64().unwrap();
    assert!((1.0..=40.0).contains(&number("done")) && number("per_second") > 0.5, "{work}");
    assert!((0.0..9.0).contains(&number("silent_secs")), "{work}");
    assert_eq!(status["per_second"], work["per_second"], "the rate of the run in progress");
    // The memory of the run, not of the querying process, and the budget of its analysis: the one given.
    assert_eq!((status["budget_bytes"].as_u64(), work["budget_bytes"].as_u64()), (Some(BUDGET), Some(BUDGET)));
    assert_eq!(status["memory_bytes"], work["memory_bytes"]);
    assert!(!cfg!(target_os = "linux") || number("memory_bytes") > 1e6, "{work}");
    // A finished run removes its sign.
    assert!(!place.path(SIGN).exists() && working(&place).is_none());
    let alone = json(&place, &["status"]);
    assert!(alone["memory_bytes"].is_null() && alone["budget_bytes"].is_null(), "{alone}");

    // The lock is still held, and the last sign is what a test makes of it.
    let plant = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_slice(&sign).unwrap();
        change(&mut value);
        place.write(SIGN, value.to_string());
    };
    let at = number("since_boot_secs");
    plant(&|value| value["since_boot_secs"] = json!(at - 60.0));
    let stalled = working(&place).unwrap();
    assert!(stalled.is_stalled && stalled.silent_secs.unwrap() >= 60.0, "{stalled:?}");
    let said = library(&place, &["status"]);
    assert!(said.contains("no heartbeat for") && said.contains(" of 40 files"), "{said}");
    assert!(!cfg!(target_os = "linux") || said.contains("\nmemory   ") && said.contains(" MB of 103 MB\n"), "{said}");
    // An older version says nothing of memory.
    plant(&|value| ["memory_bytes", "budget_bytes"].iter().for_each(|name| value[name] = Value::Null));
    assert!(working(&place).is_some() && !library(&place, &["status"]).contains("memory"));
    // Of another machine, and before this one was started, no time is known.
    plant(&|value| (value["host"], value["since_boot_secs"]) = (json!("else\nwhere"), json!(at - 60.0)));
    let elsewhere = working(&place).unwrap();
    assert_eq!((elsewhere.silent_secs, elsewhere.is_stalled), (None, false));
    assert!(library(&place, &["status"]).contains(" on else\\nwhere, analysing"));
    plant(&|value| value["since_boot_secs"] = json!(at + 1e6));
    assert_eq!(working(&place).map(|work| (work.silent_secs, work.is_stalled)), Some((None, false)));
    // A damaged one says nothing.
    let long = [&sign[..], &[b' '; 5_000]].concat();
    for bytes in [&b""[..], b"{", b"[1]", b"{\"process\": -1}", b"\xff", &long, &sign[..sign.len() / 2]] {
        place.write(SIGN, bytes);
        assert_eq!(working(&place), None);
    }
    // So does the one of a process that is gone.
    place.write(SIGN, &sign);
    assert!(working(&place).is_some(), "the control");
    drop(lock);
    assert!(working(&place).is_none());
}

#[test]
fn a_status_that_is_followed_is_an_object_a_line_until_the_run_ends() {
    let place = Place::new();
    sounds(&place, "in", 1);
    library(&place, &["add", "in"]);
    std::fs::create_dir(place.path("more")).unwrap();
    let held = place_of(&place);
    let lock = LibraryLock::try_take(&held).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&held, &lock, &mut Vec::new()).unwrap();
    let arguments = ["library", "--library", "l/lib.db", "status", "--watch", "--json"];
    let mut child = place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let n_folders = |status: &Value| status["folders"].as_array().unwrap().len();
    let first = next().unwrap();
    assert_eq!((n_folders(&first), first["writer"].is_null()), (1, false), "{first}");
    store.enrol(&place.path("more"), false).unwrap();
    // Nothing is printed until something changed.
    let second = next().unwrap();
    assert_eq!((n_folders(&second), second["writer"].is_null()), (2, false), "{second}");
    drop((store, lock));
    let third = next().unwrap();
    assert_eq!((n_folders(&third), third["writer"].is_null()), (2, true), "{third}");
    assert!(next().is_none());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    // Without a run there is nothing to follow.
    assert_eq!(library(&place, &["status", "--watch"]).lines().count(), 1);
}
