//! An `.onnx` file of a BERT with int8 weights → its tensors by name, with their sizes checked.
//!
//! The graph in the file is not run: it only says which tensor belongs to which product.

use std::{borrow::Cow, collections::HashMap};

use super::wire::{Fields, Malformed, Value, number};

/// The largest byte a weight may have: two products of such must fit into 16 bits.
const WEIGHT_MAX: u8 = 64;

/// A file that has been read.
pub(crate) struct File<'a> {
    tensors: HashMap<&'a str, Tensor<'a>>,
    /// The weight of each product, by the product's name.
    products: HashMap<&'a str, &'a str>,
}

/// What a tensor's numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Sort {
    Float,
    Int8,
    #[default]
    Other,
}

/// As it lies in the file.
#[derive(Default)]
struct Tensor<'a> {
    name: &'a str,
    sort: Sort,
    sizes: Vec<u64>,
    bytes: Cow<'a, [u8]>,
}

/// A matrix of bytes with what a byte of each column is worth.
pub(super) struct Dense<'a> {
    /// Row after row, signed.
    pub(super) weights: &'a [u8],
    /// Rows.
    pub(super) depth: usize,
    /// Columns.
    pub(super) width: usize,
    pub(super) scales: Vec<f32>,
    pub(super) biases: Vec<f32>,
}

/// Rows of bytes with what a byte of each row is worth.
pub(super) struct Table<'a> {
    /// Row after row, signed.
    pub(super) bytes: &'a [u8],
    pub(super) width: usize,
    pub(super) scales: Vec<f32>,
}

impl<'a> File<'a> {
    /// Reads; none if it is no such file.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        Self::try_read(bytes).ok()
    }

    fn try_read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        const GRAPH: u64 = 7;
        const NODE: u64 = 1;
        const TENSOR: u64 = 5;
        let mut read = Self { tensors: HashMap::new(), products: HashMap::new() };
        let mut model = Fields::new(bytes);
        while let Some((field, value)) = model.next()? {
            let (GRAPH, Value::Bytes(graph)) = (field, value) else { continue };
            let mut graph = Fields::new(graph);
            while let Some((field, value)) = graph.next()? {
                match (field, value) {
                    (NODE, Value::Bytes(node)) => read.products.extend(product_of(node)?),
                    (TENSOR, Value::Bytes(tensor)) => {
                        let tensor = tensor_of(tensor)?;
                        read.tensors.insert(tensor.name, tensor);
                    }
                    _ => {}
                }
            }
        }
        Ok(read)
    }

    /// A tensor of floats.
    pub(crate) fn floats(&self, name: &str) -> Option<Vec<f32>> {
        let bytes = self.bytes(name, Sort::Float)?;
        let (floats, []) = bytes.as_chunks::<4>() else { return None };
        let floats: Vec<f32> = floats.iter().map(|float| f32::from_le_bytes(*float)).collect();
        floats.iter().all(|float| float.is_finite()).then_some(floats)
    }

    pub(super) fn table(&self, bytes: &str, scales: &str) -> Option<Table<'a>> {
        let [rows, width] = self.sizes(bytes)?;
        let scales = self.floats(scales).filter(|scales| scales.len() == rows)?;
        self.bytes(bytes, Sort::Int8)?;
        let Cow::Borrowed(bytes) = self.tensors.get(bytes)?.bytes else { return None };
        Some(Table { bytes, width, scales })
    }

    pub(super) fn has_layer(&self, layer: &str) -> bool {
        self.products.contains_key(product(layer, "output.dense").as_str())
    }

    /// The matrix of one product of a layer.
    pub(super) fn dense(&self, layer: &str, part: &str) -> Option<Dense<'_>> {
        let weight = self.products.get(product(layer, part).as_str())?;
        let name = weight.strip_suffix("_quantized")?;
        let (scale, nought) = (format!("{name}_scale"), format!("{name}_zero_point"));
        if self.bytes(&nought, Sort::Int8)?.iter().any(|byte| *byte != 0) {
            return None;
        }
        let [depth, width] = self.sizes(weight)?;
        let weights = self.bytes(weight, Sort::Int8)?;
        let of_width = |found: &Vec<f32>| found.len() == width;
        let scales = self.floats(&scale).filter(of_width)?;
        let biases = self.floats(&format!("encoder.{layer}.{part}.bias")).filter(of_width)?;
        // Whole chunks at a time: a loop that may end at any byte takes many times as long.
        let largest = |chunk: &[u8]| chunk.iter().fold(0, |most: u8, byte| most.max(byte.cast_signed().unsigned_abs()));
        let is_small = weights.chunks(4_096).all(|chunk| largest(chunk) <= WEIGHT_MAX);
        is_small.then_some(Dense { weights, depth, width, scales, biases })
    }

    fn sizes(&self, name: &str) -> Option<[usize; 2]> {
        let [rows, width] = self.tensors.get(name)?.sizes.as_slice() else { return None };
        Some([usize::try_from(*rows).ok()?, usize::try_from(*width).ok()?])
    }

    /// The bytes of a tensor of this sort, as many as its sizes say.
    fn bytes(&self, name: &str, sort: Sort) -> Option<&[u8]> {
        let tensor = self.tensors.get(name).filter(|tensor| tensor.sort == sort)?;
        let each = if sort == Sort::Float { 4 } else { 1 };
        let count = tensor.sizes.iter().try_fold(each, |product: u64, size| product.checked_mul(*size))?;
        (tensor.bytes.len() as u64 == count).then_some(&*tensor.bytes)
    }
}

