//! Time cut and added: kept samples are unchanged, joins are crossfaded, and undo restores everything.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::{ErrorKind, Progress};
use document::brushes::{
    Brush, DeleteTime, DuplicateTime, Follows, Gain, Insert, InsertSilence, KeepTime, Lengthen, TimeStretch,
};
use document::session::{SourceSearch, save_new_project};
use document::{Applied, Channels, Edit, History, Script, Snapshot, TimeChange, apply, export};
use dsp::warps::peak_locking::LockedPeaks;
use dsp::{Axis, Clip, Selection, StftParams};
use engine::Engine;
use media::{ExportFormat, Source};
use std::ops::Range;
use support::opened::{clip, folder, open as open_file};
use support::sessions::{assert_same, desk, open};
use support::signals::{Rng, noise, tone};
use support::snapshots::{bits, samples};
use support::wav::{Format, Wav};

const RATE: u32 = 8_000;

fn edit(brush: impl Into<Brush>, secs: Option<[f64; 2]>) -> Edit {
    let select = secs.map(|secs| Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear));
    Edit { select, ..Edit::of(brush, StftParams::default()) }
}

fn applied(sound: &Snapshot, edit: &Edit) -> Applied {
    apply(sound, edit, &Engine::cpu(), &Progress::new()).unwrap()
}

fn refused(sound: &Snapshot, edit: &Edit) -> String {
    let error = apply(sound, edit, &Engine::cpu(), &Progress::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Script);
    error.message().to_owned()
}

/// Original position of each sample, as runs of position and length. The position is `None` for
/// silence, clips and joins.
#[derive(Clone)]
struct Origins(Vec<(Option<u64>, u64)>);

impl Origins {
    fn of(n: u64) -> Origins {
        Origins(vec![(Some(0), n)])
    }

    fn len(&self) -> u64 {
        self.0.iter().map(|run| run.1).sum()
    }

    /// The run that starts at a sample, after splitting the one that contains it.
    fn run_at(&mut self, sample: u64) -> usize {
        let (mut run, mut start) = (0, 0);
        while run < self.0.len() && start + self.0[run].1 <= sample {
            start += self.0[run].1;
            run += 1;
        }
        let n = sample - start;
        if n > 0 {
            let (origin, whole) = self.0[run];
            self.0[run].1 = n;
            run += 1;
            self.0.insert(run, (origin.map(|first| first + n), whole - n));
        }
        run
    }

    /// Replaces a range with runs.
    fn splice(&mut self, range: Range<u64>, with: Vec<(Option<u64>, u64)>) -> Vec<(Option<u64>, u64)> {
        let first = self.run_at(range.start);
        let end = self.run_at(range.end);
        self.0.splice(first..end, with).collect()
    }

    fn forget(&mut self, range: Range<u64>) {
        let range = range.start..range.end.min(self.len());
        self.splice(range.clone(), vec![(None, range.end - range.start)]);
    }

    /// Runs from the original sound: current position, original position, length.
    fn known(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let starts = self.0.iter().scan(0, |end, (origin, n)| {
            *end += n;
            Some((*end - n, *origin, *n))
        });
        starts.filter_map(|(now, origin, n)| Some((now, origin?, n)))
    }
}

/// Kinds of edits drawn by [`random`].
struct Drawn {
    rate_hz: u32,
    n_channels: usize,
    /// Ranges are at most `1 / max_part` of the sound.
    max_part: u64,
    /// Number of kinds to draw from, in this order: delete, insert silence, insert, duplicate, keep,
    /// change the level, stretch.
    n_kinds: u32,
}

const ALL: Drawn = Drawn { rate_hz: RATE, n_channels: 1, max_part: 20, n_kinds: 7 };

