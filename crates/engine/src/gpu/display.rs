//! Drawing: tiles of cells into panes, panes into the window's `wgpu::RenderPass`.
//!
//! Each pane has its own texture, in which only the parts that changed are redrawn; a frame of the window then costs
//! one texel per pixel. The caller decides, in tables, which cells each pixel shows.

use super::layout::{DrawnTile, DrawnView, PanePlace, PixelCells};
use super::{Gpu, PlaneTextures, shaders};
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::{AmplitudeScale, CellRect};
use std::ops::Range;
use std::sync::Arc;

/// Pipelines and colour tables of one window. Clones share them.
#[derive(Debug, Clone)]
pub struct Display(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    gpu: Arc<Gpu>,
    picture: wgpu::RenderPipeline,
    smooth_picture: wgpu::RenderPipeline,
    copy: wgpu::RenderPipeline,
    view_layout: wgpu::BindGroupLayout,
    tile_layout: wgpu::BindGroupLayout,
    pane_layout: wgpu::BindGroupLayout,
}

/// Format in which panes are drawn before they are copied to the window's.
const PANE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Minimum size of a pane's tables, in pixels per direction; larger windows get larger tables.
const MIN_TABLE_PX: usize = 2048;

/// Cells on the device, ready to be drawn: full cells (magnitude and phase), or peaks (16-bit amplitudes, with or
/// without their phases).
#[derive(Debug)]
pub struct DisplayTile {
    /// Entries (as frames) and rows (as bins) of the tile.
    rect: CellRect,
    magnitude: wgpu::Texture,
    phase: TilePhase,
    scale: AmplitudeScale,
    frames_per_turn: u32,
    uniform: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
}

/// The phases of a tile.
#[derive(Debug, Clone)]
enum TilePhase {
    /// No phases.
    None,
    /// In turns.
    Turns(wgpu::Texture),
    /// In 256 steps of a turn: relative to the bin's rotation, and raw.
    Steps(wgpu::Texture),
}

impl TilePhase {
    fn texture(&self) -> Option<&wgpu::Texture> {
        match self {
            TilePhase::None => None,
            TilePhase::Turns(texture) | TilePhase::Steps(texture) => Some(texture),
        }
    }

    /// Code for `shaders/display.wgsl`.
    fn code(&self) -> u32 {
        match self {
            TilePhase::None => 0,
            TilePhase::Turns(_) => 1,
            TilePhase::Steps(_) => 2,
        }
    }

    /// Bytes of a cell of the tile, including its magnitude.
    fn cell_bytes(&self) -> usize {
        match self {
            TilePhase::None => 2,
            TilePhase::Steps(_) => 4,
            TilePhase::Turns(_) => 8,
        }
    }
}

/// Displayed quantity of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawnPlane {
    /// The level.
    Magnitude,
    /// The phase relative to its bin's rotation.
    Phase,
    /// The raw phase.
    RawPhase,
}

/// Colouring of a pane.
#[derive(Debug, Clone, PartialEq)]
pub struct Colours {
    /// Darkest and brightest level.
    pub range_db: [f32; 2],
    /// Coloured quantity.
    pub plane: DrawnPlane,
    /// Brightness of the phase of silence.
    pub silent_brightness: f32,
    /// 256 RGBA colours.
    pub texels: Vec<u8>,
}

/// A rectangle of the window that shows one plane.
#[derive(Debug)]
pub struct Pane {
    display: Display,
    size: [u32; 2],
    target: wgpu::TextureView,
    place: wgpu::Buffer,
    placed: Option<[f32; 2]>,
    copy_group: wgpu::BindGroup,
    colours: wgpu::Texture,
    coloured: Option<Colours>,
    view: wgpu::Buffer,
    layers: Vec<LayerTables>,
}

/// The tables of one set of cells in a pane.
#[derive(Debug)]
struct LayerTables {
    columns: wgpu::Buffer,
    rows: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    /// Range of pixel rows that contains all pixels between cell centres; see [`smooth_rows`].
    smooth_rows: Range<u32>,
}

/// A tile in a pane: the columns of pixels in which it is drawn, using the tables of one layer.
#[derive(Debug, Clone)]
pub struct TileDraw<'a> {
    /// Index of the layer.
    pub layer: usize,
    /// The cells.
    pub tile: &'a DisplayTile,
    /// Columns of pixels.
    pub columns: Range<u32>,
}

