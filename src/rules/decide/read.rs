//! JSON read strictly, with errors that name the input and the field and never repeat a value.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::shown::shown;

/// Which of the three inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `bounded_loop_decision_v1`.
    Decision,
    /// `finding_attribution_v1`.
    Attribution,
    /// `automation_capability_matrix_v1`.
    Capabilities,
}

impl Role {
    /// All of them, in the order of the command line.
    pub const ALL: [Role; 3] = [Role::Decision, Role::Attribution, Role::Capabilities];

    /// How the input is called on the command line and in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Role::Decision => "decision",
            Role::Attribution => "attribution",
            Role::Capabilities => "capabilities",
        }
    }

    /// The word that its `schema` must be.
    pub fn schema(self) -> &'static str {
        match self {
            Role::Decision => "bounded_loop_decision_v1",
            Role::Attribution => "finding_attribution_v1",
            Role::Capabilities => "automation_capability_matrix_v1",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// An input that is no such input: there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{role}: {}", self.sentence())]
pub struct InputError {
    /// Which input.
    pub role: Role,
    /// Which field, such as `findings[2].severity`; none where it is no JSON object at all.
    pub field: Option<String>,
    /// What is wrong with it.
    pub problem: String,
}

impl InputError {
    /// Field and problem, for whoever names the input otherwise.
    pub fn sentence(&self) -> String {
        match &self.field {
            Some(field) => format!("{field}: {}", self.problem),
            None => self.problem.clone(),
        }
    }
}

/// A document of which every key stands once: of two equal keys one would silently win, and a gate
/// that is both RED and GREEN is neither.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Strict, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key '{}' stands twice", shown(&key))));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// Reads an input's bytes as JSON.
pub(super) fn document(role: Role, bytes: &[u8]) -> Result<Value, InputError> {
    let fail = |problem: String| InputError { role, field: None, problem };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(fail("it is empty".into()));
    }
    let Strict(value) =
        serde_json::from_slice(bytes).map_err(|e| fail(format!("it is no JSON: {e}")))?;
    Ok(value)
}

/// The fields of one object.
pub(super) struct Fields<'a> {
    role: Role,
    /// Where the object stands, empty for the document.
    at: String,
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// The fields of the document itself, with the right `schema`.
    pub(super) fn of_document(role: Role, value: &'a Value) -> Result<Fields<'a>, InputError> {
        let Some(map) = value.as_object() else {
            let problem = format!("an object ({{…}}) is expected, not {}", kind(value));
            return Err(InputError { role, field: None, problem });
        };
        let fields = Fields { role, at: String::new(), map };
        let word = role.schema();
        if fields.text("schema")? != word {
            return Err(fields.wrong("schema", &format!("'{word}' is expected")));
        }
        Ok(fields)
    }

    fn name_of(&self, key: &str) -> String {
        match self.at.is_empty() {
            true => shown(key),
            false => format!("{}.{}", self.at, shown(key)),
        }
    }

    /// An error about a field.
    pub(super) fn wrong(&self, key: &str, problem: &str) -> InputError {
        let field = Some(self.name_of(key));
        InputError { role: self.role, field, problem: problem.to_string() }
    }

    fn get(&self, key: &str) -> Result<&'a Value, InputError> {
        self.map.get(key).ok_or_else(|| self.wrong(key, "it is missing"))
    }

    fn typed<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, InputError> {
        let value = self.get(key)?;
        let problem = || self.wrong(key, &format!("{expected} is expected, not {}", kind(value)));
        read(value).ok_or_else(problem)
    }

    /// A text; may be empty.
    pub(super) fn text(&self, key: &str) -> Result<String, InputError> {
        self.typed(key, "a text", |v| v.as_str().map(str::to_string))
    }

    /// A text that says something.
    pub(super) fn name(&self, key: &str) -> Result<String, InputError> {
        let text = self.text(key)?;
        if text.trim().is_empty() {
            return Err(self.wrong(key, "it is empty"));
        }
        Ok(text)
    }

    /// A whole number from 0 on.
    pub(super) fn count(&self, key: &str) -> Result<u64, InputError> {
        self.typed(key, "a whole number from 0 on", Value::as_u64)
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool, InputError> {
        self.typed(key, "true or false", Value::as_bool)
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<T, InputError> {
        let text = self.text(key)?;
        let found = words.iter().find(|(word, _)| *word == text);
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let problem = || self.wrong(key, &format!("one of {} is expected", all.join(", ")));
        found.map(|(_, value)| *value).ok_or_else(problem)
    }

    /// A list of texts.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, InputError> {
        let list = self.typed(key, "a list of texts", Value::as_array)?;
        let one = |(at, value): (usize, &Value)| {
            let problem = || {
                let text = format!("a text is expected, not {}", kind(value));
                self.wrong(&format!("{key}[{at}]"), &text)
            };
            value.as_str().map(str::to_string).ok_or_else(problem)
        };
        list.iter().enumerate().map(one).collect()
    }

    /// A list of objects.
    pub(super) fn objects(&self, key: &str) -> Result<Vec<Fields<'a>>, InputError> {
        let list = self.typed(key, "a list of objects", Value::as_array)?;
        let one = |(at, value): (usize, &'a Value)| self.object(&format!("{key}[{at}]"), value);
        list.iter().enumerate().map(one).collect()
    }

    /// An object with keys that the writer chose.
    pub(super) fn table(&self, key: &str) -> Result<(Fields<'a>, Vec<&'a String>), InputError> {
        let map = self.typed(key, "an object ({…})", Value::as_object)?;
        let fields = Fields { role: self.role, at: self.name_of(key), map };
        Ok((fields, map.keys().collect()))
    }

    /// An object in such a table.
    pub(super) fn entry(&self, key: &str) -> Result<Fields<'a>, InputError> {
        self.object(key, self.get(key)?)
    }

    fn object(&self, key: &str, value: &'a Value) -> Result<Fields<'a>, InputError> {
        let problem =
            || self.wrong(key, &format!("an object ({{…}}) is expected, not {}", kind(value)));
        let map = value.as_object().ok_or_else(problem)?;
        Ok(Fields { role: self.role, at: self.name_of(key), map })
    }
}

/// What a value is, without saying it.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(n) if n.as_i64().is_some_and(|n| n < 0) => "a negative number",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
