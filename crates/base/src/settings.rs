//! Every setting and its origin: command line over environment over file over default.
//!
//! The file is one versioned JSON object. Unknown fields are preserved. A file that is not a JSON object is renamed to
//! an unused name, so that no earlier damaged file is lost. Invalid values are reported and ignored. The studio's own
//! state is in the same file under a separate key, which no variable or option overrides.

use super::{Error, ErrorKind, Folders, Result, lock, read_small_file, shown_json, shown_path, write_atomic};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Which engine processes sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineChoice {
    /// The GPU if there is a hardware adapter, otherwise the CPU.
    #[default]
    Auto,
    /// The best adapter found, even a software renderer; unsupported work fails.
    Gpu,
    /// The CPU.
    Cpu,
}

/// Choice of display on Linux.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DisplayChoice {
    /// Wayland where a compositor answers, otherwise X11.
    #[default]
    Auto,
    /// Wayland.
    Wayland,
    /// X11, on a Wayland desktop through Xwayland.
    X11,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Version of the file's layout.
    pub version: u32,
    /// Engine to use.
    pub engine: EngineChoice,
    /// Adapter to use, by number or part of its name.
    pub adapter: Option<String>,
    /// Display that the window opens on, on Linux.
    pub display: DisplayChoice,
    /// Whether to fall back to the CPU engine when the GPU fails.
    pub fallback_to_cpu: bool,
    /// Budget of the tile cache in megabytes; default 64 on software adapters, 256 on others. Pages of sounds on the
    /// device take a quarter of it more, 64 MB by default.
    pub gpu_memory_mb: Option<u32>,
    /// Items that the GPU computes at once for the library.
    #[serde(flatten)]
    pub gpu_batch: GpuBatchSettings,
    /// Memory for analysing sounds for the library and for features, in megabytes; default and maximum are half of the
    /// memory available at the start.
    pub library_memory_mb: Option<u32>,
    /// Memory budget of the edit history, in megabytes.
    pub history_mb: u32,
    /// Sounds larger than this many megabytes are read from disk rather than held in memory.
    pub source_mb: u32,
    /// Megabytes that decoded sound leaves free on the disk of the cache folder; default: the smaller of 1 GB and 5 %
    /// of that disk, but at least 64 MB.
    pub scratch_reserve_mb: Option<u32>,
    /// Number of frames per piece of a long edit.
    pub chunk_frames: u32,
    /// Name of the audio output; `None` is the system default.
    pub audio_device: Option<String>,
    /// Name of the input to record from; `None` is the system default.
    pub audio_input: Option<String>,
    /// Channels to record, 1 or 2, counted from the input's first; `None` records all.
    pub audio_input_channels: Option<u32>,
    /// Frames per second to record; `None` is the input's own rate.
    pub audio_input_rate_hz: Option<u32>,
    /// Frames per audio buffer, 512 to 1,024; the largest is safest with software rendering.
    pub audio_buffer_frames: u32,
    /// Whether a sound may be saved back over the file it was opened from. The original is kept beside it.
    pub save_back: bool,
    /// Whether the status line shows frames per second, memory of the graphics device, and where edits were computed.
    pub show_graphics: bool,
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub log_level: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            version: 1,
            engine: EngineChoice::Auto,
            adapter: None,
            display: DisplayChoice::Auto,
            fallback_to_cpu: true,
            gpu_memory_mb: None,
            gpu_batch: GpuBatchSettings::default(),
            library_memory_mb: None,
            history_mb: 512,
            source_mb: 64,
            scratch_reserve_mb: None,
            chunk_frames: 1024,
            audio_device: None,
            audio_input: None,
            audio_input_channels: None,
            audio_input_rate_hz: None,
            audio_buffer_frames: 1024,
            save_back: false,
            show_graphics: false,
            log_level: "info".into(),
        }
    }
}

/// Limits of what the GPU computes at once for the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GpuBatchSettings {
    /// Maximum number of items, 1 to 4,096; 256 if `None`.
    pub gpu_batch_size: Option<u32>,
    /// Device memory for them in megabytes; by default a quarter of the largest buffer.
    pub gpu_batch_mb: Option<u32>,
}

/// Origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Built in.
    Default,
    /// The settings file.
    File,
    /// An environment variable.
    Environment,
    /// The command line.
    CommandLine,
}

impl Origin {
    /// Label for display.
    pub fn label(self) -> &'static str {
        match self {
            Origin::Default => "default",
            Origin::File => "file",
            Origin::Environment => "environment",
            Origin::CommandLine => "command line",
        }
    }
}

