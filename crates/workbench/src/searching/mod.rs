//! What is looked for in the sound: selections that only the sound can tell, noises, clicks, hum, more of the same. Done
//! in jobs; an answer is applied, or the user is told why not.

mod acting;
mod course;
mod finding;
mod order;
mod places;
mod seek;
mod selecting;
mod similar;
mod sought;

pub(super) use acting::{perform_find, perform_select};
pub use finding::Finding;
pub use places::places;
pub use seek::{SelectWish, Wanted};
pub use selecting::{Reshape, Selecting, new_feather};
pub use similar::Similar;
