//! Processing of many sounds: features for machine learning from whole folders, written so that a kill at any moment
//! loses at most the work in progress; and the library, with pictures, hashes and keys that identify sounds.

extern crate base;
extern crate document;
extern crate dsp;
extern crate engine;
extern crate media;
extern crate self as library;

pub mod batches;
pub mod bench;
pub mod describe;
pub mod descriptors;
pub mod export;
pub mod features;
pub mod file_work;
pub mod identity;
mod mono;
pub mod paint_files;
pub mod search;
pub mod similar;
pub mod sound_name;
pub mod store;
pub mod watch;
