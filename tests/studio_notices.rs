//! Notices float over the canvas: they move nothing, none comes under the pointer, and each leaves as it should.

use crate::support::studio::{Bench, Drawing, NONE, has_gpu};
use egui::{Key, PointerButton, Rect};
use egui_kittest::kittest::Queryable;
use sonobrush::base::{Folders, Settings};
use sonobrush::dsp::{Axis, Selection};
use sonobrush::studio::canvas::PaneAt;
use sonobrush::workbench::commands::{ClipboardCommand, EditCommand};
use sonobrush::workbench::{DocumentAct, NoticeAct, Severity, Tool};

fn notify(bench: &mut Bench, severity: Severity, what: &str) {
    bench.act(NoticeAct::Show { severity, what: what.into(), advice: None });
    bench.settle();
}

fn crosses(bench: &Bench) -> Vec<Rect> {
    bench.harness.query_all_by_label("Close the notice").map(|node| node.rect()).collect()
}

/// What moves nothing: the canvas, its parts, and the time and the frequency under the pointer.
#[derive(Debug, PartialEq)]
struct Still {
    canvas: Rect,
    panes: Vec<PaneAt>,
    under_pointer: Option<[f64; 2]>,
}

fn still(bench: &Bench) -> Still {
    let studio = bench.studio();
    let under_pointer = studio.workbench().readout().map(|readout| [readout.secs, readout.hz]);
    Still { canvas: studio.canvas_rect(), panes: studio.panes().to_vec(), under_pointer }
}

/// Something that appears by itself, or that a command brings with a key while the pointer rests on the canvas.
type Comes = (&'static str, fn(&mut Bench));

const COME: [Comes; 10] = [
    ("what was done", |bench| notify(bench, Severity::Info, "Copied 0.250 s.")),
    ("a warning", |bench| notify(bench, Severity::Warning, "Mind that.")),
    ("errors, of which one has no place", |bench| {
        for what in ["one", "two", "three", "four"] {
            notify(bench, Severity::Error, &format!("{what}: {}", "long ".repeat(90)));
        }
    }),
    ("a report", |bench| {
        let file = bench.out("report.txt");
        bench.act(NoticeAct::Report { what: "A defect was met.".into(), advice: None, file });
    }),
    ("an offer", |bench| {
        bench.act(ClipboardCommand::Copy);
        bench.settle();
        bench.act(ClipboardCommand::PasteInPlace);
    }),
    ("the end of an offer", |bench| bench.key(NONE, Key::Escape)),
    ("rows for bass", |bench| {
        bench.act(DocumentAct::Select(Some(Selection::rectangle(None, Some([60.0, 350.0]), [0.0; 2], Axis::Linear))));
        bench.settle();
        assert!(bench.has("Bass view"));
    }),
    ("work, and what it gave", |bench| {
        bench.act(EditCommand::EraseSelection);
        (0..3).for_each(|_| bench.harness.step());
    }),
    ("a preview", |bench| bench.act(EditCommand::RemoveHum)),
    ("all notices closed", |bench| bench.act(NoticeAct::CloseAll)),
];

/// In any window, wherever the pointer rests: also where the notices would lie.
#[test]
fn nothing_that_comes_by_itself_moves_the_canvas() {
    if !has_gpu() {
        return;
    }
    for (size, at) in [([1280.0, 800.0], [0.1, 0.95]), ([1280.0, 800.0], [0.5, 0.5]), ([640.0, 400.0], [0.2, 0.9])] {
        let mut bench = Bench::with_clip(Drawing::Wgpu, "drum_break_44k_stereo.flac");
        bench.harness.set_size(size.into());
        bench.select(Some([0.5, 0.8]), None);
        let picture = bench.studio().picture_rect().unwrap();
        let pointer = picture.lerp_inside(egui::Vec2::from(at));
        bench.harness.event(egui::Event::PointerMoved(pointer));
        bench.settle();
        let before = still(&bench);
        assert!(before.under_pointer.is_some());
        for (what, come) in COME {
            come(&mut bench);
            bench.settle();
            assert_eq!(still(&bench), before, "{what} in {size:?}, the pointer at {pointer:?}");
        }
    }
}

/// The lesson of the first stroke, which no one who has painted before gets.
#[test]
fn the_first_stroke_ends_where_it_was_drawn() {
    if !has_gpu() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let new = serde_json::json!({"lessons": {"has_painted": false}});
    Settings::remember(&Folders::in_folder(folder.path()), new).unwrap();
    let mut bench = Bench::in_folder(Drawing::Wgpu, folder);
    bench.click("Open demo clip");
    let picture = bench.studio().picture_rect().unwrap();
    let from = picture.lerp_inside(egui::vec2(0.05, 0.9));
    bench.harness.event(egui::Event::PointerMoved(from + egui::vec2(60.0, 0.0)));
    bench.settle();
    let before = still(&bench);
    bench.drag(&[from, from + egui::vec2(30.0, 0.0), from + egui::vec2(60.0, 0.0)]);
    let reported = bench.notices();
    assert!(reported.iter().any(|(_, what)| what == "Space plays it, Ctrl+Z takes it back."), "{reported:?}");
    assert_eq!(still(&bench), before);
}

#[test]
fn notices_float_over_a_corner_of_the_canvas_in_any_window() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    let long = "A sentence that is as long as those about files in folders with long names, or longer. ".repeat(3);
    for (size, wanted) in [([1600.0, 1000.0], 3), ([1280.0, 800.0], 3), ([1024.0, 640.0], 2), ([640.0, 400.0], 1)] {
        bench.harness.set_size(size.into());
        bench.settle();
        let picture = bench.studio().picture_rect().unwrap();
        for i in ["one", "two", "three"] {
            notify(&mut bench, Severity::Error, &format!("{i}: {long}"));
        }
        let found = crosses(&bench);
        assert_eq!(found.len(), wanted, "{size:?}");
        for cross in &found {
            assert!(picture.contains_rect(*cross), "{size:?}: {cross:?} is not over {picture:?}");
        }
        for notice in bench.studio().notices().all().iter().map(|notice| notice.id).collect::<Vec<u64>>() {
            bench.act(NoticeAct::Close(notice));
        }
        bench.settle();
    }
}

