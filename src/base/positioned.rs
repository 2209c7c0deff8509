//! Reading and writing at a place of a file, without a position that threads would share.

use std::fs::File;
use std::io::Result;

/// Writes all of `bytes` from byte `at` on.
///
/// # Errors
/// The system's.
#[cfg(unix)]
pub fn write_at(file: &File, bytes: &[u8], at: u64) -> Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

/// Fills `bytes` from byte `at` on.
///
/// # Errors
/// The system's; `UnexpectedEof` where the file ends before.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Writes all of `bytes` from byte `at` on.
///
/// # Errors
/// The system's.
#[cfg(windows)]
pub fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        (bytes, at) = (&bytes[n..], at + n as u64);
    }
    Ok(())
}

/// Fills `bytes` from byte `at` on.
///
/// # Errors
/// The system's; `UnexpectedEof` where the file ends before.
#[cfg(windows)]
pub fn read_at(file: &File, bytes: &mut [u8], mut at: u64) -> Result<()> {
    let mut n_read = 0;
    while n_read < bytes.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[n_read..], at)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            n => (n_read, at) = (n_read + n, at + n as u64),
        }
    }
    Ok(())
}
