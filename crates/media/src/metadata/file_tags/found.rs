//! The tags of one file, and the encodings of their texts.

use serde::Serialize;

/// Maximum number of tags per file, and of characters per value.
const MAX_TAGS: usize = 64;
const MAX_CHARS: usize = 1_000;
/// Alternative field names in some formats and programs, and the names used here.
const FIELD_ALIASES: [(&str, &str); 6] = [
    ("initialkey", "key"),
    ("initial key", "key"),
    ("initial_key", "key"),
    ("tempo", "bpm"),
    ("tbpm", "bpm"),
    ("year", "date"),
];

/// A tag in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileTag {
    /// Name in lower case, the same for a field in every format: `title`, `artist`, `key`, `bpm`.
    pub name: String,
    /// Text of the tag.
    pub value: String,
    /// Source of the tag, such as `bext` or `id3`.
    pub source: &'static str,
}

/// Tags found so far.
#[derive(Debug, Default)]
pub struct FoundTags(Vec<FileTag>);

impl FoundTags {
    /// Adds a tag, unless its name or value is empty, or the same tag exists. Values are truncated to [`MAX_CHARS`]
    /// characters.
    pub fn add(&mut self, name: &str, value: &str, source: &'static str) {
        let text = |text: &str| -> String {
            let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
            text.chars().take(MAX_CHARS).collect()
        };
        let name = text(name).to_lowercase();
        let name = FIELD_ALIASES.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| (*name).to_owned());
        let tag = FileTag { name, value: text(value), source };
        let is_known = self.0.iter().any(|known| known.name == tag.name && known.value == tag.value);
        if self.0.len() < MAX_TAGS && !tag.name.is_empty() && !tag.value.is_empty() && !is_known {
            self.0.push(tag);
        }
    }

    /// Whether there are no tags.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All tags.
    pub fn into_tags(self) -> Vec<FileTag> {
        self.0
    }
}

/// The text in a field of fixed length, up to the first zero byte.
pub fn fixed(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    latin_or_utf8(&bytes[..end])
}

/// Decodes text of unknown encoding: UTF-8 if valid, otherwise Latin-1.
pub fn latin_or_utf8(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| latin(bytes), str::to_owned)
}

/// Decodes Latin-1 text.
pub fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
