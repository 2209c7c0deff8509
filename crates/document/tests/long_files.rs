//! Sounds too long for memory: read from disk they equal those in memory, and concurrent changes of the file are
//! reported.

use base::{Error, ErrorKind, Progress, Space, free_bytes, thread_time};
use document::{Snapshot, export};
use media::{ExportFormat, OpenOptions, Opened, Original, Source};
use std::cell::RefCell;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use support::flac;
use support::made_audio::{le16, riff, wav};
use support::opened::{clip, clips, folder, on_disk, open_on_disk};
use support::signals::Rng;
use support::wav::{Format, Wav};

fn exported(source: &Source) -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join("out.wav");
    export(&Snapshot::new(source.clone()), &path, ExportFormat::Source, None, &Progress::new()).unwrap();
    std::fs::read(&path).unwrap()
}

fn assert_same(name: &str, disk: &Source, memory: &Source) {
    assert_eq!(disk.info(), memory.info(), "{name}");
    assert!(disk.is_on_disk() && !memory.is_on_disk(), "{name}");
    let n = memory.info().n_samples;
    let mut rng = Rng(n);
    let mut ranges = vec![(-5, 20), (n as i64 - 7, 30), (0, n as usize)];
    ranges.extend((0..20).map(|_| ((rng.uniform() * n as f64) as i64, (rng.uniform() * 40_000.0) as usize + 1)));
    for channel in 0..memory.info().n_channels {
        for &(first, length) in &ranges {
            let (mut ours, mut theirs) = (vec![7.0; length], vec![8.0; length]);
            disk.read(channel, first, &mut ours).unwrap();
            memory.read(channel, first, &mut theirs).unwrap();
            assert!(ours.iter().map(|s| s.to_bits()).eq(theirs.iter().map(|s| s.to_bits())), "{name} {first} {length}");
            let (first, end) = (first.clamp(0, n as i64) as u64, (first + length as i64).clamp(0, n as i64) as u64);
            let original = |source: &Source| source.read_original(channel, first, (end - first) as usize);
            assert_eq!(original(disk), original(memory), "{name} {first}");
        }
    }
    assert!(exported(disk) == exported(memory), "{name}: the export");
    let longer = Snapshot::new(disk.clone()).lengthened(10).unwrap();
    let mut tail = [1.0; 20];
    longer.read(0, n as i64, &mut tail).unwrap();
    assert_eq!(tail, [0.0; 20], "{name}: longer than the file");
}

#[test]
fn every_format_reads_from_disk_as_it_does_from_memory() {
    let place = folder();
    let mut files: Vec<PathBuf> = clips();
    let coded = |name: &str| support::root().join("tests/coded").join(name);
    let names = ["aac.m4a", "aac_pause.m4a", "alac.caf", "opus.opus", "alaw.au", "mulaw.au", "float32.au", "pcm16.au"];
    files.extend(names.map(coded));
    files.extend(["pcm16.w64", "float32.w64", "pcm24.caf"].map(coded));
    let mut rng = Rng(11);
    for (index, format) in [Format::Pcm(8), Format::Pcm(16), Format::Pcm(24), Format::Pcm(32), Format::F32, Format::F64]
        .into_iter()
        .enumerate()
    {
        let path = place.path().join(format!("{index}.wav"));
        let mut value = || match format {
            Format::Pcm(bits) => ((rng.bits() as i64) << 1) >> (65 - bits),
            Format::F32 => i64::from((rng.normal() as f32).to_bits()),
            Format::F64 => rng.normal().to_bits() as i64,
        };
        let channels = (0..3).map(|_| (0..50_001).map(|_| value()).collect()).collect();
        Wav { format, rate: 48_000, channels }.write(&path);
        files.push(path);
    }
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let memory = OpenOptions { memory_bytes: u64::MAX, ..on_disk(place.path()) };
        let memory = Source::open_with(&path, &memory, &|_| (), &Progress::new()).unwrap();
        let disk = open_on_disk(&path);
        assert_same(&name, &disk.source, &memory.source);
        assert_eq!(disk.notices, memory.notices, "{name}");
        assert_eq!(disk.source.take_notice(), None, "{name}");
    }
    // Control: a single flipped bit deep in a file is detected.
    let path = place.path().join("4.wav");
    let memory = Source::open(&path, &Progress::new()).unwrap().source;
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[400_003] ^= 1;
    let other = place.path().join("other.wav");
    std::fs::write(&other, bytes).unwrap();
    let found = std::panic::catch_unwind(|| assert_same("other", &open_on_disk(&other).source, &memory));
    assert!(found.is_err());
}

