//! The ways a question comes in.

vouch_engine::words! {
    /// A way in.
    pub enum Surface {
        /// The command line, on the machine that holds the documents.
        CommandLine = "cli",
        /// The HTTP API.
        Http = "http",
        /// OpenAI's protocol.
        OpenAi = "openai",
        /// The Model Context Protocol.
        Mcp = "mcp",
    }
}
