//! Stubs of the test hooks (`probe`, `frame_times`, `test_commands`) for builds without the feature `hooks`.

use crate::app::Studio;

pub mod probe {
    use crate::studio::SystemDialogs;
    use crate::workbench::Dialogs;
    use std::sync::Arc;

    /// A probe that does nothing.
    #[derive(Debug, Default)]
    pub struct Probe;

    impl Probe {
        pub fn from_environment() -> Probe {
            Probe
        }

        pub fn see_nothing(&self) {}
    }

    /// The system's dialogs.
    pub fn dialogs() -> Arc<dyn Dialogs> {
        Arc::new(SystemDialogs)
    }

    pub fn note_control(_ctx: &egui::Context, _label: &str, _rect: egui::Rect) {}
}

pub mod frame_times {
    /// A timer that does nothing.
    #[derive(Debug, Default)]
    pub struct FrameTimes;

    impl FrameTimes {
        pub fn from_environment() -> FrameTimes {
            FrameTimes
        }

        pub fn begin(&mut self) {}

        pub fn end_logic(&mut self) {}

        pub fn end_ui(&mut self) {}
    }
}

pub mod test_commands {
    pub fn note_device(_device: &wgpu::Device) {}
}

impl Studio {
    pub(crate) fn watch(&mut self, _ctx: &egui::Context) {
        self.watched.probe.see_nothing();
    }

    pub(crate) fn does_for_test(&mut self, _path: &std::path::Path) -> bool {
        false
    }
}
