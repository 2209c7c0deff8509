//! Display of row transforms.

mod looking;

use support::rows::*;
