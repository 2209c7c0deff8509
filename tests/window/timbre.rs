//! The timbre of a recorded chord's lowest string, taken in the window and painted as a scale.

use super::rig::Rig;
use super::studio::{Studio, is_at_rest, notices};
use sonobrush::base::Progress;
use sonobrush::dsp::FftPlans;
use sonobrush::dsp::voices::measure;
use sonobrush::media::Source;
use std::path::Path;

const RATE_HZ: f64 = 44_100.0;
/// Duration kept of the chord, and roughly that of each note.
const TONE_SECS: f64 = 4.0;
const FIRST_NOTE_SECS: f64 = 5.0;
/// From the start of a note to that of the next: a rest lies between.
const NOTE_SECS: f64 = 4.6;
/// E2, at 82.4 Hz, and a major scale from there: MIDI numbers.
const SCALE: [f64; 8] = [40.0, 42.0, 44.0, 45.0, 47.0, 49.0, 51.0, 52.0];
const LOWEST_PARTIALS: usize = 24;

fn hz_of(midi: f64) -> f64 {
    440.0 * ((midi - 69.0) / 12.0).exp2()
}

fn spec() -> hound::WavSpec {
    let (bits_per_sample, sample_format) = (32, hound::SampleFormat::Float);
    hound::WavSpec { channels: 1, sample_rate: RATE_HZ as u32, bits_per_sample, sample_format }
}

/// The beginning of the guitar's chord in mono, and silence that a scale has room in; the samples of the chord.
fn write_chord(path: &Path) -> Vec<f32> {
    let clip = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clips/guitar_chord_44k_stereo.flac");
    let source = Source::open(&clip, &Progress::new()).unwrap().source;
    let mut sides = [(); 2].map(|()| vec![0.0; (TONE_SECS * RATE_HZ) as usize]);
    for (channel, samples) in sides.iter_mut().enumerate() {
        source.read(channel, 0, samples).unwrap();
    }
    let chord: Vec<f32> = sides[0].iter().zip(&sides[1]).map(|(left, right)| (left + right) / 2.0).collect();
    let n_samples = ((FIRST_NOTE_SECS + NOTE_SECS * SCALE.len() as f64) * RATE_HZ) as usize;
    let mut writer = hound::WavWriter::create(path, spec()).unwrap();
    let silence = std::iter::repeat_n(0.0, n_samples - chord.len());
    chord.iter().copied().chain(silence).for_each(|sample| writer.write_sample(sample).unwrap());
    writer.finalize().unwrap();
    chord
}

/// Levels of the lowest partials of a tone half a second after its start, in dB.
fn levels(samples: &[f32], hz: f64) -> Vec<f32> {
    let measured = measure(samples, RATE_HZ, hz, &FftPlans::default()).unwrap();
    let step = (0.5 / measured.step_secs()).round() as usize;
    measured.levels_db()[..LOWEST_PARTIALS].iter().map(|levels| levels[step]).collect()
}

/// The median error of the levels within 30 dB of the loudest recorded one.
fn median_off(recorded: &[f32], found: &[f32]) -> f32 {
    let loudest = recorded.iter().copied().fold(f32::MIN, f32::max);
    let loud = recorded.iter().zip(found).filter(|(level, _)| **level > loudest - 30.0);
    let mut off: Vec<f32> = loud.map(|(level, found)| (found - level).abs()).collect();
    assert!(off.len() >= 6, "{} partials are loud", off.len());
    off.sort_by(f32::total_cmp);
    off[off.len() / 2]
}

/// Takes the timbre of the string through the search for commands; what was selected, in seconds.
fn take_timbre(studio: &Studio<'_>) -> [f64; 2] {
    studio.key("2");
    studio.wait("the box tool", |state| (state["tool"] == "tool_box").then_some(()));
    let pane = studio.pane();
    // Pixels at the very edge may be the piano's.
    let place = |(secs, hz)| [pane.x_at(secs).max(pane.x_at(0.0) + 2), pane.y_at(hz)];
    studio.drag(&[(0.0, 96.0), (2.0, 85.0), (TONE_SECS, 74.0)].map(place));
    let selected = studio.wait("the selection", |state| {
        let secs = state["document"]["selected_secs"].as_array()?;
        is_at_rest(state).then_some([secs[0].as_f64()?, secs[1].as_f64()?])
    });
    studio.key("ctrl+shift+p");
    studio.wait("the search", |state| (state["card"] == "palette").then_some(()));
    studio.type_text("take timbre");
    studio.key("Return");
    studio.wait("the timbre", |state| {
        let is_taken = notices(state).any(|notice| notice.starts_with("Timbre taken from a tone at 82"));
        (is_taken && state["card"].is_null() && is_at_rest(state)).then_some(())
    });
    selected
}

pub fn a_scale_in_a_taken_timbre_has_its_levels(rig: &Rig) {
    let file = rig.path("chord.wav");
    let chord = write_chord(&file);
    let studio = rig.open(&file);
    let [start, end] = take_timbre(&studio).map(|secs| ((secs * RATE_HZ).round() as usize).min(chord.len()));
    let recorded = levels(&chord[start..end], hz_of(SCALE[0]));
    // A selection would confine the notes.
    studio.key("ctrl+d");
    studio.wait("no selection", |state| state["document"]["selected_secs"].is_null().then_some(()));
    studio.key("shift+m");
    studio.wait("the voice brush", |state| (state["tool"] == "tool_voices").then_some(()));
    studio.key("n");
    // The notice of the timbre leaves after six seconds, and the picture takes its room.
    std::thread::sleep(std::time::Duration::from_secs(8));
    let starts = SCALE.iter().enumerate().map(|(n, midi)| (FIRST_NOTE_SECS + NOTE_SECS * n as f64, *midi));
    for (n, (start_secs, midi)) in starts.clone().enumerate() {
        let pane = studio.pane();
        let place = |i: u32| [pane.x_at(start_secs + TONE_SECS * f64::from(i) / 10.0), pane.y_at(hz_of(midi))];
        studio.drag(&(0..=10).map(place).collect::<Vec<_>>());
        studio.wait_position(n as u64 + 1);
    }
    let mut reader = hound::WavReader::open(studio.export("scale.wav")).unwrap();
    assert_eq!(reader.spec(), spec());
    let samples: Vec<f32> = reader.samples::<f32>().map(Result::unwrap).collect();
    assert!(samples[..chord.len()] == chord, "the chord is as it was");
    for (start_secs, midi) in starts {
        // A pixel is some hundredths of a second.
        let rest = ((start_secs - 0.25) * RATE_HZ) as usize;
        let first = rest + samples[rest..].iter().position(|sample| *sample != 0.0).unwrap();
        let late_secs = first as f64 / RATE_HZ - start_secs;
        assert!(first > rest && late_secs.abs() < 0.15, "{midi}: {late_secs} s late");
        let n = (end - start).min(samples.len() - first);
        let played = levels(&samples[first..first + n], hz_of(midi));
        let off = median_off(&recorded, &played);
        println!("  {midi}: {off:.2} dB off");
        assert!(off < 1.5, "{midi}: {off} dB off");
        // The control: each partial against the level of the one below it.
        assert!(median_off(&recorded[1..], &played) > 1.5, "{midi}: the comparison bites");
    }
}
