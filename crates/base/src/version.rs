//! Which program this is.

use std::sync::LazyLock;

/// The version, and of a package the commit that it was built from: `0.2.0 (1d031be)`. `scripts/package` states the commit
/// in the variable `SONOBRUSH_COMMIT`.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let number = env!("CARGO_PKG_VERSION");
        match option_env!("SONOBRUSH_COMMIT") {
            Some(commit) => format!("{number} ({commit})"),
            None => number.to_owned(),
        }
    });
    &VERSION
}
