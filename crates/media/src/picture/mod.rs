//! Picture files: reads PNG, JPEG and OpenEXR, and writes PNG and OpenEXR. The first bytes of a file determine its
//! format.

mod bitmaps;
mod decode;
mod embedded;
mod exr_head;
mod jpeg_head;
mod limits;
mod planes;

pub use decode::is_picture;
pub use embedded::{EmbeddedPicture, PictureTaken};
pub use limits::{MAX_PICTURE_FILE_BYTES, MAX_PICTURE_SIDE};
pub use planes::{
    CellPlanes, PictureFile, read_exr_planes, read_grey16, write_exr_planes, write_grey16, write_picture,
};
