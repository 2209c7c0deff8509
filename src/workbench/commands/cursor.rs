//! What the keyboard does on the canvas: a cursor of time and frequency that selects and paints.

use super::{Code, Context, Key, Menu, Spec};

/// Where the cursor goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is a direction, which its name says")]
pub enum Way {
    Earlier,
    Later,
    Higher,
    Lower,
}

impl Way {
    /// Left, right, up, down.
    pub const ALL: [Way; 4] = [Way::Earlier, Way::Later, Way::Higher, Way::Lower];
}

/// One act of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CursorAct {
    /// The canvas takes the keyboard.
    Begin,
    /// One cell, or one point of the screen where that is more.
    Step(Way),
    /// Sixteen times as far.
    Leap(Way),
    /// A step that takes the selection along.
    Extend(Way),
    /// A leap that takes the selection along.
    ExtendFar(Way),
    /// A press and a release of the tool in hand.
    Use,
    /// The same with Ctrl: takes the clone's source, subtracts from the selection.
    UseCtrl,
    /// A press, or the release of the one before: steps between them draw.
    Pen,
}

impl CursorAct {
    /// All of them.
    pub fn all() -> Vec<CursorAct> {
        let mut all = vec![CursorAct::Begin, CursorAct::Use, CursorAct::UseCtrl, CursorAct::Pen];
        all.extend(Way::ALL.map(CursorAct::Step));
        all.extend(Way::ALL.map(CursorAct::Leap));
        all.extend(Way::ALL.map(CursorAct::Extend));
        all.extend(Way::ALL.map(CursorAct::ExtendFar));
        all
    }

    /// Whether it moves the cursor.
    pub fn moves(self) -> bool {
        !matches!(self, CursorAct::Begin | CursorAct::Use | CursorAct::UseCtrl | CursorAct::Pen)
    }

    /// What is written about it.
    pub fn spec(self) -> Spec {
        use CursorAct as A;
        use Way::{Earlier, Higher, Later, Lower};
        let select = |id, name, what| Spec::in_menu(Menu::Select, id, name, what);
        let spec = match self {
            A::Begin => {
                return select(
                    "cursor",
                    "Keyboard cursor",
                    "Arrows move a cursor on the canvas, Shift selects, Enter uses the tool; Esc ends it.",
                )
                .keys(const { &[key(true, false, Code::Char('K'))] });
            }
            A::Use => select(
                "cursor_use",
                "Use the tool at the cursor",
                "A click with the tool in hand: a dab, a corner, a place.",
            )
            .keys(const { &[key(false, false, Code::Enter)] }),
            A::UseCtrl => select(
                "cursor_use_ctrl",
                "Ctrl+click at the cursor",
                "Takes the clone brush's source here; with a tool that selects, subtracts.",
            )
            .keys(const { &[key(true, false, Code::Enter)] }),
            A::Pen => select(
                "cursor_pen",
                "Pen down or up at the cursor",
                "Puts the tool down here; arrows then draw, and again lifts it.",
            )
            .keys(const { &[key(false, true, Code::Enter)] }),
            A::Step(Earlier) => select("cursor_earlier", "Cursor earlier", "One cell to the left.")
                .keys(const { &[key(false, false, Code::Left)] }),
            A::Step(Later) => select("cursor_later", "Cursor later", "One cell to the right.")
                .keys(const { &[key(false, false, Code::Right)] }),
            A::Step(Higher) => {
                select("cursor_higher", "Cursor higher", "One cell up; moves what floats a semitone or a bin.")
                    .keys(const { &[key(false, false, Code::Up)] })
            }
            A::Step(Lower) => {
                select("cursor_lower", "Cursor lower", "One cell down; moves what floats a semitone or a bin.")
                    .keys(const { &[key(false, false, Code::Down)] })
            }
            A::Leap(Earlier) => select("cursor_much_earlier", "Cursor much earlier", "Sixteen cells to the left.")
                .keys(const { &[key(true, false, Code::Left)] }),
            A::Leap(Later) => select("cursor_much_later", "Cursor much later", "Sixteen cells to the right.")
                .keys(const { &[key(true, false, Code::Right)] }),
            A::Leap(Higher) => select("cursor_much_higher", "Cursor much higher", "Sixteen cells up.")
                .keys(const { &[key(true, false, Code::Up)] }),
            A::Leap(Lower) => select("cursor_much_lower", "Cursor much lower", "Sixteen cells down.")
                .keys(const { &[key(true, false, Code::Down)] }),
            A::Extend(Earlier) => {
                select("select_earlier", "Select earlier", "Takes the selection's edge one cell left.")
                    .keys(const { &[key(false, true, Code::Left)] })
            }
            A::Extend(Later) => select("select_later", "Select later", "Takes the selection's edge one cell right.")
                .keys(const { &[key(false, true, Code::Right)] }),
            A::Extend(Higher) => select("select_higher", "Select higher", "Takes the selection's edge one cell up.")
                .keys(const { &[key(false, true, Code::Up)] }),
            A::Extend(Lower) => select("select_lower", "Select lower", "Takes the selection's edge one cell down.")
                .keys(const { &[key(false, true, Code::Down)] }),
            A::ExtendFar(Earlier) => {
                select("select_much_earlier", "Select much earlier", "Takes the selection's edge sixteen cells left.")
                    .keys(const { &[key(true, true, Code::Left)] })
            }
            A::ExtendFar(Later) => {
                select("select_much_later", "Select much later", "Takes the selection's edge sixteen cells right.")
                    .keys(const { &[key(true, true, Code::Right)] })
            }
            A::ExtendFar(Higher) => {
                select("select_much_higher", "Select much higher", "Takes the selection's edge sixteen cells up.")
                    .keys(const { &[key(true, true, Code::Up)] })
            }
            A::ExtendFar(Lower) => {
                select("select_much_lower", "Select much lower", "Takes the selection's edge sixteen cells down.")
                    .keys(const { &[key(true, true, Code::Down)] })
            }
        };
        spec.on_canvas()
    }
}

const fn key(ctrl: bool, shift: bool, code: Code) -> Key {
    Key { ctrl, shift, code }
}

impl Spec {
    /// Its keys count while the canvas has the keyboard.
    const fn on_canvas(self) -> Spec {
        Spec { context: Context::Canvas, ..self }
    }
}
