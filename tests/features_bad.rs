//! What goes wrong with `sonobrush features`: odd sounds, files that change under it, full disks, signals.
#![allow(clippy::print_stdout, reason = "what could not be tested here is told")]

use super::features::{RATE, array, signal, table, write};
use super::support::program::Place;
use super::support::wav::{Format, Wav};
use serde_json::Value;

/// The report of a run that must work, and which files failed, with the reasons.
fn failures(place: &Place, arguments: &[&str]) -> (Value, Vec<(String, String)>) {
    let report: Value = serde_json::from_str(&place.done(arguments)).unwrap();
    let failed = report["failures"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let failed = failed.map(|failure| (text(&failure["path"]), text(&failure["error"]))).collect();
    (report, failed)
}

/// Features of one file.
fn rows_of(place: &Place, folder: &str, file: usize) -> Vec<u8> {
    let (_, features) = array(&place.path(&format!("{folder}/features.npy")));
    features[file * 237 * 64..(file + 1) * 237 * 64].to_vec()
}

/// Whether every value is that of silence, -100 dB.
fn is_silent(rows: &[u8]) -> bool {
    rows.chunks_exact(2).all(|value| value == [0x40, 0xd6])
}

#[test]
fn odd_sounds_are_analysed_or_say_why_not() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    let wav = |name: &str, format: Format, rate: u32, channels: Vec<Vec<i64>>| {
        Wav { format, rate, channels }.write(&place.path(&format!("in/{name}.wav")));
    };
    let pcm = Format::Pcm(16);
    wav("00-8-hz", pcm, 8, vec![signal(80)]);
    wav("01-64-channels", pcm, RATE, vec![signal(4_096); 64]);
    wav("02-768-khz", pcm, 768_000, vec![signal(76_800)]);
    wav("03-one-sample", pcm, RATE, vec![vec![1_000]]);
    wav("04-silence", pcm, RATE, vec![vec![0; 40_960]]);
    wav("05-constant", pcm, RATE, vec![vec![8_192; 40_960]]);
    wav("06-square", pcm, RATE, vec![(0..40_960).map(|k| if k / 8 % 2 == 0 { 32_767 } else { -32_768 }).collect()]);
    wav("07-32-channels", pcm, RATE, vec![signal(40_960); 32]);
    wav("08-one-channel", pcm, RATE, vec![signal(40_960)]);
    std::fs::write(place.path("in/09-nothing.wav"), []).unwrap();
    // NaN and infinity, as 32-bit floats.
    let values = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.5].repeat(2_000);
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x03\0\x01\0".to_vec();
    bytes.extend([RATE.to_le_bytes(), (4 * RATE).to_le_bytes()].concat());
    bytes.extend(b"\x04\0\x20\0data");
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    let n = bytes.len() as u32 - 8;
    bytes[4..8].copy_from_slice(&n.to_le_bytes());
    std::fs::write(place.path("in/10-nan.wav"), &bytes).unwrap();
    // Cut in half.
    let whole = std::fs::read(place.path("in/08-one-channel.wav")).unwrap();
    std::fs::write(place.path("in/11-half.wav"), &whole[..whole.len() / 2]).unwrap();

    let (report, failed) = failures(&place, &["features", "in", "-o", "out", "--json"]);
    let names: Vec<&str> = failed.iter().map(|(name, _)| &name[..2]).collect();
    assert_eq!(names, ["00", "01", "09"], "{failed:?}");
    assert!(failed[0].1.contains("8 Hz") && failed[1].1.contains("64 channels") && failed[2].1.contains("empty"));
    assert_eq!(report["shape"][0], 12 * 237);
    let rows = |file: usize| rows_of(&place, "out", file);
    for file in [0, 1, 4, 9] {
        assert!(is_silent(&rows(file)), "{file}");
    }
    for file in [2, 3, 5, 6, 7, 8, 10, 11] {
        assert!(!is_silent(&rows(file)), "{file}");
    }
    assert!(rows(7) == rows(8), "32 equal channels are one");
    // No value is anything but a number.
    let (_, features) = array(&place.path("out/features.npy"));
    let is_number = |value: &[u8]| value[1] & 0x7c != 0x7c;
    assert!(features.chunks_exact(2).all(is_number));
    // A run that is strict says so, and has written the same.
    let said = place.failed(&["features", "in", "-o", "strict", "--strict"]);
    assert!(said.contains("3 of 12 files") && said.contains("00-8-hz.wav"), "{said}");
    assert!(place.read("strict/features.npy") == place.read("out/features.npy"));
}

