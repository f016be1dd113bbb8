//! What the file says of a layer → what the products read.

use super::{
    file::{Dense, File, Table},
    heads::HEAD,
    product::{Columns, lines},
};
use crate::kernels::{LANES, Line, Quads};

/// The sizes of a model, as its file has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Floats a token.
    pub hidden: usize,
    /// Layers.
    pub layers: usize,
    /// Floats a token between the two products at a layer's end.
    pub intermediate: usize,
    /// Tokens there are.
    pub vocabulary: usize,
    /// The longest text.
    pub positions: usize,
}

/// A matrix in panels.
pub(super) struct Linear {
    quads: Vec<Quads>,
    depth: usize,
    scales: Vec<Line>,
    sums: Vec<Line>,
    biases: Vec<Line>,
}

impl Linear {
    /// Several matrices of the same depth, side by side; none if they do not fit together.
    pub(super) fn beside(parts: &[Dense]) -> Option<Self> {
        let depth = parts.first()?.depth;
        let whole = |part: &Dense| part.depth == depth && part.width.is_multiple_of(LANES);
        if !depth.is_multiple_of(4) || !parts.iter().all(whole) {
            return None;
        }
        let mut made = Self {
            quads: Vec::with_capacity(parts.iter().map(|part| part.width / LANES * depth / 4).sum()),
            depth: depth / 4,
            scales: Vec::new(),
            sums: Vec::new(),
            biases: Vec::new(),
        };
        for part in parts {
            made.pack(part);
        }
        Some(made)
    }

    fn pack(&mut self, part: &Dense) {
        for panel in 0..part.width / LANES {
            let mut sums = [0i32; LANES];
            for rows in part.weights.chunks_exact(4 * part.width) {
                let mut step = Quads::ZERO;
                for (at, row) in rows.chunks_exact(part.width).enumerate() {
                    let own = row.as_chunks::<LANES>().0.get(panel).copied().unwrap_or_default();
                    for ((quad, sum), byte) in step.0.as_chunks_mut::<4>().0.iter_mut().zip(&mut sums).zip(own) {
                        let byte = byte.cast_signed();
                        *sum += i32::from(byte);
                        if let Some(place) = quad.get_mut(at) {
                            *place = byte;
                        }
                    }
                }
                self.quads.push(step);
            }
            self.sums.push(Line(sums.map(|sum| sum as f32)));
        }
        self.scales.extend(Line::all_of(&part.scales));
        self.biases.extend(Line::all_of(&part.biases));
    }

    pub(super) fn columns(&self) -> Columns<'_> {
        let Self { quads, depth, scales, sums, biases } = self;
        Columns { quads, depth: *depth, scales, sums, biases: Some(biases) }
    }

    /// Lines of output a row.
    pub(super) fn width(&self) -> usize {
        self.scales.len()
    }
}

/// What a layer norm multiplies with and adds.
pub(super) struct Norm {
    pub(super) gains: Vec<Line>,
    pub(super) shifts: Vec<Line>,
}

/// One layer.
pub(super) struct Layer {
    /// Queries, keys and values; queries already carry the root of the head's width.
    pub(super) attention: Linear,
    pub(super) output: Linear,
    pub(super) output_norm: Norm,
    pub(super) widening: Linear,
    pub(super) narrowing: Linear,
    pub(super) narrowing_norm: Norm,
}

/// Everything but the heads of a judge.
pub(super) struct Weights {
    pub(super) shape: Shape,
    pub(super) words: Table<'static>,
    pub(super) positions: Vec<Line>,
    /// One row for each type of token; none if all are of one type.
    pub(super) types: Vec<Line>,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
}

impl Weights {
    /// Reads and packs; none if the file lacks something or its sizes do not agree.
    pub(super) fn read(file: &File<'static>) -> Option<Self> {
        let words = file.table("word_table", "word_scale")?;
        let hidden = words.width;
        let vector =
            |name: &str, length: usize| Some(Line::all_of(&file.floats(name).filter(|found| found.len() == length)?));
        let norm = |name: &str| {
            let (gains, shifts) =
                (vector(&format!("{name}.weight"), hidden)?, vector(&format!("{name}.bias"), hidden)?);
            Some(Norm { gains, shifts })
        };
        if hidden == 0 || !hidden.is_multiple_of(HEAD) {
            return None;
        }
        let positions = file.floats("embeddings.position_embeddings.weight")?;
        let types = file.floats("types").unwrap_or_default();
        let whole = positions.len().is_multiple_of(hidden) && types.len().is_multiple_of(hidden);
        let names: Vec<String> =
            (0..).map(|at| format!("layer.{at}")).take_while(|name| file.has_layer(name)).collect();
        let layers: Vec<Layer> = read_layers(file, &names, &norm)?;
        let intermediate = layers.first()?.widening.width() * LANES;
        let fits = |layer: &Layer| {
            layer.attention.depth * 4 == hidden
                && layer.attention.width() == 3 * lines(hidden)
                && layer.output.depth * 4 == hidden
                && layer.output.width() == lines(hidden)
                && layer.widening.depth * 4 == hidden
                && layer.widening.width() == lines(intermediate)
                && layer.narrowing.depth * 4 == intermediate
                && layer.narrowing.width() == lines(hidden)
        };
        let shape = Shape {
            hidden,
            layers: layers.len(),
            intermediate,
            vocabulary: words.scales.len(),
            positions: positions.len() / hidden,
        };
        let norm = norm("embeddings.LayerNorm")?;
        (whole && layers.iter().all(fits)).then(|| Self {
            shape,
            words,
            positions: Line::all_of(&positions),
            types: Line::all_of(&types),
            norm,
            layers,
        })
    }
}

fn read_layers(file: &File<'_>, names: &[String], norm: &(impl Fn(&str) -> Option<Norm> + Sync)) -> Option<Vec<Layer>> {
    // Packing is most of the time it takes to load: half the layers each.
    let (first, second) = names.split_at(names.len() / 2);
    let read = |names: &[String]| names.iter().map(|name| read_layer(file, name, norm)).collect::<Option<Vec<Layer>>>();
    let (first, second) = std::thread::scope(|scope| {
        let other = scope.spawn(|| read(second));
        (read(first), other.join().ok().flatten())
    });
    let (mut first, second) = (first?, second?);
    first.extend(second);
    Some(first)
}

fn read_layer(file: &File<'_>, name: &str, norm: impl Fn(&str) -> Option<Norm>) -> Option<Layer> {
    let dense = |part: &str| file.dense(name, part);
    let mut query = dense("attention.self.query")?;
    let root = 1.0 / (HEAD as f32).sqrt();
    query.scales.iter_mut().chain(&mut query.biases).for_each(|value| *value *= root);
    Some(Layer {
        attention: Linear::beside(&[query, dense("attention.self.key")?, dense("attention.self.value")?])?,
        output: Linear::beside(&[dense("attention.output.dense")?])?,
        output_norm: norm(&format!("encoder.{name}.attention.output.LayerNorm"))?,
        widening: Linear::beside(&[dense("intermediate.dense")?])?,
        narrowing: Linear::beside(&[dense("output.dense")?])?,
        narrowing_norm: norm(&format!("encoder.{name}.output.LayerNorm"))?,
    })
}
