//! `sonobrush export --by-label`

use super::args::{ByLabel, Export};
use super::engines::engine_for;
use super::input;
use super::labels::{FoundLabels, found_in};
use super::outputs::refuse_no_folder;
use super::terminal::{FileNotices, Terminal};
use crate::base::{Error, ErrorKind, Folders, NewFolders, Progress, Result, Settings, shown_path, write_atomic};
use crate::document::brushes::{Brush, Erase};
use crate::document::labels::formats::{LabelLosses, LabelWriting, label_table, put_field};
use crate::document::labels::{
    LabelSet, NamePattern, NamedFiles, PartChoice, SoundPart, SoundParts, hash_of_file, labels_within,
};
use crate::document::{ChangeSamples, DeliveredPart, Delivery, Edit, Snapshot, apply_live, deliver_part};
use crate::dsp::{Axis, Selection, Transform};
use crate::engine::Engine;
use crate::media::Container;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) fn export(typed: &Export, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    let by_label = &typed.by_label;
    let delivery = typed.delivery.delivery(folders)?;
    let pattern = by_label.name.as_deref().or(delivery.name.as_deref()).unwrap_or(NamePattern::USUAL);
    let pattern = NamePattern::parse(pattern, NamedFiles::Parts)?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut told = terminal.file_notices();
    told.tell(opened.notices.iter().cloned());
    let mut found = found_in(&typed.input, opened);
    if let Some(path) = &by_label.labels {
        found.import(path, by_label.reading.format(), &by_label.reading, terminal)?;
    }
    let Some(snapshot) = found.sound.as_ref().map(|sound| sound.history.current().clone()) else {
        return Err(Error::new(ErrorKind::Internal, "a sound is missing"));
    };
    let choice = PartChoice {
        splits: by_label.split,
        pattern: by_label.label.clone(),
        pad_secs: by_label.pad.map_or([0.0; 2], |pad| pad.0),
    };
    let parts = SoundParts::of(&found.labels, &choice, (snapshot.n_samples(), snapshot.sample_rate_hz()))
        .map_err(|error| error.at(&typed.input))?;
    if parts.n_outside > 0 {
        let labels =
            if parts.n_outside == 1 { "1 label has".into() } else { format!("{} labels have", parts.n_outside) };
        told.tell([format!("{labels} no sound of its own, and no file")]);
    }
    let sound_name = found.sound_name.clone().unwrap_or_default();
    let stem = Path::new(&sound_name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let container = match by_label.kind {
        Some(kind) => kind.container(),
        None => delivery.container_for(Container::lossless_like(Path::new(&sound_name))),
    };
    let delivery = Delivery { container: Some(container), ..delivery };
    delivery.check_in(container)?;
    delivery.check_for(snapshot.source().info())?;
    let names = pattern.names(&stem, &parts.parts).into_iter().map(|name| format!("{name}.{}", container.ending()));
    let names: Vec<String> = names.collect();
    let manifest = match by_label.hf {
        true => Some(typed.output.join("metadata.csv")),
        false => by_label.manifest.clone(),
    };
    let paths: Vec<PathBuf> = names.iter().map(|name| typed.output.join(name)).collect();
    if let Some(path) = manifest.as_ref().filter(|path| paths.contains(path)) {
        let what = "would be a part and the table of the parts; choose another name for the table";
        return Err(Error::new(ErrorKind::Script, what).at(path));
    }
    let made = prepare(&typed.output, &paths, manifest.as_deref(), &snapshot, by_label.overwrite)?;
    let n_parts = parts.parts.len();
    let order = PartsOrder { typed, delivery, found, parts: parts.parts, paths, names, manifest, sound_name };
    if let Err(error) = order.write(&snapshot, settings, &mut told, terminal) {
        made.remove_empty();
        return Err(error);
    }
    told.tell(snapshot.source().take_notice());
    let files = if n_parts == 1 { "1 file".into() } else { format!("{n_parts} files") };
    terminal.print(&format!("{}: {files} exported\n", shown_path(&typed.output)))
}

/// Files for parts of a sound, each with its place.
struct PartsOrder<'a> {
    typed: &'a Export,
    delivery: Delivery,
    found: FoundLabels,
    parts: Vec<SoundPart>,
    paths: Vec<PathBuf>,
    names: Vec<String>,
    /// The table of the files.
    manifest: Option<PathBuf>,
    sound_name: String,
}

