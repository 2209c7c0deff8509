//! Resamples a document to a new one.

use super::opener::FileOpener;
use super::options::ResampleOptions;
use super::projects::OpenedFile;
use super::questions::Question;
use crate::base::{Error, khz_from_hz};
use crate::bench::context::Context;
use crate::document::session::{GeneratedSound, SoundFolder};
use crate::document::write_resampled;
use crate::media::{MAX_RATE_HZ, MIN_RATE_HZ, Source};
use std::path::Path;

/// Asks the user for the sample rate, suggesting a common one that differs from the document's.
pub(super) fn ask_rate(context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let from_hz = document.history().original().source().info().sample_rate_hz;
    let rate_hz = if from_hz == 48_000 { 44_100 } else { 48_000 };
    context.ask(Question::Resample(ResampleOptions { rate_hz, from_hz }));
}

/// Resamples the document in front, edits included, and opens the result as a new document.
pub(super) fn resample(rate_hz: u32, opening: &mut FileOpener, context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let rate_hz = rate_hz.clamp(MIN_RATE_HZ, MAX_RATE_HZ);
    let (snapshot, labels) = (document.history().current().clone(), document.history().labels().clone());
    if f64::from(rate_hz) == snapshot.sample_rate_hz() {
        let what = format!("this document is already at {}; choose another rate", khz_from_hz(f64::from(rate_hz)));
        return context.fail("resample", &Error::outcome(what));
    }
    let stem = Path::new(&document.name()).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "untitled".into());
    // The new document owns this folder until it is closed.
    let folder = match SoundFolder::create(context.folders.state(), GeneratedSound::Resampled) {
        Ok(folder) => folder,
        Err(error) => return context.fail("resample", &error),
    };
    let path = match folder.create_file(&format!("{stem} {}.wav", khz_from_hz(f64::from(rate_hz)))) {
        Ok(path) => path,
        Err(error) => return context.fail("resample", &error),
    };
    context.hold_sound(folder);
    opening.give(path, context, move |path, room, preview, progress| {
        write_resampled((&snapshot, &labels), rate_hz, path, progress)?;
        let opened = Source::open_with(path, &room.sound, preview, progress)?;
        Ok(OpenedFile::Sound(Box::new(opened)))
    });
}
