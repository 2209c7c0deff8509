//! Metadata of files: the same fields in every format.

use super::library_store::{json, tone, write};
use super::support::program::Place;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Fields that every format has, with a value each.
const FIELDS: [(&str, &str); 8] = [
    ("title", "Night Train"),
    ("artist", "J\u{f6}rg & Co"),
    ("album", "Rails"),
    ("genre", "Dub"),
    ("date", "1998"),
    ("bpm", "87"),
    ("key", "F#m"),
    ("comment", "take two"),
];

fn matrix(name: &str) -> Vec<u8> {
    std::fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/matrix").join(name)).unwrap()
}

/// The tags in the library of one file, by name.
fn tags_of(name: &str, bytes: &[u8]) -> BTreeMap<String, Vec<String>> {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    place.write(&format!("in/{name}"), bytes);
    let report = json(&place, &["add", "in"]);
    assert_eq!(report["analysed"], 1, "{name}: {report}");
    let connection = rusqlite::Connection::open(place.path("l/lib.db")).unwrap();
    let mut select = connection.prepare("SELECT name, value FROM tag ORDER BY name, value").unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    rows.for_each(|row| {
        let (name, value): (String, String) = row.unwrap();
        found.entry(name).or_default().push(value);
    });
    // What is stored is found by its words.
    if let Some((name, values)) = found.first_key_value() {
        assert_eq!(json(&place, &["search", name, &values[0]]).as_array().unwrap().len(), 1, "{name} {values:?}");
    }
    found
}

fn assert_fields(name: &str, bytes: &[u8], without: &[&str]) {
    let found = tags_of(name, bytes);
    for (field, value) in FIELDS {
        let expected = (!without.contains(&field)).then(|| vec![value.to_owned()]);
        assert_eq!(found.get(field), expected.as_ref(), "{name}: {field} of {found:?}");
    }
}

fn value(field: &str) -> &'static str {
    FIELDS.iter().find(|(name, _)| *name == field).unwrap().1
}

/// Comments as Vorbis, Opus and FLAC have them; names as programs write them, and a cover that is none.
fn vorbis_comments() -> Vec<u8> {
    let mut comments: Vec<String> = vec!["METADATA_BLOCK_PICTURE=AAAAAwAAAAlpbWFnZS9wbmc".into()];
    for (name, value) in FIELDS {
        let name = if name == "key" { "INITIALKEY".to_owned() } else { name.to_uppercase() };
        comments.push(format!("{name}={value}"));
    }
    let mut bytes = b"\x04\0\0\0test".to_vec();
    bytes.extend((comments.len() as u32).to_le_bytes());
    for comment in comments {
        bytes.extend((comment.len() as u32).to_le_bytes());
        bytes.extend(comment.as_bytes());
    }
    bytes
}

#[test]
fn flac_and_opus_have_vorbis_comments() {
    // In place of the file's own comments, behind a cover of 300 kB.
    let flac = matrix("flac/flac16_small.flac");
    let (n_first, n_own) = (4 + 4 + 34, 4 + 0x54);
    assert_eq!((flac[4], flac[n_first]), (0, 0x84));
    let block = |kind: u8, content: &[u8]| [&[kind], &(content.len() as u32).to_be_bytes()[1..], content].concat();
    let cover = [&[0; 28][..], &300_000u32.to_be_bytes(), &[7; 300_000]].concat();
    let mut with_comments = flac[..n_first].to_vec();
    with_comments.extend(block(6, &cover));
    with_comments.extend(block(0x84, &vorbis_comments()));
    with_comments.extend(&flac[n_first + n_own..]);
    assert_fields("a.flac", &with_comments, &[]);
    // Opus has its comments in a page of their own.
    let opus = matrix("opus/opus_small.opus");
    let starts: Vec<usize> = (0..opus.len() - 4).filter(|&at| opus[at..].starts_with(b"OggS")).collect();
    let content = [b"OpusTags".as_slice(), &vorbis_comments()].concat();
    let mut page = opus[starts[1]..starts[1] + 26].to_vec();
    let lengths = [vec![255; content.len() / 255], vec![(content.len() % 255) as u8]].concat();
    page.push(lengths.len() as u8);
    page.extend(lengths);
    page.extend(content);
    page[22..26].fill(0);
    let sum = ogg_sum(&page);
    page[22..26].copy_from_slice(&sum.to_le_bytes());
    assert_fields("a.opus", &[&opus[..starts[1]], &page, &opus[starts[2]..]].concat(), &[]);
}

