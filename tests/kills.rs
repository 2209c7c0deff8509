//! Unexpected ends: the program killed at every call that changes a file, failing calls, full disks, sessions killed at
//! any moment. Linux only; prints a skip for what a machine lacks (strace, root).
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "what a machine lacks is told")]

use crate::support::program::{Place, failure, has_program, program};
use crate::support::sessions::{SCRIPT, bits, room, write_wav};
use sonobrush::base::Progress;
use sonobrush::document::labels::LabelSet;
use sonobrush::document::session::{SourceSearch, find_all_sessions, find_sessions, open_session};
use sonobrush::document::{History, Script, Snapshot, apply};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

/// Calls that change files.
const CALLS: &str = "write,pwrite64,writev,pwritev,ftruncate,truncate,fallocate,fsync,fdatasync,rename,renameat,renameat2,\
                     unlink,unlinkat,link,linkat,copy_file_range,sendfile";

/// What is written by a command, and how it is seen to be whole.
struct Sweep<'a> {
    arguments: &'a [&'a str],
    target: &'a str,
    /// Whether this is what was there before, or what the command makes.
    is_whole: &'a dyn Fn(&Place) -> bool,
}

impl Sweep<'_> {
    fn traced(&self, place: &Place, options: &[&str]) -> (Output, String) {
        let log = place.path("strace.log");
        let mut command = place.other("strace");
        command.args(["-f", "-qq", "-o"]).arg(&log).args(options).arg(program()).args(self.arguments);
        let output = command.output().unwrap();
        (output, std::fs::read_to_string(&log).unwrap_or_default())
    }

    /// Ends or fails the command at its calls, one after another; how many were hit.
    fn run(&self, place: &Place, old: &[u8]) -> usize {
        let (output, log) = self.traced(place, &["-y", "-e", &format!("trace={CALLS}")]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self.check_order(place, &log);
        let new = place.read(self.target);
        assert_ne!(new, old, "the control: it writes something else");
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for line in log.lines() {
            let call = line.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
            if let Some((name, _)) = call.split_once('(').filter(|(name, _)| name.chars().all(char::is_alphanumeric)) {
                *counts.entry(name).or_default() += 1;
            }
        }
        let points = counts.iter().flat_map(|(name, n)| (1..=*n).map(move |k| (*name, k)));
        let ways = ["signal=KILL", "error=EIO", "error=ENOSPC"];
        let all: Vec<(&str, usize, &str)> = points.flat_map(|(name, k)| ways.map(|how| (name, k, how))).collect();
        // A short run takes what comes rarely, and some of the many writes.
        let is_taken = |&&(name, k, _): &&(&str, usize, &str)| is_long() || !name.contains("write") || k % 12 == 1;
        let mut n_hit = 0;
        for (name, k, how) in all.iter().filter(is_taken) {
            place.write(self.target, old);
            let inject = format!("inject={name}:{how}:when={k}");
            let (output, log) = self.traced(place, &["-e", &format!("trace={name}"), "-e", &inject]);
            let is_kill = how.starts_with("signal");
            if !log.contains(if is_kill { "killed by SIGKILL" } else { "(INJECTED)" }) {
                continue;
            }
            n_hit += 1;
            assert!((self.is_whole)(place), "{} is neither the old nor the new one: {inject}", self.target);
            if !is_kill && !name.starts_with("unlink") {
                assert!(!output.status.success(), "an error was swallowed: {inject}");
                let line = failure(&output);
                assert!(!line.contains("panic"), "{line}");
            }
        }
        n_hit
    }

    /// Last write, then fsync of the file, then rename onto the target, then fsync of the folder; no write into the
    /// target itself.
    fn check_order(&self, place: &Place, log: &str) {
        let folder = std::fs::canonicalize(place.folder.path()).unwrap();
        let target = folder.join(self.target).to_string_lossy().into_owned();
        let opened = |line: &str| Some(line.split_once('<')?.1.split_once('>')?.0.to_owned());
        let calls: Vec<(&str, &str)> =
            log.lines().filter_map(|line| line.split_once(' ')?.1.trim_start().split_once('(')).collect();
        let is_onto = |rest: &str| rest.matches(&format!("{target}\"")).count() == 1;
        let renamed = calls.iter().rposition(|(name, rest)| name.starts_with("rename") && is_onto(rest));
        let renamed = renamed.unwrap_or_else(|| panic!("nothing is renamed onto {target}:\n{log}"));
        let half = calls[renamed].1.split('"').nth(1).unwrap().to_owned();
        let is_of = |rest: &str, path: &str| opened(rest).is_some_and(|found| found == path);
        let is_write = |name: &str| name.contains("write") || name.ends_with("truncate") || name == "fallocate";
        assert!(
            !calls.iter().any(|(name, rest)| is_write(name) && is_of(rest, &target)),
            "{target} is written in place"
        );
        let written = calls[..renamed].iter().rposition(|(name, rest)| is_write(name) && is_of(rest, &half)).unwrap();
        let is_sync = |name: &str| name == "fsync" || name == "fdatasync";
        assert!(calls[written..renamed].iter().any(|(name, rest)| is_sync(name) && is_of(rest, &half)), "{log}");
        let folder = folder.to_string_lossy();
        assert!(calls[renamed..].iter().any(|(name, rest)| is_sync(name) && is_of(rest, &folder)), "{log}");
    }
}

