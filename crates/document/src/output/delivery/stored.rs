//! Deliveries as fields of a preset.

use super::choice::{DeliveredChannels, Delivery, LevelTarget};
use crate::base::json_reason;
use crate::media::{BitRate, Container, Dither, ExportFormat};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A delivery as stored: omitted fields are as in [`Delivery::default`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct DeliveryFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dither: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bit_rate_kbps: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vbr: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_hz: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<ChannelField>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_db: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loudness_lufs: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// The channels of a file: a name, or the number of a channel.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be all, left, right, mid, mix or the number of a channel, counted from 0")]
enum ChannelField {
    Number(usize),
    Named(String),
}

/// Names of the formats.
const FORMATS: [(&str, ExportFormat); 5] = [
    ("source", ExportFormat::Source),
    ("pcm16", ExportFormat::Pcm16),
    ("pcm24", ExportFormat::Pcm24),
    ("pcm32", ExportFormat::Pcm32),
    ("float32", ExportFormat::Float32),
];
/// Names of the dithers.
const DITHERS: [(&str, Dither); 2] = [("none", Dither::None), ("tpdf", Dither::Tpdf)];

/// The value of a name; the error contains the field's name.
fn named<T: Copy>(field: &str, name: &str, all: &[(&str, T)]) -> Result<T, String> {
    let known = all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    known.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        format!("{field} \"{name}\" is not known here; possible: {}", names.join(", "))
    })
}

fn name_of<T: PartialEq>(value: T, all: &[(&str, T)]) -> Option<String> {
    all.iter().find(|(_, known)| *known == value).map(|(name, _)| (*name).to_owned())
}

impl Serialize for Delivery {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        DeliveryFields::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Delivery {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Delivery, D::Error> {
        let fields = Map::deserialize(deserializer)?;
        // Each field is first read alone, since the error for a value of the wrong type does not name its field.
        for (name, value) in &fields {
            let alone = Map::from_iter([(name.clone(), value.clone())]);
            fields_of(alone).map_err(|why| match why.starts_with(name.as_str()) {
                true => D::Error::custom(why),
                false => D::Error::custom(format!("{name}: {why}")),
            })?;
        }
        fields_of(fields).and_then(Delivery::try_from).map_err(D::Error::custom)
    }
}

fn fields_of(fields: Map<String, Value>) -> Result<DeliveryFields, String> {
    serde_json::from_value(Value::Object(fields)).map_err(|error| json_reason(&error))
}

impl TryFrom<DeliveryFields> for Delivery {
    type Error = String;

    fn try_from(fields: DeliveryFields) -> Result<Delivery, String> {
        let containers = Container::ALL.map(|container| (container.ending(), container));
        let level = match (fields.peak_db, fields.loudness_lufs) {
            (Some(_), Some(_)) => return Err("it has both peak_db and loudness_lufs; leave one out".into()),
            (Some(db), None) => LevelTarget::Peak(db),
            (None, Some(lufs)) => LevelTarget::Loudness(lufs),
            (None, None) => LevelTarget::AsIs,
        };
        let channels = match fields.channels {
            None => DeliveredChannels::All,
            Some(ChannelField::Number(channel)) => DeliveredChannels::One(channel),
            Some(ChannelField::Named(name)) => {
                let all = DeliveredChannels::NAMED.map(|choice| (choice.name(), choice));
                named("channels", &name, &all.each_ref().map(|(name, choice)| (name.as_str(), *choice)))?
            }
        };
        let bit_rate = match (fields.bit_rate_kbps, fields.vbr) {
            (Some(_), Some(_)) => return Err("it has both bit_rate_kbps and vbr; leave one out".into()),
            (Some(kbps), None) => BitRate::Kbps(kbps),
            (None, quality) => quality.map_or(BitRate::Usual, BitRate::Quality),
        };
        let usual = Delivery::default();
        let container = fields.container.map(|name| named("container", &name, &containers)).transpose()?;
        let format = fields.format.map(|name| named("format", &name, &FORMATS)).transpose()?;
        let delivery = Delivery {
            container,
            format: format.unwrap_or(usual.format),
            dither: fields.dither.map(|name| named("dither", &name, &DITHERS)).transpose()?,
            bit_rate,
            rate_hz: fields.rate_hz,
            channels,
            level,
            speed: fields.speed.unwrap_or(usual.speed),
            name: fields.name,
        };
        delivery.checked().map_err(|error| error.message().to_owned())
    }
}

impl From<Delivery> for DeliveryFields {
    fn from(delivery: Delivery) -> DeliveryFields {
        let usual = Delivery::default();
        let channels = match delivery.channels {
            DeliveredChannels::All => None,
            DeliveredChannels::One(channel) => Some(ChannelField::Number(channel)),
            choice => Some(ChannelField::Named(choice.name())),
        };
        let (peak_db, loudness_lufs) = match delivery.level {
            LevelTarget::AsIs => (None, None),
            LevelTarget::Peak(db) => (Some(db), None),
            LevelTarget::Loudness(lufs) => (None, Some(lufs)),
        };
        let (bit_rate_kbps, vbr) = match delivery.bit_rate {
            BitRate::Usual => (None, None),
            BitRate::Kbps(kbps) => (Some(kbps), None),
            BitRate::Quality(quality) => (None, Some(quality)),
        };
        DeliveryFields {
            bit_rate_kbps,
            vbr,
            container: delivery.container.map(|container| container.ending().to_owned()),
            format: name_of(delivery.format, &FORMATS).filter(|_| delivery.format != usual.format),
            dither: delivery.dither.and_then(|dither| name_of(dither, &DITHERS)),
            rate_hz: delivery.rate_hz,
            channels,
            peak_db,
            loudness_lufs,
            speed: (delivery.speed != usual.speed).then_some(delivery.speed),
            name: delivery.name,
        }
    }
}
