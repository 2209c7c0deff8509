//! `files.parquet` and `features --verify`: what is said of each file, read by the crate's own reader, and that damage
//! is found.

use super::features::{RATE, array, signal, write};
use super::support::program::Place;
use parquet::data_type::{BoolType, ByteArrayType, Int64Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::{Field, Row};
use parquet::schema::parser::parse_message_type;
use serde_json::Value;
use std::time::UNIX_EPOCH;

/// All rows, with the names of the columns.
fn rows(place: &Place, folder: &str) -> Vec<Row> {
    let file = std::fs::File::open(place.path(&format!("{folder}/files.parquet"))).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
}

fn field(row: &Row, name: &str) -> Field {
    row.get_column_iter().find(|(column, _)| *column == name).map(|(_, field)| field.clone()).unwrap()
}

fn text(row: &Row, name: &str) -> Option<String> {
    match field(row, name) {
        Field::Str(text) => Some(text),
        Field::Null => None,
        other => panic!("{name} is {other:?}"),
    }
}

fn number(row: &Row, name: &str) -> Option<i64> {
    match field(row, name) {
        Field::Long(number) => Some(number),
        Field::Null => None,
        other => panic!("{name} is {other:?}"),
    }
}

fn flag(row: &Row, name: &str) -> Option<bool> {
    match field(row, name) {
        Field::Bool(flag) => Some(flag),
        Field::Null => None,
        other => panic!("{name} is {other:?}"),
    }
}

/// What the index says of each file that the user should know.
pub fn notices_of(place: &Place, folder: &str) -> Vec<Option<String>> {
    rows(place, folder).iter().map(|row| text(row, "notices")).collect()
}

#[test]
fn the_index_says_what_each_file_is() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("in/below")).unwrap();
    write(&place, "in/below/long.wav", signal(50_000), RATE);
    std::fs::write(place.path("in/damaged.flac"), b"fLaC").unwrap();
    write(&place, "in/new\nline é.wav", signal(40_960), RATE);
    write(&place, "in/short.wav", signal(8_000), 8_000);
    let said = place.done(&["features", "in", "-o", "out"]);
    assert_eq!(said, "out: 4 files, [948, 32, 1]\n");
    let rows = rows(&place, "out");
    let columns: Vec<&String> = rows[0].get_column_iter().map(|(name, _)| name).collect();
    let expected = [
        "file",
        "path",
        "path_bytes",
        "bytes",
        "modified_ns",
        "blake3",
        "rate",
        "channels",
        "samples",
        "padded",
        "cut",
        "error",
        "first_row",
        "n_rows",
        "notices",
    ];
    assert_eq!(columns, expected);
    let paths: Vec<String> = rows.iter().map(|row| text(row, "path").unwrap()).collect();
    assert_eq!(paths, ["below/long.wav", "damaged.flac", "new\nline é.wav", "short.wav"]);
    for (at, row) in rows.iter().enumerate() {
        let path = place.path(&format!("in/{}", paths[at]));
        let found = std::fs::metadata(&path).unwrap();
        assert_eq!(number(row, "file"), Some(at as i64));
        assert_eq!(number(row, "bytes"), Some(found.len() as i64));
        let modified = found.modified().unwrap().duration_since(UNIX_EPOCH).unwrap().as_nanos() as i64;
        assert_eq!(number(row, "modified_ns"), Some(modified));
        assert_eq!(text(row, "blake3").unwrap(), blake3::hash(&std::fs::read(&path).unwrap()).to_hex().as_str());
        assert_eq!((number(row, "first_row"), number(row, "n_rows")), (Some(237 * at as i64), Some(237)));
        assert_eq!(field(row, "path_bytes"), Field::Null);
    }
    let facts = |at: usize| {
        let row = &rows[at];
        let numbers = ["rate", "channels", "samples"].map(|name| number(row, name));
        (numbers, flag(row, "padded"), flag(row, "cut"), text(row, "error").is_some())
    };
    assert_eq!(facts(0), ([Some(4_096), Some(1), Some(50_000)], Some(false), Some(true), false));
    assert_eq!(facts(1), ([None; 3], None, None, true));
    assert_eq!(facts(2), ([Some(4_096), Some(1), Some(40_960)], Some(false), Some(false), false));
    assert_eq!(facts(3), ([Some(8_000), Some(1), Some(8_000)], Some(true), Some(false), false));
    // Without it the arrays are the same.
    place.done(&["features", "in", "-o", "alone", "--index", "none"]);
    assert!(!place.path("alone/files.parquet").exists());
    assert!(array(&place.path("alone/features.npy")) == array(&place.path("out/features.npy")));
    assert!(place.done(&["features", "--verify", "alone"]).contains("intact, 4 files"));
}

