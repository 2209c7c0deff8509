//! `sonobrush transform`: the cells of a sound on any transform, as arrays that NumPy reads.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::support::measure::snr_db_f32;
use super::support::program::Place;
use super::support::signals::{Rng, noise};
use super::support::wav::{Format, Wav};
use serde_json::Value;
use sonobrush::dsp::cells::polar;
use sonobrush::dsp::transforms::rows::{RowBank, RowsParams};
use sonobrush::dsp::{CellRect, Region};
use std::f64::consts::TAU;

const RATE: u32 = 44_100;

fn write_wav(place: &Place, name: &str, rate: u32, channels: &[Vec<f32>]) {
    let bits = |samples: &Vec<f32>| samples.iter().map(|sample| i64::from(sample.to_bits())).collect();
    Wav { format: Format::F32, rate, channels: channels.iter().map(bits).collect() }.write(&place.path(name));
}

/// An array as NumPy reads it: complex64, Fortran order.
struct Array {
    /// Channels, rows, columns.
    shape: [usize; 3],
    values: Vec<[f32; 2]>,
}

impl Array {
    fn read(place: &Place, name: &str) -> Array {
        let bytes = place.read(name);
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "{name}");
        let body = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let header = std::str::from_utf8(&bytes[10..body]).unwrap();
        assert!(header.contains("'<c8'") && header.contains("'fortran_order': True"), "{header}");
        let shape = header.split("'shape': (").nth(1).unwrap().split(')').next().unwrap();
        let shape: Vec<usize> = shape.split(',').map(|size| size.trim().parse().unwrap()).collect();
        let number = |four: &[u8]| f32::from_le_bytes(four.try_into().unwrap());
        let values: Vec<[f32; 2]> = bytes[body..].chunks_exact(8).map(|b| [number(&b[..4]), number(&b[4..])]).collect();
        assert_eq!(values.len(), shape.iter().product::<usize>(), "{name}");
        Array { shape: shape.try_into().unwrap(), values }
    }

    fn at(&self, channel: usize, row: usize, column: usize) -> [f32; 2] {
        self.values[channel + self.shape[0] * (row + self.shape[1] * column)]
    }

    fn level(&self, channel: usize, row: usize, column: usize) -> f64 {
        let [re, im] = self.at(channel, row, column).map(f64::from);
        re.hypot(im)
    }
}

/// A description with its arrays.
struct Cells {
    json: Value,
    arrays: Vec<Array>,
}

impl Cells {
    fn read(place: &Place, name: &str) -> Cells {
        let json: Value = serde_json::from_slice(&place.read(name)).unwrap();
        let arrays = json["groups"].as_array().unwrap().iter().map(|group| {
            let array = Array::read(place, group["file"].as_str().unwrap());
            let [first, end] = [0, 1].map(|i| group["rows"][i].as_u64().unwrap() as usize);
            assert_eq!([array.shape[1], array.shape[2]], [end - first, group["columns"].as_u64().unwrap() as usize]);
            array
        });
        Cells { arrays: arrays.collect(), json }
    }

    fn number(&self, group: usize, name: &str) -> i64 {
        self.json["groups"][group][name].as_i64().unwrap()
    }

    fn rows(&self) -> &Vec<Value> {
        self.json["rows"].as_array().unwrap()
    }

    /// The array of a row, and its place there.
    fn place_of(&self, row: usize) -> (usize, usize) {
        let group = self.rows()[row]["group"].as_u64().unwrap() as usize;
        (group, row - self.json["groups"][group]["rows"][0].as_u64().unwrap() as usize)
    }

    /// The first column centred on this sample or later.
    fn column_at(&self, group: usize, sample: i64) -> usize {
        ((sample - self.number(group, "first_sample")) as u64).div_ceil(self.number(group, "hop") as u64) as usize
    }
}

