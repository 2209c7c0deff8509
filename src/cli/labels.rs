//! `sonobrush labels`

use super::args::{BandLines, CsvColumns, LabelReadingOptions, LabelsCommand};
use super::common::input;
use super::common::outputs::{SOUND_ENDINGS, refuse_bare_ending, refuse_no_folder, refuse_same_file};
use super::common::saving::save_as_project;
use super::common::terminal::Terminal;
use crate::base::{Error, ErrorKind, Folders, Result, Settings, read_head, shown_path, write_atomic};
use crate::document::brushes::LabelsEdit;
use crate::document::labels::formats::{
    AudacityStyle, LabelFormat, LabelLosses, LabelReading, LabelWriting, chapter_comments, chunks_with_labels,
    format_named, format_of_head, format_of_name, read_label_file,
};
use crate::document::labels::{Label, LabelSet};
use crate::document::session::{OpenedSound, SourceRef, is_project};
use crate::document::{Edit, export_as};
use crate::dsp::Transform;
use crate::media::{Container, Encoding};
use std::io::Write;
use std::path::Path;

/// Number of bytes read to detect a label file.
const HEAD_BYTES: usize = 1 << 16;

/// Labels, and the sound that they belong to.
pub(super) struct FoundLabels {
    pub labels: LabelSet,
    /// The sound, if the input was a sound or project.
    pub sound: Option<OpenedSound>,
    /// File name of the sound.
    pub sound_name: Option<String>,
    pub rate_hz: Option<f64>,
    pub sound_secs: Option<f64>,
}

impl FoundLabels {
    /// Options for reading label files that belong to the same sound.
    fn reading(&self, typed: &LabelReadingOptions) -> LabelReading {
        LabelReading {
            sound_name: self.sound_name.clone(),
            rate_hz: self.rate_hz,
            text_column: typed.text_column.clone(),
            skips_bad: typed.skip_bad,
            is_of_many: false,
        }
    }

    /// Adds the labels of a file. Labels whose id is already used get a new one.
    ///
    /// # Errors
    /// If the file is invalid, with the position in it.
    pub(super) fn import(
        &mut self,
        path: &Path,
        format: Option<&'static LabelFormat>,
        typed: &LabelReadingOptions,
        terminal: &Terminal,
    ) -> Result<()> {
        let read = read_label_file(path, format, &self.reading(typed)).map_err(|error| of_unknown(error, format))?;
        terminal.notices(&of_file(path, read.notices));
        let mut labels = read.labels;
        for label in labels.iter_mut().filter(|label| self.labels.get(label.id).is_some()) {
            label.id = 0;
        }
        self.labels = self.labels.edited(labels, &[]).map_err(|error| error.at(path))?;
        self.sound_name = self.sound_name.take().or(read.sound_name);
        Ok(())
    }
}

/// Extends an error about an unknown format with the option that sets the format.
fn of_unknown(error: Error, format: Option<&LabelFormat>) -> Error {
    if format.is_some() || error.kind() != ErrorKind::Unsupported {
        return error;
    }
    let more = Error::new(error.kind(), format!("{}, or name its format with --from", error.message()));
    error.path().map_or(more.clone(), |path| more.at(path))
}

/// The labels of a label file, a sound or a project.
///
/// # Errors
/// Read errors; for a label file with the position in it.
fn find(
    typed: &LabelsCommand,
    format: Option<&'static LabelFormat>,
    (settings, folders): (&Settings, &Folders),
    terminal: &Terminal,
) -> Result<FoundLabels> {
    let (path, rate_hz) = (&typed.input, typed.rate.rate_hz);
    let head = if format.is_some() || is_project(path) { Vec::new() } else { read_head(path, HEAD_BYTES)? };
    let is_of_labels = format.is_some() || format_of_head(&head).is_some();
    if !is_of_labels && is_text(&head) {
        let what = "is text of an unknown kind; name its label format with --from";
        return Err(Error::new(ErrorKind::Unsupported, what).at(path));
    }
    let of_labels = || {
        let mut found =
            FoundLabels { labels: LabelSet::default(), sound: None, sound_name: None, rate_hz, sound_secs: None };
        found.import(path, format, &typed.reading, terminal)?;
        Ok(found)
    };
    if is_of_labels {
        return of_labels();
    }
    let opened = match input::open(path, &typed.project, settings, folders, terminal) {
        // A file with the extension of a label file that is not a sound is reported as an invalid label file.
        Err(error) if error.kind() != ErrorKind::Cancelled && format_of_name(path).is_some() => return of_labels(),
        opened => opened?,
    };
    terminal.notices(&opened.notices);
    let found = found_in(path, opened);
    Ok(FoundLabels { rate_hz: rate_hz.or(found.rate_hz), ..found })
}

