//! The workbench without a window.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

extern crate sonobrush_workbench as workbench;

mod acts;
mod beat;
mod commands_refused;
mod documents;
mod dragging;
mod job_queue;
mod job_rules;
mod latest;
mod pitch_line;
mod services;
mod settings_changes;
mod strokes_in_hand;
mod units;
mod voices;
mod work;