fn product(layer: &str, part: &str) -> String {
    format!("/encoder/{layer}/{}/MatMul_quant", part.replace('.', "/"))
}

/// A node's name and its weight, if it is a product of bytes.
fn product_of(node: &[u8]) -> Result<Option<(&str, &str)>, Malformed> {
    const INPUT: u64 = 1;
    const NAME: u64 = 3;
    const OPERATION: u64 = 4;
    let (mut inputs, mut name, mut operation) = (Vec::new(), "", "");
    let mut fields = Fields::new(node);
    while let Some((field, value)) = fields.next()? {
        match (field, value) {
            (INPUT, Value::Bytes(value)) => inputs.push(text(value)?),
            (NAME, Value::Bytes(value)) => name = text(value)?,
            (OPERATION, Value::Bytes(value)) => operation = text(value)?,
            _ => {}
        }
    }
    Ok(match inputs.as_slice() {
        [_, weight, ..] if operation == "MatMulInteger" => Some((name, weight)),
        _ => None,
    })
}

fn tensor_of(message: &[u8]) -> Result<Tensor<'_>, Malformed> {
    const SIZE: u64 = 1;
    const SORT: u64 = 2;
    const FLOATS: u64 = 4;
    const INTS: u64 = 5;
    const NAME: u64 = 8;
    const RAW: u64 = 9;
    let mut tensor = Tensor::default();
    let mut fields = Fields::new(message);
    while let Some((field, value)) = fields.next()? {
        match (field, value) {
            (SIZE, Value::Number(size)) => tensor.sizes.push(size),
            (SIZE, Value::Bytes(sizes)) => tensor.sizes.extend(numbers(sizes)?),
            (SORT, Value::Number(1)) => tensor.sort = Sort::Float,
            (SORT, Value::Number(3)) => tensor.sort = Sort::Int8,
            (NAME, Value::Bytes(name)) => tensor.name = text(name)?,
            // Short tensors may be written out number by number, integers a byte too wide.
            (FLOATS | RAW, Value::Bytes(bytes)) => tensor.bytes = Cow::Borrowed(bytes),
            (INTS, Value::Bytes(ints)) => {
                tensor.bytes = numbers(ints)?.into_iter().map(|int| int as u8).collect::<Vec<u8>>().into();
            }
            _ => {}
        }
    }
    Ok(tensor)
}

fn numbers(mut packed: &[u8]) -> Result<Vec<u64>, Malformed> {
    let mut found = Vec::new();
    while !packed.is_empty() {
        found.push(number(&mut packed)?);
    }
    Ok(found)
}

fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|_| Malformed)
}
