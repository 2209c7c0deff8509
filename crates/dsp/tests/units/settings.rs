//! Settings: the origin of each value, and damaged files.

use base::{EngineChoice, Folders, LoadedSettings, Origin, Settings};
use serde_json::Value;

fn folders() -> (tempfile::TempDir, Folders) {
    let folder = tempfile::tempdir().unwrap();
    let folders = Folders::in_folder(folder.path());
    std::fs::create_dir_all(folders.settings_file().parent().unwrap()).unwrap();
    (folder, folders)
}

fn write(folders: &Folders, text: &str) {
    std::fs::write(folders.settings_file(), text).unwrap();
}

fn no_variables(_: &str) -> Option<String> {
    None
}

#[test]
fn command_line_wins_over_environment_over_file() {
    let (_folder, folders) = folders();
    write(&folders, r#"{"version": 1, "engine": "gpu", "history_mb": 64, "audio_device": "USB"}"#);
    let variable = |name: &str| match name {
        "SONOBRUSH_ENGINE" => Some("cpu".to_owned()),
        "SONOBRUSH_HISTORY_MB" => Some("128".to_owned()),
        "SONOBRUSH_ADAPTER" => Some("1".to_owned()),
        _ => None,
    };
    let mut loaded = LoadedSettings::load(&folders, variable).unwrap();
    loaded.override_with("engine", "auto".into()).unwrap();
    let settings = &loaded.settings;
    assert_eq!((settings.engine, settings.history_mb), (EngineChoice::Auto, 128));
    assert_eq!(settings.adapter.as_deref(), Some("1"));
    let origins = ["engine", "history_mb", "audio_device", "log_level"].map(|name| loaded.origin(name));
    assert_eq!(origins, [Origin::CommandLine, Origin::Environment, Origin::File, Origin::Default]);
    assert!(loaded.override_with("engine", "tpu".into()).is_err());
    assert!(LoadedSettings::load(&folders, |_| Some("loud".to_owned())).is_err());
}

#[test]
fn a_damaged_file_is_set_aside() {
    for damaged in ["{\"engine\": \"gp", "[1, 2]", "", "\u{0}\u{0}"] {
        let (_folder, folders) = folders();
        write(&folders, damaged);
        let loaded = LoadedSettings::load(&folders, no_variables).unwrap();
        assert_eq!(loaded.settings, Settings::default());
        assert_eq!(loaded.notices.len(), 1);
        assert!(!folders.settings_file().exists());
        let aside = folders.settings_file().with_extension("json.damaged");
        assert_eq!(std::fs::read_to_string(aside).unwrap(), damaged);
    }
}

#[test]
fn a_second_damaged_file_leaves_the_first_one_set_aside() {
    let (_folder, folders) = folders();
    let aside = |n: usize| {
        let end = if n == 1 { "json.damaged".to_owned() } else { format!("json.damaged-{n}") };
        std::fs::read_to_string(folders.settings_file().with_extension(end)).ok()
    };
    for n in 1..=3 {
        write(&folders, &format!("damaged {n}"));
        // Whichever operation reads the file first sets it aside.
        match n {
            1 => drop(LoadedSettings::load(&folders, no_variables).unwrap()),
            2 => Settings::save_change(&folders, |settings| settings.history_mb = 99).unwrap(),
            _ => drop(Settings::remembered(&folders).unwrap()),
        }
    }
    assert_eq!([1, 2, 3].map(aside), [1, 2, 3].map(|n| Some(format!("damaged {n}"))));
    assert_eq!(aside(4), None);
}

#[test]
fn what_the_studio_remembers_and_settings_leave_each_other_alone() {
    let (_folder, folders) = folders();
    assert_eq!(Settings::remembered(&folders).unwrap(), (Value::Null, None));
    Settings::save_change(&folders, |settings| settings.history_mb = 99).unwrap();
    Settings::remember(&folders, serde_json::json!({"theme": "light"})).unwrap();
    Settings::save_change(&folders, |settings| settings.chunk_frames = 64).unwrap();
    let loaded = LoadedSettings::load(&folders, no_variables).unwrap();
    assert_eq!((loaded.settings.history_mb, loaded.settings.chunk_frames), (99, 64));
    assert!(loaded.notices.is_empty(), "{:?}", loaded.notices);
    assert_eq!(Settings::remembered(&folders).unwrap().0["theme"], "light");
}

#[test]
fn a_wrong_value_is_told_and_the_rest_counts() {
    let (_folder, folders) = folders();
    write(&folders, r#"{"version": 9, "engine": "quantum", "history_mb": 99, "of_the_future": [1]}"#);
    let loaded = LoadedSettings::load(&folders, no_variables).unwrap();
    assert_eq!((loaded.settings.engine, loaded.settings.history_mb), (EngineChoice::Auto, 99));
    assert_eq!(loaded.notices.len(), 1, "{:?}", loaded.notices);

    // Fields of newer versions are preserved when a setting changes.
    Settings::save_change(&folders, |settings| settings.audio_buffer_frames = 768).unwrap();
    let text = std::fs::read_to_string(folders.settings_file()).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["of_the_future"], serde_json::json!([1]));
    assert_eq!((value["audio_buffer_frames"].as_u64(), value["version"].as_u64()), (Some(768), Some(9)));
    assert_eq!(value["history_mb"].as_u64(), Some(99));
}
