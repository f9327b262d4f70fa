//! The name that a pom gives its project.

use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::Event;

/// A pom that is larger is not read for its name.
const LARGEST_POM: u64 = 1 << 22;

/// The project's own artifactId: not that of its parent or of a dependency.
pub(super) fn artifact_id(pom: &Path) -> Option<String> {
    let is_small = std::fs::metadata(pom).is_ok_and(|file| file.is_file() && file.len() <= LARGEST_POM);
    let text = is_small.then(|| std::fs::read_to_string(pom).ok()).flatten()?;
    let mut reader = Reader::from_str(&text);
    let mut path: Vec<String> = Vec::new();
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => path.push(start.local_name().as_ref().to_owned()),
            Event::End(_) => {
                path.pop();
            }
            Event::Text(text) if path == ["project", "artifactId"] => {
                let name = text.trim().to_owned();
                return (!name.is_empty()).then_some(name);
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pom_names_its_project_and_not_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        let pom = folder.path().join("pom.xml");
        let text = "<project><parent><artifactId>parent</artifactId></parent><!-- <artifactId>no</artifactId> -->\
            <dependencies><dependency><artifactId>junit</artifactId></dependency></dependencies>\
            <artifactId> shop </artifactId></project>";
        std::fs::write(&pom, text).unwrap();
        assert_eq!(artifact_id(&pom).as_deref(), Some("shop"));
        for wrong in ["<project><artifactId/></project>", "no xml <", "<project>"] {
            std::fs::write(&pom, wrong).unwrap();
            assert_eq!(artifact_id(&pom), None, "{wrong}");
        }
    }
}
