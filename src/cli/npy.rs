//! The header of NumPy's array files, format 1.0.

/// The header of a little-endian complex64 array in Fortran order, padded so that data start at a multiple of 64.
pub(super) fn complex64_header(shape: [usize; 3]) -> Vec<u8> {
    let [a, b, c] = shape;
    let mut text = format!("{{'descr': '<c8', 'fortran_order': True, 'shape': ({a}, {b}, {c}), }}");
    let before = b"\x93NUMPY\x01\x00".len() + 2;
    let n_padding = 63 - (before + text.len()) % 64;
    text.extend(std::iter::repeat_n(' ', n_padding));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_start_at_a_multiple_of_64() {
        for shape in [[1, 1, 1], [2, 1025, 12_345], [32, 16_385, 123_456_789]] {
            let header = complex64_header(shape);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(header[8..10], ((header.len() - 10) as u16).to_le_bytes());
            assert_eq!(header.last(), Some(&b'\n'));
        }
    }
}
