//! Rust source as the few kinds of token that paths and items are made of.

/// One token. Comments and white space are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// An identifier or keyword; `r#type` is `type`.
    Word(String),
    /// `::`.
    PathSeparator,
    /// Any other punctuation, one character each.
    Mark(char),
    /// A string, character or number literal, or a lifetime: never part of a path.
    Literal,
}

impl Token {
    /// Whether this is the keyword or identifier `word`.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self, Token::Word(own) if own == word)
    }

    /// Whether this is the punctuation `mark`.
    pub fn is_mark(&self, mark: char) -> bool {
        *self == Token::Mark(mark)
    }
}

/// The tokens of `text`. What is not closed at the end of the text is taken to its end.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first.is_whitespace() {
            (None, first.len_utf8())
        } else if rest.starts_with("//") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (None, block_comment(rest))
        } else if rest.starts_with("::") {
            (Some(Token::PathSeparator), 2)
        } else if let Some(length) = literal(rest) {
            (Some(Token::Literal), length)
        } else if is_word_part(first) {
            let raw = if rest.starts_with("r#") { 2 } else { 0 };
            let end = raw + rest[raw..].find(|letter| !is_word_part(letter)).unwrap_or(rest.len() - raw);
            (Some(Token::Word(rest[raw..end].to_owned())), end)
        } else {
            (Some(Token::Mark(first)), first.len_utf8())
        };
        found.extend(token);
        rest = &rest[length..];
    }
    found
}

fn is_word_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of the literal or lifetime that `text` begins with, if it does.
fn literal(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| {
            let is_raw = prefix.ends_with('r') && rest.trim_start_matches('#').starts_with('"');
            is_raw || (!prefix.ends_with('r') && rest.starts_with(['"', '\'']))
        })
    });
    if let Some(prefix) = prefix {
        let rest = &text[prefix.len()..];
        let length = if prefix.ends_with('r') {
            raw_string(rest)
        } else if rest.starts_with('"') {
            quoted(rest, '"')
        } else {
            character_or_lifetime(rest)
        };
        return Some(prefix.len() + length);
    }
    // A number's dot becomes a token of its own: `0..n` and `1.5` need no distinction here.
    let is_number = text.starts_with(|letter: char| letter.is_ascii_digit());
    is_number.then(|| text.find(|letter| !is_word_part(letter)).unwrap_or(text.len()))
}

/// The length of a raw string from its first `#` or quote.
fn raw_string(text: &str) -> usize {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(hashes));
    let body = hashes + 1;
    text[body..].find(&end).map_or(text.len(), |at| body + at + end.len())
}

/// The length of a literal between quotes in which a backslash escapes.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// `'a'`, `'\n'` or the lifetime `'a`.
fn character_or_lifetime(text: &str) -> usize {
    let mut letters = text.chars().skip(1);
    let is_character = letters.next() == Some('\\') || letters.next() == Some('\'');
    if is_character {
        quoted(text, '\'')
    } else {
        text[1..].find(|letter| !is_word_part(letter)).map_or(text.len(), |at| at + 1)
    }
}
