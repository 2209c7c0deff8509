//! Cells as pictures and back: unpainted cells are unchanged, and painted ones are audible.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::{RATE, applied, cells_of, edit_of, levels_db, samples_of, sound_of};
use base::Progress;
use document::brushes::{Brush, CellsBrush};
use document::output::cells_file::{CellsFormat, CellsOutput, write_cells};
use document::{Channels, Edit, Signal, Snapshot, apply};
use dsp::{CellRect, StftParams, Window};
use image::codecs::openexr::OpenExrEncoder;
use image::{DynamicImage, ExtendedColorType, ImageEncoder};
use serde_json::Value;
use std::path::Path;
use support::engines::{cpu, engines};
use support::measure::changed;
use support::odd_pictures::exr;
use support::signals::{busy, noise};
use tempfile::TempDir;

const SECS: f64 = 1.0;

fn sound() -> Snapshot {
    sound_of(vec![busy((SECS * f64::from(RATE)) as usize, f64::from(RATE), 8)])
}

fn output(format: CellsFormat) -> CellsOutput {
    let transform = StftParams::default().into();
    CellsOutput { signal: Signal::Channel(0), transform, secs: None, hz: None, format }
}

fn written(sound: &Snapshot, output: &CellsOutput, folder: &TempDir) {
    let name = if output.format == CellsFormat::Exr { "p.exr" } else { "p.png" };
    write_cells(sound, output, &folder.path().join(name), cpu().plans(), &Progress::new()).unwrap();
}

fn cells_edit(path: &Path) -> Edit {
    edit_of(Brush::from(CellsBrush::File(path.to_path_buf())))
}

/// Reads an OpenEXR picture by the library directly, as another program would.
fn pixels(path: &Path) -> ([usize; 2], Vec<[f32; 3]>) {
    let DynamicImage::ImageRgb32F(picture) = image::open(path).unwrap() else { panic!("not three floats") };
    let size = [picture.width() as usize, picture.height() as usize];
    (size, picture.pixels().map(|pixel| pixel.0).collect())
}

fn save(path: &Path, [width, height]: [usize; 2], pixels: &[[f32; 3]]) {
    let file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let bytes = bytemuck::cast_slice(pixels);
    OpenExrEncoder::new(file).write_image(bytes, width as u32, height as u32, ExtendedColorType::Rgb32F).unwrap();
}

/// Red holds amplitudes and green phases, bit for bit; the top row is the highest bin.
#[test]
fn an_exr_file_holds_every_bit_of_the_cells() {
    let folder = tempfile::tempdir().unwrap();
    let sound = sound();
    written(&sound, &output(CellsFormat::Exr), &folder);
    let ([width, height], pixels) = pixels(&folder.path().join("p.exr"));
    let grid = sound.grid(StftParams::default());
    let all = grid.all_cells();
    assert_eq!([width, height], [all.frames.len(), all.bins.len()]);
    let cells = cells_of(&sound, 0, &grid, &all);
    for frame in all.frames.clone() {
        for bin in all.bins.clone() {
            let cell = cells.index(frame, bin);
            let [red, green, blue] = pixels[(height - 1 - bin) * width + frame];
            // The scale is 2 / sum(w), and 1 / sum(w) at 0 Hz and Nyquist. For a Hann window both are powers of two.
            let unit = if bin == 0 || bin == height - 1 { 1_024.0 } else { 512.0 };
            assert_eq!((red * unit).to_bits(), cells.magnitude[cell].to_bits());
            assert_eq!((green.to_bits(), blue), (cells.phase[cell].to_bits(), 0.0));
        }
    }
    let sidecar: Value = serde_json::from_slice(&std::fs::read(folder.path().join("p.json")).unwrap()).unwrap();
    assert_eq!((&sidecar["columns"], &sidecar["rows"]), (&width.into(), &height.into()));
    assert_eq!(sidecar["hashes"].as_array().unwrap().len(), width);
    // A column's hash is that of its red from the top, then its green.
    let column = 17;
    let plane = |plane: usize| (0..height).map(move |row| (row, plane));
    let bytes: Vec<u8> =
        plane(0).chain(plane(1)).flat_map(|(row, plane)| pixels[row * width + column][plane].to_le_bytes()).collect();
    assert_eq!(sidecar["hashes"][column], blake3::hash(&bytes).to_hex()[..16]);
}

