//! The judge's heads: rows of the encoder → what they say, as logits.

use crate::{
    encoder::{File, approximate::gelu},
    kernels::{LANES, Lanes, Line, Path, Task},
};

/// What the heads say of one window, as logits.
#[derive(Debug, Clone)]
pub(super) struct Scores {
    pub(super) answerable: f32,
    pub(super) relevant: f32,
    /// Supported, contradicted, silent.
    pub(super) support: [f32; 3],
    /// Start and end, for every token of the window.
    pub(super) span: Vec<f32>,
}

pub(super) struct Heads {
    path: Path,
    answerable: Head,
    relevant: Head,
    support: Head,
    /// Start and end, each over all floats of a token.
    span: [Vec<Line>; 2],
    span_bias: [f32; 2],
}

/// Two products with a GELU between them, of the first token alone.
struct Head {
    /// For every float of the token, what it adds to each inner one.
    inner: Vec<Line>,
    inner_bias: Vec<Line>,
    /// For every output, what each inner float adds to it.
    outer: Vec<Vec<Line>>,
    outer_bias: Vec<f32>,
}

impl Heads {
    pub(super) fn read(file: &File, hidden: usize, path: Path) -> Option<Self> {
        let span = columns(&file.floats("span.weight")?, hidden)?;
        Some(Self {
            path,
            answerable: Head::read(file, "answerable", hidden, 1)?,
            relevant: Head::read(file, "relevant", hidden, 1)?,
            support: Head::read(file, "support", hidden, 3)?,
            span: span.try_into().ok()?,
            span_bias: file.floats("span.bias")?.try_into().ok()?,
        })
    }

    /// Of one window's rows.
    pub(super) fn score(&self, rows: &[Line]) -> Option<Scores> {
        let [starts, ends] = &self.span;
        let first = rows.get(..starts.len())?;
        let mut span = Vec::with_capacity(2 * rows.len() / starts.len());
        for row in rows.chunks_exact(starts.len()) {
            for (columns, bias) in [starts, ends].into_iter().zip(self.span_bias) {
                span.push(dot(self.path, row, columns) + bias);
            }
        }
        Some(Scores {
            answerable: self.answerable.say(self.path, first).first().copied()?,
            relevant: self.relevant.say(self.path, first).first().copied()?,
            support: self.support.say(self.path, first).try_into().ok()?,
            span,
        })
    }
}

impl Head {
    fn read(file: &File, name: &str, hidden: usize, outputs: usize) -> Option<Self> {
        let tensor = |part: &str| file.floats(&format!("{name}.{part}"));
        let (inner, inner_bias) = (tensor("inner.weight")?, tensor("inner.bias")?);
        let width = inner_bias.len();
        let outer_bias = tensor("outer.bias")?;
        let fits = width.is_multiple_of(LANES) && inner.len() == hidden * width && outer_bias.len() == outputs;
        fits.then_some(Self {
            inner: Line::all_of(&inner),
            inner_bias: Line::all_of(&inner_bias),
            outer: columns(&tensor("outer.weight")?, width).filter(|columns| columns.len() == outputs)?,
            outer_bias,
        })
    }

    fn say(&self, path: Path, token: &[Line]) -> Vec<f32> {
        let mut inner = self.inner_bias.clone();
        path.run(Inner { token, weights: &self.inner, out: &mut inner });
        self.outer.iter().zip(&self.outer_bias).map(|(columns, bias)| dot(path, &inner, columns) + bias).collect()
    }
}

/// A token times a matrix, added to what is there, and its GELU.
struct Inner<'a> {
    token: &'a [Line],
    weights: &'a [Line],
    out: &'a mut [Line],
}

impl Task for Inner<'_> {
    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) {
        let floats = self.token.iter().flat_map(|line| line.0);
        for (float, row) in floats.zip(self.weights.chunks_exact(self.out.len())) {
            let float = lanes.splat(float);
            for (out, weights) in self.out.iter_mut().zip(row) {
                lanes.store(lanes.mul_add(float, lanes.load(weights), lanes.load(out)), out);
            }
        }
        for out in self.out {
            lanes.store(gelu(lanes, lanes.load(out)), out);
        }
    }
}

/// The sum of the products of two rows.
struct Dot<'a> {
    a: &'a [Line],
    b: &'a [Line],
    out: &'a mut f32,
}

impl Task for Dot<'_> {
    #[inline(always)]
    fn on<L: Lanes>(self, lanes: L) {
        let mut sum = lanes.splat(0.0);
        for (a, b) in self.a.iter().zip(self.b) {
            sum = lanes.mul_add(lanes.load(a), lanes.load(b), sum);
        }
        *self.out = lanes.sum(sum);
    }
}

fn dot(path: Path, a: &[Line], b: &[Line]) -> f32 {
    let mut out = 0.0;
    path.run(Dot { a, b, out: &mut out });
    out
}

/// The columns of a matrix of so many rows, each in lines.
fn columns(matrix: &[f32], rows: usize) -> Option<Vec<Vec<Line>>> {
    let width = matrix.len().checked_div(rows)?;
    if width == 0 || matrix.len() != rows * width || !rows.is_multiple_of(LANES) {
        return None;
    }
    let column = |at: usize| Line::all_of(&matrix.iter().skip(at).step_by(width).copied().collect::<Vec<f32>>());
    Some((0..width).map(column).collect())
}
