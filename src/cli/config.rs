//! `sonobrush config`

use super::common::terminal::Terminal;
use crate::base::{Folders, LoadedSettings, Result, ShownSetting, shown_path};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Config {
    file: String,
    log: String,
    settings: Vec<ShownSetting>,
    notices: Vec<String>,
}

pub(super) fn run(loaded: &LoadedSettings, folders: &Folders, json: bool, terminal: &Terminal) -> Result<()> {
    let config = Config {
        file: shown_path(&folders.settings_file()),
        log: shown_path(&folders.log_file()),
        settings: loaded.shown(),
        notices: loaded.notices.clone(),
    };
    if json {
        return terminal.print_json(&config);
    }
    let mut text = format!("settings file  {}\nlog file       {}\n\n", config.file, config.log);
    for setting in &config.settings {
        let value = match &setting.value {
            Value::String(value) => value.clone(),
            Value::Null => "-".into(),
            value => value.to_string(),
        };
        text += &format!("{:<20} {value:<12} {:<13} {}\n", setting.name, setting.origin.label(), setting.variable);
    }
    terminal.print(&text)
}
