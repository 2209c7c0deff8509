//! Noise profiles saved by name, for use in other documents.
//!
//! A profile can be applied to any sample rate and transform, since its levels are densities per hertz. Above half the
//! sample rate at which it was learnt no noise is known, and nothing is reduced.

use crate::base::{Folders, JsonAt, NamedValueFolder, Result, read_kept};
use crate::dsp::NoiseProfile;
use crate::scripts::script::noise::{ListForm, noise_profile, profile};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// A noise profile and its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedNoise {
    /// Source for display: `1.00 s of tape.wav`.
    #[serde(default)]
    pub learnt_from: String,
    /// The profile; stored as little-endian 32-bit floats in base64.
    #[serde(serialize_with = "write_profile", deserialize_with = "read_profile")]
    pub profile: Arc<NoiseProfile>,
}

impl SavedNoise {
    /// Name of the folder of saved profiles in the settings folder, and the kind stated in their files.
    pub const KIND: &'static str = "noise";
    /// Noun for a saved profile in messages.
    pub const NOUN: &'static str = "noise profile";

    /// The user's saved noise profiles.
    pub fn folder(folders: &Folders) -> NamedValueFolder<SavedNoise> {
        NamedValueFolder::new(folders, SavedNoise::KIND, SavedNoise::NOUN)
    }

    /// Reads the profile in a file at any path.
    ///
    /// # Errors
    /// As [`NamedValueFolder::read_file`].
    pub fn read_file(file: &Path) -> Result<SavedNoise> {
        read_kept(file, SavedNoise::KIND, SavedNoise::NOUN)
    }
}

fn write_profile<S: Serializer>(profile: &Arc<NoiseProfile>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    noise_profile(profile, ListForm::Base64).serialize(serializer)
}

fn read_profile<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Arc<NoiseProfile>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let read = profile(&JsonAt::new(&value, "profile"));
    read.map(Arc::new).map_err(|error| serde::de::Error::custom(error.message()))
}
