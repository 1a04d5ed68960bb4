import Foundation
import TestSupport
import Testing

extension FrontTests {
    /// Varnish keeps what it has for five minutes, as its guide says.
    @Test(
        "A file that is replaced is served as it was or as it is, whole, and soon as it is",
        arguments: Front.allCases.filter { $0 != .varnish })
    func replacement(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateUnderTest.authorization(for: "ed-1")
            expectFile(try await site.get("ed-1.zip", [reader]), "ed-1.zip")
            let (before, after) = (EditionShelf.bytes(of: "ed-1.zip"), Array("another".utf8))
            let prepared = site.plan.folder.appendingPathComponent("prepared")
            try Data(after).write(to: prepared)
            try #require(rename(prepared.path, site.plan.root.appendingPathComponent("ed-1.zip").path) == 0)
            let isSeen = try await becomesTrueSoon {
                let answer = try await site.get("ed-1.zip", [reader])
                let (isOld, isNew) = (answer.body == before, answer.body == after)
                #expect(answer.status == 200)
                #expect(isOld || isNew)
                return isNew
            }
            #expect(isSeen)
            try FileManager.default.removeItem(at: site.plan.root.appendingPathComponent("ed-1.zip"))
            let isGone = try await becomesTrueSoon {
                let answer = try await site.get("ed-1.zip", [reader])
                let isNew = answer.body == after
                #expect(answer.status == 404 || isNew)
                return !isNew
            }
            #expect(isGone)
        }
    }

    /// Caddy opens them, as its guide says.
    @Test(
        "A link below the folder leads to nothing, and neither does one that takes the place of a file or a folder",
        arguments: Front.allCases.filter { $0 != .caddy })
    func links(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateUnderTest.authorization(for: "ed-1")
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
            // Once the files are known to whoever remembers files.
            let served = ["ed-1.zip", "ed-1/index.html"]
            for path in served { expectFile(try await site.get(path, [reader]), path) }
            for (name, target) in [("ed-1.zip", "index.html"), ("ed-1", "")] {
                let place = root.appendingPathComponent(name)
                try files.moveItem(at: place, to: root.appendingPathComponent("moved-\(name)"))
                try files.createSymbolicLink(
                    at: place, withDestinationURL: target.isEmpty ? outside : outside.appendingPathComponent(target))
            }
            for path in served {
                let isRefused = try await becomesTrueSoon {
                    let answer = try await site.get(path, [reader])
                    #expect(answer.body != Array("secret".utf8), "\(path)")
                    return [403, 404].contains(answer.status)
                }
                // It keeps what it has for five minutes.
                #expect(isRefused || front == .varnish, "\(path)")
            }
        }
    }

    /// Asks twenty times in four seconds or more: longer than a file may be served as it was.
    private func becomesTrueSoon(_ isTrue: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<20 {
            if try await isTrue() { return true }
            try await Task.sleep(for: .milliseconds(200))
        }
        return false
    }
}
