//! Pictures and sounds over the clipboard of the system.

use super::rig::{Rig, Running, output_of, python};
use super::studio::is_at_rest;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

const RATE_HZ: f64 = 48_000.0;
const HOP: f64 = 512.0;
const SECS: usize = 4;
/// Where the pointer is when a picture is pasted.
const AT_SECS: f64 = 1.0;

fn spec() -> hound::WavSpec {
    let (bits_per_sample, sample_format) = (32, hound::SampleFormat::Float);
    hound::WavSpec { channels: 1, sample_rate: RATE_HZ as u32, bits_per_sample, sample_format }
}

fn read(path: &Path) -> Vec<f32> {
    hound::WavReader::open(path).unwrap().samples::<f32>().map(Result::unwrap).collect()
}

fn script(rig: &Rig) -> Command {
    let mut command = rig.command(python());
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/window/clipboard.py"));
    command
}

/// Another program's picture on the clipboard, until it is dropped or another takes the clipboard.
fn given(rig: &Rig, picture: &Path) -> Running {
    let mut child = script(rig).arg("give").arg(picture).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "ready");
    Running(child)
}

pub fn pictures_and_sounds_go_over_the_clipboard(rig: &Rig) {
    let (file, picture) = (rig.path("four seconds.wav"), rig.path("white.png"));
    let mut writer = hound::WavWriter::create(&file, spec()).unwrap();
    (0..SECS * RATE_HZ as usize).for_each(|_| writer.write_sample(0.0f32).unwrap());
    writer.finalize().unwrap();
    image::GrayImage::from_pixel(48, 32, image::Luma([255])).save(&picture).unwrap();
    let other = given(rig, &picture);
    let studio = rig.open(&file);
    let pane = studio.pane();
    studio.point([pane.x_at(AT_SECS), pane.y_at(1_000.0)]);
    studio.wait("the pointer on the canvas", |state| (state["is_hovering"] == true).then_some(()));
    studio.key("ctrl+v");
    studio.wait("the picture to float", |state| {
        (state["document"]["floating"].is_array() && is_at_rest(state)).then_some(())
    });
    drop(other);
    studio.key("Return");
    studio.wait_position(1);
    let pasted = read(&studio.export("pasted.wav"));
    let peak = pasted.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    let is_loud = |x: &f32| x.abs() > 0.1 * peak;
    let [first, last] = [pasted.iter().position(is_loud), pasted.iter().rposition(is_loud)].map(Option::unwrap);
    let [first, last] = [first, last].map(|at| at as f64 / RATE_HZ);
    println!("  the picture sounds from {first:.3} to {last:.3} s");
    assert!(peak > 0.0 && (first - AT_SECS).abs() < 0.1 && last < SECS as f64, "{first} to {last} s");

    // Out again: a column for each frame, bright where the picture sounds and dark before it.
    studio.run_command("copy as picture");
    let copied = rig.path("copied.png");
    let output = output_of(script(rig).arg("take").arg(&copied));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let copied = image::open(&copied).unwrap().to_luma8();
    let columns = (SECS as f64 * RATE_HZ / HOP) as u32;
    assert_eq!(copied.width(), columns, "a column for each frame");
    let brightest = |from_secs: f64, to_secs: f64| {
        let column = |secs: f64| (secs * RATE_HZ / HOP) as u32;
        let pixels = (column(from_secs)..column(to_secs)).flat_map(|x| (0..copied.height()).map(move |y| (x, y)));
        pixels.map(|(x, y)| copied.get_pixel(x, y)[0]).max().unwrap()
    };
    let (sounding, before) = (brightest(first + 0.1, last - 0.1), brightest(0.1, first - 0.2));
    assert!(sounding > 100 && before == 0, "{sounding} where it sounds, {before} before");

    // A sound that was copied is pasted as that sound.
    studio.key("ctrl+a");
    studio.key("ctrl+c");
    studio.key("ctrl+shift+v");
    studio.wait("the sound to float", |state| {
        (state["document"]["floating"].is_array() && is_at_rest(state)).then_some(())
    });
    studio.key("Return");
    studio.wait_position(2);
    let doubled = read(&studio.export("doubled.wav"));
    let off = doubled.iter().zip(&pasted).map(|(twice, once)| (twice - 2.0 * once).abs()).fold(0.0, f32::max);
    assert!(off < 1e-4 * peak, "off by {off} of {peak}");
}