#[test]
#[cfg(unix)]
fn names_that_are_not_utf_8_are_kept_as_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    write(&place, "a.wav", signal(40_960), RATE);
    let name = std::ffi::OsStr::from_bytes(b"b\xff\xfe.wav");
    std::fs::copy(place.path("a.wav"), place.path("in").join(name)).unwrap();
    place.done(&["features", "in", "-o", "out"]);
    let rows = rows(&place, "out");
    assert_eq!(text(&rows[0], "path"), None);
    let Field::Bytes(bytes) = field(&rows[0], "path_bytes") else { panic!("{:?}", rows[0]) };
    assert_eq!(bytes.data(), b"b\xff\xfe.wav");
    assert_eq!(text(&rows[0], "error"), None);
    // Listed, computed from the list, and merged.
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    place.done(&["features", "--shard", "0/1", "--manifest", "m.json", "-o", "shards"]);
    place.done(&["features", "--merge", "shards", "-o", "merged"]);
    assert!(place.read("merged/files.parquet") == place.read("out/files.parquet"));
}

#[test]
fn damage_of_what_was_written_is_found() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    for name in ["a", "b"] {
        write(&place, &format!("in/{name}.wav"), signal(40_960), RATE);
    }
    place.done(&["features", "in", "-o", "out"]);
    assert_eq!(place.done(&["features", "--verify", "out"]), "out: intact, 2 files, [474, 32, 1]\n");
    let report: Value = serde_json::from_str(&place.done(&["features", "--verify", "out", "--json"])).unwrap();
    for name in ["features.npy", "mapping.npy", "files.parquet"] {
        let whole = place.read(&format!("out/{name}"));
        assert_eq!(report["written"][name]["bytes"], whole.len());
        assert_eq!(report["written"][name]["blake3"], blake3::hash(&whole).to_hex().as_str());
        let mut flipped = whole.clone();
        let at = whole.len() / 2;
        flipped[at] ^= 1;
        place.write(&format!("out/{name}"), &flipped);
        let said = place.failed(&["features", "--verify", "out"]);
        assert!(said.contains(name) && said.contains("hash"), "{said}");
        place.write(&format!("out/{name}"), &whole[1..]);
        let said = place.failed(&["features", "--verify", "out"]);
        assert!(said.contains(name) && said.contains("bytes instead of"), "{said}");
        std::fs::remove_file(place.path(&format!("out/{name}"))).unwrap();
        let said = place.failed(&["features", "--verify", "out"]);
        assert!(said.contains(name), "{said}");
        place.write(&format!("out/{name}"), &whole);
    }
    assert!(place.done(&["features", "--verify", "out"]).contains("intact"));
    // A report of another array, and one that is none.
    let text = String::from_utf8(place.read("out/features.json")).unwrap();
    place.write("out/features.json", text.replace("\"dtype\": \"f16\"", "\"dtype\": \"f32\""));
    assert!(place.failed(&["features", "--verify", "out"]).contains("not the array that its report describes"));
    place.write("out/features.json", &text[..text.len() / 2]);
    assert!(place.failed(&["features", "--verify", "out"]).contains("features.json"));
    assert!(place.failed(&["features", "--verify", "in"]).contains("features.json"));
}

