import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Primitives
import Settings
import TestSupport
import Testing

@testable import Server

/// A front door at which each publication shows its motto.
private struct MottoFrontDoor: FrontDoor {
    typealias PublicationSettings = String

    static let name = "Motto"
    static let pathSegments: Set<String> = ["motto"]

    static func settings(
        in section: SettingsSection, of publication: PublicationOutline
    ) throws(SettingsError) -> String? {
        guard let motto = try section.string("motto") else { return nil }
        guard !motto.isEmpty else { throw section.error("motto", expected: "expected words") }
        return motto
    }

    static func check(_ outline: ConfigurationOutline) throws(SettingsError) {
        var seen: Set<String> = []
        for publication in outline.publications {
            guard let motto = publication.frontDoors[MottoFrontDoor.self] else { continue }
            guard seen.insert(motto).inserted else {
                throw outline.error(publication, expected: "has the motto of another publication")
            }
        }
    }

    func snapshot(of publications: ServedPublications, using services: FrontDoorServices) -> any FrontDoorSnapshot {
        Snapshot(
            mottos: publications.all.compactMap { publication in
                publication.settings[MottoFrontDoor.self].map { (publication.id, $0) }
            })
    }

    private struct Snapshot: FrontDoorSnapshot {
        let mottos: [(PublicationID, String)]

        func addRoutes(to routes: inout Routes) {
            for (id, motto) in mottos {
                routes.on("/motto/\(id.rawValue)") { _, _ in
                    Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: motto)))
                }
            }
        }
    }
}

@Suite("Front door registry")
struct FrontDoorRegistryTests {
    private static let registry = FrontDoorRegistry(FrontDoorRegistry.standard.types + [MottoFrontDoor.self])

    private func read(
        _ text: String, _ registry: FrontDoorRegistry = registry, in folder: String = "/srv"
    ) throws -> GatefoldConfiguration {
        try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: folder, environment: ConfigurationTests.environment),
            frontDoors: registry)
    }

    private func text(_ motto: String) -> String { "\(ConfigurationTests.minimal)\n    motto: \(motto)" }

    @Test("A front door needs a type and a line: its settings are read, and its routes respond")
    func registered() async throws {
        try await withParts(text("Semper eadem"), frontDoors: Self.registry) { parts, configuration async throws in
            let publications = ReloadableSnapshot(try parts.assemble(configuration))
            let router = MainRouter(publications: publications, clock: .system, readiness: { .ready })
            let folder = configuration.state.location.folder
            let changed = try parts.assemble(try read(text("Plus ultra"), in: folder))
            let removed = try parts.assemble(try read(ConfigurationTests.minimal, in: folder))
            try await Application(responder: ListenerResponder(router: router)).test(.router) { client async throws in
                let response = try await client.execute(uri: "/motto/daily", method: .get)
                #expect(String(buffer: response.body) == "Semper eadem")
                #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
                #expect(try await client.execute(uri: "/motto/weekly", method: .get).status == .notFound)

                publications.replace(with: changed)
                let next = try await client.execute(uri: "/motto/daily", method: .get)
                #expect(String(buffer: next.body) == "Plus ultra", "a reload replaces the routes")

                publications.replace(with: removed)
                #expect(try await client.execute(uri: "/motto/daily", method: .get).status == .notFound)
            }
        }
    }

    @Test("Mistakes in its settings are reported as those of any other key")
    func mistakes() {
        let empty = #expect(throws: SettingsError.self) { try read(text("''")) }
        #expect(empty?.description.contains("publications.daily.motto: expected words") == true)
        let twice = "\(text("Plus ultra"))\n  weekly: {backend: house, secrets: {env: OTHER}, motto: Plus ultra}"
        let shared = #expect(throws: SettingsError.self) { try read(twice) }
        #expect(shared?.description.contains("has the motto of another publication") == true)
        let unknown = #expect(throws: SettingsError.self) { try read(text("Plus ultra"), .standard) }
        #expect(unknown?.description.contains("motto: unknown key") == true)
    }

    @Test("No publication has the name of one of its path segments")
    func reserved() throws {
        let named = ConfigurationTests.minimal.replacing("  daily:", with: "  motto:")
        #expect(throws: SettingsError.self) { try read(named) }
        _ = try read(named, .standard)
    }

    @Test("Each front door has a name of its own")
    func names() {
        let names = FrontDoorRegistry.standard.types.map { $0.name }
        #expect(Set(names).count == names.count)
    }
}
