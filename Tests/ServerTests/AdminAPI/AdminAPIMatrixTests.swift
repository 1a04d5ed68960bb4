import Foundation
import Gatefold
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Admin API: every operation with every kind of token") struct AdminAPIMatrixTests {
    private typealias Fixture = AdminAPIFixture
    private typealias Operation = AdminOperation<AdminServices>

    /// The scopes of tokens, by their relation to the publication in the path.
    private static let scopes: [(name: String, publications: Set<PublicationID>?)] = [
        ("all", nil), ("own", [Fixture.daily]), ("other", [Fixture.weekly]), ("none", []),
    ]

    /// Returns the status that the declaration of an operation requires.
    private static func expected(
        _ operation: Operation, _ role: AdminRole, _ publications: Set<PublicationID>?
    ) -> Set<Int> {
        guard role >= operation.role else { return [403] }
        let success = operation.success.status
        switch operation.reach {
        case .everything: return publications == nil ? [success] : [403]
        case .publication: return publications?.contains(Fixture.daily) ?? true ? [success] : [404]
        // The audit log of no publication cannot be chosen.
        case .scoped: return publications == [] && operation.id == "listAuditEntries" ? [400] : [success]
        }
    }

    @Test("Forced browsing: a role and a scope permit what the table says, and nothing else")
    func matrix() async throws {
        var changing = Set(AdminOperations.all.filter(\.isChange).map(\.id))
        for role in AdminRole.allCases {
            for scope in Self.scopes {
                // Changes are made anew for each token, because a device can be removed once.
                try await Fixture.with { fixture in
                    let token = try await fixture.token(role, in: scope.publications)
                    for operation in AdminOperations.all {
                        let received = await fixture.send(operation, for: fixture.ada, token)
                        #expect(
                            Self.expected(operation, role, scope.publications).contains(received.status),
                            "\(operation.id) \(role) \(scope.name): \(received.status) \(received.text)")
                        if received.status < 300 { changing.remove(operation.id) }
                        if received.status >= 400 {
                            #expect(!received.text.contains("ada") && !received.text.contains("script"))
                        }
                    }
                    let devices = try await fixture.state.devices(
                        of: fixture.key.reference(to: fixture.ada.subscriber), in: Fixture.daily)
                    let mayRemove =
                        role >= .support && (scope.publications?.contains(Fixture.daily) ?? true)
                    #expect(devices.isEmpty == mayRemove, "\(role) \(scope.name)")
                }
            }
        }
        #expect(changing.isEmpty, "no token could make these changes")
    }

    @Test("Without a valid token every path has the same response, so that nothing can be probed")
    func unauthenticated() async throws {
        try await Fixture.with { fixture in
            let expired = try await fixture.token(.admin, expires: Date(timeIntervalSinceNow: -1))
            let revoked = try await fixture.token(.admin, isRevoked: true)
            let unknown = AdminToken().text
            let valid = try await fixture.token(.admin)
            let damaged = valid.dropLast() + (valid.hasSuffix("A") ? "B" : "A")
            var seen: Set<String> = []
            var number = 0
            for token in [nil, "", "garbage", expired, revoked, unknown, String(damaged)] as [String?] {
                for operation in AdminOperations.all {
                    number += 1
                    let received = await fixture.send(
                        operation, for: fixture.ada, token, from: "192.0.2.\(number / 20)")
                    #expect(received.status == 401, "\(operation.id) \(token ?? "-")")
                    seen.insert(received.text)
                }
                let missing = await fixture.send(.get, "/planted", token, from: "198.51.100.1")
                #expect(missing.status == 401)
                seen.insert(missing.text)
            }
            #expect(seen.count == 1)
            #expect(await fixture.send(.get, "/planted", valid).status == 404)
        }
    }

    @Test("An object of another publication is not found, like a missing one")
    func isolation() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin, in: [Fixture.daily])
            for operation in AdminOperations.all where operation.reach == .publication {
                let foreign = await fixture.send(operation, for: fixture.zoe, token)
                let missing = await fixture.send(
                    operation.method,
                    fixture.path(operation, for: fixture.zoe).replacing("/weekly/", with: "/absent/"), token,
                    body: operation.body == nil ? nil : #"{"reason": "none"}"#)
                #expect(foreign.status == 404 && foreign.text == missing.text, "\(operation.id)")
            }
            // Objects of another publication under the own one, and the reverse with a token for all.
            let everything = try await fixture.token(.admin)
            for (user, name) in [(token, "daily"), (everything, "daily")] {
                for operation in AdminOperations.all
                where ["reader", "delivery"].contains(where: operation.path.parameters.contains) {
                    let path = fixture.path(operation, for: fixture.zoe).replacing("/weekly/", with: "/\(name)/")
                    let body = operation.body.map { String(decoding: JSONWriter.bytes($0.example), as: UTF8.self) }
                    let received = await fixture.send(operation.method, path, user, body: body)
                    #expect(received.status == 404, "\(operation.id): \(received.text)")
                }
            }
            let mixed = fixture.path(AdminOperations.all.first { $0.id == "removeDevice" }!, for: fixture.ada)
                .replacing(fixture.ada.device.description, with: fixture.zoe.device.description)
            #expect(await fixture.send(.delete, mixed, everything).status == 404)
            let zoe = fixture.key.reference(to: fixture.zoe.subscriber)
            #expect(try await fixture.state.devices(of: zoe, in: Fixture.weekly).count == 1)
        }
    }

    @Test("A token for some publications lists those only, and their audit entries")
    func scoped() async throws {
        try await Fixture.with { fixture in
            let everything = try await fixture.token(.admin)
            let token = try await fixture.token(.operator, in: [Fixture.weekly])
            for person in [fixture.ada, fixture.zoe] {
                let reader = AdminOperations.all.first { $0.id == "getReader" }!
                #expect(await fixture.send(reader, for: person, everything).status == 200)
            }
            let names = await fixture.send(.get, "/publications", token).json["items"]?.items
            #expect(names?.compactMap { $0["id"]?.text } == ["weekly"])
            let entries = await fixture.send(.get, "/audit", token).json["items"]?.items
            #expect(entries?.compactMap { $0["publication"]?.text } == ["weekly"])
            #expect(await fixture.send(.get, "/audit", token, query: "publication=daily").status == 404)
            #expect(await fixture.send(.get, "/audit", everything).json["items"]?.items?.count == 2)
        }
    }

    @Test("A method that a path does not support is rejected with the supported ones")
    func methods() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            for path in Set(AdminOperations.all.map(\.path)) {
                let operations = AdminOperations.all.filter { $0.path == path }
                let target = fixture.path(operations[0], for: fixture.ada)
                for method in [.get, .post, .put, .patch, .delete, .options, .head] as [HTTPRequest.Method]
                where !operations.contains(where: { $0.method == method }) {
                    let received = await fixture.send(method, target, token)
                    #expect(received.status == 405)
                    let allow = operations.map(\.method.rawValue).joined(separator: ", ")
                    #expect(received.response.fields[.allow] == allow)
                }
            }
        }
    }
}
