//! Values in words: dates, times and pitch, external text made safe to show, numbers of notices.
//! May touch: the system's clock, and no other module.

pub(super) mod date;
pub(super) mod format;
pub(super) mod notices;
pub(super) mod shown;
