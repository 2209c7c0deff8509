//! The command table and the palette: no key bound twice, no command without words, every pair of colours that reads.

use sonobrush::media::Container;
use sonobrush::studio::widgets::theme;
use sonobrush::studio::widgets::theme::{Palette, contrast};
use sonobrush::workbench::commands::{
    COMMANDS, CanvasCommand, ClipboardCommand, Command, EditCommand, Facts, FileCommand, Key, KeyContext, PlayCommand,
    Row, ToolCommand, ViewCommand, WindowCommand,
};
use std::collections::HashMap;

/// Keys that more than one command has in one context.
fn bound_twice(all: &[(Command, &[Key])]) -> Vec<Key> {
    let mut owners: HashMap<(KeyContext, Key), usize> = HashMap::new();
    for (command, keys) in all {
        for key in *keys {
            *owners.entry((command.row().context, *key)).or_default() += 1;
        }
    }
    owners.into_iter().filter(|(_, n)| *n > 1).map(|((_, key), _)| key).collect()
}

/// The canvas takes keys of the window while it has the keyboard: those that scroll, which its cursor does too, and
/// those of what floats, which it puts down by the same.
#[test]
fn the_canvas_takes_no_key_that_means_something_else_there() {
    let of = |context: KeyContext| {
        let all = COMMANDS.into_iter().filter(move |command| command.row().context == context);
        all.flat_map(|command| command.row().keys.iter().map(move |key| (*key, command)))
    };
    assert!(of(KeyContext::Canvas).count() >= 19);
    for (key, command) in of(KeyContext::Canvas) {
        let Some((_, other)) = of(KeyContext::Window).find(|(other, _)| *other == key) else { continue };
        let is_meant = [
            ViewCommand::ScrollEarlier.into(),
            ViewCommand::ScrollLater.into(),
            ViewCommand::ScrollUp.into(),
            ViewCommand::ScrollDown.into(),
            ClipboardCommand::LandPaste.into(),
            CanvasCommand::ClosePolygon.into(),
            EditCommand::ApplyToSelection.into(),
        ];
        assert!(is_meant.contains(&other), "{key}: {command:?} hides {other:?}");
    }
}

#[test]
fn no_key_is_bound_twice() {
    let mut all: Vec<(Command, &[Key])> = COMMANDS.map(|command| (command, command.row().keys)).to_vec();
    assert_eq!(bound_twice(&all), []);
    all.push((Command::File(FileCommand::Quit), FileCommand::Open.row().keys));
    assert_eq!(bound_twice(&all), FileCommand::Open.row().keys, "the check can fail");
}

#[test]
fn exporting_names_every_kind_of_file_that_it_writes() {
    let what = FileCommand::Export.row().what;
    assert!(Container::ALL.iter().all(|container| what.contains(container.name())), "{what}");
}

#[test]
fn every_command_has_words_of_its_own() {
    for (i, command) in COMMANDS.into_iter().enumerate() {
        let row = command.row();
        assert!(!row.name.is_empty() && !row.id.is_empty(), "{command:?}");
        assert!(row.what.ends_with('.') && row.what.len() > 8, "{command:?}: the tooltip is a sentence");
        for other in &COMMANDS[..i] {
            assert_ne!(*other, command, "listed twice");
            assert_ne!(other.row().id, row.id);
            assert_ne!(other.row().name, row.name);
        }
    }
}

#[test]
fn the_issues_keys_are_bound() {
    let has = |row: &Row, key: &str| row.keys.iter().any(|own| own.to_string() == key);
    for (row, key) in [
        (PlayCommand::PlayStop.row(), "Space"),
        (ToolCommand::BrushSmaller.row(), "["),
        (ToolCommand::BrushLarger.row(), "]"),
        (EditCommand::Undo.row(), "Ctrl+Z"),
        (EditCommand::Redo.row(), "Ctrl+Shift+Z"),
        (FileCommand::Open.row(), "Ctrl+O"),
        (FileCommand::Export.row(), "Ctrl+E"),
        (PlayCommand::Loop.row(), "Ctrl+L"),
        (PlayCommand::PlayFromPointer.row(), "Shift+Space"),
        (PlayCommand::ShuttleBack.row(), "J"),
        (PlayCommand::Pause.row(), "K"),
        (PlayCommand::ShuttleForward.row(), "L"),
        (EditCommand::Before.row(), "B"),
        (EditCommand::EraseSelection.row(), "Delete"),
        (ClipboardCommand::Copy.row(), "Ctrl+C"),
        (ClipboardCommand::Cut.row(), "Ctrl+X"),
        (ClipboardCommand::Paste.row(), "Ctrl+V"),
        (FileCommand::New.row(), "Ctrl+N"),
        (ToolCommand::Snapping.row(), "N"),
        (PlayCommand::ToStart.row(), "Home"),
        (PlayCommand::ToEnd.row(), "End"),
    ] {
        assert!(has(row, key), "{} has no {key}", row.id);
    }
}

