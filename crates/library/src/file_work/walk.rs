//! Walks folders.

use crate::base::{Error, FileId, Progress, Result, file_id, path_bytes};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Extension of a folder in which an output is being built, and the file that marks it.
const PARTIAL: (&str, &str) = ("partial", "done.log");

/// Rules for skipping entries, in addition to names that begin with a dot and folders being built.
pub struct WalkRules<'a> {
    /// Whether links are followed, except into a folder that contains them. Otherwise they are skipped.
    pub follows_links: bool,
    /// Whether to enter a folder, given by its full path; an error is a notice for the user.
    pub enters: &'a dyn Fn(&Path, &Metadata) -> std::result::Result<bool, String>,
}

/// Folders that a walk could not read, and notices.
#[derive(Debug, Default)]
pub struct WalkReport {
    /// Notices, one sentence each.
    pub notices: Vec<String>,
    /// Folders that could not be read, relative to the root.
    pub unreadable: Vec<PathBuf>,
}

/// A folder yet to be read, and its ancestors.
struct Folder {
    path: PathBuf,
    around: Option<Rc<ParentFolder>>,
}

struct ParentFolder {
    id: FileId,
    outer: Option<Rc<ParentFolder>>,
}

impl ParentFolder {
    fn holds(mut around: &Option<Rc<ParentFolder>>, id: FileId) -> bool {
        while let Some(folder) = around {
            if folder.id == id {
                return true;
            }
            around = &folder.outer;
        }
        false
    }
}

/// Walks a folder below `root`, or all of `root`, and passes every entry except folders to `take`, by paths relative to
/// the root, in no particular order.
///
/// # Errors
/// [`Io`](crate::base::ErrorKind::Io) if the folder itself cannot be read; cancelled; errors of `take`.
pub fn walk_folder(
    root: &Path,
    below: &Path,
    rules: &WalkRules<'_>,
    progress: &Progress,
    take: &mut dyn FnMut(PathBuf, &Metadata) -> Result<()>,
) -> Result<WalkReport> {
    let mut report = WalkReport::default();
    let id = std::fs::metadata(root.join(below)).ok().and_then(|found| file_id(&found));
    // Not by recursion: folders may be nested deeper than a thread's stack.
    let mut folders = vec![Folder { path: below.to_path_buf(), around: within(id, None) }];
    while let Some(folder) = folders.pop() {
        progress.check()?;
        let whole = root.join(&folder.path);
        let entries = match std::fs::read_dir(&whole) {
            Ok(entries) => entries,
            Err(error) if folder.path == below => return Err(Error::io(&error, "read", root)),
            Err(error) => {
                report.add_unreadable(&whole, folder.path, &error);
                continue;
            }
        };
        for entry in entries {
            progress.check()?;
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    report.add_unreadable(&whole, folder.path, &error);
                    break;
                }
            };
            if path_bytes(Path::new(&entry.file_name())).starts_with(b".") {
                continue;
            }
            let whole = entry.path();
            // A followed link counts as its target; a broken link is skipped.
            let found = if rules.follows_links { std::fs::metadata(&whole) } else { entry.metadata() };
            let Ok(found) = found else { continue };
            let path = folder.path.join(entry.file_name());
            if !found.is_dir() {
                take(path, &found)?;
                continue;
            }
            let id = file_id(&found);
            let is_around = rules.follows_links && id.is_some_and(|id| ParentFolder::holds(&folder.around, id));
            let is_partial =
                path.extension().is_some_and(|ending| ending == PARTIAL.0) && whole.join(PARTIAL.1).exists();
            if is_around || is_partial {
                continue;
            }
            match (rules.enters)(&whole, &found) {
                Ok(true) => folders.push(Folder { path, around: within(id, folder.around.clone()) }),
                Ok(false) => {}
                Err(why) => report.notices.push(why),
            }
        }
    }
    report.notices.sort();
    Ok(report)
}

/// A folder and its ancestors. A folder without an id is left out, and so never counts as visited.
fn within(id: Option<FileId>, outer: Option<Rc<ParentFolder>>) -> Option<Rc<ParentFolder>> {
    match id {
        Some(id) => Some(Rc::new(ParentFolder { id, outer })),
        None => outer,
    }
}

impl WalkReport {
    fn add_unreadable(&mut self, whole: &Path, path: PathBuf, error: &std::io::Error) {
        self.notices.push(Error::io(error, "read", whole).to_string());
        self.unreadable.push(path);
    }
}
