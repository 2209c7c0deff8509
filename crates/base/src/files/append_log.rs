//! Logs of lines that are only appended to. Such a file may end with a partial line after a crash or on a full disk.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom, Write};
use std::ops::Range;

/// Appends whole lines to a log that is open for reading and writing, and waits until they are on disk. A partial last
/// line is terminated first, so that it cannot corrupt the new ones. Returns the byte range added, for [`take_back`].
///
/// # Errors
/// The operating system's error; the log is then restored as far as the system allows.
pub fn append_lines(file: &mut File, lines: &[u8]) -> Result<Range<u64>> {
    let start = file.seek(SeekFrom::End(0))?;
    let mut text = Vec::with_capacity(lines.len() + 1);
    if ends_in_half_a_line(file, start)? {
        text.push(b'\n');
    }
    text.extend_from_slice(lines);
    let written = file.write_all(&text).and_then(|()| file.sync_all());
    match written {
        Ok(()) => Ok(start..start + text.len() as u64),
        Err(error) => {
            // Removes a partly written line.
            file.set_len(start).ok();
            Err(error)
        }
    }
}

/// Removes the last appended lines and nothing before them. Does nothing if another process has appended lines since.
///
/// # Errors
/// The operating system's error.
pub fn take_back(file: &File, added: &Range<u64>) -> Result<()> {
    if file.metadata()?.len() != added.end {
        return Ok(());
    }
    file.set_len(added.start)?;
    file.sync_all()
}

/// Whether the last line of a log of this length is incomplete. Leaves the file position at the end.
pub fn ends_in_half_a_line(file: &mut File, n_bytes: u64) -> Result<bool> {
    let Some(last_at) = n_bytes.checked_sub(1) else { return Ok(false) };
    let mut last = [b'\n'];
    file.seek(SeekFrom::Start(last_at))?;
    file.read_exact(&mut last)?;
    file.seek(SeekFrom::End(0))?;
    Ok(last != *b"\n")
}
