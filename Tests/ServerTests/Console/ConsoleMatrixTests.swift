import Foundation
import Gatefold
import HTTPTypes
import Primitives
import TestSupport
import Testing

@testable import AdminAPI
@testable import Console
@testable import Server

@Suite("Console: every page with every role") struct ConsoleMatrixTests {
    private typealias Fixture = ConsoleFixture

    /// The scopes of users, by their relation to the publication in the path.
    private static let scopes: [(name: String, publications: Set<PublicationID>?)] = [
        ("all", nil), ("own", [AdminAPIFixture.daily]), ("other", [AdminAPIFixture.weekly]), ("none", []),
        ("both", [AdminAPIFixture.daily, AdminAPIFixture.weekly]),
    ]

    /// Returns the operation without which a page cannot be shown.
    private static func operation(_ route: ConsoleRoute) -> String? {
        let path = route.path.description
        if let list = ListPage.all.first(where: { $0.path == path }) { return list.operation }
        if let action = ConsoleAction.all.first(where: { $0.path == path }) { return action.operation }
        return [
            "": "listPublications", "/search": "findReaders",
            "/publications/{publication}/readers/{reader}": "getReader",
            "/publications/{publication}/readers/{reader}/why": "explainEdition",
        ][path]
    }

    private static func form(_ fixture: Fixture) -> [String: String] {
        [
            "reason": "ticket 4711", "request_key": UUID().uuidString, "publication": "daily", "query": "ada",
            "edition": "com.example.daily.1",
        ]
    }

    /// Returns whether the declaration of an operation permits it to a user.
    private static func isPermitted(
        _ operation: AdminOperation<AdminServices>?, _ role: AdminRole, _ publications: Set<PublicationID>?
    ) -> Bool {
        guard let operation, role >= operation.role else { return false }
        switch operation.reach {
        case .everything: return publications == nil
        case .publication: return publications?.contains(AdminAPIFixture.daily) ?? true
        // The audit log of no publication cannot be chosen.
        case .scoped: return publications != [] || operation.id != "listAuditEntries"
        }
    }

