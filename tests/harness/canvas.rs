//! The canvas on a bench: drawn by wgpu without a window, driven by events, its jobs run when a test says so.

use crate::support::gpu::gpu;
use eframe::{egui_wgpu, wgpu};
use egui_kittest::Harness;
use image::RgbaImage;
use sonobrush::base::Error;
use sonobrush::document::{Edit, Snapshot};
use sonobrush::dsp::{Axis, StftParams};
use sonobrush::engine::Engine;
use sonobrush::gpu::Gpu;
use sonobrush::studio::canvas::Canvas;
use sonobrush::studio::canvas::{DrawReport, Gestures, PlaybackMarks, UPLOAD_BYTES_PER_FRAME};
use sonobrush::view::{CellStyle, Colormap, Picture, PictureSpec, Plane};
use sonobrush::workbench::Jobs;
use sonobrush::workbench::{ChannelView, LiveStrokes, OpenDocument, Panes, StrokeAct, Tools, View};
use std::sync::Arc;

pub use test_document::snapshots::{BUSY_RATE_HZ as RATE, busy as sound};

pub struct App {
    pub canvas: Canvas,
    pub painting: LiveStrokes,
    pub document: OpenDocument,
    pub tools: Tools,
    pub jobs: Jobs,
    /// An edit is being applied.
    pub busy: bool,
    pub finished: Vec<Edit>,
    pub last: Gestures,
    pub seen: DrawReport,
    /// Every notice so far.
    pub reported: Vec<String>,
    /// What computes.
    pub engine: Engine,
    /// What draws.
    pub device: wgpu::Device,
    /// Where something lies over the canvas.
    pub covered: Option<egui::Pos2>,
    /// What the player says.
    pub playback: PlaybackMarks,
    /// Notices that the CPU computes what the device cannot are expected.
    pub may_fail: bool,
}

impl App {
    /// Escape; false if nothing was being drawn.
    pub fn cancel_stroke(&mut self) -> bool {
        self.painting.act(StrokeAct::Cancel, &self.document, &self.engine);
        self.canvas.cancel_stroke()
    }

    /// A clone without a source, a noise that was not learnt and a missing file give notices; nothing else goes wrong.
    fn is_expected(&self, notice: &Error) -> bool {
        let of_the_hand = [
            "has no source yet",
            "no noise profile has been learnt yet",
            "profile is still being learnt",
            "is still being read",
        ];
        let is_said = |words: &&str| notice.message().contains(*words);
        of_the_hand.iter().any(is_said) || self.may_fail && is_said(&"is computed on the CPU")
    }
}

impl eframe::App for App {
    fn logic(&mut self, _: &egui::Context, _: &mut eframe::Frame) {
        self.painting.follow(Some(&self.document));
        if !self.busy {
            self.painting.forget_pending();
        }
        let (shown, fault) = self.painting.take_shown(UPLOAD_BYTES_PER_FRAME, &self.jobs);
        if let Some(fault) = fault {
            assert!(self.is_expected(&fault), "{fault:?}");
            self.reported.push(fault.message().to_owned());
        }
        self.canvas.logic(Some(&self.document), shown, self.painting.is_at_rest());
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        egui::CentralPanel::no_frame().show(ui, |ui| {
            let mut gestures = self.canvas.input(ui, &self.document, &self.tools);
            if let Some(view) = gestures.view.take() {
                self.document.change_view(|shown| *shown = view);
            }
            for act in gestures.strokes.drain(..) {
                if let Some(edit) = self.painting.act(act, &self.document, &self.engine) {
                    self.busy = true;
                    self.finished.push(edit);
                }
            }
            if let Some(selection) = gestures.selection.take() {
                self.document.select(selection);
            }
            if let Some(secs) = gestures.cursor_secs {
                self.document.set_cursor(secs);
            }
            let mut seen = self.canvas.draw(ui, &self.document, &self.tools, self.playback);
            if let Some(view) = seen.view.take() {
                self.document.change_view(|shown| *shown = view);
            }
            for notice in gestures.notice.iter().chain(&seen.notice) {
                assert!(self.is_expected(notice), "{notice:?}");
                self.reported.push(notice.message().to_owned());
            }
            (self.last, self.seen) = (gestures, seen);
        });
        if let Some(at) = self.covered {
            let area = egui::Area::new(egui::Id::unique("notice")).fixed_pos(at - egui::vec2(60.0, 20.0));
            area.show(ui.ctx(), |ui| ui.allocate_response(egui::vec2(120.0, 40.0), egui::Sense::click()));
        }
    }
}

