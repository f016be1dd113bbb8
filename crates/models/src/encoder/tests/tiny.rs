//! A small model in a file of its own, with a plain float reading of it.

use std::{cell::RefCell, collections::BTreeMap};

use rten_onnx::onnx::{DataType, GraphProto, ModelProto, NodeProto, TensorProto};

use super::Dice;

pub(super) const HIDDEN: usize = 64;
pub(super) const WIDE: usize = 128;
pub(super) const LAYERS: usize = 2;
pub(super) const VOCABULARY: usize = 50;
pub(super) const POSITIONS: usize = 70;
const HEADS: usize = HIDDEN / 32;
const PARTS: [(&str, usize, usize); 6] = [
    ("attention.self.query", HIDDEN, HIDDEN),
    ("attention.self.key", HIDDEN, HIDDEN),
    ("attention.self.value", HIDDEN, HIDDEN),
    ("attention.output.dense", HIDDEN, HIDDEN),
    ("intermediate.dense", HIDDEN, WIDE),
    ("output.dense", WIDE, HIDDEN),
];

pub(super) struct Tiny {
    /// As a file would hold it; tests spoil it.
    pub(super) graph: GraphProto,
    floats: BTreeMap<String, Vec<f32>>,
}

impl Tiny {
    pub(super) fn roll() -> Self {
        let mut made = Self { graph: GraphProto::default(), floats: BTreeMap::new() };
        let mut dice = Dice::new(7);
        made.add_table(&mut dice);
        made.add_floats("embeddings.position_embeddings.weight", &[POSITIONS, HIDDEN], &mut dice, 0.3);
        made.add_floats("types", &[2, HIDDEN], &mut dice, 0.3);
        made.add_norm("embeddings.LayerNorm", &mut dice);
        for layer in 0..LAYERS {
            for (part, depth, width) in PARTS {
                made.add_dense(layer, part, [depth, width], &mut dice);
            }
            made.add_norm(&format!("encoder.layer.{layer}.attention.output.LayerNorm"), &mut dice);
            made.add_norm(&format!("encoder.layer.{layer}.output.LayerNorm"), &mut dice);
        }
        made
    }

