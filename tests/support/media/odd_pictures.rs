//! Pictures that are made byte by byte.

/// A PNG chunk with its checksum.
pub fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [name.as_slice(), data].concat();
    let mut crc = !0u32;
    for byte in &body {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    [(data.len() as u32).to_be_bytes().as_slice(), &body, &(!crc).to_be_bytes()].concat()
}

/// A PNG whose head promises a size, with a little data.
pub fn bomb(width: u32, height: u32) -> Vec<u8> {
    let head = [width.to_be_bytes().as_slice(), &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let data = [0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01];
    let chunks = [chunk(b"IHDR", &head), chunk(b"IDAT", &data), chunk(b"IEND", &[])].concat();
    [b"\x89PNG\r\n\x1a\n".as_slice(), &chunks].concat()
}

/// A whole JPEG of 8 x 8 pixels in CMYK: four components, all of whose coefficients are 0.
pub fn cmyk_jpeg() -> Vec<u8> {
    let segment =
        |marker: u8, data: &[u8]| [&[0xff, marker], ((data.len() + 2) as u16).to_be_bytes().as_slice(), data].concat();
    // One code of one bit for the symbol 0.
    let table = |class: u8| [[class].as_slice(), &[1], &[0; 15], &[0]].concat();
    let parts = [
        vec![0xff, 0xd8],
        segment(0xee, b"Adobe\0\x64\0\0\0\0\0"),
        segment(0xdb, &[[0].as_slice(), &[1; 64]].concat()),
        segment(0xc0, &[8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]),
        segment(0xc4, &table(0x00)),
        segment(0xc4, &table(0x10)),
        segment(0xda, &[4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0]),
        vec![0x00, 0xff, 0xd9],
    ];
    parts.concat()
}

/// An OpenEXR file of one channel list, without compression: `kind` 1 for 16-bit floats, 2 for 32-bit ones.
pub fn exr(size: [usize; 2], kind: u32, channels: &[&str], value: impl Fn(usize, usize, usize) -> f32) -> Vec<u8> {
    let text = |text: &str| [text.as_bytes(), &[0]].concat();
    let attribute = |name: &str, of: &str, data: &[u8]| {
        [text(name), text(of), (data.len() as u32).to_le_bytes().to_vec(), data.to_vec()].concat()
    };
    let mut list = Vec::new();
    for name in channels {
        list.extend([text(name), kind.to_le_bytes().to_vec(), vec![0; 4], [1u32.to_le_bytes(); 2].concat()].concat());
    }
    list.push(0);
    let window = [0, 0, size[0] as i32 - 1, size[1] as i32 - 1].map(i32::to_le_bytes).concat();
    let mut file = [
        vec![0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0],
        attribute("channels", "chlist", &list),
        attribute("compression", "compression", &[0]),
        attribute("dataWindow", "box2i", &window),
        attribute("displayWindow", "box2i", &window),
        attribute("lineOrder", "lineOrder", &[0]),
        attribute("pixelAspectRatio", "float", &1f32.to_le_bytes()),
        attribute("screenWindowCenter", "v2f", &[0; 8]),
        attribute("screenWindowWidth", "float", &1f32.to_le_bytes()),
        vec![0],
    ]
    .concat();
    let n_bytes = if kind == 1 { 2 } else { 4 };
    let line_bytes = size[0] * channels.len() * n_bytes;
    let first = file.len() + 8 * size[1];
    for y in 0..size[1] {
        file.extend(((first + y * (8 + line_bytes)) as u64).to_le_bytes());
    }
    for y in 0..size[1] {
        file.extend((y as i32).to_le_bytes());
        file.extend((line_bytes as u32).to_le_bytes());
        for channel in 0..channels.len() {
            for x in 0..size[0] {
                let value = value(channel, x, y);
                match kind {
                    1 => file.extend(half::f16::from_f32(value).to_le_bytes()),
                    _ => file.extend(value.to_le_bytes()),
                }
            }
        }
    }
    file
}
