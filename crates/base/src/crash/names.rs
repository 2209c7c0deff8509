//! Removes the names of sounds and of the home folder from texts.

use crate::shown_path;
use std::collections::HashMap;
use std::path::Path;

/// File name extensions of sounds, projects, scores and pictures, for names that are not among the known sounds, such
/// as exports or old files.
const ENDINGS: [&str; 30] = [
    "wav",
    "wave",
    "bwf",
    "rf64",
    "w64",
    "flac",
    "aif",
    "aiff",
    "aifc",
    "caf",
    "au",
    "snd",
    "mp1",
    "mp2",
    "mp3",
    "m4a",
    "m4b",
    "mp4",
    "aac",
    "ogg",
    "oga",
    "opus",
    "mid",
    "midi",
    "sonobrush",
    "png",
    "jpg",
    "jpeg",
    "exr",
    "mka",
];
/// Delimiters of the provisional number of a name, used until all names are known.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';
/// Separates the texts while they are processed as one.
const NEXT: char = '\u{3}';

/// The texts with names replaced by `sound 1`, `sound 2` in order of appearance, and the home folder by `~`.
pub(super) fn without_names<'p, const N: usize>(
    texts: [&str; N],
    sounds: impl Iterator<Item = &'p Path>,
    home: Option<&Path>,
) -> [String; N] {
    let mut text = texts.map(|text| text.replace([OPEN, CLOSE, NEXT], "?")).join(&NEXT.to_string());
    let mut names = Names::default();
    let mut sounds = named_in(&text, sounds);
    // Longest first, since a name may contain another.
    sounds.sort_by_key(|path| std::cmp::Reverse(path.file_name().map_or(0, |name| name.len())));
    for path in sounds {
        let Some(name) = path.file_name().map(Path::new) else { continue };
        let mark = names.mark(&shown_path(name));
        for form in forms(path).into_iter().chain(forms(name)) {
            text = replaced(&text, &form, &mark);
        }
    }
    text = by_ending(&text, &mut names);
    if let Some(home) = home.filter(|home| home.parent().is_some()) {
        for form in forms(home) {
            text = replaced(&text, &form, "~");
        }
    }
    let text = numbered(&text);
    let mut parts = text.split(NEXT);
    std::array::from_fn(|_| parts.next().unwrap_or_default().to_owned())
}

/// The paths whose names appear in a text, in any form. A single pass over the text for any number of paths.
fn named_in<'p>(text: &str, paths: impl Iterator<Item = &'p Path>) -> Vec<&'p Path> {
    const N: usize = 3;
    let text = text.as_bytes();
    let mut by_start: HashMap<&[u8], Vec<(usize, &[u8])>> = HashMap::new();
    let named = paths.filter_map(|path| Some((path, forms(Path::new(path.file_name()?)))));
    let named: Vec<(&Path, Vec<String>)> = named.collect();
    for (index, (_, forms)) in named.iter().enumerate() {
        for form in forms.iter().map(String::as_bytes).filter(|form| !form.is_empty()) {
            by_start.entry(&form[..form.len().min(N)]).or_default().push((index, form));
        }
    }
    let mut is_found = vec![false; named.len()];
    for at in 0..text.len() {
        for n_bytes in 1..=N.min(text.len() - at) {
            for &(index, form) in by_start.get(&text[at..at + n_bytes]).into_iter().flatten() {
                is_found[index] |= text[at..].starts_with(form);
            }
        }
    }
    named.iter().zip(is_found).filter_map(|((path, _), is_found)| is_found.then_some(*path)).collect()
}

/// Forms of a path in a text: as messages show it, unmodified, and as Rust quotes it.
fn forms(path: &Path) -> Vec<String> {
    let quoted = format!("{path:?}");
    let mut forms = vec![shown_path(path), path.to_string_lossy().into_owned(), quoted.trim_matches('"').to_owned()];
    forms.dedup();
    forms
}

/// Names in order of appearance.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn mark(&mut self, name: &str) -> String {
        let known = self.0.iter().position(|one| one == name);
        let number = known.unwrap_or(self.0.len());
        if known.is_none() {
            self.0.push(name.to_owned());
        }
        format!("{OPEN}{number}{CLOSE}")
    }
}

/// Replaces a name wherever it is not part of a longer word.
fn replaced(text: &str, name: &str, with: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name).filter(|_| !name.is_empty()) {
        let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
        let last = before.chars().next_back().or(out.chars().next_back());
        let is_part = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        out.push_str(before);
        out.push_str(if is_part(last) || is_part(behind.chars().next()) { name } else { with });
        rest = behind;
    }
    out + rest
}

/// Replaces names that end with one of [`ENDINGS`] by marks, and drops their folders. The start of such a name is
/// guessed by [`name_start`].
fn by_ending(text: &str, names: &mut Names) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut looked = 0;
    while let Some(dot) = rest[looked..].find('.').map(|at| looked + at) {
        let ending: String =
            rest[dot + 1..].chars().take_while(|letter| letter.is_ascii_alphanumeric()).take(10).collect();
        let end = dot + 1 + ending.len();
        let is_known = ENDINGS.contains(&ending.to_ascii_lowercase().as_str());
        let is_end = !rest[end..].starts_with(char::is_alphanumeric);
        let has_name = rest[..dot].ends_with(|letter: char| !letter.is_whitespace() && !"\"'/\\".contains(letter));
        if !(is_known && is_end && has_name) {
            looked = dot + 1;
            continue;
        }
        let start = name_start(&rest[..dot]);
        let name = rest[start..end].rsplit(['/', '\\']).next().unwrap_or_default();
        let mark = names.mark(name);
        out.push_str(&rest[..start]);
        out.push_str(&mark);
        rest = &rest[end..];
        looked = 0;
    }
    out + rest
}

/// Guesses the byte index at which the path or name that ends `text` starts: after the last delimiter, such as a quote,
/// `: ` or `=`. May include preceding words, since names may contain spaces.
fn name_start(text: &str) -> usize {
    let behind = |at: Option<usize>, n_bytes: usize| at.map_or(0, |at| at + n_bytes);
    let mut start = behind(text.rfind(['\n', '"', CLOSE, NEXT, '\t']), 1);
    start = start.max(behind(text.rfind(": "), 2)).max(behind(text.rfind(" '"), 2)).max(behind(text.rfind('='), 1));
    // Skips the words before the first path in the rest, if there is one.
    let part = &text[start..];
    let root = [" /", " ~/", " ./"].iter().filter_map(|root| part.find(root)).min();
    start += root.unwrap_or(part.len() - part.trim_start().len());
    start + (text[start..].len() - text[start..].trim_start().len())
}

/// Numbers names in order of appearance.
fn numbered(text: &str) -> String {
    let mut order: Vec<&str> = Vec::new();
    let mut parts = text.split(OPEN);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, behind) = part.split_once(CLOSE).unwrap_or((part, ""));
        let known = order.iter().position(|one| *one == name);
        let number = known.unwrap_or(order.len());
        if known.is_none() {
            order.push(name);
        }
        out.push_str(&format!("sound {}{behind}", number + 1));
    }
    out
}