    /// For as long as the tests run.
    pub(super) fn file(&self) -> &'static [u8] {
        let file = ModelProto { graph: Some(self.graph.clone()), ..ModelProto::default() }.write_buf();
        file.expect("a model is written").leak()
    }

    pub(super) fn tensor(&mut self, name: &str) -> &mut TensorProto {
        let own = |tensor: &&mut TensorProto| tensor.name.as_deref() == Some(name);
        self.graph.initializer.iter_mut().find(own).expect("a tensor of this name")
    }

    fn add(&mut self, name: &str, sizes: &[usize], sort: DataType, bytes: Vec<u8>) {
        self.graph.initializer.push(TensorProto {
            name: Some(name.to_owned()),
            dims: sizes.iter().map(|size| *size as i64).collect(),
            data_type: Some(sort),
            raw_data: Some(RefCell::new(bytes)),
            ..TensorProto::default()
        });
    }

    fn keep(&mut self, name: &str, sizes: &[usize], floats: Vec<f32>) {
        self.add(name, sizes, DataType::FLOAT, floats.iter().flat_map(|float| float.to_le_bytes()).collect());
        self.floats.insert(name.to_owned(), floats);
    }

    fn add_floats(&mut self, name: &str, sizes: &[usize], dice: &mut Dice, size: f32) {
        let floats = (0..sizes.iter().product()).map(|_| dice.float() * size).collect();
        self.keep(name, sizes, floats);
    }

    fn add_norm(&mut self, name: &str, dice: &mut Dice) {
        let gains = (0..HIDDEN).map(|_| 1.0 + 0.3 * dice.float()).collect();
        self.keep(&format!("{name}.weight"), &[HIDDEN], gains);
        self.add_floats(&format!("{name}.bias"), &[HIDDEN], dice, 0.3);
    }

    fn add_table(&mut self, dice: &mut Dice) {
        let bytes: Vec<u8> = (0..VOCABULARY * HIDDEN).map(|_| dice.next() as u8).collect();
        let scales: Vec<f32> = (0..VOCABULARY).map(|_| 0.005 + 0.004 * dice.float()).collect();
        let value = |at: usize| f32::from(bytes[at].cast_signed()) * scales[at / HIDDEN];
        self.floats.insert("words".to_owned(), (0..bytes.len()).map(value).collect());
        self.add("word_table", &[VOCABULARY, HIDDEN], DataType::INT8, bytes);
        self.keep("word_scale", &[VOCABULARY, 1], scales);
    }

    fn add_dense(&mut self, layer: usize, part: &str, sizes: [usize; 2], dice: &mut Dice) {
        let [depth, width] = sizes;
        let bytes: Vec<u8> =
            (0..depth * width).map(|_| ((dice.below(129) as i32 - 64) as i8).cast_unsigned()).collect();
        let scales: Vec<f32> = (0..width).map(|_| 0.003 + 0.001 * dice.float()).collect();
        let value = |at: usize| f32::from(bytes[at].cast_signed()) * scales[at % width];
        self.floats.insert(format!("{layer}.{part}"), (0..bytes.len()).map(value).collect());
        let name = format!("matrix-{layer}-{part}");
        self.add(&format!("{name}_quantized"), &sizes, DataType::INT8, bytes);
        self.add(&format!("{name}_zero_point"), &[width], DataType::INT8, vec![0; width]);
        self.keep(&format!("{name}_scale"), &[width], scales);
        self.add_floats(&format!("encoder.layer.{layer}.{part}.bias"), &[width], dice, 0.2);
        self.graph.node.push(NodeProto {
            op_type: Some("MatMulInteger".to_owned()),
            name: Some(format!("/encoder/layer.{layer}/{}/MatMul_quant", part.replace('.', "/"))),
            input: vec!["states".to_owned(), format!("{name}_quantized")],
            ..NodeProto::default()
        });
    }

    /// The rows of a text in plain floats, as a textbook would have it.
    pub(super) fn plain(&self, ids: &[u32], second_at: usize) -> Vec<Vec<f32>> {
        let row = |name: &str, at: usize| self.floats[name][at * HIDDEN..(at + 1) * HIDDEN].to_vec();
        let first = ids.iter().enumerate().map(|(at, id)| {
            let word = row("words", *id as usize);
            let place =
                added(&row("embeddings.position_embeddings.weight", at), &row("types", usize::from(at >= second_at)));
            self.norm("embeddings.LayerNorm", &added(&word, &place))
        });
        let mut states: Vec<Vec<f32>> = first.collect();
        for layer in 0..LAYERS {
            let of = |part: &str, states: &[Vec<f32>]| states.iter().map(|row| self.times(layer, part, row)).collect();
            let [queries, keys, values]: [Vec<Vec<f32>>; 3] =
                ["query", "key", "value"].map(|part| of(&format!("attention.self.{part}"), &states));
            let context: Vec<Vec<f32>> = queries.iter().map(|query| attended(query, &keys, &values)).collect();
            let output: Vec<Vec<f32>> = of("attention.output.dense", &context);
            let name = format!("encoder.layer.{layer}.attention.output.LayerNorm");
            let middle: Vec<Vec<f32>> =
                states.iter().zip(&output).map(|(state, row)| self.norm(&name, &added(state, row))).collect();
            let wide: Vec<Vec<f32>> = of("intermediate.dense", &middle);
            let wide: Vec<Vec<f32>> = wide.iter().map(|row| row.iter().map(|x| gelu(*x)).collect()).collect();
            let output: Vec<Vec<f32>> = of("output.dense", &wide);
            let name = format!("encoder.layer.{layer}.output.LayerNorm");
            states = middle.iter().zip(&output).map(|(state, row)| self.norm(&name, &added(state, row))).collect();
        }
        states
    }

    fn norm(&self, name: &str, row: &[f32]) -> Vec<f32> {
        let mean = row.iter().sum::<f32>() / row.len() as f32;
        let spread = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / row.len() as f32;
        let (gains, shifts) = (&self.floats[&format!("{name}.weight")], &self.floats[&format!("{name}.bias")]);
        row.iter().zip(gains).zip(shifts).map(|((x, gain), shift)| (x - mean) / spread.sqrt() * gain + shift).collect()
    }

    fn times(&self, layer: usize, part: &str, row: &[f32]) -> Vec<f32> {
        let (matrix, bias) =
            (&self.floats[&format!("{layer}.{part}")], &self.floats[&format!("encoder.layer.{layer}.{part}.bias")]);
        let width = bias.len();
        (0..width)
            .map(|to| bias[to] + row.iter().enumerate().map(|(at, x)| x * matrix[at * width + to]).sum::<f32>())
            .collect()
    }
}

fn added(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn attended(query: &[f32], keys: &[Vec<f32>], values: &[Vec<f32>]) -> Vec<f32> {
    let mut out = Vec::new();
    for head in 0..HEADS {
        let own = head * 32..(head + 1) * 32;
        let score = |key: &Vec<f32>| {
            query[own.clone()].iter().zip(&key[own.clone()]).map(|(a, b)| a * b).sum::<f32>() / 32f32.sqrt()
        };
        let shares: Vec<f32> = keys.iter().map(|key| score(key).exp()).collect();
        let all: f32 = shares.iter().sum();
        for at in own {
            out.push(shares.iter().zip(values).map(|(share, value)| share / all * value[at]).sum());
        }
    }
    out
}

/// By the tangent, which is near enough here.
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + ((2.0 / std::f32::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
}
