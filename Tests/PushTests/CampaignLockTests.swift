import Foundation
import TestSupport
import Testing

@testable import Push

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Campaign lock") struct CampaignLockTests {
    private func with(_ body: (_ database: String, _ locks: () throws -> [String]) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let database = folder.appending(path: "state.sqlite").path
            try Data().write(to: URL(filePath: database))
            try body(database) {
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".lock") }
            }
        }
    }

    /// Returns the name of the lock's file and releases the lock.
    private func name(alongside database: String, _ locks: () throws -> [String]) throws -> String {
        let lock = try CampaignLock("news", alongside: database)
        defer { withExtendedLifetime(lock) {} }
        return try #require(try locks().first)
    }

    @Test("Allows one process per campaign and leaves no file behind")
    func exclusive() async throws {
        try await with { database, locks in
            for _ in 0..<3 {
                let lock = try CampaignLock("news", alongside: database)
                #expect(throws: PushCampaignError.alreadyRunning("news")) {
                    try CampaignLock("news", alongside: database)
                }
                do {
                    let other = try CampaignLock("other", alongside: database)
                    #expect(try locks().count == 2)
                    withExtendedLifetime(other) {}
                }
                #expect(try locks().count == 1)
                withExtendedLifetime(lock) {}
            }
            #expect(try locks() == [])
        }
    }

    @Test("Takes over the lock of a killed process")
    func leftOver() async throws {
        try await with { database, locks in
            let name = try name(alongside: database, locks)
            let path = URL(filePath: database).deletingLastPathComponent().appending(path: name)
            try Data().write(to: path)
            do {
                let lock = try CampaignLock("news", alongside: database)
                withExtendedLifetime(lock) {}
            }
            #expect(try locks() == [])
        }
    }

    @Test("Belongs to the database's owner, so that root does not lock the server out", .enabled(if: geteuid() == 0))
    func owner() async throws {
        try await with { database, locks in
            #expect(chown(database, 65_534, 65_534) == 0)
            let lock = try CampaignLock("news", alongside: database)
            let name = try #require(try locks().first)
            let path = URL(filePath: database).deletingLastPathComponent().appending(path: name).path
            let found = try FileManager.default.attributesOfItem(atPath: path)
            #expect(found[.ownerAccountID] as? Int == 65_534)
            #expect(found[.groupOwnerAccountID] as? Int == 65_534)
            #expect(found[.posixPermissions] as? Int == 0o600)
            withExtendedLifetime(lock) {}
        }
    }

    @Test("Does not follow a symbolic link in its place")
    func link() async throws {
        try await with { database, locks in
            let name = try name(alongside: database, locks)
            let folder = URL(filePath: database).deletingLastPathComponent()
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: name).path, withDestinationPath: folder.appending(path: "victim").path)
            #expect(throws: PushCampaignError.self) { try CampaignLock("news", alongside: database) }
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "victim").path))
        }
    }
}
