//! Every control has a name, can be hit, and stays in reach: over the accessible tree of the real widgets, in a usual
//! window and on a screen of 1,280 x 720 at 200 %. And what has failed says what to do next.

use crate::support::program::program;
use crate::support::studio::{Bench, Drawing, NONE, has_gpu};
use egui::{Rect, Role};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::base::{Error, ErrorKind};
use sonobrush::studio::widgets::theme;
use sonobrush::studio::widgets::theme::contrast;
use sonobrush::view::colours_from_png;
use sonobrush::workbench::Notices;
use sonobrush::workbench::commands::Command;
use sonobrush::workbench::commands::{FileCommand, PlayCommand, ToolCommand, WindowCommand};

/// Name, role and place of everything that can be pressed, typed into or dragged.
fn controls(bench: &Bench) -> Vec<(String, Role, Rect)> {
    let is_control = |role: Role| {
        let buttons = matches!(role, Role::Button | Role::CheckBox | Role::RadioButton | Role::MenuItem | Role::Link);
        let fields = matches!(role, Role::SpinButton | Role::Slider | Role::TextInput | Role::ComboBox);
        // The scroll bars of egui's own areas have no names to give; wheel, keys and focus scroll them.
        buttons || fields || matches!(role, Role::Canvas | Role::Splitter)
    };
    let nodes = bench.harness.root().children_recursive();
    nodes
        .filter(|node| is_control(node.accesskit_node().role()))
        .map(|node| {
            let found = node.accesskit_node();
            (found.label().unwrap_or_default(), found.role(), node.rect())
        })
        .collect()
}

/// Controls too small for easy pointing.
fn too_small(controls: &[(String, Role, Rect)]) -> Vec<String> {
    let is_small = |rect: &Rect| rect.width() < 23.9 || rect.height() < 23.9;
    // The edge of a side is caught anywhere along it, and moved by keys.
    let is_edge = |role: Role, rect: &Rect| role == Role::Splitter && rect.height() > 200.0;
    controls
        .iter()
        .filter(|(_, role, rect)| is_small(rect) && !is_edge(*role, rect))
        .map(|(name, role, rect)| format!("{name} {role:?} {rect:?}"))
        .collect()
}

/// Controls of a bar that overlap, or lie outside the window.
fn crossed(controls: &[(String, Role, Rect)], bar: Rect, window: Rect) -> Vec<String> {
    // Tools are scrolled in a column of their own: those below it lie behind other bars, unseen.
    let tools = sonobrush::workbench::Tool::ALL.map(|tool| ToolCommand::Pick(tool).row().name);
    let is_bars = |name: &str, rect: &Rect| bar.contains(rect.center()) && !tools.contains(&name);
    let mine: Vec<_> = controls.iter().filter(|(name, _, rect)| is_bars(name, rect)).collect();
    let mut found = Vec::new();
    for (i, (name, _, rect)) in mine.iter().enumerate() {
        if !window.expand(0.5).contains_rect(*rect) {
            found.push(format!("{name} leaves the window: {rect:?}"));
        }
        for (other, _, place) in &mine[..i] {
            let common = rect.intersect(*place);
            if common.width() > 1.0 && common.height() > 1.0 {
                found.push(format!("{name} lies over {other}"));
            }
        }
    }
    found
}

fn all_tools(bench: &mut Bench, mut look: impl FnMut(&Bench, &str)) {
    for tool in sonobrush::workbench::Tool::ALL {
        bench.pick(tool);
        bench.settle();
        look(bench, &format!("{tool:?}"));
    }
}

#[test]
fn every_control_is_named_and_can_be_hit() {
    let drawing = if has_gpu() { Drawing::Wgpu } else { Drawing::None };
    let check = |bench: &Bench, what: &str| {
        let all = controls(bench);
        assert!(all.len() > 30, "{what}: {}", all.len());
        let nameless: Vec<_> = all.iter().filter(|(name, ..)| name.trim().is_empty()).collect();
        assert!(nameless.is_empty(), "{what}: {nameless:?}");
        assert_eq!(too_small(&all), Vec::<String>::new(), "{what}");
    };
    let empty = Bench::new(Drawing::None);
    check(&empty, "without a file");
    let mut bench = Bench::with_clip(drawing, "guitar_chord_44k_stereo.flac");
    bench.select(Some([1.0, 2.0]), Some([500.0, 2000.0]));
    bench.key(NONE, egui::Key::Delete);
    all_tools(&mut bench, check);
    for command in [
        Command::File(FileCommand::Export),
        Command::File(FileCommand::OpenPath),
        Command::Window(WindowCommand::Palette),
        Command::Window(WindowCommand::Keys),
        Command::Play(PlayCommand::Output),
    ] {
        let ctx = bench.harness.ctx.clone();
        bench.harness.state_mut().apply(&ctx, command);
        bench.settle();
        check(&bench, &format!("{command:?}"));
        bench.key(NONE, egui::Key::Escape);
    }
    // The check can fail.
    let mut planted = controls(&bench);
    planted.push((String::new(), Role::Button, Rect::from_min_size(egui::pos2(5.0, 5.0), egui::vec2(40.0, 20.0))));
    assert_eq!(too_small(&planted).len(), 1);
}

