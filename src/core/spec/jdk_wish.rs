//! A JDK that is asked for, as it was written. Which JDK of a machine is meant, the platform says.

use std::path::{Path, PathBuf};

use miette::miette;
use serde::Serialize;

/// A JDK that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JdkWish {
    /// As it was written: the same on every machine.
    pub written: String,
    pub kind: JdkWishKind,
    /// Who asked, where that was not the user: it is no part of what is asked for.
    #[serde(skip)]
    pub because: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum JdkWishKind {
    /// The first numbers of its version.
    Version(Vec<u32>),
    Home(PathBuf),
}

impl JdkWish {
    /// `8`, `17.0.2`, or a path, which is what has a `/` in it or begins with a dot. Relative paths start at the folder.
    pub fn parse(written: &str, folder: &Path) -> miette::Result<JdkWish> {
        let is_path = written.contains('/') || written.starts_with('.');
        let kind = if is_path && !written.contains('\0') {
            Some(JdkWishKind::Home(folder.join(written)))
        } else {
            whole_numbers(written).map(JdkWishKind::Version)
        };
        let kind = kind.ok_or_else(|| {
            miette!(
                help =
                    "write a version such as \"8\", \"17\" or \"17.0.2\", or the path of a JDK such as \"/opt/jdk-17\"",
                "`{}` is neither a Java version nor a path",
                written.chars().filter(|c| !c.is_control()).take(60).collect::<String>()
            )
        })?;
        Ok(JdkWish { written: written.to_owned(), kind, because: None })
    }

    /// For this reason, and not as the user asked.
    pub fn because(self, why: &'static str) -> JdkWish {
        JdkWish { because: Some(why), ..self }
    }
}

/// Digits, dots and underscores only: `8`, `1.8`, `17.0.2`, `1.8.0_392`.
fn whole_numbers(written: &str) -> Option<Vec<u32>> {
    let plain = written.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '_' | '+'));
    version_numbers(written).filter(|_| plain)
}

/// The numbers of a version, the leading `1.` of old ones left out.
pub fn version_numbers(text: &str) -> Option<Vec<u32>> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // What follows a `-` or a name is no part of the order.
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | '+'))).unwrap_or(text.len());
    let parts: Option<Vec<u32>> =
        text[..end].split(['.', '_', '+']).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect();
    let mut parts = parts?;
    if parts.len() > 1 && parts[0] == 1 {
        parts.remove(0);
    }
    (!parts.is_empty() && parts[0] > 1).then_some(parts)
}
