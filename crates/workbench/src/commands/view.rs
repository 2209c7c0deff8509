//! Commands of the view: zoom, scroll, panes and displayed channels.

use super::Code::{Down, F, Left, PageDown, PageUp, Right, Up};
use super::Need::{self, Channel, Document, Selection, SeveralChannels, Stereo, WholeSound};
use super::table::icons;
use super::table::key::{ctrl, key, plain, shift};
use super::table::row::rows;
use super::{ChannelView, Menu, Panes};
use crate::dsp::Axis;
use crate::view::Colormap;

/// A command that changes the view of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum ViewCommand {
    ZoomAll,
    ZoomSelection,
    ZoomInTime,
    ZoomOutTime,
    ZoomInFrequency,
    ZoomOutFrequency,
    ZoomAllFrequency,
    ScrollEarlier,
    ScrollLater,
    ScrollUp,
    ScrollDown,
    Panes(Panes),
    NextPanes,
    RawPhase,
    SmoothCells,
    PitchLine,
    /// The channel to show; menus list the first two, panels all channels of the file.
    Channels(ChannelView),
    Stacked,
    NextChannels,
    Axis(Axis),
    NextAxis,
    LongerFrames,
    ShorterFrames,
    /// Base-2 logarithm of the FFT size, 6 to 15.
    FftSize(u8),
    Colormap(Colormap),
    NextColormap,
    LockRange,
    ResetRange,
    Waveform,
    TimeOfDay,
}

/// Tooltip of all frame sizes.
const FFT_SIZE: &str = "Shows the spectrogram with frames of this many samples.";

