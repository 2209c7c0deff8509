//! Words of the status line for work in progress.

use workbench::JobStatus;

fn words(part: f32, taken_secs: f64) -> Option<String> {
    JobStatus { name: "Finding clicks", part, since_secs: 100.0 }.words(100.0 + taken_secs)
}

#[test]
fn work_that_takes_a_while_says_how_long_it_takes() {
    for (part, taken_secs, expected) in [
        (0.5, 0.2, None),
        (0.0, 0.5, Some("Finding clicks, 0 %")),
        (0.0, 60.0, Some("Finding clicks, 0 %")),
        (0.01, 5.0, Some("Finding clicks, 1 %")),
        (0.25, 4.0, Some("Finding clicks, 25 %, 12 s left")),
        (0.5, 90.0, Some("Finding clicks, 50 %, 1:30 left")),
        (0.1, 0.5, Some("Finding clicks, 10 %")),
        (0.9, 9.0, Some("Finding clicks, 90 %")),
        (1.0, 9.0, Some("Finding clicks, 100 %")),
    ] {
        assert_eq!(words(part, taken_secs).as_deref(), expected, "{part} after {taken_secs} s");
    }
}
