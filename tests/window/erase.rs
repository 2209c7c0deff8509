//! One stroke, from the pointer to the exported samples.

use super::pictures::{crop, image_of, part_apart};
use super::rig::Rig;
use super::signals::{centroid, comb, energies, read_wav, write_wav};
use super::studio::Studio;

const RATE_HZ: f64 = 44_100.0;
/// What the studio chooses at this rate.
const N_FFT: f64 = 2_048.0;
const HOP: f64 = 512.0;

/// Zooms in on a place with the wheel until the canvas shows at most `max_secs`, and a band of at most `max_ratio`.
pub fn zoom_in(studio: &Studio<'_>, [secs, hz]: [f64; 2], max_secs: f64, max_ratio: f64) {
    loop {
        let pane = studio.pane();
        let is_long = pane.secs[1] - pane.secs[0] > max_secs;
        let is_wide = pane.hz[1] / pane.hz[0] > max_ratio;
        if !is_long && !is_wide {
            break;
        }
        studio.point([pane.x_at(secs), pane.y_at(hz)]);
        studio.wheel_up(!is_long);
        studio.wait("a closer view", |state| {
            let secs = &state["document"]["secs"];
            let hz = &state["document"]["hz"];
            (secs[0] != pane.secs[0] || secs[1] != pane.secs[1] || hz[0] != pane.hz[0] || hz[1] != pane.hz[1])
                .then_some(())
        });
    }
    studio.wait("the closer view on the canvas", |state| super::studio::is_at_rest(state).then_some(()));
}

pub fn erases_where_the_rulers_say(rig: &Rig) {
    let file = rig.path("comb.wav");
    write_wav(&file, RATE_HZ as u32, &comb(4 * 44_100, RATE_HZ, 50.0, 15_000.0, 0.004));
    let studio = rig.open(&file);
    zoom_in(&studio, [2.1, 4_000.0], 1.0, 2.2);

    // A place as read from the rulers.
    let pane = studio.pane();
    let at = [(pane.rect[0] + 0.55 * pane.rect[2]) as i64, (pane.rect[1] + 0.45 * pane.rect[3]) as i64];
    let (secs, hz) = (pane.secs_at(at[0]), pane.hz_at(at[1]));
    studio.key("4");
    studio.wait("the erase brush", |state| (state["tool"] == "tool_erase").then_some(()));
    studio.click(at);
    studio.wait_position(1);
    studio.leave_canvas();
    let canvas = crop(&studio.picture("erased.png"), &pane);
    studio.key("ctrl+z");
    studio.wait_position(0);
    studio.leave_canvas();
    let undone = crop(&studio.picture("undone.png"), &pane);
    studio.key("ctrl+shift+z");
    studio.wait_position(1);
    let erased = studio.export("erased.wav");

    let (before, after) = (read_wav(&file), read_wav(&erased));
    assert_eq!(before.len(), after.len());
    let lost: Vec<f64> = before.iter().zip(&after).map(|(a, b)| f64::from(a - b) / 32_768.0).collect();

    // Where the energy was that is gone.
    let power: Vec<f64> = lost.iter().map(|sample| sample * sample).collect();
    let centre_secs = centroid(&power) / RATE_HZ;
    assert!((centre_secs - secs).abs() < HOP / RATE_HZ, "lost at {centre_secs} s, painted at {secs} s");
    let (spectrum, spacing_hz) = energies(&lost, RATE_HZ);
    let centre_hz = centroid(&spectrum) * spacing_hz;
    assert!((centre_hz - hz).abs() < RATE_HZ / N_FFT, "lost at {centre_hz} Hz, painted at {hz} Hz");

    // 99 % of it under the brush, widened by a window and four bins.
    let reach_secs = pane.radius_secs() + N_FFT / RATE_HZ;
    let is_near = |n: usize| (n as f64 / RATE_HZ - secs).abs() <= reach_secs;
    let near: f64 = power.iter().enumerate().filter(|(n, _)| is_near(*n)).map(|(_, power)| power).sum();
    assert!(near >= 0.99 * power.iter().sum::<f64>());
    let widened = 4.0 * RATE_HZ / N_FFT;
    let octaves = pane.radius_octaves();
    let band = hz * (-octaves).exp2() - widened..=hz * octaves.exp2() + widened;
    let inside: f64 =
        spectrum.iter().enumerate().filter(|(i, _)| band.contains(&(*i as f64 * spacing_hz))).map(|(_, e)| e).sum();
    assert!(
        inside >= 0.99 * spectrum.iter().sum::<f64>(),
        "{:.4} of it is in {band:?}",
        inside / spectrum.iter().sum::<f64>()
    );
    assert!(spectrum.iter().sum::<f64>() > 0.0);

    // Frames whose centre lies under the brush reach half a window to both sides; half a pixel for rounding.
    let half_pixel = 0.5 * (pane.secs[1] - pane.secs[0]) / pane.rect[2];
    let edge = |side: f64| (secs + side * (pane.radius_secs() + half_pixel)) * RATE_HZ / HOP;
    let first = edge(-1.0).ceil() * HOP - N_FFT / 2.0;
    let end = edge(1.0).floor() * HOP + N_FFT / 2.0;
    let changed = |n: &usize| before[*n] != after[*n];
    let first_changed = (0..before.len()).find(changed).unwrap();
    let last_changed = (0..before.len()).rfind(changed).unwrap();
    assert!(
        first_changed as f64 >= first && (last_changed as f64) < end,
        "{first_changed}..={last_changed}: {first}..{end}"
    );

    // What is seen is what is in the file.
    let drawn = image_of(rig, &erased, &pane);
    let apart = part_apart(&canvas, &drawn);
    assert!(apart < 0.001, "{:.3} % of the canvas is more than 2 dB off", 100.0 * apart);
    let untouched = image_of(rig, &file, &pane);
    assert!(part_apart(&canvas, &untouched) > 0.005, "the comparison bites");
    assert!(part_apart(&undone, &untouched) < 0.001);

    studio.key("ctrl+z");
    studio.wait_position(0);
    assert_eq!(read_wav(&studio.export("undone.wav")), before);
}
