//! The library in the window: what sounds like the selection, and what has a pitch, is dragged onto the canvas, a hole
//! is filled from a donor, and duplicates are compared.

use super::rig::Rig;
use super::studio::{Studio, is_at_rest};
use super::support::measure::{half_level_secs, strongest_tone};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const RATE_HZ: f64 = 48_000.0;
const HIT_SECS: f64 = 0.4;
const TONE_SECS: f64 = 0.5;
const TONE_LEVEL: f64 = 0.2;
/// Where the clip has a hit, and where it has a hole in its noise.
const HIT_AT_SECS: f64 = 0.8;
const HOLE_SECS: [f64; 2] = [4.0, 4.3];
const COPY_GAIN: f32 = 0.5;
/// A slow machine draws a frame in this time: the pointer rests so long where a user's hand would, too.
const A_FRAME: Duration = Duration::from_millis(400);

/// Noise from a seed, -1 to 1, through a low-pass of one pole.
fn noise(seed: u32, n: usize, hz: f64) -> Vec<f32> {
    let part = 1.0 - (-std::f64::consts::TAU * hz / RATE_HZ).exp();
    let (mut state, mut low) = (seed.wrapping_mul(2_654_435_769) | 1, 0.0);
    let white = (0..n).map(|_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        f64::from(state) / f64::from(u32::MAX) * 2.0 - 1.0
    });
    white
        .map(|white| {
            low += part * (white - low);
            low as f32
        })
        .collect()
}

/// A drum hit: noise that falls to a thousandth within a time.
fn hit(seed: u32, hz: f64, fall_secs: f64) -> Vec<f32> {
    let fall = |n: usize| (-6.9 * n as f64 / RATE_HZ / fall_secs).exp() as f32;
    let samples = noise(seed, (HIT_SECS * RATE_HZ) as usize, hz);
    samples.iter().enumerate().map(|(n, sample)| 0.6 * sample * fall(n)).collect()
}

fn write(path: &Path, samples: &[f32]) {
    let (bits_per_sample, sample_format) = (32, hound::SampleFormat::Float);
    let spec = hound::WavSpec { channels: 1, sample_rate: RATE_HZ as u32, bits_per_sample, sample_format };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    samples.iter().for_each(|sample| writer.write_sample(*sample).unwrap());
    writer.finalize().unwrap();
}

fn read(path: &Path) -> Vec<f32> {
    hound::WavReader::open(path).unwrap().samples::<f32>().map(Result::unwrap).collect()
}

fn rms(samples: &[f32]) -> f64 {
    (samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / samples.len() as f64).sqrt()
}

/// A tone that rises from 300 Hz by two octaves within a second.
fn sweep() -> Vec<f32> {
    let phase =
        |secs: f64| std::f64::consts::TAU * 300.0 * ((2.0 * secs).exp2() - 1.0) / (2.0 * std::f64::consts::LN_2);
    (0..RATE_HZ as usize).map(|n| 0.3 * phase(n as f64 / RATE_HZ).sin() as f32).collect()
}

/// Three kinds of hits, each four times, tones, a noise as in the clip, and a sweep with a softer copy.
fn write_library(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for n in 0..4 {
        write(&folder.join(format!("dull {n}.wav")), &hit(10 + n, 300.0 + 10.0 * f64::from(n), 0.35));
        write(&folder.join(format!("snappy {n}.wav")), &hit(20 + n, 3_000.0 + 100.0 * f64::from(n), 0.12));
        write(&folder.join(format!("bright {n}.wav")), &hit(30 + n, 20_000.0, 0.35 - 0.02 * f64::from(n)));
        let step = std::f64::consts::TAU * 220.0 * f64::from(n + 1) / RATE_HZ;
        let n_samples = (TONE_SECS * RATE_HZ) as usize;
        let tone: Vec<f32> = (0..n_samples).map(|at| (TONE_LEVEL * (step * at as f64).sin()) as f32).collect();
        write(&folder.join(format!("tone {n}.wav")), &tone);
    }
    write(&folder.join("sweep.wav"), &sweep());
    write(&folder.join("soft sweep.wav"), &sweep().iter().map(|x| COPY_GAIN * x).collect::<Vec<f32>>());
    write(&folder.join("bed.wav"), &noise(99, 144_000, 1_500.0).iter().map(|x| 0.1 * x).collect::<Vec<f32>>());
}

