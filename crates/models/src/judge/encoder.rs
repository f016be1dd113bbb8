//! A window → the judge's raw scores, by rten, each window alone: int8 activations are scaled over everything that is
//! run together, so a neighbour would change the scores.

use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueView};
use tokenizers::Tokenizer;
use vouch_domain::{Fault, PortError};

use super::{
    PORT,
    window::{Window, windows},
};
use crate::workers::Workers;

pub(super) struct Encoder {
    model: Model,
    tokenizer: Tokenizer,
    inputs: [NodeId; 3],
    outputs: [NodeId; 4],
    pub(super) workers: Workers,
}

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

impl Encoder {
    pub(super) fn load(weights: &'static [u8], tokenizer: &'static [u8], threads: usize) -> Option<Self> {
        let (model, tokenizer) = std::thread::scope(|scope| {
            let reading = scope.spawn(|| Tokenizer::from_bytes(tokenizer));
            let model = ModelOptions::with_all_ops().prepack_weights(true).load_static_slice(weights);
            (model, reading.join())
        });
        let model = model.ok()?;
        let mut tokenizer = tokenizer.ok().and_then(Result::ok)?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).ok()?;
        let node = |name: &str| model.node_id(name).ok();
        Some(Self {
            inputs: [node("input_ids")?, node("attention_mask")?, node("token_type_ids")?],
            outputs: [node("answerable")?, node("relevant")?, node("support")?, node("span")?],
            model,
            tokenizer,
            workers: Workers::of(threads),
        })
    }

    pub(super) fn windows(&self, first: &str, second: &str) -> Result<Vec<Window>, PortError> {
        windows(&self.tokenizer, first, second)
    }

    pub(super) fn score(&self, window: &Window, pool: &Arc<ThreadPool>) -> Result<Scores, PortError> {
        let failed = || PortError::of(PORT, Fault::Internal, "a passage could not be judged");
        let mask = vec![1i32; window.ids.len()];
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for (node, values) in self.inputs.into_iter().zip([&window.ids, &mask, &window.types]) {
            let view = ValueView::from_shape([1, values.len()], values.as_slice()).map_err(|_| failed())?;
            inputs.push((node, view.into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let [answerable, relevant, support, span] =
            self.model.run_n(inputs, self.outputs, Some(options)).map_err(|error| failed().because(error))?;
        let one = |value: rten::Value| {
            let (_, values) = value.into_shape_vec::<f32, 2>().map_err(|_| failed())?;
            Ok::<Vec<f32>, PortError>(values)
        };
        let (_, span) = span.into_shape_vec::<f32, 3>().map_err(|_| failed())?;
        let first = |values: Vec<f32>| values.first().copied().ok_or_else(failed);
        Ok(Scores {
            answerable: first(one(answerable)?)?,
            relevant: first(one(relevant)?)?,
            support: one(support)?.try_into().map_err(|_| failed())?,
            span,
        })
    }
}