/// A sound, a script, and what one edit of it made, under each name that a command writes.
fn place() -> Place {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    place.write("s.json", SCRIPT);
    place.write(
        "one.json",
        r#"{"version": 1, "edits": [{"brush": {"kind": "erase"}, "select": {"time": [0.1, 0.2]}}]}"#,
    );
    place.done(&["paint", "in.wav", "--script", "one.json", "-o", "old.wav"]);
    place.done(&["save", "in.wav", "--script", "one.json", "-o", "old.sonobrush"]);
    place.done(&["save", "in.wav", "--script", "s.json", "-o", "whole.sonobrush"]);
    place
}

#[test]
fn a_wav_file_is_the_old_or_the_new_one_wherever_paint_is_ended() {
    if !has_program("strace") {
        return;
    }
    let place = place();
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "new.wav"]);
    let (old, new) = (place.read("old.wav"), place.read("new.wav"));
    let is_whole = |place: &Place| [&old, &new].contains(&&place.read("out.wav"));
    let arguments = ["paint", "in.wav", "--script", "s.json", "-o", "out.wav"];
    let sweep = Sweep { arguments: &arguments, target: "out.wav", is_whole: &is_whole };
    place.write("out.wav", &old);
    assert!(sweep.run(&place, &old) >= 12);
    let arguments = ["export", "whole.sonobrush", "-o", "out.wav"];
    place.write("out.wav", &old);
    assert!(Sweep { arguments: &arguments, ..sweep }.run(&place, &old) >= 12);
}

#[test]
fn a_project_is_the_old_or_the_new_one_wherever_save_is_ended() {
    if !has_program("strace") {
        return;
    }
    let place = place();
    let old = place.read("old.sonobrush");
    let is_whole = |place: &Place| {
        let output = place.run(&["verify", "p.sonobrush", "--json"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success() && (text.contains("\"edits\": 1") || text.contains("\"edits\": 6"))
    };
    place.write("p.sonobrush", &old);
    let arguments = ["save", "in.wav", "--script", "s.json", "-o", "p.sonobrush", "--embed"];
    assert!(Sweep { arguments: &arguments, target: "p.sonobrush", is_whole: &is_whole }.run(&place, &old) >= 12);
}

#[test]
fn the_sweep_finds_a_writer_that_writes_in_place() {
    if !has_program("strace") {
        return;
    }
    let place = place();
    place.write("out.wav", "old");
    // The control: `cp` truncates its target and writes into it.
    let log = place.path("strace.log");
    let mut command = place.other("strace");
    command.args(["-f", "-qq", "-y", "-e", &format!("trace={CALLS}"), "-o"]).arg(&log);
    assert!(command.args(["cp", "old.wav", "out.wav"]).status().unwrap().success());
    let sweep = Sweep { arguments: &[], target: "out.wav", is_whole: &|_| true };
    let text = std::fs::read_to_string(&log).unwrap();
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| sweep.check_order(&place, &text)));
    assert!(checked.is_err());
}

/// Asserts the result of any disk error: one line, the old file unchanged, nothing half-written.
fn assert_refused(place: &Place, output: &Output, folder: &Path, old: &[(&str, Vec<u8>)]) {
    let line = failure(output);
    assert!(line.contains("out.wav") || line.contains("p.sonobrush"), "{line}");
    for (name, bytes) in old {
        assert!(&std::fs::read(folder.join(name)).unwrap() == bytes, "{name} is not what it was");
    }
    let left: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name()).collect();
    let left: Vec<_> = left.iter().filter(|name| name.to_string_lossy().starts_with(".sonobrush-")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(place.path("in.wav").exists());
}

