//! `sonobrush find`

use crate::base::{Error, ErrorKind, Folders, Result, Settings, shown_path};
use crate::cli::args::FindDamage;
use crate::cli::common::input;
use crate::cli::common::terminal::Terminal;
use crate::document::{Damage, DamageKind, Script, find_damage};
use serde::Serialize;
use serde_json::Value;

/// A finding in the JSON output.
#[derive(Serialize)]
struct Finding {
    kind: DamageKind,
    /// Affected channels, counted from 0.
    channels: Vec<usize>,
    /// Start and end of each place in seconds; empty if the damage lasts for the whole sound.
    times: Vec<[f64; 2]>,
    /// Low and high edge of each band in hertz; empty if the damage covers all frequencies.
    bands: Vec<[f64; 2]>,
    what: String,
    /// The script that repairs it.
    repair: Value,
}

pub(in crate::cli) fn run(
    typed: &FindDamage,
    settings: &Settings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut file_notices = terminal.file_notices();
    file_notices.add_notices(opened.notices.iter().cloned());
    let snapshot = opened.history.current();
    let found = terminal.with_progress("finding damage", |progress| find_damage(snapshot, progress))?;
    file_notices.add_notices(snapshot.source().take_notice());
    if typed.json {
        let findings: Vec<Finding> = found.into_iter().map(finding).collect::<Result<_>>()?;
        return terminal.print_json(&findings);
    }
    if found.is_empty() {
        return terminal.print(&format!("{}: no damage found\n", shown_path(&typed.input)));
    }
    let line = |damage: &Damage| {
        let channels: Vec<String> = damage.channels.iter().map(usize::to_string).collect();
        let channels = format!("channel{} {}", if channels.len() == 1 { "" } else { "s" }, channels.join(", "));
        format!("{:<10} {channels}: {} ({})\n", damage.kind.name(), damage.what, damage.repair.brush.kind())
    };
    terminal.print(&found.iter().map(line).collect::<String>())
}

fn finding(damage: Damage) -> Result<Finding> {
    let Damage { kind, channels, secs: times, hz: bands, what, repair } = damage;
    let repair = serde_json::from_str(&Script::from(vec![repair]).to_json())
        .map_err(|error| Error::new(ErrorKind::Internal, format!("the script of a repair is no JSON: {error}")))?;
    Ok(Finding { kind, channels, times, bands, what, repair })
}
