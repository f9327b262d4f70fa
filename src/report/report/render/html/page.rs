//! What all pages share: the frame that a template fills, and what it carries. Nothing of a page is requested from elsewhere.
//!
//! Templates escape every value. Only what is written here and in the tables and figures goes in as markup; the script is the
//! only one that a page's policy allows.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use miette::miette;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;
use sha2::{Digest, Sha256};

const FRAME: &str = include_str!("../../templates/page.html");
const STYLES: &str = include_str!("../../templates/report.css");
/// The colours of the dark scheme. They stand in the styles twice: for those who prefer it, and for those who chose it.
const DARK: &str = include_str!("../../templates/dark.css");
const SCRIPT: &str = include_str!("../../templates/report.js");

/// A template that extends the frame.
pub struct Template {
    pub name: &'static str,
    pub source: &'static str,
}

/// What the frame takes, besides what it is filled with.
#[derive(Serialize)]
pub struct Carried {
    styles: String,
    script: &'static str,
    /// By which the page's policy knows the only script that may run.
    script_hash: String,
    /// As [`super::data`] writes it.
    data: String,
}

impl Carried {
    pub fn with(data: String) -> Self {
        Carried {
            styles: STYLES.replace("/* dark */", DARK),
            script: SCRIPT,
            script_hash: BASE64_STANDARD.encode(Sha256::digest(SCRIPT)),
            data,
        }
    }
}

/// `values` have what the template names, and `carried`.
pub fn render(template: &Template, values: &impl Serialize) -> miette::Result<String> {
    let failed = |error: minijinja::Error| miette!("the page could not be created: {error:#}");
    let mut environment = environment().map_err(failed)?;
    environment.add_template("page.html", FRAME).map_err(failed)?;
    environment.add_template(template.name, template.source).map_err(failed)?;
    environment.get_template(template.name).and_then(|template| template.render(Serde(values))).map_err(failed)
}

/// Every value is escaped, and one that is not there is a mistake.
fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    Ok(environment)
}
