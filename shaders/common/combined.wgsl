// E = O (1 - M (1 - kept)) + M Z.
fn combine(own: vec2<f32>, other: vec2<f32>, mask: f32, kept: f32) -> vec2<f32> {
    return own * (1.0 - mask * (1.0 - kept)) + other * mask;
}