#[test]
fn damage_in_a_long_file_keeps_its_place_too() {
    // A lost packet in the middle is replaced by silence, in memory and on disk alike.
    let folder = folder();
    let bytes = std::fs::read(clip("tabla_loop_44k_stereo.flac")).unwrap();
    for at in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 3000] {
        let mut damaged = bytes.clone();
        damaged[at..at + 40].fill(0x5a);
        let path = folder.path().join("damaged.flac");
        std::fs::write(&path, &damaged).unwrap();
        let memory = Source::open(&path, &Progress::new()).unwrap();
        let disk = open_on_disk(&path);
        assert!(!memory.notices.is_empty(), "the damage is told");
        assert_eq!(disk.notices, memory.notices);
        assert_same("damaged", &disk.source, &memory.source);
    }
}

#[test]
fn a_long_sound_can_be_read_while_it_is_decoded() {
    let path = clip("vinyl_hiss_44k_stereo.flac");
    let whole = Source::open(&path, &Progress::new()).unwrap().source;
    let n = whole.info().n_samples;
    let folder = folder();
    let options = OpenOptions { memory_bytes: 100_000, ..on_disk(folder.path()) };
    let seen = RefCell::new(Vec::new());
    let preview = |source: &Source| {
        let n_ready = source.n_ready();
        assert!((1..n).contains(&n_ready), "{n_ready} of {n} when it is first shown");
        assert_eq!(source.info(), whole.info());
        let (mut ours, mut theirs) = (vec![0.0; n as usize], vec![0.0; n_ready as usize]);
        source.read(1, 0, &mut ours).unwrap();
        whole.read(1, 0, &mut theirs).unwrap();
        assert!(ours[..n_ready as usize] == theirs, "what is ready is right");
        assert!(ours[n_ready as usize..].iter().all(|&sample| sample == 0.0), "the rest is silent");
        seen.borrow_mut().push(source.clone());
    };
    let opened = Source::open_with(&path, &options, &preview, &Progress::new()).unwrap();
    let seen = seen.into_inner();
    assert!(seen.len() == 1 && seen[0].is_same(&opened.source), "what was shown is what was opened");
    assert_eq!(opened.source.n_ready(), n);
    assert_same("grown", &opened.source, &whole);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the temporary file has no name");

    // The preview of a truncated file has the length that its header states, so opening returns another
    // source with the actual length.
    let mut bytes = std::fs::read(&path).unwrap();
    let cut = bytes.len() * 2 / 3;
    bytes.truncate(cut);
    let short = folder.path().join("short.flac");
    std::fs::write(&short, bytes).unwrap();
    let seen = RefCell::new(None);
    let preview = |source: &Source| drop(seen.replace(Some(source.clone())));
    let opened = Source::open_with(&short, &options, &preview, &Progress::new()).unwrap();
    assert!(!seen.into_inner().unwrap().is_same(&opened.source));
    assert!(opened.source.info().n_samples < n && !opened.notices.is_empty());
}

#[test]
fn a_folder_without_room_keeps_a_long_sound_in_memory() {
    let file = folder();
    let not_a_folder = file.path().join("file");
    std::fs::write(&not_a_folder, b"").unwrap();
    let options = on_disk(&not_a_folder);
    let path = clip("crow_44k_mono.flac");
    let opened = Source::open_with(&path, &options, &|_| (), &Progress::new()).unwrap();
    assert!(!opened.source.is_on_disk());
    assert!(exported(&opened.source) == exported(&Source::open(&path, &Progress::new()).unwrap().source));
}

/// Opens bytes as a file whose samples go to a disk with `free` bytes above its reserve.
fn open_with_room(bytes: &[u8], free: u64) -> Result<Opened, Error> {
    let place = folder();
    let path = place.path().join("in.flac");
    std::fs::write(&path, bytes).unwrap();
    let space = Some(Space { size: 1 << 40, free: free + 50_000_000 });
    let options =
        OpenOptions { memory_bytes: 1 << 20, reserve_bytes: Some(50_000_000), space, ..on_disk(place.path()) };
    let opened = Source::open_with(&path, &options, &|_| (), &Progress::new());
    if let Err(error) = &opened {
        let found = (error.kind(), error.path());
        assert_eq!(found, (ErrorKind::DiskFull, Some(path.as_path())), "{error}");
        assert!(
            error.message().contains("keeps 50 MB in reserve") && error.message().contains("free some space there"),
            "{error}"
        );
    }
    opened
}

