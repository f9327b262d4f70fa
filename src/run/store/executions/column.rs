//! One column of one row group, from its bytes in the file to values.
//!
//! Names come as they lie in the file: every word once, and for each row the word's place. The pages are found and decompressed by
//! polars; what they hold is decoded here, since parade's own code is optimised and its dependencies hardly are.

use std::io::Cursor;

use polars_buffer::Buffer;
use polars_parquet::parquet::encoding::Encoding;
use polars_parquet::parquet::page::{DataPage, DataPageHeader};
use polars_parquet::read::{BasicDecompressor, ColumnChunkMetadata, PageReader, PhysicalType};

use super::{Fault, hybrid};

/// No page of ours comes near this.
const LARGEST_PAGE: usize = 1 << 30;

/// A column of names.
#[derive(Debug, Default)]
pub struct Names {
    text: String,
    /// Where each word ends in the text.
    ends: Vec<usize>,
    /// Each row's word.
    pub codes: Vec<u32>,
}

impl Names {
    pub fn word(&self, code: u32) -> &str {
        let place = code as usize;
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(place).and_then(|end| self.text.get(start..*end)).unwrap_or_default()
    }

    pub fn words(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|place| self.word(place as u32))
    }

    pub fn of_row(&self, row: usize) -> &str {
        self.codes.get(row).map_or("", |code| self.word(*code))
    }

    /// Reads so many words that lie one after the other, each behind its length.
    fn read_words(&mut self, mut bytes: &[u8], count: usize) -> Result<(), Fault> {
        for _ in 0..count {
            let (length, rest) = bytes.split_first_chunk().ok_or_else(cut_off)?;
            let length = u32::from_le_bytes(*length) as usize;
            let (word, rest) = rest.split_at_checked(length).ok_or_else(cut_off)?;
            self.text.push_str(std::str::from_utf8(word).map_err(|_| Fault::new("a name that is not text"))?);
            self.ends.push(self.text.len());
            bytes = rest;
        }
        Ok(())
    }
}

/// A number as Parquet writes it.
pub trait Number: Copy {
    const PHYSICAL: PhysicalType;
    const BYTES: usize;
    fn of(bytes: &[u8]) -> Self;
}

impl Number for u32 {
    const PHYSICAL: PhysicalType = PhysicalType::Int32;
    const BYTES: usize = 4;

    fn of(bytes: &[u8]) -> Self {
        u32::from_le_bytes(bytes.try_into().unwrap_or_default())
    }
}

impl Number for i64 {
    const PHYSICAL: PhysicalType = PhysicalType::Int64;
    const BYTES: usize = 8;

    fn of(bytes: &[u8]) -> Self {
        i64::from_le_bytes(bytes.try_into().unwrap_or_default())
    }
}

impl Number for f64 {
    const PHYSICAL: PhysicalType = PhysicalType::Double;
    const BYTES: usize = 8;

    fn of(bytes: &[u8]) -> Self {
        f64::from_le_bytes(bytes.try_into().unwrap_or_default())
    }
}

pub fn names(bytes: Vec<u8>, column: &ColumnChunkMetadata, rows: usize) -> Result<Names, Fault> {
    expect(column, PhysicalType::ByteArray)?;
    let mut names = Names::default();
    names.codes.reserve_exact(rows);
    each_page(bytes, column, rows, |page| match page {
        Page::Dictionary { bytes, count } => names.read_words(bytes, count),
        Page::Places { bytes, count } => places(bytes, count, &mut names.codes),
        // A writer that found a dictionary not worth it: every row has a word of its own.
        Page::Plain { bytes, count } => {
            let first = names.ends.len();
            names.read_words(bytes, count)?;
            let last = u32::try_from(names.ends.len()).map_err(|_| Fault::new("too many names"))?;
            names.codes.extend(first as u32..last);
            Ok(())
        }
    })?;
    let known = names.ends.len();
    check_rows(names.codes.len(), rows)?;
    match names.codes.iter().max() {
        Some(highest) if *highest as usize >= known => Err(Fault::new("a name that its dictionary does not have")),
        _ => Ok(names),
    }
}

/// Numbers of stages, processes and the like. Ours have 32 bits; a file that went through other hands can have 64.
pub fn counts(bytes: Vec<u8>, column: &ColumnChunkMetadata, rows: usize) -> Result<Vec<u32>, Fault> {
    if column.physical_type() != PhysicalType::Int64 {
        return numbers(bytes, column, rows);
    }
    let wide: Vec<i64> = numbers(bytes, column, rows)?;
    let narrow = |value: i64| u32::try_from(value).map_err(|_| Fault::new(format!("the number {value}")));
    wide.into_iter().map(narrow).collect()
}

