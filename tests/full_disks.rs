//! A full disk: every command that writes says so in one sentence, with the file and what to do, and leaves nothing
//! behind.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "says what could not be tested here")]

use super::support::program::{Place, failure, program};
use super::support::wav::{Format, Wav};
use sonobrush::base::{Error, ErrorKind};
use std::path::Path;
use std::process::Command;

const FULL: &str = "the disk is full; free some space or choose another disk";

/// Everything that writes, with the file that it writes.
const WRITERS: [(&[&str], &str); 21] = [
    (&["image", "in.wav", "-o", "D/o.exr"], "D/o.exr"),
    (&["image", "in.wav", "-o", "D/o.png", "--size", "600x600"], "D/o.png"),
    (&["image", "in.wav", "-o", "D/c.png", "--cells"], "D/c.level.png"),
    (&["image", "in.wav", "-o", "D/r.png", "--raw"], "D/r."),
    (&["stft", "in.wav", "-o", "D/o.npy"], "D/o.npy"),
    (&["transform", "in.wav", "--kind", "stft", "-o", "D/t.npy"], "D/t.npy"),
    (&["save", "in.wav", "-o", "D/o.sonobrush", "--embed"], "D/o.sonobrush"),
    (&["export", "in.sonobrush", "-o", "D/o.wav"], "D/o.wav"),
    (&["export", "in.sonobrush", "-o", "D/o.flac"], "D/o.flac"),
    (&["export", "in.sonobrush", "-o", "D/o.mp3"], "D/o.mp3"),
    (&["export", "in.sonobrush", "-o", "D/o.opus"], "D/o.opus"),
    (&["labels", "l.csv", "-o", "D/l.srt"], "D/l.srt"),
    (&["labels", "in.wav", "--import", "l.csv", "-o", "D/l.wav"], "D/l.wav"),
    (&["export", "in.sonobrush", "--by-label", "--labels", "l.csv", "-o", "D/parts"], "D/parts"),
    (&["measure", "in.wav", "--labels", "l.csv", "-o", "D/t.parquet"], "D/t.parquet"),
    (&["paint", "in.wav", "--script", "s.json", "-o", "D/p.wav"], "D/p.wav"),
    (&["paint", "sounds", "--script", "s.json", "-o", "D/many"], "D/many"),
    (&["features", "sounds", "-o", "D/f"], "D/f"),
    (&["library", "--library", "D/lib.db", "add", "sounds"], "D/lib.db"),
    (&["library", "--library", "lib.db", "export", "-o", "D/tables"], "D/tables"),
    (&["library", "picture", "in.wav", "-o", "D/h.png"], "D/h.png"),
];

/// Two seconds of noise, which no format makes small, as a sound and a project, and a library of it.
fn place() -> Place {
    let place = Place::new();
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        i64::from(state >> 18) - 8_192
    };
    let samples: Vec<i64> = (0..32_000).map(|_| noise()).collect();
    std::fs::create_dir(place.path("sounds")).unwrap();
    Wav { format: Format::Pcm(16), rate: 16_000, channels: vec![samples] }.write(&place.path("in.wav"));
    std::fs::copy(place.path("in.wav"), place.path("sounds/in.wav")).unwrap();
    // Some thousand bytes in any format.
    let rows: String = (0..60).map(|n| format!("0.{n:02},1.9,a label with a text\n")).collect();
    place.write("l.csv", format!("start_s,end_s,label\n{rows}"));
    place.write("s.json", r#"{"version": 1, "edits": []}"#);
    place.done(&["save", "in.wav", "-o", "in.sonobrush"]);
    place.done(&["library", "--library", "lib.db", "add", "sounds"]);
    place
}

fn typed(arguments: &[&str], folder: &str) -> Vec<String> {
    arguments.iter().map(|argument| argument.replace("D/", &format!("{folder}/"))).collect()
}

/// Asserts that a command failed with the file, a reason and advice, and left no half-written file behind.
fn assert_told(place: &Place, output: &std::process::Output, file: &str, reasons: &[&str]) {
    let line = failure(output);
    let reported = line.strip_prefix("sonobrush: ").unwrap_or_default();
    assert!(reported.starts_with(file), "{line}");
    assert!(reasons.iter().any(|reason| reported.contains(reason)) && reported.contains("; "), "{line}");
    assert!(!line.contains("os error") && !line.contains("decoding"), "{line}");
    let folder = Path::new(file).parent().unwrap();
    let names = std::fs::read_dir(place.folder.path().join(folder)).unwrap().flatten();
    assert!(names.into_iter().all(|entry| !entry.file_name().to_string_lossy().starts_with(".sonobrush")), "{line}");
}

