//! Labels: what a set of them holds, and their formats.

mod model;
