//! The structs that shaders read, in their Rust layout. Rust owns them; a test compares every offset with the WGSL.

use crate::dsp::comparison::hashes;
use crate::dsp::kernels::{AnyCellKernel, StructLayout};
use crate::dsp::voices;
use bytemuck::{Pod, Zeroable};

macro_rules! shared_structs {
    ($($(#[$attribute:meta])* struct $name:ident { $($member:ident: $kind:ty,)* })*) => {
        $(
            $(#[$attribute])*
            #[repr(C)]
            #[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
            pub(super) struct $name {
                $(pub $member: $kind,)*
            }
        )*

        fn own_layouts() -> Vec<StructLayout> {
            vec![$(StructLayout {
                name: stringify!($name),
                size: size_of::<$name>(),
                members: vec![$((stringify!($member), std::mem::offset_of!($name, $member))),*],
            }),*]
        }
    };
}

shared_structs! {
    /// See `shaders/common/cells.wgsl`.
    struct Cells {
        n_bins: u32,
        first_bin: u32,
        first_cell: u32,
        end_cell: u32,
        before_frame: u32,
        before_bin: u32,
        before_n_frames: u32,
        before_n_bins: u32,
    }

    /// See `shaders/common/frames.wgsl`.
    struct Frames {
        first_frame: u32,
        n_frames: u32,
        n_fft: u32,
        hop: u32,
        first_bin: u32,
        n_bins: u32,
        before_frame: u32,
        before_first_bin: u32,
        before_n_bins: u32,
        origin_frame: u32,
        first_sample: u32,
        n_samples: u32,
        row_bits: u32,
    }

    /// See `shaders/attenuate.wgsl`.
    struct Attenuate {
        weight_before: f32,
        weight_after: f32,
        weight_below: f32,
        weight_above: f32,
        frame_unit: f32,
        bin_unit: f32,
        mixing: u32,
        n_runs: u32,
    }

    /// See `shaders/attenuate.wgsl`.
    struct HoleRun {
        line: u32,
        step: u32,
        first: u32,
        end: u32,
        n_before: u32,
        n_after: u32,
        before: f32,
        after: f32,
    }

    /// See `shaders/combine.wgsl`.
    struct Combine {
        kept: f32,
    }

    /// See `shaders/modulation_lines.wgsl`.
    struct Lines {
        n_cells: u32,
        n_padded: u32,
        n_before: u32,
        n_lines: u32,
        first_pair: u32,
        n_pairs: u32,
        cell_step: u32,
        line_step: u32,
        element_step: u32,
        pair_step: u32,
        n_done: u32,
        inverse: u32,
    }

    /// See `shaders/resample.wgsl`.
    struct Resample {
        overlap: u32,
        nyquist_bin: u32,
    }

    /// See `shaders/resample.wgsl`.
    struct Displaced {
        whole_frames: i32,
        frame_fraction: f32,
        whole_bins: i32,
        bin_fraction: f32,
        turns: f32,
        acts: u32,
    }

    /// See `shaders/display.wgsl`.
    struct DrawnView {
        dark_db: f32,
        bright_db: f32,
        plane: u32,
        silent_brightness: f32,
    }

    /// See `shaders/display.wgsl`.
    struct DrawnTile {
        first_entry: u32,
        phase: u32,
        scale: f32,
        frames_per_turn: u32,
        last_row: u32,
        end_share: f32,
        padding: [u32; 2],
    }

    /// See `shaders/display.wgsl`; vectors of two are aligned to 8 bytes there.
    struct PanePlace {
        origin_px: [f32; 2],
        padding: [f32; 2],
    }

    /// See `shaders/common/row_part.wgsl`.
    struct RowEntry {
        first_bin: i32,
        n_bins: u32,
        first_value: u32,
        peak: f32,
        inverse_peak: f32,
    }

    /// See `shaders/common/row_part.wgsl`.
    struct RowPart {
        first_row: u32,
        n_rows: u32,
        n_places: u32,
        n_chunks: u32,
        n_groups: u32,
        is_real: u32,
        first_column: u32,
        n_columns: u32,
        frame: u32,
        first_bin: u32,
        n_bins: u32,
        before_frame: u32,
        before_first_bin: u32,
        before_n_bins: u32,
        first_flag: u32,
        first_value: u32,
        n_values: u32,
        factor: f32,
    }

    /// See `shaders/row_blur.wgsl`.
    struct RowBlurring {
        first_row: u32,
        sharpens: u32,
        amount: f32,
    }

    /// See `shaders/row_blur.wgsl`.
    struct RowTaps {
        first_row: u32,
        n_taps: u32,
        first_tap: u32,
    }

    /// See `shaders/row_drawn.wgsl`.
    struct RowFrames {
        n_rows: u32,
        n_frames: u32,
        columns_per_frame: u32,
        n_missing: u32,
        frame: u32,
        first_bin: u32,
        n_bins: u32,
    }

    /// See `shaders/common/row_turns.wgsl`; vectors of two are aligned to 8 bytes there.
    struct RowTurns {
        first: [u32; 2],
        step: [u32; 2],
        whole: u32,
        padding: u32,
    }

    /// See `shaders/row_drag.wgsl`.
    struct DraggedRows {
        columns: i32,
        first_row: u32,
        end_row: u32,
    }

    /// See `shaders/row_resample.wgsl`.
    struct MovedRows {
        first_row: u32,
        end_row: u32,
    }

    /// See `shaders/row_resample.wgsl`.
    struct MovedCell {
        column: i32,
        column_part: u32,
        row: i32,
        row_part: f32,
        turns: f32,
        kind: u32,
    }

    /// See `shaders/row_spectrum.wgsl`.
    struct RowSources {
        first_value: u32,
        n_values: u32,
        first_bin: u32,
        n_bins: u32,
        adds: u32,
    }

    /// See `shaders/row_add.wgsl`.
    struct RowSamples {
        first: u32,
        in_slices: u32,
        n: u32,
        n_places: u32,
        first_flag: u32,
    }

    /// See `shaders/scatter.wgsl`; vectors of two are aligned to 8 bytes there, so the end is padded.
    struct Scatter {
        n_cells: [u32; 2],
        from_cell: [u32; 2],
        to_cell: [u32; 2],
        region_n_bins: u32,
        padding: u32,
    }

    /// See `shaders/level_peaks.wgsl`.
    struct PeakCells {
        first_frame: u32,
        n_frames: u32,
        n_bins: u32,
        first_entry: u32,
        n_entries: u32,
        n_rows: u32,
        frames_per_entry: u32,
        bins_per_row: u32,
        frames_per_turn: u32,
        end_share: f32,
    }

    /// See `shaders/voices.wgsl`.
    struct VoiceSizes {
        n_voices: u32,
        n_samples: u32,
    }

    /// See `shaders/hash_pairs.wgsl`.
    struct HashRows {
        first_row: u32,
        end_row: u32,
        n_hashes: u32,
        max_distance: u32,
        n_room: u32,
    }

    /// See `shaders/hash_resize.wgsl`.
    struct ResizeWords {
        first_word: u32,
        end_word: u32,
        n_passes: u32,
    }

    /// See `shaders/segment_mels.wgsl`.
    struct SegmentSizes {
        n_samples: u32,
        n_fft: u32,
        hop: u32,
        n_frames: u32,
        n_bins: u32,
        n_mels: u32,
        by_frame: u32,
        n_segments: u32,
    }

    /// See `shaders/sound_medians.wgsl`.
    struct MedianCells {
        first_cell: u32,
        end_cell: u32,
        n_bins: u32,
        window: u32,
    }

    /// See `shaders/sound_mels.wgsl`.
    struct MelRows {
        first: u32,
        end: u32,
        n_bins: u32,
        n_mels: u32,
    }

    /// See `shaders/sound_mels.wgsl`.
    struct MelTriangle {
        first_bin: u32,
        n_bins: u32,
        first_weight: u32,
    }

    /// See `shaders/chroma.wgsl`.
    struct ChromaRun {
        n_frames: u32,
        n_bins: u32,
        n_atoms: u32,
        n_sums: u32,
        first_written: u32,
    }

    /// See `shaders/chroma.wgsl`.
    struct ChromaAtom {
        first_bin: u32,
        n_bins: u32,
        first_value: u32,
        column: u32,
    }

    /// See `shaders/mid_side.wgsl`.
    struct MixedHalves {
        n_samples: u32,
        sign: f32,
    }

    /// See `shaders/onset_flux.wgsl`.
    struct FluxRun {
        n_back: u32,
        n_before: u32,
        first_written: u32,
        scale: f32,
    }

    /// See `shaders/picture_hashes.wgsl`.
    struct HashCount {
        n_pictures: u32,
    }
}

/// The cells that a column or row of pixels shows. See `shaders/display.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
pub struct PixelCells {
    /// The first cell.
    pub first: u32,
    /// One past the last cell.
    pub end: u32,
    /// 0: the loudest of `first..end`. Between 0 and 1, exclusive: the level between the centres of two cells, at this
    /// fraction of the way from `first` to the next; `end` is then `first + 2`.
    pub mix: f32,
}

impl PixelCells {
    fn layout() -> StructLayout {
        StructLayout {
            name: "PixelCells",
            size: size_of::<PixelCells>(),
            members: vec![
                ("first", std::mem::offset_of!(PixelCells, first)),
                ("end", std::mem::offset_of!(PixelCells, end)),
                ("mix", std::mem::offset_of!(PixelCells, mix)),
            ],
        }
    }
}

/// Every struct that shaders read.
pub fn layouts() -> Vec<StructLayout> {
    let of_kernels = AnyCellKernel::PROGRAMS.iter().filter_map(|program| program.layout).map(|layout| layout());
    let of_dsp = voices::layouts().into_iter().chain(hashes::layouts());
    own_layouts().into_iter().chain([PixelCells::layout()]).chain(of_kernels).chain(of_dsp).collect()
}
