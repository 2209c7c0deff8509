//! What other programs drop on the window, and where.
//!
//! X11: winit tells the files but no place; the pointer is asked for. Wayland: winit tells nothing; the clipboard's data
//! device does (`vendor/smithay-clipboard`). The pointer says nothing during a drag: its moves are made here, so that a drop is
//! where the pointer is.

use crate::workbench::NoticeAct;
use egui::{Context, RawInput};

/// Where drops come from.
#[derive(Default)]
pub struct Drops {
    #[cfg(target_os = "linux")]
    from: linux::DropSource,
}

impl Drops {
    /// Hears of those on a window from now on.
    #[cfg(target_os = "linux")]
    pub fn listen(&mut self, window: &winit::window::Window, ctx: &Context) {
        self.from = linux::DropSource::of(window, ctx);
    }

    /// Adds to the input of a frame what was dropped since the last one, and where the pointer is meanwhile. What was refused
    /// is named.
    pub fn take(&mut self, ctx: &Context, input: &mut RawInput) -> Vec<NoticeAct> {
        #[cfg(target_os = "linux")]
        return self.from.take(ctx, input);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (ctx, input);
            Vec::new()
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::base::host_name;
    use crate::studio::uri_list::{Named, read_browser_link, read_uris};
    use crate::workbench::{NoticeAct, Severity};
    use egui::{Context, Event, HoveredFile, Pos2, RawInput};
    use smithay_clipboard::{Drag, ListFault, ListKind, on_drag};
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};
    use winit::raw_window_handle::{HasWindowHandle, RawWindowHandle};
    use x11rb::protocol::xproto::ConnectionExt;

    /// Names of refused things that a notice holds.
    const MOST_NAMES: usize = 3;

    #[derive(Default)]
    pub enum DropSource {
        #[default]
        None,
        /// The number of the window.
        X11(u32),
        Wayland(HeldOver),
    }

    /// What is dragged over a Wayland window.
    pub struct HeldOver {
        told: Receiver<Drag>,
        /// The window's `wl_surface`.
        surface: usize,
        /// Whether it will be taken.
        is_list: bool,
        /// Whether it is over the surface, not over the frame around it.
        is_inside: bool,
        is_dropped: bool,
    }

    /// A file that was dropped.
    #[derive(Debug)]
    struct Dropped(PathBuf);

    impl egui::DroppedFile for Dropped {
        fn path(&self) -> &Path {
            &self.0
        }

        fn bytes(&self) -> Result<Vec<u8>, String> {
            crate::base::read_regular(&self.0).map_err(|error| error.to_string())
        }
    }

    impl DropSource {
        pub fn of(window: &winit::window::Window, ctx: &Context) -> DropSource {
            match window.window_handle().map(|handle| handle.as_raw()) {
                Ok(RawWindowHandle::Xlib(handle)) => {
                    u32::try_from(handle.window).map_or(DropSource::None, DropSource::X11)
                }
                Ok(RawWindowHandle::Xcb(handle)) => DropSource::X11(handle.window.get()),
                Ok(RawWindowHandle::Wayland(handle)) => {
                    let (tell, told) = channel();
                    let wake = ctx.clone();
                    on_drag(move |drag| {
                        tell.send(drag).ok();
                        wake.request_repaint();
                    });
                    let surface = handle.surface.as_ptr() as usize;
                    DropSource::Wayland(HeldOver { told, surface, is_list: false, is_inside: false, is_dropped: false })
                }
                _ => DropSource::None,
            }
        }

        pub fn take(&mut self, ctx: &Context, input: &mut RawInput) -> Vec<NoticeAct> {
            match self {
                DropSource::None => Vec::new(),
                DropSource::X11(window) => {
                    if !input.dropped_files.is_empty()
                        && let Some(pixels) = pointer_in(*window)
                    {
                        let at = pixels.map(|pixels| f32::from(pixels) / ctx.pixels_per_point());
                        input.events.push(Event::PointerMoved(at.into()));
                    }
                    Vec::new()
                }
                DropSource::Wayland(dragged) => dragged.take(ctx.zoom_factor(), input),
            }
        }
    }

