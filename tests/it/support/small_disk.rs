//! A small disk, for tests of what happens when it is full or read-only.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A small disk of its own, taken away again on drop.
pub(crate) struct SmallDisk {
    dir: tempfile::TempDir,
    kib: usize,
}

impl SmallDisk {
    /// Of 64 KiB.
    pub(crate) fn mount() -> Option<SmallDisk> {
        SmallDisk::of_kib(64)
    }

    /// `None` where this user may not mount, or where an unprivileged mount is refused.
    pub(crate) fn of_kib(kib: usize) -> Option<SmallDisk> {
        let dir = tempfile::tempdir().unwrap();
        let size = format!("size={kib}k");
        let mounted = mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], dir.path());
        if !mounted {
            println!("skipped: mounting a small disk is refused here");
            return None;
        }
        Some(SmallDisk { dir, kib })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Changes its options.
    pub(crate) fn remount(&self, options: &str) {
        assert!(mount(&["-o", options], self.path()), "remount {options}");
    }

    /// Takes all the space that is left.
    pub(crate) fn fill(&self) -> PathBuf {
        let filler = self.path().join("filler");
        let full = std::fs::write(&filler, vec![0u8; (self.kib + 1024) << 10]).unwrap_err();
        assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
        filler
    }
}

fn mount(options: &[&str], at: &Path) -> bool {
    Command::new("mount").args(options).arg(at).output().is_ok_and(|o| o.status.success())
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).output();
    }
}
