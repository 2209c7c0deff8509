//! Labels of scripts, and labels in the files that are written: projects, WAV and FLAC.

use super::support::exported::{chunk_of, chunks_of};
use super::support::program::{Place, has_program, skipped};
use super::support::wav::{Format, Wav, clip};
use crate::support::studio::{Bench, Drawing, NONE};
use sonobrush::workbench::commands::LabelCommand;
use sonobrush::workbench::{ExportOptions, Purpose, Reply};

const MANY_CHUNKS: &str = "many_chunks_44k_stereo.wav";
/// Nothing is done to the sound.
const NOTHING: &str = r#"{"version": 1, "edits": []}"#;
/// Half a second is cut in front of what is labelled, a second is put in behind all of it.
const CUT: &str = r#"{"brush": {"kind": "delete_time"}, "select": {"time": [0.25, 0.75]}},
    {"brush": {"kind": "insert_silence", "at": 2.0, "secs": 1.0}}"#;

/// A place with two seconds and a half of sound.
fn place() -> Place {
    let place = Place::new();
    let samples = (0..40_000).map(|at| (at * 37) % 2_001 - 1_000).collect();
    Wav { format: Format::Pcm(16), rate: 16_000, channels: vec![samples] }.write(&place.path("in.wav"));
    place
}

/// Times and text of the labels of a file, as our own table has them.
fn labels(place: &Place, input: &str) -> Vec<String> {
    place.done(&["labels", input, "-o", "listed.csv"]);
    let table = String::from_utf8(place.read("listed.csv")).unwrap();
    let rows = table.lines().skip(1).map(|row| {
        let fields: Vec<&str> = row.split(',').collect();
        format!("{} {} {} {} {}", fields[2], fields[3], fields[4], fields[5], fields[6])
    });
    rows.collect()
}

fn is_of_labels((id, data): &(String, Vec<u8>)) -> bool {
    matches!(id.as_str(), "cue " | "plst") || id == "LIST" && data.starts_with(b"adtl")
}

#[test]
fn labels_of_a_script_come_before_its_edits_and_move_with_them() {
    let place = place();
    let script = format!(
        r#"{{"version": 1, "labels": [
            {{"time": [1.0, 1.5], "frequency": [200, 4000.5], "text": "call"}},
            {{"time": [0.3, 0.4], "text": "cut out"}}, {{"time": [0.1, 0.1], "text": "before"}}], "edits": [{CUT}]}}"#
    );
    place.write("s.json", script);
    let expected = ["0.1 0.1   before", "0.5 1.0 200.0 4000.5 call"];
    place.done(&["save", "in.wav", "--script", "s.json", "-o", "p.sonobrush"]);
    assert_eq!(labels(&place, "p.sonobrush"), expected);
    // The labels are one step, in front of the two edits.
    assert!(place.done(&["verify", "p.sonobrush"]).contains("3, at 3"));
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "painted.wav"]);
    place.done(&["export", "p.sonobrush", "-o", "exported.wav"]);
    assert_eq!(labels(&place, "painted.wav"), expected);
    assert_eq!(place.read("painted.wav"), place.read("exported.wav"));
    // In addition to the labels of a project.
    place.write("more.json", r#"{"version": 1, "labels": [{"time": [0.2, 0.2], "text": "new"}], "edits": []}"#);
    place.done(&["save", "p.sonobrush", "--script", "more.json", "-o", "q.sonobrush"]);
    assert_eq!(labels(&place, "q.sonobrush"), [expected[0], "0.2 0.2   new", expected[1]]);
    place.done(&["paint", "p.sonobrush", "--script", "more.json", "-o", "q.wav"]);
    assert_eq!(labels(&place, "q.wav").len(), 3);
}

