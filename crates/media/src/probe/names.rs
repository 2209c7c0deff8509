//! Names of sound files. The first bytes of a file determine its format; its name only decides whether it is probed.

use std::path::Path;

/// Extensions of the formats that can be opened, in lower case.
pub const AUDIO_EXTENSIONS: [&str; 20] = [
    "wav", "wave", "rf64", "w64", "flac", "aif", "aiff", "aifc", "caf", "au", "snd", "mp3", "m4a", "m4b", "mp4", "mov",
    "aac", "ogg", "oga", "opus",
];

/// Whether a path has one of these extensions, ignoring case.
pub fn is_audio_name(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| AUDIO_EXTENSIONS.contains(&extension.as_str()))
}
