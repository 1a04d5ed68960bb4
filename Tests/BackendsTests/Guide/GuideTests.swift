import Foundation
import Gatefold
import Primitives
import Settings
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Guides to backends")
struct GuideTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func article(_ name: String) throws -> String {
        try String(
            contentsOf: Self.root.appending(path: "Sources/Backends/Backends.docc/\(name).md"), encoding: .utf8)
    }

    /// Returns the code blocks of an article in one language.
    private func blocks(_ language: String, in text: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    @Test("The backend in the guide is compiled here verbatim")
    func quoted() throws {
        let file = Self.root.appending(path: "Tests/BackendsTests/Guide/LibraryCardBackendKind.swift")
        let compiled = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: true
        )
        .filter { $0 != "@testable import Backends" }
        let shown = try #require(blocks("swift", in: article("YourOwnBackend")).first).split(separator: "\n")
        #expect(shown == compiled)
    }

    @Test("The backend in the guide works with its one file and its one line")
    func toy() async throws {
        let yaml = try #require(blocks("yaml", in: article("YourOwnBackend")).first)
        let settings = try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: "/nowhere").section("backends")
            .section("library")
        let kind = try BackendRegistry.read(
            name: "library", settings: settings, among: BackendRegistry.kinds + [LibraryCardBackendKind.self])
        try settings.finish()
        let backend = try kind.open(
            BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8)))))
        for (card, isKnown) in [
            ("21470000000018", true), ("21470000000019", false), ("31470000000018", false), ("2147", false),
        ] {
            let typed = Credentials(identifier: card, fields: ["card": card])
            let response = try await backend.authenticate(typed, context: CallContext()).value
            guard case .authenticated(let subscriber) = response else {
                #expect(!isKnown, "\(card)")
                continue
            }
            #expect(isKnown, "\(card)")
            let reported = try await backend.subscription(of: subscriber, context: CallContext()).value
            #expect(reported.state == .active && reported.entitlement == .allEditions)
        }
    }

    @Test("The mapping in the guide can be read")
    func mapping() throws {
        let yaml = try #require(blocks("yaml", in: article("MappingResults")).first)
        let mapping = try SubscriptionMapping(
            try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: "/nowhere").section("subscription"))
        let reported = try mapping.subscription(
            from: Record(
                [
                    "status": ["gift"], "note": [], "issues": ["2026-10, 2026-11"], "plan": ["silver"],
                    "starts_on": ["2026-01-01"], "ends_on": ["2026-12-31"],
                ], requiresEveryField: true), at: Date(timeIntervalSince1970: 1_793_534_400))
        #expect(reported.state == .active)
        #expect(
            reported.entitlement
                == .editions(
                    Set(["com.example.daily.2026-10", "com.example.daily.2026-11"].compactMap { EditionID($0) })))
        #expect(reported.userInfo.map(\.value) == ["silver"])
    }

    @Test("Links lead to existing articles")
    func links() throws {
        let folder = Self.root.appending(path: "Sources/Backends/Backends.docc")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        for name in names {
            let text = try article(String(name.dropLast(3)))
            for part in text.components(separatedBy: "<doc:").dropFirst() {
                let target = part.prefix { $0 != ">" }
                #expect(names.contains("\(target).md"), "\(name) links to \(target)")
            }
        }
    }
}
