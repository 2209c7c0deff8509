//! Contours and half-precision floats.

use sonobrush_view::{contours, f32_from_half, half_from_f32};

fn field(n: usize, at: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    (0..n * n).map(|i| at((i / n) as f32, (i % n) as f32)).collect()
}

#[test]
fn a_disc_is_one_ring_at_its_radius() {
    let values = field(40, |x, y| 12.0 - (x - 20.0).hypot(y - 19.0));
    let lines = contours(&values, 40, 40, 2.0);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].first(), lines[0].last());
    let radii: Vec<f32> = lines[0].iter().map(|[x, y]| (x - 20.0).hypot(y - 19.0)).collect();
    // Error of interpolating the distance linearly: less than step^2 / (8 radius) = 0.0125.
    assert!(radii.iter().all(|radius| (radius - 10.0).abs() < 0.02), "{radii:?}");
    assert!(!radii.iter().all(|radius| (radius - 10.1).abs() < 0.02), "the check can fail");
    let length: f32 = lines[0].windows(2).map(|p| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1])).sum();
    assert!((length / (std::f32::consts::TAU * 10.0) - 1.0).abs() < 0.01, "{length}");
}

#[test]
fn lines_end_at_the_border_and_saddles_stay_apart() {
    let half = field(10, |x, _| if x < 4.5 { 1.0 } else { 0.0 });
    let lines = contours(&half, 10, 10, 0.5);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].len() == 10 && lines[0].iter().all(|[x, _]| *x == 4.5));
    // Two cells that touch only at a corner give two rings, a block of four cells one.
    let two = field(6, |x, y| f32::from(u8::from((x, y) == (2.0, 2.0) || (x, y) == (3.0, 3.0))));
    assert_eq!(contours(&two, 6, 6, 0.5).len(), 2);
    let four = field(6, |x, y| f32::from(u8::from((2.0..=3.0).contains(&x) && (2.0..=3.0).contains(&y))));
    assert_eq!(contours(&four, 6, 6, 0.5).len(), 1);
    assert!(contours(&field(6, |_, _| 1.0), 6, 6, 0.5).is_empty());
}

#[test]
fn halves_come_back() {
    for half in 0..0x7c00u16 {
        assert_eq!(half_from_f32(f32_from_half(half)), half);
    }
    assert_eq!(half_from_f32(1.0), 0x3c00);
    assert_eq!(half_from_f32(1e9), 0x7bff);
    assert_eq!(half_from_f32(-1.0), 0);
    assert_eq!(half_from_f32(f32::NAN), 0);
    // Half a step above 1 is a tie and rounds to even; slightly more rounds up.
    assert_eq!(half_from_f32(1.0 + 2f32.powi(-11)), 0x3c00);
    assert_eq!(half_from_f32(1.0 + 2f32.powi(-11) + 2f32.powi(-20)), 0x3c01);
}
