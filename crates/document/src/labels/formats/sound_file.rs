//! Labels in a sound file: the cues of WAV, the chapters of others.

use super::chapters::{FORMAT as CHAPTERS, chapter_comments};
use super::common::losses::LabelLosses;
use super::common::writing::LabelWriting;
use super::cues::{chunks_with_labels, samples_of};
use crate::base::Result;
use crate::document::Snapshot;
use crate::document::labels::{Label, LabelSet};
use crate::media::{Chunk, Container, Encoding, chunks_at_rate, chunks_of_part, later_than_source, n_flac_chapters};
use std::ops::Range;

/// Maximum size of chapters within a comment block, which has 16 MB for all comments.
const MAX_CHAPTER_BYTES: usize = 8_000_000;

/// Labels and other data to write into a sound file.
#[derive(Debug, Clone, Default)]
pub struct LabelsInSound {
    container: Container,
    /// The chunks of a WAV file.
    chunks: Vec<Chunk>,
    /// The chapter comments; `None` keeps those of the source.
    chapters: Option<Vec<(String, String)>>,
    /// What it does not preserve of the labels.
    pub losses: LabelLosses,
    /// Number of labels that it cannot store.
    n_beyond: usize,
    /// Number of chapters of the source that are lost.
    n_chapters_gone: usize,
}

impl LabelsInSound {
    /// The content for a file with a range of samples, in a file format at a sample rate. Label times are in seconds
    /// from the start of the range.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn of(
        snapshot: &Snapshot,
        labels: &LabelSet,
        samples: &Range<u64>,
        (container, rate_hz): (Container, u32),
    ) -> Result<LabelsInSound> {
        let runs = snapshot.origins(samples.clone());
        let info = snapshot.source().info();
        let (n_source, source_hz) = (info.n_samples, info.sample_rate_hz);
        // The source's metadata stays valid if all of its samples keep their positions and sample rate.
        let is_whole =
            samples.start == 0 && rate_hz == source_hz && (n_source == 0 || runs.first() == Some(&(n_source, Some(0))));
        match container.max_chapters() {
            None => {
                let source = snapshot.source().chunks();
                let later_by = later_than_source(&runs).unwrap_or(samples.start as i64);
                let chunks = if is_whole { source.to_vec() } else { chunks_of_moved(source, later_by) };
                let chunks = if rate_hz == source_hz { chunks } else { chunks_at_rate(chunks, [source_hz, rate_hz]) };
                let (chunks, n_beyond) = cues_of(&chunks, labels, rate_hz)?;
                Ok(LabelsInSound { chunks, n_beyond, ..LabelsInSound::default() })
            }
            Some(max) => {
                let held = LabelsInSound::chapters((snapshot, is_whole), labels, rate_hz, max);
                Ok(LabelsInSound { container, ..held })
            }
        }
    }

    fn chapters((snapshot, is_whole): (&Snapshot, bool), labels: &LabelSet, rate_hz: u32, max: usize) -> LabelsInSound {
        if labels.is_empty() && is_whole {
            return LabelsInSound::default();
        }
        let writing = LabelWriting { rate_hz: Some(f64::from(rate_hz)), ..LabelWriting::default() };
        let mut comments = chapter_comments(labels, &writing);
        let mut n_bytes = 0;
        let has_room = |(name, text): &&(String, String)| {
            n_bytes += name.len() + text.len();
            n_bytes <= MAX_CHAPTER_BYTES
        };
        // Each chapter has two comments: its time and its name.
        let n_held = (comments.iter().take_while(has_room).count() / 2).min(max);
        comments.truncate(2 * n_held);
        LabelsInSound {
            chapters: Some(comments),
            n_beyond: labels.len() - n_held,
            losses: LabelLosses::of(labels, &(CHAPTERS.keeps)(&writing), &writing),
            n_chapters_gone: n_flac_chapters(snapshot.source()),
            ..LabelsInSound::default()
        }
    }

    /// The encoding with these labels added.
    pub fn encoding(&self, encoding: &Encoding<'_>) -> Encoding<'_> {
        let Encoding { format, dither, bit_rate, is_as_loud, .. } = *encoding;
        let (chunks, chapters) = (Some(&self.chunks[..]), self.chapters.as_deref());
        Encoding { format, dither, bit_rate, chunks, chapters, is_as_loud }
    }

    /// A notice for each kind of loss.
    pub fn notices(&self) -> Vec<String> {
        const OTHERS_ADVICE: &str = "\"sonobrush labels\" writes them to a file of their own";
        let mut notices = Vec::new();
        if self.n_beyond > 0 {
            let labels = if self.n_beyond == 1 { "1 label is".into() } else { format!("{} labels are", self.n_beyond) };
            let file = self.container.a_file();
            let why = match self.chapters {
                Some(_) => format!("{file} has no room for more chapters"),
                None => format!("{file} has no cues so far behind its start"),
            };
            notices.push(format!("{labels} not kept, as {why}; {OTHERS_ADVICE}"));
        }
        if let Some(lost) = self.losses.sentence() {
            let lost = lost.trim_end_matches('.').replacen("Not kept", "not kept", 1);
            notices.push(format!(
                "its labels are chapters of the {} file; {lost}; {OTHERS_ADVICE}",
                self.container.name()
            ));
        }
        if self.n_chapters_gone > 0 {
            let chapters = match self.n_chapters_gone {
                1 => "1 chapter of the source is".into(),
                n => format!("{n} chapters of the source are"),
            };
            notices.push(format!("{chapters} not kept, as time or labels have changed"));
        }
        notices
    }
}

/// The chunks of a WAV file with these labels, and how many can't be represented.
///
/// # Errors
/// None that a user can cause.
pub(crate) fn cues_of(chunks: &[Chunk], labels: &LabelSet, rate_hz: u32) -> Result<(Vec<Chunk>, usize)> {
    let beyond = labels.iter().filter(|label| samples_of(label, rate_hz).is_none());
    let beyond: Vec<u64> = beyond.map(|label| label.id).collect();
    let held = if beyond.is_empty() { labels.clone() } else { labels.edited(Vec::new(), &beyond)? };
    Ok((chunks_with_labels(chunks, &held, rate_hz)?, beyond.len()))
}

/// The chunks that stay valid if the samples begin `later_by` samples after the source's start. The sampler chunk
/// stays; its loops are labels, and moved with them.
fn chunks_of_moved(chunks: &[Chunk], later_by: i64) -> Vec<Chunk> {
    let sampler = chunks.iter().filter(|chunk| &chunk.id == b"smpl").cloned();
    chunks_of_part(chunks, later_by).into_iter().chain(sampler).collect()
}

/// The labels in a range of samples, with times from its start.
///
/// # Errors
/// None, since they are valid labels already.
pub fn labels_of_range(labels: &LabelSet, samples: &Range<u64>, rate_hz: f64) -> Result<LabelSet> {
    let secs = [samples.start, samples.end].map(|sample| sample as f64 / rate_hz);
    // A marker lies before its sample, so one at the end of the range is outside it.
    let is_within = |label: &&Label| label.secs[0] >= secs[0] && label.secs[1] <= secs[1] && label.secs[0] < secs[1];
    let moved = |label: &Label| Label { secs: label.secs.map(|at| at - secs[0]), ..label.clone() };
    LabelSet::of(labels.in_range(secs).filter(is_within).map(moved).collect())
}
