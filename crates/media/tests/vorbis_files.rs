//! Ogg Vorbis: more than two channels, granule positions that begin before 0, and damaged pages.

use sonobrush_media::{Opened, Source};
use support::bad_inputs::make_bad_inputs;
use support::opened::{folder, open, opened};

fn channel(source: &Source, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; source.info().n_samples as usize];
    source.read(channel, 0, &mut samples).unwrap();
    samples
}

/// Amplitude of a tone. `samples` must span a whole number of its periods.
fn amplitude(samples: &[f32], hz: f64, rate_hz: f64) -> f64 {
    let turn = std::f64::consts::TAU * hz / rate_hz;
    let (mut cosine, mut sine) = (0.0, 0.0);
    for (at, sample) in samples.iter().enumerate() {
        cosine += f64::from(*sample) * (turn * at as f64).cos();
        sine += f64::from(*sample) * (turn * at as f64).sin();
    }
    2.0 * cosine.hypot(sine) / samples.len() as f64
}

/// A steady tone with an amplitude of 0.3 in each channel, in WAV's order: left, right, centre, LFE, rear left, rear
/// right. The encoder low-passed the LFE channel, so only the onset of its 750 Hz tone is left, as with libvorbis.
#[test]
fn six_channels_hold_a_tone_each() {
    let path = support::root().join("tests/found/vorbis_5.1.ogg");
    let Opened { source, notices } = open(&path);
    let info = source.info();
    assert_eq!((info.n_channels, info.sample_rate_hz, info.n_samples), (6, 48_000, 9600));
    assert!(notices.is_empty(), "{notices:?}");
    let tones = [300.0, 450.0, 600.0, 750.0, 900.0, 1050.0];
    for (index, own) in tones.into_iter().enumerate() {
        let samples = channel(&source, index);
        let peak = samples.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        assert!((0.3..0.36).contains(&peak), "channel {index} has a peak of {peak}");
        // 0.1 s spans whole periods of all tones.
        for tone in tones {
            let found = amplitude(&samples[2400..7200], tone, 48_000.0);
            let expected = if tone == own && index != 3 { 0.302 } else { 0.0 };
            assert!((found - expected).abs() < 0.003, "channel {index}: {found} of {tone} Hz");
        }
    }
}

/// A tone, and bursts of noise that make the encoder change its block size.
fn bursts(channel: usize, n: usize) -> Vec<f64> {
    let mut state = channel as u64 + 1;
    let mut next = |at: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let noise = (state >> 33 & 0xffff) as f64 / 32_768.0 - 1.0;
        let tone = (std::f64::consts::TAU * (300.0 + 150.0 * channel as f64) * at as f64 / 48_000.0).sin();
        0.2 * tone + if (at + 100 * channel) % 2400 < 500 { 0.3 * noise } else { 0.0 }
    };
    (0..n).map(&mut next).collect()
}

/// Uncoupled channels, in blocks of both sizes. The unpatched symphonia decoder returns noise here.
#[test]
fn channels_without_coupling_hold_their_own_sound() {
    for n_channels in [3, 7] {
        let name = format!("tests/found/vorbis_{n_channels}.ogg");
        let Opened { source, notices } = open(&support::root().join(name));
        assert_eq!((source.info().n_channels, source.info().n_samples), (n_channels, 7200));
        assert!(notices.is_empty(), "{notices:?}");
        for index in 0..n_channels {
            let (mut signal, mut error) = (0.0, 0.0);
            for (found, expected) in channel(&source, index).iter().zip(bursts(index, 7200)) {
                signal += expected * expected;
                error += (f64::from(*found) - expected).powi(2);
            }
            let snr_db = 10.0 * (signal / error).log10();
            assert!(snr_db > 12.0, "channel {index} of {n_channels}: {snr_db:.1} dB");
        }
    }
}

/// The pages of an Ogg file.
fn pages(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut at, mut pages) = (0, Vec::new());
    while at < bytes.len() {
        let n_segments = usize::from(bytes[at + 26]);
        let n: usize = bytes[at + 27..at + 27 + n_segments].iter().map(|n| usize::from(*n)).sum();
        pages.push(bytes[at..at + 27 + n_segments + n].to_vec());
        at += 27 + n_segments + n;
    }
    pages
}

fn granule(page: &[u8]) -> i64 {
    i64::from_le_bytes(page[6..14].try_into().unwrap())
}

