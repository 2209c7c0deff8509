//! Over the pictures: marks, outlines, labels, hints, ghosts, the loupe and lines of pitch and waveform.
//! May touch: document and view, for reading. Painting, and jobs that prepare it.

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
