package import Commerce
import Foundation
import JSON
import OutgoingRequests
package import Primitives

/// A client of the App Store Server API. Its results are signed, and the caller verifies them.
///
/// Source: App Store protocol, “App Store Server API”.
package struct AppStoreServerClient: Sendable {
    private let settings: AppStoreServerSettings
    private let http: OutgoingHTTP
    private let protection: ProtectedStore
    private let clock: WallClock
    private let sleep: Sleep

    var maxPages: Int { settings.maxPages }

    /// Creates a client.
    ///
    /// - Parameter sleep: The wait before a retry.
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

    /// The app and the environment of a query.
    package struct Place: Sendable, Hashable {
        package let bundle: String
        package let environment: StoreEnvironment

        package init(bundle: String, environment: StoreEnvironment) {
            self.bundle = bundle
            self.environment = environment
        }
    }

    /// The result of a request.
    enum ServiceResult: Sendable, Equatable {
        case found(JSONValue)
        /// - Parameter code: Apple's own error number.
        case notFound(code: Int?)
        case rejected(code: Int?)
    }

    /// Sends a GET request.
    ///
    /// - Parameter path: The path below the base URL, with escaped segments.
    /// - Throws: ``AppStoreServerFailure``, ``HTTPFailure``, ``ProtectionError``.
    func get(_ path: String, in place: Place) async throws -> ServiceResult {
        let base = place.environment == .sandbox ? settings.sandbox : settings.production
        let prefix = base.text.hasSuffix("/") ? String(base.text.dropLast()) : base.text
        guard let url = ServiceURL(prefix + path) else { throw AppStoreServerFailure.incomplete }
        return try await protection.perform { try await perform(url, in: place) }
    }

    /// Sends the request, and retries once if Apple reports that a retry may help.
    ///
    /// Source: App Store protocol, “Errors of API calls”.
    private func perform(_ url: ServiceURL, in place: Place) async throws -> ServiceResult {
        var isLast = false
        while true {
            let response = try await http.send(try await request(url, in: place))
            if response.status == 200 {
                guard let json = try? JSONParser.parse(response.body) else { throw AppStoreServerFailure.notJSON }
                return .found(json)
            }
            let error = AppStoreServerError(status: response.status, body: response.body)
            switch error.meaning {
            case .notFound: return .notFound(code: error.code)
            case .rejected: return .rejected(code: error.code)
            case .callFailed: throw AppStoreServerFailure.status(error.status, code: error.code)
            case .retryable:
                guard !isLast, let pause = RetryAfter.pause(response.values("retry-after").first, at: clock.now) else {
                    throw AppStoreServerFailure.status(error.status, code: error.code)
                }
                isLast = true
                try await sleep(pause)
            }
        }
    }

    private func request(_ url: ServiceURL, in place: Place) async throws -> OutboundRequest {
        guard let token = try? await AppStoreServerToken(settings).text(for: place.bundle, at: clock.now) else {
            throw AppStoreServerFailure.key
        }
        return OutboundRequest(
            url: url,
            headers: [
                .init(name: "Authorization", value: "Bearer \(token)"),
                .init(name: "Accept", value: "application/json"),
            ], isRepeatable: true)
    }
}