    @Test("Forced browsing: a page does what its operation permits to the role and the publications, and nothing else")
    func matrix() async throws {
        for role in AdminRole.allCases {
            for scope in Self.scopes {
                try await Fixture.with { fixture in
                    let browser = try await fixture.signIn(role, in: scope.publications)
                    for route in ConsoleRoute.all {
                        let id = try #require(Self.operation(route), "\(route.path)")
                        let operation = AdminOperations.all.first { $0.id == id }
                        let values = [
                            "publication": "daily", "reader": fixture.admin.ada.handle,
                            "device": fixture.admin.ada.device.description, "delivery": fixture.admin.ada.delivery,
                            "backend": "house",
                        ]
                        let path = route.path.path(with: values)
                        let received =
                            route.method == .get
                            ? await browser.get(path) : await browser.post(path, Self.form(fixture))
                        let isPermitted = Self.isPermitted(operation, role, scope.publications)
                        let expected: Set<Int> = isPermitted ? [200, 303] : [400, 403, 404]
                        #expect(
                            expected.contains(received.status),
                            "\(route.method) \(path) \(role) \(scope.name): \(received.status)")
                        if !isPermitted {
                            #expect(!received.text.contains("&lt;script&gt;") && !received.text.contains("com.example"))
                        }
                    }
                }
            }
        }
    }

    @Test("Without a session each page has the same response")
    func signedOut() async throws {
        try await Fixture.with { fixture in
            var pages: Set<String> = []
            for route in ConsoleRoute.all {
                let path = route.path.path(with: [
                    "publication": "daily", "reader": fixture.admin.ada.handle, "device": "a", "delivery": "a",
                    "backend": "house",
                ])
                let received = await fixture.send(
                    route.method, path, fields: [Fixture.site: "same-origin"],
                    form: route.method == .post ? Self.form(fixture) : nil)
                #expect(received.status == 401)
                pages.insert(received.text)
            }
            pages.insert(await fixture.send(.get, "/planted").text)
            #expect(pages.count == 1)
        }
    }

    @Test("The navigation shows only what the role permits")
    func navigation() async throws {
        try await Fixture.with { fixture in
            let support = await (try await fixture.signIn(.support, in: [AdminAPIFixture.daily])).get("")
            for name in ["/console/audit", "/console/nodes", "/console/backends", "weekly"] {
                #expect(!support.text.contains(name), "\(name)")
            }
            let all = await (try await fixture.signIn(.operator)).get("")
            for name in ["/console/audit", "/console/nodes", "/console/backends", "weekly"] {
                #expect(all.text.contains(name), "\(name)")
            }
        }
    }

    @Test("The audit page of a user of two publications offers a choice of them, and shows the chosen one")
    func auditOfTwo() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.operator, in: [AdminAPIFixture.daily, AdminAPIFixture.weekly])
            _ = await browser.get(fixture.readerPath)
            let start = await browser.get("/audit")
            #expect(start.status == 200 && start.text.contains("Choose a publication"))
            for name in ["daily", "weekly"] { #expect(start.text.contains("<option value=\"\(name)\"")) }
            let daily = await browser.get("/audit", query: "action=&actor=&publication=daily")
            #expect(daily.status == 200 && daily.text.contains("reader.show"))
            #expect(daily.text.contains(#"<option value="daily" selected>"#))
            let weekly = await browser.get("/audit", query: "publication=weekly")
            #expect(weekly.status == 200 && !weekly.text.contains("reader.show"))
            let malformed = await browser.get("/audit", query: "publication=daily&action=%20")
            #expect(malformed.status == 400 && malformed.text.contains(#"name="action""#))
            #expect(await browser.get("/audit", query: "publication=planted").status == 404)
        }
    }

    @Test("Each operation that a page names exists, and succeeds for an administrator")
    func operations() async throws {
        try await AdminAPIFixture.with { admin in
            let calls = Locked<[String: Set<Int>]>([:])
            let fixture = try Fixture(admin, running: RecordingOperations(api: admin.api, calls: calls))
            let browser = try await fixture.signIn(.admin)
            for route in ConsoleRoute.all {
                let path = route.path.path(with: [
                    "publication": "daily", "reader": admin.ada.handle, "device": admin.ada.device.description,
                    "delivery": admin.ada.delivery, "backend": "house",
                ])
                _ = route.method == .get ? await browser.get(path) : await browser.post(path, Self.form(fixture))
            }
            let found = calls.withLock { $0 }
            let known = Set(AdminOperations.all.map(\.id))
            #expect(Set(found.keys).subtracting(known).isEmpty)
            for (operation, statuses) in found { #expect(statuses.allSatisfy { $0 < 300 }, "\(operation)") }
            #expect(Set(ConsoleAction.all.map(\.operation)).isSubset(of: found.keys))
            #expect(Set(ListPage.all.map(\.operation)).isSubset(of: found.keys))
        }
    }

    @Test("An object of another publication is not found under the own one")
    func isolation() async throws {
        try await Fixture.with { fixture in
            let browser = try await fixture.signIn(.admin, in: [AdminAPIFixture.daily])
            for path in [
                "/publications/weekly/editions", "/publications/weekly/readers/\(fixture.admin.zoe.handle)",
                "/publications/daily/readers/\(fixture.admin.zoe.handle)",
                "/publications/weekly/readers/\(fixture.admin.zoe.handle)/sessions/end",
            ] { #expect(await browser.get(path).status == 404, "\(path)") }
        }
    }
}

/// Operations of the admin API, and the statuses of their responses. One that is only asked for has none.
private struct RecordingOperations: AdminOperationRunner {
    let api: AdminAPI<AdminServices>
    let calls: Locked<[String: Set<Int>]>

    func respond(to call: InProcessCall, of user: AdminUser) async -> AdminResponse {
        let response = await api.respond(to: call, of: user)
        calls.withLock { _ = $0[call.operation, default: []].insert(response.status) }
        return response
    }

    func permits(_ operation: String, to user: AdminUser) -> Bool {
        calls.withLock { $0[operation] = $0[operation] ?? [] }
        return api.permits(operation, to: user)
    }
}
