//! Server workflows have no logic of their own: each step is one line that calls a script that also runs here. And the
//! files that a Flatpak needs exist.

use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// What a step may call.
const CALLED: [&str; 3] = ["scripts/test", "scripts/package", "cargo"];
/// Steps of others: the source comes, packages are kept.
const ACTIONS: [&str; 2] = ["actions/checkout", "actions/upload-artifact"];
/// What a workflow and a job may say of themselves; conditions, variables and shells are logic.
const OF_WORKFLOW: [&str; 3] = ["name", "on", "jobs"];
const OF_JOB: [&str; 2] = ["runs-on", "steps"];

/// A line of the part of YAML that workflows need: `key: value`, `- key: value` or `- value`.
struct Line {
    number: usize,
    /// Spaces before the key; a dash counts as one that belongs to them.
    indent: usize,
    is_item: bool,
    key: String,
    value: String,
}

fn parse(text: &str) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    for (at, whole) in text.lines().enumerate() {
        let number = at + 1;
        let line = whole.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if whole.contains('\t') || [" |", " >", " |-", " >-"].iter().any(|end| whole.trim_end().ends_with(end)) {
            return Err(format!("line {number} is no plain line"));
        }
        let (is_item, text) = line.strip_prefix("- ").map_or((false, line), |text| (true, text));
        let indent = whole.len() - text.len();
        let (key, value) = match text.split_once(": ") {
            Some(pair) => pair,
            None => text.strip_suffix(':').map_or(("", text), |key| (key, "")),
        };
        lines.push(Line { number, indent, is_item, key: key.into(), value: value.trim().into() });
    }
    Ok(lines)
}

/// What is wrong with a workflow.
fn faults(text: &str) -> Vec<String> {
    let lines = match parse(text) {
        Ok(lines) => lines,
        Err(why) => return vec![why],
    };
    let mut faults = Vec::new();
    if !text.starts_with("# Not run yet") {
        faults.push("it does not say that it was never run".into());
    }
    // The keys above a line, by their indents.
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut n_calls = 0;
    for line in &lines {
        above.retain(|(indent, _)| *indent < line.indent - usize::from(line.is_item) * 2);
        if !line.is_item {
            above.retain(|(indent, _)| *indent < line.indent);
        }
        let path: Vec<&str> = above.iter().map(|(_, key)| *key).collect();
        let mut refuse = |why: &str| faults.push(format!("line {}: {why}: {} {}", line.number, line.key, line.value));
        match path[..] {
            [] if !OF_WORKFLOW.contains(&line.key.as_str()) => refuse("a workflow has no logic"),
            ["jobs", _] if !OF_JOB.contains(&line.key.as_str()) => refuse("a job has no logic"),
            ["jobs", _, "steps"] => match line.key.as_str() {
                "run" if is_call(&line.value) => n_calls += 1,
                "run" => refuse("a step calls scripts/test, scripts/package or cargo"),
                "uses" if ACTIONS.contains(&line.value.split('@').next().unwrap_or_default()) => {}
                "with" if line.value.is_empty() => {}
                _ => refuse("a step is one call"),
            },
            _ => {}
        }
        if !line.key.is_empty() {
            above.push((line.indent, &line.key));
        }
    }
    if n_calls == 0 {
        faults.push("nothing is called".into());
    }
    faults
}

/// One program with plain words.
fn is_call(command: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=./, ".contains(letter);
    let program = command.split(' ').next().unwrap_or_default();
    let is_there = !program.contains('/') || Path::new(ROOT).join(program).is_file();
    CALLED.contains(&program) && is_there && command.chars().all(is_plain)
}

fn workflows() -> Vec<PathBuf> {
    let found = std::fs::read_dir(Path::new(ROOT).join(".github/workflows")).unwrap();
    found.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn workflows_only_call_what_runs_here() {
    let files = workflows();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(faults(&text), [""; 0], "{}", file.display());
    }
}

#[test]
fn planted_logic_is_found() {
    let with = |steps: &str| {
        faults(&format!("# Not run yet.\nname: x\non:\n  push:\njobs:\n  one:\n    runs-on: y\n    steps:\n{steps}"))
    };
    assert_eq!(with("      - uses: actions/checkout@v4\n      - run: scripts/test --long\n"), [""; 0]);
    for logic in [
        "      - run: scripts/test && echo done\n",
        "      - run: scripts/tests\n",
        "      - run: apt-get install -y cmake\n",
        "      - run: |\n          scripts/test\n",
        "      - run: cargo test > log\n",
        "      - run: cargo test $FLAGS\n",
        "      - run: scripts/test\n        if: always()\n",
        "      - run: scripts/test\n        env:\n          A: b\n",
        "      - name: Tests\n        run: scripts/test\n",
        "      - uses: someone/install@v1\n      - run: scripts/test\n",
        "      - uses: actions/checkout@v4\n",
        "      - run: scripts/test\n    env:\n      A: b\n",
        "      - run: scripts/test\n    strategy:\n      matrix:\n        a: [b]\n",
        "      - run: scripts/test\n    if: github.ref == 'main'\n",
        "      - run: scripts/test\nenv:\n  A: b\n",
    ] {
        assert!(!with(logic).is_empty(), "{logic}");
    }
    assert!(!faults("name: x\non:\n  push:\njobs:\n  one:\n    steps:\n      - run: scripts/test\n").is_empty());
}

#[test]
fn the_flatpak_manifest_names_files_that_are_there() {
    let folder = Path::new(ROOT).join("assets/package");
    let text = std::fs::read_to_string(folder.join("org.sonobrush.Sonobrush.flatpak.yml")).unwrap();
    assert!(text.starts_with("# Not tested") && text.contains("\napp-id: org.sonobrush.Sonobrush\n"));
    // With the manual's, they are those of the other packages.
    let named: Vec<&str> = text.split_whitespace().filter(|word| word.starts_with("assets/package/")).collect();
    let others = ["cargo-sources.json", "org.sonobrush.Sonobrush.flatpak.yml"];
    let named: Vec<&str> = named.into_iter().filter(|word| !others.iter().any(|other| word.ends_with(other))).collect();
    assert!(named.len() >= 4 && named.iter().all(|word| Path::new(ROOT).join(word).is_file()), "{named:?}");
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            others.contains(&name.as_str()) || named.iter().any(|word| word.ends_with(&name)),
            "{name} is left out"
        );
    }
}
