//! Labels in the chunks of a WAV file: positions in `cue `, texts, lengths and other data in a `LIST` of `adtl`, loops
//! in `smpl`.

use super::common::textual::windows_1252;
use crate::base::{Error, ErrorKind, Result};
use crate::document::labels::{Columns, Label, LabelSet, MAX_LABELS, label_from_note, label_to_value};
use crate::media::{Chunk, ChunkPlace, Source};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Bytes per entry of `cue `, and per loop of `smpl`.
const ENTRY_BYTES: usize = 24;
/// Bytes of `smpl` before its loops.
const SAMPLER_BYTES: usize = 36;
/// Text of labels that are loops, and the column with their kind.
const LOOP: &str = "loop";
/// Column of a note written by another program.
const NOTE: &str = "note";
/// Code page of UTF-8.
const UTF_8: u16 = 65_001;

/// Data of one cue in the chunks.
#[derive(Debug, Default)]
struct Cue<'a> {
    text: Option<&'a [u8]>,
    length: Option<u32>,
    note: Option<&'a [u8]>,
}

/// The labels in a sound file, and a notice for each kind of error.
pub fn labels_of_sound(source: &Source) -> (LabelSet, Vec<String>) {
    let (labels, notices) = labels_of_chunks(source.chunks(), source.info().sample_rate_hz);
    // All labels are valid: invalid ones have been dropped.
    (LabelSet::of(labels).unwrap_or_default(), notices)
}

/// The labels in the chunks of a WAV file, and a notice for each kind of error. Intact labels of broken chunks are
/// read.
pub fn labels_of_chunks(chunks: &[Chunk], rate_hz: u32) -> (Vec<Label>, Vec<String>) {
    let mut notices = Vec::new();
    let mut cues: HashMap<u32, Cue<'_>> = HashMap::new();
    let lists = chunks.iter().filter(|chunk| &chunk.id == b"LIST" && chunk.data.starts_with(b"adtl"));
    for chunk in lists {
        read_texts(&chunk.data[4..], &mut cues);
    }
    let mut labels = Vec::new();
    let mut n_bad = 0;
    for chunk in chunks.iter().filter(|chunk| &chunk.id == b"cue ") {
        let entries = chunk.data.get(4..).unwrap_or_default().as_chunks::<ENTRY_BYTES>().0;
        let stated = u32_at(&chunk.data, 0).map_or(0, |n| n as usize);
        for entry in entries.iter().take(stated) {
            let id = u32_at(entry, 0).unwrap_or(0);
            // Some programs set only the play order position, at byte 4, and leave the sample offset at 0.
            let sample = [20, 4].into_iter().filter_map(|at| u32_at(entry, at)).find(|sample| *sample > 0).unwrap_or(0);
            match label_of(sample, cues.get(&id), rate_hz).checked() {
                Ok(checked) => labels.push(checked.label),
                Err(_) => n_bad += 1,
            }
        }
    }
    for chunk in chunks.iter().filter(|chunk| &chunk.id == b"smpl") {
        labels.extend(loops(chunk).map(|entry| loop_label(entry, rate_hz)));
    }
    if n_bad > 0 {
        notices.push(format!("{n_bad} of its cues could not be read and were left out"));
    }
    if labels.len() > MAX_LABELS {
        notices.push(format!("its cues beyond {MAX_LABELS} were left out"));
        labels.truncate(MAX_LABELS);
    }
    let mut seen = HashSet::new();
    for label in labels.iter_mut().filter(|label| label.id != 0) {
        if label.id >= i64::MAX as u64 || !seen.insert(label.id) {
            label.id = 0;
        }
    }
    (labels, notices)
}

/// Reads the contents of an `adtl`, in any order; the last text of a cue counts.
fn read_texts<'a>(bytes: &'a [u8], cues: &mut HashMap<u32, Cue<'a>>) {
    let mut at = 0;
    while let (Some(id), Some(stated)) = (bytes.get(at..at + 4), u32_at(bytes, at + 4)) {
        let start = at + 8;
        // A length past the end of the list is cut.
        let end = start.saturating_add(stated as usize).min(bytes.len());
        let content = &bytes[start..end];
        if let Some(cue) = u32_at(content, 0) {
            let cue = cues.entry(cue).or_default();
            match id {
                b"labl" => cue.text = Some(&content[4..]),
                b"note" => cue.note = Some(&content[4..]),
                b"ltxt" => {
                    cue.length = u32_at(content, 4);
                    // Its own text counts only if there is no `labl`.
                    cue.text = cue.text.or(content.get(20..).filter(|text| !text.is_empty()));
                }
                _ => {}
            }
        }
        at = end;
        // Chunks start at even offsets, but some programs omit the padding byte.
        let is_id = |bytes: Option<&[u8]>| {
            bytes.is_some_and(|id| [b"labl", b"note", b"ltxt"].iter().any(|known| known[..] == *id))
        };
        if !stated.is_multiple_of(2) && !is_id(bytes.get(at..at + 4)) {
            at += 1;
        }
    }
}