/// A setting: its name in the file, the variable that overrides it, and its permitted values.
struct Field {
    name: &'static str,
    variable: &'static str,
    expected: &'static str,
    is_allowed: fn(&Value) -> bool,
}

fn is_number_in(value: &Value, min: u64, max: u64) -> bool {
    value.as_u64().is_some_and(|number| (min..=max).contains(&number))
}

fn is_name_or_null(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| !text.is_empty())
}

/// Maximum size of the settings file, far above its usual size.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Every setting except the version, in display order.
const FIELDS: [Field; 20] = [
    Field {
        name: "engine",
        variable: "SONOBRUSH_ENGINE",
        expected: "auto, gpu or cpu",
        is_allowed: |value| matches!(value.as_str(), Some("auto" | "gpu" | "cpu")),
    },
    Field {
        name: "adapter",
        variable: "SONOBRUSH_ADAPTER",
        expected: "an adapter's number or part of its name",
        is_allowed: is_name_or_null,
    },
    Field {
        name: "display",
        variable: "SONOBRUSH_DISPLAY",
        expected: "auto, wayland or x11",
        is_allowed: |value| matches!(value.as_str(), Some("auto" | "wayland" | "x11")),
    },
    Field {
        name: "fallback_to_cpu",
        variable: "SONOBRUSH_FALLBACK_TO_CPU",
        expected: "true or false",
        is_allowed: Value::is_boolean,
    },
    Field {
        name: "gpu_memory_mb",
        variable: "SONOBRUSH_GPU_MEMORY_MB",
        expected: "a number of megabytes from 16 to 65536",
        is_allowed: |value| value.is_null() || is_number_in(value, 16, 65_536),
    },
    Field {
        name: "gpu_batch_size",
        variable: "SONOBRUSH_GPU_BATCH_SIZE",
        expected: "a number of items from 1 to 4096",
        is_allowed: |value| value.is_null() || is_number_in(value, 1, 4096),
    },
    Field {
        name: "gpu_batch_mb",
        variable: "SONOBRUSH_GPU_BATCH_MB",
        expected: "a number of megabytes from 1 to 65536",
        is_allowed: |value| value.is_null() || is_number_in(value, 1, 65_536),
    },
    Field {
        name: "library_memory_mb",
        variable: "SONOBRUSH_LIBRARY_MEMORY_MB",
        expected: "a number of megabytes from 16 to 1048576",
        is_allowed: |value| value.is_null() || is_number_in(value, 16, 1_048_576),
    },
    Field {
        name: "history_mb",
        variable: "SONOBRUSH_HISTORY_MB",
        expected: "a number of megabytes from 1 to 1048576",
        is_allowed: |value| is_number_in(value, 1, 1_048_576),
    },
    Field {
        name: "source_mb",
        variable: "SONOBRUSH_SOURCE_MB",
        expected: "a number of megabytes from 0 to 1048576",
        is_allowed: |value| is_number_in(value, 0, 1_048_576),
    },
    Field {
        name: "scratch_reserve_mb",
        variable: "SONOBRUSH_SCRATCH_RESERVE_MB",
        expected: "a number of megabytes from 0 to 1048576",
        is_allowed: |value| value.is_null() || is_number_in(value, 0, 1_048_576),
    },
    Field {
        name: "chunk_frames",
        variable: "SONOBRUSH_CHUNK_FRAMES",
        expected: "a number of frames from 16 to 65536",
        is_allowed: |value| is_number_in(value, 16, 65_536),
    },
    Field {
        name: "audio_device",
        variable: "SONOBRUSH_AUDIO_DEVICE",
        expected: "part of an audio output's name",
        is_allowed: is_name_or_null,
    },
    Field {
        name: "audio_input",
        variable: "SONOBRUSH_AUDIO_INPUT",
        expected: "part of an audio input's name",
        is_allowed: is_name_or_null,
    },
    Field {
        name: "audio_input_channels",
        variable: "SONOBRUSH_AUDIO_INPUT_CHANNELS",
        expected: "1 or 2 channels",
        is_allowed: |value| value.is_null() || is_number_in(value, 1, 2),
    },
    Field {
        name: "audio_input_rate_hz",
        variable: "SONOBRUSH_AUDIO_INPUT_RATE_HZ",
        expected: "a sample rate in hertz from 4000 to 768000",
        is_allowed: |value| value.is_null() || is_number_in(value, 4_000, 768_000),
    },
    Field {
        name: "audio_buffer_frames",
        variable: "SONOBRUSH_AUDIO_BUFFER_FRAMES",
        expected: "a number of frames from 512 to 1024",
        is_allowed: |value| is_number_in(value, 512, 1024),
    },
    Field {
        name: "save_back",
        variable: "SONOBRUSH_SAVE_BACK",
        expected: "true or false",
        is_allowed: Value::is_boolean,
    },
    Field {
        name: "show_graphics",
        variable: "SONOBRUSH_SHOW_GRAPHICS",
        expected: "true or false",
        is_allowed: Value::is_boolean,
    },
    Field {
        name: "log_level",
        variable: "SONOBRUSH_LOG",
        expected: "error, warn, info, debug or trace",
        is_allowed: |value| matches!(value.as_str(), Some("error" | "warn" | "info" | "debug" | "trace")),
    },
];

