//! A pure Rust implementation of the PulseAudio protocol, suitable for writing
//! servers and clients.

#![warn(
    anonymous_parameters,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    nonstandard_style,
    rust_2018_idioms,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused_extern_crates,
    unused_qualifications,
    variant_size_differences
)]

use std::path::PathBuf;

mod client;
pub mod protocol;
pub use client::*;

/// Attempts to determine the socket path from the runtime environment, checking
/// the following locations in order:
///   - $PULSE_SERVER
///   - $PULSE_RUNTIME_PATH/native
///   - $XDG_RUNTIME_DIR/pulse/native
///
/// Returns None if no socket can be found or if $PULSE_SERVER points to a
/// remote server, i.e. is neither a path nor starts with 'unix:'.
// Changed in this copy: the search goes on behind a place that does not exist, PULSE_RUNTIME_PATH is the folder of the
// socket itself, and PULSE_SERVER may be a plain path, as for libpulse.
pub fn socket_path_from_env() -> Option<PathBuf> {
    if let Some(server) = std::env::var("PULSE_SERVER").ok().filter(|server| !server.is_empty()) {
        let path = server.strip_prefix("unix:").or_else(|| server.starts_with('/').then_some(server.as_str()))?;
        return writable_socket(PathBuf::from(path));
    }
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let runtime = folder("PULSE_RUNTIME_PATH").into_iter().flat_map(|path| [path.join("native"), path.join("pulse/native")]);
    let paths = runtime.chain(folder("XDG_RUNTIME_DIR").map(|path| path.join("pulse/native")));
    paths.into_iter().find_map(writable_socket)
}

fn writable_socket(path: PathBuf) -> Option<PathBuf> {
    let stat = std::fs::metadata(&path).ok()?;
    (!stat.permissions().readonly()).then_some(path)
}

/// The number of bytes that a server expects of a cookie.
pub const COOKIE_LENGTH: usize = 256;

/// Attempts to find the authentication cookie from the environment, checking
/// the following locations in order:
///
///   - $PULSE_COOKIE
///   - $XDG_CONFIG_HOME/pulse/cookie
///   - $HOME/.config/pulse/cookie
///   - $HOME/.pulse-cookie
// Changed in this copy: XDG_CONFIG_HOME, and files of another length are passed over.
pub fn cookie_from_env() -> Option<Vec<u8>> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    #[allow(deprecated)]
    let home = std::env::home_dir();
    let mut paths = folder("PULSE_COOKIE")
        .into_iter()
        .chain(folder("XDG_CONFIG_HOME").map(|path| path.join("pulse/cookie")))
        .chain(home.clone().map(|path| path.join(".config/pulse/cookie")))
        .chain(home.map(|path| path.join(".pulse-cookie")));
    paths.find_map(|path| {
        // A regular file only: a pipe would be waited for.
        let is_cookie = std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() == COOKIE_LENGTH as u64);
        let cookie = if is_cookie { std::fs::read(&path).ok() } else { None };
        cookie.filter(|cookie| cookie.len() == COOKIE_LENGTH)
    })
}

#[cfg(test)]
#[cfg(feature = "_integration-tests")]
mod integration_test_util {
    use std::{ffi::CString, io::BufReader, os::unix::net::UnixStream};

    use anyhow::Context;

    use super::*;
    use crate::protocol::*;

    #[test]
    fn socket_path() -> anyhow::Result<()> {
        let path = socket_path_from_env();
        assert!(path.is_some());
        assert!(path.unwrap().exists());

        Ok(())
    }

    pub(crate) fn connect_to_server() -> anyhow::Result<BufReader<UnixStream>> {
        let socket_path = socket_path_from_env().context("error finding pulse socket")?;
        let sock = UnixStream::connect(socket_path).context("error connecting to pulse socket")?;

        Ok(BufReader::new(sock))
    }

    pub(crate) fn init_client(mut sock: &mut BufReader<UnixStream>) -> anyhow::Result<u16> {
        let cookie = cookie_path_from_env()
            .and_then(|path| std::fs::read(path).ok())
            .unwrap_or_default();
        if cookie.is_empty() {
            eprintln!("warning: no pulseaudio cookie found");
        }

        let auth = AuthParams {
            version: MAX_VERSION,
            supports_shm: false,
            supports_memfd: false,
            cookie,
        };

        write_command_message(sock.get_mut(), 0, &Command::Auth(auth), MAX_VERSION)
            .context("sending auth command failed")?;
        let (_, auth_reply) =
            read_reply_message::<AuthReply>(sock, MAX_VERSION).context("auth command failed")?;

        let protocol_version = std::cmp::min(MAX_VERSION, auth_reply.version);

        let mut props = Props::new();
        props.set(Prop::ApplicationName, CString::new("pulseaudio-rs-tests")?);
        write_command_message(
            sock.get_mut(),
            1,
            &Command::SetClientName(props),
            protocol_version,
        )
        .context("sending set_client_name command failed")?;
        let _ = read_reply_message::<SetClientNameReply>(&mut sock, protocol_version)
            .context("set_client_name command failed")?;

        Ok(protocol_version)
    }

    pub(crate) fn connect_and_init() -> anyhow::Result<(BufReader<UnixStream>, u16)> {
        let mut sock = connect_to_server()?;
        let protocol_version = init_client(&mut sock)?;

        Ok((sock, protocol_version))
    }
}