    /// Where the pointer is in a window, in pixels.
    fn pointer_in(window: u32) -> Option<[i16; 2]> {
        let (server, _) = x11rb::connect(None).ok()?;
        let pointer = server.query_pointer(window).ok()?.reply().ok()?;
        pointer.same_screen.then_some([pointer.win_x, pointer.win_y])
    }

    impl HeldOver {
        fn take(&mut self, zoom: f32, input: &mut RawInput) -> Vec<NoticeAct> {
            let mut notices = Vec::new();
            while let Ok(drag) = self.told.try_recv() {
                match drag {
                    Drag::Enter { at, surface, is_list } => {
                        (self.is_list, self.is_inside, self.is_dropped) = (is_list, surface == self.surface, false);
                        self.point(at, zoom, input);
                    }
                    Drag::Motion(at) => self.point(at, zoom, input),
                    Drag::Leave => {
                        // After a drop the pointer is where it was.
                        if self.is_inside && !self.is_dropped {
                            input.events.push(Event::PointerGone);
                        }
                        (self.is_list, self.is_inside) = (false, false);
                    }
                    Drag::Dropped => (self.is_list, self.is_dropped) = (false, true),
                    Drag::List(kind, list) => {
                        let read = if kind == ListKind::Uris { read_uris } else { read_browser_link };
                        let Named { files, refused } = read(&list, &host_name());
                        notices.extend(notice_of(files.len(), &refused));
                        let files = files.into_iter().map(|file| Arc::new(Dropped(file)) as egui::DroppedFileHandle);
                        input.dropped_files.extend(files);
                    }
                    Drag::NoList(fault) => notices.push(notice_of_fault(fault)),
                }
            }
            input.hovered_files = if self.is_list { vec![HoveredFile::default()] } else { Vec::new() };
            notices
        }

        /// The pointer is at a place in points of the surface.
        fn point(&self, at: [f64; 2], zoom: f32, input: &mut RawInput) {
            if self.is_inside {
                input.events.push(Event::PointerMoved(Pos2::from(at.map(|points| points as f32)) / zoom));
            }
        }
    }

    /// What to say of a list of files, and of the other things in it.
    fn notice_of(n_files: usize, refused: &[String]) -> Option<NoticeAct> {
        let warning = |what: String, advice: &str| NoticeAct::Tell {
            severity: Severity::Warning,
            what,
            advice: Some(advice.into()),
        };
        let names = refused.iter().take(MOST_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let advice = "Save them on this computer first, then drop the saved files.";
        match refused.len() {
            0 if n_files > 0 => None,
            0 => Some(warning("Nothing was dropped: the list is empty.".into(), "Drop the files again.")),
            1 => {
                let advice = "Save it on this computer first, then drop the saved file.";
                Some(warning(format!("This is no file on this computer: {names}"), advice))
            }
            n if n <= MOST_NAMES => Some(warning(format!("These are no files on this computer: {names}"), advice)),
            n => {
                let more = n - MOST_NAMES;
                Some(warning(format!("These are no files on this computer: {names}, and {more} more"), advice))
            }
        }
    }

    fn notice_of_fault(fault: ListFault) -> NoticeAct {
        let (what, advice) = match fault {
            ListFault::TooLong => {
                ("Too many files were dropped at once.", "Drop fewer, or the folder that they are in.")
            }
            ListFault::TooLate => ("The other program did not say which files it dropped.", "Drop them again."),
            ListFault::Broken => ("The other program ended before it said which files it dropped.", "Drop them again."),
        };
        NoticeAct::Tell { severity: Severity::Warning, what: what.into(), advice: Some(advice.into()) }
    }
}
