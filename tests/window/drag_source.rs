//! Another program on Wayland, whose window gives files and takes them: a press on it begins a drag. This test program
//! in another mode.
//!
//! What it gives is looked up in a folder when a drag begins: `types`, one a line, and `list`, which it writes when it
//! is asked; without that file it never does. What it takes is the type in `takes`, if there is such a file; it is
//! written to `taken`. It prints a line for each thing that happens.
//!
//! A line on standard input ends the drag. It stands for Escape, with which Mutter and KWin end a drag; in Weston no
//! client has the keyboard during one. The window gets the same events.

use smithay_client_toolkit::compositor::{CompositorHandler, CompositorState};
use smithay_client_toolkit::data_device_manager::data_device::{DataDevice, DataDeviceData, DataDeviceHandler};
use smithay_client_toolkit::data_device_manager::data_offer::{DataOfferHandler, DragOffer};
use smithay_client_toolkit::data_device_manager::data_source::{DataSourceHandler, DragSource};
use smithay_client_toolkit::data_device_manager::{DataDeviceManagerState, WritePipe};
use smithay_client_toolkit::output::{OutputHandler, OutputState};
use smithay_client_toolkit::reexports::client::globals::registry_queue_init;
use smithay_client_toolkit::reexports::client::protocol::wl_data_device::WlDataDevice;
use smithay_client_toolkit::reexports::client::protocol::wl_data_device_manager::DndAction;
use smithay_client_toolkit::reexports::client::protocol::wl_data_source::WlDataSource;
use smithay_client_toolkit::reexports::client::protocol::wl_output::{Transform, WlOutput};
use smithay_client_toolkit::reexports::client::protocol::wl_pointer::WlPointer;
use smithay_client_toolkit::reexports::client::protocol::wl_seat::WlSeat;
use smithay_client_toolkit::reexports::client::protocol::wl_shm::Format;
use smithay_client_toolkit::reexports::client::protocol::wl_surface::WlSurface;
use smithay_client_toolkit::reexports::client::{Connection, Proxy, QueueHandle};
use smithay_client_toolkit::registry::{ProvidesRegistryState, RegistryState};
use smithay_client_toolkit::seat::pointer::{PointerEvent, PointerEventKind, PointerHandler};
use smithay_client_toolkit::seat::{Capability, SeatHandler, SeatState};
use smithay_client_toolkit::shell::WaylandSurface;
use smithay_client_toolkit::shell::xdg::XdgShell;
use smithay_client_toolkit::shell::xdg::window::{Window, WindowConfigure, WindowDecorations, WindowHandler};
use smithay_client_toolkit::shm::slot::{Buffer, SlotPool};
use smithay_client_toolkit::shm::{Shm, ShmHandler};
use smithay_client_toolkit::{
    delegate_compositor, delegate_data_device, delegate_output, delegate_pointer, delegate_registry, delegate_seat,
    delegate_shm, delegate_xdg_shell, delegate_xdg_window, registry_handlers,
};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

pub const CHILD_MODE: &str = "--drag-source";
/// Width and height of the window, and its colour as it is on the screen.
pub const SIZE: [i32; 2] = [120, 90];
pub const COLOUR: [u8; 3] = [255, 0, 0];

struct Source {
    registry: RegistryState,
    seats: SeatState,
    outputs: OutputState,
    shm: Shm,
    manager: DataDeviceManagerState,
    window: Window,
    pool: SlotPool,
    buffer: Option<Buffer>,
    device: Option<DataDevice>,
    pointer: Option<WlPointer>,
    drag: Arc<Mutex<Option<DragSource>>>,
    folder: PathBuf,
    /// Pipes that nothing is written to.
    held: Vec<OwnedFd>,
}

fn notify(what: &str) {
    println!("{what}");
    std::io::stdout().flush().unwrap();
}

