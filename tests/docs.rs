//! The pages for readers: every link of them leads somewhere, every page is reached from the README, and the tests and
//! files that they name exist.

use super::support::sources::sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below a folder with this ending, by its path from the root.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == ending) {
                found.push(path.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// The pages by their paths from the root.
fn pages() -> BTreeMap<PathBuf, String> {
    let at_top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(PathBuf::from);
    let all = at_top.into_iter().chain(files("docs", "md"));
    all.map(|path| (path.clone(), std::fs::read_to_string(root().join(&path)).unwrap())).collect()
}

/// The lines of a page outside code, fenced or indented.
fn prose(page: &str) -> Vec<&str> {
    let mut is_fenced = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        if !is_fenced && !is_fence && !line.starts_with("    ") {
            lines.push(line);
        }
    }
    lines
}

/// The texts in backticks.
fn quoted(page: &str) -> Vec<String> {
    prose(page).join("\n").split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The targets of a page's links and pictures.
fn links(page: &str) -> Vec<String> {
    // Brackets in backticks are no links.
    let text: String = prose(page).join("\n").split('`').step_by(2).collect::<Vec<_>>().join("x");
    text.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

/// The names by which links find the headings of a page.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for heading in prose(page).into_iter().filter(|line| line.starts_with('#')) {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        let anchor: String = kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect();
        // A heading that stands twice is numbered.
        let mut numbered = anchor.clone();
        for n in 1.. {
            if found.insert(numbered) {
                break;
            }
            numbered = format!("{anchor}-{n}");
        }
    }
    found
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
        plain
    })
}

