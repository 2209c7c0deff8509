//! Reads and writes the lists of files in drags: `text/uri-list` (RFC 2483) with `file:` URIs (RFC 8089).

use crate::base::path_from_bytes;
use std::path::{Path, PathBuf};

/// Maximum number of characters of a refused URI in a message.
const MAX_NAME_CHARS: usize = 60;

/// Contents of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UriListContents {
    /// Files and folders on this computer.
    pub files: Vec<PathBuf>,
    /// Other items, shortened.
    pub refused: Vec<String>,
}

/// Reads a list. Lines end with CRLF or LF; lines that start with `#` are comments. `host` is this computer's name.
pub fn read_uris(list: &[u8], host: &str) -> UriListContents {
    let mut named = UriListContents::default();
    for line in list.split(|byte| *byte == b'\n') {
        // Some programs terminate the list with NUL.
        let line = line.trim_ascii().strip_suffix(b"\0").unwrap_or(line).trim_ascii();
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        match file_of_uri(line, host) {
            Some(file) => named.files.push(file),
            None => named.refused.push(shortened(line)),
        }
    }
    named
}

/// Reads a link of a browser, `text/x-moz-url`: URI and title on two lines, in UTF-16.
pub fn read_browser_link(link: &[u8], host: &str) -> UriListContents {
    let units: Vec<u16> = link.as_chunks::<2>().0.iter().map(|pair| u16::from_ne_bytes(*pair)).collect();
    let text = String::from_utf16_lossy(&units);
    read_uris(text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default().as_bytes(), host)
}

/// The path of a `file:` URI, if it is on this computer: without a host, or with the host `localhost` or `host`.
pub fn file_of_uri(uri: &[u8], host: &str) -> Option<PathBuf> {
    const SCHEME: &[u8] = b"file:";
    let (scheme, rest) = uri.split_at_checked(SCHEME.len())?;
    if !scheme.eq_ignore_ascii_case(SCHEME) {
        return None;
    }
    let path = match rest.strip_prefix(b"//") {
        Some(rest) => {
            let (at, path) = rest.split_at(rest.iter().position(|byte| *byte == b'/')?);
            let is_ours = |name: &str| !name.is_empty() && at.eq_ignore_ascii_case(name.as_bytes());
            (at.is_empty() || is_ours("localhost") || is_ours(host)).then_some(path)?
        }
        None => rest,
    };
    let path = percent_decoded(path);
    (path.starts_with(b"/") && !path.contains(&0)).then(|| path_from_bytes(&path))
}

/// Writes a list of absolute paths, for [`read_uris`].
pub fn write_uris(files: &[&Path]) -> Vec<u8> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let mut list = Vec::new();
    for file in files {
        list.extend(b"file://");
        for &byte in file.as_os_str().as_encoded_bytes() {
            match is_plain(byte) {
                true => list.push(byte),
                false => list.extend(format!("%{byte:02X}").bytes()),
            }
        }
        list.extend(b"\r\n");
    }
    list
}

/// Decodes percent encoding such as `%20`; a percent sign without two hex digits is kept.
fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        let byte = match behind {
            [high, low, ..] if *first == b'%' => digit(high).zip(digit(low)).map(|(high, low)| (high * 16 + low) as u8),
            _ => None,
        };
        decoded.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    decoded
}

/// A URI shortened for display.
fn shortened(uri: &[u8]) -> String {
    let text = String::from_utf8_lossy(uri).replace(char::is_control, " ");
    if text.chars().count() <= MAX_NAME_CHARS {
        return text;
    }
    text.chars().take(MAX_NAME_CHARS - 3).chain("...".chars()).collect()
}