/// A round trip without a change keeps every sample's bits, in both kinds of pictures, with windows whose scale rounds,
/// on every engine, and after the sound was changed elsewhere.
#[test]
fn an_unchanged_trip_keeps_all_bits() {
    let png = CellsFormat::Png { range_db: [-100.0, 0.0] };
    for (format, name) in [(CellsFormat::Exr, "p.exr"), (png, "p.level.png"), (png, "p.phase.png")] {
        for window in [Window::Hann, Window::Kaiser] {
            let folder = tempfile::tempdir().unwrap();
            let transform = StftParams { window, ..StftParams::default() };
            let sound = sound();
            written(&sound, &CellsOutput { transform: transform.into(), ..output(format) }, &folder);
            let edit = Edit { transform: transform.into(), ..cells_edit(&folder.path().join(name)) };
            for engine in engines() {
                let after = applied(&sound, &edit, engine);
                assert_eq!(changed(&samples_of(&sound, 0), &samples_of(&after.snapshot, 0)), [0; 0], "{name}");
            }
            // The sound itself has changed: unpainted cells keep its present state, with a notice.
            let other = sound_of(vec![noise(sound.n_samples() as usize, 0.1, 5)]);
            let after = applied(&other, &edit, &cpu());
            assert_eq!(changed(&samples_of(&other, 0), &samples_of(&after.snapshot, 0)), [0; 0], "{name}");
            let notices = after.report.notices.join("\n");
            assert!(notices.contains("the sound has changed since"), "{notices}");
        }
    }
}

/// Pictures whose sidecar has version 1 store twice the amplitude at 0 Hz and at the Nyquist frequency.
#[test]
fn a_picture_of_an_older_version_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, sidecar) = (folder.path().join("p.exr"), folder.path().join("p.json"));
    // With a constant, so that there is much at 0 Hz.
    let sound = sound_of(vec![noise((SECS * f64::from(RATE)) as usize, 0.05, 4).iter().map(|x| x + 0.2).collect()]);
    written(&sound, &output(CellsFormat::Exr), &folder);
    let (size, mut pixels) = pixels(&path);
    for row in [0, size[1] - 1] {
        pixels[row * size[0]..(row + 1) * size[0]].iter_mut().for_each(|pixel| pixel[0] *= 2.0);
    }
    save(&path, size, &pixels);
    let mut stated: Value = serde_json::from_slice(&std::fs::read(&sidecar).unwrap()).unwrap();
    let mut touched = |version: u64| {
        stated["version"] = version.into();
        std::fs::write(&sidecar, stated.to_string()).unwrap();
        apply(&sound, &cells_edit(&path), &cpu(), &Progress::new()).map_or(0, |after| after.report.touched_frames)
    };
    assert_eq!(touched(1), 0);
    // Control: read as version 2, these amplitudes are doubled, so frames are changed.
    assert!(touched(2) > 20);
}

/// Another encoder saves the file, yet unchanged columns are recognised, as hashes cover pixels, not the file's bytes.
#[test]
fn amplitudes_doubled_in_a_rectangle_are_6_db_louder_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.exr");
    let sound = sound_of(vec![noise((SECS * f64::from(RATE)) as usize, 0.05, 4)]);
    written(&sound, &output(CellsFormat::Exr), &folder);
    let (size, mut pixels) = pixels(&path);
    let (frames, bins) = (30..60, 100..300);
    for bin in bins.clone() {
        for frame in frames.clone() {
            pixels[(size[1] - 1 - bin) * size[0] + frame][0] *= 2.0;
        }
    }
    save(&path, size, &pixels);
    let grid = sound.grid(StftParams::default());
    for engine in engines() {
        let after = applied(&sound, &cells_edit(&path), engine);
        assert_eq!(after.report.touched_frames, 30, "{:?}", after.report);
        // The mean power, well inside the rectangle.
        let inside = CellRect::new(35..55, 110..290);
        let power_db = |sound: &Snapshot| {
            let levels = levels_db(&cells_of(sound, 0, &grid, &inside), &grid);
            10.0 * (levels.iter().map(|db| 10f64.powf(db / 10.0)).sum::<f64>() / levels.len() as f64).log10()
        };
        let gain_db = power_db(&after.snapshot) - power_db(&sound);
        println!("{}: {gain_db:+.2} dB", engine.name());
        assert!((gain_db - 6.02).abs() < 0.3, "{gain_db}");
        let differing = changed(&samples_of(&sound, 0), &samples_of(&after.snapshot, 0));
        let [first, end] = [frames.start * 512 - 1_024, (frames.end - 1) * 512 + 1_024];
        assert!(differing.iter().all(|i| (first..end).contains(i)) && differing.len() > 10_000);
        // The resolved edit contains the cells, and gives the same result without the file.
        let kept =
            Edit { brush: Brush::from_json(&after.resolved.unwrap().brush.to_json()).unwrap(), ..cells_edit(&path) };
        assert_ne!(kept.brush, cells_edit(&path).brush);
        let again = applied(&sound, &kept, engine);
        assert_eq!(samples_of(&again.snapshot, 0), samples_of(&after.snapshot, 0));
    }
}

