//! Parts alone, by row: what can be said of them without a sound, a window or a device.

mod bench;
mod studio;

use crate::support::sources::sources;

/// The crates are compiled without a test harness (`test = false` in their Cargo.toml): a test in it would never run.
#[test]
fn no_test_stands_where_it_would_never_run() {
    let is_word = |line: &str| line.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test");
    let is_test = |text: &str| text.lines().any(|line| line.contains("#[") && is_word(line));
    let found: Vec<String> = sources().into_iter().filter(|(_, text)| is_test(text)).map(|(file, _)| file).collect();
    assert!(found.is_empty(), "move to tests/: {}", found.join(", "));
    assert!(is_test("#[cfg(all(test, unix))]\nmod tests {}") && is_test("    #[test]\n    fn a() {}"));
    assert!(!is_test("#[cfg(unix)]\nmod tests {}"));
}
