//! The demo clip, and the stroke suggested on it.

use crate::base::{Error, Progress, Result, write_atomic};
use crate::bench::context::Context;
use crate::documents::OpenDocument;
use crate::media::{Opened, Source};
use crate::settings::tools::{Radius, Tool, Tools};
use std::io::Write;
use std::path::{Path, PathBuf};

const CLIP: &[u8] = include_bytes!("../../../../assets/clips/guitar_chord_44k_stereo.flac");
const NAME: &str = "guitar_chord_44k_stereo.flac";

/// Time range of the loudest partial of the chord's highest string, from its pluck until it has decayed.
const PARTIAL_SECS: [f64; 2] = [0.75, 6.0];
/// Frequency of this partial.
const PARTIAL_HZ: f64 = 592.0;
/// Brush radius that covers the partial at full strength and fades out before its neighbours.
const BRUSH: Radius = Radius::Locked { secs: 0.1, octaves: 0.2 };

/// A stroke suggested to the user on the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProposedStroke {
    /// Start and end, in seconds.
    pub secs: [f64; 2],
    /// Frequency, in hertz.
    pub hz: f64,
    /// Extent above and below, in octaves.
    pub octaves: f64,
    /// The hint beside the stroke.
    pub words: &'static str,
}

/// The path to which the clip is written before it is opened like any other file.
pub fn demo_file(state: &Path) -> PathBuf {
    state.join(NAME)
}

/// Writes the clip and opens it.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io) if it cannot be written.
pub(super) fn open(path: &Path, progress: &Progress) -> Result<Opened> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "created", folder))?;
    }
    write_atomic(path, |file| file.write_all(CLIP).map_err(|error| Error::io(&error, "written", path)))?;
    Source::open(path, progress)
}

/// Selects the erase brush, sized to cover the partial, for the suggested stroke.
pub(super) fn take_brush(context: &mut Context) {
    context.tools.pick(Tool::ERASE);
    context.tools.change(|settings| {
        settings.set_radius(Tool::ERASE, BRUSH);
        settings.strength = 1.0;
    });
}

/// The stroke suggested on a document: only on the demo clip, before the first edit and while the erase brush is
/// active.
pub fn proposed_stroke(document: &OpenDocument, tools: &Tools, state: &Path) -> Option<ProposedStroke> {
    let is_new = document.history().entries().len() == 1 && !document.edits().is_busy();
    let is_clip = document.path() == Some(demo_file(state).as_path());
    let Radius::Locked { octaves, .. } = BRUSH else { return None };
    (is_new && is_clip && tools.active() == Tool::ERASE).then_some(ProposedStroke {
        secs: PARTIAL_SECS,
        hz: PARTIAL_HZ,
        octaves,
        words: "Drag along this line: the Erase brush takes one partial out of the chord.",
    })
}