impl PartsOrder<'_> {
    /// Writes the files, then their table.
    fn write(
        &self,
        snapshot: &Snapshot,
        settings: &Settings,
        told: &mut FileNotices,
        terminal: &Terminal,
    ) -> Result<()> {
        let by_label = &self.typed.by_label;
        let engine = if by_label.band { Some(engine_for(settings)?) } else { None };
        let n_parts = self.parts.len();
        let mut losses = LabelLosses::default();
        for (index, (part, path)) in self.parts.iter().zip(&self.paths).enumerate() {
            let writing = PartWriting {
                typed: self.typed,
                delivery: &self.delivery,
                found: &self.found,
                engine: engine.as_ref().map(|chosen| &chosen.engine),
            };
            let (notices, lost) = terminal.with_progress(&format!("file {} of {n_parts}", index + 1), |progress| {
                writing.write(snapshot, part, path, progress)
            })?;
            told.tell(notices.into_iter().map(|notice| format!("{}: {notice}", self.names[index])));
            losses.add(&lost);
        }
        if let Some(lost) = losses.sentence() {
            let lost = lost.trim_end_matches('.').replacen("Not kept", "not kept", 1);
            let container = self.delivery.container_for(Container::default());
            told.tell([format!("labels within the parts are chapters of {} files; {lost}", container.name())]);
        }
        let Some(path) = &self.manifest else { return Ok(()) };
        let text = match by_label.hf {
            true => metadata(&self.parts, &self.names),
            false => table(&self.parts, &self.paths, &self.names, &self.sound_name)?,
        };
        write_atomic(path, |out| out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", path)))
    }
}

/// Makes the folder, and refuses to replace anything. Returns which folders were not there before.
///
/// # Errors
/// For the first file that is there, unless such are replaced, for the sound's own, and for a table without a folder.
fn prepare(
    folder: &Path,
    parts: &[PathBuf],
    table: Option<&Path>,
    snapshot: &Snapshot,
    overwrites: bool,
) -> Result<NewFolders> {
    for path in parts.iter().map(PathBuf::as_path).chain(table) {
        if snapshot.source().is_file_at(path) {
            let what = "is the sound itself, which is never overwritten; choose another folder or --name";
            return Err(Error::new(ErrorKind::Io, what).at(path));
        }
        if !overwrites && path.symlink_metadata().is_ok() {
            let what = "is already there; choose another folder, or add --overwrite";
            return Err(Error::new(ErrorKind::Io, what).at(path));
        }
    }
    table.filter(|table| table.parent() != Some(folder)).map_or(Ok(()), refuse_no_folder)?;
    let made = NewFolders::of([folder]);
    std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "created", folder))?;
    Ok(made)
}

/// What all parts share.
struct PartWriting<'a> {
    typed: &'a Export,
    delivery: &'a Delivery,
    found: &'a FoundLabels,
    engine: Option<&'a Engine>,
}

/// Notices about a file, and what it does not hold of the labels within it.
type Written = (Vec<String>, LabelLosses);

impl PartWriting<'_> {
    fn write(&self, snapshot: &Snapshot, part: &SoundPart, path: &Path, progress: &Progress) -> Result<Written> {
        let rate_hz = snapshot.sample_rate_hz();
        let inner = labels_within(&self.found.labels, part, rate_hz)?;
        let rest = match self.engine {
            Some(engine) => Some(without_box(snapshot, part, engine, progress)?),
            None => None,
        };
        let fade = Fade::of(&self.typed.by_label, part, rate_hz);
        let change: &ChangeSamples<'_> = &|channel, first, samples| {
            if let Some(rest) = &rest {
                let mut other = vec![0.0; samples.len()];
                rest.read(channel, first as i64, &mut other)?;
                samples.iter_mut().zip(&other).for_each(|(sample, other)| *sample -= other);
            }
            fade.apply(first, samples);
            Ok(())
        };
        let delivered = DeliveredPart { snapshot, samples: part.samples.clone(), labels: &inner, change: Some(change) };
        let (report, held) = deliver_part(&delivered, path, self.delivery, progress)?;
        Ok((report.notices, held.losses))
    }
}