impl Display {
    /// Compiles the drawing pipelines.
    ///
    /// # Errors
    /// [`Gpu`](ErrorKind::Gpu) if the device lacks what drawing needs.
    pub fn new(gpu: Arc<Gpu>, target_format: wgpu::TextureFormat) -> Result<Display> {
        let device = gpu.device();
        if device.limits().max_storage_buffers_per_shader_stage < 2 {
            return Err(Error::new(
                ErrorKind::Gpu,
                "this graphics adapter does not support the storage buffers needed to draw",
            ));
        }
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("display"),
            source: wgpu::ShaderSource::Wgsl(shaders::DISPLAY.into()),
        });
        let layout = |label, types: &[wgpu::BindingType]| {
            let entry = |(binding, &ty): (u32, &wgpu::BindingType)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::FRAGMENT,
                ty,
                count: None,
            };
            let entries: Vec<_> = (0..).zip(types).map(entry).collect();
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
        };
        let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
        let uniform = buffer(wgpu::BufferBindingType::Uniform);
        let table = buffer(wgpu::BufferBindingType::Storage { read_only: true });
        let texture = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let view_layout = layout("display view", &[uniform, table, table, texture]);
        let tile_layout = layout("display tile", &[texture, texture, uniform]);
        let pane_layout = layout("display pane", &[uniform, texture]);
        let pipeline = |fragment, layouts: &[&wgpu::BindGroupLayout], format| {
            let bind_group_layouts: Vec<_> = layouts.iter().copied().map(Some).collect();
            let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(fragment),
                bind_group_layouts: &bind_group_layouts,
                immediate_size: 0,
            });
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(fragment),
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some("cover"),
                    compilation_options: Default::default(),
                    buffers: &[],
                },
                primitive: Default::default(),
                depth_stencil: None,
                multisample: Default::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some(fragment),
                    compilation_options: Default::default(),
                    targets: &[Some(wgpu::ColorTargetState::from(format))],
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        let picture = pipeline("picture", &[&view_layout, &tile_layout], PANE_FORMAT);
        let smooth_picture = pipeline("smooth_picture", &[&view_layout, &tile_layout], PANE_FORMAT);
        let copy = pipeline("copy_pane", &[&pane_layout], target_format);
        let shared = Shared { gpu, picture, smooth_picture, copy, view_layout, tile_layout, pane_layout };
        Ok(Display(Arc::new(shared)))
    }

    /// The device used for drawing.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.0.gpu
    }

    /// Maximum number of rows of a tile.
    pub fn max_rows(&self) -> usize {
        self.device().limits().max_texture_dimension_2d as usize
    }

    fn device(&self) -> &wgpu::Device {
        self.0.gpu.device()
    }

    fn queue(&self) -> &wgpu::Queue {
        self.0.gpu.queue()
    }

    fn bind(
        &self,
        label: &str,
        layout: &wgpu::BindGroupLayout,
        resources: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        let resources = (0..).zip(resources.iter().cloned());
        let entries: Vec<_> = resources.map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        self.device().create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries })
    }

    fn buffer(&self, label: &str, size_bytes: usize, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size: size_bytes as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        self.0.gpu.guarded(|| self.0.gpu.memory.buffer(&descriptor))
    }

    fn texture(
        &self,
        label: &str,
        size: [u32; 2],
        format: wgpu::TextureFormat,
        more: wgpu::TextureUsages,
    ) -> Result<wgpu::Texture> {
        let descriptor = wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::COPY_DST
                | more,
            view_formats: &[],
        };
        self.0.gpu.guarded(|| self.0.gpu.memory.texture(&descriptor))
    }

    /// A tile of full cells; `scale` converts magnitudes to amplitudes, and after `frames_per_turn` frames the centre
    /// of every bin has completed a whole number of turns.
    ///
    /// # Errors
    /// [`Gpu`](ErrorKind::Gpu) if memory runs out.
    pub fn full_tile(&self, rect: &CellRect, scale: AmplitudeScale, frames_per_turn: usize) -> Result<DisplayTile> {
        let PlaneTextures { magnitude, phase, rect } = self.0.gpu.plane_textures(rect)?;
        self.tile(rect, magnitude, TilePhase::Turns(phase), scale, frames_per_turn as u32)
    }

    /// A tile of peaks: 16-bit floats, which `scale` converts to amplitudes, optionally with their phases in 256 steps.
    ///
    /// # Errors
    /// [`Gpu`](ErrorKind::Gpu) if memory runs out.
    pub fn peak_tile(&self, rect: &CellRect, scale: f32, has_phases: bool) -> Result<DisplayTile> {
        let size = [rect.bins.len() as u32, rect.frames.len() as u32];
        let texture = self.texture("peaks", size, wgpu::TextureFormat::R16Float, wgpu::TextureUsages::empty())?;
        let phase = if has_phases {
            let format = wgpu::TextureFormat::Rg8Unorm;
            TilePhase::Steps(self.texture("phases of peaks", size, format, wgpu::TextureUsages::empty())?)
        } else {
            TilePhase::None
        };
        let scale = AmplitudeScale { sine: scale, ends: scale, last_bin: 0 };
        self.tile(rect.clone(), texture, phase, scale, 1)
    }

    /// A copy of a tile that can be written without changing the original. Reuses the textures of one of `spare` with
    /// the same shape, so that only the first stroke creates any.
    ///
    /// # Errors
    /// [`Gpu`](ErrorKind::Gpu) if memory runs out.
    pub fn copy_of(&self, tile: &DisplayTile, spare: &mut Vec<DisplayTile>) -> Result<DisplayTile> {
        let shape = |tile: &DisplayTile| (tile.magnitude.size(), tile.phase.code());
        let copy = match spare.iter().position(|other| shape(other) == shape(tile)) {
            Some(index) => self.renamed(spare.swap_remove(index), tile),
            None => match tile.phase {
                TilePhase::Turns(_) => self.full_tile(&tile.rect, tile.scale, tile.frames_per_turn as usize)?,
                TilePhase::Steps(_) => self.peak_tile(&tile.rect, tile.scale.sine, true)?,
                TilePhase::None => self.peak_tile(&tile.rect, tile.scale.sine, false)?,
            },
        };
        let _turn = self.0.gpu.device.turn();
        let mut encoder = self.device().create_command_encoder(&Default::default());
        encoder.copy_texture_to_texture(
            tile.magnitude.as_image_copy(),
            copy.magnitude.as_image_copy(),
            tile.magnitude.size(),
        );
        if let (Some(from), Some(to)) = (tile.phase.texture(), copy.phase.texture()) {
            encoder.copy_texture_to_texture(from.as_image_copy(), to.as_image_copy(), from.size());
        }
        self.0.gpu.device.submit(Some(encoder.finish()));
        Ok(copy)
    }

    /// A tile of full cells, with its frames copied in order from those of other tiles.
    ///
    /// # Errors
    /// [`Gpu`](ErrorKind::Gpu) if memory runs out.
    pub fn moved_tile(&self, rect: &CellRect, parts: &[(&DisplayTile, Range<usize>)]) -> Result<DisplayTile> {
        let first = parts.first().map(|(tile, _)| *tile);
        let first = first.ok_or_else(|| Error::new(ErrorKind::Internal, "a tile is made of no other"))?;
        let moved = self.full_tile(rect, first.scale, first.frames_per_turn as usize)?;
        let _turn = self.0.gpu.device.turn();
        let mut encoder = self.device().create_command_encoder(&Default::default());
        let mut row = 0;
        for (tile, frames) in parts {
            let origin = |y: usize| wgpu::Origin3d { x: 0, y: y as u32, z: 0 };
            let (width, height) = (rect.bins.len() as u32, frames.len() as u32);
            let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
            let phases = (tile.phase.texture(), moved.phase.texture());
            let planes = [(Some(&tile.magnitude), Some(&moved.magnitude)), phases];
            for (from, to) in planes.into_iter().filter_map(|(from, to)| from.zip(to)) {
                encoder.copy_texture_to_texture(
                    wgpu::TexelCopyTextureInfo {
                        origin: origin(frames.start - tile.rect.frames.start),
                        ..from.as_image_copy()
                    },
                    wgpu::TexelCopyTextureInfo { origin: origin(row), ..to.as_image_copy() },
                    size,
                );
            }
            row += frames.len();
        }
        self.0.gpu.device.submit(Some(encoder.finish()));
        Ok(moved)
    }

    fn tile(
        &self,
        rect: CellRect,
        magnitude: wgpu::Texture,
        phase: TilePhase,
        scale: AmplitudeScale,
        frames_per_turn: u32,
    ) -> Result<DisplayTile> {
        let uniform = self.buffer("display tile", size_of::<DrawnTile>(), wgpu::BufferUsages::UNIFORM)?;
        let views =
            [&magnitude, phase.texture().unwrap_or(&magnitude)].map(|texture| texture.create_view(&Default::default()));
        let resources = [
            wgpu::BindingResource::TextureView(&views[0]),
            wgpu::BindingResource::TextureView(&views[1]),
            uniform.as_entire_binding(),
        ];
        let bind_group = self.bind("display tile", &self.0.tile_layout, &resources);
        let tile = DisplayTile { rect, magnitude, phase, scale, frames_per_turn, uniform, bind_group };
        self.write_uniform(&tile);
        Ok(tile)
    }

    /// `spare` with its own textures, and the cells and scale of `tile`.
    fn renamed(&self, spare: DisplayTile, tile: &DisplayTile) -> DisplayTile {
        let renamed =
            DisplayTile { rect: tile.rect.clone(), scale: tile.scale, frames_per_turn: tile.frames_per_turn, ..spare };
        self.write_uniform(&renamed);
        renamed
    }

    fn write_uniform(&self, tile: &DisplayTile) {
        let values = DrawnTile {
            first_entry: tile.rect.frames.start as u32,
            phase: tile.phase.code(),
            scale: tile.scale.sine,
            frames_per_turn: tile.frames_per_turn,
            last_row: tile.scale.last_bin as u32,
            end_share: tile.scale.ends / tile.scale.sine,
            padding: [0; 2],
        };
        let _turn = self.0.gpu.device.turn();
        self.queue().write_buffer(&tile.uniform, 0, bytemuck::bytes_of(&values));
    }

    /// Writes the cells of `cells` from a magnitude and a phase plane that cover `rect`, where all three overlap.
    pub fn write_full(&self, tile: &DisplayTile, rect: &CellRect, planes: [&[f32]; 2], cells: &CellRect) {
        let TilePhase::Turns(phase) = &tile.phase else { return };
        for (texture, plane) in [&tile.magnitude, phase].into_iter().zip(planes) {
            self.write(texture, &tile.rect, rect, bytemuck::cast_slice(plane), 4, cells);
        }
    }

    /// Writes the cells of `cells` from 16-bit peaks that cover `rect`, where all three overlap.
    pub fn write_peaks(&self, tile: &DisplayTile, rect: &CellRect, peaks: &[u16], cells: &CellRect) {
        self.write(&tile.magnitude, &tile.rect, rect, bytemuck::cast_slice(peaks), 2, cells);
    }

    /// Writes the phases of peaks as [`write_peaks`](Self::write_peaks) writes their amplitudes: in steps relative to
    /// their bins' rotation, and raw. No effect on other tiles.
    pub fn write_phase_steps(&self, tile: &DisplayTile, rect: &CellRect, steps: &[[u8; 2]], cells: &CellRect) {
        if let TilePhase::Steps(phase) = &tile.phase {
            self.write(phase, &tile.rect, rect, bytemuck::cast_slice(steps), 2, cells);
        }
    }

    fn write(
        &self,
        texture: &wgpu::Texture,
        held: &CellRect,
        rect: &CellRect,
        bytes: &[u8],
        texel_bytes: usize,
        cells: &CellRect,
    ) {
        let cells = cells.intersect(held).intersect(rect);
        if cells.is_empty() {
            return;
        }
        let skipped = (cells.frames.start - rect.frames.start) * rect.bins.len() + cells.bins.start - rect.bins.start;
        let target = wgpu::TexelCopyTextureInfo {
            origin: wgpu::Origin3d {
                x: (cells.bins.start - held.bins.start) as u32,
                y: (cells.frames.start - held.frames.start) as u32,
                z: 0,
            },
            ..texture.as_image_copy()
        };
        let layout = wgpu::TexelCopyBufferLayout {
            offset: (skipped * texel_bytes) as u64,
            bytes_per_row: Some((rect.bins.len() * texel_bytes) as u32),
            rows_per_image: None,
        };
        let size = wgpu::Extent3d {
            width: cells.bins.len() as u32,
            height: cells.frames.len() as u32,
            depth_or_array_layers: 1,
        };
        let _turn = self.0.gpu.device.turn();
        self.queue().write_texture(target, bytes, layout, size);
    }

    /// A pane of `size` pixels with `n_layers`.
    ///
    /// # Errors
    /// [`Gpu`](ErrorKind::Gpu) if memory runs out.
    pub fn pane(&self, size: [u32; 2], n_layers: usize) -> Result<Pane> {
        let target = self.texture("pane", size, PANE_FORMAT, wgpu::TextureUsages::RENDER_ATTACHMENT)?;
        let target = target.create_view(&Default::default());
        let place = self.buffer("pane place", size_of::<PanePlace>(), wgpu::BufferUsages::UNIFORM)?;
        let resources = [place.as_entire_binding(), wgpu::BindingResource::TextureView(&target)];
        let copy_group = self.bind("pane", &self.0.pane_layout, &resources);
        let view = self.buffer("pane view", size_of::<DrawnView>(), wgpu::BufferUsages::UNIFORM)?;
        let colours = self.texture("colours", [256, 1], PANE_FORMAT, wgpu::TextureUsages::empty())?;
        let colours_view = colours.create_view(&Default::default());
        let layer = |_| {
            let table = |side: u32| {
                let size_bytes = size_of::<PixelCells>() * (side as usize).max(MIN_TABLE_PX);
                self.buffer("pixel table", size_bytes, wgpu::BufferUsages::STORAGE)
            };
            let (columns, rows) = (table(size[0])?, table(size[1])?);
            let resources = [
                view.as_entire_binding(),
                columns.as_entire_binding(),
                rows.as_entire_binding(),
                wgpu::BindingResource::TextureView(&colours_view),
            ];
            let bind_group = self.bind("layer", &self.0.view_layout, &resources);
            Ok(LayerTables { columns, rows, bind_group, smooth_rows: 0..0 })
        };
        let layers = (0..n_layers).map(layer).collect::<Result<_>>()?;
        Ok(Pane {
            display: self.clone(),
            size,
            target,
            place,
            placed: None,
            copy_group,
            colours,
            coloured: None,
            view,
            layers,
        })
    }
}