#[test]
fn what_is_disabled_says_why() {
    let nothing = Facts::default();
    let disabled: Vec<_> = COMMANDS.iter().filter_map(|command| command.enabled(&nothing).err()).collect();
    assert!(disabled.len() > 20);
    assert!(disabled.iter().all(|why| why.ends_with('.')));
    for row in
        [FileCommand::Open.row(), FileCommand::OpenDemo.row(), WindowCommand::Keys.row(), FileCommand::Quit.row()]
    {
        assert_eq!(row.enabled(&nothing), Ok(()));
    }
}

/// Paste needs a document, all of its sound, and something to paste.
#[test]
fn the_first_need_that_is_not_met_is_the_reason() {
    let paste = ClipboardCommand::Paste.row();
    let none = Facts { is_reading: true, ..Facts::default() };
    assert_eq!(paste.enabled(&none), Err("Open a file first."));
    let reading = Facts { has_document: true, ..none };
    assert_eq!(paste.enabled(&reading), Err("The file is still being read."));
    let read = Facts { is_reading: false, ..reading };
    assert_eq!(paste.enabled(&read), Err("The clipboard is empty."));
    assert_eq!(paste.enabled(&Facts { has_clip: true, ..read }), Ok(()));
    // A slot and a channel of its own.
    let two = Facts { n_recent: 2, n_channels: 1, ..read };
    let recent = [0, 1, 2].map(|index| FileCommand::OpenRecent(index).row().enabled(&two).is_ok());
    assert_eq!(recent, [true, true, false]);
    let solo = [PlayCommand::SoloLeft, PlayCommand::SoloRight].map(|solo| solo.row().enabled(&two).is_ok());
    assert_eq!(solo, [true, false]);
}

/// Over each ground.
type Contrasts = [Option<(f64, f64)>; 7];
type Pick = fn(&Palette) -> egui::Color32;

/// Text over ground, and the least contrast that is stated for dark and light; None where the pair is not used.
#[rustfmt::skip]
const CONTRAST: [(&str, Pick, Contrasts); 7] = [
    ("text_strong", |p| p.text_strong, [Some((17.2, 14.1)), Some((15.9, 16.6)), Some((14.8, 15.2)), Some((12.9, 18.1)), Some((11.1, 14.7)), Some((9.2, 12.8)), Some((11.2, 13.8))]),
    ("text", |p| p.text, [Some((12.6, 10.2)), Some((11.6, 12.0)), Some((10.8, 10.9)), Some((9.4, 13.1)), Some((8.1, 10.6)), Some((6.7, 9.3)), Some((8.2, 10.0))]),
    ("text_weak", |p| p.text_weak, [Some((7.5, 5.2)), Some((6.9, 6.2)), Some((6.4, 5.6)), Some((5.6, 6.8)), Some((4.8, 5.5)), None, Some((4.9, 5.1))]),
    ("text_off", |p| p.text_off, [Some((6.5, 4.6)), Some((6.0, 5.5)), Some((5.5, 5.0)), Some((4.8, 6.0)), None, None, None]),
    ("accent", |p| p.accent, [Some((9.9, 4.6)), Some((9.1, 5.5)), Some((8.5, 5.0)), Some((7.4, 6.0)), Some((6.4, 4.8)), None, Some((6.4, 4.6))]),
    ("warning", |p| p.warning, [Some((10.5, 5.1)), Some((9.7, 6.1)), Some((9.0, 5.5)), Some((7.9, 6.6)), Some((6.8, 5.3)), Some((5.6, 4.7)), Some((6.9, 5.0))]),
    ("danger", |p| p.danger, [Some((7.7, 5.1)), Some((7.1, 6.1)), Some((6.6, 5.5)), Some((5.8, 6.6)), Some((5.0, 5.4)), None, Some((5.0, 5.1))]),
];