/// A pair of PNG files: places painted black are silent, and the rest is unchanged.
#[test]
fn a_rectangle_painted_black_in_the_level_is_silent() {
    let folder = tempfile::tempdir().unwrap();
    let sound = sound_of(vec![noise((SECS * f64::from(RATE)) as usize, 0.05, 4)]);
    written(&sound, &output(CellsFormat::Png { range_db: [-120.0, 0.0] }), &folder);
    let path = folder.path().join("p.level.png");
    let DynamicImage::ImageLuma16(mut level) = image::open(&path).unwrap() else { panic!("not 16 bits") };
    let height = level.height();
    for (frame, bin) in (20..60).flat_map(|frame| (200..400).map(move |bin| (frame, bin))) {
        level.put_pixel(frame, height - 1 - bin, image::Luma([0]));
    }
    level.save(&path).unwrap();
    let after = applied(&sound, &cells_edit(&path), &cpu());
    assert_eq!(after.report.touched_frames, 40);
    let grid = sound.grid(StftParams::default());
    let inside = CellRect::new(30..50, 210..390);
    let loudest =
        |sound: &Snapshot| levels_db(&cells_of(sound, 0, &grid, &inside), &grid).into_iter().fold(f64::MIN, f64::max);
    assert!(loudest(&after.snapshot) < loudest(&sound) - 60.0, "{} dB", loudest(&after.snapshot));
}

/// A part in time and frequency, exported from one of two channels and from mid, changes only these.
#[test]
fn a_part_of_one_channel_comes_back_to_it() {
    let n = (SECS * f64::from(RATE)) as usize;
    let stereo = sound_of(vec![noise(n, 0.05, 1), noise(n, 0.05, 2)]);
    for (signal, channels, wrong) in
        [(Signal::Channel(1), Channels::All, Channels::List(vec![0])), (Signal::Mid, Channels::Mid, Channels::All)]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.exr");
        let part =
            CellsOutput { signal, secs: Some([0.4, 0.7]), hz: Some([2_000.0, 5_000.0]), ..output(CellsFormat::Exr) };
        written(&stereo, &part, &folder);
        let (size, mut pixels) = pixels(&path);
        assert!((20..30).contains(&size[0]) && (130..150).contains(&size[1]), "{size:?}");
        pixels.iter_mut().for_each(|pixel| pixel[0] = 0.0);
        save(&path, size, &pixels);
        let edit = Edit { channels, ..cells_edit(&path) };
        let after = applied(&stereo, &edit, &cpu());
        let of_channel = |channel| {
            let differing = changed(&samples_of(&stereo, channel), &samples_of(&after.snapshot, channel));
            assert!(differing.iter().all(|i| (16_500..32_000).contains(i)), "{differing:?}");
            differing.len()
        };
        match signal {
            Signal::Channel(1) => assert!(of_channel(0) == 0 && of_channel(1) > 10_000),
            _ => assert!(of_channel(0) > 10_000 && of_channel(1) > 10_000),
        }
        let error = apply(&stereo, &Edit { channels: wrong, ..edit }, &cpu(), &Progress::new()).unwrap_err();
        assert!(error.message().contains("which this edit does not change"), "{error}");
    }
}

