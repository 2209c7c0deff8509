//! `sonobrush features`

use super::args::{FeaturesCommand, Mapping, Preset};
use super::interrupt;
use super::outputs::refuse_other_format;
use super::terminal::{Terminal, json_of};
use crate::base::{Error, ErrorKind, Progress, Result, shown_path, write_atomic};
use crate::dsp::mel::MelParams;
use crate::library::features::{ChannelChoice, FeatureOptions, FeatureOrder, FeatureReport, RunStatus, write_features};
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// How often the status is printed to a terminal.
const STATUS_SECS: f64 = 1.0;

pub(super) fn run(typed: &FeaturesCommand, terminal: &Terminal) -> Result<()> {
    if let Some(report) = &typed.report {
        refuse_other_format(report, &["json"], "JSON")?;
    }
    let every_secs = typed.status_every.or(std::io::stderr().is_terminal().then_some(STATUS_SECS));
    let order = FeatureOrder {
        inputs: typed.inputs.clone(),
        output: typed.output.clone(),
        options: options_of(typed)?,
        jobs: typed.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from),
        is_resumed: typed.resume,
        replaces: typed.replace,
        status_every: Duration::from_secs_f64(every_secs.unwrap_or(3_600.0)),
    };
    let progress = Progress::new();
    interrupt::watch(&progress);
    let is_shown = every_secs.is_some() && !terminal.is_quiet();
    let mut show = |status: &RunStatus| {
        if is_shown {
            let line = if typed.json { serde_json::to_string(status).unwrap_or_default() } else { status.to_string() };
            terminal.status(&line);
        }
    };
    let report = write_features(&order, &progress, &mut show)?;
    terminal.notices(&notices_of(&report));
    if let Some(path) = &typed.report {
        let text = json_of(&report)?;
        write_atomic(path, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", path)))?;
    }
    if typed.json {
        terminal.print_json(&report)?;
    } else {
        let [rows, mels, frames] = report.shape;
        let output = shown_path(&typed.output);
        terminal.print(&format!("{output}: {} files, [{rows}, {mels}, {frames}]\n", report.files))?;
    }
    match report.failures.first() {
        Some(failure) if typed.strict => {
            let sentence = format!(
                "{} of {} files could not be read; the first is {}: {}",
                report.failures.len(),
                report.files,
                failure.path,
                failure.error
            );
            Err(Error::new(ErrorKind::Malformed, sentence))
        }
        _ => Ok(()),
    }
}

/// What the user should know beside the report's own notices.
fn notices_of(report: &FeatureReport) -> Vec<String> {
    let files = |n: usize| if n == 1 { "1 file".to_owned() } else { format!("{n} files") };
    let mut notices = report.notices.clone();
    if let Some(failure) = report.failures.first() {
        notices.push(format!(
            "{} could not be read and hold silence; the first is {}: {}",
            files(report.failures.len()),
            failure.path,
            failure.error
        ));
    }
    if report.padded > 0 {
        notices.push(format!("{} shorter than asked for: zeros were added at the end", files(report.padded)));
    }
    if report.cut > 0 {
        notices.push(format!("{} longer than asked for: the rest was left out (--whole takes it)", files(report.cut)));
    }
    notices
}

/// The preset with what was typed over it.
fn options_of(typed: &FeaturesCommand) -> Result<FeatureOptions> {
    let preset = match typed.preset {
        Preset::MelSegments => FeatureOptions::mel_segments(),
    };
    let rate_hz = typed.rate.unwrap_or(preset.rate_hz);
    let preset_secs = preset.samples.unwrap_or(0) as f64 / f64::from(preset.rate_hz);
    let samples = match typed.whole {
        true => None,
        false => Some((typed.secs.unwrap_or(preset_secs) * f64::from(rate_hz)).round() as usize),
    };
    let mel = MelParams {
        n_mels: typed.mels.unwrap_or(preset.mel.n_mels),
        scale: typed.mel_scale.unwrap_or(preset.mel.scale),
        norm: typed.mel_norm.unwrap_or(preset.mel.norm),
        min_hz: typed.fmin.unwrap_or(preset.mel.min_hz),
        max_hz: typed.fmax.unwrap_or(f64::from(rate_hz) / 2.0),
    };
    FeatureOptions {
        rate_hz,
        samples,
        long: typed.long.unwrap_or(preset.long),
        short: typed.short.unwrap_or(preset.short),
        n_fft: typed.n_fft.unwrap_or(preset.n_fft),
        hop: typed.hop.unwrap_or(preset.hop),
        mel,
        reduce: typed.reduce.unwrap_or(preset.reduce),
        log: typed.log.unwrap_or(preset.log),
        dtype: typed.dtype.unwrap_or(preset.dtype),
        format: typed.format.unwrap_or(preset.format),
        has_mapping: typed.mapping == Mapping::Npy,
        channel: typed.channel.unwrap_or(ChannelChoice::Mix),
    }
    .validated()
}
