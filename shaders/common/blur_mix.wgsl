// |E| = lerp(|O|, G, M).
fn blur_mix(magnitude: f32, blurred: f32, mask: f32) -> f32 {
    return magnitude + (blurred - magnitude) * mask;
}
