//! What people type, as the index of words understands it.

/// Words that are looked for; more narrow nothing any more.
const MOST_WORDS: usize = 16;

/// All words as beginnings, each quoted so that none is an operator; `None` without a word.
pub fn match_words(text: &str) -> Option<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(MOST_WORDS).map(|word| format!("\"{word}\"*")).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
