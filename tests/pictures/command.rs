//! Pictures on the command line: in by `paint`, out by `image`.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use crate::support::odd_pictures::{bomb, cmyk_jpeg, exr};
use crate::support::pictures::five_kinds;
use crate::support::program::Place;
use crate::support::wav::{Format, Wav};
use serde_json::{Value, json};
#[cfg(target_os = "linux")]
use std::io::{Read, Write};
#[cfg(target_os = "linux")]
use std::time::Duration;

fn script(brush: Value) -> String {
    json!({"version": 1, "edits": [{"brush": brush}]}).to_string()
}

fn picture(file: &str) -> String {
    script(json!({"kind": "picture", "file": file, "time": [0.0, 1.0], "frequency": [200, 8000], "steps": 2}))
}

fn write_sound(place: &Place, n_channels: usize) {
    let sample = |channel: usize, i: usize| ((i * (3 + channel) * 7_919) % 4_001) as f32 / 20_000.0 - 0.1;
    let channel = |channel| (0..30_000).map(|i| i64::from(sample(channel, i).to_bits())).collect();
    let channels = (0..n_channels).map(channel).collect();
    Wav { format: Format::F32, rate: 44_100, channels }.write(&place.path("in.wav"));
}

#[test]
fn a_picture_becomes_sound_and_is_embedded() {
    let place = Place::new();
    let [(_, photo), ..] = five_kinds();
    place.write("photo.png", photo.png());
    place.write("s.json", picture("photo.png"));
    place.done(&["paint", "--new", "1.0,44100,1", "--script", "s.json", "-o", "out.wav"]);
    let sound = Wav::read(&place.path("out.wav"));
    assert!(sound.channels[0].iter().filter(|x| **x != 0).count() > 40_000);
    // A project holds the picture itself: it is the same without the file.
    write_sound(&place, 1);
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "painted.wav"]);
    place.done(&["save", "in.wav", "--script", "s.json", "-o", "p.sonobrush"]);
    std::fs::remove_file(place.path("photo.png")).unwrap();
    place.done(&["export", "p.sonobrush", "-o", "again.wav"]);
    assert_eq!(place.read("again.wav"), place.read("painted.wav"));
    let reported = place.failed(&["paint", "in.wav", "--script", "s.json", "-o", "no.wav"]);
    assert!(reported.contains("no file photo.png in "), "{reported}");
}

#[test]
fn what_is_no_picture_is_one_line() {
    let place = Place::new();
    let [(_, photo), ..] = five_kinds();
    let whole = photo.png();
    place.write("cut.png", &whole[..whole.len() / 2]);
    place.write("bomb.png", bomb(60_000, 60_000));
    place.write("print.jpg", cmyk_jpeg());
    place.write("text.png", "no picture");
    for (file, expected) in [
        ("cut.png", "could not be decoded"),
        ("bomb.png", "60000 x 60000 pixels, over the limit of 16384 a side"),
        ("print.jpg", "CMYK"),
        ("text.png", "is not a picture that can be read"),
        ("none.png", "no file none.png in "),
    ] {
        place.write("s.json", picture(file));
        let reported = place.failed(&["paint", "--new", "1.0,44100,1", "--script", "s.json", "-o", "out.wav"]);
        assert!(reported.contains(file) && reported.contains(expected), "{reported}");
        assert!(!place.path("out.wav").exists());
    }
}

/// The most memory that the program ever held, in megabytes, until it says why it fails: its standard error is a pipe
/// that is full, so that it waits there.
#[cfg(target_os = "linux")]
fn max_megabytes(place: &Place, arguments: &[&str]) -> u64 {
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(&[b'.'; 1 << 16]).unwrap();
    let mut child = place.command(arguments).stderr(writer).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let field = |name: &str| {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
    };
    let (mut max, mut n_same) = (0, 0);
    while n_same < 30 {
        std::thread::sleep(Duration::from_millis(20));
        let kilobytes = field("VmHWM:").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        let kilobytes = kilobytes.expect("the program waits for its standard error");
        let is_waiting = field("State:").is_some_and(|state| state.starts_with('S'));
        n_same = if kilobytes == max && is_waiting { n_same + 1 } else { 0 };
        max = kilobytes;
    }
    let mut reported = Vec::new();
    reader.read_to_end(&mut reported).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(reported.len() > (1 << 16) + 20, "it did say something");
    max >> 10
}

/// Hostile pictures take little memory, however large they say they are.
#[cfg(target_os = "linux")]
#[test]
fn what_is_no_picture_takes_little_memory() {
    let place = Place::new();
    let [(_, photo), ..] = five_kinds();
    let whole = photo.png();
    let dark = |_: usize, _: usize, _: usize| 0.0;
    for (name, bytes) in [
        ("cut.png", whole[..whole.len() / 2].to_vec()),
        ("bomb.png", bomb(60_000, 60_000)),
        ("large.png", bomb(16_000, 10_000)),
        ("print.jpg", cmyk_jpeg()),
        ("text.png", b"no picture".to_vec()),
        ("cut.exr", exr([2_000, 500], 2, &["B", "G", "R"], dark)[..100_000].to_vec()),
    ] {
        place.write(name, bytes);
        place.write("s.json", picture(name));
        let arguments = ["paint", "--new", "1.0,44100,1", "--script", "s.json", "-o", "out.wav"];
        let megabytes = max_megabytes(&place, &arguments);
        println!("{name}: {megabytes} MB");
        assert!((1..200).contains(&megabytes), "{name}: {megabytes} MB");
    }
}

#[test]
fn cells_go_out_and_come_back() {
    let place = Place::new();
    write_sound(&place, 2);
    let cells = |file: &str| script(json!({"kind": "cells", "file": file}));
    place.done(&["image", "in.wav", "-o", "p.exr"]);
    for name in ["p.ch1.exr", "p.ch1.json", "p.ch2.exr", "p.ch2.json"] {
        assert!(place.path(name).exists(), "{name}");
    }
    assert!(!place.path("p.exr").exists());
    place.done(&["image", "in.wav", "-o", "one.exr", "--channel", "1", "--time", "0.1,0.3"]);
    place.done(&["image", "in.wav", "-o", "pair.png", "--cells", "--channel", "0", "--range", "-120,0"]);
    for name in ["pair.level.png", "pair.phase.png", "pair.json"] {
        assert!(place.path(name).exists(), "{name}");
    }
    for file in ["p.ch1.exr", "p.ch2.exr", "one.exr", "pair.level.png"] {
        place.write("s.json", cells(file));
        let ran = place.run(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav"]);
        assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(Wav::read(&place.path("out.wav")).channels, Wav::read(&place.path("in.wav")).channels, "{file}");
    }
    // A second time they replace what they wrote themselves, and nothing else.
    place.done(&["image", "in.wav", "-o", "one.exr", "--channel", "1"]);
    place.write("one.json", "{\"notes\": 1}");
    let reported = place.failed(&["image", "in.wav", "-o", "one.exr", "--channel", "1"]);
    assert!(reported.contains("one.json: already exists and is not the sidecar of a picture of cells"), "{reported}");
    let reported = place.failed(&["image", "in.wav", "-o", "x.exr", "--raw"]);
    assert!(reported.contains("would contain PNG"), "{reported}");
}
