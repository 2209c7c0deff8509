//! Playback without a device: a recording output calls the real callback on demand.

use audio::playback::{CallbackTimeouts, Player, PlayerStatus, Recorder, RecordingOutput, Sound};
use document::Snapshot;
use media::Source;
use std::time::{Duration, Instant};
use support::heap::heap_calls;

const TIMEOUT: Duration = Duration::from_secs(10);
const RATE: u32 = 48_000;

/// White noise from a seed, so that no two passages are equal.
fn noise(n_samples: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    (0..n_samples)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        })
        .collect()
}

fn sine(n_samples: usize, hz: f64, rate_hz: u32, level: f64) -> Vec<f32> {
    let turn = |n: usize| hz * n as f64 / f64::from(rate_hz);
    (0..n_samples).map(|n| (level * (std::f64::consts::TAU * turn(n)).sin()) as f32).collect()
}

fn snapshot(channels: Vec<Vec<f32>>, rate_hz: u32) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, rate_hz).unwrap())
}

fn player(rate_hz: Option<f64>, n_channels: usize, sound: &Snapshot) -> (Player, Recorder) {
    let (output, recorder) = RecordingOutput::new(rate_hz, n_channels);
    let player = Player::new(Box::new(output));
    player.load(Some(sound));
    (player, recorder)
}

/// Pulls `n_frames` in blocks of at most 480, and panics if a block is not ready within 10 s.
fn pull_all(recorder: &Recorder, n_frames: usize) {
    let mut left = n_frames;
    while left > 0 {
        let n = left.min(480);
        assert!(recorder.pull_ready(n, TIMEOUT), "nothing to play after {} frames", n_frames - left);
        left -= n;
    }
}

