//! Rows as they are looked at.

mod looking;

use support::rows::*;
