// The spectrum of N real samples and that of the N/2 complex ones which they are packed as.

// A bin of N real samples, of packed bin `k`, the conjugate of packed bin `N/2 - k`, and `exp(-2 pi i k / N)`.
fn unpacked(z: vec2<f32>, mirror: vec2<f32>, root: vec2<f32>) -> vec2<f32> {
    let even = (z + mirror) * 0.5;
    let difference = (z - mirror) * 0.5;
    return even + mul(vec2<f32>(difference.y, -difference.x), root);
}

// Packed bins `k` and `N/2 - k`, of bin `k`, the conjugate of bin `N/2 - k`, and `exp(-2 pi i k / N)`.
fn packed_pair(x: vec2<f32>, mirror: vec2<f32>, root: vec2<f32>) -> vec4<f32> {
    let even = (x + mirror) * 0.5;
    let odd = mul((x - mirror) * 0.5, conj(root));
    return vec4<f32>(even.x - odd.y, even.y + odd.x, even.x + odd.y, odd.x - even.y);
}
