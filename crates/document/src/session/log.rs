//! Checks a database's write-ahead log for damage. SQLite silently ignores everything after the first damaged page,
//! which is right after a power cut, but would lose edits where a disk returns corrupt bytes.
//!
//! Source: "WAL-mode File Format", the SQLite project.

use crate::base::open_regular;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

const HEADER_BYTES: usize = 32;
const FRAME_BYTES: usize = 24;
const MAGIC: u32 = 0x377f_0682;

/// The log beside a database.
pub fn log_of(database: &Path) -> PathBuf {
    with_ending(database, "-wal")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Whether a database's log is or was found damaged. Call it before SQLite opens the database, which discards the log;
/// a damaged log is copied beside it for inspection.
pub fn is_damaged(database: &Path) -> bool {
    let log = log_of(database);
    let aside = with_ending(&log, ".damaged");
    if aside.exists() {
        return true;
    }
    let is_damaged = has_lost_commits(&log).unwrap_or(false);
    if is_damaged && let Err(error) = std::fs::copy(&log, &aside) {
        tracing::warn!(%error, "a damaged log is not kept");
    }
    is_damaged
}

/// Whether a log has a damaged header, or committed transactions after damaged bytes.
fn has_lost_commits(log: &Path) -> std::io::Result<bool> {
    let Ok((file, n_bytes)) = open_regular(log) else { return Ok(false) };
    let mut file = BufReader::new(file);
    let mut header = [0; HEADER_BYTES];
    if n_bytes < (HEADER_BYTES + FRAME_BYTES) as u64 {
        return Ok(false);
    }
    file.read_exact(&mut header)?;
    let words: Vec<u32> = header.chunks_exact(4).map(word).collect();
    let mut sum = Checksum { is_big_endian: words[0] == MAGIC | 1, state: [0; 2] };
    sum.add(&header[..24]);
    let page_bytes = words[2] as usize;
    let is_page = page_bytes.is_power_of_two() && (512..=65_536).contains(&page_bytes);
    if words[0] & !1 != MAGIC || !is_page || sum.state != [words[6], words[7]] {
        return Ok(true);
    }
    let salts = &header[16..24];
    let (mut is_whole, mut page) = (true, vec![0; page_bytes]);
    let mut frame = [0; FRAME_BYTES];
    for _ in 0..(n_bytes - HEADER_BYTES as u64) / (FRAME_BYTES + page_bytes) as u64 {
        file.read_exact(&mut frame)?;
        // Frames with other salts are older: they were written before the log was restarted.
        let is_ours = &frame[8..16] == salts;
        if is_whole {
            file.read_exact(&mut page)?;
            sum.add(&frame[..8]);
            sum.add(&page);
            let expected: Vec<u32> = frame[16..].chunks_exact(4).map(word).collect();
            is_whole = is_ours && sum.state[..] == expected[..];
        } else {
            file.seek_relative(page_bytes as i64)?;
        }
        let is_commit = word(&frame[4..8]) != 0;
        if !is_whole && is_ours && is_commit {
            return Ok(true);
        }
    }
    Ok(false)
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// The running checksum over the header and all frames.
struct Checksum {
    is_big_endian: bool,
    state: [u32; 2],
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let [mut a, mut b] = self.state;
        for pair in bytes.chunks_exact(8) {
            let [x, y] = [&pair[..4], &pair[4..]]
                .map(|half| if self.is_big_endian { word(half) } else { word(half).swap_bytes() });
            a = a.wrapping_add(x).wrapping_add(b);
            b = b.wrapping_add(y).wrapping_add(a);
        }
        self.state = [a, b];
    }
}
