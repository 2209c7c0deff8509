//! Hooks of window tests, behind the feature `hooks`: published state, timings, injected failures.
//! May touch: everything, for reading; files that the tests name.

#[cfg(feature = "hooks")]
pub(super) mod frame_times;
#[cfg(not(feature = "hooks"))]
pub(super) mod no_hooks;
#[cfg(feature = "hooks")]
pub mod probe;
#[cfg(feature = "hooks")]
pub(super) mod test_commands;

#[cfg(not(feature = "hooks"))]
pub(super) use no_hooks::{frame_times, probe, test_commands};
