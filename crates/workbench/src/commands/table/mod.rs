//! The table of commands: rows, keys, conditions, icons.
//! May touch: facts about the workbench, for reading. Performs no command.

pub mod icons;
pub(super) mod key;
pub(super) mod need;
pub(super) mod row;
