//! Hashes of pictures and sounds: bit for bit those of ImageHash, and the handling of other files.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::support::formulas::{self, mix};
use super::support::npy;
use super::support::program::Place;
use super::support::wav::{Format, Wav, clip};
use serde_json::Value;
use sonobrush::base::Progress;
use sonobrush::dsp::comparison::hashes::{GreyPicture, PictureHasher, PictureHashes};
use sonobrush::media::Source;
use std::path::{Path, PathBuf};

/// `size` of `make_hashes.py`.
fn size(index: u32) -> [u32; 2] {
    let max = if index.is_multiple_of(25) { 600 } else { 160 };
    let [width, height] = [1, 2].map(|k| 1 + mix(index * 8 + k) % max);
    match index % 7 {
        3 => [width, 1 + height % 12],
        5 => [1 + width % 12, height],
        _ => [width, height],
    }
}

fn grey(index: u32) -> GreyPicture {
    let [width, height] = size(index);
    GreyPicture::new(width as usize, height as usize, formulas::grey(index, [width, height], 0)).unwrap()
}

#[test]
fn a_thousand_pictures_have_the_hashes_of_imagehash() {
    let reference = npy::load(&"hashes_generated".into());
    assert_eq!(reference.shape, [1_000, 3]);
    let expected = reference.u64s();
    let mut hasher = PictureHasher::default();
    let mut wrong = Vec::new();
    for (index, expected) in expected.chunks_exact(3).enumerate() {
        let PictureHashes { ahash, dhash, whash } = hasher.hashes(&grey(index as u32));
        if [ahash, dhash, whash] != expected {
            wrong.push((index, size(index as u32), [ahash, dhash, whash].map(|hash| format!("{hash:016x}"))));
        }
    }
    assert!(wrong.is_empty(), "{} of 1,000 differ: {:?}", wrong.len(), &wrong[..wrong.len().min(5)]);
    // Control: the hashes are not all alike, although flat pictures differ only in the last bits of f64.
    let distinct: std::collections::HashSet<&[u64]> = expected.chunks_exact(3).collect();
    assert!(distinct.len() > 600, "{}", distinct.len());
}

fn reference(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name)
}

