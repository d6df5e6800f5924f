//! The pre-push gate, by real pushes through the installed hook and by lines that git could write.

mod evidence;
pub(crate) mod gate;
mod marker;
mod refs;
