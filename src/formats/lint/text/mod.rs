//! Linters' reports of lines of text. [`lines`] walks them; a format says what each line is.

mod checkstyle_text;
mod cpplint;
mod eslint_lines;
mod eslint_stylish;
mod flake8;
mod gcc;
mod github;
mod go;
mod javac;
mod jvm;
mod kotlin;
mod lines;
mod msbuild;
mod mypy;
mod pydocstyle;
mod pylint;
mod rubocop;
mod words;
mod yamllint;

use crate::formats::Format;

/// The formats of text.
pub(in crate::formats) static FORMATS: &[Format] = &[
    pylint::FORMAT,
    flake8::FORMAT,
    mypy::FORMAT,
    gcc::FORMAT,
    eslint_stylish::FORMAT,
    eslint_lines::COMPACT,
    eslint_lines::UNIX,
    msbuild::FORMAT,
    javac::FORMAT,
    yamllint::FORMAT,
    pydocstyle::FORMAT,
    cpplint::FORMAT,
    checkstyle_text::FORMAT,
    rubocop::FORMAT,
    go::GOLINT,
    go::GOVET,
    kotlin::FORMAT,
    github::FORMAT,
];
