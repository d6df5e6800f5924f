//! JSON indented as it is: order of keys, numbers and escapes stay what their writer wrote.

/// Indents a JSON text by two spaces. Only white space between its parts changes.
pub fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut rest = json.chars().peekable();
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    while let Some(c) = rest.next() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            c if c.is_ascii_whitespace() => {}
            '{' | '[' => {
                while rest.next_if(char::is_ascii_whitespace).is_some() {}
                out.push(c);
                match rest.next_if(|next| matches!(next, '}' | ']')) {
                    Some(close) => out.push(close),
                    None => {
                        depth += 1;
                        new_line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => {
                out.push(c);
                in_string = c == '"';
            }
        }
    }
    out.push('\n');
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_numbers_and_strings_stay() {
        let text = r#" {"z":1.50,"a":[ ],"s":"{\"x\": [1,2]}\\","o":{"n":12345678901234567890123,"e":{ }},"l":[1, 2]} "#;
        let want = "{\n  \"z\": 1.50,\n  \"a\": [],\n  \"s\": \"{\\\"x\\\": [1,2]}\\\\\",\n  \"o\": {\n    \
                    \"n\": 12345678901234567890123,\n    \"e\": {}\n  },\n  \"l\": [\n    1,\n    2\n  ]\n}\n";
        assert_eq!(pretty(text), want);
        assert_eq!(pretty(want), want);
    }

    #[test]
    fn it_agrees_with_serde() {
        let value = serde_json::json!({"a": [1, {"b": null}, []], "c": "\u{7}\"\\", "d": {}});
        let want = serde_json::to_string_pretty(&value).unwrap() + "\n";
        assert_eq!(pretty(&value.to_string()), want);
    }
}
