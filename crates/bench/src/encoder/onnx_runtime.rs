//! ONNX Runtime, where its library lies on this machine.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use ort::{
    environment::Environment,
    session::{Session, builder::GraphOptimizationLevel},
    value::Tensor,
};

use super::{Runtime, Setting};

/// The library that was named, or that the usual variable names.
pub(super) fn library(named: Option<&Path>) -> Option<PathBuf> {
    let usual = || std::env::var_os("ORT_DYLIB_PATH").map(PathBuf::from);
    named.map(Path::to_path_buf).or_else(usual).filter(|path| path.is_file())
}

/// A library is loaded once.
static ENVIRONMENT: OnceLock<Result<Environment, String>> = OnceLock::new();

struct OnnxRuntime {
    session: Session,
    reads_pairs: bool,
}

pub(super) fn load(setting: Setting, library: &Path) -> anyhow::Result<Box<dyn Runtime>> {
    let environment = ENVIRONMENT.get_or_init(|| {
        let made = ort::init_from(library).map_err(|error| error.to_string());
        made.and_then(|builder| builder.build().map_err(|error| error.to_string()))
    });
    let environment = environment.as_ref().map_err(|error| anyhow::anyhow!("{}: {error}", library.display()))?;
    let wrong = |error: ort::Error<_>| anyhow::anyhow!("{error}");
    let builder = Session::builder(environment)?.with_intra_threads(setting.threads).map_err(wrong)?;
    let mut builder = builder.with_optimization_level(GraphOptimizationLevel::Level3).map_err(wrong)?;
    let session = builder.commit_from_memory(setting.weights)?;
    Ok(Box::new(OnnxRuntime { session, reads_pairs: setting.reads_pairs }))
}

impl Runtime for OnnxRuntime {
    fn name(&self) -> String {
        "onnxruntime".to_owned()
    }

    fn run(&mut self, texts: &[Vec<u32>]) -> anyhow::Result<()> {
        let length = texts.first().map_or(0, Vec::len);
        let ids: Vec<i64> = texts.iter().flatten().map(|id| i64::from(*id)).collect();
        let types: Vec<i64> = (0..ids.len()).map(|at| i64::from(at % length >= length / 2)).collect();
        let shape = [texts.len(), length];
        let mask = Tensor::from_array((shape, vec![1i64; ids.len()]))?;
        let ids = Tensor::from_array((shape, ids))?;
        if self.reads_pairs {
            let types = Tensor::from_array((shape, types))?;
            let names = ort::inputs! { "input_ids" => ids, "attention_mask" => mask, "token_type_ids" => types };
            self.session.run(names)?;
        } else {
            self.session.run(ort::inputs! { "input_ids" => ids, "attention_mask" => mask })?;
        }
        Ok(())
    }
}
