//! Parses the GGUF container: metadata and tensor positions.
//!
//! Every length in a file is checked against the available bytes before it is trusted.

use std::collections::HashMap;
use std::ops::Range;

/// Nested arrays deeper than this are not read.
const MAX_DEPTH: usize = 4;
/// Tensors start at multiples of this unless the file says otherwise.
const DEFAULT_ALIGNMENT: u64 = 32;

/// The content of a GGUF file.
#[derive(Debug)]
pub(crate) struct Container {
    /// Metadata by name.
    pub(crate) facts: HashMap<String, Fact>,
    /// Tensors by name.
    pub(crate) tensors: HashMap<String, TensorInfo>,
}

/// A metadata value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fact {
    /// Any integer type, and booleans as 0 and 1.
    Integer(i64),
    /// Either float type.
    Float(f64),
    /// Text; bytes that are not UTF-8 are replaced.
    Text(String),
    /// A list of facts.
    List(Vec<Fact>),
}

/// The position of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TensorInfo {
    /// Dimensions, the fastest-changing first.
    pub(crate) shape: Vec<usize>,
    /// The format's type number.
    pub(crate) kind: u32,
    /// Its first byte in the file.
    pub(crate) start: usize,
}

impl Container {
    /// Reads the header of a file.
    pub(crate) fn parse(file: &[u8]) -> Result<Self, String> {
        let mut reader = Reader { bytes: file, at: 0 };
        if reader.take(4)? != b"GGUF" {
            return Err("it does not begin with the letters GGUF".to_owned());
        }
        let version = reader.u32()?;
        if !(2..=3).contains(&version) {
            return Err(format!("its format version is {version}; 2 and 3 are known"));
        }
        let tensor_count = reader.count(24)?;
        let fact_count = reader.count(12)?;
        let mut facts = HashMap::with_capacity(fact_count);
        for _ in 0..fact_count {
            let name = reader.text()?;
            let kind = reader.u32()?;
            facts.insert(name, reader.fact(kind, 0)?);
        }
        let mut infos = Vec::with_capacity(tensor_count);
        for _ in 0..tensor_count {
            let name = reader.text()?;
            let rank = reader.u32()?;
            if rank > 4 {
                return Err(format!("tensor {name} has {rank} dimensions"));
            }
            let shape = (0..rank).map(|_| reader.size()).collect::<Result<Vec<_>, _>>()?;
            let kind = reader.u32()?;
            infos.push((name, shape, kind, reader.u64()?));
        }
        let alignment = match facts.get("general.alignment") {
            Some(Fact::Integer(n)) => u64::try_from(*n).ok().filter(|n| n.is_power_of_two()),
            Some(Fact::Float(_) | Fact::Text(_) | Fact::List(_)) => None,
            None => Some(DEFAULT_ALIGNMENT),
        }
        .ok_or("its alignment is not a power of two")?;
        let data = (reader.at as u64).next_multiple_of(alignment);
        let mut tensors = HashMap::with_capacity(tensor_count);
        for (name, shape, kind, offset) in infos {
            let start = data.checked_add(offset).and_then(|at| usize::try_from(at).ok());
            let start = start.filter(|at| *at <= file.len());
            let start =
                start.ok_or_else(|| format!("tensor {name} lies behind the end: the file is cut short"))?;
            tensors.insert(name, TensorInfo { shape, kind, start });
        }
        Ok(Self { facts, tensors })
    }

    /// A whole number of the header.
    pub(crate) fn integer(&self, name: &str) -> Result<usize, String> {
        match self.facts.get(name) {
            Some(Fact::Integer(n)) => usize::try_from(*n).map_err(|_| format!("{name} is negative")),
            Some(Fact::Float(_) | Fact::Text(_) | Fact::List(_)) => {
                Err(format!("{name} is not a whole number"))
            }
            None => Err(format!("it does not say {name}")),
        }
    }

    /// A number of the header.
    pub(crate) fn float(&self, name: &str) -> Result<f32, String> {
        match self.facts.get(name) {
            Some(Fact::Float(n)) => Ok(*n as f32),
            Some(Fact::Integer(_) | Fact::Text(_) | Fact::List(_)) => Err(format!("{name} is not a number")),
            None => Err(format!("it does not say {name}")),
        }
    }

    /// A text of the header.
    pub(crate) fn text(&self, name: &str) -> Result<&str, String> {
        match self.facts.get(name) {
            Some(Fact::Text(text)) => Ok(text),
            Some(Fact::Integer(_) | Fact::Float(_) | Fact::List(_)) => Err(format!("{name} is not text")),
            None => Err(format!("it does not say {name}")),
        }
    }

    /// A list of the header.
    pub(crate) fn list(&self, name: &str) -> Result<&[Fact], String> {
        match self.facts.get(name) {
            Some(Fact::List(list)) => Ok(list),
            Some(Fact::Integer(_) | Fact::Float(_) | Fact::Text(_)) => Err(format!("{name} is not a list")),
            None => Err(format!("it does not say {name}")),
        }
    }
}

impl TensorInfo {
    /// The bytes of the tensor, if it takes `length` of them.
    pub(crate) fn range(&self, length: usize, file_length: usize) -> Option<Range<usize>> {
        let end = self.start.checked_add(length)?;
        (end <= file_length).then_some(self.start..end)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(length).ok_or("a length overflows")?;
        let taken = self.bytes.get(self.at..end).ok_or("its header ends early: the file is cut short")?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let taken = self.take(N)?;
        taken.first_chunk().copied().ok_or_else(|| "its header ends early".to_owned())
    }

    fn u32(&mut self) -> Result<u32, String> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, String> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn size(&mut self) -> Result<usize, String> {
        usize::try_from(self.u64()?).map_err(|_| "a size overflows".to_owned())
    }

    /// A count of items of at least `each` bytes, checked against the remaining bytes.
    fn count(&mut self, each: usize) -> Result<usize, String> {
        let count = self.size()?;
        let left = self.bytes.len().saturating_sub(self.at);
        if count > left / each.max(1) {
            return Err(format!("it claims {count} entries in {left} bytes"));
        }
        Ok(count)
    }

    fn text(&mut self) -> Result<String, String> {
        let length = self.size()?;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    fn fact(&mut self, kind: u32, depth: usize) -> Result<Fact, String> {
        Ok(match kind {
            0 | 7 => Fact::Integer(u8::from_le_bytes(self.array()?).into()),
            1 => Fact::Integer(i8::from_le_bytes(self.array()?).into()),
            2 => Fact::Integer(u16::from_le_bytes(self.array()?).into()),
            3 => Fact::Integer(i16::from_le_bytes(self.array()?).into()),
            4 => Fact::Integer(self.u32()?.into()),
            5 => Fact::Integer(i32::from_le_bytes(self.array()?).into()),
            6 => Fact::Float(f32::from_le_bytes(self.array()?).into()),
            8 => Fact::Text(self.text()?),
            9 if depth < MAX_DEPTH => {
                let kind = self.u32()?;
                let count = self.count(1)?;
                Fact::List((0..count).map(|_| self.fact(kind, depth + 1)).collect::<Result<_, _>>()?)
            }
            10 => Fact::Integer(i64::try_from(self.u64()?).map_err(|_| "a number overflows".to_owned())?),
            11 => Fact::Integer(i64::from_le_bytes(self.array()?)),
            12 => Fact::Float(f64::from_le_bytes(self.array()?)),
            other => return Err(format!("its header has a value of unknown type {other}")),
        })
    }
}
