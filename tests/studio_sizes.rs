//! What fits into the windows that people have: every tool in view, a name beside every field, no text over another.

use crate::previews;
use crate::studio_library;
use crate::support::studio::{Bench, Drawing, NONE};
use egui::{Rect, Role, Vec2, pos2, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::dsp::{StftParams, Window};
use sonobrush::workbench::commands::{
    BeatCommand, BrowseCommand, COMMANDS, Command, EditCommand, FileCommand, LabelCommand, Menu, PlayCommand,
    ToolCommand,
};
use sonobrush::workbench::{FileAct, LabelAct, LayoutAct, LibraryAct, Panel, Panes, Tool};
use std::collections::BTreeSet;

/// Points and pixels per point; the last two are screens at 200 %.
const SIZES: [([f32; 2], f32); 5] = [
    ([1280.0, 800.0], 1.0),
    ([1024.0, 640.0], 1.0),
    ([1600.0, 1000.0], 1.0),
    ([800.0, 500.0], 2.0),
    ([640.0, 400.0], 2.0),
];

pub fn sized(bench: &mut Bench, [width, height]: [f32; 2], pixels_per_point: f32) -> Vec2 {
    // A change of scale comes with a frame of the old size.
    bench.harness.set_pixels_per_point(pixels_per_point);
    bench.settle();
    bench.harness.set_size(vec2(width, height));
    bench.settle();
    vec2(width, height)
}

/// Whether it is text or a control.
fn is_seen(role: Role) -> bool {
    let is_field = matches!(role, Role::SpinButton | Role::ComboBox | Role::TextInput | Role::MultilineTextInput);
    is_field || matches!(role, Role::Label | Role::Button | Role::CheckBox | Role::RadioButton | Role::Slider)
}

/// What is written or spoken, its role and its place, of everything whose middle lies in `area`.
pub fn nodes_in(bench: &Bench, area: Rect) -> Vec<(String, Role, Rect)> {
    // Runs of text within a field have no place of their own.
    let nodes = bench.harness.root().children_recursive();
    let placed = nodes.filter(|node| is_seen(node.accesskit_node().role()));
    let described = placed.map(|node| {
        let found = node.accesskit_node();
        (found.label().or(found.value()).unwrap_or_default(), found.role(), node.rect())
    });
    described.filter(|(_, _, rect)| area.contains(rect.center()) && rect.is_positive()).collect()
}

/// Texts and controls that share more than a point with another, or leave the window.
fn crossed(all: &[(String, Role, Rect)], window: Rect) -> Vec<String> {
    let seen: Vec<_> = all.iter().filter(|(name, ..)| !name.trim().is_empty()).collect();
    let mut found = Vec::new();
    for (at, (name, _, rect)) in seen.iter().enumerate() {
        if !window.expand(0.5).contains_rect(*rect) {
            found.push(format!("{name} leaves the window: {rect:?}"));
        }
        for (other, _, place) in &seen[..at] {
            let common = rect.intersect(*place);
            // The words of a button are a text of their own within it.
            let is_inside = rect.expand(1.0).contains_rect(*place) || place.expand(1.0).contains_rect(*rect);
            if common.width() > 1.0 && common.height() > 1.0 && !is_inside {
                found.push(format!("{name} at {rect:?} lies over {other} at {place:?}"));
            }
        }
    }
    found
}

#[test]
fn every_tool_is_in_view_in_every_window() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for (size, scale) in SIZES {
        let size = sized(&mut bench, size, scale);
        let column = Rect::from_min_max(pos2(0.0, 79.5), pos2(0.35 * size.x, size.y - 79.5));
        let mut places: Vec<Rect> = Vec::new();
        for tool in Tool::ALL {
            let name = ToolCommand::Pick(tool).row().name;
            // The option bar names the one in hand, too.
            let all = bench.harness.query_all_by_label(name).map(|node| node.rect());
            let place = all.into_iter().find(|rect| column.contains_rect(*rect));
            let place = place.unwrap_or_else(|| panic!("{name} is not in view at {size:?}"));
            assert!(place.width() >= 24.0 && place.height() >= 23.9, "{name}: {place:?}");
            assert!(places.iter().all(|other| !other.shrink(0.5).intersects(place)), "{name}: {place:?} at {size:?}");
            places.push(place);
        }
    }
}

