//! `sonobrush image --raw` against its NumPy twin.

use crate::support::npy::{cases, load};
use crate::support::program::{Place, program};
use crate::support::wav::{Format, Wav};
use sonobrush::base::Progress;
use sonobrush::document::Snapshot;
use sonobrush::dsp::{StftParams, Window};
use sonobrush::engine::Plans;
use sonobrush::media::Source;
use sonobrush::view::{Analysis, ChannelView, Level};
use std::path::Path;
use std::process::Command;

#[test]
fn raw_images_are_numpys_within_one_step() {
    let all = cases();
    let case = &all["image_raw"];
    let n_samples = case["n_samples"].as_u64().unwrap() as usize;
    let samples = load(&all["stft"]["signal"]).f32s();
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.wav"), folder.path().join("out.png"));
    let bits = samples[..n_samples].iter().map(|x| i64::from(x.to_bits())).collect();
    Wav { format: Format::F32, rate: 8000, channels: vec![bits] }.write(&input);
    let ran = Command::new(program())
        .args(["image", "--raw", "--n-fft", "256", "--hop", "64", "--range", "-100,0", "--engine", "cpu", "-o"])
        .args([&output, &input])
        .env("HOME", folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));

    let image = match image::open(&output).unwrap() {
        image::DynamicImage::ImageRgba16(image) => image,
        other => panic!("{:?} is not 16-bit RGBA", other.color()),
    };
    let pixels = load(&case["pixels"]);
    let (n_frames, n_bins) = (pixels.shape[0], pixels.shape[1]);
    assert_eq!(image.dimensions(), (n_frames as u32, n_bins as u32), "one pixel per cell");
    let reference = pixels.u16s();
    let (mut worst, mut worst_shifted) = ([0i32; 2], [0i32; 2]);
    for frame in 0..n_frames {
        for bin in 0..n_bins {
            let expected = |frame: usize, plane: usize| i32::from(reference[(frame * n_bins + bin) * 2 + plane]);
            // The top row is the highest frequency.
            let ours = image.get_pixel(frame as u32, (n_bins - 1 - bin) as u32).0;
            assert_eq!(ours[2..], [0, u16::MAX]);
            // Phases -pi and pi are one.
            let around = |d: i32| d.abs().min(65535 - d.abs());
            let next = (frame + 1) % n_frames;
            // At -99 dB the sums of 0 Hz are what the rounding of single precision leaves.
            let spare = i32::from(bin == 0 || bin + 1 == n_bins);
            worst[0] = worst[0].max((i32::from(ours[0]) - expected(frame, 0)).abs() - spare);
            worst[1] = worst[1].max(around(i32::from(ours[1]) - expected(frame, 1)));
            worst_shifted[0] = worst_shifted[0].max((i32::from(ours[0]) - expected(next, 0)).abs());
            worst_shifted[1] = worst_shifted[1].max(around(i32::from(ours[1]) - expected(next, 1)));
        }
    }
    assert!(worst.iter().all(|&w| w <= 1), "level and phase are off by {worst:?} steps");
    assert!(worst_shifted.iter().all(|&w| w > 1000), "and by {worst_shifted:?} in the next frame");
}

/// All of a constant and of what alternates is in one bin, where of a sine half is: their amplitude is
/// `abs(X) / sum(w)`.
#[test]
fn a_constant_and_what_alternates_read_their_own_amplitude() {
    let place = Place::new();
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found3/dc_and_nyquist.wav");
    let samples: Vec<f64> = Wav::read(&input).channels[0].iter().map(|sample| *sample as f64 / 32_768.0).collect();
    let arguments =
        ["image", "--raw", "--n-fft", "256", "--hop", "64", "--range", "-100,0", "--engine", "cpu", "-o", "out.png"];
    place.done(&[&arguments[..], &[input.to_str().unwrap()]].concat());
    let image::DynamicImage::ImageRgba16(image) = image::open(place.path("out.png")).unwrap() else {
        panic!("no cells")
    };
    let (n_fft, frame) = (256, 50);
    // By the sums of their definition, in a frame of the middle.
    let amplitude = |turn: f64, sides: f64| {
        let first = frame * 64 - n_fft / 2;
        let (mut sum, mut whole) = (0.0, 0.0);
        for at in 0..n_fft {
            let window = 0.5 - 0.5 * (std::f64::consts::TAU * at as f64 / n_fft as f64).cos();
            whole += window;
            sum += window * samples[first + at] * (std::f64::consts::PI * turn * (first + at) as f64).cos();
        }
        sides * sum.abs() / whole
    };
    for (bin, turn) in [(0, 0.0), (128, 1.0)] {
        let level_db = f64::from(image.get_pixel(frame as u32, 128 - bin).0[0]) / 65_535.0 * 100.0 - 100.0;
        let expected_db = 20.0 * amplitude(turn, 1.0).log10();
        assert!((level_db - expected_db).abs() < 0.01, "bin {bin}: {level_db} dB, not {expected_db}");
        // Control: the compared cells are not silent.
        assert!(expected_db > -20.0, "{expected_db}");
    }
    // The picture of a longer time says the same: half of full scale, at both ends.
    let halves = |of: fn(usize) -> f32| Source::from_channels(vec![(0..60_000).map(of).collect()], 8_000).unwrap();
    for (source, row_of) in [(halves(|_| 0.5), 0), (halves(|at| if at % 2 == 0 { 0.5 } else { -0.5 }), 1)] {
        let transform = StftParams::of_size(256, 4, Window::Hann).into();
        let plan = Plans::default().view(&transform, 8_000.0).unwrap();
        let analysis = Analysis::new(&Snapshot::new(source), ChannelView::All, plan).unwrap();
        let level = Level { index: 1, grid: analysis.grid().clone() };
        let peaks = analysis.peaks(&level, 20..21, &Progress::new()).unwrap().values;
        let probed = analysis.probes(&level, &[100], &Progress::new()).unwrap().values;
        let row = row_of * (level.n_rows() - 1);
        for (what, found) in [("peaks", peaks[row]), ("probes", probed[row])] {
            assert!((found - 0.5).abs() < 1e-3, "{what}, row {row}: {found}");
        }
        let scale = analysis.amplitude_scale();
        let bin = row_of * 128;
        let found = analysis.region(100..101).unwrap().magnitude[bin] * scale.of(bin);
        assert!((found - 0.5).abs() < 1e-3, "bin {bin}: {found}");
    }
}
