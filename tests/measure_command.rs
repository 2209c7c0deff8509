//! `sonobrush measure`: a table of what a sound is at its labels.

use super::support::program::Place;
use super::support::wav::{Format, Wav};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;

/// Two seconds: a tone of 4 kHz from 0.5 to 1.5 s, little noise elsewhere.
fn place() -> Place {
    let place = Place::new();
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 16) / 65_536.0 - 0.5
    };
    let samples = (0..96_000).map(|at| {
        let tone = (std::f64::consts::TAU * 4_000.0 * f64::from(at) / 48_000.0).sin();
        let is_call = (24_000..72_000).contains(&at);
        (noise() * 100.0 + if is_call { tone * 16_384.0 } else { 0.0 }) as i64
    });
    Wav { format: Format::Pcm(16), rate: 48_000, channels: vec![samples.collect()] }.write(&place.path("in.wav"));
    place.write(
        "l.csv",
        "start_s,end_s,low_hz,high_hz,label,Species,peak_hz\n0.6,1.4,3000,5000,\"call, long\",cat,mine\n0.1,0.2,,,quiet,,\n",
    );
    place
}

#[test]
fn a_row_for_each_label_is_written_as_csv_and_as_parquet() {
    let place = place();
    let reported = place.done(&["measure", "in.wav", "--labels", "l.csv", "-o", "t.csv"]);
    assert_eq!(reported, "t.csv: 2 labels measured\n");
    let table = String::from_utf8(place.read("t.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("file,channel,start_s,end_s,low_hz,high_hz,label,confidence,colour,id,Species,peak_hz,freq_5,freq_25,freq_center"));
    assert!(lines[0].ends_with(",rms_db,true_peak_db,centroid_hz,snr_db"));
    assert_eq!(lines.len(), 3);
    assert!(lines[2].starts_with("in.wav,,0.6,1.4,3000.0,5000.0,\"call, long\",,,1,cat,mine,"), "{}", lines[2]);
    let names: Vec<&str> = lines[0].split(',').collect();
    // The text holds a comma: counted from the end.
    let value = |name: &str| {
        let from_end = names.len() - names.iter().rposition(|known| *known == name).unwrap();
        let fields: Vec<&str> = lines[2].split(',').collect();
        fields[fields.len() - from_end].parse::<f64>().unwrap()
    };
    assert!((value("peak_hz") - 4_000.0).abs() < 1.0 && (value("peak_db") + 6.02).abs() < 0.1, "{}", lines[2]);
    assert!((value("rms_db") + 9.03).abs() < 0.1 && (value("time_center") - 1.0).abs() < 0.01);
    assert!(value("snr_db") > 40.0);
    let about: Value = serde_json::from_slice(&place.read("t.json")).unwrap();
    assert_eq!((&about["n_fft"], &about["hop"], &about["rate"]), (&2_048.into(), &512.into(), &48_000.0.into()));

    place.done(&[
        "measure",
        "in.wav",
        "--labels",
        "l.csv",
        "-o",
        "p.parquet",
        "--raven-names",
        "--n-fft",
        "1024",
        "--hop",
        "256",
    ]);
    let reader = SerializedFileReader::try_from(place.path("p.parquet").as_path()).unwrap();
    let schema = reader.metadata().file_metadata().schema().get_fields().to_vec();
    let names: Vec<String> = schema.iter().map(|field| field.name().to_owned()).collect();
    for name in
        ["label", "Species", "peak_hz", "Freq 5% (Hz)", "BW 90% (Hz)", "Peak Freq (Hz)", "Energy (dB FS)", "snr_db"]
    {
        assert_eq!(names.iter().filter(|known| *known == name).count(), 1, "{name}: {names:?}");
    }
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let at = |name: &str| names.iter().position(|known| known == name).unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1].get_string(at("label")).unwrap(), "call, long");
    assert!((rows[1].get_double(at("Peak Freq (Hz)")).unwrap() - 4_000.0).abs() < 2.0);
    assert!(rows[0].get_string(at("Species")).is_err(), "there is none");
    // The same file again, byte for byte.
    let before = place.read("p.parquet");
    place.done(&[
        "measure",
        "in.wav",
        "--labels",
        "l.csv",
        "-o",
        "p.parquet",
        "--raven-names",
        "--n-fft",
        "1024",
        "--hop",
        "256",
    ]);
    assert!(before == place.read("p.parquet"));
}

#[test]
fn the_cues_of_a_sound_are_measured_where_no_file_is_named() {
    let place = place();
    assert_eq!(
        place.failed(&["measure", "in.wav", "-o", "t.csv"]),
        "sonobrush: in.wav: has no labels to measure at; name a file of labels with --labels"
    );
    place.done(&["labels", "in.wav", "--import", "l.csv", "-o", "cued.wav"]);
    place.done(&["measure", "cued.wav", "-o", "t.csv"]);
    place.done(&["measure", "in.wav", "--labels", "l.csv", "-o", "u.csv"]);
    let [cues, file] =
        ["t.csv", "u.csv"].map(|name| String::from_utf8(place.read(name)).unwrap().replace("cued.wav", "in.wav"));
    assert_eq!(cues, file);
    // A hop that is not named is a quarter of the frame.
    for more in [&["--n-fft", "256"][..], &["--n-fft", "256", "--hop", "64"]] {
        place.done(&[&["measure", "cued.wav", "-o", "t.csv"], more].concat());
    }
}

#[test]
fn a_project_is_measured_with_its_edits() {
    let place = place();
    let script =
        r#"{"version": 1, "edits": [{"brush": {"kind": "gain", "gain_db": -12}, "select": {"time": [0.5, 1.5]}}]}"#;
    place.write("s.json", script);
    place.done(&["save", "in.wav", "--script", "s.json", "-o", "p.sonobrush", "--embed"]);
    place.done(&["export", "p.sonobrush", "--format", "float32", "-o", "edited.wav"]);
    let [project, edited, before] = ["p.sonobrush", "edited.wav", "in.wav"].map(|input| {
        place.done(&["measure", input, "--labels", "l.csv", "-o", "t.csv"]);
        String::from_utf8(place.read("t.csv")).unwrap()
    });
    // Rows name the sound that the project was made of.
    assert_eq!(project, edited.replace("edited.wav", "in.wav"));
    assert!(project != before);
    place.done(&["export", "p.sonobrush", "--by-label", "--labels", "l.csv", "-o", "parts"]);
    assert!(place.path("parts/in_002_call, long.wav").exists());
}

#[test]
fn wrong_measurements_are_one_sentence() {
    let place = place();
    let cases: [(&[&str], &str); 4] = [
        (&["-o", "t.txt"], "t.txt: would contain a table; end its name in .csv"),
        (&["-o", "l.csv"], "l.csv: is the input file; choose another name for the output"),
        (&["-o", "t.csv", "--n-fft", "1000"], "1000"),
        (&["-o", "t.csv", "--hop", "500"], "500"),
    ];
    for (more, sentence) in cases {
        let failed = place.failed(&[&["measure", "in.wav", "--labels", "l.csv"], more].concat());
        assert!(failed.contains(sentence), "{failed}");
        assert!(!place.path("t.csv").exists() && !place.path("t.json").exists());
    }
    place.write("t.json", "{\"mine\": 1}");
    let failed = place.failed(&["measure", "in.wav", "--labels", "l.csv", "-o", "t.csv"]);
    assert!(failed.contains("t.json") && failed.contains("already exists"), "{failed}");
}
