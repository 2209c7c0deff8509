//! All commands of the studio in one table, the source of menus, buttons, tooltips, shortcuts, the command palette, the
//! key sheet and accessible labels. Commands are grouped by owner, the part of the program that performs them; each
//! owner has a file with its commands and their rows. Independent of egui.
#![deny(clippy::wildcard_enum_match_arm)]

mod beat;
mod browse;
mod canvas;
mod clipboard;
mod cursor;
mod edit;
mod file;
mod find;
mod label;
mod layout;
mod play;
mod preset;
mod preview;
mod select;
mod tab;
pub mod table;
mod tool;
mod view;
mod window;

pub use beat::BeatCommand;
pub use browse::BrowseCommand;
pub use canvas::CanvasCommand;
pub use clipboard::ClipboardCommand;
pub use cursor::{CursorCommand, Way};
pub use edit::{EditCommand, Process};
pub use file::{FileCommand, N_RECENT};
pub use find::{FindCommand, Seek};
pub use label::LabelCommand;
pub use layout::LayoutCommand;
pub use play::PlayCommand;
pub use preset::PresetCommand;
pub use preview::PreviewCommand;
pub use select::SelectCommand;
pub use tab::TabCommand;
pub use table::key::{Code, Key};
pub use table::need::{Facts, Need};
pub use table::row::{KeyContext, Menu, Row};
pub use tool::ToolCommand;
pub use view::ViewCommand;
pub use window::WindowCommand;

use crate::documents::Panes;
use crate::settings::preferences::Panel;
use crate::settings::tools::Tool;
use crate::view::ChannelView;
use std::borrow::Cow;

/// A command, by its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each owner's file says what it performs")]
pub enum Command {
    File(FileCommand),
    Edit(EditCommand),
    Preview(PreviewCommand),
    Clipboard(ClipboardCommand),
    Select(SelectCommand),
    Find(FindCommand),
    Keep(PresetCommand),
    Label(LabelCommand),
    Beat(BeatCommand),
    Cursor(CursorCommand),
    Tool(ToolCommand),
    View(ViewCommand),
    Canvas(CanvasCommand),
    Tab(TabCommand),
    Layout(LayoutCommand),
    Browse(BrowseCommand),
    Play(PlayCommand),
    Window(WindowCommand),
}

/// Converts an owner's commands to [`Command`], and dispatches to their rows.
macro_rules! owners {
    ($($of:ident($owner:ident)),+ $(,)?) => {
        $(impl From<$owner> for Command {
            fn from(command: $owner) -> Command {
                Command::$of(command)
            }
        })+

        impl Command {
            /// The command's row of the table.
            pub const fn row(self) -> &'static Row {
                match self {
                    $(Command::$of(command) => command.row(),)+
                }
            }
        }
    };
}

owners! {
    File(FileCommand),
    Edit(EditCommand),
    Preview(PreviewCommand),
    Clipboard(ClipboardCommand),
    Select(SelectCommand),
    Find(FindCommand),
    Keep(PresetCommand),
    Label(LabelCommand),
    Beat(BeatCommand),
    Cursor(CursorCommand),
    Tool(ToolCommand),
    View(ViewCommand),
    Canvas(CanvasCommand),
    Tab(TabCommand),
    Layout(LayoutCommand),
    Browse(BrowseCommand),
    Play(PlayCommand),
    Window(WindowCommand),
}

impl Command {
    /// Its name in menus; for healing, with the current heal mode in parentheses.
    pub fn menu_name(self, facts: &Facts) -> Cow<'static, str> {
        if self == Command::Edit(EditCommand::HealSelection) && facts.has_document {
            return format!("{} ({})", self.row().name, facts.heals_by).into();
        }
        self.row().name.into()
    }

    /// Whether menus and the command palette list it; saving back is listed only if the settings allow it.
    pub fn is_listed(self, facts: &Facts) -> bool {
        facts.saves_back || self != Command::File(FileCommand::SaveBack)
    }

    /// Whether it is enabled; `Err` is the reason why not, for the user.
    pub fn enabled(self, facts: &Facts) -> Result<(), &'static str> {
        self.row().enabled(facts)
    }
}

