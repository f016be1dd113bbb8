//! Arguments of `vouch vocab`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum VocabCommand {
    /// Import SKOS files (Turtle, RDF/XML, N-Triples or JSON-LD); importing a file again replaces its terms
    #[command(after_help = "Example:\n  vouch vocab import grid.ttl exchange.rdf")]
    Import {
        /// SKOS files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Tenant the vocabulary belongs to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// List the files whose terms are in use
    #[command(after_help = "Example:\n  vouch vocab list")]
    List {
        /// Tenant whose vocabularies are listed
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Remove the terms of imported files
    #[command(after_help = "Example:\n  vouch vocab import grid.ttl\n  vouch vocab remove grid.ttl")]
    Remove {
        /// Files as `vouch vocab list` prints them, or the end of such a name; they may have been deleted since
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
        /// Tenant the vocabulary belongs to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
}
