//! Colours, type and sizes.