pub fn numbers<T: Number>(bytes: Vec<u8>, column: &ColumnChunkMetadata, rows: usize) -> Result<Vec<T>, Fault> {
    expect(column, T::PHYSICAL)?;
    let (mut dictionary, mut codes): (Vec<T>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut values: Vec<T> = Vec::with_capacity(rows);
    each_page(bytes, column, rows, |page| match page {
        Page::Dictionary { bytes, count } => plain(bytes, count, &mut dictionary),
        Page::Plain { bytes, count } => plain(bytes, count, &mut values),
        Page::Places { bytes, count } => {
            codes.clear();
            places(bytes, count, &mut codes)?;
            let unknown = || Fault::new("a value that its dictionary does not have");
            for code in &codes {
                values.push(*dictionary.get(*code as usize).ok_or_else(unknown)?);
            }
            Ok(())
        }
    })?;
    check_rows(values.len(), rows)?;
    Ok(values)
}

/// What a page holds.
enum Page<'a> {
    Dictionary {
        bytes: &'a [u8],
        count: usize,
    },
    /// Values as they are.
    Plain {
        bytes: &'a [u8],
        count: usize,
    },
    /// Where in the dictionary the values are.
    Places {
        bytes: &'a [u8],
        count: usize,
    },
}

fn each_page(
    bytes: Vec<u8>,
    column: &ColumnChunkMetadata,
    rows: usize,
    mut read: impl FnMut(Page<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let reader = PageReader::new(Cursor::new(Buffer::from_vec(bytes)), column, Vec::new(), LARGEST_PAGE);
    let mut pages = BasicDecompressor::new(reader, Vec::new());
    if let Some(dictionary) = pages.read_dict_page()? {
        read(Page::Dictionary { bytes: &dictionary.buffer, count: dictionary.num_values })?;
    }
    let mut seen = 0;
    while let Some(page) = pages.next() {
        let page = page?;
        seen += page.num_values();
        if seen > rows || page.page().uncompressed_size() > LARGEST_PAGE {
            return Err(Fault::new("more values than it has rows"));
        }
        let page = page.decompress(&mut pages)?;
        read(contents(&page)?)?;
        pages.reuse_page_buffer(page);
    }
    Ok(())
}

fn contents(page: &DataPage) -> Result<Page<'_>, Fault> {
    let count = page.num_values();
    let (levels, bytes) = split(page)?;
    if page.descriptor.max_rep_level > 0 {
        return Err(Fault::new("lists instead of values"));
    }
    if page.descriptor.max_def_level > 0 {
        check_presence(levels, count)?;
    }
    match page.encoding() {
        Encoding::Plain => Ok(Page::Plain { bytes, count }),
        Encoding::PlainDictionary | Encoding::RleDictionary => Ok(Page::Places { bytes, count }),
        other => Err(Fault::new(format!("the encoding {other:?}, which parade does not read"))),
    }
}

/// The levels that tell which values are there, and the values.
fn split(page: &DataPage) -> Result<(&[u8], &[u8]), Fault> {
    let bytes = page.buffer();
    match page.header() {
        DataPageHeader::V1(_) if page.descriptor.max_def_level == 0 => Ok((&[], bytes)),
        DataPageHeader::V1(_) => {
            let (length, rest) = bytes.split_first_chunk().ok_or_else(cut_off)?;
            rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(cut_off)
        }
        DataPageHeader::V2(header) => {
            let length = usize::try_from(header.definition_levels_byte_length).map_err(|_| cut_off())?;
            bytes.split_at_checked(length).ok_or_else(cut_off)
        }
    }
}

/// Every value must be there.
fn check_presence(levels: &[u8], count: usize) -> Result<(), Fault> {
    if hybrid::is_one_run(levels, 1, count, 1) {
        return Ok(());
    }
    let mut present = Vec::with_capacity(count);
    hybrid::decode(levels, 1, count, &mut present)?;
    if present.contains(&0) { Err(Fault::new("empty cells")) } else { Ok(()) }
}

fn places(bytes: &[u8], count: usize, into: &mut Vec<u32>) -> Result<(), Fault> {
    let (width, packed) = bytes.split_first().ok_or_else(cut_off)?;
    hybrid::decode(packed, u32::from(*width), count, into)
}

fn plain<T: Number>(bytes: &[u8], count: usize, into: &mut Vec<T>) -> Result<(), Fault> {
    let bytes = count.checked_mul(T::BYTES).and_then(|length| bytes.get(..length)).ok_or_else(cut_off)?;
    into.extend(bytes.chunks_exact(T::BYTES).map(T::of));
    Ok(())
}

fn expect(column: &ColumnChunkMetadata, wanted: PhysicalType) -> Result<(), Fault> {
    let found = column.physical_type();
    if found == wanted { Ok(()) } else { Err(Fault::new(format!("values of the type {found:?}, not {wanted:?}"))) }
}

fn check_rows(found: usize, wanted: usize) -> Result<(), Fault> {
    if found == wanted { Ok(()) } else { Err(Fault::new(format!("{found} values for {wanted} rows"))) }
}

fn cut_off() -> Fault {
    Fault::new("a page that ends too early")
}
