//! Common parts of source and target in XDND, the drag-and-drop protocol of X11: its atoms, and a hidden window on a
//! separate connection.

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, CreateWindowAux, Window, WindowClass};
use x11rb::rust_connection::RustConnection;

x11rb::atom_manager! {
    /// The protocol's atoms.
    pub Atoms: AtomsCookie {
        INCR,
        TARGETS,
        XdndActionCopy,
        XdndAware,
        XdndDrop,
        XdndEnter,
        XdndFinished,
        XdndLeave,
        XdndPosition,
        XdndProxy,
        XdndSelection,
        XdndStatus,
        XdndTypeList,
        List: b"text/uri-list",
        Link: b"text/x-moz-url",
        DropEven: b"_SONOBRUSH_DROP_EVEN",
        DropOdd: b"_SONOBRUSH_DROP_ODD",
    }
}

/// A connection to the X server, with a window that is never shown.
pub struct HiddenWindow {
    pub server: RustConnection,
    pub root: Window,
    pub window: Window,
    pub atoms: Atoms,
}

impl HiddenWindow {
    /// Connects and creates the window, with the attributes `aux`.
    ///
    /// # Errors
    /// Errors of the server.
    pub fn open(aux: &CreateWindowAux) -> Result<HiddenWindow, Box<dyn std::error::Error>> {
        let (server, screen) = x11rb::connect(None)?;
        let atoms = Atoms::new(&server)?.reply()?;
        let root = server.setup().roots[screen].root;
        let window = server.generate_id()?;
        let (depth, class) = (x11rb::COPY_DEPTH_FROM_PARENT, WindowClass::INPUT_OUTPUT);
        server.create_window(depth, window, root, -10, -10, 1, 1, 0, class, x11rb::COPY_FROM_PARENT, aux)?;
        Ok(HiddenWindow { server, root, window, atoms })
    }
}
