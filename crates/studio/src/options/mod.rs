//! Options of the tools in the option bar, a module per tool. They read the workbench, edit tool settings, and push
//! acts.

pub(super) mod filter_options;
pub(super) mod heal_options;
pub(super) mod label_options;
pub(super) mod note_options;
pub(super) mod preset_options;
pub(super) mod timbre_editor;
pub(super) mod voice_options;
