//! Views: coordinates, ruler ticks, pictures, raw images, colour maps.

use base::Progress;
use document::Snapshot;
use dsp::{Axis, CellRect, Grid, Stft, StftParams, Window};
use dsp::{Lobe, peak_near, peak_under};
use media::Source;
use proptest::prelude::*;
use sonobrush_view::{
    CellStyle, ChannelView, Colormap, Image, ImageOptions, LabelSize, Level, Limits, PictureSpec, Plane, Viewport,
    hz_ticks, phase_rgb, picture, render_image, time_ticks, write_png,
};
use support::signals;

const RATE: u32 = 16_000;
const SIZE: LabelSize = LabelSize { letter: 7.0, line: 13.0, gap: 8.0 };

fn snapshot(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE).unwrap())
}

fn spec(secs: [f64; 2], hz: [f64; 2], axis: Axis, size: [usize; 2]) -> PictureSpec {
    PictureSpec {
        secs,
        hz,
        axis,
        transform: StftParams { n_fft: 1024, hop: 256, window: Window::Hann }.into(),
        channels: ChannelView::All,
        plane: Plane::Magnitude,
        colormap: Colormap::Grey,
        raw_phase: false,
        cells: CellStyle::Bare,
        range_db: [-100.0, 0.0],
        size,
    }
}

fn axes() -> impl Strategy<Value = Axis> {
    (0usize..4).prop_map(|i| Axis::ALL[i])
}

