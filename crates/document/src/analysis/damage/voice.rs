//! Damage to speech, searched only if a network detects enough speech.

use super::examined::Examined;
use super::found::{Damage, DamageKind, counted};
use crate::base::{Progress, Result};
use crate::document::analysis::isolation::{MIN_RATE_HZ, SpeechSurvey, survey_speech};
use crate::document::brushes::{Brush, DeEss, Dereverb, Isolate};
use crate::document::{Channels, Edit, Signal};
use crate::dsp::NoiseSource;
use crate::dsp::descriptors::quantile;
use crate::engine::Plans;

/// Minimum amount of speech for an assessment: in seconds, and as a fraction of the sound.
const MIN_SPEECH_SECS: f64 = 2.0;
const MIN_SPEECH_SHARE: f64 = 0.1;
/// Minimum total duration of pauses, and minimum level of the noise in them to report, in dB relative to speech.
const MIN_PAUSES_SECS: f64 = 1.0;
const MIN_NOISE_DB: f64 = -35.0;
/// Quantile of the frame levels of pauses that counts as their level: excludes ends of words, reverberation and clicks.
const PAUSE_QUANTILE: f64 = 0.1;
/// Level in dB that separates digital silence from dithered silence.
const SILENCE_DB: f64 = -250.0;
/// Noise is learnt in a pause whose level is at most this far below that of all pauses, in dB, and at this distance
/// from the speech before and after it.
const MAX_BELOW_PAUSES_DB: f64 = 6.0;
const PAUSE_MARGIN_SECS: f64 = 0.1;
/// Minimum reverberation time (RT60) to report.
const MIN_RT60_SECS: f64 = 0.6;
/// Sibilants are reported if the loudest tenth of their frames exceed the level of the voice by more than this, in dB.
/// They count up to [`SPEECH_MARGIN_SECS`] before and after speech.
const MIN_SIBILANTS_DB: f64 = 2.0;
const SPEECH_MARGIN_SECS: f64 = 0.1;

/// Ranges of speech; `None` if there is too little for an assessment, or if the sample rate is too low.
pub fn speech_of(examined: &Examined<'_>, progress: &Progress) -> Result<Option<SpeechSurvey>> {
    if examined.rate_hz() < MIN_RATE_HZ {
        return Ok(None);
    }
    let signals = Signal::of(&Channels::All, examined.n_channels())?;
    let survey = survey_speech(examined.snapshot, &signals, &Plans::default(), progress)?;
    let min_secs = MIN_SPEECH_SECS.max(MIN_SPEECH_SHARE * survey.end_secs());
    Ok(Some(survey).filter(|survey| length_secs(&survey.speech_secs) >= min_secs))
}

fn length_secs(ranges: &[[f64; 2]]) -> f64 {
    ranges.iter().map(|[start, end]| end - start).sum()
}

/// A finding for the whole duration, all frequencies and all channels.
fn everywhere(examined: &Examined<'_>, kind: DamageKind, what: String, repair: impl Into<Brush>) -> Damage {
    Damage {
        kind,
        channels: (0..examined.n_channels()).collect(),
        secs: Vec::new(),
        hz: Vec::new(),
        what,
        repair: Edit::of(repair.into(), examined.transform()),
    }
}

/// Audible noise in the pauses.
pub fn noise(examined: &Examined<'_>, _: &Progress) -> Result<Vec<Damage>> {
    let Some(speech) = &examined.speech else { return Ok(Vec::new()) };
    let pauses = speech.pauses();
    if length_secs(&pauses) < MIN_PAUSES_SECS {
        return Ok(Vec::new());
    }
    let levels = quiet_db(speech, &pauses).zip(mean_db(&levels_db(speech, &speech.speech_secs)));
    let Some((all_db, speech_db)) = levels else { return Ok(Vec::new()) };
    let below_db = all_db - speech_db;
    if below_db <= MIN_NOISE_DB {
        return Ok(Vec::new());
    }
    let is_noisy =
        |pause: &[f64; 2]| quiet_db(speech, &[*pause]).is_some_and(|own_db| own_db >= all_db - MAX_BELOW_PAUSES_DB);
    let noisy = pauses.iter().map(|pause| within(*pause)).filter(is_noisy);
    let longest = noisy.max_by_key(|pause| levels_db(speech, &[*pause]).len());
    let Some(secs) = longest else { return Ok(Vec::new()) };
    let isolate = Isolate { noise: Some(NoiseSource::Range { secs, hz: None }), ..Isolate::DEFAULT };
    let what = format!("{:.0} dB below the voice", -below_db);
    Ok(vec![everywhere(examined, DamageKind::Noise, what, isolate)])
}

