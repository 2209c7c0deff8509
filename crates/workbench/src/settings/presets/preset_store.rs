//! Lists, reads and writes saved noise profiles and presets in jobs, one operation at a time; tracks those in use.

use super::card_settings;
use super::kind::PresetKind;
use super::preset_card::{PresetCard, PresetSaveOptions};
use crate::base::{Error, Folders, NamedValueFolder, Result, few_notices, number};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::Severity;
use crate::commands::EditCommand;
use crate::document::SavedNoise;
use crate::files::Question;
use crate::services::JobQueue;
use crate::settings::tools::{ToolPreset, ToolSettings};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The names of saved noise profiles and presets, and operations on their files.
#[derive(Default)]
pub struct PresetStore {
    names: BTreeMap<PresetKind, Arc<[String]>>,
    /// The preset last used or saved per kind. It counts as in use while the current settings equal its settings.
    used: BTreeMap<PresetKind, (String, ToolPreset)>,
    /// Unreadable files that were reported already.
    reported: BTreeSet<PathBuf>,
    has_looked: bool,
    queue: JobQueue<PresetTask, Outcome, ()>,
}

/// An operation on files.
pub(super) enum PresetTask {
    /// Lists the names of these kinds.
    Look(Vec<PresetKind>),
    /// Reads a name. `card` is the card that a preset is applied to.
    Read {
        kind: PresetKind,
        name: String,
        reduces: bool,
        card: Option<PresetCard>,
    },
    Write {
        request: PresetSaveOptions,
        noise: Option<SavedNoise>,
    },
    Remove {
        kind: PresetKind,
        name: String,
    },
}

/// The result of an operation.
enum Outcome {
    Looked(Vec<Listing>),
    Noise {
        name: String,
        noise: SavedNoise,
        reduces: bool,
    },
    Preset {
        kind: PresetKind,
        name: String,
        preset: ToolPreset,
        card: Option<PresetCard>,
    },
    Written {
        request: PresetSaveOptions,
        name: String,
        noise: Option<SavedNoise>,
        listing: Listing,
    },
    /// The name exists, and the user has not agreed to overwrite it.
    Taken {
        request: PresetSaveOptions,
        name: String,
        listing: Listing,
    },
    Removed {
        kind: PresetKind,
        name: String,
        listing: Listing,
    },
    /// The operation failed; its name completes "Cannot ...".
    Failed {
        operation: &'static str,
        error: Error,
        listing: Option<Listing>,
    },
}

/// The names of a kind's readable files, and the errors of the others.
struct Listing {
    kind: PresetKind,
    names: Arc<[String]>,
    faults: Vec<Error>,
}

impl PresetStore {
    /// The names of a kind, in alphabetical order.
    pub fn names(&self, kind: PresetKind) -> Arc<[String]> {
        self.names.get(&kind).cloned().unwrap_or_default()
    }

    /// The name of the preset in use by a tool or repair; `None` if settings have changed since, or no preset was used.
    pub fn current_preset(&self, kind: PresetKind, settings: &ToolSettings) -> Option<&str> {
        let (name, preset) = self.used.get(&kind)?;
        (preset_of(kind, settings)? == *preset).then_some(name)
    }

    /// The name of the preset in use on a card, as for [`current_preset`](PresetStore::current_preset).
    pub fn preset_on_card(&self, card: &PresetCard) -> Option<&str> {
        let (name, preset) = self.used.get(&card.kind())?;
        (card.preset() == *preset).then_some(name)
    }

    pub(super) fn push(&mut self, task: PresetTask, context: &Context) {
        self.list_presets();
        self.queue.push(task);
        self.start_next(context);
    }

    /// Queues the listing of all names, before the first other operation.
    fn list_presets(&mut self) {
        if !std::mem::replace(&mut self.has_looked, true) {
            self.queue.push(PresetTask::Look(PresetKind::all()));
        }
    }

    fn start_next(&mut self, context: &Context) {
        let Some(task) = self.queue.take_next() else { return };
        let folders = context.folders.clone();
        let job = context.jobs.spawn("keep by name", move |_| Ok(done(task, &folders)));
        self.queue.run((), job, context.now_secs());
    }