#[test]
fn bars_keep_their_controls_apart_and_inside_down_to_the_least_window() {
    let drawing = if has_gpu() { Drawing::Wgpu } else { Drawing::None };
    let mut bench = Bench::with_clip(drawing, "guitar_chord_44k_stereo.flac");
    for ([width, height], pixels_per_point) in
        [([1440.0, 900.0], 1.0), ([1280.0, 720.0], 1.0), ([900.0, 600.0], 1.0), ([640.0, 360.0], 2.0)]
    {
        // A change of scale comes with a frame of the old size.
        bench.harness.set_pixels_per_point(pixels_per_point);
        bench.settle();
        bench.harness.set_size(egui::vec2(width, height));
        bench.settle();
        let window = Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width, height));
        let bars = [[0.0, 36.0], [36.0, 80.0], [height - 80.0, height - 24.0], [height - 24.0, height]];
        all_tools(&mut bench, |bench, tool| {
            let all = controls(bench);
            for [top, bottom] in bars {
                let bar = Rect::from_min_max(egui::pos2(0.0, top), egui::pos2(width, bottom));
                let found = crossed(&all, bar, window);
                assert!(found.is_empty(), "{tool} at {width} x {height}: {found:?}");
            }
        });
        let canvas = bench.studio().canvas_rect();
        assert!(canvas.width() >= 400.0 && canvas.height() >= 140.0, "{canvas:?} is left of {width} x {height}");
        // Every tool can be scrolled to and every panel opened.
        if width < 1280.0 {
            for panel in ["View", "Selection", "Spectrum", "History"] {
                bench.click(&format!("Open the {panel} panel"));
                let heading = bench.harness.get_by_label(&format!("{panel} panel")).rect();
                assert!(window.contains_rect(heading), "{heading:?}");
                bench.click(&format!("Open the {panel} panel"));
            }
        }
    }
}

#[test]
fn words_on_every_face_of_a_widget_can_be_read_in_both_themes() {
    let ctx = egui::Context::default();
    theme::install(&ctx);
    for (theme, palette) in [(egui::Theme::Dark, &theme::DARK), (egui::Theme::Light, &theme::LIGHT)] {
        let style = ctx.style_of(theme);
        let visuals = &style.visuals;
        let widgets = &visuals.widgets;
        let faces = [&widgets.noninteractive, &widgets.inactive, &widgets.hovered, &widgets.active, &widgets.open];
        let mut pairs: Vec<_> = faces.iter().map(|face| (face.fg_stroke.color, face.weak_bg_fill)).collect();
        for ground in [visuals.panel_fill, visuals.window_fill] {
            pairs.extend(
                [visuals.hyperlink_color, visuals.warn_fg_color, visuals.error_fg_color].map(|ink| (ink, ground)),
            );
            pairs.extend(visuals.weak_text_color.map(|ink| (ink, ground)));
        }
        pairs.push((visuals.selection.stroke.color, visuals.selection.bg_fill));
        // The spectrum panel and the overview.
        pairs.extend([palette.text_weak, palette.text, palette.text_strong].map(|ink| (ink, palette.panel)));
        pairs.push((palette.text_strong, palette.active));
        for curve in [palette.accent, palette.series_2, palette.text_weak, palette.text] {
            assert!(contrast(curve, palette.well) >= 3.0, "{theme:?}: a line needs less than words, and has that");
        }
        for (ink, ground) in pairs {
            assert!(contrast(ink, ground) >= 4.5, "{theme:?}: {ink:?} on {ground:?} has {}", contrast(ink, ground));
        }
        assert_eq!(visuals.disabled_alpha, 1.0, "what is disabled is not faded");
    }
}

#[test]
fn every_failure_says_what_to_do_next() {
    let kinds = [
        ErrorKind::Io,
        ErrorKind::Malformed,
        ErrorKind::Unsupported,
        ErrorKind::Limit,
        ErrorKind::Script,
        ErrorKind::Gpu,
        ErrorKind::Audio,
        ErrorKind::Internal,
    ];
    for doing in ["open", "export", "apply the edit", "play", "select", "show a file dialog"] {
        for kind in kinds {
            let mut notices = Notices::default();
            notices.fail(0.0, doing, &Error::new(kind, "it did not go well"));
            let advice = notices.all()[0].advice.clone().unwrap_or_default();
            assert!(advice.len() > 12 && advice.ends_with('.'), "{doing}, {kind:?}: {advice:?}");
            // One that says so itself is not followed by another.
            notices.fail(0.0, doing, &Error::new(kind, "the disk is full; free some space"));
            let own = (kind == ErrorKind::Audio).then_some("Free some space.");
            assert_eq!(notices.all()[1].advice.as_deref(), own, "in its sentence, or behind it");
        }
    }
}

#[test]
fn the_picture_on_the_demo_card_is_of_the_demo_clip() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/clips");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("picture.png");
    let clip = root.join("guitar_chord_44k_stereo.flac");
    let mut command = std::process::Command::new(program());
    command.arg("image").arg(clip).arg("-o").arg(&out).args(["--colormap", "grey", "--size", "720x152"]);
    let output = command.args(["--frequency", "60,9000", "--range", "-90,-5"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |path: &std::path::Path| colours_from_png(&std::fs::read(path).unwrap()).unwrap();
    let (made, kept) = (read(&out), read(&root.join("guitar_chord.png")));
    assert_eq!((made.0, kept.0), ([720, 152], [720, 152]));
    let n_apart = made.1.iter().zip(&kept.1).filter(|(a, b)| a.abs_diff(**b) > 3).count();
    assert!(n_apart < made.1.len() / 1000, "{n_apart} of {} values are others", made.1.len());
    assert!(colours_from_png(b"no picture").is_err());
}