/// The hashes that a command printed, by file name.
fn printed(said: &str) -> Vec<(String, [u64; 3])> {
    let list: Vec<Value> = serde_json::from_str(said).unwrap();
    let hash = |one: &Value, name: &str| u64::from_str_radix(one[name].as_str().unwrap(), 16).unwrap();
    let entry = |one: Value| {
        // Notices stand there where there are any.
        let keys: Vec<&String> = one.as_object().unwrap().keys().filter(|key| *key != "notices").collect();
        assert_eq!(keys, ["ahash", "dhash", "path", "whash"]);
        let name = Path::new(one["path"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned();
        (name, ["ahash", "dhash", "whash"].map(|key| hash(&one, key)))
    };
    list.into_iter().map(entry).collect()
}

#[test]
fn picture_files_have_the_hashes_of_imagehash() {
    let place = Place::new();
    let wanted: Vec<Value> = serde_json::from_slice(&std::fs::read(reference("hashes_files.json")).unwrap()).unwrap();
    let names: Vec<&str> = wanted.iter().map(|one| one["file"].as_str().unwrap()).collect();
    let paths: Vec<PathBuf> = names.iter().map(|name| reference("pictures").join(name)).collect();
    let mut command = place.command(&["library", "hash", "--json"]);
    let output = command.args(&paths).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = printed(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(found.len(), wanted.len());
    let mut jpeg_bits = Vec::new();
    let mut n_equal = [0; 3];
    for ((name, hashes), wanted) in found.iter().zip(&wanted) {
        assert_eq!(name, wanted["file"].as_str().unwrap(), "in the order given");
        let expected =
            ["ahash", "dhash", "whash"].map(|key| u64::from_str_radix(wanted[key].as_str().unwrap(), 16).unwrap());
        if name.ends_with(".png") {
            assert_eq!(*hashes, expected, "{name}");
            continue;
        }
        for (equal, (found, expected)) in n_equal.iter_mut().zip(hashes.iter().zip(expected)) {
            *equal += u32::from(*found == expected);
            jpeg_bits.push((found ^ expected).count_ones());
        }
    }
    // Decoders of JPEG round differently, by a few grey levels.
    jpeg_bits.sort_unstable();
    println!("JPEG: {n_equal:?} of 20 equal; bits that differ: {jpeg_bits:?}");
    assert_eq!(jpeg_bits.len(), 60);
    assert!(n_equal.iter().sum::<u32>() >= 54 && jpeg_bits[30] == 0 && jpeg_bits[59] <= 11, "{jpeg_bits:?}");
}

/// `signal` of `make_hashes.py`.
fn signal(n: usize, quiet: usize) -> Vec<i64> {
    let sample = |at: usize| {
        let noise = i64::from(mix(at as u32) % 65_536) - 32_768;
        let period = 20 + at / 3_000 % 90;
        let square = if at / period % 2 == 1 { 9_000 } else { -9_000 };
        let level = [2, 16, 64, 512][at / 4_410 % 4];
        let sound = noise.div_euclid(level) + if at / 7_000 % 3 == 1 { square } else { 0 };
        match at {
            at if at < quiet / 2 || at >= n - quiet => 0,
            at if at < quiet => (at % 7) as i64 - 3,
            _ => sound.clamp(-32_768, 32_767),
        }
    };
    (0..n).map(sample).collect()
}

fn write(place: &Place, name: &str, format: Format, rate: u32, channels: Vec<Vec<i64>>) {
    Wav { format, rate, channels }.write(&place.path(name));
}

#[test]
fn the_picture_of_a_sound_is_the_definition() {
    let place = Place::new();
    for (name, n, quiet) in [("short", 30_000, 2_000), ("long", 250_000, 9_000)] {
        write(&place, "a.wav", Format::Pcm(16), 22_050, vec![signal(n, quiet)]);
        assert_eq!(place.done(&["library", "picture", "a.wav", "-o", "a.png"]), "");
        let picture = image::load_from_memory(&place.read("a.png")).unwrap();
        let image::DynamicImage::ImageLuma8(picture) = picture else { panic!("{:?}", picture.color()) };
        let reference = npy::load(&format!("sound_picture_{name}").into());
        assert_eq!([picture.height() as usize, picture.width() as usize], reference.shape[..], "{name}");
        let expected = reference.u8s();
        let apart = picture.as_raw().iter().zip(&expected).map(|(a, b)| a.abs_diff(*b));
        let n_apart = apart.clone().filter(|&levels| levels > 0).count();
        println!("{name}: {n_apart} of {} levels differ", expected.len());
        // f32 mels put a level that lies between two into the other one.
        assert!(apart.max() <= Some(1) && n_apart * 1_000 <= expected.len(), "{name}: {n_apart}");
        // The sound's hashes are those of this picture as a file.
        let both = printed(&place.done(&["library", "hash", "a.wav", "a.png", "--json"]));
        assert_eq!(both[0].1, both[1].1);
        // Silence at the ends changes nothing.
        let mut later = vec![0; 12_345];
        later.extend(signal(n, quiet));
        write(&place, "later.wav", Format::Pcm(16), 22_050, vec![later]);
        place.done(&["library", "picture", "later.wav", "-o", "later.png"]);
        assert_eq!(place.read("later.png"), place.read("a.png"));
    }
}

#[test]
fn variants_of_a_sound_have_near_hashes_and_others_have_not() {
    let place = Place::new();
    let files = [
        "crow_44k_mono.flac",
        "drum_break_44k_stereo.flac",
        "guitar_chord_44k_stereo.flac",
        "speech_16k_mono.wav",
        "tabla_loop_44k_stereo.flac",
    ];
    let mut originals = Vec::new();
    for file in files {
        let source = Source::open(&clip(file), &Progress::new()).unwrap().source;
        let rate = source.info().sample_rate_hz;
        // A second from where something is heard.
        let mut samples = vec![0.0; rate as usize];
        source.read(0, i64::from(rate) / 5, &mut samples).unwrap();
        let later = |secs: f64| samples[(secs * f64::from(rate)) as usize..].to_vec();
        let padded = [vec![0.0; rate as usize * 3 / 10], samples.clone(), vec![0.0; 1_000]].concat();
        let quieter: Vec<f32> = samples.iter().map(|sample| sample * 0.5).collect();
        let variants = [samples.clone(), quieter, padded, later(0.03)];
        for (index, variant) in variants.iter().enumerate() {
            let bits = variant.iter().map(|sample| i64::from(sample.to_bits())).collect();
            write(&place, &format!("{index}.wav"), Format::F32, rate, vec![bits]);
        }
        let found = printed(&place.done(&["library", "hash", "0.wav", "1.wav", "2.wav", "3.wav", "--json"]));
        let apart: Vec<u32> = found.iter().map(|one| distance(&one.1, &found[0].1)).collect();
        println!("{file}: {apart:?} bits");
        // Level and silence around it change next to nothing; 30 ms less at the start move every column.
        assert!(apart[..3].iter().all(|&bits| bits <= 3) && apart[3] <= 24, "{file}: {apart:?}");
        originals.push(found[0].1);
    }
    for (index, a) in originals.iter().enumerate() {
        let apart: Vec<u32> = originals[..index].iter().map(|b| distance(a, b)).collect();
        assert!(apart.iter().all(|&bits| bits > 20), "{apart:?}");
    }
}

fn distance(a: &[u64; 3], b: &[u64; 3]) -> u32 {
    let [of_a, of_b] = [a, b].map(|&[ahash, dhash, whash]| PictureHashes { ahash, dhash, whash });
    of_a.distance(&of_b)
}

/// The keys of files: of the file, and of its audio.
fn keys(place: &Place, files: &[&str]) -> Vec<[Option<String>; 2]> {
    let said = place.done(&[&["library", "hash", "--keys", "--json"], files].concat());
    let list: Vec<Value> = serde_json::from_str(&said).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    list.iter().map(|one| [text(&one["file"]), text(&one["audio"])]).collect()
}

#[test]
fn the_same_audio_has_the_same_key_in_another_file() {
    let place = Place::new();
    let (left, right) = (signal(5_000, 10), signal(5_001, 10)[1..].to_vec());
    write(&place, "a.wav", Format::Pcm(16), 8_000, vec![left.clone(), right.clone()]);
    std::fs::copy(place.path("a.wav"), place.path("copy.wav")).unwrap();
    let wide = |samples: &[i64]| samples.iter().map(|sample| sample * 256).collect::<Vec<_>>();
    write(&place, "wide.wav", Format::Pcm(24), 8_000, vec![wide(&left), wide(&right)]);
    let mut changed = left.clone();
    changed[4_999] ^= 1;
    write(&place, "changed.wav", Format::Pcm(16), 8_000, vec![changed, right.clone()]);
    write(&place, "turned.wav", Format::Pcm(16), 8_000, vec![right, left.clone()]);
    write(&place, "faster.wav", Format::Pcm(16), 8_001, vec![left.clone()]);
    write(&place, "mono.wav", Format::Pcm(16), 8_000, vec![left.clone()]);
    let found = keys(&place, &["a.wav", "copy.wav", "wide.wav", "changed.wav", "turned.wav", "faster.wav", "mono.wav"]);
    assert_eq!(found[0], found[1]);
    assert!(found[0][0] != found[2][0] && found[0][1] == found[2][1]);
    for other in &found[3..] {
        assert!(other[0] != found[0][0] && other[1] != found[0][1]);
    }
    assert_ne!(found[5][1], found[6][1], "the rate belongs to the key");
    // By hand: rate, channels, then the samples.
    let mut bytes = [8_000u32.to_le_bytes(), 1u32.to_le_bytes()].concat();
    left.iter().for_each(|&sample| bytes.extend((sample as f32 / 32_768.0).to_le_bytes()));
    assert_eq!(found[6][1].as_deref(), Some(&blake3::hash(&bytes).to_string()[..]));
    assert_eq!(found[6][0].as_deref(), Some(&blake3::hash(&place.read("mono.wav")).to_string()[..]));
    // A picture has no audio.
    std::fs::copy(reference("pictures/grey.png"), place.path("grey.png")).unwrap();
    let [[file, audio]] = <[_; 1]>::try_from(keys(&place, &["grey.png"])).unwrap();
    assert!(file.is_some() && audio.is_none());
}

#[test]
fn what_cannot_be_hashed_is_told_and_the_rest_goes_on() {
    let place = Place::new();
    let output = place.run(&["library", "hash"]);
    assert_eq!(output.status.code(), Some(2), "a file is needed");
    std::fs::create_dir(place.path("folder")).unwrap();
    place.write("empty.wav", []);
    place.write("head.wav", b"RIFF");
    place.write("head.png", b"\x89PNG\r\n\x1a\n");
    place.write("text.txt", "neither sound nor picture");
    let png = std::fs::read(reference("pictures/rgb.png")).unwrap();
    place.write("half.png", &png[..png.len() / 2]);
    let jpeg = std::fs::read(reference("pictures/smooth_00.jpg")).unwrap();
    place.write("half.jpg", &jpeg[..100]);
    // 100,000 x 100,000 pixels, by its header.
    let mut huge = png.clone();
    huge[16..24].copy_from_slice(&[0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0]);
    place.write("huge.png", huge);
    let names =
        ["gone.wav", "folder", "empty.wav", "head.wav", "head.png", "text.txt", "half.png", "half.jpg", "huge.png"];
    for name in names {
        let line = place.failed(&["library", "hash", name, "--json"]);
        assert!(line.contains(name), "{name}: {line}");
        let line = place.failed(&["library", "picture", name, "-o", "out.png"]);
        assert!(line.contains(name) && !place.path("out.png").exists(), "{name}: {line}");
    }
    write(&place, "good.wav", Format::Pcm(16), 8_000, vec![signal(5_000, 10)]);
    let output = place.run(&["library", "hash", "gone.wav", "good.wav", "text.txt", "--json"]);
    let line = super::support::program::failure(&output);
    assert!(line.contains("2 of 3 files") && line.contains("gone.wav"), "{line}");
    let [good] = <[_; 1]>::try_from(printed(&String::from_utf8(output.stdout).unwrap())).unwrap();
    assert_eq!(good.0, "good.wav");
    // The output is neither the input nor of another format.
    let before = place.read("good.wav");
    assert!(place.failed(&["library", "picture", "good.wav", "-o", "good.wav"]).contains("input file"));
    assert!(place.failed(&["library", "picture", "good.wav", "-o", "o.jpg"]).contains(".png"));
    assert_eq!(place.read("good.wav"), before);
}

#[cfg(unix)]
#[test]
fn odd_names_and_devices_are_answered() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let odd = place.folder.path().join(std::ffi::OsStr::from_bytes(b"line\nbreak \xff.wav"));
    Wav { format: Format::Pcm(16), rate: 8_000, channels: vec![signal(5_000, 10)] }.write(&odd);
    let output = place.command(&["library", "hash", "--json"]).arg(&odd).output().unwrap();
    assert!(output.status.success());
    assert_eq!(printed(&String::from_utf8(output.stdout).unwrap()).len(), 1);
    let output = place.command(&["library", "hash"]).arg(&odd).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches('\n').count(), 1, "one line a file");
    let line = place.failed(&["library", "hash", "/dev/zero"]);
    assert!(line.contains("/dev/zero"), "{line}");
    let fifo = place.path("fifo");
    assert!(place.other("mkfifo").arg(&fifo).status().unwrap().success());
    assert!(place.failed(&["library", "hash", "fifo", "--keys"]).contains("fifo"));
    let long = "a".repeat(4_000);
    assert!(place.failed(&["library", "hash", &long]).contains("aaa"));
}

#[test]
fn odd_sounds_have_hashes() {
    let place = Place::new();
    let float = |values: Vec<f32>| values.into_iter().map(|value| i64::from(value.to_bits())).collect::<Vec<_>>();
    let sounds = [
        ("one", 8_000, vec![vec![12_000]]),
        ("silence", 8_000, vec![vec![0; 9_000]]),
        ("constant", 8_000, vec![vec![32_767; 9_000]]),
        ("square", 8_000, vec![(0..9_000).map(|at| if at / 40 % 2 == 0 { 32_767 } else { -32_768 }).collect()]),
        ("fast", 768_000, vec![signal(90_000, 10)]),
        ("wide", 44_100, vec![signal(9_000, 10); 32]),
    ];
    for (name, rate, channels) in sounds {
        let name = format!("{name}.wav");
        write(&place, &name, Format::Pcm(16), rate, channels);
        let [hashed] = <[_; 1]>::try_from(printed(&place.done(&["library", "hash", &name, "--json"]))).unwrap();
        if name == "silence.wav" {
            assert_eq!(hashed.1, [0; 3]);
        }
    }
    let broken = (0..9_000).map(|at| [f32::NAN, 0.5, f32::INFINITY, -0.5][at / 10 % 4]).collect();
    write(&place, "nan.wav", Format::F32, 22_050, vec![float(broken)]);
    let repaired = (0..9_000).map(|at| [0.0, 0.5, 0.0, -0.5][at / 10 % 4]).collect();
    write(&place, "repaired.wav", Format::F32, 22_050, vec![float(repaired)]);
    let both = printed(&place.done(&["library", "hash", "nan.wav", "repaired.wav", "--json"]));
    assert_eq!(both[0].1, both[1].1, "what is not a number counts as silence");
}