/// The three commands that write, into a folder.
fn writers(folder: &Path) -> [Vec<String>; 3] {
    let out = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    [
        [words("paint in.wav --script s.json -o"), vec![out("out.wav")]].concat(),
        [words("save in.wav --script s.json --embed -o"), vec![out("p.sonobrush")]].concat(),
        [words("export whole.sonobrush -o"), vec![out("out.wav")]].concat(),
    ]
}

fn old_files(place: &Place, folder: &Path) -> [(&'static str, Vec<u8>); 2] {
    let old = [("out.wav", place.read("old.wav")), ("p.sonobrush", place.read("old.sonobrush"))];
    old.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
    old
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_the_old_one_stays() {
    let place = place();
    let folder = place.folder.path().to_path_buf();
    let old = old_files(&place, &folder);
    for arguments in writers(&folder) {
        let mut command = place.other("bash");
        // 16 KiB; the signal that comes first would end the program.
        command.args(["-c", "trap - XFSZ; ulimit -f 16; exec \"$@\"", "bash"]).arg(program()).args(&arguments);
        assert_refused(&place, &command.output().unwrap(), &folder, &old);
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_old_file_stays() {
    let place = place();
    let folder = place.path("small");
    std::fs::create_dir(&folder).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&folder).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return println!("no disk can be made here that is full");
    }
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let old = old_files(&place, &folder);
        let mut filling = std::fs::File::create(folder.join("filling")).unwrap();
        while std::io::Write::write_all(&mut filling, &[1; 4096]).is_ok() {}
        for arguments in writers(&folder) {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            assert_refused(&place, &place.run(&arguments), &folder, &old);
        }
        drop(filling);
        std::fs::remove_file(folder.join("filling")).unwrap();
        // The control: with room again, they work.
        for arguments in writers(&folder) {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            place.done(&arguments);
        }
    }));
    Command::new("umount").arg(&folder).status().ok();
    checked.unwrap();
}

