//! Chooses the window system and checks its scale before winit does, since winit panics on some real displays.
//!
//! winit uses Wayland whenever the environment names it, even if the compositor is gone. It requires three extensions
//! of an X server, and a positive, finite scale. An unusable scale is overridden through winit's own variable, for
//! which the program restarts itself once.

use crate::base::{DisplayChoice, Error, ErrorKind, Result, take_place, wayland_answers};
use std::ffi::OsString;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use x11rb::connection::RequestConnection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt};
use x11rb::rust_connection::RustConnection;

/// Time to answer, after which a display counts as unavailable.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Protocol names of the X extensions that winit requires.
const EXTENSIONS: [&str; 3] = ["RANDR", "XInputExtension", "XKEYBOARD"];
/// Environment variable that overrides the X server's scale.
const SCALE_VARIABLE: &str = "WINIT_X11_SCALE_FACTOR";
const SCALES: std::ops::RangeInclusive<f64> = 0.5..=8.0;
const UNSCALED_DPI: f64 = 96.0;
/// Maximum length of the X settings, in units of four bytes.
const MAX_SETTINGS_WORDS: u32 = 1 << 16;

/// A protocol of displays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowSystem {
    /// An X server.
    X11,
    /// A Wayland compositor.
    Wayland,
}

/// Chooses the window system; restarts the program if it must override the scale of an X server.
///
/// # Errors
/// [`ErrorKind::Gpu`] if no display answers, or not the requested one.
pub fn choose(options: DisplayChoice) -> Result<WindowSystem> {
    let is_named = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_x11 = is_named("DISPLAY");
    let has_wayland = is_named("WAYLAND_DISPLAY") || is_named("WAYLAND_SOCKET");
    if !has_x11 && !has_wayland {
        return Err(refused("there is no display to open a window on"));
    }
    let mut why = match options {
        DisplayChoice::X11 => "the setting display asks for X11, but DISPLAY names no X server",
        _ => "the setting display asks for Wayland, but WAYLAND_DISPLAY names no compositor",
    }
    .to_owned();
    for system in to_try(options, has_wayland, has_x11) {
        match system {
            WindowSystem::Wayland if wayland_answers(TIMEOUT) => return Ok(system),
            WindowSystem::Wayland => "the Wayland compositor does not answer".clone_into(&mut why),
            WindowSystem::X11 => match query_x11_scale() {
                Ok(dpi) => return fix_scale(dpi).map(|()| system),
                Err(fault) => why = fault,
            },
        }
    }
    Err(refused(&why))
}

/// The window systems to try, in order. Wayland comes first, as it supports fractional scaling without Xwayland.
pub fn to_try(options: DisplayChoice, has_wayland: bool, has_x11: bool) -> Vec<WindowSystem> {
    let wayland = (has_wayland && options != DisplayChoice::X11).then_some(WindowSystem::Wayland);
    let x11 = (has_x11 && options != DisplayChoice::Wayland).then_some(WindowSystem::X11);
    wayland.into_iter().chain(x11).collect()
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::Gpu, format!("{why}; the command line works without a window (sonobrush --help)"))
}

/// The resolution that winit will read from the X server, in dots per inch; `None` if it is not set.
///
/// # Errors
/// A message for the user if the server does not answer or lacks an extension.
fn query_x11_scale() -> std::result::Result<Option<f64>, String> {
    let (notify, events) = channel();
    // On a thread, since connecting to a hanging server never returns.
    let started = std::thread::Builder::new().name("display".into()).spawn(move || notify.send(questions()));
    started.map_err(|error| format!("a thread could not be started: {error}"))?;
    match events.recv_timeout(TIMEOUT) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(format!("{} does not answer", name())),
    }
}

fn name() -> String {
    format!("the X server {}", std::env::var("DISPLAY").unwrap_or_default())
}

fn questions() -> std::result::Result<Option<f64>, String> {
    let gone = |_| format!("{} does not answer", name());
    let (server, screen) = x11rb::connect(None).map_err(gone)?;
    for extension in EXTENSIONS {
        if !matches!(server.extension_information(extension), Ok(Some(_))) {
            return Err(format!("{} lacks the extension {extension}, which the window needs", name()));
        }
    }
    Ok(settings_dpi(&server, screen).or_else(|| resource_dpi(&server)))
}

