//! Files that anyone's tools wrote are not always UTF-8. What they say of themselves, by a byte order mark or by XML's
//! declaration, is believed.

use std::io::{BufRead, BufReader, Cursor, Read};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A declaration is at the beginning.
const BEGINNING: usize = 256;

/// What an XML file is written in, by its beginning.
fn of_xml(beginning: &[u8]) -> Result<&'static Encoding, String> {
    if let Some((encoding, _)) = Encoding::for_bom(beginning) {
        return Ok(encoding);
    }
    match beginning {
        [b'<', 0, ..] => return Ok(UTF_16LE),
        [0, b'<', ..] => return Ok(UTF_16BE),
        _ => {}
    }
    let Some(label) = declared(beginning) else { return Ok(UTF_8) };
    match Encoding::for_label(label) {
        // A declaration that can be read byte by byte is not written in two of them.
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => Ok(UTF_8),
        Some(encoding) => Ok(encoding),
        None => Err(format!("its encoding {} is not known", String::from_utf8_lossy(label))),
    }
}

/// The value of `encoding` in the declaration.
fn declared(beginning: &[u8]) -> Option<&[u8]> {
    let end = beginning.windows(2).position(|pair| pair == b"?>")?;
    let declaration = beginning[..end].strip_prefix(b"<?xml")?;
    let key = b"encoding";
    let place = declaration.windows(key.len()).position(|word| word == key)?;
    let value = declaration[place + key.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first()?;
    value.split(|byte| byte == quote).next()
}

/// An XML file as UTF-8. What is UTF-8 already is not read before it is needed.
pub(super) fn xml(file: impl Read + 'static) -> Result<Box<dyn BufRead>, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut reader = BufReader::new(file);
    let mut beginning = Vec::new();
    reader.by_ref().take(BEGINNING as u64).read_to_end(&mut beginning).map_err(failed)?;
    let encoding = of_xml(&beginning)?;
    let mut whole = Cursor::new(beginning).chain(reader);
    if encoding == UTF_8 {
        return Ok(Box::new(whole));
    }
    let mut bytes = Vec::new();
    whole.read_to_end(&mut bytes).map_err(failed)?;
    let (text, _, _) = encoding.decode(&bytes);
    Ok(Box::new(Cursor::new(text.into_owned().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, String> {
        let mut text = String::new();
        xml(Cursor::new(bytes.to_vec()))?.read_to_string(&mut text).unwrap();
        Ok(text.trim_start_matches('\u{feff}').to_owned())
    }

    #[test]
    fn what_a_file_says_of_itself_is_believed() {
        let text = "<a n='zwölf'/>";
        let utf_16 = |text: &str, order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
        let latin: Vec<u8> =
            "<?xml version='1.0' encoding='ISO-8859-1'?><a n='zwölf'/>".chars().map(|c| c as u8).collect();
        assert_eq!(read(text.as_bytes()).unwrap(), text);
        assert_eq!(read(format!("\u{feff}{text}").as_bytes()).unwrap(), text);
        assert_eq!(read(&utf_16(text, u16::to_le_bytes)).unwrap(), text);
        assert_eq!(read(&utf_16(&format!("\u{feff}{text}"), u16::to_be_bytes)).unwrap(), text);
        assert!(read(&latin).unwrap().ends_with(text));
        let wrong = "<?xml version=\"1.0\" encoding = \"UTF-16\" ?><a n='zwölf'/>";
        assert_eq!(read(wrong.as_bytes()).unwrap(), wrong);
        assert!(read(b"<?xml encoding='klingon'?><a/>").unwrap_err().contains("klingon"));
        assert_eq!(read(b"").unwrap(), "");
    }
}
