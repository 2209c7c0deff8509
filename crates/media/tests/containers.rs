//! The same samples in every header and container that supports them.

use base::Progress;
use sonobrush_media::{Opened, Original, SampleFormat, Source};
use std::path::{Path, PathBuf};
use support::made_audio::riff;
use tempfile::TempDir;

fn found(name: &str) -> PathBuf {
    support::root().join("tests/found").join(name)
}

fn open(path: &Path) -> Opened {
    Source::open(path, &Progress::new()).unwrap_or_else(|error| panic!("{error}"))
}

/// Writes bytes to a file and opens it.
fn opened(folder: &TempDir, bytes: &[u8]) -> Opened {
    let path = folder.path().join("in");
    std::fs::write(&path, bytes).unwrap();
    open(&path)
}

fn channel(source: &Source, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; source.info().n_samples as usize];
    source.read(channel, 0, &mut samples).unwrap();
    samples
}

fn integers(source: &Source, channel: usize) -> Vec<i32> {
    match source.read_original(channel, 0, source.info().n_samples as usize).unwrap() {
        Original::Integers(values) => values,
        other => panic!("not integers: {other:?}"),
    }
}

/// Sum of each value times its 1-based position, to detect changes of the values or their order.
fn weighted_sum(values: &[i32]) -> i64 {
    values.iter().zip(1i64..).map(|(value, place)| i64::from(*value) * place).sum()
}

#[test]
fn files_that_were_refused_or_cut_are_whole() {
    // The sums are of FFmpeg's output.
    let files = [
        ("alac24.m4a", "ALAC, 24 bit", 300, 24, 9_077_024_298),
        ("alac_libsndfile.caf", "ALAC, 16 bit", 300, 16, 0),
        ("caf_ulaw.caf", "CAF, mu-law", 300, 16, 0),
        ("in24_be.mov", "MOV, 24 bit", 960, 24, -5_205_770_240),
        ("ulaw_fmt16.wav", "WAV, mu-law", 8000, 16, -12_481_977_344 / 256),
        ("alaw_ext.wav", "WAV, A-law", 8000, 16, 16_277_676_032 / 256),
    ];
    for (name, description, n_samples, bits, sum) in files {
        let opened = open(&found(name));
        let info = opened.source.info();
        assert_eq!((info.description.as_str(), info.n_samples), (description, n_samples), "{name}");
        assert_eq!(info.format, SampleFormat::Pcm { bits }, "{name}");
        assert_eq!(weighted_sum(&integers(&opened.source, 0)), sum, "{name}");
        assert!(opened.notices.is_empty(), "{name}: {:?}", opened.notices);
    }
    let peak = channel(&open(&found("in24_be.mov")).source, 0).into_iter().fold(0.0, |peak: f32, x| peak.max(x.abs()));
    assert!((peak - 0.125).abs() < 1e-3, "{peak}");
}

#[test]
fn every_depth_of_alac_is_exact() {
    for (name, bits, container_bits) in [("alac20.caf", 20, 24), ("alac32.caf", 32, 32)] {
        let opened = open(&found(name));
        let info = opened.source.info();
        assert_eq!((info.format, info.container_bits), (SampleFormat::Pcm { bits }, container_bits), "{name}");
        for right in [false, true] {
            let value = |i: i32| {
                let ramp = i * 977 % 65_536 * 3 - 98_304;
                let value = if right { 5 - ramp } else { ramp + (i & 1) };
                // The valid bits are the upper ones.
                if bits == 20 { value << 4 } else { value * 4096 + if right { 7 * i } else { i } }
            };
            let expected: Vec<i32> = (0..300).map(value).collect();
            assert_eq!(integers(&opened.source, usize::from(right)), expected, "{name}");
        }
    }
}

/// All 256 codes, some of them twice.
fn codes() -> Vec<u8> {
    (0..=255).chain(17..60).collect()
}

