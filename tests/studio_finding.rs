//! Learning a noise and reducing it, and finding what is to be repaired, as a user does it.

use crate::support::studio::{Bench, Drawing, bits};
use egui_kittest::kittest::Queryable;
use sonobrush::base::Progress;
use sonobrush::document::brushes::Brush;
use sonobrush::document::{Channels, resolve};
use sonobrush::dsp::selections::find::{AlikeMethod, Find};
use sonobrush::dsp::{Denoise, NoiseSource, Selection, Shape};
use sonobrush::engine::Plans;
use sonobrush::workbench::Seek;
use sonobrush::workbench::Severity;
use sonobrush::workbench::Tool;
use sonobrush::workbench::commands::{Command, EditCommand, FindCommand, PreviewCommand, SelectCommand};
use sonobrush::workbench::found_places;

fn give(bench: &mut Bench, command: impl Into<Command>) {
    let ctx = bench.harness.ctx.clone();
    bench.harness.state_mut().apply(&ctx, command);
    bench.settle();
}

/// What was said last.
fn last(bench: &Bench) -> (Severity, String) {
    bench.notices().last().cloned().unwrap_or((Severity::Info, String::new()))
}

#[test]
fn a_noise_is_learnt_and_reduced_by_two_commands() {
    let mut bench = Bench::with_clip(Drawing::None, "vinyl_hiss_44k_stereo.flac");
    let facts = bench.studio().facts();
    assert!(FindCommand::LearnNoise.row().enabled(&facts).is_err(), "nothing is selected");
    assert_eq!(EditCommand::ReduceNoise.row().enabled(&facts), Err("Learn a noise profile first."));
    bench.select(Some([1.0, 1.02]), None);
    give(&mut bench, FindCommand::LearnNoise);
    let (level, what) = last(&bench);
    assert!(level == Severity::Error && what.contains("select at least"), "{what}");
    bench.select(Some([1.0, 2.0]), None);
    give(&mut bench, FindCommand::LearnNoise);
    assert_eq!(last(&bench), (Severity::Info, "Noise learnt from 1.00 s.".to_string()));
    bench.select(Some([0.5, 1.5]), None);
    let before = bench.samples(0);
    give(&mut bench, EditCommand::ReduceNoise);
    give(&mut bench, PreviewCommand::Apply);
    let after = bench.samples(0);
    let power = |x: &[f32]| x[30_000..60_000].iter().map(|s| f64::from(*s).powi(2)).sum::<f64>();
    let fall = 10.0 * (power(&before) / power(&after)).log10();
    assert!(fall > 15.0, "{fall} dB");
    assert_eq!(bits(&before[..20_000]), bits(&after[..20_000]), "outside the selection nothing is changed");
    let history = bench.studio().document().unwrap().history();
    let edit = history.entries()[1].edit.as_ref().unwrap();
    let Brush::Denoise(Denoise { noise: NoiseSource::Profile(profile), .. }) = &edit.brush else { panic!("{edit:?}") };
    assert_eq!(profile.spectra.len(), 4, "left, right, mid and side");
    give(&mut bench, EditCommand::Undo);
    assert_eq!(bits(&before), bits(&bench.samples(0)));
    // The same as buttons, beside the brush's settings.
    bench.pick(Tool::DENOISE);
    bench.settle();
    assert!(bench.harness.query_all_by_label("Learn noise").count() > 0);
    assert!(bench.harness.query_all_by_label("Reduce noise\u{2026}").count() > 0);
}

#[test]
fn what_is_found_becomes_the_selection() {
    let mut bench = Bench::with_clip(Drawing::None, "vinyl_hiss_44k_stereo.flac");
    give(&mut bench, FindCommand::Seek(Seek::Clicks));
    let (level, what) = last(&bench);
    assert!(level == Severity::Info && what.contains("clicks found and selected"), "{what}");
    let selected = bench.studio().document().unwrap().selection().cloned().unwrap();
    assert!(!selected.needs_sound(), "it is there to be seen");
    // They can be brushed, inverted or erased as anything selected.
    give(&mut bench, EditCommand::EraseSelection);
    assert_eq!(bench.studio().document().unwrap().history().position(), 1);
    give(&mut bench, EditCommand::Undo);
    // Within a range that was drawn, only what lies in it.
    let [first, last] = selected.extent()[0].unwrap();
    let half = [first - 0.1, (first + last) / 2.0];
    bench.select(Some(half), None);
    give(&mut bench, FindCommand::Seek(Seek::Clicks));
    let within = bench.studio().document().unwrap().selection().cloned().unwrap();
    assert!(within.shapes.len() == 2 && within.extent()[0].unwrap()[1] <= half[1], "{within:?}");
}

