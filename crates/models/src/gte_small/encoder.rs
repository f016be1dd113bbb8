//! Token ids → one vector, by rten; several texts go to several threads, each alone.

use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueView};
use tokenizers::{Tokenizer, TruncationParams};
use vouch_domain::{Embedding, Fault, PortError};

use super::PORT;
use crate::workers::Workers;

const TOKENS_MAX: usize = 512;

pub(super) struct Encoder {
    model: Model,
    tokenizer: Tokenizer,
    input_ids: NodeId,
    attention_mask: NodeId,
    hidden_state: NodeId,
    workers: Workers,
}

impl Encoder {
    pub(super) fn load(weights: &'static [u8], tokenizer: &'static [u8], threads: usize) -> Result<Self, PortError> {
        let damaged = |what: &str| PortError::of(PORT, Fault::Corrupt, format!("the {what} is damaged"));
        // The two files are read side by side: each takes a good part of the start-up time.
        let (model, tokenizer) = std::thread::scope(|scope| {
            let reading = scope.spawn(|| Tokenizer::from_bytes(tokenizer));
            let model = ModelOptions::with_all_ops().prepack_weights(true).load_static_slice(weights);
            (model, reading.join())
        });
        let model = model.map_err(|error| damaged("embedder's weights").because(error))?;
        let mut tokenizer = tokenizer.ok().and_then(Result::ok).ok_or_else(|| damaged("embedder's tokenizer"))?;
        tokenizer.with_padding(None);
        let truncation = TruncationParams { max_length: TOKENS_MAX, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|_| damaged("embedder's tokenizer"))?;
        let node = |name: &str| model.node_id(name).map_err(|error| damaged("embedder's weights").because(error));
        Ok(Self {
            input_ids: node("input_ids")?,
            attention_mask: node("attention_mask")?,
            hidden_state: node("last_hidden_state")?,
            model,
            tokenizer,
            workers: Workers::of(threads),
        })
    }

    /// One vector a text, in order. A text alone, such as a question, has every thread to itself.
    pub(super) fn encode_all(&self, texts: &[String]) -> Result<Vec<Embedding>, PortError> {
        self.workers.each(texts, |text, pool| self.encode(text, pool)).into_iter().collect()
    }

    fn encode(&self, text: &str, pool: &Arc<ThreadPool>) -> Result<Embedding, PortError> {
        let failed = |what: &str| PortError::of(PORT, Fault::Internal, format!("a text could not be {what}"));
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|_| failed("tokenised"))?;
        let ids: Vec<i32> = encoding.get_ids().iter().map(|id| i32::try_from(*id).unwrap_or(0)).collect();
        let mask = vec![1i32; ids.len()];
        let view = |values| ValueView::from_shape([1, ids.len()], values).map_err(|_| failed("tokenised"));
        let inputs =
            vec![(self.input_ids, view(ids.as_slice())?.into()), (self.attention_mask, view(mask.as_slice())?.into())];
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let [hidden] = self
            .model
            .run_n(inputs, [self.hidden_state], Some(options))
            .map_err(|error| failed("embedded").because(error))?;
        let ([_, _, width], values) = hidden.into_shape_vec::<f32, 3>().map_err(|_| failed("embedded"))?;
        let mut pooled = vec![0f32; width];
        for token in values.chunks_exact(width.max(1)) {
            pooled.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
        }
        Embedding::normalised(pooled).ok_or_else(|| failed("embedded"))
    }
}
