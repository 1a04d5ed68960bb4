import Foundation
import SQLAccess
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A small file next to the state that records the progress of the state and the latest issue time of its sessions.
///
/// The file reveals an older copy of the state that was put in place manually, because such a copy has made less
/// progress or belongs to another generation. It is written after each revocation without waiting for the disk.
/// After a power cut it may therefore record less progress than the state has made.
final class GenerationFile: Sendable {
    /// The content of the file.
    enum Content: Equatable {
        case missing
        case unreadable
        case generation(StateGeneration)

        var generation: StateGeneration? {
            if case .generation(let generation) = self { generation } else { nil }
        }
    }

    private let path: String
    /// The generation that this process wrote last.
    private let written = Mutex<StateGeneration?>(nil)

    /// - Parameter state: The path of the state itself.
    init(alongside state: String) {
        path = Self.path(alongside: state)
    }

    static func path(alongside state: String) -> String { state + ".generation" }

    private static let header = "gatefold-state-generation 2"

    func read() -> Content {
        guard let data = FileManager.default.contents(atPath: path) else {
            return access(path, F_OK) == 0 ? .unreadable : .missing
        }
        return Self.decode(data).map { .generation($0) } ?? .unreadable
    }

    /// Replaces the file atomically and synchronises it to disk.
    func write(_ generation: StateGeneration) throws {
        do {
            try PrivateFile.replace(path) { file throws(FileSync.SyncFailure) in
                try FileSync.write(Self.encode(generation), at: 0, of: file, path)
            }
        } catch {
            throw GenerationFileError(path: path, code: error.code)
        }
        written.withLock { $0 = generation }
    }

    /// Records the progress of the state unless this process has recorded it already. A later progress that another
    /// process recorded is preserved.
    func raise(to generation: StateGeneration) throws {
        try written.withLock { written in
            if written == generation, access(path, F_OK) == 0 { return }
            let file = open(path, O_RDWR | O_CLOEXEC)
            guard file >= 0 else {
                // The file was removed. The state itself is in its place, because otherwise the write to it would
                // have failed.
                guard errno == ENOENT else { throw GenerationFileError(path: path, code: errno) }
                let restored = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
                guard restored >= 0 else { throw GenerationFileError(path: path, code: errno) }
                defer { close(restored) }
                try Self.put(generation, in: restored, path)
                written = generation
                return
            }
            defer { close(file) }
            guard flock(file, LOCK_EX) == 0 else { throw GenerationFileError(path: path, code: errno) }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = pread(file, &bytes, bytes.count, 0)
            guard count >= 0 else { throw GenerationFileError(path: path, code: errno) }
            // A different generation in the file was written by the process that began it. The state in the tables
            // belongs to this generation.
            let known = Self.decode(Data(bytes.prefix(count))).flatMap { $0.id == generation.id ? $0 : nil }
            let joined = known?.joined(with: generation) ?? generation
            if joined != known { try Self.put(joined, in: file, path) }
            written = generation
        }
    }

    private static func put(_ generation: StateGeneration, in file: CInt, _ path: String) throws {
        let data = encode(generation)
        // The data always has the same length and is shorter than a sector, so that the write is atomic.
        guard data.withUnsafeBytes({ pwrite(file, $0.baseAddress, $0.count, 0) }) == data.count else {
            throw GenerationFileError(path: path, code: errno)
        }
    }

    private static func encode(_ generation: StateGeneration) -> Data {
        let id = generation.id.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
        let numbers = [generation.revocations, Int64(generation.latest.timeIntervalSince1970)].map { number in
            let digits = String(number)
            return String(repeating: "0", count: max(0, 19 - digits.count)) + digits
        }
        return Data("\(header)\n\(id)\n\(numbers[0])\n\(numbers[1])\n".utf8)
    }

    private static func decode(_ data: Data) -> StateGeneration? {
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, lines[0] == header, lines[1].utf8.count == StateGeneration.size * 2, lines[4].isEmpty,
            let revocations = Int64(lines[2]), revocations >= 0, let latest = Int64(lines[3]), latest >= 0
        else { return nil }
        var id = Data()
        var rest = lines[1][...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            id.append(byte)
            rest = rest.dropFirst(2)
        }
        return StateGeneration(
            id: id, revocations: revocations,
            latest: StateGeneration.wholeSecond(Date(timeIntervalSince1970: TimeInterval(latest))))
    }
}

/// An error that reports that the file next to the state could not be written.
struct GenerationFileError: Error, Equatable, CustomStringConvertible {
    let path: String
    let code: CInt

    var description: String { "the file \(path) cannot be written: \(String(cString: strerror(code)))" }
}
