//! Stretched sound: pitch, level, stereo image and onsets are preserved; the length is exact; rendering in pieces gives
//! the same samples.

#![allow(clippy::print_stdout, reason = "the figures of docs/quality.md are read off what the tests print")]

use dsp::pitch::onsets::onset_transform;
use dsp::warps::peak_locking::LockedPeaks;
use dsp::warps::stretch::{Stretcher, TimeMap, onsets_in, stretch_transform, stretched_length};
use dsp::{Stft, StftParams, Window};
use sonobrush_media::Resampled;
use std::f64::consts::TAU;
use std::sync::Arc;
use support::attacks::{attacks, distance_ms, envelope};
use support::clips::recording;
use support::measure::{snr_db, snr_db_f32, strongest_tone};
use support::signals::{busy, tone};

const RATE: f64 = 44_100.0;

/// Reads samples of every channel, silent beyond the ends.
fn reader(x: &[Vec<f32>]) -> impl FnMut(i64, usize) -> base::Result<Vec<Vec<f32>>> + '_ {
    |first, n| {
        let at = |channel: &Vec<f32>, k: i64| {
            let k = usize::try_from(k).ok();
            k.and_then(|k| channel.get(k)).copied().unwrap_or(0.0)
        };
        Ok(x.iter().map(|channel| (first..first + n as i64).map(|k| at(channel, k)).collect()).collect())
    }
}

fn found_onsets(x: &[Vec<f32>], rate: f64) -> Vec<u64> {
    let stft = Stft::new(onset_transform(rate));
    onsets_in(&stft, rate, x[0].len() as u64, &mut reader(x), |_| Ok(())).unwrap()
}

fn stretcher(x: &[Vec<f32>], rate: f64, percent: f64, onsets: &[u64]) -> Stretcher {
    stretcher_by(LockedPeaks::Narrow, x, rate, percent, onsets)
}

fn stretcher_by(peaks: LockedPeaks, x: &[Vec<f32>], rate: f64, percent: f64, onsets: &[u64]) -> Stretcher {
    let params = stretch_transform(rate);
    let n = x[0].len() as u64;
    let map = TimeMap::new(n, stretched_length(n, percent), onsets, params.n_fft as u64 / 2);
    Stretcher::new(Arc::new(Stft::new(params)), rate, map, x.len(), peaks)
}

fn stretched(x: &[Vec<f32>], rate: f64, percent: f64) -> Vec<Vec<f32>> {
    stretched_by(LockedPeaks::Narrow, x, rate, percent)
}

fn stretched_by(peaks: LockedPeaks, x: &[Vec<f32>], rate: f64, percent: f64) -> Vec<Vec<f32>> {
    let onsets = found_onsets(x, rate);
    let mut stretcher = stretcher_by(peaks, x, rate, percent, &onsets);
    stretcher.next(stretched_length(x[0].len() as u64, percent) as usize, &mut reader(x)).unwrap()
}

/// Shifts the pitch by stretching, then resampling to the original length.
fn shifted(x: &[Vec<f32>], rate: f64, semitones: f64) -> Vec<Vec<f32>> {
    let ratio = (semitones / 12.0).exp2();
    let onsets = found_onsets(x, rate);
    let mut stretcher = stretcher(x, rate, 100.0 * ratio, &onsets);
    let mut resampled = Resampled::new(ratio, 1.0, x.len()).unwrap();
    let mut read = reader(x);
    resampled.next(x[0].len(), &mut |n| stretcher.next(n, &mut read)).unwrap()
}

fn cents(hz: f64, of: f64) -> f64 {
    1200.0 * (hz / of).log2()
}

fn decibels(level: f64, of: f64) -> f64 {
    20.0 * (level / of).log10()
}

/// The middle 16,384 samples.
fn middle(x: &[f32]) -> &[f32] {
    &x[x.len() / 2 - 8192..x.len() / 2 + 8192]
}

