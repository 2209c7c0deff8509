//! The system's inputs through cpal, on the hosts that playback uses.

use super::callback::{InputCallback, InputMeter};
use super::format::{InputFormat, InputRequest};
use super::input::{AudioInput, InputLister, OpenInput};
use super::input_clock::InputMoment;
use crate::base::{Error, ErrorKind, Result, khz_from_hz};
use crate::media::MAX_CHANNELS;
use crate::playback::{CallbackTimeouts, audio_hosts, find_device, inputs_of};
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, FromSample, SampleFormat, SizedSample, SupportedStreamConfig};
use std::sync::Arc;
use std::time::Duration;

/// Time without a callback after which a device counts as dead.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The requested buffer size in seconds. By default, servers may buffer seconds of audio, which are lost if the process
/// is killed. With a short buffer, PulseAudio drops audio while the machine is busy, since its queue holds only one
/// fragment.
const BUFFER_SECS: f64 = 0.4;
/// Frames converted at a time for devices without float support.
const CONVERTED_FRAMES: usize = 1024;

/// The system's audio input; each request selects a device.
pub fn system_input() -> Box<dyn AudioInput> {
    Box::new(SystemInput)
}

/// The names of the usable inputs of the first host that has any, including monitors of outputs if the system offers
/// them.
pub fn input_devices() -> Vec<String> {
    for host in audio_hosts() {
        let usable = inputs_of(&host).into_iter().filter(|input| input.device.default_input_config().is_ok());
        let names: Vec<String> = usable.map(|input| input.name).collect();
        if !names.is_empty() {
            return names;
        }
    }
    Vec::new()
}

struct SystemInput;

fn with_config(device: cpal::Device) -> Option<(cpal::Device, SupportedStreamConfig)> {
    let config = device.default_input_config().ok()?;
    Some((device, config))
}

/// Finds the device with this name, or with a name that contains it; the default device if `None`.
fn find(wanted: Option<&str>) -> Result<(cpal::Device, SupportedStreamConfig)> {
    let hosts = audio_hosts();
    let Some(wanted) = wanted else {
        return hosts
            .iter()
            .find_map(|host| host.default_input_device().and_then(with_config))
            .ok_or_else(|| Error::new(ErrorKind::Audio, "no input found; connect one, then try again"));
    };
    let found = hosts.iter().find_map(|host| find_device(inputs_of(host), wanted).and_then(with_config));
    found.ok_or_else(|| {
        let what = format!("the input {wanted} was not found; connect it, or choose another (see sonobrush devices)");
        Error::new(ErrorKind::Audio, what)
    })
}

/// The device's configuration with its own number of channels, at the requested rate, preferably with floats.
fn config_at(
    device: &cpal::Device,
    own: &SupportedStreamConfig,
    request: &InputRequest,
) -> Result<SupportedStreamConfig> {
    let rate_hz = request.rate_hz.unwrap_or(own.sample_rate());
    let n_channels = own.channels();
    let ranges = device.supported_input_configs().into_iter().flatten();
    let usable = ranges.filter(|range| range.channels() == n_channels && range.contains_rate(rate_hz));
    let best = usable.min_by_key(|range| match range.sample_format() {
        SampleFormat::F32 => 0,
        SampleFormat::I32 => 1,
        SampleFormat::I24 => 2,
        SampleFormat::I16 => 3,
        _ => 4,
    });
    match best.and_then(|range| range.try_with_sample_rate(rate_hz)) {
        Some(config) => Ok(config),
        None if rate_hz == own.sample_rate() => Ok(*own),
        None => {
            let [wanted, offered] = [rate_hz, own.sample_rate()].map(|hz| khz_from_hz(f64::from(hz)));
            let what = format!("the input does not record at {wanted}; choose {offered}");
            Err(Error::new(ErrorKind::Audio, what))
        }
    }
}

impl AudioInput for SystemInput {
    fn lister(&self) -> InputLister {
        Arc::new(input_devices)
    }

