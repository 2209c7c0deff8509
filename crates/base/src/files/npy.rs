//! The header of NumPy's array files, format 1.0.

/// The header of an array of type `descr` (`<c8`, `<f2`, ...), padded so that the data starts at a multiple of 64
/// bytes. With `is_fortran` the first index varies fastest, otherwise the last.
pub fn npy_header(descr: &str, is_fortran: bool, shape: &[usize]) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    // Python writes a tuple of one value with a comma.
    let sizes = if let [one] = sizes.as_slice() { format!("{one},") } else { sizes.join(", ") };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({sizes}), }}");
    let before = b"\x93NUMPY\x01\x00".len() + 2;
    let n_padding = 63 - (before + text.len()) % 64;
    text.extend(std::iter::repeat_n(' ', n_padding));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}
