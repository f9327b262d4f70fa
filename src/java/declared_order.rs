//! Which test classes declare the order of their tests (Jupiter's `@TestMethodOrder`), read from their class files. An annotation that
//! a class inherits is not seen.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::build::Discovery;
use crate::suite::ClassId;

/// As a class file writes the annotation, and the one order that is none.
const DECLARES: &[u8] = b"Lorg/junit/jupiter/api/TestMethodOrder;";
const AT_RANDOM: &[u8] = b"MethodOrderer$Random;";
/// A class file that is larger is not read.
const LARGEST: u64 = 1 << 24;

pub(super) fn declaring_classes(discovery: &Discovery) -> HashSet<ClassId> {
    let mut asked: HashSet<ClassId> = HashSet::new();
    let mut declaring = HashSet::new();
    for test in &discovery.tests {
        let class = test.id.class_id();
        if !asked.insert(class.clone()) {
            continue;
        }
        let launch = discovery.suites.get(test.suite).and_then(|suite| suite.launch.as_ref());
        let folders = launch.map(|launch| launch.class_path.as_slice()).unwrap_or_default();
        if declares_order(folders, &test.id.class) {
            declaring.insert(class);
        }
    }
    declaring
}

fn declares_order(folders: &[PathBuf], class: &str) -> bool {
    let below = format!("{}.class", class.replace('.', "/"));
    let file = folders.iter().map(|folder| folder.join(&below)).find(|file| file.is_file());
    let Some(bytes) = file.and_then(|file| read(&file)) else { return false };
    let contains = |wanted: &[u8]| bytes.windows(wanted.len()).any(|window| window == wanted);
    contains(DECLARES) && !contains(AT_RANDOM)
}

fn read(file: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_file_tells_whether_its_order_is_declared() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, parts: &[&[u8]]| {
            let file = folder.path().join("a").join(format!("{name}.class"));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, parts.concat()).unwrap();
        };
        write(
            "Ordered",
            &[b"\xca\xfe\x01\x00\x27", DECLARES, b"\x01\x00Lorg/junit/jupiter/api/MethodOrderer$OrderAnnotation;"],
        );
        write("Random", &[DECLARES, b"Lorg/junit/jupiter/api/MethodOrderer$Random;"]);
        write("Plain", &[b"Lorg/junit/jupiter/api/Test;"]);
        let folders = [folder.path().to_owned()];
        let declared = ["a.Ordered", "a.Random", "a.Plain", "a.Gone"].map(|class| declares_order(&folders, class));
        assert_eq!(declared, [true, false, false, false]);
    }
}
