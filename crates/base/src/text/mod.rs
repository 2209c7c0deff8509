//! Text for display: dates, times and pitch, escaped external text, and limits on the number of notices.
//! May touch: the system's clock, and no other module.

pub(super) mod date;
pub(super) mod format;
pub(super) mod notices;
pub(super) mod shown;
