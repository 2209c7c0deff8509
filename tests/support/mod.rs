//! What tests share: reference arrays, seeded signals, slow and clear mathematics, and measures.
#![allow(dead_code, reason = "several binaries share it, and none needs all of it")]

pub mod attacks;
pub mod canvas;
pub mod clips;
pub mod damage;
pub mod drivers;
pub mod engines;
pub mod feature_orders;
pub mod flac;
pub mod formulas;
pub mod fourier;
pub mod made_library;
pub mod measure;
pub mod naive;
pub mod npy;
pub mod parse;
pub mod program;
pub mod random;
pub mod rust_tokens;
pub mod sessions;
pub mod signals;
pub mod sources;
pub mod studio;
pub mod wav;
