package import Foundation
package import Gatefold
import SQLAccess
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The cached state of one publication's catalogue: in its own file, and in memory for the lifetime of the server.
///
/// The followers before and after a reload share one instance, so that neither announces an edition that the other
/// has announced.
package final class CatalogueCache: Sendable {
    /// The path of the file; nil if nothing is written, as in a drill.
    private let path: String?
    private let record: Mutex<CatalogueRecord>
    private let synchronise: Synchronise

    /// Synchronises the folder of a file to disk.
    typealias Synchronise = @Sendable (String) throws(FileSync.SyncFailure) -> Void

    /// The maximum size in bytes of a file that is read.
    private static let maxSize = 512 << 20

    /// Reads the file. An unreadable file counts as missing.
    ///
    /// - Parameters:
    ///   - folder: The folder of all catalogues. It is created if it is missing.
    ///   - isWritten: A Boolean value that indicates whether changes are written to the file. Otherwise they stay
    ///     in memory.
    package convenience init(folder: String?, publication: PublicationID, isWritten: Bool = true) {
        self.init(
            folder: folder, publication: publication, isWritten: isWritten,
            synchronise: { path throws(FileSync.SyncFailure) in try FileSync.synchronise(of: path) })
    }

    /// - Parameter synchronise: Synchronises the folder to disk. A test may let it fail.
    init(
        folder: String?, publication: PublicationID, isWritten: Bool = true, synchronise: @escaping Synchronise
    ) {
        self.synchronise = synchronise
        let file = folder.map { "\($0)/\(publication.rawValue).json" }
        path = isWritten ? file : nil
        record = Mutex(file.flatMap(Self.read) ?? CatalogueRecord())
    }

    var value: CatalogueRecord { record.withLock(\.self) }

    /// A read-only view of the cached state.
    package var snapshot: Snapshot {
        let record = value
        return Snapshot(
            fingerprint: record.fingerprint, confirmedAt: record.confirmedAt,
            catalogue: record.editions.map { Catalogue($0) }, announced: record.announced?.count ?? 0)
    }

    package struct Snapshot: Sendable {
        /// The fingerprint of the source's settings.
        package let fingerprint: [UInt8]?
        package let confirmedAt: Date?
        /// The last catalogue; nil if no fetch has succeeded.
        package let catalogue: Catalogue?
        /// The number of editions that have been offered so far.
        package let announced: Int
    }

    /// Changes the record, and writes it if it differs.
    ///
    /// - Parameter durably: A Boolean value that indicates whether a failed write discards the change. Otherwise the
    ///   change stays in memory until the restart.
    /// - Throws: ``CatalogueCacheError``.
    func update<Result: Sendable>(
        durably: Bool, _ change: (inout CatalogueRecord) -> Result
    ) throws(CatalogueCacheError) -> Result {
        try record.withLock { record throws(CatalogueCacheError) in
            var next = record
            let result = change(&next)
            guard next != record else { return result }
            if !durably { record = next }
            if let path { try write(next, to: path) }
            record = next
            return result
        }
    }

    private static func read(_ path: String) -> CatalogueRecord? {
        guard let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int, size <= maxSize,
            let data = FileManager.default.contents(atPath: path)
        else { return nil }
        return try? JSONDecoder().decode(CatalogueRecord.self, from: data)
    }

    /// Writes the file atomically with access for its owner alone, because it contains prices and drafts.
    private func write(_ record: CatalogueRecord, to path: String) throws(CatalogueCacheError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(record) else { throw CatalogueCacheError(code: EINVAL) }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let isNew = access(folder.path, F_OK) != 0
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let part = "\(path).\(UUID().uuidString).part"
        let file = open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CatalogueCacheError(code: errno) }
        let failure = Self.append(data, to: file)
        close(file)
        if let failure {
            unlink(part)
            throw CatalogueCacheError(code: failure)
        }
        guard rename(part, path) == 0 else {
            let code = errno
            unlink(part)
            throw CatalogueCacheError(code: code)
        }
        do {
            try synchronise(path)
            if isNew { try synchronise(folder.path) }
        } catch {
            throw CatalogueCacheError(code: error.code)
        }
    }

    /// Writes the data and synchronises the file.
    ///
    /// - Returns: The error number; nil when all data is on disk.
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

/// The reason that the file of a catalogue could not be written.
struct CatalogueCacheError: Error, Equatable, CustomStringConvertible {
    let code: CInt

    var description: String { "the catalogue's file cannot be written: \(String(cString: strerror(code)))" }
}
