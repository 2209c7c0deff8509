//! Interfaces to the desktop: display, file dialogs, clipboard, drag and drop with other programs.
//! May touch: the window system. Reports acts, changes no document.

pub(super) mod dialogs;
#[cfg(target_os = "linux")]
pub mod display;
pub(super) mod drops;
pub(super) mod pictures;
pub mod placing;
pub mod uri_list;
#[cfg(target_os = "linux")]
pub(super) mod x11_drag;
#[cfg(target_os = "linux")]
pub(super) mod x11_drop;
#[cfg(target_os = "linux")]
pub(super) mod xdnd;