/// `fmt ` chunks for one channel at 8,000 Hz, with every length that real files have; the last has a wrong depth.
fn law_formats(tag: u16) -> Vec<Vec<u8>> {
    let base = riff::format(tag, 1, 8000, 8);
    let with = |more: &[u8]| [&base, more].concat();
    let mut wrong_depth = base.clone();
    wrong_depth[12..16].copy_from_slice(&[2, 0, 16, 0]);
    vec![
        base.clone(),
        with(&[0, 0]),
        with(&[0, 0, 0, 0]),
        with(&[22, 0, 8, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113]),
        riff::extensible(tag, 1, 8000, 8, 8, 4),
        wrong_depth,
    ]
}

/// The same samples with every way to state their length: correct, missing, wrong, and in 64 bits.
fn in_every_header(format: &[u8], data: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let plain = riff::file(&[("fmt ", format.to_vec()), ("data", data.to_vec())]);
    let size_at = 12 + 8 + format.len() + 4;
    let sized = |riff_size: u32, data_size: u32| {
        let mut bytes = plain[..size_at + 4 + data.len()].to_vec();
        bytes[4..8].copy_from_slice(&riff_size.to_le_bytes());
        bytes[size_at..size_at + 4].copy_from_slice(&data_size.to_le_bytes());
        bytes
    };
    let mut sizes = vec![0; 8];
    sizes.extend_from_slice(&(data.len() as u64).to_le_bytes());
    sizes.extend_from_slice(&[0; 12]);
    let mut wide = riff::file(&[("ds64", sizes), ("fmt ", format.to_vec()), ("data", data.to_vec())]);
    wide[..8].copy_from_slice(b"RF64\xff\xff\xff\xff");
    let at = 12 + 36 + 8 + format.len() + 4;
    wide[at..at + 4].fill(0xff);
    let guid = |name: &[u8; 4]| [&name[..], b"\xf3\xac\xd3\x11\x8c\xd1\x00\xc0\x4f\x8e\xdb\x8a"].concat();
    let size = |n: usize| (n as u64).to_le_bytes();
    let padding = vec![0; format.len().next_multiple_of(8) - format.len()];
    let mut wave64 = b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0".to_vec();
    wave64.extend_from_slice(&size(112 + format.len() + padding.len() + data.len() - 24));
    wave64.extend([guid(b"wave"), guid(b"fmt "), size(24 + format.len()).to_vec(), format.to_vec(), padding].concat());
    wave64.extend([guid(b"data"), size(24 + data.len()).to_vec(), data.to_vec()].concat());
    vec![
        ("right", plain.clone()),
        ("no sizes", sized(0, 0)),
        ("a stream", sized(u32::MAX, u32::MAX)),
        ("too long", sized(2_000_000, 1_000_000)),
        ("RF64", wide),
        ("Wave64", wave64),
    ]
}

#[test]
fn logarithmic_codes_open_in_every_header() {
    let folder = tempfile::tempdir().unwrap();
    for (tag, name, ends) in [(6, "A-law", [-5504, 848]), (7, "mu-law", [-32_124, 0])] {
        let mut expected: Option<Vec<i32>> = None;
        for format in law_formats(tag) {
            for (what, bytes) in in_every_header(&format, &codes()) {
                let what = format!("{name}, {what}, {} bytes of format", format.len());
                let opened = opened(&folder, &bytes);
                let info = opened.source.info();
                assert!(info.description.ends_with(name), "{what}: {}", info.description);
                assert_eq!((info.n_channels, info.sample_rate_hz, info.n_samples), (1, 8000, 299), "{what}");
                assert_eq!(info.format, SampleFormat::Pcm { bits: 16 }, "{what}");
                let values = integers(&opened.source, 0);
                // Values of the codes 0 and 255 in G.711's tables.
                assert_eq!([values[0], values[255]], ends, "{what}");
                assert_eq!(values, *expected.get_or_insert_with(|| values.clone()), "{what}");
                let says = opened.notices.len();
                assert_eq!(says, usize::from(what.contains("no sizes") || what.contains("too long")), "{what}");
            }
        }
    }
}

