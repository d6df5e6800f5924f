//! The parser against the one that everybody uses.

use proptest::prelude::*;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::*;

struct Into<'a, T>(&'a mut Option<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Into<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<(), D::Error> {
        *self.0 = Some(T::deserialize(deserializer)?);
        Ok(())
    }
}

fn read<T: for<'de> Deserialize<'de>>(json: &[u8]) -> Result<T> {
    let (mut input, mut value) = (json, None);
    let mut text = TextReader::new(&mut input);
    Parser::new(&mut text).whole(Into(&mut value))?;
    value.ok_or_else(cut)
}

/// The same answer as the parser that everybody uses, for a value and for one that is passed over.
fn alike(json: &str) {
    let theirs = serde_json::from_str::<Value>(json);
    let ours = read::<Value>(json.as_bytes());
    match (&theirs, &ours) {
        // theirs may be off by the last bit of a fraction
        (Ok(a), Ok(b)) if json.contains(['.', 'e', 'E']) => {
            assert_eq!(rough(a), rough(b), "{json}");
        }
        (Ok(a), Ok(b)) => assert_eq!(a, b, "{json}"),
        (Err(a), Err(b)) => assert_eq!(a.is_eof(), b.cut, "{json:?}: {a} / {b}"),
        _ => panic!("{json:?}: {theirs:?} / {ours:?}"),
    }
    let theirs = serde_json::from_str::<de::IgnoredAny>(json).is_ok();
    assert_eq!(read::<de::IgnoredAny>(json.as_bytes()).is_ok(), theirs, "passed over: {json:?}");
}

fn rough(value: &Value) -> String {
    let short = |n: &f64| format!("{n:.12e}");
    match value {
        Value::Number(n) => n.as_f64().as_ref().map_or_else(String::new, short),
        Value::Array(items) => items.iter().map(rough).collect::<Vec<_>>().join(","),
        Value::Object(map) => map.iter().map(|(k, v)| format!("{k}:{}", rough(v))).collect(),
        other => other.to_string(),
    }
}

#[test]
fn values() {
    for json in [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1",
        "-1",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "1.5",
        "1e3",
        "1E-3",
        "-0.0",
        "1e999",
        "01",
        "1.",
        ".5",
        "+1",
        "1e",
        "--1",
        "1-1",
        "\"\"",
        "\"a\"",
        "\"ä😀\"",
        r#""\"\\\/\b\f\n\r\t""#,
        r#""\u00e4\ud83d\ude00""#,
        r#""\ud800""#,
        r#""\ud800\ud800""#,
        r#""\udc00""#,
        r#""\ud800\n""#,
        r#""\ud83dx""#,
        r#""\x""#,
        r#""\u12"#,
        r#""\u12g4""#,
        "\"\n\"",
        "\"\u{1}\"",
        "\"",
        "\"a",
        "\"a\\",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[]",
        "[ ]",
        "[1,2]",
        "[1 2]",
        "{",
        "{}",
        "{ }",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\":1}",
        "{a:1}",
        "{1:1}",
        "{\"a\":{\"b\":[{},[],\"x\"]}}",
        "tru",
        "trux",
        "nul",
        "",
        " ",
        "\n\t\r 1 \n",
        "1 2",
        "[]]",
        "{}}",
        "]",
        "}",
        ",",
        "[,]",
        "{,}",
        "[}",
        "{]",
        "{\"a\":1,\"a\":2}",
    ] {
        alike(json);
    }
}

#[test]
fn errors_say_where() {
    let said = read::<Value>(b"{\n  \"a\": [1,\n 2 x]}").unwrap_err().to_string();
    assert_eq!(said, "expected `,` at line 3 column 3");
}

#[test]
fn what_is_read_nests_so_deep_and_what_is_passed_over_at_will() {
    let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert!(read::<Value>(deep(127).as_bytes()).is_ok());
    assert!(read::<Value>(deep(128).as_bytes()).is_err());
    assert!(read::<de::IgnoredAny>(deep(100_000).as_bytes()).is_ok());
    assert!(read::<de::IgnoredAny>("{\"a\":".repeat(100_000).as_bytes()).unwrap_err().cut);
}

#[test]
fn values_over_the_edges_of_what_is_decoded_at_a_time() {
    // 32 KiB are decoded at a time
    for before in 32_740..32_772 {
        let json = format!(
            "[\"{}\",\"a\\\"ä\\ud83d\\ude00b\",-12.5e1,true,null,{{\"key\": 123456789}}]",
            "x".repeat(before)
        );
        alike(&json);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9f64..1e9).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_value_is_read_as_it_was_written(value in any_value(), pretty in any::<bool>()) {
        let json = match pretty {
            true => serde_json::to_string_pretty(&value),
            false => serde_json::to_string(&value),
        };
        prop_assert_eq!(read::<Value>(json.unwrap().as_bytes()).unwrap(), value);
    }

    #[test]
    fn damaged_values_are_refused_alike(
        value in any_value(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0usize..20), 1..4),
    ) {
        let mut json: Vec<char> = value.to_string().chars().collect();
        for (at, with) in damage {
            let at = at.index(json.len());
            json[at] = "{}[]\",:\\u0e-.1tn \n\u{1}ä".chars().nth(with).unwrap_or('x');
        }
        alike(&json.into_iter().collect::<String>());
    }
}
