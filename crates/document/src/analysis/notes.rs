//! The notes of a sound: as labels, and as MIDI.

use crate::base::{Error, ErrorKind, Note, Progress, Result, write_atomic};
use crate::dsp::pitch::notes::{FoundNote, NoteFinder, NoteNetwork, RATE_HZ};
use crate::labels::formats::{LabelWriting, format_named};
use crate::labels::{Label, LabelSet};
use crate::media::score::{MidiNote, midi_from_notes};
use crate::sound::mean_blocks::for_each_mean_block;
use crate::{Channels, Snapshot};
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;

/// Basic Pitch, converted by `scripts/make_models.py`.
const WEIGHTS: &[u8] = include_bytes!("../../../../assets/models/basic_pitch.bin");

/// Notes of a sound, ordered by start and pitch.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundNotes {
    notes: Vec<FoundNote>,
}

/// The network, loaded on first use.
fn network() -> Result<&'static NoteNetwork> {
    static NETWORK: OnceLock<Result<NoteNetwork>> = OnceLock::new();
    NETWORK.get_or_init(|| NoteNetwork::read(WEIGHTS)).as_ref().map_err(Clone::clone)
}

/// Finds the notes of the mean of some channels.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for channels that do not exist; [`Unsupported`](ErrorKind::Unsupported) for a sample
/// rate that cannot be converted, or a damaged model; [`Cancelled`](ErrorKind::Cancelled), and read errors of the
/// source.
pub fn find_notes(snapshot: &Snapshot, channels: &Channels, progress: &Progress) -> Result<SoundNotes> {
    let end_secs = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
    let mut finder = NoteFinder::new(network()?);
    for_each_mean_block(snapshot, channels, RATE_HZ, progress, |block| finder.push(block))?;
    let within = |note: FoundNote| FoundNote { end_secs: note.end_secs.min(end_secs), ..note };
    Ok(SoundNotes { notes: finder.finish().found().into_iter().map(within).collect() })
}

impl SoundNotes {
    /// The notes, ordered by start and pitch.
    pub fn notes(&self) -> &[FoundNote] {
        &self.notes
    }

    /// A label for each note: its name, a band of a semitone, its likelihood as confidence, and the MIDI number in a
    /// column `midi`.
    pub fn labels(&self) -> Vec<Label> {
        self.notes.iter().map(label).collect()
    }

    /// Writes the notes: as a MIDI file if the extension is `.mid` or `.midi`, otherwise as a table of labels in CSV.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), and [`Script`](ErrorKind::Script) for more notes than a sound may have labels.
    pub fn write(&self, path: &Path) -> Result<()> {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        let bytes = match ending.is_some_and(|ending| ending == "mid" || ending == "midi") {
            true => midi_from_notes(&self.notes.iter().map(midi_note).collect::<Vec<_>>())?,
            false => self.csv().map_err(|error| error.at(path))?.into_bytes(),
        };
        write_atomic(path, |out| out.write_all(&bytes).map_err(|error| Error::io(&error, "written", path)))
    }

    fn csv(&self) -> Result<String> {
        let Some(format) = format_named("csv") else {
            return Err(Error::new(ErrorKind::Internal, "the format of labels is missing"));
        };
        Ok(format.written(&LabelSet::of(self.labels())?, &LabelWriting::default())?.0)
    }
}

fn label(note: &FoundNote) -> Label {
    let key = Note { midi: i32::from(note.midi), cents: 0.0 };
    let quarter_tone = (1.0f64 / 24.0).exp2();
    // Digits beyond the precision of the network would make a table hard to read.
    let rounded = |value: f64| (1e4 * value).round() / 1e4;
    Label {
        low_hz: Some((key.hz() / quarter_tone * 100.0).round() / 100.0),
        high_hz: Some((key.hz() * quarter_tone * 100.0).round() / 100.0),
        confidence: Some(rounded(note.amplitude)),
        columns: [("midi".into(), note.midi.to_string().into())].into_iter().collect(),
        ..Label::new([note.start_secs, note.end_secs].map(rounded), key.name())
    }
}

fn midi_note(note: &FoundNote) -> MidiNote {
    let velocity = (127.0 * note.amplitude).round().clamp(1.0, 127.0) as u8;
    MidiNote { key: note.midi, velocity, secs: [note.start_secs, note.end_secs] }
}
