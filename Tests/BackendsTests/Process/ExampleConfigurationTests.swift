import Foundation
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

/// Runs the configurations of the guides from the files that the guides show.
@Suite("Example configurations of the guides") struct ExampleConfigurationTests {
    private static let environment = [
        "GATEFOLD_PSEUDONYM_SECRET": "vS3nq0sYb2uT7kDx", "GATEFOLD_EDITIONS": "Kq7wN2vR8tYx4mZp",
        "GATEFOLD_LEGACY_PASSWORD": "legacy",
    ]

    /// Opens the backends of a copy of the fixtures.
    private func withBackends(
        _ name: String, events: EventLog = EventLog(),
        _ body: ([String: any SubscriberBackend], URL) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            for part in ["Configurations", "Process"] {
                try FileManager.default.copyItem(at: fixtures.appending(path: part), to: folder.appending(path: part))
            }
            let path = folder.appending(path: "Configurations/\(name).yaml").path
            let section = try YAMLSettings.read(path: path, environment: Self.environment).section("backends")
            var kinds: [String: any BackendKind] = [:]
            for name in section.names {
                let settings = try section.section(name)
                kinds[name] = try BackendRegistry.read(name: name, settings: settings)
                try settings.finish()
            }
            var opened: [String: any SubscriberBackend] = [:]
            while opened.count < kinds.count {
                for (name, kind) in kinds where opened[name] == nil && kind.members.allSatisfy({ opened[$0] != nil }) {
                    try kind.check(kinds.filter { kind.members.contains($0.key) })
                    opened[name] = try kind.open(
                        testServices(members: kind.members.compactMap { opened[$0] }, events: events))
                }
            }
            try await body(opened, folder)
        }
    }

    private func subscriber(_ authentication: AuthenticationResult) -> Subscriber? {
        if case .authenticated(let subscriber) = authentication { subscriber } else { nil }
    }

    @Test("process: the ten lines of Python authenticate their readers and return their subscriptions")
    func process() async throws {
        let source = try String(
            contentsOf: fixtures.appending(path: "Process/subscribers.py"), encoding: .utf8)
        #expect(source.split(separator: "\n").count <= 12)
        try await withBackends("process") { backends, _ in
            let backend = try #require(backends["program"])
            try await backend.health()
            func fetched(_ name: String, _ password: String) async throws -> Subscription? {
                let response = try await backend.authenticate(credentials(name, password), context: CallContext()).value
                guard let subscriber = subscriber(response) else { return nil }
                return try await backend.subscription(of: subscriber, context: CallContext()).value
            }
            #expect(try await fetched("eve@example.com", "open sesame")?.entitlement == .allEditions)
            let bob = try #require(try await fetched("Bob@example.com", "battery staple"))
            #expect(bob.state == .inactive)
            #expect(bob.entitlement == .editions([EditionID("com.example.daily.2026-11-20")!]))
            #expect(try await fetched("eve@example.com", "open Sesame") == nil)
            #expect(try await fetched("nobody@example.com", "open sesame") == nil)
            let gone = Subscriber(backend: "program", key: "nobody@example.com")
            #expect(
                try await backend.subscription(of: gone, context: CallContext()).value == Subscription(state: .unknown))
        }
    }

    @Test("chain: readers of the old system are migrated and sign in while it is down")
    func chain() async throws {
        let events = EventLog()
        try await withBackends("chain", events: events) { backends, folder in
            let backend = try #require(backends["readers"])
            let ada = credentials("ada@example.com", "correct horse")
            #expect(subscriber(try await backend.authenticate(ada, context: CallContext()).value)?.backend == "legacy")
            #expect(await events.wait(for: 1).map(\.name) == ["lazy_migration_completed"])
            let wrong = credentials("ada@example.com", "wrong")
            #expect(subscriber(try await backend.authenticate(wrong, context: CallContext()).value) == nil)
            try Data("import sys; sys.exit(1)".utf8).write(to: folder.appending(path: "Process/subscribers.py"))
            for child in try children(of: ProcessInfo.processInfo.processIdentifier, in: folder) {
                kill(child, SIGKILL)
            }
            let copy = try #require(subscriber(try await backend.authenticate(ada, context: CallContext()).value))
            #expect(copy.backend == "adopted")
            let fetched = try await backend.subscription(of: copy, context: CallContext()).value
            #expect(fetched.state == .active)
            #expect(
                fetched.entitlement
                    == .editions(
                        Set(["20", "21"].compactMap { EditionID("com.example.daily.2026-11-\($0)") })))
            await #expect(throws: ChainFailure.self) {
                try await backend.authenticate(wrong, context: CallContext()).value
            }
        }
    }

    @Test("shadow: the old system's results are used, and differences of the new one are reported")
    func shadow() async throws {
        let events = EventLog()
        try await withBackends("shadow", events: events) { backends, folder in
            let backend = try #require(backends["readers"])
            let new = try SubscriberDatabase(path: folder.appending(path: "Configurations/new.sqlite").path)
            let file = folder.appending(path: "new.csv").path
            try Data("identifier,password,state\nada@example.com,correct horse,inactive\n".utf8)
                .write(to: URL(fileURLWithPath: file))
            _ = try await SubscriberImport(into: new, hasher: try testHasher()).run(file: file)
            let ada = credentials("ada@example.com", "correct horse")
            let subscriber = try #require(subscriber(try await backend.authenticate(ada, context: CallContext()).value))
            #expect(await events.wait(for: 1).map(\.name) == ["shadow_agrees"])
            #expect(try await backend.subscription(of: subscriber, context: CallContext()).value.state == .active)
            #expect(
                await events.wait(for: 3).map(\.name) == [
                    "shadow_agrees", "shadow_differs_state", "shadow_differs_editions",
                ])
            let eve = credentials("eve@example.com", "open sesame")
            #expect(self.subscriber(try await backend.authenticate(eve, context: CallContext()).value) != nil)
            #expect(await events.wait(for: 4).last?.name == "shadow_differs_authentication")
        }
    }

    /// Returns the children of a process that run a program in the folder.
    private func children(of parent: Int32, in folder: URL) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { child in
            let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
            let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child)/cwd")
            return status?.contains("PPid:\t\(parent)\n") == true && place?.hasPrefix(folder.path) == true
        }
    }
}
