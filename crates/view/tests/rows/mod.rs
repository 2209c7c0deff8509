//! Display of rows.

mod looking;

use support::rows::*;
