//! What the studio knows: the open document, how it is viewed, the tools and their settings. Plain data; panels read it
//! and push commands, the canvas reads it and reports gestures.

mod document;
mod floating;
mod gestures;
mod heal;
mod layout;
mod tools;
mod view;

pub use crate::view::ChannelView;
pub use document::{OpenDocument, limits_of};
pub use floating::Floating;
pub use gestures::{Gestures, Readout, SelectWish, Wanted};
pub use heal::{HealMode, HealTool};
pub use layout::{Fold, Layout, Panel};
pub use tools::{Radius, Tool, Tools};
pub use view::{Panes, View, channel_label, channel_views};
