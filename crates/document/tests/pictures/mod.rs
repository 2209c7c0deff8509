//! Pictures as sound, by the promises of `docs/pictures.md`: the sound matches the picture on every engine, compared
//! with levels computed here from the definition.

mod cells;
mod modes;
mod peak;
mod placed;
mod reference;
mod seen;

use support::picture_edits::*;
