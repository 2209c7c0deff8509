//! `sonobrush features`

use crate::base::{
    Error, ErrorKind, LoadedSettings, Progress, Result, more_notices, shown_json, shown_path, write_atomic,
};
use crate::cli::args::{FeatureChoices, FeaturesCommand, Index, Mapping, Preset, ShardChoice};
use crate::cli::common::engines::{analysis_bytes, batches_for, feature_engine, typed_feature_engine};
use crate::cli::common::interrupt;
use crate::cli::common::outputs::{refuse_other_format, refuse_output};
use crate::cli::common::terminal::{Terminal, json_of};
use crate::dsp::mels::mel::MelParams;
use crate::library::features::{
    ChannelChoice, FILES_PER_TASK, FeatureEngine, FeatureOptions, FeatureOrder, FeatureReport, FeatureWork, Manifest,
    MergeOrder, RunStatus, ShardOrder, merge_features, verify_features, write_features, write_shard,
};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

/// Maximum number of notices printed about individual files; a folder may contain a million truncated files.
const MAX_FILE_NOTICES: usize = 1_000;
/// Seconds between status lines on a terminal.
const STATUS_SECS: f64 = 1.0;

pub(in crate::cli) fn run(typed: &FeaturesCommand, loaded: &LoadedSettings, terminal: &Terminal) -> Result<()> {
    if let Some(report) = &typed.report {
        refuse_other_format(report, &["json"], "JSON")?;
    }
    let progress = Progress::new();
    interrupt::watch(&progress);
    let output = typed.output.clone().unwrap_or_default();
    let (engine, typed_engine) = (feature_engine(&loaded.settings), typed_feature_engine(loaded));
    if typed.list {
        return list(typed, engine, &output, terminal, &progress);
    }
    if typed.verify {
        return verify(typed, terminal, &progress);
    }
    let every_secs = typed.status_every.or(std::io::stderr().is_terminal().then_some(STATUS_SECS));
    let is_shown = every_secs.is_some() && !terminal.is_quiet();
    let mut show = |status: &RunStatus| {
        if is_shown {
            let line = match typed.json {
                true => shown_json(&serde_json::to_string(status).unwrap_or_default()).into_owned(),
                false => status.to_string(),
            };
            terminal.status(&line);
        }
    };
    let work = FeatureWork {
        jobs: jobs(typed),
        replaces: typed.replace,
        memory_bytes: analysis_bytes(typed.memory, &loaded.settings),
        status_every: Duration::from_secs_f64(every_secs.unwrap_or(3_600.0)),
        adapter: loaded.settings.adapter.clone(),
        limits: batches_for(&loaded.settings).limits(),
    };
    let report = if let (Some(ShardChoice { index, of }), Some(manifest)) = (typed.shard, &typed.manifest) {
        let (manifest, root) = (manifest.clone(), typed.root.clone());
        let folder = output.clone();
        let order = ShardOrder { manifest, root, index, of, folder, engine: typed_engine, work };
        write_shard(&order, &progress, &mut show)?
    } else if typed.merge {
        let (shards, keeps_shards) = (typed.inputs.clone(), typed.keep_shards);
        let order = MergeOrder { shards, output: output.clone(), replaces: typed.replace, keeps_shards };
        merge_features(&order, &progress)?
    } else {
        let order = FeatureOrder {
            inputs: typed.inputs.clone(),
            output: output.clone(),
            options: options_of(&typed.choices, engine)?,
            is_resumed: typed.resume,
            keeps_engine: typed_engine.is_none(),
            files_per_task: typed.choices.files_per_task,
            work,
        };
        write_features(&order, &progress, &mut show)?
    };
    print_report(typed, &report, &output, terminal)
}

