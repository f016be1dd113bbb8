//! An `.onnx` file of a BERT with int8 weights → its tensors by name, with their sizes checked.
//!
//! The graph in the file is not run: it only says which tensor belongs to which product.

use std::collections::HashMap;

use rten_onnx::onnx::{DataType, ModelProto};

/// The largest byte a weight may have: two products of such must fit into 16 bits.
const WEIGHT_MAX: i8 = 64;

/// A file that has been read.
pub(crate) struct File {
    tensors: HashMap<String, Tensor>,
    /// The weight of each product, by the product's name.
    products: HashMap<String, String>,
}

/// As it lies in the file.
struct Tensor {
    sort: DataType,
    sizes: Vec<usize>,
    bytes: Vec<u8>,
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
pub(super) struct Table {
    /// Row after row, signed.
    pub(super) bytes: Vec<u8>,
    pub(super) width: usize,
    pub(super) scales: Vec<f32>,
}

impl File {
    /// Reads; none where it is no such file.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let graph = ModelProto::parse_buf(bytes).ok()?.graph?;
        let mut products = HashMap::new();
        for node in graph.node {
            if let (Some("MatMulInteger"), Some(name), [_, weight, ..]) =
                (node.op_type.as_deref(), node.name, node.input.as_slice())
            {
                products.insert(name, weight.clone());
            }
        }
        let mut tensors = HashMap::new();
        for tensor in graph.initializer {
            let sizes = tensor.dims.iter().map(|size| usize::try_from(*size).ok()).collect::<Option<Vec<usize>>>()?;
            // Short tensors may be written out number by number.
            let bytes = match tensor.raw_data {
                Some(bytes) => bytes.into_inner(),
                None if tensor.data_type == Some(DataType::FLOAT) => {
                    tensor.float_data.iter().flat_map(|float| float.to_le_bytes()).collect()
                }
                None => tensor.int32_data.iter().flat_map(|int| int.to_le_bytes().into_iter().take(1)).collect(),
            };
            if let (Some(name), Some(sort)) = (tensor.name, tensor.data_type) {
                tensors.insert(name, Tensor { sort, sizes, bytes });
            }
        }
        Some(Self { tensors, products })
    }

    /// A tensor of floats.
    pub(crate) fn floats(&self, name: &str) -> Option<Vec<f32>> {
        let bytes = self.bytes(name, DataType::FLOAT)?;
        let (floats, []) = bytes.as_chunks::<4>() else { return None };
        let floats: Vec<f32> = floats.iter().map(|float| f32::from_le_bytes(*float)).collect();
        floats.iter().all(|float| float.is_finite()).then_some(floats)
    }

    /// Takes a table out.
    pub(super) fn table(&mut self, bytes: &str, scales: &str) -> Option<Table> {
        let [rows, width] = self.sizes(bytes)?;
        let scales = self.floats(scales).filter(|scales| scales.len() == rows)?;
        self.bytes(bytes, DataType::INT8)?;
        let bytes = self.tensors.remove(bytes)?.bytes;
        Some(Table { bytes, width, scales })
    }

    pub(super) fn has_layer(&self, layer: &str) -> bool {
        self.products.contains_key(&product(layer, "output.dense"))
    }

    /// The matrix of one product of a layer.
    pub(super) fn dense(&self, layer: &str, part: &str) -> Option<Dense<'_>> {
        let weight = self.products.get(&product(layer, part))?;
        let name = weight.strip_suffix("_quantized")?;
        let (scale, nought) = (format!("{name}_scale"), format!("{name}_zero_point"));
        if self.bytes(&nought, DataType::INT8)?.iter().any(|byte| *byte != 0) {
            return None;
        }
        let [depth, width] = self.sizes(weight)?;
        let weights = self.bytes(weight, DataType::INT8)?;
        let of_width = |found: &Vec<f32>| found.len() == width;
        let scales = self.floats(&scale).filter(of_width)?;
        let biases = self.floats(&format!("encoder.{layer}.{part}.bias")).filter(of_width)?;
        let is_small = weights.iter().all(|weight| (-WEIGHT_MAX..=WEIGHT_MAX).contains(&weight.cast_signed()));
        is_small.then_some(Dense { weights, depth, width, scales, biases })
    }

    fn sizes(&self, name: &str) -> Option<[usize; 2]> {
        self.tensors.get(name)?.sizes.as_slice().try_into().ok()
    }

    /// The bytes of a tensor of this sort, as many as its sizes say.
    fn bytes(&self, name: &str, sort: DataType) -> Option<&[u8]> {
        let tensor = self.tensors.get(name).filter(|tensor| tensor.sort == sort)?;
        let each = if sort == DataType::FLOAT { 4 } else { 1 };
        let count = tensor.sizes.iter().try_fold(each, |product: usize, size| product.checked_mul(*size))?;
        (tensor.bytes.len() == count).then_some(&tensor.bytes)
    }
}

fn product(layer: &str, part: &str) -> String {
    format!("/encoder/{layer}/{}/MatMul_quant", part.replace('.', "/"))
}
