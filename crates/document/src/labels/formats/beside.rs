//! The file of labels that lies beside a sound.

use super::import::LabelReading;
use super::table::{FORMATS, read_label_file};
use crate::document::labels::{Label, LabelSet};
use std::path::{Path, PathBuf};

/// A file of labels beside a sound, with those that are not known.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelsBeside {
    /// The file.
    pub path: PathBuf,
    /// At least one.
    pub labels: Vec<Label>,
}

impl LabelsBeside {
    /// The file of labels beside a sound, `NAME.txt` or `NAME.wav.txt`, that has labels which are not known. What
    /// cannot be read is no file of labels.
    pub fn of(sound: &Path, reading: &LabelReading, known: &LabelSet) -> Option<LabelsBeside> {
        let (stem, name) = (sound.file_stem()?, sound.file_name()?);
        let endings = FORMATS.iter().filter(|format| format.is_read()).flat_map(|format| format.endings);
        endings.flat_map(|ending| [stem, name].map(|name| (name, ending))).find_map(|(name, ending)| {
            let mut file = name.to_owned();
            file.push(format!(".{ending}"));
            let path = sound.with_file_name(file);
            if path == sound || !path.is_file() {
                return None;
            }
            let mut labels = read_label_file(&path, None, reading).ok()?.labels;
            let is_known = |label: &Label| {
                known.in_range(label.secs).any(|other| other.secs == label.secs && other.text == label.text)
            };
            labels.retain(|label| !is_known(label));
            (!labels.is_empty()).then_some(LabelsBeside { path, labels })
        })
    }
}
