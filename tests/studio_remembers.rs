//! What survives a restart: layout, view, tools, recent files, theme and output; and what a damaged file does to it.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, clip, has_gpu, number_of, set_number};
use egui_kittest::kittest::Queryable;
use serde_json::Value;
use sonobrush::base::{Folders, Settings};
use sonobrush::dsp::{Axis, StftParams, Window};
use sonobrush::studio::desktop::placing;
use sonobrush::view::Colormap;
use sonobrush::workbench::Picked;
use sonobrush::workbench::Severity;
use sonobrush::workbench::commands::Command;
use sonobrush::workbench::commands::{FileCommand, LayoutCommand, ToolCommand, ViewCommand, WindowCommand};
use sonobrush::workbench::{Panel, Panes, Radius, Tool, WindowPreferences};
use std::path::Path;

fn settings_file(bench: &Bench) -> std::path::PathBuf {
    Folders::in_folder(bench.out("x").parent().unwrap()).settings_file()
}

fn on_disk(bench: &Bench) -> Value {
    serde_json::from_str(&std::fs::read_to_string(settings_file(bench)).unwrap()).unwrap()
}

fn apply(bench: &mut Bench, command: impl Into<Command>) {
    let ctx = bench.harness.ctx.clone();
    bench.harness.state_mut().apply(&ctx, command);
    bench.settle();
}

fn open(bench: &mut Bench, path: &Path) {
    bench.dialogs.answer(Picked::File(path.to_path_buf()));
    bench.key(CTRL, egui::Key::O);
}

#[test]
fn view_tools_panels_and_theme_survive_a_restart() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.click("Mel axis");
    bench.key(NONE, egui::Key::F7);
    bench.key(SHIFT, egui::Key::B);
    apply(&mut bench, ViewCommand::Colormap(Colormap::Magma));
    apply(&mut bench, ViewCommand::LongerFrames);
    bench.set_view(|view| view.range_db = [-90.0, -12.0]);
    bench.key(NONE, egui::Key::W);
    bench.key(NONE, egui::Key::CloseBracket);
    bench.set_tools(|tools| set_number(tools, Tool::GAIN, "gain_db", -33.0));
    apply(&mut bench, LayoutCommand::Panel(Panel::History));
    bench.click("View panel");
    bench.key(CTRL | SHIFT, egui::Key::T);
    apply(&mut bench, WindowCommand::LargerInterface);
    let n_fft = bench.studio().document().unwrap().view().transform.as_stft().unwrap().n_fft;

    let mut bench = bench.restarted(Drawing::None);
    assert_eq!(bench.harness.ctx.theme(), egui::Theme::Light);
    assert_eq!(bench.harness.ctx.zoom_factor(), 1.25);
    let layout = bench.studio().layout();
    assert!(!layout.fold(Panel::History).is_shown && layout.fold(Panel::Selection).is_open);
    assert!(!layout.fold(Panel::View).is_open);
    let tools = bench.tools().clone();
    let settings = tools.settings();
    assert_eq!(
        (tools.active(), number_of(settings, Tool::GAIN, "gain_db"), tools.radius()),
        (Tool::WARP, -33.0, Radius::Screen { points: 40.0 })
    );
    open(&mut bench, &clip("crow_44k_mono.flac"));
    let view = bench.studio().document().unwrap().view();
    assert_eq!((view.axis, view.panes, view.colormap), (Axis::Mel, Panes::Both, Colormap::Magma));
    assert!(!view.smooth, "bare cells");
    assert_eq!((view.range_db, view.transform.as_stft().unwrap().n_fft, view.hz[0]), ([-90.0, -12.0], n_fft, 0.0));
    // The file's own view is reset.
    assert_eq!(view.secs[0], 0.0);
}

#[test]
fn a_transform_that_was_not_chosen_follows_the_files_rate() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let usual = *bench.studio().document().unwrap().view().transform.as_stft().unwrap();
    bench.set_view(|view| view.transform = StftParams { window: Window::Blackman, ..usual }.into());
    let mut bench = bench.restarted(Drawing::None);
    open(&mut bench, &clip("speech_16k_mono.wav"));
    let stft = *bench.studio().document().unwrap().view().transform.as_stft().unwrap();
    assert_eq!((stft.window, stft.n_fft), (Window::Blackman, 1024), "16 kHz asks for half of {}", usual.n_fft);
}

