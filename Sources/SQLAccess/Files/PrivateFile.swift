import Foundation

/// Functions for files with personal data or the state of readers. Only the owner may read such files.
package enum PrivateFile {
    /// Creates an empty file that only its owner may read, if it does not exist. SQLite gives its side files the
    /// same mode.
    ///
    /// An existing file is not opened, because opening and closing it would drop the locks that this process may
    /// hold on it.
    package static func createIfMissing(_ path: String) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }
}