/// A setting for display.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownSetting {
    /// Name in the file.
    pub name: &'static str,
    /// Effective value.
    pub value: Value,
    /// Origin of the value.
    pub origin: Origin,
    /// The environment variable that overrides the file.
    pub variable: &'static str,
}

/// The effective settings with their origins, and notices about reading them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadedSettings {
    /// The settings in force.
    pub settings: Settings,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
    origins: BTreeMap<&'static str, Origin>,
}

impl LoadedSettings {
    /// Reads the settings file and the environment (`variable` returns a variable's value).
    ///
    /// # Errors
    /// An environment variable with an invalid value: it was set on purpose, so it is not ignored.
    pub fn load(folders: &Folders, variable: impl Fn(&str) -> Option<String>) -> Result<LoadedSettings> {
        let mut loaded = LoadedSettings::default();
        let mut values = values_of(&loaded.settings);
        for (name, value) in loaded.read_file(folders) {
            let Some(field) = FIELDS.iter().find(|field| field.name == name) else { continue };
            if (field.is_allowed)(&value) {
                values.insert(name, value);
                loaded.origins.insert(field.name, Origin::File);
            } else {
                let file = shown_path(&folders.settings_file());
                loaded.notices.push(format!("{file}: {name} must be {}; using the default", field.expected));
            }
        }
        for field in &FIELDS {
            let Some(text) = variable(field.variable).filter(|text| !text.is_empty()) else { continue };
            let value = value_from_text(field, &text).ok_or_else(|| {
                let why = format!("the environment variable {} must be {}", field.variable, field.expected);
                Error::new(ErrorKind::Unsupported, why)
            })?;
            values.insert(field.name.into(), value);
            loaded.origins.insert(field.name, Origin::Environment);
        }
        loaded.settings = settings_from(values)?;
        Ok(loaded)
    }

    /// The fields of the file; empty if there is no file or it was damaged.
    fn read_file(&mut self, folders: &Folders) -> Map<String, Value> {
        match read_fields(folders) {
            Ok((fields, notice)) => {
                self.notices.extend(notice);
                fields
            }
            Err(error) => {
                self.notices.push(format!("{error}; using the defaults"));
                Map::new()
            }
        }
    }

    /// Overrides a setting from the command line.
    ///
    /// # Errors
    /// If the value is invalid.
    pub fn override_with(&mut self, name: &str, value: Value) -> Result<()> {
        let Some(field) = FIELDS.iter().find(|field| field.name == name && (field.is_allowed)(&value)) else {
            return Err(Error::new(ErrorKind::Unsupported, format!("{name} cannot be {value}")));
        };
        let mut values = values_of(&self.settings);
        values.insert(name.into(), value);
        self.settings = settings_from(values)?;
        self.origins.insert(field.name, Origin::CommandLine);
        Ok(())
    }

    /// All settings with values and origins.
    pub fn shown(&self) -> Vec<ShownSetting> {
        let values = values_of(&self.settings);
        let shown = |field: &Field| ShownSetting {
            name: field.name,
            value: values.get(field.name).cloned().unwrap_or(Value::Null),
            origin: self.origin(field.name),
            variable: field.variable,
        };
        FIELDS.iter().map(shown).collect()
    }

    /// Origin of a setting's value.
    pub fn origin(&self, name: &str) -> Origin {
        self.origins.get(name).copied().unwrap_or(Origin::Default)
    }
}

impl Settings {
    /// Memory budget of the edit history, in bytes.
    pub fn history_bytes(&self) -> u64 {
        u64::from(self.history_mb) << 20
    }

    /// Memory for analysis in bytes; `None` means half of the available memory.
    pub fn library_memory_bytes(&self) -> Option<u64> {
        self.library_memory_mb.map(|megabytes| u64::from(megabytes) << 20)
    }

    /// Maximum size of a source held in memory, in bytes.
    pub fn source_bytes(&self) -> u64 {
        u64::from(self.source_mb) << 20
    }

    /// Bytes that decoded sound leaves free on its disk; `None` means [`Space::reserve`](super::Space::reserve).
    pub fn scratch_reserve_bytes(&self) -> Option<u64> {
        self.scratch_reserve_mb.map(|megabytes| u64::from(megabytes) << 20)
    }

