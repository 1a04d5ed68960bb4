import Glibc
import NIOPosix

/// Sends exact bytes to a loopback port, so that no client normalises them.
struct RawClient: Sendable {
    let port: Int
    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 4)
        pool.start()
        return pool
    }()

    /// Sends a request on its own connection. Lines end with CRLF, and `Host` and `Connection` are added.
    func get(_ target: String, _ headers: [String] = [], method: String = "GET") async throws -> RawResponse {
        let head = (["\(method) \(target) HTTP/1.1", "Host: example.com", "Connection: close"] + headers + ["", ""])
            .joined(separator: "\r\n")
        return try RawResponse(try await exchange(Array(head.utf8)))
    }

    /// Writes the bytes and reads until the server closes.
    func exchange(_ bytes: [UInt8]) async throws -> [UInt8] {
        try await Self.pool.runIfActive { try Connection(port: port).exchange(bytes) }
    }

    /// Writes the bytes, reads the first `count` bytes of the response, runs `meanwhile`, and then reads the rest.
    func exchange(
        _ bytes: [UInt8], pausingAfter count: Int, _ meanwhile: @escaping @Sendable () throws -> Void
    ) async throws -> [UInt8] {
        try await Self.pool.runIfActive {
            let connection = try Connection(port: port)
            try connection.write(bytes)
            let head = try connection.read(atMost: count)
            try meanwhile()
            return try head + connection.readToEnd()
        }
    }

    /// Writes the bytes, reads the first `count` bytes of the response and closes the connection.
    func abandon(_ bytes: [UInt8], after count: Int) async throws {
        try await Self.pool.runIfActive {
            let connection = try Connection(port: port)
            try connection.write(bytes)
            _ = try connection.read(atMost: count)
        }
    }
}

struct RawResponse {
    struct Malformed: Error {}

    let status: Int
    /// The headers, with names in lower case.
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    let head: String

    init(_ bytes: [UInt8]) throws {
        let terminator = Array("\r\n\r\n".utf8)
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: terminator) }) else { throw Malformed() }
        head = String(decoding: bytes[..<end], as: UTF8.self)
        body = Array(bytes[(end + 4)...])
        let lines = head.split(separator: "\r\n")
        guard let first = lines.first?.split(separator: " "), first.count > 1, let status = Int(first[1]) else {
            throw Malformed()
        }
        self.status = status
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
    }

    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }
}

private final class Connection {
    struct Failure: Error { let number: CInt }
    private let descriptor: CInt

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(number: errno) }
    }

    deinit { close(descriptor) }

    func exchange(_ bytes: [UInt8]) throws -> [UInt8] {
        try write(bytes)
        return try readToEnd()
    }

    func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(number: errno) }
            sent += count
        }
    }

    /// Returns no bytes if the server has closed or reset the connection. A timeout throws an error.
    func read(atMost count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            let received = recv(descriptor, buffer.baseAddress, count, 0)
            guard received >= 0 || errno == ECONNRESET else { throw Failure(number: errno) }
            length = max(0, received)
        }
    }

    /// Reads until the server closes or a response without a body is complete.
    func readToEnd() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try read(atMost: 65_536)
            if bytes.isEmpty { return all }
            all += bytes
            if all.count < 4_096, let response = try? RawResponse(all), response["content-length"] == "0" { return all }
        }
    }
}
