//! Forged projects and libraries: every seal is right, and the numbers are not. None of them crashes the program or
//! takes more memory than its size justifies, and `verify` calls intact exactly those that open.
//!
//! A short run makes few of them; `SONOBRUSH_HOSTILE=2000`, or `scripts/test --long`, makes more.
#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::library_store::{library, place_of, sounds};
use super::support::program::{Place, failure, program};
use super::support::random::Random;
use super::support::sessions::{desk, painted, room, write_wav};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params};
use sonobrush::base::{Error, ErrorKind, Progress};
use sonobrush::document::History;
use sonobrush::document::session::{SourceError, SourceSearch, open_project, save_new_project, verify_project};
use sonobrush::library::batches::BatchEngine;
use sonobrush::library::export::TableFormat;
use sonobrush::library::identity::duplicates::DuplicateOrder;
use sonobrush::library::search::SoundQuery;
use sonobrush::library::similar::SimilarDials;
use sonobrush::library::store::{LibraryStore, VerifyOrder};
use sonobrush::media::Source;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// What a project or a database may take of memory, in kilobytes.
const MAX_KILOBYTES: &str = "4194304";
/// Set where this process is one that may take no more.
const BOUNDED: &str = "SONOBRUSH_TEST_BOUNDED";
/// Far above the few milliseconds that each takes.
const TIMEOUT: Duration = Duration::from_secs(60);

fn n_made(short: usize) -> usize {
    let requested = std::env::var("SONOBRUSH_HOSTILE").ok().and_then(|n| n.parse().ok());
    let long = std::env::var_os("SONOBRUSH_LONG_TESTS").map(|_| 2_000);
    requested.or(long).unwrap_or(short)
}

