//! A row of the table, and the macro in which owners write theirs.

use super::{Facts, Key, Need};

/// Everything about a command except how it is done.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// For tests and, later, settings: `zoom_all`.
    pub id: &'static str,
    /// What menus and accessible labels say.
    pub name: &'static str,
    /// What its button in a notice says, which has just named what it is about.
    pub offered: &'static str,
    /// One sentence for the tooltip.
    pub what: &'static str,
    /// Which menu lists it.
    pub menu: Menu,
    /// The submenu that lists it, if not the menu itself.
    pub submenu: Option<&'static str>,
    /// The keys that give it, the one that is shown first.
    pub keys: &'static [Key],
    /// Where its keys count.
    pub context: KeyContext,
    /// Its icon.
    pub icon: Option<char>,
    /// What it needs, in the order in which it is checked.
    pub needs: &'static [Need],
    /// Whether holding its key does it again and again.
    pub repeats: bool,
}

/// A menu of the bar.
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

    /// What stands in the bar.
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

/// Where keys count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyContext {
    /// Everywhere, unless the canvas takes the key.
    Window,
    /// While the canvas has the keyboard.
    Canvas,
    /// While something floats.
    Floating,
    /// While a preview is open.
    Preview,
    /// While the corners of a polygon are being clicked.
    Polygon,
    /// While a picture floats.
    Picture,
    /// While a label is in hand and nothing floats or is previewed.
    Label,
    /// While the label tool is in hand.
    Labelling,
    /// While places are selected that were found, and no button or field has the keyboard.
    Places,
}

impl Row {
    /// A row without keys and icon, in the menu itself.
    pub(super) const fn new(
        menu: Menu,
        id: &'static str,
        name: &'static str,
        what: &'static str,
        needs: &'static [Need],
    ) -> Row {
        let (submenu, keys, context, icon, repeats) = (None, &[] as &[Key], KeyContext::Window, None, false);
        Row { id, name, offered: name, what, menu, submenu, keys, context, icon, needs, repeats }
    }

    /// Called this on its button in a notice.
    pub(super) const fn offered_as(self, offered: &'static str) -> Row {
        Row { offered, ..self }
    }

    /// Listed in this submenu.
    pub(super) const fn submenu(self, name: &'static str) -> Row {
        Row { submenu: Some(name), ..self }
    }

    /// Given by these keys, the one that is shown first.
    pub(super) const fn keys(self, keys: &'static [Key]) -> Row {
        Row { keys, ..self }
    }

    /// Shown by this icon.
    pub(super) const fn icon(self, icon: char) -> Row {
        Row { icon: Some(icon), ..self }
    }

    /// Done again while its key is held.
    pub(super) const fn repeats(self) -> Row {
        Row { repeats: true, ..self }
    }

    /// Its keys count while the canvas has the keyboard.
    pub(super) const fn on_canvas(self) -> Row {
        Row { context: KeyContext::Canvas, ..self }
    }

    /// Its keys count while something floats, before those of the window.
    pub(super) const fn while_floating(self) -> Row {
        Row { context: KeyContext::Floating, ..self }
    }

    /// Its keys count while a preview is open, before those of the window.
    pub(super) const fn while_previewing(self) -> Row {
        Row { context: KeyContext::Preview, ..self }
    }

    /// Its keys count while a polygon is being drawn, before those of the window.
    pub(super) const fn while_drawing_polygon(self) -> Row {
        Row { context: KeyContext::Polygon, ..self }
    }

    /// Its keys count while a picture floats.
    pub(super) const fn on_picture(self) -> Row {
        Row { context: KeyContext::Picture, ..self }
    }

    /// Its keys count while a label is in hand.
    pub(super) const fn with_label(self) -> Row {
        Row { context: KeyContext::Label, ..self }
    }

    /// Its keys count while the label tool is in hand.
    pub(super) const fn while_labelling(self) -> Row {
        Row { context: KeyContext::Labelling, ..self }
    }

    /// Its keys count while places that were found are selected.
    pub(super) const fn among_places(self) -> Row {
        Row { context: KeyContext::Places, ..self }
    }

    /// Whether the command can be done now; Err is the sentence of the first need that is not met.
    pub fn enabled(&self, facts: &Facts) -> Result<(), &'static str> {
        self.needs.iter().try_for_each(|need| need.check(facts))
    }
}

/// The rows of one owner, in groups that stand together in a menu or submenu:
///
/// ```text
/// rows! { PlayCommand:
///     SOLO in (Menu::Play, "Solo") {
///         NextSolo => row("solo_next", "Next solo", "Plays the next channel alone.", &[Document]).keys(&[key('S')]),
///     }
/// }
/// ```
///
/// One list makes both the groups, which the table puts in the order of the menus, and `row`, which finds a command's
/// row by an exhaustive match: a command without a row does not compile, and a group that the table leaves out is dead
/// code. `rows! { A (PATTERN => ROW): ..` finds the rows of other values elsewhere. `A(0) => ..` is the row of that
/// value; `A(1) | A(2..) => ..` is the row of `A(1)`, borrowed by all beyond it.
macro_rules! rows {
    ($owner:ident $(($others:pat => $their_row:expr))? : $($group:ident in $place:tt {
        $($command:ident $(($($value:tt)+))? $(| $beyond:ident($($range:tt)+))? =>
            row($($word:expr),+ $(,)?) $(.$with:ident($($argument:tt)*))*,)+
    })+) => {
        impl $owner {
            $(pub(super) const $group: &'static [$owner] = &[$($owner::$command $(($($value)+))?,)+];)+

            /// Its row of the table.
            pub const fn row(self) -> &'static super::Row {
                match self {
                    $($($owner::$command $(($($value)+))? $(| $owner::$beyond($($range)+))? => {
                        const ROW: super::Row = rows!(@ $place $($word),+) $(.$with($($argument)*))*;
                        &ROW
                    })+)+
                    $($others => $their_row,)?
                }
            }
        }
    };
    (@ ($menu:expr) $($word:expr),+) => { super::Row::new($menu, $($word),+) };
    (@ ($menu:expr, $submenu:literal) $($word:expr),+) => { super::Row::new($menu, $($word),+).submenu($submenu) };
}
pub(super) use rows;