#[test]
fn a_sine_on_a_row_reads_its_level_and_phase() {
    let place = Place::new();
    let bank = RowBank::new(&RowsParams::log(24), f64::from(RATE)).unwrap();
    let rows = [bank.row_from_hz(220.0).round() as usize, bank.row_from_hz(3_000.0).round() as usize];
    let sine = |row: usize| -> Vec<f32> {
        let step = bank.rows()[row].hz / f64::from(RATE);
        (0..3 * RATE).map(|i| (0.5 * (TAU * (step * f64::from(i)).fract()).cos()) as f32).collect()
    };
    write_wav(&place, "in.wav", RATE, &rows.map(sine));
    assert_eq!(place.done(&["transform", "in.wav", "-o", "c.npy", "--kind", "vqt"]), "");
    let cells = Cells::read(&place, "c.json");
    assert_eq!(cells.rows().len(), bank.rows().len());
    assert_eq!((&cells.json["sample_rate"], &cells.json["channels"]), (&RATE.into(), &2.into()));
    assert_eq!((&cells.json["inverts"], &cells.json["notices"]), (&true.into(), &Value::Array(Vec::new())));
    for (channel, row) in rows.into_iter().enumerate() {
        let hz = cells.rows()[row]["hz"].as_f64().unwrap();
        assert!((hz - bank.rows()[row].hz).abs() < 1e-9);
        let (group, within) = cells.place_of(row);
        let (array, hop) = (&cells.arrays[group], cells.number(group, "hop") as f64);
        let reference = cells.rows()[row]["reference"].as_f64().unwrap();
        let [mut worst_db, mut worst_turns] = [0.0f64; 2];
        for column in cells.column_at(group, i64::from(RATE))..cells.column_at(group, 2 * i64::from(RATE)) {
            let level_db = 20.0 * (array.level(channel, within, column) / reference).log10();
            worst_db = worst_db.max((level_db - 20.0 * 0.5f64.log10()).abs());
            let centre = cells.number(group, "first_sample") as f64 + column as f64 * hop;
            let [re, im] = array.at(channel, within, column).map(f64::from);
            let turns = im.atan2(re) / TAU - hz * centre / f64::from(RATE);
            worst_turns = worst_turns.max((turns - turns.round()).abs());
            // Controls: the other channel has nothing here, the next row less.
            assert!(array.level(1 - channel, within, column) < 1e-5 * reference);
            assert!(array.level(channel, within + 1, column) < 0.95 * array.level(channel, within, column));
        }
        println!("{hz:.1} Hz: level within {worst_db:.5} dB, phase within {worst_turns:.1e} turns");
        assert!(worst_db < 0.01 && worst_turns < 1e-4, "{hz} Hz: {worst_db} dB, {worst_turns} turns");
    }
}

#[test]
fn what_is_written_is_what_the_rows_are_and_inverts() {
    let place = Place::new();
    // Over several steps, and no multiple of anything.
    let n = 3 * 131_072 + 12_345;
    let channels = [noise(n, 0.1, 1), noise(n, 0.2, 2)];
    write_wav(&place, "in.wav", RATE, &channels);
    for (options, params) in [
        (&["--kind", "vqt"][..], RowsParams::log(24)),
        (&["--kind", "mel", "--bands", "40"], RowsParams::mel(40)),
        (&["--kind", "bark", "--gamma", "900"], RowsParams::bark(96).with_gamma_hz(900.0)),
    ] {
        place.done(&[&["transform", "in.wav", "-o", "c.npy"], options].concat());
        let cells = Cells::read(&place, "c.json");
        let bank = RowBank::new(&params, f64::from(RATE)).unwrap();
        assert_eq!(cells.json["transform"], serde_json::to_value(&params).unwrap());
        assert_eq!(cells.arrays.len(), bank.groups().len());
        for (channel, samples) in channels.iter().enumerate() {
            let expected = bank.analyse(samples);
            let mut regions = Vec::new();
            for (group, (array, region)) in bank.groups().iter().zip(cells.arrays.iter().zip(&expected)) {
                let own = array.values.iter().skip(channel).step_by(2);
                let same = region
                    .magnitude
                    .iter()
                    .zip(&region.phase)
                    .map(|(magnitude, turns)| polar::cos_sin_turns(*turns).map(|part| part * magnitude));
                assert!(own.clone().copied().eq(same), "{options:?}, rows {:?}", group.rows());
                let mut read = Region::zeros(CellRect::new(0..array.shape[2], group.rows()));
                for (index, [re, im]) in own.enumerate() {
                    read.magnitude[index] = re.hypot(*im);
                    read.phase[index] = (f64::from(*im).atan2(f64::from(*re)) / TAU) as f32;
                }
                regions.push(read);
            }
            let db = snr_db_f32(&bank.synthesise(&regions, n), samples);
            println!("{options:?}, channel {channel}: {db:.1} dB");
            assert!(db > 125.0, "{options:?}: {db} dB");
            // Control: without the columns beside the sound its ends are wrong.
            for (group, region) in bank.groups().iter().zip(&mut regions) {
                let n_bins = region.n_bins();
                region.magnitude[..group.first_column_inside() * n_bins].fill(0.0);
            }
            assert!(snr_db_f32(&bank.synthesise(&regions, n), samples) < 100.0);
        }
    }
}