/// The file with other granule positions on its audio pages: `stamp` gets the index of an audio page, from 0, and its
/// current position.
fn restamped(pages: &[Vec<u8>], stamp: impl Fn(usize, i64) -> i64) -> Vec<u8> {
    let mut n_sound = 0;
    let mut bytes = Vec::new();
    for page in pages {
        let mut page = page.clone();
        if granule(&page) > 0 {
            let changed = stamp(n_sound, granule(&page));
            page[6..14].copy_from_slice(&changed.to_le_bytes());
            n_sound += 1;
        }
        page[22..26].fill(0);
        let sum = page.iter().fold(0u32, |mut sum, byte| {
            sum ^= u32::from(*byte) << 24;
            for _ in 0..8 {
                sum = if sum & 1 << 31 == 0 { sum << 1 } else { sum << 1 ^ 0x04c1_1db7 };
            }
            sum
        });
        page[22..26].copy_from_slice(&sum.to_le_bytes());
        bytes.extend_from_slice(&page);
    }
    bytes
}

/// Vorbis I, section A.2: if the granule position of the first audio page is less than its number of samples, the
/// difference is cut off at the start.
#[test]
fn samples_before_the_start_are_cut_off_and_leave_no_hole() {
    let folder = folder();
    make_bad_inputs(folder.path());
    let path = folder.path().join("ok.ogg");
    let right = channel(&open(&path).source, 0);
    let pages = pages(&std::fs::read(&path).unwrap());
    let first = pages.iter().map(|page| granule(page)).find(|granule| *granule > 0).unwrap();
    let read = |bytes: &[u8]| {
        let Opened { source, notices } = opened(&folder, bytes);
        (channel(&source, 0), notices)
    };
    let (same, notices) = read(&restamped(&pages, |_, granule| granule));
    assert!(same == right && notices.is_empty(), "{notices:?}");
    // All positions are reduced equally: that of the first page stays positive, or becomes 0 or negative.
    for cut in [1, 100, first - 1, first, first + 1, first + 700, 3 * first] {
        let (found, notices) = read(&restamped(&pages, |_, granule| granule - cut));
        assert!(found == right[cut as usize..], "{cut}: {} samples of {}", found.len(), right.len());
        assert!(notices.is_empty(), "{cut}: {notices:?}");
    }
    // Only the first position is wrong: according to the others, none of its samples is cut off.
    for wrong in [-1, -500, 0, 10, -40 * first] {
        let (found, notices) = read(&restamped(&pages, |page, granule| if page == 0 { wrong } else { granule }));
        assert!(found == right, "{wrong}: {} samples of {}", found.len(), right.len());
        assert!(notices.is_empty(), "{wrong}: {notices:?}");
    }
    // All positions are too large: the audio still starts with its first sample.
    let (found, _) = read(&restamped(&pages, |_, granule| granule + 5000));
    assert!(found == right, "late: {} samples of {}", found.len(), right.len());
}

/// A damaged page whose stated length exceeds the file does not hide the pages after it.
#[test]
fn a_page_that_is_too_long_hides_none_behind_it() {
    let folder = folder();
    make_bad_inputs(folder.path());
    let path = folder.path().join("ok.ogg");
    let n_samples = open(&path).source.info().n_samples;
    let pages = pages(&std::fs::read(&path).unwrap());
    assert!(pages.len() > 4, "{} pages", pages.len());
    let mut damaged = pages.clone();
    let at = pages.len() - 2;
    // Sets the number of segments to 255, so that bytes of audio are read as segment lengths.
    damaged[at][26] = 255;
    let Opened { source, notices } = opened(&folder, &damaged.concat());
    assert_eq!(source.info().n_samples, n_samples, "{notices:?}");
    assert!(!notices.is_empty(), "what is lost is said");
}

/// Every page mark used to cost a checksum over up to 65 kB: 2 MB of marks took 22 s.
#[test]
fn marks_of_pages_without_pages_end_soon() {
    let folder = folder();
    make_bad_inputs(folder.path());
    let good = std::fs::read(folder.path().join("ok.ogg")).unwrap();
    let n_samples = open(&folder.path().join("ok.ogg")).source.info().n_samples;
    let mut longest = b"OggS\0\0".to_vec();
    longest.resize(26, 0);
    longest.push(255);
    for mark in [&b"OggS"[..], &longest] {
        let bytes = [&good[..], &mark.repeat((2 << 20) / mark.len())].concat();
        let began = std::time::Instant::now();
        assert_eq!(opened(&folder, &bytes).source.info().n_samples, n_samples);
        assert!(began.elapsed().as_secs_f64() < 15.0, "{:?}", began.elapsed());
    }
}
