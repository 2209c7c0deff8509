//! Named items: whole files, names valid on every system, and unreadable files.

use base::{ErrorKind, Folders, NamedValue, NamedValueFolder};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Preset {
    level_db: f64,
}

fn presets() -> (tempfile::TempDir, NamedValueFolder<Preset>) {
    let folder = tempfile::tempdir().unwrap();
    let presets = NamedValueFolder::new(&Folders::in_folder(folder.path()), "levels", "level preset");
    (folder, presets)
}

fn levels(presets: &NamedValueFolder<Preset>) -> Vec<(String, f64)> {
    presets.read_all().0.into_iter().map(|NamedValue { name, value }| (name, value.level_db)).collect()
}

#[test]
fn what_was_kept_is_read_on_another_day_and_can_be_removed() {
    let (folder, presets) = presets();
    assert_eq!((presets.names(), presets.has("Soft")), (vec![], Ok(false)));
    presets.keep("  Soft ", &Preset { level_db: -12.0 }).unwrap();
    presets.keep("loud", &Preset { level_db: 3.5 }).unwrap();
    presets.keep("Ähnlich 2", &Preset { level_db: 1.0 }).unwrap();
    presets.keep("Soft", &Preset { level_db: -15.0 }).unwrap();
    let file = folder.path().join("settings/levels/Soft.json");
    assert_eq!(presets.file("Soft"), Ok(file.clone()));
    let text: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!((&text["version"], &text["kind"], &text["level_db"]), (&1.into(), &"levels".into(), &(-15.0).into()));
    let date = text["date"].as_str().unwrap();
    assert!(date.len() == 20 && date.starts_with("20") && date.ends_with('Z'), "{date}");
    // A second folder object, as in another process, reads the same values.
    let theirs = NamedValueFolder::new(&Folders::in_folder(folder.path()), "levels", "level preset");
    let expected = [("loud", 3.5), ("Soft", -15.0), ("Ähnlich 2", 1.0)].map(|(name, db)| (name.to_owned(), db));
    assert_eq!(levels(&theirs), expected);
    // A copy of a file, for another user, can be read from any folder.
    let sent = folder.path().join("sent.json");
    std::fs::copy(&file, &sent).unwrap();
    assert_eq!(theirs.read_file(&sent).unwrap().level_db, -15.0);
    theirs.remove("Soft").unwrap();
    theirs.remove("Soft").unwrap();
    assert!(!file.exists());
    let gone = theirs.read("Soft").unwrap_err().to_string();
    assert_eq!(gone, "there is no level preset \"Soft\"; saved are loud, Ähnlich 2");
    let left: Vec<_> = std::fs::read_dir(file.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 2, "no temporary file is left behind");
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_left_out() {
    let (folder, presets) = presets();
    presets.keep("good", &Preset { level_db: 1.0 }).unwrap();
    let at = |name: &str| folder.path().join("settings/levels").join(name);
    let huge =
        format!("{{\"version\": 1, \"kind\": \"levels\", \"level_db\": 1.0, \"more\": \"{}\"}}", "x".repeat(1 << 20));
    let files = [
        ("cut.json", r#"{"version": 1, "kind": "levels", "lev"#, "it ends before it is complete"),
        ("list.json", "[1, 2]", "is not a level preset"),
        ("other.json", r#"{"version": 1, "kind": "noise", "level_db": 1.0}"#, "its kind is not \"levels\""),
        ("newer.json", r#"{"version": 7, "kind": "levels"}"#, "newer version (7)"),
        ("plain.json", r#"{"kind": "levels", "level_db": 1.0}"#, "it states no version"),
        ("wrong.json", r#"{"version": 1, "kind": "levels", "level_db": "loud"}"#, "is not a level preset"),
        ("huge.json", huge.as_str(), "larger than the limit of 1 MB"),
        ("bytes.json", "\u{1}\u{2}\u{3}", "is not a level preset"),
    ];
    for (name, text, _) in files {
        std::fs::write(at(name), text).unwrap();
    }
    std::fs::create_dir(at("folder.json")).unwrap();
    std::fs::write(at("notes.txt"), "not ours").unwrap();
    std::fs::write(at(".hidden.json"), "not ours").unwrap();
    let (values, faults) = presets.read_all();
    assert_eq!(values.iter().map(|kept| kept.name.as_str()).collect::<Vec<_>>(), ["good"]);
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), files.len() + 1, "{faults:?}");
    for (name, _, why) in files {
        let fault = faults.iter().find(|fault| fault.contains(name)).unwrap();
        assert!(fault.contains(why) && !fault.contains('\n'), "{name}: {fault}");
    }
}

#[test]
fn a_name_that_is_no_file_name_everywhere_is_refused_and_writes_nothing() {
    let (folder, presets) = presets();
    let long = "x".repeat(121);
    let bad = [
        "",
        "   ",
        ".",
        "..",
        ".x",
        "x.",
        "../x",
        "a/b",
        "a\\b",
        "a:b",
        "what?",
        "a\nb",
        "\u{0}",
        "con",
        "NUL.old",
        "com1",
        long.as_str(),
    ];
    for name in bad {
        let error = presets.keep(name, &Preset { level_db: 0.0 }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{name:?}");
        assert!(presets.read(name).is_err() && presets.remove(name).is_err() && presets.has(name).is_err(), "{name:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    for name in ["Com10", "console", "10 % louder", "a.b", "日本語", "it's"] {
        presets.keep(name, &Preset { level_db: 0.0 }).unwrap();
        assert!(presets.names().contains(&name.to_owned()), "{name}");
    }
}
