// Arithmetic of complex numbers.

fn mul(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

fn conj(a: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x, -a.y);
}

// Bin k of N real samples from packed value k, the conjugate of packed value N/2 - k, and exp(-2 pi i k / N).
fn unpacked(z: vec2<f32>, mirror: vec2<f32>, root: vec2<f32>) -> vec2<f32> {
    let even = (z + mirror) * 0.5;
    let difference = (z - mirror) * 0.5;
    let odd = vec2<f32>(difference.y, -difference.x);
    return even + mul(odd, root);
}
