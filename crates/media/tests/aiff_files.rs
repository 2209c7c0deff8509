//! Truncated AIFF and AIFF-C files, and those whose sizes were never filled in: every frame present is read, with a
//! notice. FFmpeg writes sizes of 0 to a pipe, SoX 0x7f000000 bytes.

use base::Progress;
use sonobrush_media::{Opened, Original, Source};
use support::made_audio::{be16, le16, riff, wav};
use support::opened::{folder, opened};

const UNKNOWN: &str = "its recorder did not write its length; all of it is read";
const IMPOSSIBLE: &str = "states an impossible length in its header; all audio present was read";

/// A stereo file at 44,100 Hz whose size fields can be set to wrong values.
#[derive(Clone)]
struct Aiff {
    code: Option<[u8; 4]>,
    bits: u16,
    data: Vec<u8>,
    /// Stated value; `None` for the actual one, also in the next two fields.
    form_size: Option<u32>,
    n_frames: Option<u32>,
    sound_size: Option<u32>,
    offset: u32,
    /// Number of bytes inserted before the samples.
    n_before: usize,
    /// Chunks behind the samples.
    behind: Vec<u8>,
}

fn chunk(id: &[u8; 4], size: u32, data: &[u8]) -> Vec<u8> {
    [&id[..], &size.to_be_bytes(), data].concat()
}

impl Aiff {
    fn new(code: Option<&[u8; 4]>, bits: u16, data: Vec<u8>) -> Aiff {
        let (form_size, n_frames, sound_size) = (None, None, None);
        Aiff {
            code: code.copied(),
            bits,
            data,
            form_size,
            n_frames,
            sound_size,
            offset: 0,
            n_before: 0,
            behind: vec![],
        }
    }

    fn n_frames(&self) -> usize {
        let bytes = match self.code.as_ref() {
            Some(b"ulaw" | b"alaw") => 1,
            _ => usize::from(self.bits.div_ceil(8)),
        };
        self.data.len() / (2 * bytes)
    }

    fn with_sizes(&self, form: u32, frames: u32, sound: u32) -> Aiff {
        Aiff { form_size: Some(form), n_frames: Some(frames), sound_size: Some(sound), ..self.clone() }
    }

    fn common(&self) -> Vec<u8> {
        let n_frames = self.n_frames.unwrap_or(self.n_frames() as u32);
        let rate = [0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0];
        let mut common = [&[0, 2], &n_frames.to_be_bytes()[..], &self.bits.to_be_bytes(), &rate].concat();
        if let Some(code) = self.code {
            common.extend([&code[..], &[0, 0]].concat());
        }
        chunk(b"COMM", common.len() as u32, &common)
    }

    fn sound(&self) -> Vec<u8> {
        let sound = [&self.offset.to_be_bytes()[..], &[0; 4], &vec![0xaa; self.n_before], &self.data].concat();
        let mut sound = chunk(b"SSND", self.sound_size.unwrap_or(sound.len() as u32), &sound);
        if sound.len() % 2 == 1 && !self.behind.is_empty() {
            sound.push(0);
        }
        sound
    }

    fn of_chunks(&self, chunks: &[Vec<u8>]) -> Vec<u8> {
        let form = if self.code.is_some() { b"AIFC" } else { b"AIFF" };
        let body = [&form[..], &chunks.concat()].concat();
        chunk(b"FORM", self.form_size.unwrap_or(body.len() as u32), &body)
    }

    fn bytes(&self) -> Vec<u8> {
        self.of_chunks(&[self.common(), self.sound(), self.behind.clone()])
    }
}

fn values(n: usize) -> Vec<i16> {
    (0..n).map(|at| ((at as f64 * 0.05).sin() * 20_000.0) as i16 + 1).collect()
}

