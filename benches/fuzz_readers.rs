//! Damages the samples under `fixtures/` at random and reads them, for as long as one likes:
//! `cargo bench --bench fuzz_readers -- 300` for 300 seconds (10 where nothing is said), with a second
//! number for the seed of an earlier run.
//!
//! It stops at a panic and at an input that takes longer than 20 seconds, and says where it has put
//! that input. What a reader makes of rubbish is judged by the tests, not here.
#![allow(clippy::unwrap_used, reason = "a driver that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "its result")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use git_evidence::formats::{self, Format};

const TOO_LONG: Duration = Duration::from_secs(20);
/// Damaged inputs grow no larger.
const LARGEST: usize = 1 << 20;

/// What is put in where random bytes would seldom hit.
const WORDS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b":",
    b",",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"0.5",
    b"\\ud800",
    b"18446744073709551616",
    b"4294967296",
    b"<",
    b"/>",
    b"</",
    b"&#0;",
    b"&lt",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"<!DOCTYPE a [",
    b"<?xml version='1.0' encoding='utf-16'?>",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\0",
    b"\r\n",
    b"\n\n",
    b"\x1b[31m",
    b"\xf0\x9f\x98\x80",
    b"\xc3",
    b"end_of_record\n",
    b"SF:a\n",
    b"DA:1,1\n",
    b"../",
    b"file:///",
    b"%2e%2e",
    b"C:\\",
    b"not ok 1 - ",
    b"1..0",
    b"::error file=",
];

/// What is read at the moment, since when, and as which format.
static CURRENT: Mutex<Option<(Instant, &'static str, Vec<u8>)>> = Mutex::new(None);

fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let seconds = numbers.first().copied().unwrap_or(10);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = numbers.get(1).copied().unwrap_or(now);
    let samples = samples();
    let all: Vec<&'static Format> = formats::all().collect();
    println!("seed {seed}: {} samples, {} formats, {seconds} s", samples.len(), all.len());
    std::thread::spawn(watch);
    let (mut dice, mut runs) = (Dice(seed.max(1)), 0u64);
    let (started, mut slowest) = (Instant::now(), (Duration::ZERO, ""));
    while started.elapsed().as_secs() < seconds {
        let (format, sample) = &samples[dice.below(samples.len())];
        let mut bytes = sample.clone();
        for _ in 0..=dice.below(6) {
            damage(&mut bytes, &samples[dice.below(samples.len())].1, &mut dice);
        }
        let other = all[dice.below(all.len())];
        for format in [Some(*format), Some(other), None] {
            let took = one(format, &bytes);
            if took > slowest.0 {
                slowest = (took, format.map_or("auto", |f| f.name));
            }
            runs += 1;
        }
    }
    let rate = runs as f64 / started.elapsed().as_secs_f64();
    println!(
        "{runs} readings, {rate:.0} a second; the slowest took {:?} ({})",
        slowest.0, slowest.1
    );
}

/// The samples with the formats that they are of.
fn samples() -> Vec<(&'static Format, Vec<u8>)> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut all = Vec::new();
    for format in formats::all() {
        for case in std::fs::read_dir(top.join(format.name)).unwrap() {
            for file in std::fs::read_dir(case.unwrap().path()).unwrap() {
                let file = file.unwrap().path();
                if file.file_stem().is_some_and(|stem| stem == "input") {
                    all.push((format, std::fs::read(file).unwrap()));
                }
            }
        }
    }
    assert!(!all.is_empty(), "there are no samples");
    all
}

fn one(format: Option<&'static Format>, bytes: &[u8]) -> Duration {
    let (name, started) = (format.map_or("auto", |f| f.name), Instant::now());
    *CURRENT.lock().unwrap() = Some((started, name, bytes.to_vec()));
    let read = catch_unwind(AssertUnwindSafe(|| formats::read(format, &mut &bytes[..])));
    *CURRENT.lock().unwrap() = None;
    if read.is_err() {
        println!("PANIC as {name}: the input is {}", save(bytes).display());
        std::process::exit(1);
    }
    started.elapsed()
}

/// Ends all where one reading takes too long.
fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        if let Some((since, name, bytes)) = &*CURRENT.lock().unwrap()
            && since.elapsed() > TOO_LONG
        {
            println!("TOO LONG as {name}: the input is {}", save(bytes).display());
            std::process::exit(1);
        }
    }
}

fn save(bytes: &[u8]) -> PathBuf {
    let (mut file, path) =
        tempfile::Builder::new().prefix("fuzz-readers-").tempfile().unwrap().keep().unwrap();
    std::io::Write::write_all(&mut file, bytes).unwrap();
    path
}

/// Damages bytes in one of the usual ways; `other` is a sample to take a part from.
fn damage(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + dice.below(64) + 1).min(bytes.len());
    match dice.below(9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        1 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
        2 => drop(bytes.drain(at..end)),
        3 => bytes.truncate(at),
        4 => {
            let part = bytes[at..end].to_vec();
            insert(bytes, at, &part);
        }
        5 => insert(bytes, at, WORDS[dice.below(WORDS.len())]),
        6 => {
            let from = dice.below(other.len() + 1);
            let to = (from + dice.below(400)).min(other.len());
            insert(bytes, at, &other[from..to]);
        }
        7 => {
            let part = bytes[at..end].repeat(dice.below(200) + 2);
            insert(bytes, at, &part);
        }
        _ => {
            let word = WORDS[dice.below(WORDS.len())].repeat(dice.below(300) + 2);
            insert(bytes, at, &word);
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    if bytes.len() + part.len() <= LARGEST {
        bytes.splice(at..at, part.iter().copied());
    }
}

/// The same numbers from the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }
}
