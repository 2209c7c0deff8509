//! Parses arguments that are names.

use crate::dsp::Window;

/// The item of `all` with the name `text`; otherwise a message that lists all names.
pub(in crate::cli) fn parse_named<T: Copy>(
    text: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, String> {
    all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|&one| name(one)).collect();
        format!("expected one of {}", names.join(", "))
    })
}

pub(in crate::cli) fn parse_window(text: &str) -> Result<Window, String> {
    parse_named(text, &Window::ALL, Window::name)
}
