//! Options of the tools in the option bar, a module per tool. They read settings and push acts.
//! May touch: the workbench, for reading.

pub(super) mod filter_options;
pub(super) mod heal_options;
pub(super) mod label_options;
pub(super) mod note_options;
pub(super) mod preset_options;
pub(super) mod timbre_editor;
pub(super) mod voice_options;
