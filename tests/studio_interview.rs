//! A clipped interview in noise, in the window: found, declipped, isolated with its own noise learnt from a pause, and
//! exported, with inputs counted as in `studio_tasks`: a click or a key is one.
#![allow(clippy::print_stdout, reason = "the figures of docs/quality.md are read off what the tests print")]

use crate::previews::{document, preview};
use crate::support::clips::recording;
use crate::support::damage::{PAUSE_SECS, interview};
use crate::support::measure::si_sdr_db;
use crate::support::program::Place;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, open, samples};
use crate::support::wav::{Format, Wav};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use sonobrush::document::brushes::{Brush, Isolate};
use sonobrush::dsp::NoiseSource;
use sonobrush::workbench::{PreviewSound, Severity};
use std::path::PathBuf;

const RATE: u32 = 16_000;
/// Inputs after opening that are enough.
const MAX_INPUTS: usize = 12;

fn write(samples: &[f32], place: &Place) {
    let stored = samples.iter().map(|x| (f64::from(*x) * 32_768.0).round() as i64).collect();
    Wav { format: Format::Pcm(16), rate: RATE, channels: vec![stored] }.write(&place.path("interview.wav"));
}

/// A hand at the studio, whose inputs are counted.
struct Hand {
    bench: Bench,
    n_inputs: usize,
}

impl Hand {
    fn on(place: &Place) -> Hand {
        let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
        bench.open(place.path("interview.wav"));
        bench.settle();
        Hand { bench, n_inputs: 0 }
    }

    fn key(&mut self, modifiers: Modifiers, key: Key) {
        self.n_inputs += 1;
        self.bench.key(modifiers, key);
    }

    fn click(&mut self, label: &str) {
        self.n_inputs += 1;
        self.bench.harness.get_all_by_label(label).next().unwrap().click();
        self.bench.settle();
    }

    /// A button that begins a preview, which is shown to be under way, can be cancelled, and is heard when it is ready.
    fn preview(&mut self, button: &str) {
        let before = bits(&self.bench.samples(0));
        for is_cancelled in [true, false] {
            self.bench.harness.get_all_by_label(button).next().unwrap().click();
            // Nothing of it is computed yet.
            self.bench.harness.step();
            self.bench.harness.step();
            assert!(!preview(&self.bench).is_up_to_date(), "{button}");
            self.bench.clock.advance(1.0);
            self.bench.harness.step();
            self.bench.harness.step();
            let (words, _) = self.bench.studio().workbench().work().unwrap();
            assert!(words.ends_with(" %") && self.bench.has(&words), "{button}: {words}");
            assert!(self.bench.has("Cancel the work in progress"), "{button}");
            if is_cancelled {
                self.bench.key(NONE, Key::Escape);
                assert!(document(&self.bench).open_preview().is_none(), "{button}");
            }
        }
        self.n_inputs += 1;
        self.bench.settle();
        assert!(preview(&self.bench).is_up_to_date() && preview(&self.bench).fault().is_none(), "{button}");
        assert_eq!(bits(&self.bench.samples(0)), before, "{button}: nothing is changed before it is applied");
        // It is what plays.
        assert_eq!(self.bench.studio().workbench().preview_ear(), Some(PreviewSound::After), "{button}");
        let heard = samples(document(&self.bench).shown(), 0);
        assert!(bits(&heard) != before && bits(&heard) == bits(&samples(preview(&self.bench).sound(), 0)), "{button}");
        self.key(NONE, Key::Enter);
        assert_eq!(bits(&self.bench.samples(0)), bits(&heard), "{button}: what was heard is applied");
    }

    fn si_sdr_db(&self, clean: &[f32]) -> f64 {
        si_sdr_db(&self.bench.samples(0), clean)
    }
}

/// The last edit's isolation.
fn isolated(bench: &Bench) -> Isolate {
    let history = document(bench).history();
    let edit = history.entries()[history.position()].edit.as_ref().unwrap();
    let Brush::Isolate(isolate) = &edit.brush else { panic!("{:?}", edit.brush) };
    isolate.clone()
}

#[test]
fn a_clipped_interview_is_found_repaired_and_exported_in_twelve_inputs() {
    let place = Place::new();
    let [clean, clipped] = interview(f64::from(RATE), &recording("speech_16k_mono.wav").1[0]);
    write(&clipped, &place);
    let mut hand = Hand::on(&place);
    let before_db = hand.si_sdr_db(&clean);
    for label in ["Select", "Find", "Find damage"] {
        hand.click(label);
    }
    let rows = document(&hand.bench).damage().unwrap().rows().to_vec();
    let kinds: Vec<&str> = rows.iter().map(|row| row.kind.name()).collect();
    assert_eq!(kinds, ["clipping", "noise"], "{rows:?}");
    // The noise is that of a pause.
    let Brush::Isolate(Isolate { noise: Some(NoiseSource::Range { secs: [start, end], .. }), .. }) =
        rows[1].repair.brush
    else {
        panic!("{:?}", rows[1].repair.brush)
    };
    let spoken = [PAUSE_SECS, clean.len() as f64 / f64::from(RATE) - PAUSE_SECS];
    assert!(end - start > 0.5 && (end <= spoken[0] + 0.3 || start >= spoken[1] - 0.3), "{start} to {end} s");

    hand.preview("Declip: Clipping");
    let declipped_db = hand.si_sdr_db(&clean);
    hand.preview("Isolate speech: Noise");
    let isolated_db = hand.si_sdr_db(&clean);
    assert!(isolated(&hand.bench).noise.is_some() && hand.bench.has("All damage repaired"));
    let files =
        || -> Vec<PathBuf> { std::fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().path()).collect() };
    let known = files();
    hand.key(CTRL, Key::E);
    hand.key(CTRL, Key::Enter);
    let Some(exported) = files().into_iter().find(|path| !known.contains(path)) else {
        panic!("{:?}", hand.bench.notices())
    };
    let heard = samples(&open(&exported), 0);
    let exported_db = si_sdr_db(&heard, &clean);
    println!(
        "interview: SI-SDR {before_db:.1} dB, declipped {declipped_db:.1}, isolated {isolated_db:.1}, exported \
         {exported_db:.1} dB by {} inputs",
        hand.n_inputs
    );
    assert!(hand.n_inputs <= MAX_INPUTS, "{} inputs", hand.n_inputs);
    assert!(declipped_db > before_db + 2.0 && isolated_db > declipped_db + 1.0);
    assert!((exported_db - isolated_db).abs() < 0.1);
    let errors: Vec<_> =
        hand.bench.notices().into_iter().filter(|(severity, _)| *severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
}
