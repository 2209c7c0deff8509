//! A line in the file of the user's own tags.

use serde::{Deserialize, Serialize};

/// First bytes of a tag file: the first field of its first line.
pub const TAGS_MARK: &[u8] = b"{\"sonobrush\":\"library tags\",";

/// Minimum length of a truncated mark; a shorter part could begin any file.
const MIN_MARK_BYTES: usize = 8;

/// Whether bytes begin with a mark, or with a part of it truncated by a full disk.
pub fn begins_as(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.starts_with(mark) || bytes.len() >= MIN_MARK_BYTES && mark.starts_with(bytes)
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
pub struct TagLine {
    /// Hash of the sound's file, in hexadecimal.
    pub file: String,
    /// Name of the tag, in lower case.
    pub name: String,
    /// Value; `None` if the tag was removed.
    pub value: Option<String>,
}

impl TagLine {
    /// A line that sets a tag of the sound with this file hash; `None` removes the tag.
    pub fn new(hash: &[u8; blake3::OUT_LEN], name: &str, value: Option<&str>) -> TagLine {
        let file = blake3::Hash::from_bytes(*hash).to_string();
        TagLine { file, name: name.to_owned(), value: value.map(str::to_owned) }
    }
}

/// First bytes of every tag line except the first line of a file.
const LINE_HEAD: &[u8] = b"{\"file\":\"";

/// The tag of a line. An older version appended the next line to one truncated by a full disk: the last tag on such a
/// line counts.
pub fn tag_of(line: &[u8]) -> Option<([u8; blake3::OUT_LEN], TagLine)> {
    let of_last = || {
        let last = line.windows(LINE_HEAD.len()).rposition(|head| head == LINE_HEAD)?;
        serde_json::from_slice(&line[last..]).ok()
    };
    let tag: TagLine = serde_json::from_slice(line).ok().or_else(of_last)?;
    let hash = blake3::Hash::from_hex(&tag.file).ok()?;
    Some((*hash.as_bytes(), tag))
}

/// The bytes that follow the hash in every line.
const NAME_HEAD: &[u8] = b"\",\"name\":\"";

/// Whether text is a tag line, or the beginning of one.
fn begins_a_line(text: &[u8]) -> bool {
    let Some(hash) = text.strip_prefix(LINE_HEAD) else { return LINE_HEAD.starts_with(text) };
    let (hash, rest) = hash.split_at(hash.len().min(2 * blake3::OUT_LEN));
    hash.iter().all(u8::is_ascii_hexdigit) && (rest.starts_with(NAME_HEAD) || NAME_HEAD.starts_with(rest))
}

/// Whether the start of a file is that of a tag file: it begins with the mark and its continuation, with a tag line, or
/// with a first line truncated by a full disk.
pub fn is_tags_text(text: &[u8]) -> bool {
    let is_first_line = match text.strip_prefix(TAGS_MARK) {
        Some(fields) => begins_a_line(&[b"{", fields].concat()),
        None => begins_as(text, TAGS_MARK),
    };
    is_first_line || begins_a_line(text) || text.split(|&byte| byte == b'\n').any(|line| tag_of(line).is_some())
}
