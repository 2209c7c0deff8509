//! Menus at the pointer: a right-click offers what can be done at that place, Shift+right-click all brushes and
//! colours.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, has_gpu};
use egui::{Key, PointerButton, Pos2, Rect, pos2, vec2};
use egui_kittest::kittest::Queryable;
use sonobrush::document::labels::Label;
use sonobrush::view::Colormap;
use sonobrush::workbench::commands::{
    CanvasCommand, ClipboardCommand, EditCommand, LabelCommand, SelectCommand, ToolCommand,
};
use sonobrush::workbench::{LabelAct, OpenDocument, Tool};

fn bench() -> Bench {
    Bench::on_tones(Drawing::Wgpu, &[1_000.0])
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn at(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    let viewport = bench.studio().viewport().unwrap();
    pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
}

/// A row of a menu over the canvas, where it has one of that name; bars and panels have buttons of the same names.
fn row(bench: &Bench, name: &str) -> Option<Rect> {
    let canvas = bench.studio().canvas_rect();
    bench.harness.query_all_by_label(name).map(|node| node.rect()).find(|rect| canvas.contains(rect.center()))
}

/// Moves to a row of the menu and clicks it.
#[track_caller]
fn choose(bench: &mut Bench, name: &str) {
    let place = row(bench, name).unwrap_or_else(|| panic!("no row {name}")).center();
    bench.drag(&[place]);
}

fn has(bench: &Bench, name: &str) -> bool {
    row(bench, name).is_some()
}

fn is_open(bench: &Bench) -> bool {
    egui::Popup::is_any_open(&bench.harness.ctx)
}

const SELECTED: [&str; 5] = ["Erase selection", "Cut to float", "Zoom to selection", "Deselect", "Play from pointer"];

/// egui keeps memory for every area that it ever saw.
#[test]
fn thirty_menus_leave_no_more_behind_than_three() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    let place = at(&bench, 0.8, 3_000.0);
    let n_layers = [3, 30].map(|n| {
        for _ in 0..n {
            bench.right_click(place, NONE);
            assert!(is_open(&bench));
            bench.key(NONE, Key::Escape);
            assert!(!is_open(&bench));
        }
        bench.harness.ctx.memory(|memory| memory.layer_ids().len())
    });
    assert_eq!(n_layers[1], n_layers[0]);
}

#[test]
fn a_right_click_offers_what_can_be_done_there() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    let place = at(&bench, 0.8, 3_000.0);
    bench.right_click(place, NONE);
    assert!(has(&bench, "Select all") && has(&bench, "Play from pointer"));
    assert!(SELECTED[..4].iter().all(|name| !has(&bench, name)), "nothing is selected");
    assert!(!has(&bench, "Paste") && !has(&bench, "Undo"), "what cannot be done is not offered");
    bench.key(NONE, Key::Escape);
    assert!(!is_open(&bench));
    // A selection; the tool's settings stand first.
    bench.select(Some([0.5, 1.0]), Some([500.0, 4_000.0]));
    bench.right_click(place, NONE);
    for name in SELECTED {
        assert!(has(&bench, name), "{name}");
    }
    choose(&mut bench, "Erase selection");
    assert!(!is_open(&bench));
    assert_eq!(document(&bench).history().position(), 1);
    // A brush in hand.
    bench.pick(Tool::ERASE);
    bench.settle();
    bench.right_click(place, NONE);
    let rows = ["Strength", "Apply brush to selection", "Cut to float"];
    let tops =
        rows.map(|name| bench.harness.query_all_by_label(name).map(|node| node.rect().top()).fold(0.0, f32::max));
    assert!(tops[0] > place.y - 400.0 && tops.is_sorted(), "{tops:?}");
    bench.key(NONE, Key::Escape);
    // What floats.
    bench.act(ClipboardCommand::CutToFloat);
    bench.settle();
    bench.right_click(place, NONE);
    assert!(!has(&bench, "Cut to float") && has(&bench, "Cancel"));
    choose(&mut bench, "Cancel");
    assert!(document(&bench).floating().is_none() && document(&bench).history().position() == 1);
    // A preview.
    bench.act(EditCommand::RemoveHum);
    bench.settle();
    bench.right_click(place, NONE);
    assert!(has(&bench, "Cancel preview") && has(&bench, "Preview: loop") && !has(&bench, "Select all"));
    choose(&mut bench, "Cancel preview");
    assert!(document(&bench).open_preview().is_none());
    // A polygon.
    bench.act(SelectCommand::Nothing);
    bench.pick(Tool::Lasso);
    bench.settle();
    for corner in [vec2(0.0, 0.0), vec2(60.0, 0.0), vec2(60.0, 60.0)] {
        bench.drag(&[place + corner]);
    }
    bench.right_click(place, NONE);
    choose(&mut bench, "Close polygon");
    assert!(document(&bench).selection().is_some());
}

/// Where the pointer has gone to choose a row does not count.
#[test]
fn what_is_chosen_acts_where_the_menu_was_opened() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    bench.select(Some([0.2, 0.4]), None);
    bench.act(ClipboardCommand::Copy);
    bench.act(SelectCommand::Nothing);
    bench.settle();
    let place = at(&bench, 1.2, 3_000.0);
    bench.right_click(place, NONE);
    choose(&mut bench, "Paste");
    let offset = document(&bench).floating().expect("a paste").offset[0];
    assert!((offset - 1.0).abs() < 0.005, "{offset} s");
}