impl DisplayTile {
    /// Entries (as frames) and rows (as bins) of the tile.
    pub fn rect(&self) -> &CellRect {
        &self.rect
    }

    /// The textures of a tile of full cells, for [`Gpu::scatter`].
    pub fn planes(&self) -> Option<PlaneTextures> {
        let TilePhase::Turns(phase) = &self.phase else { return None };
        Some(PlaneTextures { magnitude: self.magnitude.clone(), phase: phase.clone(), rect: self.rect.clone() })
    }

    /// Memory use in bytes.
    pub fn size_bytes(&self) -> usize {
        self.rect.n_cells() * self.phase.cell_bytes()
    }
}

impl Pane {
    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Sets the cells that each column and row of pixels of a layer shows, from the left and from the top. Only a pane
    /// of [`DrawnPlane::Magnitude`] may blend cells.
    pub fn set_tables(&mut self, layer: usize, columns: &[PixelCells], rows: &[PixelCells]) {
        let Some(tables) = self.layers.get_mut(layer) else { return };
        tables.smooth_rows = smooth_rows(columns, rows);
        let _turn = self.display.0.gpu.device.turn();
        self.display.queue().write_buffer(&tables.columns, 0, bytemuck::cast_slice(columns));
        self.display.queue().write_buffer(&tables.rows, 0, bytemuck::cast_slice(rows));
    }

