//! Axes beside the pictures: rulers, the piano, lanes of labels, bars and beats. Painting only; reads the layout and
//! the view.

pub(super) mod beat;
pub(super) mod lanes;
pub(super) mod piano;
pub mod rulers;
