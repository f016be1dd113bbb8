//! Where vectors are searched: one address, and figures that the engine takes.

use super::{
    super::{DenseEngine, DenseSettings, Settings},
    range::{SettingError, check_range},
};

const KEY: &str = "dense";

pub(super) fn check(settings: &Settings) -> Result<(), SettingError> {
    let Some(dense) = &settings.dense else { return Ok(()) };
    check_range("dense.connections_max", dense.connections_max, 2, 1_000)?;
    check_range("dense.timeout_ms", dense.timeout_ms, 10, 60_000)?;
    check_range("dense.write_timeout_ms", dense.write_timeout_ms, 1_000, 3_600_000)?;
    check_range("dense.candidates_min", dense.candidates_min.unwrap_or(10), 10, 8_000)?;
    check_range("dense.graph_rows_min", dense.graph_rows_min, 1, 1_000_000_000)?;
    check_range("dense.ef_search", dense.ef_search, 10, 1_000)?;
    check_range("dense.build_memory_mb", dense.build_memory_mb, 16, 1_048_576)?;
    check_range("dense.build_workers", dense.build_workers, 0, 64)?;
    check_range("dense.build_timeout_s", dense.build_timeout_s, 1, 7 * 86_400)?;
    check_range("dense.code_bits", dense.code_bits, 64, 8_192)?;
    if !dense.code_bits.is_multiple_of(64) {
        return Err(SettingError::new("dense.code_bits", "must be divisible by 64"));
    }
    check_place(dense, settings.store.postgres.is_some()).map_err(|sentence| SettingError::new(KEY, sentence))
}

fn check_place(dense: &DenseSettings, has_database: bool) -> Result<(), &'static str> {
    let addresses = usize::from(dense.url.is_some()) + usize::from(dense.url_variable.is_some());
    match dense.engine {
        DenseEngine::Embedded if addresses > 0 => Err("has an address, but the embedded engine needs none"),
        DenseEngine::Embedded => Ok(()),
        DenseEngine::Pgvector | DenseEngine::Milvus if addresses > 1 => {
            Err("needs one of url and url_variable, not both")
        }
        DenseEngine::Pgvector if addresses == 0 && !has_database => {
            Err("needs one of url and url_variable, or the database of store.postgres")
        }
        DenseEngine::Pgvector if dense.token_variable.is_some() => {
            Err("has a token_variable; user and password of a database are in its address")
        }
        DenseEngine::Milvus if addresses == 0 => Err("needs one of url and url_variable"),
        DenseEngine::Pgvector | DenseEngine::Milvus => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{DenseEngine, DenseSettings, Settings, check};

    fn wrong(dense: DenseSettings) -> Option<&'static str> {
        let settings = Settings { dense: Some(dense), ..Settings::default() };
        check(&settings).err().map(|error| error.key)
    }

    #[test]
    fn an_engine_needs_one_address_and_figures_it_can_use() {
        let milvus = || DenseSettings {
            engine: DenseEngine::Milvus,
            url: Some("http://127.0.0.1:19530".to_owned()),
            ..DenseSettings::default()
        };
        let pgvector = || DenseSettings { engine: DenseEngine::Pgvector, ..milvus() };
        assert_eq!(wrong(DenseSettings::default()), None);
        assert_eq!(wrong(milvus()), None);
        assert_eq!(wrong(pgvector()), None);
        assert_eq!(wrong(DenseSettings { engine: DenseEngine::Embedded, ..milvus() }), Some("dense"));
        assert_eq!(wrong(DenseSettings { url: None, ..milvus() }), Some("dense"));
        assert_eq!(wrong(DenseSettings { url: None, ..pgvector() }), Some("dense"));
        assert_eq!(wrong(DenseSettings { url_variable: Some("A".to_owned()), ..milvus() }), Some("dense"));
        assert_eq!(wrong(DenseSettings { token_variable: Some("A".to_owned()), ..pgvector() }), Some("dense"));
        assert_eq!(wrong(DenseSettings { code_bits: 1_000, ..milvus() }), Some("dense.code_bits"));
        assert_eq!(wrong(DenseSettings { ef_search: 5_000, ..pgvector() }), Some("dense.ef_search"));
    }
}
