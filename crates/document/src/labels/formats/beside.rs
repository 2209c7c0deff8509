//! The label file beside a sound.

use super::common::import::LabelReading;
use super::table::{FORMATS, read_label_file};
use crate::document::labels::{Label, LabelSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A label file beside a sound, with those of its labels that the sound does not have yet.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelsBeside {
    /// The file.
    pub path: PathBuf,
    /// The new labels, at least one.
    pub labels: Vec<Label>,
}

impl LabelsBeside {
    /// The first label file beside a sound, such as `NAME.txt` or `NAME.wav.txt`, that has labels that are not in
    /// `known`. Unreadable files are ignored.
    pub fn of(sound: &Path, reading: &LabelReading, known: &LabelSet) -> Option<LabelsBeside> {
        LabelsBeside::places(sound).find_map(|path| {
            let mut labels = read_label_file(&path, None, reading).ok()?.labels;
            let is_known = |label: &Label| {
                known.in_range(label.secs).any(|other| other.secs == label.secs && other.text == label.text)
            };
            labels.retain(|label| !is_known(label));
            (!labels.is_empty()).then_some(LabelsBeside { path, labels })
        })
    }

    /// Possible label files beside a sound, in the order of trying.
    pub fn places(sound: &Path) -> impl Iterator<Item = PathBuf> {
        let names: Vec<&OsStr> = sound.file_stem().into_iter().chain(sound.file_name()).collect();
        let endings = FORMATS.iter().filter(|format| format.is_read()).flat_map(|format| format.endings);
        let named = endings.flat_map(move |ending| names.clone().into_iter().map(move |name| (name, ending)));
        named.filter_map(move |(name, ending)| {
            let mut file = name.to_owned();
            file.push(format!(".{ending}"));
            Some(sound.with_file_name(file)).filter(|path| path != sound && path.is_file())
        })
    }
}