#[test]
fn adpcm_opens_in_every_header_with_all_its_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |n: u32, salt: u32| (0..n).map(|i| ((i * 37 + salt * 11) % 256) as u8).collect::<Vec<u8>>();
    // Five blocks of 256 bytes, each with a known first sample.
    let ima: Vec<u8> = (0..5).flat_map(|b| [vec![b as u8 * 10, 1, 10, 0], bytes(252, b)].concat()).collect();
    let ms: Vec<u8> = (0..5).flat_map(|b| [vec![0, 16, 0, 7, 0, b as u8 * 10, 1], bytes(249, b)].concat()).collect();
    for (tag, name, data, per_block) in [(0x11, "IMA ADPCM", ima, 505), (2, "Microsoft ADPCM", ms, 500)] {
        let mut base = riff::format(tag, 1, 22_050, 8);
        base[12..16].copy_from_slice(&[0, 1, 4, 0]);
        let mut expected: Option<Vec<i32>> = None;
        for more in [&[][..], &[0, 0], &[2, 0, 0xf9, 1], &[9; 40]] {
            let format = [&base, more].concat();
            // A partial sixth block is ignored.
            for (what, bytes) in in_every_header(&format, &[&data[..], &[0; 99]].concat()) {
                let what = format!("{name}, {what}, {} bytes of format", format.len());
                let opened = opened(&folder, &bytes);
                let info = opened.source.info();
                assert!(info.description.ends_with(name), "{what}: {}", info.description);
                assert_eq!((info.n_samples, info.format), (5 * per_block, SampleFormat::Pcm { bits: 16 }), "{what}");
                let values = integers(&opened.source, 0);
                for block in 0..5 {
                    assert_eq!(values[block * per_block as usize], 256 + 10 * block as i32, "{what}, block {block}");
                }
                assert!(values.windows(2).filter(|pair| pair[0] != pair[1]).count() > 40, "{what}: is flat");
                assert_eq!(values, *expected.get_or_insert_with(|| values.clone()), "{what}");
            }
        }
    }
    // Block sizes of 0 and 1 are refused, as they cannot hold samples.
    for align in [0, 1] {
        let mut format = riff::format(0x11, 1, 22_050, 8);
        format[12..16].copy_from_slice(&[align, 0, 4, 0]);
        let path = folder.path().join("in");
        std::fs::write(&path, riff::file(&[("fmt ", format), ("data", vec![0; 256])])).unwrap();
        assert!(Source::open(&path, &Progress::new()).is_err());
    }
}

/// 200 stereo frames of integers of `bits`, and their little-endian bytes.
fn stereo(bits: u32) -> (Vec<[i32; 2]>, Vec<u8>) {
    let top = 1i64 << (bits - 1);
    let value = |i: i64| (((i * 7919 + 13) * (top / 61).max(3)) % (2 * top) - top) as i32;
    let values: Vec<[i32; 2]> = (0..200).map(|i| [value(2 * i), value(2 * i + 1)]).collect();
    let bytes = values.as_flattened().iter().flat_map(|value| value.to_le_bytes()[..bits as usize / 8].to_vec());
    (values.clone(), bytes.collect())
}

fn swapped(bytes: &[u8], width: usize) -> Vec<u8> {
    bytes.chunks_exact(width).flat_map(|sample| sample.iter().rev().copied()).collect()
}

fn caf_chunk(id: &[u8; 4], data: &[u8]) -> Vec<u8> {
    [&id[..], &(data.len() as i64).to_be_bytes(), data].concat()
}

/// File header and `desc` chunk of a CAF at 48 kHz.
fn caf_head(kind: &[u8; 4], flags: u32, n_channels: u32, bits: u32) -> Vec<u8> {
    let mut description = 48_000f64.to_be_bytes().to_vec();
    description.extend_from_slice(kind);
    for word in [flags, n_channels * bits / 8, 1, n_channels, bits] {
        description.extend_from_slice(&word.to_be_bytes());
    }
    [b"caff\0\x01\0\0".to_vec(), caf_chunk(b"desc", &description)].concat()
}

