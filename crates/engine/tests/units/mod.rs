//! Tests of single modules.

mod engine;
