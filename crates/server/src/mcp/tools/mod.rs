//! One file per tool: what it is for, what it takes, what it gives.

mod ask;
mod check;
mod curate;
mod define_term;
mod fetch;
mod list_memory;
mod search;
mod wordings;

use rmcp::{
    handler::server::common::schema_for_input,
    model::{CallToolResult, Tool, ToolAnnotations},
    schemars::JsonSchema,
};
use vouch_domain::Role;

use super::call::Call;
use crate::{problem::Problem, service::Service};

/// Every tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolName {
    Search,
    Fetch,
    Ask,
    Check,
    DefineTerm,
    PinQuestion,
    AddNote,
    ListMemory,
    RemoveEntry,
    Wordings,
}

const ALL: [ToolName; 10] = [
    ToolName::Search,
    ToolName::Fetch,
    ToolName::Ask,
    ToolName::Check,
    ToolName::DefineTerm,
    ToolName::PinQuestion,
    ToolName::AddNote,
    ToolName::ListMemory,
    ToolName::RemoveEntry,
    ToolName::Wordings,
];

/// The tools a role may use, as listed to clients.
pub(super) fn cards(role: Role) -> Vec<Tool> {
    ALL.into_iter().filter(|tool| tool.is_open_to(role)).map(ToolName::card).collect()
}

impl ToolName {
    /// The tool of a name, if there is one for this role.
    pub(super) fn parse(word: &str, role: Role) -> Option<Self> {
        ALL.into_iter().find(|tool| tool.as_str() == word && tool.is_open_to(role))
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Fetch => "fetch",
            Self::Ask => "ask",
            Self::Check => "check",
            Self::DefineTerm => "define_term",
            Self::PinQuestion => "pin_question",
            Self::AddNote => "add_note",
            Self::ListMemory => "list_memory",
            Self::RemoveEntry => "remove_entry",
            Self::Wordings => "wordings",
        }
    }

    fn is_open_to(self, role: Role) -> bool {
        let is_for_admins = match self {
            Self::Search | Self::Fetch | Self::Ask | Self::Check | Self::DefineTerm => false,
            Self::PinQuestion | Self::AddNote | Self::ListMemory | Self::RemoveEntry | Self::Wordings => true,
        };
        match role {
            Role::Admin => true,
            Role::Reader => !is_for_admins,
            Role::Monitor => false,
        }
    }

    fn card(self) -> Tool {
        let mut card = match self {
            Self::Search => search::card(),
            Self::Fetch => fetch::card(),
            Self::Ask => ask::card(),
            Self::Check => check::card(),
            Self::DefineTerm => define_term::card(),
            Self::PinQuestion => curate::pin_card(),
            Self::AddNote => curate::note_card(),
            Self::ListMemory => list_memory::card(),
            Self::RemoveEntry => curate::remove_card(),
            Self::Wordings => wordings::card(),
        };
        card.name = self.as_str().into();
        card
    }

    /// Runs the tool, once a permit is free and within the request's deadline.
    pub(super) async fn call(self, service: &Service, call: Call) -> Result<CallToolResult, Problem> {
        let id = call.call_context.request_id.clone();
        match self {
            Self::Search => service.run_admitted(&id, search::call(service, call)).await,
            Self::Fetch => service.run_admitted(&id, fetch::call(service, call)).await,
            Self::Ask => service.run_admitted(&id, ask::call(service, call)).await,
            Self::Check => service.run_admitted(&id, check::call(service, call)).await,
            Self::DefineTerm => service.run_admitted(&id, define_term::call(service, call)).await,
            Self::PinQuestion => curate::pin(service, call).await,
            Self::AddNote => curate::note(service, call).await,
            Self::ListMemory => service.run_admitted(&id, list_memory::call(service, call)).await,
            Self::RemoveEntry => curate::remove(service, call).await,
            Self::Wordings => wordings::call(service, call).await,
        }
    }
}

/// A card for a tool that takes `T`.
fn takes<T: JsonSchema + 'static>(title: &'static str, description: &'static str) -> Tool {
    // Every argument list is a struct, and so an object; were one not, its tool would take nothing at all.
    Tool::new("", description, schema_for_input::<T>().unwrap_or_default()).with_title(title)
}

/// What is true of a tool that only reads what is here.
fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}