#[test]
fn a_stretched_tone_keeps_its_pitch_and_its_level() {
    let mut worst = [0.0f64; 2];
    for hz in [110.0, 440.0, 997.3, 6_543.2] {
        let x = vec![tone(60_000, RATE, hz, 0.4)];
        for percent in [50.0, 75.0, 99.0, 110.0, 133.3, 150.0, 200.0] {
            let y = stretched(&x, RATE, percent);
            assert_eq!(y[0].len(), (60_000.0 * percent / 100.0_f64).round() as usize);
            let found = strongest_tone(middle(&y[0]), RATE, 0.8 * hz, 1.25 * hz);
            let off = [cents(found.hz, hz).abs(), decibels(found.level, 0.4).abs()];
            worst = [worst[0].max(off[0]), worst[1].max(off[1])];
            assert!(off[0] < 2.0 && off[1] < 0.5, "{hz} Hz to {percent} %: {off:?}");
        }
    }
    println!("stretched tones: within {:.3} cents and {:.3} dB", worst[0], worst[1]);
    let off = strongest_tone(&tone(16_384, RATE, 441.0, 0.4), RATE, 400.0, 500.0);
    assert!(cents(off.hz, 440.0) > 2.0, "the measure tells 4 cents");
}

#[test]
fn a_shifted_tone_is_at_its_pitch_and_as_long() {
    let mut worst = [0.0f64; 2];
    for hz in [220.0, 1_000.7] {
        let x = vec![tone(60_000, RATE, hz, 0.4)];
        for semitones in [-12.0, -7.0, -0.5, 1.0, 4.0, 12.0] {
            let y = shifted(&x, RATE, semitones);
            assert_eq!(y[0].len(), 60_000);
            let wanted = hz * (semitones / 12.0_f64).exp2();
            let found = strongest_tone(middle(&y[0]), RATE, 0.8 * wanted, 1.25 * wanted);
            let off = [cents(found.hz, wanted).abs(), decibels(found.level, 0.4).abs()];
            worst = [worst[0].max(off[0]), worst[1].max(off[1])];
            assert!(off[0] < 2.0 && off[1] < 0.5, "{hz} Hz by {semitones}: {off:?}");
        }
    }
    println!("shifted tones: within {:.3} cents and {:.3} dB", worst[0], worst[1]);
}

#[test]
fn drums_keep_their_onsets() {
    for name in ["tabla_loop_44k_stereo.flac", "drum_break_44k_stereo.flac"] {
        let (rate, x) = recording(name);
        let (onsets, before) = (found_onsets(&x, rate), envelope(&x, rate));
        let attacks = attacks(&before);
        assert!(attacks.len() >= 20, "{name}: {}", attacks.len());
        for percent in [50.0, 60.0, 75.0, 105.0, 110.0, 125.0, 150.0, 200.0] {
            let ways = [(LockedPeaks::Narrow, onsets.as_slice()), (LockedPeaks::Wide, &[])];
            let [ours, plain] = ways.map(|(peaks, onsets)| {
                let n = stretched_length(x[0].len() as u64, percent) as usize;
                let y = stretcher_by(peaks, &x, rate, percent, onsets).next(n, &mut reader(&x)).unwrap();
                let after = envelope(&y, rate);
                let off = |at: &usize| distance_ms(&before, *at, &after, *at as f64 * percent / 100.0);
                let mut off: Vec<f64> = attacks.iter().map(off).collect();
                off.sort_by(f64::total_cmp);
                off
            });
            let within = |all: &[f64]| all.iter().filter(|off| **off <= 5.0).count();
            let median = |all: &[f64]| all[all.len() / 2];
            println!(
                "{name} to {percent} %: {} of {} within 5 ms, median {:.2} ms, worst {:.1} ms; wide, no onsets {}, \
                 {:.2} ms, {:.1} ms",
                within(&ours),
                ours.len(),
                median(&ours),
                ours[ours.len() - 1],
                within(&plain),
                median(&plain),
                plain[plain.len() - 1],
            );
            assert_eq!(within(&ours), ours.len(), "{name} to {percent} %");
            assert!(median(&ours) < 1.0, "{name} to {percent} %");
            if percent == 200.0 {
                assert!(within(&plain) * 100 < plain.len() * 75, "{name}: the measure tells a smeared attack");
            }
        }
    }
}

