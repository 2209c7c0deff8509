//! Resolves saved noise profiles named in scripts.

use crate::base::{Error, ErrorKind, Folders, Result};
use crate::brushes::{Brush, Isolate};
use crate::dsp::{Denoise, NoiseSource};
use crate::{Edit, SavedNoise};

/// Replaces names of saved profiles in edits by the user's files. Names with a folder or `.json` are paths, and stay
/// unchanged.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for the name of a profile that does not exist, with its position.
pub fn locate_kept_noise(edits: &mut [Edit], folders: &Folders) -> Result<()> {
    for (index, edit) in edits.iter_mut().enumerate() {
        let (Brush::Denoise(Denoise { noise: NoiseSource::Kept(kept), .. })
        | Brush::Isolate(Isolate { noise: Some(NoiseSource::Kept(kept)), .. })) = &mut edit.brush
        else {
            continue;
        };
        let is_path = kept.components().count() > 1 || kept.extension().is_some_and(|ending| ending == "json");
        if let Some(name) = kept.to_str().filter(|_| !is_path) {
            *kept = SavedNoise::folder(folders).existing(name).map_err(|error| {
                let why = format!("edits[{index}].brush.profile: {}", error.message());
                Error::new(ErrorKind::Script, why)
            })?;
        }
    }
    Ok(())
}