/// Runs until its compositor ends, or it is killed.
pub fn run(folder: &Path) -> ExitCode {
    let connection = Connection::connect_to_env().unwrap();
    let (globals, mut queue) = registry_queue_init::<Source>(&connection).unwrap();
    let handle = queue.handle();
    let shm = Shm::bind(&globals, &handle).unwrap();
    let surface = CompositorState::bind(&globals, &handle).unwrap().create_surface(&handle);
    let shell = XdgShell::bind(&globals, &handle).unwrap();
    let window = shell.create_window(surface, WindowDecorations::None, &handle);
    window.set_title("Source");
    window.commit();
    let mut source = Source {
        registry: RegistryState::new(&globals),
        seats: SeatState::new(&globals, &handle),
        outputs: OutputState::new(&globals, &handle),
        manager: DataDeviceManagerState::bind(&globals, &handle).unwrap(),
        pool: SlotPool::new((SIZE[0] * SIZE[1] * 4) as usize, &shm).unwrap(),
        shm,
        window,
        buffer: None,
        device: None,
        pointer: None,
        drag: Arc::default(),
        folder: folder.to_owned(),
        held: Vec::new(),
    };
    let drag = source.drag.clone();
    std::thread::spawn(move || {
        for _ in std::io::stdin().lines() {
            // Destroys it.
            drop(drag.lock().unwrap().take());
            connection.flush().unwrap();
            notify("escaped");
        }
    });
    while queue.blocking_dispatch(&mut source).is_ok() {}
    ExitCode::SUCCESS
}

impl Source {
    fn begin(&mut self, handle: &QueueHandle<Source>, serial: u32) {
        let types = std::fs::read_to_string(self.folder.join("types")).unwrap();
        let drag = self.manager.create_drag_and_drop_source(handle, types.lines(), DndAction::Copy);
        drag.start_drag(self.device.as_ref().unwrap(), self.window.wl_surface(), None, serial);
        *self.drag.lock().unwrap() = Some(drag);
        notify("began");
    }

    fn draw(&mut self) {
        let [width, height] = SIZE;
        let (buffer, canvas) = self.pool.create_buffer(width, height, width * 4, Format::Xrgb8888).unwrap();
        let [red, green, blue] = COLOUR;
        canvas.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&[blue, green, red, 0]));
        let surface = self.window.wl_surface();
        surface.damage_buffer(0, 0, width, height);
        buffer.attach_to(surface).unwrap();
        self.window.commit();
        self.buffer = Some(buffer);
    }
}

impl DataSourceHandler for Source {
    fn accept_mime(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlDataSource, mime: Option<String>) {
        notify(&format!("accepted {}", mime.as_deref().unwrap_or("nothing")));
    }

    fn send_request(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlDataSource, mime: String, pipe: WritePipe) {
        notify(&format!("asked {mime}"));
        match std::fs::read(self.folder.join("list")) {
            // A thread: a list longer than a pipe is not taken at once.
            Ok(list) => drop(std::thread::spawn(move || {
                std::fs::File::from(OwnedFd::from(pipe)).write_all(&list).ok();
            })),
            Err(_) => self.held.push(pipe.into()),
        }
    }

    fn cancelled(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlDataSource) {
        *self.drag.lock().unwrap() = None;
        notify("cancelled");
    }

    fn dnd_dropped(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlDataSource) {
        notify("dropped");
    }

    fn dnd_finished(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlDataSource) {
        *self.drag.lock().unwrap() = None;
        notify("finished");
    }

    fn action(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlDataSource, _: DndAction) {}
}

impl PointerHandler for Source {
    fn pointer_frame(&mut self, _: &Connection, handle: &QueueHandle<Self>, _: &WlPointer, events: &[PointerEvent]) {
        for event in events {
            if let PointerEventKind::Press { serial, .. } = event.kind {
                self.begin(handle, serial);
            }
        }
    }
}

impl SeatHandler for Source {
    fn seat_state(&mut self) -> &mut SeatState {
        &mut self.seats
    }

    fn new_seat(&mut self, _: &Connection, _: &QueueHandle<Self>, _: WlSeat) {}

