//! Arguments common to all commands.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct General {
    /// Engine: a hardware GPU if there is one, the best adapter found, or the CPU.
    #[arg(long, global = true, value_name = "auto|gpu|cpu")]
    pub engine: Option<EngineName>,
    /// Same as --engine gpu; fails if there is no GPU.
    #[arg(long, global = true, conflicts_with_all = ["engine", "no_gpu"])]
    pub gpu: bool,
    /// Same as --engine cpu.
    #[arg(long, global = true, conflicts_with = "engine")]
    pub no_gpu: bool,
    /// Maximum number of items that the GPU computes at once for the library; fewer if memory is short.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub gpu_batch_size: Option<u32>,
    /// Graphics adapter, by its number or a part of its name as listed by `devices`.
    #[arg(long, global = true, value_name = "N|NAME")]
    pub adapter: Option<String>,
    /// Library that `library:ID` refers to [default: the user's own].
    #[arg(long, global = true, value_name = "PATH")]
    pub library: Option<PathBuf>,
    /// Print only failures to standard error, neither progress nor notices.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Write timings: a trace for chrome://tracing or ui.perfetto.dev, and a table (.txt) beside it.
    #[arg(long, global = true, value_name = "TRACE.json")]
    pub trace: Option<PathBuf>,
    /// Also write the log to standard error.
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

impl General {
    /// The typed engine; `None` means that of the settings.
    pub fn engine(&self) -> Option<EngineName> {
        match (self.gpu, self.no_gpu) {
            (true, _) => Some(EngineName::Gpu),
            (_, true) => Some(EngineName::Cpu),
            _ => self.engine,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EngineName {
    Auto,
    Gpu,
    Cpu,
}

impl EngineName {
    pub fn name(self) -> &'static str {
        match self {
            EngineName::Auto => "auto",
            EngineName::Gpu => "gpu",
            EngineName::Cpu => "cpu",
        }
    }
}
