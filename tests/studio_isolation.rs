//! Speech in the window: isolated in a preview, with and without a learnt noise, and found.

use crate::previews::preview;
use crate::support::measure::{changed, rms, strongest_tone};
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, clip, open, samples};
use egui::Key;
use sonobrush::document::brushes::{Brush, Isolate};
use sonobrush::document::{SPEECH_MODEL, Snapshot, selected_times};
use sonobrush::media::Source;
use sonobrush::workbench::Seek;
use sonobrush::workbench::commands::{Command, EditCommand, FindCommand, SelectCommand};

const RATE: u32 = 16_000;

fn shown(samples: Vec<f32>) -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![samples], RATE).unwrap()));
    bench
}

fn give(bench: &mut Bench, command: impl Into<Command>) {
    bench.act(command.into());
    bench.settle();
}

fn last(bench: &Bench) -> String {
    bench.notices().last().map_or(String::new(), |(_, what)| what.clone())
}

/// 1.5 s of the speech clip.
fn speech() -> Vec<f32> {
    samples(&open(&clip("speech_16k_mono.wav")), 0)[20_000..44_000].to_vec()
}

#[test]
fn speech_is_isolated_and_what_stands_out_of_the_noise_stays() {
    let level = 0.01;
    let beep = tone(RATE as usize, f64::from(RATE), 1000.0, 0.1);
    let mut sound = noise(2 * RATE as usize, level, 1);
    sound[RATE as usize..].iter_mut().zip(&beep).for_each(|(sample, beep)| *sample += beep);
    let mut bench = shown(sound.clone());
    let beep_of = |x: &[f32]| rms(&x[20_000..28_000]) / rms(&beep);
    // Without a learnt noise only speech is left, and there is none.
    give(&mut bench, EditCommand::IsolateSpeech);
    assert!(preview(&bench).is_up_to_date() && preview(&bench).fault().is_none(), "{:?}", bench.notices());
    assert_eq!(preview(&bench).notice(), Some("music is removed, too; learn the noise first to keep it"));
    assert!(beep_of(&samples(preview(&bench).sound(), 0)) < 0.3);
    bench.key(NONE, Key::Escape);
    bench.select(Some([0.05, 0.95]), None);
    give(&mut bench, FindCommand::LearnNoise);
    give(&mut bench, SelectCommand::Nothing);
    give(&mut bench, EditCommand::IsolateSpeech);
    let kept = samples(preview(&bench).sound(), 0);
    assert!((0.9..1.1).contains(&beep_of(&kept)), "{}", beep_of(&kept));
    assert!(rms(&kept[4000..12_000]) < 0.3 * level, "the noise is gone");
    assert!((strongest_tone(&kept[20_000..28_000], f64::from(RATE), 500.0, 2000.0).hz - 1000.0).abs() < 1.0);
    bench.set_tools(|tools| tools.keep(Isolate { keep: false, ..Isolate::DEFAULT }.into()));
    bench.settle();
    assert!(beep_of(&samples(preview(&bench).sound(), 0)) < 0.3);
    bench.set_tools(|tools| tools.keep(Isolate::DEFAULT.into()));
    bench.settle();
    bench.key(NONE, Key::Enter);
    bench.settle();
    assert_eq!(bits(&bench.samples(0)), bits(&kept), "what was previewed is applied");
    let history = bench.studio().document().unwrap().history();
    let edit = history.entries()[1].edit.as_ref().unwrap();
    let Brush::Isolate(isolate) = &edit.brush else { panic!("{edit:?}") };
    assert!(isolate.model.as_deref() == Some(SPEECH_MODEL) && isolate.noise.is_some());
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&sound), "undone");
}

#[test]
fn speech_and_pauses_become_the_selection() {
    let speech = speech();
    let level = 0.05 * rms(&speech);
    let mut sound = noise(2 * RATE as usize + speech.len(), level, 3);
    sound[RATE as usize..].iter_mut().zip(&speech).for_each(|(sample, speech)| *sample += speech);
    let mut bench = shown(sound);
    give(&mut bench, SelectCommand::Nothing);
    give(&mut bench, FindCommand::Seek(Seek::Speech));
    assert!(
        last(&bench).contains("speech passage") && last(&bench).contains("found and selected."),
        "{:?}",
        bench.notices()
    );
    let [start, end] = bench.studio().document().unwrap().selected_secs().unwrap();
    assert!(start > 0.8 && end < 2.7 && end - start > 0.8, "{start} {end}");
    // What was found does not say where to look next.
    give(&mut bench, FindCommand::Seek(Seek::Pauses));
    assert!(last(&bench).contains("pauses found and selected."), "{:?}", bench.notices());
    let pauses = selected_times(bench.studio().document().unwrap().selection().unwrap());
    let longest = pauses.iter().map(|[start, end]| end - start).fold(0.0, f64::max);
    assert!(pauses.len() >= 2 && longest < 1.5, "{pauses:?}");
    // The noise is learnt in the longest pause, not from the first to the last.
    give(&mut bench, FindCommand::LearnNoise);
    assert_eq!(last(&bench), format!("Noise learnt from {longest:.2} s."));
    let before = bench.samples(0);
    give(&mut bench, EditCommand::EraseSelection);
    let erased = changed(&before, &bench.samples(0));
    assert!(erased.iter().any(|at| *at < 8000) && erased.iter().any(|at| *at > 44_000));
}