/// Does the work of a test in a process that gets no more memory than that; an abort there fails this test and no
/// other.
fn in_bounds(test: &str, work: impl FnOnce()) {
    if std::env::var_os(BOUNDED).is_some() {
        return work();
    }
    let mut command = Command::new("bash");
    command.args(["-c", &format!("ulimit -v {MAX_KILOBYTES}; exec \"$@\""), "bash"]);
    command.arg(std::env::current_exe().unwrap()).args([test, "--exact", "--test-threads=1", "--nocapture"]);
    let output = command.env(BOUNDED, "1").env("MALLOC_ARENA_MAX", "2").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{said}");
    assert!(output.status.success() && said.contains("1 passed"), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The seal of a row, by the description in `rows.rs`: each value with its kind and length.
#[derive(Default)]
struct Seal(blake3::Hasher);

impl Seal {
    fn add(&mut self, value: &Sql) -> &mut Seal {
        let (kind, bytes) = match value {
            Sql::Null => (b'n', Vec::new()),
            Sql::Integer(number) => (b'i', number.to_le_bytes().to_vec()),
            Sql::Real(number) => (b'r', number.to_bits().to_le_bytes().to_vec()),
            Sql::Text(text) => (b't', text.as_bytes().to_vec()),
            Sql::Blob(bytes) => (b'b', bytes.clone()),
        };
        self.0.update(&[kind]).update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
        self
    }

    fn done(&self) -> Vec<u8> {
        self.0.finalize().as_bytes()[..16].to_vec()
    }
}

fn row(connection: &Connection, query: &str) -> Vec<Vec<Sql>> {
    let mut select = connection.prepare(query).unwrap();
    let n = select.column_count();
    let rows = select.query_map([], |row| (0..n).map(|at| row.get(at)).collect()).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// Makes every seal right again, as the author of a crafted project would.
fn seal(connection: &Connection) {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let (layer, counted) = if version == 1 { ("", "n_markers") } else { ("layer, ", "n_labels") };
    if version > 1 {
        for values in row(connection, "SELECT edit, first, n_removed, list FROM pieces") {
            let mut seal = Seal::default();
            values.iter().for_each(|value| _ = seal.add(value));
            connection.execute("UPDATE pieces SET seal = ?2 WHERE edit = ?1", params![values[0], seal.done()]).unwrap();
        }
    }
    for values in row(connection, &format!("SELECT id, edit, {layer}channel, place, changed, samples FROM blocks")) {
        let mut seal = Seal::default();
        values[1..].iter().for_each(|value| _ = seal.add(value));
        connection.execute("UPDATE blocks SET seal = ?2 WHERE id = ?1", params![values[0], seal.done()]).unwrap();
    }
    for values in row(connection, "SELECT id, script, consistency_db, n_samples FROM edits") {
        let seals_of = |query: &str| -> Vec<Sql> {
            let mut select = connection.prepare(query).unwrap();
            select.query_map([&values[0]], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        let mut seals = seals_of(&format!("SELECT seal FROM blocks WHERE edit = ?1 ORDER BY {layer}channel, place"));
        let n_blocks = Sql::Integer(seals.len() as i64);
        if version > 1 {
            seals.extend(seals_of("SELECT seal FROM pieces WHERE edit = ?1"));
        }
        let mut seal = Seal::default();
        values.iter().chain([&n_blocks]).chain(&seals).for_each(|value| _ = seal.add(value));
        let update = "UPDATE edits SET seal = ?2, n_blocks = ?3 WHERE id = ?1";
        connection.execute(update, params![values[0], seal.done(), n_blocks]).unwrap();
    }
    let columns = format!(
        "source_kind, source_path, source_bytes, source_modified_ns, source_hash, n_samples, sample_rate_hz, n_channels,
         n_edits, position, {counted}, transform, view, selection, project_path, project_position"
    );
    let head = &row(connection, &format!("SELECT {columns} FROM session"))[0];
    let mut seal = Seal::default();
    // Silence has no path and no hash.
    head.iter().for_each(|value| _ = seal.add(value));
    connection.execute("UPDATE session SET seal = ?1", [seal.done()]).unwrap();
}

const NUMBERS: [i64; 14] = [
    0,
    1,
    2,
    -1,
    4_095,
    4_096,
    23_999,
    24_001,
    1 << 31,
    1_000_000_000_000,
    1_000_000_000_001,
    1 << 53,
    i64::MAX,
    i64::MIN,
];

/// Changes a value to one that we never write.
fn change(connection: &Connection, random: &mut Random) {
    let number = random.pick(&NUMBERS);
    let n_edits = || row(connection, "SELECT count(*) FROM edits")[0][0].clone();
    let set = |what: &str, value: &dyn rusqlite::ToSql| _ = connection.execute(what, [value]);
    match random.below(19) {
        0..3 => set("UPDATE session SET n_samples = ?1", &number),
        3 => {
            set("UPDATE session SET sample_rate_hz = ?1", &random.pick(&[0, 1, 3_999, 4_000, 44_100, 768_000, 768_001]))
        }
        4 => set("UPDATE session SET n_channels = ?1", &random.pick(&[0i64, 1, 3, 32, 33, 1 << 20])),
        5 => set("UPDATE session SET n_edits = ?1", &random.pick(&[0i64, 1, 5, 7, 1 << 31, i64::from(u32::MAX)])),
        6 => set("UPDATE session SET position = ?1", &number),
        7 => set("UPDATE session SET source_kind = ?1", &random.pick(&["silence", "file", "embedded", "other", ""])),
        8 => set("UPDATE session SET source_bytes = ?1", &number),
        9 => set("UPDATE edits SET n_samples = ?1 WHERE id >= 3", &number),
        10 => set("UPDATE blocks SET place = place + ?1 WHERE edit >= 2", &random.pick(&[1, 5, 1 << 20, 1_i64 << 50])),
        11 => set("UPDATE blocks SET channel = ?1 WHERE edit = 2", &random.pick(&[1, 2, 31, 32, 1_i64 << 40])),
        12 => set(
            "UPDATE edits SET script = ?1 WHERE id = 2",
            &random.pick(&["", "{}", "[[[[", "{\"version\": 1, \"edits\": []}"]),
        ),
        13 => set("UPDATE blocks SET samples = zeroblob(?1) WHERE edit = 1", &random.pick(&[0i64, 4, 16_384, 1 << 20])),
        14 => set("DELETE FROM source_parts WHERE id >= ?1", &random.pick(&[0, 1])),
        15 => {
            let pieces = [[0, 0, 24_000], [0, 12_000, 24_000], [1, 0, 0], [2, 5, 1 << 45], [7, 0, 100], [0, -1, 4_096]];
            let bytes = |[layer, first, n]: [i64; 3]| {
                [&(layer as u32).to_le_bytes()[..], &first.to_le_bytes(), &n.to_le_bytes()].concat()
            };
            let list: Vec<u8> = (0..random.below(4)).flat_map(|_| bytes(random.pick(&pieces))).collect();
            set("UPDATE pieces SET list = ?1", &list);
        }
        16 => set("UPDATE pieces SET first = ?1, n_removed = 1", &number),
        17 => set("UPDATE pieces SET n_removed = ?1", &number),
        // Many small edits of a sound that is as long as any.
        _ => {
            connection.execute("UPDATE edits SET n_samples = 1000000000000 WHERE id >= 4", []).unwrap();
            let all = [&0u32.to_le_bytes()[..], &0u64.to_le_bytes(), &1_000_000_000_000u64.to_le_bytes()].concat();
            connection.execute("UPDATE pieces SET list = ?1 WHERE edit = 4", [all]).unwrap();
            let insert = "INSERT INTO edits SELECT ?1, script, NULL, 1000000000000, 0, seal FROM edits WHERE id = 2";
            let Sql::Integer(n_edits) = n_edits() else { return };
            (n_edits + 1..n_edits + 200).for_each(|id| _ = connection.execute(insert, [id]));
            connection.execute("UPDATE session SET n_edits = (SELECT count(*) FROM edits)", []).unwrap();
        }
    }
}

fn histories(folder: &Path) -> Vec<(History, bool)> {
    write_wav(&folder.join("in.wav"));
    let file = Source::open(&folder.join("in.wav"), &Progress::new()).unwrap().source;
    let silence = || Source::silence(24_000, 48_000, 2).unwrap();
    let (file, silent) = (painted(file), painted(silence()));
    let plain = History::new(sonobrush::document::Snapshot::new(silence()));
    vec![(file.clone(), false), (file, true), (silent, false), (plain, false)]
}

#[test]
fn a_project_that_verifies_is_one_that_opens() {
    in_bounds("hostile_projects::a_project_that_verifies_is_one_that_opens", || {
        let folder = tempfile::tempdir().unwrap();
        let seeds: Vec<Vec<u8>> = histories(folder.path())
            .iter()
            .map(|(history, is_embedded)| {
                let path = folder.path().join("seed.sonobrush");
                save_new_project(&path, history, &desk(), None, *is_embedded, &Progress::new()).unwrap();
                std::fs::read(path).unwrap()
            })
            .collect();
        let mut random = Random::new(31);
        let (n, mut n_whole) = (n_made(60), 0);
        for round in 0..n {
            let path = folder.path().join("p.sonobrush");
            std::fs::write(&path, &seeds[round % seeds.len()]).unwrap();
            let connection = Connection::open(&path).unwrap();
            // Without a change it must open: the seals here are those of the program.
            if round >= seeds.len() {
                (0..1 + random.below(3)).for_each(|_| change(&connection, &mut random));
            }
            seal(&connection);
            drop(connection);
            let began = Instant::now();
            let (finding, progress) = (SourceSearch::default(), Progress::new());
            let room = room(folder.path());
            let verified = verify_project(&path, &finding, &room, &folder.path().join("v"), &progress);
            let opened = open_project(&path, &finding, &room, &folder.path().join("o"), &progress);
            let is_whole = opened.as_ref().is_ok_and(|(restored, _)| restored.damage.is_none());
            assert_eq!(verified.is_ok(), is_whole, "round {round}: {verified:?}");
            assert!(is_whole || round >= seeds.len(), "round {round}: {verified:?}");
            if let Err(lost) = verified {
                let error = Error::from(lost);
                assert!(!error.to_string().contains('\n') && error.kind() != ErrorKind::Internal, "{error}");
            }
            if let Ok((restored, _)) = opened {
                let longest = restored.history.entries().iter().map(|entry| entry.snapshot.n_samples()).max();
                assert!(longest <= Some(1_000_000_000_000), "round {round}: longer than any canvas");
            }
            n_whole += usize::from(is_whole);
            assert!(began.elapsed() < TIMEOUT, "round {round} took {:?}", began.elapsed());
        }
        println!("{n} projects, {n_whole} of them whole");
        assert!(n_whole > n / 20 && n_whole < n * 9 / 10, "{n_whole} of {n}");
    });
}

/// 128 KB: silence of 2^53 samples. Every command says the same of it, and takes little for that.
#[test]
fn silence_of_any_length_is_refused_by_every_command() {
    let place = Place::new();
    place.write("p.sonobrush", include_bytes!("found3/silence_2pow53.sonobrush"));
    let commands: [&[&str]; 7] = [
        &["verify", "p.sonobrush"],
        &["info", "p.sonobrush"],
        &["export", "p.sonobrush", "-o", "o.wav"],
        &["export", "p.sonobrush", "-o", "o.flac", "--partly"],
        &["image", "p.sonobrush", "-o", "o.png"],
        &["stft", "p.sonobrush", "-o", "o.npy"],
        &["save", "p.sonobrush", "-o", "q.sonobrush"],
    ];
    for arguments in commands {
        let mut command = place.other("bash");
        command.args(["-c", "ulimit -v 2000000; exec \"$@\"", "bash"]).arg(program()).args(arguments);
        let line = failure(&command.output().unwrap());
        assert!(line.contains("9007199254740992 samples") && line.contains("is not possible"), "{arguments:?}: {line}");
    }
    // A sound of the length that `--new` takes is one.
    place.write("none.json", r#"{"version": 1, "edits": []}"#);
    let connection = Connection::open(place.path("p.sonobrush")).unwrap();
    connection.execute("UPDATE session SET n_samples = 1000000000000", []).unwrap();
    seal(&connection);
    drop(connection);
    assert!(place.done(&["verify", "p.sonobrush"]).starts_with("intact\n"));
    place.done(&["info", "p.sonobrush"]);
}

/// What `verify` calls intact is what `info` and `export` take, even where the sound behind it is damaged.
#[test]
fn verify_knows_why_a_project_does_not_open() {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    place.write("s.json", super::support::sessions::SCRIPT);
    place.done(&["save", "in.wav", "--script", "s.json", "-o", "whole.sonobrush"]);
    place.done(&["save", "in.wav", "--script", "s.json", "--embed", "-o", "contained.sonobrush"]);
    let hash = |name: &str| blake3::hash(&place.read(name)).as_bytes().to_vec();
    let change = |from: &str, what: &str, value: &dyn rusqlite::ToSql| {
        std::fs::copy(place.path(from), place.path("p.sonobrush")).unwrap();
        let connection = Connection::open(place.path("p.sonobrush")).unwrap();
        connection.execute(what, [value]).unwrap();
        seal(&connection);
    };
    place.write("no.wav", "no sound at all");
    let size = place.read("no.wav").len() as i64;
    let cases: [(&str, &str, &dyn Fn()); 6] = [
        ("another length", "length", &|| change("whole.sonobrush", "UPDATE session SET n_samples = ?1", &24_001)),
        ("another rate", "rate", &|| change("whole.sonobrush", "UPDATE session SET sample_rate_hz = ?1", &44_100)),
        ("a step back", "another length", &|| {
            change("whole.sonobrush", "UPDATE edits SET n_samples = 5 WHERE id = ?1", &3)
        }),
        ("a far block", "outside", &|| {
            change("whole.sonobrush", "UPDATE blocks SET place = place + 99 WHERE edit = ?1", &2)
        }),
        ("no sound", "", &|| {
            change(
                "whole.sonobrush",
                "UPDATE session SET source_path = ?1",
                &place.path("no.wav").to_str().unwrap().as_bytes(),
            );
            let connection = Connection::open(place.path("p.sonobrush")).unwrap();
            let update = "UPDATE session SET source_bytes = ?1, source_hash = ?2";
            connection.execute(update, params![size, hash("no.wav")]).unwrap();
            seal(&connection);
        }),
        ("no sound in it", "", &|| {
            change("contained.sonobrush", "UPDATE source_parts SET bytes = ?1", &place.read("no.wav"));
            let connection = Connection::open(place.path("p.sonobrush")).unwrap();
            let update = "UPDATE session SET source_bytes = ?1, source_hash = ?2";
            connection.execute(update, params![size, hash("no.wav")]).unwrap();
            seal(&connection);
        }),
    ];
    for (what, word, make) in cases {
        make();
        let said = ["verify", "info", "export"].map(|command| {
            let output = if command == "export" { &["-o", "o.wav"][..] } else { &[] };
            place.failed(&[&[command, "p.sonobrush"], output].concat())
        });
        assert!(said[0].contains(word), "{what}: {}", said[0]);
        // The last two name the option that takes what is intact.
        let rest = |line: &str| line.split("; --partly").next().unwrap().to_owned();
        assert!(rest(&said[1]) == said[0] && said[1] == said[2], "{what}: {said:#?}");
    }
    // The control: without a change it is intact.
    for name in ["whole.sonobrush", "contained.sonobrush"] {
        assert!(place.done(&["verify", name]).starts_with("intact\n"));
    }
}

/// Bytes changed, lost, doubled.
fn mutated(random: &mut Random, whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..1 + random.below(12) {
        let at = random.below(bytes.len().max(1));
        match random.below(8) {
            0 => bytes.truncate(at.max(4_096)),
            1 => {
                let page = at / 4_096 * 4_096;
                let from = random.below(bytes.len() / 4_096) * 4_096;
                let other = bytes[from..(from + 4_096).min(bytes.len())].to_vec();
                let end = (page + other.len()).min(bytes.len());
                bytes[page..end].copy_from_slice(&other[..end - page]);
            }
            2 => bytes[at] = random.pick(&[0, 0x7f, 0x80, 0xff]),
            _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
    bytes
}

/// Values that no analysis gives.
fn odd_values(connection: &Connection, random: &mut Random) {
    let number = random.pick(&NUMBERS).to_string();
    let real = random.pick(&["1e308", "-1e308", "9e999", "-9e999", "1e-320", "NULL", "0.0"]);
    let blob = random.pick(&[
        "zeroblob(0)",
        "zeroblob(3)",
        "zeroblob(48)",
        "zeroblob(192)",
        "zeroblob(4000000)",
        "NULL",
        "randomblob(191)",
    ]);
    let query = match random.below(9) {
        0 => format!("UPDATE sound SET duration_secs = {real}, sample_rate = {number}"),
        1 => format!("UPDATE sound SET ahash = {number}, dhash = {number}, channels = {number}"),
        2 => format!("UPDATE descriptor SET vector = {blob}"),
        3 => format!("UPDATE descriptor SET chroma = {blob}, lufs = {real}, f0_hz = {real}"),
        4 => format!("UPDATE words SET words = {blob}"),
        5 => format!("UPDATE file SET bytes = {number}, modified_ns = {number}, path = {blob}"),
        6 => format!("UPDATE tag SET value = CAST({blob} AS TEXT)"),
        7 => format!("UPDATE folder SET path = {blob}, scanned_ns = {number}"),
        _ => format!("UPDATE scale SET centre = {blob}"),
    };
    // What a declaration forbids is not there.
    connection.execute(&query, []).ok();
}

/// Everything that reads a library; how much of it gave an answer.
fn read_all(place: &Place) -> usize {
    let one_sentence = |error: Error| {
        assert!(!error.to_string().contains('\n') && error.kind() != ErrorKind::Internal, "{error}");
    };
    let store = match LibraryStore::open_to_read(&place_of(place)) {
        Ok(store) => store,
        Err(error) => {
            one_sentence(error);
            return 0;
        }
    };
    let progress = Progress::new();
    let output = place.path("tables");
    let export = |format| {
        std::fs::remove_dir_all(&output).ok();
        store.export(&output, format, &progress).map(drop)
    };
    let similar = || {
        let query = store.similar_to(1)?;
        store.similar(&query, Some(1), &SimilarDials::default(), None, 10).map(drop)
    };
    let results = [
        store.search(&SoundQuery::default()).map(drop),
        store.search(&SoundQuery { text: "tone".into(), ..SoundQuery::default() }).map(drop),
        store.status().map(drop),
        store.stats().map(drop),
        store.failures(10).map(drop),
        similar(),
        store.duplicates(DuplicateOrder::default(), &mut BatchEngine::cpu(), &progress).map(drop),
        store.verify(VerifyOrder { hashes_all: false }, &progress).map(drop),
        export(TableFormat::Csv),
        export(TableFormat::Parquet),
    ];
    results.into_iter().filter_map(|result| result.map_err(one_sentence).ok()).count()
}

#[test]
fn a_library_with_odd_bytes_and_values_is_read_or_told() {
    in_bounds("hostile_projects::a_library_with_odd_bytes_and_values_is_read_or_told", || {
        let place = Place::new();
        sounds(&place, "in", 3);
        library(&place, &["add", "in"]);
        library(&place, &["tag", "1", "mood=dark"]);
        let whole = place.read("l/lib.db");
        assert_eq!(read_all(&place), 10, "the control");
        let mut random = Random::new(32);
        let (n, mut n_answers, mut n_reported) = (n_made(60), 0, 0);
        for round in 0..n {
            for ending in ["-wal", "-shm"] {
                std::fs::remove_file(place.path(&format!("l/lib.db{ending}"))).ok();
            }
            if round % 2 == 0 {
                place.write("l/lib.db", mutated(&mut random, &whole));
            } else {
                place.write("l/lib.db", &whole);
                let connection = Connection::open(place.path("l/lib.db")).unwrap();
                (0..1 + random.below(4)).for_each(|_| odd_values(&connection, &mut random));
            }
            let began = Instant::now();
            let answers = read_all(&place);
            (n_answers, n_reported) = (n_answers + answers, n_reported + usize::from(answers < 10));
            assert!(began.elapsed() < TIMEOUT, "round {round} took {:?}", began.elapsed());
        }
        println!("{n} libraries: {n_answers} answers, {n_reported} of them with a refusal");
        assert!(n_answers > n && n_reported > n / 20, "{n_answers} answers, {n_reported} told");
    });
}

/// A folder's path is held for each of its files, and any value for each row.
#[test]
fn values_longer_than_any_are_told_and_not_held() {
    let place = Place::new();
    sounds(&place, "in", 2);
    library(&place, &["add", "in"]);
    let whole = place.read("l/lib.db");
    for (change, what) in [
        ("UPDATE folder SET path = zeroblob(70000)", "the path of a folder is longer than any can be"),
        ("UPDATE words SET words = zeroblob(40000000) WHERE sound = 1", "size limit"),
    ] {
        place.write("l/lib.db", &whole);
        Connection::open(place.path("l/lib.db")).unwrap().execute(change, []).unwrap();
        let line = place.failed(&["library", "--library", "l/lib.db", "duplicates"]);
        assert!(line.contains(what), "{change}: {line}");
    }
}

/// Errors of a lost source are reported, and not counted as damage.
#[test]
fn a_lost_source_is_lost_for_verify_too() {
    let folder = tempfile::tempdir().unwrap();
    let (history, _) = histories(folder.path()).swap_remove(0);
    let path = folder.path().join("p.sonobrush");
    save_new_project(&path, &history, &desk(), None, false, &Progress::new()).unwrap();
    std::fs::remove_file(folder.path().join("in.wav")).unwrap();
    let verified = verify_project(
        &path,
        &SourceSearch::default(),
        &room(folder.path()),
        &folder.path().join("v"),
        &Progress::new(),
    );
    assert!(matches!(verified, Err(SourceError::Moved(_))), "{verified:?}");
}