/// A snappy hit that the library does not have, then noise with a hole in it.
fn clip() -> Vec<f32> {
    let mut samples = vec![0.0f32; (6.0 * RATE_HZ) as usize];
    let at = (HIT_AT_SECS * RATE_HZ) as usize;
    samples[at..].iter_mut().zip(hit(77, 3_050.0, 0.12)).for_each(|(sample, hit)| *sample = hit);
    let bed = (3.0 * RATE_HZ) as usize;
    let n_bed = samples.len() - bed;
    samples[bed..].iter_mut().zip(noise(55, n_bed, 1_500.0)).for_each(|(sample, noise)| *sample = 0.1 * noise);
    let [start, end] = HOLE_SECS.map(|secs| (secs * RATE_HZ) as usize);
    samples[start..end].fill(0.0);
    samples
}

fn names(state: &Value) -> Vec<String> {
    let names = state["library"]["names"].as_array().into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Selects all frequencies of a stretch of time.
fn select(studio: &Studio<'_>, [start, end]: [f64; 2]) {
    studio.key("v");
    studio.wait("the lasso", |state| (state["tool"] == "tool_lasso").then_some(()));
    let pane = studio.pane();
    let [top, bottom] = [pane.rect[1] + 2.0, pane.rect[1] + pane.rect[3] - 2.0].map(|y| y as i64);
    let [left, right] = [start, end].map(|secs| pane.x_at(secs));
    let middle = (left + right) / 2;
    studio.drag(&[[left, top], [middle, top], [right, top], [right, bottom], [middle, bottom], [left, bottom]]);
    studio.wait("the selection", |state| {
        let secs = state["document"]["selected_secs"].as_array()?;
        let is_there = (secs[0].as_f64()? - start).abs() < 0.05 && (secs[1].as_f64()? - end).abs() < 0.05;
        (is_there && is_at_rest(state)).then_some(())
    });
}

/// Drags a row of the list to a place on the canvas, as a hand does: it rests where it begins and where it ends.
fn drag_row(studio: &Studio<'_>, name: &str, to: [i64; 2], has_shift: bool) {
    let from = studio.middle_of(name);
    studio.point(from);
    std::thread::sleep(A_FRAME);
    studio.press(true);
    for step in 1..=8 {
        studio.point([0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * step / 8));
        std::thread::sleep(A_FRAME / 4);
    }
    if has_shift {
        studio.hold_key("shift", true);
    }
    std::thread::sleep(A_FRAME);
    studio.press(false);
    if has_shift {
        std::thread::sleep(A_FRAME);
        studio.hold_key("shift", false);
    }
}

pub fn a_library_finds_repairs_and_compares(rig: &Rig) {
    let (file, folder) = (rig.path("clip with a hole.wav"), rig.path("library of hits"));
    let original = clip();
    write(&file, &original);
    write_library(&folder);
    let studio = rig.open(&file);
    studio.drop_file(&folder, [600, 400]);
    studio.wait("every sound", |state| {
        (state["library"]["n_listed"] == 19 && state["library"]["is_adding"] == false).then_some(())
    });
    let with_hit = the_second_most_alike_is_dragged_in(&studio, &folder, &original);
    a_tone_is_dragged_to_another_pitch(&studio, &with_hit);
    a_hole_is_filled_from_a_donor(&studio);
    a_softer_copy_is_compared(&studio);
}

/// The export with it in.
fn the_second_most_alike_is_dragged_in(studio: &Studio<'_>, folder: &Path, original: &[f32]) -> Vec<f32> {
    select(studio, [HIT_AT_SECS - 0.01, HIT_AT_SECS + HIT_SECS]);
    studio.click_control("Sounds similar to selection");
    let alike = studio.wait("what is similar", |state| {
        let names = names(state);
        (names.len() >= 4 && names[0].starts_with("snappy")).then_some(names)
    });
    println!("  most alike: {:?}", &alike[..4]);
    let second = &alike[1];
    assert!(second.starts_with("snappy"), "{alike:?}");
    let pane = studio.pane();
    let x = pane.x_at(2.0);
    drag_row(studio, second, [x, pane.y_at(1_000.0)], false);
    studio.wait("what floats", |state| (state["document"]["floating"].is_array() && is_at_rest(state)).then_some(()));
    studio.take_focus();
    studio.key("Return");
    studio.wait_position(1);
    let exported = read(&studio.export("with a hit.wav"));
    let added: Vec<f32> = exported.iter().zip(original).map(|(now, before)| now - before).collect();
    let sound = read(&folder.join(second));
    // Where it lies best, to a sample; the place is the pointer's, to a pixel.
    let about = (pane.secs_at(x) * RATE_HZ) as usize;
    let pixel = ((pane.secs_at(x + 1) - pane.secs_at(x)) * RATE_HZ) as usize;
    let likeness = |at: usize| {
        let there = &added[at..at + sound.len()];
        let product: f64 = there.iter().zip(&sound).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        product / (sound.len() as f64 * rms(there).max(1e-12) * rms(&sound))
    };
    let around = about - 4 * pixel..about + 4 * pixel;
    let best = around.max_by(|a, b| likeness(*a).total_cmp(&likeness(*b))).unwrap();
    println!("  {second} lies at {:.4} s, {:.4} alike", best as f64 / RATE_HZ, likeness(best));
    assert!(likeness(best) > 0.999, "{} alike", likeness(best));
    assert!(best.abs_diff(about) <= 2 * pixel, "at sample {best}, dropped at {about}");
    // The control: one sample beside it is less alike.
    assert!(likeness(best + 1) < 0.999);
    exported
}

/// A tone of 440 Hz is let go with Shift an octave and a fifth above its pitch, between the hits.
fn a_tone_is_dragged_to_another_pitch(studio: &Studio<'_>, before: &[f32]) {
    const OWN_HZ: f64 = 440.0;
    studio.click_control("All sounds");
    studio.wait("all of them", |state| (names(state).len() == 19).then_some(()));
    let all = studio.middle_of("All sounds");
    bring_into_view(studio, "tone 1.wav", [all[0] + 60, all[1] + 300]);
    let pane = studio.pane();
    let [x, y] = [pane.x_at(1.2), pane.y_at(3.0 * OWN_HZ)];
    drag_row(studio, "tone 1.wav", [x, y], true);
    let octaves = studio.wait("the tone that floats", |state| {
        let offset = state["document"]["floating"].as_array().filter(|_| is_at_rest(state))?;
        offset[1].as_f64()
    });
    studio.take_focus();
    studio.key("Return");
    studio.wait_position(2);
    let exported = read(&studio.export("with a tone.wav"));
    let added: Vec<f32> = exported.iter().zip(before).map(|(now, before)| now - before).collect();
    let (at_secs, at_hz) = (pane.secs_at(x), pane.hz_at(y));
    let middle = &added[((at_secs + 0.15) * RATE_HZ) as usize..((at_secs + TONE_SECS - 0.15) * RATE_HZ) as usize];
    let found = strongest_tone(middle, RATE_HZ, 100.0, 10_000.0);
    let [start, end] = half_level_secs(&added, RATE_HZ, [at_secs, at_secs + TONE_SECS], found.hz);
    println!(
        "  tone 1.wav was let go at {at_secs:.3} s and {at_hz:.1} Hz; it is {:.1} Hz from {start:.3} to {end:.3} s",
        found.hz
    );
    // It is moved by what the window says, and lies where it was let go as near as its own pitch is known.
    assert!((found.hz / (OWN_HZ * octaves.exp2())).log2().abs() < 0.02, "{} Hz, moved by {octaves}", found.hz);
    assert!((found.hz / at_hz).log2().abs() < 0.05, "{} Hz at {at_hz} Hz", found.hz);
    assert!(found.level > TONE_LEVEL / 2.0, "{}", found.level);
    let pixel_secs = pane.secs_at(x + 1) - at_secs;
    assert!((start - at_secs).abs() < 2.0 * pixel_secs + 0.02, "it begins at {start} s");
    assert!((end - at_secs - TONE_SECS).abs() < 2.0 * pixel_secs + 0.02, "it ends at {end} s");
    // Not at its own pitch, and nothing where nothing was let go.
    let own = strongest_tone(middle, RATE_HZ, OWN_HZ - 20.0, OWN_HZ + 20.0);
    assert!(own.level < 0.04 * TONE_LEVEL, "{} at its own pitch", own.level);
    let elsewhere = &added[(2.4 * RATE_HZ) as usize..];
    assert!(rms(elsewhere) < 1e-4, "{}", rms(elsewhere));
}

fn a_hole_is_filled_from_a_donor(studio: &Studio<'_>) {
    select(studio, HOLE_SECS);
    studio.click_control("Sounds to repair with");
    let donors = studio.wait("donors", |state| {
        let names = names(state);
        names.iter().any(|name| name == "bed.wav").then_some(names)
    });
    println!("  donors: {donors:?}");
    studio.click_control("bed.wav");
    studio.wait("the donor in hand", |state| state["library"]["chosen"].as_i64());
    studio.click_control("Fill selection from chosen sound");
    studio.wait_position(3);
    let filled = read(&studio.export("filled.wav"));
    let part = |from: f64, to: f64| rms(&filled[(from * RATE_HZ) as usize..(to * RATE_HZ) as usize]);
    let level_db = 20.0 * (part(HOLE_SECS[0] + 0.05, HOLE_SECS[1] - 0.05) / part(3.3, 3.8)).log10();
    println!("  the hole is filled at {level_db:+.1} dB of what surrounds it");
    assert!(level_db.abs() < 3.0, "{level_db} dB");
}

/// Turns the wheel over the list of duplicates until a row is in view, and clicks it.
fn choose(studio: &Studio<'_>, name: &str) {
    let test = studio.middle_of("Null test");
    bring_into_view(studio, name, [test[0] + 40, test[1] + 200]);
    studio.click_control(name);
    studio.wait("a sound in hand", |state| state["library"]["chosen"].as_i64());
}

/// Turns the wheel at a place in the list until a row is in view.
fn bring_into_view(studio: &Studio<'_>, name: &str, in_list: [i64; 2]) {
    studio.point(in_list);
    for _ in 0..20 {
        if studio.state().is_some_and(|state| state["controls"][name].is_array()) {
            break;
        }
        studio.wheel_down();
        std::thread::sleep(A_FRAME);
    }
}

fn a_softer_copy_is_compared(studio: &Studio<'_>) {
    studio.click_control("Duplicate sounds");
    studio.wait("the copies", |state| {
        let names = names(state);
        ["sweep.wav", "soft sweep.wav"].iter().all(|name| names.iter().any(|found| found == name)).then_some(())
    });
    // One of them is the one to keep, whose test says nothing.
    for name in ["sweep.wav", "soft sweep.wav"] {
        choose(studio, name);
        std::thread::sleep(A_FRAME);
        studio.click_control("Null test");
        std::thread::sleep(2 * A_FRAME);
        if studio.state().is_some_and(|state| state["library"]["null_rms_db"].is_number()) {
            break;
        }
    }
    let rms_db = studio.wait("the null test", |state| state["library"]["null_rms_db"].as_f64());
    // Half of it is left.
    let expected_db = 20.0 * (f64::from(1.0 - COPY_GAIN) * rms(&sweep())).log10();
    println!("  the null test leaves {rms_db:.2} dB, {expected_db:.2} expected");
    assert!((rms_db - expected_db).abs() < 0.1, "{rms_db} dB");
}