const GROUNDS: [(&str, Pick); 7] = [
    ("window", |p| p.window),
    ("panel", |p| p.panel),
    ("raised", |p| p.raised),
    ("field", |p| p.field),
    ("hover", |p| p.hover),
    ("active", |p| p.active),
    ("accent_soft", |p| p.accent_soft),
];

#[test]
fn every_pair_of_colours_has_its_contrast() {
    for (name, ink, row) in CONTRAST {
        for ((ground_name, ground), stated) in GROUNDS.into_iter().zip(row) {
            let Some((dark, light)) = stated else { continue };
            for (theme, palette, stated) in [("dark", &theme::DARK, dark), ("light", &theme::LIGHT, light)] {
                let found = (contrast(ink(palette), ground(palette)) * 10.0).floor() / 10.0;
                assert!((found - stated).abs() < 1e-9, "{theme}: {name} on {ground_name} is {found}, not {stated}");
                assert!(found >= 4.5);
            }
        }
    }
    for palette in [&theme::DARK, &theme::LIGHT] {
        assert!(contrast(palette.stroke_strong, palette.panel) >= 3.1);
        assert!(contrast(palette.stroke_strong, palette.raised) >= 3.1);
        assert!(contrast(palette.on_accent, palette.accent) >= 6.0);
        assert!(contrast(palette.key_text, palette.key_white) >= 7.5);
        // Control: a pair that the table leaves out falls below.
        assert!(contrast(palette.text_off, palette.active) < 4.5);
    }
    assert!((contrast(egui::Color32::WHITE, egui::Color32::BLACK) - 21.0).abs() < 1e-9);
}

#[test]
fn numbers_have_a_true_minus_and_narrow_spaces() {
    assert_eq!(sonobrush::base::number(-12.0, 1), "\u{2212}12.0");
    assert_eq!(sonobrush::base::number(-0.04, 1), "0.0");
    assert_eq!(sonobrush::base::number(1750.0, 1), "1\u{2009}750.0");
    assert_eq!(sonobrush::base::number(1234567.0, 0), "1\u{2009}234\u{2009}567");
    assert_eq!(sonobrush::base::number(999.0, 0), "999");
}

#[test]
fn digits_are_of_one_width() {
    let ctx = egui::Context::default();
    theme::install(&ctx);
    let mut widths = Vec::new();
    let mut letters = Vec::new();
    let output = ctx.run_ui(egui::RawInput::default(), |ui| {
        for font in [theme::regular(13.0), theme::medium(20.0), theme::semibold(12.0)] {
            let width = |letter: char| ui.fonts_mut(|fonts| fonts.glyph_width(&font, letter));
            widths.push("0123456789+\u{2212}".chars().map(width).collect::<Vec<f32>>());
            letters.push(['i', 'w'].map(width));
        }
    });
    output.drop_without_applying_deltas();
    for (row, [narrow, wide]) in widths.into_iter().zip(letters) {
        assert!(row.iter().all(|width| (width - row[0]).abs() < 1e-3 && *width > 0.0), "{row:?}");
        assert!(wide > narrow * 1.5, "letters differ");
    }
}

#[test]
fn every_icon_is_in_the_font() {
    let ctx = egui::Context::default();
    theme::install(&ctx);
    let mut missing = Vec::new();
    let mut knows_nonsense = true;
    let output = ctx.run_ui(egui::RawInput::default(), |ui| {
        let has = |icon: char| ui.fonts_mut(|fonts| fonts.has_glyph(&theme::icons(16.0), icon));
        let of_tools = sonobrush::document::Brush::TOOLS.iter().map(|tool| tool.icon);
        let named = sonobrush::workbench::commands::table::icons::ALL.iter().copied();
        missing = named.chain(of_tools).filter(|&icon| !has(icon)).collect();
        knows_nonsense = has('\u{f8f0}');
    });
    output.drop_without_applying_deltas();
    assert_eq!(missing, Vec::<char>::new());
    assert!(!knows_nonsense);
}