fn caf_data(data: &[u8]) -> Vec<u8> {
    caf_chunk(b"data", &[&[0; 4], data].concat())
}

#[test]
fn plain_samples_in_a_caf_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    for bits in [8, 16, 24, 32] {
        let (values, little) = stereo(bits);
        for (flags, data) in [(2, little.clone()), (0, swapped(&little, bits as usize / 8))] {
            let head = caf_head(b"lpcm", flags, 2, bits);
            let mut endless = [&head[..], b"data", &(-1i64).to_be_bytes(), &[0; 4]].concat();
            endless.extend_from_slice(&data);
            let files = [
                ("plain", [head.clone(), caf_data(&data)].concat()),
                ("endless", endless),
                ("a tail", [head.clone(), caf_data(&data), b"\0\0\0\x07tail".to_vec()].concat()),
                (
                    "odd chunks",
                    [head.clone(), caf_chunk(b"uuid", &[9; 17]), caf_chunk(b"free", &[0; 333]), caf_data(&data)]
                        .concat(),
                ),
                ("chunks behind", [head.clone(), caf_data(&data), caf_chunk(b"info", b"\0\0\0\0odd")].concat()),
            ];
            for (what, bytes) in files {
                let what = format!("{bits} bits, flags {flags}, {what}");
                let opened = opened(&folder, &bytes);
                assert_eq!(opened.source.info().description, format!("CAF, {bits} bit"), "{what}");
                for channel in 0..2 {
                    let expected: Vec<i32> = values.iter().map(|frame| frame[channel]).collect();
                    assert_eq!(integers(&opened.source, channel), expected, "{what}");
                }
                assert!(opened.notices.is_empty(), "{what}: {:?}", opened.notices);
            }
        }
    }
    let floats: Vec<f64> = (0..64).map(|i| f64::from(i * i) / 5000.0 - 0.4).collect();
    for (bits, format) in [(32, SampleFormat::Float32), (64, SampleFormat::Float64)] {
        let little: Vec<u8> = match bits {
            32 => floats.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect(),
            _ => floats.iter().flat_map(|x| x.to_le_bytes()).collect(),
        };
        for (flags, data) in [(3, little.clone()), (1, swapped(&little, bits / 8))] {
            let file = [caf_head(b"lpcm", flags, 1, bits as u32), caf_data(&data)].concat();
            let opened = opened(&folder, &file);
            assert_eq!(opened.source.info().format, format);
            let expected: Vec<f32> = floats.iter().map(|x| *x as f32).collect();
            assert_eq!(channel(&opened.source, 0), expected, "{bits} bits, flags {flags}");
        }
    }
    for (kind, first) in [(b"ulaw", -32_124), (b"alaw", -5504)] {
        let opened = opened(&folder, &[caf_head(kind, 0, 1, 8), caf_data(&codes())].concat());
        assert_eq!((opened.source.info().n_samples, integers(&opened.source, 0)[0]), (299, first));
    }
    // The maximum number of channels.
    let many: Vec<u8> = (0..32 * 3).flat_map(|i: i16| (i * 300).to_be_bytes()).collect();
    let opened = opened(&folder, &[caf_head(b"lpcm", 0, 32, 16), caf_data(&many)].concat());
    assert_eq!(integers(&opened.source, 31), [31 * 300, 63 * 300, 95 * 300]);
}

#[test]
fn a_caf_that_was_cut_short_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (_, little) = stereo(16);
    let mut file = [caf_head(b"lpcm", 2, 2, 16), caf_data(&little)].concat();
    file.truncate(file.len() - 402);
    let cut = opened(&folder, &file);
    assert_eq!((cut.source.info().n_samples, cut.notices.len()), (99, 1), "{:?}", cut.notices);
    // ALAC with extra bytes at the end, and truncated. The file has a single packet, so nothing is left if truncated.
    let whole = std::fs::read(found("alac32.caf")).unwrap();
    let tailed = opened(&folder, &[&whole[..], b"\0\0 tail"].concat());
    assert_eq!(integers(&tailed.source, 1), integers(&open(&found("alac32.caf")).source, 1));
    let path = folder.path().join("in");
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    assert!(Source::open(&path, &Progress::new()).is_err());
}

