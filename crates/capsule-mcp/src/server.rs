//! What the protocol asks of a server.

use crate::order::Order;
use crate::{Surroundings, ToolSet, prompt, resources, tools};
use capsule_session::Sessions;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;

/// The server. Copies share their sessions: each connection has one.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
    /// Of the connection, where there is one for all requests.
    order: Option<Arc<Order>>,
}

struct Shared {
    sessions: Sessions,
    tools: ToolSet,
    instructions: String,
}

impl Server {
    pub fn new(sessions: Sessions, tools: ToolSet, surroundings: &Surroundings) -> Server {
        Server { shared: Arc::new(Shared { sessions, tools, instructions: surroundings.instructions() }), order: None }
    }

    /// For a connection on which calls come in an order.
    pub(crate) fn with_order(self, order: Arc<Order>) -> Server {
        Server { order: Some(order), ..self }
    }

    pub fn sessions(&self) -> &Sessions {
        &self.shared.sessions
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let name = Implementation::new("capsule", env!("CARGO_PKG_VERSION")).with_title("Capsule Bash");
        ServerConfig::new(capabilities).with_server_info(name).with_instructions(&self.shared.instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tools.iter().map(|tool| tool.definition()).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools.find(name).map(|tool| tool.definition())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.shared.tools.find(&request.name) else {
            let names: Vec<&str> = self.shared.tools.iter().map(|tool| tool.name()).collect();
            let message = format!("there is no tool '{}': there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let id = context.id.clone();
        let call = tools::Call { sessions: self.sessions(), arguments: request.arguments.unwrap_or_default(), context };
        let answer = match &self.order {
            Some(order) => order.announced(&id, tool.call(call)).await,
            None => tool.call(call).await,
        };
        answer.map(CallToolResponse::from)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![prompt::definition()]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompt::get(&request.name, request.arguments.as_ref()).map(GetPromptResponse::from)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(self.sessions(), request.and_then(|request| request.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(self.sessions(), &request.uri).await.map(ReadResourceResponse::from)
    }

    /// A request that the library could not read as any it knows: an unknown method, or a known one with parameters of
    /// another shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let known = ["tools/call", "prompts/get", "resources/read", "initialize", "completion/complete"];
        if known.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(format!("the parameters of {method} are not what it takes"), None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method '{method}'"), None))
    }
}
