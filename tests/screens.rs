//! Every panel, card and preview in the windows that people have, in both themes: no word is cut or runs out of its
//! box. `SONOBRUSH_SCREENS=FOLDER cargo test --test tests -- --ignored --exact screens::every_screen_to_look_at` writes
//! pictures of all of them.

use crate::previews;
use crate::studio_sizes::{appeared, assert_apart, cut_words, nodes_in, sized};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu};
use egui::{Pos2, Rect, Role, Shape, Theme, vec2};
use egui_kittest::kittest::NodeT;
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{StftParams, Transform, Window};
use sonobrush::studio::widgets::theme;
use sonobrush::studio::widgets::theme::contrast;
use sonobrush::workbench::commands::{
    BeatCommand, Command, EditCommand, FileCommand, LabelCommand, PlayCommand, WindowCommand,
};
use sonobrush::workbench::{LabelAct, LayoutAct, Panel, Panes};
use std::path::PathBuf;

/// Points of the window, pixels in a point, and the theme.
pub type Look = ([f32; 2], f32, Theme);

/// All of them; by default each size, scale and theme twice.
pub fn looks() -> Vec<Look> {
    let sizes = [[1280.0, 800.0], [1600.0, 1000.0]];
    let all = sizes.into_iter().flat_map(|size| [1.0, 2.0].map(|scale| (size, scale)));
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    let themes = |i: usize| match (is_long, i) {
        (true, _) => vec![Theme::Dark, Theme::Light],
        (false, 0 | 3) => vec![Theme::Dark],
        (false, _) => vec![Theme::Light],
    };
    all.enumerate()
        .flat_map(|(i, (size, scale))| themes(i).into_iter().map(move |theme| (size, scale, theme)))
        .collect()
}

pub fn look(bench: &mut Bench, (size, scale, theme): Look) {
    bench.harness.ctx.set_theme(theme);
    sized(bench, size, scale);
}

const CARDS: [(&str, Command); 20] = [
    ("export", Command::File(FileCommand::Export)),
    ("export by label", Command::File(FileCommand::ExportByLabel)),
    ("save project", Command::File(FileCommand::SaveProjectAs)),
    ("new", Command::File(FileCommand::New)),
    ("open path", Command::File(FileCommand::OpenPath)),
    ("resample", Command::File(FileCommand::Resample)),
    ("record", Command::File(FileCommand::Record)),
    ("run on files", Command::File(FileCommand::RunOnFiles)),
    ("unsaved", Command::File(FileCommand::Close)),
    ("output", Command::Play(PlayCommand::Output)),
    ("normalise", Command::Edit(EditCommand::Normalise)),
    ("lengthen", Command::Edit(EditCommand::Lengthen)),
    ("pitch shift", Command::Edit(EditCommand::PitchShift)),
    ("time stretch", Command::Edit(EditCommand::TimeStretch)),
    ("beat grid", Command::Beat(BeatCommand::Grid)),
    ("label", Command::Label(LabelCommand::Add)),
    ("finder", Command::Window(WindowCommand::Palette)),
    ("first steps", Command::Window(WindowCommand::FirstSteps)),
    ("keys", Command::Window(WindowCommand::Keys)),
    ("about", Command::Window(WindowCommand::About)),
];

/// Those that are scrolled.
const LISTS: [&str; 3] = ["finder", "keys", "about"];

/// With an edit, a selection, and labels of which one is in hand.
pub fn bench(drawing: Drawing) -> Bench {
    let mut bench = Bench::with_clip(drawing, "guitar_chord_44k_stereo.flac");
    bench.select(Some([0.5, 1.5]), Some([300.0, 3_000.0]));
    bench.act(EditCommand::EraseSelection);
    bench.settle();
    for k in 0..8 {
        let start = 0.1 + 0.2 * f64::from(k);
        bench.act(LabelAct::Draw { secs: [start, start + 0.15], hz: Some([500.0, 4_000.0]) });
        bench.settle();
    }
    bench.select(Some([0.5, 1.5]), Some([300.0, 3_000.0]));
    bench
}

/// What is painted within one edge: where, and what it says if it is text.
struct Painted {
    clip: Rect,
    rect: Rect,
    text: Option<String>,
}