fn wait_for(player: &Player, what: &str, is_so: impl Fn(&PlayerStatus) -> bool) -> PlayerStatus {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let status = player.status();
        if is_so(&status) {
            return status;
        }
        assert!(Instant::now() < deadline, "never came: {what}; {status:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn channel(interleaved: &[f32], index: usize, n_channels: usize) -> Vec<f32> {
    interleaved.iter().skip(index).step_by(n_channels).copied().collect()
}

fn largest_step(samples: &[f32]) -> f32 {
    samples.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
}

#[test]
fn plays_exactly_the_samples_of_the_snapshot() {
    let (left, right) = (noise(30_000, 1), noise(30_000, 2));
    let sound = snapshot(vec![left.clone(), right.clone()], RATE);
    let (player, recorder) = player(None, 2, &sound);
    player.play(5_000, 0..30_000, false);
    assert!(player.status().playing);
    pull_all(&recorder, 25_000);
    wait_for(&player, "the end", |status| !status.playing);
    let out = recorder.samples();
    assert_eq!(channel(&out, 0, 2), left[5_000..]);
    assert_eq!(channel(&out, 1, 2), right[5_000..]);
    assert_ne!(channel(&out, 0, 2), left[4_999..29_999], "the comparison bites");
    let status = player.status();
    assert_eq!(status.underruns, 0);
    assert_eq!(status.position_secs, 30_000.0 / f64::from(RATE));
    assert_eq!(status.device.as_deref(), Some("48 kHz, 512 frames"));
    assert_eq!(status.fault, None);
}

#[test]
fn a_loop_wraps_at_its_sample() {
    let sound = noise(20_000, 3);
    let (player, recorder) = player(None, 1, &snapshot(vec![sound.clone()], RATE));
    player.play(9_000, 7_001..11_003, true);
    pull_all(&recorder, 20_000);
    // The last 6 ms of the loop (288 frames) are crossfaded with the frames before its start.
    let mut turn = sound[7_001..11_003].to_vec();
    for k in 0..288 {
        let gain = (k as f32 + 0.5) / 288.0;
        turn[4_002 - 288 + k] += (sound[7_001 - 288 + k] - sound[11_003 - 288 + k]) * gain;
    }
    let mut expected = turn[1_999..].to_vec();
    while expected.len() < 20_000 {
        expected.extend_from_slice(&turn);
    }
    assert_eq!(recorder.samples(), expected[..20_000]);
    let status = player.status();
    assert!(status.playing);
    let rate = f64::from(RATE);
    assert!((7_001.0 / rate..=11_003.0 / rate).contains(&status.position_secs), "{status:?}");

    // With looping turned off, the current pass ends at the end of the range.
    player.set_looping(false);
    while player.status().playing {
        recorder.pull_ready(480, Duration::from_millis(20));
    }
    assert_eq!(player.status().position_secs, 11_003.0 / rate);
}

/// Loops of a tone with a fractional number of periods, in both directions; a loop of a whole sound repeats it exactly.
#[test]
fn a_loop_of_any_range_does_not_click_at_its_seam() {
    let tone = sine(40_000, 310.0, RATE, 0.5);
    for (range, pace) in [(9_000..13_057, 1.0), (9_000..13_057, -1.0), (300..900, 1.0), (38_000..39_400, -2.0)] {
        let (player, recorder) = player(None, 1, &snapshot(vec![tone.clone()], RATE));
        player.shuttle(if pace > 0.0 { range.start } else { range.end }, range.clone(), true, pace);
        pull_all(&recorder, 20_000);
        let heard = recorder.samples();
        // Skips the start, which a resampler smooths.
        let step = largest_step(&heard[500..]);
        // The tone has a period of 155 samples, so it changes by at most 0.0203 per sample. The crossfade over 288
        // samples adds at most 1/288, since two values of the tone differ by at most 1.
        assert!(step < (0.0203 + 1.0 / 288.0) * pace.abs() as f32, "{range:?} at {pace}: {step}");
    }
    let whole = noise(6_000, 9);
    let (player, recorder) = player(None, 1, &snapshot(vec![whole.clone()], RATE));
    player.play(0, 0..6_000, true);
    pull_all(&recorder, 12_000);
    assert_eq!(recorder.samples()[..12_000], [whole.clone(), whole].concat());
}

#[test]
fn the_callback_neither_allocates_nor_frees() {
    let sound = snapshot(vec![noise(100_000, 4), noise(100_000, 5)], RATE);
    let other = snapshot(vec![noise(100_000, 6), noise(100_000, 7)], RATE);
    let (player, recorder) = player(None, 2, &sound);
    player.play(0, 0..100_000, true);
    let mut n_calls = 0;
    for round in 0..60 {
        match round % 20 {
            5 => player.load(Some(&other)),
            10 => player.play(50_000, 0..100_000, true),
            15 => player.stop(),
            16 => player.play(0, 0..100_000, true),
            _ => {}
        }
        std::thread::sleep(Duration::from_millis(2));
        n_calls += recorder.pull_watched(512, |run| heap_calls(run)).unwrap_or_default();
    }
    assert_eq!(n_calls, 0);
    assert!(recorder.samples().iter().any(|&sample| sample != 0.0));
    assert!(heap_calls(|| drop(vec![0u8; 100])) >= 2, "the counter bites");
}

#[test]
fn a_swap_crossfades_within_8_ms() {
    let (old, new) = (sine(96_000, 400.0, RATE, 0.4), sine(96_000, 430.0, RATE, 0.4));
    let (player, recorder) = player(None, 1, &snapshot(vec![old.clone()], RATE));
    player.play(0, 0..96_000, false);
    pull_all(&recorder, 4_800);
    player.load(Some(&snapshot(vec![new.clone()], RATE)));
    pull_all(&recorder, 24_000);
    let out = recorder.samples();
    let first = out.iter().zip(&old).position(|(out, old)| out != old).unwrap();
    let last = out.iter().zip(&new).rposition(|(out, new)| out != new).unwrap();
    let fade_secs = (last + 1 - first) as f64 / f64::from(RATE);
    assert!((0.005..=0.008).contains(&fade_secs), "the crossfade took {fade_secs} s");
    assert!(largest_step(&out) <= 1.1 * largest_step(&old).max(largest_step(&new)), "a click");
    let mut cut = old[..first].to_vec();
    cut.extend_from_slice(&new[first..]);
    let is_click = |at: usize| (cut[at] - cut[at - 1]).abs() > 1.1 * largest_step(&new);
    assert!((1..cut.len()).any(is_click) || (old[first] - new[first]).abs() < 0.05, "a hard cut would click");
    // The ring holds about 40 ms. The limit is 200 ms, since the recorder pulls faster than a device while the player
    // loads the new sound.
    assert!(first < 4_800 + 9_600, "the swap came {} frames late", first - 4_800);
}

#[test]
fn a_swap_is_in_the_ring_within_50_ms() {
    let sound = snapshot(vec![vec![0.25; 480_000]], RATE);
    let other = snapshot(vec![vec![0.5; 480_000]], RATE);
    let (player, recorder) = player(None, 1, &sound);
    player.play(0, 0..480_000, false);
    pull_all(&recorder, 9_600);
    player.load(Some(&other));
    std::thread::sleep(Duration::from_millis(30));
    // From here on, the output is what was left in the ring at the swap, then the new sound.
    let n_before = recorder.samples().len();
    pull_all(&recorder, 9_600);
    let heard = recorder.samples()[n_before..].iter().position(|&sample| sample > 0.25).unwrap();
    assert!(heard as f64 / f64::from(RATE) <= 0.040, "{heard} frames of the old sound");
}

#[test]
fn stop_fades_and_drops_the_ring() {
    let sound = snapshot(vec![vec![0.5; 96_000]], RATE);
    let (player, recorder) = player(None, 1, &sound);
    player.play(0, 0..96_000, false);
    pull_all(&recorder, 4_800);
    player.stop();
    let status = player.status();
    assert!(!status.playing);
    assert!(status.position_secs <= 0.1001, "{status:?}");
    let deadline = Instant::now() + TIMEOUT;
    while recorder.n_ready() > 0 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(1));
    }
    recorder.pull(4_800);
    let out = recorder.samples()[4_800..].to_vec();
    let n_audible = out.iter().position(|&sample| sample == 0.0).unwrap();
    assert!((1..=384).contains(&n_audible), "{n_audible} frames after stop");
    assert!(out[n_audible..].iter().all(|&sample| sample == 0.0));
    assert!(largest_step(&out) < 0.01, "the fade has a step of {}", largest_step(&out));
    assert_eq!(player.status().underruns, 0, "silence after stop is no underrun");
}

