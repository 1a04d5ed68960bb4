import Foundation
import TestSupport
import Testing

extension FrontTests {
    /// Without Varnish, which caches a file for five minutes.
    @Test(
        "Serves the old or the new version of a replaced file as a whole, and soon the new one",
        arguments: Front.allCases.filter { $0 != .varnish })
    func replacement(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            expectFile(try await site.get("ed-1.zip", [reader]), "ed-1.zip")
            let (before, after) = (EditionStore.bytes(of: "ed-1.zip"), Array("another".utf8))
            let prepared = site.plan.folder.appendingPathComponent("prepared")
            try Data(after).write(to: prepared)
            try #require(rename(prepared.path, site.plan.root.appendingPathComponent("ed-1.zip").path) == 0)
            let isSeen = try await eventuallyTrue {
                let response = try await site.get("ed-1.zip", [reader])
                let (isOld, isNew) = (response.body == before, response.body == after)
                #expect(response.status == 200)
                #expect(isOld || isNew)
                return isNew
            }
            #expect(isSeen)
            try FileManager.default.removeItem(at: site.plan.root.appendingPathComponent("ed-1.zip"))
            let isGone = try await eventuallyTrue {
                let response = try await site.get("ed-1.zip", [reader])
                let isNew = response.body == after
                #expect(response.status == 404 || isNew)
                return !isNew
            }
            #expect(isGone)
        }
    }

    /// Without Caddy, which follows links.
    @Test(
        "Symbolic links are not followed, not even in place of a known file or folder",
        arguments: Front.allCases.filter { $0 != .caddy })
    func links(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            let (files, root) = (FileManager.default, site.plan.root)
            let outside = site.plan.folder.appendingPathComponent("outside")
            try files.createDirectory(at: outside, withIntermediateDirectories: false)
            try Data("secret".utf8).write(to: outside.appendingPathComponent("index.html"))
            let edition = root.appendingPathComponent("ed-1")
            try files.createSymbolicLink(at: edition.appendingPathComponent("folder"), withDestinationURL: outside)
            try files.createSymbolicLink(
                at: edition.appendingPathComponent("file.html"),
                withDestinationURL: outside.appendingPathComponent("index.html"))
            for path in ["ed-1/folder/index.html", "ed-1/file.html"] {
                #expect([403, 404].contains(try await site.get(path, [reader]).status), "\(path)")
            }
            // After the front's file caches know the files.
            let served = ["ed-1.zip", "ed-1/index.html"]
            for path in served { expectFile(try await site.get(path, [reader]), path) }
            for (name, target) in [("ed-1.zip", "index.html"), ("ed-1", "")] {
                let place = root.appendingPathComponent(name)
                try files.moveItem(at: place, to: root.appendingPathComponent("moved-\(name)"))
                try files.createSymbolicLink(
                    at: place, withDestinationURL: target.isEmpty ? outside : outside.appendingPathComponent(target))
            }
            for path in served {
                let isRejected = try await eventuallyTrue {
                    let response = try await site.get(path, [reader])
                    #expect(response.body != Array("secret".utf8), "\(path)")
                    return [403, 404].contains(response.status)
                }
                // Varnish caches a file for five minutes.
                #expect(isRejected || front == .varnish, "\(path)")
            }
        }
    }

    /// Polls 20 times over at least four seconds, which is longer than a file may be stale.
    private func eventuallyTrue(_ isTrue: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<20 {
            if try await isTrue() { return true }
            try await Task.sleep(for: .milliseconds(200))
        }
        return false
    }
}