/// `Xft.dpi` of the X resources, set by `xrdb`.
fn resource_dpi(server: &RustConnection) -> Option<f64> {
    let resources = x11rb::resource_manager::new_from_default(server).ok()?;
    resources.get_string("Xft.dpi", "")?.parse().ok()
}

/// `Xft/DPI` of the XSETTINGS that a desktop's daemon publishes. These take precedence over the resources.
fn settings_dpi(server: &RustConnection, screen: usize) -> Option<f64> {
    let atom = |name: &str| Some(server.intern_atom(false, name.as_bytes()).ok()?.reply().ok()?.atom);
    let owner = server.get_selection_owner(atom(&format!("_XSETTINGS_S{screen}"))?).ok()?.reply().ok()?.owner;
    let property = atom("_XSETTINGS_SETTINGS")?;
    let settings = server.get_property(false, owner, property, AtomEnum::ANY, 0, MAX_SETTINGS_WORDS);
    dpi_of_settings(&settings.ok()?.reply().ok()?.value)
}

/// The resolution in XSETTINGS data, in dots per inch. May be negative, which winit accepts.
pub fn dpi_of_settings(bytes: &[u8]) -> Option<f64> {
    let is_big = *bytes.first()? == b'B';
    let word = |at: usize| {
        let bytes: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    };
    let half = |at: usize| {
        let bytes: [u8; 2] = bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(usize::from(if is_big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }))
    };
    // Header: byte order, serial, number of settings. Each setting: type, name, serial, value.
    let mut at = 12;
    for _ in 0..word(8)? {
        let (kind, length) = (*bytes.get(at)?, half(at + 2)?);
        let name = bytes.get(at + 4..at + 4 + length)?;
        at += 4 + length.next_multiple_of(4) + 4;
        if kind == 0 && name == b"Xft/DPI" {
            return Some(f64::from(word(at)?.cast_signed()) / 1024.0);
        }
        at += match kind {
            0 => 4,
            1 => 4 + (word(at)? as usize).next_multiple_of(4),
            2 => 8,
            _ => return None,
        };
    }
    None
}

/// Restarts the program with an acceptable scale, if winit would read an unusable one.
fn fix_scale(dpi: Option<f64>) -> Result<()> {
    let variable = std::env::var_os(SCALE_VARIABLE);
    let Some(value) = scale_to_set(variable.as_ref(), dpi) else { return Ok(()) };
    let program = std::env::current_exe();
    let program = program.map_err(|error| refused(&format!("the program file was not found: {error}")))?;
    tracing::warn!(?dpi, ?variable, value, "the display's scale is out of range");
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env(SCALE_VARIABLE, value);
    let error = take_place(&mut command);
    Err(refused(&format!("the window could not be opened with another scale: {error}")))
}

/// The value to set `WINIT_X11_SCALE_FACTOR` to; `None` if winit will find a usable scale without it. winit prefers the
/// variable to the resolution `dpi`. If neither is set, or the variable is `randr`, it computes the scale from the
/// screen's size.
pub fn scale_to_set(variable: Option<&OsString>, dpi: Option<f64>) -> Option<String> {
    let text = variable.map(|value| value.to_string_lossy()).filter(|text| !text.is_empty());
    let is_garbage =
        text.as_ref().is_some_and(|text| !text.eq_ignore_ascii_case("randr") && text.parse::<f64>().is_err());
    let stated = match &text {
        Some(text) if !is_garbage => text.parse().ok(),
        _ => dpi.map(|dpi| dpi / UNSCALED_DPI),
    };
    match stated {
        Some(scale) if !SCALES.contains(&scale) => Some(usable(scale).to_string()),
        Some(scale) if is_garbage => Some(scale.to_string()),
        None if is_garbage => Some("randr".into()),
        _ => None,
    }
}

/// The nearest usable scale; 1 for a scale that is not positive.
fn usable(scale: f64) -> f64 {
    if scale > 0.0 { scale.clamp(*SCALES.start(), *SCALES.end()) } else { 1.0 }
}