#[test]
fn a_folder_that_may_not_be_written_and_a_file_that_may_not_be_replaced_are_errors() {
    let place = place();
    let folder = place.path("locked");
    std::fs::create_dir(&folder).unwrap();
    let old = old_files(&place, &folder);
    let set = |mode: &str, path: &Path| assert!(Command::new("chmod").arg(mode).arg(path).status().unwrap().success());
    set("a-w", &folder);
    set("a+rwx", place.folder.path());
    let home = place.path("home");
    std::fs::create_dir(&home).unwrap();
    set("a+rwx", &home);
    let is_root = is_root();
    for arguments in writers(&folder) {
        // Root may write anywhere, so it becomes another user.
        let mut command = if is_root && has_program("setpriv") {
            let mut command = place.other("setpriv");
            // With a home of its own: what root's commands made is root's alone.
            command.args(["--reuid=65534", "--clear-groups"]).arg(program()).env("HOME", &home);
            command
        } else {
            place.other(program())
        };
        assert_refused(&place, &command.args(&arguments).output().unwrap(), &folder, &old);
    }
    set("u+w", &folder);
    let immutable = |sign: &str| {
        let files = ["out.wav", "p.sonobrush"].map(|name| folder.join(name));
        Command::new("chattr").arg(sign).args(files).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    if !is_root || !immutable("+i") {
        return println!("no file can be made immutable here");
    }
    let outputs = writers(&folder).map(|arguments| place.other(program()).args(&arguments).output().unwrap());
    assert!(immutable("-i"));
    outputs.iter().for_each(|output| assert_refused(&place, output, &folder, &old));
}

/// Edits that are all different.
fn many_edits(n: usize) -> String {
    let edits: Vec<String> = (0..n)
        .map(|i| {
            let at = 0.01 + 0.4 * (i as f64 * 0.618).fract();
            format!(
                r#"{{"brush": {{"kind": "gain", "gain_db": -{}}}, "select": {{"time": [{at:.4}, {:.4}], "frequency": [500, 6000]}}}}"#,
                6 + i,
                at + 0.02
            )
        })
        .collect();
    format!(r#"{{"version": 1, "edits": [{}]}}"#, edits.join(","))
}

const N_EDITS: usize = 20;

/// Numbers of the edits in the history after each act of `run-session`, and the sound after each edit.
fn expected(source: &Path) -> (Vec<Vec<usize>>, Vec<Vec<u32>>) {
    let mut history = History::new(Snapshot::new(Source::open(source, &Progress::new()).unwrap().source));
    let (mut numbers, mut states, mut sounds) = (Vec::new(), vec![Vec::new()], Vec::new());
    for (number, edit) in Script::parse(&many_edits(N_EDITS)).unwrap().edits.iter().enumerate() {
        let applied = apply(history.current(), edit, &Engine::cpu(), &Progress::new()).unwrap();
        numbers.truncate(history.position());
        history.push(edit.clone(), applied.snapshot);
        numbers.push(number);
        states.push(numbers.clone());
        sounds.push(bits(history.current()));
        if (number + 1) % 5 == 0 {
            (0..2).for_each(|_| assert!(history.undo()));
        }
    }
    (states, sounds)
}

#[test]
fn a_session_killed_at_any_moment_holds_every_edit_that_was_reported_as_saved() {
    let n_rounds = if is_long() { 200 } else { 20 };
    let edits = Script::parse(&many_edits(N_EDITS)).unwrap().edits;
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    place.write("s.json", many_edits(N_EDITS));
    let (states, sounds) = expected(&place.path("in.wav"));
    let began = Instant::now();
    assert!(place.done(&["run-session", "in.wav", "--script", "s.json"]).ends_with("done\n"));
    let whole = began.elapsed();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let (mut n_early, mut n_partly) = (0, 0);
    for round in 0..=n_rounds {
        let mut reported = Vec::new();
        if round > 0 {
            // The one before may have been killed before it made the folder.
            std::fs::remove_dir_all(place.path(".local")).ok();
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let wait = whole.mul_f64((state >> 40) as f64 / f64::from(1 << 24));
            let mut child =
                place.command(&["run-session", "in.wav", "--script", "s.json"]).stdout(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(wait);
            child.kill().unwrap();
            child.wait().unwrap();
            let lines = BufReader::new(child.stdout.take().unwrap()).lines();
            reported = lines.filter_map(|line| line.ok()?.strip_prefix("saved ")?.parse::<usize>().ok()).collect();
        }
        let mut found = find_sessions(&place.state());
        assert!(found.len() <= 1);
        let Some(found) = found.pop() else {
            assert!(reported.is_empty(), "round {round}: {reported:?} were reported, and nothing is there");
            n_early += 1;
            continue;
        };
        assert_eq!(found.damage, None, "round {round}");
        let restored =
            open_session(&found.folder, &SourceSearch::default(), &room(place.folder.path()), &Progress::new())
                .unwrap();
        assert_eq!(restored.damage, None, "round {round}");
        let entries = &restored.history.entries()[1..];
        let number = |edit: &sonobrush::document::Edit| edits.iter().position(|one| one == edit).unwrap();
        let numbers: Vec<usize> = entries.iter().map(|entry| number(entry.edit.as_ref().unwrap())).collect();
        let at =
            states.iter().position(|state| *state == numbers).unwrap_or_else(|| panic!("round {round}: {numbers:?}"));
        let reported = reported.last().map_or(0, |last| last + 1);
        assert!(at >= reported, "round {round}: {reported:?} were reported, {numbers:?} are there");
        for (entry, number) in entries.iter().zip(&numbers) {
            assert!(bits(&entry.snapshot) == sounds[*number], "round {round}, edit {number}");
        }
        n_partly += usize::from(numbers.len() < states.last().unwrap().len());
        if round == 0 {
            assert_eq!(&numbers, states.last().unwrap(), "the control: left alone, all of it is there");
        }
    }
    println!("{n_rounds} sessions killed: {n_early} before anything was kept, {n_partly} with a part");
    assert!(n_early + n_partly > 0, "not one was killed while it worked; after {whole:?}");
    assert!(Duration::from_secs(60) > whole);
}

const N_TABS: usize = 20;
const N_EDITED: usize = 5;

/// Cuts in five tabs in turn, and labels that follow them.
fn cuts() -> String {
    let cuts = (0..40 * N_EDITED).map(|i| {
        let at = 0.02 + 0.3 * (i as f64 * 0.618).fract();
        format!(r#"{{"brush": {{"kind": "delete_time"}}, "select": {{"time": [{at:.4}, {:.4}]}}}}"#, at + 0.002)
    });
    let labels = (0..40).map(|n| {
        let at = 0.01 * f64::from(n);
        format!(r#"{{"time": [{at}, {}], "text": "label {n}"}}"#, at + 0.005)
    });
    let [cuts, labels] = [cuts.collect::<Vec<_>>(), labels.collect()].map(|all| all.join(","));
    format!(r#"{{"version": 1, "labels": [{labels}], "edits": [{cuts}]}}"#)
}

/// Sound and labels of a tab after each of its edits.
fn states_of_tab(source: &Path, tab: usize) -> Vec<(Vec<u32>, LabelSet)> {
    let script = Script::parse(&cuts()).unwrap();
    let labels = LabelSet::of(script.labels.labels).unwrap();
    let opened = Source::open(source, &Progress::new()).unwrap().source;
    let mut history = History::labelled(Snapshot::new(opened), labels);
    let mut states = vec![(bits(history.current()), history.labels().clone())];
    for edit in script.edits.iter().skip(tab).step_by(N_EDITED) {
        let applied = apply(history.current(), edit, &Engine::cpu(), &Progress::new()).unwrap();
        history.push(edit.clone(), applied.snapshot);
        states.push((bits(history.current()), history.labels().clone()));
    }
    states
}

/// Runs until it is killed, after some part of the time that it takes from when all tabs are open; without one, to its
/// end. The numbers of the edits that were reported as saved, and how long it ran.
fn run_tabs(place: &Place, arguments: &[&str], part: Option<Duration>) -> (Vec<usize>, Duration) {
    let mut child = place.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "open");
    let began = Instant::now();
    if let Some(part) = part {
        std::thread::sleep(part);
        child.kill().unwrap();
    }
    child.wait().unwrap();
    let secs = began.elapsed();
    let numbers = lines.filter_map(|line| line.ok()?.strip_prefix("saved ")?.parse().ok()).collect();
    (numbers, secs)
}

#[test]
fn twenty_tabs_with_cuts_in_flight_in_five_all_come_back_from_a_kill() {
    let n_rounds = if is_long() { 60 } else { 5 };
    let place = Place::new();
    let names: Vec<String> = (0..N_TABS).map(|tab| format!("in_{tab:02}.wav")).collect();
    names.iter().for_each(|name| write_wav(&place.path(name)));
    place.write("s.json", cuts());
    let edited = N_EDITED.to_string();
    let mut arguments = vec!["run-session", "--script", "s.json", "--undo-every", "1000", "--edited", &edited];
    arguments.extend(names.iter().map(String::as_str));
    let edits = Script::parse(&cuts()).unwrap().edits;
    let states: Vec<_> = (0..N_EDITED).map(|tab| states_of_tab(&place.path(&names[tab]), tab)).collect();
    let (all, whole) = run_tabs(&place, &arguments, None);
    assert_eq!(all.len(), edits.len(), "the control: left alone, all of it is saved");
    let mut n_partly = 0;
    for round in 0..=n_rounds {
        let mut reported = all.clone();
        if round > 0 {
            std::fs::remove_dir_all(place.path(".local")).unwrap();
            // Spread over all of the time, in an order of its own.
            let part = whole.mul_f64((f64::from(round) * 0.618).fract());
            reported = run_tabs(&place, &arguments, Some(part)).0;
        }
        let found = find_all_sessions(&place.state());
        let found: Vec<_> = found.edited.into_iter().chain(found.unedited).collect();
        assert_eq!(found.len(), N_TABS, "round {round}: every tab is there");
        let mut n_found = 0;
        for found in found {
            let finding = SourceSearch::default();
            let restored = open_session(&found.folder, &finding, &room(place.folder.path()), &Progress::new()).unwrap();
            assert_eq!((found.damage, restored.damage), (None, None), "round {round}");
            let source = restored.history.original().source().path().unwrap().to_path_buf();
            let tab = names.iter().position(|name| source.ends_with(name)).unwrap();
            let n_edits = restored.history.position();
            assert_eq!(restored.history.entries().len(), n_edits + 1);
            let n_reported = reported.iter().filter(|number| tab < N_EDITED && *number % N_EDITED == tab).count();
            assert!(n_edits >= n_reported, "round {round}, tab {tab}: {n_reported} were reported, {n_edits} are there");
            let Some(states) = states.get(tab) else {
                assert_eq!(n_edits, 0);
                continue;
            };
            for (k, (entry, (sound, labels))) in restored.history.entries().iter().zip(states).enumerate() {
                assert!(bits(&entry.snapshot) == *sound, "round {round}, tab {tab}, edit {k}");
                assert!(entry.labels == *labels, "round {round}, tab {tab}, edit {k}: labels");
                assert!(k == 0 || entry.edit.as_ref() == edits.get(tab + (k - 1) * N_EDITED));
            }
            n_found += n_edits;
        }
        n_partly += usize::from(0 < n_found && n_found < edits.len());
    }
    println!("{n_rounds} kills of {N_TABS} tabs in {whole:?}: {n_partly} with cuts in flight");
    assert!(n_partly > 0, "not one was killed while it worked; after {whole:?}");
}