/// The file that a link of a page leads to and the anchor in it; none for other sites.
fn target(page: &Path, link: &str) -> Option<(PathBuf, Option<String>)> {
    if link.contains("://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor.to_owned())));
    let path = if file.is_empty() { page.to_owned() } else { plain(&page.parent().unwrap().join(file)) };
    Some((path, anchor))
}

/// Links of a page that lead nowhere.
fn broken(path: &Path, page: &str, pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let is_broken = |link: &String| {
        let Some((file, anchor)) = target(path, link) else { return false };
        let has = |anchor: String| pages.get(&file).is_some_and(|page| anchors(page).contains(&anchor));
        !root().join(&file).exists() || anchor.is_some_and(|anchor| !has(anchor))
    };
    links(page).into_iter().filter(is_broken).map(|link| format!("{}: {link}", path.display())).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let n_links: usize = pages.values().map(|page| links(page).len()).sum();
    assert!(pages.len() > 20 && n_links > 80, "{} pages, {n_links} links", pages.len());
    for (path, page) in &pages {
        assert!(
            prose(page).join("\n").matches('`').count().is_multiple_of(2),
            "{}: a backtick is alone",
            path.display()
        );
    }
    let found: Vec<String> = pages.iter().flat_map(|(path, page)| broken(path, page, &pages)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    // Controls: a file and a heading that are not there; brackets in code are no links.
    let planted = "[a](docs/none.md) [b](README.md#none) [c](README.md#read-on) `[d](e)` [f](docs/guide/README.md)";
    let found = broken(Path::new("README.md"), planted, &pages);
    assert_eq!(found, ["README.md: docs/none.md", "README.md: README.md#none"]);
    let names = ["a-b-c", "a-b-c-1", "a-b_c"].map(str::to_owned);
    assert_eq!(anchors("# A b: c\n## A `b`, c!\n## A-b_c"), BTreeSet::from(names));
}

#[test]
fn every_page_is_reached_from_the_readme() {
    let pages = pages();
    let (mut reached, mut next) = (BTreeSet::new(), vec![PathBuf::from("README.md")]);
    while let Some(path) = next.pop() {
        let Some(page) = pages.get(&path) else { continue };
        if reached.insert(path.clone()) {
            next.extend(links(page).iter().filter_map(|link| Some(target(&path, link)?.0)));
        }
    }
    let lost: Vec<_> = pages.keys().filter(|path| !reached.contains(*path)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let guide = "](docs/guide/README.md)";
    assert!(pages[Path::new("README.md")].contains(guide), "the guide opens from the README itself");
}

#[test]
fn the_readme_is_short_and_says_how_to_begin() {
    let page = std::fs::read_to_string(root().join("README.md")).unwrap();
    let n_lines = page.lines().count();
    assert!(n_lines <= 150, "{n_lines} lines: move something to docs/");
    for way in ["apt install ./sonobrush_", "tar xf sonobrush-", "scripts/run [FILE]", "`scripts/test`"] {
        assert!(page.contains(way), "{way}");
    }
}

/// Every function of the tests as `module::name`, those of the window also as `window::name`.
fn names_of_tests() -> String {
    let crates = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("tests"));
    let folders = crates.filter(|folder| folder.is_dir()).chain([root().join("tests")]);
    let mut names = String::new();
    for folder in folders {
        for file in files(folder.strip_prefix(root()).unwrap().to_str().unwrap(), "rs") {
            let text = std::fs::read_to_string(root().join(&file)).unwrap();
            let below = root().join(&file).strip_prefix(&folder).unwrap().with_extension("");
            let parts = below.iter().map(|part| part.to_str().unwrap()).filter(|part| *part != "mod");
            let module = parts.collect::<Vec<_>>().join("::");
            for line in text.lines() {
                let line = line.trim_start().trim_start_matches("pub ");
                let Some((name, _)) = line.strip_prefix("fn ").and_then(|line| line.split_once(['(', '<'])) else {
                    continue;
                };
                names += &format!("{module}::{name}\n");
                if module.starts_with("window::") {
                    names += &format!("window::{name}\n");
                }
            }
        }
    }
    names
}

/// Whether a text in backticks is a path of tests: `module::`, or `module::name` in small letters.
fn is_path_of_test(text: &str) -> bool {
    let is_word = |part: &str| part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    text.contains("::") && !text.starts_with("::") && text.split("::").all(is_word)
}

/// Tests that a page names and that are not there. A path that begins with a row of the program is code.
fn missing_tests(page: &str, names: &str, rows: &BTreeSet<String>) -> Vec<String> {
    let all = quoted(page).into_iter().filter(|text| is_path_of_test(text));
    let is_there = |text: &str| names.contains(text);
    let is_code = |text: &str| !text.ends_with("::") && rows.contains(text.split("::").next().unwrap_or_default());
    all.filter(|text| !is_there(text) && !is_code(text)).collect()
}

#[test]
fn tests_that_pages_name_exist() {
    let names = names_of_tests();
    let rows: BTreeSet<String> = sources()
        .iter()
        .filter_map(|(file, _)| Some(file.split_once('/')?.0.to_owned()))
        .chain(["std".into()])
        .collect();
    assert!(names.lines().count() > 2_000 && rows.len() > 10, "{} {rows:?}", names.lines().count());
    let pages = pages();
    let missing = |(path, page): (&PathBuf, &String)| -> Vec<String> {
        let missing = missing_tests(page, &names, &rows).into_iter();
        missing.map(|text| format!("{}: {text}", path.display())).collect()
    };
    let found: Vec<String> = pages.iter().flat_map(missing).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    let planted =
        "`docs::tests_that_pages_name_exist`, `docs::no_such_test`, `none::`, `layers::`, `dsp::phase`, `A::b`";
    assert_eq!(missing_tests(planted, &names, &rows), ["docs::no_such_test", "none::"]);
}

/// Files and folders of the sources that a page names and that are not there, by path from the root, as crates write
/// them (`document/edits/plan/mod.rs`), or by their last parts.
fn missing_files(page: &str, names: &[String]) -> Vec<String> {
    let is_path = |text: &String| {
        let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
        let is_ours = ["crates/", "tests/", "scripts/", "docs/", "benches/", "shaders/", "assets/", "src/", "vendor/"];
        let is_source = [".rs", ".wgsl", ".py"].iter().any(|ending| text.ends_with(ending));
        is_plain && !text.contains("NAME") && (is_source || is_ours.iter().any(|start| text.starts_with(start)))
    };
    let is_there = |text: &String| {
        let bare = text.trim_end_matches('/');
        let is_name = |name: &String| {
            name == bare || name.ends_with(&format!("/{bare}")) || name.starts_with(&format!("{bare}/"))
        };
        root().join(bare).exists() || root().join("tests").join(bare).exists() || names.iter().any(is_name)
    };
    quoted(page).into_iter().filter(is_path).filter(|text| !is_there(text)).collect()
}

#[test]
fn files_that_pages_name_exist() {
    let mut names: Vec<String> = sources().into_iter().map(|(file, _)| file).collect();
    for (folder, ending) in [("benches", "py"), ("benches", "rs"), ("tests", "rs"), ("tests", "py"), ("crates", "rs")] {
        names.extend(files(folder, ending).iter().map(|path| path.to_str().unwrap().to_owned()));
    }
    let pages = pages();
    let missing = |(path, page): (&PathBuf, &String)| -> Vec<String> {
        let missing = missing_files(page, &names).into_iter();
        missing.map(|text| format!("{}: {text}", path.display())).collect()
    };
    let found: Vec<String> = pages.iter().flat_map(missing).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    let planted = "`tests/docs.rs` `document/edits/plan/mod.rs` `plan/none.rs` `scripts/none` `crates/NAME/a.rs` \
                   `kernels/gate.rs`";
    assert_eq!(missing_files(planted, &names), ["plan/none.rs", "scripts/none"]);
}