/// The check sum of an Ogg page, RFC 3533.
fn ogg_sum(page: &[u8]) -> u32 {
    page.iter().fold(0u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| sum << 1 ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 })
    })
}

/// How a text of ID3 is coded.
#[derive(Clone, Copy, PartialEq)]
enum Coding {
    Latin,
    Utf16,
    Utf8,
}

fn id3_text(coding: Coding, text: &str) -> Vec<u8> {
    match coding {
        Coding::Latin => text.chars().map(|letter| letter as u8).collect(),
        Coding::Utf16 => [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
        Coding::Utf8 => text.as_bytes().to_vec(),
    }
}

/// An ID3v2 tag of a version. In the one of version 3 whose texts hold 0xff, a zero is put behind each.
fn id3(version: u8, coding: Coding) -> Vec<u8> {
    let names = match version {
        2 => ["TT2", "TP1", "TAL", "TCO", "TYE", "TBP", "TKE", "COM"],
        3 => ["TIT2", "TPE1", "TALB", "TCON", "TYER", "TBPM", "TKEY", "COMM"],
        _ => ["TIT2", "TPE1", "TALB", "TCON", "TDRC", "TBPM", "TKEY", "COMM"],
    };
    let code = match coding {
        Coding::Latin => 0,
        Coding::Utf16 => 1,
        Coding::Utf8 => 3,
    };
    let synchsafe = |n: usize| [21, 14, 7, 0].map(|shift| (n >> shift & 0x7f) as u8);
    let mut body = Vec::new();
    let mut frame = |name: &str, content: &[u8]| {
        body.extend(name.as_bytes());
        match version {
            2 => body.extend(&(content.len() as u32).to_be_bytes()[1..]),
            3 => body.extend((content.len() as u32).to_be_bytes()),
            _ => body.extend(synchsafe(content.len())),
        }
        body.extend(if version == 2 { &[][..] } else { &[0, 0] });
        body.extend(content);
    };
    // A cover before all, and figures of a player in a comment of its own.
    let (picture, comment) = if version == 2 { ("PIC", "COM") } else { ("APIC", "COMM") };
    frame(picture, &vec![7; if version == 4 { 300_000 } else { 500 }]);
    frame(comment, &[&[0][..], b"engiTunNORM\0 00000A 00000B"].concat());
    let end: &[u8] = if coding == Coding::Utf16 { &[0, 0] } else { &[0] };
    for (name, (field, value)) in names.into_iter().zip(FIELDS) {
        let text = id3_text(coding, if field == "genre" { "(156)Dub" } else { value });
        let content = match field {
            "comment" => [&[code][..], b"eng", &id3_text(coding, ""), end, &text].concat(),
            _ => [&[code][..], &text].concat(),
        };
        frame(name, &content);
    }
    let is_put_in = version == 3 && coding == Coding::Utf16;
    if is_put_in {
        body = body.into_iter().flat_map(|byte| if byte == 0xff { vec![byte, 0] } else { vec![byte] }).collect();
    }
    let head = [b"ID3", &[version, 0, if is_put_in { 0x80 } else { 0 }][..], &synchsafe(body.len())].concat();
    [head, body].concat()
}

#[test]
fn mp3_has_id3_of_every_version() {
    let mp3 = matrix("mp3/mp3_small_no_tag.mp3");
    for (version, coding) in [(2, Coding::Latin), (3, Coding::Latin), (3, Coding::Utf16), (4, Coding::Utf8)] {
        assert_fields("a.mp3", &[id3(version, coding), mp3.clone()].concat(), &[]);
    }
    // The old one, at the end, has no speed and no key, and 255 is no genre.
    let mut old = [b"TAG".as_slice(), &[0; 124], &[255]].concat();
    for (field, at) in [("title", 3), ("artist", 33), ("album", 63), ("date", 93), ("comment", 97)] {
        let text = id3_text(Coding::Latin, value(field));
        old[at..at + text.len()].copy_from_slice(&text);
    }
    assert_fields("a.mp3", &[mp3.clone(), old.clone()].concat(), &["genre", "bpm", "key"]);
    *old.last_mut().unwrap() = 156;
    assert_fields("a.mp3", &[mp3, old].concat(), &["bpm", "key"]);
}

/// A tag of version 4 without frames but one, whose size is a whole number as iTunes wrote it, or seven bits a byte.
fn one_frame(id: &[u8; 4], text: &str) -> Vec<u8> {
    let content = [&[3], text.as_bytes()].concat();
    assert!(content.len() < 128, "a size that is the same in both");
    let frame = [id, &(content.len() as u32).to_be_bytes()[..], &[0, 0], &content].concat();
    [b"ID3\x04\0\0\0\0\0", &[frame.len() as u8][..], &frame].concat()
}

/// Texts of `TCON` and what mutagen 1.48.1 makes of them.
#[test]
fn numbers_of_genres_are_read_as_mutagen_reads_them() {
    let mp3 = matrix("mp3/mp3_small_no_tag.mp3");
    let table: [(&str, &[&str]); 18] = [
        ("17", &["Rock"]),
        ("0", &["Blues"]),
        ("191", &["Psybient"]),
        ("(17)", &["Rock"]),
        ("(17)Rock", &["Rock"]),
        ("(4)Eurodisco", &["Disco", "Eurodisco"]),
        ("(4)(17)Own words", &["Disco", "Own words", "Rock"]),
        ("RX", &["Remix"]),
        ("(CR)", &["Cover"]),
        ("(17)(RX)Live", &["Live", "Remix", "Rock"]),
        ("((Weird) one", &["(Weird) one"]),
        ("(17)((foo)", &["(foo)", "Rock"]),
        ("192", &["Unknown"]),
        ("(300)x", &["Unknown", "x"]),
        ("300", &["300"]),
        ("(abc)", &["(abc)"]),
        ("(17", &["(17"]),
        ("17\0Own\0(4)", &["Disco", "Own", "Rock"]),
    ];
    for (text, expected) in table {
        let found = tags_of("a.mp3", &[one_frame(b"TCON", text), mp3.clone()].concat());
        assert_eq!(found.get("genre").unwrap(), expected, "{text:?}");
    }
}

#[test]
fn tags_of_others_files_are_shown_by_info_and_search() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    let long = "L".repeat(200);
    for (name, expected) in [
        ("genre_17.mp3", vec![("title", "Numbered"), ("genre", "Rock")]),
        ("itunes_frame_sizes.mp3", vec![("artist", long.as_str()), ("title", "AfterLong")]),
    ] {
        let bytes = std::fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/found3").join(name)).unwrap();
        place.write(&format!("in/{name}"), bytes);
        let said: serde_json::Value =
            serde_json::from_str(&place.done(&["info", &format!("in/{name}"), "--json"])).unwrap();
        let printed = place.done(&["info", &format!("in/{name}")]);
        let mut found: Vec<(&str, &str)> = Vec::new();
        for tag in said["tags"].as_array().unwrap() {
            assert_eq!(tag["source"], "id3");
            found.push((tag["name"].as_str().unwrap(), tag["value"].as_str().unwrap()));
        }
        assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
        for (field, value) in expected {
            assert!(found.iter().any(|tag| tag.0 == field && (tag.1 == value || value == long)), "{name}: {found:?}");
            let start = value.split_at(value.len().min(8)).0;
            assert!(printed.lines().any(|line| line.starts_with(field) && line.contains(start)), "{name}: {printed}");
        }
    }
    super::library_store::library(&place, &["add", "in"]);
    let found = json(&place, &["search", "rock"]);
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let tags: Vec<&str> =
        found[0]["tags"].as_array().unwrap().iter().map(|tag| tag["value"].as_str().unwrap()).collect();
    assert_eq!(tags, ["Rock", "Numbered"]);
    let id = found[0]["id"].to_string();
    super::library_store::library(&place, &["tag", &id, "mood=odd\u{202e}"]);
    let printed = super::library_store::library(&place, &["search", "rock"]);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].ends_with("genre_17.mp3") && lines.len() == 2, "{printed}");
    assert_eq!(lines[1].trim(), "genre: Rock, mood: odd\\u{202e}, title: Numbered");
    let csv = super::library_store::library(&place, &["search", "rock", "--csv"]);
    assert!(csv.lines().next().unwrap().ends_with(",tags"), "{csv}");
    assert!(csv.lines().last().unwrap().ends_with(",genre=Rock; mood=odd\\u{202e}; title=Numbered"), "{csv}");
}

