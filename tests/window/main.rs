//! The real window and the real sound server.
fn main() {}
