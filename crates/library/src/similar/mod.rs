//! Similar sounds: perceptual vectors, their scaling, and exact nearest-neighbour search.

mod index;
mod nearest;
mod scale;
mod vector;

pub use index::SimilarIndex;
pub use nearest::{MAX_DIAL, SimilarDials, SimilarSound, SimilarTo, VectorTable};
pub use scale::VectorScale;
pub use vector::{N_DIMENSIONS, SoundVector, vector_of};