/// Writes only the manifest: the list of files and options.
fn list(
    typed: &FeaturesCommand,
    engine: FeatureEngine,
    output: &Path,
    terminal: &Terminal,
    progress: &Progress,
) -> Result<()> {
    refuse_output(output, &["json"], "JSON")?;
    if output.exists() && !typed.replace {
        let sentence = "is already there; choose another name, or add --replace";
        return Err(Error::new(ErrorKind::Io, sentence).at(output));
    }
    let mut manifest = Manifest::of(&typed.inputs, &options_of(&typed.choices, engine)?, jobs(typed), progress)?;
    manifest.files_per_task = Some(typed.choices.files_per_task.unwrap_or(FILES_PER_TASK));
    let text = manifest.text()?;
    write_atomic(output, |out| out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", output)))?;
    terminal.notices(&manifest.notices);
    terminal.print(&format!("{}: {}, {} rows\n", shown_path(output), files(manifest.files.len()), manifest.rows))
}

fn verify(typed: &FeaturesCommand, terminal: &Terminal, progress: &Progress) -> Result<()> {
    for folder in &typed.inputs {
        let report = verify_features(folder, progress)?;
        if typed.json {
            terminal.print_json(&report)?;
        } else {
            let [rows, mels, frames] = report.shape;
            let folder = shown_path(folder);
            terminal.print(&format!("{folder}: intact, {}, [{rows}, {mels}, {frames}]\n", files(report.files)))?;
        }
    }
    Ok(())
}

fn jobs(typed: &FeaturesCommand) -> usize {
    typed.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Prints the result; with `--strict`, fails if any file failed.
fn print_report(typed: &FeaturesCommand, report: &FeatureReport, output: &Path, terminal: &Terminal) -> Result<()> {
    print_file_notices(report, terminal);
    terminal.notices(&report.notices);
    if let Some(path) = &typed.report {
        let text = json_of(report)?;
        write_atomic(path, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", path)))?;
    }
    if typed.json {
        terminal.print_json(report)?;
    } else {
        let [rows, mels, frames] = report.shape;
        let shard =
            report.shard.as_ref().map_or_else(String::new, |shard| format!(" shard {}/{}", shard.index, shard.of));
        let output = shown_path(output);
        terminal.print(&format!("{output}:{shard} {}, [{rows}, {mels}, {frames}]\n", files(report.files)))?;
    }
    match report.failures.first() {
        Some(_) if typed.strict => Err(Error::new(ErrorKind::Malformed, report.failed())),
        _ => Ok(()),
    }
}

fn files(n: usize) -> String {
    if n == 1 { "1 file".to_owned() } else { format!("{n} files") }
}

/// Prints the notices about individual files.
fn print_file_notices(report: &FeatureReport, terminal: &Terminal) {
    let notices: Vec<String> = report
        .noted
        .iter()
        .flat_map(|noted| {
            let path = shown_path(&report.root.0.join(&noted.path));
            noted.notices.iter().map(move |notice| format!("{path}: {notice}"))
        })
        .collect();
    notices.iter().take(MAX_FILE_NOTICES).for_each(|notice| terminal.notice(notice));
    if let Some(more) = more_notices(notices.len().saturating_sub(MAX_FILE_NOTICES)) {
        terminal.notice(&format!("{more} about single files; the report and files.parquet name them all"));
    }
}

/// The options: those of the preset, overridden by the typed ones.
fn options_of(typed: &FeatureChoices, engine: FeatureEngine) -> Result<FeatureOptions> {
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
        n_mels: typed.mel.mels.unwrap_or(preset.mel.n_mels),
        scale: typed.mel.mel_scale.unwrap_or(preset.mel.scale),
        norm: typed.mel.mel_norm.unwrap_or(preset.mel.norm),
        min_hz: typed.mel.fmin.unwrap_or(preset.mel.min_hz),
        max_hz: typed.mel.fmax.unwrap_or(f64::from(rate_hz) / 2.0),
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
        has_index: typed.index == Index::Parquet,
        channel: typed.channel.unwrap_or(ChannelChoice::Mix),
        engine,
    }
    .validated()
}
