//! Pictures as sound, by the promises of `docs/pictures.md`: what is heard is what was seen, on every engine, against
//! levels that are computed here, from the definition.

mod cells;
mod modes;
mod peak;
mod placed;
mod reference;
mod seen;

use support::picture_edits::*;
