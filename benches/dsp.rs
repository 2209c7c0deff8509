//! Speed of transforms and brushes.
fn main() {}
