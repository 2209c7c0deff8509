//! Colour maps.

/// A perceptually uniform colour map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
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