/// One that is there stays where it is when another comes; its buttons take clicks, which paint nothing, and the
/// keyboard.
#[test]
fn a_notice_is_clicked_and_reached_by_keys_and_nothing_is_painted_under_it() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.pick(Tool::ERASE);
    notify(&mut bench, Severity::Error, "The first.");
    let [first] = crosses(&bench)[..] else { panic!() };
    notify(&mut bench, Severity::Error, "The second.");
    let found = crosses(&bench);
    assert!(found.len() == 2 && found.contains(&first), "{first:?} is not among {found:?}");
    let is_painted = |bench: &Bench| bench.studio().document().unwrap().history().position() > 0;
    bench.drag(&[first.center() - egui::vec2(40.0, 0.0), first.center() - egui::vec2(20.0, 0.0)]);
    bench.drag(&[first.center()]);
    assert_eq!(bench.notices(), [(Severity::Error, "The second.".to_owned())]);
    assert!(!is_painted(&bench));
    // The control: what was below it is canvas again.
    let above = first.center() - egui::vec2(0.0, 200.0);
    bench.drag(&[above, above + egui::vec2(20.0, 0.0)]);
    assert!(is_painted(&bench), "{:?}", bench.notices());
    bench.harness.get_by_label("Close the notice").focus();
    bench.key(NONE, Key::Space);
    assert!(!bench.has("Close the notice"));
}

#[test]
fn none_comes_under_the_pointer_or_while_a_button_is_down() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.pick(Tool::GAIN);
    bench.settle();
    let picture = bench.studio().picture_rect().unwrap();
    let button =
        |pos, pressed| egui::Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: NONE };
    let (from, to) = (picture.left_bottom() + egui::vec2(20.0, -20.0), picture.left_bottom() + egui::vec2(80.0, -20.0));
    bench.harness.event(egui::Event::PointerMoved(from));
    bench.harness.step();
    bench.harness.event(button(from, true));
    bench.harness.step();
    bench.act(NoticeAct::warning("something that came meanwhile"));
    bench.harness.event(egui::Event::PointerMoved(to));
    for _ in 0..3 {
        bench.harness.step();
    }
    assert!(crosses(&bench).is_empty());
    bench.harness.event(button(to, false));
    bench.settle();
    let [cross] = crosses(&bench)[..] else { panic!("it is told after the stroke") };
    assert!(cross.bottom() < picture.center().y, "{cross:?} is where the pointer rests");
    // Without a pointer there, it is at the bottom.
    bench.act(NoticeAct::CloseAll);
    bench.harness.event(egui::Event::PointerMoved(picture.center()));
    bench.settle();
    notify(&mut bench, Severity::Error, "Another.");
    assert!(crosses(&bench)[0].top() > picture.center().y);
}

#[test]
fn what_was_done_leaves_first_and_errors_stay() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    notify(&mut bench, Severity::Error, "Cannot do this.");
    notify(&mut bench, Severity::Warning, "Mind that.");
    notify(&mut bench, Severity::Info, "Copied.");
    let left = |bench: &mut Bench, secs: f64| {
        bench.clock.advance(secs);
        bench.settle();
        bench.notices().into_iter().map(|(severity, _)| severity).collect::<Vec<_>>()
    };
    assert_eq!(left(&mut bench, 5.9).len(), 3);
    assert_eq!(left(&mut bench, 0.2), [Severity::Error, Severity::Warning]);
    assert_eq!(left(&mut bench, 4.0), [Severity::Error]);
    assert_eq!(left(&mut bench, 3600.0), [Severity::Error]);
}

#[test]
fn all_notices_are_closed_by_name() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for i in ["one", "two", "three", "four"] {
        notify(&mut bench, Severity::Error, i);
    }
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text("close all notices");
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert!(bench.notices().is_empty());
}

#[test]
fn a_notice_leaves_the_keyboard_with_the_canvas() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.key(egui::Modifiers::COMMAND, Key::K);
    let at = |bench: &Bench| bench.studio().document().unwrap().cursor_secs();
    let before = at(&bench);
    notify(&mut bench, Severity::Error, "Something came meanwhile.");
    bench.key(NONE, Key::ArrowRight);
    assert!(at(&bench) > before, "the arrow moves the cursor, not the view");
}

/// egui keeps memory for every area that it ever saw.
#[test]
fn a_hundred_notices_leave_no_more_behind_than_ten() {
    let mut bench = Bench::new(Drawing::None);
    let n_layers = [10, 100].map(|n| {
        for number in 0..n {
            notify(&mut bench, Severity::Warning, &format!("Warning {number}."));
            if number % 2 == 0 {
                bench.act(NoticeAct::CloseAll);
                bench.settle();
            }
        }
        bench.harness.ctx.memory(|memory| memory.layer_ids().len())
    });
    assert!(n_layers[0] > 1 && n_layers[1] == n_layers[0], "{n_layers:?}");
}