/// 300 frames of each coding, and the expected samples in a WAV.
fn codings() -> Vec<(Aiff, Vec<u8>)> {
    let values = values(600);
    let floats: Vec<f32> = values.iter().map(|value| f32::from(*value) / 32_768.0).collect();
    let codes: Vec<u8> = (0..600).map(|at| (at * 7 % 256) as u8).collect();
    let be24: Vec<u8> = values.iter().flat_map(|value| [value.to_be_bytes()[0], value.to_be_bytes()[1], 5]).collect();
    let le24: Vec<u8> = be24.chunks(3).flat_map(|sample| [sample[2], sample[1], sample[0]]).collect();
    let float = |swap: bool| -> Vec<u8> {
        floats.iter().flat_map(|value| if swap { value.to_be_bytes() } else { value.to_le_bytes() }).collect()
    };
    let plain = |tag, bits| riff::format(tag, 2, 44_100, bits);
    vec![
        (Aiff::new(None, 16, be16(&values)), wav(&plain(1, 16), &le16(&values))),
        (Aiff::new(None, 24, be24), wav(&plain(1, 24), &le24)),
        (Aiff::new(Some(b"NONE"), 16, be16(&values)), wav(&plain(1, 16), &le16(&values))),
        (Aiff::new(Some(b"sowt"), 16, le16(&values)), wav(&plain(1, 16), &le16(&values))),
        (Aiff::new(Some(b"sowt"), 24, le24.clone()), wav(&plain(1, 24), &le24)),
        (Aiff::new(Some(b"fl32"), 32, float(true)), wav(&plain(3, 32), &float(false))),
        (Aiff::new(Some(b"ulaw"), 16, codes.clone()), wav(&plain(7, 8), &codes)),
        (Aiff::new(Some(b"alaw"), 16, codes.clone()), wav(&plain(6, 8), &codes)),
    ]
}

fn samples(opened: &Opened) -> Vec<Original> {
    let n = opened.source.info().n_samples as usize;
    (0..opened.source.info().n_channels).map(|channel| opened.source.read_original(channel, 0, n).unwrap()).collect()
}

/// The first `n` samples of both channels.
fn first(opened: &Opened, n: usize) -> Vec<Original> {
    (0..2).map(|channel| opened.source.read_original(channel, 0, n).unwrap()).collect()
}

#[test]
fn intact_files_are_as_they_were_and_nothing_is_told() {
    let folder = folder();
    for (aiff, wav) in codings() {
        let right = samples(&opened(&folder, &wav));
        let id3v2 = [&b"ID3\x03\0\0\0\0\0\x14"[..], &[b' '; 20]].concat();
        let behind = Aiff { behind: chunk(b"NAME", 4, b"name"), ..aiff.clone() };
        let reversed = aiff.of_chunks(&[aiff.sound(), vec![0; aiff.sound().len() % 2], aiff.common()]);
        let with_offset = Aiff { offset: 16, n_before: 16, ..aiff.clone() };
        let counts = [0, 1, 299, 1_000_000, u32::MAX].map(|n| Aiff { n_frames: Some(n), ..aiff.clone() }.bytes());
        let mut files =
            vec![aiff.bytes(), [id3v2, aiff.bytes()].concat(), behind.bytes(), reversed, with_offset.bytes()];
        files.extend(counts);
        for (index, bytes) in files.iter().enumerate() {
            let opened = opened(&folder, bytes);
            assert!(samples(&opened) == right, "{:?} {}, {index}", aiff.code, aiff.bits);
            assert_eq!(opened.notices, [""; 0], "{:?} {}, {index}", aiff.code, aiff.bits);
        }
    }
}

#[test]
fn sizes_that_are_not_true_lose_nothing_and_are_told() {
    let folder = folder();
    for (aiff, wav) in codings() {
        let right = samples(&opened(&folder, &wav));
        let frame_bytes = (aiff.data.len() / 300) as u32;
        let sox = 0x7f00_0000 / frame_bytes;
        let secs = f64::from(sox - 300) / 44_100.0;
        let of_sox = if secs > 86_400.0 {
            IMPOSSIBLE.into()
        } else {
            let secs = secs.ceil() as u64;
            let [hours, minutes, secs] = [secs / 3_600, secs / 60 % 60, secs % 60];
            let missing =
                if hours > 0 { format!("{hours}:{minutes:02}:{secs:02}") } else { format!("{minutes}:{secs:02}") };
            format!("is cut off: {missing} are missing; the rest was read")
        };
        let max = u32::MAX;
        for (form, frames, sound, reason) in [
            (0, 0, 0, UNKNOWN),
            (0, 300, 0, UNKNOWN),
            (0, 0, 8, UNKNOWN),
            (max, max, max, UNKNOWN),
            (0x7fff_ffff, 0, 0x7fff_ffff, UNKNOWN),
            (0x7fff_ffff, 300, 0x7fff_ffff, UNKNOWN),
            (max, 0, max, UNKNOWN),
            (0x7f00_0000 + 46, sox, sox * frame_bytes + 8, of_sox.as_str()),
        ] {
            let opened = opened(&folder, &aiff.with_sizes(form, frames, sound).bytes());
            let what = format!("{:?} {}: {form:x} {frames:x} {sound:x}", aiff.code, aiff.bits);
            assert!(samples(&opened) == right, "{what}: {} samples", opened.source.info().n_samples);
            assert_eq!(opened.notices, [reason], "{what}");
        }
    }
}

