//! Pictures from files.

mod damaged;
mod read;
