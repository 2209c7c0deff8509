// Which cells a dispatch writes, and where `before` lies around them. Planes are frame-major, bins side by side.

struct Cells {
    n_bins: u32,          // of the rectangle that is written
    first_bin: u32,       // of that rectangle, on the grid
    first_cell: u32,      // of this dispatch, counted in that rectangle
    end_cell: u32,        // exclusive
    before_frame: u32,    // where the rectangle's first cell stands in `before`
    before_bin: u32,
    before_n_frames: u32,
    before_n_bins: u32,
}

struct Invocation {
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) n_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local_index: u32,
}

// Workgroups of 256, counted along x and then along y, so that no count of cells meets the limit of one dimension.
fn number_of(invocation: Invocation) -> u32 {
    return (invocation.workgroup.y * invocation.n_workgroups.x + invocation.workgroup.x) * 256u + invocation.local_index;
}
