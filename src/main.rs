//! The program: parse, run, exit code.

fn main() -> std::process::ExitCode {
    sonobrush::cli::main()
}
