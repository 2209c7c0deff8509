//! A library of many made-up sounds in which as much is known of each as of an analysed one; their files are on a disk
//! that is not there. The bench of the panel makes it, too, so nothing else of the tests is named here.

use rusqlite::{Connection, params};
use sonobrush::library::descriptors::stored;
use sonobrush::library::store::{LibraryLock, LibraryPlace, LibraryStore};

const N_VALUES: usize = 48;
/// The sound that others are compared with, and those that are made most like it, the nearest first.
pub const LIKE: i64 = 17;
pub const NEAREST: [i64; 3] = [900, 300, 600];

/// Makes a library of sounds `1..=n` at a place where there is none: `pack 17/hit 317.wav` is 17.5 s long.
pub fn make_library(place: &LibraryPlace, n: i64) {
    let lock = LibraryLock::try_take(place).unwrap().unwrap();
    drop(LibraryStore::open_to_write(place, &lock, &mut Vec::new()).unwrap());
    let mut connection = Connection::open(place.database()).unwrap();
    // No other process sees it before it is complete.
    for (name, value) in [("journal_mode", "OFF"), ("synchronous", "OFF"), ("cache_size", "-200000")] {
        connection.pragma_update(None, name, value).unwrap();
    }
    let transaction = connection.transaction().unwrap();
    let rows = format!(
        "INSERT INTO folder(id, path, watched) VALUES (1, CAST('/gone' AS BLOB), 0);
         WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < {n})
         INSERT INTO sound(id, file_hash, audio_hash, kind, duration_secs, sample_rate, channels, format, first_seen_ns,
             ahash, dhash, whash, picture_secs)
           SELECT k, randomblob(32), randomblob(32), 'sound', k % 60 + 0.5, 48000, 1, 'WAV, 24 bit', k,
             random(), random(), random(), k % 60 + 0.4 FROM n;
         INSERT INTO file(folder, path, name, bytes, modified_ns, inode, sound)
           SELECT 1, CAST('pack ' || (id % 100) || '/hit ' || id || '.wav' AS BLOB), 'hit ' || id || '.wav', 1, 1, id, id
           FROM sound;
         INSERT INTO text(rowid, name, path, tags)
           SELECT id, 'hit ' || id || '.wav', 'pack ' || (id % 100) || '/hit ' || id || '.wav', '' FROM sound;"
    );
    transaction.execute_batch(&rows).unwrap();
    describe(&transaction, n);
    transaction.commit().unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
}

/// Random descriptors, except for the vectors of the sounds similar to one.
fn describe(connection: &Connection, n: i64) {
    let known = ["silent", "lufs", "key"];
    let numbers = stored().filter(|row| !row.is_list() && !known.contains(&row.name));
    let numbers: Vec<&str> = numbers.map(|row| row.name).collect();
    let values: Vec<String> = (0..numbers.len()).map(|at| format!("{at}.5 * ?2")).collect();
    let insert = format!(
        "INSERT INTO descriptor(sound, version, silent, lufs, key, {}, chroma, vector)
         VALUES (?1, 1, 0, 20.0 * ?2 - 30.0, 'A minor', {}, zeroblob(48), ?3)",
        numbers.join(", "),
        values.join(", ")
    );
    let mut insert = connection.prepare(&insert).unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut chance = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let like: [f32; N_VALUES] = std::array::from_fn(|_| 2.0 * chance() - 1.0);
    for id in 1..=n {
        let rank = NEAREST.iter().position(|near| *near == id).map(|rank| rank as f32 + 1.0);
        let vector: [f32; N_VALUES] = match rank {
            _ if id == LIKE => like,
            Some(rank) => like.map(|value| value + 0.001 * rank),
            None => std::array::from_fn(|_| 60.0 * chance() - 30.0),
        };
        let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
        insert.execute(params![id, f64::from(chance()), bytes]).unwrap();
    }
}
