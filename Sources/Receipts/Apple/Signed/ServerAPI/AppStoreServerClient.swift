package import Foundation
package import Gatefold
import JSON
import OutgoingRequests
package import Protections

/// Asks the App Store Server API (PROTOCOLS 6.3). What it answers is signed, and verified by whoever reads it.
package struct AppStoreServerClient: Sendable {
    private let settings: AppStoreServerSettings
    private let http: OutgoingHTTP
    private let protection: ProtectedStore
    private let clock: WallClock
    private let sleep: Sleep

    var mostPages: Int { settings.mostPages }

    /// - Parameter sleep: waits before a question is asked once more.
    package init(
        _ settings: AppStoreServerSettings, protection: ProtectedStore, clock: WallClock,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.settings = settings
        self.protection = protection
        self.clock = clock
        self.sleep = sleep
        http = OutgoingHTTP(settings.http)
    }

    /// Where and of which app something is asked.
    package struct Place: Sendable, Hashable {
        package let bundle: String
        package let environment: StoreEnvironment

        package init(bundle: String, environment: StoreEnvironment) {
            self.bundle = bundle
            self.environment = environment
        }
    }

    /// What came back.
    enum Answer: Sendable, Equatable {
        case found(JSONValue)
        /// - Parameter code: Apple's own number.
        case notFound(code: Int?)
        case refused(code: Int?)
    }

    /// - Parameter path: below the base URL, its parts escaped.
    /// - Throws: ``AppStoreServerFailure``, ``HTTPFailure``, ``ProtectionError``.
    func get(_ path: String, in place: Place) async throws -> Answer {
        let base = place.environment == .sandbox ? settings.sandbox : settings.production
        let prefix = base.text.hasSuffix("/") ? String(base.text.dropLast()) : base.text
        guard let url = ServiceURL(prefix + path) else { throw AppStoreServerFailure.incomplete }
        return try await protection.ask { try await ask(url, in: place) }
    }

    /// Once more where Apple says that it may help, and no more often (PROTOCOLS 6.3).
    private func ask(_ url: ServiceURL, in place: Place) async throws -> Answer {
        var isLast = false
        while true {
            let answer = try await http.send(try await question(url, in: place))
            if answer.status == 200 {
                guard let json = try? JSONParser.parse(answer.body) else { throw AppStoreServerFailure.notJSON }
                return .found(json)
            }
            let error = AppStoreServerError(status: answer.status, body: answer.body)
            switch error.meaning {
            case .notFound: return .notFound(code: error.code)
            case .refused: return .refused(code: error.code)
            case .failing: throw AppStoreServerFailure.status(error.status, code: error.code)
            case .passing:
                guard !isLast, let pause = RetryAfter.pause(answer.values("retry-after").first, at: clock.now) else {
                    throw AppStoreServerFailure.status(error.status, code: error.code)
                }
                isLast = true
                try await sleep(pause)
            }
        }
    }

    private func question(_ url: ServiceURL, in place: Place) async throws -> HTTPQuestion {
        guard let token = try? await AppStoreServerToken(settings).text(for: place.bundle, at: clock.now) else {
            throw AppStoreServerFailure.key
        }
        return HTTPQuestion(
            url: url,
            headers: [
                .init(name: "Authorization", value: "Bearer \(token)"),
                .init(name: "Accept", value: "application/json"),
            ], isRepeatable: true)
    }
}
