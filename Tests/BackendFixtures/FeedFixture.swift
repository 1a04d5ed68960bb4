import Backends
import Foundation
public import Gatefold
import PasswordHashing
import Primitives
import Settings
import Synchronization
import TestSupport

/// A file of readers in a folder, loaded every second.
public struct FeedFixture: BackendFixture {
    public static let name = "feed"
    public static let hasStoredHashes = true
    /// A missing source is no outage, because the last good feed is used. Only damage to that feed's own file fails
    /// readers.
    public static let outages: [Outage] = [.error]

    struct DidNotLoad: Error {}

    private let folder: URL
    private let hasher: PasswordHasher
    private let readers: Readers

    public var isRemote: Bool { false }

    /// The current rows of the file.
    private final class Readers: Sendable {
        let rows: Mutex<[String: (state: String, hash: String, editions: String, all: String)]> = Mutex([:])
        /// The number of written files, which makes each file differ from the one before.
        let count = Atomic(0)
    }

    public static func run(_ body: (FeedFixture) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let fixture = FeedFixture(folder: folder, hasher: try PasswordHasher(cost: 1), readers: Readers())
            for reader in StandardReaders.all {
                let row = (
                    reader.state.rawValue, try fixture.hasher.hash(reader.password),
                    reader.editions?.joined(separator: ";") ?? "", reader.editions == nil ? "yes" : "no"
                )
                fixture.readers.rows.withLock { $0[reader.email] = row }
            }
            try fixture.write()
            try await fixture.load()
            try await body(fixture)
        }
    }

    /// Loads the feed before the first query, as a restarted program has it. Only this fixture loads it, so that
    /// nothing else fetches afterwards.
    private func load() async throws {
        let services = BackendServices(
            clock: .system, random: .system, passwords: PasswordVerifier(hasher: hasher, concurrency: 1),
            pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))))
        let backend = try kind().open(services)
        try await wait { (try? await backend.health()) != nil }
    }

    public var settings: String {
        """
        kind: feed
        folder: \(folder.path)/kept
        source: {url: "file://\(file.path)"}
        schedule: {every: 1s, jitter: 0s, retry: 1s}
        format: csv
        columns: {identifier: email, key: number, proof: hash}
        limits: {max_shrink: 50%}
        subscription:
          state: {from: state}
          editions: {from: editions}
          all_editions: {from: all}
        """
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try await change(reader) { $0.state = state.rawValue }
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        let hash = try hasher.hash(password)
        try await change(reader) { $0.hash = hash }
    }

    public func fail(_ outage: Outage) async throws {
        try FileManager.default.moveItem(at: file, to: aside)
        try FileManager.default.copyItem(at: live, to: saved)
        try overwrite([UInt8](repeating: 0x5A, count: try Data(contentsOf: saved).count))
    }

    public func recover() async throws {
        try overwrite([UInt8](try Data(contentsOf: saved)))
        try FileManager.default.removeItem(at: saved)
        try FileManager.default.moveItem(at: aside, to: file)
    }

    private var file: URL { folder.appending(path: "readers.csv") }
    private var aside: URL { folder.appending(path: "readers.csv.aside") }
    private var live: URL { folder.appending(path: "kept/legacy.sqlite") }
    private var saved: URL { folder.appending(path: "legacy.saved") }

    private func kind() throws -> FeedBackendKind {
        let section = try YAMLSettings.read(text: settings, name: "gatefold.yaml", folder: folder.path)
        _ = try section.string("kind")
        return try FeedBackendKind(name: "legacy", settings: section)
    }

    /// Overwrites the file in place, so that a process with the open file reads the new bytes.
    private func overwrite(_ bytes: [UInt8]) throws {
        let handle = try FileHandle(forWritingTo: live)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    private func change(
        _ reader: StandardReader, _ body: (inout (state: String, hash: String, editions: String, all: String)) -> Void
    ) async throws {
        let kind = try kind()
        let before = kind.loaded()?.loadedAt ?? .distantPast
        readers.rows.withLock { rows in
            guard var row = rows[reader.email] else { return }
            body(&row)
            rows[reader.email] = row
        }
        try write()
        try await wait {
            guard let loaded = kind.loaded()?.loadedAt, let done = kind.status()?.succeededAt else { return false }
            return loaded > before && done >= loaded
        }
    }

    private func write() throws {
        let number = readers.count.add(1, ordering: .relaxed).newValue
        var lines = ["number,email,hash,state,editions,all,issue"]
        let rows = readers.rows.withLock(\.self)
        for (index, reader) in StandardReaders.all.enumerated() {
            guard let row = rows[reader.email] else { continue }
            lines.append("\(index + 1),\(reader.email),\(row.hash),\(row.state),\(row.editions),\(row.all),\(number)")
        }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file, options: .atomic)
    }

    private func wait(_ holds: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(240)
        while await !holds() {
            guard ContinuousClock.now < deadline else { throw DidNotLoad() }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
