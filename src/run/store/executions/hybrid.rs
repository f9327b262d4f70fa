//! Numbers of a few bits each, as Parquet writes the places of words in a dictionary: runs of one value, and packed ones in between.
//!
//! Nothing here trusts the bytes: what is too short or absurd is a [`Fault`], and never a panic.

use super::Fault;

/// Places of words take 32 bits at most.
const WIDEST: u32 = 32;

/// Appends `count` values of `width` bits.
pub fn decode(mut bytes: &[u8], width: u32, count: usize, into: &mut Vec<u32>) -> Result<(), Fault> {
    if width > WIDEST {
        return Err(Fault::new(format!("its values have {width} bits")));
    }
    let end = into.len() + count;
    if width == 0 {
        into.resize(end, 0);
        return Ok(());
    }
    while into.len() < end {
        let header = variable_length(&mut bytes)?;
        let left = end - into.len();
        match (header >> 1, header & 1) {
            (0, _) => return Err(Fault::new("a run of no values")),
            (length, 0) => {
                let value = run_value(&mut bytes, width)?;
                into.resize(into.len() + left.min(usize::try_from(length).unwrap_or(left)), value);
            }
            (groups, _) => unpack(&mut bytes, width, groups, left, into)?,
        }
    }
    Ok(())
}

/// Are these `count` values one run of `value`? It is the common case, told without decoding anything.
pub fn is_one_run(mut bytes: &[u8], width: u32, count: usize, value: u32) -> bool {
    let header = variable_length(&mut bytes).unwrap_or(1);
    header & 1 == 0 && header >> 1 >= count as u64 && run_value(&mut bytes, width).is_ok_and(|found| found == value)
}

fn variable_length(bytes: &mut &[u8]) -> Result<u64, Fault> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(cut_off)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Fault::new("a length that has no end"))
}

fn run_value(bytes: &mut &[u8], width: u32) -> Result<u32, Fault> {
    let (value, rest) = bytes.split_at_checked(width.div_ceil(8) as usize).ok_or_else(cut_off)?;
    *bytes = rest;
    Ok(value.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
}

/// Groups of eight values. The last group of a page may be cut short where its values are not needed.
fn unpack(bytes: &mut &[u8], width: u32, groups: u64, left: usize, into: &mut Vec<u32>) -> Result<(), Fault> {
    let values = usize::try_from(groups).ok().and_then(|groups| groups.checked_mul(8)).unwrap_or(usize::MAX).min(left);
    let needed = values.checked_mul(width as usize).map(|bits| bits.div_ceil(8)).ok_or_else(cut_off)?;
    let packed = bytes.get(..needed).ok_or_else(cut_off)?;
    let whole = usize::try_from(groups).unwrap_or(usize::MAX).saturating_mul(width as usize);
    *bytes = &bytes[whole.min(bytes.len())..];

    let mask = u64::MAX >> (64 - width);
    let value = |window: [u8; 8], bit: usize| (u64::from_le_bytes(window) >> (bit % 8) & mask) as u32;
    // Up to here every value lies in eight bytes that are there.
    let safe = (needed.saturating_sub(8) * 8 / width as usize).min(values);
    into.extend((0..safe).map(|at| {
        let bit = at * width as usize;
        let window = packed.get(bit / 8..bit / 8 + 8).and_then(|window| window.try_into().ok());
        value(window.unwrap_or_default(), bit)
    }));
    into.extend((safe..values).map(|at| {
        let bit = at * width as usize;
        let rest = packed.get(bit / 8..).unwrap_or_default();
        let mut window = [0; 8];
        let length = rest.len().min(8);
        window[..length].copy_from_slice(&rest[..length]);
        value(window, bit)
    }));
    Ok(())
}

fn cut_off() -> Fault {
    Fault::new("a page that ends too early")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(bytes: &[u8], width: u32, count: usize) -> Result<Vec<u32>, Fault> {
        let mut values = Vec::new();
        decode(bytes, width, count, &mut values).map(|()| values)
    }

    /// Runs and packed groups in turn, by the definition of the format.
    fn encoded(values: &[u32], width: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (part, chunk) in values.chunks(24).enumerate() {
            if part % 2 == 0 && chunk.iter().all(|value| *value == chunk[0]) {
                bytes.push((chunk.len() as u8) << 1);
                bytes.extend(&chunk[0].to_le_bytes()[..width.div_ceil(8) as usize]);
            } else {
                let groups = chunk.len().div_ceil(8);
                bytes.push((groups as u8) << 1 | 1);
                let bit = |at: usize| {
                    let value = chunk.get(at / width as usize).copied().unwrap_or(0);
                    (value >> (at % width as usize) & 1) as u8
                };
                let byte = |at: usize| (0..8).map(|offset| bit(at * 8 + offset) << offset).sum::<u8>();
                bytes.extend((0..groups * width as usize).map(byte));
            }
        }
        bytes
    }

    #[test]
    fn the_example_of_the_format_is_read() {
        let bytes = [0b11, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        assert_eq!(decoded(&bytes, 3, 8).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(decoded(&[10, 9], 4, 5).unwrap(), [9; 5]);
        assert_eq!(decoded(&[], 0, 3).unwrap(), [0; 3]);
        assert!(is_one_run(&[10, 9], 4, 5, 9));
        assert!(!is_one_run(&[10, 9], 4, 6, 9) && !is_one_run(&[10, 9], 4, 5, 8) && !is_one_run(&bytes, 3, 1, 0));
    }

    proptest! {
        #[test]
        fn what_was_packed_is_unpacked(width in 1u32..=32, seed in proptest::collection::vec(any::<(u32, bool)>(), 0..200)) {
            let mask = u32::MAX >> (32 - width);
            let mut values: Vec<u32> = Vec::new();
            for (value, is_long) in seed {
                values.extend(std::iter::repeat_n(value & mask, if is_long { 24 } else { 1 }));
            }
            prop_assert_eq!(decoded(&encoded(&values, width), width, values.len()).unwrap(), values);
        }

        #[test]
        fn any_bytes_give_values_or_a_fault(bytes in proptest::collection::vec(any::<u8>(), 0..60), width in 0u32..40) {
            if let Ok(values) = decoded(&bytes, width, 100) {
                prop_assert_eq!(values.len(), 100);
            }
        }
    }
}
