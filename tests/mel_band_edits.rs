//! Edits on mel bands by the command.

use super::support::program::Place;
use super::support::sessions::write_wav;
use sonobrush::document::Script;

/// A script that erases a range on a number of bands.
fn erasing(bands: usize) -> Script {
    let brush = format!(r#"{{"kind": "mel_bands", "bands": {bands}, "brush": {{"kind": "erase"}}}}"#);
    let edit = format!(r#"{{"brush": {brush}, "consistency_steps": 0, "select": {{"frequency": [300, 3000]}}}}"#);
    Script::parse(&format!(r#"{{"version": 1, "edits": [{edit}]}}"#)).unwrap()
}

/// By the command: its sound is the one that `apply` gives, and what is refused stands at its place in the script.
#[test]
fn paint_follows_a_script_on_bands() {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    let text = |bands: usize| erasing(bands).to_json();
    place.write("s.json", text(128));
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav"]);
    let open = |name: &str| {
        let mut reader = hound::WavReader::open(place.path(name)).unwrap();
        match reader.spec().sample_format {
            hound::SampleFormat::Float => reader.samples::<f32>().map(Result::unwrap).collect::<Vec<_>>(),
            hound::SampleFormat::Int => {
                let scale = 2f32.powi(i32::from(reader.spec().bits_per_sample) - 1);
                reader.samples::<i32>().map(|x| x.unwrap() as f32 / scale).collect()
            }
        }
    };
    assert_ne!(open("in.wav"), open("out.wav"));
    place.write("fine.json", text(512));
    let reported = place.failed(&["paint", "in.wav", "--script", "fine.json", "-o", "no.wav"]);
    assert!(reported.contains("edits[0]: 512 bands need an FFT size of at least 8192"), "{reported}");
}