#[test]
fn recent_files_are_listed_in_menu_and_empty_window() {
    let mut bench = Bench::new(Drawing::None);
    assert!(!bench.studio().facts().has_document && bench.studio().recent().is_empty());
    for name in ["crow_44k_mono.flac", "speech_16k_mono.wav", "crow_44k_mono.flac"] {
        open(&mut bench, &clip(name));
    }
    apply(&mut bench, FileCommand::OpenDemo);
    let names: Vec<String> = bench.studio().recent().iter().map(|one| one.words()[0].clone()).collect();
    assert_eq!(names, ["crow_44k_mono.flac", "speech_16k_mono.wav"], "each once, the last first, the demo is none");

    let mut bench = bench.restarted(Drawing::None);
    let speech = bench.studio().recent()[1].clone();
    assert!((speech.duration_secs - 7.1).abs() < 0.1 && speech.format.starts_with("16 kHz, "), "{speech:?}");
    bench.harness.get_by_label_contains("Open speech_16k_mono.wav from").click();
    bench.settle();
    assert_eq!(bench.studio().document().unwrap().name(), "speech_16k_mono.wav");
    bench.click("File");
    bench.click("Open recent");
    bench.click("crow_44k_mono.flac");
    assert_eq!(bench.studio().document().unwrap().name(), "crow_44k_mono.flac");
    apply(&mut bench, FileCommand::ForgetRecent);
    let bench = bench.restarted(Drawing::None);
    assert!(bench.studio().recent().is_empty());
}

#[test]
fn a_recent_file_that_is_gone_is_told_with_what_to_do() {
    let mut bench = Bench::new(Drawing::None);
    let path = bench.out("here.flac");
    std::fs::copy(clip("crow_44k_mono.flac"), &path).unwrap();
    open(&mut bench, &path);
    std::fs::remove_file(&path).unwrap();
    apply(&mut bench, FileCommand::Close);
    apply(&mut bench, FileCommand::OpenRecent(0));
    let notices = bench.notices();
    let [(Severity::Error, what)] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(what.starts_with("No file here.flac in /"), "{what}");
    let advice = bench.studio().notices().all()[0].advice.clone().unwrap_or_default();
    assert!(what.contains("; ") || advice.ends_with('.'), "what to do is said: {what} {advice}");
}

#[test]
fn it_is_written_a_while_after_the_last_change_and_not_before() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.clock.advance(5.0);
    bench.settle();
    let file = settings_file(&bench);
    let tool = |bench: &Bench| on_disk(bench)["studio"]["tools"]["active"].clone();
    assert_eq!(tool(&bench), "gain");
    bench.key(NONE, egui::Key::W);
    bench.clock.advance(0.5);
    bench.settle();
    assert_eq!(tool(&bench), "gain", "not at once");
    bench.clock.advance(0.6);
    bench.settle();
    assert_eq!(tool(&bench), "warp");
    let written = std::fs::metadata(&file).unwrap().modified().unwrap();
    bench.clock.advance(60.0);
    bench.settle();
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), written, "nothing changed");
    // Closing the window waits for nothing.
    bench.key(NONE, egui::Key::E);
    eframe::App::on_exit(bench.harness.state_mut());
    assert_eq!(tool(&bench), "erase");
}

#[test]
fn settings_of_others_stay_and_overrides_are_not_written() {
    let bench = Bench::new(Drawing::None);
    let folders = Folders::in_folder(bench.out("x").parent().unwrap());
    Settings::save_change(&folders, |settings| settings.audio_device = Some("USB".into())).unwrap();
    let mut file = on_disk(&bench);
    file["of_the_future"] = 7.into();
    std::fs::write(settings_file(&bench), file.to_string()).unwrap();
    let mut bench = bench.restarted(Drawing::None);
    bench.key(NONE, egui::Key::W);
    let bench = bench.restarted(Drawing::None);
    let file = on_disk(&bench);
    assert_eq!((file["audio_device"].clone(), file["of_the_future"].clone()), ("USB".into(), 7.into()));
    assert_eq!(file["studio"]["tools"]["active"], "warp");
    assert!(file.get("engine").is_none(), "what nobody chose is not written: {file}");
}

