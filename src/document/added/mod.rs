//! Sound that a brush adds as samples, rather than painting cells.

mod mixing;
mod sound;

pub use mixing::{Mixed, TakeSoFar, mix};
pub use sound::{AddedSound, RenderedBy, TakeRendered};
