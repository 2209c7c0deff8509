//! Parses values typed by name.

use crate::dsp::Window;

/// The item of `all` whose name is `text`; otherwise a message that lists all names.
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
