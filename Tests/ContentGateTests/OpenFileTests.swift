import Foundation
import TestSupport
import Testing

@testable import ContentGate

@Suite("Open file")
struct OpenFileTests {
    @Test("reports which of its ranges are in memory")
    func memory() async throws {
        try await withTemporaryFolder { folder in
            let size = 4 << 20
            let path = folder.appending(path: "edition.zip").path
            try Data(repeating: 0x61, count: size).write(to: URL(fileURLWithPath: path))
            let file = try OpenFile.open(["edition.zip"], below: folder.path)
            let whole = 0..<Int64(size)
            // Some file systems do not report this; their files never count as resident.
            guard file.isResident(whole) else { return }
            #expect(file.isResident(5..<6) && file.isResident((128 << 10)..<(128 << 10) + 1))
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            // Pages that are not yet written to the disk cannot be dropped.
            #expect(fsync(descriptor) == 0)
            #expect(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
            #expect(!file.isResident(whole))
            _ = try file.read(at: 0, upTo: size)
            #expect(file.isResident(whole))
        }
    }
}
