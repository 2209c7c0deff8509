//! The last brush applied to the whole selection: by Enter, by its button, by the gain field; and who takes Enter
//! first.

use crate::support::measure::{band_power, changed};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, has_gpu, number_of, set_number};
use egui::{Key, pos2};
use egui_kittest::kittest::Queryable;
use sonobrush::document::Edit;
use sonobrush::document::brushes::{Brush, Gain};
use sonobrush::dsp::repair::heal::Heal;
use sonobrush::dsp::{Axis, Selection};
use sonobrush::workbench::commands::{ClipboardCommand, EditCommand, FindCommand, ToolCommand};
use sonobrush::workbench::{DocumentAct, HealMode, OpenDocument, Severity, Tool};

const APPLY: &str = "Apply brush to selection";

fn speech(drawing: Drawing) -> Bench {
    Bench::with_clip(drawing, "speech_16k_mono.wav")
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn n_steps(bench: &Bench) -> usize {
    document(bench).history().position()
}

fn last(bench: &Bench) -> Edit {
    document(bench).history().entries().last().unwrap().edit.clone().expect("an edit")
}

/// Levels in dB of the octaves from 62.5 Hz to 8 kHz.
fn octaves_db(samples: &[f32]) -> Vec<f64> {
    let band = |k: i32| band_power(samples, 16_000.0, 62.5 * f64::from(1 << k), 125.0 * f64::from(1 << k));
    (0..7).map(|k| 10.0 * band(k).log10()).collect()
}

#[test]
fn a_breath_is_turned_down_by_three_inputs() {
    if !has_gpu() {
        return;
    }
    let mut bench = speech(Drawing::Wgpu);
    let before = bench.samples(0);
    // A key, a drag, a key.
    bench.key(NONE, Key::T);
    assert_eq!(bench.tools().active(), Tool::SelectTime);
    let (at, rect) = (bench.studio().viewport().unwrap(), bench.studio().picture_rect().unwrap());
    let place = |secs: f64| pos2(at.x_from_secs(secs) as f32, rect.center().y);
    bench.drag(&[place(1.0), place(1.2), place(1.5)]);
    bench.key(NONE, Key::Enter);

    assert_eq!((n_steps(&bench), last(&bench).brush), (1, Brush::Gain(Gain { gain_db: -12.0 })));
    let after = bench.samples(0);
    // The part of the half second that no frame over its edges reaches.
    let inside = 17_952..17_952 + 4096;
    let (was, is) = (octaves_db(&before[inside.clone()]), octaves_db(&after[inside]));
    for (k, (was, is)) in was.iter().zip(&is).enumerate() {
        assert!((is - was + 12.0).abs() < 0.2, "octave {k}: {:.2} dB", is - was);
    }
    let touched = changed(&before, &after);
    assert!(touched[0] > 14_500 && *touched.last().unwrap() < 25_500, "the rest keeps its bits");
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&before));
}

#[test]
fn the_button_applies_the_brush_named_beside_it() {
    let mut bench = speech(Drawing::None);
    bench.pick(Tool::SelectBox);
    bench.settle();
    assert!(!bench.has(APPLY), "nothing is selected");
    bench.select(Some([1.0, 1.5]), Some([500.0, 4000.0]));
    // One is the tool itself, the other the name beside the button.
    let n_named = |bench: &Bench, name: &str| bench.harness.query_all_by_label(name).count();
    assert!(bench.has(APPLY) && n_named(&bench, "Gain brush") == 2, "gain at first");
    // What is set beside the button counts.
    bench.set_tools(|tools| {
        set_number(tools, Tool::GAIN, "gain_db", 6.0);
        tools.strength = 0.5;
    });
    bench.click(APPLY);
    let edit = last(&bench);
    assert_eq!((edit.brush, edit.strength, edit.stroke), (Gain { gain_db: 6.0 }.into(), 0.5, None));
    assert_eq!(edit.select.as_ref(), document(&bench).selection());

    // The last brush in hand, and one that needs a stroke counts for nothing.
    bench.pick(Tool::BLUR);
    bench.pick(Tool::WARP);
    bench.pick(Tool::Lasso);
    bench.settle();
    assert_eq!([n_named(&bench, "Blur brush"), n_named(&bench, "Gain brush")], [2, 1]);
    bench.click(APPLY);
    assert_eq!(last(&bench).brush.kind(), "blur");
    // In hand it says why it cannot.
    bench.pick(Tool::WARP);
    bench.settle();
    let position = n_steps(&bench);
    bench.key(NONE, Key::Enter);
    assert_eq!(n_steps(&bench), position);
    let (severity, what) = bench.notices().pop().unwrap();
    assert!(severity == Severity::Info && what.contains("works along a stroke only"), "{what}");
}