/// The sound without what a label's box holds: what is heard of the band alone is the difference.
fn without_box(snapshot: &Snapshot, part: &SoundPart, engine: &Engine, progress: &Progress) -> Result<Snapshot> {
    let rate_hz = snapshot.sample_rate_hz();
    let band = part.label.band_hz(rate_hz / 2.0);
    let select = Selection::rectangle(Some(part.label.secs), band, [0.0; 2], Axis::Linear);
    let erase = Edit {
        select: Some(select),
        consistency_steps: Some(0),
        ..Edit::of(Brush::Erase(Erase), Transform::for_rate(rate_hz))
    };
    Ok(apply_live(snapshot, &erase, engine, progress)?.snapshot)
}

/// Fades at both ends of a part, half a cosine each.
struct Fade {
    first: u64,
    end: u64,
    n: u64,
}

impl Fade {
    fn of(typed: &ByLabel, part: &SoundPart, rate_hz: f64) -> Fade {
        let n = (typed.fade.unwrap_or(0.0) / 1e3 * rate_hz).round() as u64;
        let (first, end) = (part.samples.start, part.samples.end);
        Fade { first, end, n: n.min((end - first) / 2) }
    }

    fn apply(&self, first: u64, samples: &mut [f32]) {
        if self.n == 0 {
            return;
        }
        for (at, sample) in (first..).zip(samples) {
            let from_edge = (at - self.first).min(self.end - 1 - at);
            if from_edge < self.n {
                let part = (from_edge as f64 + 0.5) / self.n as f64;
                *sample *= (0.5 - 0.5 * (std::f64::consts::PI * part).cos()) as f32;
            }
        }
    }
}

/// Our own table, and where each label's file is.
fn table(parts: &[SoundPart], paths: &[PathBuf], names: &[String], sound_name: &str) -> Result<String> {
    let hashes: Vec<String> = paths.iter().map(|path| hash_of_file(path)).collect::<Result<_>>()?;
    let labels = LabelSet::of(parts.iter().map(|part| part.label.clone()).collect())?;
    let more = |out: &mut String, index: usize| {
        out.push(',');
        put_field(out, &names[index], ',');
        let (first, n) = (parts[index].samples.start, parts[index].samples.end - parts[index].samples.start);
        // Writing to a text cannot fail.
        _ = write!(out, ",{first},{n},{}", hashes[index]);
    };
    let writing = LabelWriting { sound_name: Some(sound_name.to_owned()), ..LabelWriting::default() };
    label_table(&labels, &writing, &more, ",path,first_sample,n_samples,blake3")
}

/// The table that Hugging Face's `audiofolder` reads.
fn metadata(parts: &[SoundPart], names: &[String]) -> String {
    let mut out = String::from("file_name,label,start_s,end_s,low_hz,high_hz,confidence,first_sample,n_samples\n");
    for (part, name) in parts.iter().zip(names) {
        let label = &part.label;
        put_field(&mut out, name, ',');
        out.push(',');
        put_field(&mut out, &label.text, ',');
        // Writing to a text cannot fail.
        _ = write!(out, ",{:?},{:?}", label.secs[0], label.secs[1]);
        for number in [label.low_hz, label.high_hz, label.confidence] {
            out.push(',');
            _ = number.map(|number| write!(out, "{number:?}"));
        }
        _ = writeln!(out, ",{},{}", part.samples.start, part.samples.end - part.samples.start);
    }
    out
}