fn atom(id: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    [&(content.len() as u32 + 8).to_be_bytes(), &id[..], &content].concat()
}

/// A sound sample description; `more` are the fields after those that all versions share.
fn description(kind: &[u8; 4], n_channels: u16, bits: u16, version: u16, more: &[u8]) -> Vec<u8> {
    let mut fields = vec![0, 0, 0, 0, 0, 0, 0, 1];
    fields.extend_from_slice(&version.to_be_bytes());
    fields.extend_from_slice(&[0; 6]);
    fields.extend_from_slice(&n_channels.to_be_bytes());
    fields.extend_from_slice(&bits.to_be_bytes());
    fields.extend_from_slice(&[0; 4]);
    fields.extend_from_slice(&(48_000u32 << 16).to_be_bytes());
    atom(kind, &[&fields, more])
}

/// A QuickTime movie with one audio track.
#[derive(Clone, Copy)]
struct Film<'a> {
    description: &'a [u8],
    frame_bytes: usize,
    data: &'a [u8],
    /// Timescale of the track, in ticks per second; the sample rate is 48 kHz.
    track_timescale: u32,
    /// Timescale of the movie, in ticks per second.
    movie_timescale: u32,
    /// Edit list: durations in ticks of the movie, and start times in ticks of the track; -1 for silence.
    edits: &'a [(u32, i32)],
    /// Value of the `iTunSMPB` tag, which states encoder delay and length.
    itunes: Option<&'a str>,
}

impl Film<'_> {
    /// The bytes of the file, in chunks of three frames with other data between them.
    fn bytes(&self) -> Vec<u8> {
        let mut file = atom(b"ftyp", &[b"qt  \0\0\0\0qt  "]);
        let mut between = Vec::new();
        let mut places = Vec::new();
        for chunk in self.data.chunks(3 * self.frame_bytes) {
            between.extend_from_slice(b"picture");
            places.push((file.len() + 8 + between.len()) as u32);
            between.extend_from_slice(chunk);
        }
        file.extend(atom(b"mdat", &[&between]));
        let n_frames = (self.data.len() / self.frame_bytes) as u32;
        let n_ticks = (u64::from(n_frames) * u64::from(self.track_timescale) / 48_000) as u32;
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
        let table = atom(
            b"stbl",
            &[
                &atom(b"stsd", &[&words(&[0, 1]), self.description]),
                &atom(b"stts", &[&words(&[0, 1, 1, n_ticks])]),
                &atom(b"stsc", &[&words(&[0, 1, 1, 3, 1])]),
                &atom(b"stsz", &[&words(&[0, 1, n_frames])]),
                &atom(b"stco", &[&words(&[0, places.len() as u32]), &words(&places)]),
            ],
        );
        let handler = atom(b"hdlr", &[&[0; 4], b"mhlrsoun", &[0; 13]]);
        let times = words(&[0, 0, 0, self.track_timescale, n_ticks, 0]);
        let media = atom(b"mdia", &[&atom(b"mdhd", &[&times]), &handler, &atom(b"minf", &[&table])]);
        let head = atom(b"tkhd", &[&words(&[7, 0, 0, 1]), &[0; 68]]);
        let movie_head = atom(b"mvhd", &[&words(&[0, 0, 0, self.movie_timescale, n_ticks]), &[0; 80]]);
        let entries: Vec<u8> =
            self.edits.iter().flat_map(|(duration, first)| words(&[*duration, *first as u32, 1 << 16])).collect();
        let list = atom(b"edts", &[&atom(b"elst", &[&words(&[0, self.edits.len() as u32]), &entries])]);
        let list = if self.edits.is_empty() { Vec::new() } else { list };
        let texts = self.itunes.map_or_else(Vec::new, |text| {
            let value = atom(b"data", &[&words(&[1, 0]), text.as_bytes()]);
            let item = atom(b"----", &[&atom(b"name", &[&[0; 4], b"iTunSMPB"]), &value]);
            atom(b"udta", &[&atom(b"meta", &[&[0; 4], &atom(b"ilst", &[&item])])])
        });
        file.extend(atom(b"moov", &[&movie_head, &atom(b"trak", &[&head, &list, &media]), &texts]));
        file
    }
}

