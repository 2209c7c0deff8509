//! Errors about invalid text are sentences without the parser's jargon.

use super::support::program::Place;
use super::support::wav::{Format, Wav};
use serde::Deserialize;
use sonobrush::base::{bytes_rate, json_reason, rate};

/// Words of parsers of JSON, databases and pictures.
const PARSER_WORDS: [&str; 16] = [
    "EOF",
    "parsing",
    "expected",
    "invalid",
    "ident",
    "sequence",
    "variant",
    "struct",
    "u32",
    "`",
    "Png",
    "column type",
    "index:",
    "no such",
    "serde",
    "SQL",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "it is read, and only what goes wrong is looked at")]
struct Asked {
    n: u32,
    pair: [f64; 2],
    kind: Kind,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    One,
    Two,
}

fn reason(text: &str) -> String {
    json_reason(&serde_json::from_str::<Asked>(text).unwrap_err())
}

/// No fault exposes the parser's jargon.
#[test]
fn no_word_of_the_parser_is_left() {
    let texts = [
        "",
        "{",
        "[",
        "\"",
        "{\"n\"",
        "{\"n\":",
        "{\"n\": 1",
        "{n: 1}",
        "{\"n\" 1}",
        "{\"n\": 1 \"kind\": 2}",
        "[1 2]",
        "{\"n\": 1,}",
        "{} x",
        "nul",
        "{\"n\": 01}",
        "{\"n\": -}",
        "{\"n\": 1e999}",
        "\"\\q\"",
        "\"\\ud800\"",
        "\"a\nb\"",
        "null",
        "[]",
        "{\"n\": -1}",
        "{\"n\": 1.5}",
        "{\"n\": \"a\"}",
        "{\"n\": true}",
        "{\"n\": null}",
        "{\"n\": []}",
        "{\"m\": 1}",
        "{\"n\": 1, \"n\": 2}",
        "{\"n\": 1}",
        "{\"pair\": [1]}",
        "{\"pair\": [1, 2, 3]}",
        "{\"kind\": \"three\"}",
        "{\"kind\": 3}",
        "{\"kind\": {\"one\": 1}}",
    ];
    for text in texts {
        let said = reason(text);
        for word in PARSER_WORDS {
            assert!(!said.contains(word), "{text:?}: {said}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, said) in [
        ("{\"n\": 1,", "it ends before it is complete (line 1, column 8)"),
        ("{\"n\": 1\n \"kind\": 2}", "a comma or } is missing (line 2, column 2)"),
        ("{\"n\": -1}", "the number -1 stands where a whole number, 0 or more is needed (line 1, column 8)"),
        ("{\"pair\": [1, \"b\"]}", "the text \"b\" stands where a number is needed (line 1, column 16)"),
        ("{\"m\": 1}", "m is no field here; possible: n, pair, kind (line 1, column 4)"),
        ("{\"kind\": \"three\"}", "three is not known here; possible: one or two (line 1, column 16)"),
        ("{\"n\": 1}", "pair is missing (line 1, column 8)"),
    ] {
        assert_eq!(reason(text), said);
    }
}

/// What the program says of files that are not what they should be.
#[test]
fn the_program_speaks_no_parser() {
    let place = Place::new();
    let samples = (0..8_000).map(|at| at % 100).collect();
    Wav { format: Format::Pcm(16), rate: 8_000, channels: vec![samples] }.write(&place.path("in.wav"));
    std::fs::create_dir_all(place.path("out")).unwrap();
    let texts = [
        "",
        "{",
        "{\"version\": 1",
        "[1 2]",
        "null",
        "{\"version\": \"one\"}",
        "{\"kind\": \"cqt\", \"fmin\": \"low\"}",
    ];
    for text in texts {
        for name in ["s.json", "out/features.json", "score.json", "damaged.mid", "t.json", "cells.json", "cells.png"] {
            place.write(name, text);
        }
        for arguments in [
            &["paint", "in.wav", "--script", "s.json", "-o", "o.wav"][..],
            &["features", "--shard", "0/1", "--manifest", "s.json", "-o", "shards"],
            &["features", "--verify", "out"],
            &["voices", "score.json", "-o", "o.wav"],
            &["voices", "damaged.mid", "-o", "o.wav"],
            &["transform", "in.wav", "--transform", "t.json", "-o", "o.npy"],
            &["verify", "s.json"],
            &["library", "--library", "s.json", "search", "x"],
            &["library", "hash", "cells.png"],
            &["info", "damaged.mid"],
        ] {
            let said = place.failed(arguments);
            for word in PARSER_WORDS {
                assert!(!said.contains(word), "{arguments:?} with {text:?}: {said}");
            }
        }
    }
    // A database whose tables are others.
    let database = place.path("l/lib.db");
    std::fs::create_dir(place.path("in")).unwrap();
    std::fs::rename(place.path("in.wav"), place.path("in/in.wav")).unwrap();
    place.done(&["library", "--library", "l/lib.db", "add", "in"]);
    rusqlite::Connection::open(&database).unwrap().execute_batch("UPDATE sound SET sample_rate = 'fast'").unwrap();
    for arguments in [&["search", "in"][..], &["status"], &["describe", "library:1"], &["verify"]] {
        let output = place.run(&[&["library", "--library", "l/lib.db"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        for word in PARSER_WORDS {
            assert!(!said.contains(word), "{arguments:?}: {said}");
        }
    }
}

/// Speeds in units in which they are not 0.
#[test]
fn a_speed_is_never_shown_as_nothing_while_something_moves() {
    for power in -60..40 {
        let speed = 1.9f64.powi(power);
        for text in [rate(speed), bytes_rate(speed)] {
            let number: f64 = text.split(['/', ' ']).next().unwrap().parse().unwrap();
            assert!(number > 0.0, "{speed}: {text}");
        }
    }
    assert_eq!([12.34, 1.0, 0.5, 0.001].map(rate), ["12.3/s", "1.0/s", "30.0/min", "3.6/h"]);
    assert_eq!(rate(0.0), "0.0/s");
    assert_eq!([3.1e8, 1e8, 2.5e6, 300.0].map(bytes_rate), ["0.31 GB/s", "0.10 GB/s", "2.50 MB/s", "0.30 kB/s"]);
    assert_eq!(bytes_rate(0.0), "0.00 GB/s");
}