    /// Applies `change` to the settings file atomically; everything else in it is preserved, including fields of newer
    /// versions.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); the file is then unchanged.
    pub fn save_change(folders: &Folders, change: impl FnOnce(&mut Settings)) -> Result<()> {
        change_fields(folders, |fields| {
            let mut before = values_of(&Settings::default());
            let known = |name: &str, value: &Value| FIELDS.iter().any(|f| f.name == name && (f.is_allowed)(value));
            let known = fields.iter().filter(|(name, value)| known(name, value));
            before.extend(known.map(|(name, value)| (name.clone(), value.clone())));
            let mut after = settings_from(before.clone())?;
            change(&mut after);
            for (name, value) in values_of(&after) {
                if before.get(&name) != Some(&value) {
                    fields.insert(name, value);
                }
            }
            Ok(())
        })
    }

    /// The studio's own stored state, null if there is none, and a notice if a damaged file was renamed.
    ///
    /// # Errors
    /// If the file exists but cannot be read.
    pub fn remembered(folders: &Folders) -> Result<(Value, Option<String>)> {
        let (mut fields, notice) = read_fields(folders)?;
        Ok((fields.remove(STATE_KEY).unwrap_or(Value::Null), notice))
    }

    /// Writes the studio's own state atomically; everything else in the file is preserved.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); the file is then unchanged.
    pub fn remember(folders: &Folders, value: Value) -> Result<()> {
        change_fields(folders, |fields| {
            fields.insert(STATE_KEY.into(), value);
            Ok(())
        })
    }
}

/// Key of the studio's own state.
const STATE_KEY: &str = "studio";

/// Serialises read-modify-write cycles on the file.
static CHANGING: Mutex<()> = Mutex::new(());

/// The fields of the file, empty if there is no file, and a notice if a damaged file was renamed.
fn read_fields(folders: &Folders) -> Result<(Map<String, Value>, Option<String>)> {
    let file = folders.settings_file();
    if !file.exists() {
        return Ok((Map::new(), None));
    }
    let text = read_small_file(&file, MAX_FILE_BYTES)?;
    if let Ok(Value::Object(fields)) = serde_json::from_slice(&text) {
        return Ok((fields, None));
    }
    let where_now = match set_aside(&file) {
        Ok(aside) => format!("it was renamed to {}", shown_path(&aside)),
        Err(error) => format!("it could not be renamed: {error}"),
    };
    Ok((Map::new(), Some(format!("{} is damaged, so the defaults are used; {where_now}", shown_path(&file)))))
}

/// Renames a damaged file to an unused name. An empty file reserves the name first, since a plain rename would replace
/// a file created in the meantime.
fn set_aside(file: &Path) -> std::io::Result<PathBuf> {
    const MAX: usize = 1000;
    for n in 1..=MAX {
        let aside = match n {
            1 => file.with_extension("json.damaged"),
            n => file.with_extension(format!("json.damaged-{n}")),
        };
        match std::fs::File::create_new(&aside) {
            Ok(_) => return std::fs::rename(file, &aside).map(|()| aside),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other(format!("{MAX} damaged files already exist; delete some")))
}

/// Reads, changes and writes the file's fields.
fn change_fields(folders: &Folders, change: impl FnOnce(&mut Map<String, Value>) -> Result<()>) -> Result<()> {
    let _alone = lock(&CHANGING);
    let file = folders.settings_file();
    let (mut fields, notice) = read_fields(folders)?;
    if let Some(notice) = notice {
        tracing::warn!("{notice}");
    }
    change(&mut fields)?;
    fields.entry("version").or_insert_with(|| 1.into());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "created", folder))?;
    }
    let text = serde_json::to_string_pretty(&fields)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("settings cannot be written: {error}")))?;
    let text = shown_json(&text);
    write_atomic(&file, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", &file)))
}

fn values_of(settings: &Settings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(values)) => values,
        _ => Map::new(),
    }
}

fn settings_from(values: Map<String, Value>) -> Result<Settings> {
    serde_json::from_value(Value::Object(values))
        .map_err(|error| Error::new(ErrorKind::Internal, format!("settings cannot be read: {error}")))
}

/// Parses the text of a variable into a JSON value that is valid for the field.
fn value_from_text(field: &Field, text: &str) -> Option<Value> {
    let as_json = serde_json::from_str(text).ok().filter(|value: &Value| !value.is_string());
    let as_text = Some(Value::from(text));
    [as_text, as_json].into_iter().flatten().find(|value| (field.is_allowed)(value))
}
