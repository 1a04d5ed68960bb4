import Foundation
import GRDB
import Gatefold
import Primitives
import SQLAccess
import TestSupport
import Testing

@testable import State

/// Tests Pitfall 34.
@Suite("Older copy of the state") struct OlderCopyTests {
    private let ended = Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon)

    private func subject(_ number: UInt8, issuedAt: Date) -> SaltSubject {
        SaltSubject(subscriber: subscriber(number), session: SessionPseudonym(device(number)), issuedAt: issuedAt)
    }

    /// Returns the revocation list of a server that starts on the state at this time.
    private func list(_ path: String, at timestamp: Date) async throws -> RevocationList {
        let store = try SQLStateStore(path: path, clock: WallClock { timestamp })
        let lists = RevocationLists()
        try await RevocationFollower(store: store, lists: lists).catchUp()
        return lists.list(for: daily)
    }

    @Test("An older copy restores no session that was ended since, because all sessions end")
    func manually() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do {
                let store = try SQLStateStore(path: path, clock: WallClock { noon })
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(9), session: nil, at: noon - 100))
            }
            try FileManager.default.copyItem(atPath: path, toPath: folder + "/copy")
            do {
                let store = try SQLStateStore(path: path, clock: WallClock { noon })
                #expect(!store.didFindOlderState)
                try await store.record(ended)
            }
            #expect(try await list(path, at: noon + 60).isRevoked(subject(1, issuedAt: noon)))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: folder + "/copy", toPath: path)
            let restored = try await list(path, at: noon + 120)
            #expect(restored.isRevoked(subject(1, issuedAt: noon)))
            // A session that is not known to be valid is rejected.
            #expect(restored.isRevoked(subject(2, issuedAt: noon + 119)))
            #expect(restored.boundary(subscriber: subscriber(2), session: SessionPseudonym(device(2))) == noon + 121)
            #expect(!restored.isRevoked(subject(2, issuedAt: noon + 121)))
            // The floor persists and does not move at the next start.
            let later = try await list(path, at: noon + 3600)
            #expect(later.isRevoked(subject(2, issuedAt: noon + 120)))
            #expect(!later.isRevoked(subject(2, issuedAt: noon + 121)))
        }
    }

    @Test(
        "Restores no session that counts as issued in the future, after a clock ahead or many sign-ins",
        arguments: ["clock ahead", "many", "neither"], [false, true])
    func issuedAhead(_ what: String, isRestored: Bool) async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            let clock = ManualClock(noon)
            do {
                let store = try SQLStateStore(path: path, clock: clock.wall)
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(9), session: nil, at: noon - 100))
                _ = try StateBackup.make(of: path, to: folder + "/copy")
            }
            var issued = noon
            do {
                let store = try SQLStateStore(path: path, clock: clock.wall)
                switch what {
                case "clock ahead":
                    clock.step(by: 86_400)
                    _ = try await store.maintain()
                    issued = clock.now
                    clock.step(by: -86_400)
                case "many": issued = noon + 60
                default: break
                }
                // A session of a device used later than now ends with all sessions up to that time.
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: issued))
                try store.close()
            }
            if isRestored {
                _ = try StateRestore.make(from: folder + "/copy", to: path, at: noon + 1)
            } else {
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
                try FileManager.default.copyItem(atPath: folder + "/copy", toPath: path)
            }
            let restored = try await list(path, at: noon + 1)
            #expect(restored.isRevoked(subject(1, issuedAt: issued)))
            let floor = restored.boundary(subscriber: subscriber(2), session: SessionPseudonym(device(2)))
            #expect(floor > issued && floor <= max(issued, noon + 1) + 2)
            // A session opened now counts as issued at the floor, and a later restore of an older copy ends it.
            try await SQLStateStore(path: path, clock: clock.wall).record(
                Revocation(publication: daily, subscriber: subscriber(3), session: nil, at: noon))
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            try FileManager.default.copyItem(atPath: folder + "/copy", toPath: path)
            #expect(try await list(path, at: noon + 2).isRevoked(subject(2, issuedAt: floor)))
        }
    }

    @Test("Ends sessions that the copy itself records as issued in the future")
    func issuedAheadInCopy() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do {
                let store = try SQLStateStore(path: path, clock: WallClock { noon })
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon + 500))
                _ = try StateBackup.make(of: path, to: folder + "/copy")
            }
            let other = folder + "/other.sqlite"
            let restore = try StateRestore.make(from: folder + "/copy", to: other, at: noon)
            #expect(restore.sessionFloor > noon + 501)
            #expect(try await list(other, at: noon).isRevoked(subject(2, issuedAt: noon + 501)))
        }
    }

    @Test(
        "Assumes an older copy unless disproved", arguments: ["file lost", "state lost", "another's file", "garbage"])
    func reportWarning(_ what: String) async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do { try await SQLStateStore(path: path, clock: WallClock { noon }).record(ended) }
            let file = GenerationFile.path(alongside: path)
            switch what {
            case "file lost": try FileManager.default.removeItem(atPath: file)
            case "state lost": try FileManager.default.removeItem(atPath: path)
            case "another's file":
                _ = try SQLStateStore(path: folder + "/other.sqlite")
                try FileManager.default.removeItem(atPath: file)
                try FileManager.default.copyItem(
                    atPath: GenerationFile.path(alongside: folder + "/other.sqlite"), toPath: file)
            default: try Data("?".utf8).write(to: URL(fileURLWithPath: file))
            }
            #expect(try await list(path, at: noon + 60).isRevoked(subject(2, issuedAt: noon + 60)))
            #expect(try !SQLStateStore(path: path).didFindOlderState)
        }
    }

    @Test("No older copy is detected in a state that several processes write to, open and close")
    func undisturbed() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            let server = try SQLStateStore(path: path)
            for number: UInt8 in 1...20 {
                let command = try SQLStateStore(path: path)
                #expect(!command.didFindOlderState)
                try await (number.isMultiple(of: 2) ? server : command).record(
                    Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: noon))
            }
            #expect(try await server.sessionFloor() == nil)
            try FileManager.default.removeItem(atPath: GenerationFile.path(alongside: path))
            // While it is open, no other file can have replaced it, so the generation file is created again.
            _ = try await server.sessionFloor()
            #expect(try !SQLStateStore(path: path).didFindOlderState)
        }
    }

    @Test("An older copy ends the links between installations and accounts")
    func links() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do { try await SQLStateStore(path: path).link(buyer(1), to: buyer(2)) }
            try FileManager.default.removeItem(atPath: GenerationFile.path(alongside: path))
            let store = try SQLStateStore(path: path)
            #expect(try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM owner_link") } == 0)
        }
    }
}
