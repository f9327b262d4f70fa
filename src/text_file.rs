//! Text files that are read whole: model suites, dependencies, the documents of a run. What is too large to be one of
//! them, or has no end, is refused before it fills the memory.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use miette::miette;

/// The manifest of the largest plan that parade accepts is a fifth of this.
const LIMIT: u64 = 256 << 20;

pub fn read(path: &Path) -> miette::Result<String> {
    let failed = |error: std::io::Error| miette!("{} could not be read: {error}", path.display());
    let mut text = String::new();
    let length = File::open(path).map_err(failed)?.take(LIMIT + 1).read_to_string(&mut text).map_err(failed)?;
    if length as u64 > LIMIT {
        return Err(miette!(help = "is it the right file?", "{} is larger than 256 MiB", path.display()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_file_is_refused_by_name() {
        for (path, why) in
            [("/nowhere/file", "No such file"), ("/dev/zero", "larger than"), ("/proc/self/exe", "UTF-8")]
        {
            let error = read(Path::new(path)).unwrap_err().to_string();
            assert!(error.contains(path) && error.contains(why), "{error}");
        }
    }
}
