//! A label and its limits.

use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::Arc;

/// Maximum number of labels per sound.
pub const MAX_LABELS: usize = 100_000;
/// Maximum absolute time of a label.
pub const MAX_LABEL_SECS: f64 = 1e7;
/// Maximum bytes of a text, and of the name and text of a column.
pub const MAX_LABEL_BYTES: usize = 4_096;
/// Maximum number of columns per label.
pub const MAX_COLUMNS: usize = 64;
/// Number of label colours in the theme; the first is 0.
pub const N_COLOURS: u8 = 12;

/// A place or a range of a sound with a text. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Label {
    /// Id, unique in a document and never reused; 0 if not assigned yet.
    pub id: u64,
    /// Start and end, in order; equal for a marker. They may lie outside the sound.
    pub secs: [f64; 2],
    /// Lower edge of its band.
    pub low_hz: Option<f64>,
    /// Upper edge of its band.
    pub high_hz: Option<f64>,
    /// Its text; lines are separated by `\n`.
    pub text: Arc<str>,
    /// Confidence, 0 to 1.
    pub confidence: Option<f64>,
    /// Channel, counted from 0; `None` for all.
    pub channel: Option<u16>,
    /// One of the theme's colours, below [`N_COLOURS`].
    pub colour: Option<u8>,
    /// Data of other programs.
    pub columns: Columns,
}

/// Pairs of names and texts in order; names are unique without surrounding spaces, and texts are not empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Columns(Option<Arc<[Column]>>);

/// A name and a text.
type Column = (Arc<str>, Arc<str>);

impl Deref for Columns {
    type Target = [Column];

    fn deref(&self) -> &Self::Target {
        self.0.as_deref().unwrap_or(&[])
    }
}

impl FromIterator<(Arc<str>, Arc<str>)> for Columns {
    /// Collects columns, leaving out empty texts.
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Arc<str>)>>(columns: I) -> Columns {
        let columns: Vec<_> = columns.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        Columns((!columns.is_empty()).then(|| columns.into()))
    }
}

impl Columns {
    /// The text of a column.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| &**known == name).map(|(_, text)| &**text)
    }
}

/// A label valid in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The label.
    pub label: Label,
    /// Whether its start and end were swapped.
    pub is_swapped: bool,
}

impl Label {
    /// A marker, or a range if the times differ.
    pub fn new(secs: [f64; 2], text: impl Into<Arc<str>>) -> Label {
        Label { secs, text: text.into(), ..Label::default() }
    }

    /// Whether it is a marker rather than a range.
    pub fn is_marker(&self) -> bool {
        self.secs[0] >= self.secs[1]
    }

    /// Length, 0 for a marker.
    pub fn length_secs(&self) -> f64 {
        self.secs[1] - self.secs[0]
    }

    /// Both edges of its band, if it has one; a missing edge becomes 0 or `top_hz`.
    pub fn band_hz(&self, top_hz: f64) -> Option<[f64; 2]> {
        let has_band = self.low_hz.is_some() || self.high_hz.is_some();
        has_band.then(|| [self.low_hz.unwrap_or(0.0), self.high_hz.unwrap_or(top_hz)])
    }

    /// The order in a document: start, end, id.
    pub fn order(&self, other: &Label) -> Ordering {
        order((self.secs, self.id), (other.secs, other.id))
    }

    /// The label in valid form: times in order, lines of its texts separated by `\n`.
    ///
    /// # Errors
    /// The reason that it is invalid, as the end of a sentence: `its time is beyond 10000000 s`.
    pub fn checked(mut self) -> Result<Checked, String> {
        if !self.secs.iter().all(|secs| secs.is_finite()) {
            return Err("its time is not a number".into());
        }
        if self.secs.iter().any(|secs| secs.abs() > MAX_LABEL_SECS) {
            return Err(format!("its time is beyond {MAX_LABEL_SECS} s"));
        }
        // Changes -0 to 0, which is the same time but would sort differently.
        self.secs = self.secs.map(|secs| secs + 0.0);
        let is_swapped = self.secs[0] > self.secs[1];
        if is_swapped {
            self.secs.swap(0, 1);
        }
        self.check_band()?;
        if self.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
            return Err("its confidence is not between 0 and 1".into());
        }
        if self.colour.is_some_and(|colour| colour >= N_COLOURS) {
            return Err(format!("its colour is not one of 0 to {}", N_COLOURS - 1));
        }
        if self.columns.len() > MAX_COLUMNS {
            return Err(format!("it has more than {MAX_COLUMNS} columns"));
        }
        for (at, (name, _)) in self.columns.iter().enumerate() {
            if name.trim().is_empty() {
                return Err("a column has no name".into());
            }
            if self.columns[..at].iter().any(|(other, _)| other.trim() == name.trim()) {
                return Err(format!("the column {} is there twice", shortened(name)));
            }
        }
        self.text = plain_lines(self.text)?;
        if !self.columns.is_empty() {
            let trimmed =
                |name: &Arc<str>| if name.trim().len() == name.len() { name.clone() } else { name.trim().into() };
            let plain =
                |(name, text): &(Arc<str>, Arc<str>)| Ok((plain_lines(trimmed(name))?, plain_lines(text.clone())?));
            self.columns = self.columns.iter().map(plain).collect::<Result<_, String>>()?;
        }
        Ok(Checked { label: self, is_swapped })
    }

    fn check_band(&mut self) -> Result<(), String> {
        let edges = [self.low_hz, self.high_hz];
        if edges.iter().flatten().any(|hz| !hz.is_finite() || *hz < 0.0) {
            return Err("its frequency is negative or not a number".into());
        }
        if let [Some(low), Some(high)] = edges
            && low > high
        {
            return Err("its lower frequency is above its upper one".into());
        }
        Ok(())
    }
}

/// Compares by start, end and id; times are finite.
pub(super) fn order(a: ([f64; 2], u64), b: ([f64; 2], u64)) -> Ordering {
    let [start, end] = [0, 1].map(|edge| a.0[edge].total_cmp(&b.0[edge]));
    start.then(end).then(a.1.cmp(&b.1))
}

/// A text whose lines are separated by `\n`.
fn plain_lines(text: Arc<str>) -> Result<Arc<str>, String> {
    if text.len() > MAX_LABEL_BYTES {
        return Err(format!("its text is longer than {MAX_LABEL_BYTES} bytes"));
    }
    if text.bytes().any(|byte| byte == 0) {
        return Err("its text holds a NUL character".into());
    }
    match text.contains('\r') {
        true => Ok(text.replace("\r\n", "\n").replace('\r', "\n").into()),
        false => Ok(text),
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(40).collect()
}