#[test]
fn a_damaged_file_is_set_aside_told_and_never_over_an_older_one() {
    let mut bench = Bench::new(Drawing::None);
    let file = settings_file(&bench);
    let aside = |n: &str| std::fs::read_to_string(file.with_extension(format!("json.damaged{n}"))).ok();
    for (round, n) in ["", "-2"].into_iter().enumerate() {
        bench = bench.restarted(Drawing::None);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("{{ half a file, round {round}")).unwrap();
        let folder = bench.into_folder();
        bench = Bench::in_folder(Drawing::None, folder);
        assert_eq!(aside(n), Some(format!("{{ half a file, round {round}")));
        let notices = bench.notices();
        let [(Severity::Warning, what)] = notices.as_slice() else { panic!("{notices:?}") };
        assert!(what.contains("is damaged") && what.contains("renamed to"), "{what}");
        bench.key(NONE, egui::Key::W);
    }
    assert_eq!(aside(""), Some("{ half a file, round 0".into()), "the first one is still there");
    let bench = bench.restarted(Drawing::None);
    assert_eq!(bench.tools().active(), Tool::WARP, "and the new one is whole");
}

fn radius_points(bench: &Bench) -> f32 {
    match bench.tools().radius() {
        Radius::Screen { points } => points,
        Radius::Locked { .. } => panic!("it is locked"),
    }
}

#[test]
fn each_brush_keeps_its_own_radius() {
    let contrast = Tool::ALL
        .into_iter()
        .find(|tool| *tool == Tool::Brush(sonobrush::workbench::PaintTool::of_kind("contrast").unwrap()))
        .unwrap();
    let sizes = [(Tool::GAIN, 40.0), (Tool::ERASE, 25.6), (contrast, 62.5), (Tool::SelectBrush, 20.48)];
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    for (tool, points) in sizes {
        bench.pick(tool);
        assert_eq!(radius_points(&bench), 32.0, "{tool:?} as it was");
        let key = if points > 32.0 { egui::Key::CloseBracket } else { egui::Key::OpenBracket };
        while (radius_points(&bench) - points).abs() > 0.01 {
            bench.key(NONE, key);
        }
    }
    let each_has_its_own = |bench: &mut Bench| {
        for (tool, points) in sizes {
            bench.pick(tool);
            assert!((radius_points(bench) - points).abs() < 0.01, "{tool:?}: {}", radius_points(bench));
        }
        bench.pick(Tool::BLUR);
        assert_eq!(radius_points(bench), 32.0, "one that was never changed");
    };
    each_has_its_own(&mut bench);
    let mut bench = bench.restarted(Drawing::None);
    each_has_its_own(&mut bench);
    // In milliseconds and octaves, or reset, is one of them alone.
    open(&mut bench, &clip("crow_44k_mono.flac"));
    bench.pick(Tool::ERASE);
    bench.set_tools(|tools| tools.set_radius(Tool::ERASE, Radius::Locked { secs: 0.05, octaves: 0.3 }));
    assert!(matches!(bench.tools().radius(), Radius::Locked { .. }));
    bench.pick(Tool::GAIN);
    assert!((radius_points(&bench) - 40.0).abs() < 0.01);
    apply(&mut bench, ToolCommand::ResetTool);
    assert_eq!(radius_points(&bench), 32.0);
    bench.pick(Tool::SelectBrush);
    assert!((radius_points(&bench) - 20.48).abs() < 0.01);
}

