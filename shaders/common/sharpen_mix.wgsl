// |E| = lerp(|O|, max(0, |O| + amount (|O| - G)), M).
fn sharpen_mix(magnitude: f32, blurred: f32, amount: f32, mask: f32) -> f32 {
    let sharp = max(magnitude + amount * (magnitude - blurred), 0.0);
    return magnitude + (sharp - magnitude) * mask;
}
