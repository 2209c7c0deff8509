//! `sonobrush image --raw` against its NumPy twin.

use crate::support::npy::{cases, load};
use crate::support::wav::{Format, Wav};
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
    let ran = Command::new(env!("CARGO_BIN_EXE_sonobrush"))
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
            worst[0] = worst[0].max((i32::from(ours[0]) - expected(frame, 0)).abs());
            worst[1] = worst[1].max(around(i32::from(ours[1]) - expected(frame, 1)));
            worst_shifted[0] = worst_shifted[0].max((i32::from(ours[0]) - expected(next, 0)).abs());
            worst_shifted[1] = worst_shifted[1].max(around(i32::from(ours[1]) - expected(next, 1)));
        }
    }
    assert!(worst.iter().all(|&w| w <= 1), "level and phase are off by {worst:?} steps");
    assert!(worst_shifted.iter().all(|&w| w > 1000), "and by {worst_shifted:?} in the next frame");
}
