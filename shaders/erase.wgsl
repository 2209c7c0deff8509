// Erase brush. Twin: `erase` in Rust.

// |E| = |O| * (1 - M); exactly 0 where M is 1.
fn erase(magnitude: f32, mask: f32) -> f32 {
    return magnitude * (1.0 - mask);
}

fn edited(cell: u32, before: f32, m: f32) -> f32 {
    return erase(before, m);
}
