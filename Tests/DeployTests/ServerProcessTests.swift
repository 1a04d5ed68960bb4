import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Server process of a test") struct ServerProcessTests {
    @Test("Inherits no socket of the test process")
    func descriptors() async throws {
        try await withTemporaryFolder { folder in
            // Opens sockets as NIO does, which child processes inherit.
            let opening = Task.detached {
                var opened: [Int32] = []
                while !Task.isCancelled, opened.count < 300 {
                    opened.append(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
                    try? await Task.sleep(for: .microseconds(200))
                }
                for descriptor in opened { close(descriptor) }
            }
            for number in 0..<20 {
                let ready = folder.appending(path: "ready-\(number)")
                try await withServer(
                    .init(
                        "/bin/sh", ["-c", "ls -l /proc/$$/fd > \(ready.path); exec sleep 30"], in: folder,
                        until: .file(ready))
                ) { server in
                    let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.identifier)/fd")
                        .compactMap {
                            try? FileManager.default.destinationOfSymbolicLink(
                                atPath: "/proc/\(server.identifier)/fd/\($0)")
                        }
                    #expect(held.filter { $0.hasPrefix("socket:") } == [])
                }
            }
            opening.cancel()
            await opening.value
        }
    }
}