#[test]
fn hours_of_silence_in_a_few_bytes_take_no_disk() {
    // 210 MB of silence in an 8 kB file need no disk space; the same with one block that is not silent needs some.
    let n_blocks = 400;
    let stated = n_blocks << 15;
    let silence = open_with_room(&flac::constant(8, stated, (0..n_blocks).map(|_| 0)), 0).unwrap();
    assert!(silence.source.is_on_disk() && silence.notices.is_empty(), "{:?}", silence.notices);
    assert_eq!((silence.source.info().n_samples, silence.source.silent_until(5)), (stated, u64::MAX));
    let mut samples = vec![1.0; 100_000];
    silence.source.read(7, stated as i64 - 90_000, &mut samples).unwrap();
    assert!(samples.iter().all(|&sample| sample == 0.0));
    let value = |block: u64| if block == 300 { 1000 } else { 0 };
    let bytes = flac::constant(8, stated, (0..n_blocks).map(value));
    assert!(open_with_room(&bytes, 100_000).is_err());
    let source = open_with_room(&bytes, 10 << 20).unwrap().source;
    let (start, end) = (300 << 15, 301 << 15);
    let found = source.silent_until(0);
    assert!(found <= start && start - found < 1 << 16, "{found}");
    source.read(3, start as i64 - 2, &mut samples).unwrap();
    assert!(samples[..2] == [0.0; 2] && samples[2..2 + (1 << 15)].iter().all(|&sample| sample == 1000.0 / 32768.0));
    assert!(samples[2 + (1 << 15)..].iter().all(|&sample| sample == 0.0) && source.silent_until(end + 70_000) > stated);
    // The same with the free space of a real disk, all of it reserved.
    let place = folder();
    let path = place.path().join("in.flac");
    std::fs::write(&path, &bytes).unwrap();
    if free_bytes(place.path()).is_some() {
        let options = OpenOptions { memory_bytes: 1 << 20, reserve_bytes: Some(u64::MAX), ..on_disk(place.path()) };
        let error = Source::open_with(&path, &options, &|_| (), &Progress::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
    }
}

/// Silence is not stored on disk, but negative zeros are.
#[test]
fn a_negative_zero_keeps_its_sign_on_disk() {
    let place = folder();
    let path = place.path().join("in.wav");
    let values = [vec![0.0f32; 30_000], vec![-0.0; 30_000]].concat();
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    // With a tag before its header, the file is decoded to disk instead of read in place.
    let tag = [&b"ID3\x03\0\0\0\0\0\x0a"[..], &[b' '; 10]].concat();
    std::fs::write(&path, [tag, wav(&riff::format(3, 1, 44_100, 32), &data)].concat()).unwrap();
    let source = open_on_disk(&path).source;
    let Ok(Original::Floats(found)) = source.read_original(0, 0, values.len()) else { panic!("floats") };
    assert!(found.iter().map(|value| value.to_bits()).eq(values.iter().map(|value| value.to_bits())));
}

#[test]
fn sound_that_does_not_fit_above_the_reserve_is_refused_while_it_is_decoded() {
    let n_blocks = 60;
    let values = || (0..n_blocks).map(|block| block as i16 + 1);
    // 31 MB of samples, first with enough disk space, then with too little.
    let bytes = flac::constant(8, n_blocks << 15, values());
    assert!(open_with_room(&bytes, 40 << 20).unwrap().source.is_on_disk());
    let error = open_with_room(&bytes, 20 << 20).unwrap_err();
    assert!(error.message().starts_with("the 31 MB of its samples do not fit"), "{error}");
    // The length stated in the header is not trusted: unknown (0), too short (100), and below too long.
    for stated in [0, 100] {
        let bytes = flac::constant(8, stated, values());
        let error = open_with_room(&bytes, 20 << 20).unwrap_err();
        assert!(error.message().starts_with("its decoded audio does not fit"), "{stated}: {error}");
        assert!(open_with_room(&bytes, 40 << 20).is_ok(), "{stated}");
    }
    let short = flac::constant(1, 1 << 35, (0..8).map(|block| block + 1));
    let opened = open_with_room(&short, 20 << 20).unwrap();
    assert_eq!(opened.source.info().n_samples, 8 << 15);
    assert!(!opened.source.is_on_disk() && opened.notices.len() == 1, "{:?}", opened.notices);
}

#[test]
fn a_file_that_is_cut_short_or_changed_while_it_is_open_is_told_once_and_never_crashes() {
    type Change = fn(&Path, &[u8]);
    let changes: [(&str, Change); 3] = [
        ("cut short", |path, _| std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(1000).unwrap()),
        ("cut short", |path, _| std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(0).unwrap()),
        ("changed", |path, _| {
            let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
            file.seek(SeekFrom::Start(60_000)).unwrap();
            file.write_all(b"other").unwrap();
        }),
    ];
    for (word, change) in changes {
        let folder = folder();
        let path = folder.path().join("open.wav");
        let bytes = wav(&riff::format(1, 2, 48_000, 16), &le16(&vec![1000; 200_000]));
        std::fs::write(&path, &bytes).unwrap();
        let source = open_on_disk(&path).source;
        let mut samples = vec![0.0; 5000];
        source.read(1, 90_000, &mut samples).unwrap();
        assert!(samples.iter().all(|&sample| sample == 1000.0 / 32768.0));
        assert!(source.fault().is_none() && source.take_notice().is_none());
        // Longer than the resolution of file modification times.
        std::thread::sleep(std::time::Duration::from_millis(20));
        change(&path, &bytes);
        for _ in 0..3 {
            let error = source.read(0, 90_000, &mut samples).unwrap_err();
            assert_eq!((error.kind(), error.path()), (ErrorKind::SourceChanged, Some(path.as_path())), "{error}");
            assert!(error.message().contains(word), "{error}");
        }
        assert!(source.read_original(0, 0, 10).is_err(), "nor is anything else of it believed");
        assert!(source.fault().is_some());
        assert!(source.take_notice().is_some_and(|notice| notice.contains(word)), "told");
        assert_eq!(source.take_notice(), None, "once");
        let out = folder.path().join("out.wav");
        let error = export(&Snapshot::new(source), &out, ExportFormat::Source, None, &Progress::new()).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::SourceChanged, Some(path.as_path())));
        assert!(!out.exists());
    }
}