#[test]
fn the_menu_closes_and_moves_and_nothing_else_happens() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    bench.pick(Tool::ERASE);
    bench.settle();
    let (place, other) = (at(&bench, 0.3, 5_000.0), at(&bench, 1.6, 5_000.0));
    bench.right_click(place, NONE);
    let left = row(&bench, "Select all").unwrap().left();
    bench.right_click(other, NONE);
    assert!(row(&bench, "Select all").unwrap().left() > left + 200.0, "it did not move");
    bench.drag(&[place]);
    assert!(!is_open(&bench));
    // Escape closes it and drops no selection; a right drag opens none.
    bench.select(Some([0.5, 1.0]), None);
    bench.right_click(place, NONE);
    bench.key(NONE, Key::Escape);
    bench.drag_by(PointerButton::Secondary, NONE, &[place, other]);
    assert!(!is_open(&bench) && document(&bench).selection().is_some());
    assert_eq!(document(&bench).history().position(), 0, "something was painted");
    // On the ruler the right button zooms to a range, as before.
    let ruler = |place: Pos2| pos2(place.x, bench.studio().picture_rect().unwrap().top() - 10.0);
    let range = [ruler(place), ruler(other)];
    bench.drag_by(PointerButton::Secondary, NONE, &range);
    let [start, end] = document(&bench).view().secs;
    assert!(!is_open(&bench) && (start - 0.3).abs() < 0.01 && (end - 1.6).abs() < 0.01, "{start} to {end} s");
}

#[test]
fn a_label_below_the_pointer_is_renamed_removed_and_selected() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    for (secs, hz) in [([0.3, 0.6], Some([1_000.0, 3_000.0])), ([1.0, 1.4], None)] {
        bench.act(LabelAct::Draw { secs, hz });
        bench.settle();
    }
    bench.act(LabelCommand::LetGo);
    bench.act(SelectCommand::Nothing);
    bench.settle();
    let labels = |bench: &Bench| document(bench).history().labels().iter().cloned().collect::<Vec<Label>>();
    assert_eq!(labels(&bench).len(), 2, "{:?}", bench.notices());
    // In the picture, and in its lane.
    let place = at(&bench, 0.4, 2_000.0);
    bench.right_click(place, NONE);
    choose(&mut bench, LabelCommand::Select.row().name);
    let [Some(secs), Some(hz)] = document(&bench).selection().unwrap().extent() else { panic!() };
    assert_eq!((secs, hz), ([0.3, 0.6], [1_000.0, 3_000.0]));
    bench.act(SelectCommand::Nothing);
    bench.settle();
    let lane = pos2(at(&bench, 1.2, 0.0).x, bench.studio().picture_rect().unwrap().top() - 22.0);
    bench.right_click(lane, NONE);
    choose(&mut bench, LabelCommand::Remove.row().name);
    assert_eq!(labels(&bench).iter().map(|label| label.secs).collect::<Vec<_>>(), [[0.3, 0.6]]);
    bench.right_click(place, NONE);
    choose(&mut bench, LabelCommand::Rename.row().name);
    bench.fill("Text of the label", "crow");
    bench.key(NONE, Key::Enter);
    assert_eq!(&*labels(&bench)[0].text, "crow");
    // Beside it there is none.
    let beside = at(&bench, 1.7, 2_000.0);
    bench.right_click(beside, NONE);
    assert!(!has(&bench, LabelCommand::Remove.row().name));
}

#[test]
fn brushes_and_colours_are_picked_at_the_pointer() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    let place = at(&bench, 0.8, 3_000.0);
    for tool in [Tool::HEAL, Tool::BLUR, Tool::Wand] {
        let name = ToolCommand::Pick(tool).row().name;
        bench.right_click(place, SHIFT);
        assert!(is_open(&bench));
        choose(&mut bench, name);
        assert!(!is_open(&bench) && bench.tools().active() == tool, "{name}");
    }
    bench.right_click(place, SHIFT);
    choose(&mut bench, "Cividis");
    assert_eq!(document(&bench).view().colormap, Colormap::Cividis);
    assert!(!is_open(&bench));
}

#[test]
fn both_open_by_key_at_the_cursor_and_are_walked_by_arrows() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    bench.key(CTRL, Key::K);
    bench.put_cursor(0.5);
    bench.settle();
    bench.key(SHIFT, Key::F10);
    assert!(is_open(&bench));
    let x = at(&bench, 0.5, 0.0).x;
    let first = row(&bench, "Select all").unwrap();
    assert!((first.left() - x).abs() < 20.0, "{first:?} is not at {x}");
    // The first row has the keyboard; Enter does it.
    bench.key(NONE, Key::ArrowDown);
    bench.key(NONE, Key::ArrowUp);
    bench.key(NONE, Key::Enter);
    assert!(document(&bench).selection().is_some(), "the first row was not chosen");
    assert!(!is_open(&bench));
    bench.key(CTRL, Key::F10);
    assert!(has(&bench, "Colours"));
    bench.key(NONE, Key::Escape);
    assert!(!is_open(&bench));
    // By name, from the list of commands.
    bench.act(CanvasCommand::Menu);
    bench.settle();
    assert!(has(&bench, "Deselect"));
    bench.key(NONE, Key::Escape);
    bench.act(CanvasCommand::Brushes);
    bench.settle();
    assert!(has(&bench, "Colours"));
}