fn label_of(sample: u32, cue: Option<&Cue<'_>>, rate_hz: u32) -> Label {
    let secs = |sample: u64| sample as f64 / f64::from(rate_hz);
    let Some(cue) = cue else { return Label::new([secs(sample.into()); 2], "") };
    let length = cue.length.unwrap_or(0);
    let text = cue.text.map(text_of).unwrap_or_default();
    let mut label = Label::new([secs(sample.into()), secs(u64::from(sample) + u64::from(length))], text);
    let Some(note) = cue.note.map(text_of) else { return label };
    match label_from_note(&note) {
        Some(own) => {
            // Another program may have moved the cue since.
            let is_same = samples_of(&own, rate_hz).is_some_and(|(first, n)| first == sample && n == length);
            let secs = if is_same { own.secs } else { label.secs };
            Label { secs, text: label.text, ..own }
        }
        None if note.is_empty() => label,
        None => {
            label.columns = [(Arc::from(NOTE), Arc::from(note))].into_iter().collect();
            label
        }
    }
}

/// A text that may end with a NUL: UTF-8, else Windows-1252.
fn text_of(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let bytes = &bytes[..end];
    std::str::from_utf8(bytes).map_or_else(|_| windows_1252(bytes), str::to_owned)
}

/// First sample and length of a label; `None` if its end exceeds the 32 bits of a sample position in the chunks.
pub(super) fn samples_of(label: &Label, rate_hz: u32) -> Option<(u32, u32)> {
    let [first, end] = label.secs.map(|secs| (secs * f64::from(rate_hz)).round().max(0.0));
    let is_there = end <= f64::from(u32::MAX);
    is_there.then_some((first as u32, (end - first) as u32))
}

fn loops(chunk: &Chunk) -> impl Iterator<Item = &[u8; ENTRY_BYTES]> {
    let entries = chunk.data.get(SAMPLER_BYTES..).unwrap_or_default().as_chunks::<ENTRY_BYTES>().0;
    entries.iter().take(u32_at(&chunk.data, 28).map_or(0, |n| n as usize))
}

fn loop_label(entry: &[u8; ENTRY_BYTES], rate_hz: u32) -> Label {
    let [kind, first, last] = [4, 8, 12].map(|at| u32_at(entry, at).unwrap_or(0));
    // The last sample is part of it.
    let secs = [u64::from(first), u64::from(last) + 1].map(|sample| sample as f64 / f64::from(rate_hz));
    let secs = if secs[0] <= secs[1] { secs } else { [secs[1], secs[0]] };
    let columns: Columns = [(Arc::from(LOOP), Arc::from(kind.to_string()))].into_iter().collect();
    Label { columns, ..Label::new(secs, LOOP) }
}

/// The chunks of a WAV file with these labels: unchanged if the labels are, else with new `cue ` and `adtl`. Loops stay
/// in an existing `smpl`.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) for a label past the last sample that a chunk can state.
pub fn chunks_with_labels(chunks: &[Chunk], labels: &LabelSet, rate_hz: u32) -> Result<Vec<Chunk>> {
    let before = LabelSet::of(labels_of_chunks(chunks, rate_hz).0)?;
    let same = |a: &Label, b: &Label| Label { id: 0, ..a.clone() } == Label { id: 0, ..b.clone() };
    if before.len() == labels.len() && before.iter().zip(labels.iter()).all(|(a, b)| same(a, b)) {
        return Ok(chunks.to_vec());
    }
    let sampler = chunks.iter().position(|chunk| &chunk.id == b"smpl");
    let is_loop = |label: &&Label| sampler.is_some() && label.columns.get(LOOP).is_some() && !label.is_marker();
    let is_gone = |chunk: &Chunk| {
        matches!(&chunk.id, b"cue " | b"plst") || &chunk.id == b"LIST" && chunk.data.starts_with(b"adtl")
    };
    let mut kept: Vec<Chunk> = Vec::with_capacity(chunks.len() + 2);
    for (at, chunk) in chunks.iter().enumerate().filter(|(_, chunk)| !is_gone(chunk)) {
        kept.push(match Some(at) == sampler {
            true => with_loops(chunk, labels.iter().filter(is_loop), rate_hz)?,
            false => chunk.clone(),
        });
    }
    let cued: Vec<&Label> = labels.iter().filter(|label| !is_loop(label)).collect();
    if cued.is_empty() {
        return Ok(kept);
    }
    let mut cue = Vec::with_capacity(4 + ENTRY_BYTES * cued.len());
    put_u32(&mut cue, cued.len() as u32);
    let mut texts = Texts::default();
    for (index, label) in cued.iter().enumerate() {
        texts.put(label, index as u32 + 1, rate_hz, &mut cue)?;
    }
    let place = ChunkPlace::AfterData;
    kept.push(Chunk { id: *b"cue ", data: cue, place });
    kept.push(Chunk { id: *b"LIST", data: texts.joined(), place });
    Ok(kept)
}