#[test]
fn settings_from_when_all_brushes_shared_a_radius_give_it_to_all() {
    let bench = Bench::new(Drawing::None);
    let file = settings_file(&bench);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let folder = bench.into_folder();
    std::fs::write(&file, r#"{"studio": {"tools": {"active": "erase", "radius": {"screen": {"points": 50.0}}}}}"#)
        .unwrap();
    let mut bench = Bench::in_folder(Drawing::None, folder);
    for tool in [Tool::ERASE, Tool::GAIN, Tool::SelectBrush] {
        bench.pick(tool);
        assert_eq!(radius_points(&bench), 50.0, "{tool:?}");
    }
}

#[test]
fn wrong_values_are_passed_over_one_by_one() {
    let bench = Bench::new(Drawing::None);
    let file = settings_file(&bench);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let folder = bench.into_folder();
    std::fs::write(
        &file,
        r#"{"studio": {"window": {"scale": 9.0, "is_light": true, "size": [-3, "wide"]}, "layout": [1],
            "view": {"axis": "cubic", "colormap": "grey", "range_db": [0.0, -50.0], "overlap": 3, "n_fft": 1000},
            "tools": {"active": "erase", "hardness": 7.0, "strength": "much", "gain_db": -20.0,
                      "radius": {"screen": {"points": -5.0}}, "band_cutoff_hz": [900.0, 100.0]},
            "recent": [5, {"path": "/tmp/a.wav", "duration_secs": 1.0, "format": "8 kHz"}]}}"#,
    )
    .unwrap();
    let mut bench = Bench::in_folder(Drawing::None, folder);
    assert!(bench.notices().is_empty(), "{:?}", bench.notices());
    assert_eq!((bench.harness.ctx.theme(), bench.harness.ctx.zoom_factor()), (egui::Theme::Light, 1.0));
    let tools = bench.tools().clone();
    let settings = tools.settings();
    let numbers = (settings.hardness, settings.strength, number_of(settings, Tool::GAIN, "gain_db"));
    assert_eq!((tools.active(), numbers), (Tool::ERASE, (1.0, 1.0, -20.0)));
    assert_eq!((tools.radius(), settings.band_filter.cutoff_hz), (Radius::Screen { points: 2.0 }, [500.0, 2000.0]));
    assert_eq!(bench.studio().recent().len(), 1);
    open(&mut bench, &clip("crow_44k_mono.flac"));
    let view = bench.studio().document().unwrap().view();
    assert_eq!((view.axis, view.colormap, view.range_db), (Axis::Log, Colormap::Grey, [-100.0, 0.0]));
    assert!(view.smooth, "settings from before there was a choice");
    assert_eq!((view.transform.as_stft().unwrap().n_fft, view.transform.as_stft().unwrap().hop), (2048, 512));
}

#[test]
fn the_border_between_the_panes_survives_a_restart() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.key(NONE, egui::Key::F7);
    bench.key(SHIFT, egui::Key::B);
    let picture = bench.studio().picture_rect().unwrap();
    let border = egui::pos2(picture.center().x, picture.bottom() + 2.0);
    bench.drag(&[border, border - egui::vec2(0.0, 60.0)]);
    let moved = bench.studio().picture_rect().unwrap().height();
    assert!((picture.height() - moved - 60.0).abs() < 4.0, "{} to {moved}", picture.height());
    let mut bench = bench.restarted(Drawing::Wgpu);
    open(&mut bench, &clip("crow_44k_mono.flac"));
    assert!((bench.studio().picture_rect().unwrap().height() - moved).abs() < 1.0);
}

/// The window's place, as the system reports it, is remembered, and requested again if its screen still exists.
#[test]
fn the_place_of_the_window_survives_a_restart() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    apply(&mut bench, WindowCommand::LargerInterface);
    let lies = |bench: &mut Bench, left_top: [f32; 2], is_maximized| {
        let viewport = bench.harness.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default();
        let rect = egui::Rect::from_min_size(left_top.into(), egui::vec2(800.0, 600.0));
        (viewport.outer_rect, viewport.inner_rect) = (Some(rect), Some(rect));
        viewport.maximized = Some(is_maximized);
        bench.settle();
    };
    lies(&mut bench, [100.0, 40.0], false);
    lies(&mut bench, [0.0, 0.0], true);
    let bench = bench.restarted(Drawing::None);
    let window = bench.studio().workbench().remembered().window.clone();
    // Points of an interface that is larger by a quarter.
    assert_eq!((window.position, window.size), (Some([125.0, 50.0]), [1000.0, 750.0]));
    assert!(window.is_maximized, "and what it is when it no longer fills the screen");
    let screens = [placing::screen([0, 0], [2560, 1440], 1.0), placing::screen([2560, 0], [3840, 2160], 2.0)];
    let has_room = |size: [f32; 2], screen: [u32; 2]| {
        placing::has_room(&WindowPreferences { size, ..window.clone() }, &[placing::screen([0, 0], screen, 1.0)])
    };
    assert!(has_room([1280.0, 800.0], [1400, 1000]) && !has_room([1280.0, 800.0], [1280, 800]));
    assert!(!has_room([1280.0, 800.0], [1366, 768]), "it fills the screen");
    let at = |position| placing::place_of(&WindowPreferences { position, ..window.clone() }, &screens);
    assert_eq!(at(Some([125.0, 50.0])), Some(egui::pos2(125.0, 50.0)));
    assert_eq!(at(Some([2500.0, 100.0])), Some(egui::pos2(2500.0, 100.0)), "over two screens");
    for gone in [Some([6000.0, 0.0]), Some([-950.0, 100.0]), Some([100.0, 1500.0]), Some([100.0, -100.0]), None] {
        assert_eq!(at(gone), None, "{gone:?}");
    }
}
