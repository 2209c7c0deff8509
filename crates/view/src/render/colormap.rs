//! Colour maps: 256 sRGB colours each. The shader reads the same tables, uploaded as a texture.

use super::colormap_tables as tables;

/// A perceptually uniform colour map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Colormap {
    /// Dark blue to yellow.
    #[default]
    Viridis,
    /// Black to pale yellow through purple and orange.
    Magma,
    /// Black to pale yellow through red.
    Inferno,
    /// Blue to yellow, for colour blindness.
    Cividis,
    /// Black to white.
    Grey,
}

impl Colormap {
    /// All maps, in menu order.
    pub const ALL: [Colormap; 5] =
        [Colormap::Viridis, Colormap::Magma, Colormap::Inferno, Colormap::Cividis, Colormap::Grey];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Colormap::Viridis => "viridis",
            Colormap::Magma => "magma",
            Colormap::Inferno => "inferno",
            Colormap::Cividis => "cividis",
            Colormap::Grey => "grey",
        }
    }

    /// The name for display.
    pub fn label(self) -> &'static str {
        match self {
            Colormap::Viridis => "Viridis",
            Colormap::Magma => "Magma",
            Colormap::Inferno => "Inferno",
            Colormap::Cividis => "Cividis",
            Colormap::Grey => "Grey",
        }
    }

    /// The map with this [`name`](Colormap::name).
    pub fn from_name(name: &str) -> Option<Colormap> {
        Colormap::ALL.into_iter().find(|map| map.name() == name)
    }

    /// The colour at `t`, clamped to 0 to 1, as sRGB bytes: the nearest of 256.
    pub fn rgb(self, t: f32) -> [u8; 3] {
        // NaN would become 0, but levels are never NaN.
        let index = (t.clamp(0.0, 1.0) * 255.0 + 0.5) as usize;
        let table = match self {
            Colormap::Viridis => &tables::VIRIDIS,
            Colormap::Magma => &tables::MAGMA,
            Colormap::Inferno => &tables::INFERNO,
            Colormap::Cividis => &tables::CIVIDIS,
            Colormap::Grey => return [index as u8; 3],
        };
        bytes(table[index])
    }

    /// All 256 colours as RGBA, for a texture of 256 x 1.
    pub fn texels(self) -> Vec<u8> {
        (0..256).flat_map(|i| opaque(self.rgb(i as f32 / 255.0))).collect()
    }
}

/// The colour of a phase in turns on the cyclic map `twilight_shifted`: dark at -0.5 and 0.5, light at 0.
pub fn phase_rgb(turns: f32) -> [u8; 3] {
    phase_step_rgb(phase_step(turns))
}

/// The colour of one of the 256 steps of a turn.
pub(crate) fn phase_step_rgb(step: u8) -> [u8; 3] {
    bytes(tables::TWILIGHT_SHIFTED[usize::from(step)])
}

/// All 256 colours of the cyclic map as RGBA, for a texture of 256 x 1.
pub fn phase_texels() -> Vec<u8> {
    tables::TWILIGHT_SHIFTED.iter().flat_map(|&hex| opaque(bytes(hex))).collect()
}

/// Index into the cyclic table: 256 equal parts of a turn from -0.5, wrapping.
pub(crate) fn phase_step(turns: f32) -> u8 {
    (((turns + 0.5 - (turns + 0.5).floor()) * 256.0) as usize & 255) as u8
}

fn bytes(hex: u32) -> [u8; 3] {
    [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8]
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}
