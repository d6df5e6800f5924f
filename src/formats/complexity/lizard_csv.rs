//! lizard's CSV: NLOC, CCN, tokens, parameters, length, location, file, function, long name, first
//! and last line. There is no header, unless `--verbose` asks for one.

use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::{Figures, FunctionComplexity};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "lizard-csv",
    kind: FormatKind::Complexity,
    tools: "lizard (lizard --csv)",
    sniff,
    read: |input| reading(input, parse),
};

const COLUMNS: usize = 11;

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
        .into_records();
    match rows.next() {
        Some(Ok(row)) if is_header(&row) => true,
        Some(Ok(row)) => function(&row).is_some(),
        _ => false,
    }
}

fn is_header(row: &csv::StringRecord) -> bool {
    row.len() == COLUMNS && row.get(0) == Some("NLOC") && row.get(1) == Some("CCN")
}

fn function(row: &csv::StringRecord) -> Option<FunctionComplexity> {
    if row.len() != COLUMNS || (0..5).any(|n| row[n].parse::<u32>().is_err()) {
        return None;
    }
    row[10].parse::<u32>().ok()?;
    Some(FunctionComplexity {
        path: paths::from_path(&row[6]),
        name: row[7].to_owned(),
        line: row[9].parse().ok()?,
        cyclomatic: row[1].parse().ok()?,
    })
}

fn parse(input: &mut TextReader<'_>) -> Found {
    input.begin_piece();
    let mut rows = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(input);
    let (mut functions, mut row) = (Vec::new(), csv::StringRecord::new());
    let mut header = false;
    while rows.read_record(&mut row).map_err(|e| format!("no CSV: {e}"))? {
        rows.get_mut().begin_piece();
        if functions.is_empty() && !header && is_header(&row) {
            header = true;
            continue;
        }
        let line = row.position().map_or(0, csv::Position::line);
        functions.push(function(&row).ok_or_else(|| format!("line {line} is no row of lizard"))?);
    }
    // a header alone is what lizard writes for a tree without functions
    if functions.is_empty() && !header {
        return Err("it is empty".into());
    }
    Ok((Figures { complexity: Some(functions), ..Figures::default() }, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    const ROW: &str =
        "3,2,15,1,3,\"f@8-10@.\\src\\a.py\",\".\\src\\a.py\",\"f\",\"f( a , \"\"b\"\" )\",8,10\n";
    const HEADER: &str = "NLOC,CCN,token,PARAM,length,location,file,function,long_name,start,end\n";

    fn read(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    #[test]
    fn rows() {
        for text in [ROW.to_owned(), format!("{HEADER}{ROW}")] {
            assert!(sniff(text.as_bytes()));
            let Reading::Figures(f) = read(&text) else { panic!() };
            let want = FunctionComplexity {
                path: "src/a.py".into(),
                name: "f".into(),
                line: 8,
                cyclomatic: 2,
            };
            assert_eq!(f.complexity.unwrap(), [want]);
        }
    }

    #[test]
    fn refused() {
        for text in ["", "a,b\n", "1,2,3\n", &format!("{ROW}1,2,3,4\n"), &ROW[..ROW.len() - 4]] {
            assert!(matches!(read(text), Reading::Refused(_)), "{text}");
        }
    }
}
