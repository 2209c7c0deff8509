//! Boxes of MP4 and QuickTime files: how long each is, and where its content lies.
//!
//! Source: ISO/IEC 14496-12, section 4.2.

use std::ops::Range;

/// The head of one box.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BoxHead {
    /// Its four letters.
    pub(crate) kind: [u8; 4],
    /// Position of its content. May lie beyond the enclosing range: check with `is_within`.
    pub(crate) content: Range<u64>,
}

impl BoxHead {
    /// The head at `at`; a box of size 0 reaches to `end`. `read` fills a buffer from a position on.
    ///
    /// Returns `None` if `read` fails or the size overflows.
    pub(crate) fn read(at: u64, end: u64, mut read: impl FnMut(u64, &mut [u8]) -> Option<()>) -> Option<BoxHead> {
        let mut head = [0; 8];
        read(at, &mut head)?;
        let [a, b, c, d, kind @ ..] = head;
        let content = match u32::from_be_bytes([a, b, c, d]) {
            0 => at.checked_add(8)?..end,
            1 => {
                let mut size = [0; 8];
                read(at.checked_add(8)?, &mut size)?;
                at.checked_add(16)?..at.checked_add(u64::from_be_bytes(size))?
            }
            size => at.checked_add(8)?..at.checked_add(u64::from(size))?,
        };
        Some(BoxHead { kind, content })
    }

    /// Whether the box is not shorter than its head and ends by `end`.
    pub(crate) fn is_within(&self, end: u64) -> bool {
        self.content.start <= self.content.end && self.content.end <= end
    }
}

/// The boxes of a range, up to the first that is not valid.
pub(crate) fn boxes<R>(range: Range<u64>, mut read: R) -> impl Iterator<Item = BoxHead>
where
    R: FnMut(u64, &mut [u8]) -> Option<()>,
{
    let mut at = range.start;
    std::iter::from_fn(move || {
        let found = BoxHead::read(at, range.end, &mut read).filter(|found| found.is_within(range.end))?;
        at = found.content.end;
        Some(found)
    })
}

/// Content of the first box of a kind in `bytes`.
pub(crate) fn find_box<'a>(bytes: &'a [u8], kind: &[u8; 4]) -> Option<&'a [u8]> {
    let read = |at: u64, out: &mut [u8]| {
        let at = usize::try_from(at).ok()?;
        out.copy_from_slice(bytes.get(at..at.checked_add(out.len())?)?);
        Some(())
    };
    let Range { start, end } = boxes(0..bytes.len() as u64, read).find(|found| &found.kind == kind)?.content;
    bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}
