//! Where studies come from: those inside the program, or a folder of them. A folder is a study if it has a `claims.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use miette::miette;

use super::audit::{self, AuditedClaim};
use super::claim::Claim;
use super::explain::{self, Explained};
use super::expression::{Source, Value};
use super::load::{self, Document, Draft, Faults, Files, Study};
use super::own::ComparedStudy;
use super::run_tables::RunTables;
use super::table::SourceTable;

use crate::whole_file;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../experiments");

const CLAIMS: &str = "claims.toml";
const PUBLISHED: &str = "published";

/// Studies by name, each right or with what is wrong with it.
#[derive(Debug, Default)]
pub struct Library {
    studies: BTreeMap<String, Result<Study, Faults>>,
    /// What all their claims state, by `study/id`.
    stated: BTreeMap<String, Value>,
}

impl Library {
    /// Those that are part of the program. `heads` are the columns that tables of a run have.
    pub fn embedded(heads: &[SourceTable]) -> Library {
        Library::from_files(EMBEDDED.dirs().filter_map(embedded_files).collect(), heads)
    }

    /// A study's folder, or a folder of such folders.
    pub fn in_folder(folder: &Path, heads: &[SourceTable]) -> miette::Result<Library> {
        let one = folder.join(CLAIMS).is_file();
        let folders = if one { vec![folder.to_owned()] } else { folders_below(folder)? };
        let files = folders.iter().map(|folder| files_in(folder)).collect::<miette::Result<Vec<_>>>()?;
        if files.is_empty() {
            return Err(miette!(
                help = "give the folder of a study, with a claims.toml, or a folder of such folders",
                "{} has no study",
                folder.display()
            ));
        }
        Ok(Library::from_files(files, heads))
    }

    pub fn from_files(files: Vec<Files>, heads: &[SourceTable]) -> Library {
        let mut library = Library::default();
        let mut drafts: Vec<Draft> = Vec::new();
        for files in files {
            let name = files.name.clone();
            match load::draft(files) {
                Ok(draft) => drafts.push(draft),
                Err(faults) => drop(library.studies.insert(name, Err(faults))),
            }
        }
        for draft in &drafts {
            let name = draft.name();
            library.stated.extend(draft.stated().map(|(id, value)| (format!("{name}/{id}"), value)));
        }
        for draft in drafts {
            let name = draft.name().to_owned();
            library.studies.insert(name, load::finish(draft, &library.stated, heads));
        }
        library
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.studies.keys().map(String::as_str)
    }

    /// `None` if there is no such study.
    pub fn study(&self, name: &str) -> Option<Result<&Study, &Faults>> {
        self.studies.get(name).map(Result::as_ref)
    }

    pub fn audit(&self, study: &Study) -> Vec<AuditedClaim> {
        let stated = self.stated_in(study);
        audit::audit(study, &Source { tables: study.tables.iter().collect(), stated: &stated, of_run: false })
    }

    /// How a claim's value comes about.
    pub fn explain(&self, study: &Study, claim: &Claim) -> Vec<Explained> {
        let stated = self.stated_in(study);
        explain::explain(claim, &Source { tables: study.tables.iter().collect(), stated: &stated, of_run: false })
    }

    /// A study compared with a run of the reader's own.
    pub fn compared<'s>(&self, study: &'s Study, run: RunTables) -> ComparedStudy<'s> {
        ComparedStudy::new(study, self.stated_in(study), run)
    }

    /// What claims of a study can refer to: its own by their ids, those of others by `study/id`.
    pub fn stated_in(&self, study: &Study) -> BTreeMap<String, Value> {
        let mut stated = self.stated.clone();
        stated.extend(study.claims.iter().map(|claim| (claim.id.clone(), claim.stated.value())));
        stated
    }
}

fn embedded_files(folder: &Dir<'_>) -> Option<Files> {
    let name = folder.path().file_name()?.to_str()?.to_owned();
    let document = |file: &include_dir::File<'_>| Document {
        stem: stem(file.path()),
        path: format!("experiments/{}", file.path().display()),
        bytes: file.contents().to_vec(),
    };
    let claims = folder.get_file(folder.path().join(CLAIMS)).map(document)?;
    let published = folder.get_dir(folder.path().join(PUBLISHED));
    let tables = published.into_iter().flat_map(|folder| folder.files()).filter(|file| is_csv(file.path()));
    Some(Files { name, claims, tables: tables.map(document).collect() })
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "csv")
}

fn entries(folder: &Path) -> miette::Result<Vec<PathBuf>> {
    let failed = |error: std::io::Error| {
        miette!(help = "is it the right folder?", "{} cannot be read: {error}", folder.display())
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn folders_below(folder: &Path) -> miette::Result<Vec<PathBuf>> {
    Ok(entries(folder)?.into_iter().filter(|path| path.join(CLAIMS).is_file()).collect())
}

fn files_in(folder: &Path) -> miette::Result<Files> {
    let published = folder.join(PUBLISHED);
    let tables = if published.is_dir() { entries(&published)? } else { Vec::new() };
    let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    Ok(Files {
        name: whole.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        claims: document(&folder.join(CLAIMS))?,
        tables: tables.iter().filter(|path| is_csv(path)).map(|path| document(path)).collect::<miette::Result<_>>()?,
    })
}

fn document(path: &Path) -> miette::Result<Document> {
    Ok(Document { stem: stem(path), path: path.display().to_string(), bytes: whole_file::read_bytes(path)? })
}
