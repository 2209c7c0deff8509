//! Overlays on the pictures: marks, outlines, labels, hints, ghosts, the loupe, the pitch line and the waveform.
//! Reads the document and the view, paints, and runs the jobs that prepare the overlays.

pub(super) mod found;
pub(super) mod ghost;
pub(super) mod guide;
pub(super) mod hint;
pub(super) mod labels;
pub mod loupe;
pub(super) mod marks;
pub mod outline;
pub(super) mod over;
pub(super) mod overlays;
pub(super) mod picture_ghost;
pub(super) mod pitch;
pub(super) mod speech_tint;
pub mod waveform;
