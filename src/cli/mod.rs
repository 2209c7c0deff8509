//! The command line.

/// Parses the command line and runs it.
pub fn main() -> std::process::ExitCode {
    unimplemented!()
}
