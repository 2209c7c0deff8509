//! Where keys go: to the canvas after a press on it, to a card that is on its way, through the fields of a card and the
//! rows of a list; and what Enter does twice.

use super::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu};
use egui::{Event, Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::workbench::commands::EditCommand;
use sonobrush::workbench::{OpenDocument, Picked, Severity, Tool};

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

/// A key that goes down.
fn pressed(modifiers: Modifiers, key: Key) -> Event {
    Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
}

/// A key that goes down and up: one that stays down only repeats.
fn tapped(key: Key) -> [Event; 2] {
    let up = Event::Key { key, physical_key: None, pressed: false, repeat: false, modifiers: NONE };
    [pressed(NONE, key), up]
}

/// The harness gives each event a frame of its own; a window gives all that came meanwhile.
fn in_one_frame(bench: &mut Bench, events: impl IntoIterator<Item = Event>) {
    bench.harness.input_mut().events.extend(events);
    bench.harness.step();
}

/// The name of what has the keyboard.
fn focused(bench: &Bench) -> Option<String> {
    let node = bench.harness.query_all(egui_kittest::kittest::By::new().predicate(|node| node.is_focused())).next()?;
    node.accesskit_node().label()
}

#[test]
fn a_press_on_the_canvas_takes_the_keyboard_from_a_widget() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.pick(Tool::SelectTime);
    bench.settle();
    bench.harness.get_by_label("File").focus();
    bench.settle();
    bench.key(NONE, Key::Space);
    assert!(!document(&bench).is_reading() && bench.has("Open by path\u{2026}"), "the control: Space opens the menu");
    bench.key(NONE, Key::Escape);
    bench.harness.get_by_label("File").focus();
    bench.settle();
    let rect = bench.studio().canvas_rect();
    let at = |x: f32| egui::pos2(rect.left() + rect.width() * x, rect.top() + rect.height() * 0.4);
    bench.drag(&[at(0.3), at(0.35), at(0.4)]);
    bench.harness.key_press(Key::Space);
    bench.harness.step();
    bench.harness.step();
    assert!(!bench.has("Open by path\u{2026}"), "the menu stays closed");
    assert_eq!(focused(&bench), None);
}

/// Users who know the keys type the name before the card is there.
#[test]
fn what_is_typed_before_a_card_opens_is_the_cards() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.dialogs.answer(Picked::Unavailable);
    let before = bench.tools().active();
    bench.harness.key_press_modifiers(CTRL, Key::O);
    bench.harness.step();
    for letter in ["/", "e", "w"] {
        bench.harness.event(egui::Event::Text(letter.into()));
        bench.harness.step();
    }
    bench.settle();
    assert_eq!(bench.harness.get_by_label("Path").value().as_deref(), Some("/ew"), "{:?}", bench.notices());
    assert_eq!(bench.tools().active(), before, "E is no tool meanwhile");
    bench.key(NONE, Key::Escape);
    // All of it may come within one frame.
    bench.dialogs.answer(Picked::Unavailable);
    in_one_frame(&mut bench, [pressed(CTRL, Key::O), pressed(NONE, Key::E), Event::Text("e".into())]);
    bench.settle();
    assert_eq!(bench.harness.get_by_label("Path").value().as_deref(), Some("e"), "{:?}", bench.notices());
    assert_eq!(bench.tools().active(), before);
}

/// A dialog of the system that hangs takes the keys for three seconds at most.
#[test]
fn what_is_typed_for_a_card_that_takes_long_is_dropped() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.dialogs.answer(Picked::Unavailable);
    let now_secs = |bench: &Bench| bench.harness.ctx.input(|input| input.time);
    let began_secs = now_secs(&bench);
    bench.harness.key_press_modifiers(CTRL, Key::O);
    bench.harness.step();
    bench.harness.event(Event::Text("a".into()));
    // The job that asks does not end meanwhile.
    while now_secs(&bench) < began_secs + 2.5 {
        bench.harness.step();
    }
    bench.harness.key_press(Key::E);
    bench.harness.step();
    assert_ne!(bench.tools().active(), Tool::ERASE, "still awaited");
    while now_secs(&bench) < began_secs + 3.5 {
        bench.harness.step();
    }
    bench.harness.key_press(Key::E);
    bench.harness.step();
    assert_eq!(bench.tools().active(), Tool::ERASE, "keys are commands again");
    bench.settle();
    assert_eq!(bench.harness.get_by_label("Path").value().as_deref().unwrap_or_default(), "", "{:?}", bench.notices());
}

#[test]
fn what_is_typed_for_a_card_that_does_not_come_is_dropped() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let before = bench.tools().active();
    // The dialog is closed again without a file.
    bench.dialogs.answer(Picked::Cancelled);
    bench.harness.key_press_modifiers(CTRL, Key::O);
    bench.harness.step();
    bench.harness.key_press(Key::E);
    bench.harness.step();
    bench.settle();
    assert_eq!(bench.tools().active(), before, "never given to the canvas");
    bench.key(NONE, Key::E);
    assert_eq!(bench.tools().active(), Tool::ERASE, "afterwards keys are commands");
}

