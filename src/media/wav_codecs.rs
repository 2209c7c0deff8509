//! Names of the codecs that a WAV file may hold.

/// What people call the codec of a WAV format tag.
pub(super) fn codec_name(tag: u16) -> String {
    match tag {
        0x0002 => "Microsoft ADPCM".into(),
        0x0006 => "A-law".into(),
        0x0007 => "mu-law".into(),
        0x0011 => "IMA ADPCM".into(),
        0x0014 | 0x0040 | 0x0045 | 0x0064 => format!("G.72x ADPCM ({tag:#06x})"),
        0x0031 => "GSM 6.10".into(),
        0x0050 => "MPEG audio".into(),
        0x0055 => "MP3".into(),
        0x00ff | 0x1600 | 0x1602 => "AAC".into(),
        0x0160..=0x0163 => "Windows Media Audio".into(),
        0x2000 => "AC-3".into(),
        0x2001 => "DTS".into(),
        0x674f..=0x6771 => "Ogg Vorbis".into(),
        0xf1ac => "FLAC".into(),
        _ => format!("an unknown codec ({tag:#06x})"),
    }
}