/// Whether a file starts with text; `head` may end within a character.
fn is_text(head: &[u8]) -> bool {
    let is_utf8 = std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    !head.is_empty() && is_utf8 && !head.contains(&0)
}

/// The labels of an open sound or project.
pub(super) fn found_in(path: &Path, opened: OpenedSound) -> FoundLabels {
    let snapshot = opened.history.current();
    // Ids of removed labels are not reused within a project.
    let labels = opened.history.labels().with_next_id(opened.history.next_label_id());
    let sound = match opened.project.as_ref().map(|project| &project.source) {
        Some(SourceRef::File { path, .. } | SourceRef::Embedded { path, .. }) => path,
        Some(SourceRef::Silence) | None => path,
    };
    let sound_name = sound.file_name().map(|name| name.to_string_lossy().into_owned());
    let rate_hz = snapshot.sample_rate_hz();
    let sound_secs = snapshot.n_samples() as f64 / rate_hz;
    let (rate_hz, sound_secs) = (Some(rate_hz), Some(sound_secs));
    FoundLabels { labels, sound: Some(opened), sound_name, rate_hz, sound_secs }
}

fn of_file(path: &Path, notices: Vec<String>) -> Vec<String> {
    notices.into_iter().map(|notice| format!("{}: {notice}", shown_path(path))).collect()
}

pub(super) fn run(typed: &LabelsCommand, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    for read in std::iter::once(&typed.input).chain(&typed.import) {
        refuse_same_file(read, &typed.output)?;
    }
    let target = Target::of(typed)?;
    if let Target::Labels(format) = &target {
        refuse_bare_ending(&typed.output, format.endings)?;
    }
    if !is_standard_output(&typed.output) {
        refuse_no_folder(&typed.output)?;
    }
    let from = typed.reading.format();
    // With --import the input is a sound, and the format option applies to the imported files.
    let input_format = if typed.import.is_empty() { from } else { None };
    let mut found = find(typed, input_format, (settings, folders), terminal)?;
    for path in &typed.import {
        found.import(path, from, &typed.reading, terminal)?;
    }
    if found.labels.is_empty() {
        terminal.notice(&format!("{}: has no labels", shown_path(&typed.input)));
    }
    let losses = match target {
        Target::Labels(format) => write_labels(typed, format, &found, terminal)?,
        Target::Sound => write_sound(typed, &found, terminal)?,
        Target::Project => {
            write_project(typed, found, terminal)?;
            None
        }
    };
    let losses = losses.and_then(|losses| losses.sentence());
    if is_standard_output(&typed.output) {
        terminal.notices(&losses.into_iter().collect::<Vec<_>>());
        return Ok(());
    }
    let losses = losses.map_or_else(String::new, |losses| format!(" {losses}"));
    terminal.print(&format!("Labels exported to {}.{losses}\n", shown_path(&typed.output)))
}

/// Whether labels are printed instead of written to a file.
fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Kind of output.
enum Target {
    Labels(&'static LabelFormat),
    Sound,
    Project,
}

impl Target {
    fn of(typed: &LabelsCommand) -> Result<Target> {
        let by_name = match typed.format {
            Some(format) => format_named(format.name()),
            None => format_of_name(&typed.output),
        };
        let format = match (by_name, typed.columns) {
            (Some(format), CsvColumns::GenericSeq) if format.name == "csv" => format_named("generic-seq"),
            (format, _) => format,
        };
        if let Some(format) = format {
            return Ok(Target::Labels(format));
        }
        let ending = typed.output.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some(ending) if SOUND_ENDINGS.contains(&ending) => Ok(Target::Sound),
            Some("sonobrush") => Ok(Target::Project),
            _ if is_standard_output(&typed.output) => {
                let what = "needs --format: labels are printed in a format that you name, such as --format csv";
                Err(Error::new(ErrorKind::Unsupported, what).at(&typed.output))
            }
            _ => {
                let what = "has no ending of a file of labels (.csv, .txt, .selections.txt, .TextGrid, .srt, .vtt, .wav, .flac, .mp3, .opus, \
                            .sonobrush); choose one, or say --format";
                Err(Error::new(ErrorKind::Unsupported, what).at(&typed.output))
            }
        }
    }
}

