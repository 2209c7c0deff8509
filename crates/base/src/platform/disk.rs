//! The size of a disk and what is free on it.

use std::path::Path;

/// Bytes of the disk that holds a folder, and those that this user may still write. Other systems than Unix give none:
/// nothing is refused for lack of space before it is written.
pub fn size_and_free_bytes(folder: &Path) -> Option<[u64; 2]> {
    #[cfg(unix)]
    {
        let found = rustix::fs::statvfs(folder).ok()?;
        let bytes = |blocks: u64| blocks.checked_mul(found.f_frsize);
        Some([bytes(found.f_blocks)?, bytes(found.f_bavail)?])
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Whether a folder lies on another machine, whose changes this system does not report. Elsewhere than on Linux never.
pub fn is_network_share(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        // NFS, SMB and CIFS, as Linux's magic.h has them; FUSE, which is sshfs and cloud drives, too.
        const MAGIC: [u32; 5] = [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546];
        rustix::fs::statfs(folder).is_ok_and(|found| MAGIC.contains(&(found.f_type as u32)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}