#[test]
fn mels_without_a_bin_are_named() {
    let place = Place::new();
    write(&place, "a.wav", signal(40_960), RATE);
    let (report, _) = failures(&place, &["features", "a.wav", "-o", "out", "--mels", "60", "--json"]);
    let notice = report["notices"][0].as_str().unwrap();
    assert!(notice.contains("mel 0, 1") && notice.contains("fewer mels or a larger FFT"), "{notice}");
}

#[cfg(unix)]
mod unix {
    use super::super::features::{many_sounds, send, stopped_midway, written};
    use super::super::support::program::{failure, program};
    use super::*;
    use std::path::Path;
    use std::process::Command;

    fn did(program: &str, arguments: &[&str]) -> bool {
        let output = Command::new(program).args(arguments).output();
        output.is_ok_and(|output| output.status.success())
    }

    #[test]
    fn special_files_and_long_names() {
        let place = Place::new();
        let below = format!("in/{}", vec!["d".repeat(200); 18].join("/"));
        std::fs::create_dir_all(place.path(&below)).unwrap();
        let long = format!("{below}/{}.wav", "f".repeat(150));
        write(&place, "in/a.wav", signal(40_960), RATE);
        std::fs::copy(place.path("in/a.wav"), place.path(&long)).unwrap();
        assert!(did("mkfifo", &[place.path("in/pipe.wav").to_str().unwrap()]));
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, place.path(name)).unwrap();
        link("nowhere.wav", "in/broken.wav");
        link("round.wav", "in/round.wav");
        link("..", &format!("{below}/up"));
        link("a.wav", "in/link.wav");
        // In a folder only regular files count; a pipe named on the command line is reported.
        let (report, failed) = failures(&place, &["features", "in", "-o", "out", "--json"]);
        assert_eq!((&report["files"], failed.len()), (&3.into(), 0), "{report}");
        let (_, failed) =
            failures(&place, &["features", "in/pipe.wav", "in/a.wav", "/dev/null", "-o", "two", "--json"]);
        assert_eq!(failed.len(), 2, "{failed:?}");
        assert!(failed.iter().all(|(_, why)| why.contains("not a sound file")), "{failed:?}");
        assert!(rows_of(&place, "two", 1) == rows_of(&place, "out", 0));
    }

    #[test]
    fn a_folder_without_permission_is_told_and_the_rest_goes_on() {
        let place = Place::new();
        std::fs::create_dir_all(place.path("in/closed")).unwrap();
        write(&place, "in/a.wav", signal(40_960), RATE);
        write(&place, "in/b.wav", signal(40_960), RATE);
        write(&place, "in/closed/c.wav", signal(40_960), RATE);
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let (folder, closed, file) =
            (text(place.folder.path()), text(&place.path("in/closed")), text(&place.path("in/b.wav")));
        assert!(did("chmod", &["a+rwx", &folder]) && did("chmod", &["0", &closed]) && did("chmod", &["0", &file]));
        let arguments = ["features", "in", "-o", "out", "--json"];
        // Root may read anything, so it becomes another user.
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
        let mut command = if is_root {
            if !did("setpriv", &["--version"]) {
                return println!("root cannot become somebody else here");
            }
            let mut command = place.other("setpriv");
            command.args(["--reuid=65534", "--clear-groups"]).arg(program());
            command
        } else {
            place.other(program())
        };
        let output = command.args(arguments).output().unwrap();
        assert!(did("chmod", &["700", &closed]));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["files"], report["failures"].as_array().unwrap().len()), (&2.into(), 1), "{report}");
        let (notice, failure) =
            (report["notices"][0].as_str().unwrap(), report["failures"][0]["error"].as_str().unwrap());
        assert!(notice.contains("closed") && notice.contains("permission"), "{notice}");
        assert!(failure.contains("permission"), "{failure}");
    }

    #[test]
    fn files_that_change_while_they_are_read_hold_silence() {
        let place = Place::new();
        many_sounds(&place, 200);
        place.done(&["features", "in", "-o", "whole"]);
        let child = stopped_midway(&place, &["features", "in", "-o", "out"], "out");
        let longer = |name: &str| {
            let mut file = std::fs::OpenOptions::new().append(true).open(place.path(name)).unwrap();
            std::io::Write::write_all(&mut file, &[1; 10_000]).unwrap();
        };
        longer("in/190.wav");
        let file = std::fs::OpenOptions::new().write(true).open(place.path("in/192.wav")).unwrap();
        file.set_len(5_000).unwrap();
        std::fs::remove_file(place.path("in/194.wav")).unwrap();
        std::fs::remove_file(place.path("in/196.wav")).unwrap();
        std::fs::create_dir(place.path("in/196.wav")).unwrap();
        send("CONT", &child);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("sonobrush: note: ") && said.contains("their rows hold silence"), "{said}");
        let report: Value = serde_json::from_slice(&place.read("out/features.json")).unwrap();
        let failed: Vec<(i64, &str)> = report["failures"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["file"].as_i64().unwrap(), one["error"].as_str().unwrap()))
            .collect();
        let numbers: Vec<i64> = failed.iter().map(|(file, _)| *file).collect();
        assert_eq!(numbers, [190, 192, 194, 196], "{failed:?}");
        assert!(failed[0].1.contains("changed") && failed[1].1.contains("changed"), "{failed:?}");
        assert!(failed[2].1.contains("does not exist") && failed[3].1.contains("folder"), "{failed:?}");
        for file in 0..200 {
            let (found, before) = (rows_of(&place, "out", file), rows_of(&place, "whole", file));
            let is_changed = numbers.contains(&(file as i64));
            assert!(if is_changed { is_silent(&found) } else { found == before }, "{file}");
        }
        assert!(place.read("out/mapping.npy") == place.read("whole/mapping.npy"), "row numbers are the same");
        assert_eq!(table(&array(&place.path("out/mapping.npy")).1).len(), 200 * 237);
    }

    #[test]
    fn a_disk_that_fills_is_one_sentence_and_the_run_goes_on() {
        let place = Place::new();
        many_sounds(&place, 201);
        place.done(&["features", "in", "-o", "whole"]);
        let folder = place.path("small");
        std::fs::create_dir(&folder).unwrap();
        // 5.3 MB of arrays and as much to spare.
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=12m", "tmpfs"]).arg(&folder).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            return println!("no disk can be made here that is full");
        }
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let fill = |name: &str| {
                let mut file = std::fs::File::create(folder.join(name)).unwrap();
                while std::io::Write::write_all(&mut file, &[1; 4096]).is_ok() {}
            };
            let child = stopped_midway(&place, &["features", "in", "-o", "small/out"], "small/out");
            fill("filling");
            send("CONT", &child);
            let said = failure(&child.wait_with_output().unwrap());
            assert!(said.contains("does not fit on the disk") && said.contains("--resume"), "{said}");
            assert!(place.path("small/out.partial/begun.json").exists() && !place.path("small/out").exists());
            std::fs::remove_file(folder.join("filling")).unwrap();
            place.done(&["features", "in", "-o", "small/out", "--resume"]);
            assert!(written(&place, "small/out") == written(&place, "whole"));
            std::fs::remove_dir_all(folder.join("out")).unwrap();
            // Full before it begins: refused with both figures.
            fill("filling");
            std::fs::OpenOptions::new().write(true).open(folder.join("filling")).unwrap().set_len(6 << 20).unwrap();
            let said = place.failed(&["features", "in", "-o", "small/out"]);
            assert!(said.contains("MB are needed") && said.contains("MB are free"), "{said}");
        }));
        Command::new("umount").arg(&folder).status().ok();
        checked.unwrap();
    }

    #[test]
    fn a_signal_ends_it_with_a_way_to_go_on_and_a_second_one_at_once() {
        let place = Place::new();
        many_sounds(&place, 250);
        place.done(&["features", "in", "-o", "whole"]);
        for signal in ["INT", "TERM"] {
            let child = stopped_midway(&place, &["features", "in", "-o", "out"], "out");
            send(signal, &child);
            send("CONT", &child);
            let said = failure(&child.wait_with_output().unwrap());
            assert!(said.contains("out: was interrupted") && said.contains("--resume"), "{said}");
            assert!(!place.path("out").exists());
            place.done(&["features", "in", "-o", "out", "--resume"]);
            assert!(written(&place, "out") == written(&place, "whole"));
            std::fs::remove_dir_all(place.path("out")).unwrap();
            // Two of them, which it meets one right after the other.
            let child = stopped_midway(&place, &["features", "in", "-o", "out"], "out");
            send("INT", &child);
            send("TERM", &child);
            send("CONT", &child);
            let output = child.wait_with_output().unwrap();
            assert_eq!((output.status.code(), &output.stderr[..]), (Some(130), &b""[..]));
            place.done(&["features", "in", "-o", "out", "--resume"]);
            assert!(written(&place, "out") == written(&place, "whole"));
            std::fs::remove_dir_all(place.path("out")).unwrap();
        }
    }

    #[test]
    fn two_runs_of_one_output_do_not_meet() {
        let place = Place::new();
        many_sounds(&place, 100);
        let child = stopped_midway(&place, &["features", "in", "-o", "out"], "out");
        for more in ["--resume", "--replace"] {
            let said = place.failed(&["features", "in", "-o", "out", more]);
            assert!(said.contains("another process"), "{said}");
        }
        send("CONT", &child);
        assert!(child.wait_with_output().unwrap().status.success());
        place.done(&["features", "in", "-o", "again"]);
        assert!(written(&place, "out") == written(&place, "again"));
    }
}