#[test]
fn what_does_not_fit_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.exr");
    let sidecar_path = folder.path().join("p.json");
    let sound = sound();
    written(&sound, &output(CellsFormat::Exr), &folder);
    let (size, whole) = pixels(&path);
    let sidecar: Value = serde_json::from_slice(&std::fs::read(&sidecar_path).unwrap()).unwrap();
    let refused = |sound: &Snapshot, edit: &Edit| {
        let error = apply(sound, edit, &cpu(), &Progress::new()).unwrap_err();
        assert!(!error.to_string().contains('\n') && error.path().is_some(), "{error}");
        error.message().to_owned()
    };
    let edit = cells_edit(&path);
    // Another transform, another rate, a shorter sound.
    let other = Edit { transform: StftParams { n_fft: 1024, hop: 256, window: Window::Hann }.into(), ..edit.clone() };
    let reason = refused(&sound, &other);
    assert!(
        reason.starts_with("shows cells of another transform; give the edit \"transform\": {\"hop\":512"),
        "{reason}"
    );
    let slow = media::Source::from_channels(vec![samples_of(&sound, 0)], 22_050).unwrap();
    assert_eq!(refused(&Snapshot::new(slow), &edit), "shows a sound at 44.1 kHz, and this one is at 22.05 kHz");
    let short = sound_of(vec![samples_of(&sound, 0)[..20_000].to_vec()]);
    assert_eq!(refused(&short, &edit), "shows cells that this sound does not have; it is too short");
    // Values that no cell can have are refused, naming the first place.
    for (place, plane, value, expected) in [
        (
            5 * size[0] + 7,
            0,
            f32::NAN,
            "has an amplitude (red) of NaN at column 7, row 5, counted from 0 at the top left",
        ),
        (0, 1, f32::INFINITY, "has a phase (green) of inf at column 0, row 0, counted from 0 at the top left"),
        (
            size[0] + 1,
            0,
            -0.5,
            "has a negative amplitude (red) of -0.5 at column 1, row 1, counted from 0 at the top left",
        ),
    ] {
        let mut wrong = whole.clone();
        wrong[place][plane] = value;
        save(&path, size, &wrong);
        assert_eq!(refused(&sound, &edit), expected);
    }
    // Cropped.
    save(&path, [size[0] - 1, size[1]], &whole[size[1]..]);
    let reason = refused(&sound, &edit);
    assert!(reason.contains("pixels and its sidecar says") && reason.ends_with("do not crop or scale it"), "{reason}");
    // 16-bit floats are taken, with a notice.
    let half = exr(size, 1, &["B", "G", "R"], |channel, x, y| whole[y * size[0] + x][2 - channel]);
    std::fs::write(&path, half).unwrap();
    let after = applied(&sound, &edit, &cpu());
    assert!(after.report.notices.iter().any(|notice| notice.contains("16-bit floats")), "{:?}", after.report.notices);
    let off = support::measure::snr_db_f32(&samples_of(&after.snapshot, 0), &samples_of(&sound, 0));
    assert!(off > 55.0, "{off} dB");
    // Sidecars that are invalid, belong to another picture, or are missing.
    save(&path, size, &whole);
    for (text, expected) in [
        ("{".to_owned(), "is not JSON"),
        ("{}".to_owned(), "is not the sidecar of a picture of cells"),
        (with(&sidecar, "version", 3.into()), "has version 3, newer than this program supports (2)"),
        (with(&sidecar, "hashes", Vec::<Value>::new().into()), "does not have a hash for every column"),
        (with(&sidecar, "channel", "left".into()), "has a sidecar of the channel \"left\", which is none"),
        (with(&sidecar, "transform", 3.into()), "transform: must be an object"),
        (
            with(&sidecar, "format", serde_json::json!({"png": {"range_db": [-1, 0]}})),
            "is not the picture that its sidecar",
        ),
        (with(&sidecar, "first_frame", u64::MAX.into()), "shows cells that this sound does not have"),
    ] {
        std::fs::write(&sidecar_path, text).unwrap();
        let reason = refused(&sound, &edit);
        assert!(reason.starts_with(expected), "{reason}");
    }
    std::fs::remove_file(&sidecar_path).unwrap();
    let reason = refused(&sound, &edit);
    assert!(
        reason.starts_with("has no p.json beside it") && reason.contains("\"picture\" instead of \"cells\""),
        "{reason}"
    );
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&sidecar_path, sidecar.to_string()).unwrap();
    assert_eq!(refused(&sound, &edit), "does not exist");
}

fn with(sidecar: &Value, field: &str, value: Value) -> String {
    let mut sidecar = sidecar.clone();
    sidecar[field] = value;
    sidecar.to_string()
}
