//! Anchors: references for the times of edits, found in each sound to which a script is applied.

use crate::base::{JsonAt, JsonFields, Result};
use crate::document::labels::MAX_LABEL_SECS;
use serde_json::{Map, Value, json};

/// Target of an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnchorTo {
    /// The start of the sound.
    Start,
    /// Its end.
    End,
    /// A label.
    Label,
    /// An onset.
    Onset,
    /// A passage of speech.
    Speech,
    /// A pause between passages of speech.
    Pause,
}

impl AnchorTo {
    /// All targets.
    pub const ALL: [AnchorTo; 6] =
        [AnchorTo::Start, AnchorTo::End, AnchorTo::Label, AnchorTo::Onset, AnchorTo::Speech, AnchorTo::Pause];

    /// Its name in scripts and reports.
    pub fn name(self) -> &'static str {
        match self {
            AnchorTo::Start => "start",
            AnchorTo::End => "end",
            AnchorTo::Label => "label",
            AnchorTo::Onset => "onset",
            AnchorTo::Speech => "speech",
            AnchorTo::Pause => "pause",
        }
    }
}

/// Which matches are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnchorWhich {
    /// One, counted from 0 in the order of time.
    Nth(usize),
    /// Each: the edit is applied at all of them.
    Each,
}

/// Which part of a matched range is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnchorEdge {
    /// Times count from its start.
    Start,
    /// Times count from its end.
    End,
    /// Times from 0 to 1 span it.
    Span,
}

/// The reference for the times of an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct EditAnchor {
    /// Its target.
    pub to: AnchorTo,
    /// Text pattern of labels, where `*` matches any characters and `?` one; `None` for all.
    pub text: Option<String>,
    /// Which matches are used.
    pub which: AnchorWhich,
    /// Which part of a match is used.
    pub edge: AnchorEdge,
    /// Added to all times, in seconds.
    pub plus_secs: f64,
    /// Whether frequencies from 0 to 1 span the label's band.
    pub fills_band: bool,
    /// Whether the edit is skipped if there is no match, rather than failing.
    pub is_optional: bool,
}

const EDGES: [(&str, AnchorEdge); 3] =
    [("start", AnchorEdge::Start), ("end", AnchorEdge::End), ("span", AnchorEdge::Span)];

impl EditAnchor {
    /// Reads an anchor.
    ///
    /// # Errors
    /// [`Script`](crate::base::ErrorKind::Script), with the position of the invalid value.
    pub(super) fn read(at: &JsonAt) -> Result<EditAnchor> {
        let fields = at.fields()?;
        let to = fields.required("to")?.choice(&AnchorTo::ALL.map(|to| (to.name(), to)))?;
        let which = |at: &JsonAt| match at.value.as_str() {
            Some("each") => Ok(AnchorWhich::Each),
            Some(_) => at.refuse("must be a whole number, 0 or more, or \"each\""),
            None => at.index().map(AnchorWhich::Nth),
        };
        let anchor = EditAnchor {
            to,
            text: fields.optional("text", |at| at.text().map(str::to_owned))?,
            which: fields.or("n", AnchorWhich::Nth(0), which)?,
            edge: fields.or("edge", AnchorEdge::Start, |at| at.choice(&EDGES))?,
            plus_secs: fields.or("plus", 0.0, |at| at.number_in(-MAX_LABEL_SECS, MAX_LABEL_SECS))?,
            fills_band: fields.or("band", false, JsonAt::flag)?,
            is_optional: fields.or("optional", false, JsonAt::flag)?,
        };
        anchor.refuse_unread(&fields)?;
        fields.done()?;
        Ok(anchor)
    }

    /// Refuses fields that this kind of anchor doesn't use.
    fn refuse_unread(&self, fields: &JsonFields) -> Result<()> {
        let unread: &[&'static str] = match self.to {
            AnchorTo::Start | AnchorTo::End => &["text", "n", "edge", "band", "optional"],
            AnchorTo::Onset => &["text", "edge", "band"],
            AnchorTo::Speech | AnchorTo::Pause => &["text", "band"],
            AnchorTo::Label => &[],
        };
        match unread.iter().find_map(|name| fields.get(name)) {
            Some(at) => at.refuse(format!("says nothing of an anchor to {}; leave it out", self.to.name())),
            None => Ok(()),
        }
    }

    /// The anchor in the format of scripts.
    pub(super) fn to_value(&self) -> Value {
        let mut object = Map::new();
        object.insert("to".into(), json!(self.to.name()));
        if let Some(text) = &self.text {
            object.insert("text".into(), json!(text));
        }
        match self.which {
            AnchorWhich::Nth(0) => {}
            AnchorWhich::Nth(n) => drop(object.insert("n".into(), json!(n))),
            AnchorWhich::Each => drop(object.insert("n".into(), json!("each"))),
        }
        let edge = EDGES.iter().find(|(_, edge)| *edge == self.edge && self.edge != AnchorEdge::Start);
        if let Some((name, _)) = edge {
            object.insert("edge".into(), json!(name));
        }
        if self.plus_secs != 0.0 {
            object.insert("plus".into(), json!(self.plus_secs));
        }
        for (name, is_set) in [("band", self.fills_band), ("optional", self.is_optional)] {
            if is_set {
                object.insert(name.into(), json!(true));
            }
        }
        Value::Object(object)
    }
}
