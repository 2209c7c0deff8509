//! What tests share, and here what needs the window, the program or a driver of its own.
#![allow(dead_code, reason = "each test takes what it needs")]

pub mod canvas;
pub mod drivers;
pub mod feature_orders;
pub mod made_library;
pub mod program;
pub mod studio;

pub use test_document::*;
