import Foundation

/// Files that hold personal data or the state of readers are their owner's alone.
package enum PrivateFile {
    /// Creates an empty file that only its owner may read, unless there is one; SQLite gives its side files the same mode.
    ///
    /// A file that exists is left untouched: opening and closing it would drop the locks this process may hold on it.
    package static func createIfMissing(_ path: String) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }
}