rows! { ViewCommand:
    ZOOM in (Menu::View, "Zoom") {
        ZoomAll => row("zoom_all", "Whole file", "Shows the whole file.", &[Document])
            .keys(&[ctrl('0')]).icon(icons::MAXIMIZE),
        ZoomSelection => row("zoom_selection", "Zoom to selection",
            "Fits the selection to the view.", &[Document, Selection]).keys(&[key('Z')]),
        ZoomInTime => row("zoom_in_time", "Zoom in horizontally", "Halves the visible time.", &[Document])
            .keys(&[key('+'), key('=')]).icon(icons::ZOOM_IN).repeats(),
        ZoomOutTime => row("zoom_out_time", "Zoom out horizontally", "Doubles the visible time.", &[Document])
            .keys(&[key('-')]).repeats(),
        ZoomInFrequency => row("zoom_in_frequency", "Zoom in vertically", "Halves the visible frequency \
                                                                           range.", &[Document])
            .keys(&[ctrl('+'), ctrl('=')]).repeats(),
        ZoomOutFrequency => row("zoom_out_frequency", "Zoom out vertically", "Doubles the visible frequency \
                                                                              range.", &[Document])
            .keys(&[ctrl('-')]).repeats(),
        ZoomAllFrequency => row("zoom_all_frequency", "All frequencies",
            "Shows the full range of the axis.", &[Document]).keys(&[ctrl('9')]),
    }
    SCROLL in (Menu::View, "Scroll") {
        ScrollEarlier => row("scroll_earlier", "Scroll back", "Scrolls back by an eighth of the view.", &[Document])
            .keys(&[plain(PageUp), plain(Left)]).repeats(),
        ScrollLater => row("scroll_later", "Scroll forward", "Scrolls forward by an eighth of the view.", &[Document])
            .keys(&[plain(PageDown), plain(Right)]).repeats(),
        ScrollUp => row("scroll_up", "Scroll up", "Scrolls up by an eighth of the \
                                                   view.", &[Document]).keys(&[plain(Up)]).repeats(),
        ScrollDown => row("scroll_down", "Scroll down", "Scrolls down by an eighth of the \
                                                         view.", &[Document]).keys(&[plain(Down)]).repeats(),
    }
    SHOW in (Menu::View, "Display") {
        Panes(Panes::Magnitude) => row("panes_magnitude", "Magnitude", "Shows the level of each cell.", &[Document])
            .keys(&[plain(F(5))]),
        Panes(Panes::Phase) => row("panes_phase", "Phase", "Shows the phase of each cell.", &[Document])
            .keys(&[plain(F(6))]),
        Panes(Panes::Both) => row("panes_both", "Magnitude and phase", "Shows magnitude above phase; you can paint on \
                                                                        both.", &[Document])
            .keys(&[plain(F(7))]),
        NextPanes => row("panes_next", "Next display", "Cycles through magnitude, phase and \
                                                        both.", &[Document]).keys(&[key('P')]),
        RawPhase => row("phase_raw", "Raw phase",
            "Shows the unmodified phase; off, each bin's phase advance is subtracted, so that steady tones keep one \
             colour.",
            &[Document]),
        PitchLine => row("pitch_line", "Pitch line",
            "Draws the pitch over the picture where the sound has one.", &[Document, WholeSound]),
        SmoothCells => row("smooth_cells", "Smooth cells",
            "Blends levels between the centres of large cells; off, each cell has one colour.", &[Document]).keys(&[shift('B')]),
    }
    TIME in (Menu::View, "Display") {
        TimeOfDay => row("time_of_day", "Time of day",
            "Shows on the ruler when the sound was recorded, where a broadcast WAV file says so.",
            &[Document, Need::TimeOfDay]),
    }
    CHANNELS in (Menu::View, "Channels") {
        Channels(ChannelView::All) => row("channels_all", "All channels",
            "Shows the louder channel per cell; strokes affect all channels.", &[Document]),
        Channels(ChannelView::One(0)) => row("channels_1", "Left channel",
            "Shows the first channel; strokes affect only it.", &[Document, Channel(0)]),
        Channels(ChannelView::One(1)) | Channels(ChannelView::One(2..)) => row("channels_2", "Right channel",
            "Shows the second channel; strokes affect only it.", &[Document, Channel(1)]),
        Channels(ChannelView::Mid) => row("channels_mid", "Mid",
            "Shows half the sum of left and right; strokes affect only it.", &[Document, Stereo]),
        Channels(ChannelView::Side) => row("channels_side", "Side",
            "Shows half of left minus right; strokes affect only it.", &[Document, Stereo]),
        Stacked => row("channels_stacked", "Stacked channels",
            "Shows each channel in its own pane; strokes affect the one you paint on.",
            &[Document, SeveralChannels]),
        NextChannels => row("channels_next", "Next channels", "Cycles through all, each channel, then mid and \
                                                               side.", &[Document])
            .keys(&[shift('A')]),
    }
    AXIS in (Menu::View, "Axis") {
        Axis(Axis::Linear) => row("axis_linear", "Linear axis", "Spaces frequencies evenly in hertz.", &[Document]),
        Axis(Axis::Log) => row("axis_log", "Log axis", "Spaces musical intervals evenly.", &[Document]),
        Axis(Axis::Mel) => row("axis_mel", "Mel axis", "Spaces perceived pitch evenly.", &[Document]),
        Axis(Axis::Bark) => row("axis_bark", "Bark axis", "Spaces critical bands evenly.", &[Document]),
        NextAxis => row("axis_next", "Next axis", "Cycles through linear, log, mel and \
                                                   bark.", &[Document]).keys(&[key('A')]),
    }
    FRAMES in (Menu::View, "FFT size") {
        LongerFrames => row("frames_longer", "Larger FFT size", "Doubles the FFT size: finer in frequency, coarser in \
                                                                 time.", &[Document])
            .keys(&[key('.')]),
        ShorterFrames => row("frames_shorter", "Smaller FFT size", "Halves the FFT size: finer in time, coarser in \
                                                                    frequency.", &[Document])
            .keys(&[key(',')]),
    }
    FFT_SIZES in (Menu::View, "FFT size") {
        FftSize(6) | FftSize(0..6) => row("fft_size_64", "FFT size 64", FFT_SIZE, &[Document]),
        FftSize(7) => row("fft_size_128", "FFT size 128", FFT_SIZE, &[Document]),
        FftSize(8) => row("fft_size_256", "FFT size 256", FFT_SIZE, &[Document]),
        FftSize(9) => row("fft_size_512", "FFT size 512", FFT_SIZE, &[Document]),
        FftSize(10) => row("fft_size_1024", "FFT size 1024", FFT_SIZE, &[Document]),
        FftSize(11) => row("fft_size_2048", "FFT size 2048", FFT_SIZE, &[Document]),
        FftSize(12) => row("fft_size_4096", "FFT size 4096", FFT_SIZE, &[Document]),
        FftSize(13) => row("fft_size_8192", "FFT size 8192", FFT_SIZE, &[Document]),
        FftSize(14) => row("fft_size_16384", "FFT size 16384", FFT_SIZE, &[Document]),
        FftSize(15) | FftSize(16..) => row("fft_size_32768", "FFT size 32768", FFT_SIZE, &[Document]),
    }
    COLOURS in (Menu::View, "Colours") {
        Colormap(Colormap::Viridis) => row("colours_viridis", "Viridis", "Dark blue to yellow.", &[Document]),
        Colormap(Colormap::Magma) => row("colours_magma", "Magma", "Black to pale yellow through purple.", &[Document]),
        Colormap(Colormap::Inferno) => row("colours_inferno", "Inferno",
            "Black to pale yellow through red.", &[Document]),
        Colormap(Colormap::Cividis) => row("colours_cividis", "Cividis",
            "Blue to yellow, for colour blindness.", &[Document]),
        Colormap(Colormap::Grey) => row("colours_grey", "Grey", "Black to white.", &[Document]),
        NextColormap => row("colours_next", "Next colour map", "Cycles through the colour \
                                                                maps.", &[Document]).keys(&[key('C')]),
        LockRange => row("range_lock", "Lock range",
            "Keeps the colour range fixed; unlocked, it follows the visible levels.", &[Document])
            .icon(icons::LOCK),
    }
    USUAL_RANGE in (Menu::View, "Colours") {
        ResetRange => row("range_reset", "Default range",
            "Sets the colour range to \u{2212}100 to 0 dB and locks it.", &[Document]),
    }
    WAVEFORM in (Menu::View, "Display") {
        Waveform => row("waveform", "Waveform",
            "Shows or hides the waveform over the spectrogram; set its opacity in the View panel.", &[Document])
            .keys(&[shift('W')]).icon(icons::AUDIO_WAVEFORM),
    }
}
