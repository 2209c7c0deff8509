//! FLAC out: every depth and number of channels to the bit, by our reader and by libFLAC's own program where there is
//! one.

use crate::support::made_audio::{riff, wav};
use crate::support::opened::{clip, folder, open, opened};
use crate::support::program::{Place, has_program};
use crate::support::studio::{Bench, CTRL, Drawing};
use egui::Key;
use egui_kittest::kittest::Queryable;
use flac_codec::metadata::{BlockList, Picture, PictureType, VorbisComment};
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::media::{Dither, Encoded, ExportFormat, Opened, Original, SampleFormat, Source, encode};
use sonobrush::workbench::Picked;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Reproducible 32-bit values of which a rising share of top bits counts, so that every size of residual occurs.
fn noise(n: usize) -> impl Iterator<Item = i32> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    (0..n).map(move |index| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state as i32) >> (index * 24 / n)
    })
}

/// WAV of `bits` valid bits at the top of their container: a tone with noise, full scale at either end, then silence.
fn sound(bits: u32, n_channels: usize, n_frames: usize, rate_hz: u32) -> Vec<u8> {
    let container = bits.next_multiple_of(8);
    let mut noise = noise(n_frames * n_channels);
    let mut data = Vec::new();
    for frame in 0..n_frames {
        for channel in 0..n_channels {
            let tone = (0.05 * frame as f64 * (channel + 1) as f64).sin() * 0.5;
            let top = match frame {
                0 => i32::MAX,
                1 => i32::MIN,
                frame if frame * 5 < n_frames * 4 => (tone * 2f64.powi(31)) as i32 + noise.next().unwrap() / 4,
                _ => 0,
            };
            let value = top >> (32 - bits) << (container - bits);
            let unsigned = if container == 8 { value + 128 } else { value };
            data.extend_from_slice(&unsigned.to_le_bytes()[..container as usize / 8]);
        }
    }
    let format = riff::extensible(1, n_channels as u16, rate_hz, container as u16, bits as u16, 0);
    wav(&format, &data)
}

/// An export without edits.
fn exported(source: &Source, path: &Path, format: ExportFormat) -> sonobrush::base::Result<Encoded> {
    let read = |channel: usize, first: u64, out: &mut [f32]| source.read(channel, first as i64, out);
    encode(path, source, &read, format, Some(Dither::None), &Progress::new())
}

/// The values of a channel as the top bits of 32, for every container.
fn tops(opened: &Opened, channel: usize) -> Vec<i32> {
    let info = opened.source.info();
    match opened.source.read_original(channel, 0, info.n_samples as usize).unwrap() {
        Original::Integers(values) => values.iter().map(|value| value << (32 - info.container_bits)).collect(),
        other => panic!("{other:?}"),
    }
}

fn channels(opened: &Opened) -> Vec<Vec<i32>> {
    (0..opened.source.info().n_channels).map(|channel| tops(opened, channel)).collect()
}

/// What libFLAC's program makes of a file; none where there is no such program.
fn flac(arguments: &[&str], path: &Path) -> Option<Output> {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    IS_THERE
        .get_or_init(|| has_program("flac"))
        .then(|| Command::new("flac").args(arguments).arg(path).output().unwrap())
}

/// What it says of a file: it decodes all and compares the checksum of the samples.
fn libflac(path: &Path) -> Option<bool> {
    Some(flac(&["--test", "--silent", "--warnings-as-errors"], path)?.status.success())
}

/// Whether it decodes to these values, whole bytes each.
fn libflac_decodes(path: &Path, bits: u32, expected: &[Vec<i32>]) -> Option<bool> {
    let raw = ["--decode", "--silent", "--stdout", "--force-raw-format", "--endian=little", "--sign=signed"];
    let first = 4 - bits as usize / 8;
    let frames = (0..expected[0].len()).flat_map(|frame| expected.iter().map(move |channel| channel[frame]));
    let wanted: Vec<u8> = frames.flat_map(|value| value.to_le_bytes().into_iter().skip(first)).collect();
    Some(flac(&raw, path)?.stdout == wanted)
}

