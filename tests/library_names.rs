//! `library:ID` and `library:HASH` wherever a command reads a sound.

use super::library_store::{json, library, sounds, tone, write};
use super::support::program::{Place, failure};

const NONE: &str = r#"{"version": 1, "edits": []}"#;

/// A library of three tones, and the number and hash of the second.
fn place() -> (Place, String, String) {
    let place = Place::new();
    sounds(&place, "in", 3);
    library(&place, &["add", "in"]);
    place.write("none.json", NONE);
    let found = &json(&place, &["search", "001"])[0];
    let (id, hash) = (found["id"].as_i64().unwrap(), found["hash"].as_str().unwrap().to_owned());
    (place, id.to_string(), hash)
}

/// A command with this library.
fn with<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &["--library", "l/lib.db"]].concat()
}

#[test]
fn every_command_reads_a_sound_of_the_library_by_its_number_and_its_hash() {
    let (place, id, hash) = place();
    let names =
        [format!("library:{id}"), format!("library:{}", &hash[..12]), format!("library:{}", hash.to_uppercase())];
    let commands: [(&[&str], &[&str], &str); 9] = [
        (&["paint"], &["--script", "none.json", "-o", "OUT"], "wav"),
        (&["image"], &["-o", "OUT"], "png"),
        (&["stft"], &["--n-fft", "256", "-o", "OUT"], "npy"),
        (&["transform"], &["--matrix", "--hop", "1024", "-o", "OUT"], "npy"),
        (&["export"], &["-o", "OUT"], "wav"),
        (&["library", "picture"], &["-o", "OUT"], "png"),
        (&["library", "describe"], &["--json"], ""),
        (&["info"], &["--json"], ""),
        (&["library", "hash"], &["--keys"], ""),
    ];
    for (at, (command, options, ending)) in commands.iter().enumerate() {
        // Each way of naming is tried with every command in turn.
        let name = &names[at % names.len()];
        let [by_path, by_name] = ["path", "name"].map(|what| {
            let output = format!("{what}{at}.{ending}");
            let input = if what == "path" { "in/tone 001.wav" } else { &name[..] };
            let options: Vec<&str> =
                options.iter().map(|&word| if word == "OUT" { &output[..] } else { word }).collect();
            let said = place.done(&with(&[*command, &[input], &options].concat()));
            let written = if ending.is_empty() { Vec::new() } else { place.read(&output) };
            (said.replace(place.path("").to_str().unwrap(), ""), written)
        });
        assert_eq!(by_path, by_name, "{command:?} {name}");
    }
    // Features of several sounds, by name and by path.
    let features = |output: &str, input: &str| {
        place.done(&with(&["features", input, "in/tone 002.wav", "-o", output]));
        place.read(&format!("{output}/features.npy"))
    };
    assert!(features("a", "in/tone 001.wav") == features("b", &names[0]));
    // By likeness, where a sound is never compared with itself.
    for name in &names {
        let found = json(&place, &["similar", name]);
        assert!(found.as_array().unwrap().iter().all(|sound| sound["id"].as_i64() != id.parse().ok()), "{found}");
    }
}

#[test]
fn the_bench_tells_how_long_the_library_takes() {
    let (place, ..) = place();
    let rows = json(&place, &["bench"]);
    let rows = rows.as_array().unwrap();
    let kinds: Vec<&str> = rows.iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["mel", "describe", "chroma", "onsets", "words", "picture", "hashes", "hamming"]);
    assert!(rows.iter().all(|row| row["cpu_per_s"].as_f64() > Some(0.1) && row["gpu_per_s"].is_null()), "{rows:?}");
    // Three sounds of a fifth of a second, by the bench's own rate.
    let n_cores = std::thread::available_parallelism().unwrap().get() as f64;
    let describe = &rows[1];
    let hours = 0.6 / (5.0 * describe["cpu_per_s"].as_f64().unwrap() * n_cores) / 3600.0;
    assert!((describe["library_hours"].as_f64().unwrap() / hours - 1.0).abs() < 1e-9, "{describe}");
    let hours = 3.0 / (rows[6]["cpu_per_s"].as_f64().unwrap() * n_cores) / 3600.0;
    assert!((rows[6]["library_hours"].as_f64().unwrap() / hours - 1.0).abs() < 1e-9, "{}", rows[6]);
    // Without a library it measures all the same.
    let without = place.done(&["library", "bench"]);
    assert!(without.lines().count() == 10 && without.contains("GPU: none in use"), "{without}");
}

#[test]
fn a_name_without_a_sound_is_one_sentence() {
    let (place, id, hash) = place();
    let name = format!("library:{id}");
    let failed = |name: &str| failure(&place.run(&with(&["info", name])));
    for (name, what) in [
        ("library:999", "the library has no sound library:999; sonobrush library search lists"),
        ("library:000000000000", "the library has no sound library:000000000000"),
        ("library:", "names no sound; write library: and a sound's number"),
        ("library:abcdef", "names no sound"),
        ("library:-1", "names no sound"),
        ("library:\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}", "names no sound"),
    ] {
        let said = failed(name);
        assert!(said.contains(what), "{said}");
    }
    assert!(failed(&format!("library:{hash}0")).contains("names no sound"));
    // The output is never the sound itself.
    let over = ["paint", &name, "--script", "none.json", "-o", "in/tone 001.wav"];
    assert!(failure(&place.run(&with(&over))).contains("is the input file"));
    // Without a library.
    assert!(place.failed(&["info", &name]).contains("add a folder of sounds"));
    // A file of that name is a file.
    place.write(&name, place.read("in/tone 002.wav"));
    place.done(&["info", &name]);
    std::fs::remove_file(place.path(&name)).unwrap();
    // Touched, it is the same; a copy stands in for what is gone; changed bytes are another sound.
    std::fs::File::open(place.path("in/tone 001.wav")).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    place.done(&with(&["info", &name]));
    write(&place, "in/tone 001.wav", tone(7, 1_600));
    let said = failed(&name);
    assert!(said.contains("in/tone 001.wav, which was changed since; add its folder again"), "{said}");
    std::fs::remove_file(place.path("in/tone 001.wav")).unwrap();
    assert!(failed(&name).contains("which is gone; add the folder that it is in now"));
    write(&place, "in/copy.wav", tone(1, 1_600));
    library(&place, &["add", "in"]);
    place.done(&with(&["info", &name]));
}