    fn new_capability(&mut self, _: &Connection, handle: &QueueHandle<Self>, seat: WlSeat, what: Capability) {
        if self.device.is_none() {
            self.device = Some(self.manager.get_data_device(handle, &seat));
        }
        if what == Capability::Pointer {
            self.pointer = self.seats.get_pointer(handle, &seat).ok();
        }
    }

    fn remove_capability(&mut self, _: &Connection, _: &QueueHandle<Self>, _: WlSeat, _: Capability) {}

    fn remove_seat(&mut self, _: &Connection, _: &QueueHandle<Self>, _: WlSeat) {}
}

impl WindowHandler for Source {
    fn request_close(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &Window) {}

    fn configure(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &Window, _: WindowConfigure, _: u32) {
        if self.buffer.is_none() {
            self.draw();
            notify("open");
        }
    }
}

impl CompositorHandler for Source {
    fn scale_factor_changed(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlSurface, _: i32) {}

    fn transform_changed(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlSurface, _: Transform) {}

    fn frame(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlSurface, _: u32) {}

    fn surface_enter(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlSurface, _: &WlOutput) {}

    fn surface_leave(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlSurface, _: &WlOutput) {}
}

impl OutputHandler for Source {
    fn output_state(&mut self) -> &mut OutputState {
        &mut self.outputs
    }

    fn new_output(&mut self, _: &Connection, _: &QueueHandle<Self>, _: WlOutput) {}

    fn update_output(&mut self, _: &Connection, _: &QueueHandle<Self>, _: WlOutput) {}

    fn output_destroyed(&mut self, _: &Connection, _: &QueueHandle<Self>, _: WlOutput) {}
}

impl ShmHandler for Source {
    fn shm_state(&mut self) -> &mut Shm {
        &mut self.shm
    }
}

impl DataDeviceHandler for Source {
    fn enter(&mut self, _: &Connection, _: &QueueHandle<Self>, device: &WlDataDevice, _: f64, _: f64, _: &WlSurface) {
        let offer = device.data::<DataDeviceData>().unwrap().drag_offer().unwrap();
        let wanted = std::fs::read_to_string(self.folder.join("takes")).ok();
        offer.accept_mime_type(offer.serial, wanted.clone());
        if wanted.is_some() {
            offer.set_actions(DndAction::Copy, DndAction::Copy);
        }
        notify(&format!("offered {}", offer.with_mime_types(|types| types.join(", "))));
    }

    fn leave(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlDataDevice) {
        notify("left");
    }

    fn motion(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlDataDevice, _: f64, _: f64) {}

    fn selection(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &WlDataDevice) {}

    fn drop_performed(&mut self, connection: &Connection, _: &QueueHandle<Self>, device: &WlDataDevice) {
        let offer = device.data::<DataDeviceData>().unwrap().drag_offer().unwrap();
        let wanted = std::fs::read_to_string(self.folder.join("takes")).unwrap();
        let mut pipe = std::fs::File::from(OwnedFd::from(offer.receive(wanted.clone()).unwrap()));
        let (connection, taken) = (connection.clone(), self.folder.join("taken"));
        connection.flush().unwrap();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).unwrap();
            std::fs::write(taken, bytes).unwrap();
            offer.finish();
            offer.destroy();
            connection.flush().unwrap();
            notify(&format!("took {wanted}"));
        });
    }
}

impl DataOfferHandler for Source {
    fn source_actions(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &mut DragOffer, _: DndAction) {}

    fn selected_action(&mut self, _: &Connection, _: &QueueHandle<Self>, _: &mut DragOffer, _: DndAction) {}
}

impl ProvidesRegistryState for Source {
    registry_handlers![OutputState, SeatState];

    fn registry(&mut self) -> &mut RegistryState {
        &mut self.registry
    }
}

delegate_compositor!(Source);
delegate_data_device!(Source);
delegate_output!(Source);
delegate_pointer!(Source);
delegate_registry!(Source);
delegate_seat!(Source);
delegate_shm!(Source);
delegate_xdg_shell!(Source);
delegate_xdg_window!(Source);