    fn take_listing(&mut self, listing: Listing, context: &mut Context) {
        self.names.insert(listing.kind, listing.names);
        let is_new = |error: &&Error| error.path().is_none_or(|path| self.reported.insert(path.to_path_buf()));
        let faults: Vec<String> = listing.faults.iter().filter(is_new).map(ToString::to_string).collect();
        for fault in few_notices(&faults) {
            context.warn(&format!("{fault}; it is left out"));
        }
    }

    fn take(&mut self, outcome: Outcome, context: &mut Context) {
        match outcome {
            Outcome::Looked(listings) => listings.into_iter().for_each(|listing| self.take_listing(listing, context)),
            Outcome::Noise { name, noise, reduces } => use_noise(name, noise, reduces, context),
            Outcome::Preset { kind, name, preset, card } => self.use_preset(kind, name, &preset, card, context),
            Outcome::Written { request, name, noise, listing } => {
                self.take_listing(listing, context);
                context.notices.succeed("save");
                let what = format!("Saved the {} \u{201c}{name}\u{201d}.", request.kind.noun());
                context.notify(Severity::Info, what, None);
                match noise {
                    Some(noise) => context.tools.use_noise(name, noise),
                    None => {
                        self.used.insert(request.kind, (name, request.preset));
                    }
                }
                if let Some(card) = request.card {
                    context.ask(card.question());
                }
            }
            Outcome::Taken { request, name, listing } => {
                let names = listing.names.clone();
                self.take_listing(listing, context);
                context.ask(Question::Keep(PresetSaveOptions { names, replaces: Some(name), ..request }));
            }
            Outcome::Removed { kind, name, listing } => {
                self.take_listing(listing, context);
                self.used.retain(|used, (used_name, _)| *used != kind || *used_name != name);
                let what = format!("Removed the {} \u{201c}{name}\u{201d}.", kind.noun());
                context.notify(Severity::Info, what, None);
            }
            Outcome::Failed { operation, error, listing } => {
                listing.into_iter().for_each(|listing| self.take_listing(listing, context));
                context.fail(operation, &error);
            }
        }
    }

    fn use_preset(
        &mut self,
        kind: PresetKind,
        name: String,
        preset: &ToolPreset,
        card: Option<PresetCard>,
        context: &mut Context,
    ) {
        let used = match (kind, card) {
            (_, Some(card)) => card.with_preset(preset).map(|card| {
                context.ask(card.question());
                Some(card.preset())
            }),
            (PresetKind::Tool(tool), None) => {
                context.tools.settings().clone().with_preset(tool, preset).map(|settings| {
                    context.tools.set(settings);
                    preset_of(kind, context.tools.settings())
                })
            }
            (PresetKind::Repair(repair), None) => {
                context.tools.settings().clone().with_repair_preset(repair, preset).map(|settings| {
                    context.tools.set(settings);
                    preset_of(kind, context.tools.settings())
                })
            }
            (_, None) => Ok(None),
        };
        match used {
            Ok(set) => {
                self.used.extend(set.map(|set| (kind, (name, set))));
            }
            Err(error) => context.fail("use the preset", &error),
        }
    }
}

