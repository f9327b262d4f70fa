//! A platform for tests of this crate, which knows no real one: poms without a build behind them.

use std::path::Path;

use super::{Adoption, AdoptionFacts, BuildLayout, ChangeRequest, OpenRequest, Opened, Platform, Refusal, ToolFacts};
use crate::engine::Parallelism;
use crate::spec::{JdkWish, Subject};
use crate::suite::Change;

pub struct StandInPlatform;

impl Platform for StandInPlatform {
    fn name(&self) -> &'static str {
        "Maven"
    }

    fn build_files(&self) -> &'static [&'static str] {
        &["pom.xml"]
    }

    fn project_name(&self, _: &Path) -> Option<String> {
        None
    }

    fn layout(&self, folder: &Path, modules: &[String]) -> Result<BuildLayout, Refusal> {
        Ok(BuildLayout { tree: folder.to_owned(), root: folder.to_owned(), modules: modules.to_vec() })
    }

    fn listed_modules(&self, root: &Path) -> Vec<String> {
        let pom = std::fs::read_to_string(root.join("pom.xml")).unwrap_or_default();
        let parts = pom.split("<module>").skip(1);
        parts.filter_map(|part| part.split_once("</module>")).map(|(module, _)| module.to_owned()).collect()
    }

    fn check_jdk(&self, _: &JdkWish) -> miette::Result<()> {
        Ok(())
    }

    fn installed_tools(&self) -> Vec<String> {
        Vec::new()
    }

    fn machine_tools(&self, _: &[&Subject]) -> miette::Result<ToolFacts> {
        Ok(ToolFacts::new())
    }

    fn changed_tool(&self, _: &ToolFacts) -> Option<(&'static str, String)> {
        None
    }

    fn open(&self, _: &OpenRequest<'_>) -> miette::Result<Opened> {
        Err(miette::miette!("a stand-in builds nothing"))
    }

    fn change(&self, _: &ChangeRequest<'_>) -> miette::Result<Change> {
        Err(miette::miette!("a stand-in compares nothing"))
    }

    fn adoption(&self, _: &Parallelism, _: usize, _: &AdoptionFacts) -> Adoption {
        Adoption::default()
    }
}