/// Log-spectral distance of `y` from `x` in dB: the RMS level difference of a frame over bins at most 60 dB below the
/// loudest bin of `x`, averaged over frames.
fn log_spectral_distance(y: &[f32], x: &[f32]) -> f64 {
    let stft = Stft::new(StftParams::of_size(2048, 4, Window::Hann));
    let n_frames = (x.len() - 2048) / 512 + 1;
    let [y, x] = [y, x].map(|samples| {
        let mut spectra = vec![Default::default(); n_frames * 1025];
        stft.forward(&samples[..stft.n_samples_under(n_frames)], &mut spectra);
        spectra.iter().map(|cell| 20.0 * f64::from(cell.norm().max(1e-12)).log10()).collect::<Vec<_>>()
    });
    let loudest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let of_frame = |(y, x): (&[f64], &[f64])| {
        let heard = x.iter().zip(y).filter(|(x, _)| **x > loudest - 60.0);
        let squares: Vec<f64> = heard.map(|(x, y)| (x - y.max(loudest - 80.0)).powi(2)).collect();
        (!squares.is_empty()).then(|| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
    };
    let frames: Vec<f64> = y.chunks(1025).zip(x.chunks(1025)).filter_map(of_frame).collect();
    frames.iter().sum::<f64>() / frames.len() as f64
}

#[test]
fn by_narrow_peaks_sound_comes_back_nearer_to_what_it_was() {
    for name in ["choir_44k_stereo_float64.wav", "guitar_chord_44k_stereo.flac", "crow_44k_mono.flac"] {
        let (rate, x) = recording(name);
        let n = x[0].len().min((2.5 * rate) as usize);
        let x = vec![x[0][..n].to_vec()];
        let [wide, narrow] = [LockedPeaks::Wide, LockedPeaks::Narrow].map(|peaks| {
            let there = stretched_by(peaks, &x, rate, 200.0);
            log_spectral_distance(&stretched_by(peaks, &there, rate, 50.0)[0], &x[0])
        });
        println!("{name} to 200 % and back: {wide:.2} dB off by wide peaks, {narrow:.2} dB by narrow ones");
        assert!(narrow < wide - 0.5, "{name}: {narrow} and {wide} dB");
    }
}

#[test]
fn hits_are_copied_to_where_they_belong() {
    let places = || (5_000..95_000).step_by(9_000);
    let hit = |k: usize| 0.8 * (-(k as f32) / 60.0).exp() * if k.is_multiple_of(2) { 1.0 } else { -0.6 };
    let mut x = vec![vec![0.0f32; 100_000]];
    places().for_each(|at| (0..400).for_each(|k| x[0][at + k] = hit(k)));
    for percent in [50.0, 80.0, 125.0, 200.0] {
        let onsets = found_onsets(&x, RATE);
        let n = stretched_length(100_000, percent) as usize;
        let [ours, plain] = [onsets.as_slice(), &[]]
            .map(|onsets| stretcher(&x, RATE, percent, onsets).next(n, &mut reader(&x)).unwrap().remove(0));
        for at in places() {
            let to = (at as f64 * percent / 100.0).round() as usize;
            let wanted: Vec<f32> = (0..300).map(hit).collect();
            assert!(snr_db_f32(&ours[to..to + 300], &wanted) > 80.0, "{percent} %, hit at {at}");
            assert!(ours[to - 1000..to].iter().all(|y| y.abs() < 1e-4), "no echo before it");
            assert!(snr_db_f32(&plain[to..to + 300], &wanted) < 10.0, "the control smears");
        }
    }
}

#[test]
fn hits_that_share_a_window_are_each_heard_once_and_in_place() {
    // Pairs 29 ms apart, the second one quieter, over a low tone.
    let places = || (8_000..90_000).step_by(16_000).flat_map(|at| [(at, 1.0f32), (at + 1_279, 0.6)]);
    let hit = |k: usize| 0.6 * (-(k as f32) / 60.0).exp() * if k.is_multiple_of(2) { 1.0 } else { -0.6 };
    let mut x = vec![tone(100_000, RATE, 110.0, 0.2)];
    places().for_each(|(at, level)| (0..400).for_each(|k| x[0][at + k] += level * hit(k)));
    let bends = |y: &[f32]| y.windows(3).map(|y| (y[0] - 2.0 * y[1] + y[2]).abs()).fold(0.0, f32::max);
    for percent in [50.0, 60.0, 75.0, 125.0, 175.0] {
        let onsets = found_onsets(&x, RATE);
        let n = stretched_length(100_000, percent) as usize;
        let [ours, plain] = [onsets.as_slice(), &[]]
            .map(|onsets| stretcher(&x, RATE, percent, onsets).next(n, &mut reader(&x)).unwrap().remove(0));
        let own = bends(&x[0][7_990..8_010]);
        let to = |at: usize| (at as f64 * percent / 100.0).round() as usize;
        let mut until = 2_000;
        for (at, level) in places() {
            let here = bends(&ours[to(at) - 30..to(at) + 30]) / (level * own);
            assert!((0.98..1.02).contains(&here), "{percent} %, hit at {at}: {here} of its level");
            // No click or echo between the previous hit and this one.
            let between = bends(&ours[until..to(at) - 30]) / own;
            assert!(between < 0.01, "{percent} %, before the hit at {at}: {between}");
            until = to(at) + 400;
        }
        let smeared = bends(&plain[to(8_000) - 30..to(8_000) + 30]) / own;
        assert!(smeared < 0.6, "the control smears: {smeared}");
    }
}

#[test]
fn the_stereo_image_stays() {
    // One signal mostly left, another mostly right, and a tone in the middle.
    let n = 120_000;
    let (left, right) = (busy(n, RATE, 3), busy(n, RATE, 4));
    let mid = tone(n, RATE, 523.3, 0.2);
    let mix = |a: &[f32], b: &[f32], part: f32| -> Vec<f32> { (0..n).map(|k| a[k] + part * b[k] + mid[k]).collect() };
    let x = vec![mix(&left, &right, 0.2), mix(&right, &left, 0.1)];
    let image = |x: &[Vec<f32>]| {
        let sum = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let [ll, rr, lr] = [sum(&x[0], &x[0]), sum(&x[1], &x[1]), sum(&x[0], &x[1])];
        [10.0 * (ll / rr).log10(), lr / (ll * rr).sqrt()]
    };
    let before = image(&x);
    let mut worst = [0.0f64; 2];
    for percent in [60.0, 140.0, 200.0] {
        let after = image(&stretched(&x, RATE, percent));
        let alone = image(&[stretched(&x[..1], RATE, percent).remove(0), stretched(&x[1..], RATE, percent).remove(0)]);
        let off = [0, 1].map(|i| (after[i] - before[i]).abs());
        worst = [worst[0].max(off[0]), worst[1].max(off[1])];
        assert!(off[0] < 0.3 && off[1] < 0.05, "{percent} %: {before:?} became {after:?}");
        assert!((alone[1] - before[1]).abs() > 2.0 * off[1], "channel by channel it is lost: {alone:?}");
    }
    println!("level difference within {:.2} dB, correlation within {:.3} of {:.3}", worst[0], worst[1], before[1]);
    // Identical channels stay identical to the bit.
    let y = stretched(&[left.clone(), left], RATE, 150.0);
    assert!(y[0] == y[1]);
}

#[test]
fn one_hundred_percent_changes_no_sample() {
    let x = vec![busy(30_000, RATE, 5), busy(30_000, RATE, 6)];
    assert!(stretched(&x, RATE, 100.0) == x);
    assert!(stretched(&x, RATE, 101.0)[0][..30_000] != x[0][..]);
}

#[test]
fn pieces_are_the_whole() {
    let x = vec![busy(50_000, RATE, 1), busy(50_000, RATE, 2)];
    let onsets = found_onsets(&x, RATE);
    for percent in [70.0, 160.0] {
        let whole = stretched(&x, RATE, percent);
        let mut pieces = vec![Vec::new(); 2];
        let mut stretcher = stretcher(&x, RATE, percent, &onsets);
        for n in [1, 999, 17, 20_000, 3, 70_000] {
            let piece = stretcher.next(n, &mut reader(&x)).unwrap();
            pieces.iter_mut().zip(piece).for_each(|(all, piece)| all.extend(piece));
        }
        assert!(pieces.iter().zip(&whole).all(|(pieces, whole)| pieces[..whole.len()] == whole[..]), "{percent}");
    }
}

#[test]
fn resampled_sound_is_in_place_and_clean() {
    for (from, to) in [(44_100.0, 48_000.0), (48_000.0, 44_100.0), (2.0, 1.0), (1.059_463_094_359_295_3, 1.0)] {
        for cycles in [0.01, 0.2] {
            let mut next = 0;
            let mut read = |n: usize| {
                let at = |k: usize| (TAU * (cycles * k as f64).fract()).sin() as f32;
                let samples = (next..next + n).map(at).collect();
                next += n;
                Ok(vec![samples])
            };
            let mut resampled = Resampled::new(from, to, 1).unwrap();
            let mut y = resampled.next(5_001, &mut read).unwrap().remove(0);
            y.extend(resampled.next(4_999, &mut read).unwrap().remove(0));
            // Least-squares fit of a sine at the resampled frequency.
            let angle = |k: usize| TAU * (cycles * from / to * k as f64).fract();
            let sum = |f: &dyn Fn(f64, f64) -> f64| (2_000..10_000).map(|k| f(f64::from(y[k]), angle(k))).sum::<f64>();
            let [ss, cc, sc] =
                [sum(&|_, a| a.sin().powi(2)), sum(&|_, a| a.cos().powi(2)), sum(&|_, a| a.sin() * a.cos())];
            let (ys, yc) = (sum(&|y, a| y * a.sin()), sum(&|y, a| y * a.cos()));
            let det = ss * cc - sc * sc;
            let (p, q) = ((ys * cc - yc * sc) / det, (yc * ss - ys * sc) / det);
            let off = q.atan2(p) / TAU / (cycles * from / to);
            let error = sum(&|y, a| (y - p * a.sin() - q * a.cos()).powi(2)) / sum(&|y, _| y * y);
            let case = format!("{from} to {to}, {cycles}");
            assert!(off.abs() < 0.01 && (p.hypot(q) - 1.0).abs() < 1e-4, "{case}: {off} samples, {}", p.hypot(q));
            assert!(10.0 * error.log10() < -120.0, "{case}: {} dB", 10.0 * error.log10());
        }
    }
}

/// DFT of `size` samples around `centre` under a periodic Hann window, computed in f64 from the definition: real and
/// imaginary part of each bin.
fn frame(x: &[f32], centre: i64, size: usize) -> Vec<[f64; 2]> {
    let window = |k: usize| 0.5 - 0.5 * (TAU * k as f64 / size as f64).cos();
    let at = |k: usize| usize::try_from(centre + k as i64 - size as i64 / 2).ok().and_then(|k| x.get(k)).copied();
    let frame: Vec<f64> = (0..size).map(|k| window(k) * f64::from(at(k).unwrap_or(0.0))).collect();
    let bin = |m: usize| {
        let angle = |k: usize| TAU * ((m * k) % size) as f64 / size as f64;
        let sum = |part: fn(f64) -> f64| frame.iter().enumerate().map(|(k, x)| x * part(angle(k))).sum::<f64>();
        [sum(f64::cos), -sum(f64::sin)]
    };
    (0..=size / 2).map(bin).collect()
}

/// Reference phase vocoder in f64, for one channel and without onsets. A peak is a bin no quieter than its `n_beside`
/// neighbours on each side.
fn plain_vocoder(x: &[f32], n_output: usize, size: usize, n_beside: i64) -> Vec<f64> {
    let (step, half) = (size / 8, size as i64 / 2);
    let ratio = x.len() as f64 / n_output as f64;
    let mut y = vec![0.0; n_output];
    let mut given: Option<Vec<[f64; 2]>> = None;
    for k in -half / step as i64..(n_output as i64 + half) / step as i64 + 1 {
        let output = k * step as i64;
        let inside = (0..n_output as i64).contains(&output);
        let input = if inside {
            (output as f64 * ratio).round() as i64
        } else if output < 0 {
            output
        } else {
            output - n_output as i64 + x.len() as i64
        };
        let now = frame(x, input, size);
        let turned = match &given {
            None => now.clone(),
            Some(given) => {
                let before = frame(x, input - step as i64, size);
                let power: Vec<f64> = now.iter().map(|[re, im]| re * re + im * im).collect();
                let at = |m: i64| usize::try_from(m).ok().and_then(|m| power.get(m)).copied().unwrap_or(0.0);
                let is_peak =
                    |m: &usize| (-n_beside..=n_beside).all(|by| at(*m as i64 + by) <= power[*m]) && power[*m] > 0.0;
                let peaks: Vec<usize> = (0..power.len()).filter(is_peak).collect();
                let valley = |pair: &[usize]| {
                    (pair[0] + 1..pair[1]).min_by(|a, b| power[*a].total_cmp(&power[*b])).unwrap_or(pair[0] + 1)
                };
                let ends: Vec<usize> = peaks.windows(2).map(valley).collect();
                let turn = |m: usize| {
                    let ([a, b], [c, d]) = (given[m], before[m]);
                    let [re, im] = [a * c + b * d, b * c - a * d];
                    let norm = re.hypot(im);
                    if norm > 0.0 { [re / norm, im / norm] } else { [1.0, 0.0] }
                };
                let of = |m: usize| {
                    peaks.get(ends.iter().filter(|end| **end <= m).count()).map_or([1.0, 0.0], |peak| turn(*peak))
                };
                now.iter()
                    .enumerate()
                    .map(|(m, [a, b])| {
                        let [c, d] = of(m);
                        [a * c - b * d, a * d + b * c]
                    })
                    .collect()
            }
        };
        for i in 0..size {
            let Some(place) = usize::try_from(output + i as i64 - half).ok().filter(|place| *place < n_output) else {
                continue;
            };
            let sum: f64 = turned
                .iter()
                .enumerate()
                .map(|(m, [re, im])| {
                    let angle = TAU * ((m * i) % size) as f64 / size as f64;
                    let twice = if m == 0 || m == size / 2 { 1.0 } else { 2.0 };
                    let im = if twice == 1.0 { 0.0 } else { *im };
                    twice * (re * angle.cos() - im * angle.sin())
                })
                .sum();
            let window = 0.5 - 0.5 * (TAU * i as f64 / size as f64).cos();
            // The squares of the eight overlapping Hann windows add up to 3.
            y[place] += window * sum / size as f64 / 3.0;
        }
        given = Some(turned);
    }
    y
}

#[test]
fn the_stream_is_the_vocoder_as_it_is_defined() {
    // At this sample rate, windows have 64 samples.
    let (rate, x) = (1_400.0, busy(1_500, 1_400.0, 9));
    for percent in [50.0, 130.0, 200.0] {
        let n = stretched_length(1_500, percent) as usize;
        let plain = [2, 1].map(|n_beside| plain_vocoder(&x, n, 64, n_beside));
        for (peaks, plain) in [LockedPeaks::Wide, LockedPeaks::Narrow].into_iter().zip(&plain) {
            let mut stretcher = stretcher_by(peaks, std::slice::from_ref(&x), rate, percent, &[]);
            let y = stretcher.next(n, &mut reader(std::slice::from_ref(&x))).unwrap();
            let y: Vec<f64> = y[0].iter().map(|y| f64::from(*y)).collect();
            let snr = snr_db(&y, plain);
            println!("{percent} %, {peaks:?}: {snr:.1} dB to the plain form");
            assert!(snr > 110.0, "{percent} %, {peaks:?}: {snr} dB");
        }
        assert!(snr_db(&plain[1], &plain[0]) < 20.0, "other peaks are another sound");
        assert!(snr_db(&plain_vocoder(&x, n, 32, 2), &plain[0]) < 20.0, "another window is another sound");
    }
}
