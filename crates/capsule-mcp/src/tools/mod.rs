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
pub enum Named {
    Run,
    Reset,
    Sessions,
    Fork,
    Undo,
    ReadFile,
    WriteFile,
}

impl Named {
    pub const ALL: [Named; 7] =
        [Named::Run, Named::Reset, Named::Sessions, Named::Fork, Named::Undo, Named::ReadFile, Named::WriteFile];

    pub fn name(self) -> &'static str {
        match self {
            Named::Run => "run",
            Named::Reset => "reset",
            Named::Sessions => "sessions",
            Named::Fork => "fork",
            Named::Undo => "undo",
            Named::ReadFile => "read_file",
            Named::WriteFile => "write_file",
        }
    }

    pub(crate) fn definition(self) -> Tool {
        match self {
            Named::Run => run::definition(),
            Named::Reset => reset::definition(),
            Named::Sessions => sessions::definition(),
            Named::Fork => fork::definition(),
            Named::Undo => undo::definition(),
            Named::ReadFile => read_file::definition(),
            Named::WriteFile => write_file::definition(),
        }
    }

    pub(crate) async fn call(self, call: Call<'_>) -> Result<CallToolResult, ErrorData> {
        match self {
            Named::Run => run::call(call).await,
            Named::Reset => reset::call(call).await,
            Named::Sessions => sessions::call(call),
            Named::Fork => fork::call(call).await,
            Named::Undo => undo::call(call).await,
            Named::ReadFile => read_file::call(call).await,
            Named::WriteFile => write_file::call(call).await,
        }
    }
}

/// The tools that a server offers: `all`, or names with commas between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolSet(Vec<Named>);

impl Default for ToolSet {
    fn default() -> ToolSet {
        ToolSet(Named::ALL.to_vec())
    }
}

impl ToolSet {
    pub fn iter(&self) -> impl Iterator<Item = Named> {
        self.0.iter().copied()
    }

    pub fn find(&self, name: &str) -> Option<Named> {
        self.iter().find(|tool| tool.name() == name)
    }
}

/// What is wrong with a list of tools.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no tool '{0}': say all, or some of {names} with commas between them", names = Named::ALL.map(Named::name).join(", "))]
pub struct NoSuchTool(String);

impl FromStr for ToolSet {
    type Err = NoSuchTool;

    fn from_str(text: &str) -> Result<ToolSet, NoSuchTool> {
        if text == "all" {
            return Ok(ToolSet::default());
        }
        let all = ToolSet::default();
        let asked: Result<Vec<Named>, _> =
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
        let names = |text: &str| -> Vec<&str> { text.parse::<ToolSet>().unwrap().iter().map(Named::name).collect() };
        assert_eq!(names("sessions, run,reset,run"), ["run", "reset", "sessions"]);
        assert_eq!(names("all").len(), Named::ALL.len());
        let error = "run,ruin".parse::<ToolSet>().unwrap_err().to_string();
        assert!(error.starts_with("there is no tool 'ruin'"), "{error}");
    }

    #[test]
    fn every_tool_says_what_it_takes_gives_and_does_to_the_world() {
        for tool in ToolSet::default().iter().map(Named::definition) {
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
