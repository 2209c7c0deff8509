//! The structure of the workspace, proven by reading every file: which row may import which, which crates a row may
//! name, that no files of a row go in a circle, that a type's name means one thing, that what has a home stands nowhere
//! else, and that folders are small. Planted violations are each test's control.

mod allowed;
mod circles;
mod fields;
mod folders;
mod homes;
mod house;
mod names;
mod parser;
mod rows;
mod sizes;

use super::support::sources::sources;
use house::House;
use std::sync::OnceLock;

/// Today's source, read once.
fn house() -> &'static House {
    static HOUSE: OnceLock<House> = OnceLock::new();
    HOUSE.get_or_init(|| House::of(sources()))
}
