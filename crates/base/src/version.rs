//! Version of the program.

use std::sync::LazyLock;

/// The number of the version, which all crates of the workspace share.
pub const PROGRAM_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version, and of a package the commit that it was built from: `0.2.0 (1d031be)`. `scripts/package` states the
/// commit in the variable `SONOBRUSH_COMMIT`.
pub fn version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| match option_env!("SONOBRUSH_COMMIT") {
        Some(commit) => format!("{PROGRAM_VERSION} ({commit})"),
        None => PROGRAM_VERSION.to_owned(),
    });
    &TEXT
}
