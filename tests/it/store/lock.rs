//! Locks: one holder, named in the message, and never a dead one.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use git_evidence::store::lock::{Holder, Lock, LockError, peek};

use super::home;

fn me() -> Holder {
    Holder::this_process("run r1 on main")
}

#[test]
fn a_second_holder_is_refused_and_told_who_has_it() {
    let home = home();
    let path = home.layout.branch_lock("b-main");
    assert_eq!(peek(&path), None);
    let first = Lock::acquire(&path, &me()).unwrap();
    match Lock::acquire(&path, &me()) {
        Err(LockError::Held(Some(holder))) => {
            assert_eq!(holder, peek(&path).unwrap());
            assert_eq!((holder.pid, holder.what.as_str()), (std::process::id(), "run r1 on main"));
            assert!(!holder.host.is_empty() && holder.started_at.ends_with('Z'));
        }
        other => panic!("{other:?}"),
    }
    drop(first);
    assert_eq!(peek(&path), None);
    assert!(path.exists(), "a lock file is never deleted");
    Lock::acquire(&path, &me()).unwrap();
}

#[test]
fn a_description_of_a_dead_holder_blocks_nobody() {
    let home = home();
    let path = home.layout.branch_lock("b-main");
    drop(Lock::acquire(&path, &me()).unwrap());
    let dead = r#"{"pid":1,"host":"x","started_at":"2000-01-01T00:00:00Z","what":"long dead"}"#;
    for left_behind in [dead, "", "{", "\0\0\0"] {
        std::fs::write(&path, left_behind).unwrap();
        assert_eq!(peek(&path), None, "{left_behind}");
        drop(Lock::acquire(&path, &me()).unwrap());
    }
}

#[test]
fn a_holder_that_says_nothing_of_itself_still_holds() {
    let home = home();
    let path = home.layout.branch_lock("b-main");
    let _held = Lock::acquire(&path, &me()).unwrap();
    std::fs::write(&path, "nonsense").unwrap();
    assert!(matches!(Lock::acquire(&path, &me()), Err(LockError::Held(None))));
    assert_eq!(peek(&path).unwrap().what, "another process");
}

#[test]
fn what_cannot_be_locked_is_an_error_that_names_the_file() {
    let home = home();
    let path = home.layout.branch_lock("b-main");
    std::fs::create_dir_all(&path).unwrap();
    let error = Lock::acquire(&path, &me()).unwrap_err();
    assert!(matches!(error, LockError::Cannot { .. }));
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    assert_eq!(peek(&path), None);
}

#[test]
fn a_child_does_not_keep_the_lock() {
    let home = home();
    let path = home.layout.branch_lock("b-main");
    let held = Lock::acquire(&path, &me()).unwrap();
    let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    drop(held);
    let again = Lock::acquire(&path, &me());
    drop(child.stdin.take());
    child.wait().unwrap();
    again.unwrap();
}

#[test]
fn a_lock_on_a_removed_file_is_not_taken_for_the_lock() {
    let home = home();
    let path = home.layout.branch_lock("b-main");
    let _old = Lock::acquire(&path, &me()).unwrap();
    std::fs::remove_file(&path).unwrap();
    let _new = Lock::acquire(&path, &me()).unwrap();
    assert!(matches!(Lock::acquire(&path, &me()), Err(LockError::Held(_))));
}

#[test]
fn short_sections_wait_for_each_other_and_looking_disturbs_nobody() {
    let home = home();
    let path = home.layout.log_lock();
    let inside = AtomicU32::new(0);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let looker = scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                peek(&path);
            }
        });
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let most = Duration::from_secs(60);
                        let lock = Lock::acquire_within(&path, &me(), most).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                })
            })
            .collect();
        let results: Vec<_> =
            workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::SeqCst);
        looker.join().unwrap();
        assert!(results.iter().all(Result::is_ok));
    });
}
