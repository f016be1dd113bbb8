//! Settings of agents and tools → who answers what, or the key that is wrong.
//!
//! Invariant: every tool an agent names is there, every place of a template has a value, and what changes something says what it
//! will do.

use std::{collections::BTreeSet, time::Duration};

use regex::{Regex, RegexBuilder};
use serde_json::Value;
use vouch_engine::{
    policy::{
        AgentPolicy, AgentsPolicy, FallbackPolicy, FieldKind, Policies, SlotPolicy, SlotSource, Thresholds, ToolPolicy,
        ToolWords,
    },
    tool::places,
};

use super::{
    super::{
        AgentSettings, AgentsSettings, FieldSettings, Settings, SlotOrigin, SlotSettings, ToolSettings, ToolsSettings,
    },
    examples::FurtherExamples,
    policies,
    range::{SettingError, check_range},
};

const AGENTS: &str = "agents.list";
const TOOLS: &str = "tools.list";
const AGENTS_MAX: usize = 20;
const TOOLS_MAX: usize = 50;
/// How long what was asked back waits for an answer, unless the settings say it; a conversation is forgotten after twice as long.
const ANSWER_TIMEOUT_MS: u64 = 15 * 60 * 1_000;
/// Names of a template that are no value: the lines of a list, and their number.
const OWN_PLACES: [&str; 2] = ["rows", "count"];

/// The agents the settings name, each with its own policies; none if there are none.
pub(in crate::settings) fn agents(
    settings: &Settings,
    thresholds: &Thresholds,
) -> Result<Option<AgentsPolicy>, SettingError> {
    let Some(section) = &settings.agents else {
        return match settings.tools.list.is_empty() {
            true => Ok(None),
            false => wrong(TOOLS, "names tools, but there are no agents that could use them"),
        };
    };
    check_range("agents.confidence_at_least", section.confidence_at_least, 0.0, 1.0)?;
    check_range("agents.tool_timeout_ms", section.tool_timeout_ms, 1, 600_000)?;
    let answer_timeout_ms = section.answer_timeout_ms.unwrap_or(ANSWER_TIMEOUT_MS);
    check_range("agents.answer_timeout_ms", answer_timeout_ms, 1_000, 30 * 60 * 1_000)?;
    check_names(section, &settings.tools)?;
    let further = FurtherExamples(&section.examples);
    further.check_names(section, &settings.tools)?;
    let tools = settings.tools.list.iter().map(|one| tool(one, further)).collect::<Result<Vec<_>, _>>()?;
    let own = |agent: &AgentSettings| self::agent((agent, further), settings, thresholds);
    let agents = section.list.iter().map(own).collect::<Result<Vec<_>, _>>()?;
    let fallback = &section.fallback;
    Ok(Some(AgentsPolicy {
        confidence_at_least: section.confidence_at_least,
        fallback: FallbackPolicy {
            name: fallback.name.clone(),
            message: fallback.message.trim().to_owned(),
            examples: further.checked("agents.fallback", &fallback.name, &fallback.examples)?,
        },
        agents,
        tools,
        model_routes: section.model_routes,
        model_chooses_tools: section.model_chooses_tools,
        model_tells_outputs: section.model_tells_outputs,
        tool_timeout: Duration::from_millis(section.tool_timeout_ms),
        answer_timeout: Duration::from_millis(answer_timeout_ms),
        tool_tenants: settings.tools.tenants.clone(),
    }))
}

