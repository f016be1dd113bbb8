//! The tools of one service as a server of the protocol.
//!
//! Invariant: every call has a caller. It comes with the HTTP request, or is whoever started the process.

use axum::http::{HeaderMap, request::Parts};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use vouch_domain::Caller;

use super::{
    call::{Call, CallContext, failed},
    tools::{self, ToolName},
};
use crate::{request_id::request_id, service::Service};

const INSTRUCTIONS: &str = "Vouch answers from this organisation's own documents, and only what they say. Take `ask` for a \
    question: the answer comes with citations that have been checked, or it is a refusal that says why, which is a result \
    to pass on and not to fill from memory. Take `search` and `fetch` to read the sources yourself, `check` to hold a \
    sentence of your own against its sources before you say it, and `define_term` for the official meaning of a term. \
    Cite by the source ids you are given.";

/// The tools, and who uses them where the transport does not say.
#[derive(Clone)]
pub(super) struct Toolbox {
    pub(super) service: Service,
    pub(super) local: Option<Caller>,
}

impl Toolbox {
    fn call_context(&self, context: &RequestContext<RoleServer>) -> Result<CallContext, ErrorData> {
        let known = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<CallContext>().cloned());
        let local = || {
            let caller = self.local.clone()?;
            Some(CallContext { caller, request_id: request_id(&HeaderMap::new()) })
        };
        known.or_else(local).ok_or_else(|| ErrorData::internal_error("the caller is unknown", None))
    }
}

impl ServerHandler for Toolbox {
    fn get_info(&self) -> ServerConfig {
        let version = self.service.ask_service.circumstances.version.clone();
        let server = Implementation::new("vouch", version)
            .with_title("Vouch")
            .with_description("Answers from your own documents with citations that hold, or refuses and says why");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::cards(self.call_context(&context)?.caller.role)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call_context = self.call_context(&context)?;
        let Some(tool) = ToolName::parse(&request.name, call_context.caller.role) else {
            return Err(ErrorData::invalid_params("there is no tool with this name", None));
        };
        let call = Call { call_context, arguments: request.arguments.unwrap_or_default() };
        let outcome = tokio::select! {
            outcome = tool.call(&self.service, call) => outcome,
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
        };
        Ok(outcome.unwrap_or_else(|problem| failed(&problem)).into())
    }
}