/// A movie without an edit list; both timescales are 48,000.
fn movie(description: &[u8], frame_bytes: usize, data: &[u8]) -> Vec<u8> {
    let (track_timescale, movie_timescale) = (48_000, 48_000);
    Film { description, frame_bytes, data, track_timescale, movie_timescale, edits: &[], itunes: None }.bytes()
}

#[test]
fn plain_samples_in_a_film_are_exact_in_either_order() {
    let folder = tempfile::tempdir().unwrap();
    let enda = |value: u8| atom(b"wave", &[&atom(b"frma", &[b"    "]), &atom(b"enda", &[&[0, value]])]);
    let v1 = |bytes: u32| [1, bytes, 2 * bytes, bytes].iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let v2 = |bits: u32, flags: u32| {
        let mut more = 72u32.to_be_bytes().to_vec();
        more.extend_from_slice(&48_000f64.to_be_bytes());
        for word in [2, 0x7f00_0000, bits, flags, bits / 4, 1] {
            more.extend_from_slice(&word.to_be_bytes());
        }
        description(b"lpcm", 3, 16, 2, &more)
    };
    let pcm_c = |flags: u8, bits: u8| atom(b"pcmC", &[&[0, 0, 0, 0, flags, bits]]);
    let files = [
        (8, false, description(b"twos", 2, 8, 0, &[])),
        (16, true, description(b"twos", 2, 16, 0, &[])),
        (16, true, description(b"twos", 2, 16, 1, &v1(2))),
        (8, false, description(b"sowt", 2, 8, 0, &[])),
        (16, false, description(b"sowt", 2, 16, 0, &[])),
        (16, true, description(b"NONE", 2, 16, 0, &[])),
        (16, true, description(b"raw ", 2, 16, 0, &[])),
        (24, true, description(b"in24", 2, 24, 0, &[])),
        (24, true, description(b"in24", 2, 16, 1, &[v1(3), enda(0)].concat())),
        (24, false, description(b"in24", 2, 16, 1, &[v1(3), enda(1)].concat())),
        (32, true, description(b"in32", 2, 16, 1, &v1(4))),
        (32, false, description(b"in32", 2, 16, 1, &[v1(4), enda(1)].concat())),
        (16, false, v2(16, 4)),
        (24, true, v2(24, 6)),
        (24, false, v2(24, 4)),
        (32, true, v2(32, 6)),
        (16, true, description(b"ipcm", 2, 16, 0, &pcm_c(0, 16))),
        (24, false, description(b"ipcm", 2, 24, 0, &pcm_c(1, 24))),
    ];
    for (index, (bits, is_big, description)) in files.into_iter().enumerate() {
        let (values, little) = stereo(bits);
        let width = bits as usize / 8;
        let data = if is_big { swapped(&little, width) } else { little };
        let opened = opened(&folder, &movie(&description, 2 * width, &data));
        let info = opened.source.info();
        assert_eq!((info.description.clone(), info.sample_rate_hz), (format!("MOV, {bits} bit"), 48_000), "{index}");
        for channel in 0..2 {
            let expected: Vec<i32> = values.iter().map(|frame| frame[channel]).collect();
            assert_eq!(integers(&opened.source, channel), expected, "description {index}");
        }
        assert!(opened.notices.is_empty(), "{index}: {:?}", opened.notices);
    }
    let floats: Vec<f32> = (0..60).map(|i| (i * i) as f32 / 5000.0 - 0.4).collect();
    let little: Vec<u8> = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
    let float_files = [
        (true, description(b"fl32", 1, 16, 1, &v1(4))),
        (false, description(b"fl32", 1, 16, 1, &[v1(4), enda(1)].concat())),
        (true, description(b"fpcm", 1, 32, 0, &pcm_c(0, 32))),
    ];
    for (is_big, description) in float_files {
        let data = if is_big { swapped(&little, 4) } else { little.clone() };
        assert_eq!(channel(&opened(&folder, &movie(&description, 4, &data)).source, 0), floats);
    }
    // Six channels of 8-bit samples with an offset of 128, and mu-law codes.
    let raw = opened(&folder, &movie(&description(b"raw ", 6, 8, 0, &[]), 6, &[0, 64, 128, 192, 255, 1]));
    assert_eq!([0, 1, 2, 3, 4, 5].map(|channel| integers(&raw.source, channel)[0]), [-128, -64, 0, 64, 127, -127]);
    let law = opened(&folder, &movie(&description(b"ulaw", 1, 16, 0, &[]), 1, &codes()));
    assert_eq!((integers(&law.source, 0)[0], law.source.info().n_samples), (-32_124, 299));
}