#[test]
fn what_is_not_there_leaves_the_selection_alone() {
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    bench.select(Some([0.5, 1.5]), Some([200.0, 900.0]));
    let before = bench.studio().document().unwrap().selection().cloned();
    for (seek, words) in [(Seek::Hum, "No hum found."), (Seek::Clipping, "No clipped peaks found.")] {
        give(&mut bench, FindCommand::Seek(seek));
        assert_eq!(last(&bench), (Severity::Warning, words.to_string()));
        assert_eq!(bench.studio().document().unwrap().selection(), before.as_ref());
    }
    give(&mut bench, SelectCommand::Nothing);
    assert!(FindCommand::Seek(Seek::Alike).row().enabled(&bench.studio().facts()).is_err());
}

#[test]
fn more_like_a_hit_are_other_hits() {
    let mut bench = Bench::with_clip(Drawing::None, "drum_break_44k_stereo.flac");
    bench.set_tools(|tools| tools.find_sensitivity = 0.8);
    bench.select(Some([0.0, 0.25]), Some([100.0, 8000.0]));
    give(&mut bench, FindCommand::Seek(Seek::Alike));
    let (level, what) = last(&bench);
    assert!(level == Severity::Info && what.contains("similar sound"), "{what}");
    let document = bench.studio().document().unwrap();
    assert!(document.selected_secs().unwrap()[1] > 0.5, "beyond the one that was selected");
    assert_eq!(document.selected_hz(), Some([100.0, 8000.0]));
    // The sentence, the panel and the list count alike.
    let n = found_places(document).len();
    let words =
        if n == 2 { "1 similar sound and yours".to_owned() } else { format!("{} similar sounds and yours", n - 1) };
    assert_eq!(what, format!("{words} found and selected."));
    bench.settle();
    assert!(bench.has(&format!("{words} found")));
    let is_listed = |at: usize| bench.harness.query_by_label_contains(&format!("Place {at} of {n}")).is_some();
    assert!(is_listed(1) && !is_listed(n + 1), "a list of {n}");
}

/// Where each selected place begins.
fn starts(bench: &Bench) -> Vec<f64> {
    let selection = bench.studio().document().unwrap().selection().cloned().unwrap();
    let shapes = selection.shapes.iter().flat_map(|(_, shape)| match shape {
        Shape::Group(group) => group.shapes.iter().map(|(_, shape)| shape.extent()).collect(),
        shape => vec![shape.extent()],
    });
    shapes.map(|extent| extent[0].unwrap()[0]).collect()
}

/// Where *Find similar* leads from a place until it finds no more.
fn stepped(bench: &mut Bench, step: FindCommand) -> Vec<f64> {
    let mut found = starts(bench);
    loop {
        give(bench, step);
        let [start] = starts(bench)[..] else { panic!("{:?}", starts(bench)) };
        if found.last() == Some(&start) {
            return found.split_off(1);
        }
        assert!(found.len() < 100, "{found:?}");
        found.push(start);
    }
}

#[test]
fn more_like_this_selects_what_find_similar_steps_through() {
    for (clip, secs, hz) in [
        ("drum_break_44k_stereo.flac", [0.0, 0.25], [100.0, 8000.0]),
        ("tabla_loop_44k_stereo.flac", [0.55, 0.7], [100.0, 6000.0]),
        ("crow_44k_mono.flac", [0.3, 0.6], [500.0, 8000.0]),
    ] {
        let mut bench = Bench::with_clip(Drawing::None, clip);
        bench.select(Some(secs), Some(hz));
        let mut expected = stepped(&mut bench, FindCommand::Previous);
        expected.reverse();
        bench.select(Some(secs), Some(hz));
        expected.push(secs[0]);
        expected.extend(stepped(&mut bench, FindCommand::Next));
        assert!(expected.len() > 1, "{clip}");
        bench.select(Some(secs), Some(hz));
        give(&mut bench, FindCommand::Seek(Seek::Alike));
        assert_eq!(starts(&bench), expected, "{clip}");
        // The same in a script, and the control: the measure of older ones is another.
        let document = bench.studio().document().unwrap();
        let (sound, transform) = (document.shown().clone(), document.view().transform.clone());
        let in_script = |method: AlikeMethod| {
            let find = Find::Alike { secs, hz: Some(hz), similarity: AlikeMethod::Likeness.similarity(), method };
            let selection = Selection::of(Shape::Find(find));
            let plans = Plans::default();
            let found =
                resolve(&sound, &selection, transform.clone(), &Channels::All, &plans, &Progress::new()).unwrap();
            let Shape::Group(group) = &found.shapes[0].1 else { panic!("{found:?}") };
            group.shapes.iter().map(|(_, shape)| shape.extent()[0].unwrap()[0]).collect::<Vec<f64>>()
        };
        assert_eq!(in_script(AlikeMethod::Likeness), expected, "{clip}");
        assert_ne!(in_script(AlikeMethod::Bands), expected, "{clip}: the control");
    }
}
