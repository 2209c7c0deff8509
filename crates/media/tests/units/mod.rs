//! Unit tests of low-level parts: headers, packets, and spliced readers.

mod media;