fn boxed(id: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(8 + content.len() as u32).to_be_bytes(), id.as_slice(), content].concat()
}

#[test]
fn mp4_has_the_items_of_itunes() {
    let data = |kind: u8, value: &[u8]| boxed(b"data", &[&[0, 0, 0, kind, 0, 0, 0, 0], value].concat());
    let mut items = boxed(b"covr", &data(13, &[7; 5_000]));
    let free = |name: &str, value: &str| {
        let mean = boxed(b"mean", b"\0\0\0\0com.apple.iTunes");
        let name = boxed(b"name", &[b"\0\0\0\0", name.as_bytes()].concat());
        boxed(b"----", &[mean, name, data(1, value.as_bytes())].concat())
    };
    items.extend(free("iTunNORM", " 00000A"));
    for (field, value) in FIELDS {
        let id = match field {
            "title" => b"\xa9nam",
            "artist" => b"\xa9ART",
            "album" => b"\xa9alb",
            "genre" => b"\xa9gen",
            "date" => b"\xa9day",
            "comment" => b"\xa9cmt",
            _ => b"----",
        };
        items.extend(match field {
            "bpm" => boxed(b"tmpo", &data(21, &87u16.to_be_bytes())),
            "key" => free("initialkey", value),
            _ => boxed(id, &data(1, value.as_bytes())),
        });
    }
    // The list is empty and the last of `moov`, which is the last of the file: all boxes around it grow.
    let mut mp4 = matrix("m4a/alac16_small.m4a");
    assert_eq!(mp4[mp4.len() - 4..], *b"ilst");
    for id in [b"moov", b"udta", b"meta", b"ilst"] {
        let at = (0..mp4.len()).rev().find(|&at| mp4[at..].starts_with(id)).unwrap() - 4;
        let length = u32::from_be_bytes(mp4[at..at + 4].try_into().unwrap()) + items.len() as u32;
        mp4[at..at + 4].copy_from_slice(&length.to_be_bytes());
    }
    mp4.extend(items);
    // A genre by its number, from 1 on.
    let mut numbered = mp4.clone();
    let at = (0..numbered.len()).find(|&at| numbered[at..].starts_with(b"\xa9gen")).unwrap();
    let data = numbered[at + 4..at + 4 + 4].iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    // `Dub` has a byte more than a number has: a zero behind it.
    numbered.splice(
        at..at + 4 + data,
        [b"gnre", &(data as u32).to_be_bytes()[..], b"data\0\0\0\0\0\0\0\0\0\x9d\0"].concat(),
    );
    assert_eq!(tags_of("a.m4a", &numbered).get("genre").unwrap(), &["Dub"]);
    let found = tags_of("a.m4a", &mp4);
    assert!(!found.contains_key("itunnorm"), "{found:?}");
    assert_fields("a.m4a", &mp4, &[]);
}