#[test]
fn a_file_that_is_deleted_or_replaced_while_it_is_open_goes_on() {
    let folder = folder();
    let path = folder.path().join("open.wav");
    let bytes = wav(&riff::format(1, 1, 48_000, 16), &le16(&vec![1000; 100_000]));
    std::fs::write(&path, &bytes).unwrap();
    let source = open_on_disk(&path).source;
    let new = folder.path().join("new.wav");
    std::fs::write(&new, b"something else").unwrap();
    std::fs::rename(&new, &path).unwrap();
    let mut samples = vec![0.0; 100_000];
    source.read(0, 0, &mut samples).unwrap();
    std::fs::remove_file(&path).unwrap();
    source.read(0, 0, &mut samples).unwrap();
    assert!(samples.iter().all(|&sample| sample == 1000.0 / 32768.0) && source.take_notice().is_none());
}

#[test]
fn values_that_are_no_numbers_are_silent_and_told_once_met() {
    let folder = folder();
    let path = folder.path().join("nan.wav");
    let mut values = vec![0.25f32; 50_000];
    (values[30_001], values[40_001]) = (f32::NAN, f32::INFINITY);
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(&path, wav(&riff::format(3, 2, 48_000, 32), &data)).unwrap();
    let source = open_on_disk(&path).source;
    let mut samples = vec![0.0; 25_000];
    source.read(0, 0, &mut samples).unwrap();
    assert!(samples.iter().all(|&sample| sample == 0.25) && source.take_notice().is_none(), "not on this channel");
    source.read(1, 0, &mut samples).unwrap();
    assert_eq!(samples.iter().filter(|&&sample| sample == 0.0).count(), 2);
    assert!(samples.iter().all(|sample| sample.is_finite()));
    assert!(source.take_notice().is_some_and(|notice| notice.contains("not finite numbers")));
    assert_eq!(source.take_notice(), None);
}

