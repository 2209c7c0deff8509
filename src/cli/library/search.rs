//! Library commands that search, compare, tag and export.

use super::notices::WithNotices;
use super::routes::{batch_engine, keep};
use crate::base::{Error, ErrorKind, Result, few_notices, shown_path, shown_text};
use crate::cli::args::{ExportLibrary, FindDuplicates, FindSimilar, IdentifySound, LevelName, SearchSounds, TagSound};
use crate::cli::common::terminal::Terminal;
use crate::library::batches::{BatchKind, BatchOrder};
use crate::library::descriptors::COLUMNS;
use crate::library::export::{TableFormat, csv_field};
use crate::library::features::StoredPath;
use crate::library::identity::duplicates::{DuplicateGroup, DuplicateLevel, DuplicateOrder};
use crate::library::identity::words::words;
use crate::library::search::{FoundSound, SoundFilter, SoundQuery};
use crate::library::similar::{SimilarDials, SimilarTo};
use crate::library::sound_name::SoundName;
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::media::{Opened, Source};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

fn filter_of(condition: Option<&String>) -> Result<Option<SoundFilter>> {
    condition.map(|condition| SoundFilter::parse(condition)).transpose()
}

pub(super) fn search(typed: &SearchSounds, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let query = SoundQuery {
        text: typed.text.join(" "),
        filter: filter_of(typed.condition.as_ref())?,
        sort: typed.sort.clone(),
        is_descending: typed.reverse,
        max: typed.max,
        ..SoundQuery::default()
    };
    let found = LibraryStore::open_to_read(place)?.search(&query)?;
    if typed.json {
        return terminal.print_json(&found);
    }
    if typed.csv {
        return terminal.print(&csv_of(&found));
    }
    terminal.print(&found.iter().map(|sound| line(sound, "")).collect::<String>())
}

/// A line of a sound: id, `before`, length, key, loudness and path. Tags are on the next line.
fn line(sound: &FoundSound, before: &str) -> String {
    let number = |name: &str, unit: &str| {
        let value = sound.values.get(name).and_then(Value::as_f64);
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}{unit}"))
    };
    let key = sound.values.get("key").and_then(Value::as_str).unwrap_or("-");
    let (secs, lufs) = (number("duration_secs", "s"), number("lufs", " LUFS"));
    let tags = tags_line(sound);
    format!("{:>7} {before}{secs:>10}  {key:<9} {lufs:>12}  {}\n{tags}", sound.id, path_of(&sound.paths))
}

/// The tags of a sound on a line of their own, truncated; empty without tags.
fn tags_line(sound: &FoundSound) -> String {
    const MAX_CHARS: usize = 60;
    let text = |value: &str| match value.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}...", shown_text(&value[..at])),
        None => shown_text(value).into_owned(),
    };
    let tags: Vec<String> =
        sound.tags.iter().map(|tag| format!("{}: {}", shown_text(&tag.name), text(&tag.value))).collect();
    if tags.is_empty() { String::new() } else { format!("{:>7} {}\n", "", tags.join(", ")) }
}

fn path_of(paths: &[StoredPath]) -> String {
    match paths {
        [] => "(missing)".into(),
        [path] => path.to_string(),
        [path, rest @ ..] => format!("{path} (and {} more)", rest.len()),
    }
}

fn csv_of(found: &[FoundSound]) -> String {
    let mut text = String::from("id,hash,kind,path");
    COLUMNS.iter().for_each(|row| text.extend([",", row.name]));
    text.push_str(",tags\n");
    for sound in found {
        let path = sound.paths.first().map(|path| path.0.to_string_lossy().into_owned()).unwrap_or_default();
        text.push_str(&format!("{},{},{},{}", sound.id, sound.hash, sound.kind, csv_field(&path)));
        for row in COLUMNS {
            text.push(',');
            match sound.values.get(row.name) {
                Some(Value::String(value)) => text.push_str(&csv_field(value)),
                None | Some(Value::Null) => {}
                Some(value) => text.push_str(&value.to_string()),
            }
        }
        let tags: Vec<String> = sound.tags.iter().map(|tag| format!("{}={}", tag.name, tag.value)).collect();
        text.extend([",", &csv_field(&tags.join("; ")), "\n"]);
    }
    text
}

pub(super) fn similar(typed: &FindSimilar, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let filter = filter_of(typed.condition.as_ref())?;
    let mut dials = SimilarDials::default();
    typed.weights.iter().try_for_each(|(name, value)| dials.set(name, *value))?;
    dials.check()?;
    let store = LibraryStore::open_to_read(place)?;
    let mut file_notices = terminal.file_notices();
    let found = terminal.with_progress("comparing", |progress| {
        let (query, itself) = match id_of(&typed.input, &store)? {
            Some(_) if typed.time.is_some() => {
                return Err(Error::new(ErrorKind::Script, "--time needs a file, not the number of a sound"));
            }
            Some(id) => (store.similar_to(id)?, Some(id)),
            None => {
                let Opened { source, notices } = Source::open(&typed.input, &progress.quiet())?;
                file_notices.add_notices(notices);
                let query = SimilarTo::of_sound(&source, typed.time, progress)?;
                file_notices.add_notices(source.take_notice());
                (query, None)
            }
        };
        store.similar(&query, itself, &dials, filter.as_ref(), typed.max)
    })?;
    if typed.json {
        return terminal.print_json(&with_notices(&found, file_notices.all()));
    }
    let lines = found.iter().map(|similar| line(&similar.sound, &format!("{:>5.1} ", similar.score)));
    terminal.print(&lines.collect::<String>())
}

