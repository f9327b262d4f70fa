//! Which JDK of this machine a [`JdkWish`] means.

use std::path::Path;

use miette::miette;

use super::{Jdk, Jdks, VARIABLE, jdks};
use crate::spec::{JdkWish, JdkWishKind};

/// A wish that this machine fulfils; relative paths start at the folder. For `--jdk`, and for whoever else asks.
pub fn asked_jdk(written: &str, folder: &Path) -> miette::Result<JdkWish> {
    let wish = JdkWish::parse(written, folder)?;
    jdks().choose(&wish)?;
    Ok(wish)
}

impl Jdk {
    pub fn meets(&self, wish: &JdkWish) -> bool {
        match &wish.kind {
            JdkWishKind::Version(wanted) => self.version.begins_with(wanted),
            JdkWishKind::Home(home) => home.canonicalize().is_ok_and(|home| home == self.home),
        }
    }
}

impl Jdks {
    /// The newest that is meant; an error names what there is.
    pub fn choose(&self, wish: &JdkWish) -> miette::Result<Jdk> {
        if let Some(jdk) = self.found.iter().find(|jdk| jdk.meets(wish)) {
            return Ok(jdk.clone());
        }
        let help = format!(
            "this machine has: {}. Install the missing JDK, or name its folder in {VARIABLE}; `parade doctor` lists \
             all JDKs",
            self.listed()
        );
        match &wish.kind {
            JdkWishKind::Home(home) => {
                Jdk::at(home).map_err(|why| miette!(help = help, "`{}` is not a JDK: {why}", wish.written))
            }
            JdkWishKind::Version(_) => Err(miette!(help = help, "this machine has no JDK {}", wish.written)),
        }
    }

    /// Why the one that was chosen was, in words.
    pub fn reason(&self, wish: &JdkWish) -> String {
        if let Some(why) = wish.because {
            return why.to_owned();
        }
        let matching = self.found.iter().filter(|jdk| jdk.meets(wish)).count();
        match (&wish.kind, matching) {
            (JdkWishKind::Version(_), 2..) => format!("{} was requested; the newest of {matching}", wish.written),
            _ => format!("{} was requested", wish.written),
        }
    }
}