/// Names of the fields in the option bar of a window, numbers and lists, each of which must have its name beside it.
fn named_fields(bench: &Bench, size: Vec2, what: &str) -> Vec<String> {
    let all = nodes_in(bench, Rect::from_min_max(pos2(0.0, 36.0), pos2(size.x, 80.0)));
    let fields = all.iter().filter(|(_, role, _)| matches!(role, Role::SpinButton | Role::ComboBox));
    let named = fields.map(|(name, _, field)| {
        let is_name = |(text, role, rect): &(String, Role, Rect)| {
            let is_beside = (0.0..=16.0).contains(&(field.left() - rect.right()));
            // Where they have little room fields stand under their names, a weight under the word.
            let is_over = (-1.0..=4.0).contains(&(field.top() - rect.bottom())) && rect.left() <= field.left() + 4.0;
            let is_own = text == name || is_over && name.starts_with("Weight ") && text == "Weight";
            *role == Role::Label && is_own && (is_beside || is_over)
        };
        assert!(all.iter().any(is_name), "{what} at {size:?}: {name} stands alone: {field:?}");
        name.clone()
    });
    named.collect()
}

#[test]
fn every_field_in_the_option_bar_has_its_name_beside_it() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    for (size, scale) in SIZES {
        let size = sized(&mut bench, size, scale);
        let mut fields = Vec::new();
        for tool in Tool::ALL {
            bench.pick(tool);
            bench.settle();
            fields.extend(named_fields(&bench, size, &format!("{tool:?}")));
        }
        assert!(fields.len() >= 10, "{} fields at {size:?}", fields.len());
        if size.x >= 1280.0 {
            let lists = ["Filter", "Mode", "Direction", "Timbre", "Chord"];
            assert!(lists.iter().all(|list| fields.iter().any(|field| field == list)), "{size:?}: {fields:?}");
        }
    }
}

#[test]
fn every_field_of_a_preview_and_of_a_floating_picture_has_its_name_beside_it() {
    let mut bench = previews::bench();
    // What is scrolled out of the panels lies behind the bars, unseen.
    bench.key(NONE, egui::Key::F9);
    previews::learn(&mut bench);
    let mut fields = BTreeSet::new();
    for (name, begin) in previews::all_kinds() {
        begin(&mut bench);
        bench.settle();
        for (size, scale) in SIZES {
            let size = sized(&mut bench, size, scale);
            fields.extend(named_fields(&bench, size, name));
        }
        bench.key(NONE, egui::Key::Escape);
    }
    let path = bench.out("small.png");
    image::save_buffer(&path, &[0, 255, 128, 0], 2, 2, image::ExtendedColorType::L8).unwrap();
    bench.open(path);
    bench.settle();
    assert!(bench.studio().document().unwrap().floating().is_some());
    for (size, scale) in SIZES {
        let size = sized(&mut bench, size, scale);
        fields.extend(named_fields(&bench, size, "a picture"));
    }
    for field in ["Mode", "Direction", "Fundamental", "Strength", "Picture mode", "Phases"] {
        assert!(fields.contains(field), "{field} is in none of the bars: {fields:?}");
    }
}

#[test]
fn every_field_of_a_card_has_its_name_beside_it() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.select(Some([0.1, 0.4]), None);
    bench.act(LabelAct::Draw { secs: [0.5, 0.8], hz: None });
    bench.settle();
    let cards: [(Command, usize); 11] = [
        (EditCommand::Lengthen.into(), 1),
        (EditCommand::Normalise.into(), 1),
        (EditCommand::PitchShift.into(), 1),
        (EditCommand::TimeStretch.into(), 1),
        (FileCommand::New.into(), 3),
        (FileCommand::OpenPath.into(), 1),
        (FileCommand::Export.into(), 9),
        (FileCommand::ExportByLabel.into(), 15),
        (FileCommand::Resample.into(), 1),
        (FileCommand::Record.into(), 2),
        (PlayCommand::Output.into(), 1),
    ];
    for (size, scale) in SIZES {
        let size = sized(&mut bench, size, scale);
        let window = Rect::from_min_size(egui::Pos2::ZERO, size);
        for (command, n_expected) in cards {
            let before = fields_and_labels(&bench);
            let ctx = bench.harness.ctx.clone();
            bench.harness.state_mut().apply(&ctx, command);
            bench.settle();
            let all: Vec<_> = fields_and_labels(&bench).into_iter().filter(|node| !before.contains(node)).collect();
            let fields: Vec<_> = all.iter().filter(|(_, role, _)| *role != Role::Label).collect();
            assert_eq!(fields.len(), n_expected, "{command:?} at {size:?}: {fields:?}");
            for (name, _, field) in fields {
                let is_name = |(text, role, rect): &(String, Role, Rect)| {
                    // Names of a card stand in a column, each from its left on.
                    let is_beside =
                        (0.0..=100.0).contains(&(field.left() - rect.right())) && rect.top() < field.bottom();
                    let is_over =
                        (0.0..=12.0).contains(&(field.top() - rect.bottom())) && rect.left() <= field.left() + 4.0;
                    *role == Role::Label && text == name && (is_beside && rect.bottom() > field.top() || is_over)
                };
                assert!(all.iter().any(is_name), "{command:?} at {size:?}: {name} stands alone: {field:?}");
                assert!(window.contains_rect(*field), "{command:?} at {size:?}: {name} leaves the window: {field:?}");
            }
            bench.key(NONE, egui::Key::Escape);
            assert!(!bench.has("Close dialog"), "{command:?}");
        }
    }
}

