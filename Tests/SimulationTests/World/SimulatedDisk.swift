import Foundation
import SQLAccess

@testable import State

/// The disk of a node. It survives a crash with what was written and synchronised before. A write that was in progress
/// may be there in part.
final class SimulatedDisk: Sendable {
    nonisolated(unsafe) fileprivate var files: [String: [UInt8]] = [:]

    /// The disk as one process of the node uses it.
    struct Mounted: JournalDisk {
        let disk: SimulatedDisk
        let life: NodeLife

        func perform(_ work: @escaping @Sendable () throws -> Void) async throws {
            let simulation = life.simulation
            let torn = life.onCrash { [disk] in
                // The work is done up to a random byte.
                disk.remaining = Int.random(in: 0...200, using: &simulation.random)
                try? work()
                disk.remaining = nil
            }
            try await simulation.sleep(simulation.number(0.001, 0.01), in: life)
            life.removeCrashAction(torn)
            let result = Result { try work() }
            try await simulation.sleep(simulation.number(0.000_1, 0.005), in: life)
            try result.get()
        }

        func content(of path: String) throws(FileSync.SyncFailure) -> [UInt8]? { disk.files[path] }

        func open(_ path: String, creates: Bool) throws(FileSync.SyncFailure) -> any OpenJournal {
            if creates { disk.files[path] = [] }
            return OpenFile(disk: disk, path: path)
        }

        func delete(_ path: String) throws(FileSync.SyncFailure) { disk.files[path] = nil }

        func setAside(_ path: String, as name: String) throws(FileSync.SyncFailure) {
            disk.files[name] = disk.files.removeValue(forKey: path)
        }

        func synchroniseFolder(of path: String) throws(FileSync.SyncFailure) {}
    }

    private struct OpenFile: OpenJournal {
        let disk: SimulatedDisk
        let path: String

        func append(_ bytes: [UInt8], at end: Int) throws(FileSync.SyncFailure) {
            let written = disk.remaining.map { Array(bytes.prefix($0)) } ?? bytes
            let content = disk.files[path] ?? []
            disk.files[path] = Array(content.prefix(end)) + written + content.dropFirst(end + written.count)
            if written.count < bytes.count { throw FileSync.SyncFailure(path: path, code: EIO) }
        }

        func cut(to length: Int) throws(FileSync.SyncFailure) {
            // A node that has lost its power cuts nothing.
            if disk.remaining == nil { disk.files[path] = Array((disk.files[path] ?? []).prefix(length)) }
        }
    }

    /// The number of bytes that a write in progress still writes after the loss of power; nil for all.
    nonisolated(unsafe) fileprivate var remaining: Int?
}