/// A random edit of time, with its reference effect on origins by plain lists.
fn random(rng: &mut Rng, drawn: &Drawn, before: &Origins) -> (Edit, Origins) {
    let rate = f64::from(drawn.rate_hz);
    let n = before.len();
    let at = |rng: &mut Rng| (rng.uniform() * n as f64) as u64;
    let (a, b) = (at(rng), at(rng));
    let range = a.min(b)..(a.max(b)).min(a.min(b) + n / drawn.max_part).max(a.min(b) + 1).min(n);
    let secs_of = |range: &Range<u64>| Some([range.start as f64 / rate, range.end as f64 / rate]);
    let (secs, at_secs) = (secs_of(&range), range.start as f64 / rate);
    let fade_secs = rng.uniform() * 0.02;
    let half = (fade_secs * rate).round() as u64 / 2 + 1;
    let mut after = before.clone();
    let mut joins = Vec::new();
    let edit = match (rng.uniform() * f64::from(drawn.n_kinds)) as u32 {
        0 => {
            after.splice(range.clone(), Vec::new());
            joins.push(range.start);
            edit(DeleteTime { fade_secs }, secs)
        }
        1 => {
            let n_more = 1 + (rng.uniform() * 4000.0) as u64;
            after.splice(range.start..range.start, vec![(None, n_more)]);
            joins.extend([range.start, range.start + n_more]);
            edit(InsertSilence { at_secs, secs: n_more as f64 / rate, fade_secs }, None)
        }
        2 => {
            let n_more = 1 + (rng.uniform() * 3000.0) as u64;
            let channels = vec![noise(n_more as usize, 0.3, 5); drawn.n_channels];
            let clip = Clip { sample_rate_hz: rate, first_sample: 77, channels: channels.into() };
            after.splice(range.start..range.start, vec![(None, n_more)]);
            joins.extend([range.start, range.start + n_more]);
            edit(Insert { at_secs, clip, fade_secs }, None)
        }
        3 => {
            let times = 1 + (rng.uniform() * 2.0) as u32;
            let copy = after.clone().splice(range.clone(), Vec::new());
            for i in 0..u64::from(times) {
                after.splice(range.end..range.end, copy.clone());
                joins.push(range.end + i * (range.end - range.start));
            }
            edit(DuplicateTime { times, fade_secs }, secs)
        }
        4 => {
            // Trimming does not fade the ends.
            let kept = at(rng) / (8 * drawn.max_part)..n - at(rng) / (8 * drawn.max_part);
            after.splice(kept.end..n, Vec::new());
            after.splice(0..kept.start, Vec::new());
            edit(KeepTime { fade_secs }, secs_of(&kept))
        }
        5 => {
            // A gain over all frequencies rewrites every sample in its range and within a window of it.
            after.forget(range.start.saturating_sub(2048)..range.end + 2048);
            edit(Gain { gain_db: -3.0 }, secs)
        }
        _ => {
            // An even count, so that both lengths are whole.
            let part =
                range.start..(range.start + 2 + 2 * (rng.uniform() * 800.0) as u64).min(n - (n - range.start) % 2);
            let (percent, n_after) = match rng.uniform() < 0.5 {
                true => (150.0, (part.end - part.start) / 2 * 3),
                false => (50.0, (part.end - part.start) / 2),
            };
            after.splice(part.clone(), vec![(None, n_after)]);
            edit(
                TimeStretch { percent, keeps_original: false, follows: Follows::Push, peaks: LockedPeaks::Narrow },
                secs_of(&part),
            )
        }
    };
    for join in joins {
        after.forget(join.saturating_sub(half)..join + half);
    }
    (edit, after)
}

/// A file of noise in a format.
fn file(folder: &std::path::Path, format: Format, n: usize) -> std::path::PathBuf {
    let path = folder.join(format!("{format:?}.wav"));
    let mut rng = Rng(3);
    let mut value = || match format {
        Format::Pcm(bits) => ((rng.bits() as i64) << 1) >> (65 - bits),
        Format::F32 => i64::from((0.3 * rng.normal() as f32).to_bits()),
        Format::F64 => (0.3 * rng.normal()).to_bits() as i64,
    };
    Wav { format, rate: RATE, channels: vec![(0..n).map(|_| value()).collect()] }.write(&path);
    path
}