/// Names, roles and places of what holds a value and of what is written.
fn fields_and_labels(bench: &Bench) -> Vec<(String, Role, Rect)> {
    let is_one = |role: Role| {
        matches!(role, Role::Label | Role::SpinButton | Role::ComboBox | Role::TextInput | Role::MultilineTextInput)
    };
    let nodes = bench.harness.root().children_recursive().filter(|node| is_one(node.accesskit_node().role()));
    let described = nodes.map(|node| {
        let found = node.accesskit_node();
        (found.label().or(found.value()).unwrap_or_default(), found.role(), node.rect())
    });
    described.collect()
}

/// Words that are drawn within an area and end in three dots for want of room: of lists, legends and fields none may.
pub fn cut_words(bench: &Bench, area: Rect) -> Vec<String> {
    fn collect(shape: &egui::Shape, area: Rect, found: &mut Vec<String>) {
        match shape {
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, area, found)),
            egui::Shape::Text(text) if text.galley.elided && area.contains(text.pos) => {
                found.push(text.galley.text().to_owned());
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    bench.harness.output().shapes.iter().for_each(|clipped| collect(&clipped.shape, area, &mut found));
    found
}

#[test]
fn no_text_of_a_bar_lies_over_another() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    // What is scrolled out of the panels lies behind the bars, unseen.
    bench.key(NONE, egui::Key::F9);
    for (size, scale) in SIZES {
        let size = sized(&mut bench, size, scale);
        let window = Rect::from_min_size(egui::Pos2::ZERO, size);
        let bars = [[0.0, 36.0], [36.0, 80.0], [size.y - 80.0, size.y - 24.0], [size.y - 24.0, size.y]];
        for tool in Tool::ALL {
            bench.pick(tool);
            bench.settle();
            for [top, bottom] in bars {
                let bar = Rect::from_x_y_ranges(0.0..=size.x, top..=bottom);
                let found = crossed(&nodes_in(&bench, bar), window);
                assert!(found.is_empty(), "{tool:?} at {size:?}: {found:?}");
                let cut = cut_words(&bench, bar);
                assert!(size.x < 1280.0 || cut.is_empty(), "{tool:?} at {size:?}: {cut:?}");
            }
        }
    }
    let planted = |left: f32| ("a".to_owned(), Role::Label, Rect::from_min_size(pos2(left, 0.0), vec2(40.0, 12.0)));
    let window = Rect::from_min_size(egui::Pos2::ZERO, vec2(200.0, 20.0));
    assert_eq!(crossed(&[planted(0.0), planted(30.0), planted(180.0)], window).len(), 2, "the check can fail");
}

/// The controls that have appeared.
pub fn appeared(bench: &Bench, before: &[(String, Role, Rect)]) -> Vec<(String, Role, Rect)> {
    let now = nodes_in(bench, Rect::EVERYTHING).into_iter();
    now.filter(|node| !before.contains(node)).collect()
}

/// Fails where two of these share more than a point, where one leaves the window, and where there are fewer.
pub fn assert_apart(nodes: &[(String, Role, Rect)], min: usize, size: Vec2, what: &str) {
    let found = crossed(nodes, Rect::from_min_size(egui::Pos2::ZERO, size));
    assert!(found.is_empty(), "{what} at {size:?}: {}", found.join("\n"));
    assert!(nodes.len() >= min, "{what} at {size:?} has {nodes:?} alone");
}