/// Concatenates the groups of all owners.
macro_rules! commands {
    ($($of:ident($group:path)),+ $(,)?) => {
        const N_COMMANDS: usize = 0 $(+ $group.len())+;

        /// The group number of each command in [`COMMANDS`].
        pub static GROUPS: [usize; N_COMMANDS] = {
            let mut all = [0; N_COMMANDS];
            let (mut n, mut group) = (0, 0);
            $(
                let mut i = 0;
                while i < $group.len() {
                    all[n] = group;
                    (n, i) = (n + 1, i + 1);
                }
                group += 1;
            )+
            assert!(n == N_COMMANDS && group > 0);
            all
        };

        /// Every command, in the order of the menus; within a menu, a submenu is placed at its first command.
        pub static COMMANDS: [Command; N_COMMANDS] = {
            let mut all = [Command::Window(WindowCommand::Cancel); N_COMMANDS];
            let mut n = 0;
            $(
                let mut i = 0;
                while i < $group.len() {
                    all[n] = Command::$of($group[i]);
                    (n, i) = (n + 1, i + 1);
                }
            )+
            assert!(n == N_COMMANDS);
            all
        };
    };
}

commands! {
    File(FileCommand::OPENING),
    File(FileCommand::RECENT),
    File(FileCommand::FORGET),
    File(FileCommand::FILES),
    File(FileCommand::CELLS),
    File(FileCommand::CLOSING),
    Edit(EditCommand::HISTORY),
    Clipboard(ClipboardCommand::ALL),
    Clipboard(ClipboardCommand::PICTURE),
    Window(WindowCommand::PASTE),
    Clipboard(ClipboardCommand::FLOATING),
    Edit(EditCommand::CHANGES),
    Preview(PreviewCommand::BEGIN),
    Edit(EditCommand::TIME),
    Clipboard(ClipboardCommand::TIME),
    Edit(EditCommand::HEALING),
    Find(FindCommand::NOISE),
    Keep(PresetCommand::NOISE),
    Edit(EditCommand::REPAIRS),
    Edit(EditCommand::PROCESS),
    Edit(EditCommand::LENGTHEN),
    Preview(PreviewCommand::OPEN),
    Window(WindowCommand::CANCEL),
    Edit(EditCommand::COMPARE),
    Select(SelectCommand::ALL),
    Canvas(CanvasCommand::POLYGON),
    Clipboard(ClipboardCommand::COPY),
    Tool(ToolCommand::SNAPPING),
    Find(FindCommand::DAMAGE),
    Find(FindCommand::PLACES),
    Label(LabelCommand::ALL),
    Label(LabelCommand::CLASSES),
    Cursor(CursorCommand::ALL),
    Tool(ToolCommand::SELECTING),
    Tool(ToolCommand::PAINT),
    Tool(ToolCommand::HAND),
    Tool(ToolCommand::SETTINGS),
    Canvas(CanvasCommand::LOCK_RADIUS),
    Tool(ToolCommand::RESET),
    Keep(PresetCommand::PRESETS),
    Find(FindCommand::TIMBRE),
    View(ViewCommand::ZOOM),
    View(ViewCommand::SCROLL),
    View(ViewCommand::SHOW),
    View(ViewCommand::TIME),
    Beat(BeatCommand::ALL),
    View(ViewCommand::CHANNELS),
    View(ViewCommand::AXIS),
    View(ViewCommand::FRAMES),
    View(ViewCommand::FFT_SIZES),
    View(ViewCommand::COLOURS),
    Canvas(CanvasCommand::FIT_RANGE),
    View(ViewCommand::USUAL_RANGE),
    View(ViewCommand::WAVEFORM),
    Canvas(CanvasCommand::LOUPE),
    Canvas(CanvasCommand::AT_POINTER),
    Tab(TabCommand::ALL),
    Window(WindowCommand::THEME),
    Window(WindowCommand::SIZE),
    Layout(LayoutCommand::ALL),
    Layout(LayoutCommand::LIBRARY),
    Browse(BrowseCommand::ALL),
    Window(WindowCommand::PROFILER),
    Play(PlayCommand::TRANSPORT),
    Play(PlayCommand::NOTES),
    Play(PlayCommand::HEARING),
    Play(PlayCommand::SOLO),
    Play(PlayCommand::MONITOR),
    Play(PlayCommand::OUTPUT),
    Window(WindowCommand::HELP),
}
