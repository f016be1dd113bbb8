//! A file that is not such a model is refused, never half read.

use rten_onnx::onnx::DataType;

use super::{
    super::{Encoder, Shape},
    tiny::{HIDDEN, LAYERS, POSITIONS, Tiny, VOCABULARY, WIDE},
};
use crate::kernels::Path;

fn shape(tiny: &Tiny) -> Option<Shape> {
    Some(Encoder::read(tiny.file(), Path::PORTABLE)?.shape())
}

#[test]
fn sizes_come_from_the_file() {
    let truth =
        Shape { hidden: HIDDEN, layers: LAYERS, intermediate: WIDE, vocabulary: VOCABULARY, positions: POSITIONS };
    assert_eq!(shape(&Tiny::roll()), Some(truth));
}

#[test]
fn sizes_that_do_not_agree_are_refused() {
    let names = [
        "word_table",
        "word_scale",
        "embeddings.LayerNorm.weight",
        "encoder.layer.1.output.LayerNorm.bias",
        "encoder.layer.0.attention.self.key.bias",
        "matrix-1-intermediate.dense_quantized",
        "matrix-0-output.dense_scale",
        "matrix-0-attention.self.value_zero_point",
    ];
    for name in names.into_iter().step_by(if cfg!(miri) { 4 } else { 1 }) {
        for spoil in 0..4 {
            let mut tiny = Tiny::roll();
            let tensor = tiny.tensor(name);
            let bytes = tensor.raw_data.clone().expect("bytes").into_inner();
            match spoil {
                0 => tensor.raw_data = Some(bytes[..bytes.len() - 4].to_vec().into()),
                1 => tensor.dims.iter_mut().for_each(|size| *size += 1),
                2 => tensor.data_type = Some(DataType::INT64),
                _ => tensor.dims = vec![-1, i64::MAX, i64::MAX],
            }
            assert_eq!(shape(&tiny), None, "{name} spoilt in way {spoil}");
        }
    }
}

#[test]
fn a_tensor_or_a_product_that_is_missing_is_missed() {
    let count = Tiny::roll().graph.initializer.len();
    for at in (0..count).step_by(if cfg!(miri) { 25 } else { 1 }) {
        let mut tiny = Tiny::roll();
        let gone = tiny.graph.initializer.remove(at);
        // Where no types are told apart the file has none.
        let may_go = gone.name.as_deref() == Some("types");
        assert_eq!(shape(&tiny).is_some(), may_go, "{:?}", gone.name);
    }
    let mut tiny = Tiny::roll();
    tiny.graph.node.clear();
    assert_eq!(shape(&tiny), None);
}

#[test]
fn numbers_no_kernel_can_take_are_refused() {
    let mut tiny = Tiny::roll();
    tiny.tensor("matrix-0-attention.self.key_quantized").raw_data.as_ref().expect("bytes").borrow_mut()[7] = 65;
    assert_eq!(shape(&tiny), None, "a weight of eight bits would overflow");
    let mut tiny = Tiny::roll();
    tiny.tensor("matrix-0-attention.self.key_zero_point").raw_data.as_ref().expect("bytes").borrow_mut()[0] = 1;
    assert_eq!(shape(&tiny), None, "weights must be even about nought");
    let mut tiny = Tiny::roll();
    let nan = f32::NAN.to_le_bytes();
    tiny.tensor("embeddings.LayerNorm.weight").raw_data.as_ref().expect("bytes").borrow_mut()[..4]
        .copy_from_slice(&nan);
    assert_eq!(shape(&tiny), None, "no number");
}

#[test]
fn a_file_cut_short_is_refused() {
    let file = Tiny::roll().file();
    for end in (0..file.len()).step_by(if cfg!(miri) { 50_000 } else { 997 }) {
        assert!(Encoder::read(&file[..end], Path::PORTABLE).is_none(), "{end} of {} bytes", file.len());
    }
    assert!(Encoder::read(b"no model at all", Path::PORTABLE).is_none());
}