#[test]
fn seeking_in_mid_play_fades() {
    let sound = snapshot(vec![sine(96_000, 100.0, RATE, 0.5)], RATE);
    let (player, recorder) = player(None, 1, &sound);
    player.play(0, 0..96_000, false);
    pull_all(&recorder, 4_900);
    player.play(50_120, 0..96_000, false);
    std::thread::sleep(Duration::from_millis(30));
    pull_all(&recorder, 4_800);
    let out = recorder.samples();
    assert!(largest_step(&out) <= 0.5 / 288.0 + largest_step(&sine(96_000, 100.0, RATE, 0.5)), "a click");
    let tail = sine(96_000, 100.0, RATE, 0.5)[50_120 + 400..50_120 + 4_000].to_vec();
    assert!(out.windows(tail.len()).any(|window| window == tail), "plays from the new place");
}

#[test]
fn a_dry_ring_is_silence_and_counted() {
    let sound = snapshot(vec![vec![0.5; 96_000]], RATE);
    let (player, recorder) = player(None, 1, &sound);
    player.play(0, 0..96_000, false);
    pull_all(&recorder, 480);
    wait_for(&player, "a full ring", |_| recorder.n_ready() > 1_600);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(player.status().underruns, 0);
    assert!(recorder.pull(48_000), "a device that asks for a second at once");
    assert_eq!(player.status().underruns, 1);
    let out = recorder.samples();
    let n_sound = out.iter().take_while(|&&sample| sample == 0.5).count();
    assert!(n_sound > 480 && n_sound < 6_000, "{n_sound}");
    assert!(out[n_sound..].iter().all(|&sample| sample == 0.0));
}

/// Fits a sine of this frequency to the middle 80 % of the samples. Returns its amplitude, its delay in frames relative
/// to a sine that starts at the first sample, and the power of the residual relative to the sine, in dB.
fn fit(samples: &[f32], hz: f64, rate_hz: f64) -> (f64, f64, f64) {
    let middle = samples.len() / 10..samples.len() * 9 / 10;
    let angle = |n: usize| std::f64::consts::TAU * hz * n as f64 / rate_hz;
    let scale = 2.0 / middle.len() as f64;
    let (mut a, mut b) = (0.0, 0.0);
    for n in middle.clone() {
        a += scale * f64::from(samples[n]) * angle(n).sin();
        b += scale * f64::from(samples[n]) * angle(n).cos();
    }
    let rest = |n: usize| f64::from(samples[n]) - a * angle(n).sin() - b * angle(n).cos();
    let rest: f64 = middle.clone().map(|n| rest(n).powi(2)).sum();
    let residual_db = 10.0 * (rest / (0.5 * a.hypot(b).powi(2) * middle.len() as f64)).log10();
    (a.hypot(b), -b.atan2(a) / angle(1), residual_db)
}

