//! Deliveries saved by name: built-in ones, and the user's own, each as a file in one folder.

use super::choice::Delivery;
use crate::base::{Error, ErrorKind, Folders, NamedValue, NamedValueFolder, Result, json_reason};
use std::path::Path;

/// Name of the folder of the user's presets, and the kind stated in their files.
const KIND: &str = "exports";
const NOUN: &str = "preset for exports";

/// Names and JSON of the built-in presets. A user's preset of the same name replaces a built-in one.
const BUILT_IN_PRESETS: [(&str, &str); 3] = [
    ("podcast", r#"{"container": "mp3", "channels": "mid", "loudness_lufs": -16}"#),
    ("archive", r#"{"container": "flac", "format": "pcm24"}"#),
    ("as source", "{}"),
];

/// A delivery with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportPreset {
    /// Its name.
    pub name: String,
    /// Its settings.
    pub delivery: Delivery,
    /// Whether it is a user's file, which can be deleted.
    pub is_users: bool,
}

/// Every preset: built-in ones, then the user's own by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportPresets {
    /// The presets, in this order.
    pub presets: Vec<ExportPreset>,
    /// A notice for each preset that was skipped.
    pub notices: Vec<String>,
}

/// The folder of the user's presets.
pub fn preset_folder(folders: &Folders) -> NamedValueFolder<Delivery> {
    NamedValueFolder::new(folders, KIND, NOUN)
}

impl ExportPresets {
    /// Reads all presets.
    pub fn read(folder: &NamedValueFolder<Delivery>) -> ExportPresets {
        let (kept, faults) = folder.read_all();
        let mut all = ExportPresets::default();
        for (name, _) in BUILT_IN_PRESETS.iter().filter(|(name, _)| !kept.iter().any(|own| own.name == *name)) {
            match with_program(name) {
                Some(Ok(delivery)) => {
                    all.presets.push(ExportPreset { name: (*name).to_owned(), delivery, is_users: false });
                }
                Some(Err(error)) => all.notices.push(error.to_string()),
                None => {}
            }
        }
        let users = |NamedValue { name, value }| ExportPreset { name, delivery: value, is_users: true };
        all.presets.extend(kept.into_iter().map(users));
        all.notices.extend(faults.iter().map(Error::to_string));
        all
    }

    /// The preset with a name; `None` if there is none.
    pub fn named(&self, name: &str) -> Option<&ExportPreset> {
        self.presets.iter().find(|preset| preset.name == name)
    }
}

/// The delivery of a user's or built-in preset, given its name, or of a preset file, given its path. A text that
/// contains a folder or ends in `.json` is a path.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for a preset that does not exist, or is invalid.
pub fn chosen_preset(folder: &NamedValueFolder<Delivery>, name: &str) -> Result<Delivery> {
    let path = Path::new(name);
    if path.components().count() > 1 || path.extension().is_some_and(|ending| ending == "json") {
        return folder.read_file(path);
    }
    if folder.has(name)? {
        return folder.read(name);
    }
    with_program(name).unwrap_or_else(|| {
        let mut names: Vec<String> = BUILT_IN_PRESETS.iter().map(|(name, _)| (*name).to_owned()).collect();
        names.extend(folder.names());
        let what = format!("there is no {NOUN} \"{name}\"; choose {} or a file NAME.json", names.join(", "));
        Err(Error::new(ErrorKind::Script, what))
    })
}

/// The built-in preset with a name; `None` if there is none.
fn with_program(name: &str) -> Option<Result<Delivery>> {
    let (_, text) = BUILT_IN_PRESETS.iter().find(|(known, _)| *known == name)?;
    Some(serde_json::from_str(text).map_err(|error| {
        Error::new(ErrorKind::Unsupported, format!("the {NOUN} \"{name}\" cannot be used: {}", json_reason(&error)))
    }))
}
