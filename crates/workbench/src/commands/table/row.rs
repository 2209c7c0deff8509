//! A row of the table, and the macro with which each owner defines its rows.

use crate::commands::{Facts, Key, Need};

/// All properties of a command except how it is performed.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Identifier for tests and settings: `zoom_all`.
    pub id: &'static str,
    /// Name in menus and accessible labels.
    pub name: &'static str,
    /// Label of its button in a notice; may be shorter than the name, since the notice gives the context.
    pub offered: &'static str,
    /// One sentence for the tooltip.
    pub what: &'static str,
    /// The menu that lists it.
    pub menu: Menu,
    /// The submenu that lists it; `None` if the menu lists it directly.
    pub submenu: Option<&'static str>,
    /// The keys of the command; the first one is displayed.
    pub keys: &'static [Key],
    /// The context in which its keys work.
    pub context: KeyContext,
    /// Its icon.
    pub icon: Option<char>,
    /// Its preconditions, in the order of checking.
    pub needs: &'static [Need],
    /// Whether holding its key repeats it.
    pub repeats: bool,
}

/// A menu of the menu bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is called what the menu is")]
pub enum Menu {
    File,
    Edit,
    Select,
    View,
    Play,
    Help,
}

impl Menu {
    /// From left to right.
    pub const ALL: [Menu; 6] = [Menu::File, Menu::Edit, Menu::Select, Menu::View, Menu::Play, Menu::Help];

    /// Title in the menu bar.
    pub fn name(self) -> &'static str {
        match self {
            Menu::File => "File",
            Menu::Edit => "Edit",
            Menu::Select => "Select",
            Menu::View => "View",
            Menu::Play => "Play",
            Menu::Help => "Help",
        }
    }
}

/// Context in which keys work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyContext {
    /// Everywhere, unless the canvas takes the key.
    Window,
    /// While the canvas has the keyboard.
    Canvas,
    /// While a paste floats.
    Floating,
    /// While a preview is open.
    Preview,
    /// While the corners of a polygon are being clicked.
    Polygon,
    /// While a picture floats.
    Picture,
    /// While a label is current and nothing floats or is previewed.
    Label,
    /// While the label tool is active.
    Labelling,
    /// While search results are selected, and no button or field has the keyboard.
    Places,
}

impl Row {
    /// A row without keys, icon and submenu.
    pub(in crate::commands) const fn new(
        menu: Menu,
        id: &'static str,
        name: &'static str,
        what: &'static str,
        needs: &'static [Need],
    ) -> Row {
        let (submenu, keys, context, icon, repeats) = (None, &[] as &[Key], KeyContext::Window, None, false);
        Row { id, name, offered: name, what, menu, submenu, keys, context, icon, needs, repeats }
    }

    /// Sets the label of its button in a notice.
    pub(in crate::commands) const fn offered_as(self, offered: &'static str) -> Row {
        Row { offered, ..self }
    }

    /// Sets its submenu.
    pub(in crate::commands) const fn submenu(self, name: &'static str) -> Row {
        Row { submenu: Some(name), ..self }
    }

    /// Sets its keys; the first one is displayed.
    pub(in crate::commands) const fn keys(self, keys: &'static [Key]) -> Row {
        Row { keys, ..self }
    }

    /// Sets its icon.
    pub(in crate::commands) const fn icon(self, icon: char) -> Row {
        Row { icon: Some(icon), ..self }
    }

    /// Repeats it while its key is held.
    pub(in crate::commands) const fn repeats(self) -> Row {
        Row { repeats: true, ..self }
    }

    /// Its keys work while the canvas has the keyboard.
    pub(in crate::commands) const fn on_canvas(self) -> Row {
        Row { context: KeyContext::Canvas, ..self }
    }

    /// Its keys work while a paste floats, before those of the window.
    pub(in crate::commands) const fn while_floating(self) -> Row {
        Row { context: KeyContext::Floating, ..self }
    }

    /// Its keys work while a preview is open, before those of the window.
    pub(in crate::commands) const fn while_previewing(self) -> Row {
        Row { context: KeyContext::Preview, ..self }
    }

    /// Its keys work while a polygon is being drawn, before those of the window.
    pub(in crate::commands) const fn while_drawing_polygon(self) -> Row {
        Row { context: KeyContext::Polygon, ..self }
    }

    /// Its keys work while a picture floats.
    pub(in crate::commands) const fn on_picture(self) -> Row {
        Row { context: KeyContext::Picture, ..self }
    }

    /// Its keys work while a label is current.
    pub(in crate::commands) const fn with_label(self) -> Row {
        Row { context: KeyContext::Label, ..self }
    }

    /// Its keys work while the label tool is active.
    pub(in crate::commands) const fn while_labelling(self) -> Row {
        Row { context: KeyContext::Labelling, ..self }
    }

    /// Its keys work while search results are selected.
    pub(in crate::commands) const fn among_places(self) -> Row {
        Row { context: KeyContext::Places, ..self }
    }

    /// Whether the command is enabled; `Err` is the message of the first precondition that isn't met.
    pub fn enabled(&self, facts: &Facts) -> Result<(), &'static str> {
        self.needs.iter().try_for_each(|need| need.check(facts))
    }
}

/// The rows of one owner, grouped by menu or submenu:
///
/// ```text
/// rows! { PlayCommand:
///     SOLO in (Menu::Play, "Solo") {
///         NextSolo => row("solo_next", "Next solo", "Plays the next channel alone.", &[Document]).keys(&[key('S')]),
///     }
/// }
/// ```
///
/// The macro generates a constant per group, which the table puts in the order of the menus, and `row`, which finds a
/// command's row by an exhaustive match: a command without a row does not compile, and a group missing from the table
/// is reported as dead code. `rows! { A (PATTERN => ROW): ..` takes the rows of commands that match `PATTERN` from the
/// expression `ROW`. `A(0) => ..` is the row of that value; `A(1) | A(2..) => ..` is the row of `A(1)` and of all
/// larger values.
macro_rules! rows {
    ($owner:ident $(($others:pat => $their_row:expr))? : $($group:ident in $place:tt {
        $($command:ident $(($($value:tt)+))? $(| $beyond:ident($($range:tt)+))? =>
            row($($word:expr),+ $(,)?) $(.$with:ident($($argument:tt)*))*,)+
    })+) => {
        impl $owner {
            $(pub(in crate::commands) const $group: &'static [$owner] = &[$($owner::$command $(($($value)+))?,)+];)+

            /// Its row of the table.
            pub const fn row(self) -> &'static crate::commands::Row {
                match self {
                    $($($owner::$command $(($($value)+))? $(| $owner::$beyond($($range)+))? => {
                        const ROW: crate::commands::Row = rows!(@ $place $($word),+) $(.$with($($argument)*))*;
                        &ROW
                    })+)+
                    $($others => $their_row,)?
                }
            }
        }
    };
    (@ ($menu:expr) $($word:expr),+) => { crate::commands::Row::new($menu, $($word),+) };
    (@ ($menu:expr, $submenu:literal) $($word:expr),+) => {
        crate::commands::Row::new($menu, $($word),+).submenu($submenu)
    };
}
pub(in crate::commands) use rows;
