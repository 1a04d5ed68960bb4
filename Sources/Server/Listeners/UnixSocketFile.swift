import Foundation

/// The file of a Unix socket that a listener creates.
enum UnixSocketFile {
    /// Removes a socket that a former process left. Another kind of file remains, so that a mistake in the configuration
    /// deletes nothing.
    static func removeStale(_ path: String) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeSocket, isRefused(path) else { return }
        unlink(path)
    }

    /// Permits the use of a socket by its owner only.
    static func restrict(_ path: String) {
        _ = chmod(path, 0o600)
    }

    /// Returns whether no process listens at a socket. Another error, such as a lack of permission, says nothing about that.
    private static func isRefused(_ path: String) -> Bool {
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result != 0 && errno == ECONNREFUSED
    }
}