#[test]
fn every_writer_says_that_the_disk_is_full_and_what_to_do() {
    let place = place();
    let folder = place.path("small");
    with_small_disk(&folder, 16, || {
        let mut filling = std::fs::File::create(folder.join("filling")).unwrap();
        while std::io::Write::write_all(&mut filling, &[1; 4096]).is_ok() {}
        for (arguments, file) in WRITERS {
            let arguments = typed(arguments, "small");
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            // What is known of the disk before is said with both sizes.
            let reasons =
                [FULL, "; free some space or choose another disk", "does not fit on the disk; free some space"];
            assert_told(&place, &place.run(&arguments), &file.replace("D/", "small/"), &reasons);
        }
    });
}

/// Runs something with a disk of as many pages of 4 kB, where one can be made.
fn with_small_disk(folder: &Path, n_pages: u64, work: impl FnOnce()) {
    std::fs::create_dir(folder).unwrap();
    let size = format!("size={}k", n_pages * 4);
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return println!("no disk can be made here that is full");
    }
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    Command::new("umount").arg(folder).status().unwrap();
    checked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// 600 labels are a file each; a file is less than a page, and there is room for 499.
#[test]
fn a_disk_that_is_full_at_file_500_of_labels_holds_499_whole_ones_and_no_table() {
    let place = place();
    let rows: String =
        (0..600).map(|n| format!("{},{},call\n", 0.003 * f64::from(n), 0.003 * f64::from(n) + 0.001)).collect();
    place.write("many.csv", format!("start_s,end_s,label\n{rows}"));
    let run = |folder: &str| {
        let manifest = format!("{folder}/m.csv");
        let arguments = ["export", "in.wav", "--by-label", "--labels", "many.csv", "--pad", "0,0.02", "-o", folder];
        place.run(&[&arguments[..], &["--manifest", &manifest]].concat())
    };
    assert!(run("all").status.success());
    let names = |folder: &str| {
        let entries = std::fs::read_dir(place.path(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    };
    let all = names("all");
    assert_eq!((all.len(), &*all[600]), (601, "m.csv"));
    with_small_disk(&place.path("small"), 499, || {
        let output = run("small");
        let line = failure(&output);
        assert!(line.starts_with("sonobrush: small/in_500_call.wav: "), "{line}");
        assert!(line.contains("disk") && line.contains("free some space") && line.lines().count() == 1, "{line}");
        assert_eq!(names("small"), all[..499]);
        for name in &all[..499] {
            assert!(place.read(&format!("small/{name}")) == place.read(&format!("all/{name}")), "{name} is not whole");
        }
    });
}

/// The same where a file may not grow: a limit of the user's, or a disk that holds no larger ones.
#[test]
fn every_writer_says_that_a_file_may_not_be_as_large() {
    let place = place();
    std::fs::create_dir(place.path("d")).unwrap();
    // Not from a library, for whose reading SQLite has a larger file.
    for (arguments, file) in WRITERS.into_iter().filter(|(_, file)| !file.ends_with("tables")) {
        let mut command = place.other("bash");
        command.args(["-c", "trap - XFSZ; ulimit -f 2; exec \"$@\"", "bash"]).arg(program());
        let output = command.args(typed(arguments, "d")).output().unwrap();
        // Some pictures are smaller than that.
        if output.status.success() {
            assert!(file.ends_with("h.png"), "{file} was written");
            continue;
        }
        let reasons = [
            "could not be written: a file may not be that large there; choose another disk or raise the file size limit",
            "does not fit on the disk; free some space",
            "the disk takes no more of it; free some space, or choose another disk",
        ];
        assert_told(&place, &output, &file.replace("D/", "d/"), &reasons);
    }
}

#[test]
fn want_of_room_is_one_kind_of_error_with_what_to_do() {
    // ENOSPC, EDQUOT and EFBIG, and one that is something else.
    for (code, kind, advice) in [
        (28, ErrorKind::DiskFull, "free some space or choose another disk"),
        (122, ErrorKind::DiskFull, "free some space or choose another disk"),
        (27, ErrorKind::DiskFull, "choose another disk"),
        (13, ErrorKind::Io, ""),
    ] {
        let error = std::io::Error::from_raw_os_error(code);
        let reported = Error::io(&error, "written", Path::new("a.wav"));
        assert_eq!((reported.kind(), reported.message().contains("; ")), (kind, !advice.is_empty()), "{reported}");
        assert!(
            reported.to_string().starts_with("a.wav: could not be written: ") && reported.message().contains(advice)
        );
        // As an encoder passes it on.
        let wrapped = std::io::Error::other(Error::new(ErrorKind::Io, "something else"));
        assert_eq!(Error::unwritten(&wrapped, Path::new("a")).kind(), ErrorKind::Io);
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Place::new().command(&["config"]).stdout(full).output().unwrap();
    assert_eq!(failure(&output), format!("sonobrush: standard output: could not be written: {FULL}"));
}