#[test]
fn every_depth_and_number_of_channels_comes_back_to_the_bit() {
    let folder = folder();
    let path = folder.path().join("out.flac");
    for bits in 4..=32 {
        for n_channels in 1..=8 {
            // Rates that the frame header names, and one that it does not.
            let rate_hz = [44_100, 48_000, 192_000, 12_345][(bits as usize + n_channels) % 4];
            let source = opened(&folder, &sound(bits, n_channels, 5000, rate_hz));
            let encoded = exported(&source.source, &path, ExportFormat::Source).unwrap();
            assert_eq!(encoded, Encoded { description: format!("FLAC, {bits} bit"), ..Encoded::default() });
            let back = open(&path);
            let info = back.source.info();
            assert_eq!((info.format, info.sample_rate_hz), (SampleFormat::Pcm { bits }, rate_hz));
            let expected = channels(&source);
            assert!(channels(&back) == expected, "{bits} bits, {n_channels} channels");
            assert_ne!(libflac(&path), Some(false), "{bits} bits, {n_channels} channels");
            if bits % 8 == 0 {
                let decoded = libflac_decodes(&path, bits, &expected);
                assert_ne!(decoded, Some(false), "{bits} bits, {n_channels} channels");
                // The comparison can fail.
                let mut other = expected.clone();
                other[n_channels - 1][4321] ^= 1 << (32 - bits);
                assert_ne!(libflac_decodes(&path, bits, &other), Some(true));
            }
        }
    }
}

#[test]
fn one_sample_and_one_more_than_a_block_are_held() {
    let folder = folder();
    let path = folder.path().join("out.flac");
    for n_frames in [1, 15, 16, 4095, 4096, 4097, 70_001] {
        let source = opened(&folder, &sound(16, 2, n_frames, 44_100));
        exported(&source.source, &path, ExportFormat::Source).unwrap();
        assert!(channels(&open(&path)) == channels(&source), "{n_frames} samples");
        assert_ne!(libflac(&path), Some(false), "{n_frames} samples");
    }
}

#[test]
fn floats_become_24_bits_and_deeper_sounds_are_rounded_to_what_is_asked() {
    let folder = folder();
    let path = folder.path().join("out.flac");
    let values: Vec<f32> = (0..9000).map(|index| (index as f32 * 0.01).sin() * 0.7).collect();
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let source = opened(&folder, &wav(&riff::format(3, 1, 48_000, 32), &data));
    for (format, bits) in [(ExportFormat::Source, 24), (ExportFormat::Pcm16, 16), (ExportFormat::Pcm32, 32)] {
        let encoded = exported(&source.source, &path, format).unwrap();
        assert_eq!(encoded.description, format!("FLAC, {bits} bit"));
        let scale = 2f64.powi(bits - 1);
        for (value, top) in values.iter().zip(tops(&open(&path), 0)) {
            let off = f64::from(top) / 2f64.powi(31) - f64::from(*value);
            assert!(off.abs() <= 0.5 / scale + 1e-12, "{bits}: {off}");
        }
    }
    let error = exported(&source.source, &path, ExportFormat::Float32).unwrap_err();
    assert!(error.kind() == ErrorKind::Unsupported && error.to_string().contains("no floats"), "{error}");
}

#[test]
fn what_flac_cannot_hold_is_one_sentence_and_the_old_file_stays() {
    let folder = folder();
    let path = folder.path().join("out.flac");
    let refused = |source: &Source, words: &str| {
        std::fs::write(&path, "old").unwrap();
        let error = exported(source, &path, ExportFormat::Source).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("out.flac"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    };
    refused(&opened(&folder, &sound(16, 9, 100, 44_100)).source, "at most 8 channels");
    // Cancelled in the middle of its work.
    let progress = Progress::new();
    let source = opened(&folder, &sound(16, 2, 300_000, 44_100)).source;
    let read = |channel: usize, first: u64, out: &mut [f32]| {
        if first > 100_000 {
            progress.cancel();
        }
        source.read(channel, first as i64, out)
    };
    let error = encode(&path, &source, &read, ExportFormat::Source, None, &progress).unwrap_err();
    assert_eq!((error.kind(), std::fs::read(&path).unwrap()), (ErrorKind::Cancelled, b"old".to_vec()));
    assert_eq!(
        std::fs::read_dir(folder.path())
            .unwrap()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name() != "out.flac")
            .count(),
        1
    );
}