/// Each case lists the first sample of the track that is played, the length of the silence before it, and the number of
/// samples played.
#[test]
fn an_edit_list_is_heard_to_the_sample() {
    let folder = tempfile::tempdir().unwrap();
    let n = 66_999u64;
    let values: Vec<i32> = (0..n as i32).map(|i| i * 7 % 60_001 - 30_000).collect();
    let data: Vec<u8> = values.iter().flat_map(|value| (*value as i16).to_le_bytes()).collect();
    let description = description(b"sowt", 1, 16, 0, &[]);
    let film = Film {
        description: &description,
        frame_bytes: 2,
        data: &data,
        track_timescale: 48_000,
        movie_timescale: 1000,
        edits: &[],
        itunes: None,
    };
    let delayed = Some(" 00000000 00000840 000001CA 000000000000C350 00000000");
    let cases = [
        // The rest of the track has 65,975 samples, or 1,374.48 ms. The edit agrees within a tick of the movie (1 ms),
        // so the length of the time table is used.
        (Film { edits: &[(1374, 1024)], ..film }, 1024, 0, n - 1024),
        // The edit of 1,300 ms is shorter than the rest of the track: samples after it are padding.
        (Film { edits: &[(1300, 1024)], ..film }, 1024, 0, 62_400),
        (Film { edits: &[], ..film }, 0, 0, n),
        // A duration of 0 extends to the end of the time table.
        (Film { edits: &[(0, 1024)], ..film }, 1024, 0, n - 1024),
        // Silence first.
        (Film { edits: &[(500, -1), (100, 7)], ..film }, 7, 24_000, 4_800),
        // Only the first of several segments is played.
        (Film { edits: &[(100, 7), (100, 20_000)], ..film }, 7, 0, 4_800),
        // A tick of the track is 1.5 samples: a start of 3 ticks (4.5 samples) is rounded to 5, and 625 ms are 20,000
        // ticks, or 30,000 samples.
        (Film { track_timescale: 32_000, edits: &[(625, 3)], ..film }, 5, 0, 30_000),
        (Film { track_timescale: 32_000, edits: &[(125, -1), (625, 4)], ..film }, 6, 6_000, 30_000),
        // Without a duration, samples up to the last one are played, although ticks cannot state its position.
        (Film { track_timescale: 32_000, edits: &[(0, 3)], ..film }, 5, 0, n - 5),
        // `iTunSMPB` states delay and length in samples; invalid values are ignored.
        (Film { itunes: delayed, ..film }, 0x840, 0, 0xc350),
        (Film { itunes: Some(" 0 x"), ..film }, 0, 0, n),
        (Film { itunes: Some(" 00000000 00000840 000001CA 00000000FFFFFFFF"), ..film }, 0, 0, n),
    ];
    for (film, first, pause, n_audible) in cases {
        let what = format!("{:?} {:?} {}", film.edits, film.itunes, film.track_timescale);
        let opened = opened(&folder, &film.bytes());
        let mut wanted = vec![0; pause];
        wanted.extend(&values[first..first + n_audible as usize]);
        assert!(integers(&opened.source, 0) == wanted, "{what}");
        let is_reported = film.edits.iter().filter(|(_, first)| *first >= 0).count() > 1;
        let reason = opened.notices.join(" ");
        assert_eq!(reason.contains("several segments"), is_reported, "{what}: {reason}");
        assert!(is_reported || reason.is_empty(), "{what}: {reason}");
        // Reads any range, within a chunk or across several.
        for (at, n) in [(0, 1), (pause.saturating_sub(2), 9), (pause + 1, 2), (wanted.len() - 4, 4), (4_000, 700)] {
            let wanted = Original::Integers(wanted[at..at + n].to_vec());
            assert_eq!(opened.source.read_original(0, at as u64, n), Ok(wanted), "{what}: {n} from {at}");
        }
    }
}