/// What a panel at the right holds, none of the others being unfolded.
fn in_panel(bench: &mut Bench, panel: Panel) -> Vec<(String, Role, Rect)> {
    if bench.has("Open the View panel") {
        bench.act(LayoutAct::Over(None));
        bench.settle();
        let before = nodes_in(bench, Rect::EVERYTHING);
        bench.act(LayoutAct::Over(Some(panel)));
        bench.settle();
        return appeared(bench, &before);
    }
    for other in Panel::ALL {
        bench.act(LayoutAct::Open { panel: other, is_open: other == panel });
    }
    bench.settle();
    let canvas = bench.studio().canvas_rect();
    nodes_in(bench, Rect::from_min_max(canvas.right_top(), pos2(f32::INFINITY, canvas.bottom())))
}

#[test]
fn no_text_of_a_panel_lies_over_another() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.select(Some([0.5, 1.5]), Some([300.0, 3_000.0]));
    bench.act(EditCommand::EraseSelection);
    bench.settle();
    // The longest words that a transform has.
    let longest = StftParams { n_fft: 32_768, hop: 2_048, window: Window::BlackmanHarris };
    for transform in [StftParams::default(), longest] {
        bench.set_view(|view| (view.transform, view.panes) = (transform.into(), Panes::Both));
        bench.settle();
        for (size, scale) in &SIZES[..3] {
            let size = sized(&mut bench, *size, *scale);
            for (panel, min) in [(Panel::View, 20), (Panel::Selection, 10), (Panel::Spectrum, 5), (Panel::History, 4)] {
                assert_apart(&in_panel(&mut bench, panel), min, size, &format!("{panel:?}, {transform:?}"));
                let cut = cut_words(&bench, Rect::EVERYTHING);
                // The names of steps and files are as long as their users make them.
                assert!(panel == Panel::History || cut.is_empty(), "{panel:?} at {size:?}: {cut:?}");
            }
            bench.act(LayoutAct::Over(None));
        }
    }
}

#[test]
fn no_text_of_a_card_lies_over_another() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.select(Some([0.1, 0.4]), None);
    bench.act(LabelAct::Draw { secs: [0.5, 0.8], hz: None });
    bench.settle();
    let cards: [(Command, usize); 14] = [
        (FileCommand::Export.into(), 6),
        (FileCommand::ExportByLabel.into(), 20),
        (EditCommand::TimeStretch.into(), 6),
        (FileCommand::Record.into(), 6),
        (EditCommand::Normalise.into(), 6),
        (EditCommand::Lengthen.into(), 4),
        (EditCommand::PitchShift.into(), 4),
        (FileCommand::New.into(), 6),
        (FileCommand::OpenPath.into(), 4),
        (FileCommand::Resample.into(), 4),
        (FileCommand::RunOnFiles.into(), 6),
        (PlayCommand::Output.into(), 4),
        (BeatCommand::Grid.into(), 4),
        (LabelCommand::Add.into(), 2),
    ];
    for (size, scale) in &SIZES[..4] {
        let size = sized(&mut bench, *size, *scale);
        for (command, min) in cards {
            let before = nodes_in(&bench, Rect::EVERYTHING);
            let ctx = bench.harness.ctx.clone();
            bench.harness.state_mut().apply(&ctx, command);
            bench.settle();
            assert_apart(&appeared(&bench, &before), min, size, &format!("{command:?}"));
            bench.key(NONE, egui::Key::Escape);
            assert!(!bench.has("Close dialog"), "{command:?}");
        }
    }
}

#[test]
fn no_text_of_the_library_lies_over_another() {
    let mut bench = studio_library::bench(Drawing::None);
    bench.act(LibraryAct::Choose { at: 1, is_audible: false });
    bench.select(Some([1.0, 1.5]), None);
    for (size, scale) in &SIZES[..4] {
        let size = sized(&mut bench, *size, *scale);
        for command in [BrowseCommand::All, BrowseCommand::Similar, BrowseCommand::Duplicates, BrowseCommand::Folders] {
            bench.act(command);
            bench.settle();
            // The button that hides it stands at its right edge.
            let right = bench.harness.get_by_label("Library").rect().right() + 8.0;
            let area = Rect::from_min_max(pos2(right - 300.0, 80.0), pos2(right + 1.0, size.y - 80.0));
            assert_apart(&nodes_in(&bench, area), 7, size, &format!("{command:?}"));
        }
        // The folders are shown no longer.
        bench.act(BrowseCommand::Folders);
        bench.settle();
    }
}