    /// Sets the colouring for the next [`draw`](Pane::draw).
    pub fn set_colours(&mut self, colours: &Colours) {
        if self.coloured.as_ref() == Some(colours) {
            return;
        }
        let _turn = self.display.0.gpu.device.turn();
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(1024), rows_per_image: None };
        let size = self.colours.size();
        self.display.queue().write_texture(self.colours.as_image_copy(), &colours.texels, layout, size);
        let view = DrawnView {
            dark_db: colours.range_db[0],
            bright_db: colours.range_db[1],
            plane: match colours.plane {
                DrawnPlane::Magnitude => 0,
                DrawnPlane::Phase => 1,
                DrawnPlane::RawPhase => 2,
            },
            silent_brightness: colours.silent_brightness,
        };
        self.display.queue().write_buffer(&self.view, 0, bytemuck::bytes_of(&view));
        self.coloured = Some(colours.clone());
    }

    /// Draws tiles in order, later ones over earlier ones. `cleared` is the pane's background colour; `None` keeps the
    /// previous drawing. Submits at once, before anything that egui draws.
    pub fn draw(&self, tiles: &[TileDraw<'_>], cleared: Option<[f64; 3]>) {
        let load = match cleared {
            Some([r, g, b]) => wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }),
            None => wgpu::LoadOp::Load,
        };
        let _turn = self.display.0.gpu.device.turn();
        let mut encoder = self.display.device().create_command_encoder(&Default::default());
        let timing = &self.display.0.gpu.timing;
        let mut passes = timing.begin();
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("pane"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &self.target,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
                })],
                depth_stencil_attachment: None,
                timestamp_writes: passes.as_mut().and_then(|passes| passes.of_render("pane".into())),
                occlusion_query_set: None,
                multiview_mask: None,
            });
            for TileDraw { layer, tile, columns } in tiles {
                let Some(tables) = self.layers.get(*layer) else { continue };
                let columns = columns.start..columns.end.min(self.size[0]);
                if columns.is_empty() {
                    continue;
                }
                pass.set_bind_group(0, &tables.bind_group, &[]);
                pass.set_bind_group(1, &tile.bind_group, &[]);
                let (height, smooth) = (self.size[1], &tables.smooth_rows);
                let Shared { picture, smooth_picture, .. } = &*self.display.0;
                for (pipeline, rows) in
                    [(picture, 0..smooth.start), (smooth_picture, smooth.clone()), (picture, smooth.end..height)]
                {
                    let rows = rows.start..rows.end.min(height);
                    if !rows.is_empty() {
                        pass.set_pipeline(pipeline);
                        pass.set_scissor_rect(columns.start, rows.start, columns.len() as u32, rows.len() as u32);
                        pass.draw(0..3, 0..1);
                    }
                }
            }
        }
        timing.submit(&self.display.0.gpu.device, encoder, passes);
    }

    /// Sets the position of the pane's upper left corner in the window, in pixels.
    pub fn set_place(&mut self, origin_px: [f32; 2]) {
        if self.placed != Some(origin_px) {
            let _turn = self.display.0.gpu.device.turn();
            let place = PanePlace { origin_px, padding: [0.0; 2] };
            self.display.queue().write_buffer(&self.place, 0, bytemuck::bytes_of(&place));
            self.placed = Some(origin_px);
        }
    }

    /// Painter of the pane for the window.
    pub fn painter(&self) -> PanePainter {
        PanePainter { display: self.display.clone(), copy_group: self.copy_group.clone() }
    }
}

/// The range of pixel rows that contains all pixels between cell centres: all rows if columns blend, else from the
/// first row that blends to the last.
fn smooth_rows(columns: &[PixelCells], rows: &[PixelCells]) -> Range<u32> {
    let is_mixed = |cells: &PixelCells| cells.mix > 0.0;
    if columns.iter().any(is_mixed) {
        return 0..rows.len() as u32;
    }
    let first = rows.iter().position(is_mixed);
    let last = rows.iter().rposition(is_mixed);
    first.zip(last).map_or(0..0, |(first, last)| first as u32..last as u32 + 1)
}

/// Draws a pane into a pass whose viewport is the pane's rectangle.
#[derive(Debug, Clone)]
pub struct PanePainter {
    display: Display,
    copy_group: wgpu::BindGroup,
}

impl PanePainter {
    /// Copies the pane's texture to the viewport.
    pub fn paint(&self, pass: &mut wgpu::RenderPass<'static>) {
        pass.set_pipeline(&self.display.0.copy);
        pass.set_bind_group(0, &self.copy_group, &[]);
        pass.draw(0..3, 0..1);
    }
}