#[test]
fn every_brush_without_a_stroke_is_applied() {
    let mut bench = speech(Drawing::None);
    bench.select(Some([0.5, 1.0]), None);
    bench.act(FindCommand::LearnNoise);
    bench.settle();
    bench.select(Some([1.0, 1.5]), Some([300.0, 5000.0]));
    let wanted = [
        (Tool::GAIN, "gain"),
        (Tool::ERASE, "erase"),
        (Tool::BLUR, "blur"),
        (Tool::BAND_FILTER, "band_filter"),
        (Tool::MODULATION_FILTER, "modulation_filter"),
        (Tool::SHARPEN, "sharpen"),
        (Tool::NOISE, "noise"),
        (Tool::HARMONIC_PERCUSSIVE, "harmonic_percussive"),
        (Tool::HEAL, "heal"),
        (Tool::DENOISE, "denoise"),
        (Tool::REBUILD_PHASE, "rebuild_phase"),
    ];
    let contrast = Tool::ALL.into_iter().find(|tool| ToolCommand::Pick(*tool).row().id.contains("contrast")).unwrap();
    let original = bench.samples(0);
    for (tool, kind) in wanted.into_iter().chain([(contrast, "contrast")]) {
        bench.pick(tool);
        bench.pick(Tool::SelectBox);
        bench.key(NONE, Key::Enter);
        assert_eq!(last(&bench).brush.kind(), kind);
        let after = bench.samples(0);
        assert_ne!(bits(&after[16_000..24_000]), bits(&original[16_000..24_000]), "{kind} changes the selection");
        assert_eq!(bits(&after[..14_000]), bits(&original[..14_000]), "{kind} changes nothing before it");
        bench.key(CTRL, Key::Z);
        assert_eq!(n_steps(&bench), 0, "{kind}: one step");
    }
    // Two noises differ.
    bench.pick(Tool::NOISE);
    let seed = |bench: &Bench| match last(bench).brush {
        Brush::Noise(noise) => noise.seed,
        other => panic!("{other:?}"),
    };
    bench.key(NONE, Key::Enter);
    let first = seed(&bench);
    bench.key(NONE, Key::Enter);
    assert_ne!(seed(&bench), first);
}

#[test]
fn heal_predicts_only_what_is_known_to_be_damaged() {
    let mut bench = speech(Drawing::None);
    bench.set_tools(|tools| tools.heal.mode = HealMode::Pattern);
    bench.pick(Tool::HEAL);
    let moments = sonobrush::dsp::Moments { runs: vec![[1.0, 1.002]].into(), reach_secs: 0.0005, feather_secs: 0.0 };
    bench.select_shape(Selection::of(sonobrush::dsp::Shape::Moments(moments)));
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!(last(&bench).brush, Brush::Heal(Heal::WEIGHED_GAP));
    bench.select(Some([1.0, 1.05]), Some([300.0, 5000.0]));
    bench.key(NONE, Key::Enter);
    assert!(matches!(last(&bench).brush, Brush::Heal(Heal::Pattern { .. })), "{:?}", last(&bench).brush);
}

#[test]
fn denoise_needs_a_noise_and_says_so() {
    let mut bench = speech(Drawing::None);
    bench.select(Some([1.0, 1.5]), None);
    bench.pick(Tool::DENOISE);
    let facts = bench.studio().facts();
    let apply = EditCommand::ApplyToSelection.row();
    assert_eq!(apply.enabled(&facts), Err("Learn a noise profile first."));
    bench.pick(Tool::GAIN);
    assert_eq!(apply.enabled(&bench.studio().facts()), Ok(()));
}

