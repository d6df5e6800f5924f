//! Both texts of what differs.

use std::os::unix::fs::symlink;

use super::id;
use crate::support::repo::TestRepo;

#[test]
fn both_texts_of_what_differs_in_every_kind_of_repository() {
    for options in [&[][..], &["--object-format=sha256"]] {
        let test = TestRepo::with(options);
        test.write("edited", "a\nb\n");
        test.write("gone", "gone\n");
        test.write("old name", "one\ntwo\nthree\nfour\n");
        test.write("same", "same\n");
        let first = id(&test.commit("first"));
        test.write("edited", "a\nc\nd\n");
        test.git(&["rm", "-q", "gone"]);
        test.git(&["mv", "old name", "new\tname"]);
        std::fs::write(test.path.join("binary"), b"a\0b").unwrap();
        std::fs::write(test.path.join("latin"), b"caf\xe9\n").unwrap();
        std::fs::write(test.path.join("large"), vec![b'x'; (1 << 20) + 1]).unwrap();
        symlink("same", test.path.join("link")).unwrap();
        let second = id(&test.commit("second"));
        let files = test.open().changed_files(&first, &second).unwrap();
        let of = |path: &str| files.iter().find(|f| f.path() == path).unwrap();
        let edited = of("edited");
        assert_eq!((edited.old_text(), edited.new_text()), ("a\nb\n", "a\nc\nd\n"));
        let added: Vec<&str> = edited.added().iter().map(|l| l.text).collect();
        assert_eq!((edited.removed()[0].text, added), ("b", vec!["c", "d"]));
        assert_eq!((of("gone").old_text(), of("gone").new.is_none()), ("gone\n", true));
        let renamed = of("new\tname");
        assert_eq!(renamed.old.as_ref().unwrap().path, "old name");
        assert_eq!(renamed.old_text(), renamed.new_text());
        assert_eq!(of("binary").new.as_ref().unwrap().text, None);
        assert_eq!(of("latin").new_text(), "caf\u{fffd}\n");
        let large = of("large").new.as_ref().unwrap();
        assert_eq!((large.size, large.text.is_none()), ((1 << 20) + 1, true));
        let link = of("link").new.as_ref().unwrap();
        assert_eq!((link.mode, link.text.as_deref()), (0o120_000, Some("same")));
        assert_eq!(files.len(), 7);
    }
}
