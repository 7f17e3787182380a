//! The tools. One file each: its name, its schema, what it says of itself, what it does. [`ToolSet`] is the table.

mod answer;
mod arguments;
mod fork;
mod read_file;
mod reset;
mod run;
mod schema;
mod sessions;
mod undo;
mod write_file;

use capsule_session::Sessions;
use rmcp::model::{CallToolResult, JsonObject, Tool};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use std::str::FromStr;

/// One call of a tool.
pub(crate) struct Call<'a> {
    pub sessions: &'a Sessions,
    pub arguments: JsonObject,
    pub context: RequestContext<RoleServer>,
}

/// A tool of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToolName {
    Run,
    Reset,
    Sessions,
    Fork,
    Undo,
    ReadFile,
    WriteFile,
}

impl ToolName {
    pub const ALL: [ToolName; 7] = [
        ToolName::Run,
        ToolName::Reset,
        ToolName::Sessions,
        ToolName::Fork,
        ToolName::Undo,
        ToolName::ReadFile,
        ToolName::WriteFile,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ToolName::Run => "run",
            ToolName::Reset => "reset",
            ToolName::Sessions => "sessions",
            ToolName::Fork => "fork",
            ToolName::Undo => "undo",
            ToolName::ReadFile => "read_file",
            ToolName::WriteFile => "write_file",
        }
    }

    pub(crate) fn definition(self) -> Tool {
        match self {
            ToolName::Run => run::definition(),
            ToolName::Reset => reset::definition(),
            ToolName::Sessions => sessions::definition(),
            ToolName::Fork => fork::definition(),
            ToolName::Undo => undo::definition(),
            ToolName::ReadFile => read_file::definition(),
            ToolName::WriteFile => write_file::definition(),
        }
    }

    pub(crate) async fn call(self, call: Call<'_>) -> Result<CallToolResult, ErrorData> {
        match self {
            ToolName::Run => run::call(call).await,
            ToolName::Reset => reset::call(call).await,
            ToolName::Sessions => sessions::call(call),
            ToolName::Fork => fork::call(call).await,
            ToolName::Undo => undo::call(call).await,
            ToolName::ReadFile => read_file::call(call).await,
            ToolName::WriteFile => write_file::call(call).await,
        }
    }
}

/// The tools that a server offers: `all`, or names with commas between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolSet(Vec<ToolName>);

impl Default for ToolSet {
    fn default() -> ToolSet {
        ToolSet(ToolName::ALL.to_vec())
    }
}

impl ToolSet {
    pub fn iter(&self) -> impl Iterator<Item = ToolName> {
        self.0.iter().copied()
    }

    pub fn find(&self, name: &str) -> Option<ToolName> {
        self.iter().find(|tool| tool.name() == name)
    }
}

/// What is wrong with a list of tools.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no tool '{0}': say all, or some of {names} with commas between them", names = ToolName::ALL.map(ToolName::name).join(", "))]
pub struct NoSuchTool(String);

impl FromStr for ToolSet {
    type Err = NoSuchTool;

    fn from_str(text: &str) -> Result<ToolSet, NoSuchTool> {
        if text == "all" {
            return Ok(ToolSet::default());
        }
        let all = ToolSet::default();
        let asked: Result<Vec<ToolName>, _> =
            text.split(',').map(|name| all.find(name.trim()).ok_or_else(|| NoSuchTool(name.to_owned()))).collect();
        let asked = asked?;
        Ok(ToolSet(all.iter().filter(|tool| asked.contains(tool)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_tools_is_a_set() {
        let names = |text: &str| -> Vec<&str> { text.parse::<ToolSet>().unwrap().iter().map(ToolName::name).collect() };
        assert_eq!(names("sessions, run,reset,run"), ["run", "reset", "sessions"]);
        assert_eq!(names("all").len(), ToolName::ALL.len());
        let error = "run,ruin".parse::<ToolSet>().unwrap_err().to_string();
        assert!(error.starts_with("there is no tool 'ruin'"), "{error}");
    }

    #[test]
    fn every_tool_says_what_it_takes_gives_and_does_to_the_world() {
        for tool in ToolSet::default().iter().map(ToolName::definition) {
            let (name, annotations) = (&tool.name, tool.annotations.as_ref().unwrap());
            assert_eq!(tool.input_schema["type"], "object", "{name}");
            assert_eq!(tool.output_schema.as_ref().unwrap()["type"], "object", "{name}");
            assert!(tool.description.as_ref().unwrap().len() > 80, "{name}");
            for hint in [
                annotations.read_only_hint,
                annotations.destructive_hint,
                annotations.idempotent_hint,
                annotations.open_world_hint,
            ] {
                assert!(hint.is_some(), "{name}");
            }
        }
    }
}
