import Foundation
import TestSupport
import Testing

@testable import ContentGate

@Suite("An open file")
struct OpenFileTests {
    @Test("says of what the system would have to get from the disk that it is not in memory")
    func memory() async throws {
        try await withTemporaryFolder { folder in
            let size = 4 << 20
            let path = folder.appending(path: "edition.zip").path
            try Data(repeating: 0x61, count: size).write(to: URL(fileURLWithPath: path))
            let file = try OpenFile.open(["edition.zip"], below: folder.path)
            let whole = 0..<Int64(size)
            // Some file systems do not say; of those nothing is ever in memory.
            guard file.isInMemory(whole) else { return }
            #expect(file.isInMemory(5..<6) && file.isInMemory((128 << 10)..<(128 << 10) + 1))
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            // What was not written to the disk yet can not be dropped.
            #expect(fsync(descriptor) == 0)
            #expect(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
            #expect(!file.isInMemory(whole))
            _ = try file.read(at: 0, upTo: size)
            #expect(file.isInMemory(whole))
        }
    }
}