#[test]
fn wrong_labels_of_a_script_are_named_by_their_place_and_write_nothing() {
    let place = place();
    let cases = [
        (r#"{"time": [0, "x"]}"#, "labels[1].time[1]: must be a number"),
        (r#"{"time": [0]}"#, "labels[1].time: must be a list of two numbers"),
        (r#"{"time": [0, 1e9]}"#, "labels[1]: its time is beyond 10000000 s"),
        (r#"{"time": [0, 1], "frequency": [5, 4]}"#, "labels[1]: its lower frequency is above its upper one"),
        (r#"{"time": [0, 1], "name": "a"}"#, "labels[1]: the field \"name\" is unknown"),
        (r#"{"text": "a"}"#, "labels[1]: time is missing"),
        (r#"{"id": 7, "time": [0, 1]}"#, "labels: label 7 is there twice"),
    ];
    for (label, sentence) in cases {
        let labels = format!(r#"[{{"id": 7, "time": [0, 1]}}, {label}]"#);
        place.write("s.json", format!(r#"{{"version": 1, "labels": {labels}, "edits": []}}"#));
        for (command, output) in [("paint", "o.wav"), ("save", "o.sonobrush")] {
            let reported = place.failed(&[command, "in.wav", "--script", "s.json", "-o", output]);
            assert_eq!(reported, format!("sonobrush: s.json: {sentence}"), "{command}");
            assert!(!place.path(output).exists());
        }
    }
    // What an edit of labels names must be there, as in a project.
    place.write("s.json", r#"{"version": 1, "edits": [{"brush": {"kind": "labels", "remove": [3]}}]}"#);
    let reported = place.failed(&["paint", "in.wav", "--script", "s.json", "-o", "o.wav"]);
    assert_eq!(reported, "sonobrush: s.json: edits[0]: label 3 is not there");
    // Turned around, and said.
    place.write("s.json", r#"{"version": 1, "labels": [{"time": [1, 0.5], "text": "a"}], "edits": []}"#);
    let (_, notices) = place.done_with_notices(&["paint", "in.wav", "--script", "s.json", "-o", "o.wav"]);
    assert_eq!(notices, ["labels: 1 began behind its end and was turned around"]);
    assert_eq!(labels(&place, "o.wav"), ["0.5 1.0   a"]);
}

#[test]
fn labels_are_put_into_a_project_as_a_step_of_its_history() {
    let place = place();
    place.write("l.csv", "start_s,end_s,low_hz,high_hz,label\n0.5,1.0,100,200,a\n");
    place.write("m.csv", "start_s,end_s,label\n2.0,2.0,b\n");
    place.done(&["labels", "in.wav", "--import", "l.csv", "-o", "p.sonobrush"]);
    assert!(place.done(&["verify", "p.sonobrush"]).contains("1, at 1"));
    place.write("cut.json", format!(r#"{{"version": 1, "edits": [{CUT}]}}"#));
    place.done(&["save", "p.sonobrush", "--script", "cut.json", "-o", "q.sonobrush"]);
    place.done(&["labels", "q.sonobrush", "--import", "m.csv", "-o", "r.sonobrush"]);
    assert!(place.done(&["verify", "r.sonobrush"]).contains("4, at 4"), "the steps of a project stay");
    assert_eq!(labels(&place, "r.sonobrush"), ["0.25 0.5 100.0 200.0 a", "2.0 2.0   b"]);
    let same = |input: &str| {
        place.done(&["export", input, "-o", "e.wav"]);
        chunk_of(&place.read("e.wav"), "data")
    };
    assert_eq!(same("r.sonobrush"), same("q.sonobrush"));
    // A project of a sound alone, with the labels that its file has.
    place.done(&["labels", clip(MANY_CHUNKS).to_str().unwrap(), "-o", "chunks.sonobrush"]);
    assert!(place.done(&["verify", "chunks.sonobrush"]).contains("0, at 0"));
    assert_eq!(labels(&place, "chunks.sonobrush").len(), 3);
    // What cannot be written is refused in one sentence.
    let refused = place.failed(&["labels", "l.csv", "-o", "x.sonobrush"]);
    assert!(
        refused.ends_with(
            "x.sonobrush: would hold a sound, but there is none; name the sound first, and its labels with --import"
        ),
        "{refused}"
    );
    let refused = place.failed(&["labels", "p.sonobrush", "--import", "m.csv", "-o", "p.sonobrush"]);
    assert!(refused.ends_with("p.sonobrush: is the input file; choose another name for the output"), "{refused}");
    place.write("bad.csv", "start_s,end_s,label\nx,2.0,b\n");
    assert!(place.failed(&["labels", "in.wav", "--import", "bad.csv", "-o", "y.sonobrush"]).contains("bad.csv: 2:1: "));
    assert!(!place.path("x.sonobrush").exists() && !place.path("y.sonobrush").exists());
}

#[test]
fn a_hundred_thousand_labels_are_a_step_of_a_project() {
    let place = place();
    let rows: String = (0..100_000).map(|n| format!("{n}.5,{n}.75,call {}\n", n % 7)).collect();
    place.write("l.csv", format!("start_s,end_s,label\n{rows}"));
    place.done(&["labels", "in.wav", "--import", "l.csv", "-o", "p.sonobrush"]);
    assert_eq!(labels(&place, "p.sonobrush").len(), 100_000);
}

#[test]
fn chunks_of_a_wave_file_change_only_where_its_labels_did() {
    let place = Place::new();
    let input = clip(MANY_CHUNKS);
    let (sound, before) = (input.to_str().unwrap(), chunks_of(&std::fs::read(&input).unwrap()));
    let others = |name: &str| {
        let chunks = chunks_of(&place.read(name));
        chunks.into_iter().filter(|chunk| !is_of_labels(chunk) && chunk.0 != "data").collect::<Vec<_>>()
    };
    let kept: Vec<_> = before.iter().filter(|chunk| !is_of_labels(chunk) && chunk.0 != "data").cloned().collect();
    assert_eq!(kept.len(), 7);
    // No label changed: byte for byte, with edits and without.
    place.write("none.json", NOTHING);
    place.done(&["paint", sound, "--script", "none.json", "-o", "same.wav"]);
    assert_eq!(chunks_of(&place.read("same.wav")), before);
    let gain = r#"{"brush": {"kind": "gain", "gain_db": -6}, "select": {"time": [0.5, 0.6]}}"#;
    place.write("gain.json", format!(r#"{{"version": 1, "edits": [{gain}]}}"#));
    place.done(&["paint", sound, "--script", "gain.json", "-o", "gain.wav"]);
    let without_data =
        |chunks: &[(String, Vec<u8>)]| chunks.iter().filter(|chunk| chunk.0 != "data").cloned().collect::<Vec<_>>();
    assert_eq!(without_data(&chunks_of(&place.read("gain.wav"))), without_data(&before));
    // Through a project, too.
    place.done(&["save", sound, "--script", "gain.json", "-o", "p.sonobrush"]);
    place.done(&["export", "p.sonobrush", "-o", "exported.wav"]);
    assert_eq!(place.read("exported.wav"), place.read("gain.wav"));
    // One label more, one renamed, all removed: the rest of the file stays.
    let scripts = [
        (r#""labels": [{"time": [0.5, 1.25], "frequency": [200, 300.5], "text": "more"}], "edits": []"#, 4),
        (r#""labels": [{"id": 1, "time": [0.5, 0.5], "text": "renamed"}], "edits": []"#, 3),
    ];
    for (script, n) in scripts {
        place.write("s.json", format!(r#"{{"version": 1, {script}}}"#));
        place.done(&["paint", sound, "--script", "s.json", "-o", "o.wav"]);
        assert_eq!(others("o.wav"), kept);
        assert_eq!(chunk_of(&place.read("o.wav"), "data"), chunk_of(&std::fs::read(&input).unwrap(), "data"));
        assert_eq!(labels(&place, "o.wav").len(), n);
    }
    place.write("s.json", r#"{"version": 1, "edits": [{"brush": {"kind": "labels", "remove": [1, 2]}}]}"#);
    place.done(&["paint", sound, "--script", "s.json", "-o", "o.wav"]);
    assert_eq!(chunks_of(&place.read("o.wav")).iter().filter(|chunk| is_of_labels(chunk)).count(), 0);
}

/// Cues are at 11,025 and 42,000, the loop is all of the 84,000 samples.
#[test]
fn cues_and_loops_are_written_where_edits_of_time_moved_them() {
    let place = Place::new();
    let input = clip(MANY_CHUNKS);
    let edits = r#"{"brush": {"kind": "delete_time"}, "select": {"time": [0.5, 0.75]}}"#;
    place.write("cut.json", format!(r#"{{"version": 1, "edits": [{edits}]}}"#));
    place.done(&["paint", input.to_str().unwrap(), "--script", "cut.json", "-o", "o.wav"]);
    let bytes = place.read("o.wav");
    let numbers = |chunk: &[u8], at: usize| u32::from_le_bytes(chunk[at..at + 4].try_into().unwrap());
    let (cue, sampler) = (chunk_of(&bytes, "cue "), chunk_of(&bytes, "smpl"));
    assert_eq!([numbers(&cue, 8), numbers(&cue, 32)], [11_025, 42_000 - 11_025]);
    // Start and last sample.
    assert_eq!([numbers(&sampler, 44), numbers(&sampler, 48)], [0, 84_000 - 11_025 - 1]);
    let texts = chunks_of(&bytes).into_iter().find(|(id, data)| id == "LIST" && data.starts_with(b"adtl")).unwrap().1;
    let holds = |text: &[u8]| texts.windows(text.len()).any(|window| window == text);
    assert!(holds(b"kick\0") && holds(b"middle\0"));
    assert!(chunks_of(&bytes).iter().any(|(id, data)| id == "LIST" && data.starts_with(b"INFO")));
}

/// The comments of a FLAC file that are chapters.
fn chapters(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(&bytes[..4_096.min(bytes.len())]).into_owned();
    let starts: Vec<usize> = text.match_indices("CHAPTER").map(|(at, _)| at).collect();
    starts.iter().map(|at| text[*at..].chars().take_while(|letter| *letter >= ' ').collect()).collect()
}

#[test]
fn a_flac_file_has_the_labels_as_its_chapters_and_what_it_loses_is_said() {
    let place = place();
    place.write("l.csv", "start_s,end_s,low_hz,high_hz,label\n0.25,0.25,,,start\n1.0,1.5,100,200,call\n");
    place.done(&["labels", "in.wav", "--import", "l.csv", "-o", "p.sonobrush"]);
    let (_, notices) = place.done_with_notices(&["export", "p.sonobrush", "-o", "o.flac"]);
    assert_eq!(
        notices,
        ["its labels are chapters of the FLAC file; not kept: 1 end, 1 band; \"sonobrush labels\" writes them to a \
          file of their own"]
    );
    let all = ["CHAPTER001=00:00:00.250", "CHAPTER001NAME=start", "CHAPTER002=00:00:01.000", "CHAPTER002NAME=call"];
    let found = chapters(&place.read("o.flac"));
    assert!(all.iter().all(|comment| found.iter().any(|known| known.starts_with(comment))), "{found:?}");
    // Of another sound of it the chapters are not true any more, and that is said.
    place.write("none.json", NOTHING);
    place.done(&["paint", "o.flac", "--script", "none.json", "-o", "same.flac"]);
    assert_eq!(chapters(&place.read("same.flac")), found);
    place.write("cut.json", format!(r#"{{"version": 1, "edits": [{CUT}]}}"#));
    let (_, notices) = place.done_with_notices(&["paint", "o.flac", "--script", "cut.json", "-o", "cut.flac"]);
    assert_eq!(notices, ["2 chapters of the source are not kept, as time or labels have changed"]);
    assert_eq!(chapters(&place.read("cut.flac")), [""; 0]);
    // Parts have the chapters within them and no others.
    place.write("parts.csv", "start_s,end_s,label\n0.9,1.6,with\n0.0,0.2,without\n1.0,1.0,inner\n");
    place.done_with_notices(&["export", "o.flac", "--by-label", "--labels", "parts.csv", "-o", "parts"]);
    assert_eq!(chapters(&place.read("parts/o_001_without.flac")), [""; 0]);
    let inner = chapters(&place.read("parts/o_002_with.flac"));
    assert!(inner.len() == 2 && inner[0].starts_with("CHAPTER001=00:00:00.100"), "{inner:?}");
}

#[test]
fn labels_that_cues_cannot_say_are_counted_and_left_out() {
    let place = place();
    place.write("l.csv", "start_s,end_s,label\n0.5,0.5,near\n300000,300000,far\n");
    place.done(&["labels", "in.wav", "--import", "l.csv", "-o", "p.sonobrush"]);
    let (_, notices) = place.done_with_notices(&["export", "p.sonobrush", "-o", "o.wav"]);
    assert_eq!(
        notices,
        ["1 label is not kept, as a WAV file has no cues so far behind its start; \"sonobrush labels\" writes them \
          to a file of their own"]
    );
    assert_eq!(labels(&place, "o.wav"), ["0.5 0.5   near"]);
}

#[test]
fn what_the_window_exports_has_its_labels() {
    let place = Place::new();
    let mut bench = Bench::with_clip(Drawing::None, MANY_CHUNKS);
    let export = |bench: &mut Bench, name: &str, is_selection: bool| {
        let options = ExportOptions { is_selection, ..ExportOptions::default() };
        bench.act(Reply::Path { purpose: Purpose::Export(options), path: place.path(name), replaces: None });
        bench.settle();
        place.read(name)
    };
    let before = std::fs::read(clip(MANY_CHUNKS)).unwrap();
    assert_eq!(chunks_of(&export(&mut bench, "same.wav", false)), chunks_of(&before));
    bench.select(Some([0.5, 0.75]), None);
    bench.act(LabelCommand::Add);
    bench.settle();
    bench.fill("Text of the label", "call");
    bench.key(NONE, egui::Key::Enter);
    bench.settle();
    export(&mut bench, "named.wav", false);
    assert_eq!(labels(&place, "named.wav").len(), 4);
    let of_more = chunks_of(&place.read("named.wav")).into_iter().filter(|chunk| !is_of_labels(chunk));
    assert_eq!(
        of_more.collect::<Vec<_>>(),
        chunks_of(&before).into_iter().filter(|chunk| !is_of_labels(chunk)).collect::<Vec<_>>()
    );
    // Of a part, those within it, from its start.
    bench.select(Some([0.4, 1.0]), None);
    export(&mut bench, "part.wav", true);
    let part = labels(&place, "part.wav");
    assert_eq!(part.len(), 2, "{part:?}");
    assert!(part[0].ends_with("call") && part[1].ends_with("middle"), "{part:?}");
}

/// Set by the key at the cursor, named and exported: two other programs find the cue and its text in the file.
#[test]
fn a_marker_that_is_set_in_the_window_is_read_by_sox_and_ffmpeg() {
    let place = Place::new();
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.put_cursor(0.25);
    bench.key(NONE, egui::Key::M);
    bench.fill("Text of the label", "first caw");
    bench.key(NONE, egui::Key::Enter);
    bench.settle();
    let options = ExportOptions::default();
    bench.act(Reply::Path { purpose: Purpose::Export(options), path: place.path("marked.wav"), replaces: None });
    bench.settle();
    assert_eq!(labels(&place, "marked.wav"), ["0.25 0.25   first caw"]);
    if !has_program("ffprobe") || !has_program("sox") {
        return skipped("sox or ffprobe is not here");
    }
    let said = |program: &str, arguments: &[&str]| {
        let output = place.other(program).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let chapters = said("ffprobe", &["-v", "error", "-show_chapters", "-of", "compact", "marked.wav"]);
    assert!(chapters.contains("start_time=0.250000") && chapters.contains("title=first caw"), "{chapters}");
    // SoX names the chunks it walks, and has no warning about any.
    let walked = said("sox", &["-V6", "marked.wav", "-n", "stat"]);
    assert!(
        ["WAV Chunk cue ", "Type adtl", "`labl' of length 14"].iter().all(|chunk| walked.contains(chunk)),
        "{walked}"
    );
    assert!(!walked.contains("WARN") && !walked.contains("FAIL"), "{walked}");
}

#[test]
fn a_sound_at_another_rate_has_the_labels_at_their_seconds() {
    let mut bench = Bench::with_clip(Drawing::None, MANY_CHUNKS);
    let found = |bench: &Bench| {
        let labels = bench.studio().document().unwrap().history().labels().clone();
        labels.iter().map(|label| (label.secs, label.text.to_string())).collect::<Vec<_>>()
    };
    let before = found(&bench);
    assert_eq!(before.len(), 3);
    bench.act(Reply::Resample(22_050));
    bench.settle();
    let document = bench.studio().document().unwrap();
    assert_eq!(document.history().current().sample_rate_hz(), 22_050.0);
    assert_eq!(found(&bench), before);
}