#[test]
fn the_rows_of_whole_sounds_are_counted_before() {
    use super::support::wav::clip;
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    write(&place, "in/a.wav", signal(50_000), RATE);
    std::fs::copy(clip("guitar_chord_44k_stereo.flac"), place.path("in/b.flac")).unwrap();
    std::fs::write(place.path("in/c.wav"), b"RIFF").unwrap();
    place.done(&["features", "--list", "in", "-o", "m.json", "--whole", "--index", "none"]);
    let manifest: Value = serde_json::from_slice(&place.read("m.json")).unwrap();
    let first_rows: Vec<u64> =
        manifest["files"].as_array().unwrap().iter().map(|file| file["first_row"].as_u64().unwrap()).collect();
    // floor((50000 - 1024) / 512) + 1 long segments of three short ones.
    assert_eq!(first_rows[..2], [0, 3 * 96]);
    let info: Value = serde_json::from_str(&place.done(&["info", "in/b.flac", "--json"])).unwrap();
    let (frames, rate) = (info["frames"].as_u64().unwrap(), info["sample_rate"].as_u64().unwrap());
    let n_samples = (frames * 4_096 + rate / 2) / rate;
    assert_eq!(first_rows[2] - first_rows[1], 3 * ((n_samples - 1_024) / 512 + 1));
    // What cannot be read has the rows of the shortest sound.
    assert_eq!(manifest["rows"].as_u64().unwrap() - first_rows[2], 3);
    let report: Value =
        serde_json::from_str(&place.done(&["features", "in", "-o", "out", "--whole", "--json"])).unwrap();
    assert_eq!(report["shape"][0], manifest["rows"]);
    let rows = rows(&place, "out");
    assert!(rows.iter().zip(first_rows).all(|(row, first)| number(row, "first_row") == Some(first as i64)));
    assert_eq!((number(&rows[1], "samples"), text(&rows[1], "error")), (Some(frames as i64), None));
    assert!(place.done(&["features", "--verify", "out"]).contains("intact"));
}

/// An index as older versions wrote it: without the column of notices, the last.
fn write_older_index(place: &Place, folder: &str) {
    const OLDER: &str =
        "message files { required int64 file; optional byte_array path (string); optional byte_array path_bytes;
        required int64 bytes; required int64 modified_ns; optional byte_array blake3 (string); optional int64 rate;
        optional int64 channels; optional int64 samples; optional boolean padded; optional boolean cut;
        optional byte_array error (string); required int64 first_row; required int64 n_rows; }";
    let row = rows(place, folder).remove(0);
    let path = place.path(&format!("{folder}/files.parquet"));
    let schema = std::sync::Arc::new(parse_message_type(OLDER).unwrap());
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, std::sync::Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (name, field) in row.get_column_iter().take(14) {
        let mut column = group.next_column().unwrap().unwrap();
        let levels = if field == &Field::Null { [0i16] } else { [1] };
        let is_required = ["file", "bytes", "modified_ns", "first_row", "n_rows"].contains(&name.as_str());
        let levels = (!is_required).then_some(&levels[..]);
        match field {
            Field::Long(n) => column.typed::<Int64Type>().write_batch(&[*n], levels, None),
            Field::Bool(flag) => column.typed::<BoolType>().write_batch(&[*flag], levels, None),
            Field::Str(text) => column.typed::<ByteArrayType>().write_batch(&[text.as_str().into()], levels, None),
            _ => column.typed::<ByteArrayType>().write_batch(&[], levels, None),
        }
        .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    // The report seals what it names.
    let bytes = std::fs::read(&path).unwrap();
    let mut report: Value = serde_json::from_slice(&place.read(&format!("{folder}/features.json"))).unwrap();
    report["written"]["files.parquet"] =
        serde_json::json!({"bytes": bytes.len(), "blake3": blake3::hash(&bytes).to_hex().as_str()});
    // Older reports do not name files with notices either.
    report.as_object_mut().unwrap().remove("noted");
    place.write(&format!("{folder}/features.json"), report.to_string());
}

#[test]
fn what_older_versions_wrote_is_read() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    write(&place, "in/a.wav", signal(40_960), RATE);
    place.done(&["features", "in", "-o", "out"]);
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    place.done(&["features", "--shard", "0/1", "--manifest", "m.json", "-o", "shards"]);
    let newer = place.read("out/files.parquet");
    write_older_index(&place, "out");
    assert!(place.read("out/files.parquet") != newer);
    assert!(place.done(&["features", "--verify", "out"]).contains("intact, 1 file"));
    write_older_index(&place, "shards/shard-00000-of-00001");
    place.done(&["features", "--merge", "shards", "-o", "merged"]);
    assert!(place.read("merged/files.parquet") == newer);
}