#[test]
fn another_rate_keeps_frequency_and_level() {
    for (from, to) in [(44_100, 48_000.0), (96_000, 44_100.0), (8_000, 48_000.0)] {
        let sound = snapshot(vec![sine(from as usize, 1_000.0, from, 0.5)], from);
        let (player, recorder) = player(Some(to), 2, &sound);
        player.play(0, 0..u64::from(from), false);
        pull_all(&recorder, to as usize);
        wait_for(&player, "the end", |status| !status.playing);
        let left = channel(&recorder.samples(), 0, 2);
        assert_eq!(left, channel(&recorder.samples(), 1, 2), "mono is heard on both sides");
        let (level, late_frames, residual_db) = fit(&left, 1_000.0, to);
        assert!((20.0 * (level / 0.5).log10()).abs() < 0.05, "{from} to {to}: level {level}");
        assert!(late_frames.abs() < 0.01, "{from} to {to}: {late_frames} frames late");
        assert!(residual_db < -90.0, "{from} to {to}: {residual_db} dB beside the sine");
        assert!(fit(&left, 1_001.0, to).2 > -20.0, "the comparison bites");
    }
}

#[test]
fn tones_that_a_device_cannot_play_are_not_heard_as_others() {
    for (from, hz, to) in [(192_000, 30_000.0, 48_000.0), (96_000, 24_300.0, 44_100.0), (768_000, 60_000.0, 48_000.0)] {
        let sound = snapshot(vec![sine(from as usize / 2, hz, from, 0.5)], from);
        let (player, recorder) = player(Some(to), 2, &sound);
        player.play(0, 0..u64::from(from) / 2, false);
        pull_all(&recorder, to as usize / 2);
        wait_for(&player, "the end", |status| !status.playing);
        let left = channel(&recorder.samples(), 0, 2);
        // Away from the ends, where the sound begins and ends without a fade.
        let power: f64 = left[1_000..20_000].iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / 19_000.0;
        let heard_db = 10.0 * (power / (0.5 * 0.5f64.powi(2))).log10();
        assert!(heard_db < -90.0, "{hz} Hz at {from} to {to}: {heard_db} dB");
    }
}

#[test]
fn without_a_device_one_sentence_says_so() {
    let sound = snapshot(vec![vec![0.5; 48_000]], RATE);
    let (player, recorder) = player(None, 2, &sound);
    recorder.set_present(false);
    player.play(0, 0..48_000, false);
    let status = wait_for(&player, "a fault", |status| !status.playing || status.fault.is_some());
    let fault = status.fault.or_else(|| player.status().fault).unwrap();
    assert!(fault.to_string().contains("no sound device"), "{fault}");
    assert_eq!(player.status().fault, None, "told once");
    // The next play finds the device again.
    recorder.set_present(true);
    player.play(0, 0..48_000, false);
    pull_all(&recorder, 4_800);
    assert!(player.status().playing);
    // The device is lost during playback.
    recorder.set_present(false);
    let status = wait_for(&player, "the loss", |status| status.fault.is_some());
    assert!(!status.playing);
    assert!(status.position_secs > 0.0 && status.position_secs <= 0.1001, "{status:?}");
    wait_for(&player, "the closing", |_| !recorder.is_open());
    recorder.set_present(true);
    player.play(4_800, 0..48_000, false);
    pull_all(&recorder, 4_800);
    assert_eq!(recorder.n_opened(), 2);
}

