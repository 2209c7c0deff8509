// Draws one plane of tiles into a pane, and a pane into the window. Twin of `picture` in src/view/picture.rs: which
// cells a pixel shows stands in tables that both read.

struct DrawnView {
    dark_db: f32,
    bright_db: f32,
    plane: u32,             // 0 magnitude, 1 phase less its bin's own turning, 2 phase
    silent_brightness: f32, // of the phase
}

struct DrawnTile {
    first_entry: u32, // of the texture's first row
    phase: u32,       // 0 none, 1 in turns, 2 in steps of 1/256 turn: less the bin's own turning, and as it is
    scale: f32,       // texels to amplitude; 1 is 0 dB
    frames_per_turn: u32, // after which every bin has turned a whole number of times; 1 where there is no phase
    last_row: u32,    // of half the rate
    end_share: f32,   // what the first and the last row count, see src/dsp/amplitude_scale.rs
    padding: vec2<u32>,
}

// What a column or row of pixels shows along one axis: the loudest of `first..end`, or where `mix` is above 0 a place
// between the centres of `first` and the cell after it, `mix` of the way.
struct PixelCells {
    first: u32,
    end: u32,
    mix: f32,
}

@group(0) @binding(0) var<uniform> view: DrawnView;
@group(0) @binding(1) var<storage, read> columns: array<PixelCells>; // entries of each column of pixels
@group(0) @binding(2) var<storage, read> rows: array<PixelCells>;    // rows of each row of pixels, from the top
@group(0) @binding(3) var colours: texture_2d<f32>;                 // 256 x 1
@group(1) @binding(0) var magnitude: texture_2d<f32>;               // x is the bin or row, y the frame or entry
@group(1) @binding(1) var phase: texture_2d<f32>;
@group(1) @binding(2) var<uniform> tile: DrawnTile;

// One triangle that covers the viewport; the scissor rectangle cuts it.
@vertex fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

const DB_PER_OCTAVE: f32 = 6.0205999; // 20 log10(2)
const MIN_AMPLITUDE: f32 = 1e-12;

fn db_from_amplitude(amplitude: f32) -> f32 {
    return DB_PER_OCTAVE * log2(max(amplitude, MIN_AMPLITUDE));
}

fn share_of(row: u32) -> f32 {
    return select(1.0, tile.end_share, row == 0u || row == tile.last_row);
}

// From -0.5 turns on.
fn step_of(turns: f32) -> u32 {
    return u32(fract(turns + 0.5) * 256.0) & 255u;
}

fn colour(level_db: f32, phase_step: u32) -> vec3<f32> {
    let level = clamp((level_db - view.dark_db) / (view.bright_db - view.dark_db), 0.0, 1.0);
    if view.plane == 0u {
        return textureLoad(colours, vec2<u32>(u32(level * 255.0 + 0.5), 0u), 0).rgb;
    }
    let brightness = view.silent_brightness + (1.0 - view.silent_brightness) * level;
    if tile.phase == 0u {
        return vec3<f32>(brightness);
    }
    return textureLoad(colours, vec2<u32>(phase_step, 0u), 0).rgb * brightness;
}

// Bare cells; for pixels whose tables mix nothing.
@fragment fn picture(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let column = columns[u32(pixel.x)];
    let row = rows[u32(pixel.y)];
    let size = textureDimensions(magnitude);
    let last_entry = min(column.end - tile.first_entry, size.y);
    let last_row = min(row.end, size.x);
    var loudest = -1.0;
    var place = vec2<u32>(0u, 0u);
    for (var entry = column.first - tile.first_entry; entry < last_entry; entry++) {
        for (var i = row.first; i < last_row; i++) {
            let cell = textureLoad(magnitude, vec2<u32>(i, entry), 0).x * share_of(i);
            if cell > loudest {
                loudest = cell;
                place = vec2<u32>(i, entry);
            }
        }
    }
    var phase_step = 0u;
    if view.plane != 0u && tile.phase == 1u {
        var turns = textureLoad(phase, place, 0).x;
        if view.plane == 1u {
            let period = tile.frames_per_turn;
            let turned = ((tile.first_entry + place.y) % period) * (place.x % period) % period;
            turns -= f32(turned) / f32(period);
        }
        phase_step = step_of(turns);
    } else if view.plane != 0u && tile.phase == 2u {
        let steps = textureLoad(phase, place, 0).xy;
        phase_step = u32(select(steps.y, steps.x, view.plane == 1u) * 255.0 + 0.5);
    }
    return vec4<f32>(colour(db_from_amplitude(loudest * tile.scale), phase_step), 1.0);
}

// Levels between cell centres, each cell at least as loud as the darkest colour. A pipeline of its own, so that bare
// cells cost no more than before.
@fragment fn smooth_picture(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let column = columns[u32(pixel.x)];
    let row = rows[u32(pixel.y)];
    let size = textureDimensions(magnitude);
    let first_entry = column.first - tile.first_entry;
    let last_entry = min(column.end - tile.first_entry, size.y);
    let last_row = min(row.end, size.x);
    let is_mixed = vec2<bool>(column.mix > 0.0, row.mix > 0.0);
    // Four cells: at the first entry and row, at the next entry, at the next row, at both. Along an axis that mixes
    // nothing it is the loudest. One pair of loops for all four: more loops cost more where a processor draws.
    var loudest = vec4<f32>(-1.0);
    for (var entry = first_entry; entry < last_entry; entry++) {
        let entry_corner = select(0u, 1u, is_mixed.x && entry > first_entry);
        for (var i = row.first; i < last_row; i++) {
            let corner = entry_corner + select(0u, 2u, is_mixed.y && i > row.first);
            let cell = textureLoad(magnitude, vec2<u32>(i, entry), 0).x * share_of(i);
            loudest = select(loudest, max(loudest, vec4<f32>(cell)), vec4<u32>(0u, 1u, 2u, 3u) == vec4<u32>(corner));
        }
    }
    let levels_db = DB_PER_OCTAVE * log2(max(loudest * tile.scale, vec4<f32>(MIN_AMPLITUDE)));
    let entry_weights = vec4<f32>(1.0 - column.mix, column.mix, 1.0 - column.mix, column.mix);
    let row_weights = vec4<f32>(1.0 - row.mix, 1.0 - row.mix, row.mix, row.mix);
    let level_db = dot(entry_weights * row_weights, max(levels_db, vec4<f32>(view.dark_db)));
    return vec4<f32>(colour(level_db, 0u), 1.0);
}

struct PanePlace {
    origin_px: vec2<f32>, // of the pane in the window
    padding: vec2<f32>,
}

@group(0) @binding(0) var<uniform> place: PanePlace;
@group(0) @binding(1) var pane: texture_2d<f32>;

// From the pane's own origin, not from the viewport: egui cuts the viewport at the window's edges. Colours are written
// as they are: egui's target is in gamma space.
@fragment fn copy_pane(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let last = vec2<i32>(textureDimensions(pane)) - 1;
    let texel = clamp(vec2<i32>(floor(pixel.xy - place.origin_px)), vec2<i32>(0), last);
    return vec4<f32>(textureLoad(pane, texel, 0).rgb, 1.0);
}
