//! Tools that paint with a brush.

use crate::document::Brush;
use crate::document::brushes::BrushTool;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The tool of a brush: its index in [`Brush::TOOLS`]. Serialised as the kind of the brush.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaintTool(usize);

impl PaintTool {
    /// All brush tools, in the order of [`Brush::TOOLS`].
    pub const ALL: [PaintTool; Brush::TOOLS.len()] = {
        let mut all = [PaintTool(0); Brush::TOOLS.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = PaintTool(i);
            i += 1;
        }
        all
    };

    /// The tool of a kind of brush; `None` if there is none.
    pub fn of_kind(kind: &str) -> Option<PaintTool> {
        PaintTool::ALL.into_iter().find(|tool| tool.row().kind == kind)
    }

    /// The tool of a kind of brush, at compile time; compilation fails for unknown kinds.
    pub(super) const fn named(kind: &str) -> PaintTool {
        let mut i = 0;
        while !is_same(Brush::TOOLS[i].kind.as_bytes(), kind.as_bytes()) {
            i += 1;
        }
        PaintTool(i)
    }

    /// Index in [`Brush::TOOLS`].
    pub const fn number(self) -> usize {
        self.0
    }

    /// The brush's entry in [`Brush::TOOLS`].
    pub const fn row(self) -> &'static BrushTool {
        &Brush::TOOLS[self.0]
    }
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

impl Serialize for PaintTool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.row().kind)
    }
}

impl<'de> Deserialize<'de> for PaintTool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PaintTool, D::Error> {
        let kind = String::deserialize(deserializer)?;
        PaintTool::of_kind(&kind).ok_or_else(|| serde::de::Error::custom(format!("{kind:?} is no tool")))
    }
}
