//! The sound devices of this machine, with unique names.

use cpal::traits::{DeviceTrait, HostTrait};
use std::path::Path;

/// A device and its names in lists.
pub struct NamedDevice {
    /// The device's name, followed by the system's identifier in brackets if several devices have the same name.
    pub name: String,
    /// The name, always followed by the identifier.
    full_name: String,
    /// The device.
    pub device: cpal::Device,
}

/// The sound systems of this machine, the preferred one first. Created each time a device is opened, since an existing
/// host never finds a restarted server.
pub fn audio_hosts() -> Vec<cpal::Host> {
    let mut ids = cpal::available_hosts();
    ids.sort_by_key(|id| !id.name().eq_ignore_ascii_case("pulseaudio"));
    ids.into_iter()
        .filter(|id| !id.name().eq_ignore_ascii_case("alsa") || alsa_may_answer())
        .filter_map(|id| cpal::host_from_id(id).ok())
        .collect()
}

/// Whether ALSA may offer a usable device. Without a sound card or a configuration, it offers only devices that fail,
/// and its library prints to standard error. Its sound server plug-in is useful only if a server may be running,
/// possibly on another machine.
fn alsa_may_answer() -> bool {
    let has_card = std::fs::read_to_string("/proc/asound/cards").is_ok_and(|cards| cards.contains('['));
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from).unwrap_or_default();
    has_card || home.join(".asoundrc").exists() || Path::new("/etc/asound.conf").exists() || plug_in_may_answer()
}

/// Whether the environment names a sound server, and ALSA has a plug-in for one.
fn plug_in_may_answer() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_server = std::env::var_os("PULSE_SERVER")
        .is_some_and(|server| !server.is_empty() && !names_a_gone_socket(&server))
        || (!is_set("PULSE_SERVER")
            && std::env::var_os("XDG_RUNTIME_DIR")
                .is_some_and(|folder| Path::new(&folder).join("pulse/native").exists()));
    let is_server_conf = |name: &str| name.contains("pulse") || name.contains("pipewire");
    let mut entries = std::fs::read_dir("/etc/alsa/conf.d").into_iter().flatten().flatten();
    has_server && entries.any(|entry| entry.file_name().to_str().is_some_and(is_server_conf))
}

/// Whether a server address is a local socket that does not exist.
fn names_a_gone_socket(server: &std::ffi::OsStr) -> bool {
    let Some(server) = server.to_str() else { return false };
    let path = server.strip_prefix("unix:").or_else(|| server.starts_with('/').then_some(server));
    path.is_some_and(|path| !Path::new(path).exists())
}

/// Unique display names for devices, given as pairs of the device's name and the system's identifier, in the same
/// order.
pub fn distinct_names(devices: &[(String, String)]) -> Vec<String> {
    let is_shared = |name: &str| devices.iter().filter(|(other, _)| other == name).count() > 1;
    let named = devices.iter().map(|(name, id)| if is_shared(name) { full_name(name, id) } else { name.clone() });
    named.collect()
}

fn full_name(name: &str, id: &str) -> String {
    format!("{name} [{id}]")
}

/// The named devices of a host.
fn named(devices: impl Iterator<Item = cpal::Device>) -> Vec<NamedDevice> {
    let found = devices.filter_map(|device| {
        let name = device.description().ok()?.name().to_owned();
        let id = device.id().map(|id| id.id().to_owned()).unwrap_or_default();
        Some(((name, id), device))
    });
    let (names, devices): (Vec<_>, Vec<_>) = found.unzip();
    let shown = distinct_names(&names);
    let full = names.iter().map(|(name, id)| full_name(name, id));
    shown
        .into_iter()
        .zip(full)
        .zip(devices)
        .map(|((name, full_name), device)| NamedDevice { name, full_name, device })
        .collect()
}

/// The outputs of a host.
pub fn outputs_of(host: &cpal::Host) -> Vec<NamedDevice> {
    host.output_devices().map(named).unwrap_or_default()
}

/// The inputs of a host, including monitors of its outputs if the system offers them.
pub fn inputs_of(host: &cpal::Host) -> Vec<NamedDevice> {
    host.input_devices().map(named).unwrap_or_default()
}

/// The index in `names` (name, full name) of the device that the user or a settings file calls `wanted`. Compares the
/// names first, then the full names, then looks for a part of a full name, ignoring case. `None` if nothing matches.
fn position(names: &[(&str, &str)], wanted: &str) -> Option<usize> {
    let lower = wanted.to_lowercase();
    let by_name = names.iter().position(|(name, _)| *name == wanted);
    let by_full_name = || names.iter().position(|(_, full_name)| *full_name == wanted);
    let by_part = || names.iter().position(|(_, full_name)| full_name.to_lowercase().contains(&lower));
    by_name.or_else(by_full_name).or_else(by_part)
}

/// The device with the name `wanted`, given by the user or in a settings file; a part of its name is enough.
pub fn find_device(mut devices: Vec<NamedDevice>, wanted: &str) -> Option<cpal::Device> {
    let names: Vec<(&str, &str)> = devices.iter().map(|d| (d.name.as_str(), d.full_name.as_str())).collect();
    let position = position(&names, wanted)?;
    Some(devices.swap_remove(position).device)
}
