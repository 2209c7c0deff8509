//! Keyboard input and state of the pointer: commands by key, the keyboard's cursor, typed values, the typing keyboard.
//! May touch: the canvas and the workbench through acts.

pub(super) mod cursor;
pub(super) mod hand;
pub mod keys;
pub(super) mod snap_key;
pub mod typed;
pub(super) mod typing;