/// Options for writing labels, as typed.
fn writing_of(typed: &LabelsCommand, found: &FoundLabels) -> LabelWriting {
    LabelWriting {
        sound_name: found.sound_name.clone(),
        own_name: typed.output.file_name().map(|name| name.to_string_lossy().into_owned()),
        rate_hz: found.rate_hz,
        sound_secs: found.sound_secs,
        audacity: match typed.style {
            BandLines::Mixed => AudacityStyle::Mixed,
            BandLines::Plain => AudacityStyle::Plain,
            BandLines::All => AudacityStyle::All,
        },
        keeps_in_text: typed.keep_in_text,
        empty_text: typed.empty_text.clone(),
    }
}

/// The labels as text, and the information that the format loses.
///
/// # Errors
/// If the format would lose information and `--strict` forbids that.
fn text_of(typed: &LabelsCommand, format: &LabelFormat, found: &FoundLabels) -> Result<(String, LabelLosses)> {
    let writing = writing_of(typed, found);
    let (text, losses) = format.written(&found.labels, &writing).map_err(|error| error.at(&typed.output))?;
    match losses.sentence() {
        Some(lost) if typed.strict => {
            let what =
                format!("was not written, as {} does not hold all; {}", format.title, lost.trim_end_matches('.'));
            Err(Error::new(ErrorKind::Unsupported, what).at(&typed.output))
        }
        _ => Ok((text, losses)),
    }
}

fn write_labels(
    typed: &LabelsCommand,
    format: &LabelFormat,
    found: &FoundLabels,
    terminal: &Terminal,
) -> Result<Option<LabelLosses>> {
    let (text, losses) = text_of(typed, format, found)?;
    let path = &typed.output;
    if is_standard_output(path) {
        terminal.print(&text)?;
        return Ok(Some(losses));
    }
    write_atomic(path, |out| out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", path)))?;
    Ok(Some(losses))
}

/// The error if the output would contain a sound, but the input has none.
fn no_sound(typed: &LabelsCommand) -> Error {
    let what = "would hold a sound, but there is none; name the sound first, and its labels with --import";
    Error::new(ErrorKind::Unsupported, what).at(&typed.output)
}

/// Writes the sound with its samples unchanged, and the labels as cues of a WAV file or as chapters of another format.
fn write_sound(typed: &LabelsCommand, found: &FoundLabels, terminal: &Terminal) -> Result<Option<LabelLosses>> {
    let sound = found.sound.as_ref().ok_or_else(|| no_sound(typed))?;
    let snapshot = sound.history.current();
    let rate_hz = snapshot.sample_rate_hz() as u32;
    let (mut chunks, mut chapters, mut losses) = (Vec::new(), None, None);
    match (Container::of(&typed.output).max_chapters(), format_named("chapters")) {
        (Some(max), Some(format)) => {
            losses = Some(text_of(typed, format, found)?.1);
            if found.labels.len() > max {
                let what = format!(
                    "would hold {} chapters, and its kind at most {max}; write the labels to a file of their own",
                    found.labels.len()
                );
                return Err(Error::new(ErrorKind::Limit, what).at(&typed.output));
            }
            chapters = Some(chapter_comments(&found.labels, &writing_of(typed, found)));
        }
        _ => {
            chunks = chunks_with_labels(snapshot.source().chunks(), &found.labels, rate_hz)
                .map_err(|error| error.at(&typed.output))?;
        }
    }
    let (chunks, is_as_loud) = (Some(&chunks[..]), !snapshot.is_edited());
    let encoding = Encoding { chunks, chapters: chapters.as_deref(), is_as_loud, ..Encoding::default() };
    let report = terminal.with_progress("writing", |progress| {
        export_as(snapshot, 0..snapshot.n_samples(), &typed.output, &encoding, progress)
    })?;
    terminal.notices(&report.notices);
    Ok(losses)
}

/// Writes the sound as a project, whose last history step adds the new and changed labels.
fn write_project(typed: &LabelsCommand, found: FoundLabels, terminal: &Terminal) -> Result<()> {
    let Some(OpenedSound { mut history, project, .. }) = found.sound else { return Err(no_sound(typed)) };
    let known = history.labels();
    let set: Vec<Label> = found.labels.iter().filter(|label| known.get(label.id) != Some(*label)).cloned().collect();
    if !set.is_empty() {
        let sound = history.current().clone();
        history.push(Edit::of(LabelsEdit { set, remove: Vec::new() }, Transform::default()), sound);
    }
    save_as_project(&typed.output, &history, project, false, terminal)
}
