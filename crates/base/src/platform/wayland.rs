//! Detection of a Wayland compositor.

use std::time::Duration;

/// Whether the compositor named by the environment answers within `patience`. Always false on systems other than Unix.
///
/// Requests a round trip of the core protocol: a socket that outlived its compositor refuses the connection, and one
/// whose compositor hangs never answers.
pub fn wayland_answers(patience: Duration) -> bool {
    #[cfg(unix)]
    {
        // The parent process has opened this connection, and only the window may use it.
        if std::env::var_os("WAYLAND_SOCKET").is_some_and(|socket| !socket.is_empty()) {
            return true;
        }
        named_socket().is_some_and(|path| round_trip(&path, patience).is_ok())
    }
    #[cfg(not(unix))]
    {
        let _ = patience;
        false
    }
}

#[cfg(unix)]
fn named_socket() -> Option<std::path::PathBuf> {
    let name = std::env::var_os("WAYLAND_DISPLAY").filter(|name| !name.is_empty())?;
    let path = std::path::PathBuf::from(name);
    if path.is_absolute() {
        return Some(path);
    }
    Some(std::path::PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?).join(path))
}

#[cfg(unix)]
fn round_trip(path: &std::path::Path, patience: Duration) -> std::io::Result<()> {
    use std::io::{Read, Write};
    let mut socket = std::os::unix::net::UnixStream::connect(path)?;
    socket.set_read_timeout(Some(patience))?;
    socket.set_write_timeout(Some(patience))?;
    // The request `wl_display.sync`: object 1, then a size of 12 bytes with opcode 0, then the new callback's id, 2.
    let words: [u32; 3] = [1, 12 << 16, 2];
    socket.write_all(&words.map(u32::to_ne_bytes).concat())?;
    // The header of the callback's event or of an error: either shows that the compositor answers.
    socket.read_exact(&mut [0; 8])
}
