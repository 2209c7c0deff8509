//! Common parts of commands: inputs, outputs, engines, terminal, log, signals, usage errors.
//! May touch: the terminal and the log. Performs no command.

pub(super) mod engines;
pub(super) mod input;
pub(super) mod interrupt;
pub(super) mod logging;
pub(super) mod named;
pub(super) mod outputs;
pub(super) mod saving;
pub(super) mod scripts;
pub(super) mod terminal;
pub(super) mod usage;
