//! The system's audio through cpal: first its PulseAudio host (which PipeWire also serves), then ALSA.

use super::callback::{Callback, CallbackMeter};
use super::devices::{audio_hosts, find_device, outputs_of};
use super::format::OutputFormat;
use super::output::{AudioOutput, OpenOutput, OutputLister};
use super::watch::CallbackTimeouts;
use crate::base::{Error, ErrorKind, Result};
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, FromSample, SampleFormat, SizedSample, SupportedStreamConfig};
use std::sync::Arc;
use std::time::Duration;

/// Time without a callback after which a device counts as dead.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Frames converted at a time for devices without float support.
const CONVERTED_FRAMES: usize = 1024;

/// The system's audio output, on the device with this name (a part is enough), or on the default device if `None`.
pub fn system_output(device: Option<&str>, buffer_frames: u32) -> Box<dyn AudioOutput> {
    Box::new(SystemOutput { device: device.map(str::to_owned), buffer_frames })
}

/// The names of the outputs of the first host with a usable default device.
pub fn output_devices() -> Vec<String> {
    let Some(host) = audio_hosts().into_iter().find(|host| usable_default(host).is_some()) else { return Vec::new() };
    outputs_of(&host).into_iter().map(|output| output.name).collect()
}

struct SystemOutput {
    device: Option<String>,
    buffer_frames: u32,
}

/// The host's default device with its configuration. `None` if there is no configuration: hosts also list devices that
/// cannot be opened.
fn usable_default(host: &cpal::Host) -> Option<(cpal::Device, SupportedStreamConfig)> {
    let device = host.default_output_device()?;
    let config = device.default_output_config().ok()?;
    Some((device, config))
}

impl SystemOutput {
    fn find(&self) -> Result<(cpal::Device, SupportedStreamConfig)> {
        let hosts = audio_hosts();
        if let Some(wanted) = &self.device {
            for host in &hosts {
                let found = find_device(outputs_of(host), wanted);
                if let Some((device, config)) = found.and_then(|d| d.default_output_config().ok().map(|c| (d, c))) {
                    return Ok((device, config));
                }
            }
            tracing::warn!(device = wanted, "the chosen sound device is not there; taking the default");
        }
        hosts
            .iter()
            .find_map(usable_default)
            .ok_or_else(|| Error::new(ErrorKind::Audio, "no sound device found; press Play to try again"))
    }
}

/// The device's default configuration, at `rate_hz` if supported.
fn config_at(device: &cpal::Device, own: &SupportedStreamConfig, rate_hz: f64) -> SupportedStreamConfig {
    let rate = rate_hz.round() as u32;
    if own.sample_rate() == rate || f64::from(rate) != rate_hz {
        return *own;
    }
    let Ok(ranges) = device.supported_output_configs() else { return *own };
    let usable = ranges.filter(|range| range.channels() == own.channels() && range.contains_rate(rate));
    // Prefer floats, which need no conversion.
    let best = usable.min_by_key(|range| match range.sample_format() {
        SampleFormat::F32 => 0,
        SampleFormat::I32 => 1,
        SampleFormat::I16 => 2,
        _ => 3,
    });
    best.and_then(|range| range.try_with_sample_rate(rate)).unwrap_or(*own)
}

impl AudioOutput for SystemOutput {
    fn lister(&self) -> OutputLister {
        Arc::new(output_devices)
    }

    fn choose(&mut self, device: Option<String>, buffer_frames: u32) {
        (self.device, self.buffer_frames) = (device, buffer_frames);
    }

