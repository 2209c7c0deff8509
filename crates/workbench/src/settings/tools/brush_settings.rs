//! Settings of brushes, serialised in the format of scripts.

use crate::document::Brush;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Changed brushes by kind, serialised in the format of scripts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BrushSettings(BTreeMap<String, Brush>);

impl BrushSettings {
    /// The brush of a kind as stored, else with its initial settings; `None` for unknown kinds.
    pub(super) fn or_first(&self, kind: &str) -> Option<Brush> {
        self.0.get(kind).cloned().or_else(|| Brush::first(kind))
    }

    /// Stores a brush for its kind; one with initial settings is not stored.
    pub(super) fn keep(&mut self, brush: Brush) {
        if Brush::first(brush.kind()).as_ref() == Some(&brush) {
            self.0.remove(brush.kind());
        } else {
            self.0.insert(brush.kind().to_owned(), brush);
        }
    }

    /// Whether all brushes have their initial settings.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for BrushSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(kind, brush)| (kind, brush.to_json())))
    }
}

impl<'de> Deserialize<'de> for BrushSettings {
    /// Skips invalid brushes, such as those of a newer version.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BrushSettings, D::Error> {
        let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
        let brushes = texts.into_iter().filter_map(|(kind, text)| {
            let brush = Brush::from_json(&text).ok()?;
            (brush.kind() == kind).then_some((kind, brush))
        });
        Ok(BrushSettings(brushes.collect()))
    }
}
