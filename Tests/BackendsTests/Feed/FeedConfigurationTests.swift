import Foundation
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Backends

/// The complete examples of the guide, read as they are and used with the sample feeds beside them.
@Suite("The configuration of a feed") struct FeedConfigurationTests {
    private static let fixtures = URL(filePath: #filePath).appending(path: "../../../../Fixtures").standardizedFileURL

    private let environment = ["GATEFOLD_FEED_PASSWORD": "open sesame"]

    private func section(_ text: String, in folder: URL) throws -> SettingsSection {
        let top = try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: folder.path, environment: environment)
        return try top.section("backends").section("circulation")
    }

    private func kind(_ text: String, in folder: URL) throws -> FeedBackendKind {
        let section = try section(text, in: folder)
        let kind = try #require(
            try BackendRegistry.read(name: "circulation", settings: section) as? FeedBackendKind)
        try section.finish()
        return kind
    }

    @Test("The guide's examples are read, and answer from the sample feeds", arguments: ["csv", "fixed", "xml"])
    func examples(form: String) async throws {
        let text = try String(
            contentsOf: Self.fixtures.appending(path: "Configurations/feed-\(form).yaml"), encoding: .utf8)
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(
                at: folder.appending(path: "secrets"), withIntermediateDirectories: true)
            try Data("a key".utf8).write(to: folder.appending(path: "secrets/feed_ed25519"))
            _ = try kind(text, in: folder)

            let sample = Self.fixtures.appending(path: "Feeds/readers.\(form == "fixed" ? "txt" : form)")
            let feed = folder.appending(path: "feed")
            try FileManager.default.copyItem(at: sample, to: feed)
            if form == "xml" {
                _ = try await CommandRun.of("/bin/gzip", ["feed"], in: folder)
                try FileManager.default.moveItem(at: folder.appending(path: "feed.gz"), to: feed)
            }
            if form == "fixed" {
                let sum = try await CommandRun.of("/usr/bin/sha256sum", ["feed"], in: folder)
                try Data(sum.output.utf8).write(to: folder.appending(path: "feed.sha256"))
            }
            // The same settings with the sample for a source.
            let start = try #require(text.range(of: "    source:\n"))
            let rest = text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
                .drop { $0.hasPrefix("      ") }
            let local =
                text[..<start.lowerBound] + "    source: {url: \"file://\(feed.path)\"}\n"
                + rest.joined(separator: "\n")
            let bed = FeedBed(folder)
            let used = try kind(String(local), in: folder)
            let services = BackendServices(
                clock: bed.clock.wall, random: .seeded(1),
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                references: ReferenceKey(Secret(Array("a secret for references".utf8))))
            var update: FeedUpdate?
            let backend = try used.open(services) {
                update = $0
                return nil
            }
            let work = try #require(update)
            await FeedRefresher.inOwnThread { work.run(isCancelled: $0) }
            try #require(backend.store.status.outcome == .swapped, "\(backend.store.status.reason ?? "")")
            let ada = Credentials(
                identifier: "ada@example.com", fields: ["email": "ada@example.com", "surname": "lovelace"])
            let who = try await backend.recognise(ada, inquiry: Inquiry())
            let subscriber = Subscriber(backend: "circulation", key: "10001")
            #expect(who == .recognised(subscriber))
            #expect(try await backend.subscription(of: subscriber, inquiry: Inquiry()).state == .active)
            let former = Subscriber(backend: "circulation", key: "10003")
            #expect(try await backend.subscription(of: former, inquiry: Inquiry()).state == .inactive)
        }
    }

    @Test(
        "What is wrong is said with the key",
        arguments: [
            ("folder: kept", "", "folder: missing"),
            ("format: csv", "format: json", "format: expected one of csv, tsv, fixed, xml"),
            ("file://FOLDER/readers.csv", "gopher://x/", "source.url: expected an address with one of file://"),
            ("file://FOLDER/readers.csv", "ftp://me:secret@x/", "source.url: expected an address without a user"),
            ("file://FOLDER/readers.csv", "sftp://x/readers", "source.url: expected a `user`"),
            ("readers.csv\"}", "readers.csv\", user: me}", "source.user: expected a `password`"),
            ("readers.csv\"}", "readers.csv\", colour: red}", "source.colour: unknown key"),
            (
                "\"file://FOLDER/readers.csv\"}", "\"sftp://x/y\", user: me, password: {env: PASSWORD}}",
                "source.url: expected `known_hosts` or the host key's `fingerprint`"
            ),
            ("proof: password", "", "columns.proof: missing"),
            ("identifier: email, ", "", "columns.identifier: missing"),
            ("key: id, ", "", "lines: expected `columns.key`"),
            ("lines: several", "limits: {shrink_at_most: 20}", "limits.shrink_at_most: expected a share such as 20%"),
            ("lines: several", "limits: {size_at_most: 2GB}", "limits.size_at_most: expected a size such as 500MiB"),
            ("lines: several", "checksum: {algorithm: sha256}", "checksum.suffix: missing"),
            ("lines: several", "layout: {names: [id, email]}", "layout: expected the field editions"),
        ])
    func refused(from: String, to: String, words: String) throws {
        let good = FeedBed.settings + "\nlines: several\n"
        let changed = good.replacing(from, with: to)
        #expect(changed != good)
        let text = changed.replacing("FOLDER", with: "/srv")
        do {
            let section = try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: "/nowhere", environment: ["PASSWORD": "x"])
            _ = try FeedBackendKind(name: "house", settings: section)
            try section.finish()
            Issue.record("read: \(text)")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }
}
