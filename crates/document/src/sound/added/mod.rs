//! Sound that a brush adds as samples, rather than painting cells.

mod live;
mod mixing;
mod sound;

pub use live::{HeldPoint, LiveSound};
pub use mixing::{Mixed, PartialResult, mix};
pub use sound::{AddedSound, TakeRendered};
