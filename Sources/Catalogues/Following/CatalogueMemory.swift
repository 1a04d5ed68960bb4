package import Foundation
package import Gatefold
import SQLAccess
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// What is remembered of one publication's catalogue: in a file of its own, and in memory for as long as the server runs.
///
/// One is shared by whatever follows the publication's catalogue before and after a reload, so that neither announces what the
/// other did.
package final class CatalogueMemory: Sendable {
    /// Nil where nothing is written, as in a drill.
    private let path: String?
    private let record: Mutex<CatalogueRecord>
    private let synchronise: Synchronise

    /// Brings the list of names of a file's folder to disk.
    typealias Synchronise = @Sendable (String) throws(DurableFolder.SyncFailure) -> Void

    /// What is larger is not read.
    private static let largest = 512 << 20

    /// Reads the file, if there is one that can be read; any other is as none.
    ///
    /// - Parameters:
    ///   - folder: of all catalogues; made when it is missing.
    ///   - isWritten: whether what is new is written there; otherwise it is remembered in memory only.
    package convenience init(folder: String?, publication: PublicationID, isWritten: Bool = true) {
        self.init(
            folder: folder, publication: publication, isWritten: isWritten,
            synchronise: { path throws(DurableFolder.SyncFailure) in try DurableFolder.synchronise(of: path) })
    }

    /// - Parameter synchronise: brings the list of names of the folder to disk; a test may fail it.
    init(
        folder: String?, publication: PublicationID, isWritten: Bool = true, synchronise: @escaping Synchronise
    ) {
        self.synchronise = synchronise
        let file = folder.map { "\($0)/\(publication.rawValue).json" }
        path = isWritten ? file : nil
        record = Mutex(file.flatMap(Self.read) ?? CatalogueRecord())
    }

    var value: CatalogueRecord { record.withLock(\.self) }

    /// For whoever only looks.
    package var remembered: Remembered {
        let record = value
        return Remembered(
            fingerprint: record.fingerprint, confirmedAt: record.confirmedAt,
            catalogue: record.editions.map { Catalogue($0) }, announced: record.announced?.count ?? 0)
    }

    package struct Remembered: Sendable {
        /// Of the settings of the source.
        package let fingerprint: [UInt8]?
        package let confirmedAt: Date?
        /// Nil where none was fetched with success.
        package let catalogue: Catalogue?
        /// How many editions have been offered so far.
        package let announced: Int
    }

    /// Changes the record and writes it, where there is anything new.
    ///
    /// - Parameter firmly: whether what could not be written did not happen; otherwise it is remembered until the restart.
    /// - Throws: ``CatalogueMemoryError``.
    func update<Result: Sendable>(
        firmly: Bool, _ change: (inout CatalogueRecord) -> Result
    ) throws(CatalogueMemoryError) -> Result {
        try record.withLock { record throws(CatalogueMemoryError) in
            var next = record
            let result = change(&next)
            guard next != record else { return result }
            if !firmly { record = next }
            if let path { try write(next, to: path) }
            record = next
            return result
        }
    }

    private static func read(_ path: String) -> CatalogueRecord? {
        guard let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int, size <= largest,
            let data = FileManager.default.contents(atPath: path)
        else { return nil }
        return try? JSONDecoder().decode(CatalogueRecord.self, from: data)
    }

    /// As a whole or not at all, and its owner's alone: prices and drafts are in it.
    private func write(_ record: CatalogueRecord, to path: String) throws(CatalogueMemoryError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(record) else { throw CatalogueMemoryError(code: EINVAL) }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let isNew = access(folder.path, F_OK) != 0
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let part = "\(path).\(UUID().uuidString).part"
        let file = open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CatalogueMemoryError(code: errno) }
        let failure = Self.append(data, to: file)
        close(file)
        if let failure {
            unlink(part)
            throw CatalogueMemoryError(code: failure)
        }
        guard rename(part, path) == 0 else {
            let code = errno
            unlink(part)
            throw CatalogueMemoryError(code: code)
        }
        do {
            try synchronise(path)
            if isNew { try synchronise(folder.path) }
        } catch {
            throw CatalogueMemoryError(code: error.code)
        }
    }

    /// - Returns: the error's number; nil when everything is on the disk.
    private static func append(_ data: Data, to file: CInt) -> CInt? {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            rest = rest.dropFirst(count)
        }
        return fsync(file) == 0 ? nil : errno
    }
}

/// Why a catalogue's file could not be written.
struct CatalogueMemoryError: Error, Equatable, CustomStringConvertible {
    let code: CInt

    var description: String { "the catalogue's file can not be written: \(String(cString: strerror(code)))" }
}
