//! What menus promise: an ellipsis where a dialog follows, lines between groups, one word for one thing.

use crate::support::studio::{Bench, Drawing, NONE};
use egui::Key;
use sonobrush::workbench::Picked;
use sonobrush::workbench::commands::{COMMANDS, Command, FileCommand, GROUPS, PreviewCommand, WindowCommand};

/// Commands that show something without a question.
const TELL: [WindowCommand; 3] = [WindowCommand::FirstSteps, WindowCommand::Keys, WindowCommand::About];

#[test]
fn commands_that_ask_first_have_an_ellipsis_and_no_others() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let mut n_asking = 0;
    for command in COMMANDS {
        // These ask only about what is not saved yet, and the clip was never saved.
        let asks_at_times = [FileCommand::Quit, FileCommand::Close, FileCommand::SaveProject].map(Command::File);
        if asks_at_times.contains(&command) || TELL.into_iter().any(|tells| command == tells.into()) {
            continue;
        }
        bench.select(Some([0.1, 0.2]), Some([500.0, 3_000.0]));
        if command.enabled(&bench.studio().facts()).is_err() {
            continue;
        }
        // Where the system has no dialogs, cards stand for them.
        bench.dialogs.forget();
        bench.dialogs.answer(Picked::Unavailable);
        let ctx = bench.harness.ctx.clone();
        bench.harness.state_mut().apply(&ctx, command);
        bench.settle();
        // A preview has its settings in the option bar.
        let is_preview = bench.studio().document().is_some_and(|document| document.open_preview().is_some());
        let opens_settings = is_preview && !matches!(command, Command::Preview(PreviewCommand::Brush));
        let (asks, name) = (bench.has("Close dialog") || opens_settings, command.row().name);
        assert_eq!(asks, name.ends_with('\u{2026}'), "{name}");
        n_asking += usize::from(asks);
        while bench.has("Close dialog") || bench.studio().document().is_some_and(|open| open.open_preview().is_some()) {
            bench.key(NONE, Key::Escape);
        }
    }
    assert!(n_asking >= 12, "{n_asking}");
}

/// A line is drawn between groups: selecting stands apart from finding and from copying.
#[test]
fn the_select_menu_keeps_selecting_apart() {
    let of = |id: &str| COMMANDS.iter().position(|command| command.row().id == id).map(|at| GROUPS[at]).unwrap();
    for (one, other) in [("select_all", "find_clicks"), ("tool_box", "find_clicks"), ("select_all", "copy_figures")] {
        assert_ne!(of(one), of(other), "{one} and {other}");
    }
    assert_eq!(of("select_all"), of("invert_selection"));
}
