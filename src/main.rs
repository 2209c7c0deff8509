//! The program: parse, run, exit code.

fn main() -> std::process::ExitCode {
    sonobrush::cli::main(|launch| {
        let why = format!("the studio cannot open {} files yet", launch.files.len());
        Err(sonobrush::base::Error::new(sonobrush::base::ErrorKind::Internal, why))
    })
}
