//! Pictures with axes: the picture inside is the one without, and ticks and colour bar say what it shows.

use crate::support::program::Place;
use sonobrush::base::Progress;
use sonobrush::document::Snapshot;
use sonobrush::dsp::Axis;
use sonobrush::media::Source;
use sonobrush::view::{Axes, Colormap, Image, ImageOptions, Plane, Viewport, render_image};

const INK: [u8; 3] = [26, 26, 26];

/// Two seconds with a tone of 1 kHz.
fn tone() -> Snapshot {
    let samples: Vec<f32> =
        (0..88_200).map(|n| (n as f64 * 1000.0 / 44_100.0 * std::f64::consts::TAU).sin() as f32).collect();
    Snapshot::new(Source::from_channels(vec![samples], 44_100).unwrap())
}

struct Drawn {
    size: [usize; 2],
    rgb: Vec<u8>,
}

impl Drawn {
    fn of(options: &ImageOptions) -> Drawn {
        match render_image(&tone(), options, &Progress::new()).unwrap() {
            Image::Colours { size, rgb } => Drawn { size: size.map(|side| side as usize), rgb },
            Image::Raw { .. } => panic!("no colours"),
        }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.rgb[3 * (y * self.size[0] + x)..][..3].try_into().unwrap()
    }

    fn is_ink(&self, x: usize, y: usize) -> bool {
        self.at(x, y) == INK
    }

    /// Left, top, width and height inside the frames, from the left.
    fn frames(&self) -> Vec<[usize; 4]> {
        let [width, height] = self.size;
        let mut found = Vec::new();
        for y in 0..height - 1 {
            for x in 0..width - 1 {
                let corner =
                    self.is_ink(x, y) && self.is_ink(x + 1, y) && self.is_ink(x, y + 1) && !self.is_ink(x + 1, y + 1);
                if !corner {
                    continue;
                }
                let right = (x..width).take_while(|x| self.is_ink(*x, y)).last().unwrap();
                let bottom = (y..height).take_while(|y| self.is_ink(x, *y)).last().unwrap();
                // Letters have corners, too.
                if right - x > 5 && bottom - y > 50 {
                    found.push([x + 1, y + 1, right - x - 1, bottom - y - 1]);
                }
            }
        }
        found
    }
}

fn options(size: [usize; 2], axis: Axis) -> ImageOptions {
    ImageOptions { size, axis, axes: Some(Axes::default()), ..ImageOptions::default() }
}

#[test]
fn the_plot_is_the_picture_without_axes() {
    for (size, axis, plane) in [
        ([900, 500], Axis::Log, Plane::Magnitude),
        ([640, 400], Axis::Linear, Plane::Magnitude),
        ([700, 450], Axis::Mel, Plane::Phase),
    ] {
        let with = ImageOptions { plane, ..options(size, axis) };
        let figure = Drawn::of(&with);
        assert_eq!(figure.size, size);
        let frames = figure.frames();
        let [[left, top, width, height], bar] = frames[..] else { panic!("{frames:?}") };
        assert!(width * height * 2 > size[0] * size[1], "most of the page is the picture");
        let bare = Drawn::of(&ImageOptions { size: [width, height], axes: None, ..with.clone() });
        for y in 0..height {
            for x in 0..width {
                assert_eq!(figure.at(left + x, top + y), bare.at(x, y), "{x} {y}");
            }
        }
        // The colours of the bar, the brightest at the top.
        if plane == Plane::Magnitude {
            let row = |y: usize| figure.at(bar[0] + bar[2] / 2, bar[1] + y);
            assert_eq!([row(0), row(bar[3] - 1)], [Colormap::Viridis.rgb(1.0), Colormap::Viridis.rgb(0.0)]);
        }
    }
}

#[test]
fn ticks_stand_at_their_values() {
    let options = options([1200, 700], Axis::Log);
    let figure = Drawn::of(&options);
    let [left, top, width, height] = figure.frames()[0];
    // Ticks of hertz stand to the left of the frame, in its colour.
    let at = |hz: f64| {
        let hz_range = [20.0, 22_050.0];
        let size = [width as f64, height as f64];
        let viewport = Viewport { secs: [0.0, 2.0], hz: hz_range, axis: Axis::Log, origin: [0.0, 0.0], size };
        top + viewport.y_from_hz(hz).round() as usize
    };
    for hz in [100.0, 1000.0, 10_000.0] {
        assert!(figure.is_ink(left - 4, at(hz)), "{hz}");
    }
    assert!(!figure.is_ink(left - 4, at(1100.0)), "between ticks there is nothing");
    // The tone lies at its tick.
    let column = left + width / 2;
    let brightest =
        (top..top + height).max_by_key(|y| figure.at(column, *y).iter().map(|v| u32::from(*v)).sum::<u32>());
    assert!(brightest.unwrap().abs_diff(at(1000.0)) <= 3);
    // So do the seconds, below.
    assert!(figure.is_ink(left + (width as f64 / 2.0).round() as usize, top + height + 4));
    // Labels: ink left of the ticks, beside the bar and below.
    let has_ink = |x: std::ops::Range<usize>, y: std::ops::Range<usize>| {
        x.clone().any(|x| y.clone().any(|y| figure.is_ink(x, y)))
    };
    assert!(has_ink(0..left - 10, at(1000.0) - 8..at(1000.0) + 8));
    assert!(has_ink(1150..1200, top..top + height) && has_ink(left..left + width, top + height + 20..700));
}

#[test]
fn text_takes_the_size_that_is_asked_for_and_too_small_a_picture_is_refused() {
    let plot = |text_px: f32| {
        let options = ImageOptions { axes: Some(Axes { text_px: Some(text_px) }), ..options([1000, 600], Axis::Log) };
        Drawn::of(&options).frames()[0][2]
    };
    assert!(plot(12.0) > plot(24.0) + 50);
    let error = render_image(&tone(), &options([120, 90], Axis::Log), &Progress::new()).unwrap_err().to_string();
    assert!(error.contains("120x90") && error.contains("choose at least"), "{error}");
}

#[test]
fn the_command_draws_axes_for_a_paper() {
    let place = Place::new();
    let clip = crate::support::studio::clip("crow_44k_mono.flac");
    let clip = clip.to_str().unwrap();
    place.done(&["image", clip, "-o", "bare.png", "--size", "800x500"]);
    place.done(&["image", clip, "-o", "axes.png", "--size", "800x500", "--axes", "--text-size", "14"]);
    let [bare, axes] = ["bare.png", "axes.png"].map(|name| std::fs::read(place.path(name)).unwrap());
    let size = |bytes: &[u8]| sonobrush::view::colours_from_png(bytes).unwrap().0;
    assert_eq!((size(&bare), size(&axes)), ([800, 500], [800, 500]));
    assert_ne!(bare, axes);
    for wrong in [&["--axes", "--raw"][..], &["--text-size", "12"], &["--axes", "--text-size", "1"]] {
        let all = [&["image", clip, "-o", "o.png"], wrong].concat();
        assert_eq!(place.run(&all).status.code(), Some(2), "{wrong:?}");
    }
}
