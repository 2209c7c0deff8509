//! A WAV writer and reader of the tests' own, so that files are not judged by the code that wrote them.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Bits per sample.
    Pcm(u32),
    F32,
    F64,
}

impl Format {
    fn bytes(self) -> usize {
        match self {
            Format::Pcm(bits) => bits as usize / 8,
            Format::F32 => 4,
            Format::F64 => 8,
        }
    }
}

/// Samples as the file holds them: integers sign-extended, floats by their bits, one vector per channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Wav {
    pub format: Format,
    pub rate: u32,
    pub channels: Vec<Vec<i64>>,
}

/// One of the recordings in `tests/clips/`.
pub fn clip(name: &str) -> PathBuf {
    super::root().join("tests/clips").join(name)
}

impl Wav {
    pub fn write(&self, path: &Path) {
        let n_channels = self.channels.len();
        let block = (n_channels * self.format.bytes()) as u16;
        let (tag, bits) = match self.format {
            Format::Pcm(bits) => (1u16, bits as u16),
            Format::F32 => (3, 32),
            Format::F64 => (3, 64),
        };
        let mut data = Vec::new();
        for frame in 0..self.channels[0].len() {
            for channel in &self.channels {
                let value = if self.format == Format::Pcm(8) { channel[frame] + 128 } else { channel[frame] };
                data.extend_from_slice(&value.to_le_bytes()[..self.format.bytes()]);
            }
        }
        let mut out = b"RIFF".to_vec();
        out.extend((36 + data.len() as u32).to_le_bytes());
        out.extend(b"WAVEfmt \x10\0\0\0");
        out.extend(tag.to_le_bytes());
        out.extend((n_channels as u16).to_le_bytes());
        out.extend(self.rate.to_le_bytes());
        out.extend((self.rate * u32::from(block)).to_le_bytes());
        out.extend(block.to_le_bytes());
        out.extend(bits.to_le_bytes());
        out.extend(b"data");
        out.extend((data.len() as u32).to_le_bytes());
        out.extend(data);
        std::fs::write(path, out).unwrap();
    }

    pub fn read(path: &Path) -> Wav {
        let bytes = std::fs::read(path).unwrap();
        assert_eq!((&bytes[..4], &bytes[8..12]), (&b"RIFF"[..], &b"WAVE"[..]));
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(u32_at(4) as usize + 8, bytes.len(), "the RIFF size is the file's");
        let (mut at, mut header) = (12, None);
        loop {
            let (name, size, body) = (&bytes[at..at + 4], u32_at(at + 4) as usize, at + 8);
            match name {
                b"fmt " => {
                    let tag = if u16_at(body) == 0xfffe { u16_at(body + 24) } else { u16_at(body) };
                    let format = match (tag, u16_at(body + 14)) {
                        (1, bits) => Format::Pcm(u32::from(bits)),
                        (3, 32) => Format::F32,
                        (3, 64) => Format::F64,
                        other => panic!("format {other:?}"),
                    };
                    header = Some((format, usize::from(u16_at(body + 2)), u32_at(body + 4)));
                }
                b"data" => {
                    let (format, n_channels, rate) = header.unwrap();
                    let n = format.bytes();
                    let value = |raw: &[u8]| {
                        let mut wide = [0; 8];
                        wide[..n].copy_from_slice(raw);
                        let unsigned = i64::from_le_bytes(wide);
                        match format {
                            Format::Pcm(8) => unsigned - 128,
                            Format::Pcm(bits) => unsigned << (64 - bits) >> (64 - bits),
                            _ => unsigned,
                        }
                    };
                    let mut channels = vec![Vec::new(); n_channels];
                    for (i, raw) in bytes[body..body + size].chunks_exact(n).enumerate() {
                        channels[i % n_channels].push(value(raw));
                    }
                    return Wav { format, rate, channels };
                }
                _ => {}
            }
            at = body + size + size % 2;
        }
    }
}
