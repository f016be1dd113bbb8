//! rten, which ran these files before.

use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueView};

use super::{Runtime, Setting};

struct Rten {
    model: Model,
    inputs: Vec<NodeId>,
    output: NodeId,
    pool: Arc<ThreadPool>,
}

pub(super) fn load(setting: Setting) -> anyhow::Result<Box<dyn Runtime>> {
    let model = ModelOptions::with_all_ops().prepack_weights(true).load_static_slice(setting.weights)?;
    let names: &[&str] = if setting.reads_pairs {
        &["input_ids", "attention_mask", "token_type_ids"]
    } else {
        &["input_ids", "attention_mask"]
    };
    let inputs = names.iter().map(|name| model.node_id(name)).collect::<Result<_, _>>()?;
    let output = model.node_id(if setting.reads_pairs { "span" } else { "last_hidden_state" })?;
    let pool = Arc::new(ThreadPool::with_num_threads(setting.threads));
    Ok(Box::new(Rten { model, inputs, output, pool }))
}

impl Runtime for Rten {
    fn name(&self) -> String {
        "rten".to_owned()
    }

    fn run(&mut self, texts: &[Vec<u32>]) -> anyhow::Result<()> {
        let length = texts.first().map_or(0, Vec::len);
        let ids: Vec<i32> = texts.iter().flatten().map(|id| i32::try_from(*id)).collect::<Result<_, _>>()?;
        let mask = vec![1i32; ids.len()];
        let types: Vec<i32> = (0..ids.len()).map(|at| i32::from(at % length >= length / 2)).collect();
        let mut inputs = Vec::new();
        for (node, values) in self.inputs.iter().zip([&ids, &mask, &types]) {
            let view = ValueView::from_shape([texts.len(), length], values.as_slice())?;
            inputs.push((*node, view.into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.pool)));
        let [_rows] = self.model.run_n(inputs, [self.output], Some(options))?;
        Ok(())
    }
}
