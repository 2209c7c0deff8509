//! The probes and planted faults of tests are behind the feature `hooks`: a plain build has none.

use super::support::sources::sources;
use std::collections::BTreeMap;
use std::path::Path;

/// Where the user's settings are named.
const SETTINGS: &str = "base/settings.rs";

/// Variables that the program hands on to itself when it starts again.
const HANDED_ON: [&str; 3] = ["SONOBRUSH_RESTARTS", "SONOBRUSH_SAVED_BACK", "SONOBRUSH_SOFTWARE_ADAPTER"];

/// Variables of the environment that a text reads, which it names as whole strings. What the compiler reads is no such.
fn variables(text: &str) -> Vec<&str> {
    let text = text.split("option_env!(").enumerate();
    let text = text.flat_map(|(n, part)| if n == 0 { Some(part) } else { part.split_once(')').map(|(_, rest)| rest) });
    text.flat_map(variables_read).collect()
}

fn variables_read(text: &str) -> Vec<&str> {
    let named = text.split('"').filter(|part| part.starts_with("SONOBRUSH_"));
    named.filter(|part| part.chars().all(|c| c.is_ascii_uppercase() || c == '_')).collect()
}

/// Whether the module of a file is declared behind the feature: `lines` are those of the file that declares it.
fn is_gated(module: &str, lines: &[&str]) -> bool {
    let declared = |line: &str| {
        let line = line.trim();
        let bare = line.strip_prefix("pub(super) ").or_else(|| line.strip_prefix("pub ")).unwrap_or(line);
        bare == format!("mod {module};")
    };
    let at = lines.iter().position(|line| declared(line));
    at.is_some_and(|at| at > 0 && lines[at - 1].trim() == "#[cfg(feature = \"hooks\")]")
}

/// What is wrong with a file: a variable that is neither a setting nor handed on, in a module that every build has.
fn violations(file: &Path, text: &str, settings: &[&str], is_hook: bool) -> Vec<String> {
    let is_known = |variable: &&str| settings.contains(variable) || HANDED_ON.contains(variable);
    let unknown = variables(text).into_iter().filter(|variable| !is_hook && !is_known(variable));
    unknown.map(|variable| format!("{}: {variable} is in a plain build", file.display())).collect()
}

#[test]
fn a_plain_build_reads_settings_and_no_other_variable() {
    let texts: BTreeMap<String, String> = sources().into_iter().collect();
    let settings = variables(&texts[SETTINGS]);
    assert!(settings.len() >= 11, "{settings:?}");
    let (mut found, mut hooks) = (Vec::new(), Vec::new());
    for (file, text) in &texts {
        let path = Path::new(file);
        // A folder's `mod.rs` is the module of the folder's name.
        let own = if path.ends_with("mod.rs") { path.parent().unwrap() } else { path };
        let module = own.file_stem().unwrap().to_str().unwrap();
        // Declared by the `mod.rs` above it.
        let declaring = own.parent().and_then(|folder| texts.get(folder.join("mod.rs").to_str().unwrap()));
        let is_hook = declaring.is_some_and(|text| is_gated(module, &text.lines().collect::<Vec<_>>()));
        found.extend(violations(path, text, &settings, is_hook));
        if is_hook && !variables(text).is_empty() {
            hooks.push(module);
        }
    }
    assert_eq!(found, [""; 0], "gate the module: #[cfg(feature = \"hooks\")]");
    hooks.sort();
    assert_eq!(hooks, ["frame_times", "probe", "test_commands"]);
}

#[test]
fn a_hook_that_is_not_gated_is_found() {
    let planted = "const VARIABLE: &str = \"SONOBRUSH_STATE_FILE\";";
    let found = |is_hook| violations(Path::new("studio/hooks/probe/mod.rs"), planted, &["SONOBRUSH_ENGINE"], is_hook);
    assert_eq!(found(false), ["studio/hooks/probe/mod.rs: SONOBRUSH_STATE_FILE is in a plain build"]);
    assert_eq!(found(true), [""; 0]);
    assert_eq!(violations(Path::new("a.rs"), "(\"SONOBRUSH_RESTARTS\")", &[], false), [""; 0]);
    let built_in = "option_env!(\"SONOBRUSH_COMMIT\"), var(\"SONOBRUSH_STATE_FILE\")";
    assert_eq!(violations(Path::new("a.rs"), built_in, &[], false), ["a.rs: SONOBRUSH_STATE_FILE is in a plain build"]);
    for declared in ["pub mod probe;", "pub(super) mod probe;", "mod probe;"] {
        assert!(is_gated("probe", &["#[cfg(feature = \"hooks\")]", declared]));
    }
    assert!(!is_gated("probe", &["mod panels;", "pub mod probe;"]) && !is_gated("probe", &["mod panels;"]));
}

#[test]
fn the_program_under_test_has_the_hooks() {
    // A command that only they bring; without it the program's own help is shown.
    let help = std::process::Command::new(super::support::program::program()).args(["run-session", "--help"]).output();
    assert!(String::from_utf8_lossy(&help.unwrap().stdout).contains("--undo-every"));
}