#[test]
fn a_matrix_holds_the_cells_of_the_groups() {
    let place = Place::new();
    write_wav(&place, "in.wav", 8_000, &[noise(9_001, 0.1, 3), noise(9_001, 0.1, 4)]);
    place.done(&["transform", "in.wav", "-o", "g.npy"]);
    place.done(&["transform", "in.wav", "-o", "m.npy", "--matrix"]);
    place.done(&["transform", "in.wav", "-o", "r.npy", "--hop", "32"]);
    let [groups, matrix, reading] = ["g.json", "m.json", "r.json"].map(|name| Cells::read(&place, name));
    let hops = |cells: &Cells| cells.rows().iter().map(|row| row["hop"].as_i64().unwrap()).collect::<Vec<_>>();
    let smallest = *hops(&groups).iter().min().unwrap();
    assert_eq!((matrix.number(0, "hop"), reading.number(0, "hop")), (smallest, 32));
    assert_eq!((&matrix.json["inverts"], &reading.json["inverts"]), (&true.into(), &false.into()));
    assert!(hops(&groups).iter().any(|hop| *hop < 32) && hops(&groups).iter().any(|hop| *hop > 32));
    for cells in [&matrix, &reading] {
        assert_eq!((cells.arrays.len(), hops(cells)), (1, hops(&groups)));
        let array = &cells.arrays[0];
        let (first, hop) = (cells.number(0, "first_sample"), cells.number(0, "hop"));
        assert_eq!((array.shape[0], array.shape[1]), (2, groups.rows().len()));
        let [mut error, mut power, mut n] = [0.0f64; 3];
        for row in 0..array.shape[1] {
            let (group, within) = groups.place_of(row);
            let own = &groups.arrays[group];
            for column in 0..own.shape[2] {
                let sample = groups.number(group, "first_sample") + column as i64 * groups.number(group, "hop");
                // On a small hop the last column is nearer to the end of the sound.
                let index = ((sample - first) / hop) as usize;
                if (sample - first) % hop != 0 || index >= array.shape[2] {
                    continue;
                }
                for channel in 0..2 {
                    let [a, b] = [array.at(channel, row, index), own.at(channel, within, column)];
                    error += f64::from(a[0] - b[0]).powi(2) + f64::from(a[1] - b[1]).powi(2);
                    power += f64::from(b[0]).powi(2) + f64::from(b[1]).powi(2);
                    n += 1.0;
                }
            }
        }
        let db = 10.0 * (error / power).log10();
        println!("hop {hop}: {n} common cells agree to {db:.1} dB");
        assert!(n > 1_000.0 && db < -120.0, "hop {hop}: {db} dB");
    }
    // The sound comes back from the matrix alone: each row as its own group on the common hop.
    let bank = RowBank::new(&RowsParams::log(24), 8_000.0).unwrap();
    let mut back = vec![0.0f32; 9_001];
    for group in bank.groups() {
        let on = bank.group_on(group.rows(), smallest as usize, group.slice_len());
        let array = &matrix.arrays[0];
        let rect = CellRect::new(0..on.n_columns(9_001), group.rows());
        let shift = (on.centre_sample(0) - matrix.number(0, "first_sample")) / smallest;
        let mut region = Region::zeros(rect.clone());
        for column in rect.frames {
            for row in group.rows() {
                let [re, im] = array.at(0, row, column + shift as usize);
                let at = region.index(column, row);
                region.magnitude[at] = re.hypot(im);
                region.phase[at] = (f64::from(im).atan2(f64::from(re)) / TAU) as f32;
            }
        }
        let change = sonobrush::dsp::transforms::rows::RowChange { group: &on, before: None, after: &region };
        let added = bank.difference(&[change]);
        for (sample, value) in (added.first..).zip(&added.samples) {
            if let Some(out) = usize::try_from(sample).ok().and_then(|sample| back.get_mut(sample)) {
                *out += value;
            }
        }
    }
    let db = snr_db_f32(&back, &noise(9_001, 0.1, 3));
    println!("from the matrix: {db:.1} dB");
    assert!(db > 120.0, "{db} dB");
}

