//! Version of the program.

use std::sync::LazyLock;

/// Version number, shared by all crates of the workspace.
pub const PROGRAM_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Version, with the commit in packaged builds: `0.2.0 (1d031be)`. `scripts/package` passes the commit in
/// `SONOBRUSH_COMMIT`.
pub fn version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| match option_env!("SONOBRUSH_COMMIT") {
        Some(commit) => format!("{PROGRAM_VERSION} ({commit})"),
        None => PROGRAM_VERSION.to_owned(),
    });
    &TEXT
}
