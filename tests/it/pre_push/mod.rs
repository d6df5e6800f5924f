//! The pre-push gate, by real pushes through the installed hook and by lines that git could write.

mod evidence;
mod gate;
mod marker;
mod refs;
