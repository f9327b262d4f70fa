//! The JDKs that Maven's `toolchains.xml` names. Read for its `jdkHome`s and nothing else; a file that is no XML, cut
//! short or enormous is said, and what was read before counts.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::Event;

const FILE_LIMIT: u64 = 1 << 20;
const MOST_HOMES: usize = 100;

/// The homes, and what is wrong with the file. One that does not exist has none, and nothing is wrong with it.
pub(super) fn read(file: &Path) -> (Vec<PathBuf>, Option<String>) {
    let mut homes = Vec::new();
    if !file.is_file() {
        return (homes, None);
    }
    let note = read_into(file, &mut homes).err();
    (homes, note)
}

fn read_into(file: &Path, homes: &mut Vec<PathBuf>) -> Result<(), String> {
    let file = File::open(file).map_err(|error| error.to_string())?;
    if file.metadata().is_ok_and(|metadata| metadata.len() > FILE_LIMIT) {
        return Err(format!("it is larger than {} MiB and was ignored", FILE_LIMIT >> 20));
    }
    homes_in(BufReader::new(file.take(FILE_LIMIT)), homes)
}

pub fn homes_in(file: impl BufRead, homes: &mut Vec<PathBuf>) -> Result<(), String> {
    let mut reader = Reader::from_reader(file);
    let mut text: Option<String> = None;
    let mut depth = 0usize;
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(|error| error.to_string())? {
            Event::Start(tag) => {
                depth += 1;
                text = (tag.local_name().as_ref() == "jdkHome").then(String::new);
            }
            Event::Text(words) => {
                if let Some(text) = &mut text {
                    text.push_str(&words);
                }
            }
            Event::GeneralRef(_) => text = None,
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                homes.extend(text.take().and_then(|text| home(&text)).filter(|_| homes.len() < MOST_HOMES));
            }
            Event::Eof if depth == 0 => return Ok(()),
            Event::Eof => return Err("the file ends before its last element does".to_owned()),
            _ => {}
        }
    }
}

/// Maven fills in properties, such as `${env.JAVA_HOME}`, which are found elsewhere.
fn home(text: &str) -> Option<PathBuf> {
    let path = Path::new(text.trim());
    (path.is_absolute() && !text.contains("${") && !text.contains('\0')).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &[u8]) -> (Vec<PathBuf>, Option<String>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read(file.path())
    }

    const GOOD: &str = "<?xml version='1.0'?><toolchains><toolchain><type>jdk</type><configuration>\
        <jdkHome> /opt/jdk-8 </jdkHome></configuration></toolchain><toolchain><configuration>\
        <jdkHome>${env.JDK}/x</jdkHome><jdkHome>relative</jdkHome><jdkHome>/opt/jdk-17</jdkHome>\
        </configuration></toolchain></toolchains>";

    #[test]
    fn homes_are_read_and_properties_passed_over() {
        assert_eq!(read_text(GOOD.as_bytes()), (vec!["/opt/jdk-8".into(), "/opt/jdk-17".into()], None));
        assert_eq!(read(Path::new("/nowhere/toolchains.xml")), (vec![], None));
    }

    #[test]
    fn a_file_that_is_cut_short_anywhere_is_said_and_never_fatal() {
        for end in 1..GOOD.len() {
            let (homes, note) = read_text(&GOOD.as_bytes()[..end]);
            assert!(homes.len() <= 2, "{end}");
            let within = GOOD[..end].contains("<toolchains>");
            assert!(note.is_some() || !within, "{end}: {}", &GOOD[..end]);
        }
    }

    #[test]
    fn hostile_files_are_bounded() {
        let many = format!("<t>{}</t>", "<jdkHome>/x</jdkHome>".repeat(1000));
        assert_eq!(read_text(many.as_bytes()).0.len(), MOST_HOMES);
        let large = read_text(&vec![b'<'; (FILE_LIMIT + 1) as usize]);
        assert!(large.1.is_some_and(|note| note.contains("larger than 1 MiB")));
        for text in [&b"\xff\xfe\0<"[..], b"<jdkHome>", b"<a><jdkHome>&x;</jdkHome></a>", b"</a>", b"&&&<![CDATA["] {
            let _ = read_text(text);
        }
    }
}
