//! Noise profiles that are kept by a name, for other documents and other days.
//!
//! A profile may be laid onto any sample rate and transform: its levels are densities per hertz. Above half the rate that it
//! was learnt at no noise is known, and nothing is reduced.

use super::Edit;
use super::brushes::Brush;
use super::brushes::denoise::{ListForm, noise_profile, profile};
use super::script::fields::At;
use crate::base::{Error, Folders, KeptFolder, Result};
use crate::dsp::{Denoise, NoiseFrom, NoiseProfile};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// A noise profile and what it was learnt from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptNoise {
    /// For people: `1.00 s of tape.wav`.
    #[serde(default)]
    pub learnt_from: String,
    /// What was learnt; in the file its numbers are little-endian 32-bit floats as base64.
    #[serde(serialize_with = "write_profile", deserialize_with = "read_profile")]
    pub profile: Arc<NoiseProfile>,
}

impl KeptNoise {
    /// Their folder in the settings folder, and what is written as their kind.
    pub const KIND: &'static str = "noise";
    /// What users call one.
    pub const NOUN: &'static str = "noise profile";

    /// Those of this user.
    pub fn folder(folders: &Folders) -> KeptFolder<KeptNoise> {
        KeptFolder::new(folders, KeptNoise::KIND, KeptNoise::NOUN)
    }

    /// The profile in a file, wherever it lies.
    ///
    /// # Errors
    /// As [`KeptFolder::read_file`].
    pub fn read_file(file: &Path) -> Result<KeptNoise> {
        base::read_kept(file, KeptNoise::KIND, KeptNoise::NOUN)
    }
}

/// Puts the user's files in the place of names, where denoise edits name a saved profile. What has a folder before it or
/// ends in `.json` is a path, and stays.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) with the place, for a name that nothing is saved by.
pub fn locate_kept_noise(edits: &mut [Edit], folders: &Folders) -> Result<()> {
    for (index, edit) in edits.iter_mut().enumerate() {
        let Brush::Denoise(Denoise { noise: NoiseFrom::Kept(kept), .. }) = &mut edit.brush else { continue };
        let is_path = kept.components().count() > 1 || kept.extension().is_some_and(|ending| ending == "json");
        if let Some(name) = kept.to_str().filter(|_| !is_path) {
            *kept = KeptNoise::folder(folders).existing(name).map_err(|error| {
                let why = format!("edits[{index}].brush.profile: {}", error.message());
                Error::new(crate::base::ErrorKind::Script, why)
            })?;
        }
    }
    Ok(())
}

fn write_profile<S: Serializer>(profile: &Arc<NoiseProfile>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    noise_profile(profile, ListForm::Base64).serialize(serializer)
}

fn read_profile<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Arc<NoiseProfile>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let read = profile(&At { value: &value, place: "profile".into() });
    read.map(Arc::new).map_err(|error| serde::de::Error::custom(error.message()))
}
