// A rectangle of a region into the textures that the canvas draws: x is the bin, y is the frame.

struct Scatter {
    n_cells: vec2<u32>,      // bins, frames to write
    from_cell: vec2<u32>,         // of the first, in the region
    to_cell: vec2<u32>,           // of the first, in the textures
    region_n_bins: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> parameters: Scatter;
@group(0) @binding(1) var<storage, read> magnitude: array<f32>;
@group(0) @binding(2) var<storage, read> phase: array<f32>;
@group(0) @binding(3) var magnitude_plane: texture_storage_2d<r32float, write>;
@group(0) @binding(4) var phase_plane: texture_storage_2d<r32float, write>;

@compute @workgroup_size(64, 4)
fn scatter(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let cell = invocation.xy;
    if any(cell >= parameters.n_cells) {
        return;
    }
    let source = parameters.from_cell + cell;
    let index = source.y * parameters.region_n_bins + source.x;
    textureStore(magnitude_plane, parameters.to_cell + cell, vec4<f32>(magnitude[index], 0.0, 0.0, 0.0));
    textureStore(phase_plane, parameters.to_cell + cell, vec4<f32>(phase[index], 0.0, 0.0, 0.0));
}
