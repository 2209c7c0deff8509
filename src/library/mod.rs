//! What is known of many sounds at once: features for machine learning from whole folders, written so that a kill at any
//! moment loses at most what was being computed.

pub mod features;