#[test]
fn tags_pictures_and_speakers_go_with_the_sound() {
    let folder = folder();
    let path = folder.path().join("out.flac");
    let field = |name: &str| {
        let blocks = BlockList::open(&path).unwrap();
        blocks.get::<VorbisComment>().and_then(|comment| comment.get(name).map(str::to_owned))
    };
    // Texts of a WAV file.
    let info = [&b"INFOINAM\x05\0\0\0Title\0IART\x04\0\0\0Ann\0ISFT\x02\0\0\0x\0"[..]].concat();
    let data = vec![1; 6 * 2 * 50];
    let format = riff::extensible(1, 6, 48_000, 16, 16, 0x60f);
    let bytes = riff::file(&[("fmt ", format), ("LIST", info), ("data", data)]);
    exported(&opened(&folder, &bytes).source, &path, ExportFormat::Source).unwrap();
    assert_eq!(field("TITLE").as_deref(), Some("Title"));
    assert_eq!(field("ARTIST").as_deref(), Some("Ann"));
    assert_eq!(field("WAVEFORMATEXTENSIBLE_CHANNEL_MASK").as_deref(), Some("0x060f"));

    // Those of a FLAC file, with its cover.
    let tagged = folder.path().join("tagged.flac");
    std::fs::copy(clip("crow_44k_mono.flac"), &tagged).unwrap();
    flac_codec::metadata::update(&tagged, |blocks| -> Result<(), flac_codec::Error> {
        let mut comment = VorbisComment::default();
        comment.set("TITLE", "Crow");
        comment.insert("ARTIST", "One");
        comment.insert("ARTIST", "Two");
        blocks.insert(comment);
        let cover = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screenshot.png"))?;
        blocks.insert(Picture::new(PictureType::FrontCover, "cover", cover).unwrap());
        Ok(())
    })
    .unwrap();
    exported(&open(&tagged).source, &path, ExportFormat::Source).unwrap();
    let (before, after) = (BlockList::open(&tagged).unwrap(), BlockList::open(&path).unwrap());
    let comment = after.get::<VorbisComment>().unwrap();
    assert_eq!(comment.fields, before.get::<VorbisComment>().unwrap().fields);
    let pictures =
        |blocks: &BlockList| -> Vec<Vec<u8>> { blocks.get_all::<Picture>().map(|one| one.data.clone()).collect() };
    assert_eq!(pictures(&after), pictures(&before));
    assert_ne!(libflac(&path), Some(false));
}

/// ReplayGain 2.0 and RFC 7845 (`R128_`): a gain is that of the samples it stands beside.
#[test]
fn gains_stay_with_the_samples_that_they_are_of() {
    let place = Place::new();
    std::fs::copy(clip("guitar_chord_44k_stereo.flac"), place.path("in.flac")).unwrap();
    flac_codec::metadata::update(place.path("in.flac"), |blocks| -> Result<(), flac_codec::Error> {
        let mut comment = VorbisComment::default();
        [
            ("TITLE", "Chord"),
            ("REPLAYGAIN_TRACK_GAIN", "-3.10 dB"),
            ("replaygain_track_peak", "0.5"),
            ("R128_TRACK_GAIN", "-200"),
        ]
        .into_iter()
        .for_each(|(name, text)| comment.set(name, text));
        blocks.insert(comment);
        Ok(())
    })
    .unwrap();
    let fields = |choice: &[&str]| {
        place.done(&[&["export", "in.flac", "-o", "out.flac"], choice].concat());
        let blocks = BlockList::open(place.path("out.flac")).unwrap();
        let fields = &blocks.get::<VorbisComment>().unwrap().fields;
        assert!(fields.iter().any(|field| field == "TITLE=Chord"), "{choice:?}: {fields:?}");
        fields.len()
    };
    assert_eq!(fields(&[]), 4);
    assert_eq!(fields(&["--rate", "48000"]), 4);
    assert_eq!(fields(&["--loudness", "-30"]), 1);
    assert_eq!(fields(&["--channels", "left"]), 1);
    place.write(
        "s.json",
        r#"{"version": 1, "edits": [{"select": {"time": [0, 0.5]}, "brush": {"kind": "gain", "gain_db": -6}}]}"#,
    );
    place.done(&["paint", "in.flac", "--script", "s.json", "-o", "painted.flac"]);
    assert_eq!(BlockList::open(place.path("painted.flac")).unwrap().get::<VorbisComment>().unwrap().fields.len(), 1);
}

