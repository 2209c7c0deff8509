//! Failures that window tests trigger: with `SONOBRUSH_TEST_COMMANDS=1`, entering the path `test:NAME` in a path card
//! triggers a failure instead of opening a file. Without the variable such a path is an ordinary file.

use crate::app::Studio;
use crate::base::lock;
use crate::workbench::FileAct;
use std::path::Path;
use std::sync::Mutex;

const VARIABLE: &str = "SONOBRUSH_TEST_COMMANDS";

/// The window's device, which a test may destroy.
static DEVICE: Mutex<Option<wgpu::Device>> = Mutex::new(None);

fn is_on() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "1")
}

/// Stores the window's device, if tests are enabled.
pub fn note_device(device: &wgpu::Device) {
    if is_on() {
        *lock(&DEVICE) = Some(device.clone());
    }
}

/// The command in a path, if tests are enabled.
fn wanted(path: &Path) -> Option<String> {
    let name = path.to_str()?.strip_prefix("test:")?;
    is_on().then(|| name.to_owned())
}

/// Panics on drop: a panic during unwinding aborts the program.
struct FailsToDrop;

impl Drop for FailsToDrop {
    fn drop(&mut self) {
        panic!("a test asked for a second panic");
    }
}

impl Studio {
    /// Runs the test command in a path; false if the path is not one, or test commands are disabled. Ignores unknown
    /// names.
    pub(crate) fn does_for_test(&mut self, path: &Path) -> bool {
        let Some(name) = wanted(path) else { return false };
        tracing::warn!(name, "a test asks for this");
        match name.as_str() {
            "panic-ui" => panic!("a test asked for a panic of the window"),
            "panic-for-good" => {
                let thread = std::thread::Builder::new().name("fatal".into()).spawn(|| {
                    let _fails = FailsToDrop;
                    panic!("a test asked for a panic of {}", std::env::args().nth(1).unwrap_or_default())
                });
                drop(thread);
            }
            "panic-job" => {
                self.bench.act(FileAct::Panic(path.to_path_buf()));
            }
            "panic-worker" => self.bench.transport().panic(),
            "destroy-device" => {
                if let Some(device) = &*lock(&DEVICE) {
                    device.destroy();
                }
            }
            _ => {}
        }
        true
    }
}