impl Concern for PresetStore {
    fn advance(&mut self, context: &mut Context) {
        self.list_presets();
        match self.queue.take_answer() {
            Some(((), Ok(outcome))) => self.take(outcome, context),
            Some(((), Err(error))) => context.fail("read what is saved", &error),
            None => {}
        }
        self.start_next(context);
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}

/// The current settings of a tool or repair as a preset; `None` for other kinds.
pub(super) fn preset_of(kind: PresetKind, settings: &ToolSettings) -> Option<ToolPreset> {
    match kind {
        PresetKind::Tool(tool) => Some(settings.preset(tool)),
        PresetKind::Repair(repair) => Some(settings.repair_preset(repair)),
        PresetKind::Noise | PresetKind::Normalise | PresetKind::Stretch | PresetKind::PitchShift => None,
    }
}

/// Makes a saved noise profile current. If the sound in front has a higher sample rate, the notice says above which
/// frequency the profile reduces nothing.
fn use_noise(name: String, noise: SavedNoise, reduces: bool, context: &mut Context) {
    let learnt_hz = noise.profile.sample_rate_hz;
    let sound_hz = context.documents.active().map(|document| document.shown().sample_rate_hz());
    let in_hz = |hz: f64| format!("{} Hz", number(hz, 0));
    let advice = sound_hz.filter(|sound_hz| *sound_hz > learnt_hz).map(|sound_hz| {
        let [learnt, sound, known] = [learnt_hz, sound_hz, learnt_hz / 2.0].map(in_hz);
        format!("It was learnt at {learnt}, and this sound has {sound}: nothing above {known} is reduced.")
    });
    let from = match noise.learnt_from.as_str() {
        "" => String::new(),
        from => format!(", learnt from {from}"),
    };
    let what = format!("Noise profile \u{201c}{name}\u{201d}{from}.");
    context.tools.use_noise(name, noise);
    context.notify(Severity::Info, what, advice.as_deref());
    if reduces {
        context.order(EditCommand::ReduceNoise);
    }
}

fn presets(kind: PresetKind, folders: &Folders) -> NamedValueFolder<ToolPreset> {
    NamedValueFolder::new(folders, &kind.folder(), kind.noun())
}

/// Reads a preset and checks that it fits its kind.
fn read_preset(kind: PresetKind, name: &str, folders: &Folders) -> Result<ToolPreset> {
    let folder = presets(kind, folders);
    let preset = folder.read(name)?;
    let fits = match kind {
        PresetKind::Tool(tool) => ToolSettings::default().with_preset(tool, &preset).map(drop),
        PresetKind::Repair(repair) => ToolSettings::default().with_repair_preset(repair, &preset).map(drop),
        other => card_settings::check(other, &preset),
    };
    match (fits, folder.file(name)) {
        (Err(error), Ok(file)) => Err(error.at(&file)),
        _ => Ok(preset),
    }
}

fn look(kind: PresetKind, folders: &Folders) -> Listing {
    let (mut names, mut faults) = (Vec::new(), Vec::new());
    let all = match kind {
        PresetKind::Noise => SavedNoise::folder(folders).names(),
        _ => presets(kind, folders).names(),
    };
    for name in all {
        let read = match kind {
            PresetKind::Noise => SavedNoise::folder(folders).read(&name).map(drop),
            _ => read_preset(kind, &name, folders).map(drop),
        };
        match read {
            Ok(()) => names.push(name),
            Err(error) => faults.push(error),
        }
    }
    Listing { kind, names: names.into(), faults }
}

fn done(task: PresetTask, folders: &Folders) -> Outcome {
    match task {
        PresetTask::Look(kinds) => Outcome::Looked(kinds.into_iter().map(|kind| look(kind, folders)).collect()),
        PresetTask::Read { kind, name, reduces, card } => {
            let read = match kind {
                PresetKind::Noise => SavedNoise::folder(folders).read(&name).map(|noise| Outcome::Noise {
                    name: name.clone(),
                    noise,
                    reduces,
                }),
                _ => read_preset(kind, &name, folders).map(|preset| Outcome::Preset {
                    kind,
                    name: name.clone(),
                    preset,
                    card,
                }),
            };
            let operation = if kind == PresetKind::Noise { "use the noise profile" } else { "use the preset" };
            read.unwrap_or_else(|error| Outcome::Failed { operation, error, listing: Some(look(kind, folders)) })
        }
        PresetTask::Write { request, noise } => write(request, noise, folders),
        PresetTask::Remove { kind, name } => {
            let removed = match kind {
                PresetKind::Noise => SavedNoise::folder(folders).remove(&name),
                _ => presets(kind, folders).remove(&name),
            };
            let listing = look(kind, folders);
            match removed {
                Ok(()) => Outcome::Removed { kind, name, listing },
                Err(error) => Outcome::Failed { operation: "remove it", error, listing: Some(listing) },
            }
        }
    }
}

fn write(request: PresetSaveOptions, noise: Option<SavedNoise>, folders: &Folders) -> Outcome {
    let kind = request.kind;
    let name = request.text.trim().to_owned();
    let has = match kind {
        PresetKind::Noise => SavedNoise::folder(folders).has(&name),
        _ => presets(kind, folders).has(&name),
    };
    if has == Ok(true) && request.replaces.as_ref() != Some(&name) {
        return Outcome::Taken { request, name, listing: look(kind, folders) };
    }
    let written = match &noise {
        Some(noise) => SavedNoise::folder(folders).keep(&name, noise),
        None => presets(kind, folders).keep(&name, &request.preset),
    };
    match written {
        Ok(()) => Outcome::Written { request, name, noise, listing: look(kind, folders) },
        Err(error) => Outcome::Failed { operation: "save", error, listing: None },
    }
}
