// Catmull-Rom weights of the cells -1, 0, 1 and 2 around a place `t` of the way from cell 0 to cell 1.
fn catmull_rom(t: f32) -> vec4<f32> {
    return vec4<f32>(
        t * (-0.5 + t * (1.0 - 0.5 * t)),
        1.0 + t * t * (-2.5 + 1.5 * t),
        t * (0.5 + t * (2.0 - 1.5 * t)),
        t * t * (-0.5 + 0.5 * t),
    );
}
