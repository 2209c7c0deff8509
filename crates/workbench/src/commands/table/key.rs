//! Keyboard shortcuts: keys with modifiers.

use std::fmt;

/// A key, by the character or name printed on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is called what the key is")]
pub enum Code {
    /// A letter (upper case), digit or sign.
    Char(char),
    F(u8),
    Space,
    Delete,
    Backspace,
    Home,
    End,
    Escape,
    Enter,
    Tab,
    PageUp,
    PageDown,
    Left,
    Right,
    Up,
    Down,
}

/// A key with its modifiers. Never Alt, which window managers reserve for the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Whether Ctrl is held, or Cmd on a Mac.
    pub ctrl: bool,
    /// Whether Shift is held.
    pub shift: bool,
    /// The key itself.
    pub code: Code,
}

impl Key {
    /// The same key with Ctrl.
    pub(in crate::commands) const fn with_ctrl(self) -> Key {
        Key { ctrl: true, ..self }
    }

    /// The same key with Shift.
    pub(in crate::commands) const fn with_shift(self) -> Key {
        Key { shift: true, ..self }
    }
}

/// A key without modifiers.
pub(in crate::commands) const fn plain(code: Code) -> Key {
    Key { ctrl: false, shift: false, code }
}

/// A letter, digit or sign alone.
pub(in crate::commands) const fn key(letter: char) -> Key {
    plain(Code::Char(letter))
}

/// A letter, digit or sign with Ctrl.
pub(in crate::commands) const fn ctrl(letter: char) -> Key {
    key(letter).with_ctrl()
}

/// A letter, digit or sign with Shift.
pub(in crate::commands) const fn shift(letter: char) -> Key {
    key(letter).with_shift()
}

/// A letter, digit or sign with Ctrl and Shift.
pub(in crate::commands) const fn ctrl_shift(letter: char) -> Key {
    ctrl(letter).with_shift()
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str(if cfg!(target_os = "macos") { "Cmd+" } else { "Ctrl+" })?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        match self.code {
            Code::Char('-') => f.write_str("\u{2212}"),
            Code::Char(letter) => write!(f, "{letter}"),
            Code::F(number) => write!(f, "F{number}"),
            Code::Escape => f.write_str("Esc"),
            Code::PageUp => f.write_str("Page Up"),
            Code::PageDown => f.write_str("Page Down"),
            Code::Space | Code::Delete | Code::Backspace | Code::Home | Code::End | Code::Enter | Code::Tab => {
                write!(f, "{:?}", self.code)
            }
            Code::Left | Code::Right | Code::Up | Code::Down => write!(f, "{:?}", self.code),
        }
    }
}
