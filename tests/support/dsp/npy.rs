//! The reference arrays of `tests/reference/`, as `make_references.py` wrote them.

use std::path::PathBuf;

/// A little-endian, C-ordered array.
pub struct Npy {
    pub shape: Vec<usize>,
    descr: String,
    bytes: Vec<u8>,
}

/// A file among them.
pub fn path(file: &str) -> PathBuf {
    super::root().join("tests/reference").join(file)
}

/// `cases.json`: which array is what.
pub fn cases() -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path("cases.json")).unwrap()).unwrap()
}

/// The array named in `cases.json`.
pub fn load(name: &serde_json::Value) -> Npy {
    let name = name.as_str().expect("an array's name");
    let mut bytes = std::fs::read(path(&format!("{name}.npy"))).unwrap_or_else(|e| panic!("{name}.npy: {e}"));
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "{name}: version 1.0");
    let body = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..body]).unwrap().to_owned();
    assert!(header.contains("'fortran_order': False"));
    let between = |a: &str, b: &str| header.split(a).nth(1).unwrap().split(b).next().unwrap().to_owned();
    let shape = between("'shape': (", ")").split(',').filter_map(|n| n.trim().parse().ok()).collect();
    Npy { shape, descr: between("'descr': '", "'"), bytes: bytes.split_off(body) }
}

impl Npy {
    fn numbers<const N: usize, T>(&self, descr: &str, from: impl Fn([u8; N]) -> T) -> Vec<T> {
        assert_eq!(self.descr, descr);
        self.bytes.chunks_exact(N).map(|bytes| from(bytes.try_into().unwrap())).collect()
    }

    pub fn f32s(&self) -> Vec<f32> {
        self.numbers("<f4", f32::from_le_bytes)
    }

    pub fn f64s(&self) -> Vec<f64> {
        self.numbers("<f8", f64::from_le_bytes)
    }

    pub fn u16s(&self) -> Vec<u16> {
        self.numbers("<u2", u16::from_le_bytes)
    }

    pub fn u8s(&self) -> Vec<u8> {
        self.numbers("|u1", u8::from_le_bytes)
    }

    pub fn u32s(&self) -> Vec<u32> {
        self.numbers("<u4", u32::from_le_bytes)
    }

    pub fn u64s(&self) -> Vec<u64> {
        self.numbers("<u8", u64::from_le_bytes)
    }

    /// The bits of 16-bit values of this type.
    pub fn u16s_of(&self, descr: &str) -> Vec<u16> {
        self.numbers(descr, u16::from_le_bytes)
    }

    /// Real and imaginary part.
    pub fn complex(&self) -> Vec<[f64; 2]> {
        let part = |b: &[u8]| f64::from(f32::from_le_bytes(b.try_into().unwrap()));
        self.numbers("<c8", |b: [u8; 8]| [part(&b[..4]), part(&b[4..])])
    }

    /// The values of row `index` along the first axis.
    pub fn row<'a, T>(&self, values: &'a [T], index: usize) -> &'a [T] {
        let n = self.shape[1..].iter().product::<usize>();
        &values[index * n..(index + 1) * n]
    }
}
