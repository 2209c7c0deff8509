//! Drag and drop: drops from other programs on the window, and drags out of it.
//!
//! winit reports no drops on Wayland, and on X11 only lists in which every line is an existing file. Therefore
//! `x11_drop.rs` receives drops on X11, and the clipboard's data device (`vendor/smithay-clipboard`) on Wayland. The
//! system sends no pointer events during a drag: this module generates them, so that drops have a position. winit does
//! not support drags out: `x11_drag.rs` performs them on X11, and the data device on Wayland.

use crate::workbench::NoticeAct;
use egui::{Context, CursorIcon, Event, Modifiers, PointerButton, Pos2, RawInput};
use std::path::Path;

/// Drags over the window, and the drag out of it.
#[derive(Default)]
pub struct Drops {
    #[cfg(target_os = "linux")]
    from: linux::DropSource,
    out: DragOutState,
}

/// Whether the pointer has left the window. `at` is its position in points, if known.
pub fn has_left(ctx: &Context, at: Option<Pos2>) -> bool {
    !at.is_some_and(|at| ctx.content_rect().contains(at))
}

/// Whether the drag of a widget has left the window. If so, ends it as a drag of that widget.
pub fn is_dragged_out(ctx: &Context) -> bool {
    let has_left = has_left(ctx, ctx.input(|input| input.pointer.latest_pos()));
    if has_left {
        ctx.stop_dragging();
    }
    has_left
}

/// State of a drag out of the window.
#[derive(Debug, Default)]
pub struct DragOutState {
    /// During a drag: whether the target would accept a drop at the current position.
    is_taken: Option<bool>,
    /// Whether a drag has just started. The system will not report the release of its button, so the next frame
    /// generates it.
    has_begun: bool,
    /// Position of a drop on the window itself, in points.
    let_go_at: Option<Pos2>,
}

impl Drops {
    /// Starts receiving drops on a window.
    #[cfg(target_os = "linux")]
    pub fn listen(&mut self, window: &winit::window::Window, ctx: &Context) {
        self.from = linux::DropSource::of(window, ctx);
    }