#[test]
fn wav_has_a_list_or_id3_in_a_chunk() {
    let place = Place::new();
    write(&place, "a.wav", tone(1, 1_600));
    let with_chunk = |id: &[u8; 4], content: &[u8]| {
        let mut wav = place.read("a.wav");
        wav.extend(id);
        wav.extend((content.len() as u32).to_le_bytes());
        wav.extend(content);
        wav.extend(&[0][..content.len() % 2]);
        let n = wav.len() as u32 - 8;
        wav[4..8].copy_from_slice(&n.to_le_bytes());
        wav
    };
    let mut list = b"INFO".to_vec();
    for (id, field) in [
        ("INAM", "title"),
        ("IART", "artist"),
        ("IPRD", "album"),
        ("IGNR", "genre"),
        ("ICRD", "date"),
        ("ICMT", "comment"),
    ] {
        let text = [value(field).as_bytes(), &[0]].concat();
        list.extend(id.as_bytes());
        list.extend((text.len() as u32).to_le_bytes());
        list.extend(&text);
        list.extend(&[0][..text.len() % 2]);
    }
    assert_fields("a.wav", &with_chunk(b"LIST", &list), &["bpm", "key"]);
    assert_fields("a.wav", &with_chunk(b"id3 ", &id3(3, Coding::Utf16)), &[]);
}

/// A frame that says that it is longer than its tag ends what is read of it.
#[test]
fn damaged_tags_are_left_out() {
    let mut tag = id3(3, Coding::Latin);
    let album = (0..tag.len()).find(|&at| tag[at..].starts_with(b"TALB")).unwrap();
    tag[album + 4..album + 8].fill(0x7f);
    let mp3 = matrix("mp3/mp3_small_no_tag.mp3");
    assert_fields("a.mp3", &[tag, mp3].concat(), &["album", "genre", "date", "bpm", "key", "comment"]);
}
