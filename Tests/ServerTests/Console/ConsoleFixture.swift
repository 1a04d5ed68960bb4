import Foundation
import Gatefold
import HTTPTypes
import Primitives
import State
import TestSupport

@testable import AdminAPI
@testable import Console
@testable import Server

/// The console of a server with two publications, see ``AdminAPIFixture``.
struct ConsoleFixture: Sendable {
    static let origin = "http://127.0.0.1:8081"
    static let site = HTTPField.Name("Sec-Fetch-Site")!

    let admin: AdminAPIFixture
    let console: Console
    let cookie: SessionCookie
    /// The requests as the log shows them.
    let traces: Locked<[ConsoleTrace]>

    static func with(_ test: (ConsoleFixture) async throws -> Void) async throws {
        try await AdminAPIFixture.with { admin in
            try await test(try ConsoleFixture(admin, running: admin.api))
        }
    }

    /// - Parameter operations: What performs the operations.
    init(_ admin: AdminAPIFixture, running operations: any AdminOperationRunner) throws {
        let traces = Locked<[ConsoleTrace]>([])
        self.admin = admin
        self.traces = traces
        let sessions = admin.api.consoleSessions
        cookie = SessionCookie(installation: sessions.installation)
        console = try Console(operations, sessions) { trace in traces.withLock { $0.append(trace) } }
    }

    struct Received: Sendable {
        let response: ConsoleResponse
        var status: Int { response.status }
        var text: String { String(decoding: response.body, as: UTF8.self) }
        var cookie: String? { response.fields[.setCookie] }
        var location: String? { response.fields[.location] }
    }

    /// Creates a link as `gatefold admin login-link` does.
    func link(
        _ role: AdminRole, in publications: Set<PublicationID>? = nil, expires: Date = Date() + 300
    ) async throws -> AdminToken {
        let link = AdminToken(.loginLink)
        try await admin.state.create(
            AdminTokenRecord(
                id: AdminTokenRecord.newID(of: .loginLink), digest: link.digest, name: AdminTokenName("ada")!,
                scope: AdminScope(role, in: publications), created: expires - 300, expires: expires))
        return link
    }

    /// Sends a request as a browser does: one that only reads comes from the address bar, unless its fields say something else.
    func send(
        _ method: HTTPRequest.Method, _ path: String, query: String? = nil, fields: HTTPFields = [:],
        form: [String: String]? = nil, isForThisHost: Bool = true
    ) async -> Received {
        var fields = fields
        if method != .post, fields[Self.site] == nil { fields[Self.site] = "none" }
        let text = (form ?? [:]).map { "\($0.key)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        if form != nil { fields[.contentType] = "application/x-www-form-urlencoded" }
        let bytes = Array(text.utf8)
        return Received(
            response: await console.respond(
                to: AdminRequest(
                    method: method, path: path, query: query, fields: fields, address: "192.0.2.1", isLocal: false,
                    isForThisHost: isForThisHost
                ) { limit in bytes.count <= limit ? bytes : nil }, origin: Self.origin,
                problem: admin.services.environment(random: .system).problem))
    }

    /// Presses the button of a link.
    func use(_ link: AdminToken, fields: HTTPFields = [site: "same-origin"]) async -> Received {
        await send(.post, "/sign-in/\(link.text)", fields: fields, form: [:])
    }

    /// A signed-in browser.
    struct Browser: Sendable {
        let fixture: ConsoleFixture
        let session: AdminToken

        var cookie: String { "\(fixture.cookie.name)=\(session.text)" }
        var formToken: String { fixture.admin.api.consoleSessions.formToken(of: session) }

        func get(_ path: String, query: String? = nil) async -> Received {
            await fixture.send(.get, path, query: query, fields: [.cookie: cookie])
        }

        /// Sends a form as a page of the console does.
        func post(
            _ path: String, _ form: [String: String] = [:], token: String? = nil, isSameSite: Bool = true
        ) async -> Received {
            let form = form.merging(["form_token": token ?? formToken]) { own, _ in own }
            return await fixture.send(
                .post, path,
                fields: [.cookie: cookie, ConsoleFixture.site: isSameSite ? "same-origin" : "cross-site"], form: form)
        }
    }

    func signIn(_ role: AdminRole, in publications: Set<PublicationID>? = nil) async throws -> Browser {
        Browser(fixture: self, session: try session(await use(try await link(role, in: publications))))
    }

    /// Returns the session that a response sets.
    func session(_ received: Received) throws -> AdminToken {
        let text = received.cookie.flatMap { $0.split(separator: ";").first?.split(separator: "=").last }
        guard let session = AdminToken(text ?? "", of: .consoleSession) else { throw Missing() }
        return session
    }

    struct Missing: Error {}

    var readerPath: String { "/publications/daily/readers/\(admin.ada.handle)" }

    func entries() async throws -> [AuditEntry] {
        try await admin.state.page(AuditQuery(.oldestFirst(after: nil), limit: 100))
    }
}
