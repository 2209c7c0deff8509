//! `sonobrush-manual FOLDER`: a manual page of each command in `FOLDER/man1`, and completions for bash, zsh and fish in
//! `FOLDER/completions`, from the definition that the program itself reads.

use clap_complete::{Shell, generate_to};
use sonobrush::cli::definition;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: sonobrush-manual FOLDER")?;
    let [pages, completions] = ["man1", "completions"].map(|name| Path::new(&folder).join(name));
    std::fs::create_dir_all(&pages)?;
    std::fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(definition(), &pages)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut definition(), "sonobrush", &completions)?;
    }
    Ok(())
}
