//! Whether the machine gave the processors that a case needed.

/// Share of stolen time above which the host gave the processors to other guests.
const STOLEN_SHARE: f64 = 0.05;
/// Threads that want to run, per processor, on the average of the last minute: more than the window itself needs.
const BUSY_LOAD: f64 = 1.5;

/// Processor time since the machine was started, in ticks of all processors.
#[derive(Debug, Clone, Copy)]
pub struct Processors {
    used: u64,
    stolen: u64,
}

impl Processors {
    pub fn now() -> Processors {
        from_stat(&std::fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    /// Whether since then other programs, or other machines on the same host, took the processors: what was late or ran
    /// dry then says nothing about the window.
    pub fn were_taken(self) -> bool {
        let now = Processors::now();
        let (used, stolen) = ((now.used - self.used) as f64, (now.stolen - self.stolen) as f64);
        stolen > STOLEN_SHARE * (used + stolen) || load() > BUSY_LOAD
    }
}

/// The first line of `/proc/stat`: `cpu user nice system idle iowait irq softirq steal ...`.
fn from_stat(text: &str) -> Processors {
    let line = text.lines().next().unwrap_or_default();
    let ticks: Vec<u64> = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [user, nice, system, _idle, _waits_for_disk, irq, soft_irq, stolen, ..] = ticks[..] else {
        return Processors { used: 0, stolen: 0 };
    };
    Processors { used: user + nice + system + irq + soft_irq, stolen }
}

/// Per processor, of the last minute.
fn load() -> f64 {
    let n_processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|load| load.parse::<f64>().ok()).unwrap_or(0.0) / n_processors
}
