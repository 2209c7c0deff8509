//! Interfaces of one system are named in `base/platform` alone, each with a substitute for the others, so that a
//! build for another system is a build away.

use super::support::sources::sources;
use std::path::Path;

/// What belongs to a system.
const INTERFACES: [&str; 8] =
    ["libc::", "rustix::", "nix::", "signal_hook", "std::os::", "core::ffi::c_", "cfg(unix", "cfg(windows"];

/// A whole file or folder of the source, an interface, and why it may be named there. This list may only shrink.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

const PLATFORM: &str = "base/platform";

/// Interfaces that a text names, comments aside, with their lines.
fn named(text: &str) -> Vec<(usize, &'static str)> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let in_line = |(at, line): (usize, &str)| {
        // A name that only ends like one, such as `my_libc::`, is another.
        let is_whole = |place: usize| !line[..place].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let found = |name: &&&str| line.match_indices(**name).any(|(place, _)| is_whole(place));
        INTERFACES.iter().filter(found).map(|name| (at + 1, *name)).collect::<Vec<_>>()
    };
    code.enumerate().flat_map(in_line).collect()
}

/// What is wrong with a file, given by its name; exceptions that it needs are noted.
fn violations(file: &Path, text: &str, needed: &mut Vec<usize>) -> Vec<String> {
    if file.starts_with(PLATFORM) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, name) in named(text) {
        match EXCEPTIONS.iter().position(|(place, interface, _)| file.starts_with(place) && *interface == name) {
            Some(exception) => needed.push(exception),
            None => found.push(format!("{}:{line} names {name}", file.display())),
        }
    }
    found
}

#[test]
fn interfaces_of_a_system_are_named_in_one_folder() {
    let (mut found, mut needed) = (Vec::new(), Vec::new());
    for (file, text) in sources() {
        found.extend(violations(Path::new(&file), &text, &mut needed));
    }
    assert_eq!(found, [""; 0], "move it to {PLATFORM}, with a substitute for other systems");
    for (k, (place, interface, why)) in EXCEPTIONS.iter().enumerate() {
        assert!(needed.contains(&k), "{place} no longer names {interface} ({why}): take it off the list");
    }
}

#[test]
fn each_file_of_the_folder_has_a_substitute() {
    for (file, text) in sources() {
        if !file.starts_with(PLATFORM) || file.ends_with("mod.rs") {
            continue;
        }
        let says =
            ["ther systems", "ystems other than", "xcept on", "Windows"].iter().any(|words| text.contains(words));
        assert!(says, "{file} does not say what other systems get");
        let has_other = text.contains("cfg(not(unix))") || text.contains("cfg(windows)") || text.contains("Ok(())");
        assert!(text.contains("cfg(unix)") && has_other, "{file} has nothing for other systems");
    }
}

#[test]
fn planted_interfaces_are_found() {
    let planted = |file: &str, text: &str| violations(Path::new(file), text, &mut Vec::new());
    assert_eq!(planted("media/probe/look.rs", "a\nlet x = libc::ELOOP;"), ["media/probe/look.rs:2 names libc::"]);
    assert_eq!(planted("studio/app/restart.rs", "use std::os::unix::process::CommandExt;").len(), 1);
    assert_eq!(planted("cli/mod.rs", "    #[cfg(unix)]\n    signal_hook::flag::register(a, b);").len(), 2);
    assert_eq!(planted("base/files/atomic_file.rs", "let x = rustix::fs::access(a, b);").len(), 1);
    // What is allowed: the folder, the exceptions, comments and other names.
    assert_eq!(planted("base/platform/exec.rs", "std::os::unix::process::CommandExt::exec(a)"), [""; 0]);
    assert_eq!(planted("gpu/mod.rs", "// libc::malloc\nlet a = my_libc::x();"), [""; 0]);
}
