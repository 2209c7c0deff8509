//! The playhead against what is heard: clicks in the file, their places in a recording of the sink, and what the player
//! said when each was heard, all on one clock.

use super::rig::{Rig, Running, wait_for};
use super::signals::write_wav;
use super::sound::SINK_HZ;
use sonobrush::base::{Progress, Settings};
use sonobrush::document::Snapshot;
use sonobrush::media::Source;
use sonobrush::playback::{Player, system_output};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// As which this binary plays a file and writes down where the playhead was.
pub const CHILD_MODE: &str = "--log-the-playhead";

const FIRST_SECS: f64 = 0.5;
const SPACING_SECS: f64 = 0.3;
const N_CLICKS: usize = 40;
const ATTEMPTS: usize = 3;

/// Seconds of the machine's clock.
pub fn now_secs() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

/// A recording of the sink of which every sample has a time on the machine's clock.
pub struct TimedRecorder {
    _process: Running,
    heard: Arc<Mutex<TimedRecording>>,
}

/// Samples of the left channel, and when how many of them had arrived.
#[derive(Default, Clone)]
pub struct TimedRecording {
    pub samples: Vec<f64>,
    arrivals: Vec<(usize, f64)>,
}

impl TimedRecorder {
    pub fn start(rig: &Rig) -> TimedRecorder {
        let mut command = rig.command("parec");
        command.args(["-d", "nul.monitor", "--latency-msec=5", "--format=float32le", "--rate=48000", "--channels=2"]);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut pipe = process.stdout.take().unwrap();
        let heard = Arc::new(Mutex::new(TimedRecording::default()));
        let theirs = heard.clone();
        std::thread::spawn(move || {
            let (mut left, mut block) = (Vec::new(), [0; 1 << 14]);
            while let Ok(n) = pipe.read(&mut block) {
                let at = now_secs();
                if n == 0 {
                    return;
                }
                left.extend_from_slice(&block[..n]);
                let n_whole = left.len() / 8 * 8;
                let mut heard = theirs.lock().unwrap();
                let frames = left[..n_whole].chunks_exact(8);
                heard.samples.extend(frames.map(|f| f64::from(f32::from_le_bytes(f[..4].try_into().unwrap()))));
                let n_samples = heard.samples.len();
                heard.arrivals.push((n_samples, at));
                left.drain(..n_whole);
            }
        });
        let recorder = TimedRecorder { _process: Running(process), heard };
        wait_for("the recorder", || (recorder.so_far().samples.len() > 4_800).then_some(()));
        recorder
    }

    pub fn so_far(&self) -> TimedRecording {
        self.heard.lock().unwrap().clone()
    }

    /// What was recorded, once a second more has come.
    pub fn stop(self) -> TimedRecording {
        let enough = self.so_far().samples.len() + SINK_HZ as usize;
        wait_for("a second more", || (self.heard.lock().unwrap().samples.len() > enough).then_some(()));
        self.so_far()
    }
}

impl TimedRecording {
    /// When a sample was heard. No sample arrives before it is heard, so the earliest arrivals are the most exact. Uses
    /// those within half a second on both sides, since the sink's clock is not this machine's: measured, it is up to 1
    /// part in 1,000 fast while something plays at another rate than its own.
    pub fn secs_at(&self, sample: usize) -> f64 {
        let reach = SINK_HZ as usize / 2;
        let first = self.arrivals.partition_point(|&(n, _)| n + reach < sample);
        let near = self.arrivals[first..].iter().take_while(|&&(n, _)| n <= sample + reach);
        let began_secs = near.map(|&(n, at)| at - n as f64 / SINK_HZ).fold(f64::INFINITY, f64::min);
        began_secs + sample as f64 / SINK_HZ
    }

    /// The sample that is heard at a time.
    pub fn sample_at(&self, secs: f64) -> usize {
        let (mut low, mut high) = (0, self.samples.len());
        while low + 1 < high {
            let middle = (low + high) / 2;
            if self.secs_at(middle) <= secs { low = middle } else { high = middle }
        }
        low
    }
}

/// Short bursts with a clear middle.
fn clicks(rate_hz: f64) -> Vec<f64> {
    // A second of silence at the end: when the device closes, the sink's clock makes a step.
    let n_samples = ((FIRST_SECS + N_CLICKS as f64 * SPACING_SECS + 1.0) * rate_hz) as usize;
    let mut samples = vec![0.0; n_samples];
    for click in 0..N_CLICKS {
        let middle = (FIRST_SECS + click as f64 * SPACING_SECS) * rate_hz;
        let reach = 0.001 * rate_hz;
        let first = (middle - reach).ceil() as usize;
        for (n, sample) in samples[first..=(middle + reach) as usize].iter_mut().enumerate() {
            let part = ((first + n) as f64 - middle) / reach;
            *sample = 0.8 * (std::f64::consts::FRAC_PI_2 * part).cos().powi(2);
        }
    }
    samples
}

/// The middles of the bursts in a recording.
fn heard_clicks(samples: &[f64]) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < samples.len() {
        if samples[at] > 0.2 {
            let end = (at + 240).min(samples.len());
            let middle = (at..end).max_by(|&a, &b| samples[a].total_cmp(&samples[b])).unwrap();
            found.push(middle);
            at = middle + 2_400;
        } else {
            at += 1;
        }
    }
    found
}

/// Where the playhead was at a time, between what was written down.
fn playhead_at(log: &[(f64, f64)], secs: f64) -> f64 {
    let after = log.partition_point(|(at, _)| *at < secs).clamp(1, log.len() - 1);
    let ((t0, p0), (t1, p1)) = (log[after - 1], log[after]);
    p0 + (p1 - p0) * ((secs - t0) / (t1 - t0)).clamp(0.0, 1.0)
}