/// A missing adapter is a visible skip, and a failure where one is required.
pub fn has_gpu() -> bool {
    gpu().is_some()
}

pub fn harness(snapshot: Snapshot) -> Harness<'static, App> {
    harness_on(snapshot, false)
}

/// With the GPU engine, or the CPU's.
pub fn harness_on(snapshot: Snapshot, on_gpu: bool) -> Harness<'static, App> {
    harness_of(snapshot, on_gpu, [640.0, 400.0], 1.0)
}

/// A harness of a size in points, at `scale` pixels per point.
pub fn harness_of(snapshot: Snapshot, on_gpu: bool, size: [f32; 2], scale: f32) -> Harness<'static, App> {
    let egui_wgpu::WgpuSetup::CreateNew(mut setup) = egui_kittest::wgpu::default_wgpu_setup() else { unreachable!() };
    setup.device_descriptor = Arc::new(|adapter: &wgpu::Adapter| wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    });
    let builder =
        Harness::builder().with_size(size).with_pixels_per_point(scale).with_render_cursor(false).with_max_steps(64);
    builder.wgpu_setup(setup.into()).build_eframe(move |creation| {
        sonobrush::studio::widgets::theme::install(&creation.egui_ctx);
        let state = creation.wgpu_render_state.clone().unwrap();
        let gpu = Gpu::shared(&state.adapter, &state.device, &state.queue);
        let engine = if on_gpu { Engine::on(gpu.clone()) } else { Engine::cpu() };
        let jobs = Jobs::manual();
        let canvas = Canvas::new(gpu.clone(), state.target_format, engine.clone(), jobs.clone(), None).unwrap();
        let mut document = open(snapshot);
        document
            .change_view(|view| view.transform = StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into());
        App {
            canvas,
            painting: LiveStrokes::default(),
            document,
            tools: Tools::default(),
            jobs,
            busy: false,
            finished: Vec::new(),
            last: Gestures::default(),
            seen: DrawReport::default(),
            reported: Vec::new(),
            engine,
            device: state.device.clone(),
            covered: None,
            playback: PlaybackMarks::default(),
            may_fail: false,
        }
    })
}

pub fn open(snapshot: Snapshot) -> OpenDocument {
    let duration_secs = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
    let view = View {
        secs: [0.0, duration_secs],
        hz: [20.0, f64::from(RATE) / 2.0],
        axis: Axis::Log,
        panes: Panes::Magnitude,
        channels: ChannelView::All,
        transform: StftParams::default().into(),
        colormap: Colormap::Viridis,
        range_db: [-100.0, 0.0],
        ..View::of(&snapshot)
    };
    let mut document = OpenDocument::new(None, snapshot);
    document.change_view(|shown| *shown = view);
    document
}

/// Runs frames and jobs until the canvas shows everything.
pub fn settle(harness: &mut Harness<'static, App>) {
    for _ in 0..200 {
        harness.step();
        let n_run = harness.state().jobs.run_until_idle();
        if n_run == 0 && harness.state().canvas.is_settled() && harness.state().painting.is_up_to_date() {
            return;
        }
    }
    panic!("the canvas does not settle");
}