#[test]
fn the_edit_list_of_a_film_of_fragments_is_no_length() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(support::root().join("tests/coded/aac_fragments.mp4")).unwrap();
    let at = |id: &[u8; 4]| whole.windows(4).position(|window| window == id).unwrap() - 4;
    let (moov, trak, mdia, udta) = (at(b"moov"), at(b"trak"), at(b"mdia"), at(b"udta"));
    let size = |at: usize| u32::from_be_bytes(whole[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(udta + size(udta), moov + size(moov), "texts stand last");
    // Inserts an edit list with one segment in the space of the `udta` atom, so that the offsets of later data stay the
    // same.
    for duration in [0u32, 100] {
        let entry = [0u32, 1, duration, 1024, 1 << 16].iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
        let list = atom(b"edts", &[&atom(b"elst", &[&entry])]);
        let mut bytes = whole[..mdia].to_vec();
        bytes[trak..trak + 4].copy_from_slice(&((size(trak) + list.len()) as u32).to_be_bytes());
        bytes.extend_from_slice(&list);
        bytes.extend_from_slice(&whole[mdia..udta]);
        bytes.extend(atom(b"free", &[&vec![0; size(udta) - list.len() - 8]]));
        bytes.extend_from_slice(&whole[moov + size(moov)..]);
        assert_eq!(bytes.len(), whole.len());
        let opened = opened(&folder, &bytes);
        // 31 packets without the 1,024 samples before the edit; the fragment shortens the last packet to 315.
        assert_eq!(opened.source.info().n_samples, 29 * 1024 + 315, "a list of {duration} ms");
        assert!(opened.notices.is_empty(), "{:?}", opened.notices);
    }
}

#[test]
fn opus_of_six_channels_has_each_in_its_place() {
    let opened = open(&found("opus_5.1.opus"));
    let info = opened.source.info();
    assert_eq!((info.n_channels, info.sample_rate_hz, info.n_samples), (6, 48_000, 9600));
    assert_eq!((info.description.as_str(), info.format), ("Opus", SampleFormat::Lossy));
    assert!(opened.notices.is_empty(), "{:?}", opened.notices);
    for (index, hz) in [500.0, 700.0, 900.0, 60.0, 1300.0, 1500.0].into_iter().enumerate() {
        let found = channel(&opened.source, index);
        // Codecs need a moment to settle, and the end fades.
        let (mut error, mut signal) = (0.0, 0.0);
        for (i, y) in found.iter().enumerate().take(9000).skip(1000) {
            let x = 0.3 * (std::f64::consts::TAU * hz * i as f64 / 48_000.0).sin();
            signal += x * x;
            error += (x - f64::from(*y)).powi(2);
        }
        let snr_db = 10.0 * (signal / error).log10();
        assert!(snr_db > 12.0, "channel {index}: {snr_db:.1} dB");
    }
}

#[test]
fn aac_of_six_channels_is_refused_by_name() {
    for name in ["aac_5.1.aac", "aac_5.1.m4a"] {
        let error = Source::open(&found(name), &Progress::new()).unwrap_err().to_string();
        assert!(error.contains("6 channels of AAC") && error.contains("convert it"), "{error}");
    }
}
