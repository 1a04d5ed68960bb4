import Foundation
import Gatefold
import HTTPTypes
import JSON
import Primitives
import State
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Admin API: clients that disconnect, and attempts that fail") struct AdminAPIDisconnectTests {
    private typealias Fixture = AdminAPIFixture

    /// Cancels a request before or after one of the calls of its stores, as a client that disconnects does.
    private final class Disconnection: Sendable {
        private let calls = Locked(0)
        private let request = Locked<Task<AdminResponse, Never>?>(nil)
        private let number: Int

        init(at number: Int) { self.number = number }

        func pass() {
            let call = calls.withLock { calls -> Int in
                calls += 1
                return calls
            }
            if call == number { request.withLock { $0 }?.cancel() }
        }

        func response(to respond: @escaping @Sendable () async -> AdminResponse) async -> AdminResponse {
            let task = Task {
                while request.withLock({ $0 }) == nil { await Task.yield() }
                return await respond()
            }
            request.withLock { $0 = task }
            return await task.value
        }
    }

    private struct Log: AuditLog {
        let base: any StateStore
        let pass: @Sendable () async throws -> Void

        func append(_ record: AuditRecord, to chain: AuditChain) async throws -> AuditEntry {
            try await pass()
            try Task.checkCancellation()
            let entry = try await base.append(record, to: chain)
            try? await pass()
            return entry
        }

        func page(_ query: AuditQuery) async throws -> [AuditEntry] { try await base.page(query) }
        func head() async throws -> AuditHead? { try await base.head() }
    }

    private struct Outcomes: AdminOutcomeStore {
        let base: any StateStore
        let pass: @Sendable () -> Void

        func begin(
            _ id: [UInt8], request: [UInt8], lease: [UInt8], at timestamp: Date, lifetime: TimeInterval,
            leaseTime: TimeInterval
        ) async throws -> AdminOutcomeStart {
            pass()
            try Task.checkCancellation()
            defer { pass() }
            return try await base.begin(
                id, request: request, lease: lease, at: timestamp, lifetime: lifetime, leaseTime: leaseTime)
        }

        func finish(_ id: [UInt8], lease: [UInt8], _ outcome: AdminOutcome?) async throws {
            pass()
            try Task.checkCancellation()
            defer { pass() }
            try await base.finish(id, lease: lease, outcome)
        }
    }

    private func api(
        _ fixture: Fixture, clock: WallClock? = nil, outcomes: @escaping @Sendable () -> Void = {},
        log: @escaping @Sendable () async throws -> Void
    ) -> AdminAPI<AdminServices> {
        let services = fixture.services
        return AdminAPI(
            AdminOperations.all, services,
            AdminAPI<AdminServices>.Environment(
                tokens: fixture.state, outcomes: Outcomes(base: fixture.state, pass: outcomes),
                log: Log(base: fixture.state, pass: log), key: fixture.key, clock: clock ?? services.clock,
                hasPublication: { _ in true }, problem: services.environment(random: .system).problem,
                didMissOutcome: { _ in }))
    }

    /// Returns the example of an operation.
    private func request(
        _ id: String, _ fixture: Fixture, _ token: String, key: String = "k"
    ) throws -> AdminRequest {
        let operation = try #require(AdminOperations.all.first { $0.id == id })
        var fields: HTTPFields = [.authorization: "Bearer \(token)", .contentType: "application/json"]
        fields[.idempotencyKey] = key
        let body = operation.body.map { JSONWriter.bytes($0.example) } ?? []
        return AdminRequest(
            method: operation.method, path: fixture.path(operation, for: fixture.ada), fields: fields,
            address: "192.0.2.1", isLocal: false
        ) { _ in body }
    }

    @Test(
        "A change that has begun is completed with both its entries, whenever its client disconnects",
        arguments: AdminOperations.all.filter(\.isChange).map(\.id))
    func disconnected(_ id: String) async throws {
        // A request calls the stores four times at most: two entries, and the begin and end of its outcome.
        for number in 1...8 {
            try await Fixture.with { fixture in
                let token = try await fixture.token(.admin)
                let disconnection = Disconnection(at: number)
                let api = self.api(
                    fixture, outcomes: { disconnection.pass() }, log: { disconnection.pass() })
                let request = try self.request(id, fixture, token)
                let response = await disconnection.response { await api.respond(to: request) }
                #expect(response.status < 300, "\(number)")
                let entries = try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9))
                #expect(
                    entries.map { $0.details.split(separator: "\n").first } == ["phase=intent", "phase=done"],
                    "\(number)")
                let again = await api.respond(to: request)
                #expect(again.status == response.status && again.body == response.body)
                #expect(try await fixture.state.page(AuditQuery(.oldestFirst(after: nil), limit: 9)).count == 2)
            }
        }
    }

    @Test("The repetition of a failed end of sessions spares the sessions that began after the first attempt")
    func firstAttempt() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            let start = Date(timeIntervalSince1970: 1_793_000_000)
            let clock = ManualClock(start)
            let isDown = Locked(true)
            let api = self.api(
                fixture, clock: clock.wall,
                log: { if isDown.withLock({ $0 }) { throw StateStoreError.unavailable(reason: "planted") } })
            let request = try self.request("endSessions", fixture, token)
            #expect(await api.respond(to: request).status == 503)
            isDown.withLock { $0 = false }
            clock.advance(by: 3_600)
            let response = await api.respond(to: request)
            #expect(response.status == 200)
            let text = try JSONParser.parse(response.body)["sessions_ended_before"]?.text ?? ""
            let boundary = try #require(AdminSchema.date(text))
            #expect(boundary < start + 60)
        }
    }

    @Test("A device that signs in while it is removed remains with its new session")
    func signsInMeanwhile() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin)
            let pseudonym = fixture.key.reference(to: fixture.ada.subscriber)
            let isFirst = Locked(true)
            let api = self.api(
                fixture,
                log: {
                    let signsIn = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    guard signsIn else { return }
                    _ = try await fixture.state.admit(
                        fixture.ada.device, of: pseudonym, in: Fixture.daily,
                        limit: DeviceLimit(maxDevices: 5, onLimit: .evict), at: Date(timeIntervalSinceNow: 10))
                })
            #expect(await api.respond(to: try self.request("removeDevice", fixture, token)).status == 204)
            #expect(try await fixture.state.devices(of: pseudonym, in: Fixture.daily).count == 1)
            let another = try self.request("removeDevice", fixture, token, key: "another")
            #expect(await api.respond(to: another).status == 204)
            #expect(try await fixture.state.devices(of: pseudonym, in: Fixture.daily).isEmpty)
        }
    }

    @Test("A flush without the audit log is made in an outage only, and named with its user in the server's log")
    func flush() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.admin, name: "grace")
            let outage = api(fixture, log: { throw StateStoreError.unreachable(reason: "planted") })
            #expect(await outage.respond(to: try request("flushBackend", fixture, token)).status == 200)
            let lines = fixture.lines.withLock { $0.joined() }
            #expect(lines.contains("Flush is not in the audit log") && lines.contains("grace#"), "\(lines)")
            let damaged = api(fixture, log: { throw AuditLogError.missingTable })
            let another = try request("flushBackend", fixture, token, key: "another")
            #expect(await damaged.respond(to: another).status == 500)
        }
    }
}