#[test]
fn a_device_that_stops_answering_is_told() {
    let sound = snapshot(vec![vec![0.5; 48_000]], RATE);
    let (player, recorder) = player(None, 2, &sound);
    recorder.set_timeouts(Some(CallbackTimeouts::always(Duration::from_millis(100))));
    player.play(0, 0..48_000, false);
    pull_all(&recorder, 480);
    let status = wait_for(&player, "the watchdog", |status| status.fault.is_some());
    assert!(status.fault.unwrap().to_string().contains("stopped responding"));
    assert!(!status.playing);
}

/// After opening, callbacks may be far apart: an idle sink of a sound server may first play out 2 s of silence.
#[test]
fn a_device_that_is_slow_to_begin_is_waited_for() {
    let sound = snapshot(vec![vec![0.5; 48_000]], RATE);
    let (player, recorder) = player(None, 2, &sound);
    recorder.set_timeouts(Some(CallbackTimeouts { first: TIMEOUT, next: Duration::from_millis(100) }));
    player.play(0, 0..48_000, false);
    pull_all(&recorder, 480);
    std::thread::sleep(Duration::from_millis(400));
    let status = player.status();
    assert!(status.playing && status.fault.is_none(), "{status:?}");
    pull_all(&recorder, 47_520);
    let status = wait_for(&player, "the end", |status| !status.playing);
    assert_eq!(status.fault, None);
}

/// After an underrun, ALSA's plug-in for PulseAudio reopens its stream, which is as slow as opening it.
#[test]
fn a_device_that_begins_again_is_waited_for() {
    let sound = snapshot(vec![vec![0.5; 48_000]], RATE);
    let (player, recorder) = player(None, 2, &sound);
    let first = Duration::from_millis(600);
    recorder.set_timeouts(Some(CallbackTimeouts { first, next: Duration::from_millis(100) }));
    player.play(0, 0..48_000, true);
    let began = Instant::now();
    while began.elapsed() < first + Duration::from_millis(200) {
        pull_all(&recorder, 48);
        std::thread::sleep(Duration::from_millis(2));
    }
    recorder.report_restart();
    let restarted = Instant::now();
    let status = wait_for(&player, "the watchdog", |status| status.fault.is_some());
    assert!(restarted.elapsed() >= first, "{status:?} after {:?}", restarted.elapsed());
}

/// ALSA's plug-in for PulseAudio reports thousands of errors while its latency is unknown, but then continues.
#[test]
fn errors_that_pass_do_not_end_playing_and_those_that_stay_do() {
    let sound = snapshot(vec![vec![0.5; 480_000]], RATE);
    let (player, recorder) = player(None, 2, &sound);
    player.play(0, 0..480_000, false);
    pull_all(&recorder, 480);
    let began = Instant::now();
    // Reports errors for longer than the 500 ms after which a device counts as failed, but with callbacks in between.
    while began.elapsed() < Duration::from_millis(800) {
        recorder.report_trouble();
        pull_all(&recorder, 48);
        std::thread::sleep(Duration::from_millis(2));
    }
    let status = player.status();
    assert!(status.playing && status.fault.is_none(), "{status:?}");
    let status = wait_for(&player, "the failure", |status| {
        recorder.report_trouble();
        status.fault.is_some()
    });
    assert!(status.fault.unwrap().to_string().contains("was disconnected") && !status.playing);
    // The next play reopens the device.
    wait_for(&player, "the closing", |_| !recorder.is_open());
    player.play(0, 0..480_000, false);
    pull_all(&recorder, 480);
    assert!(player.status().playing && recorder.n_opened() == 2);
}

#[test]
fn loading_another_sound_stops() {
    let (player, recorder) = player(None, 1, &snapshot(vec![vec![0.5; 48_000]], RATE));
    player.play(0, 0..48_000, true);
    pull_all(&recorder, 4_800);
    player.load(Some(&snapshot(vec![vec![0.5; 44_100]], 44_100)));
    wait_for(&player, "the stop", |status| !status.playing);
    player.play(0, 0..44_100, false);
    wait_for(&player, "the other rate", |_| recorder.format().is_some_and(|format| format.rate_hz == 44_100.0));
    player.load(None);
    wait_for(&player, "the stop", |status| !status.playing);
    player.play(0, 0..44_100, false);
    wait_for(&player, "nothing to play", |status| !status.playing);
}