/// The levels of frames in some ranges of time, except digital silence, in dB.
fn levels_db(speech: &SpeechSurvey, ranges: &[[f64; 2]]) -> Vec<f64> {
    let all = ranges.iter().flat_map(|range| speech.levels_db(*range));
    all.map(|level_db| f64::from(*level_db)).filter(|level_db| *level_db > SILENCE_DB).collect()
}

/// Shortens a pause by [`PAUSE_MARGIN_SECS`] at both ends, to exclude the edges of neighbouring words. Short pauses are
/// returned unchanged.
fn within([start, end]: [f64; 2]) -> [f64; 2] {
    let margin = if end - start >= 4.0 * PAUSE_MARGIN_SECS { PAUSE_MARGIN_SECS } else { 0.0 };
    [start + margin, end - margin]
}

/// The lower decile of the frame levels in some ranges, in dB; `None` if they contain only digital silence.
fn quiet_db(speech: &SpeechSurvey, ranges: &[[f64; 2]]) -> Option<f64> {
    let mut levels_db = levels_db(speech, ranges);
    levels_db.sort_unstable_by(f64::total_cmp);
    quantile(&levels_db, PAUSE_QUANTILE)
}

/// The level of the mean power, in dB; `None` without levels.
fn mean_db(levels_db: &[f64]) -> Option<f64> {
    let power: f64 = levels_db.iter().map(|level_db| 10f64.powf(level_db / 10.0)).sum();
    (power > 0.0).then(|| 10.0 * (power / levels_db.len() as f64).log10())
}

/// Reverberation of speech, if its RT60 is at least [`MIN_RT60_SECS`].
pub fn reverberation(examined: &Examined<'_>, progress: &Progress) -> Result<Vec<Damage>> {
    if examined.speech.is_none() {
        return Ok(Vec::new());
    }
    let found = examined.with_sound(progress, Dereverb::found_rt60_secs)?;
    let row = |rt60_secs: f64| {
        everywhere(examined, DamageKind::Reverberation, format!("RT60 {rt60_secs:.2} s"), Dereverb::DEFAULT)
    };
    Ok(found.filter(|rt60_secs| *rt60_secs >= MIN_RT60_SECS).map(row).into_iter().collect())
}

/// Sibilants that are louder than the voice.
pub fn sibilants(examined: &Examined<'_>, progress: &Progress) -> Result<Vec<Damage>> {
    let Some(speech) = &examined.speech else { return Ok(Vec::new()) };
    let is_near = |secs: f64| {
        // Runs are in ascending order: only the first that ends after `secs` can contain it.
        let after = speech.speech_secs.partition_point(|run| run[1] + SPEECH_MARGIN_SECS < secs);
        speech.speech_secs.get(after).is_some_and(|run| run[0] - SPEECH_MARGIN_SECS <= secs)
    };
    let found = examined.with_sound(progress, |sound| DeEss::DEFAULT.excess(sound, MIN_SIBILANTS_DB, is_near))?;
    let Some((excess, secs)) = found.filter(|(excess, _)| excess.usual_db > MIN_SIBILANTS_DB) else {
        return Ok(Vec::new());
    };
    let what = format!("{}, up to {:.0} dB above the voice", counted(secs.len(), "sibilant"), excess.max_db);
    Ok(vec![Damage { secs, ..everywhere(examined, DamageKind::Sibilants, what, DeEss::DEFAULT) }])
}
