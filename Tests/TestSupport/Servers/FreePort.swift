import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Loopback ports.
public enum FreePort {
    public struct NoneLeft: Error {}

    /// Ports below the kernel's ephemeral range. A client of any test could take an ephemeral port between its
    /// selection and the start of the server.
    private static let range = 20_000..<32_000
    private static let next = Mutex(range.lowerBound + Int(getpid()) * 97 % range.count)

    /// Returns a port of 127.0.0.1 that is free and that this process has not returned before.
    public static func find() throws -> Int {
        for _ in range {
            let port = next.withLock { next in
                next = next + 1 < range.upperBound ? next + 1 : range.lowerBound
                return next
            }
            if try isFree(port) { return port }
        }
        throw NoneLeft()
    }

    private static func isFree(_ port: Int) throws -> Bool {
        let descriptor = try open()
        defer { close(descriptor) }
        var address = loopback(port: port)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Returns whether a server accepts connections on the port.
    public static func isOccupied(_ port: Int) -> Bool {
        guard let descriptor = try? open() else { return false }
        defer { close(descriptor) }
        var address = loopback(port: port)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func open() throws -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw NoneLeft() }
        return descriptor
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Returns whether a socket of this machine listens on the port, according to the kernel (proc(5),
    /// `/proc/net/tcp`).
    static func isListenedOn(_ port: Int) -> Bool {
        let local = String(format: ":%04X", port)
        return ["/proc/net/tcp", "/proc/net/tcp6"].contains { table in
            // Reads to the end, because one read returns about thirty sockets.
            guard let bytes = try? FileHandle(forReadingAtPath: table)?.readToEnd() else { return false }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
                let words = line.split(separator: " ", omittingEmptySubsequences: true)
                // 0A is TCP_LISTEN.
                return words.count > 3 && words[1].hasSuffix(local) && words[3] == "0A"
            }
        }
    }
}