#[test]
fn backwards_is_the_same_samples_the_other_way() {
    let sound = noise(30_000, 8);
    let (player, recorder) = player(None, 1, &snapshot(vec![sound.clone()], RATE));
    player.shuttle(20_000, 0..30_000, false, -1.0);
    pull_all(&recorder, 10_000);
    let halfway = player.status().position_secs;
    pull_all(&recorder, 10_000);
    let status = wait_for(&player, "the start", |status| !status.playing);
    let backwards: Vec<f32> = sound[..20_000].iter().rev().copied().collect();
    assert_eq!(recorder.samples(), backwards);
    assert_ne!(recorder.samples(), sound[..20_000], "the comparison bites");
    assert_eq!(status.position_secs, 0.0);
    assert!(halfway < 20_000.0 / f64::from(RATE) && halfway >= 10_000.0 / f64::from(RATE) - 0.001, "{halfway}");
}

#[test]
fn a_swap_while_going_backwards_stays_in_place() {
    let (old, new) = (noise(90_000, 9), noise(90_000, 10));
    let (player, recorder) = player(None, 1, &snapshot(vec![old.clone()], RATE));
    player.shuttle(80_000, 0..90_000, false, -1.0);
    pull_all(&recorder, 9_600);
    player.load(Some(&snapshot(vec![new.clone()], RATE)));
    pull_all(&recorder, 24_000);
    let out = recorder.samples();
    assert_eq!(out[9_599], old[80_000 - 9_600]);
    let backwards: Vec<f32> = new[80_000 - out.len()..80_000 - 24_000].iter().rev().copied().collect();
    assert_eq!(out[24_000..], backwards);
    assert_eq!(player.status().underruns, 0);
}

#[test]
fn a_difference_and_a_channel_alone_are_heard() {
    // Halved, since the difference could otherwise exceed full scale, and the limiter would change it.
    let [a, b, c] =
        [11, 12, 13].map(|seed| noise(20_000, seed).iter().map(|sample| sample / 2.0).collect::<Vec<f32>>());
    let (output, recorder) = RecordingOutput::new(None, 2);
    let player = Player::new(Box::new(output));
    let less = Some(snapshot(vec![c.clone(), c.clone()], RATE));
    let sound = Sound { snapshot: snapshot(vec![a, b.clone()], RATE), less, solo: Some(1) };
    player.set_sound(&sound);
    player.play(0, 0..20_000, false);
    pull_all(&recorder, 20_000);
    let difference: Vec<f32> = b.iter().zip(&c).map(|(b, c)| b - c).collect();
    assert!(channel(&recorder.samples(), 1, 2) == difference);
    assert!(channel(&recorder.samples(), 0, 2).iter().all(|&sample| sample == 0.0));
}

/// Amplitude of a tone, measured with a Hann window over the whole signal.
fn tone_at(samples: &[f32], hz: f64, rate_hz: f64) -> f64 {
    let n = samples.len() as f64;
    let (mut re, mut im, mut sum) = (0.0, 0.0, 0.0);
    for (k, &sample) in samples.iter().enumerate() {
        let window = 0.5 - 0.5 * (std::f64::consts::TAU * k as f64 / n).cos();
        let turn = std::f64::consts::TAU * hz * k as f64 / rate_hz;
        re += window * f64::from(sample) * turn.cos();
        im += window * f64::from(sample) * turn.sin();
        sum += window;
    }
    2.0 * f64::hypot(re, im) / sum
}

