//! What explains the results of a SARIF run: the tool's rules, their default levels and messages,
//! and the invocation that may override them or say that it failed.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::sarif::level;
use super::sarif_severity::Bag;
use crate::formats::json::{Loose, Num, Text};
use crate::model::Level;

/// `tool`.
#[derive(Default, Deserialize)]
pub(super) struct Tool {
    #[serde(default)]
    driver: Component,
    #[serde(default)]
    extensions: Option<Vec<Component>>,
}

/// `toolComponent`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Component {
    name: Option<Text>,
    guid: Option<Text>,
    version: Option<Loose>,
    semantic_version: Option<Loose>,
    #[serde(default)]
    rules: Option<Vec<Descriptor>>,
}

/// `reportingDescriptor`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    id: Option<Text>,
    guid: Option<Text>,
    default_configuration: Option<Configuration>,
    message_strings: Option<BTreeMap<String, MessageString>>,
    #[serde(default)]
    properties: Bag,
}

#[derive(Deserialize)]
struct Configuration {
    level: Option<Text>,
}

#[derive(Deserialize)]
struct MessageString {
    text: Option<Text>,
}

/// A reference to a rule: `reportingDescriptorReference`, or what a result says by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleRef {
    pub(super) id: Option<Text>,
    pub(super) index: Option<Num>,
    guid: Option<Text>,
    tool_component: Option<ComponentRef>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
struct ComponentRef {
    index: Option<Num>,
    name: Option<Text>,
    guid: Option<Text>,
}

/// `invocation`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    execution_successful: Option<bool>,
    process_start_failure_message: Option<Text>,
    #[serde(default)]
    rule_configuration_overrides: Option<Vec<Override>>,
    #[serde(default)]
    tool_execution_notifications: Option<Vec<Notification>>,
    #[serde(default)]
    tool_configuration_notifications: Option<Vec<Notification>>,
}

#[derive(Deserialize)]
struct Override {
    descriptor: Option<RuleRef>,
    configuration: Option<Configuration>,
}

#[derive(Deserialize)]
struct Notification {
    level: Option<Text>,
    message: Option<NotificationText>,
}

#[derive(Deserialize)]
struct NotificationText {
    text: Option<Text>,
}

impl Tool {
    /// The driver's name.
    pub(super) fn name(&self) -> &str {
        self.driver.name.as_ref().map_or("", |n| n.0.as_str())
    }

    /// The driver's version.
    pub(super) fn version(&self) -> Option<String> {
        let driver = &self.driver;
        [&driver.semantic_version, &driver.version].into_iter().flatten().find_map(|v| v.0.clone())
    }

    /// The rule that a result means: in the component that it names, else in the driver, else in any
    /// extension that has its id.
    pub(super) fn rule(&self, wanted: &RuleRef) -> Option<&Descriptor> {
        let extensions = self.extensions.as_deref().unwrap_or_default();
        if let Some(component) = &wanted.tool_component
            && let Some(found) = component.find(&self.driver, extensions)
        {
            return found.rule(wanted);
        }
        self.driver.rule(wanted).or_else(|| extensions.iter().find_map(|e| e.by_id(wanted)))
    }
}

impl ComponentRef {
    fn find<'t>(
        &self,
        driver: &'t Component,
        extensions: &'t [Component],
    ) -> Option<&'t Component> {
        if let Some(index) = self.index.and_then(Num::index) {
            return extensions.get(index);
        }
        let same = |a: &Option<Text>, b: &Option<Text>| a.is_some() && a == b;
        std::iter::once(driver)
            .chain(extensions)
            .find(|c| same(&self.guid, &c.guid) || same(&self.name, &c.name))
    }
}

impl Component {
    fn rule(&self, wanted: &RuleRef) -> Option<&Descriptor> {
        let rules = self.rules.as_deref().unwrap_or_default();
        let by_index = wanted.index.and_then(Num::index).and_then(|n| rules.get(n));
        // an index that points to a rule of another name is a slip of the tool: the name counts
        by_index.filter(|r| r.fits(wanted)).or_else(|| self.by_id(wanted))
    }

    fn by_id(&self, wanted: &RuleRef) -> Option<&Descriptor> {
        let rules = self.rules.as_deref().unwrap_or_default();
        if let Some(found) = rules.iter().find(|r| wanted.guid.is_some() && r.guid == wanted.guid) {
            return Some(found);
        }
        let mut id = wanted.id.as_ref()?.0.as_str();
        loop {
            let named = |r: &&Descriptor| r.id.as_ref().is_some_and(|have| have.0 == id);
            if let Some(found) = rules.iter().find(named) {
                return Some(found);
            }
            // CA1000/1 is a part of CA1000
            id = id.rsplit_once('/')?.0;
        }
    }
}

impl Descriptor {
    fn fits(&self, wanted: &RuleRef) -> bool {
        match (&self.id, &wanted.id) {
            (Some(mine), Some(id)) => {
                let tail = id.0.strip_prefix(&mine.0);
                tail.is_some_and(|t| t.is_empty() || t.starts_with('/'))
            }
            _ => true,
        }
    }

    /// The word for its level where a result has none.
    pub(super) fn default_level(&self) -> Option<&str> {
        self.default_configuration.as_ref()?.level.as_ref().map(|l| l.0.as_str())
    }

    /// What it says of severity.
    pub(super) fn properties(&self) -> &Bag {
        &self.properties
    }

    /// One of its messages.
    pub(super) fn message(&self, id: &str) -> Option<&str> {
        self.message_strings.as_ref()?.get(id)?.text.as_ref().map(|t| t.0.as_str())
    }
}

impl RuleRef {
    /// The rule's id, as the result or else the rule itself says it.
    pub(super) fn name(&self, descriptor: Option<&Descriptor>) -> String {
        let own = self.id.as_ref();
        own.or_else(|| descriptor?.id.as_ref()).map(|t| t.0.clone()).unwrap_or_default()
    }
}

impl Invocation {
    /// The level that this run was started with for a rule.
    pub(super) fn level_of(&self, rule: &RuleRef, meant: Option<&Descriptor>) -> Option<Level> {
        let same = |d: &RuleRef| match (&d.id, meant.and_then(|m| m.id.as_ref())) {
            (Some(id), Some(known)) => id == known || rule.id.as_ref() == Some(id),
            (Some(id), None) => rule.id.as_ref() == Some(id),
            (None, _) => {
                d.index.is_some() && d.index == rule.index
                    || d.guid.is_some() && d.guid == meant.and_then(|m| m.guid.clone())
            }
        };
        let all = self.rule_configuration_overrides.iter().flatten();
        all.filter(|o| o.descriptor.as_ref().is_some_and(same))
            .find_map(|o| level(&o.configuration.as_ref()?.level.as_ref()?.0))
    }

    /// Why this run is not to be relied on.
    pub(super) fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        if self.execution_successful == Some(false) {
            causes.push("it says that it did not succeed".to_owned());
        }
        if self.process_start_failure_message.is_some() {
            causes.push("it could not be started".to_owned());
        }
        let execution = self.tool_execution_notifications.iter().flatten();
        let configuration = self.tool_configuration_notifications.iter().flatten();
        for notification in execution.chain(configuration) {
            if notification.level.as_ref().and_then(|l| level(&l.0)) == Some(Level::Error) {
                let text = notification.message.as_ref().and_then(|m| m.text.as_ref());
                let text = text.map_or("(no text)", |t| t.0.as_str());
                causes.push(format!(
                    "it reports an error: {}",
                    crate::formats::text::clip(text, 300)
                ));
            }
        }
        causes
    }
}
