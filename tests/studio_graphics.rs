//! The card that chooses the graphics adapter and the engine for the next start.

use crate::support::studio::{Bench, Drawing};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::base::{EngineChoice, Folders, LoadedSettings, Settings};
use sonobrush::workbench::commands::{Command, WindowCommand};

const AUTOMATIC: &str = "Best adapter";
const RADEON: &str = "Radeon RX 7600";
const LLVMPIPE: &str = "llvmpipe (LLVM 15)";

fn ask(bench: &mut Bench) {
    let ctx = bench.harness.ctx.clone();
    bench.harness.state_mut().apply(&ctx, Command::Window(WindowCommand::Graphics));
    bench.settle();
}

fn saved(folders: &Folders) -> (Option<String>, EngineChoice) {
    let settings = LoadedSettings::load(folders, |_| None).unwrap().settings;
    (settings.adapter, settings.engine)
}

/// Which adapter has the mark.
fn marked(bench: &Bench) -> Vec<&'static str> {
    let is_marked = |name: &&str| {
        let toggled = bench.harness.get_by_label(name).accesskit_node().toggled();
        toggled == Some(egui::accesskit::Toggled::True)
    };
    [AUTOMATIC, RADEON, LLVMPIPE].into_iter().filter(is_marked).collect()
}

#[test]
fn an_adapter_and_an_engine_are_chosen_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let folders = Folders::in_folder(folder.path());
    let mut bench = Bench::in_folder(Drawing::None, folder);
    ask(&mut bench);
    assert!(bench.has("Now: CPU engine"));
    assert_eq!(marked(&bench), [AUTOMATIC]);
    bench.click(RADEON);
    assert_eq!(marked(&bench), [RADEON]);
    assert_eq!(saved(&folders), (Some(RADEON.into()), EngineChoice::Auto));
    bench.click("Engine");
    bench.click("CPU");
    assert_eq!(saved(&folders), (Some(RADEON.into()), EngineChoice::Cpu));
    // The settings are read each time; a part of a name chooses, too.
    bench.key(egui::Modifiers::NONE, egui::Key::Escape);
    Settings::save_change(&folders, |settings| settings.adapter = Some("LLVM".into())).unwrap();
    ask(&mut bench);
    assert_eq!(marked(&bench), [LLVMPIPE]);
    bench.click(AUTOMATIC);
    assert_eq!(saved(&folders), (None, EngineChoice::Cpu));
    assert!(bench.notices().is_empty(), "{:?}", bench.notices());
}
