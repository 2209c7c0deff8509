//! A picture dropped on the window, drawn to a place by its corners, and put down: it sounds there and nowhere else.

use super::rig::Rig;
use super::signals::{energies, read_floats, write_floats};
use super::studio::{Pane, Studio, is_at_rest};

const RATE_HZ: f64 = 48_000.0;
const SECS: usize = 4;
/// What the studio chooses at this rate.
const N_FFT: f64 = 2_048.0;
const HOP: f64 = 512.0;
/// Where the picture is drawn to: its lower left corner and its upper right one.
const CORNERS: [(f64, f64); 2] = [(0.8, 500.0), (3.0, 8_000.0)];
/// Samples whose power is taken together, and from one such run to the next.
const RUN: usize = 512;
const STEP: usize = 128;

/// Where a picture lies that was just dropped: from the pointer on over two fifths of the time that is seen, and over
/// all but a tenth of the band on each side.
fn dropped_corners(pane: &Pane, at_secs: f64) -> [(f64, f64); 2] {
    let hz = |part: f64| pane.hz[0] * (pane.hz[1] / pane.hz[0]).powf(part);
    [(at_secs, hz(0.1)), (at_secs + 0.4 * (pane.secs[1] - pane.secs[0]), hz(0.9))]
}

fn drag_corner(studio: &Studio<'_>, from: (f64, f64), to: (f64, f64)) {
    // Looked up again: a notice that comes or goes moves the picture.
    let pane = studio.pane();
    let [from, to] = [from, to].map(|(secs, hz)| [pane.x_at(secs), pane.y_at(hz)]);
    let middle = [0, 1].map(|axis| (from[axis] + to[axis]) / 2);
    studio.drag(&[from, middle, to]);
    studio.wait("the corner", |state| is_at_rest(state).then_some(()));
}

/// The first and the last of equally spaced places with a quarter of the usual power between two places.
fn edges(powers: &[f64], first: f64, step: f64, usual: [f64; 2]) -> [f64; 2] {
    let place = |index: usize| first + index as f64 * step;
    let is_usual = |index: &usize| (usual[0]..usual[1]).contains(&place(*index));
    let inside: Vec<usize> = (0..powers.len()).filter(is_usual).collect();
    let mean = inside.iter().map(|&index| powers[index]).sum::<f64>() / inside.len() as f64;
    let is_loud = |power: &f64| *power > mean / 4.0;
    let found = [powers.iter().position(is_loud), powers.iter().rposition(is_loud)];
    found.map(|index| place(index.expect("it sounds")))
}

pub fn a_dropped_picture_sounds_where_it_was_drawn_to(rig: &Rig) {
    let (file, picture) = (rig.path("silence.wav"), rig.path("white.png"));
    write_floats(&file, RATE_HZ, &[vec![0.0; SECS * RATE_HZ as usize]]);
    image::GrayImage::from_pixel(48, 32, image::Luma([255])).save(&picture).unwrap();
    let studio = rig.open(&file);
    let pane = studio.pane();
    let at = [pane.x_at(1.0), pane.y_at(1_000.0)];
    studio.point(at);
    studio.wait("the pointer on the canvas", |state| (state["is_hovering"] == true).then_some(()));
    studio.drop_file(&picture, at);
    studio.wait("the picture to float", |state| {
        (state["document"]["floating"].is_array() && is_at_rest(state)).then_some(())
    });
    let dropped = dropped_corners(&pane, pane.secs_at(at[0]));
    // The upper right corner first, so that none is drawn past the other.
    for corner in [1, 0] {
        drag_corner(&studio, dropped[corner], CORNERS[corner]);
    }
    let pane = studio.pane();
    studio.key("Return");
    studio.wait_position(1);
    let exported = read_floats(&studio.export("picture.wav")).remove(0);
    let samples: Vec<f64> = exported.into_iter().map(f64::from).collect();
    lies_within_its_time(&samples, &pane);
    lies_within_its_band(&samples, &pane);
}

fn lies_within_its_time(samples: &[f64], pane: &Pane) {
    let wanted = CORNERS.map(|(secs, _)| secs);
    let two_pixels = pane.secs_at(2) - pane.secs_at(0);
    // Frames whose centre lies in it reach half a window further.
    let reach = N_FFT / 2.0 / RATE_HZ + two_pixels;
    let is_outside = |n: usize| (n as f64 / RATE_HZ) < wanted[0] - reach || (n as f64 / RATE_HZ) > wanted[1] + reach;
    assert!((0..samples.len()).filter(|n| is_outside(*n)).all(|n| samples[n] == 0.0), "silence around it");
    let power = |run: &[f64]| run.iter().map(|x| x * x).sum::<f64>();
    let powers: Vec<f64> = samples.windows(RUN).step_by(STEP).map(power).collect();
    let [step, first] = [STEP as f64, RUN as f64 / 2.0].map(|n| n / RATE_HZ);
    let found = edges(&powers, first, step, wanted);
    println!("  it sounds from {:.3} to {:.3} s", found[0], found[1]);
    let is_near = |wanted: [f64; 2]| (0..2).all(|k| (found[k] - wanted[k]).abs() <= HOP / RATE_HZ + two_pixels);
    assert!(is_near(wanted), "{found:?} s");
    assert!(!is_near([wanted[0] + 0.1, wanted[1]]) && !is_near([wanted[0], wanted[1] - 0.1]), "the comparison bites");
}

fn lies_within_its_band(samples: &[f64], pane: &Pane) {
    let wanted = CORNERS.map(|(_, hz)| hz);
    let (energies, spacing_hz) = energies(samples, RATE_HZ);
    let cell_hz = RATE_HZ / N_FFT;
    let mut powers = vec![0.0; N_FFT as usize / 2 + 1];
    for (bin, energy) in energies.iter().enumerate() {
        powers[(bin as f64 * spacing_hz / cell_hz).round() as usize] += energy;
    }
    let found = edges(&powers, 0.0, cell_hz, wanted);
    println!("  and from {:.0} to {:.0} Hz", found[0], found[1]);
    // Two pixels, as a part of the frequency.
    let part = (pane.hz[1] / pane.hz[0]).powf(2.0 / pane.rect[3]) - 1.0;
    let is_near = |wanted: [f64; 2]| (0..2).all(|k| (found[k] - wanted[k]).abs() <= cell_hz + part * wanted[k]);
    assert!(is_near(wanted), "{found:?} Hz");
    assert!(!is_near([wanted[0] * 1.2, wanted[1]]) && !is_near([wanted[0], wanted[1] / 1.2]), "the comparison bites");
    let beyond = [wanted[0] * (1.0 - part) - 4.0 * cell_hz, wanted[1] * (1.0 + part) + 4.0 * cell_hz];
    let is_inside = |cell: &usize| (beyond[0]..beyond[1]).contains(&(*cell as f64 * cell_hz));
    let inside: f64 = (0..powers.len()).filter(is_inside).map(|cell| powers[cell]).sum();
    let all: f64 = powers.iter().sum();
    assert!(all - inside < 1e-3 * all, "{} of it lies outside", 1.0 - inside / all);
}
