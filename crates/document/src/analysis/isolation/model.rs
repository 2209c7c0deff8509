//! The built-in speech model.

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::repair::isolation::SpeechNetwork;
use std::sync::OnceLock;

/// DeepFilterNet3, converted by `scripts/make_models.py`.
const WEIGHTS: &[u8] = include_bytes!("../../../../../assets/models/deepfilternet3.bin");

/// BLAKE3 hash of the speech model, stored in edits made with it.
pub const SPEECH_MODEL: &str = "6cbd83f61adbadf44c99f975429883ddbba3322708445759ddcff5afa3f3e085";

/// The network, loaded on first use.
///
/// # Errors
/// As [`read_speech_model`].
pub fn speech_network() -> Result<&'static SpeechNetwork> {
    static NETWORK: OnceLock<Result<SpeechNetwork>> = OnceLock::new();
    NETWORK.get_or_init(|| read_speech_model(WEIGHTS)).as_ref().map_err(Clone::clone)
}

/// Reads the speech model from a file's bytes.
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) for bytes that differ from the model in any bit.
pub fn read_speech_model(bytes: &[u8]) -> Result<SpeechNetwork> {
    if blake3::hash(bytes).to_hex().as_str() != SPEECH_MODEL {
        return Err(Error::new(ErrorKind::Unsupported, "the speech model is damaged; install Sonobrush again"));
    }
    SpeechNetwork::read(bytes)
}