#[test]
fn an_stft_is_that_of_the_other_command() {
    let place = Place::new();
    write_wav(&place, "in.wav", 48_000, &[noise(30_000, 0.1, 5), noise(30_000, 0.1, 6)]);
    let options = ["--n-fft", "512", "--hop", "64", "--window", "kaiser"];
    place.done(&[&["transform", "in.wav", "-o", "t.npy", "--kind", "stft"], &options[..]].concat());
    place.done(&[&["stft", "in.wav", "-o", "s.npy"], &options[..]].concat());
    assert!(place.read("t.npy") == place.read("s.npy"));
    let cells = Cells::read(&place, "t.json");
    let transform = serde_json::json!({"kind": "stft", "n_fft": 512, "hop": 64, "window": "kaiser"});
    assert_eq!(cells.json["transform"], transform);
    let row = &cells.rows()[100];
    assert_eq!((&row["hz"], &row["hop"], &row["real"]), (&9_375.0.into(), &64.into(), &false.into()));
    // The hop of a transform that is named as JSON can be changed.
    place.done(&["transform", "in.wav", "-o", "h.npy", "--transform", "t.json", "--hop", "128"]);
    assert_eq!(Cells::read(&place, "h.json").json["transform"]["hop"], 128);
    assert!(
        place.failed(&["transform", "in.wav", "-o", "h.npy", "--transform", "t.json", "--hop", "100"]).contains("hop")
    );
    // A sine at the centre of a bin, and a constant, read their references.
    let sine = |i: i32| (TAU * 9_375.0 * f64::from(i) / 48_000.0).sin() as f32;
    write_wav(&place, "sine.wav", 48_000, &[(0..20_000).map(sine).collect(), vec![1.0; 20_000]]);
    place.done(&["transform", "sine.wav", "-o", "t.npy", "--transform", "t.json"]);
    let cells = Cells::read(&place, "t.json");
    assert_eq!(cells.json["transform"], transform);
    for (channel, row) in [(0, 100), (1, 0)] {
        let reference = cells.rows()[row]["reference"].as_f64().unwrap();
        let level_db = 20.0 * (cells.arrays[0].level(channel, row, 150) / reference).log10();
        assert!(level_db.abs() < 0.01, "row {row}: {level_db} dB");
    }
}

