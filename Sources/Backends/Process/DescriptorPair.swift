import Foundation

/// A pipe that closes its ends when it is deallocated, unless a caller took them.
final class DescriptorPair {
    private(set) var reading: Int32
    private(set) var writing: Int32

    init(_ functions: SpawnFunctions) throws(ProcessFailure) {
        var ends: [Int32] = [-1, -1]
        guard functions.pipe2(&ends, O_CLOEXEC) == 0 else { throw .didNotStart(code: errno) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Returns the reading end. The caller must close it.
    func takeReading() -> Int32 {
        defer { reading = -1 }
        return reading
    }

    /// Returns the writing end. The caller must close it.
    func takeWriting() -> Int32 {
        defer { writing = -1 }
        return writing
    }

    deinit {
        if reading >= 0 { close(reading) }
        if writing >= 0 { close(writing) }
    }
}
