//! Icons of Lucide by name; the bundled font holds these and a few for later.

macro_rules! icons {
    ($($name:ident = $code:literal),* $(,)?) => {
        $(#[doc = concat!("`", stringify!($name), "`")] pub const $name: char = $code;)*
        /// All of them.
        pub const ALL: &[char] = &[$($name),*];
    };
}

icons! {
    ALIGN_HORIZONTAL_SPACE_AROUND = '\u{e275}',
    SQUARE_DASHED = '\u{e1cb}',
    VOLUME_2 = '\u{e1ab}',
    ERASER = '\u{e28f}',
    DROPLET = '\u{e0b4}',
    FUNNEL = '\u{e0dc}',
    WAVES_HORIZONTAL = '\u{e283}',
    TORNADO = '\u{e218}',
    STAMP = '\u{e3bb}',
    POINTER = '\u{e1e8}',
    PENCIL = '\u{e1f9}',
    TRIANGLE = '\u{e192}',
    HAND = '\u{e1d7}',
    ZOOM_IN = '\u{e1b6}',
    PLAY = '\u{e13c}',
    PAUSE = '\u{e12e}',
    SQUARE = '\u{e167}',
    SKIP_BACK = '\u{e15f}',
    SKIP_FORWARD = '\u{e160}',
    REPEAT = '\u{e146}',
    SQUARE_SPLIT_HORIZONTAL = '\u{e3b6}',
    LOCK = '\u{e10b}',
    LOCK_OPEN = '\u{e10c}',
    SEARCH = '\u{e151}',
    X = '\u{e1b2}',
    CHEVRON_DOWN = '\u{e06d}',
    CHEVRON_RIGHT = '\u{e06f}',
    ELLIPSIS = '\u{e0b6}',
    CHECK = '\u{e06c}',
    LOADER = '\u{e109}',
    TRIANGLE_ALERT = '\u{e193}',
    CIRCLE_ALERT = '\u{e077}',
    INFO = '\u{e0f9}',
    ROTATE_CCW = '\u{e148}',
    FOLDER_OPEN = '\u{e247}',
    FILE_AUDIO = '\u{e31a}',
    DOWNLOAD = '\u{e0b2}',
    PANEL_RIGHT = '\u{e431}',
    SUN = '\u{e178}',
    MOON = '\u{e11e}',
    MAXIMIZE = '\u{e112}',
    UNDO_2 = '\u{e2a1}',
    REDO_2 = '\u{e2a0}',
    KEYBOARD = '\u{e284}',
    AUDIO_WAVEFORM = '\u{e55b}',
    AUDIO_LINES = '\u{e55a}',
    EYE = '\u{e0ba}',
    HISTORY = '\u{e1f5}',
}
