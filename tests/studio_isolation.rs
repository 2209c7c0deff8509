//! Speech in the window: isolated in a preview, with and without a learnt noise, and found.

use crate::previews::preview;
use crate::support::measure::{changed, error_db, rms, strongest_tone};
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, clip, has_gpu, open, samples};
use egui::epaint::ClippedShape;
use egui::{Key, Shape, TextureId};
use sonobrush::document::brushes::{Brush, Isolate};
use sonobrush::document::{SPEECH_MODEL, Snapshot, selected_times};
use sonobrush::media::Source;
use sonobrush::workbench::commands::{Command, EditCommand, FindCommand, SelectCommand};
use sonobrush::workbench::{Seek, found_places};

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
fn what_is_speech_is_selected_cell_by_cell_and_painted_on() {
    let speech = speech();
    let level = 0.3 * rms(&speech);
    let mut clean = vec![0.0; 2 * RATE as usize + speech.len()];
    clean[RATE as usize..].iter_mut().zip(&speech).for_each(|(sample, speech)| *sample = *speech);
    let sound: Vec<f32> = noise(clean.len(), level, 5).iter().zip(&clean).map(|(noise, clean)| noise + clean).collect();
    let mut bench = shown(sound.clone());
    give(&mut bench, SelectCommand::Nothing);
    give(&mut bench, FindCommand::Seek(Seek::SpeechCells));
    assert_eq!(last(&bench), "Speech selected.");
    let select = bench.studio().document().unwrap().selection().cloned().unwrap();
    assert!(!select.needs_sound() && found_places(bench.studio().document().unwrap()).is_empty());
    // Erasing it leaves the noise in the pauses as it was; erasing the rest leaves the speech.
    give(&mut bench, EditCommand::EraseSelection);
    let erased = bench.samples(0);
    assert!((rms(&erased[..12_000]) / rms(&sound[..12_000]) - 1.0).abs() < 0.1);
    assert!(rms(&erased[16_000..40_000]) < 0.7 * rms(&sound[16_000..40_000]));
    bench.key(CTRL, Key::Z);
    give(&mut bench, SelectCommand::Invert);
    give(&mut bench, EditCommand::EraseSelection);
    let (before_db, after_db) = (error_db(&sound, &clean), error_db(&bench.samples(0), &clean));
    assert!(after_db < before_db - 3.0, "{before_db} dB, then {after_db} dB");
    // Within a selected range, and only in speech.
    bench.key(CTRL, Key::Z);
    bench.select(Some([1.2, 1.6]), None);
    give(&mut bench, FindCommand::Seek(Seek::SpeechCells));
    let [start, end] = bench.studio().document().unwrap().selected_secs().unwrap();
    assert!((start - 1.2).abs() < 1e-9 && (end - 1.6).abs() < 1e-9);
    bench.show(Snapshot::new(Source::from_channels(vec![vec![0.0; 8_000]], RATE).unwrap()));
    give(&mut bench, SelectCommand::Nothing);
    give(&mut bench, FindCommand::Seek(Seek::SpeechCells));
    assert!(last(&bench).starts_with("No speech found.") && bench.studio().document().unwrap().selection().is_none());
}

#[test]
fn a_preview_shows_what_of_each_cell_is_speech() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    let still = vec![0.0f32; RATE as usize];
    let sound = [still.clone(), speech(), still].concat();
    bench.show(Snapshot::new(Source::from_channels(vec![sound], RATE).unwrap()));
    let tints = |bench: &Bench| {
        let picture = bench.studio().picture_rect().unwrap();
        let is_tint = |clipped: &&ClippedShape| {
            let Shape::Mesh(mesh) = &clipped.shape else { return false };
            mesh.texture_id != TextureId::default() && mesh.calc_bounds() == picture
        };
        bench.harness.output().shapes.iter().filter(is_tint).count()
    };
    assert_eq!(tints(&bench), 0);
    give(&mut bench, EditCommand::IsolateSpeech);
    let map = preview(&bench).speech().unwrap().clone();
    assert!(map.share([0.1, 0.8], 300.0) < 0.2 && map.share([1.2, 2.2], 300.0) > 0.5);
    bench.settle();
    assert_eq!(tints(&bench), 1);
    bench.key(NONE, Key::Escape);
    assert_eq!(tints(&bench), 0, "it ends with the preview");
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
