import Foundation
import Gatefold
import Primitives
import Settings
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

/// The complete examples of the guide, used with the sample feeds in Fixtures/Feeds.
@Suite("Feed configuration") struct FeedConfigurationTests {
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

    @Test("The guide's examples authenticate readers of the sample feeds", arguments: ["csv", "fixed", "xml"])
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
            // The same settings with the sample as their source.
            let start = try #require(text.range(of: "    source:\n"))
            let rest = text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
                .drop { $0.hasPrefix("      ") }
            let local =
                text[..<start.lowerBound] + "    source: {url: \"file://\(feed.path)\"}\n"
                + rest.joined(separator: "\n")
            let harness = FeedHarness(folder)
            let used = try kind(String(local), in: folder)
            let services = BackendServices(
                clock: harness.clock.wall, random: .seeded(1),
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))))
            var update: FeedUpdate?
            let backend = try used.open(services) {
                update = $0
                return nil
            }
            let work = try #require(update)
            await FeedRefresher.onOwnThread { work.run(isCancelled: $0) }
            try #require(backend.store.status.outcome == .replaced, "\(backend.store.status.reason ?? "")")
            let ada = Credentials(
                identifier: "ada@example.com", fields: ["email": "ada@example.com", "surname": "lovelace"])
            let result = try await backend.authenticate(ada, context: CallContext()).value
            let subscriber = Subscriber(backend: "circulation", key: "10001")
            #expect(result == .authenticated(subscriber))
            #expect(try await backend.subscription(of: subscriber, context: CallContext()).value.state == .active)
            let former = Subscriber(backend: "circulation", key: "10003")
            #expect(try await backend.subscription(of: former, context: CallContext()).value.state == .inactive)
        }
    }

    @Test(
        "A mistake is reported with its key",
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
            ("lines: several", "limits: {max_shrink: 20}", "limits.max_shrink: expected a share such as 20%"),
            ("lines: several", "limits: {max_size: 2GB}", "limits.max_size: expected a size such as 500MiB"),
            ("lines: several", "checksum: {algorithm: sha256}", "checksum.suffix: missing"),
            ("lines: several", "layout: {names: [id, email]}", "layout: expected the field editions"),
        ])
    func rejected(from: String, to: String, message: String) throws {
        let good = FeedHarness.settings + "\nlines: several\n"
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
            #expect("\(error)".contains(message), "\(error)")
        }
    }
}
