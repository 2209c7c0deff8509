//! Writes the HTML page for reviewing the outputs of a run over several files, with pictures before and after. Files
//! most in need of review come first.

use super::args::ProjectOptions;
use super::common::input::{open_in, storage_of};
use super::common::terminal::Terminal;
use crate::base::{Error, ErrorKind, Folders, Progress, Result, Settings, read_head, write_atomic};
use crate::document::text_from_bytes;
use crate::library::paint_files::{PaintFilesOrder, PaintLine, PaintPlan, PaintRun, PaintStatus};
use crate::view::{ImageOptions, png_bytes, render_image};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Maximum number of files for which pictures are embedded in the page; with more, they are stored in a folder beside
/// it.
const MAX_INLINE_PICTURES: usize = 500;
/// Width and height of a picture in pixels.
const SIZE: [usize; 2] = [480, 180];
/// Context on each side of the changed range: a fraction of its length, and the minimum in seconds.
const CONTEXT: (f64, f64) = (0.25, 0.25);

/// Inputs of a review.
pub(super) struct ReviewOrder<'a> {
    pub page: &'a Path,
    pub plan: &'a PaintPlan,
    pub order: &'a PaintFilesOrder,
    pub settings: &'a Settings,
    pub folders: &'a Folders,
}

/// Writes the page.
///
/// # Errors
/// Write errors, and [`Cancelled`](ErrorKind::Cancelled). A sound that can no longer be read gets no pictures.
pub(super) fn write_review(run: &PaintRun, review: &ReviewOrder<'_>, terminal: &Terminal) -> Result<()> {
    let page = review.page;
    let pictures = match run.lines.len() {
        0..=MAX_INLINE_PICTURES => None,
        _ => Some(page.with_extension("pictures")),
    };
    if let Some(folder) = &pictures {
        std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "created", folder))?;
    }
    terminal.with_progress("drawing", |progress| {
        write_atomic(page, |out| {
            let io = |error: std::io::Error| Error::io(&error, "written", page);
            out.write_all(HEAD.as_bytes()).map_err(io)?;
            for (index, (line, score)) in run.lines.iter().enumerate() {
                progress.step(index as u64, run.lines.len() as u64)?;
                let sources = review.pictures(line, index, pictures.as_deref(), progress)?;
                out.write_all(section(line, *score, sources).as_bytes()).map_err(io)?;
            }
            out.write_all(TAIL.as_bytes()).map_err(io)
        })
    })
}

/// Whether a file is a review page written by this program.
pub(super) fn is_review(page: &Path) -> bool {
    read_head(page, HEAD.len()).is_ok_and(|head| String::from_utf8_lossy(&head).contains(TITLE))
}

impl ReviewOrder<'_> {
    /// Draws the pictures of a file before and after; returns their `src` attributes. `None` if a sound is unreadable.
    fn pictures(
        &self,
        line: &PaintLine,
        index: usize,
        folder: Option<&Path>,
        progress: &Progress,
    ) -> Result<Option<[String; 2]>> {
        if line.status == PaintStatus::Failed {
            return Ok(None);
        }
        let files = [self.plan.root.join(&line.file.0), self.plan.folder.join(&line.output.0)];
        let mut sources = [String::new(), String::new()];
        for ((file, source), what) in files.iter().zip(&mut sources).zip(["before", "after"]) {
            let png = match self.drawn(file, line.changed, progress) {
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(_) => return Ok(None),
                Ok(png) => png,
            };
            *source = match folder {
                None => format!("data:image/png;base64,{}", text_from_bytes(&png)),
                Some(folder) => {
                    let path: PathBuf = folder.join(format!("{index:05}-{what}.png"));
                    write_atomic(&path, |out| {
                        out.write_all(&png).map_err(|error| Error::io(&error, "written", &path))
                    })?;
                    let name = folder.file_name().unwrap_or_default().to_string_lossy();
                    format!("{}/{index:05}-{what}.png", url_of(&name))
                }
            };
        }
        Ok(Some(sources))
    }

    fn drawn(&self, file: &Path, changed: Option<[f64; 2]>, progress: &Progress) -> Result<Vec<u8>> {
        let room = storage_of(self.settings, self.folders);
        let options = ProjectOptions { partly: self.order.work.uses_damaged, ..ProjectOptions::default() };
        let opened = open_in(file, &options, &room, &progress.quiet())?;
        let snapshot = opened.history.current();
        let end_secs = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
        let shown = changed.map(|[start, end]| {
            let around = (CONTEXT.0 * (end - start)).max(CONTEXT.1);
            [(start - around).max(0.0), (end + around).min(end_secs)]
        });
        let secs = shown.filter(|[start, end]| start < end);
        let options = ImageOptions { size: SIZE, secs, ..ImageOptions::default() };
        png_bytes(&render_image(snapshot, &options, &progress.quiet())?)
    }
}

/// The HTML section of a file.
fn section(line: &PaintLine, score: f64, pictures: Option<[String; 2]>) -> String {
    let file = escaped(&line.file.to_string());
    let mut facts = vec![format!("score {score:.2}")];
    facts.extend(line.change_db.map(|db| format!("level {db:+.1} dB")));
    facts.extend(line.difference_db.map(|db| format!("difference {db:.1} dB")));
    let sentences = line.error.iter().map(|error| &error.sentence).chain(&line.notices);
    let sentences: String = sentences.map(|sentence| format!("<p>{}</p>\n", escaped(sentence))).collect();
    let pictures = pictures.map_or_else(String::new, |[before, after]| {
        format!("<img alt=\"before\" src=\"{before}\">\n<img alt=\"after\" src=\"{after}\">\n")
    });
    format!(
        "<section class=\"{status}\">\n<h2><label><input type=\"checkbox\" data-file=\"{file}\" \
         data-status=\"{status}\" data-score=\"{score:.4}\"> {file}</label></h2>\n<p>{status}, {facts}</p>\n{sentences}{pictures}</section>\n",
        status = line.status.name(),
        facts = facts.join(", "),
    )
}

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escapes a name for a URL.
fn url_of(name: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(letter).collect()
}

/// Title element by which pages of this program are recognised.
const TITLE: &str = "<title>Sonobrush review</title>";
const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Sonobrush review</title>
<style>
body { background: #16181d; color: #d7dae0; font: 14px sans-serif; margin: 24px auto; max-width: 1000px; }
section { border-top: 1px solid #333842; padding: 8px 0; }
section.failed h2 { color: #ff7a7a; }
h2 { font-size: 15px; margin: 4px 0; }
p { color: #9aa1ad; margin: 4px 0; }
button { position: sticky; top: 8px; }
</style>
<h1>Review</h1>
<p>Those to look at come first. Tick files, and save the list as CSV.</p>
<button onclick="save()">Save list</button>
"#;

const TAIL: &str = r#"<script>
function save() {
  const quoted = (text) => '"' + text.replaceAll('"', '""') + '"';
  const rows = [...document.querySelectorAll('input')].map((box) =>
    [quoted(box.dataset.file), box.dataset.status, box.dataset.score, box.checked ? 1 : 0].join(','));
  const text = ['file,status,score,ticked', ...rows].join('\n') + '\n';
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = 'review.csv';
  link.click();
}
</script>
</html>
"#;
