//! Memory of the device: buffers, textures and tables, and transfers to and from them.
//! May touch: the device, through `devices`. `memory` alone allocates.

pub(super) mod arena;
pub(super) mod heaps;
pub(super) mod memory;
pub(super) mod planes;
pub(super) mod pool;
pub(super) mod reads;
pub(super) mod row_tables;
pub(super) mod tables;
pub(super) mod transfer;
