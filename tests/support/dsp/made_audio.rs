//! Sound files made byte by byte, without the code under test.

/// Little-endian 16-bit samples.
pub fn le16(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Big-endian 16-bit samples.
pub fn be16(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// A WAV file of a format chunk and samples.
pub fn wav(format: &[u8], data: &[u8]) -> Vec<u8> {
    riff::file(&[("fmt ", format.to_vec()), ("data", data.to_vec())])
}

/// A WAV file with an extensible header at 48 kHz.
pub fn wav_extensible(tag: u16, channels: u16, bits: u16, valid: u16, mask: u32, data: &[u8]) -> Vec<u8> {
    wav(&riff::extensible(tag, channels, 48_000, bits, valid, mask), data)
}

pub mod riff {
    /// A RIFF file of form WAVE.
    pub fn file(chunks: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut body = b"WAVE".to_vec();
        for (id, data) in chunks {
            body.extend_from_slice(id.as_bytes());
            body.extend_from_slice(&(data.len() as u32).to_le_bytes());
            body.extend_from_slice(data);
            body.resize(body.len().next_multiple_of(2), 0);
        }
        [&b"RIFF"[..], &(body.len() as u32).to_le_bytes(), &body].concat()
    }

    /// The 16 bytes of a plain format chunk.
    pub fn format(tag: u16, channels: u16, rate: u32, bits: u16) -> Vec<u8> {
        let align = channels * (bits / 8);
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&tag.to_le_bytes());
        bytes.extend_from_slice(&channels.to_le_bytes());
        bytes.extend_from_slice(&rate.to_le_bytes());
        bytes.extend_from_slice(&(rate * u32::from(align)).to_le_bytes());
        bytes.extend_from_slice(&align.to_le_bytes());
        bytes.extend_from_slice(&bits.to_le_bytes());
        bytes
    }

    /// The 40 bytes of an extensible format chunk.
    pub fn extensible(tag: u16, channels: u16, rate: u32, bits: u16, valid: u16, mask: u32) -> Vec<u8> {
        let mut bytes = format(0xfffe, channels, rate, bits);
        bytes.extend_from_slice(&22u16.to_le_bytes());
        bytes.extend_from_slice(&valid.to_le_bytes());
        bytes.extend_from_slice(&mask.to_le_bytes());
        bytes.extend_from_slice(&tag.to_le_bytes());
        bytes.extend_from_slice(&[0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]);
        bytes
    }
}

/// A mono AIFF or AIFC file at 44,100 Hz.
pub fn aiff(form: &[u8; 4], compression: Option<&[u8; 4]>, bits: u16, data: &[u8]) -> Vec<u8> {
    let frames = data.len() / usize::from(bits.div_ceil(8));
    let mut common = 1u16.to_be_bytes().to_vec();
    common.extend_from_slice(&(frames as u32).to_be_bytes());
    common.extend_from_slice(&bits.to_be_bytes());
    // 44,100 as an 80-bit float.
    common.extend_from_slice(&[0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]);
    if let Some(compression) = compression {
        common.extend_from_slice(compression);
        common.extend_from_slice(&[0, 0]);
    }
    let sound = [&[0; 8], data].concat();
    let mut body = form.to_vec();
    for (id, data) in [(b"COMM", common), (b"SSND", sound)] {
        body.extend_from_slice(id);
        body.extend_from_slice(&(data.len() as u32).to_be_bytes());
        body.extend_from_slice(&data);
        body.resize(body.len().next_multiple_of(2), 0);
    }
    [&b"FORM"[..], &(body.len() as u32).to_be_bytes(), &body].concat()
}

/// A mono FLAC file at 44,100 Hz with one frame of at least 16 samples as they are (RFC 9639, verbatim subframe).
pub fn flac(bits: u32, values: &[i32]) -> Vec<u8> {
    let n = values.len();
    let mut info = Bits::default();
    info.put(n as u64, 16);
    info.put(n as u64, 16);
    info.put(0, 48);
    info.put(44_100, 20);
    info.put(0, 3);
    info.put(u64::from(bits - 1), 5);
    info.put(n as u64, 36);
    info.put(0, 128);
    let mut file = [&b"fLaC\x80\0\0\x22"[..], &info.bytes].concat();

    let mut frame = Bits::default();
    let depth = match bits {
        8 => 1,
        12 => 2,
        16 => 4,
        20 => 5,
        24 => 6,
        _ => panic!("no code for {bits} bits"),
    };
    frame.put(0xfff8, 16);
    // Size of the block in a byte behind, 44,100 Hz; mono, depth, reserved; frame 0.
    frame.put(0x69, 8);
    frame.put(depth << 1, 8);
    frame.put(0, 8);
    frame.put(n as u64 - 1, 8);
    frame.put(crc(&frame.bytes, 8, 0x07), 8);
    frame.put(0x02, 8);
    for value in values {
        frame.put(*value as u64 & ((1 << bits) - 1), bits);
    }
    frame.align();
    frame.put(crc(&frame.bytes, 16, 0x8005), 16);
    file.extend_from_slice(&frame.bytes);
    file
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    n: u32,
}

impl Bits {
    fn put(&mut self, value: u64, n: u32) {
        for bit in (0..n).rev() {
            if self.n.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let is_set = bit < 64 && value >> bit & 1 == 1;
            let last = self.bytes.len() - 1;
            self.bytes[last] |= u8::from(is_set) << (7 - self.n % 8);
            self.n += 1;
        }
    }

    fn align(&mut self) {
        self.n = self.n.next_multiple_of(8);
    }
}

fn crc(bytes: &[u8], bits: u32, polynomial: u64) -> u64 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u64::from(*byte) << (bits - 8), |sum, _| {
            let shifted = sum << 1;
            (if shifted >> bits & 1 == 1 { shifted ^ polynomial } else { shifted }) & ((1 << bits) - 1)
        })
    })
}