#[test]
fn what_no_join_reaches_keeps_the_values_of_its_file_through_a_hundred_edits() {
    let (place, n) = (folder(), 300 * RATE as usize);
    let formats = [Format::Pcm(8), Format::Pcm(16), Format::Pcm(24), Format::Pcm(32), Format::F32, Format::F64];
    let mut rng = Rng(42);
    let mut origins = Origins::of(n as u64);
    let mut edits = Vec::new();
    for _ in 0..100 {
        let (edit, after) = random(&mut rng, &ALL, &origins);
        origins = after;
        edits.push(edit);
    }
    let n_kept: u64 = origins.known().map(|(.., n)| n).sum();
    assert!(n_kept > n as u64 / 3, "{n_kept} of {n} are compared");
    for format in formats {
        let path = file(place.path(), format, n);
        let original = Snapshot::new(open_file(&path).source);
        let mut history = History::new(original.clone());
        for edit in &edits {
            let after = applied(history.current(), edit).snapshot;
            history.push(edit.clone(), after);
        }
        assert_eq!(history.current().n_samples(), origins.len(), "{format:?}");
        let out = place.path().join("out.wav");
        export(history.current(), &out, ExportFormat::Source, None, &Progress::new()).unwrap();
        let (before, after) = (Wav::read(&path), Wav::read(&out));
        assert_eq!((after.format, after.channels[0].len()), (format, origins.len() as usize));
        let wrong = origins.known().find(|&(now, origin, n)| {
            let [now, origin] = [now, origin].map(|first| first as usize..(first + n) as usize);
            after.channels[0][now] != before.channels[0][origin]
        });
        assert_eq!(wrong, None, "{format:?}: the first run that is not its file's");
        history.go_to(0);
        export(history.current(), &out, ExportFormat::Source, None, &Progress::new()).unwrap();
        assert!(Wav::read(&out) == before, "{format:?}: undone to the bit");
    }
}

/// Reference result of `deleting`: x before and x after with gains cos and sin about the join, corrected for their
/// correlation.
fn joined(x: &[f32], cut: Range<usize>, n_fade: usize) -> Vec<f32> {
    let mut y = [&x[..cut.start], &x[cut.end..]].concat();
    let (left, right) = (n_fade / 2, n_fade - n_fade / 2);
    let side = |at: usize| x[at - left..at + right].iter().map(|x| f64::from(*x));
    let common: f64 = side(cut.start).zip(side(cut.end)).map(|(a, b)| 2.0 * a * b).sum();
    let power: f64 = side(cut.start).zip(side(cut.end)).map(|(a, b)| a * a + b * b).sum();
    let likeness = (common / power).max(0.0);
    for i in 0..n_fade {
        let angle = std::f64::consts::FRAC_PI_2 * (i as f64 + 0.5) / n_fade as f64;
        let (before, after) = (x[cut.start - left + i], x[cut.end - left + i]);
        let mixed = f64::from(before) * angle.cos() + f64::from(after) * angle.sin();
        y[cut.start - left + i] = (mixed / (1.0 + likeness * (2.0 * angle).sin()).sqrt()) as f32;
    }
    assert!(cut.start + right <= y.len());
    y
}

#[test]
fn a_cut_closes_with_the_fade_that_is_stated() {
    let x = noise(RATE as usize, 0.2, 9);
    let sound = Snapshot::new(Source::from_channels(vec![x.clone()], RATE).unwrap());
    let cut = applied(&sound, &edit(DeleteTime { fade_secs: 0.005 }, Some([0.25, 0.5])));
    assert_eq!(bits(&samples(&cut.snapshot, 0)), bits(&joined(&x, 2000..4000, 40)));
    assert_eq!(cut.time, [TimeChange { at: 2000, removed: 2000, added: 0 }]);
    // Without a fade nothing is mixed.
    let hard = applied(&sound, &edit(DeleteTime { fade_secs: 0.0 }, Some([0.25, 0.5]))).snapshot;
    assert_eq!(bits(&samples(&hard, 0)), bits(&[&x[..2000], &x[4000..]].concat()));
    // At the ends of the sound nothing is faded, and near them the fade is as long as there are samples.
    let start = applied(&sound, &edit(DeleteTime { fade_secs: 0.005 }, Some([0.0, 0.5]))).snapshot;
    assert_eq!(bits(&samples(&start, 0)), bits(&x[4000..]));
    let near = samples(&applied(&sound, &edit(DeleteTime { fade_secs: 0.1 }, Some([10.0 / 8000.0, 0.5]))).snapshot, 0);
    assert_eq!(near.len(), RATE as usize - 3990);
    assert!(near[0].to_bits() != x[0].to_bits() && near[410..] == x[4400..]);
}