/// A viewport somewhere in a sound of an hour at 48 kHz.
fn viewports() -> impl Strategy<Value = Viewport> {
    (axes(), 0.0..3500.0f64, -3.0..2.0f64, 0.0..1.0f64, 0.002..1.0f64, 200.0..1800.0f64, 120.0..900.0f64).prop_map(
        |(axis, start, width_power, low, part, width, height)| {
            let floor = if axis == Axis::Log { 20.0 } else { 0.0 };
            let [bottom, top] = [floor, 24_000.0].map(|hz| axis.units_from_hz(hz));
            let from = bottom + (top - bottom) * low * (1.0 - part);
            let hz = [from, from + (top - bottom) * part].map(|units| axis.hz_from_units(units).max(floor));
            Viewport {
                secs: [start, start + 10f64.powf(width_power)],
                hz,
                axis,
                origin: [31.0, 17.5],
                size: [width, height],
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn places_come_back(viewport in viewports(), x in 0.0..1.0f64, y in 0.0..1.0f64) {
        let x = viewport.origin[0] + x * viewport.size[0];
        let y = viewport.origin[1] + y * viewport.size[1];
        prop_assert!((viewport.x_from_secs(viewport.secs_from_x(x)) - x).abs() < 1e-6);
        prop_assert!((viewport.y_from_hz(viewport.hz_from_y(y)) - y).abs() < 1e-6);
    }

    #[test]
    fn rulers_have_two_labels_and_none_over_another(viewport in viewports()) {
        let times = time_ticks(&viewport, SIZE);
        let labelled: Vec<_> = times.iter().filter_map(|tick| Some((tick, tick.label.as_ref()?))).collect();
        prop_assert!(labelled.len() >= 2, "{labelled:?}");
        for pair in labelled.windows(2) {
            let end = pair[0].0.pixel + pair[0].1.chars().count() as f64 * SIZE.letter;
            prop_assert!(end <= pair[1].0.pixel && pair[0].1 != pair[1].1, "{pair:?}");
        }
        for tick in &times {
            prop_assert!((viewport.x_from_secs(tick.at) - viewport.origin[0] - tick.pixel).abs() < 1e-6);
        }
        let pitches = hz_ticks(&viewport, SIZE);
        let labelled: Vec<_> = pitches.iter().filter_map(|tick| Some((tick, tick.label.as_ref()?))).collect();
        prop_assert!(labelled.len() >= 2, "{viewport:?} {labelled:?}");
        for pair in labelled.windows(2) {
            prop_assert!(pair[0].0.pixel - pair[1].0.pixel >= SIZE.line && pair[0].1 != pair[1].1, "{pair:?}");
        }
        for (tick, label) in labelled {
            prop_assert!((viewport.y_from_hz(tick.at) - viewport.origin[1] - tick.pixel).abs() < 1e-6);
            let said: f64 = match label.strip_suffix('k') {
                Some(thousands) => thousands.parse::<f64>().unwrap() * 1000.0,
                None => label.parse().unwrap(),
            };
            prop_assert!((said - tick.at).abs() <= 1e-6 * tick.at.max(1.0), "{label} at {}", tick.at);
        }
    }

    #[test]
    fn zoom_keeps_what_is_under_the_pointer(viewport in viewports(), part in 0.1..0.9f64, factor in 1.01..3.0f64) {
        let limits = Limits { duration_secs: 3600.0, nyquist_hz: 24_000.0, min_secs: 1e-5, min_hz: 1e-5 };
        let at = viewport.secs[0] + part * (viewport.secs[1] - viewport.secs[0]);
        let zoomed = limits.zoom_secs(viewport.secs, at, factor);
        prop_assert!(((at - zoomed[0]) / (zoomed[1] - zoomed[0]) - part).abs() < 1e-6);
        let at = viewport.hz_from_y(viewport.origin[1] + part * viewport.size[1]);
        let hz = limits.zoom_hz(viewport.hz, viewport.axis, at, factor);
        let zoomed = Viewport { hz, ..viewport };
        prop_assert!((zoomed.y_from_hz(at) - viewport.y_from_hz(at)).abs() < 1e-3 * viewport.size[1]);
    }

    #[test]
    fn panning_keeps_octaves(viewport in viewports(), by in -0.5..0.5f64) {
        let limits = Limits { duration_secs: 3600.0, nyquist_hz: 24_000.0, min_secs: 1e-5, min_hz: 1e-5 };
        let [low, high] = viewport.units();
        let moved = Viewport { hz: limits.pan_hz(viewport.hz, viewport.axis, by * (high - low)), ..viewport };
        let [moved_low, moved_high] = moved.units();
        prop_assert!(((moved_high - moved_low) / (high - low) - 1.0).abs() < 1e-6);
        prop_assert!(moved.hz[0] >= limits.floor_hz(viewport.axis) * (1.0 - 1e-9) && moved.hz[1] <= 24_000.0 * (1.0 + 1e-9));
    }

    #[test]
    fn every_cell_in_view_is_in_one_pixel(viewport in viewports(), hop_power in 0u32..4) {
        let stft = StftParams { n_fft: 2048, hop: 128 << hop_power, window: Window::Hann };
        let grid = Grid::new(stft, 48_000.0, 48_000 * 3600);
        let level = Level::for_view(grid, viewport.secs, viewport.size[0].floor());
        let columns = level.columns(viewport.secs, viewport.size[0] as usize, CellStyle::Bare);
        let rows = level.rows(viewport.hz, viewport.axis, viewport.size[1] as usize, CellStyle::Bare);
        for cells in [columns.clone(), rows.into_iter().rev().collect()] {
            for pair in cells.windows(2) {
                let ([a, b], [c, d]) = ([pair[0].first, pair[0].end], [pair[1].first, pair[1].end]);
                prop_assert!(a < b && c < d);
                // Adjacent pixels show adjacent cells. They share a cell only where a pixel contains no cell centre and
                // shows the nearest cell.
                prop_assert!(b == c || b == c + 1 && (b - a == 1 || d - c == 1), "{pair:?}");
            }
        }
        prop_assert!(columns.iter().all(|cells| cells.end - cells.first <= 4));
    }
}

#[test]
fn a_full_scale_sine_is_as_bright_as_can_be_at_its_row() {
    let hz = 64.0 * f64::from(RATE) / 1024.0;
    let sound = snapshot(vec![signals::tone(32_000, f64::from(RATE), hz, 1.0)]);
    for axis in Axis::ALL {
        let spec = spec([0.5, 1.5], [100.0, 4000.0], axis, [40, 200]);
        let seen = picture(&sound, &spec, &Progress::new()).unwrap();
        let viewport = Viewport { secs: spec.secs, hz: spec.hz, axis, origin: [0.0, 0.0], size: [40.0, 200.0] };
        let row = viewport.y_from_hz(hz) as usize;
        for x in 0..40 {
            assert_eq!(seen.at(x, row), [255; 3], "{axis:?}");
            // 40 pixels higher it is dark, since the sidelobes of a Hann window fall off fast.
            assert!(seen.at(x, row - 40)[0] < 60, "{axis:?}");
        }
    }
}

#[test]
fn a_click_of_one_sample_is_seen_from_far_away() {
    let mut samples = vec![0.0f32; 16_000 * 60];
    let at = 16_000 * 41 + 123;
    samples[at] = 1.0;
    let sound = snapshot(vec![samples]);
    let spec = spec([0.0, 60.0], [20.0, 8000.0], Axis::Log, [50, 30]);
    assert!(Level::for_view(Grid::new(&spec.transform, 16_000.0, 960_000), spec.secs, 50.0).index >= 2);
    let seen = picture(&sound, &spec, &Progress::new()).unwrap();
    let bright: Vec<usize> = (0..50).filter(|&x| seen.at(x, 15)[0] > 50).collect();
    let place = at as f64 / 16_000.0 / 60.0 * 50.0;
    assert!(!bright.is_empty() && bright.len() <= 2, "{bright:?}");
    assert!(bright.iter().all(|&x| (x as f64 + 0.5 - place).abs() <= 1.5), "{bright:?} around {place}");
}

#[test]
fn the_view_all_shows_the_louder_channel() {
    let rate = f64::from(RATE);
    let (low, high) = (signals::tone(16_000, rate, 500.0, 0.5), signals::tone(16_000, rate, 2000.0, 0.5));
    let both = snapshot(vec![low.clone(), high.clone()]);
    let base = spec([0.2, 0.8], [100.0, 4000.0], Axis::Log, [8, 128]);
    let seen = |sound: &Snapshot, channels| {
        picture(sound, &PictureSpec { channels, ..base.clone() }, &Progress::new()).unwrap()
    };
    let all = seen(&both, ChannelView::All);
    let [left, right] = [0, 1].map(|channel| seen(&both, ChannelView::One(channel)));
    for (i, &byte) in all.rgb.iter().enumerate() {
        assert_eq!(byte, left.rgb[i].max(right.rgb[i]));
    }
    assert_ne!(left, right);
    assert_ne!(all, left);
    // Equal channels have no side.
    let equal = snapshot(vec![low.clone(), low.clone()]);
    assert!(seen(&equal, ChannelView::Side).rgb.iter().all(|&byte| byte == 0));
    assert_eq!(seen(&equal, ChannelView::Mid), seen(&snapshot(vec![low]), ChannelView::All));
}

#[test]
fn raw_images_are_the_cells() {
    let sound = snapshot(vec![signals::busy(8000, f64::from(RATE), 3), signals::busy(8000, f64::from(RATE), 4)]);
    let stft = StftParams { n_fft: 512, hop: 128, window: Window::Hamming };
    let options = ImageOptions {
        raw: true,
        transform: Some(stft.into()),
        channels: ChannelView::One(1),
        range_db: [-90.0, -10.0],
        ..ImageOptions::default()
    };
    let Image::Raw { size, rgba } = render_image(&sound, &options, &Progress::new()).unwrap() else { panic!("raw") };
    let grid = Grid::new(stft, f64::from(RATE), 8000);
    let (n_frames, n_bins) = (grid.n_frames(), grid.n_bins());
    assert_eq!(size, [n_frames as u32, n_bins as u32]);
    let mut padded = vec![0.0f32; 256 + (n_frames - 1) * 128 + 512];
    sound.read(1, -256, &mut padded).unwrap();
    let tables = Stft::new(stft);
    padded.truncate(tables.n_samples_under(n_frames));
    let region = tables.analyse(&padded, &CellRect::new(0..n_frames, 0..n_bins));
    let full_scale = stft.window.samples(512).iter().sum::<f64>() / 2.0;
    let mut n_level = 0;
    for frame in 0..n_frames {
        for bin in 0..n_bins {
            let pixel = &rgba[4 * ((n_bins - 1 - bin) * n_frames + frame)..][..4];
            let cell = region.index(frame, bin);
            // DC and Nyquist have no mirrored bin, so at equal amplitude their magnitude is twice that of a sine.
            let sides = if bin == 0 || bin + 1 == n_bins { 0.5 } else { 1.0 };
            let db = 20.0 * (sides * f64::from(region.magnitude[cell]) / full_scale).max(1e-12).log10();
            let level = ((db + 90.0) / 80.0).clamp(0.0, 1.0) * 65535.0;
            let phase = (f64::from(region.phase[cell]) + 0.5) * 65535.0;
            assert!((f64::from(pixel[0]) - level).abs() <= 1.0, "level of {frame}, {bin}");
            assert!((f64::from(pixel[1]) - phase).abs() <= 1.0, "phase of {frame}, {bin}");
            assert_eq!(pixel[2..], [0, u16::MAX]);
            n_level += usize::from((1.0..65534.0).contains(&level));
        }
    }
    assert!(n_level > n_frames * n_bins / 2, "levels inside the range are what is compared");
}

#[test]
fn png_files_hold_what_was_rendered() {
    let sound = snapshot(vec![signals::busy(8000, f64::from(RATE), 3)]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.png");
    for raw in [false, true] {
        let options = ImageOptions { size: [60, 40], raw, ..ImageOptions::default() };
        let rendered = render_image(&sound, &options, &Progress::new()).unwrap();
        write_png(&path, &rendered).unwrap();
        let read = image::open(&path).unwrap();
        match rendered {
            Image::Colours { size, rgb } => {
                assert_eq!([read.width(), read.height()], size);
                assert_eq!(read.as_rgb8().unwrap().as_raw(), &rgb);
            }
            Image::Raw { size, rgba } => {
                assert_eq!([read.width(), read.height()], size);
                assert_eq!(read.as_rgba16().unwrap().as_raw(), &rgba);
            }
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing half-written is left");
}

#[test]
fn impossible_images_are_refused_in_words() {
    let sound = snapshot(vec![vec![0.1; 8000]]);
    let base = ImageOptions::default();
    for (options, word) in [
        (ImageOptions { channels: ChannelView::One(1), ..base.clone() }, "channel 1"),
        (ImageOptions { channels: ChannelView::Mid, ..base.clone() }, "two channels"),
        (ImageOptions { range_db: [0.0, -100.0], ..base.clone() }, "range"),
        (ImageOptions { secs: Some([2.0, 1.0]), ..base.clone() }, "time"),
        (ImageOptions { hz: Some([500.0, 100.0]), ..base.clone() }, "band"),
        (ImageOptions { size: [0, 100], ..base.clone() }, "size"),
    ] {
        let error = render_image(&sound, &options, &Progress::new()).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    render_image(&sound, &ImageOptions { size: [4, 4], ..base }, &Progress::new()).unwrap();
}

#[test]
fn cancelled_pictures_stop() {
    let sound = snapshot(vec![vec![0.1; 8000]]);
    let progress = Progress::new();
    progress.cancel();
    assert!(render_image(&sound, &ImageOptions::default(), &progress).is_err());
}

#[test]
fn colour_maps_have_their_ends() {
    let ends = [
        (Colormap::Viridis, [0x44, 0x01, 0x54], [0xfd, 0xe7, 0x25]),
        (Colormap::Magma, [0x00, 0x00, 0x04], [0xfc, 0xfd, 0xbf]),
        (Colormap::Inferno, [0x00, 0x00, 0x04], [0xfc, 0xff, 0xa4]),
        (Colormap::Cividis, [0x00, 0x22, 0x4e], [0xfe, 0xe8, 0x38]),
        (Colormap::Grey, [0, 0, 0], [255, 255, 255]),
    ];
    assert_eq!(ends.len(), Colormap::ALL.len());
    for (map, low, high) in ends {
        for (t, colour) in [(-1.0, low), (0.0, low), (1.0, high), (7.0, high)] {
            for (a, b) in map.rgb(t).into_iter().zip(colour) {
                assert!(a.abs_diff(b) <= 1, "{} at {t}: {:?}", map.name(), map.rgb(t));
            }
        }
        assert_eq!(Colormap::from_name(map.name()), Some(map));
        // Perceptually uniform maps grow brighter from end to end.
        let luminance = |t: f32| {
            let [r, g, b] = map.rgb(t).map(f32::from);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        for i in 0..16 {
            assert!(luminance(i as f32 / 16.0) < luminance((i + 1) as f32 / 16.0), "{}", map.name());
        }
    }
    assert_eq!(phase_rgb(-0.5), phase_rgb(0.5));
    assert_ne!(phase_rgb(0.0), phase_rgb(0.25));
}

#[test]
fn peaks_are_read_to_a_tenth_at_any_offset() {
    for window in Window::ALL {
        for n_fft in [64usize, 2048] {
            let stft = StftParams { n_fft, hop: n_fft / 4, window };
            let tables = Stft::new(stft);
            let lobe = Lobe::new(window, n_fft);
            let full_scale = window.samples(n_fft).iter().sum::<f64>() / 2.0;
            for step in 0..20 {
                let bin = n_fft as f64 / 4.0 + f64::from(step) / 20.0;
                let turns = |k: usize| bin / n_fft as f64 * k as f64;
                let samples: Vec<f32> = (0..n_fft).map(|k| (std::f64::consts::TAU * turns(k)).sin() as f32).collect();
                let region = tables.analyse(&samples, &CellRect::new(0..1, 0..n_fft / 2 + 1));
                let start = bin.round() as usize + 1;
                let (found, magnitude) = peak_near(&region.magnitude, start, &lobe).unwrap();
                let db = 20.0 * (magnitude / full_scale).log10();
                assert!((found - bin).abs() < 0.1 && db.abs() < 0.1, "{window:?} {n_fft}: {found} for {bin}, {db} dB");
                // Halfway between bins, the bin itself reads more than 0.5 dB low.
                if step == 10 {
                    assert!(20.0 * (f64::from(region.magnitude[bin as usize]) / full_scale).log10() < -0.5);
                }
            }
        }
    }
    assert_eq!(peak_near(&[0.0; 33], 5, &Lobe::new(Window::Hann, 64)), None);
}

#[test]
fn a_peak_is_read_only_within_its_main_lobe() {
    let stft = StftParams { n_fft: 1024, hop: 256, window: Window::Hann };
    let lobe = Lobe::new(Window::Hann, 1024);
    let samples: Vec<f32> =
        (0..1024).map(|k| (std::f64::consts::TAU * 40.3 / 1024.0 * k as f64).sin() as f32).collect();
    let magnitude = Stft::new(stft).analyse(&samples, &CellRect::new(0..1, 0..513)).into_magnitude();
    for place in [38.9, 39.6, 40.3, 41.2, 41.7] {
        let (bin, _) = peak_under(&magnitude, place, &lobe).unwrap();
        assert!((bin - 40.3).abs() < 0.1, "{bin} at {place}");
    }
    for place in [0.0, 20.0, 37.0, 38.4, 42.4, 44.0, 512.0] {
        let peak = peak_under(&magnitude, place, &lobe);
        assert!(
            peak.is_none_or(|(bin, _)| (bin - place).abs() <= 1.5 && (bin - 40.3).abs() > 1.0),
            "{place}: {peak:?}"
        );
    }
    // Control: without the limit, the search uphill from bin 42 reaches the tone.
    assert!((peak_near(&magnitude, 42, &lobe).unwrap().0 - 40.3).abs() < 0.1);
    assert_eq!(peak_under(&[0.0; 33], 5.0, &Lobe::new(Window::Hann, 64)), None);
}

#[test]
fn a_steady_tone_keeps_its_phase_less_the_turning() {
    // At the centre of bin 45, whose phase advances by 45/4 turns per hop.
    let tone = signals::tone(16_000, 16_000.0, 45.0 * 16_000.0 / 1024.0, 0.5);
    let snapshot = Snapshot::new(Source::from_channels(vec![tone], 16_000).unwrap());
    let hz = 45.0 * 16_000.0 / 1024.0;
    let base = PictureSpec { plane: Plane::Phase, ..spec([0.2, 0.8], [hz - 4.0, hz + 4.0], Axis::Linear, [32, 1]) };
    let stft = StftParams { n_fft: 1024, hop: 256, window: Window::Hann };
    let colours = |raw_phase| {
        let seen =
            picture(&snapshot, &PictureSpec { transform: stft.into(), raw_phase, ..base.clone() }, &Progress::new())
                .unwrap();
        (0..32).map(|x| seen.at(x, 0)).collect::<std::collections::HashSet<_>>()
    };
    let (steady, raw) = (colours(false), colours(true));
    // Rounding may put a phase on either side of the boundary between two of the 256 colours.
    assert!(steady.len() <= 2, "{steady:?}");
    assert!(raw.len() >= 4, "{raw:?}");
}