fn painted(bench: &Bench) -> Vec<Painted> {
    fn collect(clip: Rect, shape: &Shape, all: &mut Vec<Painted>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(clip, shape, all)),
            Shape::Rect(shape) => all.push(Painted { clip, rect: shape.rect, text: None }),
            Shape::Text(text) if !text.galley.text().trim().is_empty() => {
                all.push(Painted {
                    clip,
                    rect: text.visual_bounding_rect(),
                    text: Some(text.galley.text().to_owned()),
                });
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    bench.harness.output().shapes.iter().for_each(|clipped| collect(clipped.clip_rect, &clipped.shape, &mut all));
    // Rulers and labels end where the picture does.
    let canvas = bench.studio().canvas_rect().expand(60.0);
    all.retain(|one| one.clip.contains(one.rect.center()) && !canvas.contains_rect(one.clip));
    all
}

/// Texts that overflow their field, list or button, or are clipped by an edge.
fn spilt(all: &[Painted]) -> Vec<String> {
    let is_box = |one: &&Painted| {
        let (width, height) = (one.rect.width(), one.rect.height());
        one.text.is_none() && (20.0..=600.0).contains(&width) && (16.0..=34.0).contains(&height)
    };
    let boxes: Vec<&Painted> = all.iter().filter(is_box).collect();
    let mut found = Vec::new();
    for Painted { clip, rect, text } in all.iter().filter(|one| one.text.is_some()) {
        let is_cut = rect.left() < clip.left() - 1.0 || rect.right() > clip.right() + 1.0;
        let around = boxes.iter().filter(|one| one.clip == *clip && one.rect.contains(rect.center()));
        let own = around.map(|one| one.rect).min_by(|a, b| a.area().total_cmp(&b.area()));
        let is_out = own.is_some_and(|own| rect.left() < own.left() - 1.0 || rect.right() > own.right() + 1.0);
        if is_cut || is_out {
            found.push(format!("{text:?} at {rect:?}, in {own:?}, cut at {clip:?}"));
        }
    }
    found
}

/// Words that are painted over other words.
fn overlaid(all: &[Painted]) -> Vec<String> {
    let texts: Vec<(&Painted, &String)> = all.iter().filter_map(|one| Some((one, one.text.as_ref()?))).collect();
    let mut found = Vec::new();
    for (at, (one, text)) in texts.iter().enumerate() {
        for (other, beneath) in &texts[..at] {
            let common = one.rect.intersect(other.rect).intersect(one.clip).intersect(other.clip);
            // What lies under a card has other edges; what is typed has those of its field.
            let is_field = |clip: Rect| clip.width() < 600.0 && clip.height() < 40.0;
            let is_beside = one.clip == other.clip || is_field(one.clip) || is_field(other.clip);
            if common.width() > 3.0 && common.height() > 3.0 && text != beneath && is_beside {
                found.push(format!("{text:?} over {beneath:?} at {common:?}"));
            }
        }
    }
    found
}

pub fn assert_fits(bench: &Bench, what: &str) {
    let all = painted(bench);
    let faults = [cut_words(bench, Rect::EVERYTHING), spilt(&all), overlaid(&all)].concat();
    assert!(faults.is_empty(), "{what}: {}", faults.join("\n"));
}

#[test]
fn no_word_of_a_panel_is_cut() {
    let mut bench = bench(Drawing::None);
    let transforms: [Transform; 2] = [
        StftParams { n_fft: 32_768, hop: 2_048, window: Window::BlackmanHarris }.into(),
        RowsParams::fine_pitch().into(),
    ];
    for at in looks() {
        look(&mut bench, at);
        for transform in &transforms {
            bench.set_view(|view| (view.transform, view.panes) = (transform.clone(), Panes::Both));
            for panel in Panel::ALL {
                Panel::ALL.into_iter().for_each(|other| {
                    bench.act(LayoutAct::Open { panel: other, is_open: other == panel });
                });
                bench.settle();
                assert_fits(&bench, &format!("{panel:?}, {transform:?} at {at:?}"));
            }
        }
    }
    // The check bites: words that are wider than their list, and words at an edge.
    let place = |left: f32, width: f32| Rect::from_min_size(Pos2::new(left, 0.0), vec2(width, 20.0));
    let one = |clip: Rect, rect: Rect, text: Option<&str>| Painted { clip, rect, text: text.map(str::to_owned) };
    let (whole, words) = (place(0.0, 400.0), Some("Blackman-Harris"));
    let in_list = |width: f32| [one(whole, place(10.0, 60.0), None), one(whole, place(16.0, width), words)];
    assert_eq!((spilt(&in_list(90.0)).len(), spilt(&in_list(50.0)).len()), (1, 0));
    assert_eq!(spilt(&[one(place(0.0, 90.0), place(30.0, 90.0), words)]).len(), 1);
    let pair = |left: f32| [one(whole, place(0.0, 50.0), words), one(whole, place(left, 50.0), Some("semitones"))];
    assert_eq!((overlaid(&pair(40.0)).len(), overlaid(&pair(60.0)).len()), (1, 0));
}

#[test]
fn no_word_of_a_card_is_cut_or_over_another() {
    let mut bench = bench(Drawing::None);
    for at in looks() {
        look(&mut bench, at);
        for (name, command) in CARDS {
            let before = nodes_in(&bench, Rect::EVERYTHING);
            let ctx = bench.harness.ctx.clone();
            bench.harness.state_mut().apply(&ctx, command);
            bench.settle();
            let what = format!("{name} at {at:?}");
            // What is scrolled away in a list has a place outside it.
            if !LISTS.contains(&name) {
                assert_apart(&appeared(&bench, &before), 2, at.0.into(), &what);
            }
            assert_fits(&bench, &what);
            bench.key(NONE, egui::Key::Escape);
        }
    }
}

/// Attenuate has up to ten fields: its last are behind *More settings*.
#[test]
fn a_preview_has_its_fields_in_a_bar_of_1280_points() {
    let mut bench = previews::bench();
    previews::learn(&mut bench);
    let mut left_over = Vec::new();
    for (name, begin) in previews::all_kinds() {
        begin(&mut bench);
        bench.settle();
        for at in looks() {
            look(&mut bench, at);
            if bench.has("More settings") && !name.to_lowercase().contains("attenuate") {
                left_over.push(format!("{name} at {at:?}"));
            }
            assert_fits(&bench, &format!("{name} at {at:?}"));
        }
        bench.key(NONE, egui::Key::Escape);
    }
    assert!(left_over.is_empty(), "{left_over:?}");
}

#[test]
fn what_a_low_window_has_no_room_for_is_scrolled_to() {
    let mut bench = bench(Drawing::None);
    look(&mut bench, ([1280.0, 800.0], 1.0, Theme::Dark));
    Panel::ALL.into_iter().for_each(|panel| bench.act(LayoutAct::Open { panel, is_open: true }));
    bench.settle();
    let place = |bench: &Bench, name: &str| -> Rect {
        let nodes = nodes_in(bench, Rect::EVERYTHING);
        nodes.iter().find(|(label, ..)| label == name).unwrap_or_else(|| panic!("no {name}")).2
    };
    let history = place(&bench, "History panel");
    let window = Rect::from_min_size(Pos2::ZERO, vec2(1280.0, 800.0));
    assert!(window.contains_rect(history));
    bench.harness.hover_at(Pos2::new(history.center().x, 300.0));
    for up in [4_000.0, -4_000.0] {
        // The list of labels may lie under the pointer, and takes the first of them.
        for _ in 0..4 {
            bench.harness.event(egui::Event::MouseWheel {
                unit: egui::MouseWheelUnit::Point,
                delta: vec2(0.0, up),
                phase: egui::TouchPhase::Move,
                modifiers: NONE,
                source: egui::MouseWheelSource::Unknown,
            });
            bench.settle();
        }
        let seen = Rect::from_min_max(Pos2::new(history.left(), 79.0), Pos2::new(1280.0, history.top() + 0.5));
        let [first, last] = ["View panel", "Spectrum panel"].map(|name| place(&bench, name));
        let (shown, hidden) = if up > 0.0 { (first, last) } else { (last, first) };
        assert!(seen.contains_rect(shown) && !seen.contains_rect(hidden), "{shown:?}, {hidden:?} in {seen:?}");
    }
}

#[test]
fn boxes_and_circles_stand_out_from_their_ground() {
    let mut bench = bench(Drawing::None);
    for theme in [Theme::Dark, Theme::Light] {
        look(&mut bench, ([1280.0, 800.0], 1.0, theme));
        let palette = theme::palette(&bench.harness.ctx);
        let mut n_seen = 0;
        for command in [None, Some(FileCommand::RunOnFiles), Some(FileCommand::Record)] {
            if let Some(command) = command {
                let ctx = bench.harness.ctx.clone();
                bench.harness.state_mut().apply(&ctx, command);
                bench.settle();
            }
            let is_one = |role: Role| matches!(role, Role::CheckBox | Role::RadioButton);
            let nodes = bench.harness.root().children_recursive();
            let all: Vec<Rect> =
                nodes.filter(|node| is_one(node.accesskit_node().role())).map(|node| node.rect()).collect();
            let mut signs: Vec<(Rect, egui::Stroke)> = Vec::new();
            for clipped in &bench.harness.output().shapes {
                match &clipped.shape {
                    Shape::Rect(rect) => signs.push((rect.rect, rect.stroke)),
                    Shape::Circle(circle) => {
                        let side = vec2(2.0 * circle.radius, 2.0 * circle.radius);
                        signs.push((Rect::from_center_size(circle.center, side), circle.stroke));
                    }
                    _ => {}
                }
            }
            for node in all.iter().filter(|node| node.is_positive()) {
                // The largest of its signs; what is scrolled away has none.
                let is_own = |(rect, _): &&(Rect, egui::Stroke)| {
                    node.expand(2.0).contains_rect(*rect) && (10.0..24.0).contains(&rect.width())
                };
                let own = signs.iter().filter(is_own).max_by(|a, b| a.0.area().total_cmp(&b.0.area()));
                let Some((_, stroke)) = own else { continue };
                for ground in [palette.panel, palette.raised] {
                    let found = if stroke.width >= 1.0 { contrast(stroke.color, ground) } else { 0.0 };
                    assert!(found >= 3.0, "{theme:?}: {found:.2} at {node:?}");
                }
                n_seen += 1;
            }
            bench.key(NONE, egui::Key::Escape);
        }
        assert!(n_seen >= 6, "{n_seen} boxes");
    }
}

#[test]
fn ten_tabs_show_both_ends_of_their_names() {
    let mut bench = Bench::new(Drawing::None);
    let path = |n: usize| format!("interview_2026-11-27_take_{n:02}.flac");
    let folder = tempfile::tempdir().unwrap();
    for n in 1..=10 {
        let to = folder.path().join(path(n));
        std::fs::copy(crate::support::studio::clip("crow_44k_mono.flac"), &to).unwrap();
        bench.open(to);
        bench.settle();
    }
    look(&mut bench, ([1280.0, 800.0], 1.0, Theme::Dark));
    let nodes = nodes_in(&bench, Rect::EVERYTHING);
    let mut shown = Vec::new();
    for n in 1..=10 {
        let tab = nodes.iter().find(|(label, ..)| *label == path(n)).unwrap_or_else(|| panic!("no tab {n}")).2;
        let texts = bench.harness.output().shapes.iter().filter_map(|clipped| match &clipped.shape {
            Shape::Text(text) if tab.contains_rect(text.visual_bounding_rect()) => Some(text.galley.text().to_owned()),
            _ => None,
        });
        let text: String = texts.max_by_key(|text| text.chars().count()).expect("a name");
        assert!(text.starts_with("int") && text.ends_with(&format!("_{n:02}")), "{text} of {}", path(n));
        shown.push(text);
    }
    shown.dedup();
    assert_eq!(shown.len(), 10, "{shown:?}");
    // Under the pointer a tab has its cross.
    let tab = nodes.iter().find(|(label, ..)| *label == path(3)).unwrap().2;
    bench.harness.hover_at(tab.center());
    bench.settle();
    bench.click(&format!("Close {}", path(3)));
    assert_eq!(bench.studio().workbench().documents().len(), 9);
}

#[test]
#[ignore = "writes pictures for people to look at"]
fn every_screen_to_look_at() {
    let Some(folder) = std::env::var_os("SONOBRUSH_SCREENS").map(PathBuf::from).filter(|_| has_gpu()) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let mut bench = bench(Drawing::Wgpu);
    let shoot = |bench: &mut Bench, name: &str, (size, scale, theme): Look| {
        let name = format!("{}x{} {scale} {theme:?} {name}.png", size[0], size[1]);
        bench.harness.render().unwrap().save(folder.join(name)).unwrap();
    };
    for at in looks() {
        look(&mut bench, at);
        for panels in
            [&[Panel::View, Panel::Selection, Panel::Spectrum][..], &[Panel::Labels, Panel::History], &Panel::ALL]
        {
            Panel::ALL.into_iter().for_each(|panel| {
                bench.act(LayoutAct::Open { panel, is_open: panels.contains(&panel) });
            });
            bench.settle();
            shoot(&mut bench, &format!("panels {}", panels.len()), at);
        }
        for (name, command) in CARDS {
            let ctx = bench.harness.ctx.clone();
            bench.harness.state_mut().apply(&ctx, command);
            bench.settle();
            shoot(&mut bench, name, at);
            bench.key(NONE, egui::Key::Escape);
        }
        bench.key(CTRL, egui::Key::Z);
        bench.key(CTRL, egui::Key::Y);
    }
    let mut bench = previews::bench_on(Drawing::Wgpu);
    previews::learn(&mut bench);
    for (name, begin) in previews::all_kinds() {
        begin(&mut bench);
        bench.settle();
        for at in looks() {
            look(&mut bench, at);
            shoot(&mut bench, &format!("preview {name}"), at);
        }
        bench.key(NONE, egui::Key::Escape);
    }
}
