//! Bytes and samples as base64 (RFC 4648, with padding); samples are little-endian 32-bit floats.

const BASE64_ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes samples bit-exactly.
pub fn text_from_samples(samples: &[f32]) -> String {
    let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    text_from_bytes(&bytes)
}

/// Encodes bytes as base64.
pub fn text_from_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().enumerate().fold(0u32, |word, (i, &byte)| word | u32::from(byte) << (16 - 8 * i));
        for i in 0..4 {
            let sign = BASE64_ALPHABET[(word >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= three.len() { char::from(sign) } else { '=' });
        }
    }
    text
}

/// Decodes base64 of little-endian `f32` samples; `None` if the text is invalid or ends within a sample.
pub fn samples_from_text(text: &str) -> Option<Vec<f32>> {
    let bytes = bytes_from_text(text)?;
    let samples = bytes.chunks_exact(4);
    if !samples.remainder().is_empty() {
        return None;
    }
    Some(samples.map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect())
}

/// Decodes base64; `None` if it is invalid.
pub fn bytes_from_text(text: &str) -> Option<Vec<u8>> {
    let mut values = [u8::MAX; 256];
    for (value, &sign) in BASE64_ALPHABET.iter().enumerate() {
        values[usize::from(sign)] = value as u8;
    }
    let body = text.trim_end_matches('=').as_bytes();
    if !text.len().is_multiple_of(4) || text.len() - body.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for four in body.chunks(4) {
        let mut word = 0u32;
        for (i, &sign) in four.iter().enumerate() {
            let value = values[usize::from(sign)];
            if value == u8::MAX {
                return None;
            }
            word |= u32::from(value) << (18 - 6 * i);
        }
        bytes.extend_from_slice(&word.to_be_bytes()[1..four.len()]);
    }
    Some(bytes)
}
