//! The user's settings: tools, saved presets, and the state of window and views.
//! May touch: the user's settings folder, and documents through acts. No sound.

pub(super) mod graphics;
pub(super) mod graphics_choice;
pub(super) mod preferences;
pub(super) mod presets;
pub(super) mod tools;
