//! Transforms that are refused.

use dsp::Transform;
use dsp::transforms::rows::RowsParams;

/// Rows that no script could name.
pub fn bad_rows() -> Vec<Transform> {
    let log = || RowsParams::log(24);
    [
        RowsParams::log(3),
        RowsParams::log(97),
        RowsParams::log(u32::MAX),
        RowsParams::mel(7),
        RowsParams::bark(513),
        log().with_fmin_hz(9.9),
        log().with_fmin_hz(f64::NAN),
        log().with_fmax_hz(60.0),
        log().with_gamma_hz(-1.0),
        log().with_gamma_hz(f64::NAN),
        RowsParams::list(&[100.0, 200.0, 300.0]),
        RowsParams::list(&[100.0, 200.0, f64::NAN, 300.0]),
        RowsParams::list(&[400.0, 300.0, 200.0, 100.0]),
    ]
    .map(Transform::from)
    .into()
}