/// Many short cuts at one place of a tone, where both sides of each join are nearly equal:
/// the level must not build up.
#[test]
fn cuts_at_one_place_do_not_swell() {
    let x = tone(2 * RATE as usize, f64::from(RATE), 100.0, 0.25);
    for (n_cuts, secs, step_secs) in [(10, 1.0 / 8_000.0, 0.0), (20, 0.001, 0.002)] {
        let mut sound = Snapshot::new(Source::from_channels(vec![x.clone()], RATE).unwrap());
        for k in 0..n_cuts {
            let at = 1.0 + f64::from(k) * step_secs;
            sound = applied(&sound, &edit(DeleteTime { fade_secs: 0.005 }, Some([at, at + secs]))).snapshot;
        }
        let peak = samples(&sound, 0).iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
        assert!((0.24..0.2575).contains(&peak), "{n_cuts} cuts: {peak}");
    }
}

#[test]
fn trimming_inserting_and_repeating_have_exact_lengths_and_places() {
    let x = noise(RATE as usize, 0.2, 9);
    let sound = Snapshot::new(Source::from_channels(vec![x.clone(), x.iter().map(|s| -s).collect()], RATE).unwrap());
    let kept = applied(&sound, &edit(KeepTime { fade_secs: 0.005 }, Some([0.25, 0.5])));
    assert_eq!(bits(&samples(&kept.snapshot, 0)), bits(&x[2000..4000]), "ends do not fade");
    let places: Vec<f64> =
        [1000.0, 3000.0, 5000.0].map(|at| kept.time.iter().fold(at, |at, change| change.place_after(at))).to_vec();
    assert_eq!(places, [0.0, 1000.0, 2000.0]);

    let silence = applied(&sound, &edit(InsertSilence { at_secs: 0.5, secs: 0.25, fade_secs: 0.005 }, None)).snapshot;
    for (channel, sign) in [(0, 1.0), (1, -1.0)] {
        let y = samples(&silence, channel);
        let is_same = |y: &[f32], x: &[f32]| y.iter().zip(x).all(|(y, x)| *y == sign * x);
        assert_eq!(y.len(), RATE as usize + 2000);
        assert!(is_same(&y[..3980], &x[..3980]) && is_same(&y[6020..], &x[4020..]));
        assert!(y[4020..5980].iter().all(|&s| s == 0.0) && y[4000..4020].iter().any(|&s| s != 0.0));
    }
    let sides = [0.0, 1.0].map(|at_secs| InsertSilence { at_secs, secs: 0.25, fade_secs: 0.005 });
    let [first, last] = sides.map(|brush| samples(&applied(&sound, &edit(brush, None)).snapshot, 0));
    assert!(first[..2000].iter().all(|&s| s == 0.0) && first[2000..] == x, "at the start nothing fades");
    assert!(last[RATE as usize..].iter().all(|&s| s == 0.0) && last[..RATE as usize] == x, "nor at the end");

    let clip = Clip { sample_rate_hz: 8000.0, first_sample: 123, channels: vec![vec![0.5; 800]].into() };
    let inserted = samples(&applied(&sound, &edit(Insert { at_secs: 0.5, clip, fade_secs: 0.005 }, None)).snapshot, 1);
    assert_eq!(inserted.len(), RATE as usize + 800);
    assert!(inserted[4020..4780].iter().all(|&s| s == 0.5), "one channel goes into all");
    assert!(inserted[..4000].iter().zip(&x).all(|(y, x)| *y == -x));
    assert!(inserted[4800..].iter().zip(&x[4000..]).all(|(y, x)| *y == -x));

    let twice =
        samples(&applied(&sound, &edit(DuplicateTime { times: 2, fade_secs: 0.005 }, Some([0.25, 0.5]))).snapshot, 0);
    assert_eq!(twice.len(), RATE as usize + 4000);
    assert!(twice[..3980] == x[..3980] && twice[4020..5980] == x[2020..3980] && twice[6020..8000] == x[2020..4000]);
    assert!(twice[8000..] == x[4000..], "behind the last copy it goes on as it did");
}