/// The commands of a menu or of one of its submenus, by what they are called there. No file was opened before.
fn entries(bench: &Bench, menu: Menu, submenu: Option<&str>) -> Vec<String> {
    let facts = bench.studio().facts();
    let is_listed = |command: &Command| !matches!(command, Command::File(FileCommand::OpenRecent(_)));
    let mine = COMMANDS.into_iter().filter(is_listed).filter(|command| command.row().menu == menu);
    let mine = mine.filter(|command| command.row().submenu == submenu);
    mine.map(|command| command.menu_name(&facts).into_owned()).collect()
}

/// The places of what is called so, from `left` on: panels and tools have names of menus, too.
fn places(bench: &Bench, name: &str, left: f32) -> Vec<Rect> {
    let all = bench.harness.query_all_by_label(name).map(|node| node.rect());
    all.filter(|rect| rect.is_positive() && rect.left() >= left && rect.top() > 20.0).collect()
}

#[test]
fn every_entry_of_every_menu_is_in_view_or_scrolled_to() {
    let mut bench = Bench::new(Drawing::None);
    bench.act(FileAct::AllowSavingBack);
    let mut n_entries = 0;
    for height in [800.0, 400.0] {
        sized(&mut bench, [1024.0, height], 1.0);
        for menu in Menu::ALL {
            bench.click(menu.name());
            let left = bench.harness.get_by_label(menu.name()).rect().left();
            let of_menu = COMMANDS.into_iter().filter(|command| command.row().menu == menu);
            let mut listed = BTreeSet::new();
            let submenus: Vec<&str> =
                of_menu.filter_map(|command| command.row().submenu).filter(|name| listed.insert(*name)).collect();
            let own = entries(&bench, menu, None).into_iter().chain(submenus.iter().map(|name| (*name).to_owned()));
            n_entries += in_view(&mut bench, own.collect(), left - 8.0, height);
            // In a low window some of them are scrolled away.
            for submenu in submenus.into_iter().filter(|_| height >= 700.0) {
                let mut column = places(&bench, submenu, left - 8.0).into_iter();
                let place = column.find(|rect| rect.left() < left + 24.0).expect("a submenu in its menu");
                press(&mut bench, place.center());
                let names = entries(&bench, menu, Some(submenu));
                n_entries += in_view(&mut bench, names, left + 100.0, height);
            }
            bench.key(NONE, egui::Key::Escape);
            bench.key(NONE, egui::Key::Escape);
        }
    }
    assert!(n_entries >= 200, "{n_entries}");
}

/// Fails unless all that is called so, from `left` on, lies in a window of a height, at once or, in a low one, once it
/// is scrolled to; how many there are.
fn in_view(bench: &mut Bench, names: Vec<String>, left: f32, height: f32) -> usize {
    let missing = |bench: &Bench, names: &[String]| -> Vec<String> {
        let is_seen = |name: &&String| places(bench, name, left).iter().any(|rect| rect.bottom() <= height);
        names.iter().filter(|name| !is_seen(name)).cloned().collect()
    };
    let mut left_out = missing(bench, &names);
    if height < 640.0 && !left_out.is_empty() {
        let first = places(bench, &names[0], left).into_iter().min_by(|a, b| a.left().total_cmp(&b.left()));
        let Some(first) = first else { panic!("not there at a height of {height}: {names:?}") };
        turn_wheel(bench, first.center(), -2_000.0);
        left_out = missing(bench, &left_out);
    }
    assert!(left_out.is_empty(), "out of view at a height of {height}: {left_out:?}");
    names.len()
}

fn turn_wheel(bench: &mut Bench, at: egui::Pos2, points: f32) {
    bench.harness.hover_at(at);
    bench.harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: vec2(0.0, points),
        phase: egui::TouchPhase::Move,
        modifiers: NONE,
        source: egui::MouseWheelSource::Unknown,
    });
    bench.settle();
}

fn press(bench: &mut Bench, at: egui::Pos2) {
    bench.harness.event(egui::Event::PointerMoved(at));
    bench.harness.step();
    for pressed in [true, false] {
        let (button, modifiers) = (egui::PointerButton::Primary, NONE);
        bench.harness.event(egui::Event::PointerButton { pos: at, button, pressed, modifiers });
        bench.harness.step();
    }
    bench.settle();
}
