import Foundation

/// New files with access for their owner alone.
enum PrivateOutput {
    /// - Throws: ``CommandFailure`` if the file exists or cannot be created.
    static func create(_ path: String) throws -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = errno == EEXIST ? "it already exists" : String(cString: strerror(errno))
            throw CommandFailure(.cannotCreate, "\(path) was not written: \(reason)")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