#[test]
fn edits_of_a_repeated_range_change_that_copy_alone() {
    let x = noise(20_000, 0.2, 9);
    let sound = Snapshot::new(Source::from_channels(vec![x.clone()], RATE).unwrap());
    let louder = sound.with_samples(0, 1500, &[0.75; 200]).unwrap();
    let twice = applied(&louder, &edit(DuplicateTime { times: 1, fade_secs: 0.0 }, Some([0.125, 0.375]))).snapshot;
    assert_eq!(samples(&twice, 0)[3500..3700], [0.75; 200], "what was edited is repeated");
    let changed = twice.with_samples(0, 3600, &[-0.5; 10]).unwrap();
    let y = samples(&changed, 0);
    assert_eq!((y[1605], y[3605]), (0.75, -0.5));
    let differing = changed.differing(&twice, 0);
    assert!(differing.len() == 1 && differing[0].start >= 3_000 && differing[0].end <= 5_000, "{differing:?}");
    assert!(differing[0].contains(&3_600) && differing[0].contains(&3_609));
    // The same for a range of an inserted clip, whose samples are stored elsewhere.
    let clip = Clip { sample_rate_hz: 8000.0, first_sample: 0, channels: vec![vec![0.25; 6000]].into() };
    let inserted = applied(&changed, &edit(Insert { at_secs: 0.5, clip, fade_secs: 0.0 }, None)).snapshot;
    let again = applied(&inserted, &edit(DuplicateTime { times: 1, fade_secs: 0.0 }, Some([0.6, 0.9]))).snapshot;
    let y = samples(&again.with_samples(0, 7500, &[1.0; 5]).unwrap(), 0);
    assert_eq!((y[5100], y[7502], y[7499]), (0.25, 1.0, 0.25));
}

#[test]
fn where_two_sounds_do_not_differ_they_are_the_same() {
    let mut rng = Rng(8);
    let n = 40_000;
    let sound = Snapshot::new(Source::from_channels(vec![noise(n, 0.2, 1)], RATE).unwrap());
    let (mut all, mut origins): (Vec<Snapshot>, Origins) = (vec![sound], Origins::of(n as u64));
    for _ in 0..24 {
        let (edit, after) = random(&mut rng, &ALL, &origins);
        origins = after;
        let next = applied(all.last().unwrap(), &edit).snapshot;
        all.push(next);
    }
    let (mut n_same, mut n_compared) = (0, 0);
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        let differing = a.differing(b, 0);
        assert!(differing.windows(2).all(|pair| pair[0].end < pair[1].start));
        let (x, y) = (samples(a, 0), samples(b, 0));
        let mut is_reported = vec![false; x.len().max(y.len())];
        differing.iter().for_each(|range| is_reported[range.start as usize..range.end as usize].fill(true));
        for (i, is_reported) in is_reported.iter().enumerate() {
            n_compared += 1;
            n_same += usize::from(!is_reported);
            assert!(*is_reported || x[i].to_bits() == y[i].to_bits(), "{i}");
        }
    }
    assert!(n_same * 20 > n_compared, "{n_same} of {n_compared} are known to be the same");
}

/// The largest fourth difference of a range.
fn roughness(x: &[f32], around: Range<usize>) -> f32 {
    let fourth = |x: &[f32]| (x[0] - 4.0 * x[1] + 6.0 * x[2] - 4.0 * x[3] + x[4]).abs();
    x[around.start.saturating_sub(4)..around.end.min(x.len())].windows(5).map(fourth).fold(0.0, f32::max)
}