/// The results, each with the notices about the queried sound, since the JSON output is only an array of results.
fn with_notices<'a, T: Serialize>(found: &'a [T], notices: &[String]) -> Vec<WithNotices<'a, T>> {
    found.iter().map(|report| WithNotices { report, notices: few_notices(notices) }).collect()
}

/// The id of a library sound, if `library:` was typed, or a number that is not an existing file.
fn id_of(input: &Path, store: &LibraryStore) -> Result<Option<i64>> {
    if let Some(name) = SoundName::of_path(input)? {
        return store.id_named(&name).map(Some);
    }
    let number = input.to_str().and_then(|text| text.parse().ok());
    Ok(number.filter(|_| !input.exists()))
}

pub(super) fn duplicates(
    typed: &FindDuplicates,
    place: &LibraryPlace,
    batches: &BatchOrder,
    terminal: &Terminal,
) -> Result<()> {
    let level = typed.level.map(|level| match level {
        LevelName::File => DuplicateLevel::File,
        LevelName::Audio => DuplicateLevel::Audio,
        LevelName::Recording => DuplicateLevel::Recording,
        LevelName::Picture => DuplicateLevel::Picture,
        LevelName::Overlap => DuplicateLevel::Overlap,
    });
    let order = DuplicateOrder { level, threshold: typed.threshold, fingerprint_secs: typed.fingerprint_secs };
    let store = LibraryStore::open_to_read(place)?;
    let mut engine = batch_engine(place, batches)?;
    let groups = terminal.with_progress("comparing", |progress| store.duplicates(order, &mut engine, progress))?;
    keep(place, &mut engine, BatchKind::HashPairs);
    if typed.json { terminal.print_json(&groups) } else { terminal.print(&duplicates_text(&groups)) }
}

/// Groups of duplicates as text. The sound to keep is marked, except among overlapping sounds.
pub(super) fn duplicates_text(groups: &[DuplicateGroup]) -> String {
    let mut text = String::new();
    for group in groups {
        text.push_str(&format!("{}\n", group.level.name()));
        for sound in &group.sounds {
            let distance = match (sound.distance, sound.offset_secs, sound.overlap_secs) {
                _ if Some(sound.id) == group.keep => "keep".to_owned(),
                (_, Some(offset), Some(overlap)) => format!("{overlap:.1} s at {offset:.2} s"),
                (Some(distance), Some(offset), None) if group.keep.is_some() => {
                    format!("{distance:.3} at {offset:.2} s")
                }
                (Some(distance), None, None) => distance.to_string(),
                _ => "-".to_owned(),
            };
            for path in &sound.paths {
                text.push_str(&format!("{:>7}  {distance:<16} {path}\n", sound.id));
            }
        }
    }
    text
}

pub(super) fn identify(typed: &IdentifySound, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let store = LibraryStore::open_to_read(place)?;
    let mut file_notices = terminal.file_notices();
    let found = terminal.with_progress("comparing", |progress| {
        let Opened { source, notices } = Source::open(&typed.input, &progress.quiet())?;
        file_notices.add_notices(notices);
        let words = words(&source, progress)?;
        file_notices.add_notices(source.take_notice());
        if words.is_empty() {
            let sentence = "is shorter than 3 s, too short to be recognised; try library similar";
            return Err(Error::new(ErrorKind::Limit, sentence).at(&typed.input));
        }
        store.identify(&words, progress)
    })?;
    if typed.json {
        return terminal.print_json(&with_notices(&found, file_notices.all()));
    }
    let lines = found.iter().map(|sound| {
        format!("{:>7} {:>10.2}s  {:.3}  {}\n", sound.id, sound.offset_secs, sound.error_rate, path_of(&sound.paths))
    });
    terminal.print(&lines.collect::<String>())
}

pub(super) fn tag(typed: &TagSound, place: &LibraryPlace) -> Result<()> {
    let (name, value) = &typed.tag;
    LibraryStore::open_to_edit(place)?.set_tag(typed.id, name, Some(value.as_str()).filter(|value| !value.is_empty()))
}

pub(super) fn export(typed: &ExportLibrary, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let format = if typed.csv { TableFormat::Csv } else { TableFormat::Parquet };
    let store = LibraryStore::open_to_read(place)?;
    let exported = terminal.with_progress("exporting", |progress| store.export(&typed.output, format, progress))?;
    if typed.json {
        return terminal.print_json(&exported);
    }
    let shown = shown_path(&typed.output);
    terminal.print(&format!("{shown}: {} sounds, {} files\n", exported.sounds, exported.files))
}
