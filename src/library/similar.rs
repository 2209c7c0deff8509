//! Sounds that are like each other: vectors of what is heard, their scale, and exact search among them.

mod vector;

pub use vector::{N_DIMENSIONS, SoundVector, vector_of};
