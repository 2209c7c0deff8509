//! Shortens names in the middle, because the names of takes of one recording differ at their ends.

/// Replaces the middle of a name by an ellipsis, as in `interview_2…take_12.wav`, keeping as many characters as fit.
pub fn without_middle(name: &str, fits: impl Fn(&str) -> bool) -> String {
    if fits(name) {
        return name.to_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    let kept = |n: usize| -> String {
        let (head, tail) = (&letters[..n.div_ceil(2)], &letters[letters.len() - n / 2..]);
        head.iter().chain(&['\u{2026}']).chain(tail).collect()
    };
    // Binary search for the longest that fits: letters differ in width, but more letters are never narrower.
    let (mut fitting, mut too_many) = (0, letters.len());
    while fitting + 1 < too_many {
        let middle = fitting.midpoint(too_many);
        if fits(&kept(middle)) {
            fitting = middle;
        } else {
            too_many = middle;
        }
    }
    kept(fitting)
}
