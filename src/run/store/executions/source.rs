//! A file of executions, read row group by row group and column by column. Only what is asked for leaves the disk.

use crate::file_error::file_error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use miette::miette;
use polars_parquet::parquet::read::read_metadata;
use polars_parquet::read::{ColumnChunkMetadata, FileMetadata, RowGroupMetadata};

use super::Fault;
use super::column::{self, Names};

#[derive(Debug)]
pub struct ExecutionFile {
    path: PathBuf,
    file: File,
    metadata: FileMetadata,
}

impl ExecutionFile {
    pub fn open(path: &Path) -> miette::Result<Self> {
        let failed = |error| file_error(format_args!("{} could not be read", path.display()), &error);
        let mut file = crate::folder_handle::open_regular(path).map_err(failed)?;
        let metadata = guarded(|| Ok(read_metadata(&mut file)?)).map_err(|fault| damaged(path, &fault))?;
        Ok(ExecutionFile { path: path.to_owned(), file, metadata })
    }

    /// Rows of each row group.
    pub fn group_sizes(&self) -> Vec<usize> {
        self.metadata.row_groups.iter().map(RowGroupMetadata::num_rows).collect()
    }

    /// Does something with one row group. What is wrong with it is told with the file's name.
    pub fn read<T>(&self, group: usize, read: impl FnOnce(&Group<'_>) -> Result<T, Fault>) -> miette::Result<T> {
        guarded(|| {
            let metadata = self.metadata.row_groups.get(group).ok_or_else(|| Fault::new("too few row groups"))?;
            read(&Group { file: &self.file, metadata })
        })
        .map_err(|fault| damaged(&self.path, &fault))
    }
}

/// One row group.
pub struct Group<'a> {
    file: &'a File,
    metadata: &'a RowGroupMetadata,
}

impl Group<'_> {
    pub fn rows(&self) -> usize {
        self.metadata.num_rows()
    }

    pub fn names(&self, column: &'static str) -> Result<Names, Fault> {
        self.load(column, column::names)
    }

    pub fn counts(&self, column: &'static str) -> Result<Vec<u32>, Fault> {
        self.load(column, column::counts)
    }

    pub fn seconds(&self, column: &'static str) -> Result<Vec<f64>, Fault> {
        self.load(column, column::numbers)
    }

    fn load<T>(
        &self,
        name: &'static str,
        decode: impl FnOnce(Vec<u8>, &ColumnChunkMetadata, usize) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut columns = self.metadata.columns_under_root_iter(name).into_iter().flatten();
        let column = columns.next().ok_or_else(|| Fault::new(format!("no column `{name}`")))?;
        let bytes = self.bytes(column).map_err(|fault| fault.of(name))?;
        decode(bytes, column, self.rows()).map_err(|fault| fault.of(name))
    }

    fn bytes(&self, column: &ColumnChunkMetadata) -> Result<Vec<u8>, Fault> {
        let range = column.byte_range();
        let length = self.file.metadata()?.len();
        let size = range.end.checked_sub(range.start).filter(|_| range.end <= length);
        let size = size.and_then(|size| usize::try_from(size).ok());
        let mut bytes = vec![0; size.ok_or_else(|| Fault::new("a place beyond the end of the file"))?];
        self.file.read_exact_at(&mut bytes, range.start)?;
        Ok(bytes)
    }
}

/// polars checks some of what it reads by assertions: a file with wrong bytes in the right places is a panic to it.
fn guarded<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(Fault::new("columns that contradict each other")))
}

fn damaged(path: &Path, fault: &Fault) -> miette::Report {
    miette!(
        help = "`parade run` rebuilds tests.parquet from the files in tests/; to rerun a trial, remove its file and its line in \
                journal.jsonl; the report then says that the journal was changed",
        "{} is damaged: it has {fault}",
        path.display()
    )
}