    fn open(
        &mut self,
        request: &InputRequest,
        make: &mut dyn FnMut(InputFormat) -> InputCallback,
    ) -> Result<OpenInput> {
        let (device, own) = find(request.device.as_deref())?;
        let config = config_at(&device, &own, request)?;
        let n_device_channels = usize::from(config.channels()).max(1);
        let n_channels = request.n_channels.unwrap_or(n_device_channels).clamp(1, n_device_channels.min(MAX_CHANNELS));
        let format = InputFormat { rate_hz: config.sample_rate(), n_device_channels, n_channels };
        let mut why = None;
        let buffer_frames = (BUFFER_SECS * f64::from(format.rate_hz)) as u32;
        for buffer_size in [BufferSize::Fixed(buffer_frames), BufferSize::Default] {
            match start(&device, &config, buffer_size, format, make(format)) {
                Ok(stream) => {
                    let is_ours = buffer_size != BufferSize::Default;
                    // The server may choose a buffer of 2 s, so callbacks may be that far apart.
                    let next = if is_ours { TIMEOUT } else { CallbackTimeouts::STARTUP_TIMEOUT };
                    let timeouts = Some(CallbackTimeouts { first: CallbackTimeouts::STARTUP_TIMEOUT, next });
                    return Ok(OpenInput { format, timeouts, stream: Box::new(stream) });
                }
                Err(error) => {
                    tracing::info!(?format, %error, "the input refused");
                    why.get_or_insert(error);
                }
            }
        }
        let reason = why.map_or_else(String::new, |error| format!(": {error}"));
        let what = format!("the input could not be opened{}", reason.trim_end_matches('.'));
        Err(Error::new(ErrorKind::Audio, what))
    }
}

fn start(
    device: &cpal::Device,
    config: &SupportedStreamConfig,
    buffer_size: BufferSize,
    format: InputFormat,
    callback: InputCallback,
) -> std::result::Result<cpal::Stream, cpal::Error> {
    let mut stream_config = config.config();
    stream_config.buffer_size = buffer_size;
    let stream = match config.sample_format() {
        SampleFormat::F32 => {
            let mut callback = callback;
            let meter = callback.meter();
            device.build_input_stream(
                stream_config,
                move |frames: &[f32], info: &cpal::InputCallbackInfo| {
                    callback.run(frames);
                    callback.note(moment(info));
                },
                move |error| on_error(&meter, &error),
                None,
            )
        }
        SampleFormat::F64 => converted::<f64>(device, stream_config, format, callback),
        SampleFormat::I32 => converted::<i32>(device, stream_config, format, callback),
        SampleFormat::I24 => converted::<cpal::I24>(device, stream_config, format, callback),
        SampleFormat::I16 => converted::<i16>(device, stream_config, format, callback),
        SampleFormat::U16 => converted::<u16>(device, stream_config, format, callback),
        SampleFormat::I8 => converted::<i8>(device, stream_config, format, callback),
        SampleFormat::U8 => converted::<u8>(device, stream_config, format, callback),
        _ => Err(cpal::Error::new(cpal::ErrorKind::UnsupportedConfig)),
    }?;
    stream.play()?;
    Ok(stream)
}

fn converted<T: SizedSample>(
    device: &cpal::Device,
    stream_config: cpal::StreamConfig,
    format: InputFormat,
    mut callback: InputCallback,
) -> std::result::Result<cpal::Stream, cpal::Error>
where
    f32: FromSample<T>,
{
    let meter = callback.meter();
    let mut floats = vec![0.0f32; CONVERTED_FRAMES * format.n_device_channels];
    device.build_input_stream(
        stream_config,
        move |frames: &[T], info: &cpal::InputCallbackInfo| {
            for piece in frames.chunks(floats.len()) {
                let floats = &mut floats[..piece.len()];
                floats.iter_mut().zip(piece).for_each(|(out, &sample)| *out = f32::from_sample_(sample));
                callback.run(floats);
            }
            callback.note(moment(info));
        },
        move |error| on_error(&meter, &error),
        None,
    )
}

fn moment(info: &cpal::InputCallbackInfo) -> InputMoment {
    let secs = |instant: cpal::StreamInstant| instant.as_nanos() as f64 * 1e-9;
    let timestamp = info.timestamp();
    InputMoment { called_secs: secs(timestamp.callback), captured_secs: secs(timestamp.capture) }
}

/// The device's error callback.
fn on_error(meter: &Arc<InputMeter>, error: &cpal::Error) {
    use cpal::ErrorKind::{DeviceChanged, DeviceNotAvailable, RealtimeDenied, StreamInvalidated, Xrun};
    match error.kind() {
        DeviceChanged | RealtimeDenied => {}
        Xrun => {
            meter.report_gap();
            meter.report_restart();
        }
        DeviceNotAvailable => meter.report_broken(1),
        StreamInvalidated => meter.report_broken(2),
        // As with outputs, these errors may be temporary.
        _ => meter.report_trouble(),
    }
}