#[test]
fn no_join_clicks() {
    let source = open_file(&clip("speech_16k_mono.wav")).source;
    let sound = Snapshot::new(source);
    let (rate, x) = (sound.sample_rate_hz(), samples(&sound, 0));
    let whole = |secs: f64| (secs * rate).round() as usize;
    let piece =
        Clip { sample_rate_hz: rate, first_sample: 0, channels: vec![x[whole(1.3)..whole(1.6)].to_vec()].into() };
    let mut worst = 0.0f32;
    for i in 0..12 {
        let start = 0.4 + 0.11 * f64::from(i);
        let secs = Some([start, start + 0.2]);
        let mut look = |edit: &Edit, joins: &[f64]| {
            let after = applied(&sound, edit).snapshot;
            let y = samples(&after, 0);
            let around = |at: usize| at.saturating_sub(whole(0.1))..at + whole(0.1);
            for at in joins.iter().map(|secs| whole(*secs)) {
                let before = roughness(&x, around(whole(start))).max(roughness(&x, around(whole(start + 0.2))));
                let before = before.max(roughness(&piece.channels[0], 0..piece.n_samples()));
                worst = worst.max(roughness(&y, at.saturating_sub(whole(0.003))..at + whole(0.003)) / before);
            }
        };
        look(&edit(DeleteTime { fade_secs: 0.005 }, secs), &[start]);
        look(&edit(DuplicateTime { times: 1, fade_secs: 0.005 }, secs), &[start + 0.2, start + 0.4]);
        look(&edit(InsertSilence { at_secs: start, secs: 0.1, fade_secs: 0.005 }, None), &[start, start + 0.1]);
        let clip = piece.clone();
        look(&edit(Insert { at_secs: start, clip, fade_secs: 0.005 }, None), &[start, start + 0.3]);
        let push =
            TimeStretch { percent: 150.0, keeps_original: false, follows: Follows::Push, peaks: LockedPeaks::Narrow };
        look(&edit(push, secs), &[start, start + 0.3]);
    }
    assert!(worst < 1.5, "a join is {worst} times as rough as what is around it");
    // Control: the measure detects a click, here a tone cut at a phase jump.
    let tone = tone(8000, 8000.0, 200.0, 0.5);
    let sound = Snapshot::new(Source::from_channels(vec![tone.clone()], RATE).unwrap());
    let at = |fade_secs| {
        samples(&applied(&sound, &edit(DeleteTime { fade_secs }, Some([0.25, 0.3125 + 0.001]))).snapshot, 0)
    };
    let rough = |y: &[f32]| roughness(y, 1900..2100) / roughness(&tone, 0..8000);
    assert!(rough(&at(0.0)) > 100.0 * rough(&at(0.005)), "{} {}", rough(&at(0.0)), rough(&at(0.005)));
}