fn check_names(section: &AgentsSettings, tools: &ToolsSettings) -> Result<(), SettingError> {
    if section.list.is_empty() || section.list.len() > AGENTS_MAX || tools.list.len() > TOOLS_MAX {
        return wrong(AGENTS, &format!("must name 1 to {AGENTS_MAX} agents, and {TOOLS_MAX} tools at most"));
    }
    let mut names: BTreeSet<&str> = BTreeSet::from([section.fallback.name.as_str()]);
    for agent in &section.list {
        if !is_name(&agent.name) || !names.insert(&agent.name) {
            return wrong(
                AGENTS,
                &format!("has the name '{}', which is not a valid name or is already taken", agent.name),
            );
        }
        if let Some(missing) = agent.tools.iter().find(|name| tools.list.iter().all(|tool| tool.name != **name)) {
            return wrong(AGENTS, &format!("lets {} use '{missing}', which is not a tool", agent.name));
        }
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for tool in &tools.list {
        if !is_name(&tool.name) || !names.insert(&tool.name) {
            return wrong(
                TOOLS,
                &format!("has the name '{}', which is not a valid name or is already taken", tool.name),
            );
        }
    }
    Ok(())
}

fn agent(
    (agent, further): (&AgentSettings, FurtherExamples<'_>),
    settings: &Settings,
    thresholds: &Thresholds,
) -> Result<AgentPolicy, SettingError> {
    Ok(AgentPolicy {
        name: agent.name.clone(),
        scope: agent.scope.clone(),
        examples: further.checked(AGENTS, &agent.name, &agent.examples)?,
        collections: agent.collections.clone(),
        tools: agent.tools.clone(),
        policies: Box::new(own_policies(agent, settings, thresholds)?),
    })
}

/// The profile's policies, with the agent's own sections over them.
fn own_policies(agent: &AgentSettings, settings: &Settings, thresholds: &Thresholds) -> Result<Policies, SettingError> {
    let unreadable =
        |error: &dyn std::fmt::Display| SettingError { key: AGENTS, sentence: format!("{}: {error}", agent.name) };
    let base = Settings { agents: None, tools: ToolsSettings::default(), ..settings.clone() };
    let own = match &agent.settings {
        None => base,
        Some(own) => {
            let mut merged = serde_json::to_value(&base).map_err(|error| unreadable(&error))?;
            lay_over(&mut merged, own);
            serde_json::from_value(merged).map_err(|error| unreadable(&error))?
        }
    };
    let mut own = policies(&own).map_err(|error| unreadable(&format!("{} {}", error.key, error.sentence)))?;
    own.judge.thresholds = thresholds.clone();
    Ok(own)
}

/// Puts values over others, key by key; lists are put whole.
fn lay_over(under: &mut Value, over: &Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                lay_over(under.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (under, over) => *under = over.clone(),
    }
}

fn tool(tool: &ToolSettings, further: FurtherExamples<'_>) -> Result<ToolPolicy, SettingError> {
    let examples = further.checked(TOOLS, &tool.name, &tool.examples)?;
    let fault = |sentence: String| SettingError { key: TOOLS, sentence: format!("{}: {sentence}", tool.name) };
    let slots = tool.slots.iter().map(slot).collect::<Result<Vec<_>, _>>().map_err(fault)?;
    let input = properties(&tool.input);
    if let Some(slot) = tool.slots.iter().find(|slot| !input.contains(slot.name.as_str())) {
        return Err(fault(format!("its input has no property '{}'", slot.name)));
    }
    if tool.changes && tool.say.confirm.as_ref().is_none_or(|words| words.trim().is_empty()) {
        return Err(fault("it changes something, so `say.confirm` must say what it will do".to_owned()));
    }
    check_places(tool, &input).map_err(fault)?;
    check_requirements(tool, &input).map_err(fault)?;
    let each = tool.list.clone().zip(tool.say.each.clone());
    Ok(ToolPolicy {
        name: tool.name.clone(),
        does: tool.does.clone(),
        examples,
        slots,
        fields: tool.fields.iter().map(|(name, kind)| (name.clone(), field(kind))).collect(),
        words: ToolWords {
            found: tool.say.found.trim_end().to_owned(),
            each,
            not_found: tool.say.not_found.trim_end().to_owned(),
            confirm: tool.say.confirm.clone().unwrap_or_default().trim_end().to_owned(),
            obstacles: tool.requires.iter().map(|one| (one.name.clone(), one.otherwise.trim().to_owned())).collect(),
        },
    })
}

/// Every place of a template is a value of the output or of the input.
fn check_places(tool: &ToolSettings, input: &BTreeSet<&str>) -> Result<(), String> {
    let mut output = properties(&tool.output);
    let row = tool.list.as_ref().and_then(|list| tool.output.pointer(&format!("/properties/{list}/items")));
    output.extend(row.into_iter().flat_map(properties));
    let say = &tool.say;
    let templates = [Some(&say.found), say.each.as_ref(), Some(&say.not_found), say.confirm.as_ref()];
    for template in templates.into_iter().flatten() {
        let unknown = places(template).into_iter().find(|name| {
            !output.contains(name.as_str()) && !input.contains(name.as_str()) && !OWN_PLACES.contains(&name.as_str())
        });
        if let Some(unknown) = unknown {
            return Err(format!("its words have a placeholder '{{{unknown}}}', which is not one of its values"));
        }
    }
    Ok(())
}

/// What stands in the way of a change has a name and is told in values of the input.
fn check_requirements(tool: &ToolSettings, input: &BTreeSet<&str>) -> Result<(), String> {
    if !tool.requires.is_empty() && !tool.changes {
        return Err("only what changes something can have `requires`".to_owned());
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for one in &tool.requires {
        if !is_name(&one.name) || !names.insert(&one.name) {
            return Err(format!(
                "`requires` has the name '{}', which is not a valid name or is already taken",
                one.name
            ));
        }
        if one.otherwise.trim().is_empty() {
            return Err(format!("requirement '{}' needs a message for when it is not met", one.name));
        }
        if let Some(unknown) = places(&one.otherwise).into_iter().find(|name| !input.contains(name.as_str())) {
            return Err(format!("requirement '{}' has a placeholder '{{{unknown}}}', which is not an input", one.name));
        }
    }
    Ok(())
}

fn properties(schema: &Value) -> BTreeSet<&str> {
    let own = schema.get("properties").and_then(Value::as_object);
    own.into_iter().flat_map(|own| own.keys().map(String::as_str)).collect()
}

fn slot(slot: &SlotSettings) -> Result<SlotPolicy, String> {
    let source = match slot.from {
        SlotOrigin::Asker => SlotSource::Asker(slot.pattern.as_deref().map(compiled).transpose()?),
        SlotOrigin::Today => SlotSource::Today,
        SlotOrigin::Pattern => {
            let pattern = slot.pattern.as_deref().ok_or_else(|| format!("'{}' needs a pattern", slot.name))?;
            SlotSource::Pattern(compiled(pattern)?)
        }
        SlotOrigin::Amount if slot.currency.is_empty() => return Err(format!("'{}' needs a currency", slot.name)),
        SlotOrigin::Amount => SlotSource::Amount { currency: slot.currency.clone() },
        SlotOrigin::Choice if slot.choices.is_empty() => return Err(format!("'{}' needs choices", slot.name)),
        SlotOrigin::Choice => SlotSource::Choice(slot.choices.clone().into_iter().collect()),
    };
    let is_asked = matches!(slot.from, SlotOrigin::Pattern | SlotOrigin::Amount | SlotOrigin::Choice);
    if is_asked && !slot.optional && slot.asks.trim().is_empty() {
        return Err(format!("'{}' needs a question that asks for it", slot.name));
    }
    Ok(SlotPolicy { name: slot.name.clone(), source, asks: slot.asks.trim().to_owned(), is_optional: slot.optional })
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).size_limit(1 << 20).build();
    built.map_err(|error| format!("a pattern cannot be read: {error}"))
}

fn field(kind: &FieldSettings) -> FieldKind {
    match kind {
        FieldSettings::Text => FieldKind::Text,
        FieldSettings::Money { currency } => FieldKind::Money { currency: currency.clone() },
        FieldSettings::Date => FieldKind::Date,
        FieldSettings::State { words } => FieldKind::State(words.clone()),
        FieldSettings::Count => FieldKind::Count,
    }
}

fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=64).contains(&name.len()) && name.chars().all(is_letter)
}

fn wrong<T>(key: &'static str, sentence: &str) -> Result<T, SettingError> {
    Err(SettingError::new(key, sentence))
}
