//! Wrong usage ends as every failure does, in one last line that nothing typed can forge.

use super::support::program::Place;

/// Runs a mistyped command; returns standard error, and its last line.
fn wrong(place: &Place, arguments: &[&str]) -> (String, String) {
    let output = place.run(arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{arguments:?}: {stderr}");
    let last = stderr.lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("sonobrush: ") && !last.starts_with("sonobrush: note: "), "{arguments:?}: {stderr}");
    assert!(stderr.ends_with('\n') && !stderr.contains("error:"), "{arguments:?}: {stderr}");
    (stderr, last)
}

#[test]
fn wrong_usage_ends_in_one_line_as_every_failure_does() {
    let place = Place::new();
    let cases: [(&[&str], &[&str]); 10] = [
        (&["image"], &["--output <OUT.png>, <IN>", "not provided"]),
        (&["image", "a.wav", "--foo"], &["'--foo' found"]),
        (&["info", "a.wav", "--jsn"], &["'--jsn' found", "'--json'"]),
        (&["image", "a.wav", "-o", "o.png", "--plane", "xx"], &["invalid value 'xx' for '--plane"]),
        (&["--recover", "maybe"], &["invalid value 'maybe' for '--recover", "[possible values: yes, no]"]),
        (&["image", "a.wav", "-o"], &["'--output <OUT.png>'", "none was supplied"]),
        (&["image", "a.wav", "-o", "o.png", "--smooth", "--raw"], &["cannot be used with"]),
        (&["imag"], &["'imag'", "did you mean 'image'?"]),
        (&["library", "ad"], &["'ad'", "'add'"]),
        (&["library"], &["a command is missing"]),
    ];
    for (arguments, parts) in cases {
        let (stderr, last) = wrong(&place, arguments);
        assert!(parts.iter().all(|part| last.contains(part)), "{arguments:?}: {last}");
        assert!(arguments == ["library"] || last.ends_with("; for more, try '--help'"), "{last}");
        // How the command is used stands before it, where clap knows.
        let n_before = stderr.lines().count() - 1;
        assert!(n_before == 0 || stderr.contains("Usage: "), "{stderr}");
    }
    let (stderr, _) = wrong(&place, &["library"]);
    assert!(stderr.contains("Usage: ") && stderr.contains("  describe "), "the list of commands: {stderr}");
    // Help and the version are no failures.
    assert!(place.done(&["library", "--help"]).contains("describe"));
}

#[test]
fn what_was_typed_neither_turns_text_around_nor_adds_lines() {
    let place = Place::new();
    let evil = "a\u{202e}gpj.exe\u{1b}[2J\nsonobrush: done\n\nUsage: nothing\u{9b}31m";
    for arguments in [
        &["info", "a.wav", "--", evil][..],
        &["info", "a.wav", &format!("--{evil}")],
        &["--engine", evil, "devices"],
        &["image", "a.wav", "-o", "o.png", "--plane", evil],
        &["image", "a.wav", "-o", "o.png", "--size", evil],
        &["library", evil],
        &["imag\u{202e}"],
    ] {
        let output = place.run(arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        let is_raw = |letter: char| letter != '\n' && letter.is_control() || letter == '\u{202e}';
        assert!(!stderr.contains(is_raw), "{arguments:?}: {stderr:?}");
        assert!(!stderr.contains("\nsonobrush: done\n") && !stderr.contains("Usage: nothing\n"), "{stderr}");
        assert!(stderr.lines().last().unwrap().contains("\\u{202e}"), "{arguments:?}: {stderr}");
    }
}