/// At a tenth of the speed, a bat call of 45 kHz, sampled at 384 kHz, plays at 4,500 Hz, at an unchanged level and
/// without images at other frequencies.
#[test]
fn at_a_tenth_of_the_speed_pitch_is_a_tenth() {
    let rate = 384_000;
    let sound = snapshot(vec![sine(384_000, 45_000.0, rate, 0.5)], rate);
    let (player, recorder) = player(None, 1, &sound);
    player.shuttle(0, 0..384_000, false, 0.1);
    pull_all(&recorder, 48_000 * 4);
    let position_secs = player.status().position_secs;
    let out = recorder.samples();
    assert_eq!(
        recorder.format().map(|format| format.rate_hz),
        Some(48_000.0),
        "the device is asked for a rate that it has"
    );
    let heard = &out[24_000..24_000 + 131_072];
    let db = |amplitude: f64| 20.0 * amplitude.log10();
    let around: Vec<f64> = (-20..=20).map(|k| 4_500.0 + 0.05 * f64::from(k)).collect();
    let peak_hz = around
        .iter()
        .copied()
        .max_by(|a, b| tone_at(heard, *a, 48_000.0).total_cmp(&tone_at(heard, *b, 48_000.0)))
        .unwrap();
    assert!((peak_hz - 4_500.0).abs() <= 0.1, "{peak_hz} Hz");
    let level_db = db(tone_at(heard, 4_500.0, 48_000.0) / 0.5);
    assert!(level_db.abs() <= 0.1, "{level_db} dB");
    // Images at 38,400 - 4,500 and 38,400 + 4,500 Hz, folded at 24,000 Hz; and harmonics.
    for image_hz in [14_100.0, 5_100.0, 9_000.0, 13_500.0] {
        let image_db = db(tone_at(heard, image_hz, 48_000.0) / 0.5);
        assert!(image_db <= -90.0, "{image_db} dB at {image_hz} Hz");
    }
    // 4 s of output at a tenth of the speed are 0.4 s of the sound.
    assert!((position_secs - 0.4).abs() < 0.01, "{position_secs}");
}

/// The lowest speed, a twentieth, at which 2,205 of the 44,100 samples are played per second.
#[test]
fn at_a_twentieth_a_loop_is_seamless_and_images_are_silent() {
    let rate = 44_100;
    // 50 ms with exactly 50 periods of 1,000 Hz, so that the loop is seamless.
    let period = sine(2_205, 1_000.0, rate, 0.5);
    let (player, recorder) = player(Some(48_000.0), 1, &snapshot(vec![period], rate));
    player.shuttle(0, 0..2_205, true, 1.0 / 20.0);
    pull_all(&recorder, 48_000 * 5);
    let out = recorder.samples();
    let heard = &out[24_000..24_000 + 196_608];
    let db = |amplitude: f64| 20.0 * amplitude.log10();
    let level_db = db(tone_at(heard, 50.0, 48_000.0) / 0.5);
    assert!(level_db.abs() <= 0.1, "{level_db} dB");
    for image_hz in [2_155.0, 2_255.0, 4_360.0, 4_460.0] {
        let image_db = db(tone_at(heard, image_hz, 48_000.0) / 0.5);
        assert!(image_db <= -90.0, "{image_db} dB at {image_hz} Hz");
    }
    // The tone of 50 Hz changes by at most 0.0033 per sample; a click at a seam would be a larger change.
    assert!(largest_step(heard) < 0.5 * 0.0068, "{}", largest_step(heard));
    assert_eq!(player.status().underruns, 0);
}

#[test]
fn the_speed_changes_while_it_plays_without_a_click() {
    let rate = 48_000;
    let sound = snapshot(vec![sine(480_000, 500.0, rate, 0.5)], rate);
    let (player, recorder) = player(None, 1, &sound);
    player.shuttle(0, 0..480_000, true, 1.0);
    pull_all(&recorder, 4_800);
    let mut state = 7u32;
    let n_changes = if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 1_000 } else { 60 };
    for _ in 0..n_changes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let pace = [0.05, 0.1, 0.125, 0.25, 0.5, 1.0, 2.0][(state >> 16) as usize % 7];
        let at = (player.status().position_secs * f64::from(rate)) as u64;
        // Waits until the ring holds enough frames for the fade-out, as it does with a real device.
        wait_for(&player, "a full ring", |_| recorder.n_ready() > 600);
        player.shuttle(at, 0..480_000, true, pace);
        wait_for(&player, "the change", |_| recorder.n_to_drop() > 0);
        pull_all(&recorder, 2_400);
    }
    // At twice the speed, this tone changes by at most 0.065 per sample; a jump to another position could change it by
    // up to 1.
    assert!(largest_step(&recorder.samples()) < 0.14, "{}", largest_step(&recorder.samples()));
    assert_eq!(player.status().underruns, 0);
    // It stops within 50 ms.
    player.stop();
    wait_for(&player, "the stop", |status| !status.playing);
    let n_before = recorder.samples().len();
    recorder.pull(4_800);
    let after = recorder.samples();
    assert!(after[n_before + 2_400..].iter().all(|sample| *sample == 0.0));
}