#[test]
fn tab_goes_through_the_fields_of_normalise() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.act(EditCommand::Normalise);
    bench.settle();
    assert_eq!(focused(&bench).as_deref(), Some("Target peak"));
    let mut order = Vec::new();
    for _ in 0..7 {
        bench.key(NONE, Key::Tab);
        order.push(focused(&bench).unwrap_or_default());
    }
    let wanted =
        ["Normalise", "Cancel", "Save as\u{2026}", "Close dialog", "To a peak", "To a loudness", "Target peak"];
    assert_eq!(order, wanted);
    // What is typed into a field and left with Tab is taken.
    bench.harness.key_press_modifiers(CTRL, Key::A);
    bench.harness.event(egui::Event::Text("-6".into()));
    bench.key(NONE, Key::Tab);
    assert_eq!(focused(&bench).as_deref(), Some("Normalise"));
    bench.key(NONE, Key::Enter);
    let peak = bench.samples(0).iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    assert!((20.0 * peak.log10() + 6.0).abs() < 0.01, "{peak}");
}

#[test]
fn a_list_is_used_by_the_keyboard() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.dialogs.answer(Picked::Unavailable);
    bench.key(CTRL, Key::E);
    let path = |bench: &Bench| bench.harness.get_by_label("Path").value().unwrap_or_default();
    assert!(path(&bench).ends_with(".wav"), "{}", path(&bench));
    let kind = |bench: &Bench| bench.harness.get_by_label("Type").value().unwrap_or_default();
    let first = kind(&bench);
    bench.harness.get_by_label("Type").focus();
    bench.settle();
    // Enter opens it, arrows move within it, Enter chooses; Escape leaves the choice and the card.
    bench.key(NONE, Key::Enter);
    bench.key(NONE, Key::ArrowDown);
    assert_eq!(kind(&bench), first, "not chosen yet");
    bench.key(NONE, Key::Enter);
    assert!(path(&bench).ends_with(".flac"), "{}", path(&bench));
    bench.key(NONE, Key::Enter);
    bench.key(NONE, Key::ArrowUp);
    bench.key(NONE, Key::Escape);
    assert!(bench.has("Path") && path(&bench).ends_with(".flac"), "the card stays");
    // Closed, the arrows change it at once.
    bench.key(NONE, Key::ArrowUp);
    assert!(path(&bench).ends_with(".wav"), "{}", path(&bench));
}

#[test]
fn a_second_enter_at_once_does_nothing() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    let n_steps = |bench: &Bench| document(bench).history().entries().len();
    bench.act(EditCommand::Normalise);
    bench.settle();
    in_one_frame(&mut bench, tapped(Key::Enter));
    in_one_frame(&mut bench, tapped(Key::Enter));
    bench.settle();
    assert_eq!(n_steps(&bench), 2, "the brush in hand is not applied, too");
    // A second later it is an Enter of its own.
    for _ in 0..80 {
        bench.harness.step();
    }
    in_one_frame(&mut bench, tapped(Key::Enter));
    bench.settle();
    assert_eq!(n_steps(&bench), 3, "the brush is applied");
}

/// Input queued in the same frame as Enter, and in the frames while the card opens.
#[test]
fn what_is_typed_after_a_command_of_the_list_is_its_cards() {
    let text = |text: &str| vec![Event::Text(text.into())];
    let enter = || tapped(Key::Enter).to_vec();
    let all = || [enter(), text("-"), text("3"), enter()].concat();
    let frames = [
        vec![all()],
        vec![enter(), all()[2..].to_vec()],
        vec![enter(), text("-"), text("3"), enter()],
        vec![enter(), vec![], text("-"), text("3"), enter()],
        vec![enter(), vec![], vec![], text("-"), text("3"), enter()],
    ];
    for frames in frames {
        let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
        bench.select(Some([0.1, 0.2]), None);
        bench.key(CTRL.plus(Modifiers::SHIFT), Key::P);
        bench.harness.event(Event::Text("normalise".into()));
        bench.settle();
        let from_secs = bench.harness.ctx.input(|input| input.time);
        for (n, events) in (1..).zip(frames.clone()) {
            bench.harness.input_mut().time = Some(from_secs + 0.05 * f64::from(n));
            in_one_frame(&mut bench, events);
        }
        bench.harness.input_mut().time = None;
        bench.settle();
        let edit = format!("{:?}", document(&bench).history().entries().get(1).map(|entry| &entry.edit));
        assert!(edit.contains("-3"), "{frames:?}: {edit}");
    }
}

/// A quick hand: Enter in the list of commands, a number, Enter.
#[test]
fn an_enter_after_typing_is_meant() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    bench.key(CTRL.plus(Modifiers::SHIFT), Key::P);
    bench.harness.event(Event::Text("normalise".into()));
    bench.settle();
    in_one_frame(&mut bench, tapped(Key::Enter));
    // Frames of 50 ms from here on: the card opens and takes the keyboard.
    let from_secs = bench.harness.ctx.input(|input| input.time);
    for n in 1..=4 {
        bench.harness.input_mut().time = Some(from_secs + 0.05 * f64::from(n));
        bench.harness.step();
    }
    in_one_frame(&mut bench, [Event::Text("-3".into())].into_iter().chain(tapped(Key::Enter)));
    bench.harness.input_mut().time = None;
    bench.settle();
    let edit = format!("{:?}", document(&bench).history().entries()[1].edit);
    assert!(edit.contains("-3"), "{edit}");
}

#[test]
fn an_applied_brush_says_what_it_did() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    bench.pick(Tool::GAIN);
    bench.key(NONE, Key::Enter);
    let reported = bench.notices().pop().unwrap();
    assert_eq!(reported, (Severity::Info, "Gain \u{2212}12.0 dB applied to the selection.".into()));
}
