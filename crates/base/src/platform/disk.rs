//! Size and free space of disks.

use std::path::Path;

/// Total size of the disk that holds a folder, and the bytes that this user may still write to it. `None` if they
/// cannot be determined, as on all systems other than Unix; no write is then refused in advance.
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

/// Whether a folder is on a network share, whose changes the system does not report. Always false except on Linux.
pub fn is_network_share(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        // NFS, SMB, CIFS and SMB2 from Linux's magic.h, and FUSE, which sshfs and cloud drives use.
        const MAGIC: [u32; 5] = [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546];
        rustix::fs::statfs(folder).is_ok_and(|found| MAGIC.contains(&(found.f_type as u32)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}
