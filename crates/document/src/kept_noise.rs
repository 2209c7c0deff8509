//! Noise profiles that are kept by a name, for other documents and other days.
//!
//! A profile may be laid onto any sample rate and transform: its levels are densities per hertz. Above half the rate
//! that it was learnt at no noise is known, and nothing is reduced.

use super::script::noise::{ListForm, noise_profile, profile};
use crate::base::{Folders, JsonAt, KeptFolder, Result, read_kept};
use crate::dsp::NoiseProfile;
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

    /// The kept noises of this user.
    pub fn folder(folders: &Folders) -> KeptFolder<KeptNoise> {
        KeptFolder::new(folders, KeptNoise::KIND, KeptNoise::NOUN)
    }

    /// The profile in a file, wherever it lies.
    ///
    /// # Errors
    /// As [`KeptFolder::read_file`].
    pub fn read_file(file: &Path) -> Result<KeptNoise> {
        read_kept(file, KeptNoise::KIND, KeptNoise::NOUN)
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