#[test]
fn a_file_that_is_cut_short_keeps_its_whole_frames() {
    let folder = folder();
    for (aiff, wav) in codings() {
        let right = opened(&folder, &wav);
        let whole = aiff.bytes();
        let frame_bytes = aiff.data.len() / 300;
        let n_head = whole.len() - aiff.data.len();
        for n_data in [frame_bytes, 10 * frame_bytes - 1, 123 * frame_bytes, aiff.data.len() - 1] {
            let n_left = n_data / frame_bytes;
            let opened = opened(&folder, &whole[..n_head + n_data]);
            assert_eq!(opened.source.info().n_samples, n_left as u64, "{:?}", aiff.code);
            assert!(samples(&opened) == first(&right, n_left), "{:?}", aiff.code);
            let ms = ((300 - n_left) as f64 / 44.1).ceil();
            let reason = format!("is cut off: {ms} ms are missing; the rest was read");
            assert_eq!(opened.notices, [reason], "{:?} cut to {n_data}", aiff.code);
        }
        // A file without a single whole frame is refused.
        let path = folder.path().join("empty.aiff");
        for n_data in [0, frame_bytes - 1] {
            std::fs::write(&path, &whole[..n_head + n_data]).unwrap();
            let error = Source::open(&path, &Progress::new()).unwrap_err();
            assert_eq!(error.message(), "has a header but no samples, so there is no sound in it");
        }
    }
}

/// Without a valid size of the sound chunk, the frame count determines its end, provided that a chunk follows there.
#[test]
fn chunks_behind_samples_without_a_size_are_no_sound() {
    let folder = folder();
    for (aiff, wav) in codings() {
        let right = samples(&opened(&folder, &wav));
        let behind = [chunk(b"NAME", 4, b"name"), chunk(b"ANNO", 6, b"a note")].concat();
        let aiff = Aiff { behind, ..aiff };
        for (frames, sound) in [(300, 0), (300, u32::MAX), (300, 0x8000_0000)] {
            let opened = opened(&folder, &aiff.with_sizes(0, frames, sound).bytes());
            assert!(samples(&opened) == right, "{:?}: {} samples", aiff.code, opened.source.info().n_samples);
            assert_eq!(opened.notices.len(), 1, "{:?}", opened.notices);
        }
        // A frame count is ignored if no chunk follows at the end that it implies.
        let opened = opened(&folder, &Aiff { behind: vec![], ..aiff }.with_sizes(0, 100, 0).bytes());
        assert!(samples(&opened) == right);
    }
}

#[test]
fn an_offset_that_cannot_be_is_none() {
    let folder = folder();
    let (aiff, wav) = codings().remove(0);
    let right = samples(&opened(&folder, &wav));
    for offset in [u32::MAX, 0x7fff_ffff, 1200, 5000] {
        let opened = opened(&folder, &Aiff { offset, ..aiff.clone() }.bytes());
        assert!(samples(&opened) == right, "{offset}");
        let reason = "states an impossible place of its first sample; all audio present was read";
        assert_eq!(opened.notices, [reason], "{offset}");
    }
}

/// Chunks after samples of odd length begin at an even offset, but some programs omit the padding byte.
#[test]
fn padding_of_odd_chunks_is_no_sample() {
    let folder = folder();
    let mono = |bytes: &[u8]| {
        let mut file = bytes.to_vec();
        // One channel instead of two, and an odd number of bytes.
        file[20..26].copy_from_slice(&[0, 1, 0, 0, 0, 99]);
        file
    };
    let aiff = Aiff::new(None, 8, (0..99).collect());
    let note = chunk(b"NAME", 4, b"name");
    for pad in [&[][..], &[0]] {
        let bytes = mono(&aiff.of_chunks(&[aiff.common(), aiff.sound(), pad.to_vec(), note.clone()]));
        let opened = opened(&folder, &bytes);
        assert_eq!((opened.source.info().n_samples, opened.notices.len()), (99, 0), "{:?}", opened.notices);
    }
    let aiff = aiff.with_sizes(0, 99, 0);
    let opened = opened(&folder, &mono(&aiff.of_chunks(&[aiff.common(), aiff.sound(), vec![0], note])));
    assert_eq!((opened.source.info().n_samples, opened.notices.len()), (99, 1), "{:?}", opened.notices);
}