/// Median, the distance between 5th and 95th percentile, and drift in 10 s, all in seconds.
#[derive(Debug, Clone, Copy)]
struct Agreement {
    median_secs: f64,
    spread_secs: f64,
    drift_secs: f64,
}

impl Agreement {
    /// `apart` is by how much the playhead was ahead of each click, in their order.
    fn of(apart: &[f64]) -> Agreement {
        let mut sorted = apart.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
        // The median of the slopes between all pairs that are far apart (Theil and Sen): a click of which the recorder
        // lost its moment does not count.
        let mut slopes = Vec::new();
        for i in 0..apart.len() {
            for j in i + apart.len() / 3..apart.len() {
                slopes.push((apart[j] - apart[i]) / ((j - i) as f64 * SPACING_SECS));
            }
        }
        slopes.sort_by(f64::total_cmp);
        Agreement {
            median_secs: at(0.5),
            spread_secs: at(0.95) - at(0.05),
            drift_secs: 10.0 * slopes[slopes.len() / 2],
        }
    }

    fn is_within(&self, buffer_secs: f64) -> bool {
        self.median_secs.abs() <= buffer_secs + 0.020
            && self.spread_secs <= buffer_secs + 0.010
            && self.drift_secs.abs() <= 0.001
    }
}

pub fn the_playhead_is_where_it_is_heard(rig: &Rig) {
    let buffer_frames = Settings::default().audio_buffer_frames;
    assert!(buffer_frames <= 1_024);
    // 13 s each. The first is not the sink's own, so that what converts it counts.
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    for &rate_hz in &[44_100, 48_000, 96_000][..if is_long { 3 } else { 1 }] {
        let file = rig.path(&format!("clicks-{rate_hz}.wav"));
        write_wav(&file, rate_hz, &clicks(f64::from(rate_hz)));
        let buffer_secs = f64::from(buffer_frames) / f64::from(rate_hz);
        // What else this machine does can make the sink late and the recorder lose time; it cannot make them agree.
        let is_good = (0..ATTEMPTS).any(|attempt| {
            let Some(apart) = measured(rig, &file, attempt) else { return false };
            let agreement = Agreement::of(&apart);
            println!("  {rate_hz} Hz: {agreement:.4?}, buffer {buffer_secs:.4} s");
            // The controls: late, drifting, and jumping playheads are found out.
            let bent = |bend: &dyn Fn(usize) -> f64| {
                let bent: Vec<f64> = apart.iter().enumerate().map(|(i, apart)| apart + bend(i)).collect();
                Agreement::of(&bent)
            };
            assert!(!bent(&|_| 0.120).is_within(buffer_secs));
            assert!(!bent(&|i| i as f64 * SPACING_SECS * 4e-4).is_within(buffer_secs));
            assert!(!bent(&|i| if i % 8 == 0 { 0.080 } else { 0.0 }).is_within(buffer_secs));
            agreement.is_within(buffer_secs)
        });
        assert!(is_good, "the playhead is not where the sound is, for a file at {rate_hz} Hz");
    }
}

/// The lead of the playhead at each click; `None` if the recording lacks some.
fn measured(rig: &Rig, file: &Path, attempt: usize) -> Option<Vec<f64>> {
    let log: PathBuf = rig.path(&format!("playhead-{attempt}.log"));
    let recorder = TimedRecorder::start(rig);
    let mut command = rig.command(std::env::current_exe().unwrap());
    let output = command.arg(CHILD_MODE).arg(file).env("PLAYHEAD_LOG", &log).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let recording = recorder.stop();
    let heard = heard_clicks(&recording.samples);
    if heard.len() != N_CLICKS {
        println!("  {} clicks of {N_CLICKS} were recorded", heard.len());
        return None;
    }
    let text = std::fs::read_to_string(&log).unwrap();
    let numbers = |line: &str| -> Option<(f64, f64)> {
        let (at, position) = line.split_once(' ')?;
        Some((at.parse().ok()?, position.parse().ok()?))
    };
    let log: Vec<(f64, f64)> = text.lines().filter_map(numbers).collect();
    let apart = heard.iter().enumerate().map(|(click, &sample)| {
        let is_at = FIRST_SECS + click as f64 * SPACING_SECS;
        playhead_at(&log, recording.secs_at(sample)) - is_at
    });
    Some(apart.collect())
}

/// The other side of [`the_playhead_is_where_it_is_heard`].
pub fn log_in_this_process(file: &str) -> ExitCode {
    let source = Source::open(Path::new(file), &Progress::new()).unwrap().source;
    let snapshot = Snapshot::new(source);
    let player = Player::new(system_output(None, Settings::default().audio_buffer_frames));
    player.load(Some(&snapshot));
    player.play(0, 0..snapshot.n_samples(), false);
    let began = Instant::now();
    let mut log = String::new();
    loop {
        let (before, status, after) = (now_secs(), player.status(), now_secs());
        assert_eq!(status.fault, None);
        if !status.playing || began.elapsed() > Duration::from_secs(60) {
            break;
        }
        // An interruption in between would be read as a jump of the playhead.
        if after - before < 0.001 {
            writeln!(log, "{:.6} {:.6}", (before + after) / 2.0, status.position_secs).unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    std::fs::write(std::env::var_os("PLAYHEAD_LOG").unwrap(), log).unwrap();
    ExitCode::SUCCESS
}
