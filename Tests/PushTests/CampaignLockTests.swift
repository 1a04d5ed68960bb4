import Foundation
import TestSupport
import Testing

@testable import Push

#if canImport(Glibc)
    import Glibc
#endif

@Suite("A campaign's lock") struct CampaignLockTests {
    private func with(_ body: (_ database: String, _ locks: () throws -> [String]) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let database = folder.appending(path: "state.sqlite").path
            try Data().write(to: URL(filePath: database))
            try body(database) {
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".lock") }
            }
        }
    }

    /// What the lock's file is called, once it is gone.
    private func name(beside database: String, _ locks: () throws -> [String]) throws -> String {
        let lock = try CampaignLock("news", beside: database)
        defer { withExtendedLifetime(lock) {} }
        return try #require(try locks().first)
    }

    @Test("has it sent by one process at a time, and leaves nothing behind")
    func exclusive() async throws {
        try await with { database, locks in
            for _ in 0..<3 {
                let lock = try CampaignLock("news", beside: database)
                #expect(throws: PushStop.underWay("news")) { try CampaignLock("news", beside: database) }
                do {
                    let other = try CampaignLock("other", beside: database)
                    #expect(try locks().count == 2)
                    withExtendedLifetime(other) {}
                }
                #expect(try locks().count == 1)
                withExtendedLifetime(lock) {}
            }
            #expect(try locks() == [])
        }
    }

    @Test("is taken over from a process that was killed")
    func leftOver() async throws {
        try await with { database, locks in
            let name = try name(beside: database, locks)
            let path = URL(filePath: database).deletingLastPathComponent().appending(path: name)
            try Data().write(to: path)
            do {
                let lock = try CampaignLock("news", beside: database)
                withExtendedLifetime(lock) {}
            }
            #expect(try locks() == [])
        }
    }

    @Test("is the database owner's, so that root does not keep the server out", .enabled(if: geteuid() == 0))
    func owner() async throws {
        try await with { database, locks in
            #expect(chown(database, 65_534, 65_534) == 0)
            let lock = try CampaignLock("news", beside: database)
            let name = try #require(try locks().first)
            let path = URL(filePath: database).deletingLastPathComponent().appending(path: name).path
            let found = try FileManager.default.attributesOfItem(atPath: path)
            #expect(found[.ownerAccountID] as? Int == 65_534)
            #expect(found[.groupOwnerAccountID] as? Int == 65_534)
            #expect(found[.posixPermissions] as? Int == 0o600)
            withExtendedLifetime(lock) {}
        }
    }

    @Test("follows no link that somebody put in its place")
    func link() async throws {
        try await with { database, locks in
            let name = try name(beside: database, locks)
            let folder = URL(filePath: database).deletingLastPathComponent()
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: name).path, withDestinationPath: folder.appending(path: "victim").path)
            #expect(throws: PushStop.self) { try CampaignLock("news", beside: database) }
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "victim").path))
        }
    }
}