/// Contents of an `adtl`, grouped by kind: FFmpeg reads texts only up to the first of another kind.
#[derive(Default)]
struct Texts {
    labels: Vec<u8>,
    lengths: Vec<u8>,
    notes: Vec<u8>,
}

impl Texts {
    fn joined(self) -> Vec<u8> {
        [b"adtl".to_vec(), self.labels, self.lengths, self.notes].concat()
    }

    fn put(&mut self, label: &Label, id: u32, rate_hz: u32, cue: &mut Vec<u8>) -> Result<()> {
        let (first, length) = samples_of(label, rate_hz).ok_or_else(|| too_far(label))?;
        [id, first].into_iter().for_each(|number| put_u32(cue, number));
        cue.extend_from_slice(b"data");
        [0, 0, first].into_iter().for_each(|number| put_u32(cue, number));
        if !label.text.is_empty() {
            put_text(&mut self.labels, *b"labl", id, &label.text);
        }
        if length > 0 {
            let mut content = Vec::with_capacity(20);
            [id, length].into_iter().for_each(|number| put_u32(&mut content, number));
            content.extend_from_slice(b"rgn ");
            content.extend_from_slice(&[0; 6]);
            content.extend_from_slice(&UTF_8.to_le_bytes());
            put_chunk(&mut self.lengths, *b"ltxt", &content);
        }
        if let Some(note) = note_of(label, (first, length), rate_hz) {
            put_text(&mut self.notes, *b"note", id, &note);
        }
        Ok(())
    }
}

/// The note of a label whose data the other chunks cannot store: the note that another program wrote, or else the label
/// as JSON.
fn note_of(label: &Label, (first, length): (u32, u32), rate_hz: u32) -> Option<String> {
    let secs = [u64::from(first), u64::from(first) + u64::from(length)].map(|at| at as f64 / f64::from(rate_hz));
    let plain = Label { id: label.id, ..Label::new(secs, label.text.clone()) };
    if plain == *label {
        return None;
    }
    let noted = Label { columns: label.columns.clone(), ..plain };
    if let (true, [(name, text)]) = (noted == *label, &label.columns[..])
        && &**name == NOTE
        && label_from_note(text).is_none()
    {
        return Some(text.to_string());
    }
    let mut note = label_to_value(label);
    if let Some(fields) = note.as_object_mut() {
        fields.remove("text");
    }
    Some(note.to_string())
}

fn too_far(label: &Label) -> Error {
    let what =
        format!("the label at {:.0} s is beyond what the cues of a WAV file can say; write CSV instead", label.secs[0]);
    Error::new(ErrorKind::Limit, what)
}

fn with_loops<'a>(chunk: &Chunk, labels: impl Iterator<Item = &'a Label>, rate_hz: u32) -> Result<Chunk> {
    let mut data = chunk.data.clone();
    let before: Vec<[u8; ENTRY_BYTES]> = loops(chunk).copied().collect();
    // Keeps the sampler-specific data after the loops.
    let behind = data.split_off((SAMPLER_BYTES + ENTRY_BYTES * before.len()).min(data.len()));
    data.truncate(SAMPLER_BYTES);
    data.resize(SAMPLER_BYTES, 0);
    let mut n: u32 = 0;
    for label in labels {
        let (first, length) = samples_of(label, rate_hz).ok_or_else(|| too_far(label))?;
        let kind = label.columns.get(LOOP).and_then(|kind| kind.parse().ok()).unwrap_or(0);
        let last = (first + length).saturating_sub(1);
        // An existing loop keeps its fraction and play count.
        let known = before.iter().find(|entry| [first, last] == [8, 12].map(|at| u32_at(&entry[..], at).unwrap_or(0)));
        match known {
            Some(entry) => data.extend_from_slice(entry),
            None => [n + 1, kind, first, last, 0, 0].into_iter().for_each(|number| put_u32(&mut data, number)),
        }
        n += 1;
    }
    data[28..32].copy_from_slice(&n.to_le_bytes());
    data.extend_from_slice(&behind);
    Ok(Chunk { data, ..chunk.clone() })
}

/// Writes a text of a cue.
fn put_text(out: &mut Vec<u8>, kind: [u8; 4], id: u32, text: &str) {
    let mut content = id.to_le_bytes().to_vec();
    content.extend_from_slice(text.as_bytes());
    content.push(0);
    put_chunk(out, kind, &content);
}

fn put_chunk(out: &mut Vec<u8>, id: [u8; 4], content: &[u8]) {
    out.extend_from_slice(&id);
    put_u32(out, content.len() as u32);
    out.extend_from_slice(content);
    if !content.len().is_multiple_of(2) {
        out.push(0);
    }
}

fn put_u32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    four.try_into().ok().map(u32::from_le_bytes)
}
