//! Parameters as JSON: `{"kind": "rows", "scale": "log", "bins": 24, "fmin": 32.703, "gamma": "erb"}`.

use super::params::{C1_HZ, ExactNumber, RowScale, RowsGamma, RowsParams, refuse};
use crate::base::Result;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Default rows per octave, mel bands and bark bands.
const DEFAULT_BINS: f64 = 24.0;
const DEFAULT_MEL_BANDS: f64 = 128.0;
const DEFAULT_BARK_BANDS: f64 = 96.0;

/// The JSON object. `kind` `cqt` and `vqt` mean a log scale with gamma 0 and `erb`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowsFields {
    kind: String,
    scale: Option<String>,
    bins: Option<f64>,
    bands: Option<f64>,
    frequencies: Option<Vec<f64>>,
    fmin: Option<f64>,
    fmax: Option<f64>,
    gamma: Option<GammaField>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GammaField {
    Hz(f64),
    Named(String),
}

impl RowsFields {
    fn into_params(self) -> Result<RowsParams> {
        let scale = match (self.kind.as_str(), self.scale.as_deref()) {
            ("rows", scale) => scale.unwrap_or("log"),
            ("cqt" | "vqt", None | Some("log")) => "log",
            ("cqt" | "vqt", Some(_)) => return refuse("scale is log for kind cqt and vqt; use kind rows"),
            _ => return refuse("kind is not rows, cqt or vqt"),
        };
        self.check_fields(scale)?;
        let scale = match scale {
            "log" => RowScale::Log { bins: whole("bins", self.bins.unwrap_or(DEFAULT_BINS))? },
            "mel" => RowScale::Mel { bands: whole("bands", self.bands.unwrap_or(DEFAULT_MEL_BANDS))? },
            "bark" => RowScale::Bark { bands: whole("bands", self.bands.unwrap_or(DEFAULT_BARK_BANDS))? },
            "list" => {
                let hz = self.frequencies.unwrap_or_default();
                RowScale::List(hz.into_iter().map(ExactNumber::new).collect())
            }
            _ => return refuse("scale is not log, mel, bark or list"),
        };
        let is_log = matches!(scale, RowScale::Log { .. });
        let gamma = match self.gamma {
            Some(GammaField::Named(name)) if name == "erb" => RowsGamma::Erb,
            Some(GammaField::Named(_)) => return refuse("gamma is neither erb nor a number of hertz"),
            Some(GammaField::Hz(hz)) => RowsGamma::Hz(ExactNumber::new(hz)),
            None if is_log && self.kind != "cqt" => RowsGamma::Erb,
            None => RowsGamma::ZERO,
        };
        if self.kind == "cqt" && gamma != RowsGamma::ZERO {
            return refuse("gamma is 0 for kind cqt; use kind rows");
        }
        let fmin = self.fmin.or(is_log.then_some(C1_HZ));
        let [fmin_hz, fmax_hz] = [fmin, self.fmax].map(|hz| hz.map(ExactNumber::new));
        RowsParams { scale, fmin_hz, fmax_hz, gamma }.validated()
    }

    /// Rejects fields that do not belong to the scale.
    fn check_fields(&self, scale: &str) -> Result<()> {
        let given = [
            ("bins", self.bins.is_some(), scale == "log"),
            ("bands", self.bands.is_some(), scale == "mel" || scale == "bark"),
            ("frequencies", self.frequencies.is_some(), scale == "list"),
            ("fmin", self.fmin.is_some(), scale != "list"),
            ("fmax", self.fmax.is_some(), scale != "list"),
        ];
        match given.iter().find(|(_, is_given, is_known)| *is_given && !is_known) {
            Some((name, ..)) => refuse(format!("{name} is not a field of rows on the scale {scale}")),
            None => Ok(()),
        }
    }
}

fn whole(name: &str, value: f64) -> Result<u32> {
    if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) {
        Ok(value as u32)
    } else {
        refuse(format!("{name} {value} is not a whole number"))
    }
}

impl<'de> Deserialize<'de> for RowsParams {
    /// Rejects [invalid](RowsParams::validated) parameters, with the same messages.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<RowsParams, D::Error> {
        let fields = RowsFields::deserialize(deserializer)?;
        fields.into_params().map_err(|error| de::Error::custom(error.message()))
    }
}

impl Serialize for RowsParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", "rows")?;
        map.serialize_entry("scale", self.scale_name())?;
        match &self.scale {
            RowScale::Log { bins } => map.serialize_entry("bins", bins)?,
            RowScale::Mel { bands } | RowScale::Bark { bands } => map.serialize_entry("bands", bands)?,
            RowScale::List(hz) => {
                map.serialize_entry("frequencies", &hz.iter().map(|hz| hz.get()).collect::<Vec<_>>())?;
            }
        }
        for (name, value) in [("fmin", self.fmin_hz), ("fmax", self.fmax_hz)] {
            if let Some(value) = value {
                map.serialize_entry(name, &value.get())?;
            }
        }
        let is_log = matches!(self.scale, RowScale::Log { .. });
        match self.gamma {
            RowsGamma::Erb => map.serialize_entry("gamma", "erb")?,
            RowsGamma::Hz(gamma) if is_log || self.gamma != RowsGamma::ZERO => {
                map.serialize_entry("gamma", &gamma.get())?;
            }
            RowsGamma::Hz(_) => {}
        }
        map.end()
    }
}
