//! A table for programs: named columns and typed cells, unrounded. CSV files, JSON documents and the claims of studies
//! all read the same one. How a table looks to people is not known here.

use miette::{IntoDiagnostic, miette};
use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value};

use crate::csv_cells;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataTable {
    pub columns: Vec<String>,
    /// Each has one cell per column.
    pub rows: Vec<Vec<DataCell>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DataCell {
    /// There is no value. A neighbouring column says why.
    Missing,
    Truth(bool),
    Number(Number),
    Text(String),
}

impl DataCell {
    pub fn as_text(&self) -> Option<&str> {
        if let DataCell::Text(text) = self { Some(text) } else { None }
    }
}

impl DataTable {
    /// A row for each record. The fields of a record are the columns, so they must not contain lists or other records.
    pub fn from_records<R: Serialize + Default>(records: &[R]) -> miette::Result<DataTable> {
        let columns = field_names(&R::default())?;
        let mut rows = Vec::with_capacity(records.len());
        for record in records {
            let fields = serde_json::to_value(record).into_diagnostic()?;
            rows.push(columns.iter().map(|column| cell(&fields[column])).collect::<miette::Result<_>>()?);
        }
        Ok(DataTable { columns, rows })
    }

    /// A header line, and a line for each row.
    pub fn to_csv(&self) -> miette::Result<String> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        writer.write_record(&self.columns).into_diagnostic()?;
        for row in &self.rows {
            writer.serialize(row.iter().map(CsvCell).collect::<Vec<_>>()).into_diagnostic()?;
        }
        String::from_utf8(writer.into_inner().into_diagnostic()?).into_diagnostic()
    }

    /// An object for each row.
    pub fn to_json(&self) -> miette::Result<Value> {
        let mut objects = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let mut object = Map::new();
            for (column, cell) in self.columns.iter().zip(row) {
                object.insert(column.clone(), serde_json::to_value(cell).into_diagnostic()?);
            }
            objects.push(Value::Object(object));
        }
        Ok(Value::Array(objects))
    }
}

/// In the order of their declaration, which a JSON object does not keep.
fn field_names(record: &impl Serialize) -> miette::Result<Vec<String>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.serialize(record).into_diagnostic()?;
    let text = writer.into_inner().into_diagnostic()?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    Ok(reader.headers().into_diagnostic()?.iter().map(str::to_owned).collect())
}

fn cell(value: &Value) -> miette::Result<DataCell> {
    match value {
        Value::Null => Ok(DataCell::Missing),
        Value::Bool(truth) => Ok(DataCell::Truth(*truth)),
        Value::Number(number) => Ok(DataCell::Number(number.clone())),
        Value::String(text) => Ok(DataCell::Text(text.clone())),
        nested => Err(miette!("a cell of a table has to be a single value; this is {nested}")),
    }
}

/// A cell whose text no spreadsheet takes for a formula.
struct CsvCell<'a>(&'a DataCell);

impl Serialize for CsvCell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            DataCell::Text(text) => serializer.serialize_str(&csv_cells::written(text)),
            other => other.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Default)]
    struct Record {
        name: String,
        share: Option<f64>,
        count: usize,
        holds: bool,
    }

    #[test]
    fn csv_and_json_have_the_same_cells() {
        let record = Record { name: "=1+1, x".to_owned(), share: Some(-0.5), count: 3, holds: true };
        let table = DataTable::from_records(&[record, Record::default()]).unwrap();
        assert_eq!(table.to_csv().unwrap(), "name,share,count,holds\n\"'=1+1, x\",-0.5,3,true\n,,0,false\n");
        assert_eq!(
            table.to_json().unwrap(),
            serde_json::json!([
                { "name": "=1+1, x", "share": -0.5, "count": 3, "holds": true },
                { "name": "", "share": null, "count": 0, "holds": false }
            ])
        );
    }

    #[test]
    fn a_table_without_rows_has_columns() {
        assert_eq!(DataTable::from_records::<Record>(&[]).unwrap().to_csv().unwrap(), "name,share,count,holds\n");
    }

    #[test]
    fn lists_do_not_fit_into_a_cell() {
        #[derive(Serialize, Default)]
        struct Nested {
            list: Vec<u8>,
        }
        assert!(DataTable::from_records(&[Nested { list: vec![1] }]).is_err());
    }
}