#[test]
fn what_cannot_be_cut_is_refused_in_one_sentence() {
    let sound = Snapshot::new(Source::from_channels(vec![noise(8000, 0.2, 1)], RATE).unwrap());
    let boxed = Edit {
        select: Some(Selection::rectangle(Some([0.1, 0.2]), Some([300.0, 900.0]), [0.0; 2], Axis::Linear)),
        ..edit(DeleteTime { fade_secs: 0.005 }, None)
    };
    assert_eq!(refused(&sound, &boxed), "Select a time range to cut.");
    assert_eq!(
        refused(&sound, &edit(DeleteTime { fade_secs: 0.005 }, Some([2.0, 3.0]))),
        "Select a time range to cut."
    );
    assert_eq!(refused(&sound, &edit(DeleteTime { fade_secs: 0.005 }, None)), "This would leave nothing.");
    assert_eq!(refused(&sound, &edit(DeleteTime { fade_secs: 0.005 }, Some([-1.0, 5.0]))), "This would leave nothing.");
    let past = edit(InsertSilence { at_secs: 1.5, secs: 1.0, fade_secs: 0.005 }, None);
    assert_eq!(refused(&sound, &past), "1.5 s is past the end of the sound (1 s)");
    let one = Edit { channels: Channels::List(vec![0]), ..edit(DeleteTime { fade_secs: 0.005 }, Some([0.1, 0.2])) };
    assert_eq!(refused(&sound, &one), "delete_time changes the time of all channels; leave channels out");
    let clip = Clip { sample_rate_hz: 44_100.0, first_sample: 0, channels: vec![vec![0.0; 10]].into() };
    let other = edit(Insert { at_secs: 0.5, clip, fade_secs: 0.005 }, None);
    assert!(refused(&sound, &other).contains("at 44.1 kHz and the sound at 8 kHz"));
    let huge = apply(&sound, &edit(Lengthen { secs: 1e9 }, None), &Engine::cpu(), &Progress::new());
    assert_eq!(huge.unwrap_err().kind(), ErrorKind::Limit);
    let beyond = edit(InsertSilence { at_secs: 1e308, secs: 1.0, fade_secs: 0.005 }, None);
    assert_eq!(refused(&sound, &beyond), "1e308 s is past the end of the sound (1 s)");
    let cases = [
        (r#"{"kind": "delete_time", "fade": 0.2}"#, ".fade"),
        (r#"{"kind": "duplicate_time", "times": 0}"#, ".times"),
        (r#"{"kind": "duplicate_time", "times": 1.5}"#, ".times"),
        (r#"{"kind": "insert_silence", "secs": 1}"#, ": at is missing"),
        (r#"{"kind": "insert_silence", "at": -1, "secs": 1}"#, ".at"),
        (r#"{"kind": "insert_silence", "at": 0, "secs": "long"}"#, ".secs"),
        (r#"{"kind": "stretch", "percent": 150, "follows": "sideways"}"#, ".follows"),
    ];
    for (brush, what) in cases {
        let text = format!(r#"{{"version": 1, "edits": [{{"brush": {brush}, "select": {{"time": [0.1, 0.2]}}}}]}}"#);
        let error = Script::parse(&text).unwrap_err();
        assert!(error.message().contains(&format!("edits[0].brush{what}")), "{brush}: {error}");
    }
}

#[test]
fn a_stretch_that_pushes_moves_what_follows_and_one_that_does_not_leaves_it() {
    let x = noise(16_000, 0.2, 9);
    let sound = Snapshot::new(Source::from_channels(vec![x.clone()], RATE).unwrap());
    let stretch =
        |percent, follows| TimeStretch { percent, keeps_original: false, follows, peaks: LockedPeaks::Narrow };
    for (percent, n) in [(150.0, 12_000), (50.0, 4_000)] {
        let pushed = applied(&sound, &edit(stretch(percent, Follows::Push), Some([0.5, 1.5])));
        let y = samples(&pushed.snapshot, 0);
        assert_eq!(y.len(), 8_000 + n);
        assert!(y[..4_000] == x[..4_000] && y[4_000 + n..] == x[12_000..], "{percent} %");
        let overlapping = applied(&sound, &edit(stretch(percent, Follows::Overlap), Some([0.5, 1.5]))).snapshot;
        let n_inner = n.min(8_000) - 100;
        assert!(y[4_100..4_000 + n_inner] == samples(&overlapping, 0)[4_100..4_000 + n_inner], "the same sound");
        assert_eq!(pushed.time, [TimeChange { at: 4_000, removed: 8_000, added: n as u64 }]);
    }
    let text = |edits: Vec<Edit>| Script::from(edits).to_json();
    let overlap = text(vec![edit(stretch(150.0, Follows::Overlap), Some([0.5, 1.5]))]);
    assert!(!overlap.contains("follows"), "as it was written before");
}

#[test]
fn a_history_of_cuts_comes_back_from_a_project_to_the_bit() {
    let place = folder();
    let (mut rng, n) = (Rng(5), 60_000);
    let sound = Snapshot::new(Source::from_channels(vec![noise(n, 0.2, 1)], RATE).unwrap());
    let mut history = History::new(sound);
    let mut origins = Origins::of(n as u64);
    for i in 0..40 {
        let (edit, after) = random(&mut rng, &ALL, &origins);
        origins = after;
        let next = applied(history.current(), &edit).snapshot;
        history.push(edit, next);
        if i == 20 {
            let longer = edit_of_length();
            let next = applied(history.current(), &longer).snapshot;
            history.push(longer, next);
            origins.0.push((None, 4000));
        }
    }
    history.go_to(33);
    let path = place.path().join("cut.sonobrush");
    save_new_project(&path, &history, &desk(), None, false, &Progress::new()).unwrap();
    let (restored, _) = open(&path, &SourceSearch::default()).unwrap();
    assert!(restored.damage.is_none() && restored.version == 2);
    assert_same(&restored.history, &history);
    // Editing continues on the restored history: a cut gives the same bits as on the original.
    let mut again = restored.history;
    again.go_to(41);
    let cut = edit(DeleteTime { fade_secs: 0.005 }, Some([0.1, 0.9]));
    let [ours, theirs] = [&history.entries()[41].snapshot, again.current()].map(|sound| applied(sound, &cut).snapshot);
    assert_eq!(bits(&samples(&ours, 0)), bits(&samples(&theirs, 0)));
}

fn edit_of_length() -> Edit {
    edit(Lengthen { secs: 0.5 }, None)
}

#[test]
fn what_is_painted_behind_the_end_is_gone_once_it_is_cut_off() {
    let sound = Snapshot::new(Source::from_channels(vec![noise(8_000, 0.2, 1)], RATE).unwrap());
    let longer = sound.lengthened(4_000).unwrap().with_samples(0, 10_000, &[0.5; 100]).unwrap();
    let cut = longer.without(9_000..12_000);
    let again = cut.lengthened(3_000).unwrap();
    assert!(samples(&again, 0)[8_000..].iter().all(|&s| s == 0.0), "silence is silent");
    assert_eq!(again.silent_until(0, 8_000), u64::MAX);
    assert_eq!(longer.silent_until(0, 8_500), 10_000);
    let spliced = sound.with_silence(4_000, 5_000).unwrap();
    assert_eq!((spliced.silent_until(0, 4_000), spliced.silent_until(0, 100)), (9_000, 100));
}

/// An hour of noise as 16-bit stereo at 48 kHz.
fn hour(path: &std::path::Path) {
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 48_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let (mut writer, mut rng) = (hound::WavWriter::create(path, spec).unwrap(), Rng(9));
    for _ in 0..2 * 3_600 * 48_000 {
        writer.write_sample((rng.bits() >> 48) as i16).unwrap();
    }
    writer.finalize().unwrap();
}

/// The samples of a 16-bit file from a frame on.
fn samples_from(path: &std::path::Path, first: u64) -> impl Iterator<Item = i16> {
    let mut reader = hound::WavReader::open(path).unwrap();
    reader.seek(first as u32).unwrap();
    reader.into_samples::<i16>().map(Result::unwrap)
}

#[test]
fn a_thousand_edits_of_an_hour_are_quick_and_small() {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() {
        return;
    }
    let private_bytes = || {
        let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
        let line = text.lines().find(|line| line.starts_with("Private_Dirty")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    };
    let place = folder();
    let [input, output] = ["hour.wav", "out.wav"].map(|name| place.path().join(name));
    hour(&input);
    let mut history = History::new(Snapshot::new(open_file(&input).source));
    let (mut rng, before, mut origins) = (Rng(77), private_bytes(), Origins::of(3_600 * 48_000));
    // Only edits that move samples: the cost of a gain or a stretch depends on the length of its range.
    let drawn = Drawn { rate_hz: 48_000, n_channels: 2, max_part: 200, n_kinds: 5 };
    let mut took = Vec::new();
    for _ in 0..1_000 {
        let (edit, after) = random(&mut rng, &drawn, &origins);
        origins = after;
        let began = std::time::Instant::now();
        let next = applied(history.current(), &edit).snapshot;
        took.push(began.elapsed().as_secs_f64() * 1e3);
        history.push(edit, next);
    }
    let more = private_bytes().saturating_sub(before) >> 20;
    took.sort_by(f64::total_cmp);
    println!("1,000 edits of an hour: median {:.2} ms, most {:.2} ms, {more} MB", took[500], took[999]);
    assert!(more < 300, "{more} MB");
    // The five slowest of the thousand edits are ignored, since a busy machine may delay a few.
    assert!(took[994] < 20.0, "{took:?}");
    export(history.current(), &output, ExportFormat::Source, None, &Progress::new()).unwrap();
    assert_eq!(u64::from(hound::WavReader::open(&output).unwrap().duration()), origins.len());
    let n_kept: u64 = origins.known().map(|(.., n)| n).sum();
    assert!(n_kept > 3_000 * 48_000, "{n_kept} samples are compared");
    for (now, origin, n) in origins.known() {
        let [now, then] = [(&output, now), (&input, origin)].map(|(path, first)| samples_from(path, first));
        let is_same = now.zip(then).take(2 * n as usize).all(|(now, then)| now == then);
        assert!(is_same, "a run of {n} that was at {origin}");
    }
    history.go_to(0);
    export(history.current(), &output, ExportFormat::Source, None, &Progress::new()).unwrap();
    let mut both = samples_from(&output, 0).zip(samples_from(&input, 0));
    assert!(both.all(|(now, then)| now == then), "undone to the bit");
}