    fn open(&mut self, rate_hz: f64, make: &mut dyn FnMut(OutputFormat) -> Callback) -> Result<OpenOutput> {
        let (device, own) = self.find()?;
        let at_file_rate = config_at(&device, &own, rate_hz);
        let mut attempts = Vec::new();
        for config in [at_file_rate, own] {
            for buffer in [Some(self.buffer_frames), None] {
                attempts.push((config, buffer));
            }
        }
        let mut why = None;
        for (config, buffer_frames) in attempts {
            let format = OutputFormat {
                rate_hz: f64::from(config.sample_rate()),
                n_channels: usize::from(config.channels()),
                buffer_frames,
            };
            match start(&device, &config, format, make(format)) {
                Ok(stream) => {
                    // A buffer size chosen by the server may be 2 s.
                    let next = if buffer_frames.is_some() { TIMEOUT } else { CallbackTimeouts::STARTUP_TIMEOUT };
                    let timeouts = Some(CallbackTimeouts { first: CallbackTimeouts::STARTUP_TIMEOUT, next });
                    return Ok(OpenOutput { format, timeouts, stream: Box::new(stream) });
                }
                Err(error) => {
                    tracing::info!(?format, %error, "the sound device refused");
                    why.get_or_insert(error);
                }
            }
        }
        let reason = why.map_or_else(String::new, |error| format!(": {error}"));
        let reason = reason.trim_end_matches('.').to_owned();
        Err(Error::new(ErrorKind::Audio, format!("the sound device could not be opened{reason}")))
    }
}

fn start(
    device: &cpal::Device,
    config: &SupportedStreamConfig,
    format: OutputFormat,
    callback: Callback,
) -> std::result::Result<cpal::Stream, cpal::Error> {
    let mut stream_config = config.config();
    stream_config.buffer_size = format.buffer_frames.map_or(BufferSize::Default, BufferSize::Fixed);
    let stream = match config.sample_format() {
        SampleFormat::F32 => {
            let mut callback = callback;
            let meter = callback.meter();
            device.build_output_stream(
                stream_config,
                move |out: &mut [f32], info: &cpal::OutputCallbackInfo| callback.run(out, until_heard(info)),
                move |error| on_error(&meter, &error),
                None,
            )
        }
        SampleFormat::F64 => converted::<f64>(device, stream_config, format, callback),
        SampleFormat::I32 => converted::<i32>(device, stream_config, format, callback),
        SampleFormat::I16 => converted::<i16>(device, stream_config, format, callback),
        SampleFormat::U16 => converted::<u16>(device, stream_config, format, callback),
        SampleFormat::I8 => converted::<i8>(device, stream_config, format, callback),
        SampleFormat::U8 => converted::<u8>(device, stream_config, format, callback),
        _ => Err(cpal::Error::new(cpal::ErrorKind::UnsupportedConfig)),
    }?;
    stream.play()?;
    Ok(stream)
}

fn converted<T: SizedSample + FromSample<f32>>(
    device: &cpal::Device,
    stream_config: cpal::StreamConfig,
    format: OutputFormat,
    mut callback: Callback,
) -> std::result::Result<cpal::Stream, cpal::Error> {
    let meter = callback.meter();
    let mut floats = vec![0.0; CONVERTED_FRAMES * format.n_channels];
    device.build_output_stream(
        stream_config,
        move |out: &mut [T], info: &cpal::OutputCallbackInfo| {
            let mut until = until_heard(info);
            for piece in out.chunks_mut(floats.len()) {
                let floats = &mut floats[..piece.len()];
                callback.run(floats, until);
                piece.iter_mut().zip(&*floats).for_each(|(out, &sample)| *out = T::from_sample(sample));
                let n_frames = piece.len() / format.n_channels;
                until += Duration::from_secs_f64(n_frames as f64 / format.rate_hz);
            }
        },
        move |error| on_error(&meter, &error),
        None,
    )
}

fn until_heard(info: &cpal::OutputCallbackInfo) -> Duration {
    let at = info.timestamp();
    at.playback.saturating_duration_since(at.callback)
}

/// The device's error callback, which may be called hundreds of thousands of times a second. ALSA's plug-in for
/// PulseAudio reports errors while its delay is unknown, at the start and when its stream is moved to another device,
/// and then recovers.
fn on_error(meter: &Arc<CallbackMeter>, error: &cpal::Error) {
    use cpal::ErrorKind::{DeviceChanged, RealtimeDenied, Xrun};
    match error.kind() {
        DeviceChanged | RealtimeDenied => {}
        Xrun => meter.report_restart(),
        cpal::ErrorKind::DeviceNotAvailable => meter.report_broken(1),
        cpal::ErrorKind::StreamInvalidated => meter.report_broken(2),
        _ => meter.report_trouble(),
    }
}
