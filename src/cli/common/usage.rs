//! Parses the command line, and prints usage errors like other failures: the usage text, then the error as the last
//! line.

use super::terminal::Terminal;
use crate::base::shown_text;
use crate::cli::args::Typed;
use clap::Parser;
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::process::ExitCode;

/// Parses the command line.
///
/// # Errors
/// Wrong usage, with text that is safe to print; also help and version, if requested.
pub(in crate::cli) fn parse() -> Result<Typed, clap::Error> {
    Typed::try_parse().map_err(|error| {
        // The error quotes arguments in many places; parsing escaped arguments escapes all of them.
        let shown = |argument: OsString| OsString::from(shown_text(&argument.to_string_lossy()).into_owned());
        if error.use_stderr() {
            Typed::try_parse_from(std::env::args_os().map(shown)).err().unwrap_or(error)
        } else {
            error
        }
    })
}

/// Prints a usage error.
pub(in crate::cli) fn print_wrong_usage(error: &clap::Error) -> ExitCode {
    let terminal = Terminal::new(false);
    let text = error.render().to_string();
    let (usage, sentence) = match error.kind() {
        // The rendered text consists only of the list of commands.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            (text.trim_end().to_owned(), "a command is missing; choose one from the list above".to_owned())
        }
        _ => usage_and_sentence(&text),
    };
    if !usage.is_empty() {
        terminal.status(&usage);
    }
    terminal.fail(&sentence);
    ExitCode::from(2)
}

/// Splits clap's paragraphs into the usage text and the error with its advice.
fn usage_and_sentence(text: &str) -> (String, String) {
    let (mut usage, mut said) = (String::new(), Vec::new());
    for paragraph in text.trim_end().split("\n\n") {
        let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
        match lines.first() {
            Some(first) if first.starts_with("Usage:") => usage = paragraph.trim_end().to_owned(),
            Some(first) if first.starts_with("tip: ") => {
                said.extend(lines.iter().map(|line| line.trim_start_matches("tip: ").to_owned()));
            }
            Some(first) if !first.starts_with("For more information") => {
                let first = first.trim_start_matches("error: ");
                // After a colon the lines are a list.
                let separator = if first.ends_with(':') { ", " } else { " " };
                said.push(format!("{first} {}", lines[1..].join(separator)).trim_end().to_owned());
            }
            _ => {}
        }
    }
    said.push("for more, try '--help'".to_owned());
    (usage, said.join("; "))
}
