//! Pictures of whole-number formulas: those of `reference/make_hashes.py`, which wrote the files in
//! `reference/pictures`.

/// `mix` of `make_hashes.py`.
pub fn mix(value: u32) -> u32 {
    let value = (value ^ value >> 16).wrapping_mul(0x7feb_352d);
    let value = (value ^ value >> 15).wrapping_mul(0x846c_a68b);
    value ^ value >> 16
}

/// `grey` of `make_hashes.py`: rows from the top.
pub fn grey(index: u32, [width, height]: [u32; 2], channel: u32) -> Vec<u8> {
    let seed = mix(index * 8 + 3 + channel * 77_777);
    let base = seed % 256;
    let block = 2 + seed / 7 % 30;
    let pixel = |at: u32| {
        let (x, y) = (at % width, at / width);
        let place = mix((x + y * 4099).wrapping_add(seed));
        let blocks = mix((x / block + y / block * 131).wrapping_add(seed)) >> 24;
        let along = (x * (1 + seed / 3 % 13) + y * (seed / 5 % 13)) % 510;
        let value = match index % 8 {
            0 => place >> 24,
            1 => (x * (seed / 3 % 8) + y * (seed / 5 % 8)) / (1 + seed / 11 % 9) + base,
            2 => base + u32::from(place.is_multiple_of(97)) * (1 + seed / 13 % 4),
            3 => base,
            4 => along.min(509 - along),
            5 => blocks,
            6 => base + u32::from(x >= width / 2),
            _ => (blocks & 0xf0) + (place & 15),
        };
        (value % 256) as u8
    };
    (0..width * height).map(pixel).collect()
}