#[test]
fn the_name_of_the_output_chooses_flac() {
    let place = Place::new();
    std::fs::write(place.path("in.wav"), sound(24, 2, 20_000, 48_000)).unwrap();
    std::fs::write(place.path("s.json"), r#"{"version": 1, "edits": []}"#).unwrap();
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "out.FLAC"]);
    assert!(std::fs::read(place.path("out.FLAC")).unwrap().starts_with(b"fLaC"));
    assert!(channels(&open(&place.path("out.FLAC"))) == channels(&open(&place.path("in.wav"))));
    let sentence = place.failed(&["paint", "in.wav", "--script", "s.json", "-o", "f.flac", "--format", "float32"]);
    assert!(sentence.contains("FLAC holds no floats"), "{sentence}");
    // Voices are made as floats, and FLAC of them has 24 bits.
    std::fs::write(
        place.path("score.json"),
        r#"{"version": 1, "notes": [{"pitch": "A4", "start": 0, "duration": 0.1}]}"#,
    )
    .unwrap();
    place.done(&["voices", "score.json", "-o", "v.flac"]);
    assert_eq!(open(&place.path("v.flac")).source.info().format, SampleFormat::Pcm { bits: 24 });
}

#[test]
fn the_card_writes_flac_where_its_field_says() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.key(CTRL, Key::E);
    let path = |bench: &Bench| bench.harness.get_by_label("Path").value().unwrap();
    assert!(path(&bench).ends_with("crow_44k_mono-edited.wav"), "{}", path(&bench));
    bench.harness.get_by_role_and_label(egui::Role::ComboBox, "Type").click();
    bench.settle();
    bench.click("FLAC");
    assert!(path(&bench).ends_with("crow_44k_mono-edited.flac"), "{}", path(&bench));
    let out = bench.out("card.flac");
    bench.fill("Path", &out.to_string_lossy());
    bench.click("Export");
    let original = open(&crate::support::studio::clip("crow_44k_mono.flac"));
    assert!(channels(&open(&out)) == channels(&original));
    // A second export to the same place asks, on the same card.
    bench.key(CTRL, Key::E);
    bench.fill("Path", &out.to_string_lossy());
    bench.click("Export");
    assert!(bench.has("This file already exists and would be replaced."));
    let before = std::fs::metadata(&out).unwrap().modified().unwrap();
    bench.click("Replace");
    assert!(std::fs::metadata(&out).unwrap().modified().unwrap() > before);
    // So does a file dialog that adds no extension, and so has not asked.
    bench.key(CTRL, Key::E);
    bench.harness.get_by_role_and_label(egui::Role::ComboBox, "Type").click();
    bench.settle();
    bench.click("FLAC");
    let before = std::fs::metadata(&out).unwrap().modified().unwrap();
    bench.dialogs.answer(Picked::File(out.with_extension("")));
    bench.click("Save as\u{2026}");
    assert!(bench.has("This file already exists and would be replaced."), "{:?}", bench.notices());
    assert_eq!(std::fs::metadata(&out).unwrap().modified().unwrap(), before);
}