pub fn spec(app: &App, plane: Plane, size: [usize; 2]) -> PictureSpec {
    let view = app.document.view();
    PictureSpec {
        secs: view.secs,
        hz: view.hz,
        axis: view.axis,
        transform: view.transform.clone(),
        channels: view.channels,
        plane,
        colormap: view.colormap,
        range_db: view.range_db,
        raw_phase: view.raw_phase,
        cells: CellStyle::new(view.smooth, 1.0),
        size,
    }
}

/// The pixels of a rectangle of the window, which is given in points, at `scale` pixels per point.
pub fn crop_at(image: &RgbaImage, rect: egui::Rect, scale: f32) -> Picture {
    let [left, top] = [rect.left(), rect.top()].map(|points| (points * scale).round() as u32);
    let size = [rect.width(), rect.height()].map(|points| (points * scale).round() as usize);
    let mut rgb = Vec::new();
    for y in 0..size[1] as u32 {
        for x in 0..size[0] as u32 {
            rgb.extend_from_slice(&image.get_pixel(left + x, top + y).0[..3]);
        }
    }
    Picture { size, rgb }
}

/// The pixels of a rectangle of the window.
pub fn crop(image: &RgbaImage, rect: egui::Rect) -> Picture {
    crop_at(image, rect, 1.0)
}

/// Pixels whose colours differ by more than `tolerance`, leaving out the columns near the cursor line.
pub fn differing(a: &Picture, b: &Picture, tolerance: u8) -> usize {
    assert_eq!(a.size, b.size);
    let pixels = (0..a.size[1]).flat_map(|y| (4..a.size[0]).map(move |x| (x, y)));
    pixels.filter(|&(x, y)| a.at(x, y).iter().zip(b.at(x, y)).any(|(a, b)| a.abs_diff(b) > tolerance)).count()
}

pub fn button(pos: egui::Pos2, pressed: bool) -> egui::Event {
    egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers: egui::Modifiers::NONE }
}

/// From press to release, with keys held.
pub fn drag(places: &[egui::Pos2], which: egui::PointerButton, modifiers: egui::Modifiers) -> Vec<egui::Event> {
    let press = |pos, pressed| egui::Event::PointerButton { pos, button: which, pressed, modifiers };
    let mut events = vec![egui::Event::PointerMoved(places[0]), press(places[0], true)];
    events.extend(places[1..].iter().map(|&at| egui::Event::PointerMoved(at)));
    events.push(press(places[places.len() - 1], false));
    events
}

pub fn send(harness: &mut Harness<'static, App>, events: &[egui::Event]) {
    for event in events {
        harness.event(event.clone());
    }
    harness.step();
}

pub fn pixels(harness: &mut Harness<'static, App>) -> Picture {
    let rect = harness.state().canvas.rects().unwrap().picture;
    crop(&harness.render().unwrap(), rect)
}

/// Moves the pointer away, so that no mark of it is on the picture.
pub fn leave(harness: &mut Harness<'static, App>) {
    harness.event(egui::Event::PointerGone);
    settle(harness);
}

/// Colours of neighbouring table entries differ by a few steps.
pub const COLOUR_STEP: u8 = 8;

/// A wave of pointer places across the middle of the picture.
pub fn wave(harness: &Harness<'static, App>) -> Vec<egui::Pos2> {
    let rect = harness.state().canvas.rects().unwrap().picture;
    let place = |i: usize| {
        let x = rect.left() + 100.0 + i as f32 * 7.0;
        egui::pos2(x, rect.center().y + 30.0 * (x / 40.0).sin())
    };
    (0..30).map(place).collect()
}

pub fn down_and_along(places: &[egui::Pos2]) -> Vec<egui::Event> {
    let first = [egui::Event::PointerMoved(places[0]), button(places[0], true)];
    first.into_iter().chain(places[1..].iter().map(|&at| egui::Event::PointerMoved(at))).collect()
}

/// The pixels of `rect`.
pub fn part(harness: &mut Harness<'static, App>, rect: egui::Rect) -> Picture {
    crop(&harness.render().unwrap(), rect)
}