/// Writes a sparse RIFF or RF64 file with `n_data` bytes of samples, silent except for the frames at `marks`.
fn sparse(path: &Path, n_data: u64, is_rf64: bool, marks: &[u64]) {
    let mut head = if is_rf64 { b"RF64".to_vec() } else { b"RIFF".to_vec() };
    head.extend([0xff; 4]);
    head.extend(b"WAVE");
    if is_rf64 {
        head.extend(b"ds64\x1c\0\0\0");
        for size in [n_data + 72, n_data, n_data / 4] {
            head.extend(size.to_le_bytes());
        }
        head.extend([0; 4]);
    }
    head.extend(b"fmt \x10\0\0\0\x01\0\x02\0\x80\xbb\0\0\0\xee\x02\0\x04\0\x10\0data\xff\xff\xff\xff");
    let mut file = std::fs::File::create(path).unwrap();
    file.write_all(&head).unwrap();
    file.set_len(head.len() as u64 + n_data).unwrap();
    for mark in marks {
        file.seek(SeekFrom::Start(head.len() as u64 + mark * 4)).unwrap();
        file.write_all(&[1, 0, 2, 0]).unwrap();
    }
}

#[test]
fn files_over_4_gib_open_at_once() {
    let folder = folder();
    for is_rf64 in [true, false] {
        let path = folder.path().join("large.wav");
        let (n_data, last) = (6 << 30, (6u64 << 28) - 1);
        sparse(&path, n_data, is_rf64, &[0, 1 << 30, last]);
        let before = thread_time();
        let opened = Source::open(&path, &Progress::new()).unwrap();
        // Reading 6 GiB takes over a second, even from a sparse file.
        let spent_secs = (thread_time() - before).as_secs_f64();
        assert!(spent_secs < 0.3, "no sample is read to open it: {spent_secs} s");
        let source = opened.source;
        assert_eq!(source.info().n_samples, 6 << 28, "data of unknown size goes to the end of the file");
        for at in [0, 1 << 30, last] {
            let mut samples = [9.0; 3];
            source.read(1, at as i64 - 1, &mut samples).unwrap();
            assert_eq!(samples, [0.0, 2.0 / 32768.0, 0.0], "{at}");
        }
    }
}

#[test]
fn sizes_that_lost_their_upper_bits_are_restored() {
    let folder = folder();
    let path = folder.path().join("large.wav");
    let n: u64 = 6 << 30;
    let mut head = b"RIFF".to_vec();
    head.extend(((n + 36) as u32).to_le_bytes());
    head.extend(b"WAVEfmt \x10\0\0\0\x01\0\x02\0\x44\xac\0\0\x10\xb1\x02\0\x04\0\x10\0data");
    head.extend((n as u32).to_le_bytes());
    // The stated size is the actual size modulo 2^32, and is restored. With one more byte in the file, both no longer
    // match, and the stated size is used.
    for (n_bytes, n_audible) in [(44 + n, n), (45 + n, u64::from(n as u32))] {
        std::fs::write(&path, &head).unwrap();
        // Extends the file by a hole, which takes no disk space.
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(n_bytes).unwrap();
        let opened = Source::open(&path, &Progress::new()).unwrap();
        assert_eq!(opened.source.info().n_samples, n_audible / 4);
        assert_eq!(opened.notices.len(), usize::from(n_audible == n), "{:?}", opened.notices);
    }
}

#[test]
fn an_export_that_cannot_fit_is_refused_before_anything_is_written() {
    let folder = folder();
    let path = folder.path().join("out.wav");
    std::fs::write(&path, b"old").unwrap();
    // 4 TB per channel, more than any disk has free.
    let snapshot = Snapshot::new(Source::silence(1_000_000_000_000, 48_000, 32).unwrap());
    let error = export(&snapshot, &path, ExportFormat::Float32, None, &Progress::new()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::DiskFull, Some(path.as_path())));
    assert!(error.message().contains("MB are needed") && error.message().contains("MB are free"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Takes 4.4 GB of disk for some seconds.
#[test]
fn an_export_over_4_gib_is_rf64_and_opens_again() {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() {
        return;
    }
    let folder = folder();
    let path = folder.path().join("out.wav");
    let n = 1_100_000_000;
    let silence = Snapshot::new(Source::silence(n, 48_000, 2).unwrap());
    let marked = silence.with_samples(1, n - 3, &[0.5, -0.25]).unwrap();
    export(&marked, &path, ExportFormat::Pcm16, Some(media::Dither::None), &Progress::new()).unwrap();
    let mut head = [0; 4];
    std::fs::File::open(&path).unwrap().read_exact(&mut head).unwrap();
    assert_eq!(&head, b"RF64");
    let source = Source::open(&path, &Progress::new()).unwrap().source;
    assert!(source.info().n_samples == n && source.is_on_disk());
    let mut samples = [0.0; 4];
    source.read(1, n as i64 - 4, &mut samples).unwrap();
    assert_eq!(samples, [0.0, 0.5, -0.25, 0.0]);
}
