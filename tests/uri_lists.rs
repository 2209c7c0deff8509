//! Lists of files that other programs drop: RFC 2483 (`text/uri-list`) and RFC 8089 (`file:`).

use sonobrush::studio::desktop::uri_list::{UriListContents, file_of_uri, read_browser_link, read_uris, write_uris};
use std::path::PathBuf;

const HOST: &str = "studio";

fn read(list: &[u8]) -> UriListContents {
    read_uris(list, HOST)
}

fn named(files: &[&str], refused: &[&str]) -> UriListContents {
    UriListContents {
        files: files.iter().map(PathBuf::from).collect(),
        refused: refused.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn lines_end_either_way_and_comments_are_left_out() {
    // The example of RFC 2483, section 5, with files in the place of its addresses.
    let list = "# urn:isbn:0-201-08372-8\r\nfile:///books/theory.wav\r\nfile:///books/theory.txt\r\n";
    let wanted = named(&["/books/theory.wav", "/books/theory.txt"], &[]);
    assert_eq!(read(list.as_bytes()), wanted);
    assert_eq!(read(list.replace("\r\n", "\n").as_bytes()), wanted);
    // Without an end of the last line, with empty lines and spaces around, and as a string of C.
    assert_eq!(read(b"\n file:///books/theory.wav \r\n\r\nfile:///books/theory.txt"), wanted);
    assert_eq!(read(b"file:///books/theory.wav\r\nfile:///books/theory.txt\r\n\0"), wanted);
    for nothing in ["", "\r\n", "#", "# file:///a\r\n"] {
        assert_eq!(read(nothing.as_bytes()), UriListContents::default(), "{nothing:?}");
    }
}

#[test]
fn files_of_this_computer_are_taken_whichever_way_it_is_named() {
    for uri in [
        "file:///a/b.wav",
        "file:/a/b.wav",
        "FILE:///a/b.wav",
        "file://localhost/a/b.wav",
        "file://LocalHost/a/b.wav",
        "file://studio/a/b.wav",
    ] {
        assert_eq!(read(uri.as_bytes()), named(&["/a/b.wav"], &[]), "{uri}");
    }
    // Where this computer's name is not known, no name is its own.
    assert_eq!(file_of_uri(b"file:///a", ""), Some("/a".into()));
    assert_eq!(file_of_uri(b"file://studio/a", ""), None);
}

#[cfg(unix)]
#[test]
fn percent_signs_give_bytes_not_characters() {
    use std::os::unix::ffi::OsStrExt;
    let bytes = |uri: &str| file_of_uri(uri.as_bytes(), HOST).map(|path| path.as_os_str().as_bytes().to_vec());
    assert_eq!(bytes("file:///two%20words.wav").unwrap(), b"/two words.wav");
    assert_eq!(bytes("file:///Gr%C3%BC%c3%9fe.wav").unwrap(), "/Grüße.wav".as_bytes());
    // A name that is no UTF-8 and one that holds an end of line, both of which Linux allows.
    assert_eq!(bytes("file:///caf%E9%0d%0A.wav").unwrap(), b"/caf\xe9\r\n.wav");
    assert_eq!(bytes("file:///100%25.wav").unwrap(), b"/100%.wav");
    // Unencoded characters and invalid codes stay.
    assert_eq!(bytes("file:///Grüße #1?.wav").unwrap(), "/Grüße #1?.wav".as_bytes());
    assert_eq!(bytes("file:///100%.wav").unwrap(), b"/100%.wav");
    assert_eq!(bytes("file:///%4").unwrap(), b"/%4");
    assert_eq!(bytes("file:///a%00b"), None);
}

#[test]
fn what_is_no_file_here_is_named() {
    let refused = [
        "https://example.org/a.wav",
        "sftp://server/a.wav",
        "file://server/a.wav",
        "file://localhost.example.org/a.wav",
        "file://server",
        "file://",
        "file:",
        "file:a.wav",
        "/a.wav",
        "trash:///a.wav",
    ];
    for uri in refused {
        let list = format!("file:///kept.wav\r\n{uri}\r\n");
        assert_eq!(read(list.as_bytes()), named(&["/kept.wav"], &[uri]), "{uri}");
    }
    let picture = format!("data:image/png;base64,{}", "A".repeat(5_000));
    let short = &read(picture.as_bytes()).refused[0];
    assert!(short.starts_with("data:image/png;base64,") && short.ends_with("...") && short.len() == 60, "{short}");
    assert_eq!(read(b"file:\x1b[31m\xff").refused, ["file: [31m\u{fffd}"]);
}

#[test]
fn a_link_of_a_browser_is_its_address() {
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_ne_bytes).collect::<Vec<u8>>();
    let link = |text: &str| read_browser_link(&utf_16(text), HOST);
    assert_eq!(link("https://example.org/grüße.wav\nA title"), named(&[], &["https://example.org/grüße.wav"]));
    assert_eq!(link("\u{feff}file:///a%20b.wav\nA title"), named(&["/a b.wav"], &[]));
    assert_eq!(link(""), UriListContents::default());
    // Cut within a character.
    assert_eq!(read_browser_link(&utf_16("file:///a")[..17], HOST), named(&["/"], &[]));
}

/// 2 MiB of addresses, and bytes of all kinds: none takes long or panics.
#[test]
fn any_bytes_are_read() {
    let line = b"file:///home/someone/a%20folder/a%20sound.wav\r\n";
    let list = line.repeat((2 << 20) / line.len());
    assert_eq!(read(&list).files.len(), list.len() / line.len());
    for seed in 0..2_000u32 {
        let mut state = seed.wrapping_mul(2_654_435_761).max(1);
        let bytes: Vec<u8> = (0..64)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                b"file:/%20#\r\n\0ab\xff\xc3"[state as usize % 17]
            })
            .collect();
        let UriListContents { files, refused } = read(&bytes);
        assert!(files.iter().all(|file| file.is_absolute()) && refused.iter().all(|name| name.chars().count() <= 60));
        read_browser_link(&bytes, HOST);
    }
}

#[cfg(unix)]
#[test]
fn what_is_written_is_read_again_with_every_byte_in_its_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    // Every byte that a name may hold.
    let every: Vec<u8> = (1..=255).filter(|byte| *byte != b'/').collect();
    let names: [&[u8]; 4] =
        [b"/two words.wav", "/Grüße 音 #1?.wav".as_bytes(), b"/100%.wav", &[b"/", &every[..]].concat()];
    let files = names.map(|name| PathBuf::from(OsStr::from_bytes(name)));
    let list = write_uris(&files.each_ref().map(PathBuf::as_path));
    assert_eq!(read(&list), UriListContents { files: files.to_vec(), refused: Vec::new() });
    // As other programs read it: plain characters, an address a line.
    assert!(list.is_ascii() && list.ends_with(b"\r\n"));
    assert!(list.starts_with(b"file:///two%20words.wav\r\nfile:///Gr%C3%BC%C3%9Fe%20%E9%9F%B3%20%231%3F.wav\r\n"));
}
