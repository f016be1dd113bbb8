//! Which commands a process that holds the data folder runs for others, and the paths they name.

use std::path::PathBuf;

use super::{AskArgs, Command, MemoryCommand, UserCommand, VocabCommand};

impl Command {
    /// The paths a command names, which lead from its own folder; none where whoever holds the data folder does not run it
    /// for others. What needs no data folder, or needs it alone, is run where it was begun.
    pub(crate) fn delegated_paths(&mut self) -> Option<Vec<&mut PathBuf>> {
        match self {
            Self::Ingest(args) if !args.background && !args.self_exam => Some(args.paths.iter_mut().collect()),
            Self::Sync(args) if !args.background => Some(Vec::new()),
            Self::Ask(AskArgs { history, certificate, batch, .. }) => {
                Some([history, certificate, batch].into_iter().flatten().collect())
            }
            Self::Verify { certificate } => Some(vec![certificate]),
            Self::Search(args) => Some(args.batch.iter_mut().collect()),
            Self::User(UserCommand::Import { file }) | Self::Memory(MemoryCommand::Import { file, .. }) => {
                Some(vec![file])
            }
            Self::Memory(MemoryCommand::Propose(args)) => Some(args.output.iter_mut().collect()),
            Self::Vocab(VocabCommand::Import { files, .. }) => Some(files.iter_mut().collect()),
            Self::Term { .. }
            | Self::Vocab(VocabCommand::List { .. } | VocabCommand::Remove { .. })
            | Self::Review(_)
            | Self::Memory(_)
            | Self::User(_)
            | Self::Tag(_)
            | Self::List { .. }
            | Self::Show(_) => Some(Vec::new()),
            Self::Ingest(_)
            | Self::Sync(_)
            | Self::Demo { .. }
            | Self::Init { .. }
            | Self::Jobs(_)
            | Self::Check(_)
            | Self::Chat { .. }
            | Self::Key(_)
            | Self::Serve { .. }
            | Self::Mcp { .. }
            | Self::Audit(_)
            | Self::Reembed
            | Self::Metrics(_)
            | Self::Doctor
            | Self::Completions { .. }
            | Self::Store(_)
            | Self::Eval(_) => None,
        }
    }
}
