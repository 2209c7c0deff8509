//! What window tests make go wrong: with `SONOBRUSH_TEST_COMMANDS=1`, a path `test:NAME` in the card "Open a path" opens no
//! file but does this. Without that variable such a path is a file like any other.

use super::app::Studio;
use crate::base::lock;
use std::path::Path;
use std::sync::Mutex;

const VARIABLE: &str = "SONOBRUSH_TEST_COMMANDS";

/// The window's, to be destroyed.
static DEVICE: Mutex<Option<wgpu::Device>> = Mutex::new(None);

fn is_on() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "1")
}

/// Keeps the window's device at hand, where tests may ask.
pub fn note_device(device: &wgpu::Device) {
    if is_on() {
        *lock(&DEVICE) = Some(device.clone());
    }
}

/// What a path asks for, where tests may ask.
pub fn wanted(path: &Path) -> Option<String> {
    let name = path.to_str()?.strip_prefix("test:")?;
    is_on().then(|| name.to_owned())
}

impl Studio {
    /// Does it. Unknown names do nothing.
    pub(super) fn do_for_test(&mut self, name: &str) {
        tracing::warn!(name, "a test asks for this");
        match name {
            "panic-ui" => panic!("a test asked for a panic of the window"),
            "panic-job" => {
                self.start_opening("test:panic-job".into(), |_, _, _| panic!("a test asked for a panic of a job"));
            }
            "panic-worker" => self.transport.panic(),
            "destroy-device" => {
                if let Some(device) = &*lock(&DEVICE) {
                    device.destroy();
                }
            }
            _ => {}
        }
    }
}
