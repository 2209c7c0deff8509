//! Beside the pictures: rulers, the piano, lanes of labels, bars and beats. Painting only.
//! May touch: the layout and the view, for reading.

pub(super) mod beat;
pub(super) mod lanes;
pub(super) mod piano;
pub mod rulers;