    /// Adds drops since the last frame, and pointer positions during a drag, to the input of a frame. Returns notices
    /// that name refused items.
    pub fn take(&mut self, ctx: &Context, input: &mut RawInput) -> Vec<NoticeAct> {
        if std::mem::take(&mut self.out.has_begun) {
            let pos = ctx.input(|input| input.pointer.latest_pos()).unwrap_or_default();
            let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
            input.events.push(Event::PointerButton { pos, button, pressed: false, modifiers });
            input.events.push(Event::PointerGone);
        } else if input.events.iter().any(|event| matches!(event, Event::PointerButton { pressed: true, .. })) {
            // A new press means that the drag has ended without an event.
            self.out.is_taken = None;
        }
        #[cfg(target_os = "linux")]
        return self.from.take(ctx, input, &mut self.out);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = ctx;
            Vec::new()
        }
    }

    /// Starts dragging a file out of the window while the button is held; false if the system does not support that.
    pub fn drag_out(&mut self, file: &Path, ctx: &Context) -> bool {
        #[cfg(target_os = "linux")]
        let has_begun = self.from.drag_out(file, ctx);
        #[cfg(not(target_os = "linux"))]
        let has_begun = {
            let _ = file;
            false
        };
        if has_begun {
            self.out = DragOutState { is_taken: Some(false), has_begun, let_go_at: None };
            ctx.request_repaint();
        }
        has_begun
    }

    /// Cancels the drag out of the window; false if there is none.
    pub fn cancel_out(&mut self) -> bool {
        let was_out = self.out.is_taken.take().is_some();
        #[cfg(target_os = "linux")]
        if was_out {
            self.from.cancel_out();
        }
        was_out
    }

    /// Pointer icon during a drag out of the window.
    pub fn cursor(&self) -> Option<CursorIcon> {
        self.out.is_taken.map(|is_taken| if is_taken { CursorIcon::Copy } else { CursorIcon::Grabbing })
    }

    /// Takes the position at which a drag out was released over the window itself, in points.
    pub fn take_let_go(&mut self) -> Option<Pos2> {
        self.out.let_go_at.take()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::DragOutState;
    use crate::base::host_name;
    use crate::studio::desktop::uri_list::{UriListContents, read_browser_link, read_uris, write_uris};
    use crate::studio::desktop::x11_drag::{X11Drag, X11DragEvent};
    use crate::studio::desktop::x11_drop;
    use crate::workbench::{NoticeAct, Severity};
    use egui::{Context, Event, HoveredFile, Pos2, RawInput};
    use smithay_clipboard::{Drag, DragOut, ListFault, ListKind, Offered, cancel_drag_out, drag_out, on_drag};
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};
    use winit::raw_window_handle::{HasWindowHandle, RawWindowHandle};
    use x11rb::protocol::xproto::ConnectionExt;

    /// MIME types offered for a dragged file.
    const URI_LIST: &str = "text/uri-list";
    const WAV: &str = "audio/x-wav";
    /// Maximum number of refused items named in a notice.
    const MAX_NAMES: usize = 3;

    #[derive(Default)]
    pub enum DropSource {
        #[default]
        None,
        X11(X11Window),
        Wayland(DragOverWindow),
    }

    /// Drags over and out of an X11 window.
    pub struct X11Window {
        number: u32,
        /// The drag over it.
        over: DragOverWindow,
        /// The drag out of it.
        out: Option<X11Drag>,
    }

    /// State of a drag over the window.
    pub struct DragOverWindow {
        events: Receiver<Drag>,
        /// The window's `wl_surface`, or its id on X11.
        surface: usize,
        /// Whether the drag offers a list of files, so that a drop will be accepted.
        is_list: bool,
        /// Whether the pointer is over the surface, rather than its frame.
        is_inside: bool,
        is_dropped: bool,
        /// Position of the pointer, in points.
        at: Option<Pos2>,
    }

    /// A dropped file.
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
            let (notify, events) = channel();
            let wake = ctx.clone();
            let notify = move |drag| {
                notify.send(drag).ok();
                wake.request_repaint();
            };
            let number = match window.window_handle().map(|handle| handle.as_raw()) {
                Ok(RawWindowHandle::Xlib(handle)) => u32::try_from(handle.window).ok(),
                Ok(RawWindowHandle::Xcb(handle)) => Some(handle.window.get()),
                Ok(RawWindowHandle::Wayland(handle)) => {
                    on_drag(notify);
                    return DropSource::Wayland(DragOverWindow::of(events, handle.surface.as_ptr() as usize));
                }
                _ => None,
            };
            let Some(number) = number else { return DropSource::None };
            x11_drop::listen(number, notify);
            DropSource::X11(X11Window { number, over: DragOverWindow::of(events, number as usize), out: None })
        }

        pub fn take(&mut self, ctx: &Context, input: &mut RawInput, out: &mut DragOutState) -> Vec<NoticeAct> {
            match self {
                DropSource::None => Vec::new(),
                DropSource::X11(window) => window.take(ctx.pixels_per_point(), input, out),
                DropSource::Wayland(dragged) => dragged.take(ctx.zoom_factor(), input, out),
            }
        }

        pub fn drag_out(&mut self, file: &Path, ctx: &Context) -> bool {
            let list = write_uris(&[file]);
            match self {
                DropSource::None => false,
                DropSource::X11(window) => {
                    let wake = ctx.clone();
                    window.out = Some(X11Drag::begin(window.number, list, move || wake.request_repaint()));
                    true
                }
                DropSource::Wayland(_) => {
                    let mut offers = vec![(URI_LIST.to_owned(), Offered::Bytes(list))];
                    if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wav")) {
                        offers.push((WAV.to_owned(), Offered::File(file.to_owned())));
                    }
                    drag_out(offers)
                }
            }
        }

        /// Cancels the drag out. Many Wayland compositors grab the keyboard during a drag and handle Escape themselves.
        pub fn cancel_out(&mut self) {
            match self {
                DropSource::X11(X11Window { out: Some(drag), .. }) => drag.cancel(),
                DropSource::Wayland(_) => cancel_drag_out(),
                DropSource::None | DropSource::X11(_) => {}
            }
        }
    }

    impl X11Window {
        fn take(&mut self, pixels_per_point: f32, input: &mut RawInput, out: &mut DragOutState) -> Vec<NoticeAct> {
            let points = |pixels: [i16; 2]| Pos2::from(pixels.map(|pixels| f32::from(pixels) / pixels_per_point));
            // Dropped through winit, by a program that does not support XDND proxies.
            if !input.dropped_files.is_empty()
                && let Some(pixels) = pointer_in(self.number)
            {
                input.events.push(Event::PointerMoved(points(pixels)));
            }
            while let Some(news) = self.out.as_ref().and_then(X11Drag::take_news) {
                match news {
                    X11DragEvent::Over { is_taken } => out.is_taken = out.is_taken.map(|_| is_taken),
                    X11DragEvent::LetGo => out.is_taken = None,
                    X11DragEvent::OnOurselves(pixels) => {
                        out.is_taken = None;
                        out.let_go_at = Some(points(pixels));
                        input.events.push(Event::PointerMoved(points(pixels)));
                    }
                    X11DragEvent::Ended => (self.out, out.is_taken) = (None, None),
                }
            }
            self.over.take(pixels_per_point, input, out)
        }
    }

    /// Position of the pointer in a window, in pixels.
    fn pointer_in(window: u32) -> Option<[i16; 2]> {
        let (server, _) = x11rb::connect(None).ok()?;
        let pointer = server.query_pointer(window).ok()?.reply().ok()?;
        pointer.same_screen.then_some([pointer.win_x, pointer.win_y])
    }

    impl DragOverWindow {
        fn of(events: Receiver<Drag>, surface: usize) -> DragOverWindow {
            DragOverWindow { events, surface, is_list: false, is_inside: false, is_dropped: false, at: None }
        }

        /// Takes events of drags. `scale` is the number of their position units per point.
        fn take(&mut self, scale: f32, input: &mut RawInput, out: &mut DragOutState) -> Vec<NoticeAct> {
            let mut notices = Vec::new();
            while let Ok(drag) = self.events.try_recv() {
                match drag {
                    Drag::Enter { at, surface, is_list } => {
                        (self.is_list, self.is_inside, self.is_dropped) = (is_list, surface == self.surface, false);
                        self.point(at, scale, input);
                    }
                    Drag::Motion(at) => self.point(at, scale, input),
                    Drag::Out(DragOut::Over { is_taken }) => out.is_taken = out.is_taken.map(|_| is_taken),
                    Drag::Out(DragOut::OnOurselves) => out.let_go_at = self.at.filter(|_| self.is_inside),
                    Drag::Out(DragOut::LetGo | DragOut::Finished | DragOut::Cancelled) => out.is_taken = None,
                    Drag::Leave => {
                        // After a drop the pointer keeps its position.
                        if self.is_inside && !self.is_dropped {
                            input.events.push(Event::PointerGone);
                        }
                        (self.is_list, self.is_inside) = (false, false);
                    }
                    Drag::Dropped => (self.is_list, self.is_dropped) = (false, true),
                    Drag::List(kind, list) => {
                        let read = if kind == ListKind::Uris { read_uris } else { read_browser_link };
                        let UriListContents { files, refused } = read(&list, &host_name());
                        notices.extend(notice_of(files.len(), &refused));
                        let files = files.into_iter().map(|file| Arc::new(Dropped(file)) as egui::DroppedFileHandle);
                        input.dropped_files.extend(files);
                    }
                    Drag::NoList(fault) => notices.push(notice_of_fault(fault)),
                }
            }
            if self.is_list {
                input.hovered_files = vec![HoveredFile::default()];
            }
            notices
        }

        /// Generates a move of the pointer, if it is over the surface.
        fn point(&mut self, at: [f64; 2], scale: f32, input: &mut RawInput) {
            let at = Pos2::from(at.map(|place| place as f32)) / scale;
            self.at = Some(at);
            if self.is_inside {
                input.events.push(Event::PointerMoved(at));
            }
        }
    }

    /// The notice about refused items of a drop with `n_files` accepted files; `None` if nothing was refused.
    fn notice_of(n_files: usize, refused: &[String]) -> Option<NoticeAct> {
        let warning = |what: String, advice: &str| NoticeAct::Show {
            severity: Severity::Warning,
            what,
            advice: Some(advice.into()),
        };
        let names = refused.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let advice = "Save them on this computer first, then drop the saved files.";
        match refused.len() {
            0 if n_files > 0 => None,
            0 => Some(warning("Nothing was dropped: the list is empty.".into(), "Drop the files again.")),
            1 => {
                let advice = "Save it on this computer first, then drop the saved file.";
                Some(warning(format!("This is no file on this computer: {names}"), advice))
            }
            n if n <= MAX_NAMES => Some(warning(format!("These are no files on this computer: {names}"), advice)),
            n => {
                let more = n - MAX_NAMES;
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
        NoticeAct::Show { severity: Severity::Warning, what: what.into(), advice: Some(advice.into()) }
    }
}