#[test]
fn a_gain_that_is_typed_in_the_panel_is_applied() {
    let mut bench = speech(Drawing::None);
    assert!(!bench.has("Gain of the selection"));
    bench.select(Some([1.0, 1.5]), None);
    bench.pick(Tool::BLUR);
    bench.settle();
    bench.harness.get_by_label("Gain of the selection").click();
    bench.settle();
    bench.harness.key_press_modifiers(CTRL, Key::A);
    bench.harness.event(egui::Event::Text("-7.5".into()));
    bench.settle();
    assert_eq!(n_steps(&bench), 0, "not before it is entered");
    bench.key(NONE, Key::Enter);
    assert_eq!((n_steps(&bench), last(&bench).brush), (1, Gain { gain_db: -7.5 }.into()));
    bench.settle();
    assert_eq!(n_steps(&bench), 1, "once");
    assert_eq!(number_of(bench.tools().settings(), Tool::GAIN, "gain_db"), -12.0, "the brush keeps its own");
    // Typed again it is applied again.
    bench.harness.get_by_label("Gain of the selection").click();
    bench.settle();
    bench.harness.key_press_modifiers(CTRL, Key::A);
    bench.harness.event(egui::Event::Text("3".into()));
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!((n_steps(&bench), last(&bench).brush), (2, Gain { gain_db: 3.0 }.into()));
}

#[test]
fn a_floating_paste_an_open_card_and_a_lasso_take_enter_first() {
    if !has_gpu() {
        return;
    }
    let mut bench = speech(Drawing::Wgpu);
    bench.select(Some([1.0, 1.2]), None);
    bench.key(CTRL, Key::C);
    bench.act(ClipboardCommand::PasteInPlace);
    bench.settle();
    assert!(document(&bench).floating().is_some());
    bench.key(NONE, Key::Enter);
    assert!(document(&bench).floating().is_none(), "it is placed");
    assert_eq!((n_steps(&bench), last(&bench).brush.kind()), (1, "paste"));
    bench.key(NONE, Key::Enter);
    assert_eq!(n_steps(&bench), 1, "one Enter too many paints nothing");
    bench.key(NONE, Key::Enter);
    assert_eq!((n_steps(&bench), last(&bench).brush.kind()), (2, "gain"), "then Enter applies");

    // A card.
    bench.key(CTRL, Key::M);
    bench.key(NONE, Key::Enter);
    assert_eq!((n_steps(&bench), last(&bench).brush.kind()), (3, "lengthen"));

    // A lasso that is being drawn.
    bench.pick(Tool::Lasso);
    bench.settle();
    let rect = bench.studio().picture_rect().unwrap();
    for [x, y] in [[0.3, 0.3], [0.6, 0.3], [0.45, 0.6]] {
        bench.drag(&[pos2(rect.left() + x * rect.width(), rect.top() + y * rect.height())]);
        bench.clock.advance(1.0);
    }
    let position = n_steps(&bench);
    bench.key(NONE, Key::Enter);
    assert_eq!(n_steps(&bench), position, "Enter closed it");
    let selection = document(&bench).selection().cloned().expect("what it runs around");
    assert_eq!(selection.shapes.len(), 1);
    bench.key(NONE, Key::Enter);
    assert_eq!((n_steps(&bench), last(&bench).select), (position + 1, Some(selection)));

    // The keyboard's cursor: a dab, not all that is selected.
    bench.select_shape(Selection::rectangle(Some([1.0, 1.5]), None, [0.0; 2], Axis::Linear));
    bench.pick(Tool::GAIN);
    bench.act(DocumentAct::KeyCursor([1.25, 500.0]));
    bench.settle();
    bench.key(CTRL, Key::K);
    bench.key(NONE, Key::Enter);
    assert!(last(&bench).stroke.is_some(), "{:?}", bench.notices());
}

#[test]
fn the_last_brush_is_remembered() {
    let mut bench = speech(Drawing::None);
    bench.pick(Tool::SHARPEN);
    bench.pick(Tool::SelectTime);
    bench.settle();
    let bench = bench.restarted(Drawing::None);
    assert_eq!((bench.tools().active(), bench.tools().applied()), (Tool::SelectTime, Tool::SHARPEN));
    let text = r#"{"active": "hand", "last_brush": "warp"}"#;
    let tools: sonobrush::workbench::Tools = serde_json::from_str(text).unwrap();
    assert_eq!(tools.within_limits().applied(), Tool::GAIN, "a file may say anything");
}
