//! Typed words, converted to the syntax of the word index.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Maximum number of words in a search; more would not narrow it.
const MAX_WORDS: usize = 16;

/// All words as prefixes, each quoted so that none acts as an operator; `None` if there are no words. Letters and their
/// combining marks are composed, as in the index; a mark that does not combine is part of its word.
pub fn match_words(text: &str) -> Option<String> {
    let text: String = text.nfc().collect();
    let words = text.split(|letter: char| !letter.is_alphanumeric() && !is_combining_mark(letter));
    let words = words.filter(|word| word.contains(char::is_alphanumeric));
    let words: Vec<String> = words.take(MAX_WORDS).map(|word| format!("\"{word}\"*")).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
