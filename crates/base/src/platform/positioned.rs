//! Reads and writes at an offset of a file, without a shared file position. Windows moves the file's own position too,
//! but nothing here depends on it.

use std::fs::File;
use std::io::Result;

/// Writes all of `bytes` at byte offset `at`.
///
/// # Errors
/// The operating system's error.
pub fn write_at(file: &File, bytes: &[u8], at: u64) -> Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
    }
    #[cfg(windows)]
    {
        let mut n_written = 0;
        while n_written < bytes.len() {
            n_written += std::os::windows::fs::FileExt::seek_write(file, &bytes[n_written..], at + n_written as u64)?;
        }
        Ok(())
    }
}

/// Fills `bytes` from byte offset `at`.
///
/// # Errors
/// The operating system's error; `UnexpectedEof` if the file ends early.
pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
    }
    #[cfg(windows)]
    {
        let mut n_read = 0;
        while n_read < bytes.len() {
            match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[n_read..], at + n_read as u64)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                n => n_read += n,
            }
        }
        Ok(())
    }
}