#[test]
fn a_transform_has_many_names() {
    let place = Place::new();
    write_wav(&place, "in.wav", 8_000, &[noise(6_000, 0.1, 7)]);
    place.write("music.json", r#"{"kind": "rows"}"#);
    let made = |options: &[&str]| {
        place.done(&[&["transform", "in.wav", "-o", "c.npy", "--hop", "64"], options].concat());
        let json: Value = serde_json::from_slice(&place.read("c.json")).unwrap();
        (json["transform"].clone(), place.read("c.npy"))
    };
    let same: [&[&str]; 7] = [
        &[],
        &["--kind", "vqt"],
        &["--kind", "rows"],
        &["--preset", "music"],
        &["--preset", "bass", "--gamma", "erb", "--bins", "24"],
        &["--transform", r#" {"kind": "rows", "scale": "log", "bins": 24, "fmin": 32.703, "gamma": "erb"}"#],
        &["--transform", "music.json"],
    ];
    let first = made(same[0]);
    for options in same {
        assert!(made(options) == first, "{options:?}");
    }
    // What was written last names its transform.
    assert!(made(&["--transform", "c.json"]) == first);
    let others: [&[&str]; 8] = [
        &["--kind", "cqt", "--fmin", "100"],
        &["--preset", "fine-pitch"],
        &["--preset", "speech"],
        &["--kind", "mel"],
        &["--kind", "mel", "--bands", "64", "--fmin", "50", "--fmax", "3500"],
        &["--kind", "bark", "--bands", "40"],
        &["--frequencies", "100,126,159,200,252,318"],
        &["--kind", "rows", "--gamma", "20"],
    ];
    let mut all = vec![first];
    for options in others {
        let made = made(options);
        assert!(!all.iter().any(|(params, bytes)| *params == made.0 || *bytes == made.1), "{options:?}");
        all.push(made);
    }
}

#[test]
fn bad_parameters_are_one_sentence_and_write_nothing() {
    let place = Place::new();
    write_wav(&place, "in.wav", RATE, &[noise(20_000, 0.1, 8)]);
    place.write("bad.json", r#"{"kind": "rows", "bins": 2}"#);
    place.write("broken.json", "{");
    let long_list = (0..1_025).map(|k| (100 + k).to_string()).collect::<Vec<_>>().join(",");
    let cases: [(&[&str], &str); 29] = [
        (&["--bins", "3"], "bins 3 is not 4 to 96"),
        (&["--bins", "97"], "bins 97 is not 4 to 96"),
        (&["--bins", "24.5"], "bins 24.5 is not a whole number"),
        (&["--kind", "mel", "--bands", "7"], "bands 7 is not 8 to 512"),
        (&["--kind", "bark", "--bands", "513"], "bands 513 is not 8 to 512"),
        (&["--fmin", "9.9"], "fmin 9.9 Hz is below 10 Hz"),
        (&["--fmin", "500", "--fmax", "1000"], "fmin 500 Hz is not below half"),
        (&["--fmax", "22051"], "fmax 22051 Hz is above half the sample rate"),
        (&["--gamma", "-1"], "gamma -1 Hz is not 0 to 1000 Hz"),
        (&["--gamma", "1001"], "gamma 1001 Hz is not 0 to 1000 Hz"),
        (&["--kind", "mel", "--gamma", "erb"], "gamma erb is for rows on a log scale"),
        (&["--kind", "cqt", "--gamma", "5"], "gamma is 0 for kind cqt"),
        (&["--frequencies", "100,200,200,300"], "frequencies: 200 Hz after 200 Hz does not ascend"),
        (&["--frequencies", "100,200,300"], "frequencies: 3 values are not 4 to 1024"),
        (&["--frequencies", &long_list], "frequencies: 1025 values are not 4 to 1024"),
        (
            &["--frequencies", "100,110,120,200,300,400"],
            "frequencies: the spacing changes by more than a factor of 1.5",
        ),
        (
            &["--kind", "cqt", "--bins", "96"],
            "at 32.7 Hz would reach over 48 s; raise fmin or gamma, or take fewer bins",
        ),
        (&["--kind", "cqt", "--bands", "40"], "bands is not a field of rows on the scale log"),
        (&["--kind", "mel", "--bins", "24"], "bins is not a field of rows on the scale mel"),
        (&["--kind", "stft", "--bins", "24"], "bins is for rows, not for kind stft"),
        (&["--n-fft", "1024"], "n_fft is for kind stft, not for rows"),
        (&["--kind", "stft", "--n-fft", "1000"], "n_fft 1000 is not a power of two"),
        (&["--kind", "stft", "--hop", "100"], "hop 100 is not n_fft / 2"),
        (&["--hop", "100"], "hop 100 is not a power of two from 1 to 65536"),
        (&["--hop", "131072"], "hop 131072 is not a power of two from 1 to 65536"),
        (&["--transform", r#"{"kind": "rows", "bins": 2}"#], "--transform: bins 2 is not 4 to 96"),
        (&["--transform", "bad.json"], "bad.json: bins 2 is not 4 to 96"),
        (&["--transform", "broken.json"], "broken.json: "),
        (&["--transform", "missing.json"], "no file missing.json in "),
    ];
    for (options, part) in cases {
        let line = place.failed(&[&["transform", "in.wav", "-o", "c.npy"], options].concat());
        assert!(line.contains(part), "{options:?}: {line}");
    }
    let wrong_usage: [&[&str]; 5] = [
        &["--kind", "wavelet"],
        &["--kind", "cqt", "--preset", "bass"],
        &["--transform", "bad.json", "--bins", "24"],
        &["--bins", "many"],
        &["--gamma", "wide"],
    ];
    for options in wrong_usage {
        let output = place.run(&[&["transform", "in.wav", "-o", "c.npy"], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
    }
    let mut names: Vec<_> = std::fs::read_dir(place.folder.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    names.retain(|name| !name.to_string_lossy().starts_with('.') || name.to_string_lossy().starts_with(".sono"));
    names.sort();
    assert_eq!(names, ["bad.json", "broken.json", "in.wav"]);
}

#[test]
fn only_its_own_files_are_replaced() {
    let place = Place::new();
    let mut rng = Rng(9);
    let samples: Vec<f32> = (0..6_000).map(|_| 0.1 * rng.normal() as f32).collect();
    write_wav(&place, "in.wav", 8_000, std::slice::from_ref(&samples));
    let run = ["transform", "in.wav", "-o", "c.npy"];
    // A description of something else.
    place.write("c.json", r#"{"version": 1, "edits": []}"#);
    assert!(place.failed(&run).contains("is not the description of a transform"));
    place.done(&["stft", "in.wav", "-o", "s.npy"]);
    assert!(place.failed(&["transform", "in.wav", "-o", "s.npy"]).contains("is not the description of a transform"));
    std::fs::remove_file(place.path("c.json")).unwrap();
    // Another array under a name that the user did not give.
    place.write("c-2.npy", "mine");
    assert!(place.failed(&run).contains("c-2.npy: already exists and is not an array of an earlier run"));
    assert_eq!((place.read("c-2.npy"), place.path("c-0.npy").exists()), (b"mine".to_vec(), false));
    std::fs::remove_file(place.path("c-2.npy")).unwrap();
    place.done(&run);
    let first = place.read("c-2.npy");
    place.done(&[&run[..], &["--bins", "12"]].concat());
    assert!(place.read("c-2.npy") != first);
    // What the new run does not have stays, and is named.
    let n_groups = Cells::read(&place, "c.json").arrays.len();
    place.done(&[&run[..], &["--hop", "64"]].concat());
    let cells = Cells::read(&place, "c.json");
    let notice = cells.json["notices"][0].as_str().unwrap();
    assert!(notice.contains("c-0.npy") && notice.contains(&format!("c-{}.npy", n_groups - 1)), "{notice}");
    assert!(place.path("c-0.npy").exists());
    // These are not of the last run any more.
    assert!(place.failed(&run).contains("c-0.npy: already exists"));
    for output in ["in.wav", "c.json", "c.txt"] {
        place.failed(&["transform", "in.wav", "-o", output]);
    }
    // A description that names files elsewhere does not make them ours.
    std::fs::create_dir(place.path("sub")).unwrap();
    place.write("sub/d-0.npy", "mine");
    place.write("d.json", r#"{"transform": 0, "groups": [{"file": "sub/d-0.npy"}, 5], "rows": [], "engine": ""}"#);
    place.done(&["transform", "in.wav", "-o", "d.npy"]);
    assert_eq!(place.read("sub/d-0.npy"), b"mine");
    // A fifo or a full folder in place of an array leaves the others as they were.
    let kept = place.read("d-1.npy");
    std::fs::remove_file(place.path("d-3.npy")).unwrap();
    std::fs::create_dir(place.path("d-3.npy")).unwrap();
    place.failed(&["transform", "in.wav", "-o", "d.npy", "--kind", "cqt", "--fmin", "100"]);
    assert_eq!(place.read("d-1.npy"), kept);
}

/// The most memory that a run of the program held, as the system counts it.
#[cfg(target_os = "linux")]
fn max_bytes(place: &Place, arguments: &[&str]) -> u64 {
    // The sound stays on disk, so that what is measured is the work.
    let mut child = place.command(arguments).env("SONOBRUSH_SOURCE_MB", "0").spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut max = 0;
    loop {
        let ended = child.try_wait().unwrap();
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        if let Some(line) = text.lines().find_map(|line| line.strip_prefix("RssAnon:")) {
            max = max.max(1024 * line.trim().trim_end_matches(" kB").parse::<u64>().unwrap());
        }
        if let Some(ended) = ended {
            assert!(ended.success() && max > 0);
            return max;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_long_sound_takes_no_more_memory() {
    let place = Place::new();
    for (name, n_secs) in [("short.wav", 12), ("long.wav", 60)] {
        write_wav(&place, name, RATE, &[noise(n_secs * RATE as usize, 0.1, 10)]);
    }
    for options in [&["--kind", "vqt"][..], &["--hop", "64"]] {
        let max = |name: &str| {
            max_bytes(&place, &[&["transform", name, "-o", "c.npy"], options].concat()) as f64 / f64::from(1 << 20)
        };
        let [short, long] = ["short.wav", "long.wav"].map(max);
        println!("{options:?}: {short:.0} MB for 12 s, {long:.0} MB for 60 s");
        assert!(long < 120.0 && long < 1.3 * short + 4.0, "{options:?}: {short} MB and {long} MB");
    }
}

/// `image` draws the same rows: two notes a semitone apart at 60 Hz are two lines on the bass preset, and one blot on
/// the STFT.
#[test]
fn an_image_shows_rows() {
    let place = Place::new();
    let hz = [60.0, 60.0 * 2f64.powf(1.0 / 12.0)];
    let sample = |i: usize| hz.iter().map(|hz| 0.2 * (TAU * hz * i as f64 / f64::from(RATE)).sin()).sum::<f64>() as f32;
    write_wav(&place, "notes.wav", RATE, &[(0..6 * RATE as usize).map(sample).collect()]);
    let view = ["--time", "2,4", "--frequency", "50,75", "--size", "20x400", "--colormap", "grey", "--range", "-60,0"];
    let lines = |choice: &[&str]| {
        let arguments: Vec<&str> =
            ["image", "notes.wav", "-o", "p.png"].iter().chain(choice).chain(&view).copied().collect();
        place.done(&arguments);
        let ([width, _], rgb) = sonobrush::view::colours_from_png(&place.read("p.png")).unwrap();
        let column: Vec<u8> = rgb.chunks_exact(3 * width).map(|row| row[3 * 10]).collect();
        // Runs of bright pixels.
        column.windows(2).filter(|pair| pair[0] < 150 && pair[1] >= 150).count()
    };
    assert_eq!(lines(&["--preset", "bass"]), 2);
    assert_eq!(lines(&["--transform", r#"{"kind": "cqt", "bins": 48}"#]), 2);
    assert_ne!(lines(&[]), 2, "the STFT cannot tell them apart");
}
